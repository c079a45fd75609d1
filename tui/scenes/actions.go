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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sceneOf is the scene that a message belongs to; ok is false while it is not known.
func (r *Room) sceneOf(m chats.Message) (s scenes.Scene, ok bool) {
	return desk.SceneOf(r.desk.Play().Scenes(), m.Depth)
}

// toggleBreak ends a scene with a message, or takes the end away. The mark may be on
// a deleted message further down.
func (r *Room) toggleBreak(m chats.Message) tea.Cmd {
	if r.play.Writing(m.ID) {
		return r.desk.Say(event.Info, "this reply is still being written")
	}
	if s, ok := r.sceneOf(m); ok && !s.Open && s.Last == m.ID {
		back := ""
		if s.Break == m.ID {
			back = r.desk.Keys().Key(keys.Break, keys.Browse)
		}
		return r.dropBreak(s, back)
	}
	chat, node, on := r.desk.Play().Chat().Chat.ID, m.ID, false
	return r.reshape(func() (err error) {
		on, err = r.desk.Engine().Scenes.ToggleBreak(chat, node)
		return err
	}, func(s scenes.Scenes) string {
		if !on {
			return "scene break removed"
		}
		return r.endedWords(s, node)
	})
}

// reshape changes the scenes of the open chat in the order of the keys, shows what
// they are then, and says what words make of it; words may be nil. What is given
// after that follows where it was done.
func (r *Room) reshape(change func() error, words func(scenes.Scenes) string, after ...tea.Cmd) tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	return r.order.Do(r.desk, func() func() tea.Cmd {
		var s scenes.Scenes
		err := change()
		if err == nil {
			s, err = r.desk.Engine().Scenes.List(chat)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			cmd := r.play.TakeScenes(s)
			if words != nil {
				cmd = tea.Batch(cmd, r.desk.Say(event.Info, words(s)))
			}
			return tea.Batch(append(after, cmd)...)
		}
	})
}

// endedWords says that a scene ends at a message now.
func (r *Room) endedWords(s scenes.Scenes, node storage.NodeID) string {
	for _, sc := range s.List {
		if sc.Break != node {
			continue
		}
		words := fmt.Sprintf("scene %d ends here", sc.Number)
		if v := desk.RecapWords(sc.Recap); v != "" {
			return words + ", and its recap " + v + " is restored"
		}
		if sc.Working {
			return words + ", and its recap is being made"
		}
		if k := r.desk.Keys().Key(keys.PaneRecap, keys.Browse); k != "" && r.desk.Mode() == keys.Browse {
			words += look.Separator + k + " opens its recap"
		}
		return words
	}
	return "a scene ends here"
}

// dropBreak takes a scene's break away; back is the key that undoes it.
func (r *Room) dropBreak(s scenes.Scene, back string) tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	words := "scene break removed"
	if s.Recap.Versions > 0 {
		words += "; its recap is kept and restored with the break"
	}
	if back != "" {
		words += look.Separator + back + " restores it"
	}
	return r.reshape(func() error { _, err := r.desk.Engine().Scenes.SetBreak(chat, s.Break, false); return err },
		func(scenes.Scenes) string { return words }, r.lessons.OfferTakeBack(chat, s, words))
}

// toScene goes to the first message of a scene: of the one that the message
// stands in, of the one before where it stands there already, or of the next.
func (r *Room) toScene(m chats.Message, step int) tea.Cmd {
	all := r.desk.Play().Scenes()
	i := desk.SceneAt(all, m.Depth)
	if i < 0 {
		return r.notReadYet()
	}
	list := all.List
	if step > 0 || m.Depth <= list[i].FirstDepth {
		i += step
	}
	switch {
	case i < 0:
		return r.desk.Say(event.Info, "this is the first scene")
	case i >= len(list) || list[i].First == "":
		return r.desk.Say(event.Info, "there is no later scene")
	}
	s := list[i]
	words := desk.SceneTitle(s)
	if w, _ := r.desk.Size(); s.Messages > 0 && w >= 60 {
		words += look.Separator + look.Plural(s.Messages, "message")
	}
	return tea.Batch(r.desk.Play().JumpTo(s.First), r.desk.Say(event.Info, words))
}

func (r *Room) notReadYet() tea.Cmd {
	return r.desk.Say(event.Info, "the scenes are still loading")
}

func (r *Room) foldScene(m chats.Message) tea.Cmd {
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
func (r *Room) fold(s scenes.Scene) tea.Cmd {
	switch {
	case s.Open:
		return r.desk.Say(event.Info, "this scene is still open: it has no recap yet")
	case s.Recap.Version == 0 && s.Working:
		return r.desk.Say(event.Info, "its recap is being written")
	case s.Recap.Version == 0:
		return r.desk.Say(event.Info, desk.SceneTitle(s)+" has no recap yet")
	}
	chat := r.desk.Play().Chat().Chat.ID
	return r.reshape(func() error { return r.desk.Engine().Scenes.Expand(chat, s.Break, !s.Expanded) }, nil)
}

func (r *Room) undoDetection() tea.Cmd {
	chat, n := r.desk.Play().Chat().Chat.ID, 0
	if chat == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	return r.reshape(func() (err error) { n, err = r.desk.Engine().Scenes.UndoDetection(chat); return err },
		func(scenes.Scenes) string { return look.Plural(n, "detected scene break") + " undone" })
}

// The ways to search a chat for scene breaks, as the form offers them.
const (
	byMarks  = "explicit breaks only"
	byAsking = "explicit breaks, then ask the model"
	lookNew  = "new messages only"
	lookAll  = "all messages"
)

// openDetect asks how the whole chat is to be searched for scene breaks.
func (r *Room) openDetect() tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	if chat == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	ask := byAsking
	if n := r.desk.Play().Scenes().Unchecked; n > 0 {
		ask += " (" + look.Plural(n, "message") + ")"
	}
	f := &widget.Form{Title: "Detect scenes in this chat", Verb: "detect",
		Notes: []string{"Headings, separators and out-of-character marks are found immediately. Asking the model takes a while and runs in the background."},
		Fields: []*widget.Field{
			widget.PickField("Look for", ask, []string{ask, byMarks}),
			widget.PickField("Messages", lookNew, []string{lookNew, lookAll}),
			widget.LineField(r.desk.Look(), "Minimum", "", "messages per scene"),
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
	r.desk.Open(f.Start())
	return nil
}

func (r *Room) detectAll(chat storage.ChatID, want scenes.DetectRequest) tea.Cmd {
	r.news.looking = true
	return r.desk.Do(func() func() tea.Cmd {
		d, err := r.desk.Engine().Scenes.Detect(chat, want)
		return func() tea.Cmd {
			r.news.looking = false
			if err != nil {
				return r.desk.Fail(err)
			}
			cmd := r.desk.Say(event.Info, r.detectedWords(d, want.TableOnly))
			r.news.looked, _ = r.desk.Notices().Last()
			return cmd
		}
	})
}

// detectedWords tells what a search has found at once, and what goes on.
func (r *Room) detectedWords(d scenes.Detected, marksOnly bool) string {
	words := "no explicit breaks found"
	if d.Found > 0 {
		words = look.Plural(d.Found, "scene break") + " found by explicit marks"
	}
	switch {
	case d.Left > 0:
		words += "; the model is being asked about " + look.Plural(d.Left, "message")
		if k := r.desk.Keys().Key(keys.PaneQueue, keys.Write); k != "" {
			words += " (" + k + " shows the progress)"
		}
		return words
	case d.Found == 0 && !marksOnly:
		return "there are no new messages; “" + lookAll + "” checks the rest again"
	case marksOnly && r.desk.Play().Scenes().Unchecked > d.Found:
		words += "; the model was not asked about the rest"
	}
	return words + r.undoWords(d.Found)
}

func (r *Room) recapMissing() tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	if chat == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	return r.desk.Do(func() func() tea.Cmd {
		n, err := r.desk.Engine().Scenes.RecapMissing(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.desk.Fail(err)
			case n == 0:
				return r.desk.Say(event.Info, "every finished scene has a recap")
			}
			return r.desk.Say(event.Info, look.Plural(n, "recap")+" queued")
		}
	})
}

// openRebuild asks before the running recap is made anew.
func (r *Room) openRebuild() tea.Cmd {
	chat, n := r.desk.Play().Chat().Chat.ID, 0
	for _, s := range r.desk.Play().Scenes().List {
		if s.Recap.Version > 0 {
			n++
		}
	}
	if n == 0 {
		return r.desk.Say(event.Info, "no scene has a recap yet, so there is nothing to build a running recap from")
	}
	text := "Rebuild the running recap from the recaps of " + look.Plural(n, "scene") + ", in order? This takes one model request per recap. Existing versions are kept."
	r.desk.Open(&widget.Confirm{Title: "Rebuild the running recap", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "rebuild", Do: func() tea.Cmd {
			return r.desk.Do(func() func() tea.Cmd {
				n, err := r.desk.Engine().Scenes.RebuildRunning(chat)
				return func() tea.Cmd {
					if err != nil {
						return r.desk.Fail(err)
					}
					return r.desk.Say(event.Info, "the running recap is being rebuilt from "+look.Plural(n, "scene"))
				}
			})
		}}}})
	return nil
}
