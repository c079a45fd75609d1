// Package pane defines what the parts of the screen share: the interfaces to the frame, the
// declaration of panes and actions, and common forms and words.
package pane

import (
	"context"
	"log/slog"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Host is the interface of a part, a pane or a dialog to the program around it. Its methods must be
// called on the screen's goroutine, except Engine, Context and Log, which are safe anywhere. Work
// that takes longer than a frame goes through Do.
type Host interface {
	// Do runs work away from the screen's goroutine, and its result on it. Work may return nil.
	Do(work func() func() tea.Cmd) tea.Cmd
	// Engine has the use cases.
	Engine() *engine.Engine
	// Context returns a context that ends with the screen.
	Context() context.Context
	// Log is for messages that the user need not see.
	Log() *slog.Logger

	// Styles returns the current styles. They are replaced when the theme changes.
	Styles() *draw.Styles
	// Size returns the size of the screen, in cells.
	Size() (w, h int)
	// Keys returns the table of keys with the user's changes.
	Keys() *keys.Map
	// Mode returns the mode, which says where keys go: the composer, the messages, or the pane.
	Mode() keys.Mode
	// Run runs an action of any part, as if its key was pressed.
	Run(act keys.Name) tea.Cmd

	// Play is the open chat.
	Play() Play
	// Panes returns the area beside the play.
	Panes() Panes
	// Open opens a dialog on top of the others.
	Open(d widget.Dialog)
	// Dialogs returns the open dialogs.
	Dialogs() *widget.Stack
	// Work returns the background work.
	Work() Background

	// Say shows words in the status line for a while.
	Say(level event.Level, text string) tea.Cmd
	// Fail shows an error there, and logs its cause.
	Fail(err error) tea.Cmd
	// Notices returns the notices in the status line.
	Notices() Notices
	// Copy puts text on the clipboard of the user's machine and reports the result; what names the
	// text, "" for any.
	Copy(text, what string) tea.Cmd
	// EditText opens a text in the user's editor, and passes the edited text to take.
	EditText(text string, take func(text string) tea.Cmd) tea.Cmd
	// Files returns the state about the user's files.
	Files() *Files
}

// Play is the open chat, as the parts use it.
type Play interface {
	// Chat returns the open chat without its messages; its ID is empty if none is open.
	Chat() chats.View
	// Scenes returns the scenes of the open chat, as far as they were read.
	Scenes() scenes.Scenes
	// Selected returns the selected message of the open chat; ok is false if there is none.
	Selected() (m chats.Message, ok bool)
	// Message returns a message of the open chat; ok is false if it is not loaded, because it is
	// further up than what was read.
	Message(id storage.NodeID) (m chats.Message, ok bool)
	// LastMessage returns the newest message of the open chat; ok is false if there is none.
	LastMessage() (m chats.Message, ok bool)
	// Find reports to then whether a message is on the shown path. A message that is not loaded is
	// read from the store, and the view moves to it. If another chat was opened meanwhile, or
	// another message is looked for, then is not called.
	Find(id storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd
	// Draft returns the composer's text.
	Draft() string
	// Type passes a key or a paste to the composer.
	Type(msg tea.Msg) tea.Cmd
	// Replying reports whether a reply is being written in the open chat.
	Replying() bool
	// Reload reads the open chat again.
	Reload() tea.Cmd
	// JumpTo selects a message of the open chat and shows it.
	JumpTo(node storage.NodeID) tea.Cmd
	// SwitchTo opens another chat, or none for "".
	SwitchTo(id storage.ChatID) tea.Cmd
}

// Panes is the area beside the play, which shows one pane at a time.
type Panes interface {
	// Current returns the open pane, nil for none.
	Current() Pane
	// Open opens the pane of an action, if it is not open already, and gives it the focus.
	Open(act keys.Name, make func() Pane) tea.Cmd
	// Show replaces the open pane, gives the new one the focus and lets it read.
	Show(act keys.Name, p Pane) tea.Cmd
	// Focus gives the open pane the focus.
	Focus()
	// Uncover closes the pane if it hides the play, and gives the composer the focus.
	Uncover()
	// Refresh has the open pane read its data again.
	Refresh() tea.Cmd
}

// Background is the background work.
type Background interface {
	// Servers returns the last state of the servers.
	Servers() models.Servers
	// Running returns the running operations, the oldest first.
	Running() []*Operation
	// Waiting returns the number of queued operations.
	Waiting() int
	// Tick keeps redrawing the screen once a second while something runs.
	Tick() tea.Cmd
}

// Notices are the notices in the status line.
type Notices interface {
	// Last returns the number of the last notice, and whether it is still shown.
	Last() (n int, shown bool)
	// Dismiss removes notice n if it is still shown.
	Dismiss(n int)
}

// Files is the state about the user's files.
type Files struct {
	Folder string // where a file was last found or written, "" before the first time
}

// Idle reports whether the composer is empty and focused and no dialog is open, so that a dialog
// that opens by itself takes no key from the user.
func Idle(d Host) bool {
	return d.Dialogs().Top() == nil && d.Mode() == keys.Write && d.Play().Draft() == ""
}

// PathTo returns the keys for an action from the current focus: its own key, or else its keys in
// the leader.
func PathTo(d Host, act keys.Name) string {
	m := d.Keys()
	if k := m.Key(act, d.Mode()); k != "" {
		return k
	}
	b, ok := m.Binding(act)
	if lead := m.AnyKey(keys.Leader); ok && lead != "" && b.Letter != "" {
		return lead + " " + b.System.Letter() + " " + b.Letter
	}
	return m.AnyKey(act)
}

// Operation is a running operation.
type Operation struct {
	Op       storage.Operation
	Progress queue.Progress
	Capture  storage.CaptureID // that it works on, if any
	Chat     storage.ChatID
	Node     storage.NodeID // the scene's last message, or the message
}

// Pane is a pane beside the play. Only one is open at a time.
type Pane interface {
	// Name returns the pane's name; its actions are declared under it, see PaneOwner.
	Name() string
	// Title returns the text of the line above the pane.
	Title() string
	// Actions returns the pane's actions. It is called once, when the pane is opened, so it must
	// not read anything. For an action that every pane has, Name and Do are set here; its keys are
	// in the table of keys. An action of the whole screen is overridden while the pane has the
	// focus. Of several actions with the same name the first available one counts. The line below
	// the pane shows the hints in their order.
	Actions() []keys.Action
	// Draw draws it; focused reports whether it has the keys.
	Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool)
	// Move goes n rows down, for the wheel.
	Move(n int)
	// Click handles a click at a position of the screen, inside the pane.
	Click(x, y int) tea.Cmd
	// Read reads its data again. It is called when the pane or another chat was opened.
	Read() tea.Cmd
}

// PaneOwner is a part with panes that have actions of their own.
type PaneOwner interface {
	Panes() []PaneActions
}

// PaneActions are the actions of a pane. They are declared by a pane that was made without a host,
// and has nothing to show.
type PaneActions struct {
	Name    string
	System  keys.System
	Actions []keys.Action
}

// Tabbed is a pane of several views: tab goes from one to the next, and a number to its view.
type Tabbed interface {
	// Views returns the names of the views, and the index of the current one.
	Views() (names []string, at int)
	// ShowView shows another view.
	ShowView(i int) tea.Cmd
}

// Pointer is a pane that may point at a message: the play then highlights the selected message even
// while the pane has the focus.
type Pointer interface {
	Pointing() bool
}

// SceneList is a pane with a list of scenes. ok is false if none is chosen.
type SceneList interface {
	ChosenScene() (s scenes.Scene, ok bool)
}

// SceneView is a pane about an ended scene; ok is false while it shows something else.
type SceneView interface {
	ShownScene() (s scenes.Scene, ok bool)
}

// Hint is a part of the line below a pane: the key of an action and its effect, in a word or two.
// Without an action it is only words.
type Hint struct {
	Action keys.Name
	Until  keys.Name // its key is shown right after the first, as in ←→; "" for none
	Text   string
}

// Part is a part of the screen with its own concern. It is made before there is a chat, and without
// a host if only its declarations are needed. So neither its constructor nor Actions may use the
// host.
type Part interface {
	// Actions returns the actions that are available with any pane.
	Actions() []keys.Action
}

// SceneFollower is a part that is notified when the scenes of the open chat were read again.
type SceneFollower interface {
	ScenesRead()
}

// Listener is a part that follows the engine's events.
type Listener interface {
	Event(ev event.Event) tea.Cmd
}

// AfterPaint is a part that reads data after a frame showed that it is missing. Painted is called
// after each frame, so it must be quick if there is nothing to read.
type AfterPaint interface {
	Painted() tea.Cmd
}

// ChatFollower is a part that is notified when another chat was opened, or the open one was read
// again.
type ChatFollower interface {
	ChatOpened() tea.Cmd
}

// Starter is a part that has something to do when the screen starts.
type Starter interface {
	Start() tea.Cmd
}

// Activity is a part with background work of its own. Doing returns the words for the status line, ""
// if there is none. It is called for every frame.
type Activity interface {
	Doing() string
}

// Status is a part with words for the right of the status line, which has the given number of
// cells. It returns nil if there are none. It is called for every frame.
type Status interface {
	Status(cells int) []string
}

// Counter is a part that provides counts for its actions, which the leader and the palette show.
type Counter interface {
	// Count returns counts for the open chat, "" for none. It runs away from the screen's goroutine
	// and leaves out zero counts.
	Count(chat storage.ChatID) []Count
}

// Count is a count that is shown with an action.
type Count struct {
	Action keys.Name
	Text   string // as in "3 scenes"
}
