package play_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// speakers is a model that answers with first, and when it should continue a text with the result
// of then; n counts these requests from 0.
type speakers struct {
	first string
	then  func(kept string, n int) string
	mu    sync.Mutex
	n     int
}

func (m *speakers) write(messages []storage.Node, _ int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	switch last := messages[len(messages)-1]; {
	case m.n == 1:
		return m.first
	case last.Role != storage.Assistant:
		return m.then("", m.n-2)
	default:
		return m.then(last.Content, m.n-2)
	}
}

// goesOn reports whether a call asks the model to continue a text.
func goesOn(c demo.Call) bool {
	var b struct{ Messages []struct{ Role string } }
	return c.Path == "/api/chat" && json.Unmarshal(c.Body, &b) == nil && len(b.Messages) > 0 &&
		b.Messages[len(b.Messages)-1].Role == "assistant"
}

const spineBan = "a shiver down her spine"

func playedHarness(t *testing.T, v config.Voice, m *speakers, more ...func(*enginetest.Setup)) *harness {
	t.Helper()
	if v.Phrases == nil {
		v.Phrases = []string{spineBan}
	}
	return &harness{enginetest.NewHarness(t, append([]func(*enginetest.Setup){voiced(v, m.write)}, more...)...)}
}

// However a model continues after a cut, the text is joined correctly.
func TestBacktrack_JoinsWhatGoesOn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first, then, want string
		sentence          bool
	}{
		"a blank": {"It rains. She feels a shiver down her spine.", " the cold. Late.",
			"It rains. She feels the cold. Late.", false},
		"none": {"It rains. She feels a shiver down her spine.", "cold wind. Late.",
			"It rains. She feels cold wind. Late.", false},
		"a comma": {"It rains. She feels a shiver down her spine.", ", well, nothing.",
			"It rains. She feels, well, nothing.", false},
		"a dash": {"It rains. She feels a shiver down her spine.", "—nothing.",
			"It rains. She feels—nothing.", false},
		"a sentence": {"It rains. She feels a shiver down her spine.", "She waits.",
			"It rains. She waits.", true},
		"a sentence, blank": {"It rains. She feels a shiver down her spine.", " She waits.",
			"It rains. She waits.", true},
		"a paragraph": {"It rains.\n\nA shiver down her spine. So.", "She waits.",
			"It rains.\n\nShe waits.", true},
		"a list": {"It has:\n- a lamp\n- a shiver down her spine\n", "- a rope\n",
			"It has:\n- a lamp\n- a rope", true},
		"a quote that opens": {"It rains. She feels a shiver down her spine.", "\"No,\" she says.",
			"It rains. \"No,\" she says.", true},
		"a quote that closes": {"It rains. \"I know. A shiver down her spine.\"", "\" She nods.",
			"It rains. \"I know.\" She nods.", true},
		"a star that closes": {"*It rains. A shiver down her spine.*", "* She nods.", "*It rains.* She nods.", true},
		"a star that opens":  {"It rains. A shiver down her spine.", "*She nods.*", "It rains. *She nods.*", true},
		"an opening mark":    {"Llueve. A shiver down her spine.", "¿Qué?", "Llueve. ¿Qué?", true},
		"a Japanese quote":   {"雨が降る。 A shiver down her spine.", "「はい。」", "雨が降る。 「はい。」", true},
		"the beginning":      {"A shiver down her spine.", " It rains. Late.", "It rains. Late.", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &speakers{first: tc.first, then: func(string, int) string { return tc.then }}
			s := playedHarness(t, config.Voice{Sentence: tc.sentence}, m)
			n := s.Node(s.Say("And?").Message)
			if got := strings.TrimSpace(n.Content); got != tc.want {
				t.Errorf("%q, want %q; %+v", n.Content, tc.want, n.Rejected)
			}
		})
	}
}

// A model that repeats the kept text instead of continuing it is not shown twice; one that writes
// another text from the beginning is known to begin again.
func TestBacktrack_OfAModelThatSaysItAgain(t *testing.T) {
	t.Parallel()
	const begin = "The door of the house falls shut behind them. "
	long := begin + "Nobody has lit a lamp in here since the spring, and the dust lies thick on the stairs. "
	for name, tc := range map[string]struct {
		first, then, want string
		anew              int
	}{
		"all of it": {begin + "A shiver down her spine. Late.", begin + "She turns the key. It is quiet.",
			begin + "She turns the key. It is quiet.", 0},
		"nothing else": {begin + "A shiver down her spine. Late.", strings.TrimSpace(begin),
			strings.TrimSpace(begin), 0},
		"another ending": {long + "A shiver down her spine.", long[:120] + "old boards. It is quiet.",
			long[:120] + "old boards. It is quiet.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &speakers{first: tc.first, then: func(string, int) string { return tc.then }}
			s := playedHarness(t, config.Voice{Sentence: true}, m)
			_, err := s.Play.Send(s.Chat, "And?")
			enginetest.Must(t, err)
			end := followAnew(t, s, func(text string) {
				if strings.Count(text, "The door") > 1 {
					t.Errorf("shown twice: %q", text)
				}
			}, true)
			if n := end.Message; n.Content != tc.want || n.Usage.Restarts != tc.anew {
				t.Errorf("%q, %+v", n.Content, n.Usage)
			}
		})
	}
}

// A model whose reply only has a sentence with the same beginning is not such a model.
func TestBacktrack_OfAModelThatBeginsASentenceAlike(t *testing.T) {
	t.Parallel()
	m := &speakers{first: "She nods and waits. A shiver down her spine.",
		then: func(string, int) string { return " She nods and goes." }}
	s := playedHarness(t, config.Voice{Sentence: true}, m)
	if n := s.Node(s.Say("And?").Message); n.Content != "She nods and waits. She nods and goes." ||
		n.Usage.Restarts != 0 {
		t.Errorf("%q, %+v", n.Content, n.Usage)
	}
	m = &speakers{first: "She nods and waits. A shiver down her spine.",
		then: func(string, int) string { return " She nods" }}
	s = playedHarness(t, config.Voice{Sentence: true}, m)
	if n := s.Node(s.Say("And?").Message); n.Content != "She nods and waits. She nods" || n.Usage.Restarts != 0 {
		t.Errorf("%q, %+v", n.Content, n.Usage)
	}
}

// A model that has nothing to add after a cut leaves whole sentences, or is asked again if there is
// no text.
func TestBacktrack_OfAModelThatFallsSilent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first, want string
		again       string
	}{
		"in a sentence":    {"It rains. She feels a shiver down her spine.", "It rains.", ""},
		"after one":        {"It rains.\n\nA shiver down her spine.", "It rains.", ""},
		"at the beginning": {"A shiver down her spine.", "It is late.", "It is late."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &speakers{first: tc.first, then: func(kept string, n int) string {
				if kept == "" && n > 0 {
					return tc.again
				}
				return ""
			}}
			s := playedHarness(t, config.Voice{}, m)
			n := s.Node(s.Say("And?").Message)
			if n.Content != tc.want || n.State != storage.Complete {
				t.Errorf("%s %q, want %q; %+v", n.State, n.Content, tc.want, n.Rejected)
			}
		})
	}
}

// Whatever goes wrong in a continuing request, the kept text stays, without a partial phrase.
func TestBacktrack_TheSecondRequestGoesWrong(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]demo.Fault{
		"500":     {Kind: demo.ServerError},
		"503":     {Kind: demo.Unavailable},
		"404":     {Kind: demo.Missing},
		"dies":    {Kind: demo.Die, After: 4},
		"error":   {Kind: demo.ErrorLine, After: 4},
		"no done": {Kind: demo.NoDone, After: 4},
		"garbage": {Kind: demo.Garbage, After: 4},
		"html":    {Kind: demo.HTML},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &speakers{first: "It rains. She feels a shiver down her spine.",
				then: func(string, int) string { return " the cold of a shiver down her back and more. It is late." }}
			var once sync.Once
			s := playedHarness(t, config.Voice{}, m, func(o *enginetest.Setup) {
				o.Servers.Fault = func(c demo.Call) (fault demo.Fault) {
					if goesOn(c) {
						once.Do(func() { fault = f })
					}
					return fault
				}
			})
			_, err := s.Play.Send(s.Chat, "And?")
			enginetest.Must(t, err)
			end := follow(t, s, func(string) {})
			n := s.Node(end.Message.ID)
			if !strings.HasPrefix(n.Content, "It rains. She feels") || strings.Contains(n.Content, "shiver") ||
				n.State != storage.Broken || n.Fault == "" {
				t.Errorf("%s %q %q, %v", n.State, n.Content, n.Fault, end.Err)
			}
			s.Sound()
		})
	}
}

// The user stops while the second request has brought nothing yet.
func TestBacktrack_StopWhileItGoesOn(t *testing.T) {
	t.Parallel()
	m := &speakers{first: "It rains. She feels a shiver down her spine.",
		then: func(string, int) string { return " the cold." }}
	reached := make(chan struct{}, 8)
	s := playedHarness(t, config.Voice{}, m, func(o *enginetest.Setup) {
		o.Servers.Fault = func(c demo.Call) demo.Fault {
			if goesOn(c) {
				reached <- struct{}{}
				return demo.Fault{Kind: demo.Hang}
			}
			return demo.Fault{}
		}
	})
	_, err := s.Play.Send(s.Chat, "And?")
	enginetest.Must(t, err)
	<-reached
	s.Play.Stop(s.Chat)
	_, err = s.Ended()
	enginetest.Must(t, err)
	n := s.Last()
	if n.State != storage.Stopped || !strings.HasPrefix(n.Content, "It rains. She feels") ||
		strings.Contains(n.Content, "shiver") || len(n.Rejected) != 1 {
		t.Errorf("%s %q %+v", n.State, n.Content, n.Rejected)
	}
	s.Sound()
}

// A limit that coincides with an unwanted phrase leaves a reply that ends properly, and never an
// empty one.
func TestBacktrack_TheLimitAndAPhrase(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{
		"It rains. She feels a shiver down her spine": "It rains.",
		"A shiver down her spine":                     "It is late.",
		"no end of a sentence in here at all":         "no end of a sentence in here at all",
	} {
		for limit := 3; limit < 14; limit++ {
			m := &speakers{first: first, then: func(kept string, _ int) string {
				if kept == "" {
					return "It is late."
				}
				return " and then it goes on without an end and on and on and on and on and on and on and on"
			}}
			s := playedHarness(t, config.Voice{}, m, func(o *enginetest.Setup) { o.Cfg.Sampling.NumPredict = limit })
			_, err := s.Play.Send(s.Chat, "And?")
			enginetest.Must(t, err)
			end := follow(t, s, func(text string) {
				if strings.Contains(text, spineBan) {
					t.Errorf("shown: %q", text)
				}
			})
			got := end.Message.Content
			if end.Err != nil || got == "" || got != want && !strings.HasPrefix(want, got) &&
				!strings.HasPrefix(first, got) {
				t.Errorf("%q, limit %d: %q, %v", first, limit, got, end.Err)
			}
		}
	}
}
