package pictures

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// factKinds are the kinds of facts in the order of the sheet, with their words.
var factKinds = []struct {
	kind  storage.FactKind
	words string
}{
	{storage.FactAppearance, "Appearance"},
	{storage.FactClothes, "Clothes"},
	{storage.FactPlace, "Place"},
	{storage.FactLight, "Light"},
	{storage.FactProps, "Props"},
}

// factKindWords is how a kind is called; one that is not known goes by its own
// name.
func factKindWords(k storage.FactKind) string {
	for _, v := range factKinds {
		if v.kind == k {
			return v.words
		}
	}
	return string(k)
}

// factSourceWords is who said a fact.
func factSourceWords(s storage.FactSource) string {
	switch s {
	case storage.FactFromUser:
		return "you"
	case storage.FactFromCapture:
		return "a capture"
	case storage.FactFromLore:
		return "card"
	}
	return string(s)
}

// factsDialog is the continuity sheet of a chat: what stays as it is from picture
// to picture.
type factsDialog struct {
	widget.Sheet
	room  *Room
	chat  storage.ChatID
	facts []storage.Fact
	reads widget.Latest
	order widget.InOrder // of the changes
	known bool           // the sheet was read
	at    int
	gone  *storage.Fact // that was taken off last
	fault string
	wish  storage.FactID // to be chosen once it is read
	rows  []int          // the fact of each line, -1 for others, of the last frame
	area  uv.Rectangle
}

func (r *Room) openContinuity() tea.Cmd {
	if r.desk.Chat().Chat.ID == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	return r.openFacts(r.desk.Chat().Chat.ID)
}

// openFacts shows the continuity sheet of a chat.
func (r *Room) openFacts(chat storage.ChatID) tea.Cmd {
	d := &factsDialog{room: r, chat: chat}
	r.desk.Open(d)
	return d.read()
}

// read reads the sheet again.
func (d *factsDialog) read() tea.Cmd {
	newest := d.reads.Begin()
	return d.room.desk.Do(func() func() tea.Cmd {
		facts, err := d.room.desk.Engine().Pictures.Continuity.Facts(d.chat)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if err != nil {
				d.fault = failure.Words(err)
				return nil
			}
			d.take(facts)
			return nil
		}
	})
}

// take shows facts by kind and keeps the one that is chosen.
func (d *factsDialog) take(facts []storage.Fact) {
	wish := d.wish
	if f, ok := d.chosen(); ok && wish == "" {
		wish = f.ID
	}
	place := func(k storage.FactKind) int {
		for i, v := range factKinds {
			if v.kind == k {
				return i
			}
		}
		return len(factKinds)
	}
	d.facts = slices.Clone(facts)
	slices.SortStableFunc(d.facts, func(x, y storage.Fact) int { return place(x.Kind) - place(y.Kind) })
	d.known = true
	if i := slices.IndexFunc(d.facts, func(f storage.Fact) bool { return f.ID == wish }); i >= 0 {
		d.at, d.wish = i, ""
	}
	d.move(0)
}

// choose is the user's choice of a line: what was to be chosen once it is read is
// not any more.
func (d *factsDialog) choose(i int) {
	d.at, d.wish = i, ""
	d.move(0)
}

func (d *factsDialog) move(n int) { d.at = max(0, min(d.at+n, len(d.facts)-1)) }

func (d *factsDialog) chosen() (storage.Fact, bool) {
	if d.at < 0 || d.at >= len(d.facts) {
		return storage.Fact{}, false
	}
	return d.facts[d.at], true
}

func (d *factsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			d.choose(d.at - 1)
		} else {
			d.choose(d.at + 1)
		}
	case tea.MouseClickMsg:
		if row := m.Y - d.area.Min.Y; m.X >= d.area.Min.X && m.X < d.area.Max.X && row >= 0 && row < len(d.rows) && d.rows[row] >= 0 {
			d.choose(d.rows[row])
		}
	case tea.KeyPressMsg:
		return d.key(widget.KeyName(m))
	}
	return nil, false
}

func (d *factsDialog) key(k string) (tea.Cmd, bool) {
	d.fault = ""
	switch k {
	case "esc", "q", "ctrl+c", "alt+t":
		return nil, true
	case "up", "k":
		d.choose(d.at - 1)
	case "down", "j":
		d.choose(d.at + 1)
	case "pgup":
		d.choose(d.at - max(1, d.Page))
	case "pgdown":
		d.choose(d.at + max(1, d.Page))
	case "home", "g":
		d.choose(0)
	case "end", "G":
		d.choose(len(d.facts))
	case "a", "n":
		n := storage.Fact{Kind: storage.FactAppearance}
		if f, ok := d.chosen(); ok {
			n.Kind, n.Who = f.Kind, f.Who
		}
		d.openForm(n)
	case "u":
		return d.bringBack(), false
	}
	f, ok := d.chosen()
	if !ok {
		return nil, false
	}
	switch k {
	case "enter", "e":
		d.openForm(f)
	case "space", "m":
		if f.Ended == "" || f.Muted { // what has ended holds again when it is put
			f.Muted = !f.Muted
		}
		return d.change(func() (storage.Fact, error) { return d.room.desk.Engine().Pictures.Continuity.Put(d.chat, f) }), false
	case "x", "d", "delete":
		d.gone = &f
		return d.change(func() (storage.Fact, error) {
			return storage.Fact{}, d.room.desk.Engine().Pictures.Continuity.Delete(d.chat, f.ID)
		}), false
	}
	return nil, false
}

// bringBack puts the line on the sheet again that was taken off last.
func (d *factsDialog) bringBack() tea.Cmd {
	if d.gone == nil {
		d.fault = "nothing to undo"
		return nil
	}
	f := *d.gone
	f.ID, d.gone = "", nil
	return d.change(func() (storage.Fact, error) { return d.room.desk.Engine().Pictures.Continuity.Put(d.chat, f) })
}

// change does something to the sheet and reads it again. A line that was not there
// is then chosen.
func (d *factsDialog) change(do func() (storage.Fact, error)) tea.Cmd {
	return d.order.Do(d.room.desk, func() func() tea.Cmd {
		f, err := do()
		return func() tea.Cmd {
			if err != nil {
				d.fault, d.gone = failure.Words(err), nil
			}
			if !slices.ContainsFunc(d.facts, func(x storage.Fact) bool { return x.ID == f.ID }) {
				d.wish = f.ID
			}
			return d.read()
		}
	})
}

var errNeedsFact = errors.New("enter a text")

// openForm lets the user write a line of the sheet; one without an id is new.
func (d *factsDialog) openForm(old storage.Fact) {
	title := "New continuity line"
	if old.ID != "" {
		title = "Edit continuity line"
	}
	var kinds []string
	at := len(factKinds)
	for i, v := range factKinds {
		kinds = append(kinds, v.words)
		if v.kind == old.Kind {
			at = i
		}
	}
	if at == len(factKinds) {
		kinds = append(kinds, factKindWords(old.Kind))
	}
	const who = "a name; empty: everyone"
	f := widget.Form{Title: title, Foot: "tab next · ←→ choose · ^S save · esc close", Fields: []*widget.Field{
		widget.PickField("About", kinds[at], kinds),
		widget.LineField(d.room.desk.Look(), "Who", old.Who, who),
		widget.TextField(d.room.desk.Look(), "Text", old.Text, 3),
		widget.PickField("Used", yesNo(!old.Muted), yesNoWords),
	}}
	k := desk.NewKeptForm(d.room.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n := old
		if i := f.Fields[0].Chosen; i < len(factKinds) {
			n.Kind = factKinds[i].kind
		}
		n.Who, n.Text = strings.TrimSpace(f.Fields[1].Value()), strings.TrimSpace(f.Fields[2].Value())
		n.Muted, n.Source = f.Fields[3].Chosen != 0, storage.FactFromUser
		if n.Text == "" {
			f.Focus(2)
			return nil, errNeedsFact
		}
		return func() (func() tea.Cmd, error) {
			got, err := d.room.desk.Engine().Pictures.Continuity.Put(d.chat, n)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				d.wish = got.ID
				return d.read()
			}, nil
		}, nil
	})
	k.Focus(2)
	d.room.desk.Open(k)
}

// yesNoWords are the options of a field that says yes or no.
var yesNoWords = []string{"yes", "no"}

func yesNo(yes bool) string {
	if yes {
		return yesNoWords[0]
	}
	return yesNoWords[1]
}

// Hints implements widget.Dialog.
func (*factsDialog) Hints() string {
	return widget.Hints("n new", "e edit", "space mute", "d delete", "u undo", "esc close", widget.FullHelp)
}

func (d *factsDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(90, screen.Dx())
	lines, rows := d.lines(w - 4)
	notes := d.notes(w - 4)
	in := look.Frame(buf, look.Centred(screen, w, max(8, len(lines)+len(notes)+3)), lk, "Continuity sheet",
		d.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if len(notes) > 0 && in.Dy() < 12 {
		notes = notes[:min(len(notes), max(0, in.Dy()/4))]
	}
	h := max(1, in.Dy()-len(notes))
	if len(notes) > 0 && len(lines) < h {
		h--
	}
	d.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), h)
	at := slices.Index(rows, d.at)
	top := max(0, min(d.Sheet.Top, at), at-h+1)
	if at == 1 {
		top = 0 // with the heading above the first fact
	}
	d.Sheet.Top, d.Page = top, max(1, h-1)
	d.rows = d.rows[:0]
	for i := top; i < len(lines) && i < top+h; i++ {
		d.row(buf, in.Min.Y+i-top, lines[i], rows[i], lk)
		d.rows = append(d.rows, rows[i])
	}
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, h), top, len(lines), lk)
	for i, n := range notes {
		look.Put(buf, in.Min.X, in.Max.Y-len(notes)+i, in.Dx(), n.style(lk), n.text)
	}
	return nil
}

// lines are the facts under the headings of their kinds, and the fact of each
// line, -1 for none.
func (d *factsDialog) lines(w int) (lines []string, rows []int) {
	if len(d.facts) == 0 {
		words := "Loading …"
		if d.known {
			words = "The sheet is empty. Captures fill it; n adds a line. Picture prompts are told these lines until the story ends them."
		}
		for _, l := range look.Wrap(words, w) {
			lines, rows = append(lines, l), append(rows, -1)
		}
		return lines, rows
	}
	for i, f := range d.facts {
		if i == 0 || d.facts[i-1].Kind != f.Kind {
			lines, rows = append(lines, factKindWords(f.Kind)), append(rows, -1)
		}
		words := f.Text
		if f.Who != "" {
			words = look.Within(f.Who, 30) + ": " + words
		}
		lines, rows = append(lines, words), append(rows, i)
	}
	return lines, rows
}

// row draws a line: a heading or a fact.
func (d *factsDialog) row(buf uv.ScreenBuffer, y int, text string, i int, lk *look.Look) {
	x, w := d.area.Min.X, d.area.Dx()
	if i < 0 {
		st := lk.Title
		if len(d.facts) == 0 {
			st = lk.Dim
		}
		look.Put(buf, x, y, w, st, text)
		return
	}
	f := d.facts[i]
	st, dim := lk.Base, lk.Dim
	if f.Muted || f.Ended != "" {
		st = lk.Dim
	}
	if i == d.at {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), st)
	}
	mark, right := "✓ ", factSourceWords(f.Source)
	switch {
	case f.Muted:
		mark, right = "– ", "muted"
	case f.Ended != "":
		mark, right = "– ", "ended"
	}
	room := w
	if w > 30 {
		room = look.PutRight(buf, x, y, w, dim, right) - x - 1
	}
	look.Put(buf, x, y, room, st, mark+text)
}

// notes say what is wrong, or the whole of the line that is chosen.
func (d *factsDialog) notes(w int) (out []remark) {
	if d.fault != "" {
		for _, l := range look.Wrap(d.fault, max(1, w)) {
			out = append(out, remark{text: l, bad: true})
		}
		return out
	}
	f, ok := d.chosen()
	if !ok {
		return nil
	}
	words := f.Text
	if f.Who != "" {
		words = f.Who + ": " + words
	}
	words += " (" + factSourceWords(f.Source)
	if !f.UpdatedAt.IsZero() {
		words += ", " + look.AgoWords(f.UpdatedAt)
	}
	words += ")"
	for _, l := range look.Wrap(words, max(1, w)) {
		if out = append(out, remark{text: l}); len(out) == 4 {
			break
		}
	}
	return out
}
