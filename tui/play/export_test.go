package play

import (
	"ghostlight/engine/play"
	"ghostlight/storage"
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
	p.take(chat, v, nil)
}

func (p *promptPane) At() int      { return p.at }
func (p *promptPane) TabsRow() int { return p.tabs.Area.Min.Y }

// ChosenPart is the source of the chosen part, "" for none.
func (p *promptPane) ChosenPart() string {
	if l := p.list().line(); l != nil && l.row == rowPart && p.at == promptParts {
		return p.view.Ledger[l.i].Source
	}
	return ""
}
