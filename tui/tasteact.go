package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/taste"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

func (p *tastePane) act(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneView1:
		p.at = tasteProfile
	case keys.PaneView2:
		p.at = tasteScenes
	case keys.PaneSwitch:
		return a.run(keys.PaneStory)
	case keys.PaneRestore:
		return p.takeBack()
	default:
		if p.chat == "" || !p.loaded || p.fault != nil || p.list().Act(act) {
			return nil
		}
		return p.actOnTaste(act, a)
	}
	return nil
}

// actOnTaste does what is for all that was learnt.
func (p *tastePane) actOnTaste(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneBeside:
		return p.showAll(a)
	case keys.PaneRename:
		p.openCard(taste.Card{})
	case keys.PaneTitle:
		return p.openSummary(a)
	case keys.PaneWhy:
		return p.openBlocks(a)
	case keys.PaneRetry:
		return p.learn(a)
	case keys.PaneAll:
		return p.askReset(a)
	default:
		it := p.list().item()
		switch {
		case it == nil:
			return nil
		case it.kind == tasteCard:
			return p.actOnCard(act, p.view.Cards[it.at], a)
		case p.at == tasteScenes:
			return p.actOnScene(act, p.view.Memories[it.at], a)
		case act == keys.PaneEnter && it.kind == tasteSummary, act == keys.PaneEdit && it.kind == tasteSummary:
			return p.openSummary(a)
		}
		return a.say(engine.Info, "that is for cards: choose one")
	}
	return nil
}

// actOnCard does something to the chosen card.
func (p *tastePane) actOnCard(act keys.Action, c taste.Card, a *app) tea.Cmd {
	eng, scope := a.eng, p.scope
	do := func(do engine.TasteAction, words string) tea.Cmd {
		return p.alter("“"+look.Within(c.Preference, 30)+"” "+words, func() error {
			_, err := eng.ActCards(scope, []storage.CardID{c.ID}, do)
			return err
		})
	}
	switch {
	case act == keys.PaneCopy:
		return tea.Batch(a.copyText(c.Preference), a.say(engine.Info, "card copied"))
	case act == keys.PaneDelete && c.Deleted:
		return do(engine.RestoreCards, "brought back")
	case act == keys.PaneDelete:
		return do(engine.DeleteCards, "removed")
	case c.Deleted:
		return a.say(engine.Info, "it is removed; "+a.keys.Key(keys.PaneDelete, keys.Pane)+" brings it back")
	case act == keys.PaneEnter, act == keys.PaneEdit:
		if words := tooLong(c.Preference + c.AppliesTo + c.AvoidApplyingTo); words != "" {
			return a.say(engine.Warning, words)
		}
		p.openCard(c)
	case act == keys.PaneOnOff && c.Muted:
		return do(engine.UnmuteCards, "told again")
	case act == keys.PaneOnOff:
		return do(engine.MuteCards, "muted: not told")
	case act == keys.PaneReject:
		if !slices.ContainsFunc(p.view.Hand.Cards, func(x storage.HandCard) bool { return x.ID == c.ID && x.Was != "" }) {
			return a.say(engine.Info, "there is nothing of yours on this card that could be taken back")
		}
		return do(engine.RestoreCards, "is as it was learnt")
	}
	return nil
}

// alter changes the user's hand on the profile, away from the screen's goroutine.
// The hand as it was before is what takes it back.
func (p *tastePane) alter(words string, do func() error) tea.Cmd {
	eng, scope := p.a.eng, p.scope
	var was storage.TasteHand
	return p.change(words, func() error {
		v, err := eng.Taste(scope)
		if err != nil {
			return err
		}
		was = v.Hand
		return do()
	}, func() error { return eng.PutTasteHand(scope, was) })
}

// actOnScene does something to what the chosen scene has taught.
func (p *tastePane) actOnScene(act keys.Action, m engine.TasteMemory, a *app) tea.Cmd {
	switch act {
	case keys.PaneEnter, keys.PaneSource:
		switch {
		case m.SceneName == "":
			return a.say(engine.Info, "the scene is gone; what it has taught stays")
		case m.Chat != p.chat:
			return a.say(engine.Info, "it is a scene of “"+look.Within(m.ChatTitle, 40)+"”: open that chat first")
		}
		return a.jumpTo(m.Scene)
	case keys.PaneFold:
		p.fold(m.Scene)
	case keys.PaneDelete:
		p.askForget(m)
	case keys.PaneCopy:
		return tea.Batch(a.copyText(lessonText(m)), a.say(engine.Info, "the lessons of this scene are copied"))
	default:
		return a.say(engine.Info, "that is for cards; a scene's lessons are learnt again ("+a.keys.Key(keys.PaneRetry, keys.Pane)+") or forgotten ("+a.keys.Key(keys.PaneDelete, keys.Pane)+")")
	}
	return nil
}

// fold shows or hides what a scene has taught.
func (p *tastePane) fold(scene storage.NodeID) {
	p.open[scene] = !p.open[scene]
	p.lists[tasteScenes].goTo("scene " + string(scene))
	p.layOut()
}

// lessonText are the lessons of a scene as text.
func lessonText(m engine.TasteMemory) string {
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
func (p *tastePane) showAll(a *app) tea.Cmd {
	p.all = !p.all
	p.layOut()
	if p.all {
		return a.say(engine.Info, "removed cards are shown too")
	}
	return a.say(engine.Info, "removed cards are hidden")
}

// learn has the profile made anew, or the chosen scene learnt from again; without
// one the newest that has ended.
func (p *tastePane) learn(a *app) tea.Cmd {
	eng, scope, chat, node := a.eng, p.scope, p.chat, storage.NodeID("")
	if p.at == tasteProfile {
		return p.queue("the profile is made anew from what the scenes have taught", func() error {
			_, err := eng.AggregateTaste(scope)
			return err
		})
	}
	if it := p.list().item(); it != nil {
		chat, node = p.view.Memories[it.at].Chat, p.view.Memories[it.at].Scene
	}
	return p.queue("this scene is learnt from", func() error {
		if node == "" {
			s, err := eng.Scenes(chat)
			if err != nil {
				return err
			}
			if node = newestScene(s); node == "" {
				return errNoSceneYet
			}
		}
		_, err := eng.HarvestScene(chat, node)
		return err
	})
}

// queue asks the engine for something that takes a while, and says so.
func (p *tastePane) queue(words string, add func() error) tea.Cmd {
	return tea.Batch(told(p.a, words, add), p.a.startTicking())
}

// askForget asks before what a scene has taught goes: that cannot be undone.
func (p *tastePane) askForget(m engine.TasteMemory) {
	eng, scope := p.a.eng, p.scope
	p.a.dialogs.Open(&widget.Confirm{Title: "Forget a scene's lessons", Text: "Forget what “" + look.Within(p.sceneName(&m), 80) + "” has taught, " + look.Plural(len(m.SceneLearnings), "lesson") +
		"? The profile is then made anew without it. Your own cards stay. While its storyboard is there it can be learnt from again.",
		Choices: []widget.Choice{{Key: "n", Words: "keep them", Do: nil}, {Key: "y", Words: "forget them", Do: func() tea.Cmd {
			return told(p.a, "forgotten", func() error { return eng.DeleteTasteMemory(scope, m.Scene) })
		}}}})
}

// askReset asks before all goes: that cannot be undone.
func (p *tastePane) askReset(a *app) tea.Cmd {
	v := &p.view
	if len(v.Cards)+len(v.Memories) == 0 && look.Blank(v.Summary) {
		return a.say(engine.Info, "there is nothing to forget")
	}
	eng, scope := a.eng, p.scope
	text := "Forget all that is known of how you direct “" + look.Within(v.Name, 60) + "”? This goes: " + look.Join(p.resetWords()...) +
		". It cannot be undone. Storyboards, captures and recaps stay as they are."
	a.dialogs.Open(&widget.Confirm{Title: "Reset taste", Text: text, Choices: []widget.Choice{{Key: "n", Words: "keep it all", Do: nil}, {Key: "y", Words: "forget it all", Do: func() tea.Cmd {
		p.undo = nil
		return told(p.a, "all that was learnt of this story is forgotten", func() error { return eng.ResetTaste(scope) })
	}}}})
	return nil
}

// resetWords are what there is to be forgotten.
func (p *tastePane) resetWords() (out []string) {
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
		out[0] += " (" + strconv.Itoa(own) + " in your words)"
	}
	if !look.Blank(p.view.Summary) {
		out = append(out, "the summary")
	}
	if n := len(p.view.Memories); n > 0 {
		out = append(out, "the lessons of "+look.Plural(n, "scene"))
	}
	return out
}
