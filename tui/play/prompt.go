package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The views of the prompt pane.
const (
	promptParts = iota
	promptMessages
	promptChanges
)

var promptTabs = [...]string{"Parts", "Messages", "Changes"}

// promptPane shows the next prompt: layer by layer, message by message, or its differences from the
// previous prompt.
type promptPane struct {
	view    play.PromptView
	chat    storage.ChatID // the last chat that was read
	speaker string         // the next speaker, if there are several characters
	fault   error
	loaded  bool
	reads   widget.Latest

	at     int // index in promptTabs
	lists  [len(promptTabs)]promptList
	folds  map[string]bool // sections that the user has folded (true) or unfolded (false)
	opened map[int]bool    // messages that are unfolded
	width  int             // width of the lines
	stale  bool            // they must be rebuilt
	head   int             // lines above the list
	tabs   widget.Tabs     // in the last frame
	area   uv.Rectangle    // of the last frame
	host   pane.Host
	part   *Part
}

func newPromptPane(r *Part) *promptPane { return &promptPane{host: r.host, part: r} }

// Title implements pane.Pane.
func (p *promptPane) Title() string {
	if p.speaker != "" {
		return "Prompt" + draw.Separator + p.speaker + " speaks"
	}
	return "Prompt"
}

// Name implements pane.Pane.
func (*promptPane) Name() string { return promptName }

// Read implements pane.Pane.
func (p *promptPane) Read() tea.Cmd {
	id := p.host.Play().Chat().Chat.ID
	if id == "" {
		return nil
	}
	newest := p.reads.Begin()
	return p.host.Do(func() func() tea.Cmd {
		v, err := p.host.Engine().Play.Prompt(p.host.Context(), id, "")
		return func() tea.Cmd {
			if newest() {
				p.setPrompt(id, v, err)
			}
			return nil
		}
	})
}

// setPrompt sets the prompt that was read.
func (p *promptPane) setPrompt(chat storage.ChatID, v play.PromptView, err error) {
	if chat != p.chat {
		p.chat, p.lists, p.opened, p.folds = chat, [len(promptTabs)]promptList{}, nil, nil
	}
	for i := range v.Parts {
		part := &v.Parts[i]
		part.Source, part.Reason = p.part.list.Positions(part.Source), p.part.list.Positions(part.Reason)
	}
	for i := range v.Changes {
		v.Changes[i].Source = p.part.list.Positions(v.Changes[i].Source)
	}
	p.view, p.fault, p.loaded, p.stale, p.speaker = v, err, true, true, ""
	if pane.IsGroup(p.host) {
		p.speaker = draw.Truncate(v.Speaker, 30)
	}
}

func (p *promptPane) list() *promptList { return &p.lists[p.at] }

// Move implements pane.Pane.
func (p *promptPane) Move(n int) { p.list().move(n) }

// Click implements pane.Pane: it chooses a tab, or a line.
func (p *promptPane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		p.show(i)
		return nil
	}
	p.list().click(y - p.area.Min.Y - p.head)
	return nil
}

// Views implements pane.Tabbed.
func (p *promptPane) Views() ([]string, int) { return promptTabs[:], p.at }

// ShowView implements pane.Tabbed.
func (p *promptPane) ShowView(i int) tea.Cmd {
	p.show(i)
	return nil
}

// show goes to a view.
func (p *promptPane) show(view int) { p.at, p.stale = view, true }

// Actions implements pane.Pane.
func (p *promptPane) Actions() []keys.Action {
	on := func(views ...int) func() bool {
		return func() bool { return p.list().line() != nil && slices.Contains(views, p.at) }
	}
	ofRow := func(row int) func() bool {
		return func() bool { return on(promptParts)() && p.list().line().row == row }
	}
	do := func(f func()) func() tea.Cmd { return func() tea.Cmd { f(); return nil } }
	foldable := on(promptParts, promptMessages)
	all := keys.Action{Name: promptFoldAll, Text: "fold or unfold all", Hint: "all", Visible: foldable,
		Do: do(p.foldAll)}
	parts := func() bool { return p.at == promptParts }
	return slices.Concat([]keys.Action{
		{Name: keys.PaneEnter, Text: "fold or unfold the section", Hint: "fold", Visible: ofRow(rowSection),
			Do: do(p.fold)},
		{Name: keys.PaneEnter, Text: "the full text", Hint: "full text", Visible: parts, Do: do(p.openText)},
		{Name: keys.PaneEnter, Text: "fold or unfold the message", Hint: "fold", Visible: on(promptMessages),
			Do: do(p.fold)},
		{Name: keys.PaneEnter, Text: "go to the part", Hint: "go to part", Visible: on(promptChanges),
			Do: p.goToChange},
		{Name: keys.PaneFold, Text: "fold the section", Hint: "fold", Visible: ofRow(rowPart), Do: do(p.fold)},
		{Name: keys.PaneFold, Text: "fold or unfold", Visible: foldable, Do: do(p.fold)},
		keys.PaneAction(all, "pane-mark-all", "*"),
		{Name: keys.PaneCopy, Text: "copy the message", Hint: "copy", Visible: on(promptMessages), Do: p.copyMessage},
	}, keys.MoveActions(p.Move))
}

// copyMessage copies the chosen message of the prompt.
func (p *promptPane) copyMessage() tea.Cmd {
	if l := p.list().line(); l.i < len(p.view.Messages) {
		return p.host.Copy(p.view.Messages[l.i].Content, "")
	}
	return nil
}

// openText shows the whole text of the prompt.
func (p *promptPane) openText() {
	p.host.Open(&widget.Reader{Title: "The next prompt", Lines: widget.PlainLines(promptText(p.view.Messages))})
}

func (p *promptPane) goToChange() tea.Cmd { return p.goTo(p.view.Changes[p.list().line().i]) }

// goTo selects the part of a change, or else the beginning of its layer.
func (p *promptPane) goTo(c prompt.Change) tea.Cmd {
	to := slices.IndexFunc(p.view.Parts, func(part prompt.Part) bool {
		return part.Layer == c.Layer && part.Source == c.Source
	})
	if to < 0 {
		to = slices.IndexFunc(p.view.Parts, func(part prompt.Part) bool { return part.Layer == c.Layer })
	}
	if to < 0 || c.Kind == prompt.Removed {
		return p.host.Say(event.Info, "this part is no longer in the prompt")
	}
	for _, s := range p.sections() {
		if s.from <= to && to < s.to {
			p.setFold(s.key, false)
		}
	}
	p.at = promptParts
	p.buildLines(p.width)
	p.list().choose(func(l promptLine) bool { return l.row == rowPart && l.i == to })
	return nil
}

// promptText returns a prompt as one text.
func promptText(list []prompt.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "── %s ──\n%s\n\n", m.Role, m.Content)
	}
	return safetext.Block(b.String())
}

// Draw implements pane.Pane.
func (p *promptPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	sty := p.host.Styles()
	if p.fault != nil {
		draw.PutWrapped(buf, area, sty.Failure, failure.Text(p.fault))
		return
	}
	if !p.loaded || area.Empty() {
		return
	}
	p.head = p.header(buf, area, sty)
	body := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if p.stale || p.width != body.Dx() {
		p.buildLines(body.Dx())
	}
	l := p.list()
	if len(l.lines) == 0 {
		draw.PutWrapped(buf, body, sty.Dim, p.emptyText())
		return
	}
	from, to := l.view(body.Dy())
	for i := from; i < to; i++ {
		p.row(buf, uv.Rect(body.Min.X, body.Min.Y+i-from, body.Dx()-1, 1), l.lines[i], i == l.at && focused, sty)
	}
	draw.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), from, len(l.lines), sty)
}

// emptyText returns the reason why a view is empty.
func (p *promptPane) emptyText() string {
	switch {
	case p.at != promptChanges:
		return "The prompt is empty."
	case p.view.Last == nil:
		return "There is no earlier prompt to compare with."
	}
	return "No known changes since the previous prompt."
}

// usesWords returns the use of the prompt's tokens, in words.
func usesWords(u play.PromptUses) string {
	list := []struct {
		what   string
		tokens int
	}{{"words", u.Words}, {"memory", u.Memory}, {"lore", u.Lore}, {"cards", u.Cards}, {"instructions", u.Instructions}}
	var parts []string
	for _, l := range list {
		if l.tokens > 0 {
			parts = append(parts, l.what+" "+draw.Thousands(l.tokens))
		}
	}
	return strings.Join(parts, draw.Separator)
}

// header draws the figures of the whole prompt, and returns the number of lines used. On a small
// pane it draws only the most important ones.
func (p *promptPane) header(buf uv.ScreenBuffer, area uv.Rectangle, sty *draw.Styles) int {
	v, x, y, w := &p.view, area.Min.X, area.Min.Y, area.Dx()
	roomy := area.Dy() >= 12
	words := fmt.Sprintf("%s %d of %d tokens", draw.Meter(filled(*v), 10), v.Tokens, v.Budget)
	out := 0
	for _, part := range v.Parts {
		if !part.Included {
			out++
		}
	}
	if out > 0 {
		words += fmt.Sprintf("%s%d left out", draw.Separator, out)
	}
	if n := len(v.Warnings); n > 0 {
		words += draw.Separator + draw.Plural(n, "warning")
	}
	draw.Put(buf, x, y, w, sty.Base, draw.Parts(words, w))
	draw.Put(buf, x, y+1, w, sty.Dim, draw.Parts(rereadWords(v), w))
	y += 2
	if words := usesWords(v.Uses); words != "" && roomy {
		draw.Put(buf, x, y, w, sty.Dim, draw.Parts(words, w))
		y++
	}
	if words := measuredWords(v.Last); words != "" && roomy {
		draw.Put(buf, x, y, w, sty.Dim, draw.Parts(words, w))
		y++
	}
	if v.Miss != nil {
		lines := draw.Wrap(cacheMissWords(*v.Miss), w-2)
		most := 1
		if roomy {
			most = 3
		}
		for i, l := range lines[:min(most, len(lines))] {
			if i == 0 {
				draw.Put(buf, x, y, 2, sty.Warning, "!")
			}
			if i == most-1 && len(lines) > most {
				l += " …"
			}
			draw.Put(buf, x+2, y, w-2, sty.Warning, l)
			y++
		}
	}
	if roomy {
		y++
	}
	p.tabs.Draw(buf, uv.Rect(x, y, w, 1), promptTabs[:], p.behindTab, p.at, sty)
	return y + 1 - area.Min.Y
}

// behindTab returns the text after a tab's name.
func (p *promptPane) behindTab(i int) string {
	if n := len(p.view.Changes); i == promptChanges && n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}
