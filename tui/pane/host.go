// Package pane is what a part of the screen works with: what it may ask of the frame,
// how it declares its panes and actions, and the forms and words that several parts
// share.
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

// Host is what a part of the screen, a pane or a dialog may ask of the program around it. All of it is for the
// screen's own goroutine, except Engine, Context and Log, which are for any; work that takes
// longer than a frame goes through Do.
type Host interface {
	// Do runs work away from the screen's goroutine, and what it returns on it.
	// Work may return nil.
	Do(work func() func() tea.Cmd) tea.Cmd
	// Engine has the use cases.
	Engine() *engine.Engine
	// Context ends with the screen.
	Context() context.Context
	// Log is for what the user need not see.
	Log() *slog.Logger

	// Look is how things are drawn now. It is another one after a change of theme.
	Styles() *draw.Styles
	// Size is how many cells the screen has.
	Size() (w, h int)
	// Keys is the table of keys as the user has it.
	Keys() *keys.Map
	// Mode is what the keys go to: the composer, the messages, or the pane.
	Mode() keys.Mode
	// Run does an action, of whichever part it is, as if its key was pressed.
	Run(act keys.Name) tea.Cmd

	// Play is the open chat.
	Play() Play
	// Panes is the place beside the play.
	Panes() Panes
	// Open puts a dialog on top.
	Open(d widget.Dialog)
	// Dialogs are the open dialogs.
	Dialogs() *widget.Stack
	// Work is what goes on behind the screen.
	Work() Work

	// Say shows words in the status line for a while.
	Say(level event.Level, text string) tea.Cmd
	// Fail shows there what went wrong, and logs its cause.
	Fail(err error) tea.Cmd
	// Notices are the words in the status line.
	Notices() Notices
	// Copy puts text on the clipboard of the user's machine and says what became of it; what names
	// the text, "" for any.
	Copy(text, what string) tea.Cmd
	// EditText opens a text in the user's editor, and hands over what it leaves.
	EditText(text string, take func(text string) tea.Cmd) tea.Cmd
	// Files is what is known of the user's files.
	Files() *Files
}

// Play is the open chat, for all parts.
type Play interface {
	// Chat is the open chat without its messages; its ID is empty while none is.
	Chat() chats.View
	// Scenes are the scenes of the open chat, as far as they were read.
	Scenes() scenes.Scenes
	// Selected is the message of the open chat that is selected; ok is false where
	// there is none yet.
	Selected() (m chats.Message, ok bool)
	// Message is a message of the open chat; ok is false where it is not at hand,
	// as one that is further up than what was read.
	Message(id storage.NodeID) (m chats.Message, ok bool)
	// LastMessage is the newest message of the open chat; ok is false while there is
	// none.
	LastMessage() (m chats.Message, ok bool)
	// Find reports whether a message is on the path that is shown. One that is not at
	// hand is read from the store, and then the view is there. Where another chat was
	// opened meanwhile, or another message looked for, it tells nothing.
	Find(id storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd
	// Draft is what stands in the composer.
	Draft() string
	// Type hands a key or what was pasted to the composer.
	Type(msg tea.Msg) tea.Cmd
	// Replying reports whether a reply is being written in the open chat.
	Replying() bool
	// Reload reads the open chat again.
	Reload() tea.Cmd
	// JumpTo chooses a message of the open chat and shows it.
	JumpTo(node storage.NodeID) tea.Cmd
	// SwitchTo opens another chat, "" none.
	SwitchTo(id storage.ChatID) tea.Cmd
}

// Panes is the place beside the play, where one pane stands at a time.
type Panes interface {
	// Current is the open pane, nil for none.
	Current() Pane
	// Open opens the pane that an action is for, where it is not open already, and
	// gives it the keys.
	Open(act keys.Name, make func() Pane) tea.Cmd
	// Show puts a pane in the place of the open one, gives it the keys and has it
	// read.
	Show(act keys.Name, p Pane) tea.Cmd
	// Focus gives the open pane the keys.
	Focus()
	// Uncover closes the pane where it hides the play, and gives the composer the
	// keys.
	Uncover()
	// Refresh has the open pane read again what it shows.
	Refresh() tea.Cmd
}

// Work is what goes on behind the screen.
type Work interface {
	// Servers is how the servers answered last.
	Servers() models.Servers
	// Jobs are the operations that run, the oldest first.
	Jobs() []*Job
	// Waiting is how many operations wait for their turn.
	Waiting() int
	// Tick keeps the screen drawn once a second for as long as something runs.
	Tick() tea.Cmd
}

// Notices are the words in the status line.
type Notices interface {
	// Last is the number of the words that were shown last, and whether they still
	// are.
	Last() (n int, shown bool)
	// Dismiss takes the words of a number away, where they still are shown.
	Dismiss(n int)
}

// Files is what is known of the user's files.
type Files struct {
	Folder string // where one was found or written last, "" before the first time
}

// Idle reports whether the user neither types nor is busy elsewhere than in the
// play, so that no key falls into what opens by itself.
func Idle(d Host) bool {
	return d.Dialogs().Top() == nil && d.Mode() == keys.Write && d.Play().Draft() == ""
}

// PathTo returns how the user comes to an action from where the keys go now: its key, or
// else its keys in the leader.
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

// Job is an operation that runs.
type Job struct {
	Op       storage.Operation
	Progress queue.Progress
	Capture  storage.CaptureID // that it works on, if any
	Chat     storage.ChatID
	Node     storage.NodeID // the scene's last message, or the message
}

// Pane is what stands beside the play, one at a time.
type Pane interface {
	// Name is that under which its actions were declared, see PaneOwner.
	Name() string
	// Title stands in the line above it.
	Title() string
	// Actions are what can be done in it; they are asked for once, when it is opened, so
	// nothing is read while they are made. An action of every pane has its name and what it does
	// here; its keys stand in the table of keys. One that is otherwise for the whole screen
	// means this while the pane has the keys. Of several with the same name the first counts
	// that is here. The line below the pane names those with a hint, in their order.
	Actions() []keys.Action
	// Draw draws it; focused reports whether it has the keys.
	Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool)
	// Move goes n rows down, as the wheel does.
	Move(n int)
	// Click is a click at a place of the screen, inside the pane.
	Click(x, y int) tea.Cmd
	// Read reads again what it shows: it was opened, or the chat was.
	Read() tea.Cmd
}

// PaneOwner is a part with panes that have actions of their own.
type PaneOwner interface {
	Panes() []PaneActions
}

// PaneActions are the actions of a pane. They are declared by a pane that was made without a
// desk, and has nothing to show.
type PaneActions struct {
	Name    string
	System  keys.System
	Actions []keys.Action
}

// Tabbed is a pane of several views: tab leads from one to the next, and their numbers
// to each of them.
type Tabbed interface {
	// Views are what they are called, and which one is shown.
	Views() (names []string, at int)
	// ShowView shows another one.
	ShowView(i int) tea.Cmd
}

// Pointer is a pane that may point at a message: the play then shows which one is
// selected also while the pane has the keys.
type Pointer interface {
	Pointing() bool
}

// SceneList is a pane in which the user chooses a scene; ok is false while there is
// none.
type SceneList interface {
	ChosenScene() (s scenes.Scene, ok bool)
}

// SceneView is a pane that shows what belongs to a scene that has ended; ok is false
// while it shows something else.
type SceneView interface {
	ShownScene() (s scenes.Scene, ok bool)
}

// Hint is a part of the line below a pane: the key of an action and what it does
// there, in a word or two. Without an action it is nothing but words.
type Hint struct {
	Action keys.Name
	Until  keys.Name // whose key stands right behind the first, as in ←→; "" for none
	Words  string
}

// Part is a part of the screen with a concern of its own. It is made before there
// is a chat, and without a host where only its declarations are wanted: so neither
// its constructor nor Actions may ask the host for anything.
type Part interface {
	// Actions are what can be done whichever pane is open.
	Actions() []keys.Action
}

// SceneFollower is a part that must know when the scenes of the open chat were read again.
type SceneFollower interface {
	ScenesRead()
}

// Listener is a part that follows the engine's events.
type Listener interface {
	Event(ev event.Event) tea.Cmd
}

// AfterPaint is a part that reads what it turns out to need for what is shown. It is
// asked after each frame, so it must be quick where nothing is to be read.
type AfterPaint interface {
	Painted() tea.Cmd
}

// ChatFollower is a part that must know when another chat was opened, or the open
// one was read again.
type ChatFollower interface {
	ChatOpened() tea.Cmd
}

// Starter is a part that has something to do as soon as the screen stands.
type Starter interface {
	Start() tea.Cmd
}

// Worker is a part with work of its own that the status line tells of, "" while there
// is none. It is asked for every frame.
type Worker interface {
	Doing() string
}

// Status is a part that has words for the right of the status line, which has so many
// cells; there are none where it has nothing to tell. It is asked for every frame.
type Status interface {
	Status(cells int) []string
}

// Counter is a part that counts what its actions lead to, as the leader and the palette
// show it.
type Counter interface {
	// Count counts for the open chat, "" for none. It is asked away from the screen's
	// goroutine, and tells only of what there is at least one of.
	Count(chat storage.ChatID) []Count
}

// Count is how much there is of what an action leads to.
type Count struct {
	Action keys.Name
	Words  string // as in "3 scenes"
}
