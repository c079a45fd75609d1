package memory

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Recalled is a fact that has left the prompt and comes back because the newest messages name its
// subject.
type Recalled struct {
	ID     string // names the fact and its words
	Text   string // one line
	Source string // in words, for the list of parts
}

// Bounds of recalled facts.
const (
	maxRecalled    = 12
	maxRecallBytes = 400 // bytes
	lookedAt       = 48  // facts that fit
	newest         = 2   // messages whose subjects are looked for
)

// EndedFunc reports whether a fact holds no longer.
type EndedFunc func(f *facts.Fact) bool

// Recall finds facts on the path to leaf that are relevant to the newest messages of a snapshot and
// not in the prompt. Facts that have ended according to over are left out. near is the embedding of
// the newest messages, nil for none; facts that are near to it come after those whose subjects are
// named. It returns at most 12 facts of about room tokens, oldest first, and adds them to stated.
func (svc *Service) Recall(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint, leaf storage.NodeID,
	known []KnownMemory,
	stated *facts.PromptFacts, over EndedFunc, near []float32, room int) ([]Recalled, error) {
	x := svc.indexOf(m.Chat.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.sync(tx, leaf, known); err != nil {
		return nil, err
	}
	comes := func(f *facts.Fact) bool {
		return !isInPrompt(stated, f) && mayKnow(tx, m, f) && !over(f) && !x.isMerged(tx, m, leaf, f.ID)
	}
	var chosen []facts.Hit
	for _, h := range append(x.about(tx, newestText(s), lookedAt, comes), x.nearFacts(svc, tx, m.Scope, near)...) {
		if len(chosen) == maxRecalled {
			break
		}
		if !comes(h.Fact) {
			continue
		}
		if room -= s.Count(h.Text); room < 0 {
			break
		}
		stated.AddLine(h.Text, "a recalled fact")
		chosen = append(chosen, h)
	}
	slices.SortStableFunc(chosen, func(a, b facts.Hit) int { return cmp.Compare(a.Depth, b.Depth) })
	var out []Recalled
	for _, h := range chosen {
		out = append(out, Recalled{ID: recalledID(h.Fact), Text: line(tx, s, m.Chat.ID, h.Fact),
			Source: string(h.Kind) + ": " + prefix(h.Text, 40)})
	}
	return out, nil
}

// mergedScenes are the scenes that a running recap has taken in, by their breaks.
type mergedScenes struct {
	in     storage.RecapID
	breaks map[storage.NodeID]bool
}

// isMerged reports whether a fact is a line of a scene recap that is merged into the running recap,
// if the moment's speaker may know that: the running recap has the line, another one in its place,
// or has dropped it for a reason.
func (x *pathIndex) isMerged(tx *storage.Tx, m chats.Viewpoint, leaf storage.NodeID, id string) bool {
	rest, ok := strings.CutPrefix(id, recapHome+"/")
	if !ok {
		return false
	}
	r, _, err := scenes.RunningAt(tx, x.chat, leaf)
	if err != nil || r == nil || !m.MayKnowRecap(r.Witnesses) {
		return false
	}
	if x.merged.in != r.ID {
		x.merged = mergedScenes{r.ID, scenes.MergedScenes(tx, x.chat, *r)}
	}
	recap, _, _ := strings.Cut(rest, "/")
	of, err := storage.Recaps.Get(tx, x.chat, storage.RecapID(recap))
	return err == nil && x.merged.breaks[of.Node]
}

// isInPrompt reports whether a prompt contains a fact already.
func isInPrompt(stated *facts.PromptFacts, f *facts.Fact) bool {
	if f.Kind == facts.Memory && len(f.Memories) > 0 {
		_, ok := stated.MemorySource(f.Memories[0], f.Text, f.Messages)
		return ok
	}
	_, ok := stated.Source(f.Text, f.Messages)
	return ok
}

// Recalls returns a recalled fact, nil if it no longer exists. A fact of an interim recap stays
// valid when another recap covers its scene. The caller must not change it.
func (svc *Service) Recalls(tx *storage.Tx, chat storage.ChatID, id string) *facts.Fact {
	x := svc.indexOf(chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	at := strings.LastIndexByte(id, '/')
	if at < 0 {
		return nil
	}
	if f := x.fact(tx, id[:at]); f != nil && recalledID(f) == id {
		return f
	}
	parts := strings.Split(id, "/")
	if parts[0] != interimHome || len(parts) < 2 {
		return nil
	}
	list := bulletsOf(scenes.InterimRecap(tx, chat, storage.RecapID(parts[1])), 0)
	if i := slices.IndexFunc(list, func(f facts.Fact) bool { return core.ContentHash(f.Text) == id[at+1:] }); i >= 0 {
		return &list[i]
	}
	return nil
}

func recalledID(f *facts.Fact) string { return f.ID + "/" + core.ContentHash(f.Text) }

// newestText returns the text of the newest messages without the names that are in every prompt.
func newestText(s *prompt.Snapshot) string {
	var parts []string
	for i := len(s.History) - 1; i >= 0 && len(parts) < newest; i-- {
		n := &s.History[i]
		if !n.Deleted && n.Content != "" && n.Role.InPrompt() {
			parts = append(parts, n.Content)
		}
	}
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
		})
	}
	names := words(strings.Join(append([]string{s.Card.CharName(), s.Persona.Name}, s.Names()...), " "))
	said := words(strings.Join(parts, "\n"))
	return strings.Join(slices.DeleteFunc(said, func(w string) bool { return slices.Contains(names, w) }), " ")
}

// line returns a fact as a line of a prompt; a sentence of a message names its speaker.
func line(tx *storage.Tx, s *prompt.Snapshot, chat storage.ChatID, f *facts.Fact) string {
	text := prefix(strings.Join(strings.Fields(f.Text), " "), maxRecallBytes)
	if f.Kind != facts.Played || len(f.Messages) != 1 {
		return "- " + text
	}
	n, err := tx.Node(chat, f.Messages[0])
	if err != nil {
		return "- " + text
	}
	name := s.Card.CharName()
	if n.Role == storage.User {
		name = s.Persona.Name
	}
	return "- " + cmp.Or(n.Name, name, chats.Nobody) + ": " + text
}

// prefix returns at most n bytes.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
