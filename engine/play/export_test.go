package play

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Exported for the tests of this package.
const WarmLeast = warmLeast

// LastPrompt returns what the server is assumed to have read.
func LastPrompt(svc *Service) (*prompt.Prompt, []prompt.Message) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return svc.last.prompt, svc.last.messages
}

// SetLastMessages has the server have read something else.
func SetLastMessages(svc *Service, list []prompt.Message) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.last.messages = list
}

// LastMessage returns the message of a chat's last turn, zero if none has ended.
func LastMessage(svc *Service, chat storage.ChatID) (m chats.Message) {
	if t, _ := svc.latest(chat); t != nil {
		t.mu.Lock()
		m = t.msg
		t.mu.Unlock()
	}
	return m
}

// LeaveUnsaved has a chat's last turn owe the store its message, with this text.
func LeaveUnsaved(svc *Service, chat storage.ChatID, n storage.Node) {
	t, _ := svc.latest(chat)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unsaved, t.msg.Content, t.msg.State = &n, n.Content, storage.Broken
}

func RequestAt(chat storage.ChatID, parent storage.NodeID) request {
	return request{chat: chat, parent: parent}
}

// WarmNow has the engine look once for something to read ahead in a chat.
func WarmNow(svc *Service, chat storage.ChatID) {
	lookAt(svc, chat)
	svc.warmUp(&svc.warming)
}

// WarmOnce is like WarmNow, and then the user leaves the chat.
func WarmOnce(svc *Service, chat storage.ChatID) {
	WarmNow(svc, chat)
	lookAt(svc, "")
}

func lookAt(svc *Service, chat storage.ChatID) {
	w := &svc.warming
	w.mu.Lock()
	w.chat = chat
	w.mu.Unlock()
}

func WarmedChat(svc *Service) storage.ChatID { return svc.warming.chat }
func IsWarming(svc *Service) bool            { return svc.warming.stop != nil }
func LooksForWarming(svc *Service) bool      { return svc.warming.wake != nil }

var Abandon = (*Service).abandon
var CommitUser = (*Service).commitUser
var NoteLive = (*Service).recordLive
var Reserve = (*Service).reserve
var StopWarm = (*Service).stopWarmUp
var ChatRequest = (*Service).chatRequest

// Rest has the last request be so long ago.
func Rest(svc *Service, d time.Duration) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.lastAsked = svc.lastAsked.Add(-d)
}

// Snapshot returns the play's own part of a prompt.
func Snapshot(svc *Service, r request, m chats.Viewpoint, known *models.KnownModel) (s prompt.Snapshot, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error { s, err = svc.snapshot(tx, r, m, known); return err })
	return s, err
}

// AddContext adds lore, notes and memories to a snapshot.
func AddContext(svc *Service, s *prompt.Snapshot, m chats.Viewpoint) (f lore.PromptLore, n director.StageNotes, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		f, n, err = svc.addContext(tx, s, m, director.NewestEmbedding{})
		return err
	})
	return f, n, err
}

// Warms reports whether something is being read ahead.
func Warms(svc *Service) bool {
	svc.warming.mu.Lock()
	defer svc.warming.mu.Unlock()
	return svc.warming.stop != nil
}
