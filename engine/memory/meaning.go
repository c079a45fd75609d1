package memory

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// EmbedWait is how long a turn waits for what its words mean.
	EmbedWait = 3 * time.Second
	// embedWith is how many memories without a vector are asked about together
	// with a turn's words; more of them are seen to behind the play.
	embedWith  = 16
	embedBatch = 64
	// embedRest is how long an embedding model is left alone that has failed.
	embedRest = time.Minute
	// embedText bounds what is asked of one text, in bytes.
	embedText = 8 << 10
)

// meanings is what is kept of the embedding model: the vector of the newest query,
// which several prompts of one turn ask for, and those of what never changes.
type meanings struct {
	mu      sync.Mutex
	query   string // its hash, and the model's name before it
	vector  []float32
	rest    time.Time // ask nothing before
	filling bool
}

// Near is how near in meaning each memory is to a query, from -1 to 1. It asks the
// embedding model, for 3 seconds at the most and mostly not more than once a turn.
// It is nil where none is set or it gives no answer; a memory whose vector is yet
// to come is not in it. It must not be called inside a transaction.
func (svc *Service) Near(ctx context.Context, scope storage.ScopeID, query string, list []storage.Memory) map[storage.MemoryID]float64 {
	model := svc.core.Settings().Stage.EmbedModel
	if model == "" || len(list) == 0 || strings.TrimSpace(query) == "" {
		return nil
	}
	known, missing, err := svc.vectors(scope, model, list)
	if err == nil {
		var q []float32
		if q, err = svc.askMeanings(ctx, scope, model, query, missing, known); err == nil {
			return nearness(q, known)
		}
	}
	if ctx.Err() == nil {
		svc.core.Log.Info("memories are not weighed by their meaning", "model", model, "err", err)
	}
	return nil
}

// vectors reads what is known of memories' meaning. The others are missing.
func (svc *Service) vectors(scope storage.ScopeID, model string, list []storage.Memory) (known map[storage.MemoryID][]float32, missing []storage.Memory, err error) {
	known = map[storage.MemoryID][]float32{}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, m := range list {
			v, err := storage.Vectors.Get(tx, scope, m.ID)
			if err != nil || v.Model != model || v.Hash != core.ContentHash(m.Content) {
				missing = append(missing, m)
				continue
			}
			known[m.ID] = v.Values
		}
		return nil
	})
	return known, missing, err
}

// askMeanings asks for the vector of a query, and on the way for those of some
// memories without one, which it adds to known.
func (svc *Service) askMeanings(ctx context.Context, scope storage.ScopeID, model, query string, missing []storage.Memory, known map[storage.MemoryID][]float32) ([]float32, error) {
	mean := &svc.mean
	key := model + " " + core.ContentHash(query)
	mean.mu.Lock()
	q, resting := mean.vector, svc.core.Config.Now().Before(mean.rest)
	if mean.query != key {
		q = nil
	}
	mean.mu.Unlock()
	if q != nil && (len(missing) == 0 || resting) {
		return q, nil
	}
	if resting {
		return nil, errEmbedRests
	}
	if len(missing) > embedWith {
		svc.fillMeanings(scope, model, missing[embedWith:])
		missing = missing[:embedWith]
	}
	texts := make([]string, 0, 1+len(missing))
	if q == nil {
		texts = append(texts, query)
	}
	wait, cancel := context.WithTimeout(ctx, EmbedWait)
	defer cancel()
	made, err := svc.Embed(wait, model, texts, missing)
	if err != nil {
		if q == nil {
			return nil, err
		}
		return q, nil
	}
	if q == nil {
		q, made = made[0], made[1:]
		mean.mu.Lock()
		mean.query, mean.vector = key, q
		mean.mu.Unlock()
	}
	for i, m := range missing {
		known[m.ID] = made[i]
	}
	if err := svc.keepMeanings(scope, model, missing, made); err != nil {
		svc.core.Log.Warn("keeping what memories mean failed", "err", err)
	}
	return q, nil
}

// errEmbedRests says that the model has just failed.
var errEmbedRests = failure.Refuse("the embedding model is left alone for a minute after it has failed")

// Embed asks what texts and memories mean. A model that fails is left alone for
// some time, unless it was only told to stop.
func (svc *Service) Embed(ctx context.Context, model string, texts []string, memories []storage.Memory) ([][]float32, error) {
	for _, m := range memories {
		texts = append(texts, m.Content)
	}
	for i, t := range texts {
		texts[i] = text.Truncate(t, embedText)
	}
	client, _, err := svc.house.ClientFor(svc.core.Settings().Stage.EmbedServer)
	if err != nil {
		return nil, err
	}
	made, err := client.Embed(ctx, model, texts)
	if err != nil && ctx.Err() != context.Canceled {
		mean := &svc.mean
		mean.mu.Lock()
		mean.rest = svc.core.Config.Now().Add(embedRest)
		mean.mu.Unlock()
	}
	return made, err
}

// keepMeanings stores vectors of memories that are still what they were.
func (svc *Service) keepMeanings(scope storage.ScopeID, model string, memories []storage.Memory, made [][]float32) error {
	if len(memories) == 0 {
		return nil
	}
	return svc.core.Store.Update(func(tx *storage.Tx) error {
		for i, m := range memories {
			now, err := storage.Memories.Get(tx, scope, m.ID)
			if err != nil || now.Content != m.Content {
				continue
			}
			v := storage.Vector{Memory: m.ID, Model: model, Hash: core.ContentHash(m.Content), Values: made[i]}
			if err := storage.Vectors.Put(tx, scope, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// fillMeanings sees to the vectors of many memories behind the play.
func (svc *Service) fillMeanings(scope storage.ScopeID, model string, missing []storage.Memory) {
	mean := &svc.mean
	mean.mu.Lock()
	defer mean.mu.Unlock()
	if mean.filling || !svc.core.Enter() {
		return
	}
	mean.filling = true
	missing = missing[:min(len(missing), ollama.MaxEmbedTexts)]
	crash.Go("what memories mean", func() {
		defer svc.core.Work.Done()
		defer func() {
			mean.mu.Lock()
			defer mean.mu.Unlock()
			mean.filling = false
		}()
		for len(missing) > 0 {
			some := missing[:min(len(missing), embedBatch)]
			made, err := svc.Embed(svc.core.Ctx, model, nil, some)
			if err == nil {
				err = svc.keepMeanings(scope, model, some, made)
			}
			if err != nil {
				svc.core.Log.Info("what memories mean was not all found out", "model", model, "left", len(missing), "err", err)
				return
			}
			missing = missing[len(some):]
		}
	})
}

// nearness compares a query with each vector. One of another length is left out.
func nearness(query []float32, list map[storage.MemoryID][]float32) map[storage.MemoryID]float64 {
	out := make(map[storage.MemoryID]float64, len(list))
	for id, v := range list {
		if c, ok := Cosine(query, v); ok {
			out[id] = c
		}
	}
	return out
}

// Cosine is 1 for vectors of the same direction, 0 for those that have nothing in
// common. There is none for vectors of different lengths, or without a direction.
func Cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, false
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	c := dot / math.Sqrt(aa*bb)
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return 0, false
	}
	return min(max(c, -1), 1), true
}

// EmbedRests tells whether the embedding model is left alone for a while, because it
// has failed.
func (svc *Service) EmbedRests() bool {
	svc.mean.mu.Lock()
	defer svc.mean.mu.Unlock()
	return svc.core.Config.Now().Before(svc.mean.rest)
}
