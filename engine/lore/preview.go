package lore

import (
	"context"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NextPrompt returns the snapshot of a chat's next turn without lore, and whose moment it is.
type NextPrompt func(c storage.Chat, known *models.KnownModel) (prompt.Snapshot, chats.Viewpoint, error)

// Activate returns what the lorebooks would add to a chat's next prompt if the user sent input. If
// input is "", it uses the chat as it is.
func (svc *Service) Activate(ctx context.Context, chat storage.ChatID, input string,
	next NextPrompt) (Activation, error) {
	c, _, err := svc.chats.Path(chat, 1)
	if err != nil {
		return Activation{}, err
	}
	if err := svc.ImportCardBook(chat); err != nil {
		return Activation{}, failure.Wrap("activate lore", err)
	}
	model, err := svc.models.ChooseModel(ctx, c)
	if err != nil {
		model = ""
	}
	known := svc.models.ModelOr(ctx, model)
	snap, m, err := next(c, known)
	if err != nil {
		return Activation{}, err
	}
	AppendInput(&snap, c, input)
	var f PromptLore
	var out Activation
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if f, err = svc.ForPrompt(tx, &snap, m); err != nil {
			return err
		}
		out.Books, err = svc.booksFor(tx, chat)
		return err
	})
	if err != nil {
		return Activation{}, failure.Wrap("activate lore", err)
	}
	out.Result, out.Placement = f.result, svc.lorePlacement()
	out.Faults = slices.Concat(svc.indexes.markViewed(m.Key(), chat).faults(), f.result.Faults)
	active := map[string]bool{}
	for _, i := range f.items {
		active[i.ID] = i.Active
	}
	for _, s := range f.standing {
		if !active[stayID(s.TriggeredEntry)] {
			out.Pinned = append(out.Pinned, PinnedEntry{Name: s.Name, Book: bookName(out.Books, s.Book), BookID: s.Book,
				Entry: s.Entry, At: s.at, Tokens: snap.Count(s.Text), Reason: sinceReason(s.Reason)})
		}
	}
	return out, nil
}

func bookName(list []Book, id storage.LorebookID) string {
	for _, b := range list {
		if b.ID == id {
			return b.Name
		}
	}
	return ""
}

// AppendInput adds the user's input to a snapshot.
func AppendInput(s *prompt.Snapshot, c storage.Chat, input string) {
	if strings.TrimSpace(input) == "" {
		return
	}
	n := storage.Node{ID: "next", Chat: c.ID, Parent: c.Head, Role: storage.User, Name: s.Persona.Name, Content: input}
	if len(s.History) > 0 {
		n.Depth = s.History[len(s.History)-1].Depth + 1
	}
	s.History = append(s.History[:len(s.History):len(s.History)], n)
}

func (s *chatIndex) faults() []activation.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	return s.index.Faults()
}

// Test returns what would trigger for a text: in one book alone, or with book "" in those that
// count in the chat. The text is the only message. Chance and delays apply, other timed effects do
// not.
func (svc *Service) Test(ctx context.Context, chat storage.ChatID, book storage.LorebookID,
	text string) (Activation, error) {
	if err := ctx.Err(); err != nil {
		return Activation{}, err
	}
	var out Activation
	count := svc.models.ModelOr(ctx, svc.core.Settings().Model).Meter.Count
	key := "test " + string(chat) + " " + string(book)
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		a := query{key: key, chat: chat, rolls: storage.NodeID(text), dry: true,
			history: []storage.Node{{Role: storage.User, Content: text}}}
		var err error
		if a.books, err = svc.testedBooks(tx, chat, book); err != nil {
			return err
		}
		s := prompt.Snapshot{Set: svc.core.Prompts(), Now: svc.core.Config.Now(), Chat: chat}
		c, err := storage.Chats.Get(tx, chat)
		s.Limits.Context = svc.models.ContextOf(c, nil)
		if err == nil {
			who, persona := svc.chats.Cast(tx, c)
			s.Card, s.Persona = who.Card, persona
		}
		a.input = activation.Input{Length: 1, Character: s.Card.Name, Tags: s.Card.Tags,
			Context: s.Limits.Context, Expand: loreExpand(&s),
			Count: count,
			Fields: activation.Fields{Persona: s.Persona.Description, Description: s.Card.Description,
				Personality: s.Card.Personality,
				DepthPrompt: s.Card.DepthPrompt, Scenario: s.Card.Scenario, CreatorNotes: s.Card.CreatorNotes}}
		f, err := svc.trigger(tx, a)
		out.Result = f.result
		return err
	})
	if err != nil {
		return Activation{}, failure.Wrap("test lore", err)
	}
	out.Placement = svc.lorePlacement()
	out.Faults = slices.Concat(svc.indexes.get(key).faults(), out.Result.Faults)
	return out, nil
}

// testedBooks returns one book alone, or those that count in a chat.
func (svc *Service) testedBooks(tx *storage.Tx, chat storage.ChatID, book storage.LorebookID) ([]activeBook, error) {
	if book == "" {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return nil, err
		}
		return svc.BooksAt(tx, chat, c.Head)
	}
	b, err := storage.Lorebooks.Get(tx, book)
	if err != nil {
		return nil, err
	}
	seen, err := svc.cache.read(tx, b, loreTrail(tx, b, chat))
	return []activeBook{{Book: activation.Book{ID: b.ID, Name: b.Name, Source: activation.Chat, ScanDepth: b.ScanDepth,
		Entries: seen.entries}, made: seen.made}}, err
}

// Why explains an entry, whether it triggered or not, by the last Activate
// of the chat.
func (svc *Service) Why(chat storage.ChatID, entry storage.EntryID) (activation.Trace, error) {
	if stage := svc.indexes.lastViewed(chat); stage != nil {
		stage.mu.Lock()
		defer stage.mu.Unlock()
		if _, ok := stage.entries[entry]; ok && stage.scan != nil {
			return stage.scan.Why(entry), nil
		}
	}
	return activation.Trace{}, failure.Wrap("explain entry", failure.Refusef("no lorebook of this chat has this entry"))
}
