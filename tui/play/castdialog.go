package play

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// castDialog shows who plays in a chat, and lets the user change it.
type castDialog struct {
	widget.Base
	room    *Room
	chat    storage.ChatID
	list    chats.CastList
	fault   string
	done    string         // what was done last and can be taken back
	back    func() error   // which takes it back, nil for nothing
	order   widget.InOrder // of the changes
	at, top int
	area    uv.Rectangle // of the rows in the last frame
}

// orders are the turn orders with their words.
var orders = []struct {
	order         storage.TurnOrder
	words, detail string
}{
	{storage.OrderRobin, "one after the other", "in the order of this list"},
	{storage.OrderMention, "last character mentioned", "otherwise one after the other"},
	{storage.OrderDirector, "chosen by the director", "otherwise the last character mentioned"},
	{storage.OrderUser, "you choose", "you are asked after every message"},
	{storage.OrderNatural, "natural", "mentioned characters first, then by talkativeness"},
	{storage.OrderPooled, "pooled", "random, among those who have not spoken since you"},
}

func orderWords(o storage.TurnOrder) string {
	for _, v := range orders {
		if v.order == o {
			return v.words
		}
	}
	return orders[0].words
}

// castDialog is the open one, nil for none.
func (r *Room) castDialog() *castDialog {
	for _, d := range r.desk.Dialogs() {
		if c, ok := d.(*castDialog); ok {
			return c
		}
	}
	return nil
}

// openCast shows who plays in the open chat.
func (r *Room) openCast() tea.Cmd {
	if r.view.Chat.ID == "" {
		return r.desk.Run(keys.Characters)
	}
	chat := r.view.Chat.ID
	return r.askCast(func() tea.Cmd {
		r.desk.Open(&castDialog{room: r, chat: chat, list: r.casting.CastList})
		return nil
	})
}

func (d *castDialog) take(list chats.CastList) {
	d.list = list
	d.move(0)
}

func (d *castDialog) move(n int) { d.at = max(0, min(d.at+n, len(d.list.List)-1)) }

func (d *castDialog) chosen() (chats.CastView, bool) {
	if d.at < 0 || d.at >= len(d.list.List) {
		return chats.CastView{}, false
	}
	return d.list.List[d.at], true
}

// Handle implements widget.Dialog.
func (d *castDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			d.move(-1)
		} else {
			d.move(1)
		}
	case tea.MouseClickMsg:
		if row := m.Y - d.area.Min.Y; m.X >= d.area.Min.X && m.X < d.area.Max.X && row >= 0 && row < d.area.Dy() && d.top+row < len(d.list.List) {
			d.at = d.top + row
		}
	}
	return nil, false
}

// Actions implements widget.Dialog.
func (d *castDialog) Actions() []keys.Action {
	of := func(name keys.Name, hint string, do func(chats.CastView) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Hint: hint, Here: func() bool { _, ok := d.chosen(); return ok },
			Do: func() tea.Cmd { v, _ := d.chosen(); return do(v) }}
	}
	list := slices.Concat([]keys.Action{
		of(keys.PaneMark, "away", d.away),
		{Name: keys.PaneNew, Hint: "add", Do: d.openJoin},
		of(keys.PaneEdit, "since", d.openSince),
		of(keys.PaneDelete, "remove", d.leave),
		{Name: keys.DialogBrowse, Hint: "order", Do: d.openOrder},
		of(keys.Speak, "speak", d.speak),
		d.Closing(),
		{Name: keys.PaneUndo, Words: "undo", Do: d.undo},
	}, widget.Choosing(d.move, func() int { return d.area.Dy() }), widget.Ends(d.move))
	for i := range list {
		do := list[i].Do
		list[i].Do = func() tea.Cmd { d.fault = ""; return do() }
	}
	return list
}

// away marks a character as away, or as there again.
func (d *castDialog) away(v chats.CastView) tea.Cmd {
	return d.change(func() error { return d.room.desk.Engine().Chats.SetAway(d.chat, v.Character, !v.Away) })
}

// speak has a character speak now.
func (d *castDialog) speak(v chats.CastView) tea.Cmd {
	if v.Away {
		d.fault = look.Within(v.Name, 30) + " is away: " + d.Key(keys.PaneMark) + " brings them back"
		return nil
	}
	d.Close()
	if cmd, ok := d.room.maySend(); !ok {
		return cmd
	}
	return d.room.speak(v.Character)
}

// change does something to the cast and reads it again.
func (d *castDialog) change(do func() error) tea.Cmd {
	return d.order.Do(d.room.desk, func() func() tea.Cmd {
		err := do()
		return func() tea.Cmd {
			if err != nil {
				d.fault = failure.Words(err)
			}
			return d.room.askCast(nil)
		}
	})
}

// leave takes a character out, which can be made undone by bringing it in again.
func (d *castDialog) leave(v chats.CastView) tea.Cmd {
	if v.Main {
		d.fault = "this is " + look.Within(v.Name, 30) + "'s chat: " + d.Key(keys.PaneMark) +
			" marks the main character as away"
		return nil
	}
	return d.change(func() error { return d.room.desk.Engine().Chats.LeaveCast(d.chat, v.Character) })
}

// openJoin offers the characters who do not play yet.
func (d *castDialog) openJoin() tea.Cmd {
	return d.room.desk.Do(func() func() tea.Cmd {
		all, err := d.room.desk.Engine().Library.Characters()
		return func() tea.Cmd {
			if err != nil {
				return d.room.desk.Fail(err)
			}
			plays := map[storage.CharacterID]bool{}
			for _, v := range d.list.List {
				plays[v.Character] = true
			}
			var entries []widget.Entry
			for _, c := range all {
				if !plays[c.ID] {
					entries = append(entries, widget.Entry{Title: look.Within(c.Card.Name, 80), Detail: look.Within(chats.Named(c.Card.Description, c.Card, d.room.view.Persona), 200), Value: c.ID})
				}
			}
			p := widget.NewPicker(d.room.desk.Look(), "Add a character", entries, func(e widget.Entry) tea.Cmd {
				return d.change(func() error { return d.room.desk.Engine().Chats.JoinCast(d.chat, e.Value.(storage.CharacterID)) })
			})
			p.Verb = func(widget.Entry) string { return "add" }
			p.Empty = "There are no other characters: import a card or create a character first."
			d.room.desk.Open(p)
			return nil
		}
	})
}

// openOrder offers the ways in which the next speaker is found.
func (d *castDialog) openOrder() tea.Cmd {
	var entries []widget.Entry
	at := 0
	for i, o := range orders {
		e := widget.Entry{Title: o.words, Detail: o.detail, Value: o.order}
		if o.order == d.list.Order || d.list.Order == "" && i == 0 {
			at, e.Right = i, "now"
		}
		entries = append(entries, e)
	}
	p := widget.NewPicker(d.room.desk.Look(), "Who speaks next?", entries, func(e widget.Entry) tea.Cmd {
		return d.change(func() error { return d.room.desk.Engine().Chats.SetTurnOrder(d.chat, e.Value.(storage.TurnOrder)) })
	})
	p.At = at
	d.room.desk.Open(p)
	return nil
}

// Draw implements widget.Dialog.
func (d *castDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	n := len(d.list.List)
	w := min(80, screen.Dx())
	notes := d.notes(w - 4)
	in := look.Frame(buf, look.Centred(screen, w, n+len(notes)+3), lk, "Cast", d.Hints())
	// Where there is little room the rows must be seen, and what is wrong.
	rows := min(n, max(1, in.Dy()-len(notes)-1))
	if in.Dy() < 1 {
		return nil
	}
	d.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), min(rows, in.Dy()))
	d.top = max(0, min(d.top, d.at), d.at-rows+1)
	for i := 0; i < d.area.Dy() && d.top+i < n; i++ {
		d.row(buf, d.area.Min.Y+i, d.top+i, lk)
	}
	y := in.Min.Y + rows + 1
	for _, note := range notes {
		if y < in.Max.Y {
			look.Put(buf, in.Min.X, y, in.Dx(), note.st(lk), note.text)
		}
		y++
	}
	return nil
}

func (d *castDialog) row(buf uv.ScreenBuffer, y, i int, lk *look.Look) {
	v := d.list.List[i]
	x, w := d.area.Min.X, d.area.Dx()
	st, dim := lk.Base, lk.Dim
	if v.Away {
		st = lk.Dim
	}
	if i == d.at {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), st)
	}
	mark, right := "✓ ", ""
	switch {
	case v.Away:
		mark, right = "– ", "away"
	case v.Character == d.list.Next || d.list.Next == "" && alone(d.list.List):
		right = "speaks next"
	}
	room := look.PutRight(buf, x, y, w, dim, right) - x - 1
	words := strconv.Itoa(i+1) + " " + look.Within(v.Name, 80)
	k := look.Put(buf, x, y, room, st, mark+words)
	switch {
	case v.Main:
		look.Put(buf, x+k+2, y, room-k-2, dim, "main character")
	case v.Said:
		look.Put(buf, x+k+2, y, room-k-2, dim, "present "+sinceWords(v.Since))
	}
}

// alone tells whether one character plays alone.
func alone(list []chats.CastView) bool { return len(list) == 1 }

// castNote is a line under the rows.
type castNote struct {
	text string
	bad  bool
}

func (n castNote) st(lk *look.Look) uv.Style {
	if n.bad {
		return lk.Warning
	}
	return lk.Dim
}

// notes say how the next speaker is found, who that is and why.
func (d *castDialog) notes(w int) []castNote {
	var out []castNote
	add := func(text string, bad bool) {
		for _, l := range look.Wrap(text, max(1, w)) {
			out = append(out, castNote{l, bad})
		}
	}
	if d.fault != "" {
		add(d.fault, true)
	}
	if d.back != nil {
		add(d.done+look.Separator+d.Key(keys.PaneUndo)+" undoes it", false)
	}
	if alone(d.list.List) {
		add("No other characters yet. In a group each character uses its own card and knows only what it has witnessed.", false)
		return out
	}
	add("Turn order: "+orderWords(d.list.Order), false)
	for _, v := range d.list.List {
		if v.Character == d.list.Next && d.list.Next != "" {
			add("Next: "+look.Within(v.Name, 40)+", who "+look.Within(d.list.Why, 80), false)
		}
	}
	return out
}
