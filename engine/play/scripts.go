package play

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// applyDisplayScripts returns a message with display scripts applied.
func (svc *Service) applyDisplayScripts(m chats.Message) chats.Message {
	one := []chats.Message{m}
	svc.chats.ApplyDisplayScripts(m.Chat, one)
	return one[0]
}

// applyPromptScripts applies the regex scripts to the history and the lore of a snapshot that is
// otherwise complete. Lore is activated by the original text, not by what scripts make of it.
func (svc *Service) applyPromptScripts(tx *storage.Tx, s *prompt.Snapshot, c storage.Chat) {
	a := svc.chats.Regex.Runner(tx, c, regex.Prompt)
	if a == nil {
		return
	}
	u := usage{messages: make([][]storage.NodeID, len(a.Scripts())), lore: make([]int, len(a.Scripts()))}
	s.History = slices.Clone(s.History) // others keep the original text
	depth := 0
	if s.Mode == prompt.Continue {
		depth = -1 // depth of the reply to be continued
	}
	for i := len(s.History) - 1; i >= 0; i-- {
		n := &s.History[i]
		if !prompt.Shown(n) {
			continue
		}
		var by []int
		n.Content, by = a.Message(n, depth)
		for _, at := range by {
			u.messages[at] = append(u.messages[at], n.ID)
		}
		depth++
	}
	for i := range s.First {
		if n := &s.First[i]; prompt.Shown(n) && len(s.History) > 0 {
			n.Content, _ = a.Message(n, s.History[len(s.History)-1].Depth-n.Depth)
		}
	}
	rewriteLore(s, a, &u)
	s.Rewritten = u.parts(a.Scripts())
	s.Warnings = a.Faults()
	for _, v := range a.Scripts() {
		if v.Unstable != "" {
			s.Warnings = append(s.Warnings, v.Label()+" changes prompts from turn to turn: "+v.Unstable)
		}
	}
}

// rewriteLore applies scripts to lore. An entry has a depth only if it asks for one.
func rewriteLore(s *prompt.Snapshot, a *chats.ScriptRunner, u *usage) {
	cloned := false
	for i := range s.Lore {
		it := s.Lore[i]
		if it.Layer != "" && it.Layer != prompt.LayerLore {
			continue
		}
		depth := regex.AnyDepth
		if it.Place == prompt.LoreAtDepth {
			depth = it.Depth
		}
		run := func(text string) (string, []int) {
			return a.Run(regex.Text{Text: text, Place: storage.RegexLore, Depth: depth}, "")
		}
		text, by := run(it.Text)
		if len(by) == 0 && it.Recompute == nil {
			continue
		}
		if !cloned {
			s.Lore, cloned = slices.Clone(s.Lore), true
		}
		s.Lore[i].Text = text
		if it.Recompute != nil {
			s.Lore[i].Recompute = func(depth int, m *prompt.RecapBlock) prompt.LoreItem {
				now := it.Recompute(depth, m)
				now.Text, _ = run(now.Text)
				return now
			}
		}
		for _, at := range by {
			u.lore[at]++
		}
	}
}

// usage records which scripts changed which parts of a prompt.
type usage struct {
	messages [][]storage.NodeID // by script, the newest first
	lore     []int
}

// parts returns the parts for it. They have no tokens of their own: the tokens of changed
// text are counted with that text.
func (u *usage) parts(scripts []chats.RegexView) (list []prompt.Part) {
	const named = 6
	for i, v := range scripts {
		var words []string
		if ids := u.messages[i]; len(ids) > 0 {
			what := fmt.Sprintf("%d messages", len(ids))
			if len(ids) == 1 {
				what = "1 message"
			}
			var names []string
			for _, id := range ids[:min(len(ids), named)] {
				names = append(names, string(id))
			}
			if len(ids) > named {
				names = append(names, "…")
			}
			words = append(words, what+" ("+strings.Join(names, ", ")+")")
		}
		switch n := u.lore[i]; {
		case n == 1:
			words = append(words, "1 lorebook entry")
		case n > 1:
			words = append(words, fmt.Sprintf("%d lorebook entries", n))
		}
		if len(words) > 0 {
			list = append(list, prompt.Part{Layer: prompt.LayerRegex, Source: v.Label(), Included: true,
				Reason: "changed " + strings.Join(words, " and ")})
		}
	}
	return list
}
