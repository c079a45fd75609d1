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
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
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
	widget.Base
	widget.Outline
	room   *Room
	chat   storage.ChatID
	facts  []storage.Fact
	factOf []int // the fact of each row, -1 for a heading
	reads  widget.Latest
	order  widget.InOrder // of the changes
	known  bool           // the sheet was read
	gone   *storage.Fact  // that was taken off last
	fault  string
	wish   storage.FactID // to be chosen once it is read
	area   uv.Rectangle
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
	if f, ok := d.fact(); ok && wish == "" {
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
	d.layOut()
	if i := slices.IndexFunc(d.facts, func(f storage.Fact) bool { return f.ID == wish }); i >= 0 {
		d.Choose(slices.Index(d.factOf, i))
		d.wish = ""
	}
}

// layOut makes the rows: the facts, under the headings of their kinds.
func (d *factsDialog) layOut() {
	var rows []widget.OutlineRow
	d.factOf = d.factOf[:0]
	add := func(fact int) {
		rows = append(rows, widget.OutlineRow{Height: 1, Heading: fact < 0})
		d.factOf = append(d.factOf, fact)
	}
	for i, f := range d.facts {
		if i == 0 || d.facts[i-1].Kind != f.Kind {
			add(-1)
		}
		add(i)
	}
	d.Fill(rows)
}

// move chooses the nth line from the chosen one. The line that was to be chosen once the sheet
// is read is not any more.
func (d *factsDialog) move(n int) {
	d.wish, d.fault = "", ""
	d.Move(n)
}

// fact is the chosen one; ok is false for none.
func (d *factsDialog) fact() (_ storage.Fact, ok bool) {
	if i := d.Chosen(); i >= 0 {
		return d.facts[d.factOf[i]], true
	}
	return storage.Fact{}, false
}

func (d *factsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			d.move(-1)
		} else {
			d.move(1)
		}
	case tea.MouseClickMsg:
		if uv.Pos(m.X, m.Y).In(d.area) {
			d.Click(m.Y - d.area.Min.Y)
			d.move(0)
		}
	}
	return nil, false
}

// Actions implements widget.Dialog. The key that opened it also closes it.
func (d *factsDialog) Actions() []keys.Action {
	edit := d.onChosen(keys.PaneEdit, "edit", func(f storage.Fact) tea.Cmd { d.openForm(f); return nil })
	enter := edit
	enter.Name, enter.Hint, enter.Words = keys.DialogEnter, "", "edit"
	undo := keys.Action{Name: keys.PaneUndo, Hint: "undo", Do: d.bringBack, When: func() string {
		if d.gone == nil {
			return "nothing to undo"
		}
		return ""
	}}
	return slices.Concat([]keys.Action{
		{Name: keys.PaneNew, Hint: "new", Do: keys.Does(d.add)}, edit, enter,
		d.onChosen(keys.PaneOnOff, "mute", d.mute), d.onChosen(keys.PaneDelete, "delete", d.remove), undo, d.Closing(),
		{Name: keys.Continuity, Words: "close", Do: keys.Does(d.Close)},
	}, widget.Choosing(d.move, func() int { return d.Page }), widget.Ends(d.move))
}

// onChosen is an action on the chosen line.
func (d *factsDialog) onChosen(name keys.Name, hint string, do func(storage.Fact) tea.Cmd) keys.Action {
	return keys.Action{Name: name, Hint: hint, Here: func() bool { return d.Chosen() >= 0 },
		Do: func() tea.Cmd { f, _ := d.fact(); return do(f) }}
}

// add opens the form of a new line, like the chosen one.
func (d *factsDialog) add() {
	n := storage.Fact{Kind: storage.FactAppearance}
	if f, ok := d.fact(); ok {
		n.Kind, n.Who = f.Kind, f.Who
	}
	d.openForm(n)
}

// mute has a line not be used, or be used again.
func (d *factsDialog) mute(f storage.Fact) tea.Cmd {
	if f.Ended == "" || f.Muted { // what has ended holds again when it is put
		f.Muted = !f.Muted
	}
	return d.put(f)
}

// remove takes a line off the sheet.
func (d *factsDialog) remove(f storage.Fact) tea.Cmd {
	d.gone = &f
	return d.change(func() (storage.Fact, error) {
		return storage.Fact{}, d.room.desk.Engine().Pictures.Continuity.Delete(d.chat, f.ID)
	})
}

// put stores a line.
func (d *factsDialog) put(f storage.Fact) tea.Cmd {
	return d.change(func() (storage.Fact, error) { return d.room.desk.Engine().Pictures.Continuity.Put(d.chat, f) })
}

// bringBack puts the line on the sheet again that was taken off last.
func (d *factsDialog) bringBack() tea.Cmd {
	f := *d.gone
	f.ID, d.gone = "", nil
	return d.put(f)
}

// change does something to the sheet and reads it again. A line that was not there
// is then chosen.
func (d *factsDialog) change(do func() (storage.Fact, error)) tea.Cmd {
	d.fault = ""
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
	f := widget.Form{Title: title, Fields: []*widget.Field{
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

// Draw implements widget.Dialog.
func (d *factsDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(90, screen.Dx())
	var empty []string
	if len(d.facts) == 0 {
		empty = look.Wrap(d.emptyWords(), w-4)
	}
	notes := d.notes(w - 4)
	n := len(d.factOf) + len(empty)
	in := look.Frame(buf, look.Centred(screen, w, max(8, n+len(notes)+3)), lk, "Continuity sheet", d.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if len(notes) > 0 && in.Dy() < 12 {
		notes = notes[:min(len(notes), max(0, in.Dy()/4))]
	}
	h := max(1, in.Dy()-len(notes))
	if len(notes) > 0 && n < h {
		h--
	}
	d.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), h)
	for i := range min(h, len(empty)) {
		look.Put(buf, in.Min.X, in.Min.Y+i, in.Dx(), lk.Dim, empty[i])
	}
	d.Show(d.area, func(i int, room uv.Rectangle) { d.row(buf, room, i, lk) })
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, h), d.Top, n, lk)
	for i, n := range notes {
		look.Put(buf, in.Min.X, in.Max.Y-len(notes)+i, in.Dx(), n.style(lk), n.text)
	}
	return nil
}

// emptyWords say that there are no facts.
func (d *factsDialog) emptyWords() string {
	if !d.known {
		return "Loading …"
	}
	return "The sheet is empty. Captures fill it; " + d.Key(keys.PaneNew) + " adds a line. " +
		"Picture prompts are told these lines until the story ends them."
}

// row draws a heading or a fact.
func (d *factsDialog) row(buf uv.ScreenBuffer, room uv.Rectangle, i int, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	if d.factOf[i] < 0 {
		look.Put(buf, x, y, w, lk.Title, factKindWords(d.facts[d.factOf[i+1]].Kind))
		return
	}
	f := d.facts[d.factOf[i]]
	st, dim := lk.Base, lk.Dim
	if f.Muted || f.Ended != "" {
		st = lk.Dim
	}
	if i == d.At {
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
	words := f.Text
	if f.Who != "" {
		words = look.Within(f.Who, 30) + ": " + words
	}
	left := w
	if w > 30 {
		left = look.PutRight(buf, x, y, w, dim, right) - x - 1
	}
	look.Put(buf, x, y, left, st, mark+words)
}

// notes say what is wrong, or the whole of the line that is chosen.
func (d *factsDialog) notes(w int) (out []remark) {
	if d.fault != "" {
		for _, l := range look.Wrap(d.fault, max(1, w)) {
			out = append(out, remark{text: l, bad: true})
		}
		return out
	}
	f, ok := d.fact()
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
