package scenes_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// long plays a scene of n messages, each with a fact of its own and a lot of words.
func (s *harness) long(n int) []storage.NodeID {
	filler := strings.Repeat("They walk on along the quay, slowly, and the gulls cry above the roofs while the tide goes out. ", 18)
	var texts []string
	for i := range n {
		texts = append(texts, kept(i)+". "+filler)
	}
	return s.Tell(texts...)
}

// kept is a fact of its own; no two share a word that counts.
func kept(i int) string {
	word := func(first rune) string { return string([]rune{first, 'a' + rune(i/26), 'o', 'a' + rune(i%26), 'u'}) }
	return fmt.Sprintf("The %s %s of Mr %s is %dx", word('q'), word('z'), word('W'), i)
}

var secret = regexp.MustCompile(`\[(\d+)\] [^\n]*?(The q\w+ z\w+ of Mr W\w+ is (\d+)x)`)

// weighed merges records as a careful model does: it keeps everything that they state, and the
// situation of the last one.
func weighed(c demo.Call) any {
	all := ""
	for _, m := range c.Messages {
		if m.Role == storage.User {
			all = cmp.Or(all, m.Content) // a repeated request's correction follows
		}
	}
	body, dropped, heading, newest := map[string]any{}, []any{}, "", false
	for line := range strings.Lines(all) {
		line = strings.TrimSpace(line)
		if of := block.FindStringSubmatch(line); line == "<newest>" || of != nil && of[1] == of[2] {
			newest = true
		}
		if f := numbered.FindStringSubmatch(line); f != nil && heading != "" {
			n, _ := strconv.Atoi(f[1])
			if heading == "current_situation" && !newest {
				dropped = append(dropped, map[string]any{"fact": n, "why": "they have gone on"})
				continue
			}
			list, _ := body[heading].([]any)
			body[heading] = append(list, map[string]any{"text": f[2], "bullets": []int{n}})
		} else if strings.HasSuffix(line, ":") {
			heading = strings.ReplaceAll(strings.ToLower(strings.TrimSuffix(line, ":")), " ", "_")
		}
	}
	return map[string]any{"recap": body, "dropped": dropped}
}

var block = regexp.MustCompile(`^(?:Part|Scene) (\d+) of (\d+): `)

var numbered = regexp.MustCompile(`^\[(\d+)\] (.*)$`)

// reads answers for a part with each secret that it shows; asked counts the requests
// for each first message, and merges those for putting together.
type reads struct {
	asked  map[string]int
	merges int
	prompt []string
	merge  func(c demo.Call) any
	fail   func(first string) bool
}

func (s *harness) reader() *reads {
	r := &reads{asked: map[string]int{}, merge: weighed}
	s.SpoilBy(func(c demo.Call) demo.Fault {
		form, all := string(c.Format), ""
		for _, m := range c.Messages {
			all += m.Content + "\n"
		}
		switch {
		case strings.Contains(form, `"dropped"`):
			r.merges++
			return answer(r.merge(c))
		case strings.Contains(form, `"scene_name"`):
			r.prompt = append(r.prompt, all)
			var list []any
			found := secret.FindAllStringSubmatch(all, -1)
			first := ""
			for _, f := range found {
				first = cmp.Or(first, f[3])
				n, _ := strconv.Atoi(f[1])
				list = append(list, map[string]any{"text": f[2], "messages": []int{n}})
			}
			if r.asked[first]++; r.fail != nil && r.fail(first) {
				return answer("no answer at all")
			}
			return answer(map[string]any{"scene_name": "On the quay", "recap": map[string]any{"current_situation": []any{map[string]any{"text": "They are on the quay, past mark " + first, "messages": []int{1}}},
				"key_developments": list, "dialogue_highlights": []any{}, "tone_style": []any{}, "pending_threads": []any{}}, "atmosphere": "", "emotional_beats": "",
				"lorebooks": []any{map[string]any{"name": "Vault", "type": "location", "keywords": []any{"vault"}, "content": "[location-Vault: holds secret " + first + "]"}}})
		}
		return demo.Fault{}
	})
	return r
}

func (r *reads) total() (n int) {
	for _, k := range r.asked {
		n += k
	}
	return n
}

// A scene of 30 turns does not fit a context of 8,192: it is read in parts, and every
// fact of each is found again.
func TestRecap_NoSceneIsTooLong(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(60)
	r := s.reader()
	s.End(a[29])
	v := s.recapOf(a[29]).Version()
	if v == nil {
		t.Fatal("no recap")
	}
	got := bulletsIn(v.Text)
	for i := range 30 {
		if !slices.Contains(got, kept(i)) {
			t.Errorf("%q is lost", kept(i))
		}
	}
	view := s.recapOf(a[29])
	if reads := view.Version().Reads; len(reads) != v.Parts || reads[v.Parts-1] != view.Scene.Messages || !slices.IsSorted(reads) {
		t.Errorf("its parts end with the messages %v of %d", reads, view.Scene.Messages)
	}
	if v.Parts < 2 || r.total() != v.Parts || r.merges == 0 {
		t.Errorf("%d parts, asked %v, merges %d", v.Parts, r.asked, r.merges)
	}
	for i := range 30 {
		if from := scene.SourcesOf(v.Recap, kept(i)); len(from) != 1 || from[0] != a[i] {
			t.Errorf("%q comes from %d messages", kept(i), len(from))
		}
	}
	if now := strings.Count(v.Text, "They are on the quay"); now != 1 {
		t.Errorf("it stands in %d ways:\n%s", now, v.Text)
	}
	if len(v.Lorebooks) != v.Parts || !strings.Contains(v.Lorebooks[0].Content, "holds secret") {
		t.Errorf("for the lorebook: %+v", v.Lorebooks)
	}
	if !strings.Contains(r.prompt[1], kept(0)) || !strings.Contains(r.prompt[1], "This is part 2.") {
		t.Errorf("the second part is shown:\n%.3000s", r.prompt[1])
	}
	t.Logf("%d parts, %d requests for parts, %d to put them together", v.Parts, r.total(), r.merges)
	calls := r.total() + r.merges
	_, err := s.Scenes.Recap(s.Chat, a[29], scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	if r.total()+r.merges != calls {
		t.Error("the same scene was read again")
	}
	s.Sound()
}

// A part that is done is not asked for again: not after a failure, a retry, a new
// request, nor after the program has been shut and opened.
func TestRecap_APartIsReadOnce(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(40)
	r := s.reader()
	broken := true
	r.fail = func(first string) bool { return broken && r.total() > 1 && first != "0" }
	_, err := s.Scenes.SetBreak(s.Chat, a[29], true)
	enginetest.Must(t, err)
	id, err := s.Scenes.Recap(s.Chat, a[29], scenes.RecapRequest{})
	enginetest.Must(t, err)
	if _, err := s.Queue.Drain(s.Context()); err == nil {
		t.Fatal("the second part has failed")
	}
	s.Shut()
	s.Open()
	r2 := s.reader()
	broken = false
	again, err := s.Scenes.Recap(s.Chat, a[29], scenes.RecapRequest{})
	enginetest.Must(t, err)
	if again == id {
		t.Error("a failed operation is taken for one that waits")
	}
	s.Work()
	if r.asked["0"] != 1 || r2.asked["0"] != 0 {
		t.Errorf("the first part: %d and %d times", r.asked["0"], r2.asked["0"])
	}
	for first, n := range r2.asked {
		if n != 1 {
			t.Errorf("the part from %s on: %d times", first, n)
		}
	}
	if v := s.recapOf(a[29]).Version(); v == nil || v.Parts != len(r2.asked)+1 {
		t.Errorf("%+v", v)
	}
	s.Sound()
}

// What was read is read again only from the message on that has changed.
func TestRecap_AnEditWhileALongSceneIsRead(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(40)
	r := s.reader()
	_, err := s.Scenes.SetBreak(s.Chat, a[29], true)
	enginetest.Must(t, err)
	id, err := s.Scenes.Recap(s.Chat, a[29], scenes.RecapRequest{})
	enginetest.Must(t, err)
	stop := false
	r.fail = func(first string) bool { return r.total() > 2 && !stop }
	if _, err := s.Queue.Drain(s.Context()); err == nil {
		t.Fatal("the third part has failed")
	}
	stop = true
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[14], kept(99)+". It is another one."))
	enginetest.Must(t, s.Queue.Retry(id))
	s.Work()
	v := s.recapOf(a[29]).Version()
	if v == nil || v.Stale || !strings.Contains(v.Text, kept(99)) || strings.Contains(v.Text, kept(14)) || r.asked["0"] != 1 {
		t.Errorf("asked %v: %+v", r.asked, v)
	}
	s.Sound()
}

// Work that is under way is not begun a second time.
func TestRecap_IsNotBegunTwice(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(40)
	r := s.reader()
	asked := 0
	r.fail = func(string) bool {
		asked++
		if _, err := s.Scenes.RecapMissing(s.Chat); err != nil {
			t.Error(err)
		}
		if _, err := s.Scenes.Recap(s.Chat, a[29], scenes.RecapRequest{}); err != nil {
			t.Error(err)
		}
		return false
	}
	s.End(a[29])
	for first, n := range r.asked {
		if n != 1 {
			t.Errorf("the part from %s on: %d times", first, n)
		}
	}
	if v := s.recapOf(a[29]); len(v.Versions) != 1 {
		t.Errorf("%d versions", len(v.Versions))
	}
}

// A scene that is far too long is read in the maximum number of parts, and its recap records that
// messages were shortened.
func TestRecap_NeverEndlessRequests(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(4096)
	huge := strings.Repeat("The rain falls on the harbour and nobody counts the drops of it. ", 1500)
	a := s.Tell(kept(0)+". "+huge, kept(1)+". "+huge, kept(2)+". "+huge, kept(3)+". "+huge, "Go on.", "Yes.")
	r := s.reader()
	s.End(a[3])
	v := s.recapOf(a[3]).Version()
	if v == nil || r.total() > 64 || v.Shortened == 0 {
		t.Fatalf("%d requests, %+v", r.total(), v)
	}
	t.Logf("%d parts", v.Parts)
}

// A message and a join that are too long are done in parts as well; a recall test is a sample.
func TestParts_OfMessagesRecallTestsAndJoins(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(70)
	s.reader()
	s.End(a[29])
	s.End(a[59])
	before := s.AskedFor("questions")
	_, err := s.Scenes.QueueRecallTest(s.Chat, a[29])
	enginetest.Must(t, err)
	s.Work()
	if x := s.recapOf(a[29]).Version().RecallTest; x == nil || len(x.Questions) == 0 {
		t.Errorf("the recall test: %+v", x)
	}
	if n := s.AskedFor("questions") - before; n != 1 {
		t.Errorf("%d requests for questions", n)
	}
	huge := ""
	for i := range 900 {
		huge += fmt.Sprintf("Tove counts crate number %d and writes it down.\n\n", i)
	}
	b := s.Tell(huge, "Good.")
	_, err = s.Scenes.RecapMessage(s.Chat, b[0], scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	m, err := s.Scenes.MessageRecap(s.Chat, b[0])
	enginetest.Must(t, err)
	if v := m.Version(); v == nil || v.Shortened != 1 {
		t.Errorf("the message: %+v", v)
	}
	s.cfgContext(3500)
	enginetest.Must(t, s.Scenes.Join(s.Chat, a[29], a[59]))
	s.Work()
	v := s.recapOf(a[59]).Version()
	if v == nil {
		t.Fatal("no joined scene")
	}
	for i := range 60 {
		if !slices.Contains(bulletsIn(v.Text), kept(i)) {
			t.Errorf("%q is lost", kept(i))
		}
	}
	s.Sound()
}

// A model that forgets most of what the parts have brought loses nothing.
func TestRecap_PutTogetherByACarelessModel(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8192)
	a := s.long(40)
	r := s.reader()
	r.merge = func(demo.Call) any {
		return map[string]any{"recap": map[string]any{"current_situation": []any{map[string]any{"text": "They are on the quay, past mark 25", "bullets": []int{99}}}},
			"dropped": []any{map[string]any{"fact": 8, "why": "it is not so any more"}}}
	}
	s.End(a[29])
	v := s.recapOf(a[29]).Version()
	if v == nil || len(v.Dropped) == 0 || len(scene.Bullets(v.Text)) < 28 {
		t.Errorf("%d dropped:\n%s", len(v.Dropped), v.Text)
	}
}
