package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// sceneReading is how the scenes of the open chat are being read: one reading at
// a time, and one more after it when something changed meanwhile.
type sceneReading struct {
	widget.Latest
	chat  storage.ChatID
	busy  bool
	again bool
}

// noScenes is what is known of a chat before its scenes were read.
func noScenes(chat storage.ChatID) scenes.Scenes {
	return scenes.Scenes{Chat: chat, CoversDepth: -1}
}

// readScenes reads the scenes of the open chat, and how they bear on its next
// prompt.
func (a *app) readScenes() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return nil
	}
	if a.reads.busy && a.reads.chat == chat {
		a.reads.again = true
		return nil
	}
	newest := a.reads.Begin()
	a.reads = sceneReading{Latest: a.reads.Latest, chat: chat, busy: true}
	return a.Do(func() func() tea.Cmd {
		s, err := a.eng.Scenes.List(chat)
		return func() tea.Cmd {
			if !newest() {
				return nil // of another chat
			}
			a.reads.busy = false
			if chat != a.view.Chat.ID {
				return nil
			}
			var more tea.Cmd
			if a.reads.again {
				more = a.readScenes()
			}
			if err != nil {
				return tea.Batch(more, a.Fail(err))
			}
			a.takeScenes(s)
			return tea.Batch(more, a.readOutlook())
		}
	})
}

func (a *app) takeScenes(s scenes.Scenes) {
	if s.Chat != a.view.Chat.ID {
		return
	}
	before := a.scenes
	a.scenes = s
	for _, r := range a.rooms {
		if f, ok := r.(desk.SceneFollower); ok {
			f.ScenesRead(before)
		}
	}
	a.play.Steady(func() {
		a.play.Mark(s)
		a.fadeCovered()
	})
}

// outlook is what the next prompt of a chat will do without.
type outlook struct {
	chat      storage.ChatID // "" while it is not known
	oldest    storage.NodeID // the first message in it
	covered   int            // older ones that a recap stands for
	uncovered int            // older ones that nothing stands for
	reads     widget.Latest
}

// readOutlook compiles the next prompt to see what it does without. A server
// that is away leaves what was known before.
func (a *app) readOutlook() tea.Cmd {
	chat := a.view.Chat.ID
	newest := a.outlook.reads.Begin()
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Play.Prompt(a.ctx, chat, "")
		return func() tea.Cmd {
			if err != nil || chat != a.view.Chat.ID || !newest() {
				return nil
			}
			a.outlook = outlook{chat, v.OldestInPrompt, v.Covered, v.Uncovered, a.outlook.reads}
			a.play.Steady(a.fadeCovered)
			return nil
		}
	})
}

// forgotten says that messages have left the prompt and no recap stands for them.
func forgotten(n int) string {
	if n == 1 {
		return "1 message is in no recap"
	}
	return fmt.Sprintf("%d messages are in no recap", n)
}

// fadeCovered lets the messages stand back that have left the prompt for a recap.
// Before the prompt is known, these are all that a recap covers.
func (a *app) fadeCovered() {
	covered := a.scenes.CoversDepth
	if o := a.outlook; o.chat == a.view.Chat.ID && o.chat != "" {
		switch i := a.play.Find(o.oldest); {
		case o.covered == 0 || i < 0:
			covered = -1 // none, or they are further up than what is at hand
		case o.uncovered == 0:
			covered = a.play.Items[i].Msg.Depth - 1
		default:
			covered = min(covered, a.play.Items[i].Msg.Depth-1)
		}
	}
	a.play.Marks.Covered = covered
}

// JumpTo shows a message at the top of the play and selects it. Older messages
// are read from the store until it is at hand.
func (a *app) JumpTo(node storage.NodeID) tea.Cmd {
	return a.Find(node, func(found bool) tea.Cmd {
		if !found {
			return a.Say(event.Info, "this message is not on the path that is shown")
		}
		if a.lay.over {
			a.pane, a.paneFor = nil, "" // it hides the messages
		}
		a.mode = keys.Browse
		a.play.ToTop(a.play.Find(node))
		return a.older()
	})
}

// Find implements desk.Desk.
func (a *app) Find(node storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd {
	if a.play.Find(node) >= 0 {
		return then(true)
	}
	if !a.play.More || node == "" {
		return then(false)
	}
	p, first, had := a.play, a.play.First(), len(a.play.Items)
	return a.loadOlder(searchStep, func() tea.Cmd {
		if a.play != p || len(p.Items) == had && p.First() == first {
			return nil
		}
		return a.Find(node, then)
	})
}

// pointing tells whether the play shows where a bullet or a fact came from, while
// the pane has the keys.
func (a *app) pointing() bool {
	p, ok := a.pane.(desk.Pointer)
	return ok && p.Pointing() && a.mode == keys.Pane
}
