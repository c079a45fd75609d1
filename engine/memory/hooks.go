package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// plainPriority is the default priority of a hook.
const plainPriority = 3

// Hooks lists the hooks of a story.
func (svc *Service) Hooks(ask Query) (out HookList, err error) {
	err = svc.read("read hooks", ask, func(a storyQuery, may func([]storage.CharacterID) bool) {
		out = HookList{Scope: a.scope, Name: a.name, Turn: a.turnsOf(a.chat), List: []HookView{}}
		var tell []storage.Hook
		for _, h := range storage.Hooks.All(a.tx, a.scope) {
			v, knowers := svc.hookView(a, h)
			if v.Holds && v.State == HookDue && may(knowers) {
				tell = append(tell, h)
			}
			if !ask.All && (!v.Holds || v.State != HookDue && v.State != HookWaiting) ||
				!a.matches(h.Content, h.Opener) || ask.As != "" && !a.isKnownTo(ask.As, h.Mentions) {
				continue
			}
			out.List = append(out.List, v)
		}
		chosen := rules.ChooseHooks(tell)
		for i := range out.List {
			out.List[i].InPrompt = slices.ContainsFunc(chosen,
				func(h storage.Hook) bool { return h.ID == out.List[i].ID })
		}
	})
	slices.SortStableFunc(out.List, func(a, b HookView) int {
		return cmp.Or(cmp.Compare(hookRank(a.State), hookRank(b.State)), cmp.Compare(b.Priority, a.Priority),
			a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// hookRank sorts due hooks first and finished ones last.
func hookRank(s HookState) int {
	return slices.Index([]HookState{HookDue, HookWaiting, HookTakenUp, HookClosed, HookDropped}, s)
}

// hookView returns the view of a hook, and the characters who know it, nil for everybody.
func (svc *Service) hookView(a storyQuery, h storage.Hook) (v HookView, knowers []storage.CharacterID) {
	o := a.status(h.Mentions, h.Ends)
	v = HookView{Hook: h, StatusView: a.statusView(h.Mentions, o, len(o.Here) > 0),
		Turns: h.Due.Turns, DueAt: h.Due.At, DueWhen: h.Due.When,
		Mentions: mentionViews(h.Mentions), TakenUp: mentionViews(h.TakenUp)}
	now, turn, came := svc.core.Config.Now(), a.turn(h), a.hasComeDue(h)
	taken := a.takenUp(h.TakenUp)
	switch {
	case h.Dropped:
		v.State, v.When = HookDropped, "dropped"
	case h.Closed:
		v.State, v.When = HookClosed, "closed"
	case o.End != nil:
		v.State, v.When = HookClosed, string(o.End.Kind)+" "+agoWords(now.Sub(o.End.At))
	case len(taken) > 0:
		v.State, v.When = HookTakenUp, "taken up "+agoWords(now.Sub(lastOf(taken)))
	default:
		v.State, v.When = HookWaiting, rules.DueWords(h, turn, now, came)
		if rules.HookDue(h, turn, now, came) {
			v.State = HookDue
		}
	}
	return v, o.Witnesses
}

// agoWords returns how long ago something was, in words.
func agoWords(d time.Duration) string {
	if since := rules.Since(d); since != "today" {
		return since + " ago"
	}
	return "today"
}

// FindHook finds a hook of a story by id, or a unique beginning or end of one.
func (svc *Service) FindHook(scope storage.ScopeID, id string) (storage.Hook, error) {
	x, err := svc.find(scope, hookHome, id)
	if err != nil {
		return storage.Hook{}, err
	}
	return *x.hook, nil
}

// SaveHook stores a hook's type, content, opener, priority and due time. Without an id it is new,
// valid everywhere, and its turns count from the head of chat. Without a type it is a scheduled
// hook if it has a due time, else a follow-up.
func (svc *Service) SaveHook(scope storage.ScopeID, chat storage.ChatID, h storage.Hook) (storage.Hook, error) {
	h.Content, h.Opener, h.Due.When = strings.TrimSpace(h.Content), strings.TrimSpace(h.Opener),
		prompts.OneLine(h.Due.When)
	h.Priority = cmp.Or(h.Priority, plainPriority)
	if h.Type == "" {
		h.Type = storage.FollowUpHook
		if !h.Due.At.IsZero() || h.Due.When != "" {
			h.Type = storage.ScheduledHook
		}
	}
	if err := HookFields.Valid(&h); err != nil {
		return h, failure.Wrap("save hook", err)
	}
	err := svc.changeStory("save hook", scope, func(tx *storage.Tx) error {
		now := svc.core.Config.Now()
		old := storage.Hook{ID: storage.HookID(storage.NewID()), CreatedAt: now}
		if h.ID != "" {
			var err error
			if old, err = storage.Hooks.Get(tx, scope, h.ID); err != nil {
				return err
			}
		} else {
			at := storage.Mention{At: now}
			if c, err := storage.Chats.Get(tx, chat); err == nil && chats.ScopeOf(c) == scope {
				old.Turn, at.Chat = chats.TurnAt(tx, chat, c.Head), chat // whose turns it counts
			}
			old.Mentions = []storage.Mention{at}
		}
		setStoryTime(tx, chat, &old, &h)
		old.Type, old.Content, old.Opener, old.Priority, old.Due, old.UpdatedAt = h.Type, h.Content, h.Opener,
			h.Priority, h.Due, now
		h = old
		return storage.Hooks.Put(tx, scope, h)
	})
	return h, err
}

// setStoryTime stores the current story time if a hook is due at a new story time that has not come
// yet.
func setStoryTime(tx *storage.Tx, chat storage.ChatID, old, h *storage.Hook) {
	switch {
	case h.Due.When == "":
		h.Due.From = storage.StoryTime{}
		return
	case h.Due.When == old.Due.When:
		h.Due.From = old.Due.From
		return
	case h.Due.From != storage.StoryTime{}:
		return
	}
	old.CameDue = nil
	if c, err := storage.Chats.Get(tx, chat); err == nil && len(old.Mentions) > 0 && old.Mentions[0].Chat == chat {
		h.Due.From = scenes.ClockAt(tx, chat, c.Head).Time
	}
}

// ActHook applies an action to hooks and returns how many changed. A hook that is reopened or made
// due is no longer taken up anywhere.
func (svc *Service) ActHook(scope storage.ScopeID, ids []storage.HookID, do HookAction) (n int, err error) {
	return changeItems(svc, scope, hookHome, ids, func(x item) (bool, error) { return actHook(x.hook, do) })
}

func actHook(h *storage.Hook, do HookAction) (changed bool, err error) {
	ended := slices.ContainsFunc(h.Ends, func(e storage.End) bool { return !e.Undone })
	done := h.Closed || h.Dropped || len(h.TakenUp) > 0 || ended
	if do == HookReopen || do == HookNow {
		markEnds(&h.Ends, true)
	}
	switch do {
	case HookClose:
		changed = !h.Closed
		h.Closed, h.Dropped = true, false
	case HookDrop:
		changed = !h.Dropped
		h.Closed, h.Dropped = false, true
	case HookReopen:
		changed = done
		h.Closed, h.Dropped, h.TakenUp = false, false, nil
	case HookNow:
		changed = done || h.Due != (storage.HookDue{})
		h.Closed, h.Dropped, h.TakenUp, h.CameDue, h.Due = false, false, nil, nil, storage.HookDue{}
	default:
		return false, failure.Refusef("unknown action %q for hooks", failure.FirstRunes(string(do), 40))
	}
	return changed, nil
}

// StoreHooks stores hooks that a pass found, as cleaned by [rules.Answer.Clean], and reports
// whether that changed anything. A known hook gets another mention and keeps its state.
func StoreHooks(tx *storage.Tx, scope storage.ScopeID, turn int, found []rules.FoundHook) (changed bool, err error) {
	if len(found) == 0 {
		return false, nil
	}
	known := itemsOf(tx, scope, hookHome)
	for _, f := range found {
		same := func(x item) bool { return x.hook.Type == f.Type && text.Equal(x.hook.Content, f.Content) }
		at := slices.IndexFunc(known, same)
		if at < 0 {
			h := storage.Hook{ID: storage.HookID(storage.NewID()), Type: f.Type, Content: f.Content, Opener: f.Opener,
				Turn: turn, Priority: f.Priority, Due: storage.HookDue{Turns: f.Turns, When: f.When},
				CreatedAt: f.Mention.At, UpdatedAt: f.Mention.At}
			if h.Due.When != "" {
				h.Due.From = scenes.ClockAt(tx, f.Mention.Chat, f.Mention.Node).Time
			}
			at, known = len(known), append(known, item{hook: &h})
		}
		kept, err := known[at].addMention(tx, scope, f.Mention)
		if err != nil {
			return changed, err
		}
		changed = changed || kept
	}
	return changed, nil
}

// MarkHooksTaken records that a reply has taken up hooks. Missing ones are skipped.
func MarkHooksTaken(tx *storage.Tx, scope storage.ScopeID, mention storage.Mention, ids []storage.HookID) error {
	return addHookMention(tx, scope, mention, ids, func(h *storage.Hook) *[]storage.Mention { return &h.TakenUp })
}

// MarkHooksDue records that the story time of hooks has come at a mention. Missing ones are
// skipped.
func MarkHooksDue(tx *storage.Tx, scope storage.ScopeID, mention storage.Mention, ids []storage.HookID) error {
	return addHookMention(tx, scope, mention, ids, func(h *storage.Hook) *[]storage.Mention { return &h.CameDue })
}

// addHookMention adds a place to one of the lists of hooks, once.
func addHookMention(tx *storage.Tx, scope storage.ScopeID, mention storage.Mention, ids []storage.HookID,
	list func(*storage.Hook) *[]storage.Mention) error {
	for _, id := range ids {
		if !storage.Hooks.Has(tx, scope, id) {
			continue
		}
		h, err := storage.Hooks.Get(tx, scope, id)
		if err != nil {
			return err
		}
		places := list(&h)
		if slices.ContainsFunc(*places, func(x storage.Mention) bool {
			return x.Chat == mention.Chat && x.Node == mention.Node
		}) {
			continue
		}
		*places = append(*places, mention)
		if err := storage.Hooks.Put(tx, scope, h); err != nil {
			return err
		}
	}
	return nil
}
