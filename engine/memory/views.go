package memory

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Query selects memories or hooks: those of a chat's story on the path to its head, or of a series
// on the paths to all its chats' heads.
type Query struct {
	Chat   storage.ChatID
	Series storage.SeriesID
	As     storage.CharacterID // only what this one of the chat's cast may know; "" for all
	Search string              // words that all have to be in it; "" for all
	All    bool                // includes removed and done ones, and those of other branches
}

// MemoryView is a memory for front ends.
type MemoryView struct {
	storage.Memory
	StatusView
	Importance float64       `json:"importance"` // the user's, or the greatest of its tellings
	Last       time.Time     `json:"last_at"`    // when it was last mentioned
	Mentions   []MentionView `json:"told"`       // the first mention is the oldest
}

// StatusView is the status of a memory or hook on the path in question.
type StatusView struct {
	Scope     storage.ScopeID `json:"scope"`     // the series or chat whose story it belongs to
	Holds     bool            `json:"holds"`     // it is known there
	InPrompt  bool            `json:"in_prompt"` // the next prompt would contain it
	Chat      storage.ChatID  `json:"chat"`
	ChatTitle string          `json:"chat_title"`
	Source    storage.NodeID  `json:"message"` // the newest message that it came from, "" for none
	Ended     *EndView        `json:"ended"`   // nil while it holds for somebody or was never known
	Doubt     *EndView        `json:"doubt"`   // why the user is asked whether it still holds, nil for no reason
}

// EndView is the point at which something ended, or may have ended. See storage.End.
type EndView struct {
	Kind    storage.EndKind  `json:"how"`
	Why     string           `json:"why"`
	By      storage.MemoryID `json:"by"`      // the memory in its place, "" for none
	Instead string           `json:"instead"` // the fact in its place, "" if unknown
	Chat    storage.ChatID   `json:"chat"`
	Node    storage.NodeID   `json:"message"` // "" if the user ended it: it has ended everywhere
	Number  int              `json:"number"`  // of the message as chat show prints it, 0 for none
	At      time.Time        `json:"at"`
	Doubt   bool             `json:"-"` // it may have ended
}

// NewEndView returns the view of an end, nil for none.
func NewEndView(e *storage.End) *EndView {
	if e == nil {
		return nil
	}
	return &EndView{e.Kind, e.Why, e.By, e.Instead, e.Chat, e.Node, messageNumber(e.Mention), e.At, e.Doubt}
}

// MentionView is the view of a storage.Mention: a place where something came up in the story.
type MentionView struct {
	Chat       storage.ChatID        `json:"chat"`
	Node       storage.NodeID        `json:"message"`   // "" if the user wrote it: it holds everywhere
	Number     int                   `json:"number"`    // of the message as chat show prints it, 0 for none
	Sources    []storage.NodeID      `json:"sources"`   // the messages that it came from
	Everybody  bool                  `json:"everybody"` // all characters witnessed it
	Witnesses  []storage.CharacterID `json:"witnesses"` // who witnessed it, if not everybody
	Importance float64               `json:"importance"`
	At         time.Time             `json:"at"`
}

func mentionViews(list []storage.Mention) (out []MentionView) {
	for _, t := range list {
		out = append(out, MentionView{t.Chat, t.Node, messageNumber(t), t.Sources, t.Witnesses == nil, t.Witnesses,
			t.Importance, t.At})
	}
	return out
}

func messageNumber(at storage.Mention) int {
	if at.Node == "" {
		return 0
	}
	return at.Depth + 1
}

// MemoryList are the memories of a story, the most important first.
type MemoryList struct {
	Scope storage.ScopeID
	Name  string // of the series or the chat
	List  []MemoryView
}

// Action is a change that can be applied to several memories together.
type Action string

const (
	Pin     Action = "pin"
	Unpin   Action = "unpin"
	Mute    Action = "mute"
	Unmute  Action = "unmute"
	Remove  Action = "remove"
	Restore Action = "bring_back"
	// EndNow ends a memory: from the place of its doubt on, otherwise everywhere. Reopen removes
	// all its ends and doubts; EndAgain undoes that.
	EndNow   Action = "end"
	Reopen   Action = "reopen"
	EndAgain Action = "end_again"
)

// HookState is the state of a hook.
type HookState string

const (
	HookWaiting HookState = "waiting" // its time has not come
	HookDue     HookState = "due"
	HookTakenUp HookState = "taken" // a reply took it up
	HookClosed  HookState = "closed"
	HookDropped HookState = "dropped"
)

// HookView is the view of a hook. When says in words when it is due or was taken up.
type HookView struct {
	storage.Hook
	StatusView
	State    HookState     `json:"state"`
	When     string        `json:"when"`
	Turns    int           `json:"after_turns"` // Hook.Due, as the fields of a hook name it
	DueAt    time.Time     `json:"due_at"`
	DueWhen  string        `json:"due_when"`
	Mentions []MentionView `json:"told"`  // the first mention is the oldest
	TakenUp  []MentionView `json:"taken"` // the replies that took it up
}

// HookList are the hooks of a story: due ones first, by priority.
type HookList struct {
	Scope storage.ScopeID
	Name  string
	Turn  int // of the chat that was asked about
	List  []HookView
}

// HookAction is a change that can be applied to several hooks together.
type HookAction string

const (
	HookClose  HookAction = "close"
	HookReopen HookAction = "reopen"
	HookDrop   HookAction = "drop"
	HookNow    HookAction = "due_now"
)

// Thread is an open thread of a recap, or a hook. It is open if its state is open, waiting or due.
type Thread struct {
	Key   string         `json:"key"` // names it for MarkThread
	Text  string         `json:"text"`
	State string         `json:"state"` // open, closed or dropped; of a hook its HookState
	Hook  storage.HookID `json:"hook"`  // "" of a recap's thread
	// Break is the last message of the scene whose recap contains it, "" for the running recap.
	Break  storage.NodeID `json:"break"`
	Scene  string         `json:"scene"`   // its name
	Source storage.NodeID `json:"message"` // a message that it came from, "" for none
	When   string         `json:"when"`    // when a hook is due, in words
	Due    bool           `json:"due"`     // a hook is due
	Ended  *EndView       `json:"ended"`   // nil if it has not ended, or if the user ended it
}

// EndWords describes for the user how something ended, or why it may have.
func EndWords(e *EndView) string {
	words := string(e.Kind)
	switch {
	case e.Doubt:
		words = "in doubt"
	case e.Kind == storage.Outdated:
		words = "no longer so"
	}
	if e.Node != "" {
		words += fmt.Sprintf(" since message #%d", e.Number)
	}
	if text := cmp.Or(e.Instead, e.Why); text != "" {
		words += ": " + strings.Join(strings.Fields(text), " ")
	}
	return words
}
