package play

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatOpened implements pane.ChatFollower.
func (r *Part) ChatOpened() tea.Cmd { return r.visit() }

// visits tells the engine which chat the user looks at. Commands that tell run
// in any order; each tells what is newest. It is safe for concurrent use.
type visits struct {
	mu      sync.Mutex
	now     storage.ChatID // on the screen
	telling sync.Mutex
	told    storage.ChatID // that the engine was told, guarded by telling
}

// visit notes the chat that is on the screen and tells the engine, away from
// the screen's goroutine.
func (r *Part) visit() tea.Cmd {
	r.visits.look(r.host.Play().Chat().Chat.ID)
	return r.host.Do(func() func() tea.Cmd {
		r.visits.tell(r.host.Engine().Play)
		return nil
	})
}

func (v *visits) look(chat storage.ChatID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = chat
}

// chatVisits is what visits tells of chats.
type chatVisits interface {
	EnterChat(storage.ChatID)
	LeaveChat(storage.ChatID)
}

func (v *visits) tell(eng chatVisits) {
	v.telling.Lock()
	defer v.telling.Unlock()
	v.mu.Lock()
	chat := v.now
	v.mu.Unlock()
	if chat == v.told {
		return
	}
	if v.told != "" {
		eng.LeaveChat(v.told)
	}
	if v.told = chat; chat != "" {
		eng.EnterChat(chat)
	}
}

// leave tells the engine that no chat is on the screen any more.
func (v *visits) leave(eng chatVisits) {
	v.look("")
	v.tell(eng)
}
