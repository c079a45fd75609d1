package play_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How a session goes: the sizes of its messages in the stand-in's tokens, and what comes up when. A
// subject comes up now and then, is talked about for some messages and named in half of them; each
// has an entry in the lorebook.
const (
	sessionTurns   = 200
	sessionContext = 8192
	sessionUser    = 45
	sessionReply   = 220
	sessionEntries = 80
	sessionEntry   = 80
	sessionNote    = 60
	sessionFact    = 6  // turns until the user reveals something personal
	sessionPlan    = 15 // turns until something is put off
	sessionPeak    = 40 // turns until something striking is seen
)

// Limits for a session.
const (
	// It has been 82.4 since folds replace messages with an interim recap, which is read again; it was
	// 92 while messages that left the window were forgotten.
	sessionReused = 80.0 // percent of the tokens of turns and passes, at least
	sessionNew    = 350  // tokens that the median turn reads again, at most
	sessionPass   = 5.0  // percent of its prompt that a pass reads again, at most
)

// Plain words of one token each, and long ones of two.
var sessionWords = strings.Fields("lamp door stair curtain rope chair velvet dust window ledger candle mirror copper " +
	"button coat glove step board nail plaster balcony remembering understanding quietly corner pocket letter string " +
	"canvas paint ladder bucket thread needle basket bottle kettle river gravel")

// told returns a text of about tokens tokens, always the same for a seed.
func told(seed uint64, tokens int, lead ...string) string {
	r := rand.New(rand.NewPCG(seed, 11))
	var b strings.Builder
	for _, l := range lead {
		b.WriteString(l + " ")
	}
	n := 0
	for range strings.Fields(b.String()) {
		n += 2 // a name, mostly
	}
	for n < tokens {
		words := min(6+r.IntN(8), max(tokens-n-1, 2))
		for i := range words {
			w := sessionWords[r.IntN(len(sessionWords))]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			}
			b.WriteString(w)
			if i < words-1 {
				b.WriteByte(' ')
			}
			n += 1 + (len(w)-1)/6
		}
		b.WriteString(". ")
		n++
	}
	return strings.TrimSpace(b.String())
}

// subjectName is the key of an entry: a word that nothing else is called.
func subjectName(i int) string {
	const start, end = "BDFGKLMNPR", "alorinemuskethi"
	return string(start[i%10]) + end[i/10:i/10+3] + end[i%5:i%5+2] + "x"
}

// scriptedSession holds the texts of a session.
type scriptedSession struct {
	named [][]int // subjects of each message, user and reply in turn
	scene int     // turns until the story skips time
	turn  atomic.Int64
}

func newSession(turns, scene int, seed uint64) *scriptedSession {
	r := rand.New(rand.NewPCG(seed, 3))
	ev := &scriptedSession{scene: scene}
	topics := map[int]bool{}
	for range 2 * turns {
		if r.Float64() < 0.5 {
			topics[r.IntN(sessionEntries)] = true
		}
		var here []int
		for e := range sessionEntries {
			if topics[e] && r.Float64() < 1.0/6 {
				delete(topics, e)
			}
			if topics[e] && r.Float64() < 0.5 {
				here = append(here, e)
			}
		}
		ev.named = append(ev.named, here)
	}
	return ev
}

func (ev *scriptedSession) subjects(message int) string {
	var names []string
	for _, e := range ev.named[message%len(ev.named)] {
		names = append(names, subjectName(e))
	}
	if len(names) == 0 {
		return ""
	}
	return "Of " + strings.Join(names, " and ") + "."
}

// line returns the user's line on a turn.
func (ev *scriptedSession) line(turn int) string {
	lead := []string{ev.subjects(2 * turn)}
	if turn > 0 && turn%ev.scene == 0 {
		lead = append([]string{"The next morning I come back to the theatre."}, lead...)
	}
	if turn%sessionFact == 1 {
		lead = append(lead, fmt.Sprintf("\"I love the %s in the %s,\" I say.", sessionWords[turn%29],
			sessionWords[(turn*7)%31]))
	}
	if turn%sessionPlan == 2 {
		lead = append(lead, fmt.Sprintf("\"Remind me of the %s of number %d.\"", sessionWords[turn%23], turn))
	}
	return told(uint64(turn)*2, sessionUser, lead...)
}

// reply returns the character's answer. It depends only on the turn and the take, so that every run
// is the same.
func (ev *scriptedSession) reply(_ []storage.Node, take int) string {
	turn := int(ev.turn.Load())
	lead := []string{ev.subjects(2*turn + 1)}
	if turn%sessionPeak == sessionPeak-1 {
		lead = append(lead, "*Lightning splits the sky above the stage.*")
	}
	return told(uint64(turn)*2+1+uint64(take)<<32, sessionReply, lead...)
}

// cost is a session's cost for the server.
type cost struct {
	turns, passes, others []demo.Read
	folds                 int
	full                  int // turns before the first fold
}

func (c *cost) add(r demo.Read) {
	switch {
	case !r.Structured:
		c.turns = append(c.turns, r)
	case r.Job == demo.AfterTurnJob || r.Job == demo.DetectJob:
		c.passes = append(c.passes, r)
	default:
		c.others = append(c.others, r)
	}
}

// anew returns the share of the prompts' tokens that was read again, in percent.
func anew(lists ...[]demo.Read) float64 {
	fresh, all := 0, 0
	for _, list := range lists {
		for _, r := range list {
			fresh, all = fresh+r.Fresh, all+r.Prompt
		}
	}
	return 100 * float64(fresh) / float64(max(all, 1))
}

// again returns the share of the prompts' tokens that was read again although it had been read
// before, in percent: without the last message, which is the instruction.
func again(list []demo.Read) float64 {
	twice, all := 0, 0
	for _, r := range list {
		twice, all = twice+max(r.Fresh-r.Last-framing, 0), all+r.Prompt
	}
	return 100 * float64(twice) / float64(max(all, 1))
}

// framing is the number of tokens around a message, and at the beginning of the answer.
const framing = 8

// fresh returns the tokens that each prompt read again, the fewest first.
func fresh(list []demo.Read) []int {
	var out []int
	for _, r := range list {
		out = append(out, r.Fresh)
	}
	slices.Sort(out)
	return out
}

// playSession plays a chat of turns turns with all features of the director: a lorebook, an author's
// note, scenes and recaps, the director, memories and hooks.
func playSession(b testing.TB, turns, scene int, post bool, change ...func(*enginetest.Setup)) cost {
	return playSessionAfter(b, turns, scene, post, func(*harness, int, bool) {}, change...)
}

// playSessionAfter does the same, and something after each turn.
func playSessionAfter(b testing.TB, turns, scene int, post bool, after func(s *harness, turn int, folded bool),
	change ...func(*enginetest.Setup)) cost {
	ev := newSession(turns, scene, 1)
	var c cost
	s := (&harness{enginetest.NewHarness(b, append([]func(*enginetest.Setup){func(o *enginetest.Setup) {
		o.Cfg.Scenes.NoDetect = false
		o.Cfg.Stage = config.Stage{}
		o.Cfg.Sampling.NumCtx = sessionContext
		o.Cfg.Sampling.NumPredict = 350
		o.Servers = demo.Options{Fault: o.Servers.Fault, Script: ev.reply, OnRead: c.add}
	}}, change...)...)})
	defer s.Shut()
	var entries []storage.LoreEntry
	for i := range sessionEntries {
		entries = append(entries, enginetest.Keyed(subjectName(i),
			told(uint64(i)+1000, sessionEntry-8, "["+subjectName(i)+":"), subjectName(i)))
	}
	enginetest.Must(b, s.createSessionCast(post))
	s.Book(storage.Lorebook{Name: "The house", Chat: s.Chat}, entries...)
	enginetest.Must(b, s.Chats.SetAuthorNote(s.Chat, told(77, sessionNote)))
	window := storage.NodeID("")
	for turn := range turns {
		ev.turn.Store(int64(turn))
		s.Say(ev.line(turn))
		s.Work()
		now := s.newestWindow()
		if now != window && window != "" {
			if c.folds++; c.folds == 1 {
				c.full = len(c.turns)
			}
		}
		window = now
		after(s, turn, c.folds > 0)
		s.DrainFeed()
		s.Seen = nil
	}
	return c
}

// createSessionCast creates a chat with a character and a persona of a usual size. With post, the
// card has post-history instructions, which come last in every prompt.
func (s *harness) createSessionCast(post bool) error {
	card := storage.Card{Name: "Tove", SystemPrompt: told(501, 120), Description: told(502, 500),
		Personality: told(503, 80), Scenario: told(504, 120),
		MessageExample: "<START>\n{{char}}: " + told(505, 150) + "\n<START>\n{{char}}: " + told(506, 150),
		FirstMessage:   told(507, 200)}
	if post {
		card.PostHistoryInstructions = told(508, 30)
	}
	who, err := s.Library.SaveCharacter(storage.Character{Card: card})
	if err != nil {
		return err
	}
	if _, err := s.Library.SavePersona(storage.Persona{Name: "Robin", Description: told(509, 80)}); err != nil {
		return err
	}
	c, err := s.Chats.New(who.ID, "An evening")
	s.Chat = c.ID
	return err
}

// newestWindow returns the beginning of the newest reply's prompt.
func (s *harness) newestWindow() (id storage.NodeID) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for at := c.Head; at != "" && id == ""; {
			n, err := tx.Node(s.Chat, at)
			if err != nil {
				return err
			}
			id, at = n.Window, n.Parent
		}
		return nil
	}))
	return id
}

// BenchmarkStageSession plays sessions of 200 turns and reports the share of requested tokens that
// the server had in its cache: what it read and wrote last. It counts every request to the chat's
// model, and reading again after folds and recaps. The limits are for a story without breaks. Each
// scene end costs another reading of the whole prompt, since its recap is before the story, and
// post-history instructions cost the last reply on each turn.
func BenchmarkStageSession(b *testing.B) {
	for _, how := range []struct {
		name   string
		scene  int
		post   bool
		judged bool
	}{
		{"one-scene", sessionTurns, false, true},
		{"scenes-of-15", 15, false, false},
		{"scenes-of-10", 10, false, false},
		{"post-history", sessionTurns, true, false},
	} {
		b.Run(how.name, func(b *testing.B) {
			var c cost
			for b.Loop() {
				c = playSession(b, sessionTurns, how.scene, how.post)
			}
			c.report(b)
			median, reused := fresh(c.turns)[len(c.turns)/2], 100-anew(c.turns, c.passes)
			if how.judged && (reused < sessionReused || median > sessionNew || again(c.passes) > sessionPass) {
				b.Errorf("%.1f %% reused, %d tokens in the median turn, %.1f %% read again by passes; at least %v, "+
					"at most %v and %v are wanted",
					reused, median, again(c.passes), sessionReused, sessionNew, sessionPass)
			}
		})
	}
}

func (c cost) report(b *testing.B) {
	turns, passes := fresh(c.turns), fresh(c.passes)
	for name, v := range map[string]float64{
		"%reused": 100 - anew(c.turns, c.passes), "%reused-by-turns": 100 - anew(c.turns),
		"%reused-when-full": 100 - anew(c.turns[c.full:], c.passes[min(c.full, len(c.passes)):]),
		"new-median":        float64(turns[len(turns)/2]), "new-p95": float64(turns[len(turns)*95/100]),
		"%new-in-passes": anew(c.passes), "%read-again-by-passes": again(c.passes),
		"folds": float64(c.folds), "passes": float64(len(c.passes)), "recaps": float64(len(c.others)),
	} {
		b.ReportMetric(v, name)
	}
	if len(passes) > 0 {
		b.ReportMetric(float64(passes[len(passes)/2]), "pass-median")
	}
}

// meteredRead is what a real server reports about one request.
type meteredRead struct {
	structured bool
	prompt     int
	took       time.Duration
}

// metered is a proxy before a real server that records what it reports about each request for text.
func metered(t *testing.T, server string) (url string, reads func() []meteredRead) {
	t.Helper()
	to, err := neturl.Parse(server)
	enginetest.Must(t, err)
	var mu sync.Mutex
	var list []meteredRead
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Path != "/api/chat" {
				return nil
			}
			structured, _ := r.Request.Context().Value(structuredKey{}).(bool)
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
			var end api.ChatResponse
			if json.Unmarshal(lines[len(lines)-1], &end) == nil && end.Done {
				mu.Lock()
				defer mu.Unlock()
				list = append(list, meteredRead{structured, end.PromptEvalCount, end.PromptEvalDuration})
			}
			return nil
		},
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked struct{ Format json.RawMessage }
		_ = json.Unmarshal(body, &asked) // only requests for text have it
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), structuredKey{}, len(asked.Format) > 0)))
	}))
	t.Cleanup(h.Close)
	return h.URL, func() []meteredRead {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

type structuredKey struct{}

// A session on a real server, whose model writes gibberish: the requests after each turn are
// answered, and the time to read turns and passes is reported as a share of the time for the whole
// prompt.
func TestReal_SessionOnStage(t *testing.T) {
	url, model := ollamatest.Real(t)
	url, reads := metered(t, url)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Sampling.NumCtx = model, 40, 2*sessionContext
		o.Cfg.Stage = config.Stage{}
	})})
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	enginetest.Must(t, s.createSessionCast(false))
	const turns = 4
	ev := newSession(turns, turns, 2)
	// A real server may have much else to do.
	patient, cancel := context.WithTimeout(t.Context(), 10*enginetest.Patience)
	defer cancel()
	play := func(text string) {
		t.Helper()
		turn, err := s.Play.Send(s.Chat, text)
		enginetest.Must(t, err)
		_, err = s.Play.Wait(patient, s.Chat)
		for try := 0; try < 5 && err != nil && strings.Contains(err.Error(), "without writing anything"); try++ {
			enginetest.Must(t, s.Play.Regenerate(s.Chat, turn)) // random weights end anywhere
			_, err = s.Play.Wait(patient, s.Chat)
		}
		enginetest.Must(t, err)
		if sum, err := s.Queue.Drain(patient); err != nil {
			t.Logf("%d done, %d failed: %v", sum.Done, sum.Failed, err)
		}
	}
	play("Hello.")         // the model's tokens are counted
	s.Exchange(10, "lamp") // a prompt that is long enough for its reading to show
	for turn := range turns {
		play(ev.line(turn))
	}
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
	done := reads()
	full := s.readWhole(model, reads)
	passes := 0
	for _, op := range ops {
		if op.Type == director.OpAfterTurn {
			if passes++; op.Status != storage.Completed {
				t.Errorf("what is asked after a turn %s: %s", op.Status, op.Error)
			}
		}
	}
	if passes <= turns/2 { // some cover two turns
		t.Errorf("%d passes after %d turns", passes, turns)
	}
	msEach := full.took.Seconds() * 1000 / float64(full.prompt)
	ratio := map[bool][]float64{}
	took, cold := 0.0, 0.0 // of all requests, and of reading each from its first word on
	for _, r := range done[1:] {
		took, cold = took+r.took.Seconds()*1000, cold+msEach*float64(r.prompt)
		share := r.took.Seconds() * 1000 / (msEach * float64(r.prompt))
		t.Logf("structured %-5v %5d tokens read in %6.1f ms: %.3f of a full reading", r.structured, r.prompt,
			r.took.Seconds()*1000, share)
		ratio[r.structured] = append(ratio[r.structured], share)
	}
	for structured, list := range ratio {
		slices.Sort(list)
		t.Logf("structured %v: in the median %.3f of a full reading of %d tokens in %v", structured, list[len(list)/2],
			full.prompt, full.took)
	}
	t.Logf("cold %d tokens were read in %.0f ms, %.2f ms each; %d requests with what was cached in %.0f ms in all, "+
		"cold they would take %.0f: %.1f %% of that is spared",
		full.prompt, full.took.Seconds()*1000, msEach, len(done)-1, took, cold, 100*(1-took/cold))
	t.Logf("the engine has learnt %.3f ms a token, a full reading took %.3f", s.Models.TokenMS(model), msEach)
	s.Sound()
}

// readWhole has the server read the chat's prompt from its first word on.
func (s *harness) readWhole(model string, reads func() []meteredRead) meteredRead {
	s.T.Helper()
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
	enginetest.Must(s.T, err)
	v.Messages[0].Content = "Otherwise. " + v.Messages[0].Content
	req := play.ChatRequest(s.Play, storage.Chat{}, model, s.Models.ModelOr(s.Context(), model), v.Messages)
	req.Options.NumPredict = 1
	_, err = s.Models.Ollama.Chat(s.Context(), req, nil)
	enginetest.Must(s.T, err)
	all := reads()
	return all[len(all)-1]
}
