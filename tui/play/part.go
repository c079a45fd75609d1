// Package play is the part of the screen for the play itself: the open chat with its messages, the
// composer, the turn and the cast, and the pane that shows the next prompt.
package play

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Part is the part of the screen for the play. It holds the open chat, for all parts; see
// pane.Play.
type Part struct {
	host   pane.Host
	screen Screen

	view     chats.View    // of the open chat, without its messages
	scenes   scenes.Scenes // of the open chat
	list     *List
	composer *composer
	turn     turn
	ended    time.Time    // when the last reply ended
	unsent   func() error // commits the user's message, once; nil when it is done
	casting  castState    // of the open chat
	outlook  promptOutlook
	quick    quick
	search   search
	// Elsewhere opens search results that are not messages.
	Elsewhere Elsewhere
	prefix    prefixNews
	settings  Settings // nil if there is no config file
	habit     habitPlace
	visits    visitTracker
	mending   *rewriteDialog // the open one, nil for none
	proposing *beatsDialog   // the open one, nil for none

	reading chatReading
	// waits holds what a starting turn waits for, zero for nothing.
	waits  play.TurnWaiting
	reads  sceneReading
	jumps  widget.Latest   // to messages that are not loaded
	goings widget.Sequence // opened chats, to be stored
}

// Screen is the part's interface to the frame, besides its host.
type Screen interface {
	// SetMode sets where keys go.
	SetMode(m keys.Mode)
	// Uncover closes the pane if it hides the messages.
	Uncover()
	// LeavePane restores the mode from before the pane had the focus, and closes the pane if it
	// hides the messages.
	LeavePane()
	// ChatOpened notifies the parts that another chat was opened, or that the open one was read
	// again.
	ChatOpened() tea.Cmd
	// ScenesRead notifies the parts that the scenes were read again.
	ScenesRead()
}

// New returns the part for its host.
func New(d pane.Host, s Screen) *Part { return &Part{host: d, screen: s} }

// SetUp creates what depends on the styles and the table of keys, once both are known. It returns
// words about quick replies that cannot be used.
func (r *Part) SetUp(pictures PictureLayout, replies []QuickReply, s Settings) (refused []string) {
	r.settings = s
	r.list = NewList(r.host.Styles(), r.host.Keys(), pictures)
	r.composer = newComposer(r)
	r.quick, refused = newQuick(replies, r.host.Keys())
	return refused
}

// Ready reports whether the scenes of the open chat were read.
func (r *Part) Ready() bool { return r.view.Chat.ID == "" || r.reads.Nth > 0 && !r.reads.busy }

// Restyle redraws everything after a change of theme.
func (r *Part) Restyle(sty *draw.Styles) {
	r.list.Restyle(sty)
	r.composer.in.SetStyles(sty)
}

// Chat implements pane.Play.
func (r *Part) Chat() chats.View { return r.view }

// Scenes implements pane.Play.
func (r *Part) Scenes() scenes.Scenes { return r.scenes }

// Selected implements pane.Play.
func (r *Part) Selected() (chats.Message, bool) {
	if it := r.list.Current(); it != nil {
		return it.Msg, true
	}
	return chats.Message{}, false
}

// Message implements pane.Play.
func (r *Part) Message(id storage.NodeID) (chats.Message, bool) {
	if i := r.list.Find(id); i >= 0 {
		return r.list.Items[i].Msg, true
	}
	return chats.Message{}, false
}

// LastMessage implements pane.Play.
func (r *Part) LastMessage() (chats.Message, bool) {
	if n := len(r.list.Items); n > 0 {
		return r.list.Items[n-1].Msg, true
	}
	return chats.Message{}, false
}

// Draft implements pane.Play.
func (r *Part) Draft() string { return r.composer.in.Value() }

// Type implements pane.Play.
func (r *Part) Type(msg tea.Msg) tea.Cmd { return r.composer.key(msg) }

// Replying implements pane.Play.
func (r *Part) Replying() bool {
	return r.turn.running || r.composer.hasSuggestion() || r.mending.writes() || r.proposing.asking()
}

// Writing reports whether a message is still being written.
func (r *Part) Writing(node storage.NodeID) bool { return r.turn.running && r.turn.node == node }

// SetModel shows a chosen model before it is stored.
func (r *Part) SetModel(name string) { r.view.Model = name }

// LastSpeaker returns the character who spoke last, and the style of its name; "" if there is none.
func (r *Part) LastSpeaker() (string, uv.Style) { return r.list.SpokeLast(len(r.list.Items)) }

// Start implements pane.Starter.
func (r *Part) Start() tea.Cmd {
	return tea.Batch(r.ReadScenes(), r.readCast(), r.visit(), r.opened(r.view.Chat.ID))
}

// Leave stores what pending commands have not stored when the screen is left. It reports to the
// engine that no chat is on the screen any more.
func (r *Part) Leave() {
	r.composer.leave()
	if chat := r.view.Chat.ID; chat != "" { // the command that stores it may not have run yet
		if err := r.host.Engine().Chats.Opened(chat); err != nil {
			r.host.Log().Error("the open chat could not be saved", "err", err)
		}
	}
	r.visits.leave(r.host.Engine().Play)
}

func openPrompt(r *Part) tea.Cmd {
	return r.host.Panes().Open(keys.PanePrompt, func() pane.Pane { return newPromptPane(r) })
}
