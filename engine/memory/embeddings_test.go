package memory_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// scope returns the story of the chat.
func (s *harness) scope() storage.ScopeID { return storage.ScopeID(s.Chat) }

// remember stores memories and returns them.
func (s *harness) remember(texts ...string) (list []storage.Memory) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, text := range texts {
			m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory, Content: text, Mentions: []storage.Mention{{At: time.Now()}}}
			if err := storage.Memories.Put(tx, s.scope(), m); err != nil {
				return err
			}
			list = append(list, m)
		}
		return nil
	}))
	return list
}

func (s *harness) vectorsKept() (n int) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for range storage.Vectors.All(tx, s.scope()) {
			n++
		}
		return nil
	}))
	return n
}

// near returns how near the memories of the play are to a query, by their texts; nil if the query
// has no embedding.
func (s *harness) near(ctx context.Context, query string) (out map[string]float64) {
	s.T.Helper()
	said := s.Memory.Embedding(ctx, query)
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		known := memory.PathsOf(tx, s.scope(), c.ID, c.Head).Memories()
		for id, at := range s.Memory.Nearness(tx, c, said, known) {
			if out == nil {
				out = map[string]float64{}
			}
			m, err := storage.Memories.Get(tx, s.scope(), id)
			if err != nil {
				return err
			}
			out[m.Content] = at
		}
		return nil
	}))
	return out
}

// A turn asks only for the embedding of its newest text; the embeddings of memories follow after
// it.
func TestNear(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Recalling)})
	const rain, boat, doors = "They love the rain on the theatre roof.", "Their brother sold the boat.", "They are afraid of locked doors."
	s.remember(rain, boat, doors)
	if got := s.near(s.Context(), "Listen, the rain on the roof!"); got != nil {
		t.Errorf("at first: %v", got)
	}
	s.near(s.Context(), "Listen, the rain on the roof!")
	if diff := cmp.Diff([]int{1}, s.Embeds()); diff != "" {
		t.Errorf("asked for: %s", diff)
	}
	s.Say("Go on.")
	s.Work()
	got := s.near(s.Context(), "Listen, the rain on the roof!")
	if len(got) != 3 || got[rain] < 0.4 || got[rain] <= got[boat] || got[rain] <= got[doors] {
		t.Errorf("%v", got)
	}
	if got := s.near(s.Context(), "What did your brother do with the boat?"); got[boat] <= got[rain] {
		t.Errorf("%v", got)
	}
	asked := len(s.Embeds())
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Stage.EmbedModel = demo.Model })
	if got := s.near(s.Context(), "And who waits in the dark?"); got != nil || len(s.Embeds()) != asked+1 {
		t.Errorf("another model has other vectors: %v", got)
	}
}

func TestNear_IsOffByDefault(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.remember("They love the rain.")
	if got := s.near(s.Context(), "the rain"); got != nil || s.Embeds() != nil {
		t.Errorf("%v, asked for %v", got, s.Embeds())
	}
}

func TestNear_NothingToAsk(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Recalling)})
	if got := s.Memory.Embedding(s.Context(), " \n"); got != nil || s.Embeds() != nil {
		t.Errorf("%v, asked for %v", got, s.Embeds())
	}
}

// Whatever goes wrong is nobody's trouble: the memories are ordered as without an
// embedding model, which is left alone for a while.
func TestNear_FaultsAreNotFelt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]demo.Fault{
		"down":       {Kind: demo.Unavailable},
		"missing":    {Kind: demo.Missing},
		"a page":     {Kind: demo.HTML},
		"unable":     {Kind: demo.ServerError, Text: "this model does not support embeddings"},
		"too few":    {Kind: demo.Lacks},
		"too large":  {Kind: demo.Escapes},
		"mistyped":   {Kind: demo.Mistyped},
		"never ends": {Kind: demo.Wait},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := enginetest.NewClock()
			s := (&harness{enginetest.NewHarness(t, enginetest.Recalling, func(o *enginetest.Setup) { o.Cfg.Now = clock.Now })})
			s.SpoilBy(func(c demo.Call) demo.Fault {
				if c.Path != "/api/embed" {
					return demo.Fault{}
				}
				return fault
			})
			for range 3 {
				if got := s.Memory.Embedding(s.Context(), "the rain"); got != nil {
					t.Errorf("%v", got)
				}
			}
			if n := len(s.Embeds()); n != 1 || s.vectorsKept() != 0 {
				t.Errorf("asked %d times, %d vectors are kept", n, s.vectorsKept())
			}
			s.SpoilBy(nil)
			clock.Advance(memory.EmbedRest)
			if s.Memory.Embedding(s.Context(), "the rain") == nil {
				t.Error("nothing when it works again")
			}
			s.Sound()
		})
	}
}

// A turn that is stopped while the words are weighed is no fault of the model.
func TestNear_Stopped(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Recalling)})
	ctx, cancel := context.WithCancel(s.Context())
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path == "/api/embed" {
			cancel()
			return demo.Fault{Kind: demo.Wait}
		}
		return demo.Fault{}
	})
	if got := s.Memory.Embedding(ctx, "the rain"); got != nil {
		t.Errorf("%v", got)
	}
	s.SpoilBy(nil)
	if s.Memory.Embedding(s.Context(), "the rain") == nil {
		t.Error("the model is left alone")
	}
}

func TestCosine(t *testing.T) {
	for name, test := range map[string]struct {
		a, b []float32
		want float64
		ok   bool
	}{
		"the same":       {[]float32{1, 2}, []float32{2, 4}, 1, true},
		"across":         {[]float32{1, 0}, []float32{0, 3}, 0, true},
		"against":        {[]float32{1, 1}, []float32{-2, -2}, -1, true},
		"of two lengths": {[]float32{1}, []float32{1, 2}, 0, false},
		"nothing":        {nil, nil, 0, false},
		"zeros":          {[]float32{0, 0}, []float32{1, 2}, 0, false},
		"large":          {[]float32{3e38, 3e38}, []float32{3e38, 3e38}, 1, true},
	} {
		got, ok := memory.Cosine(test.a, test.b)
		if ok != test.ok || got < test.want-1e-6 || got > test.want+1e-6 {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
}
