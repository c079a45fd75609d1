package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// opMeanings is the operation that asks the embedding model what facts mean.
const opMeanings = "embed_facts"

// Bounds of what is found by meaning: how many facts have a meaning kept, how many are
// found, and how near they must be, in themselves and against the others.
const (
	mostMeant  = 1500
	mostNear   = 4
	nearEnough = 0.5
	nearer     = 0.15
)

// Meaning is what a query means, nil where no embedding model is set. It must not be called
// inside a transaction.
func (svc *Service) Meaning(ctx context.Context, query string) []float32 {
	return svc.QueryMeaning(ctx, query)
}

// HasRecords tells whether the index of a chat has facts of records, as it was last read.
func (svc *Service) HasRecords(chat storage.ChatID) bool {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.held) > 0
}

// meantOf is what is kept of what a fact means.
func (s *story) meantOf(svc *Service, tx *storage.Tx, scope storage.ScopeID, text string) []float32 {
	model := svc.core.Settings().Stage.EmbedModel
	if s.meantBy != model || s.meant == nil || len(s.meant) > 2*mostMeant {
		s.meant, s.meantBy = map[string][]float32{}, model
	}
	v, ok := s.meant[text]
	if !ok {
		if v = svc.TextMeaning(tx, scope, text); v == nil {
			s.unmeant = true
			return nil // it may come
		}
		s.meant[text] = v
	}
	return v
}

// near are the texts whose meaning is near a query's and stands out, the nearest first.
func (s *story) near(svc *Service, tx *storage.Tx, scope storage.ScopeID, query []float32, texts []string, most int) []string {
	if query == nil {
		return nil
	}
	type hit struct {
		text string
		at   float64
	}
	var hits []hit
	sum := 0.0
	for _, text := range texts[max(0, len(texts)-mostMeant):] {
		if c, ok := Cosine(query, s.meantOf(svc, tx, scope, text)); ok {
			hits, sum = append(hits, hit{text, c}), sum+c
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.at, a.at) })
	var out []string
	for _, h := range hits[:min(len(hits), most)] {
		others := (sum - h.at) / float64(max(1, len(hits)-1))
		if h.at >= nearEnough && h.at >= others+nearer {
			out = append(out, h.text)
		}
	}
	return out
}

// nearFacts are the facts of records in the index that are near a query.
func (s *story) nearFacts(svc *Service, tx *storage.Tx, scope storage.ScopeID, query []float32) (out []facts.Hit) {
	if query == nil {
		return nil
	}
	byText := map[string]*facts.Fact{}
	var texts []string
	for _, id := range s.records() {
		if f := s.index.Get(id); f != nil && byText[f.Text] == nil {
			byText[f.Text] = f
			texts = append(texts, f.Text)
		}
	}
	for _, text := range s.near(svc, tx, scope, query, texts, mostNear) {
		out = append(out, facts.Hit{Fact: byText[text]})
	}
	return out
}

// records are the ids of the facts that records have told, in order.
func (s *story) records() (out []string) {
	for id := range s.held {
		for i := 0; s.index.Get(numbered(id, i)) != nil; i++ {
			out = append(out, numbered(id, i))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.index.Get(a).Depth, s.index.Get(b).Depth), cmp.Compare(a, b))
	})
	return out
}

// MeanNext has the meanings of facts that lack one asked for in the background, once a
// reply is stored whose turn has missed them.
func (svc *Service) MeanNext(tx *storage.Tx, n *storage.Node) error {
	if svc.core.Settings().Stage.EmbedModel == "" || svc.EmbedRests() {
		return nil
	}
	st := svc.story(n.Chat)
	st.mu.Lock()
	unmeant := st.unmeant
	st.unmeant = false
	st.mu.Unlock()
	if !unmeant {
		return nil
	}
	for op := range chats.Unfinished(tx, n.Chat) {
		if op.Type == opMeanings {
			return nil
		}
	}
	_, err := svc.house.AddWork(tx, opMeanings, indexParams{n.Chat}, nil)
	return err
}

// runMeanings asks what the facts of a chat mean that have no meaning yet. What is kept
// stays when it is stopped.
func (svc *Service) runMeanings(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	var texts, missing []string
	var scope storage.ScopeID
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, indexed(op))
		if err != nil {
			return queue.ErrDiscard
		}
		scope = chats.ScopeOf(c)
		if texts, err = svc.meantTexts(tx, c); err != nil {
			return err
		}
		for _, text := range texts {
			if svc.TextMeaning(tx, scope, text) == nil {
				missing = append(missing, text)
			}
		}
		return nil
	})
	if err != nil {
		return queue.Effect{}, err
	}
	err = svc.KeepTextMeanings(ctx, scope, missing, func(n int) {
		report(queue.Progress{Text: "asking what facts mean", Step: n, Of: len(missing)})
	})
	if err != nil && ctx.Err() == nil { // it is asked again some time; nothing waits for it
		svc.core.Log.Info("what facts mean was not all found out", "left", len(missing), "err", err)
		return queue.Effect{}, queue.ErrDiscard
	}
	return queue.Effect{Apply: func(tx *storage.Tx) error { return DropTextMeanings(tx, scope, texts) }}, err
}

// meantTexts are the words of the facts of a chat's records, the oldest first.
func (svc *Service) meantTexts(tx *storage.Tx, c storage.Chat) (out []string, err error) {
	p := PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head)
	known := p.Memories()
	g, err := svc.gather(tx, c, known, p.Hooks())
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
	st := svc.story(c.ID)
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := st.sync(tx, c.Head, known); err != nil {
		return nil, err
	}
	for _, id := range st.records() {
		add(st.index.Get(id).Text)
	}
	return out[max(0, len(out)-mostMeant):], nil // the newest
}

// meaningWork is the work on what facts mean.
func (svc *Service) meaningWork() house.Work {
	return house.Work{Name: opMeanings, Lane: func(*storage.Tx) string { return house.LaneOllama }, Run: svc.runMeanings}
}
