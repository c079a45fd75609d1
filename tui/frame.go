package tui

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/event"
	enginehouse "ghostlight/engine/house"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/themes"
	boardsroom "ghostlight/tui/boards"
	"ghostlight/tui/desk"
	"ghostlight/tui/director"
	"ghostlight/tui/house"
	"ghostlight/tui/keys"
	"ghostlight/tui/library"
	"ghostlight/tui/look"
	loreroom "ghostlight/tui/lore"
	"ghostlight/tui/memory"
	picturesroom "ghostlight/tui/pictures"
	playroom "ghostlight/tui/play"
	scenesroom "ghostlight/tui/scenes"
	tasteroom "ghostlight/tui/taste"
	"ghostlight/tui/widget"
)

// The app is the desk of its rooms. What they ask it for by other names stands where
// the frame does it.

// Look implements desk.Desk.
func (a *app) Look() *look.Look { return a.lk }

// Keys implements desk.Desk.
func (a *app) Keys() *keys.Map { return a.keys }

// Engine implements desk.Desk.
func (a *app) Engine() *engine.Engine { return a.eng }

// Context implements desk.Desk.
func (a *app) Context() context.Context { return a.ctx }

// Log implements desk.Desk.
func (a *app) Log() *slog.Logger { return a.opts.Log }

// Chat implements desk.Desk.
func (a *app) Chat() chats.View { return a.view }

// Scenes implements desk.Desk.
func (a *app) Scenes() scenes.Scenes { return a.scenes }

// Selected implements desk.Desk.
func (a *app) Selected() (chats.Message, bool) {
	if it := a.play.Current(); it != nil {
		return it.Msg, true
	}
	return chats.Message{}, false
}

// Message implements desk.Desk.
func (a *app) Message(id storage.NodeID) (chats.Message, bool) {
	if i := a.play.Find(id); i >= 0 {
		return a.play.Items[i].Msg, true
	}
	return chats.Message{}, false
}

// LastMessage implements desk.Desk.
func (a *app) LastMessage() (chats.Message, bool) {
	if n := len(a.play.Items); n > 0 {
		return a.play.Items[n-1].Msg, true
	}
	return chats.Message{}, false
}

// Size implements desk.Desk.
func (a *app) Size() (w, h int) { return a.width, a.height }

// Notice implements desk.Desk.
func (a *app) Notice() (n int, shown bool) { return a.notice.id, a.notice.text != "" }

// Dismiss implements desk.Desk.
func (a *app) Dismiss(n int) {
	if a.notice.id == n {
		a.notice.text = ""
	}
}

// Mode implements desk.Desk.
func (a *app) Mode() keys.Mode { return a.mode }

// Idle implements desk.Desk.
func (a *app) Idle() bool {
	return a.dialogs.Top() == nil && a.mode == keys.Write && a.composer.in.Value() == ""
}

// Servers implements desk.Desk.
func (a *app) Servers() enginehouse.Servers { return a.servers }

// Jobs implements desk.Desk.
func (a *app) Jobs() []*desk.Job {
	var out []*desk.Job
	for _, j := range a.work.running {
		out = append(out, &j.Job)
	}
	slices.SortFunc(out, func(x, y *desk.Job) int { return strings.Compare(string(x.Op.ID), string(y.Op.ID)) })
	return out
}

// Waiting implements desk.Desk.
func (a *app) Waiting() int { return a.work.waiting() }

// Open implements desk.Desk.
func (a *app) Open(d widget.Dialog) { a.dialogs.Open(d) }

// Close implements desk.Desk.
func (a *app) Close(d widget.Dialog) { a.dialogs.Close(d) }

// Dialogs implements desk.Desk.
func (a *app) Dialogs() []widget.Dialog { return a.dialogs.All }

// Pane implements desk.Desk.
func (a *app) Pane() desk.Pane { return a.pane }

// Folder implements desk.Desk.
func (a *app) Folder() string { return a.importDir }

// SetFolder implements desk.Desk.
func (a *app) SetFolder(dir string) { a.importDir = dir }

// Draft implements desk.Desk.
func (a *app) Draft() string { return a.composer.in.Value() }

// Type implements desk.Desk.
func (a *app) Type(msg tea.Msg) tea.Cmd { return a.composer.key(msg, a) }

// Replying implements desk.Desk.
func (a *app) Replying() bool { return a.turn.running }

// UncoverPlay implements desk.Desk.
func (a *app) UncoverPlay() {
	if a.lay.over {
		a.closePane()
	}
	a.mode = keys.Write
}

// Reload implements desk.Desk.
func (a *app) Reload() tea.Cmd { return a.reload() }

// Copy implements desk.Desk: it goes to the system's clipboard through the terminal.
func (a *app) Copy(text string) tea.Cmd {
	a.clip = text
	return nil
}

// storyteller tells rooms of the play.
type storyteller struct{ a *app }

// CastNames implements what the pictures ask for.
func (s storyteller) CastNames() []string {
	var out []string
	if c := &s.a.casting; c.chat == s.a.view.Chat.ID {
		for _, v := range c.List {
			out = append(out, v.Name)
		}
	}
	return out
}

// LastSpeaker implements what the pictures ask for.
func (s storyteller) LastSpeaker() (string, uv.Style) {
	return s.a.play.SpokeLast(len(s.a.play.Items))
}

// houseScreen is what the house sets on the frame.
type houseScreen struct{ a *app }

// SetServers implements house.Screen.
func (s houseScreen) SetServers(now enginehouse.Servers) { s.a.setServers(now) }

// SetModel implements house.Screen.
func (s houseScreen) SetModel(name string) { s.a.view.Model = name }

// Rehearse implements house.Screen.
func (s houseScreen) Rehearse() tea.Cmd {
	s.a.outcome.Rehearse = true
	return s.a.quit()
}

// Themes implements house.Screen.
func (s houseScreen) Themes() themes.Set { return s.a.opts.Themes }

// Appearance implements house.Screen.
func (s houseScreen) Appearance() house.Appearance {
	return house.Appearance{Theme: s.a.theme, Dark: s.a.lk.Dark, Fixed: s.a.opts.Dark}
}

// SetAppearance implements house.Screen.
func (s houseScreen) SetAppearance(to house.Appearance) {
	s.a.opts.Dark = to.Fixed
	s.a.redress(to.Theme, to.Dark)
}

// playScreen is what the play asks of the messages.
type playScreen struct{ a *app }

// Replying implements play.Screen.
func (s playScreen) Replying() bool { return s.a.turn.running }

// Positions implements play.Screen.
func (s playScreen) Positions(text string) string { return s.a.play.Positions(text) }

// nudger asks for replies with an instruction, for hooks.
type nudger struct{ a *app }

// Nudge implements what the memory pane asks for.
func (n nudger) Nudge(text string) tea.Cmd { return n.a.nudge(text) }

// scenePlay is what the scenes' room needs of the play.
type scenePlay struct{ a *app }

// ReadScenes implements what the scenes' room asks for.
func (p scenePlay) ReadScenes() tea.Cmd { return p.a.readScenes() }

// TakeScenes implements what the scenes' room asks for.
func (p scenePlay) TakeScenes(s scenes.Scenes) tea.Cmd {
	var again tea.Cmd
	if p.a.reads.busy && p.a.reads.chat == s.Chat {
		p.a.reads.busy = false // it may be older than this
		again = p.a.readScenes()
	}
	p.a.takeScenes(s)
	return again
}

// Unfold implements what the scenes' room asks for.
func (p scenePlay) Unfold(last storage.NodeID) { p.a.play.Marks.Unfold = last }

// Writing implements what the scenes' room asks for.
func (p scenePlay) Writing(node storage.NodeID) bool {
	return p.a.turn.running && p.a.turn.node == node
}

// rooms are the rooms of the screen.
type rooms struct {
	all      []desk.Room
	pictures *picturesroom.Room // which lays out what the play shows
}

// newRooms makes the rooms, and wires those that need one another. It is called without
// a desk, and without an app, where only their declarations are wanted.
func newRooms(d desk.Desk, a *app) rooms {
	pictures := picturesroom.New(d, storyteller{a})
	shelf := library.New(d, pictures)
	books := loreroom.New(d)
	return rooms{pictures: pictures, all: []desk.Room{
		playroom.New(d, playScreen{a}),
		tasteroom.New(d),
		shelf,
		house.New(d, pictures, houseScreen{a}, shelf),
		memory.New(d, nudger{a}),
		books,
		scenesroom.New(d, scenePlay{a}, books),
		director.New(d),
		boardsroom.New(d, pictures),
		pictures,
	}}
}

// declare takes what the rooms declare.
func (a *app) declare() {
	a.actions.declared = map[keys.Action]*desk.Action{}
	for _, r := range a.rooms {
		for _, d := range r.Actions() {
			a.actions.declared[d.Name] = &d
		}
		if w, ok := r.(desk.Worker); ok {
			a.workers = append(a.workers, w)
		}
		if s, ok := r.(desk.Status); ok {
			a.tellers = append(a.tellers, s)
		}
	}
}

// Keys is the table of all keys with the user's changes, and what is wrong with
// those.
func Keys(changes map[string][]string) (*keys.Map, []error) {
	var list []keys.Binding
	for _, r := range newRooms(nil, nil).all {
		for _, d := range r.Actions() {
			list = append(list, keys.Binding{Action: d.Name, Help: d.Words, Group: d.Group, Modes: d.Modes, Keys: d.Keys, Hidden: d.Hidden})
		}
	}
	return keys.New(changes, list...)
}

// tell hands an event to the rooms that follow them.
func (a *app) tell(ev event.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range a.rooms {
		if l, ok := r.(desk.Listener); ok {
			cmds = append(cmds, l.Event(ev))
		}
	}
	return tea.Batch(cmds...)
}

// start has the rooms begin that have something to do at once.
func (a *app) start() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range a.rooms {
		if s, ok := r.(desk.Starter); ok {
			cmds = append(cmds, s.Start())
		}
	}
	return tea.Batch(cmds...)
}

// roomOf is the room of a type.
func roomOf[R desk.Room](a *app) (found R) {
	for _, r := range a.rooms {
		if r, ok := r.(R); ok {
			found = r
		}
	}
	return found
}

// chatOpened tells the rooms that want to know.
func (a *app) chatOpened() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range a.rooms {
		if f, ok := r.(desk.ChatFollower); ok {
			cmds = append(cmds, f.ChatOpened())
		}
	}
	return tea.Batch(cmds...)
}

// painted asks the rooms what they need for what is shown.
func (a *app) painted() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range a.rooms {
		if p, ok := r.(desk.Painted); ok {
			cmds = append(cmds, p.Painted())
		}
	}
	return tea.Batch(cmds...)
}
