package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Step is a change of a fact. Undo undoes it, once.
type Step struct {
	Fact Fact // as it was before
	Undo func() error
}

// address is the decoded id of a fact: its home, the record there, and the index of the statement
// in the record.
type address struct {
	kind, record string
	nth          int
}

func addressOf(id string) (a address, ok bool) {
	parts := strings.Split(id, "/")
	a.kind = parts[0]
	switch {
	case len(parts) == 2 && !a.numbered():
		a.record = parts[1]
		return a, true
	case len(parts) == 3 && a.numbered():
		n, err := strconv.Atoi(parts[2])
		return address{parts[0], parts[1], n}, err == nil && n >= 0
	}
	return address{}, false
}

// The prefixes of fact ids. Ended facts are addressed by the hash of their text.
const (
	messageHome = "message"
	memoryHome  = "memory"
	hookHome    = "hook"
	recapHome   = "recap"
	loreHome    = "lore"
	endedHome   = "ended"
)

// numbered reports whether the record has several statements.
func (a address) numbered() bool {
	return a.kind == recapHome || a.kind == loreHome || a.kind == messageHome
}

func (a address) String() string {
	if a.numbered() {
		return a.kind + "/" + a.record + "/" + strconv.Itoa(a.nth)
	}
	return a.kind + "/" + a.record
}

// FindFact finds a fact that holds at the head of a chat by its id, or by a unique beginning or end
// of it.
func (svc *Service) FindFact(chat storage.ChatID, ref string) (f Fact, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		g, err := svc.gatherFactsAt(tx, chat)
		if err != nil {
			return err
		}
		x, err := g.find(ref)
		if err == nil {
			f = x.Fact
		}
		return err
	})
	return f, err
}

// gatherFactsAt returns the facts at a chat's head.
func (svc *Service) gatherFactsAt(tx *storage.Tx, chat storage.ChatID) (*factGatherer, error) {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return nil, err
	}
	p := PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head)
	return svc.gatherFacts(tx, c, p.Memories(), p.Hooks())
}

// find finds a fact that holds at the chat's current message, as FindFact does.
func (g *factGatherer) find(ref string) (*listedFact, error) {
	var named []core.Named
	for i := range g.list {
		named = append(named, core.Named{ID: g.list[i].ID, Name: failure.FirstRunes(g.list[i].Text, 40)})
	}
	id, err := ByEnds("fact", ref, named)
	if err != nil {
		return nil, err
	}
	return &g.list[slices.IndexFunc(g.list, func(x listedFact) bool { return x.ID == id })], nil
}

// End ends a fact, whichever branch the story is on. It is kept, but no prompt contains it any
// more.
func (svc *Service) End(chat storage.ChatID, id string) (s Step, err error) {
	const op = "end a fact"
	if s.Fact, err = svc.FindFact(chat, id); err != nil {
		return s, failure.Wrap(op, err)
	}
	a, _ := addressOf(s.Fact.ID)
	switch a.kind {
	case memoryHome, hookHome:
		return svc.endItem(op, chat, s.Fact, a)
	case loreHome:
		s.Undo, err = svc.lore.EndFact(chat, storage.EntryID(a.record), a.nth)
	default:
		s.Undo, err = svc.endLine(chat, s.Fact, a)
	}
	return s, err
}

// Reopen removes all ends of a fact, so that it holds again.
func (svc *Service) Reopen(chat storage.ChatID, id string) error {
	const op = "reopen a fact"
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return failure.Wrap(op, err)
	}
	switch a, _ := addressOf(strings.TrimSpace(id)); a.kind {
	case memoryHome:
		_, err = svc.Act(scope, []storage.MemoryID{storage.MemoryID(a.record)}, Reopen)
		return err
	case hookHome:
		_, err = svc.ActHook(scope, []storage.HookID{storage.HookID(a.record)}, HookReopen)
		return err
	case recapHome:
		return svc.reopenLine(chat, a)
	case loreHome:
		_, err = svc.lore.ReopenFact(chat, storage.EntryID(a.record), a.nth)
		return err
	}
	return failure.Wrap(op, &failure.Missing{Kind: "fact", Ref: id})
}

// endItem ends a memory, or closes a hook.
func (svc *Service) endItem(op string, chat storage.ChatID, f Fact, a address) (Step, error) {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return Step{}, err
	}
	var was PreviousItem
	_, err = changeItems(svc, scope, a.kind, []string{a.record}, func(x item) (bool, error) {
		was = x.previous()
		if x.hook != nil {
			return actHook(x.hook, HookClose)
		}
		return endNow(&x.memory.Ends, svc.core.Config.Now()), nil
	})
	return svc.step(f, op, scope, was), err
}

// recapLine returns a whole recap line and its recap; "" if there is none.
func recapLine(tx *storage.Tx, chat storage.ChatID, a address) (r storage.Recap, text string, err error) {
	if _, r, err = scenes.RecapTable(tx, chat, storage.RecapID(a.record)); err != nil {
		return r, "", err
	}
	if list := scene.Bullets(r.Text); a.nth < len(list) {
		text = list[a.nth].Text
	}
	return r, text, nil
}

// lineOf returns a line of a recap in full.
func (svc *Service) lineOf(chat storage.ChatID, a address) (text string, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if _, text, err = recapLine(tx, chat, a); err == nil && text == "" {
			err = &failure.Missing{Kind: "fact", Ref: a.String()}
		}
		return err
	})
	return text, err
}

// endLine ends a line of a recap; a thread is settled.
func (svc *Service) endLine(chat storage.ChatID, f Fact, a address) (back func() error, err error) {
	text, err := svc.lineOf(chat, a)
	if err != nil {
		return nil, failure.Wrap("end a fact", err)
	}
	kind := storage.Withdrawn
	if f.Kind == facts.Thread {
		kind = storage.Settled
	}
	now := svc.core.Config.Now()
	err = svc.lineEnds("end a line of a recap", chat, func(list []storage.StatementEnd) []storage.StatementEnd {
		return markLine(list, chat, text, kind, now)
	})
	return func() error {
		return svc.lineEnds("reopen a line", chat, func(list []storage.StatementEnd) []storage.StatementEnd {
			return slices.DeleteFunc(list, func(e storage.StatementEnd) bool {
				return e.Text == text && e.Node == "" && e.At.Equal(now)
			})
		})
	}, err
}

// reopenLine undoes all ends of a recap line.
func (svc *Service) reopenLine(chat storage.ChatID, a address) error {
	text, err := svc.lineOf(chat, a)
	if err != nil {
		return failure.Wrap("reopen a fact", err)
	}
	return svc.lineEnds("reopen a fact", chat, func(list []storage.StatementEnd) []storage.StatementEnd {
		return markLine(list, chat, text, "", time.Time{})
	})
}

// lineEnds changes the ends of lines of a chat's recaps.
func (svc *Service) lineEnds(op string, chat storage.ChatID,
	change func(list []storage.StatementEnd) []storage.StatementEnd) error {
	return svc.scenes.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		return scenes.PutStatementEnds(tx, chat, change(scenes.StatementEnds(tx, chat)))
	})
}
