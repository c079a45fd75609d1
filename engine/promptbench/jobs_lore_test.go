package promptbench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

var knowledgeJobs = []job{
	{"lookup", []string{scribe.LookupFile}, askLookup},
	{"resolve", []string{scribe.ResolveFile}, askResolve},
	{"lore merge", []string{scribe.MergeFile}, askLoreMerge},
	{"compact", []string{scribe.CompactFile}, askCompact},
	{"ask", []string{"knowledge/ask"}, askKnowledge},
}

func askLookup(set *prompts.Set, s *story) *request {
	var a scribe.Lookup
	n := len(s.Entries)
	return &request{prompt: sent(scribe.LookupPrompt(set, s.Candidate, s.registry(), s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: scribe.LookupSchema(n, s.Candidate.Type), form: scribe.LookupForm(), into: &a, check: a.Check, usable: a.Usable,
		shown:    map[string]span{"sameEntityIds": upTo(n), "needsFullContextIds": upTo(n)},
		required: []string{"type", "synopsis"}}
}

func askResolve(set *prompts.Set, s *story) *request {
	options := s.registry()
	a := scribe.Resolve{Of: len(options)}
	return &request{prompt: sent(scribe.ResolvePrompt(set, s.Candidate, "", options, s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: scribe.ResolveSchema(len(options)), form: scribe.ResolveForm(), into: &a,
		check: func() error { a.Of = len(options); return a.Check() }, required: []string{"synopsis"}}
}

func askLoreMerge(set *prompts.Set, s *story) *request {
	candidate := s.Candidate
	candidate.Content = s.News
	of := scribe.MergingOf(&s.Entries[0], candidate)
	a := scribe.Merge{Of: of}
	facts, _ := of.Facts()
	return &request{prompt: sent(scribe.MergePrompt(set, of, s.User, s.Char)), reply: jobReply, heat: jobHeat,
		schema: of.Schema(), form: scribe.MergeForm(), into: &a,
		check: func() error { a.Of = of; return a.Check() }, usable: a.Usable,
		shown: map[string]span{"from": upTo(len(facts)), "fact": upTo(len(facts))}, cites: true,
		required: []string{"text"}}
}

func askCompact(set *prompts.Set, s *story) *request {
	e := &s.Entries[0]
	of := scribe.CompactingOf(e, len(e.Content)*3/4)
	a := scribe.Compact{Of: of}
	n := len(of.Facts())
	return &request{prompt: sent(scribe.CompactPrompt(set, of, s.User, s.Char)), reply: jobReply, heat: jobHeat,
		schema: of.Schema(), form: scribe.CompactForm(), into: &a,
		check: func() error { a.Of = of; return a.Check() }, usable: a.Usable,
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
