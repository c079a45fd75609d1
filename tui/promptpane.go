package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/play"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

// The views of the prompt pane.
const (
	promptParts = iota
	promptMessages
	promptChanges
)

var promptTabs = [...]string{"Parts", "Messages", "Changes"}

// promptPane shows what the model will be told next: layer by layer, message by
// message, or what of it differs from the prompt before.
type promptPane struct {
	view    play.PromptView
	chat    storage.ChatID // that was read last
	speaker string         // where several play
	fault   error
	loaded  bool
	reads   widget.Latest

	at     int // of promptTabs
	lists  [len(promptTabs)]promptList
	folds  map[string]bool // sections that the user has folded, or unfolded (false)
	opened map[int]bool    // messages that are unfolded
	width  int             // that the lines were made for
	stale  bool            // the lines must be made anew
	head   int             // lines above the list
	tabs   widget.Tabs     // in the last frame
}

func (*promptPane) kind() paneKind { return panePrompt }

func (p *promptPane) title() string {
	if p.speaker != "" {
		return "Prompt" + look.Separator + p.speaker + " speaks"
	}
	return "Prompt"
}

func (p *promptPane) foot() string {
	switch p.at {
	case promptMessages:
		return "enter fold · * all · y copy · 1 2 3 views"
	case promptChanges:
		if len(p.view.Changes) == 0 {
			return "1 2 3 views"
		}
		return "enter go to the part · 1 2 3 views"
	}
	return "enter the whole text · z fold · * all · 1 2 3 views"
}

func (p *promptPane) read(a *app) tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	newest := p.reads.Begin()
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Play.Prompt(a.ctx, id, "")
		return func() tea.Cmd {
			if newest() {
				p.take(id, v, err, a)
			}
			return nil
		}
	})
}

// take shows what was read.
func (p *promptPane) take(chat storage.ChatID, v play.PromptView, err error, a *app) {
	if chat != p.chat {
		p.chat, p.lists, p.opened, p.folds = chat, [len(promptTabs)]promptList{}, nil, nil
	}
	for i := range v.Ledger {
		part := &v.Ledger[i]
		part.Source, part.Reason = a.play.positions(part.Source), a.play.positions(part.Reason)
	}
	for i := range v.Changes {
		v.Changes[i].Source = a.play.positions(v.Changes[i].Source)
	}
	p.view, p.fault, p.loaded, p.stale, p.speaker = v, err, true, true, ""
	if a.several() {
		p.speaker = look.Within(v.Speaker, 30)
	}
}

func (p *promptPane) list() *promptList { return &p.lists[p.at] }
func (p *promptPane) Move(n int)        { p.list().move(n) }
func (p *promptPane) click(row int)     { p.list().click(row - 1 - p.head) }

// clickAt chooses a tab, or a line.
func (p *promptPane) clickAt(x, y int, a *app) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		p.at, p.stale = i, true
		return nil
	}
	p.click(y - a.lay.pane.Min.Y)
	return nil
}

func (p *promptPane) act(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneView1, keys.PaneView2, keys.PaneView3:
		p.at = map[keys.Action]int{keys.PaneView1: promptParts, keys.PaneView2: promptMessages, keys.PaneView3: promptChanges}[act]
		p.stale = true
	case keys.PaneEnter:
		return p.enter(a)
	case keys.PaneFold, keys.PaneMark:
		p.fold()
	case keys.PaneMarkAll:
		p.foldAll()
	case keys.PaneCopy:
		if l := p.list().line(); p.at == promptMessages && l != nil && l.i < len(p.view.Messages) {
			return tea.Batch(a.Copy(p.view.Messages[l.i].Content), a.Say(event.Info, "copied"))
		}
	default:
		p.list().act(act)
	}
	return nil
}

// enter opens what is chosen: the whole text, a section, a message, or the part
// that has changed.
func (p *promptPane) enter(a *app) tea.Cmd {
	l := p.list().line()
	switch {
	case p.at == promptParts && (l == nil || l.row != rowSection):
		a.dialogs.Open(&widget.Reader{Title: "The next prompt", Lines: keptLines(promptText(p.view.Messages))})
	case p.at == promptChanges && l != nil:
		return p.goTo(p.view.Changes[l.i], a)
	default:
		p.fold()
	}
	return nil
}

// goTo chooses the part that a change is about, or else where its layer begins.
func (p *promptPane) goTo(c script.Change, a *app) tea.Cmd {
	to := slices.IndexFunc(p.view.Ledger, func(part script.Part) bool { return part.Layer == c.Layer && part.Source == c.Source })
	if to < 0 {
		to = slices.IndexFunc(p.view.Ledger, func(part script.Part) bool { return part.Layer == c.Layer })
	}
	if to < 0 || c.Kind == script.Removed {
		return a.Say(event.Info, "this part is not in the prompt any more")
	}
	for _, s := range p.sections() {
		if s.from <= to && to < s.to {
			p.setFold(s.key, false)
		}
	}
	p.at = promptParts
	p.make(p.width)
	p.list().choose(func(l promptLine) bool { return l.row == rowPart && l.i == to })
	return nil
}

// promptText is a prompt as one text.
func promptText(list []script.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "── %s ──\n%s\n\n", m.Role, m.Content)
	}
	return safetext.Block(b.String())
}

// keptLines makes a reader's lines of plain text and keeps them for as long as
// the width stays.
func keptLines(text string) func(int) []string {
	var kept []string
	width := 0
	return func(w int) []string {
		if w != width {
			kept, width = look.Wrap(text, w), w
		}
		return kept
	}
}

func (p *promptPane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.fault != nil {
		look.PutWrapped(buf, area, a.lk.Failure, failure.Words(p.fault))
		return
	}
	if !p.loaded || area.Empty() {
		return
	}
	p.head = p.header(buf, area, a.lk)
	body := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if p.stale || p.width != body.Dx() {
		p.make(body.Dx())
	}
	l := p.list()
	if len(l.lines) == 0 {
		look.PutWrapped(buf, body, a.lk.Dim, p.nothing())
		return
	}
	from, to := l.view(body.Dy())
	for i := from; i < to; i++ {
		p.row(buf, uv.Rect(body.Min.X, body.Min.Y+i-from, body.Dx()-1, 1), l.lines[i], i == l.at && a.mode == keys.Pane, a.lk)
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), from, len(l.lines), a.lk)
}

// nothing says why a view is empty.
func (p *promptPane) nothing() string {
	switch {
	case p.at != promptChanges:
		return "The prompt is empty."
	case p.view.Last == nil:
		return "There is no prompt before this one to compare with."
	}
	return "Nothing is known to differ from the prompt before."
}

// header tells of the prompt as a whole, and says how many lines that took.
// Where there is little room it keeps to what matters most.
func (p *promptPane) header(buf uv.ScreenBuffer, area uv.Rectangle, lk *look.Look) int {
	v, x, y, w := &p.view, area.Min.X, area.Min.Y, area.Dx()
	roomy := area.Dy() >= 12
	share := 0.0
	if v.Room > 0 {
		share = float64(v.Tokens) / float64(v.Room)
	}
	words := fmt.Sprintf("%s %d of %d tokens", look.Meter(share, 10), v.Tokens, v.Room)
	out := 0
	for _, part := range v.Ledger {
		if !part.Included {
			out++
		}
	}
	if out > 0 {
		words += fmt.Sprintf("%s%d left out", look.Separator, out)
	}
	if n := len(v.Warnings); n > 0 {
		words += look.Separator + look.Plural(n, "warning")
	}
	look.Put(buf, x, y, w, lk.Base, look.Hints(words, w))
	look.Put(buf, x, y+1, w, lk.Dim, look.Hints(rereadWords(v), w))
	y += 2
	if words := measuredWords(v.Last); words != "" && roomy {
		look.Put(buf, x, y, w, lk.Dim, look.Hints(words, w))
		y++
	}
	if v.Break != nil {
		lines := look.Wrap(breakWords(*v.Break), w-2)
		most := 1
		if roomy {
			most = 3
		}
		for i, l := range lines[:min(most, len(lines))] {
			if i == 0 {
				look.Put(buf, x, y, 2, lk.Warning, "!")
			}
			if i == most-1 && len(lines) > most {
				l += " …"
			}
			look.Put(buf, x+2, y, w-2, lk.Warning, l)
			y++
		}
	}
	if roomy {
		y++
	}
	p.tabs.Draw(buf, uv.Rect(x, y, w, 1), promptTabs[:], p.behindTab, p.at, lk)
	return y + 1 - area.Min.Y
}

// behindTab is what stands behind a tab's name.
func (p *promptPane) behindTab(i int) string {
	if n := len(p.view.Changes); i == promptChanges && n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}
