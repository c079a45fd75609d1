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

// plainImportance is the default importance of a memory that the user writes.
const plainImportance = 0.5

// maxMentions is the number of mentions up to which all are kept, without checking which are
// redundant.
const maxMentions = 64

// storyQuery is the story that a front end asked about, with its name and the paths from which it
// is seen.
type storyQuery struct {
	*Paths
	story  storage.Chat // that was asked about; zero for a whole series
	name   string
	titles map[storage.ChatID]string
	words  []string
}

func newStoryQuery(tx *storage.Tx, ask Query) (a storyQuery, err error) {
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

// matches reports whether all the words that were asked for are in one of the texts.
func (a storyQuery) matches(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(a.words, func(w string) bool { return !strings.Contains(all, w) })
}

// source returns the last place at which something was mentioned: on the paths, or anywhere if the
// paths do not contain it.
func (a storyQuery) source(mentions []storage.Mention) (chat storage.ChatID, title string, node storage.NodeID) {
	at, ok := storage.Mention{}, false
	list := a.on(mentions)
	if len(list) == 0 {
		list = mentions
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

// isKnownTo reports whether a character has witnessed one of the mentions on the paths.
func (a storyQuery) isKnownTo(who storage.CharacterID, mentions []storage.Mention) bool {
	on := a.on(mentions)
	return len(on) > 0 && chats.Viewpoint{Chat: a.story, Speaker: who}.MayKnow(a.witnesses(on))
}

func (a storyQuery) title(chat storage.ChatID) string {
	t, ok := a.titles[chat]
	if !ok && chat != "" {
		c, _ := storage.Chats.Get(a.tx, chat) // "" for a deleted one
		t = c.Title
		a.titles[chat] = t
	}
	return t
}

// statusView returns the status view of something with these mentions.
func (a storyQuery) statusView(mentions []storage.Mention, o pathStatus, holds bool) StatusView {
	s := StatusView{Scope: a.scope, Holds: holds, Ended: NewEndView(o.End), Doubt: NewEndView(o.Doubt)}
	s.Chat, s.ChatTitle, s.Source = a.source(mentions)
	return s
}

// Memories lists the memories of a story.
func (svc *Service) Memories(ask Query) (out MemoryList, err error) {
	err = svc.read("read memories", ask, func(a storyQuery, may func([]storage.CharacterID) bool) {
		out = MemoryList{Scope: a.scope, Name: a.name, List: []MemoryView{}}
		var candidates []rules.Candidate
		for _, x := range storage.Memories.All(a.tx, a.scope) {
			h := a.memory(x)
			holds := h.holds()
			if holds && !x.Removed && !x.Muted && may(h.Witnesses) {
				candidates = append(candidates, CandidateOf(h, nil))
			}
			if !ask.All && (x.Removed || !holds) || !a.matches(x.Content, x.Original) ||
				ask.As != "" && !a.isKnownTo(ask.As, x.Mentions) {
				continue
			}
			out.List = append(out.List, MemoryView{Memory: x, StatusView: a.statusView(x.Mentions, h.pathStatus, holds),
				Importance: h.Importance, Last: h.Last, Mentions: mentionViews(x.Mentions)})
		}
		chosen := rules.Choose(candidates)
		for i := range out.List {
			out.List[i].InPrompt = slices.ContainsFunc(chosen,
				func(c rules.Candidate) bool { return c.ID == out.List[i].ID })
		}
	})
	slices.SortStableFunc(out.List, func(a, b MemoryView) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// ByEnds finds the id that ref names: the whole id, or a beginning or an end that only one id has.
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

// changeStory changes a story's memories in one transaction and emits Changed.
func (svc *Service) changeStory(op string, scope storage.ScopeID, f func(tx *storage.Tx) error) error {
	err := svc.InStory(op, scope, f)
	if err == nil {
		svc.core.Emit(Changed{scope})
	}
	return err
}

// InStory changes the records of a story in one transaction.
func (svc *Service) InStory(op string, scope storage.ScopeID, f func(tx *storage.Tx) error) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if err := IsStory(tx, scope); err != nil {
			return err
		}
		return f(tx)
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	return nil
}

// IsStory returns an error if the id belongs to neither a series nor a chat.
func IsStory(tx *storage.Tx, scope storage.ScopeID) error {
	if _, err := storage.AllSeries.Get(tx, storage.SeriesID(scope)); err == nil {
		return nil
	}
	if _, err := storage.Chats.Get(tx, storage.ChatID(scope)); err != nil {
		return &failure.Missing{Kind: "story", Ref: string(scope)}
	}
	return nil
}

// Save stores a memory's type, content and weight. Without an id it is new and valid everywhere; a
// new one with a known text is merged with that memory.
func (svc *Service) Save(scope storage.ScopeID, m storage.Memory) (storage.Memory, error) {
	m.Content = strings.TrimSpace(m.Content)
	if err := MemoryFields.Valid(&m); err != nil {
		return m, failure.Wrap("save memory", err)
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
			old.Mentions, _ = withMention(old.Mentions, storage.Mention{Importance: importance, At: now})
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

// JoinOr lists the allowed values of something.
func JoinOr[T ~string](list []T) string {
	all := make([]string, len(list))
	for i, w := range list {
		all[i] = string(w)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// Act applies an action to memories and returns how many changed.
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
			return false, failure.Refusef("unknown action %q for memories", failure.FirstRunes(string(do), 40))
		}
		changed := *mark != on
		*mark = on
		return changed, nil
	})
}

// Merge merges a memory into another one, which keeps its words and gets the other's mentions.
func (svc *Service) Merge(scope storage.ScopeID, into, from storage.MemoryID) error {
	if into == from {
		return failure.Wrap("merge memories", failure.Refusef("a memory cannot be merged with itself"))
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
			return failure.Refusef("the memory to keep was removed: restore it first")
		}
		a.Mentions, a.Pinned, a.UpdatedAt = mergeMentions(a.Mentions, b.Mentions), a.Pinned || b.Pinned,
			svc.core.Config.Now()
		if err := storage.Memories.Put(tx, scope, a); err != nil {
			return err
		}
		return storage.Memories.Delete(tx, scope, from)
	})
}

// sameMemory finds a memory of a story with the same text, current or original.
func sameMemory(tx *storage.Tx, scope storage.ScopeID, kind storage.MemoryType, content string) (storage.Memory, bool) {
	for _, m := range storage.Memories.All(tx, scope) {
		if saysMemory(m, kind, content) {
			return m, true
		}
	}
	return storage.Memory{}, false
}

// StoreMemories stores memories that a pass found, as cleaned by [rules.Answer.Clean], and reports
// whether that changed anything. A known memory gets another mention; one that the user has removed
// stays removed.
func StoreMemories(tx *storage.Tx, scope storage.ScopeID, found []rules.FoundMemory) (changed bool, err error) {
	if len(found) == 0 {
		return false, nil
	}
	known := itemsOf(tx, scope, memoryHome)
	for _, f := range found {
		mention := f.Mention
		mention.Importance = f.Importance
		at := slices.IndexFunc(known, func(x item) bool { return saysMemory(*x.memory, f.Type, f.Content) })
		if at < 0 {
			m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: f.Type, Content: f.Content,
				CreatedAt: mention.At, UpdatedAt: mention.At}
			at, known = len(known), append(known, item{memory: &m})
		}
		kept, err := known[at].addMention(tx, scope, mention)
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

// withMention adds a mention, replacing one at the same place, and reports whether that changed
// anything.
func withMention(list []storage.Mention, mention storage.Mention) ([]storage.Mention, bool) {
	at := slices.IndexFunc(list, func(x storage.Mention) bool {
		return x.Node == mention.Node && (x.Chat == mention.Chat || mention.Node == "")
	})
	if at < 0 {
		return append(slices.Clone(list), mention), true
	}
	old := list[at]
	same := old.Importance == mention.Importance && slices.Equal(old.Sources, mention.Sources) &&
		slices.Equal(old.Witnesses, mention.Witnesses) &&
		(old.Witnesses == nil) == (mention.Witnesses == nil)
	if same {
		return list, false
	}
	list = slices.Clone(list)
	list[at] = mention
	return list, true
}

// dropSpareMentions shortens very long lists. Of the mentions on the path of the newest one, it
// drops the oldest, except the first, if everybody who knows the fact by them also knows it by the
// first. The first mention still covers every place at which it was known.
func dropSpareMentions(tx *storage.Tx, chat storage.ChatID, list []storage.Mention) []storage.Mention {
	if len(list) <= maxMentions {
		return list
	}
	t := chats.NewTrail(chat, list[len(list)-1].Node)
	var path []storage.Mention
	for _, at := range list {
		if at.Chat != chat || at.Node == "" || !t.Has(tx, at.Node) {
			continue
		}
		if p, err := tx.NodeInfo(chat, at.Node); err == nil && !p.Deleted {
			path = append(path, at)
		}
	}
	if len(path) <= maxMentions/2 {
		return list
	}
	slices.SortStableFunc(path, func(a, b storage.Mention) int { return cmp.Compare(a.Depth, b.Depth) })
	spare := map[storage.NodeID]bool{}
	for _, at := range path[1 : len(path)-maxMentions/2+1] {
		spare[at.Node] = path[0].Witnesses == nil || at.Witnesses != nil &&
			len(storage.WitnessesOfBoth(at.Witnesses, path[0].Witnesses)) == len(at.Witnesses)
	}
	return slices.DeleteFunc(slices.Clone(list), func(at storage.Mention) bool {
		return at.Chat == chat && spare[at.Node]
	})
}

// Speakers decides who speaks next.
type Speakers interface {
	// NextSpeaker returns who speaks next in a chat at leaf, and why; "" if only one character
	// plays.
	NextSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (storage.CharacterID, string)
}
