package play

import (
	"cmp"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// castDialog shows the cast of a chat, and lets the user change it.
type castDialog struct {
	pane.ListDialog[chats.CastView]
	pane.UndoStack
	part *Part
	chat storage.ChatID
	cast chats.CastList
}

// orders are the turn orders with their words.
var orders = []struct {
	order         storage.TurnOrder
	words, detail string
}{
	{storage.OrderRoundRobin, "one after the other", "in the order of this list"},
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

// castDialog returns the open dialog, nil for none.
func (r *Part) castDialog() *castDialog {
	for _, d := range r.host.Dialogs().All {
		if c, ok := d.(*castDialog); ok {
			return c
		}
	}
	return nil
}

// openCast shows the cast of the open chat.
func openCast(r *Part) tea.Cmd {
	if r.view.Chat.ID == "" {
		return r.host.Run(keys.Characters)
	}
	chat := r.view.Chat.ID
	return r.askCast(func() tea.Cmd {
		d := &castDialog{UndoStack: pane.UndoStack{Host: r.host}, part: r, chat: chat}
		d.List, d.Title, d.Wide = pane.NewList[chats.CastView](r.host, 1), "Cast", 80
		d.ID = func(v *chats.CastView) string { return string(v.Character) }
		d.Row, d.Text, d.Own = d.row, d.notes, d.actions()
		d.After = func() tea.Cmd { return r.askCast(nil) }
		d.show(r.casting.CastList)
		r.host.Open(d)
		return nil
	})
}

func (d *castDialog) show(list chats.CastList) {
	d.cast = list
	d.Show(list.List)
}

func (d *castDialog) actions() []keys.Action {
	of := func(name keys.Name, hint string, do func(chats.CastView) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Hint: hint, Visible: d.Has, Do: d.On(do)}
	}
	return append([]keys.Action{
		of(keys.PaneMark, "away", d.away),
		{Name: keys.PaneNew, Hint: "add", Do: d.openJoin},
		of(keys.PaneEdit, "since", d.openSince),
		of(keys.PaneDelete, "remove", d.leave),
		{Name: keys.DialogBrowse, Hint: "order", Do: d.openOrder},
		of(keys.Speak, "speak", d.speak),
	}, d.UndoActions()...)
}

// away marks a character as away, or as back.
func (d *castDialog) away(v chats.CastView) tea.Cmd {
	set := func(away bool) func() error {
		return func() error { return d.Host.Engine().Chats.SetAway(d.chat, v.Character, away) }
	}
	words := " is away"
	if v.Away {
		words = " is back"
	}
	return d.Change(draw.Truncate(v.Name, 30)+words, set(!v.Away), set(v.Away))
}

// speak makes a character speak now.
func (d *castDialog) speak(v chats.CastView) tea.Cmd {
	if v.Away {
		return d.Host.Say(event.Info, draw.Truncate(v.Name, 30)+" is away: "+d.Key(keys.PaneMark)+" brings them back")
	}
	d.Close()
	if cmd, ok := d.part.maySend(); !ok {
		return cmd
	}
	return d.part.speak(v.Character)
}

// leave removes a character. Undo adds it again.
func (d *castDialog) leave(v chats.CastView) tea.Cmd {
	if v.Main {
		away := d.Key(keys.PaneMark) + " marks them as away"
		return d.Host.Say(event.Info, draw.Truncate(v.Name, 30)+" cannot be removed: "+away)
	}
	svc := d.Host.Engine().Chats
	leave := func() error { return svc.LeaveCast(d.chat, v.Character) }
	return d.Change(draw.Truncate(v.Name, 30)+" is removed", leave, func() error {
		err := svc.JoinCast(d.chat, v.Character)
		if err == nil && v.Away {
			err = svc.SetAway(d.chat, v.Character, true)
		}
		return err
	})
}

// openJoin offers the characters who are not in the cast.
func (d *castDialog) openJoin() tea.Cmd {
	return d.Host.Do(func() func() tea.Cmd {
		all, err := d.Host.Engine().Library.Characters()
		return func() tea.Cmd {
			if err != nil {
				return d.Host.Fail(err)
			}
			plays := map[storage.CharacterID]bool{}
			for _, v := range d.cast.List {
				plays[v.Character] = true
			}
			var entries []widget.Entry
			for _, c := range all {
				if !plays[c.ID] {
					entries = append(entries,
						widget.Entry{Title: draw.Truncate(c.Card.Name, 80),
							Detail: draw.Truncate(chats.Named(c.Card.Description, c.Card, d.part.view.Persona), 200),
							Value:  c.ID})
				}
			}
			svc := d.Host.Engine().Chats
			p := widget.NewPicker(d.Host.Styles(), "Add a character", entries, func(e widget.Entry) tea.Cmd {
				who := e.Value.(storage.CharacterID)
				return d.Change(draw.Truncate(e.Title, 30)+" is added",
					func() error { return svc.JoinCast(d.chat, who) },
					func() error { return svc.LeaveCast(d.chat, who) })
			})
			p.Verb = func(widget.Entry) string { return "add" }
			p.Empty = "There are no other characters: import a card or create a character first."
			d.Host.Open(p)
			return nil
		}
	})
}

// openOrder offers the ways to choose the next speaker.
func (d *castDialog) openOrder() tea.Cmd {
	set := func(o storage.TurnOrder) func() error {
		return func() error { return d.Host.Engine().Chats.SetTurnOrder(d.chat, o) }
	}
	var entries []widget.Entry
	at := 0
	for i, o := range orders {
		e := widget.Entry{Title: o.words, Detail: o.detail, Value: o.order}
		if o.order == d.cast.Order || d.cast.Order == "" && i == 0 {
			at, e.Right = i, "now"
		}
		entries = append(entries, e)
	}
	p := widget.NewPicker(d.Host.Styles(), "Who speaks next?", entries, func(e widget.Entry) tea.Cmd {
		was := cmp.Or(d.cast.Order, storage.OrderRoundRobin)
		return d.Change("turn order: "+e.Title, set(e.Value.(storage.TurnOrder)), set(was))
	})
	p.At = at
	d.Host.Open(p)
	return nil
}

func (d *castDialog) row(v *chats.CastView, _ int) pane.Row {
	at := slices.IndexFunc(d.Items, func(w chats.CastView) bool { return w.Character == v.Character })
	r := pane.Row{Sign: "✓", Text: strconv.Itoa(at+1) + " " + draw.Truncate(v.Name, 80)}
	switch {
	case v.Away:
		r.Sign, r.Right, r.Faint = "–", "away", true
	case v.Character == d.cast.Next || d.cast.Next == "" && d.alone():
		r.Right = "speaks next"
	}
	switch {
	case v.Main:
		r.Column = "main character"
	case v.Said:
		r.Column = "present " + sinceWords(v.Since)
	}
	return r
}

// alone reports whether one character plays alone.
func (d *castDialog) alone() bool { return len(d.Items) == 1 }

// notes returns lines about the turn order, the next speaker and the reason.
func (d *castDialog) notes(_ *chats.CastView, w int) []string {
	t, dim := draw.Lines{Width: w}, d.Host.Styles().Dim
	if d.alone() {
		t.Add(dim, "No other characters yet. "+
			"In a group each character uses its own card and knows only what it has witnessed.")
		return t.Text
	}
	t.Add(dim, "Turn order: "+orderWords(d.cast.Order))
	for _, v := range d.Items {
		if v.Character == d.cast.Next && d.cast.Next != "" {
			t.Add(dim, "Next: "+draw.Truncate(v.Name, 40)+", who "+draw.Truncate(d.cast.Why, 80))
		}
	}
	return t.Text
}
