package scenes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sceneOf returns the scene of a message; ok is false while it is not known.
func (r *Part) sceneOf(m chats.Message) (s scenes.Scene, ok bool) {
	return pane.SceneOf(r.host.Play().Scenes(), m.Depth)
}

// toggleBreak ends a scene with a message, or removes that end. The mark may be on a deleted
// message further down.
func (r *Part) toggleBreak(m chats.Message) tea.Cmd {
	if r.play.Writing(m.ID) {
		return r.host.Say(event.Info, "this reply is still being written")
	}
	if s, ok := r.sceneOf(m); ok && !s.Open && s.Last == m.ID {
		back := ""
		if s.Break == m.ID {
			back = r.host.Keys().Key(keys.Break, keys.Browse)
		}
		return r.removeBreak(s, back)
	}
	chat, node, on := r.host.Play().Chat().Chat.ID, m.ID, false
	return r.changeScenes(func() (err error) {
		on, err = r.host.Engine().Scenes.ToggleBreak(chat, node)
		return err
	}, func(s scenes.Scenes) string {
		if !on {
			return "scene break removed"
		}
		return r.endedWords(s, node)
	})
}

// changeScenes changes the scenes of the open chat in the order of the keys, shows the result, and
// shows a notice with the words that words returns; words may be nil. after runs once it is stored.
func (r *Part) changeScenes(change func() error, words func(scenes.Scenes) string, after ...tea.Cmd) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	return r.order.Do(r.host, func() func() tea.Cmd {
		var s scenes.Scenes
		err := change()
		if err == nil {
			s, err = r.host.Engine().Scenes.List(chat)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			cmd := r.play.SetScenes(s)
			if words != nil {
				cmd = tea.Batch(cmd, r.host.Say(event.Info, words(s)))
			}
			return tea.Batch(append(after, cmd)...)
		}
	})
}

// endedWords returns the notice that a scene now ends at a message.
func (r *Part) endedWords(s scenes.Scenes, node storage.NodeID) string {
	for _, sc := range s.List {
		if sc.Break != node {
			continue
		}
		words := fmt.Sprintf("scene %d ends here", sc.Number)
		if v := pane.RecapWords(sc.Recap); v != "" {
			return words + ", and its recap " + v + " is restored"
		}
		if sc.Working {
			return words + ", and its recap is being made"
		}
		if k := r.host.Keys().Key(keys.PaneRecap, keys.Browse); k != "" && r.host.Mode() == keys.Browse {
			words += draw.Separator + k + " opens its recap"
		}
		return words
	}
	return "a scene ends here"
}

// removeBreak removes a scene's break; back is the key that undoes it.
func (r *Part) removeBreak(s scenes.Scene, back string) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	words := "scene break removed"
	if s.Recap.Versions > 0 {
		words += "; its recap is kept and restored with the break"
	}
	if back != "" {
		words += draw.Separator + back + " restores it"
	}
	return r.changeScenes(func() error { _, err := r.host.Engine().Scenes.SetBreak(chat, s.Break, false); return err },
		func(scenes.Scenes) string { return words }, r.loreUndo.OfferUndo(chat, s, words))
}

// toScene goes to the first message of a scene: the current one, the previous one if that message
// is selected already, or the next.
func (r *Part) toScene(m chats.Message, step int) tea.Cmd {
	all := r.host.Play().Scenes()
	i := pane.SceneAt(all, m.Depth)
	if i < 0 {
		return r.notReadYet()
	}
	list := all.List
	if step > 0 || m.Depth <= list[i].FirstDepth {
		i += step
	}
	switch {
	case i < 0:
		return r.host.Say(event.Info, "this is the first scene")
	case i >= len(list) || list[i].First == "":
		return r.host.Say(event.Info, "there is no later scene")
	}
	s := list[i]
	words := pane.SceneTitle(s)
	if w, _ := r.host.Size(); s.Messages > 0 && w >= 60 {
		words += draw.Separator + draw.Plural(s.Messages, "message")
	}
	return tea.Batch(r.host.Play().JumpTo(s.First), r.host.Say(event.Info, words))
}

func (r *Part) notReadYet() tea.Cmd {
	return r.host.Say(event.Info, "the scenes are still loading")
}

func (r *Part) foldScene(m chats.Message) tea.Cmd {
	s, ok := r.sceneOf(m)
	if !ok {
		return r.notReadYet()
	}
	if s.Expanded {
		r.play.Unfold("")
	} else {
		r.play.Unfold(s.Last)
	}
	return r.fold(s)
}

// fold shows or hides a scene's recap in the play.
func (r *Part) fold(s scenes.Scene) tea.Cmd {
	switch {
	case s.Open:
		return r.host.Say(event.Info, "this scene is still open: it has no recap yet")
	case s.Recap.Version == 0 && s.Working:
		return r.host.Say(event.Info, "its recap is being written")
	case s.Recap.Version == 0:
		return r.host.Say(event.Info, pane.SceneTitle(s)+" has no recap yet")
	}
	chat := r.host.Play().Chat().Chat.ID
	return r.changeScenes(func() error { return r.host.Engine().Scenes.Expand(chat, s.Break, !s.Expanded) }, nil)
}

func (r *Part) undoDetection() tea.Cmd {
	chat, n := r.host.Play().Chat().Chat.ID, 0
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.changeScenes(func() (err error) { n, err = r.host.Engine().Scenes.UndoDetection(chat); return err },
		func(scenes.Scenes) string { return draw.Plural(n, "detected scene break") + " undone" })
}

// The ways to search a chat for scene breaks, as the form offers them.
const (
	byMarks  = "explicit breaks only"
	byAsking = "explicit breaks, then ask the model"
	lookNew  = "new messages only"
	lookAll  = "all messages"
)

// openDetect asks how to search the whole chat for scene breaks.
func (r *Part) openDetect() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	ask := byAsking
	if n := r.host.Play().Scenes().Unchecked; n > 0 {
		ask += " (" + draw.Plural(n, "message") + ")"
	}
	f := &widget.Form{Title: "Detect scenes in this chat", Verb: "detect",
		Notes: []string{"Headings, separators and out-of-character marks are found immediately. Asking the model " +
			"takes a while and runs in the background."},
		Fields: []*widget.Field{
			widget.PickField("Look for", ask, []string{ask, byMarks}),
			widget.PickField("Messages", lookNew, []string{lookNew, lookAll}),
			widget.LineField(r.host.Styles(), "Minimum", "", "messages per scene"),
		}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		want := scenes.DetectRequest{TableOnly: f.Fields[0].Value() == byMarks, Again: f.Fields[1].Value() == lookAll}
		if v := strings.TrimSpace(f.Fields[2].Value()); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 1000 {
				return nil, errors.New("enter 1 to 1000 messages, or leave it empty")
			}
			want.Min = n
		}
		return r.detectAll(chat, want), nil
	}
	r.host.Open(f.Start())
	return nil
}

func (r *Part) detectAll(chat storage.ChatID, want scenes.DetectRequest) tea.Cmd {
	r.news.looking = true
	return r.host.Do(func() func() tea.Cmd {
		d, err := r.host.Engine().Scenes.Detect(chat, want)
		return func() tea.Cmd {
			r.news.looking = false
			if err != nil {
				return r.host.Fail(err)
			}
			cmd := r.host.Say(event.Info, r.detectedWords(d, want.TableOnly))
			r.news.looked, _ = r.host.Notices().Last()
			return cmd
		}
	})
}

// detectedWords returns the notice about breaks found immediately, and the queued rest.
func (r *Part) detectedWords(d scenes.Detected, marksOnly bool) string {
	words := "no explicit breaks found"
	if d.Found > 0 {
		words = draw.Plural(d.Found, "scene break") + " found by explicit marks"
	}
	switch {
	case d.Left > 0:
		words += "; the model is being asked about " + draw.Plural(d.Left, "message")
		if k := r.host.Keys().Key(keys.PaneQueue, keys.Write); k != "" {
			words += " (" + k + " shows the progress)"
		}
		return words
	case d.Found == 0 && !marksOnly:
		return "there are no new messages; “" + lookAll + "” checks the rest again"
	case marksOnly && r.host.Play().Scenes().Unchecked > d.Found:
		words += "; the model was not asked about the rest"
	}
	return words + r.undoWords(d.Found)
}

func (r *Part) recapMissing() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.host.Do(func() func() tea.Cmd {
		n, err := r.host.Engine().Scenes.RecapMissing(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case n == 0:
				return r.host.Say(event.Info, "every finished scene has a recap")
			}
			return r.host.Say(event.Info, draw.Plural(n, "recap")+" queued")
		}
	})
}

// openRebuild asks before it makes the running recap again.
func (r *Part) openRebuild() tea.Cmd {
	chat, n := r.host.Play().Chat().Chat.ID, 0
	for _, s := range r.host.Play().Scenes().List {
		if s.Recap.Version > 0 {
			n++
		}
	}
	if n == 0 {
		return r.host.Say(event.Info, "no scene has a recap yet, so there is nothing to build a running recap from")
	}
	text := "Rebuild the running recap from the recaps of " + draw.Plural(n, "scene") +
		", in order? This takes one model request per recap. Existing versions are kept."
	r.host.Open(&widget.Confirm{Title: "Rebuild the running recap", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "rebuild", Do: func() tea.Cmd {
			return r.host.Do(func() func() tea.Cmd {
				n, err := r.host.Engine().Scenes.RebuildRunning(chat)
				return func() tea.Cmd {
					if err != nil {
						return r.host.Fail(err)
					}
					return r.host.Say(event.Info, "the running recap is being rebuilt from "+draw.Plural(n, "scene"))
				}
			})
		}}}})
	return nil
}
