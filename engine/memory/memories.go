package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// plainImportance is how much a memory matters that the user writes, where nothing is said of that.
const plainImportance = 0.5

// mostTold is how many tellings of one thing are kept without a look at which of
// them could be done without.
const mostTold = 64

// asked is what a front end asked about: a story, its name, and the paths that it
// is seen on.
type asked struct {
	*Paths
	story  storage.Chat // that was asked about; zero for a whole series
	name   string
	titles map[storage.ChatID]string
	words  []string
}

func askedOf(tx *storage.Tx, ask Query) (a asked, err error) {
	a.titles, a.words = map[storage.ChatID]string{}, strings.Fields(strings.ToLower(ask.Search))
	series := ask.Series
	if series == "" {
		if a.story, err = storage.Chats.Get(tx, ask.Chat); err != nil {
			return a, err
		}
		series, a.name = a.story.Play.Series, a.story.Title
	}
	scope := chats.ScopeOf(a.story)
	if series != "" {
		s, err := storage.AllSeries.Get(tx, series)
		if err != nil && (ask.Series != "" || !errors.Is(err, storage.ErrNotFound)) {
			return a, err
		}
		if err == nil {
			a.name = s.Title
		}
		scope = storage.ScopeID(series)
	}
	a.Paths = PathsOf(tx, scope, a.story.ID, a.story.Head)
	return a, nil
}

// found reports whether all the words that were asked for are in one of the texts.
func (a asked) found(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(a.words, func(w string) bool { return !strings.Contains(all, w) })
}

// source is where something was told last: on the paths, or anywhere where the
// paths do not know it.
func (a asked) source(told []storage.StoryPlace) (chat storage.ChatID, title string, node storage.NodeID) {
	at, ok := storage.StoryPlace{}, false
	list := a.on(told)
	if len(list) == 0 {
		list = told
	}
	for _, t := range list {
		if t.Node != "" && (!ok || !t.At.Before(at.At)) {
			at, ok = t, true
		}
	}
	if node = at.Node; len(at.Sources) > 0 {
		node = slices.Max(at.Sources)
	}
	return at.Chat, a.title(at.Chat), node
}

// knew reports whether somebody who plays has witnessed something on the paths.
func (a asked) knew(who storage.CharacterID, told []storage.StoryPlace) bool {
	on := a.on(told)
	return len(on) > 0 && chats.Moment{Chat: a.story, Speaker: who}.May(a.witnesses(on))
}

func (a asked) title(chat storage.ChatID) string {
	t, ok := a.titles[chat]
	if !ok && chat != "" {
		c, _ := storage.Chats.Get(a.tx, chat) // "" for one that has gone
		t = c.Title
		a.titles[chat] = t
	}
	return t
}

// seen is how something stands that was told so.
func (a asked) seen(told []storage.StoryPlace, o onPaths, holds bool) Seen {
	s := Seen{Scope: a.scope, Holds: holds, Ended: NewEndView(o.Over), Doubt: NewEndView(o.Doubt)}
	s.Chat, s.ChatTitle, s.Source = a.source(told)
	return s
}

// Memories lists what is remembered.
func (svc *Service) Memories(ask Query) (out MemoryList, err error) {
	err = svc.read("read memories", ask, func(a asked, may func([]storage.CharacterID) bool) {
		out = MemoryList{Scope: a.scope, Name: a.name, List: []MemoryView{}}
		var tell []rules.Candidate
		for _, x := range storage.Memories.All(a.tx, a.scope) {
			h := a.memory(x)
			holds := h.holds()
			if holds && !x.Removed && !x.Muted && may(h.Witnesses) {
				tell = append(tell, CandidateOf(h, nil))
			}
			if !ask.All && (x.Removed || !holds) || !a.found(x.Content, x.Original) || ask.As != "" && !a.knew(ask.As, x.Told) {
				continue
			}
			out.List = append(out.List, MemoryView{Memory: x, Seen: a.seen(x.Told, h.onPaths, holds),
				Importance: h.Importance, Last: h.Last, Told: toldViews(x.Told)})
		}
		told := rules.Choose(tell)
		for i := range out.List {
			out.List[i].InPrompt = slices.ContainsFunc(told, func(c rules.Candidate) bool { return c.ID == out.List[i].ID })
		}
	})
	slices.SortStableFunc(out.List, func(a, b MemoryView) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// ByEnds finds what ref means among ids: one of them, or a beginning or an end
// that only one has.
func ByEnds(kind, ref string, list []core.Named) (string, error) {
	want := strings.ToUpper(strings.TrimSpace(ref))
	var hits []core.Named
	for _, n := range list {
		id := strings.ToUpper(n.ID)
		switch {
		case id == want:
			return n.ID, nil
		case want != "" && (strings.HasPrefix(id, want) || strings.HasSuffix(id, want)):
			hits = append(hits, n)
		}
	}
	switch len(hits) {
	case 0:
		return "", &failure.Missing{Kind: kind, Ref: ref}
	case 1:
		return hits[0].ID, nil
	}
	var names []string
	for _, h := range hits[:min(5, len(hits))] {
		names = append(names, fmt.Sprintf("%s (%s)", h.ID, h.Name))
	}
	return "", &failure.Ambiguous{Kind: kind, Ref: ref, Hits: names}
}

// FindMemory finds a memory of a story by id, or a unique beginning or end of one.
func (svc *Service) FindMemory(scope storage.ScopeID, id string) (storage.Memory, error) {
	x, err := svc.find(scope, memoryHome, id)
	if err != nil {
		return storage.Memory{}, err
	}
	return *x.memory, nil
}

// changeStory changes what is remembered of a story in one transaction and tells
// of it.
func (svc *Service) changeStory(op string, scope storage.ScopeID, f func(tx *storage.Tx) error) error {
	err := svc.InStory(op, scope, f)
	if err == nil {
		svc.core.Emit(Changed{scope})
	}
	return err
}

// InStory changes what is kept of a story in one transaction.
func (svc *Service) InStory(op string, scope storage.ScopeID, f func(tx *storage.Tx) error) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if err := IsStory(tx, scope); err != nil {
			return err
		}
		return f(tx)
	})
	if err != nil {
		return failure.Fail(op, err)
	}
	return nil
}

// IsStory refuses what is neither a series nor a chat.
func IsStory(tx *storage.Tx, scope storage.ScopeID) error {
	if _, err := storage.AllSeries.Get(tx, storage.SeriesID(scope)); err == nil {
		return nil
	}
	if _, err := storage.Chats.Get(tx, storage.ChatID(scope)); err != nil {
		return &failure.Missing{Kind: "story", Ref: string(scope)}
	}
	return nil
}

// Save keeps a memory's type, content and weight, as a new one that holds
// everywhere where it has no id. A new one that says what is remembered already
// becomes one with that.
func (svc *Service) Save(scope storage.ScopeID, m storage.Memory) (storage.Memory, error) {
	m.Content = strings.TrimSpace(m.Content)
	if err := MemoryFields.Valid(&m); err != nil {
		return m, failure.Fail("save memory", err)
	}
	err := svc.changeStory("save memory", scope, func(tx *storage.Tx) error {
		now := svc.core.Config.Now()
		old := storage.Memory{ID: m.ID, CreatedAt: now}
		if m.ID != "" {
			var err error
			if old, err = storage.Memories.Get(tx, scope, m.ID); err != nil {
				return err
			}
		} else {
			if same, ok := sameMemory(tx, scope, m.Type, m.Content); ok {
				old, old.Removed = same, false
				markEnds(&old.Ends, true)
			} else {
				old.ID = storage.MemoryID(storage.NewID())
			}
			importance := plainImportance
			if m.Weight != nil {
				importance = *m.Weight
			}
			old.Told, _ = tellAgain(old.Told, storage.StoryPlace{Importance: importance, At: now})
		}
		switch {
		case old.Content == "" || old.Content == m.Content:
		case old.Original == "":
			old.Original = old.Content
		case old.Original == m.Content:
			old.Original = ""
		}
		old.Type, old.Content, old.Weight, old.UpdatedAt = m.Type, m.Content, m.Weight, now
		m = old
		return storage.Memories.Put(tx, scope, m)
	})
	return m, err
}

// Words lists what something may be.
func Words[T ~string](list []T) string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = string(w)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// Act does something to memories, and tells how many changed.
func (svc *Service) Act(scope storage.ScopeID, ids []storage.MemoryID, do Action) (n int, err error) {
	return changeItems(svc, scope, memoryHome, ids, func(x item) (bool, error) {
		m := x.memory
		mark, on := &m.Pinned, true
		switch do {
		case EndNow:
			return endNow(&m.Ends, svc.core.Config.Now()), nil
		case Reopen, EndAgain:
			return markEnds(&m.Ends, do == Reopen), nil
		case Pin:
		case Unpin:
			on = false
		case Mute:
			mark = &m.Muted
		case Unmute:
			mark, on = &m.Muted, false
		case Remove:
			mark = &m.Removed
		case Restore:
			mark, on = &m.Removed, false
		default:
			return false, failure.Refuse("memories have no action %q", failure.FirstRunes(string(do), 40))
		}
		changed := *mark != on
		*mark = on
		return changed, nil
	})
}

// Merge puts one memory into another: its tellings, and the words of the
// one that stays.
func (svc *Service) Merge(scope storage.ScopeID, into, from storage.MemoryID) error {
	if into == from {
		return failure.Fail("merge memories", failure.Refuse("a memory cannot be merged with itself"))
	}
	return svc.changeStory("merge memories", scope, func(tx *storage.Tx) error {
		a, err := storage.Memories.Get(tx, scope, into)
		if err != nil {
			return err
		}
		b, err := storage.Memories.Get(tx, scope, from)
		if err != nil {
			return err
		}
		if a.Removed {
			return failure.Refuse("the memory that should stay was removed: restore it first")
		}
		a.Told, a.Pinned, a.UpdatedAt = mergeTold(a.Told, b.Told), a.Pinned || b.Pinned, svc.core.Config.Now()
		if err := storage.Memories.Put(tx, scope, a); err != nil {
			return err
		}
		return storage.Memories.Delete(tx, scope, from)
	})
}

// sameMemory finds a memory of a story that says the same, as it is or as it was
// made.
func sameMemory(tx *storage.Tx, scope storage.ScopeID, kind storage.MemoryType, content string) (storage.Memory, bool) {
	for _, m := range storage.Memories.All(tx, scope) {
		if saysMemory(m, kind, content) {
			return m, true
		}
	}
	return storage.Memory{}, false
}

// KeepMemories keeps what was found worth remembering, as [rules.Answer.Clean] leaves it, where it
// says that it was told, and reports whether that changed anything. What is remembered already gets
// the place as another telling; what the user has removed stays removed.
func KeepMemories(tx *storage.Tx, scope storage.ScopeID, found []rules.FoundMemory) (changed bool, err error) {
	if len(found) == 0 {
		return false, nil
	}
	known := itemsOf(tx, scope, memoryHome)
	for _, f := range found {
		told := f.Told
		told.Importance = f.Importance
		at := slices.IndexFunc(known, func(x item) bool { return saysMemory(*x.memory, f.Type, f.Content) })
		if at < 0 {
			m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: f.Type, Content: f.Content,
				CreatedAt: told.At, UpdatedAt: told.At}
			at, known = len(known), append(known, item{memory: &m})
		}
		kept, err := known[at].keepTold(tx, scope, told)
		if err != nil {
			return changed, err
		}
		changed = changed || kept
	}
	return changed, nil
}

// saysMemory reports whether a memory has a text, as it is or as it was made.
func saysMemory(m storage.Memory, kind storage.MemoryType, content string) bool {
	return m.Type == kind && (text.Equal(m.Content, content) || m.Original != "" && text.Equal(m.Original, content))
}

// tellAgain adds a telling, in place of one at the same place, and reports whether
// that says anything new.
func tellAgain(list []storage.StoryPlace, told storage.StoryPlace) ([]storage.StoryPlace, bool) {
	at := slices.IndexFunc(list, func(x storage.StoryPlace) bool {
		return x.Node == told.Node && (x.Chat == told.Chat || told.Node == "")
	})
	if at < 0 {
		return append(slices.Clone(list), told), true
	}
	old := list[at]
	same := old.Importance == told.Importance && slices.Equal(old.Sources, told.Sources) && slices.Equal(old.Witnesses, told.Witnesses) &&
		(old.Witnesses == nil) == (told.Witnesses == nil)
	if same {
		return list, false
	}
	list = slices.Clone(list)
	list[at] = told
	return list, true
}

// spareTold leaves out tellings where there are very many: of those on the path
// of the newest one the oldest but for the first, if they told nobody whom the
// first has not told. Wherever they were known, the first still is.
func spareTold(tx *storage.Tx, chat storage.ChatID, list []storage.StoryPlace) []storage.StoryPlace {
	if len(list) <= mostTold {
		return list
	}
	t := chats.NewTrail(chat, list[len(list)-1].Node)
	var path []storage.StoryPlace
	for _, at := range list {
		if at.Chat != chat || at.Node == "" || !t.Has(tx, at.Node) {
			continue
		}
		if p, err := tx.Place(chat, at.Node); err == nil && !p.Deleted {
			path = append(path, at)
		}
	}
	if len(path) <= mostTold/2 {
		return list
	}
	slices.SortStableFunc(path, func(a, b storage.StoryPlace) int { return cmp.Compare(a.Depth, b.Depth) })
	spare := map[storage.NodeID]bool{}
	for _, at := range path[1 : len(path)-mostTold/2+1] {
		spare[at.Node] = path[0].Witnesses == nil || at.Witnesses != nil && len(storage.WitnessesOfBoth(at.Witnesses, path[0].Witnesses)) == len(at.Witnesses)
	}
	return slices.DeleteFunc(slices.Clone(list), func(at storage.StoryPlace) bool { return at.Chat == chat && spare[at.Node] })
}

// Speakers know who is to speak.
type Speakers interface {
	// NextSpeaker is who speaks next in a chat at leaf, and why; "" where only one
	// character plays.
	NextSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (storage.CharacterID, string)
}
