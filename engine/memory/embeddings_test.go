package memory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// scope is whose story is told.
func (s *stage) scope() storage.ScopeID { return storage.ScopeID(s.Chat) }

// remember stores memories and returns them.
func (s *stage) remember(texts ...string) (list []storage.Memory) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, text := range texts {
			m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory, Content: text, Told: []storage.Told{{At: time.Now()}}}
			if err := storage.Memories.Put(tx, s.scope(), m); err != nil {
				return err
			}
			list = append(list, m)
		}
		return nil
	}))
	return list
}

func (s *stage) vectorsKept() (n int) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for range storage.Vectors.All(tx, s.scope()) {
			n++
		}
		return nil
	}))
	return n
}

func TestNear(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	list := s.remember("They love the rain on the theatre roof.", "Their brother sold the boat.", "They are afraid of locked doors.")
	ask := func(query string) map[storage.MemoryID]float64 {
		t.Helper()
		got := s.Memory.Near(s.Context(), s.scope(), query, list)
		if len(got) != len(list) {
			t.Fatalf("%q: %v", query, got)
		}
		return got
	}
	got := ask("Listen, the rain on the roof!")
	if got[list[0].ID] < 0.4 || got[list[0].ID] <= got[list[1].ID] || got[list[0].ID] <= got[list[2].ID] {
		t.Errorf("%v", got)
	}
	ask("Listen, the rain on the roof!")
	if diff := cmp.Diff([]int{4}, s.Embeds()); diff != "" || s.vectorsKept() != 3 {
		t.Errorf("the first turn asked for: %s; %d vectors are kept", diff, s.vectorsKept())
	}
	if got := ask("What did your brother do with the boat?"); got[list[1].ID] <= got[list[0].ID] {
		t.Errorf("%v", got)
	}
	list[2].Content = "They are afraid of the dark."
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Memories.Put(tx, s.scope(), list[2]) }))
	ask("And who waits in the dark?")
	if diff := cmp.Diff([]int{4, 1, 2}, s.Embeds()); diff != "" {
		t.Errorf("a turn costs one request: %s", diff)
	}
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Stage.EmbedModel = rehearsal.Model })
	ask("And who waits in the dark?")
	if diff := cmp.Diff([]int{4, 1, 2, 4}, s.Embeds()); diff != "" {
		t.Errorf("another model has other vectors: %s", diff)
	}
	s.Reopen()
	ask("Is it raining?")
	if diff := cmp.Diff([]int{4, 1, 2, 4, 4}, s.Embeds()); diff != "" {
		t.Errorf("the model of the settings: %s", diff)
	}
}

// A turn asks for some of many memories; the others are asked about after it.
func TestNear_ManyMemories(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	texts := make([]string, 3*memory.EmbedWith)
	for i := range texts {
		texts[i] = fmt.Sprintf("They know number %d by heart.", i)
	}
	list := s.remember(texts...)
	if got := s.Memory.Near(s.Context(), s.scope(), "number 3", list); len(got) != memory.EmbedWith {
		t.Errorf("%d are known at first", len(got))
	}
	s.Say("Go on.")
	s.Work()
	if got := s.Memory.Near(s.Context(), s.scope(), "number 3", list); len(got) != len(list) {
		t.Errorf("%d are known then", len(got))
	}
}

func TestNear_IsOffByDefault(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	if got := s.Memory.Near(s.Context(), s.scope(), "the rain", s.remember("They love the rain.")); got != nil || s.Embeds() != nil {
		t.Errorf("%v, asked for %v", got, s.Embeds())
	}
}

func TestNear_NothingToAsk(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	if got := s.Memory.Near(s.Context(), s.scope(), " \n", s.remember("They love the rain.")); got != nil {
		t.Errorf("%v", got)
	}
	if got := s.Memory.Near(s.Context(), s.scope(), "the rain", nil); got != nil || s.Embeds() != nil {
		t.Errorf("%v, asked for %v", got, s.Embeds())
	}
}

// Whatever goes wrong is nobody's trouble: the memories are ordered as without an
// embedding model, which is left alone for a while.
func TestNear_FaultsAreNotFelt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]rehearsal.Fault{
		"down":       {Kind: rehearsal.Unavailable},
		"missing":    {Kind: rehearsal.Missing},
		"a page":     {Kind: rehearsal.HTML},
		"unable":     {Kind: rehearsal.ServerError, Text: "this model does not support embeddings"},
		"too few":    {Kind: rehearsal.Lacks},
		"too large":  {Kind: rehearsal.Escapes},
		"mistyped":   {Kind: rehearsal.Mistyped},
		"two kinds":  {Kind: rehearsal.Cut},
		"never ends": {Kind: rehearsal.Wait},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := enginetest.NewClock()
			s := (&stage{enginetest.NewStage(t, enginetest.Recalling, func(o *enginetest.Setup) { o.Cfg.Now = clock.Now })})
			list := s.remember("They love the rain.", "They sold the boat.")
			s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
				if c.Path != "/api/embed" {
					return rehearsal.Fault{}
				}
				return fault
			})
			for range 3 {
				if got := s.Memory.Near(s.Context(), s.scope(), "the rain", list); got != nil {
					t.Errorf("%v", got)
				}
			}
			if n := len(s.Embeds()); n != 1 || s.vectorsKept() != 0 {
				t.Errorf("asked %d times, %d vectors are kept", n, s.vectorsKept())
			}
			s.SpoilBy(nil)
			clock.Advance(memory.EmbedRest)
			if got := s.Memory.Near(s.Context(), s.scope(), "the rain", list); len(got) != 2 {
				t.Errorf("when it works again: %v", got)
			}
			s.Sound()
		})
	}
}

// A turn that is stopped while the words are weighed is no fault of the model.
func TestNear_Stopped(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	list := s.remember("They love the rain.")
	ctx, cancel := context.WithCancel(s.Context())
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Path == "/api/embed" {
			cancel()
			return rehearsal.Fault{Kind: rehearsal.Wait}
		}
		return rehearsal.Fault{}
	})
	if got := s.Memory.Near(ctx, s.scope(), "the rain", list); got != nil {
		t.Errorf("%v", got)
	}
	s.SpoilBy(nil)
	if got := s.Memory.Near(s.Context(), s.scope(), "the rain", list); len(got) != 1 {
		t.Errorf("%v", got)
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
