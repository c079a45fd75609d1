package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bookDoc is a lorebook, with its use in a chat if a chat is given. Contents are set on request,
// Warnings after an import.
type bookDoc struct {
	lore.Book
	*bookInChat
	Contents []entryLine `json:"contents,omitzero"`
	Warnings []string    `json:"warnings,omitzero"`
}

// bookInChat describes the use of a lorebook in a chat.
type bookInChat struct {
	Source   string `json:"source"`
	On       bool   `json:"on"`
	Switched bool   `json:"switched"` // the chat itself says so
	Why      string `json:"why"`
}

func newBookDoc(b lore.Book, chat storage.ChatID) bookDoc {
	s := bookDoc{Book: b}
	if chat != "" {
		s.bookInChat = &bookInChat{b.Source.String(), b.On, b.Switched, b.Why}
	}
	return s
}

// entryLine is an entry in a list.
type entryLine struct {
	ID       storage.EntryID      `json:"id"`
	UID      int                  `json:"uid"`
	Book     storage.LorebookID   `json:"book"`
	BookName string               `json:"book_name"`
	Name     string               `json:"name"`
	Aliases  []string             `json:"aliases"`
	Type     string               `json:"type"`
	Synopsis string               `json:"synopsis"`
	Keys     []string             `json:"keys"`
	Position storage.LorePosition `json:"position"`
	Order    int                  `json:"order"`
	Constant bool                 `json:"constant"`
	Disabled bool                 `json:"disabled"`
	Locked   bool                 `json:"locked"`
	Tokens   int                  `json:"tokens"`
	Here     bool                 `json:"here"`  // only on this branch
	Stale    bool                 `json:"stale"` // the scene that taught it has changed since, or is gone
	// LastFired is the number of the newest message that it triggered at, as in chat show; 0 if
	// unknown.
	LastFired int `json:"last_fired"`
	Waiting   int `json:"waiting"`
}

func newEntryLine(r lore.Row) entryLine {
	return entryLine{r.ID, r.UID, r.Book, r.BookName, r.Name, r.Aliases, r.Type, r.Synopsis, r.Keys,
		r.Position, r.Order,
		r.Constant, r.Disabled, r.Locked, r.Tokens, r.OnPath, r.Stale, r.LastTriggered, r.Waiting}
}

// entryDoc is an entry with all its fields, and what is known of them. Commands read it again.
type entryDoc struct {
	lore.EntryView
	Role      string    `json:"role"` // never empty
	Facts     []factDoc `json:"facts"`
	Revisions int       `json:"revisions"`
}

// factDoc is a fact of a content and the messages that it came from.
type factDoc struct {
	Number   int              `json:"number"`
	Text     string           `json:"text"`
	Chat     storage.ChatID   `json:"chat,omitempty"`
	Messages []storage.NodeID `json:"messages"`
	// Witnesses are the characters who know it; missing if everybody does.
	Witnesses []storage.CharacterID `json:"witnesses,omitzero"`
	Over      *endedDoc             `json:"over,omitempty"` // missing while it holds
}

// endedDoc describes how a fact ended in a chat. Fact is its id, as used by knows end --undo.
type endedDoc struct {
	Fact    string          `json:"fact"`
	Kind    storage.EndKind `json:"kind"`
	Message storage.NodeID  `json:"message"` // the message at which it ended, "" for everywhere
	Number  int             `json:"number"`  // of that message, as in chat show; 0 for none
	Why     string          `json:"why"`
	Instead string          `json:"instead"` // what is true now, "" if not known
	At      time.Time       `json:"at"`
	// Witnesses are the characters for whom it has ended; missing if for all.
	Witnesses []storage.CharacterID `json:"witnesses,omitzero"`
}

func newEndedDoc(v lore.EntryView, nth int) *endedDoc {
	for _, o := range v.Ended {
		if o.Nth == nth {
			d := endedDoc{factID(v, nth), o.End.Kind, o.End.Node, 0, o.End.Why, o.End.Instead, o.End.At,
				o.End.Witnesses}
			if d.Message != "" {
				d.Number = o.End.Depth + 1
			}
			return &d
		}
	}
	return nil
}

// factID returns how the knowledge of a chat names a fact of an entry.
func factID(v lore.EntryView, nth int) string { return fmt.Sprintf("lore/%s/%d", v.ID, nth) }

func faultWords(f activation.Fault) string {
	words := cli.OneLine(f.Name)
	if f.Key != "" {
		words += ": the key " + cli.Quote(cli.Clip(f.Key, cli.ColumnWidth))
	}
	return strings.TrimPrefix(words+": "+cli.OneLine(f.Text), ": ")
}

func newEntryDoc(v lore.EntryView) entryDoc {
	s := entryDoc{EntryView: v, Role: lore.EntryFields.Find("role").Get(&v.LoreEntry), Revisions: len(v.History)}
	for i, text := range factsOf(v.Content) {
		f := factDoc{Number: i + 1, Text: text, Witnesses: fill.KnownTo(&v.LoreEntry, text), Over: newEndedDoc(v, i)}
		for _, known := range v.LoreEntry.Facts {
			if plist.SameFact(known.Text, text) {
				f.Chat, f.Messages = known.Chat, known.Messages
				break
			}
		}
		s.Facts = append(s.Facts, f)
	}
	return s
}

func factsOf(content string) []string { return plist.Facts(content) }

type revisionDoc struct {
	Number  int                `json:"number"`
	ID      storage.RevisionID `json:"id"`
	Before  storage.RevisionID `json:"before"` // the state that it was made of, "" for none
	Current bool               `json:"current"`
	OnPath  bool               `json:"on_path"`
	Removed bool               `json:"removed"`
	Origin  storage.LoreOrigin `json:"origin"`
	Scene   string             `json:"scene"` // that caused it, "" for none
	Model   string             `json:"model"`
	Name    string             `json:"name"`
	Content string             `json:"content"`
	Facts   []string           `json:"facts"` // that it brought
	Fields  []field.Change     `json:"fields"`
	Diff    []scene.DiffLine   `json:"diff"` // of the content, by facts
	// Dropped are the facts that this state left out, and why.
	Dropped   []storage.LoreDropped `json:"dropped"`
	CreatedAt time.Time             `json:"created_at"`
}

// newRevisionDocs returns the history of an entry, oldest state first, each compared with the state
// that it was made of.
func newRevisionDocs(v lore.EntryView) []revisionDoc {
	states := map[storage.RevisionID]storage.LoreEntry{}
	for _, s := range v.History {
		states[s.Revision] = s.LoreEntry
	}
	var out []revisionDoc
	for i, s := range v.History {
		before, known := states[s.Before]
		if !known {
			before = storage.NewLoreEntry()
		}
		doc := revisionDoc{Number: i + 1, ID: s.Revision, Before: s.Before, Current: s.Current,
			OnPath: s.OnPath, Removed: s.Removed,
			Origin: s.Cause.Origin, Scene: s.Scene, Model: s.Cause.Model, Name: s.Name, Content: s.Content,
			Facts: s.Facts, Fields: lore.Changes(&before, &s.LoreEntry), Diff: contentDiff(before.Content, s.Content),
			Dropped: s.Cause.Dropped, CreatedAt: s.UpdatedAt}
		out = append(out, doc)
	}
	return out
}

// contentDiff compares contents fact by fact, or line by line if the facts are the same. It is
// empty if nothing has changed.
func contentDiff(a, b string) []scene.DiffLine {
	if a == b {
		return nil
	}
	x, y := strings.Join(factsOf(a), "\n"), strings.Join(factsOf(b), "\n")
	if x == y {
		x, y = a, b
	}
	return scene.Diff(x, y)
}

// traceDoc is an entry of an activation, and all that decided about it.
type traceDoc struct {
	activation.Trace
	ID       storage.EntryID `json:"id"`
	Name     string          `json:"name"`
	Order    int             `json:"order"`
	Included bool            `json:"included"`
}

func newTraceDoc(t activation.Trace) traceDoc {
	t.Role, t.Hits = cmp.Or(t.Role, storage.System), slices.Clone(t.Hits)
	for i := range t.Hits {
		h := &t.Hits[i]
		if h.Message == unsentMessage {
			h.Message = ""
		}
		if h.Message == "" && h.Where == "" {
			h.Where = "the text"
		}
	}
	s := traceDoc{Trace: t, Included: t.Verdict == activation.Triggered}
	if t.Entry != nil {
		s.ID, s.Name, s.Order = t.Entry.ID, t.Entry.Name, t.Entry.Order
	}
	return s
}

// unsentMessage is the id of a message that was not sent.
const unsentMessage storage.NodeID = "next"

type fillDoc struct {
	lore.Queued
	Operations int                `json:"operations"`
	Taught     []lore.SceneChange `json:"taught"`
	Waiting    int                `json:"waiting"` // in the inbox
	Error      string             `json:"error,omitempty"`
}

type proposalDoc struct {
	ID        storage.LoreChangeID   `json:"id"`
	Kind      storage.LoreChangeKind `json:"kind"`
	Book      storage.LorebookID     `json:"book"`
	BookName  string                 `json:"book_name"`
	Entry     storage.EntryID        `json:"entry"` // "" while it is new
	Name      string                 `json:"name"`
	Type      string                 `json:"type"`
	Content   string                 `json:"content"` // as it would be
	Hunks     []lore.Hunk            `json:"hunks"`
	Fields    []field.Change         `json:"fields"`
	Scene     string                 `json:"scene"`
	Origin    storage.LoreOrigin     `json:"origin"`
	Outdated  bool                   `json:"outdated"`
	Dropped   []storage.LoreDropped  `json:"dropped"` // as in a state
	CreatedAt time.Time              `json:"created_at"`
}

func newProposalDoc(p lore.Proposal) proposalDoc {
	return proposalDoc{ID: p.ID, Kind: p.Kind, Book: p.Book, BookName: p.BookName, Entry: p.After.ID, Name: p.Name,
		Type: p.After.Type, Content: p.After.Content, Hunks: p.Hunks, Fields: p.Fields, Scene: p.Scene,
		Origin: p.Cause.Origin, Outdated: p.Outdated, Dropped: p.Cause.Dropped,
		CreatedAt: p.CreatedAt}
}

type lintDoc struct {
	Findings []lore.Finding `json:"findings"`
	Errors   int            `json:"errors"`
	Warnings int            `json:"warnings"`
	Hints    int            `json:"hints"`
	Fixed    []string       `json:"fixed"`
	Error    string         `json:"error,omitempty"`
}

type unitDoc struct {
	Cases  []lore.CaseResult `json:"cases"`
	Passed int               `json:"passed"`
	Failed int               `json:"failed"`
	Error  string            `json:"error,omitempty"`
}
