package promptbench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

var knowledgeJobs = []job{
	{"lookup", []string{fill.LookupFile}, askLookup},
	{"resolve", []string{fill.ResolveFile}, askResolve},
	{"lore merge", []string{fill.MergeFile}, askLoreMerge},
	{"compact", []string{fill.CompactFile}, askCompact},
	{"ask", []string{"knowledge/ask"}, askKnowledge},
}

func askLookup(set *prompts.Set, s *story) *request {
	var a fill.LookupAnswer
	n := len(s.Entries)
	return &request{prompt: sent(fill.LookupPrompt(set, s.Candidate, s.registry(), s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: fill.LookupSchema(n, s.Candidate.Type), form: fill.LookupForm(), into: &a, check: a.Check, usable: a.Usable,
		shown:    map[string]span{"sameEntityIds": upTo(n), "needsFullContextIds": upTo(n)},
		required: []string{"type", "synopsis"}}
}

func askResolve(set *prompts.Set, s *story) *request {
	options := s.registry()
	a := fill.ResolveAnswer{Matches: len(options)}
	return &request{prompt: sent(fill.ResolvePrompt(set, s.Candidate, "", options, s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: fill.ResolveSchema(len(options)), form: fill.ResolveForm(), into: &a,
		check: func() error { a.Matches = len(options); return a.Check() }, required: []string{"synopsis"}}
}

func askLoreMerge(set *prompts.Set, s *story) *request {
	candidate := s.Candidate
	candidate.Content = s.News
	of := fill.NewMergeInput(&s.Entries[0], candidate)
	a := fill.MergeAnswer{Input: of}
	facts, _ := of.Facts()
	return &request{prompt: sent(fill.MergePrompt(set, of, s.User, s.Char)), reply: jobReply, heat: jobHeat,
		schema: of.Schema(), form: fill.MergeForm(), into: &a,
		check: func() error { a.Input = of; return a.Check() },
		shown: map[string]span{"from": upTo(len(facts)), "fact": upTo(len(facts))}, cites: true,
		required: []string{"text"}}
}

func askCompact(set *prompts.Set, s *story) *request {
	e := &s.Entries[0]
	of := fill.NewCompactInput(e, len(e.Content)*3/4)
	a := fill.CompactAnswer{Input: of}
	n := len(of.Facts())
	return &request{prompt: sent(fill.CompactPrompt(set, of, s.User, s.Char)), reply: jobReply, heat: jobHeat,
		schema: of.Schema(), form: fill.CompactForm(), into: &a,
		check: func() error { a.Input = of; return a.Check() }, usable: a.Usable,
		shown: map[string]span{"from": upTo(n), "fact": upTo(n)}, cites: true, required: []string{"text"}}
}

// askKnowledge asks as engine/memory does, which builds the prompt within its service.
func askKnowledge(set *prompts.Set, s *story) *request {
	var lines strings.Builder
	for i, f := range s.Facts {
		fmt.Fprintf(&lines, "[%d] %s\n", i+1, f)
	}
	var a struct {
		Answer []struct {
			Text string
			From []int
		}
	}
	return &request{prompt: set.Request("knowledge/ask",
		map[string]string{"lines": strings.TrimSpace(lines.String()), "question": s.Asked}),
		reply: askReply, heat: jobHeat, into: &a,
		schema: memory.AnswerSchema(len(s.Facts)),
		form:   json.RawMessage(`{"type":"object","properties":{"answer":{"type":"array"}},"required":["answer"]}`),
		shown:  map[string]span{"from": upTo(len(s.Facts))}, cites: true, some: true, required: []string{"text"}}
}
