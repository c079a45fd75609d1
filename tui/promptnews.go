package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/play"
	"ghostlight/storage"
)

// prefixNews is what the user was told of prompts that begin differently, and
// what is being read ahead.
type prefixNews struct {
	told    map[prefixCause]bool
	warming storage.ChatID // "" while nothing is
}

// prefixCause is what made a prompt begin differently: the user is told once.
type prefixCause struct {
	chat                storage.ChatID
	layer, source, what string
}

// mostCauses bounds what is remembered of causes.
const mostCauses = 1000

// promptEvent follows what happens to the beginnings of prompts.
func (a *app) promptEvent(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case play.PrefixBroken:
		return a.prefixBroken(ev)
	case play.Warming:
		switch {
		case !ev.Over:
			a.prefix.warming = ev.Chat
		case a.prefix.warming == ev.Chat:
			a.prefix.warming = ""
		}
	}
	return nil
}

// prefixBroken tells what makes the server read again, and its price.
func (a *app) prefixBroken(ev play.PrefixBroken) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil
	}
	var read tea.Cmd
	if _, ok := paneOf[*promptPane](a); ok {
		read = a.Refresh()
	}
	cause := prefixCause{ev.Chat, ev.Break.Layer, ev.Break.Source, ev.Break.What}
	if a.prefix.told[cause] {
		return read
	}
	if a.prefix.told == nil || len(a.prefix.told) >= mostCauses {
		a.prefix.told = map[prefixCause]bool{}
	}
	a.prefix.told[cause] = true
	return tea.Batch(read, a.Say(event.Warning, breakWords(ev.Break)))
}

// aheadWords is the status line's sign that the open chat's prompt is read ahead,
// "" while it is not; w is the room.
func (a *app) aheadWords(w int) string {
	if a.prefix.warming == "" || a.prefix.warming != a.view.Chat.ID || a.turn.running {
		return ""
	}
	if w < 50 {
		return "ahead"
	}
	return "reading ahead"
}

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
func (a *app) visit() tea.Cmd {
	a.visits.look(a.view.Chat.ID)
	return a.Do(func() func() tea.Cmd {
		a.visits.tell(a.eng.Play)
		return nil
	})
}

func (v *visits) look(chat storage.ChatID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = chat
}

// visited is what visits tells of chats.
type visited interface {
	Entered(storage.ChatID)
	Left(storage.ChatID)
}

func (v *visits) tell(eng visited) {
	v.telling.Lock()
	defer v.telling.Unlock()
	v.mu.Lock()
	chat := v.now
	v.mu.Unlock()
	if chat == v.told {
		return
	}
	if v.told != "" {
		eng.Left(v.told)
	}
	if v.told = chat; chat != "" {
		eng.Entered(chat)
	}
}

// leave tells the engine that no chat is on the screen any more.
func (v *visits) leave(eng visited) {
	v.look("")
	v.tell(eng)
}
