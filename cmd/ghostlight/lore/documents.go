package lore

import (
	"cmp"
	"strings"
	"time"

	"ghostlight/cmd/ghostlight/cli"
	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/engine/lore/plist"
	"ghostlight/engine/lore/scribe"
	"ghostlight/storage"
)

type bookDoc struct {
	ID             storage.LorebookID  `json:"id"`
	Name           string              `json:"name"`
	Description    string              `json:"description"`
	Kind           storage.BookKind    `json:"kind"`
	Character      storage.CharacterID `json:"character,omitempty"` // whom it belongs to
	Chat           storage.ChatID      `json:"chat,omitempty"`
	Persona        storage.PersonaID   `json:"persona,omitempty"`
	Off            bool                `json:"off"` // it counts only in chats that switch it on
	ScanDepth      *int                `json:"scan_depth,omitempty"`
	Format         string              `json:"format,omitempty"` // that it came from
	Entries        int                 `json:"entries"`
	Active         int                 `json:"active"`
	Tokens         int                 `json:"tokens"`
	ConstantTokens int                 `json:"constant_tokens"`
	Waiting        int                 `json:"waiting"` // changes in the inbox
	CreatedAt      time.Time           `json:"created_at"`
	UpdatedAt      time.Time           `json:"updated_at"`
	*bookInChat
}

// bookInChat is what a lorebook is in a chat.
type bookInChat struct {
	Source   string `json:"source"`
	On       bool   `json:"on"`
	Switched bool   `json:"switched"` // the chat itself says so
	Why      string `json:"why"`
}

func newBookDoc(b lore.Book, chat storage.ChatID) bookDoc {
	s := bookDoc{ID: b.ID, Name: b.Name, Description: b.Description, Kind: b.Kind, Character: b.Character, Chat: b.Chat, Persona: b.Persona,
		Off: b.Off, ScanDepth: b.ScanDepth, Format: b.Format, Entries: b.Entries, Active: b.Active, Tokens: b.Tokens, ConstantTokens: b.Constant,
		Waiting: b.Waiting, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt}
	if chat != "" {
		s.bookInChat = &bookInChat{b.Source.String(), b.On, b.Switched, b.Why}
	}
	return s
}

type bookWholeDoc struct {
	bookDoc
	Contents []entryLine `json:"contents"`
	Cases    []caseDoc   `json:"cases"`
}

type caseDoc struct {
	Name  string   `json:"name"`
	Text  string   `json:"text"`
	Fires []string `json:"fires"`
	Not   []string `json:"not"`
}

func newCaseDoc(c storage.LoreCase) caseDoc {
	return caseDoc{c.Name, c.Text, cli.OrEmpty(c.Fires), cli.OrEmpty(c.Not)}
}

func newCaseDocs(list []storage.LoreCase) []caseDoc { return cli.Docs(list, newCaseDoc) }

type importedBookDoc struct {
	ID        storage.LorebookID  `json:"id"`
	Name      string              `json:"name"`
	Kind      storage.BookKind    `json:"kind"`
	Character storage.CharacterID `json:"character,omitempty"`
	Chat      storage.ChatID      `json:"chat,omitempty"`
	Persona   storage.PersonaID   `json:"persona,omitempty"`
	Entries   int                 `json:"entries"`
	Format    string              `json:"format"`
	Warnings  []string            `json:"warnings"`
}

type entryLine struct {
	ID        storage.EntryID    `json:"id"`
	UID       int                `json:"uid"`
	Book      storage.LorebookID `json:"book"`
	BookName  string             `json:"book_name"`
	Name      string             `json:"name"`
	Aliases   []string           `json:"aliases"`
	Type      string             `json:"type"`
	Synopsis  string             `json:"synopsis"`
	Keys      []string           `json:"keys"`
	Position  string             `json:"position"`
	Order     int                `json:"order"`
	Constant  bool               `json:"constant"`
	Disabled  bool               `json:"disabled"`
	Locked    bool               `json:"locked"`
	Tokens    int                `json:"tokens"`
	Here      bool               `json:"here"`       // only on this branch
	Stale     bool               `json:"stale"`      // the scene that taught it has changed since, or is gone
	LastFired int                `json:"last_fired"` // the number of the newest message that it fired at, as in chat show; 0: not known of
	Waiting   int                `json:"waiting"`
}

func newEntryLine(r lore.Row) entryLine {
	return entryLine{r.ID, r.UID, r.Book, r.BookName, r.Name, cli.OrEmpty(r.Aliases), r.Type, r.Synopsis, cli.OrEmpty(r.Keys),
		numbered(positionWords, int(r.Position)), r.Order, r.Constant, r.Disabled, r.Locked, r.Tokens, r.Here, r.Stale, r.Fired + 1, r.Waiting}
}

// entryDoc is an entry with all its fields. A file made of it can be given to
// lore edit: what is none of the entry's fields is in readOnly.
type entryDoc struct {
	ID        storage.EntryID    `json:"id"`
	UID       int                `json:"uid"`
	Book      storage.LorebookID `json:"book"`
	BookName  string             `json:"book_name"`
	Tokens    int                `json:"tokens"`
	Here      bool               `json:"here"`
	Stale     bool               `json:"stale"`
	LastFired int                `json:"last_fired"`
	Waiting   int                `json:"waiting"`
	entryFields
	// Witnesses are the characters who know what it tells; missing where all do.
	Witnesses []storage.CharacterID `json:"witnesses,omitzero"`
	Facts     []factDoc             `json:"facts"`
	Revision  storage.RevisionID    `json:"revision"`
	Revisions int                   `json:"revisions"`
	Problems  []problemDoc          `json:"problems"`
	Faults    []faultDoc            `json:"faults"`
	CreatedAt time.Time             `json:"created_at"`
	UpdatedAt time.Time             `json:"updated_at"`
}

// factDoc is a part of a content and the messages that it came from.
type factDoc struct {
	Number   int              `json:"number"`
	Text     string           `json:"text"`
	Chat     storage.ChatID   `json:"chat,omitempty"`
	Messages []storage.NodeID `json:"messages"`
}

type problemDoc struct {
	Kind   string `json:"kind"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

type faultDoc struct {
	Book  storage.LorebookID `json:"book"`
	Entry storage.EntryID    `json:"entry"`
	Name  string             `json:"name"`
	Key   string             `json:"key"`
	Text  string             `json:"text"`
}

func (f faultDoc) words() string {
	words := cli.OneLine(f.Name)
	if f.Key != "" {
		words += ": the key " + cli.Quote(cli.Clip(f.Key, cli.ColumnWidth))
	}
	return strings.TrimPrefix(words+": "+cli.OneLine(f.Text), ": ")
}

func faultWords(f activation.Fault) string { return newFaultDoc(f).words() }

func newFaultDoc(f activation.Fault) faultDoc {
	return faultDoc{f.Book, f.Entry, f.Name, f.Key, f.Text}
}

func newFaultDocs(list []activation.Fault) []faultDoc { return cli.Docs(list, newFaultDoc) }

func newEntryDoc(v lore.EntryView) entryDoc {
	s := entryDoc{ID: v.ID, UID: v.UID, Book: v.Book, BookName: v.BookName, Tokens: v.Tokens, Here: v.Here, Stale: v.Stale, LastFired: v.Fired + 1, Waiting: v.Waiting,
		entryFields: fieldsOf(v.LoreEntry), Witnesses: v.LoreEntry.Witnesses, Facts: []factDoc{}, Revision: v.Revision, Revisions: len(v.History), Problems: []problemDoc{},
		Faults: newFaultDocs(v.Faults), CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt}
	for i, text := range factsOf(v.Content) {
		f := factDoc{Number: i + 1, Text: text, Messages: []storage.NodeID{}}
		for _, known := range v.LoreEntry.Facts {
			if plist.SameFact(known.Text, text) {
				f.Chat, f.Messages = known.Chat, cli.OrEmpty(known.Messages)
				break
			}
		}
		s.Facts = append(s.Facts, f)
	}
	for _, p := range v.Problems {
		s.Problems = append(s.Problems, problemDoc{string(p.Kind), p.Line, p.Column, p.Text})
	}
	return s
}

func factsOf(content string) []string { return plist.Facts(content) }

type revisionDoc struct {
	Number    int                `json:"number"`
	ID        storage.RevisionID `json:"id"`
	Before    storage.RevisionID `json:"before"` // the state that it was made of, "" for none
	Current   bool               `json:"current"`
	OnPath    bool               `json:"on_path"`
	Removed   bool               `json:"removed"`
	Origin    storage.LoreOrigin `json:"origin"`
	Scene     string             `json:"scene"` // that caused it, "" for none
	Model     string             `json:"model"`
	Name      string             `json:"name"`
	Content   string             `json:"content"`
	Facts     []string           `json:"facts"` // that it brought
	Fields    []fieldChange      `json:"fields"`
	Diff      []cli.DiffLine     `json:"diff"` // of the content, by facts
	CreatedAt time.Time          `json:"created_at"`
}

type fieldChange struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// newRevisionDocs is the history of an entry, oldest state first, each compared
// with the one that it was made of.
func newRevisionDocs(v lore.EntryView) []revisionDoc {
	states := map[storage.RevisionID]storage.LoreEntry{}
	for _, s := range v.History {
		states[s.Revision] = s.LoreEntry
	}
	out := []revisionDoc{}
	for i, s := range v.History {
		before, known := states[s.Before]
		if !known {
			before = storage.NewLoreEntry()
		}
		doc := revisionDoc{Number: i + 1, ID: s.Revision, Before: s.Before, Current: s.Current, OnPath: s.OnPath, Removed: s.Removed,
			Origin: s.Cause.Origin, Scene: s.Scene, Model: s.Cause.Model, Name: s.Name, Content: s.Content,
			Facts: cli.OrEmpty(s.Facts), Fields: []fieldChange{}, Diff: contentDiff(before.Content, s.Content), CreatedAt: s.UpdatedAt}
		a, b := fieldsOf(before), fieldsOf(s.LoreEntry)
		for _, name := range entryFieldNames() {
			if x, y := a.text(name), b.text(name); x != y && name != "content" {
				doc.Fields = append(doc.Fields, fieldChange{name, x, y})
			}
		}
		out = append(out, doc)
	}
	return out
}

// contentDiff compares contents fact by fact; where the facts are the same, line
// by line. It is empty where nothing has changed.
func contentDiff(a, b string) []cli.DiffLine {
	if a == b {
		return []cli.DiffLine{}
	}
	x, y := strings.Join(factsOf(a), "\n"), strings.Join(factsOf(b), "\n")
	if x == y {
		x, y = a, b
	}
	return cli.Diff(x, y)
}

type actedDoc struct {
	Book    storage.LorebookID `json:"book"`
	Action  lore.Action        `json:"action"`
	Changed int                `json:"changed"`
	Entries []storage.EntryID  `json:"entries"`
}

type activationDoc struct {
	Entries   []activeDoc `json:"entries"`
	Stays     []stayDoc   `json:"stays"`
	Budget    int         `json:"budget"`
	Used      int         `json:"used"`
	Over      bool        `json:"over"`
	Rounds    int         `json:"rounds"`
	Placement string      `json:"placement"`
	Faults    []faultDoc  `json:"faults"`
}

// stayDoc is an entry that fired earlier and does not now: it stands in the
// prompt's history before a message until the history folds.
type stayDoc struct {
	ID       storage.EntryID    `json:"id"`
	Book     storage.LorebookID `json:"book"`
	BookName string             `json:"book_name"`
	Name     string             `json:"name"`
	Reason   string             `json:"reason"`
	Tokens   int                `json:"tokens"`
	Before   storage.NodeID     `json:"before"`
}

// activeDoc is an entry of an activation, and all that decided about it.
type activeDoc struct {
	ID       storage.EntryID    `json:"id"`
	Book     storage.LorebookID `json:"book"`
	BookName string             `json:"book_name"`
	Name     string             `json:"name"`
	Matched  []matchDoc         `json:"matched"`
	Reason   string             `json:"reason"`
	Position string             `json:"position"`
	Depth    int                `json:"depth"`
	Role     string             `json:"role"`
	Outlet   string             `json:"outlet"`
	Order    int                `json:"order"`
	Tokens   int                `json:"tokens"`
	Included bool               `json:"included"`
	Verdict  activation.Verdict `json:"verdict"`
	Constant bool               `json:"constant"`
	Round    int                `json:"round"`
	Path     []string           `json:"path"`
	Group    string             `json:"group"`
}

type matchDoc struct {
	Key       string         `json:"key"`
	Message   storage.NodeID `json:"message"` // "" outside the messages
	Where     string         `json:"where"`   // the text it is in then
	Secondary bool           `json:"secondary"`
}

type whyDoc struct {
	activeDoc
	Text   string     `json:"text"` // as it goes into the prompt
	Faults []faultDoc `json:"faults"`
}

func newTraceDoc(t activation.Trace) activeDoc {
	s := activeDoc{Book: t.Book, BookName: t.BookName, Matched: []matchDoc{}, Reason: t.Reason,
		Position: numbered(positionWords, int(t.Position)), Depth: t.Depth, Role: cmp.Or(string(t.Role), roleWords[0]), Outlet: t.Outlet,
		Tokens: t.Tokens, Included: t.Verdict == activation.Fired, Verdict: t.Verdict, Constant: t.Constant, Round: t.Round,
		Path: cli.OrEmpty(t.Path), Group: t.Group}
	if t.Entry != nil {
		s.ID, s.Name, s.Order = t.Entry.ID, t.Entry.Name, t.Entry.Order
	}
	for _, h := range t.Hits {
		m := matchDoc{h.Key, h.Message, h.Where, h.Secondary}
		if h.Message == notSaid {
			m.Message = ""
		}
		if m.Message == "" && m.Where == "" {
			m.Where = "the text"
		}
		s.Matched = append(s.Matched, m)
	}
	return s
}

// notSaid is the id of a message that has not been sent.
const notSaid storage.NodeID = "next"

func newActivationDoc(a lore.Activation) activationDoc {
	doc := activationDoc{Entries: []activeDoc{}, Stays: []stayDoc{}, Budget: a.Budget, Used: a.Used, Over: a.Over, Rounds: a.Rounds, Placement: a.Placement,
		Faults: append(newFaultDocs(a.Faults), newFaultDocs(a.Result.Faults)...)}
	for _, list := range [][]activation.Trace{a.Fired, a.Lost} {
		for _, t := range list {
			doc.Entries = append(doc.Entries, newTraceDoc(t))
		}
	}
	for _, s := range a.Stays {
		doc.Stays = append(doc.Stays, stayDoc{ID: s.Entry, Book: s.BookID, BookName: s.Book, Name: s.Name, Reason: s.Reason, Tokens: s.Tokens, Before: s.At})
	}
	return doc
}

type filledDoc struct {
	Scenes     int         `json:"scenes"`
	Candidates int         `json:"candidates"`
	Operations int         `json:"operations"`
	Taught     []taughtDoc `json:"taught"`
	Waiting    int         `json:"waiting"` // in the inbox
	Error      string      `json:"error,omitempty"`
}

type taughtDoc struct {
	Book  storage.LorebookID `json:"book"`
	Entry storage.EntryID    `json:"entry"`
	Name  string             `json:"name"`
	New   bool               `json:"new"`   // the scene made the entry
	Facts []string           `json:"facts"` // that are still in it
	// Outdated are those of them that the scene's current recap has not taught.
	Outdated []string `json:"outdated"`
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
	Hunks     []hunkDoc              `json:"hunks"`
	Fields    []fieldChange          `json:"fields"`
	Scene     string                 `json:"scene"`
	Origin    storage.LoreOrigin     `json:"origin"`
	Outdated  bool                   `json:"outdated"`
	CreatedAt time.Time              `json:"created_at"`
}

type hunkDoc struct {
	Number   int              `json:"number"`
	Kind     string           `json:"kind"`
	Before   string           `json:"before"`
	After    string           `json:"after"`
	Head     bool             `json:"head"`     // the entry's type and name
	Messages []storage.NodeID `json:"messages"` // that it came from
}

func newProposalDoc(p lore.Proposal) proposalDoc {
	s := proposalDoc{ID: p.ID, Kind: p.Kind, Book: p.Book, BookName: p.BookName, Entry: p.After.ID, Name: p.Name, Type: p.After.Type,
		Content: p.After.Content, Hunks: []hunkDoc{}, Fields: []fieldChange{}, Scene: p.Scene, Origin: p.Cause.Origin, Outdated: p.Outdated, CreatedAt: p.CreatedAt}
	for i, h := range p.Hunks {
		hunk := hunkDoc{i + 1, string(h.Kind), h.Before, h.After, h.Head, []storage.NodeID{}}
		if i < len(p.Sources) {
			hunk.Messages = cli.OrEmpty(p.Sources[i])
		}
		s.Hunks = append(s.Hunks, hunk)
	}
	for _, f := range p.Fields {
		s.Fields = append(s.Fields, fieldChange(f))
	}
	return s
}

type decidedDoc struct {
	ID       storage.LoreChangeID `json:"id"`
	Decision string               `json:"decision"`
	Book     storage.LorebookID   `json:"book"`
	Entry    storage.EntryID      `json:"entry"`
	Name     string               `json:"name"`
}

type lintDoc struct {
	Findings []findingDoc `json:"findings"`
	Errors   int          `json:"errors"`
	Warnings int          `json:"warnings"`
	Hints    int          `json:"hints"`
	Fixed    []string     `json:"fixed"`
	Error    string       `json:"error,omitempty"`
}

type findingDoc struct {
	Rule     string          `json:"rule"`
	Severity scribe.Severity `json:"severity"`
	Entry    storage.EntryID `json:"entry"`
	Other    storage.EntryID `json:"other"` // of a finding about two
	Name     string          `json:"name"`
	Key      string          `json:"key"`
	Text     string          `json:"text"`
	Fix      string          `json:"fix"` // what --fix does about it, "" for nothing
}

type unitDoc struct {
	Cases  []caseResultDoc `json:"cases"`
	Passed int             `json:"passed"`
	Failed int             `json:"failed"`
	Error  string          `json:"error,omitempty"`
}

type caseResultDoc struct {
	caseDoc
	OK      bool     `json:"ok"`
	Fired   []string `json:"fired"`
	Missing []string `json:"missing"` // should have fired
	Extra   []string `json:"extra"`   // fired and must not
	Unknown []string `json:"unknown"` // names that no entry has
}
