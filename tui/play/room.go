// Package play is the room of the play itself: the open chat with its messages, the
// composer, the turn and the cast, and the pane that tells what the model is told next.
package play

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Room is the room of the play. It holds the open chat, for all rooms; see desk.Story.
type Room struct {
	desk   desk.Desk
	screen Screen

	view     chats.View    // of the open chat, its messages excepted
	scenes   scenes.Scenes // of the open chat
	list     *List
	composer *composer
	turn     turn
	ended    time.Time    // when the last reply ended
	unsent   func() error // commits what the user said, once; nil when it is done
	casting  casting      // of the open chat
	outlook  outlook
	quick    quick
	search   search
	// Elsewhere is where the search leads, besides to messages.
	Elsewhere Elsewhere
	prefix    prefixNews
	settings  Settings // nil where there is no config file
	habit     habitPlace
	visits    visits
	mending   *rewriting   // that is open, nil for none
	proposing *beatsDialog // that is open, nil for none

	reading chatReading
	// waits is what the turn waits for that begins, zero for nothing.
	waits  play.TurnWaits
	reads  sceneReading
	jumps  widget.Latest  // to messages that are not at hand
	goings widget.InOrder // from chat to chat, to be remembered
}

// Screen is what the room asks of the frame beside its desk.
type Screen interface {
	// SetMode says what the keys go to.
	SetMode(m keys.Mode)
	// Uncover closes the pane where it hides the messages.
	Uncover()
	// LeavePane returns the keys to the mode that the pane took them from, and closes the pane
	// where it hides the messages.
	LeavePane()
	// ChatOpened tells the rooms that another chat was opened, or the open one was
	// read again.
	ChatOpened() tea.Cmd
	// ScenesRead tells the rooms that the scenes were read again.
	ScenesRead()
}

// New makes the room on its desk.
func New(d desk.Desk, s Screen) *Room { return &Room{desk: d, screen: s} }

// SetUp makes what depends on how the screen looks and on the table of keys, once both
// are known. It tells in words which quick replies cannot be used.
func (r *Room) SetUp(pictures PictureLayout, replies []QuickReply, s Settings) (refused []string) {
	r.settings = s
	r.list = NewList(r.desk.Look(), r.desk.Keys(), pictures)
	r.composer = newComposer(r)
	r.quick, refused = newQuick(replies, r.desk.Keys())
	return refused
}

// Ready tells whether the scenes of the open chat were read.
func (r *Room) Ready() bool { return r.view.Chat.ID == "" || r.reads.Nth > 0 && !r.reads.busy }

// Redress draws all anew after a change of theme.
func (r *Room) Redress(lk *look.Look) {
	r.list.Redress(lk)
	r.composer.in.Dress(lk)
}

// Chat implements desk.Story.
func (r *Room) Chat() chats.View { return r.view }

// Scenes implements desk.Story.
func (r *Room) Scenes() scenes.Scenes { return r.scenes }

// Selected implements desk.Story.
func (r *Room) Selected() (chats.Message, bool) {
	if it := r.list.Current(); it != nil {
		return it.Msg, true
	}
	return chats.Message{}, false
}

// Message implements desk.Story.
func (r *Room) Message(id storage.NodeID) (chats.Message, bool) {
	if i := r.list.Find(id); i >= 0 {
		return r.list.Items[i].Msg, true
	}
	return chats.Message{}, false
}

// LastMessage implements desk.Story.
func (r *Room) LastMessage() (chats.Message, bool) {
	if n := len(r.list.Items); n > 0 {
		return r.list.Items[n-1].Msg, true
	}
	return chats.Message{}, false
}

// Draft implements desk.Story.
func (r *Room) Draft() string { return r.composer.in.Value() }

// Type implements desk.Story.
func (r *Room) Type(msg tea.Msg) tea.Cmd { return r.composer.key(msg) }

// Replying implements desk.Story.
func (r *Room) Replying() bool {
	return r.turn.running || r.composer.ghosted() || r.mending.writes() || r.proposing.asking()
}

// Writing tells whether a message is still being written.
func (r *Room) Writing(node storage.NodeID) bool { return r.turn.running && r.turn.node == node }

// SetModel shows which model plays, before that is stored.
func (r *Room) SetModel(name string) { r.view.Model = name }

// LastSpeaker is which character spoke last, and the style of its name; it is "" where
// none did.
func (r *Room) LastSpeaker() (string, uv.Style) { return r.list.SpokeLast(len(r.list.Items)) }

// Start implements desk.Starter.
func (r *Room) Start() tea.Cmd {
	return tea.Batch(r.ReadScenes(), r.readCast(), r.visit(), r.opened(r.view.Chat.ID))
}

// Leave keeps what commands had no time to store before the screen was left, and
// tells the engine that no chat is looked at any more.
func (r *Room) Leave() {
	r.composer.leave()
	if chat := r.view.Chat.ID; chat != "" { // the command that keeps it may not have run yet
		if err := r.desk.Engine().Chats.Opened(chat); err != nil {
			r.desk.Log().Error("the open chat could not be saved", "err", err)
		}
	}
	r.visits.leave(r.desk.Engine().Play)
}

func openPrompt(r *Room) tea.Cmd {
	return r.desk.Panes().Open(keys.PanePrompt, func() desk.Pane { return newPromptPane(r) })
}
