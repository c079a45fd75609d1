package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// embedWait is the time that a turn waits for the embedding of its newest text.
	embedWait = 3 * time.Second
	// embedBatch is the number of texts in one background request.
	embedBatch = 64
	// embedPause is the time for which a failed embedding model is not asked.
	embedPause = time.Minute
	// embedText is the maximum length of a text that is embedded, in bytes.
	embedText = 8 << 10
)

// Bounds of searches by embedding: the number of facts that have one, the number of results, and
// how near they must be, absolutely and relative to the others. Unused embeddings of a story are
// deleted once maxStored are stored.
const (
	maxEmbedded = 1500
	mostNear    = 4
	nearEnough  = 0.5
	nearer      = 0.15
	maxStored   = 5000
)

// embedder is the cached state of the embedding model: the vector of the newest query, which
// several parts of a turn need, and the time until which the model is not asked.
type embedder struct {
	mu          sync.Mutex
	query       string // its hash, and the model's name before it
	vector      []float32
	pausedUntil time.Time
}

// Embedding returns the embedding of a query. It is nil if no embedding model is set or if it does
// not answer within 3 seconds. It must not be called inside a transaction.
func (svc *Service) Embedding(ctx context.Context, query string) []float32 {
	model := svc.core.Settings().Stage.EmbedModel
	if model == "" || strings.TrimSpace(query) == "" {
		return nil
	}
	e, key := &svc.embedder, model+" "+core.ContentHash(query)
	e.mu.Lock()
	last, vector := e.query, e.vector
	e.mu.Unlock()
	if last == key {
		return vector
	}
	if svc.embedPaused() {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, embedWait)
	defer cancel()
	made, err := svc.embed(wait, model, []string{query})
	if err != nil {
		if ctx.Err() == nil {
			svc.core.Log.Info("facts are not found by their meaning", "model", model, "err", err)
		}
		return nil
	}
	e.mu.Lock()
	e.query, e.vector = key, made[0]
	e.mu.Unlock()
	return made[0]
}

// Nearness returns how near in meaning the memories of a chat's story are to the embedding of a
// query, from -1 to 1. Memories without an embedding are missing; their embeddings are made after
// the turn.
func (svc *Service) Nearness(tx *storage.Tx, c storage.Chat, query []float32,
	list []KnownMemory) map[storage.MemoryID]float64 {
	if query == nil {
		return nil
	}
	x := svc.indexOf(c.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make(map[storage.MemoryID]float64, len(list))
	for _, m := range list {
		if c, ok := Cosine(query, x.embedding(svc, tx, chats.ScopeOf(c), m.Content)); ok {
			out[m.ID] = c
		}
	}
	return out
}

// embed asks for the embeddings of texts. If the model fails, it is not asked again for some time,
// unless the request was cancelled.
func (svc *Service) embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	asked := make([]string, len(texts))
	for i, t := range texts {
		asked[i] = text.Truncate(t, embedText)
	}
	client, _, err := svc.models.ClientFor(svc.core.Settings().Stage.EmbedServer)
	if err != nil {
		return nil, err
	}
	made, err := client.Embed(ctx, model, asked)
	if err != nil && ctx.Err() != context.Canceled {
		svc.embedder.mu.Lock()
		svc.embedder.pausedUntil = svc.core.Config.Now().Add(embedPause)
		svc.embedder.mu.Unlock()
	}
	return made, err
}

// embedPaused reports whether the embedding model is left alone for a while, because it has failed.
func (svc *Service) embedPaused() bool {
	svc.embedder.mu.Lock()
	defer svc.embedder.mu.Unlock()
	return svc.core.Config.Now().Before(svc.embedder.pausedUntil)
}

// storedEmbedding returns the stored embedding of a text, nil for none.
func (svc *Service) storedEmbedding(tx *storage.Tx, scope storage.ScopeID, text string) []float32 {
	v, err := storage.Vectors.Get(tx, scope, vectorID(text))
	if err != nil || v.Model != svc.core.Settings().Stage.EmbedModel {
		return nil
	}
	return v.Values
}

// vectorID returns the key of a text's stored embedding.
func vectorID(text string) storage.MemoryID { return storage.MemoryID(storage.IDOf(text)) }

func (svc *Service) storeEmbeddings(scope storage.ScopeID, model string, texts []string, made [][]float32) error {
	if len(texts) == 0 {
		return nil
	}
	return svc.core.Store.Update(func(tx *storage.Tx) error {
		for i, t := range texts {
			v := storage.Vector{Memory: vectorID(t), Model: model, Hash: core.ContentHash(t), Values: made[i]}
			if err := storage.Vectors.Put(tx, scope, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cosine returns the cosine similarity of two vectors: 1 for the same direction, 0 for orthogonal
// ones. It is 0 for zero vectors and vectors of different lengths.
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

// HasRecords reports whether a chat has facts that can be found by meaning: memories, or other
// records in its index.
func (svc *Service) HasRecords(tx *storage.Tx, c storage.Chat) bool {
	if storage.Memories.Any(tx, chats.ScopeOf(c)) {
		return true
	}
	x := svc.indexOf(c.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.sources {
		if !strings.HasPrefix(id, messageHome) {
			return true
		}
	}
	return false
}

// embedding returns the stored embedding of a fact, nil for none.
func (x *pathIndex) embedding(svc *Service, tx *storage.Tx, scope storage.ScopeID, text string) []float32 {
	model := svc.core.Settings().Stage.EmbedModel
	if x.model != model || x.embeddings == nil || len(x.embeddings) > 2*maxEmbedded {
		x.embeddings, x.model = map[string][]float32{}, model
	}
	v, ok := x.embeddings[text]
	if !ok {
		if v = svc.storedEmbedding(tx, scope, text); v == nil {
			x.missing = true
			return nil // it may come
		}
		x.embeddings[text] = v
	}
	return v
}

// near returns the texts whose embeddings are near a query's and distinctly nearer than the others,
// nearest first.
func (x *pathIndex) near(svc *Service, tx *storage.Tx, scope storage.ScopeID, query []float32, texts []string,
	most int) (out []string) {
	if query == nil {
		return nil
	}
	type hit struct {
		text string
		at   float64
	}
	var hits []hit
	sum := 0.0
	for _, t := range texts[max(0, len(texts)-maxEmbedded):] {
		if c, ok := Cosine(query, x.embedding(svc, tx, scope, t)); ok {
			hits, sum = append(hits, hit{t, c}), sum+c
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.at, a.at) })
	for _, h := range hits[:min(len(hits), most)] {
		others := (sum - h.at) / float64(max(1, len(hits)-1))
		if h.at >= nearEnough && h.at >= others+nearer {
			out = append(out, h.text)
		}
	}
	return out
}

// nearFacts returns the facts of records in the index that are near a query.
func (x *pathIndex) nearFacts(svc *Service, tx *storage.Tx, scope storage.ScopeID, query []float32) (out []facts.Hit) {
	if query == nil {
		return nil
	}
	byText := map[string]*facts.Fact{}
	var texts []string
	for _, id := range x.records() {
		if f := x.index.Get(id); byText[f.Text] == nil {
			byText[f.Text] = f
			texts = append(texts, f.Text)
		}
	}
	for _, t := range x.near(svc, tx, scope, query, texts, mostNear) {
		out = append(out, facts.Hit{Fact: byText[t]})
	}
	return out
}

// opEmbed is the operation that asks for the embeddings of facts. opIndex is one of earlier versions
// that has nothing to do any more.
const (
	opEmbed = "embed_facts"
	opIndex = "index_story"
)

type embedParams struct {
	Chat storage.ChatID `json:"chat"`
}

// Kinds returns the kinds of operations of this package.
func (svc *Service) Kinds() []queue.Kind {
	return []queue.Kind{
		{Type: opEmbed, Lane: func(*storage.Tx) string { return queue.LaneOllama }, Run: svc.runEmbed},
		{Type: opIndex, Lane: func(*storage.Tx) string { return queue.LaneOllama },
			Run: func(context.Context, storage.Operation, func(queue.Progress)) (queue.Effect, error) {
				return queue.Effect{}, queue.ErrDiscard
			}},
	}
}

// QueueEmbeddings queues the missing embeddings of facts in the background, after a reply whose turn
// lacked them is stored.
func (svc *Service) QueueEmbeddings(tx *storage.Tx, n chats.FinishedReply) error {
	if svc.core.Settings().Stage.EmbedModel == "" || svc.embedPaused() {
		return nil
	}
	x := svc.indexOf(n.Chat)
	x.mu.Lock()
	missing := x.missing
	x.missing = false
	x.mu.Unlock()
	if !missing {
		return nil
	}
	for op := range chats.Unfinished(tx, n.Chat) {
		if op.Type == opEmbed {
			return nil
		}
	}
	_, err := svc.core.Queue.AddOperation(tx, opEmbed, embedParams{n.Chat}, nil)
	return err
}

// runEmbed makes the missing embeddings of a chat's facts. If it is stopped, those that are stored
// stay.
func (svc *Service) runEmbed(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	var p embedParams
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no chat
	model := svc.core.Settings().Stage.EmbedModel
	var texts, missing []string
	var scope storage.ScopeID
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, p.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		scope = chats.ScopeOf(c)
		if texts, err = svc.embeddedTexts(tx, c); err != nil {
			return err
		}
		for _, t := range texts {
			if svc.storedEmbedding(tx, scope, t) == nil {
				missing = append(missing, t)
			}
		}
		return nil
	})
	if err != nil {
		return queue.Effect{}, err
	}
	done := 0
	for some := range slices.Chunk(missing, embedBatch) {
		made, err := svc.embed(ctx, model, some)
		if err == nil {
			err = svc.storeEmbeddings(scope, model, some, made)
		}
		if err != nil && ctx.Err() == nil { // it is asked again some time; nothing waits for it
			svc.core.Log.Info("not all facts have an embedding", "left", len(missing)-done, "err", err)
			return queue.Effect{}, queue.ErrDiscard
		}
		if err != nil {
			return queue.Effect{}, err
		}
		done += len(some)
		report(queue.Progress{Text: "embedding facts", Step: done, Of: len(missing)})
	}
	return queue.Effect{Apply: func(tx *storage.Tx) error { return dropEmbeddings(tx, scope, texts) }}, nil
}

// embeddedTexts returns the texts of the facts of a chat's records, the oldest first.
func (svc *Service) embeddedTexts(tx *storage.Tx, c storage.Chat) (out []string, err error) {
	p := PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head)
	known := p.Memories()
	g, err := svc.gatherFacts(tx, c, known, p.Hooks())
	if err != nil {
		return nil, err
	}
	met := map[string]bool{}
	add := func(text string) {
		if !met[text] {
			met[text] = true
			out = append(out, text)
		}
	}
	for i := range g.list {
		add(g.list[i].Text)
	}
	x := svc.indexOf(c.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.sync(tx, c.Head, known); err != nil {
		return nil, err
	}
	for _, id := range x.records() {
		add(x.index.Get(id).Text)
	}
	return out[max(0, len(out)-maxEmbedded):], nil // the newest
}

// dropEmbeddings deletes unused embeddings of a story if it has very many.
func dropEmbeddings(tx *storage.Tx, scope storage.ScopeID, texts []string) error {
	keep := map[storage.MemoryID]bool{}
	for _, t := range texts {
		keep[vectorID(t)] = true
	}
	var idle []storage.MemoryID
	n := 0
	for id := range storage.Vectors.All(tx, scope) {
		if n++; !keep[id] {
			idle = append(idle, id)
		}
	}
	var errs []error
	for _, id := range idle {
		if n > maxStored {
			errs = append(errs, storage.Vectors.Delete(tx, scope, id))
		}
	}
	return errors.Join(errs...)
}
