package memory

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Recalled is a fact that has left the prompt and comes back because what is said now
// names its subject.
type Recalled struct {
	ID     string // names the fact and its words
	Text   string // one line
	Source string // in words, for the ledger
}

// Bounds of what comes back.
const (
	mostRecalled = 12
	mostLine     = 400 // bytes
	lookedAt     = 48  // facts that fit
	newest       = 2   // messages that name what is looked for
)

// Ended reports whether a fact holds no longer.
type Ended func(f *facts.Fact) bool

// Recall finds what of the path to leaf bears on the newest messages of a snapshot and
// is told by nothing in the prompt. What has ended does not come back: as over says. near is what the newest messages mean, nil for
// nothing; what is near to that comes after what is named. At most
// 12 facts of not much more than room tokens, oldest first; told knows them from then on.
func (svc *Service) Recall(tx *storage.Tx, s *script.Snapshot, m chats.Moment, leaf storage.NodeID, known []KnownMemory, told *facts.Telling, over Ended, near []float32, room int) ([]Recalled, error) {
	x := svc.indexOf(m.Chat.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.sync(tx, leaf, known); err != nil {
		return nil, err
	}
	comes := func(f *facts.Fact) bool {
		return !isTold(told, f) && heard(tx, m, f) && !over(f) && !x.isMerged(tx, m, leaf, f.ID)
	}
	var chosen []facts.Hit
	for _, h := range append(x.about(tx, newestText(s), lookedAt, comes), x.nearFacts(svc, tx, m.Scope, near)...) {
		if len(chosen) == mostRecalled {
			break
		}
		if !comes(h.Fact) {
			continue
		}
		if room -= s.Count(h.Text); room < 0 {
			break
		}
		told.Line(h.Text, "a recalled fact")
		chosen = append(chosen, h)
	}
	slices.SortStableFunc(chosen, func(a, b facts.Hit) int { return cmp.Compare(a.Depth, b.Depth) })
	var out []Recalled
	for _, h := range chosen {
		out = append(out, Recalled{ID: recalledID(h.Fact), Text: line(tx, s, m.Chat.ID, h.Fact), Source: string(h.Kind) + ": " + prefix(h.Text, 40)})
	}
	return out, nil
}

// merged are the scenes that a running recap has taken in, by their breaks.
type merged struct {
	in     storage.RecapID
	breaks map[storage.NodeID]bool
}

// isMerged reports whether a fact is a line of the recap of a scene that the running recap has taken
// in, as far as the moment's speaker knows that: the running recap has the line as it is, or another
// in its place, or has left it out for a reason.
func (x *pathIndex) isMerged(tx *storage.Tx, m chats.Moment, leaf storage.NodeID, id string) bool {
	rest, is := strings.CutPrefix(id, recapHome+"/")
	if !is {
		return false
	}
	r, _, err := scenes.RunningAt(tx, x.chat, leaf)
	if err != nil || r == nil || !m.MayRecap(r.Witnesses) {
		return false
	}
	if x.merged.in != r.ID {
		x.merged = merged{r.ID, scenes.Taken(tx, x.chat, *r)}
	}
	recap, _, _ := strings.Cut(rest, "/")
	of, err := storage.Recaps.Get(tx, x.chat, storage.RecapID(recap))
	return err == nil && x.merged.breaks[of.Node]
}

// isTold reports whether a prompt tells a fact already.
func isTold(told *facts.Telling, f *facts.Fact) bool {
	if f.Kind == facts.Memory && len(f.Memories) > 0 {
		_, is := told.OfMemory(f.Memories[0], f.Text, f.Messages)
		return is
	}
	_, is := told.Of(f.Text, f.Messages)
	return is
}

// Recalls returns a fact that has come back, nil where it is none any more. One of an interim recap
// stays one when another recap tells its scene. The caller must not change it.
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

// newestText is what the newest messages say, without the names that stand in every prompt.
func newestText(s *script.Snapshot) string {
	var parts []string
	for i := len(s.History) - 1; i >= 0 && len(parts) < newest; i-- {
		n := &s.History[i]
		if !n.Deleted && n.Content != "" && n.Role.InPrompt() {
			parts = append(parts, n.Content)
		}
	}
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	}
	names := words(strings.Join(append([]string{s.Card.CharName(), s.Persona.Name}, s.Names()...), " "))
	said := words(strings.Join(parts, "\n"))
	return strings.Join(slices.DeleteFunc(said, func(w string) bool { return slices.Contains(names, w) }), " ")
}

// line is a fact as it is told: what was said says who said it.
func line(tx *storage.Tx, s *script.Snapshot, chat storage.ChatID, f *facts.Fact) string {
	text := prefix(strings.Join(strings.Fields(f.Text), " "), mostLine)
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

// prefix keeps at most n bytes.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
