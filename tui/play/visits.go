package play

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatOpened implements pane.ChatFollower.
func (r *Part) ChatOpened() tea.Cmd { return r.visit() }

// visitTracker reports to the engine which chat is on the screen. Commands that report may run in
// any order; each reports the newest state. It is safe for concurrent use.
type visitTracker struct {
	mu        sync.Mutex
	current   storage.ChatID // on the screen
	reporting sync.Mutex
	reported  storage.ChatID // last chat reported to the engine, guarded by reporting
}

// visit records the chat on the screen and reports it to the engine, away from the screen's
// goroutine.
func (r *Part) visit() tea.Cmd {
	r.visits.set(r.host.Play().Chat().Chat.ID)
	return r.host.Do(func() func() tea.Cmd {
		r.visits.notify(r.host.Engine().Play)
		return nil
	})
}

func (v *visitTracker) set(chat storage.ChatID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.current = chat
}

// chatVisits receives the visited chats.
type chatVisits interface {
	EnterChat(storage.ChatID)
	LeaveChat(storage.ChatID)
}

func (v *visitTracker) notify(eng chatVisits) {
	v.reporting.Lock()
	defer v.reporting.Unlock()
	v.mu.Lock()
	chat := v.current
	v.mu.Unlock()
	if chat == v.reported {
		return
	}
	if v.reported != "" {
		eng.LeaveChat(v.reported)
	}
	if v.reported = chat; chat != "" {
		eng.EnterChat(chat)
	}
}

// leave reports to the engine that no chat is on the screen any more.
func (v *visitTracker) leave(eng chatVisits) {
	v.set("")
	v.notify(eng)
}
