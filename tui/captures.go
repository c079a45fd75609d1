package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// capturesPane shows the captures of the open chat, newest first, the chosen
// one with its picture.
type capturesPane struct {
	list
	all   []storage.Capture
	fault error
}

func (*capturesPane) kind() paneKind { return paneCaptures }
func (*capturesPane) title() string  { return "Captures" }
func (p *capturesPane) foot() string {
	if len(p.all) == 0 {
		return ""
	}
	return "enter edit, send · s again · o open · y copy · a avatar · x cancel · d delete"
}

func (p *capturesPane) read(a *app) tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	return a.do(func() answerFunc {
		all, err := a.eng.Captures(id)
		return func(*app) tea.Cmd { p.all, p.fault = all, err; return nil }
	})
}

func (p *capturesPane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.fault != nil {
		putWrapped(buf, area, a.lk.failure, engine.Words(p.fault))
		return
	}
	if len(p.all) == 0 {
		putWrapped(buf, area, a.lk.dim, "No captures in this chat yet. "+a.keys.Key(keys.Capture, keys.Write)+" turns the moment into a picture.")
		return
	}
	p.at = max(0, min(p.at, len(p.all)-1))
	rows := area
	if area.Dy() >= 16 {
		rows.Min.Y += p.drawChosen(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), area.Dy()/2), a) + 1
	}
	from, to := p.view(len(p.all), 2, rows.Dy())
	for i := from; i < to; i++ {
		p.row(buf, rows, rows.Min.Y+(i-from)*2, i, a)
	}
}

// drawChosen shows the chosen capture's picture and says how many rows it took.
func (p *capturesPane) drawChosen(buf uv.ScreenBuffer, area uv.Rectangle, a *app) int {
	c := p.all[p.at]
	if s := a.play.pictures.shown[c.ID]; c.ImagePath == "" && (s == nil || s.img == nil) {
		return putWrapped(buf, area, a.lk.dim, promptOf(c))
	}
	lines := a.play.pictures.lines(&c, area.Dx(), area.Dy()*5/3, a.lk)
	for i, l := range lines {
		if i >= area.Dy() {
			break
		}
		putStyled(buf, area.Min.X, area.Min.Y+i, area.Dx(), l)
	}
	return min(len(lines), area.Dy())
}

func (p *capturesPane) row(buf uv.ScreenBuffer, area uv.Rectangle, y, i int, a *app) {
	c := p.all[i]
	base := a.lk.base
	if i == p.at && a.mode == keys.Pane {
		base = a.lk.selected
		fill(buf, uv.Rect(area.Min.X, y, area.Dx(), 1), base)
	}
	text := promptOf(c)
	if c.Requested != "" {
		text = c.Requested
	}
	room := putRight(buf, area.Min.X, y, area.Dx(), a.lk.dim, ago(now(), c.CreatedAt)) - area.Min.X - 1
	put(buf, area.Min.X, y, room, base, text)
	words := captureWords(c.Status)
	switch {
	case c.Error != "":
		words += ": " + c.Error
	case c.Seed != nil:
		words += fmt.Sprintf(" · seed %d", *c.Seed)
	}
	if c.Workflow != "" {
		words += " · " + c.Workflow
	}
	if y+1 < area.Max.Y {
		put(buf, area.Min.X+2, y+1, area.Dx()-2, a.lk.dim, words)
	}
}

// captureWords is how a capture's state is called on the screen.
func captureWords(s storage.CaptureStatus) string {
	switch s {
	case storage.CapturePrompting:
		return "its prompt is being written"
	case storage.CaptureGenerating:
		return "painting"
	}
	return string(s)
}

// promptOf is a capture's prompt as the user last had it.
func promptOf(c storage.Capture) string {
	if c.ImagePrompt != "" {
		return c.ImagePrompt
	}
	return c.Prompt
}

func (p *capturesPane) act(act keys.Action, a *app) tea.Cmd {
	if p.list.act(act) || p.at >= len(p.all) {
		return nil
	}
	c := p.all[p.at]
	switch act {
	case keys.PaneEnter, keys.PaneEdit:
		return a.openCapture(c)
	case keys.PaneAgain:
		return a.try(func() error { _, err := a.eng.ResendCapture(c.ID); return err })
	case keys.PaneSystem:
		return a.openFile(c)
	case keys.PaneCopy:
		return tea.Batch(a.copyText(promptOf(c)), a.say(engine.Info, "prompt copied"))
	case keys.PaneAvatar:
		return a.try(func() error { return a.eng.CaptureAsAvatar(c.ID) })
	case keys.PaneCancel:
		return a.try(func() error { return a.eng.CancelCapture(c.ID) })
	case keys.PaneDelete:
		a.dialogs.open(&confirm{title: "Delete capture", text: "Delete this capture and its files?", choices: []choice{
			{"n", "keep it", nil},
			{"y", "delete it", func() tea.Cmd { return a.try(func() error { return a.eng.DeleteCapture(c.ID) }) }}}})
	}
	return nil
}

// copyText puts text on the system's clipboard through the terminal.
func (a *app) copyText(text string) tea.Cmd {
	a.clip = text
	return nil
}
