package memory

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Focus of a correction: a field, or the list of places.
const (
	atWrong = iota
	atInstead
	atPlaces
)

// correction is the dialog that corrects a wrong sentence: the sentence, its replacement, and the
// places that contain it, which can be chosen.
type correction struct {
	widget.Base
	host   pane.Host
	chat   storage.ChatID
	from   storage.NodeID // the message that it was opened on, "" for none
	others []string       // sentences of the message from
	pick   int            // among these
	fields [2]*widget.Input

	at     int // index of the focused field or list
	found  memory.CorrectionPlan
	chosen map[string]bool // the user's choice for each place, by its id
	place  int             // index of the marked one
	top    int             // the first line of the list in view
	page   int

	looked string // the input that the places were found for
	busy   string // the current activity, "" for none
	fault  string
	asked  bool // whether it may be closed unsaved
	reads  widget.Latest
	// done is called once it is stored, with words for the user and a function to undo it.
	done func(words string, back func() error) tea.Cmd
}

// openCorrection opens the dialog with a sentence. done may be nil.
func openCorrection(d pane.Host, sentence string, from storage.NodeID, others []string,
	done func(words string, back func() error) tea.Cmd) tea.Cmd {
	c := &correction{host: d, chat: d.Play().Chat().Chat.ID, from: from, others: others,
		chosen: map[string]bool{}, done: done}
	if c.chat == "" {
		return d.Say(event.Info, "open a chat first")
	}
	for i := range c.fields {
		c.fields[i] = widget.NewInput(true)
		c.fields[i].SetStyles(d.Styles())
	}
	c.fields[atWrong].Set(sentence)
	c.fields[atInstead].Area.Placeholder = "correct text; empty to remove"
	c.focus(atInstead)
	d.Open(c)
	return c.find()
}

// correctMessage corrects a sentence of a message.
func correctMessage(d pane.Host, m chats.Message) tea.Cmd {
	list := memory.Sentences(m.Content)
	if len(list) == 0 {
		return d.Say(event.Info, "there is no sentence to correct")
	}
	return openCorrection(d, list[0], m.ID, list, nil)
}

// correctFact returns an action that corrects a fact. done may be nil.
func correctFact(d pane.Host, f memory.Fact, done func(words string, back func() error) tea.Cmd) tea.Cmd {
	return openCorrection(d, f.Text, "", nil, done)
}

// ask returns the typed correction.
func (c *correction) ask() memory.Correction {
	return memory.Correction{Chat: c.chat, Wrong: c.fields[atWrong].Value(), Instead: c.fields[atInstead].Value(),
		Message: c.from}
}

func (c *correction) typed() string {
	return c.fields[atWrong].Value() + "\n" + c.fields[atInstead].Value()
}

// find searches the places for the typed text.
func (c *correction) find() tea.Cmd {
	typed := c.typed()
	if typed == c.looked {
		if c.busy != "" { // for another sentence, whose places are not needed any more
			_ = c.reads.Begin()
			c.busy = ""
		}
		return nil
	}
	newest, ask, eng := c.reads.Begin(), c.ask(), c.host.Engine()
	c.busy, c.fault = "searching …", ""
	return c.host.Do(func() func() tea.Cmd {
		found, err := eng.Memory.PlanCorrection(ask)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			c.busy, c.looked = "", typed
			if err != nil {
				c.found, c.fault, c.looked = memory.CorrectionPlan{}, failure.Text(err), ""
				return nil
			}
			at := 0
			if c.place < len(c.found.Places) {
				was := c.found.Places[c.place].ID
				at = slices.IndexFunc(found.Places, func(p memory.Place) bool { return p.ID == was })
			}
			c.found, c.place = found, max(0, at)
			return nil
		}
	})
}

// isChosen reports whether a place is chosen.
func (c *correction) isChosen(p *memory.Place) bool {
	if said, ok := c.chosen[p.ID]; ok {
		return said
	}
	return p.Chosen
}

func (c *correction) ids() (out []string) {
	for i := range c.found.Places {
		if p := &c.found.Places[i]; c.isChosen(p) {
			out = append(out, p.ID)
		}
	}
	return out
}

// focus focuses a field or the list.
func (c *correction) focus(at int) {
	c.at = (at + 3) % 3
	for i, f := range c.fields {
		if i == c.at {
			f.Focus()
		} else {
			f.Blur()
		}
	}
}

const saving = "fixing …"

// Actions implements widget.Dialog. While it is stored there is only what closes it.
func (c *correction) Actions() []keys.Action {
	onPlaces := func() bool { return c.at == atPlaces }
	onSentences := func() bool { return c.at == atWrong && len(c.others) > 1 }
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Do: func() tea.Cmd { c.focus(c.at + n); return c.find() }}
	}
	next := step(keys.DialogNext, 1)
	next.Hint = "next"
	sentences := []keys.Action{{Name: keys.DialogUp, Hint: "sentence", Until: keys.DialogDown,
		Do: func() tea.Cmd { return c.turn(-1) }},
		{Name: keys.DialogDown, Do: func() tea.Cmd { return c.turn(1) }}}
	list := slices.Concat(
		keys.When(onPlaces,
			keys.Action{Name: keys.DialogMark, Hint: "select", Do: keys.Does(c.mark)},
			keys.Action{Name: keys.DialogEnter, Text: "fix", Do: c.apply}),
		[]keys.Action{{Name: keys.DialogSave, Hint: "fix", Do: c.apply}},
		keys.When(onPlaces, keys.Action{Name: keys.PaneMarkAll, Hint: "all", Do: keys.Does(c.markAll)}),
		keys.When(onSentences, sentences...),
		[]keys.Action{next, step(keys.DialogEnter, 1), step(keys.DialogPrevious, -1)},
		keys.When(onPlaces, slices.Concat(widget.Choosing(c.move, func() int { return max(1, c.page/3) }),
			widget.Ends(c.move))...))
	for i := range list {
		do := list[i].Do
		list[i].Do = func() tea.Cmd { c.renew(); return do() }
	}
	return append(keys.When(func() bool { return c.busy != saving }, list...),
		keys.Action{Name: keys.DialogClose, Hint: "close", Do: keys.Does(c.leave)})
}

// Typing implements widget.Dialog.
func (c *correction) Typing() bool { return c.at != atPlaces }

// Handle implements widget.Dialog.
func (c *correction) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			c.move(-1)
		} else {
			c.move(1)
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		if c.Typing() && c.busy != saving {
			c.renew()
			return c.fields[c.at].Update(m), false
		}
	}
	return nil, false
}

// renew clears messages, because the user continues.
func (c *correction) renew() { c.asked, c.fault = false, "" }

// leave closes the dialog. With a correction that was not stored it closes only at the second call.
func (c *correction) leave() {
	if !c.asked && c.busy != saving && c.fields[atInstead].Value() != "" {
		c.asked, c.fault = true, "nothing is fixed yet: "+c.Key(keys.DialogClose)+" again closes, "+
			c.Key(keys.DialogSave)+" fixes"
		return
	}
	c.Close()
}

// turn selects another sentence of the message.
func (c *correction) turn(step int) tea.Cmd {
	n := len(c.others)
	c.pick = (c.pick + step + n) % n
	c.fields[atWrong].Set(c.others[c.pick])
	return c.find()
}

// mark toggles the choice of the marked place.
func (c *correction) mark() {
	if c.place < len(c.found.Places) {
		p := &c.found.Places[c.place]
		c.chosen[p.ID] = !c.isChosen(p)
	}
}

// markAll chooses all places, or none if all are chosen.
func (c *correction) markAll() {
	all := len(c.ids()) < len(c.found.Places)
	for i := range c.found.Places {
		c.chosen[c.found.Places[i].ID] = all
	}
}

func (c *correction) move(n int) {
	c.place = max(0, min(c.place+n, len(c.found.Places)-1))
}

// apply applies the correction, if the shown places belong to the typed text.
func (c *correction) apply() tea.Cmd {
	if c.typed() != c.looked {
		c.focus(atPlaces)
		return c.find() // the user must see the list first
	}
	ask, ids, eng := c.ask(), c.ids(), c.host.Engine()
	if len(ids) == 0 && ask.Instead == "" {
		c.fault = "nothing is selected"
		return nil
	}
	c.busy = saving
	return c.host.Do(func() func() tea.Cmd {
		done, err := eng.Memory.ApplyCorrection(ask, ids)
		return func() tea.Cmd {
			c.busy = ""
			if err != nil {
				c.fault, c.looked = failure.Text(err), ""
				return nil
			}
			c.Close()
			return c.applied(done)
		}
	})
}

// applied returns the command that shows what was corrected and how to undo it.
func (c *correction) applied(done memory.CorrectionResult) tea.Cmd {
	words := "fixed in " + draw.Plural(done.Count, "place")
	switch {
	case done.Remember && done.Count == 0:
		words = "saved as a memory"
	case done.Remember:
		words += ", and saved as a memory"
	}
	if c.done != nil {
		eng, chat := c.host.Engine(), c.chat
		return c.done(words, func() error { _, _, err := eng.Memory.UndoCorrection(chat, done.Step); return err })
	}
	if k := c.host.Keys().Key(keys.Undo, keys.Browse); k != "" {
		words += draw.Separator + k + " undoes it"
	}
	return c.host.Say(event.Info, words)
}
