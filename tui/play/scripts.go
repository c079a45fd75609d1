package play

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// scriptsPane lists the regex scripts that apply to the open chat, or all of them, with a heading
// for the user's own and one for each card.
type scriptsPane struct {
	pane.UndoStack
	pane.List[chats.RegexView]
}

func openScripts(r *Part) tea.Cmd {
	return r.host.Panes().Open(keys.PaneRegex, func() pane.Pane { return newScriptsPane(r.host) })
}

func newScriptsPane(d pane.Host) *scriptsPane {
	p := &scriptsPane{UndoStack: pane.UndoStack{Host: d}, List: pane.NewList[chats.RegexView](d, 1)}
	p.Everywhere = true
	p.Source = func() func(storage.ChatID) ([]chats.RegexView, func(), error) {
		eng, chat := d.Engine(), d.Play().Chat().Chat.ID
		return func(storage.ChatID) ([]chats.RegexView, func(), error) {
			list, err := eng.Chats.Regex.List(chat)
			return list, nil, err
		}
	}
	p.ID = func(v *chats.RegexView) string { return v.ID }
	p.Head = func(v *chats.RegexView) string {
		if isOwn(v) {
			return "Global scripts"
		}
		return "Scripts of " + v.Of
	}
	p.Row = func(v *chats.RegexView, _ int) pane.Row {
		return pane.Row{Sign: scriptSign(*v), SignStyle: d.Styles().Dim, Text: v.Name, Right: scriptStage(*v),
			Faint: !v.On}
	}
	p.Detail = p.detail
	p.Empty = func() string {
		return fmt.Sprintf("No regex scripts yet. They change how text is shown and sent: "+
			"%s imports SillyTavern scripts, %s creates one.", pane.PathTo(d, regexImport),
			d.Keys().Key(keys.PaneNew, keys.Pane))
	}
	return p
}

// isOwn reports whether a script is the user's own and no card's.
func isOwn(v *chats.RegexView) bool { return v.Character == "" }

// Title implements pane.Pane.
func (*scriptsPane) Title() string { return "Regex scripts" }

// Name implements pane.Pane.
func (*scriptsPane) Name() string { return scriptsName }

// Actions implements pane.Pane.
func (p *scriptsPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(chats.RegexView) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Hint: hint, Visible: p.Has, Do: p.On(do)}
	}
	edit := on(keys.PaneEdit, "edit", "edit", func(v chats.RegexView) tea.Cmd { return p.openForm(v.RegexScript) })
	edit.Unavailable = p.whyCards
	move := func(n int) func(chats.RegexView) tea.Cmd {
		return func(v chats.RegexView) tea.Cmd { return p.move(v, n) }
	}
	allow := func(on bool) func(chats.RegexView) tea.Cmd {
		return func(v chats.RegexView) tea.Cmd { return p.allow(v, on) }
	}
	return slices.Concat(p.Moves(),
		keys.When(p.Is(func(v *chats.RegexView) bool { return !isOwn(v) }),
			on(keys.PaneAccept, "allow the scripts of the card", "allow", allow(true)),
			on(keys.PaneReject, "forbid the scripts of the card", "forbid", allow(false))),
		[]keys.Action{
			on(keys.PaneOnOff, "on or off", "on/off", p.onOff),
			edit,
			on(keys.PaneEnter, "details", "details", p.details),
			{Name: keys.PaneNew, Text: "new script", Hint: "new",
				Do: func() tea.Cmd { return p.openForm(storage.RegexScript{}) }}},
		keys.When(p.Is(isOwn),
			on(keys.PaneDelete, "delete", "delete", p.drop),
			keys.PaneAction(on(regexUp, "move the script up: it acts sooner", "", move(-1)), "pane-raise", "alt+up"),
			keys.PaneAction(on(regexDown, "move the script down: it acts later", "", move(1)),
				"pane-lower", "alt+down")),
		[]keys.Action{
			keys.PaneAction(on(regexTry, "try the script on a text", "",
				func(v chats.RegexView) tea.Cmd { return p.openTrial(v.RegexScript) }), "pane-test"),
			keys.PaneAction(on(regexExport, "export the script", "", p.export), "pane-export"),
			keys.PaneAction(on(regexApply, "apply the script to stored messages", "", p.apply), "pane-due-now"),
			on(keys.PaneCopy, "copy the pattern", "", p.copyPattern),
			keys.PaneAction(keys.Action{Name: regexImport, Text: "import regex scripts", Do: p.importFile},
				"pane-import")},
		p.UndoActions())
}

// whyCards returns the reason why the chosen script, as a card's, cannot be edited; "" if it can.
func (p *scriptsPane) whyCards() string {
	if isOwn(p.Item()) {
		return ""
	}
	way := pane.PathTo(p.Host, regexExport)
	return "a card's script cannot be edited: " + way + " exports it, and the file can be imported as your own"
}

func (p *scriptsPane) copyPattern(v chats.RegexView) tea.Cmd { return p.Host.Copy(v.Find, "pattern") }

func quotedScript(v chats.RegexView) string { return "“" + draw.Truncate(v.Name, 30) + "”" }

func (p *scriptsPane) onOff(v chats.RegexView) tea.Cmd {
	r, on, words := p.Host.Engine().Chats.Regex, v.Off, quotedScript(v)+" is off"
	if on {
		if words = quotedScript(v) + " is on"; !v.Allowed {
			words += " once the card's scripts are allowed"
		}
	}
	return p.Change(words, func() error { return r.Switch(v, on) }, func() error { return r.Switch(v, !on) })
}

func (p *scriptsPane) allow(v chats.RegexView, on bool) tea.Cmd {
	r, words := p.Host.Engine().Chats.Regex, "the scripts of "+draw.Truncate(v.Of, 30)+" are allowed"
	if !on {
		words = "the scripts of " + draw.Truncate(v.Of, 30) + " are not allowed"
	}
	set := func(on bool) func() error {
		return func() error { _, err := r.Allow(v.Character, on); return err }
	}
	return p.Change(words, set(on), set(v.Allowed))
}

func (p *scriptsPane) drop(v chats.RegexView) tea.Cmd {
	r := p.Host.Engine().Chats.Regex
	var was storage.RegexScript
	return p.Change(quotedScript(v)+" is deleted", func() (err error) { was, err = r.Delete(v); return err },
		func() error { return r.Restore(was) })
}

func (p *scriptsPane) move(v chats.RegexView, n int) tea.Cmd {
	at := slices.IndexFunc(p.Items, func(w chats.RegexView) bool { return w.ID == v.ID })
	if to := at + n; to < 0 || to >= len(p.Items) || p.Items[to].Character != "" {
		return nil
	}
	r := p.Host.Engine().Chats.Regex
	return p.Change(quotedScript(v)+" acts "+map[int]string{-1: "sooner", 1: "later"}[n],
		func() error { return r.Move(v, at+n) }, func() error { return r.Move(v, at) })
}

// apply asks whether a script should rewrite the stored messages.
func (p *scriptsPane) apply(v chats.RegexView) tea.Cmd {
	chat := p.Host.Play().Chat().Chat
	if chat.ID == "" {
		return p.Host.Say(event.Info, "open the chat whose messages should be rewritten")
	}
	eng := p.Host.Engine()
	rewrite := func() tea.Cmd {
		n := 0
		return p.Order.Do(p.Host, func() func() tea.Cmd {
			var err error
			n, err = eng.Chats.ApplyRegex(chat.ID, v, 0)
			return func() tea.Cmd {
				if err != nil {
					return p.Host.Fail(err)
				}
				return p.Host.Say(event.Info, draw.Plural(n, "message")+" rewritten; undo in the chat restores them")
			}
		})
	}
	p.Host.Open(&widget.Confirm{Title: "Rewrite stored messages",
		Text: "Let " + quotedScript(v) + " rewrite the stored messages of this chat? Without this it only changes " +
			"what is shown and sent. Undo restores the messages.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel"}, {Key: "y", Words: "rewrite", Do: rewrite}}})
	return nil
}

// scriptSign returns the sign for whether a script is active.
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

// scriptStage returns which text a script changes.
func scriptStage(v chats.RegexView) string {
	switch {
	case v.DisplayOnly && !v.PromptOnly:
		return "shown"
	case v.PromptOnly && !v.DisplayOnly:
		return "sent"
	}
	return "shown, sent"
}

// scriptWords returns lines about a script.
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

// scriptPlaces are the display words of the texts that scripts change.
var scriptPlaces = map[storage.RegexPlace]string{storage.RegexUser: "your messages", storage.RegexReply: "replies",
	storage.RegexCommand: "narrators",
	storage.RegexLore:    "lore", storage.RegexThinking: "thinking"}

// details shows all of a script.
func (p *scriptsPane) details(v chats.RegexView) tea.Cmd {
	p.Host.Open(&widget.Reader{Title: draw.Truncate(v.Name, 60),
		Lines: widget.PlainLines(strings.Join(scriptWords(v), "\n\n"))})
	return nil
}

// detail returns lines about a script.
func (p *scriptsPane) detail(v *chats.RegexView, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: w}
	if m, ok := p.Host.Play().Selected(); ok && m.Shown != nil && slices.Contains(m.Shown.By, v.Name) {
		t.Add(sty.Accent, "changes the selected message")
	}
	for _, words := range scriptWords(*v) {
		t.Add(sty.Dim, draw.Truncate(words, 200))
	}
	return t.Text
}
