package play

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type Pane = promptPane

const (
	Parts    = promptParts
	Messages = promptMessages
	Changes  = promptChanges
)

// Take shows a prompt; what is being read comes too late.
func (p *promptPane) Take(chat storage.ChatID, v play.PromptView) {
	p.reads.Begin()
	p.setPrompt(chat, v, nil)
}

func (p *promptPane) At() int      { return p.at }
func (p *promptPane) TabsRow() int { return p.tabs.Area.Min.Y }

// ChosenPart is the source of the chosen part, "" for none.
func (p *promptPane) ChosenPart() string {
	if l := p.list().line(); l != nil && l.row == rowPart && p.at == promptParts {
		return p.view.Parts[l.i].Source
	}
	return ""
}

// RoomOf is the part of the screen about the play among the parts of a screen.
func RoomOf(rooms []pane.Part) *Part {
	for _, r := range rooms {
		if r, ok := r.(*Part); ok {
			return r
		}
	}
	return nil
}

const FirstRead = firstRead

func (r *Part) Items() int { return len(r.list.Items) }

func (r *Part) Drop() { r.composer.in.Set("") }

func (r *Part) ReadChat(id storage.ChatID) tea.Cmd { return r.readChat(id, firstRead, "", 0) }

func (r *Part) SetChat(id storage.ChatID) { r.view.Chat.ID = id }

// ReadingAgain reports whether the scenes will be read once more.
func (r *Part) ReadingAgain() bool { return r.reads.again }

// Foreseen reports whether what the next prompt lacks is known.
func (r *Part) Foreseen() bool { return r.outlook.chat != "" }

// Forget takes it that n messages are in no recap.
func (r *Part) Forget(n int) { r.outlook.chat, r.outlook.uncovered = r.view.Chat.ID, n }

// Fault returns a violated invariant of the list of messages, "" if all hold.
func (r *Part) Fault() string {
	p := r.list
	if p.Selected >= len(p.Items) || p.Selected < -1 || len(p.Items) > 0 && p.Anchor >= len(p.Items) || p.Below < 0 {
		return fmt.Sprintf("selected %d, anchor %d, below %d of %d messages", p.Selected, p.Anchor,
			p.Below, len(p.Items))
	}
	if p.gap < 0 || p.gap > 0 && p.gap >= len(p.Items) || len(p.Items) > maxItems+pageRead {
		return fmt.Sprintf("a gap at %d of %d messages", p.gap, len(p.Items))
	}
	if len(p.Laid) > keptLayouts {
		return fmt.Sprintf("%d layouts are kept", len(p.Laid))
	}
	return ""
}

// WaitingWords returns the status words of a waiting turn.
func (r *Part) WaitingWords(ev play.TurnWaiting) string {
	was, waits := r.turn, r.waits
	defer func() { r.turn, r.waits = was, waits }()
	r.waits, r.turn = ev, turn{running: true, since: time.Now()}
	return r.Progress()
}
