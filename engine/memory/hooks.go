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

// plainPriority is how urgent a hook is where nothing is said of that.
const plainPriority = 3

// Hooks lists what is to be brought up.
func (svc *Service) Hooks(ask Query) (out HookList, err error) {
	err = svc.read("read hooks", ask, func(a asked, may func([]storage.CharacterID) bool) {
		out = HookList{Scope: a.scope, Name: a.name, Turn: a.turnsOf(a.chat), List: []HookView{}}
		var tell []storage.Hook
		for _, h := range storage.Hooks.All(a.tx, a.scope) {
			v, knowers := svc.hookView(a, h)
			if v.Holds && v.State == HookDue && may(knowers) {
				tell = append(tell, h)
			}
			if !ask.All && (!v.Holds || v.State != HookDue && v.State != HookWaiting) || !a.found(h.Content, h.Opener) || ask.As != "" && !a.knew(ask.As, h.Told) {
				continue
			}
			out.List = append(out.List, v)
		}
		told := rules.ChooseHooks(tell)
		for i := range out.List {
			out.List[i].InPrompt = slices.ContainsFunc(told, func(h storage.Hook) bool { return h.ID == out.List[i].ID })
		}
	})
	slices.SortStableFunc(out.List, func(a, b HookView) int {
		return cmp.Or(cmp.Compare(hookRank(a.State), hookRank(b.State)), cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, err
}

// hookRank orders hooks: those that are due first, those that are done last.
func hookRank(s HookState) int {
	return slices.Index([]HookState{HookDue, HookWaiting, HookTaken, HookClosed, HookDropped}, s)
}

// hookView is a hook as a front end shows it, and those who know it, nil for everybody.
func (svc *Service) hookView(a asked, h storage.Hook) (v HookView, knowers []storage.CharacterID) {
	o := a.stands(h.Told, h.Ends)
	v = HookView{Hook: h, Seen: a.seen(h.Told, o, len(o.Here) > 0),
		Turns: h.Due.Turns, DueAt: h.Due.At, DueWhen: h.Due.When,
		Told: toldViews(h.Told), Taken: toldViews(h.Taken)}
	now, turn, came := svc.core.Config.Now(), a.turn(h), a.came(h)
	taken := a.taken(h.Taken)
	switch {
	case h.Dropped:
		v.State, v.When = HookDropped, "dropped"
	case h.Closed:
		v.State, v.When = HookClosed, "closed"
	case o.Over != nil:
		v.State, v.When = HookClosed, string(o.Over.Kind)+" "+agoWords(now.Sub(o.Over.At))
	case len(taken) > 0:
		v.State, v.When = HookTaken, "taken up "+agoWords(now.Sub(lastOf(taken)))
	default:
		v.State, v.When = HookWaiting, rules.DueWords(h, turn, now, came)
		if rules.HookDue(h, turn, now, came) {
			v.State = HookDue
		}
	}
	return v, o.Witnesses
}

// agoWords tells how long ago something was.
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

// SaveHook keeps a hook's type, content, opener, priority and due time, as a new
// one that holds everywhere where it has no id. A new one counts its turns from
// where chat stands. Without a type it is scheduled where it is due at a time, else a follow-up.
func (svc *Service) SaveHook(scope storage.ScopeID, chat storage.ChatID, h storage.Hook) (storage.Hook, error) {
	h.Content, h.Opener, h.Due.When = strings.TrimSpace(h.Content), strings.TrimSpace(h.Opener), prompts.OneLine(h.Due.When)
	h.Priority = cmp.Or(h.Priority, plainPriority)
	if h.Type == "" {
		h.Type = storage.FollowUpHook
		if !h.Due.At.IsZero() || h.Due.When != "" {
			h.Type = storage.ScheduledHook
		}
	}
	if err := HookFields.Valid(&h); err != nil {
		return h, failure.Fail("save hook", err)
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
			at := storage.StoryPlace{At: now}
			if c, err := storage.Chats.Get(tx, chat); err == nil && chats.ScopeOf(c) == scope {
				old.Turn, at.Chat = chats.TurnAt(tx, chat, c.Head), chat // whose turns it counts
			}
			old.Told = []storage.StoryPlace{at}
		}
		sayWhen(tx, chat, &old, &h)
		old.Type, old.Content, old.Opener, old.Priority, old.Due, old.UpdatedAt = h.Type, h.Content, h.Opener, h.Priority, h.Due, now
		h = old
		return storage.Hooks.Put(tx, scope, h)
	})
	return h, err
}

// sayWhen notes where the story stands where a hook is due at another time of it than
// before, which has not come yet.
func sayWhen(tx *storage.Tx, chat storage.ChatID, old, h *storage.Hook) {
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
	old.Came = nil
	if c, err := storage.Chats.Get(tx, chat); err == nil && len(old.Told) > 0 && old.Told[0].Chat == chat {
		h.Due.From = scenes.ClockAt(tx, chat, c.Head).Time
	}
}

// ActHook does something to hooks, and tells how many changed. One that is opened
// again or made due is not taken up any more, wherever it was.
func (svc *Service) ActHook(scope storage.ScopeID, ids []storage.HookID, do HookAction) (n int, err error) {
	return changeItems(svc, scope, hookHome, ids, func(x item) (bool, error) { return actHook(x.hook, do) })
}

func actHook(h *storage.Hook, do HookAction) (changed bool, err error) {
	ended := slices.ContainsFunc(h.Ends, func(e storage.End) bool { return !e.Undone })
	done := h.Closed || h.Dropped || len(h.Taken) > 0 || ended
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
		h.Closed, h.Dropped, h.Taken = false, false, nil
	case HookNow:
		changed = done || h.Due != (storage.HookDue{})
		h.Closed, h.Dropped, h.Taken, h.Came, h.Due = false, false, nil, nil, storage.HookDue{}
	default:
		return false, failure.Refuse("hooks have no action %q", failure.FirstRunes(string(do), 40))
	}
	return changed, nil
}

// KeepHooks keeps what was found to be brought up later, as [rules.Answer.Clean] leaves it, where it
// says that it was told, and reports whether that changed anything. What is known already gets the
// place as another telling and stays as it is: waiting, taken up, closed or dropped.
func KeepHooks(tx *storage.Tx, scope storage.ScopeID, turn int, found []rules.FoundHook) (changed bool, err error) {
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
				CreatedAt: f.Told.At, UpdatedAt: f.Told.At}
			if h.Due.When != "" {
				h.Due.From = scenes.ClockAt(tx, f.Told.Chat, f.Told.Node).Time
			}
			at, known = len(known), append(known, item{hook: &h})
		}
		kept, err := known[at].keepTold(tx, scope, f.Told)
		if err != nil {
			return changed, err
		}
		changed = changed || kept
	}
	return changed, nil
}

// TakeHooks notes that a reply has taken hooks up. Those that are not there any
// more are passed over.
func TakeHooks(tx *storage.Tx, scope storage.ScopeID, told storage.StoryPlace, ids []storage.HookID) error {
	return noteHooks(tx, scope, told, ids, func(h *storage.Hook) *[]storage.StoryPlace { return &h.Taken })
}

// HooksDue notes that the time of the story of hooks has come where something is told.
// Those that are not there any more are passed over.
func HooksDue(tx *storage.Tx, scope storage.ScopeID, told storage.StoryPlace, ids []storage.HookID) error {
	return noteHooks(tx, scope, told, ids, func(h *storage.Hook) *[]storage.StoryPlace { return &h.Came })
}

// noteHooks adds a place to one of the lists of hooks, once.
func noteHooks(tx *storage.Tx, scope storage.ScopeID, told storage.StoryPlace, ids []storage.HookID,
	list func(*storage.Hook) *[]storage.StoryPlace) error {
	for _, id := range ids {
		if !storage.Hooks.Has(tx, scope, id) {
			continue
		}
		h, err := storage.Hooks.Get(tx, scope, id)
		if err != nil {
			return err
		}
		places := list(&h)
		if slices.ContainsFunc(*places, func(x storage.StoryPlace) bool {
			return x.Chat == told.Chat && x.Node == told.Node
		}) {
			continue
		}
		*places = append(*places, told)
		if err := storage.Hooks.Put(tx, scope, h); err != nil {
			return err
		}
	}
	return nil
}
