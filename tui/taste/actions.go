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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Hints implements desk.Pane.
func (p *pane) Hints() []desk.Hint {
	hint := desk.NewHint
	cards, memories := len(p.view.Cards), len(p.view.Memories)
	switch {
	case !p.loaded || p.fault != nil:
		return nil
	case p.at == scenesView && memories == 0:
		return []desk.Hint{hint(keys.PaneRegenerate, "learn from the newest scene"), hint(keys.PaneUndo, "undo"), hint(keys.PaneSwitch, "storyboard")}
	case p.at == scenesView:
		return []desk.Hint{hint(keys.PaneEnter, "go to scene"), hint(keys.PaneFold, "unfold"), hint(keys.PaneRegenerate, "learn again"), hint(keys.PaneDelete, "forget"),
			hint(keys.PaneAll, "reset"), hint(keys.PaneSwitch, "storyboard")}
	case cards+memories == 0:
		return []desk.Hint{hint(keys.PaneNew, "new card"), hint(keys.PaneUndo, "undo"), hint(keys.PaneView2, "scenes"), hint(keys.PaneSwitch, "storyboard")}
	case cards == 0:
		return []desk.Hint{hint(keys.PaneRegenerate, "create profile"), hint(keys.PaneNew, "new card"), hint(keys.PaneRename, "summary"), hint(keys.PaneUndo, "undo"),
			hint(keys.PaneAll, "reset"), hint(keys.PaneSwitch, "storyboard")}
	}
	return []desk.Hint{hint(keys.PaneEdit, "edit"), hint(keys.PaneOnOff, "mute"), hint(keys.PaneDelete, "delete"), hint(keys.PaneNew, "new"), hint(keys.PaneUndo, "undo"),
		hint(keys.PaneWhy, "profile text"), hint(keys.PaneRegenerate, "rebuild profile"), hint(keys.PaneRename, "summary"), hint(keys.PaneReject, "reset"),
		hint(keys.PaneBeside, "show removed"), hint(keys.PaneAll, "reset"), hint(keys.PaneSwitch, "storyboard")}
}

// Actions implements desk.Pane.
func (p *pane) Actions() []desk.Action {
	all := []desk.Action{
		{Name: keys.PageUp, Do: func() tea.Cmd { return p.page(-1) }},
		{Name: keys.PageDown, Do: func() tea.Cmd { return p.page(1) }},
		{Name: keys.PaneSwitch, Do: func() tea.Cmd { return p.Desk.Run(keys.PaneStory) }},
		{Name: keys.PaneUndo, Do: p.TakeBack},
	}
	if !p.ready() {
		return all
	}
	return append(all, []desk.Action{
		{Name: keys.PaneBeside, Do: p.showAll},
		{Name: keys.PaneNew, Do: func() tea.Cmd { p.openCard(lessons.Card{}); return nil }},
		{Name: keys.PaneRename, Do: p.openSummary},
		{Name: keys.PaneWhy, Do: p.openBlocks},
		{Name: keys.PaneRegenerate, Do: p.learn},
		{Name: keys.PaneAll, Do: p.askReset},
	}...)
}

// ready tells whether there is something to act on: it was read.
func (p *pane) ready() bool { return p.chat != "" && p.loaded && p.fault == nil }

// Other implements desk.Other: the rest is for the chosen row.
func (p *pane) Other(act keys.Action) tea.Cmd {
	if !p.ready() || p.list().Act(act) {
		return nil
	}
	it := p.list().item()
	switch {
	case it == nil:
		return nil
	case it.kind == cardRow:
		return p.actOnCard(act, p.view.Cards[it.at])
	case p.at == scenesView:
		return p.actOnScene(act, p.view.Memories[it.at])
	case act == keys.PaneEnter && it.kind == summaryRow, act == keys.PaneEdit && it.kind == summaryRow:
		return p.openSummary()
	}
	return p.Desk.Say(event.Info, "select a card")
}

// actOnCard does something to the chosen card.
func (p *pane) actOnCard(act keys.Action, c lessons.Card) tea.Cmd {
	eng, scope := p.Desk.Engine(), p.scope
	do := func(do taste.Action, words string) tea.Cmd {
		return p.alter("“"+look.Within(c.Preference, 30)+"” "+words, func() error {
			_, err := eng.Taste.ActCards(scope, []storage.CardID{c.ID}, do)
			return err
		})
	}
	switch {
	case act == keys.PaneCopy:
		return p.Desk.Copy(c.Preference, "card")
	case act == keys.PaneDelete && c.Deleted:
		return do(taste.RestoreCards, "restored")
	case act == keys.PaneDelete:
		return do(taste.DeleteCards, "removed")
	case c.Deleted:
		return p.Desk.Say(event.Info, "it is removed; "+p.Desk.Keys().Key(keys.PaneDelete, keys.Pane)+" restores it")
	case act == keys.PaneEnter, act == keys.PaneEdit:
		if words := desk.TooLong(c.Preference + c.AppliesTo + c.AvoidApplyingTo); words != "" {
			return p.Desk.Say(event.Warning, words)
		}
		p.openCard(c)
	case act == keys.PaneOnOff && c.Muted:
		return do(taste.UnmuteCards, "unmuted")
	case act == keys.PaneOnOff:
		return do(taste.MuteCards, "muted: not used")
	case act == keys.PaneReject:
		if !slices.ContainsFunc(p.view.Hand.Cards, func(x storage.HandCard) bool { return x.ID == c.ID && x.Was != "" }) {
			return p.Desk.Say(event.Info, "this card has no edits to undo")
		}
		return do(taste.RestoreCards, "reset to the learned text")
	}
	return nil
}

// alter changes the user's hand on the profile, away from the screen's goroutine.
// The hand as it was before is what takes it back.
func (p *pane) alter(words string, do func() error) tea.Cmd {
	eng, scope := p.Desk.Engine(), p.scope
	var was storage.TasteHand
	return p.Change(words, func() error {
		v, err := eng.Taste.View(scope)
		if err != nil {
			return err
		}
		was = v.Hand
		return do()
	}, func() error { return eng.Taste.PutHand(scope, was) })
}

// actOnScene does something to what the chosen scene has taught.
func (p *pane) actOnScene(act keys.Action, m taste.Memory) tea.Cmd {
	switch act {
	case keys.PaneEnter, keys.PaneSource:
		switch {
		case m.SceneName == "":
			return p.Desk.Say(event.Info, "the scene was deleted; its lessons are kept")
		case m.Chat != p.chat:
			return p.Desk.Say(event.Info, "it is a scene of “"+look.Within(m.ChatTitle, 40)+"”: open that chat first")
		}
		return p.Desk.JumpTo(m.Scene)
	case keys.PaneFold:
		p.fold(m.Scene)
	case keys.PaneDelete:
		p.askForget(m)
	case keys.PaneCopy:
		return p.Desk.Copy(lessonText(m), "the lessons of this scene")
	default:
		return p.Desk.Say(event.Info, "for cards only; a scene can be learned again ("+p.Desk.Keys().Key(keys.PaneRegenerate, keys.Pane)+") or forgotten ("+p.Desk.Keys().Key(keys.PaneDelete, keys.Pane)+")")
	}
	return nil
}

// fold shows or hides what a scene has taught.
func (p *pane) fold(scene storage.NodeID) {
	p.open[scene] = !p.open[scene]
	p.lists[scenesView].goTo("scene " + string(scene))
	p.layOut()
}

// lessonText are the lessons of a scene as text.
func lessonText(m taste.Memory) string {
	var b strings.Builder
	for _, l := range m.SceneLearnings {
		b.WriteString("- " + l.Learning + "\n")
		for _, c := range conditions(l.AppliesTo, l.AvoidApplyingTo, l.Evidence) {
			if !look.Blank(c[1]) {
				b.WriteString("  " + c[0] + c[1] + "\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// showAll shows or hides the cards that are removed.
func (p *pane) showAll() tea.Cmd {
	p.all = !p.all
	p.layOut()
	if p.all {
		return p.Desk.Say(event.Info, "removed cards are shown")
	}
	return p.Desk.Say(event.Info, "removed cards are hidden")
}

// learn has the profile made anew, or the chosen scene learnt from again; without
// one the newest that has ended.
func (p *pane) learn() tea.Cmd {
	eng, scope, chat, node := p.Desk.Engine(), p.scope, p.chat, storage.NodeID("")
	if p.at == profileView {
		return p.queue("rebuilding the profile from the scenes", func() error {
			_, err := eng.Taste.Aggregate(scope)
			return err
		})
	}
	if it := p.list().item(); it != nil {
		chat, node = p.view.Memories[it.at].Chat, p.view.Memories[it.at].Scene
	}
	return p.queue("learning from this scene", func() error {
		if node == "" {
			s, err := eng.Scenes.List(chat)
			if err != nil {
				return err
			}
			if node = desk.NewestScene(s); node == "" {
				return errNoSceneYet
			}
		}
		_, err := eng.Taste.Harvest(chat, node)
		return err
	})
}

// queue asks the engine for something that takes a while, and says so.
func (p *pane) queue(words string, add func() error) tea.Cmd {
	return tea.Batch(desk.Tell(p.Desk, words, add), p.Desk.Tick())
}

// askForget asks before what a scene has taught goes: that cannot be undone.
func (p *pane) askForget(m taste.Memory) {
	eng, scope := p.Desk.Engine(), p.scope
	p.Desk.Open(&widget.Confirm{Title: "Forget a scene's lessons", Text: "Forget the lessons of “" + look.Within(p.sceneName(&m), 80) + "”, " + look.Plural(len(m.SceneLearnings), "lesson") +
		"? The profile is rebuilt without them. Your own cards are kept. The scene can be learned again while its storyboard exists.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "forget", Do: func() tea.Cmd {
			return desk.Tell(p.Desk, "forgotten", func() error { return eng.Taste.DeleteMemory(scope, m.Scene) })
		}}}})
}

// askReset asks before all goes: that cannot be undone.
func (p *pane) askReset() tea.Cmd {
	v := &p.view
	if len(v.Cards)+len(v.Memories) == 0 && look.Blank(v.Summary) {
		return p.Desk.Say(event.Info, "nothing to forget")
	}
	eng, scope := p.Desk.Engine(), p.scope
	text := "Delete all learned preferences for “" + look.Within(v.Name, 60) + "”? This deletes: " + look.Join(p.resetWords()...) +
		". This cannot be undone. Storyboards, captures and recaps are not changed."
	p.Desk.Open(&widget.Confirm{Title: "Reset taste", Text: text, Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete all", Do: func() tea.Cmd {
		p.Forget()
		return desk.Tell(p.Desk, "all learned preferences of this story deleted", func() error { return eng.Taste.Reset(scope) })
	}}}})
	return nil
}

// resetWords are what there is to be forgotten.
func (p *pane) resetWords() (out []string) {
	own := 0
	for i := range p.view.Cards {
		if p.view.Cards[i].Own {
			own++
		}
	}
	if n := len(p.view.Cards); n > 0 {
		out = append(out, look.Plural(n, "card"))
	}
	if own > 0 {
		out[0] += " (" + strconv.Itoa(own) + " edited by you)"
	}
	if !look.Blank(p.view.Summary) {
		out = append(out, "the summary")
	}
	if n := len(p.view.Memories); n > 0 {
		out = append(out, "the lessons of "+look.Plural(n, "scene"))
	}
	return out
}
