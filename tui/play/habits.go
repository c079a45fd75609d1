package play

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Settings changes the config file. It is called away from the screen's goroutine.
type Settings interface {
	// Set writes a setting and applies it to the engine.
	Set(name, value string) (config.Setting, error)
}

// habitHeads are the headings of the groups, in their order.
var habitHeads = []struct {
	kind habits.Kind
	head string
}{
	{habits.Openings, "How replies begin"}, {habits.Phrases, "Phrases"},
	{habits.Sentences, "Sentences"}, {habits.Dialogue, "Speech"}, {habits.Endings, "How replies end"},
}

// habit is a row of the pane.
type habit struct {
	kind habits.Kind
	head string
	habits.Item
}

// habitsPane shows what the model repeats in the open chat.
type habitsPane struct {
	pane.UndoStack
	pane.List[habit]
	settings Settings // nil if there is no config file
	view     play.HabitsView
	place    *habitPlace
}

// habitPlace is the user's position among the messages of a habit. It outlives the pane, which a
// narrow screen closes to show a message.
type habitPlace struct {
	chat storage.ChatID
	key  string // of the row, "" for none
	at   int    // index of the shown message, counted from the newest
}

func openHabits(r *Part) tea.Cmd {
	return r.host.Panes().Open(keys.PaneHabits, func() pane.Pane { return newHabitsPane(r.host, r.settings, &r.habit) })
}

func newHabitsPane(d pane.Host, s Settings, place *habitPlace) *habitsPane {
	p := &habitsPane{UndoStack: pane.UndoStack{Host: d}, List: pane.NewList[habit](d, 1), settings: s, place: place}
	p.After, p.Source, p.OnChatChange = p.Read, p.source, p.fresh
	p.ID = func(h *habit) string { return string(h.kind) + " " + h.Text }
	p.Head = func(h *habit) string { return h.head }
	p.Row, p.Above, p.Detail = p.row, p.figures, p.detail
	p.Empty = func() string {
		if p.view.Replies > 0 {
			return "Nothing is repeated in these replies."
		}
		return "There are no replies in this chat yet. After a few, this shows what the model repeats."
	}
	return p
}

// Title implements pane.Pane.
func (*habitsPane) Title() string { return "Habits" }

// Name implements pane.Pane.
func (*habitsPane) Name() string { return habitsName }

// Actions implements pane.Pane.
func (p *habitsPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(habit) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Hint: hint, Visible: p.Has, Do: p.On(do)}
	}
	ban := on(keys.PaneStop, "ban the phrase", "ban", p.ban)
	ban.Unavailable = p.whyNotBan
	advise := on(keys.PaneNew, "add advice about it to the author's note", "add to note", p.advise)
	advise.Unavailable = p.whyNotAdvise
	return slices.Concat(p.Moves(), []keys.Action{
		on(keys.PaneEnter, "go to the messages that have it, one after the other", "go to message", p.goThrough),
		ban, advise,
		{Name: keys.PaneEdit, Text: "banned phrases and other reply checks", Hint: "voice",
			Do: func() tea.Cmd { return p.Host.Run(keys.Voice) }},
		on(keys.PaneCopy, "copy the phrase", "copy", func(h habit) tea.Cmd { return p.Host.Copy(h.Text, "") }),
	}, p.UndoActions())
}

// whyNotBan returns the reason why the chosen habit cannot be banned, "" if it can.
func (p *habitsPane) whyNotBan() string {
	switch {
	case !p.Item().Said:
		k := p.Host.Keys().Key(keys.PaneNew, keys.Pane)
		return "this is not a phrase: " + k + " adds advice about it to the author's note"
	case p.settings == nil:
		return "there is no config file to save it in"
	}
	return ""
}

// whyNotAdvise returns the reason why there is no advice about the chosen habit, "" if there is
// some.
func (p *habitsPane) whyNotAdvise() string {
	if h := p.Item(); habits.Advice(h.kind, h.Item) == "" {
		return "there is no advice about it"
	}
	return ""
}

// Pointing implements pane.Pointer: the message of a habit is pointed at.
func (p *habitsPane) Pointing() bool { return p.place.key != "" }

func (p *habitsPane) source() func(storage.ChatID) ([]habit, func(), error) {
	eng := p.Host.Engine()
	return func(chat storage.ChatID) ([]habit, func(), error) {
		v, err := eng.Play.Habits(chat, 0)
		var list []habit
		for _, head := range habitHeads {
			for _, it := range v.Group(head.kind).Items {
				list = append(list, habit{head.kind, head.head, it})
			}
		}
		return list, func() { p.view = v }, err
	}
}

// fresh restores the user's position in the habits of this chat.
func (p *habitsPane) fresh() {
	p.UndoStack.Clear()
	p.view = play.HabitsView{}
	if p.place.chat != p.Chat {
		*p.place = habitPlace{chat: p.Chat}
	}
	p.PendingKey = p.place.key
}

// goThrough shows the newest message with a habit, and at each further call the one before.
func (p *habitsPane) goThrough(h habit) tea.Cmd {
	if key := p.Key(); p.place.key != key {
		p.place.key, p.place.at = key, 0
	} else {
		p.place.at++
	}
	n := len(h.Messages)
	p.place.at %= n
	node := h.Messages[n-1-p.place.at]
	words := fmt.Sprintf("%s%s%d of %d", draw.Truncate(h.Text, 40), draw.Separator, p.place.at+1, n)
	return p.Host.Play().Find(node, func(bool) tea.Cmd {
		cmd := p.Host.Play().JumpTo(node)
		if p.Host.Panes().Current() == pane.Pane(p) { // it is beside the play, and continues with the next message
			p.Host.Panes().Focus()
		}
		return tea.Batch(cmd, p.Host.Say(event.Info, words))
	})
}

// ban adds a phrase to the user's banned phrases.
func (p *habitsPane) ban(h habit) tea.Cmd {
	eng, settings := p.Host.Engine(), p.settings
	chat := p.Chat
	write := func(change func(config.Voice) (string, bool)) func() error {
		return func() error {
			v, err := eng.Play.Habits(chat, 0)
			if err != nil {
				return err
			}
			value, changes := change(config.Voice{Phrases: v.Banned})
			if !changes {
				return failure.Refusef("“%s” is already banned", draw.Truncate(h.Text, 40))
			}
			_, err = settings.Set(config.SettingPhrases, value)
			return err
		}
	}
	do := write(func(v config.Voice) (string, bool) { return v.Ban(h.Text) })
	back := write(func(v config.Voice) (string, bool) { return v.Allow(h.Text), true })
	return p.Change("“"+draw.Truncate(h.Text, 30)+"” is banned", do, back)
}

// advise adds advice about a habit to the author's note of the chat.
func (p *habitsPane) advise(h habit) tea.Cmd {
	eng, chat, line := p.Host.Engine(), p.Chat, habits.Advice(h.kind, h.Item)
	do := func() error {
		added, err := eng.Play.AddNoteLine(chat, line)
		if err == nil && !added {
			err = failure.Refusef("the author's note already says so")
		}
		return err
	}
	back := func() error { return eng.Play.RemoveNoteLine(chat, line) }
	return p.Change("added to the author's note: "+draw.Truncate(line, 60), do, back)
}

// figures returns lines about the examined replies; in a low pane one line.
func (p *habitsPane) figures(w, h int) []string {
	f, replies := p.view.Figures, "1 reply"
	if p.view.Replies == 0 {
		return nil
	}
	if n := p.view.Replies; n > 1 {
		replies = fmt.Sprintf("last %d replies", n)
	}
	dim := func(words string) string { return p.Host.Styles().Dim.Styled(draw.Parts(words, w)) }
	lines := []string{
		dim(draw.Join(replies, fmt.Sprintf("%.0f words each", f.PerReply),
			fmt.Sprintf("%d to %d", f.Shortest, f.Longest))),
		dim(draw.Join(fmt.Sprintf("%.0f words a sentence", f.Sentence), fmt.Sprintf("%.0f %% speech", 100*f.Speech))),
	}
	if h < 14 {
		return lines[:1]
	}
	return lines
}

func (p *habitsPane) row(h *habit, _ int) pane.Row {
	r := pane.Row{Text: h.Text, SignStyle: p.Host.Styles().Dim}
	r.Right = fmt.Sprintf("%d of %d", len(h.Messages), p.view.Replies)
	if p.banned(h) {
		r.Sign = "✗"
	}
	return r
}

func (p *habitsPane) banned(h *habit) bool {
	for _, b := range p.view.Banned {
		if h.Said && strings.EqualFold(b, h.Text) {
			return true
		}
	}
	return false
}

// detail returns lines about a habit.
func (p *habitsPane) detail(h *habit, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: w}
	words := fmt.Sprintf("in %d of %d replies", len(h.Messages), p.view.Replies)
	if h.Times > len(h.Messages) {
		words += fmt.Sprintf("%s%d times", draw.Separator, h.Times)
	}
	if p.banned(h) {
		words += draw.Separator + "banned"
	}
	t.Add(sty.Accent, words)
	if line := habits.Advice(h.kind, h.Item); line != "" {
		t.Add(sty.Dim, "advice: "+line)
	}
	return t.Text
}
