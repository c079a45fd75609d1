package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
)

// threadHeads are the headings of the ledger of threads.
var threadHeads = []string{"Open", "Taken up", "Closed", "Dropped"}

// The states that a thread can be marked as.
const (
	threadOpen    = "open"
	threadClosed  = "closed"
	threadDropped = "dropped"
)

// threadList is the view of what is still open in the story, of recaps and hooks.
type threadList struct {
	desk.GroupList
	p       *memoryPane
	threads []memory.Thread
	open    int
}

func newThreadList(p *memoryPane) memoryView {
	return &threadList{p: p, GroupList: desk.NewGroupList(p.a, threadHeads)}
}

func (v *threadList) list() *desk.GroupList { return &v.GroupList }

func (v *threadList) tab() string {
	if !v.Loaded || v.open == 0 {
		return ""
	}
	return strconv.Itoa(v.open) + " open"
}

func (v *threadList) foot() string {
	if len(v.Marked) > 0 {
		return "x close · r reopen · d drop · V range · * all or none"
	}
	if len(v.Lines) == 0 {
		return "/ filter · u undo · v dropped too"
	}
	return "enter go there · x close · r reopen · d drop · u undo · / filter · space mark · v dropped too · y copy"
}

func (v *threadList) scope(*app) string {
	words := "This chat's threads" + look.Separator + strconv.Itoa(v.open) + " open"
	if n := len(v.threads) - v.open; n > 0 {
		words += look.Separator + strconv.Itoa(n) + " done with"
	}
	return words
}

func (v *threadList) empty() string {
	return "No thread is open. A scene's recap lists what it leaves pending, and hooks stand here too: end a scene and make its recap, or write a hook in the view before this one (2)."
}

func (v *threadList) read() tea.Cmd {
	return v.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		list, err := v.p.a.eng.Memory.Threads(chat)
		if err != nil {
			return nil, err
		}
		rows := threadRows(list)
		return func() []desk.GroupRow { return v.take(list, rows) }, nil
	})
}

// take takes over what was read.
func (v *threadList) take(list []memory.Thread, rows []desk.GroupRow) []desk.GroupRow {
	v.threads, v.open = list, 0
	for i := range list {
		if threadHead(list[i].State) == 0 {
			v.open++
		}
	}
	return rows
}

// threadRows puts threads in the order of the list, by state and else as they
// come, and makes their rows.
func threadRows(list []memory.Thread) []desk.GroupRow {
	slices.SortStableFunc(list, func(x, y memory.Thread) int { return threadHead(x.State) - threadHead(y.State) })
	rows := make([]desk.GroupRow, len(list))
	for i := range list {
		t := &list[i]
		head := threadHead(t.State)
		rows[i] = desk.GroupRow{Key: t.Key, Group: head, Hidden: head == len(threadHeads)-1, Text: desk.SearchText(t.Text, t.Scene)}
	}
	return rows
}

func threadHead(state string) int {
	switch state {
	case string(memory.HookTaken):
		return 1
	case threadClosed:
		return 2
	case threadDropped:
		return 3
	}
	return 0
}

// threadFrom is where a thread comes from, in words.
func threadFrom(t *memory.Thread) string {
	name := look.Within(t.Scene, 60)
	switch {
	case t.Hook != "" && t.State == string(memory.HookDue):
		return "hook, due"
	case t.Hook != "":
		return "hook"
	case name != "":
		return name
	case t.Break == "":
		return "the story so far"
	}
	return "a scene"
}

func (v *threadList) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, chosen bool, a *app) {
	t := &v.threads[i]
	st, dim, sign := a.lk.Base, a.lk.Dim, a.lk.Dim
	mark := "○"
	switch threadHead(t.State) {
	case 1, 2:
		mark, st = "✓", a.lk.Dim
	case 3:
		mark, st = "✗", a.lk.Dim
	default:
		if t.Hook != "" {
			mark = "◆"
		}
	}
	if chosen {
		st, dim, sign = a.lk.Selected, a.lk.SelectedDim, a.lk.Selected
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	look.Put(buf, x, y, 1, sign, mark)
	room := w - 2
	if w >= 30 {
		room = look.PutRight(buf, x+2, y, w-2, dim, look.Within(threadFrom(t), w/3)) - x - 3
	}
	look.Put(buf, x+2, y, room, st, look.Within(t.Text, max(1, room)))
}

func (v *threadList) details(i, w int, a *app) []string {
	t := &v.threads[i]
	s := look.Lines{Width: w}
	s.Add(a.lk.Dim, strings.Join([]string{look.Within(t.State, 20), threadFrom(t)}, look.Separator))
	s.Add(a.lk.Base, look.Within(t.Text, 5*w))
	return s.Text
}

func (v *threadList) act(act keys.Action, a *app) tea.Cmd {
	i, ok := v.Chosen()
	if !ok && len(v.Marked) == 0 {
		return nil
	}
	switch act {
	case keys.PaneCancel:
		return v.set(threadClosed, "closed", a)
	case keys.PaneRetry:
		return v.set(threadOpen, "open again", a)
	case keys.PaneDelete:
		return v.set(threadDropped, "dropped", a)
	}
	if !ok {
		return nil
	}
	t := v.threads[i]
	switch act {
	case keys.PaneEnter, keys.PaneSource:
		return v.jump(t, a)
	case keys.PaneCopy:
		return tea.Batch(a.Copy(t.Text), a.Say(event.Info, "thread copied"))
	case keys.PaneEdit, keys.PaneSystem, keys.PaneNow:
		return a.Say(event.Info, "that is for hooks: they are in the view before this one (2)")
	}
	return nil
}

// set marks the threads that it is for, those left out that are so already.
func (v *threadList) set(state, done string, a *app) tea.Cmd {
	var list []memory.Thread
	for _, i := range v.Targets(func(i int) bool { return threadMark(v.threads[i].State) == state }) {
		list = append(list, v.threads[i])
	}
	if len(list) == 0 {
		return a.Say(event.Info, "it is "+done+" already")
	}
	words := "“" + look.Within(list[0].Text, 30) + "” "
	if len(list) > 1 {
		words = strconv.Itoa(len(list)) + " threads "
	}
	eng, chat := a.eng, v.Chat
	mark := func(of func(*memory.Thread) string) func() error {
		return func() error {
			for i := range list {
				if err := eng.Memory.MarkThread(chat, list[i].Key, of(&list[i])); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return v.p.Change(words+done, mark(func(*memory.Thread) string { return state }), mark(func(t *memory.Thread) string { return threadMark(t.State) }))
}

// threadMark is the state that a thread is marked with to stand where it stands.
// A hook that was taken up is done.
func threadMark(state string) string {
	switch threadHead(state) {
	case 0:
		return threadOpen
	case 3:
		return threadDropped
	}
	return threadClosed
}

// jump goes to the message that a thread came from, or to the beginning of the
// scene whose recap tells of it.
func (v *threadList) jump(t memory.Thread, a *app) tea.Cmd {
	if t.Hook != "" {
		return v.jumpToHook(t, a)
	}
	if t.Source != "" {
		return a.JumpTo(t.Source)
	}
	if t.Break != "" {
		for i := range a.scenes.List {
			if s := &a.scenes.List[i]; s.Break == t.Break && s.First != "" {
				return a.JumpTo(s.First)
			}
		}
		return a.JumpTo(t.Break)
	}
	return a.Say(event.Info, "the running recap tells of it, not a scene of its own")
}

// jumpToHook goes to the message that a hook came from, which may be one of
// another chat.
func (v *threadList) jumpToHook(t memory.Thread, a *app) tea.Cmd {
	chat := v.Chat
	return a.Do(func() func() tea.Cmd {
		got, err := a.eng.Memory.Hooks(memory.Ask{Chat: chat, All: true})
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			from := chat
			if i := slices.IndexFunc(got.List, func(h memory.HookView) bool { return h.ID == t.Hook }); i >= 0 {
				from = got.List[i].Chat
			}
			return v.p.goTo(from, t.Source, a)
		}
	})
}
