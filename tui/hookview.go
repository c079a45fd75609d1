package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// hookStates are the states of hooks in the order of the list, and hookHeads
// their headings.
var (
	hookStates = []memory.HookState{memory.HookDue, memory.HookWaiting, memory.HookTaken, memory.HookClosed, memory.HookDropped}
	hookHeads  = []string{"Due: may come up now", "Waiting", "Taken up", "Closed", "Dropped", "Other"}
)

// hookList is the view of what is to be brought up.
type hookList struct {
	desk.GroupList
	p     *memoryPane
	name  string
	hooks []memory.HookView
	due   int
	open  int // those that are due or wait
}

func newHookList(p *memoryPane) memoryView {
	return &hookList{p: p, GroupList: desk.NewGroupList(p.a, hookHeads)}
}

func (v *hookList) list() *desk.GroupList { return &v.GroupList }

func (v *hookList) tab() string {
	switch {
	case v.Loaded && v.due > 0:
		return strconv.Itoa(v.due) + " due"
	case v.Loaded && v.open > 0:
		return strconv.Itoa(v.open)
	}
	return ""
}

func (v *hookList) foot() string {
	if len(v.Marked) > 0 {
		return "x close · r reopen · d drop · ! due now · V range · * all or none"
	}
	if len(v.Lines) == 0 {
		return "n new · / filter · u undo · v dropped too"
	}
	return "enter details · e edit · n new · o nudge with it · ! due now · x close · r reopen · d drop · u undo · / filter · space mark · S source · v dropped too"
}

func (v *hookList) scope(a *app) string {
	words := v.p.whoseStory(v.name, a) + look.Separator + counted(v.open, "open hook", "open hooks")
	if v.due > 0 {
		words += look.Separator + strconv.Itoa(v.due) + " due"
	}
	return words
}

func (v *hookList) empty() string {
	return "Nothing waits to be brought up. What is promised, planned or left unsaid is noted after each reply, to come up later. " +
		v.p.a.keys.Key(keys.PaneRename, keys.Pane) + " writes a hook yourself."
}

func (v *hookList) read() tea.Cmd {
	return v.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		got, err := v.p.a.eng.Memory.Hooks(memory.Ask{Chat: chat, All: true})
		if err != nil {
			return nil, err
		}
		rows := hookRows(got.List)
		return func() []desk.GroupRow { return v.take(got, rows) }, nil
	})
}

// take takes over what was read.
func (v *hookList) take(got memory.HookList, rows []desk.GroupRow) []desk.GroupRow {
	v.p.whose, v.name, v.hooks = got.Scope, got.Name, got.List
	v.due, v.open = 0, 0
	for i := range v.hooks {
		switch h := &v.hooks[i]; {
		case rows[i].Hidden:
		case h.State == memory.HookDue:
			v.due++
			v.open++
		case h.State == memory.HookWaiting:
			v.open++
		}
	}
	return rows
}

// hookRows puts hooks in the order of the list, by state and else as they come,
// and makes their rows.
func hookRows(list []memory.HookView) []desk.GroupRow {
	slices.SortStableFunc(list, func(x, y memory.HookView) int { return hookHead(x.State) - hookHead(y.State) })
	rows := make([]desk.GroupRow, len(list))
	for i := range list {
		h := &list[i]
		rows[i] = desk.GroupRow{Key: string(h.ID), Group: hookHead(h.State), Hidden: h.State == memory.HookDropped || !h.Holds,
			Text: desk.SearchText(h.Content, h.Opener, hookType(h.Type), h.ChatTitle)}
	}
	return rows
}

func hookHead(s memory.HookState) int {
	if i := slices.Index(hookStates, s); i >= 0 {
		return i
	}
	return len(hookStates)
}

// hookType is a type of hooks in words.
func hookType(t storage.HookType) string {
	return strings.ReplaceAll(look.Within(string(t), 20), "_", "-")
}

// hookMark is the sign of where a hook stands.
func hookMark(h *memory.HookView) string {
	switch {
	case h.State == memory.HookDropped:
		return "✗"
	case !h.Holds:
		return "·"
	case h.State == memory.HookTaken, h.State == memory.HookClosed:
		return "✓"
	case h.InPrompt:
		return "●"
	}
	return "○"
}

func (v *hookList) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, chosen bool, a *app) {
	h := &v.hooks[i]
	st, dim, sign := a.lk.Base, a.lk.Dim, a.lk.Dim
	if h.InPrompt {
		sign = a.lk.Accent
	}
	if !h.Holds || hookHead(h.State) > 1 {
		st = a.lk.Dim
	}
	if chosen {
		st, dim, sign = a.lk.Selected, a.lk.SelectedDim, a.lk.Selected
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	look.Put(buf, x, y, 1, sign, hookMark(h))
	right := look.Within(h.When, max(6, w/3))
	if right == string(h.State) || h.State == memory.HookDue {
		right = "" // the heading says so
	}
	if w >= memoryWide {
		right = strings.TrimPrefix(right+look.Separator+hookType(h.Type), look.Separator)
	}
	right = strings.TrimPrefix(right+" "+strings.Repeat("!", max(0, min(h.Priority, 5)-2)), " ")
	room := look.PutRight(buf, x+2, y, w-2, dim, strings.TrimSpace(right)) - x - 3
	look.Put(buf, x+2, y, room, st, look.Within(h.Content, max(1, room)))
}

// hookFacts is what there is to say about any hook.
func hookFacts(h *memory.HookView) []string {
	state, when := string(h.State), look.Within(h.When, 60)
	if strings.HasPrefix(when, state) { // which says it too
		state, when = when, ""
	}
	parts := []string{hookType(h.Type), state, "priority " + strconv.Itoa(h.Priority) + " of 5"}
	if when != "" {
		parts = append(parts, when)
	}
	if h.InPrompt {
		parts = append(parts, "in the next prompt")
	}
	if !h.Holds {
		parts = append(parts, "not known on this branch")
	}
	if h.ChatTitle != "" && h.Chat != "" {
		parts = append(parts, "in “"+look.Within(h.ChatTitle, 40)+"”")
	}
	return parts
}

func (v *hookList) details(i, w int, a *app) []string {
	h := &v.hooks[i]
	t := look.Lines{Width: w}
	t.Add(a.lk.Dim, strings.Join(hookFacts(h), look.Separator))
	t.Add(a.lk.Base, look.Within(h.Content, 3*w))
	if h.Opener != "" {
		t.Add(a.lk.Dim, "They may say: “"+look.Within(h.Opener, 2*w)+"”")
	}
	return t.Text
}

func (v *hookList) act(act keys.Action, a *app) tea.Cmd {
	if act == keys.PaneRename {
		return v.openForm(nil, a)
	}
	i, ok := v.Chosen()
	if !ok && len(v.Marked) == 0 {
		return nil
	}
	switch act {
	case keys.PaneCancel:
		return v.do(memory.HookClose, "closed", a, memory.HookClosed)
	case keys.PaneRetry:
		return v.do(memory.HookReopen, "open again", a, memory.HookDue, memory.HookWaiting)
	case keys.PaneDelete:
		return v.do(memory.HookDrop, "dropped", a, memory.HookDropped)
	case keys.PaneNow:
		return v.do(memory.HookNow, "due now", a, memory.HookDue)
	}
	if !ok {
		return nil
	}
	h := v.hooks[i]
	switch act {
	case keys.PaneEnter:
		return v.openSheet(h, a)
	case keys.PaneEdit:
		return v.openForm(&h, a)
	case keys.PaneSystem:
		return v.nudge(h, a)
	case keys.PaneSource:
		return v.p.goTo(h.Chat, h.Source, a)
	case keys.PaneCopy:
		return tea.Batch(a.Copy(hookWords(&h)), a.Say(event.Info, "hook copied"))
	}
	return nil
}

// hookWords is how a hook may be brought up: its opener, or else what it is about.
func hookWords(h *memory.HookView) string {
	if look.Blank(h.Opener) {
		return h.Content
	}
	return h.Opener
}

// do does something to the hooks that it is for, those left out that are so
// already.
func (v *hookList) do(do memory.HookAction, done string, a *app, already ...memory.HookState) tea.Cmd {
	var list []memory.HookView
	for _, i := range v.Targets(func(i int) bool { return slices.Contains(already, v.hooks[i].State) }) {
		list = append(list, v.hooks[i])
	}
	return v.doTo(list, do, done, a)
}

// doTo does something to hooks, and says what was done.
func (v *hookList) doTo(list []memory.HookView, do memory.HookAction, done string, a *app) tea.Cmd {
	if len(list) == 0 {
		return a.Say(event.Info, "it is "+done+" already")
	}
	ids := make([]storage.HookID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	words := "“" + look.Within(list[0].Content, 30) + "” "
	if len(list) > 1 {
		words = strconv.Itoa(len(list)) + " hooks "
	}
	eng, scope, chat := a.eng, v.p.whose, v.Chat
	return v.p.Change(words+done, func() error { _, err := eng.Memory.ActHook(scope, ids, do); return err },
		func() error { return restoreHooks(eng, scope, chat, list, do) })
}

// restoreHooks puts hooks back to where they stood before something was done to
// them. One that was taken up is closed: which reply did is forgotten.
func restoreHooks(eng *engine.Engine, scope storage.ScopeID, chat storage.ChatID, list []memory.HookView, done memory.HookAction) error {
	for i := range list {
		h := &list[i]
		back := memory.HookReopen
		switch h.State {
		case memory.HookClosed, memory.HookTaken:
			back = memory.HookClose
		case memory.HookDropped:
			back = memory.HookDrop
		}
		if done != memory.HookNow || back != memory.HookReopen {
			if _, err := eng.Memory.ActHook(scope, []storage.HookID{h.ID}, back); err != nil {
				return err
			}
		}
		if done == memory.HookNow {
			if _, err := eng.Memory.SaveHook(scope, chat, h.Hook); err != nil {
				return err
			}
		}
	}
	return nil
}

// nudge offers to ask for a reply that brings a hook up.
func (v *hookList) nudge(h memory.HookView, a *app) tea.Cmd {
	words := hookWords(&h)
	text := "Ask for the next reply with this instruction, which is not stored? Where a reply ends the chat, another one is asked for in its place.\n\n" + look.Within(words, 300)
	a.dialogs.Open(&widget.Confirm{Title: "Nudge with it", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "nudge", Do: func() tea.Cmd { return a.nudge(words) }}, {Key: "n", Words: "leave it", Do: nil}}})
	return nil
}

// openSheet shows a hook whole.
func (v *hookList) openSheet(h memory.HookView, a *app) tea.Cmd {
	here := v.Chat
	return a.Do(func() func() tea.Cmd {
		names, err := readNames(a.eng, here, slices.Concat(h.Told, h.Taken))
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			if i := slices.IndexFunc(v.hooks, func(x memory.HookView) bool { return x.ID == h.ID }); i >= 0 {
				h = v.hooks[i] // it may have been read anew
			}
			places := append(names.places(h.Taken, here, func(int) string { return "taken up" }), names.places(h.Told, here, toldLead)...)
			s := &storySheet{p: v.p, title: "To bring up", foot: "o nudge with it · e edit · ! due now · x close · r reopen · d drop · y copy · esc close", places: places}
			s.head = func(t *look.Lines, lk *look.Look) {
				t.Add(lk.Dim, strings.Join(hookFacts(&h), look.Separator))
				t.Blank()
				t.Add(lk.Base, upTo(h.Content, mostRead))
				if h.Opener != "" {
					t.Blank()
					t.Add(lk.Title, "They may say")
					t.Add(lk.Base, upTo(h.Opener, mostRead))
				}
			}
			one := []memory.HookView{h}
			s.keys = map[string]func() tea.Cmd{
				"e": func() tea.Cmd { return v.openForm(&h, a) },
				"o": func() tea.Cmd { return v.nudge(h, a) },
				"!": func() tea.Cmd { return v.doTo(one, memory.HookNow, "due now", a) },
				"x": func() tea.Cmd { return v.doTo(one, memory.HookClose, "closed", a) },
				"r": func() tea.Cmd { return v.doTo(one, memory.HookReopen, "open again", a) },
				"d": func() tea.Cmd { return v.doTo(one, memory.HookDrop, "dropped", a) },
				"y": func() tea.Cmd { return tea.Batch(a.Copy(hookWords(&h)), a.Say(event.Info, "hook copied")) },
			}
			a.dialogs.Open(s)
			return nil
		}
	})
}
