package play

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Settings changes the config file, as the room needs it. It is called away from the
// screen's goroutine.
type Settings interface {
	// Set writes a setting, and has the engine go by it.
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
	habits.Item
}

// habitsPane shows what the model says and does again and again in the open chat.
type habitsPane struct {
	desk.Undoing
	list     desk.GroupList
	settings Settings // nil where there is no config file
	view     play.HabitsView
	rows     []habit
	lines    widget.Rows // in the last frame
	top      int         // of the list in the last frame
	place    *habitPlace
}

// habitPlace is how far the user has gone through the messages of a habit. It outlives the
// pane, which a narrow screen closes to show a message.
type habitPlace struct {
	chat storage.ChatID
	key  string // of the row, "" for none
	at   int    // which message is shown, counted from the newest
}

func openHabits(r *Room) tea.Cmd {
	return r.desk.OpenPane(keys.PaneHabits, func() desk.Pane { return newHabitsPane(r.desk, r.settings, &r.habit) })
}

func newHabitsPane(d desk.Desk, s Settings, place *habitPlace) *habitsPane {
	var heads []string
	for _, h := range habitHeads {
		heads = append(heads, h.head)
	}
	p := &habitsPane{Undoing: desk.Undoing{Desk: d}, list: desk.NewGroupList(d, heads), settings: s, place: place}
	p.After = p.Read
	return p
}

// Title implements desk.Pane.
func (*habitsPane) Title() string { return "Habits" }

// Name implements desk.Pane.
func (*habitsPane) Name() string { return habitsName }

// Actions implements desk.Pane.
func (p *habitsPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(habit) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Hint: hint, Here: func() bool { _, ok := p.chosen(); return ok },
			Do: func() tea.Cmd { h, _ := p.chosen(); return do(h) }}
	}
	ban := on(keys.PaneStop, "ban the phrase", "ban", p.ban)
	ban.When = p.whyNotBan
	advise := on(keys.PaneNew, "add advice about it to the author's note", "add to note", p.advise)
	advise.When = p.whyNotAdvise
	return slices.Concat(p.list.Moves(), []keys.Action{
		on(keys.PaneEnter, "go to the messages that have it, one after the other", "go to message", p.goThrough),
		ban, advise,
		{Name: keys.PaneEdit, Words: "banned phrases and other reply checks", Hint: "voice",
			Do: func() tea.Cmd { return p.Desk.Run(keys.Voice) }},
		on(keys.PaneCopy, "copy the phrase", "copy", func(h habit) tea.Cmd { return p.Desk.Copy(h.Text, "") }),
	}, p.UndoActions())
}

// whyNotBan says why the chosen habit cannot be banned, "" where it can.
func (p *habitsPane) whyNotBan() string {
	h, _ := p.chosen()
	switch {
	case !h.Said:
		k := p.Desk.Keys().Key(keys.PaneNew, keys.Pane)
		return "this is not a phrase: " + k + " adds advice about it to the author's note"
	case p.settings == nil:
		return "there is no config file to save it in"
	}
	return ""
}

// whyNotAdvise says that there is no advice about the chosen habit, "" where there is.
func (p *habitsPane) whyNotAdvise() string {
	if h, _ := p.chosen(); habits.Advice(h.kind, h.Item) == "" {
		return "there is no advice about it"
	}
	return ""
}

// Pointing implements desk.Pointer: the message of a habit is pointed at.
func (p *habitsPane) Pointing() bool { return p.place.key != "" }

// Move implements desk.Pane.
func (p *habitsPane) Move(n int) { p.list.Move(n) }

// Click implements desk.Pane.
func (p *habitsPane) Click(_, y int) tea.Cmd {
	if i, ok := p.lines.At(y - p.top); ok {
		p.list.Pick(i)
	}
	return nil
}

// Read implements desk.Pane.
func (p *habitsPane) Read() tea.Cmd {
	if chat := p.Desk.Chat().Chat.ID; p.list.Chat != chat {
		p.list.Renew(chat)
		p.Forget()
		p.rows, p.view = nil, play.HabitsView{}
		if p.place.chat != chat {
			*p.place = habitPlace{chat: chat}
		}
		p.list.Wish = p.place.key
	}
	if p.list.Chat == "" {
		return nil
	}
	eng := p.Desk.Engine()
	return p.list.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		v, err := eng.Play.Habits(chat, 0)
		return func() []desk.GroupRow { return p.take(v) }, err
	})
}

// take shows what was read.
func (p *habitsPane) take(v play.HabitsView) (list []desk.GroupRow) {
	p.view, p.rows = v, nil
	for i, head := range habitHeads {
		for _, it := range v.Group(head.kind).Items {
			p.rows = append(p.rows, habit{head.kind, it})
			list = append(list, desk.GroupRow{Key: string(head.kind) + " " + it.Text, Group: i, Text: it.Text})
		}
	}
	return list
}

func (p *habitsPane) chosen() (habit, bool) {
	i, ok := p.list.Chosen()
	if !ok || i >= len(p.rows) {
		return habit{}, false
	}
	return p.rows[i], true
}

// goThrough shows the newest message that has a habit, and then one after the other those
// above it.
func (p *habitsPane) goThrough(h habit) tea.Cmd {
	if key := p.list.Key(); p.place.key != key {
		p.place.key, p.place.at = key, 0
	} else {
		p.place.at++
	}
	n := len(h.Messages)
	p.place.at %= n
	node := h.Messages[n-1-p.place.at]
	words := fmt.Sprintf("%s%s%d of %d", look.Within(h.Text, 40), look.Separator, p.place.at+1, n)
	return p.Desk.Find(node, func(bool) tea.Cmd {
		cmd := p.Desk.JumpTo(node)
		if p.Desk.Pane() == desk.Pane(p) { // it stands beside the play, and goes on to the next
			p.Desk.FocusPane()
		}
		return tea.Batch(cmd, p.Desk.Say(event.Info, words))
	})
}

// ban puts what the replies say among the phrases that the user does not want to read.
func (p *habitsPane) ban(h habit) tea.Cmd {
	eng, settings := p.Desk.Engine(), p.settings
	chat := p.list.Chat
	write := func(change func(config.Voice) (string, bool)) func() error {
		return func() error {
			v, err := eng.Play.Habits(chat, 0)
			if err != nil {
				return err
			}
			value, changes := change(config.Voice{Phrases: v.Banned})
			if !changes {
				return failure.Refuse("“%s” is already banned", look.Within(h.Text, 40))
			}
			_, err = settings.Set(config.SettingPhrases, value)
			return err
		}
	}
	do := write(func(v config.Voice) (string, bool) { return v.Ban(h.Text) })
	back := write(func(v config.Voice) (string, bool) { return v.Allow(h.Text), true })
	return p.Change("“"+look.Within(h.Text, 30)+"” is banned", do, back)
}

// advise writes a habit into the author's note of the chat as advice.
func (p *habitsPane) advise(h habit) tea.Cmd {
	eng, chat, line := p.Desk.Engine(), p.list.Chat, habits.Advice(h.kind, h.Item)
	do := func() error {
		added, err := eng.Play.AdviseNote(chat, line)
		if err == nil && !added {
			err = failure.Refuse("the author's note already says so")
		}
		return err
	}
	return p.Change("added to the author's note: "+look.Within(line, 60), do, func() error { return eng.Play.TakeAdvice(chat, line) })
}

// Draw implements desk.Pane.
func (p *habitsPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk, l := p.Desk.Look(), &p.list
	p.lines.Forget()
	switch {
	case l.Chat == "":
		desk.DrawNoChat(p.Desk, buf, area)
		return
	case l.DrawUnread(buf, area):
		return
	case p.view.Replies == 0:
		look.PutWrapped(buf, area, lk.Dim, "There are no replies in this chat yet. After a few, this shows what the model repeats.")
		return
	}
	body := area
	for _, words := range p.figures() {
		look.Put(buf, body.Min.X, body.Min.Y, body.Dx(), lk.Dim, look.Parts(words, body.Dx()))
		if body.Min.Y++; area.Dy() < tallPane {
			break
		}
	}
	if area.Dy() >= tallPane {
		body.Max.Y -= p.below(buf, body)
	}
	p.top = body.Min.Y
	from, to := l.View(body.Dy())
	p.lines.Draw(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), from, to, 1, 0, func(area uv.Rectangle, i int) int {
		p.row(buf, area, i, focused)
		return 1
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Top, len(l.Lines), lk)
}

// tallPane is from how many lines on the chosen row is told of below the list.
const tallPane = 14

// figures are lines about all replies that were looked at.
func (p *habitsPane) figures() []string {
	f, replies := p.view.Figures, "1 reply"
	if n := p.view.Replies; n > 1 {
		replies = fmt.Sprintf("last %d replies", n)
	}
	return []string{
		fmt.Sprintf("%s%s%.0f words each%s%d to %d", replies, look.Separator, f.PerReply, look.Separator, f.Shortest, f.Longest),
		fmt.Sprintf("%.0f words a sentence%s%.0f %% speech", f.Sentence, look.Separator, 100*f.Speech),
	}
}

// row draws a heading or a habit.
func (p *habitsPane) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) {
	l, lk := &p.list, p.Desk.Look()
	n := l.Lines[i]
	if n < 0 {
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, l.Groups[-1-n])
		return
	}
	h, st, dim := p.rows[n], lk.Base, lk.Dim
	if i == l.At && focused {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), st)
	}
	sign := " "
	if p.banned(h) {
		sign = "✗"
	}
	look.Put(buf, area.Min.X, area.Min.Y, 1, dim, sign)
	right := look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-2, dim, fmt.Sprintf("%d of %d", len(h.Messages), p.view.Replies))
	look.Put(buf, area.Min.X+2, area.Min.Y, right-area.Min.X-3, st, look.Within(h.Text, right-area.Min.X-3))
}

func (p *habitsPane) banned(h habit) bool {
	for _, b := range p.view.Banned {
		if h.Said && strings.EqualFold(b, h.Text) {
			return true
		}
	}
	return false
}

// below tells of the chosen habit at the bottom, and says how many lines that took.
func (p *habitsPane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	h, ok := p.chosen()
	if !ok {
		return 0
	}
	lk := p.Desk.Look()
	t := look.Lines{Width: area.Dx() - 2}
	words := fmt.Sprintf("in %d of %d replies", len(h.Messages), p.view.Replies)
	if h.Times > len(h.Messages) {
		words += fmt.Sprintf("%s%d times", look.Separator, h.Times)
	}
	if p.banned(h) {
		words += look.Separator + "banned"
	}
	t.Add(lk.Accent, words)
	if line := habits.Advice(h.kind, h.Item); line != "" {
		t.Add(lk.Dim, "advice: "+line)
	}
	return look.PutBelow(buf, area, t.Text[:min(len(t.Text), look.MostBelow, area.Dy()/3)], lk)
}
