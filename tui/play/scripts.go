package play

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// scriptsPane lists the regex scripts that may act in the open chat, or all of them.
type scriptsPane struct {
	desk.Undoing
	list  desk.GroupList
	all   []chats.RegexView
	lines widget.Rows // in the last frame
	top   int         // of the list in the last frame
}

func openScripts(r *Room) tea.Cmd {
	return r.desk.OpenPane(keys.PaneRegex, func() desk.Pane { return newScriptsPane(r.desk) })
}

func newScriptsPane(d desk.Desk) *scriptsPane {
	return &scriptsPane{Undoing: desk.Undoing{Desk: d}, list: desk.NewGroupList(d, nil)}
}

// Title implements desk.Pane.
func (*scriptsPane) Title() string { return "Regex scripts" }

// Name implements desk.Pane.
func (*scriptsPane) Name() string { return scriptsName }

// Actions implements desk.Pane.
func (p *scriptsPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(chats.RegexView) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Hint: hint, Do: func() tea.Cmd { v, _ := p.chosen(); return do(v) }}
	}
	is := func(has func(v chats.RegexView) bool) func() bool {
		return func() bool { v, ok := p.chosen(); return ok && has(v) }
	}
	card := func(v chats.RegexView) bool { return v.Character != "" }
	edit := on(keys.PaneEdit, "edit", "edit", func(v chats.RegexView) tea.Cmd { return p.openForm(v.RegexScript) })
	edit.When = p.whyCards
	move := func(n int) func(chats.RegexView) tea.Cmd {
		return func(v chats.RegexView) tea.Cmd { return p.move(v, n) }
	}
	allow := func(on bool) func(chats.RegexView) tea.Cmd {
		return func(v chats.RegexView) tea.Cmd { return p.allow(v, on) }
	}
	return slices.Concat(p.list.Moves(),
		keys.At(is(card),
			on(keys.PaneAccept, "allow the scripts of the card", "allow", allow(true)),
			on(keys.PaneReject, "forbid the scripts of the card", "forbid", allow(false))),
		keys.At(is(func(chats.RegexView) bool { return true }),
			on(keys.PaneOnOff, "on or off", "on/off", p.onOff),
			edit,
			on(keys.PaneEnter, "details", "details", p.details)),
		[]keys.Action{{Name: keys.PaneNew, Words: "new script", Hint: "new",
			Do: func() tea.Cmd { return p.openForm(storage.RegexScript{}) }}},
		keys.At(is(func(v chats.RegexView) bool { return !card(v) }),
			on(keys.PaneDelete, "delete", "delete", p.drop),
			keys.Own(on(regexUp, "move the script up: it acts sooner", "", move(-1)), "pane-raise", "alt+up"),
			keys.Own(on(regexDown, "move the script down: it acts later", "", move(1)), "pane-lower", "alt+down")),
		keys.At(is(func(chats.RegexView) bool { return true }),
			keys.Own(on(regexTry, "try the script on a text", "", p.openTrial), "pane-test"),
			keys.Own(on(regexExport, "export the script", "", p.export), "pane-export"),
			keys.Own(on(regexApply, "apply the script to stored messages", "", p.apply), "pane-due-now"),
			on(keys.PaneCopy, "copy the pattern", "", p.copyPattern)),
		[]keys.Action{keys.Own(keys.Action{Name: regexImport, Words: "import regex scripts", Do: p.importFile}, "pane-import")},
		p.UndoActions())
}

// whyCards says that the chosen script is a card's and cannot be edited, "" where it can.
func (p *scriptsPane) whyCards() string {
	if v, _ := p.chosen(); v.Character == "" {
		return ""
	}
	way := p.Desk.WayTo(regexExport)
	return "a card's script cannot be edited: " + way + " exports it, and the file can be imported as your own"
}

func (p *scriptsPane) copyPattern(v chats.RegexView) tea.Cmd { return p.Desk.Copy(v.Find, "pattern") }

// Move implements desk.Pane.
func (p *scriptsPane) Move(n int) { p.list.Move(n) }

// Click implements desk.Pane.
func (p *scriptsPane) Click(_, y int) tea.Cmd {
	if i, ok := p.lines.At(y - p.top); ok {
		p.list.Pick(i)
	}
	return nil
}

// Read implements desk.Pane.
func (p *scriptsPane) Read() tea.Cmd {
	if chat := p.Desk.Chat().Chat.ID; p.list.Chat != chat {
		p.list.Renew(chat)
		p.all = nil
	}
	eng := p.Desk.Engine()
	return p.list.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		list, err := eng.Chats.Regex.List(chat)
		return func() []desk.GroupRow { return p.take(list) }, err
	})
}

// take shows what was read, under a heading for the user's own and one for each card.
func (p *scriptsPane) take(list []chats.RegexView) (rows []desk.GroupRow) {
	p.all, p.list.Groups = list, nil
	last := storage.CharacterID("\x00")
	for _, v := range list {
		if v.Character != last {
			last = v.Character
			head := "Global scripts"
			if v.Character != "" {
				head = "Scripts of " + v.Of
			}
			p.list.Groups = append(p.list.Groups, head)
		}
		rows = append(rows, desk.GroupRow{Key: v.ID, Group: len(p.list.Groups) - 1, Text: strings.ToLower(v.Name)})
	}
	return rows
}

func (p *scriptsPane) chosen() (chats.RegexView, bool) {
	i, ok := p.list.Chosen()
	if !ok || i >= len(p.all) {
		return chats.RegexView{}, false
	}
	return p.all[i], true
}

func quotedScript(v chats.RegexView) string { return "“" + look.Within(v.Name, 30) + "”" }

func (p *scriptsPane) onOff(v chats.RegexView) tea.Cmd {
	r, on, words := p.Desk.Engine().Chats.Regex, v.Off, quotedScript(v)+" is off"
	if on {
		if words = quotedScript(v) + " is on"; !v.Allowed {
			words += " once the card's scripts are allowed"
		}
	}
	return p.Change(words, func() error { return r.Switch(v, on) }, func() error { return r.Switch(v, !on) })
}

func (p *scriptsPane) allow(v chats.RegexView, on bool) tea.Cmd {
	r, words := p.Desk.Engine().Chats.Regex, "the scripts of "+look.Within(v.Of, 30)+" are allowed"
	if !on {
		words = "the scripts of " + look.Within(v.Of, 30) + " are not allowed"
	}
	set := func(on bool) func() error {
		return func() error { _, err := r.Allow(v.Character, on); return err }
	}
	return p.Change(words, set(on), set(v.Allowed))
}

func (p *scriptsPane) drop(v chats.RegexView) tea.Cmd {
	r := p.Desk.Engine().Chats.Regex
	var was storage.RegexScript
	return p.Change(quotedScript(v)+" is deleted", func() (err error) { was, err = r.Delete(v); return err }, func() error { return r.Restore(was) })
}

func (p *scriptsPane) move(v chats.RegexView, n int) tea.Cmd {
	at := slices.IndexFunc(p.all, func(w chats.RegexView) bool { return w.ID == v.ID })
	if to := at + n; to < 0 || to >= len(p.all) || p.all[to].Character != "" {
		return nil
	}
	r := p.Desk.Engine().Chats.Regex
	return p.Change(quotedScript(v)+" acts "+map[int]string{-1: "sooner", 1: "later"}[n], func() error { return r.Move(v, at+n) }, func() error { return r.Move(v, at) })
}

// apply has the user say whether a script is to rewrite what is stored.
func (p *scriptsPane) apply(v chats.RegexView) tea.Cmd {
	chat := p.Desk.Chat().Chat
	if chat.ID == "" {
		return p.Desk.Say(event.Info, "open the chat whose messages should be rewritten")
	}
	eng := p.Desk.Engine()
	rewrite := func() tea.Cmd {
		n := 0
		return p.Order.Do(p.Desk, func() func() tea.Cmd {
			var err error
			n, err = eng.Chats.ApplyRegex(chat.ID, v, 0)
			return func() tea.Cmd {
				if err != nil {
					return p.Desk.Fail(err)
				}
				return p.Desk.Say(event.Info, look.Plural(n, "message")+" rewritten; undo in the chat restores them")
			}
		})
	}
	p.Desk.Open(&widget.Confirm{Title: "Rewrite stored messages", Text: "Let " + quotedScript(v) + " rewrite the stored messages of this chat? Without this it only changes what is shown and sent. Undo restores the messages.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel"}, {Key: "y", Words: "rewrite", Do: rewrite}}})
	return nil
}

// Draw implements desk.Pane.
func (p *scriptsPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk, l := p.Desk.Look(), &p.list
	p.lines.Forget()
	switch {
	case l.DrawUnread(buf, area):
		return
	case len(p.all) == 0:
		look.PutWrapped(buf, area, lk.Dim, fmt.Sprintf("No regex scripts yet. They change how text is shown and sent: %s imports SillyTavern scripts, %s creates one.",
			p.Desk.WayTo(regexImport), p.Desk.Keys().Key(keys.PaneNew, keys.Pane)))
		return
	}
	body := area
	if area.Dy() >= tallPane {
		body.Max.Y -= p.below(buf, area)
	}
	p.top = body.Min.Y
	from, to := l.View(body.Dy())
	p.lines.Draw(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), from, to, 1, 0, func(area uv.Rectangle, i int) int {
		p.row(buf, area, i, focused)
		return 1
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Top, len(l.Lines), lk)
}

// row draws a heading or a script.
func (p *scriptsPane) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) {
	l, lk := &p.list, p.Desk.Look()
	n := l.Lines[i]
	if n < 0 {
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, look.Within(l.Groups[-1-n], area.Dx()))
		return
	}
	v, st, dim := p.all[n], lk.Base, lk.Dim
	if !v.On {
		st = lk.Dim
	}
	if i == l.At && focused {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), st)
	}
	look.Put(buf, area.Min.X, area.Min.Y, 1, dim, scriptSign(v))
	right := look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-2, dim, scriptStage(v))
	look.Put(buf, area.Min.X+2, area.Min.Y, right-area.Min.X-3, st, look.Within(v.Name, right-area.Min.X-3))
}

// scriptSign is a sign of whether a script acts.
func scriptSign(v chats.RegexView) string {
	switch {
	case v.Fault != "":
		return "!"
	case v.Off:
		return "–"
	case !v.Allowed:
		return "?"
	}
	return "✓"
}

// scriptStage says what a script changes.
func scriptStage(v chats.RegexView) string {
	switch {
	case v.OnlyShown && !v.OnlySent:
		return "shown"
	case v.OnlySent && !v.OnlyShown:
		return "sent"
	}
	return "shown, sent"
}

// scriptWords tell of a script in lines.
func scriptWords(v chats.RegexView) (words []string) {
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch {
	case v.Fault != "":
		add("%s", v.Fault)
	case v.Off:
		add("Off.")
	case !v.Allowed:
		add("Inactive until you allow the scripts of this card.")
	}
	add("find: %s", v.Find)
	add("replace with: %s", v.Replace)
	if len(v.Trim) > 0 {
		add("trim out: %s", strings.Join(v.Trim, ", "))
	}
	var places []string
	for _, at := range v.Places {
		places = append(places, scriptPlaces[at])
	}
	add("affects %s, %s", strings.Join(places, ", "), scriptStage(v))
	if v.MinDepth != nil && *v.MinDepth > 0 {
		add("min depth %d", *v.MinDepth)
	}
	if v.MaxDepth != nil {
		add("max depth %d", *v.MaxDepth)
	}
	if v.Unstable != "" {
		add("It changes prompts: %s.", v.Unstable)
	}
	return words
}

// scriptPlaces are the texts that scripts act on, in words.
var scriptPlaces = map[storage.RegexPlace]string{storage.RegexUser: "your messages", storage.RegexReply: "replies", storage.RegexCommand: "narrators",
	storage.RegexLore: "lore", storage.RegexThinking: "thinking"}

// details shows a script as a whole.
func (p *scriptsPane) details(v chats.RegexView) tea.Cmd {
	p.Desk.Open(&widget.Reader{Title: look.Within(v.Name, 60), Lines: widget.PlainLines(strings.Join(scriptWords(v), "\n\n"))})
	return nil
}

// below tells of the chosen script at the bottom, and says how many lines that took.
func (p *scriptsPane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	v, ok := p.chosen()
	if !ok {
		return 0
	}
	lk := p.Desk.Look()
	t := look.Lines{Width: area.Dx() - 2}
	if m, ok := p.Desk.Selected(); ok && m.Shown != nil && slices.Contains(m.Shown.By, v.Name) {
		t.Add(lk.Accent, "changes the selected message")
	}
	for _, words := range scriptWords(v) {
		t.Add(lk.Dim, look.Within(words, 200))
	}
	return look.PutBelow(buf, area, t.Text[:min(len(t.Text), look.MostBelow, area.Dy()/2)], lk)
}
