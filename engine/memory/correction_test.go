package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// story is a story with one sentence in every place that can have it.
type story struct {
	*enginetest.Harness
	ids   []storage.NodeID
	book  storage.LorebookID
	entry storage.EntryID
}

// storyWithSentence plays two scenes and an open one that contain a sentence, and puts it into
// every kind of record.
func storyWithSentence(t *testing.T, sentence, other string) *story {
	t.Helper()
	s := &story{Harness: enginetest.NewHarness(t)}
	s.ids = s.Tell("Look around.", sentence+". "+other+".", "And then?", "Much later. "+sentence+"!", "Go on.", "The night falls.")
	var parts []storage.Recap
	for _, i := range []int{1, 3} {
		s.EndWithoutRecap(s.ids[i])
		r := recapOf(s.ids[i], sentence, other)
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			b, err := storage.Breaks.Get(tx, s.Chat, s.ids[i])
			if err != nil {
				return err
			}
			return s.Scenes.AppendVersion(tx, s.Chat, b, r)
		}))
		parts = append(parts, r)
	}
	var base *storage.Recap
	for i, part := range parts {
		r := recapOf(part.Node, sentence, other)
		r.Kind, r.Node, r.Covers = storage.RunningRecap, s.ids[2*i+1], s.ids[2*i+1]
		r.Text += "\n## Pending Threads\n\n- What of it: " + sentence + "\n"
		r.Part = &storage.Part{Break: r.Node, Recap: part.ID, TextHash: scenes.TextHash(strings.TrimSpace(part.Text))}
		if base != nil {
			r.Base, r.BaseTextHash, r.Part.After = base.ID, scenes.TextHash(base.Text), base.Node
		}
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			part, err := storage.Recaps.Get(tx, s.Chat, part.ID)
			if err != nil {
				return err
			}
			r.Part.TextHash = scenes.TextHash(part.Text)
			if err := storage.RunningRecaps.Put(tx, s.Chat, r); err != nil {
				return err
			}
			b, err := storage.Breaks.Get(tx, s.Chat, r.Node)
			if err != nil {
				return err
			}
			b.Running = r.ID
			return storage.Breaks.Put(tx, s.Chat, b)
		}))
		base = &r
	}
	at := s.MentionAt(s.Chat, s.ids[1])
	at.Sources = s.ids[1:2]
	s.RemembersBy(at, sentence, other)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		_, err := memory.StoreHooks(tx, s.ScopeNow(), 0, []rules.FoundHook{{Type: storage.ReminderHook, Content: "Ask about it: " + sentence, Priority: 3, Mention: at}})
		return err
	}))
	var entries []storage.EntryID
	s.book, entries = s.Book(storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: s.Chat}, enginetest.Keyed("The Rumours", other+". "+sentence+".", "rumour"))
	s.entry = entries[0]
	return s
}

func recapOf(node storage.NodeID, lines ...string) storage.Recap {
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Node: node, Text: "## Key Developments\n\n"}
	for _, l := range lines {
		r.Text += "- " + l + "\n"
		r.Sources = append(r.Sources, storage.Source{Bullet: l, Messages: []storage.NodeID{node}})
	}
	return r
}

func (s *story) places(wrong, instead string) memory.CorrectionPlan {
	s.T.Helper()
	m, err := s.Memory.PlanCorrection(memory.Correction{Chat: s.Chat, Wrong: wrong, Instead: instead})
	enginetest.Must(s.T, err)
	return m
}

func (s *story) mend(wrong, instead string, choose func(p memory.Place) bool) memory.CorrectionResult {
	s.T.Helper()
	var ids []string
	for _, p := range s.places(wrong, instead).Places {
		if choose(p) {
			ids = append(ids, p.ID)
		}
	}
	done, err := s.Memory.ApplyCorrection(memory.Correction{Chat: s.Chat, Wrong: wrong, Instead: instead}, ids)
	enginetest.Must(s.T, err)
	return done
}

// all is everything that the story's records say, for comparing.
func (s *story) all() string {
	s.T.Helper()
	var b strings.Builder
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, n := range s.Nodes() {
			fmt.Fprintln(&b, n.Content)
		}
		for _, r := range storage.Recaps.All(tx, s.Chat) {
			fmt.Fprintln(&b, r.Text, r.Original, r.Sources, r.InputsHash)
		}
		for _, r := range storage.RunningRecaps.All(tx, s.Chat) {
			fmt.Fprintln(&b, r.Text, r.Original, r.Sources, r.BaseTextHash, *r.Part)
		}
		fmt.Fprintln(&b, scenes.StatementEnds(tx, s.Chat))
		for _, m := range storage.Memories.All(tx, s.ScopeNow()) {
			if !m.Removed {
				fmt.Fprintln(&b, m.Content, m.Original, m.Ends)
			}
		}
		for _, h := range storage.Hooks.All(tx, s.ScopeNow()) {
			fmt.Fprintln(&b, h.Content, h.Ends)
		}
		x, err := storage.LoreEntries.Get(tx, s.book, s.entry)
		fmt.Fprintln(&b, x.Content, x.Removed)
		return err
	}))
	return b.String()
}

// prompt is the next prompt in words.
func (s *story) prompt() string {
	s.T.Helper()
	p, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(s.T, err)
	var b strings.Builder
	for _, m := range p.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

func record(p memory.Place) bool { return p.Kind != facts.Played }

func TestMend_EveryPlaceOnce(t *testing.T) {
	for _, c := range []struct{ wrong, instead, other, gone string }{
		{"Clara waits for Piet at the old well", "Clara waits for Piet at the red mill", "The key of the tower is made of silver", "well"},
		{"Clara hat sich in Vale die Hand gebrochen", "Clara hat sich in Moor die Hand gebrochen", "Der Schlüssel des Turms ist aus Silber", "Vale"},
		{"Clara est née à Lyon en plein hiver", "Clara est née à Nantes en plein hiver", "La clé de la tour est en argent", "Lyon"},
	} {
		s := storyWithSentence(t, c.wrong, c.other)
		before := s.all()
		m := s.places(c.wrong+".", c.instead+".")
		kinds := map[facts.Kind]int{}
		for _, p := range m.Places {
			kinds[p.Kind]++
			if !p.Certain {
				t.Errorf("not certain: %+v", p)
			}
			if p.Chosen != (p.Kind != facts.Played) {
				t.Errorf("chosen %v: %+v", p.Chosen, p)
			}
		}
		for kind, want := range map[facts.Kind]int{facts.Played: 2, facts.Recap: 3, facts.Thread: 1, facts.Memory: 1, facts.Hook: 1, facts.Lore: 1} {
			if kinds[kind] != want {
				t.Errorf("%s: %d places, want %d of %+v", kind, kinds[kind], want, m.Places)
			}
		}
		if m.Remembers {
			t.Error("the recap tells it, and it is kept as a memory too")
		}
		done := s.mend(c.wrong+".", c.instead+".", record)
		if done.Count != 7 || done.Remember {
			t.Errorf("%+v", done)
		}
		for _, p := range s.places(c.wrong, c.instead).Places {
			if p.Kind != facts.Played {
				t.Errorf("it still stands: %+v", p)
			}
		}
		for _, v := range s.RunningNow().Versions {
			if strings.Contains(v.Text, c.gone) || strings.Count(v.Text, c.instead) != 2 { // in its line and in the thread
				t.Errorf("a version that a prompt may tell: %s", v.Text)
			}
		}
		if n := strings.Count(s.Known(s.Chat), c.instead); n != 0 {
			t.Errorf("the recap tells it, and %d memories too: %s", n, s.Known(s.Chat))
		}
		if s.RunningNow().Version().Stale {
			t.Error("the running recap is stale by its own correction")
		}
		_, _, err := s.Memory.UndoCorrection(s.Chat, "")
		enginetest.Must(t, err)
		if now := s.all(); now != before {
			t.Errorf("undone:\n%s\nbefore:\n%s", now, before)
		}
		s.Sound()
	}
}

const wrong, instead, other = "Clara waits for Piet at the old well", "Clara waits for Piet at the red mill", "The key of the tower is made of silver"

// A corrected fact is in the prompt immediately, even beside messages that contradict it, and once.
func TestMend_ToldAtOnce(t *testing.T) {
	s := storyWithSentence(t, wrong, other)
	s.mend(wrong, instead, record)
	if got := s.prompt(); strings.Count(got, "- "+instead) != 1 {
		t.Errorf("told %d times:\n%s", strings.Count(got, instead), got)
	}
	s.mend(instead, wrong, func(memory.Place) bool { return true }) // there and back
	s.mend(wrong, instead, func(memory.Place) bool { return true })
	if got := s.prompt(); strings.Contains(got, "old well") {
		t.Errorf("it is still told:\n%s", got)
	}
	s.Reopen()
	s.Sound()
}

// A message that is mended leaves alone what the user has not chosen, and a recap that
// was mended with it is not stale.
func TestMend_Messages(t *testing.T) {
	s := storyWithSentence(t, wrong, other)
	s.mend(wrong, instead, func(p memory.Place) bool {
		return p.Kind == facts.Played || p.Kind == facts.Recap || p.Kind == facts.Thread
	})
	if got := s.Known(s.Chat); !strings.Contains(got, "old well") {
		t.Errorf("the memory was not chosen: %s", got)
	}
	if got := s.Node(s.ids[3]).Content; got != "Much later. "+instead+"!" {
		t.Errorf("the message: %q", got)
	}
	list, err := s.Scenes.List(s.Chat)
	enginetest.Must(t, err)
	for _, sc := range list.List {
		if sc.Recap.Stale {
			t.Errorf("scene %d: its recap says what its messages say, and is stale", sc.Number)
		}
	}
	// The key that undoes a deletion undoes this first.
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	if got := s.Node(s.ids[3]).Content; got != "Much later. "+wrong+"!" {
		t.Errorf("undone: %q", got)
	}
	if err := s.Chats.Undo(s.Chat); err == nil {
		t.Error("it was undone twice")
	}
	enginetest.Must(t, s.Chats.Delete(s.Chat, s.ids[5], false))
	s.mend(wrong, instead, record)
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	if s.Node(s.ids[5]).Deleted {
		t.Error("the deletion before it was not undone")
	}
	s.Sound()
}

// A sentence that is simply wrong is removed everywhere, and the text next to it stays.
func TestMend_NotSo(t *testing.T) {
	s := storyWithSentence(t, wrong, other)
	before := s.all()
	done := s.mend(wrong, "", func(memory.Place) bool { return true })
	if done.Remember || done.Count != 9 {
		t.Errorf("%+v", done)
	}
	if got := s.Known(s.Chat); got != other {
		t.Errorf("remembered: %q", got)
	}
	if got := s.Node(s.ids[1]).Content; got != other+"." {
		t.Errorf("the message: %q", got)
	}
	if got := s.RunningNow().Version().Text; strings.Contains(got, "well") || !strings.Contains(got, other) {
		t.Errorf("the running recap: %q", got)
	}
	_, left, err := s.Memory.UndoCorrection(s.Chat, "")
	enginetest.Must(t, err)
	if left != 0 || s.all() != before {
		t.Errorf("%d left; undone:\n%s\nbefore:\n%s", left, s.all(), before)
	}
	s.Sound()
}

// Near misses are shown and left unchanged; the correct sentence is kept once if nothing states it.
func TestMend_NearMisses(t *testing.T) {
	s := &story{Harness: enginetest.NewHarness(t)}
	s.ids = s.Tell("Hello.", "Clara sold the boat to Jon for thirty crowns.")
	s.Remembers(s.ids[1], "Jon sold the boat to Clara for thirty crowns", "Clara did not sell the boat to Jon", "Clara gave the boat to Jon", "Clara likes boats")
	m := s.places("Clara sold the boat to Jon for thirty crowns.", "Clara lent the boat to Jon for thirty crowns.")
	for _, p := range m.Places {
		if p.Chosen {
			t.Errorf("chosen: %+v", p)
		}
	}
	if len(m.Places) < 2 || !m.Remembers {
		t.Errorf("%+v", m)
	}
	done := s.mend(m.Wrong, m.Instead, func(p memory.Place) bool { return p.Chosen })
	if !done.Remember || done.Count != 0 || strings.Count(s.Known(s.Chat), "lent") != 1 {
		t.Errorf("%+v: %s", done, s.Known(s.Chat))
	}
	if m := s.places(m.Wrong, m.Instead); m.Remembers {
		t.Error("it is kept already")
	}
	_, _, err := s.Memory.UndoCorrection(s.Chat, "")
	enginetest.Must(t, err)
	if strings.Contains(s.Known(s.Chat), "lent") {
		t.Errorf("undone: %s", s.Known(s.Chat))
	}
	s.Sound()
}

func TestMend_Refuses(t *testing.T) {
	s := storyWithSentence(t, wrong, other)
	for _, ask := range []memory.Correction{{Wrong: ""}, {Wrong: "…"}, {Wrong: wrong, Instead: wrong}, {Wrong: strings.Repeat("Clara waits. ", 90)}} {
		ask.Chat = s.Chat
		if _, err := s.Memory.PlanCorrection(ask); err == nil {
			t.Errorf("%+v", ask)
		}
	}
	ask := memory.Correction{Chat: s.Chat, Wrong: wrong, Instead: instead}
	m := s.places(wrong, instead)
	at := slices.IndexFunc(m.Places, func(p memory.Place) bool { return p.Kind == facts.Memory })
	list := s.Memories(memory.Query{}).List
	for _, x := range list {
		if x.Content == wrong {
			x.Content = "Clara waits for Piet at the inn"
			_, err := s.Memory.Save(s.ScopeNow(), x.Memory)
			enginetest.Must(t, err)
		}
	}
	before := s.all()
	if _, err := s.Memory.ApplyCorrection(ask, []string{m.Places[0].ID, m.Places[at].ID}); err == nil || s.all() != before {
		t.Errorf("a place that has changed since was mended, or a part was: %v", err)
	}
	if _, err := s.Memory.ApplyCorrection(memory.Correction{Chat: s.Chat, Wrong: wrong}, nil); err == nil {
		t.Error("nothing is selected")
	}
	if _, _, err := s.Memory.UndoCorrection(s.Chat, ""); err == nil {
		t.Error("nothing was done that could be undone")
	}
}

// Later changes stay when a correction is undone.
func TestUnmend_LeavesWhatCameLater(t *testing.T) {
	s := storyWithSentence(t, wrong, other)
	s.mend(wrong, instead, func(p memory.Place) bool { return p.Kind == facts.Played || p.Kind == facts.Lore })
	enginetest.Must(t, s.Chats.Edit(s.Chat, s.ids[1], "Something else."))
	_, left, err := s.Memory.UndoCorrection(s.Chat, "")
	enginetest.Must(t, err)
	if got := s.Node(s.ids[1]).Content; left != 1 || got != "Something else." {
		t.Errorf("%d left; the message: %q", left, got)
	}
	s.Sound()
}

// Who may know what is so are those who have heard what was wrong.
func TestMend_StaysASecret(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("Clara hid the letter under the old bridge of Vale.", "Hm.")
	mara := s.Joined("Mara")
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.Chat, ids[0])
		if err != nil {
			return err
		}
		n.Presence = &storage.Presence{Witnesses: []storage.CharacterID{mara}, Whisper: true}
		return tx.PutNode(n)
	}))
	done, err := s.Memory.ApplyCorrection(memory.Correction{Chat: s.Chat, Wrong: "Clara hid the letter under the old bridge of Vale.", Instead: "Clara burned the letter."}, nil)
	enginetest.Must(t, err)
	if !done.Remember {
		t.Fatal("it was not kept")
	}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		known := memory.PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head).Memories()
		if len(known) != 1 || !slices.Equal(known[0].Witnesses, []storage.CharacterID{mara}) {
			t.Errorf("%+v", known)
		}
		return nil
	}))
}

// A line of the user's is included although the messages in the prompt contradict it; a line that
// was brought back survives every merge.
func TestHands_Merge(t *testing.T) {
	base := recapOf("a", "Clara lost the ring", "Jon has the key")
	base = scene.RestoreBullet(base, "Pending Threads", "Piet owes ten crowns", []storage.NodeID{"a"})
	if !strings.Contains(base.Text, "## Pending Threads\n\n- Piet owes ten crowns") || scene.UserMark(base, "Piet owes ten crowns") != storage.BulletRestored {
		t.Fatalf("%s\n%+v", base.Text, base.Sources)
	}
	next := recapOf("b", "The boat is sold")
	for name, text := range map[string]string{
		"honest":   `{"recap":{"key_developments":[{"text":"Clara lost the ring","bullets":[1]},{"text":"Jon has the key","bullets":[2]},{"text":"The boat is sold","bullets":[4]}],"pending_threads":[{"text":"Piet owes ten crowns","bullets":[3]}]},"dropped":[]}`,
		"drops it": `{"recap":{"key_developments":[{"text":"Clara lost the ring","bullets":[1]},{"text":"Jon has the key","bullets":[2]},{"text":"The boat is sold","bullets":[4]}]},"dropped":[{"fact":3,"why":"not important"}]}`,
		"forgets":  `{"recap":{"key_developments":[{"text":"Clara lost the ring","bullets":[1]},{"text":"Jon has the key","bullets":[2]},{"text":"The boat is sold","bullets":[4]}]}}`,
	} {
		var a scene.MergeAnswer
		enginetest.Must(t, a.UnmarshalJSON([]byte(text)))
		m := scene.Merge{Records: []storage.Recap{base, next}, Running: true, User: "Robin", Char: "Tove"}
		d := m.Draft(&a)
		if !strings.Contains(d.Text, "Piet owes ten crowns") || scene.UserMark(storage.Recap{Sources: d.Sources}, "Piet owes ten crowns") != storage.BulletRestored {
			t.Errorf("%s:\n%s\n%+v", name, d.Text, d.Sources)
		}
	}
}
