package taste

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneName is the pane's name; its actions are declared under it.
const paneName = "taste"

// Actions of this pane only.
const (
	tasteWhy       keys.Name = "taste-why"
	tasteRemoved   keys.Name = "taste-removed"
	tasteSummary   keys.Name = "taste-summary"
	tasteResetCard keys.Name = "taste-reset-card"
	tasteReset     keys.Name = "taste-reset"
)

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: paneName, System: keys.SystemTaste, Actions: newPane(r.host).Actions()}}
}

// Actions implements pane.Pane.
func (p *tastePane) Actions() []keys.Action {
	return slices.Concat(p.Moves(), []keys.Action{
		{Name: keys.PageUp, Text: "page up", Do: func() tea.Cmd { return p.page(-1) }},
		{Name: keys.PageDown, Text: "page down", Do: func() tea.Cmd { return p.page(1) }},
	}, keys.When(p.ready, slices.Concat(p.onCard(), p.onScene(), p.onProfile())...))
}

// onCard returns the actions on the selected card.
func (p *tastePane) onCard() []keys.Action {
	do := func(do taste.Action, words string) func() tea.Cmd {
		return func() tea.Cmd { return p.actOnCard(do, words) }
	}
	is := func(has func(c *lessons.Card) bool) func() bool {
		return func() bool { c := p.card(); return c != nil && has(c) }
	}
	list := []keys.Action{
		{Name: keys.PaneEdit, Text: "edit the card", Hint: "edit", Unavailable: p.whyRemoved, Do: p.editCard},
		{Name: keys.PaneEnter, Text: "edit the card", Unavailable: p.whyRemoved, Do: p.editCard},
		{Name: keys.PaneOnOff, Text: "use the card again", Hint: "unmute", Unavailable: p.whyRemoved,
			Visible: is(func(c *lessons.Card) bool { return c.Muted }), Do: do(taste.UnmuteCards, "unmuted")},
		{Name: keys.PaneOnOff, Text: "mute the card: it is not used", Hint: "mute", Unavailable: p.whyRemoved,
			Do: do(taste.MuteCards, "muted: not used")},
		{Name: keys.PaneDelete, Text: "restore the card", Hint: "restore",
			Visible: is(func(c *lessons.Card) bool { return c.Deleted }), Do: do(taste.RestoreCards, "restored")},
		{Name: keys.PaneDelete, Text: "delete the card", Hint: "delete", Do: do(taste.DeleteCards, "removed")},
		{Name: keys.PaneCopy, Text: "copy the card", Do: func() tea.Cmd {
			return p.Host.Copy(p.card().Preference, "card")
		}},
		keys.PaneAction(keys.Action{Name: tasteResetCard, Text: "reset the card to the learned text",
			Unavailable: p.whyNotReset,
			Do:          do(taste.RestoreCards, "reset to the learned text")}, "pane-reject"),
	}
	return keys.When(func() bool { return p.card() != nil }, list...)
}

// onScene returns the actions on the selected scene.
func (p *tastePane) onScene() []keys.Action {
	do := func(f func(m taste.Memory)) func() tea.Cmd {
		return func() tea.Cmd { f(*p.memory()); return nil }
	}
	return keys.When(func() bool { return p.memory() != nil },
		keys.Action{Name: keys.PaneEnter, Text: "go to the scene", Hint: "go to scene", Do: p.goToScene},
		keys.Action{Name: keys.PaneFold, Text: "show or hide the lessons", Hint: "unfold", Do: do(p.fold)},
		keys.Action{Name: keys.PaneRegenerate, Text: "learn from the scene again", Hint: "learn again",
			Do: p.learnAgain},
		keys.Action{Name: keys.PaneDelete, Text: "forget the lessons of the scene", Hint: "forget",
			Do: do(p.askForget)},
		keys.Action{Name: keys.PaneSource, Text: "go to the scene", Do: p.goToScene},
		keys.Action{Name: keys.PaneCopy, Text: "copy the lessons", Do: p.copyLessons})
}

// onProfile returns the actions on the whole profile.
func (p *tastePane) onProfile() []keys.Action {
	onSummary := p.Is(func(it *item) bool { return it.kind == summaryRow })
	cards := func() bool { return p.at == profileView && len(p.view.Cards) > 0 }
	profile := keys.When(func() bool { return p.at == profileView },
		keys.Action{Name: keys.PaneRegenerate, Text: "create the profile", Hint: "create profile",
			Visible: func() bool { return !cards() && len(p.view.Memories) > 0 }, Do: p.rebuild},
		keys.Action{Name: keys.PaneEdit, Text: "edit the summary", Hint: "edit", Visible: onSummary, Do: p.openSummary},
		keys.Action{Name: keys.PaneEnter, Text: "edit the summary", Visible: onSummary, Do: p.openSummary},
		keys.Action{Name: keys.PaneNew, Text: "new card", Hint: "new card", Do: p.newCard})
	return slices.Concat(profile, []keys.Action{
		{Name: keys.PaneRegenerate, Text: "learn from the newest scene", Hint: "learn from the newest scene",
			Visible: func() bool { return p.at == scenesView }, Do: p.learnNewest},
	}, p.UndoActions(), []keys.Action{
		keys.PaneAction(keys.Action{Name: tasteWhy, Text: "profile text: what plans are told", Hint: "profile text",
			Do: p.openBlocks}, "pane-why", "W"),
		{Name: keys.PaneRegenerate, Text: "rebuild the profile", Hint: "rebuild profile", Visible: cards,
			Do: p.rebuild},
		{Name: keys.PaneRegenerate, Text: "rebuild the profile", Do: p.rebuild},
		keys.PaneAction(keys.Action{Name: tasteRemoved, Text: "show or hide removed cards",
			Hint: "show removed", Visible: cards,
			Do: p.showAll}, "pane-beside", "v"),
		keys.PaneAction(keys.Action{Name: tasteSummary, Text: "edit the summary of your preferences",
			Do: p.openSummary},
			"pane-title"),
		keys.PaneAction(keys.Action{Name: tasteReset, Text: "delete all learned preferences", Do: p.askReset},
			"pane-retry-all"),
	})
}

// ready reports whether the profile was read.
func (p *tastePane) ready() bool { return p.Chat != "" && p.Loaded && p.Fault == nil }

// card returns the selected card, nil for none.
func (p *tastePane) card() *lessons.Card {
	if it := p.Item(); it != nil && it.kind == cardRow {
		return &p.view.Cards[it.at]
	}
	return nil
}

// memory returns the memory of the selected scene, nil for none.
func (p *tastePane) memory() *taste.Memory {
	if it := p.Item(); it != nil && p.at == scenesView {
		return &p.view.Memories[it.at]
	}
	return nil
}

// whyRemoved returns a reason if the selected card is removed, else "".
func (p *tastePane) whyRemoved() string {
	if p.card().Deleted {
		return "it is removed; " + p.Host.Keys().Key(keys.PaneDelete, keys.Pane) + " restores it"
	}
	return ""
}

// whyNotReset returns the reason why the selected card cannot be reset to its learned text, "" if
// it can.
func (p *tastePane) whyNotReset() string {
	if why := p.whyRemoved(); why != "" {
		return why
	}
	id := p.card().ID
	if !slices.ContainsFunc(p.view.Overrides.Cards, func(x storage.CardEdits) bool {
		return x.ID == id && x.Was != ""
	}) {
		return "this card has no edits to undo"
	}
	return ""
}

// actOnCard applies an action to the selected card.
func (p *tastePane) actOnCard(do taste.Action, words string) tea.Cmd {
	eng, scope, c := p.Host.Engine(), p.scope, *p.card()
	return p.changeCard("“"+draw.Truncate(c.Preference, 30)+"” "+words, func() error {
		_, err := eng.Taste.ApplyAction(scope, []storage.CardID{c.ID}, do)
		return err
	})
}

func (p *tastePane) newCard() tea.Cmd {
	p.openCard(lessons.Card{})
	return nil
}

func (p *tastePane) editCard() tea.Cmd {
	c := *p.card()
	if words := pane.TooLong(c.Preference + c.AppliesTo + c.AvoidApplyingTo); words != "" {
		return p.Host.Say(event.Warning, words)
	}
	p.openCard(c)
	return nil
}

// changeCard changes the user's overrides of the profile, off the screen's goroutine. Undo
// restores the previous overrides.
func (p *tastePane) changeCard(words string, do func() error) tea.Cmd {
	eng, scope := p.Host.Engine(), p.scope
	var was storage.ProfileEdits
	return p.Change(words, func() error {
		v, err := eng.Taste.View(scope)
		if err != nil {
			return err
		}
		was = v.Overrides
		return do()
	}, func() error { return eng.Taste.RestoreOverrides(scope, was) })
}

// goToScene shows the selected scene in the chat.
func (p *tastePane) goToScene() tea.Cmd {
	switch m := p.memory(); {
	case m.SceneName == "":
		return p.Host.Say(event.Info, "the scene was deleted; its lessons are kept")
	case m.Chat != p.Chat:
		return p.Host.Say(event.Info, "it is a scene of “"+draw.Truncate(m.ChatTitle, 40)+"”: open that chat first")
	default:
		return p.Host.Play().JumpTo(m.Scene)
	}
}

func (p *tastePane) copyLessons() tea.Cmd {
	return p.Host.Copy(lessonText(*p.memory()), "the lessons of this scene")
}

// fold shows or hides the lessons of a scene.
func (p *tastePane) fold(m taste.Memory) {
	p.open[m.Scene] = !p.open[m.Scene]
	p.GoTo(sceneKey(&m))
	p.Arrange()
}

// lessonText returns the lessons of a scene as text.
func lessonText(m taste.Memory) string {
	var b strings.Builder
	for _, l := range m.SceneLearnings {
		b.WriteString("- " + l.Learning + "\n")
		for _, c := range conditions(l.AppliesTo, l.AvoidApplyingTo, l.Evidence) {
			if !draw.Blank(c[1]) {
				b.WriteString("  " + c[0] + c[1] + "\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// showAll shows or hides removed cards.
func (p *tastePane) showAll() tea.Cmd {
	p.removed = !p.removed
	p.Arrange()
	if p.removed {
		return p.Host.Say(event.Info, "removed cards are shown")
	}
	return p.Host.Say(event.Info, "removed cards are hidden")
}

// rebuild rebuilds the profile.
func (p *tastePane) rebuild() tea.Cmd {
	eng, scope := p.Host.Engine(), p.scope
	return p.queue("rebuilding the profile from the scenes", func() error {
		_, err := eng.Taste.Aggregate(scope)
		return err
	})
}

// learnAgain learns from the selected scene again.
func (p *tastePane) learnAgain() tea.Cmd {
	eng, m := p.Host.Engine(), *p.memory()
	return p.queue("learning from this scene", func() error {
		_, err := eng.Taste.Harvest(m.Chat, m.Scene)
		return err
	})
}

// learnNewest learns from the newest ended scene.
func (p *tastePane) learnNewest() tea.Cmd {
	eng, chat := p.Host.Engine(), p.Chat
	return p.queue("learning from this scene", func() error {
		s, err := eng.Scenes.List(chat)
		if err != nil {
			return err
		}
		node := pane.NewestScene(s)
		if node == "" {
			return errNoSceneYet
		}
		_, err = eng.Taste.Harvest(chat, node)
		return err
	})
}

// queue starts a background operation and reports it.
func (p *tastePane) queue(words string, add func() error) tea.Cmd {
	return tea.Batch(pane.Tell(p.Host, words, add), p.Host.Work().Tick())
}

// askForget asks before the memory of a scene is deleted, which cannot be undone.
func (p *tastePane) askForget(m taste.Memory) {
	eng, scope := p.Host.Engine(), p.scope
	p.Host.Open(&widget.Confirm{Title: "Forget a scene's lessons", Text: "Forget the lessons of “" +
		draw.Truncate(p.sceneName(&m), 80) + "”, " + draw.Plural(len(m.SceneLearnings), "lesson") +
		"? The profile is rebuilt without them. Your own cards are kept. The scene can be learned again while its " +
		"storyboard exists.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "forget", Do: func() tea.Cmd {
			return pane.Tell(p.Host, "forgotten", func() error { return eng.Taste.DeleteMemory(scope, m.Scene) })
		}}}})
}

// askReset asks before everything is deleted, which cannot be undone.
func (p *tastePane) askReset() tea.Cmd {
	v := &p.view
	if len(v.Cards)+len(v.Memories) == 0 && draw.Blank(v.Summary) {
		return p.Host.Say(event.Info, "nothing to forget")
	}
	eng, scope := p.Host.Engine(), p.scope
	text := "Delete all learned preferences for “" + draw.Truncate(v.Name, 60) + "”? This deletes: " +
		draw.Join(p.resetText()...) +
		". This cannot be undone. Storyboards, captures and recaps are not changed."
	p.Host.Open(&widget.Confirm{Title: "Reset taste", Text: text,
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil},
			{Key: "y", Words: "delete all", Do: func() tea.Cmd {
				p.UndoStack.Clear()
				return pane.Tell(p.Host, "all learned preferences of this story deleted",
					func() error { return eng.Taste.Reset(scope) })
			}}}})
	return nil
}

// resetText lists what would be deleted.
func (p *tastePane) resetText() (out []string) {
	own := 0
	for i := range p.view.Cards {
		if p.view.Cards[i].Own {
			own++
		}
	}
	if n := len(p.view.Cards); n > 0 {
		out = append(out, draw.Plural(n, "card"))
	}
	if own > 0 {
		out[0] += " (" + strconv.Itoa(own) + " edited by you)"
	}
	if !draw.Blank(p.view.Summary) {
		out = append(out, "the summary")
	}
	if n := len(p.view.Memories); n > 0 {
		out = append(out, "the lessons of "+draw.Plural(n, "scene"))
	}
	return out
}
