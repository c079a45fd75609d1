package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/widget"
)

// scenes are the actions on scenes.
func (all actions) scenes() {
	do := all.plain
	do[keys.PaneScenes] = func(a *app) tea.Cmd { return a.togglePane(paneScenes) }
	do[keys.UndoDetect] = (*app).undoDetection
	do[keys.DetectAll] = (*app).openDetect
	do[keys.RecapMissing] = (*app).recapMissing
	do[keys.Rebuild] = (*app).openRebuild
	on := all.message
	on[keys.Break] = (*app).toggleBreak
	on[keys.SceneBefore] = func(a *app, it *playroom.Item) tea.Cmd { return a.toScene(it, -1) }
	on[keys.SceneAfter] = func(a *app, it *playroom.Item) tea.Cmd { return a.toScene(it, 1) }
	on[keys.SceneFold] = (*app).foldScene
}

// endsAt is the scene that ends at a message, nil where none does. The mark may
// be on a deleted message further down.
func (a *app) endsAt(it *playroom.Item) *scenes.Scene {
	if s := a.sceneOf(it); s != nil && !s.Open && s.Last == it.Msg.ID {
		return s
	}
	return nil
}

func (a *app) toggleBreak(it *playroom.Item) tea.Cmd {
	if a.turn.running && a.turn.node == it.Msg.ID {
		return a.Say(event.Info, "this reply is still being written")
	}
	if s := a.endsAt(it); s != nil {
		back := ""
		if s.Break == it.Msg.ID {
			back = a.keys.Key(keys.Break, keys.Browse)
		}
		return a.dropBreak(*s, back)
	}
	chat, node, on := a.view.Chat.ID, it.Msg.ID, false
	return a.reshape(func() (err error) {
		on, err = a.eng.Scenes.ToggleBreak(chat, node)
		return err
	}, func(s scenes.Scenes) string {
		if !on {
			return "the break is gone"
		}
		return a.endedWords(s, node)
	})
}

// reshape changes the scenes of the open chat in the order of the keys, shows what
// they are then, and says what words make of it; words may be nil. What is given
// after that follows where it was done.
func (a *app) reshape(change func() error, words func(scenes.Scenes) string, after ...tea.Cmd) tea.Cmd {
	chat := a.view.Chat.ID
	return a.reshapes.Do(a, func() func() tea.Cmd {
		var s scenes.Scenes
		err := change()
		if err == nil {
			s, err = a.eng.Scenes.List(chat)
		}
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			var cmd tea.Cmd
			if a.reads.busy && a.reads.chat == chat {
				a.reads.busy = false // it may be older than this
				cmd = a.readScenes()
			}
			a.takeScenes(s)
			if words != nil {
				cmd = tea.Batch(cmd, a.Say(event.Info, words(s)))
			}
			return tea.Batch(append(after, cmd)...)
		}
	})
}

// endedWords says that a scene ends at a message now.
func (a *app) endedWords(s scenes.Scenes, node storage.NodeID) string {
	for _, sc := range s.List {
		if sc.Break != node {
			continue
		}
		words := fmt.Sprintf("scene %d ends here", sc.Number)
		if v := recapWords(sc.Recap); v != "" {
			return words + ", and its recap " + v + " is back"
		}
		if k := a.keys.Key(keys.SceneRecap, keys.Browse); k != "" && a.mode == keys.Browse {
			words += " · " + k + " makes its recap"
		}
		return words
	}
	return "a scene ends here"
}

// dropBreak takes a scene's break away; back is the key that undoes it.
func (a *app) dropBreak(s scenes.Scene, back string) tea.Cmd {
	chat := a.view.Chat.ID
	words := "the break is gone"
	if s.Recap.Versions > 0 {
		words += "; its recap is kept and comes back with it"
	}
	if back != "" {
		words += look.Separator + back + " brings it back"
	}
	return a.reshape(func() error { _, err := a.eng.Scenes.SetBreak(chat, s.Break, false); return err },
		func(scenes.Scenes) string { return words }, a.offerTakeBack(chat, s, words))
}

// toScene goes to the first message of a scene: of the one that the message
// stands in, of the one before where it stands there already, or of the next.
func (a *app) toScene(it *playroom.Item, step int) tea.Cmd {
	i := a.sceneAt(it.Msg.Depth)
	if i < 0 {
		return a.notReadYet()
	}
	list := a.scenes.List
	if step > 0 || it.Msg.Depth <= list[i].FirstDepth {
		i += step
	}
	switch {
	case i < 0:
		return a.Say(event.Info, "the story begins here")
	case i >= len(list) || list[i].First == "":
		return a.Say(event.Info, "there is no later scene")
	}
	s := list[i]
	words := sceneTitle(s)
	if s.Messages > 0 && a.width >= 60 {
		words += look.Separator + look.Plural(s.Messages, "message")
	}
	return tea.Batch(a.JumpTo(s.First), a.Say(event.Info, words))
}

func (a *app) notReadYet() tea.Cmd {
	return a.Say(event.Info, "the scenes are still being read")
}

func (a *app) foldScene(it *playroom.Item) tea.Cmd {
	s := a.sceneOf(it)
	if s == nil {
		return a.notReadYet()
	}
	if a.play.Marks.Unfold = ""; !s.Expanded {
		a.play.Marks.Unfold = s.Last
	}
	return a.fold(*s)
}

// fold shows or hides a scene's recap in the play.
func (a *app) fold(s scenes.Scene) tea.Cmd {
	switch {
	case s.Open:
		return a.Say(event.Info, "this scene is still open: it has no recap yet")
	case s.Recap.Version == 0 && s.Working:
		return a.Say(event.Info, "its recap is being made")
	case s.Recap.Version == 0:
		return a.Say(event.Info, sceneTitle(s)+" has no recap yet")
	}
	chat := a.view.Chat.ID
	return a.reshape(func() error { return a.eng.Scenes.Expand(chat, s.Break, !s.Expanded) }, nil)
}

func (a *app) undoDetection() tea.Cmd {
	chat, n := a.view.Chat.ID, 0
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	return a.reshape(func() (err error) { n, err = a.eng.Scenes.UndoDetection(chat); return err },
		func(scenes.Scenes) string { return look.Plural(n, "detected scene break") + " taken back" })
}

// The ways to search a chat for scene breaks, as the form offers them.
const (
	byMarks  = "explicit marks only"
	byAsking = "marks, then ask the model"
	lookNew  = "only what is new"
	lookAll  = "all messages again"
)

// openDetect asks how the whole chat is to be searched for scene breaks.
func (a *app) openDetect() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	ask := byAsking
	if n := a.scenes.Unchecked; n > 0 {
		ask += " (" + look.Plural(n, "message") + ")"
	}
	f := &widget.Form{Title: "Find the scenes of this chat", Foot: "←→ choose · ^S look · esc close",
		Notes: []string{"Headings, separators and out-of-character marks are found at once. Asking the model takes its time and goes on behind the play."},
		Fields: []*widget.Field{
			widget.PickField("Look for", ask, []string{ask, byMarks}),
			widget.PickField("Among", lookNew, []string{lookNew, lookAll}),
			widget.LineField(a.lk, "At least", "", "messages in a scene"),
		}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		r := scenes.DetectRequest{TableOnly: f.Fields[0].Value() == byMarks, Again: f.Fields[1].Value() == lookAll}
		if v := strings.TrimSpace(f.Fields[2].Value()); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 1000 {
				return nil, errors.New("a scene has at least 1 and at most 1000 messages; leave it empty if in doubt")
			}
			r.Min = n
		}
		return a.detectAll(chat, r), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

func (a *app) detectAll(chat storage.ChatID, r scenes.DetectRequest) tea.Cmd {
	a.news.looking = true
	return a.Do(func() func() tea.Cmd {
		d, err := a.eng.Scenes.Detect(chat, r)
		return func() tea.Cmd {
			a.news.looking = false
			if err != nil {
				return a.Fail(err)
			}
			cmd := a.Say(event.Info, a.detectedWords(d, r.TableOnly))
			a.news.looked = a.notice.id
			return cmd
		}
	})
}

// detectedWords tells what a search has found at once, and what goes on.
func (a *app) detectedWords(d scenes.Detected, marksOnly bool) string {
	words := "no explicit mark was found"
	if d.Found > 0 {
		words = look.Plural(d.Found, "scene break") + " found by explicit marks"
	}
	switch {
	case d.Left > 0:
		words += "; the model is being asked about " + look.Plural(d.Left, "message")
		if k := a.keys.Key(keys.PaneQueue, keys.Write); k != "" {
			words += " (" + k + " shows how far it is)"
		}
		return words
	case d.Found == 0 && !marksOnly:
		return "there is nothing new to look at; “" + lookAll + "” looks again at the rest"
	case marksOnly && a.scenes.Unchecked > d.Found:
		words += "; the model was not asked about the rest"
	}
	return words + a.undoWords(d.Found)
}

func (a *app) recapMissing() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	return a.Do(func() func() tea.Cmd {
		n, err := a.eng.Scenes.RecapMissing(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case n == 0:
				return a.Say(event.Info, "every scene that has ended has its recap")
			}
			return a.Say(event.Info, look.Plural(n, "recap")+" will be made")
		}
	})
}

// openRebuild asks before the running recap is made anew.
func (a *app) openRebuild() tea.Cmd {
	chat, n := a.view.Chat.ID, 0
	for _, s := range a.scenes.List {
		if s.Recap.Version > 0 {
			n++
		}
	}
	if n == 0 {
		return a.Say(event.Info, "no scene has a recap yet, so there is nothing to make a running recap of")
	}
	text := "Make the running recap anew of the recaps of " + look.Plural(n, "scene") + ", in order? The model is asked once for each but the first. The versions that are there stay."
	a.dialogs.Open(&widget.Confirm{Title: "Rebuild the running recap", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "leave it as it is", Do: nil},
		{Key: "y", Words: "make it anew", Do: func() tea.Cmd {
			return a.Do(func() func() tea.Cmd {
				n, err := a.eng.Scenes.RebuildRunning(chat)
				return func() tea.Cmd {
					if err != nil {
						return a.Fail(err)
					}
					return a.Say(event.Info, "the running recap is being made anew of "+look.Plural(n, "scene"))
				}
			})
		}}}})
	return nil
}
