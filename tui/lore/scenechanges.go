package lore

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// news is the state of the lorebook notices on the screen.
type news struct {
	chat    storage.ChatID // the chat whose inbox was counted last
	waiting int
	busy    bool
	again   bool
	offer   undoOffer
	tried   string // the text in the test box
	undone  undoneChanges
}

// undoOffer is a scene whose lorebook changes the user was offered to undo.
type undoOffer struct {
	chat   storage.ChatID
	brk    storage.NodeID
	title  string
	notice int // id of the notice
}

// undoneChanges holds the changes from a scene that were undone last. Their entries are gone and
// are in no list, so their histories cannot be queried.
type undoneChanges struct {
	chat storage.ChatID
	undo pane.UndoStep // Back is nil if there is nothing to undo
}

// tellNews handles every event and shows lorebook notices in the status line.
func (r *Part) tellNews(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case lore.Changed:
		if ev.Chat != "" && ev.Chat != r.host.Play().Chat().Chat.ID {
			return nil
		}
		if b := r.inbox(); b != nil {
			return b.Read()
		}
		return r.countWaiting()
	case queue.Changed:
		return r.offerAfterNewRecap(ev.Operation)
	}
	return nil
}

// Painted implements pane.AfterPaint. It reads what the pane needs besides the current view: the
// number of waiting changes, and the next turn while the user writes.
func (r *Part) Painted() tea.Cmd {
	p := r.pane()
	if p == nil {
		return nil
	}
	var cmd tea.Cmd
	if b := r.inbox(); b != nil && (b.stale || b.chat != r.host.Play().Chat().Chat.ID) {
		cmd = b.Read()
	}
	if w, ok := p.view().(*whyView); ok {
		cmd = tea.Batch(cmd, w.follow())
	}
	return cmd
}

// countWaiting shows a notice if more changes wait for review. Only one count runs at a time.
func (r *Part) countWaiting() tea.Cmd {
	chat, t := r.host.Play().Chat().Chat.ID, &r.news
	if t.busy {
		t.again = true
		return nil
	}
	t.busy = true
	return r.host.Do(func() func() tea.Cmd {
		all, err := r.host.Engine().Lore.Inbox(chat, "")
		return func() tea.Cmd {
			var cmd tea.Cmd
			t.busy = false
			if t.again {
				t.again = false
				cmd = r.countWaiting()
			}
			if err != nil || chat != r.host.Play().Chat().Chat.ID {
				return cmd
			}
			had := t.waiting
			if t.chat != chat {
				had = 0
			}
			t.chat, t.waiting = chat, len(all)
			if len(all) <= had || r.inbox() != nil {
				return cmd
			}
			return tea.Batch(cmd,
				r.host.Say(event.Info, waitingWords(len(all))+" for review in the lorebooks"+r.inboxWords()))
		}
	})
}

// inboxWords returns the words about how to open the inbox.
func (r *Part) inboxWords() string {
	k := r.host.Keys().Key(keys.LoreInbox, keys.Write)
	if k == "" {
		if k = r.host.Keys().Key(keys.PaneLore, keys.Write); k == "" {
			return ""
		}
		k += " " + r.key(keys.PaneView3)
	}
	return draw.Separator + k + " shows them"
}

// fill queues the work that fills the chat's book from recaps.
func (r *Part) fill() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.host.Do(func() func() tea.Cmd {
		q, err := r.host.Engine().Lore.FillMissing(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case q.Candidates == 0 && q.Scenes == 0:
				return r.host.Say(event.Info, "the chat's lorebook is up to date with its recaps")
			case q.Candidates == 0:
				return r.host.Say(event.Info, "the recaps of "+draw.Plural(q.Scenes, "scene")+
					" have nothing for the lorebook")
			}
			return tea.Batch(r.host.Work().Tick(),
				r.host.Say(event.Info, fmt.Sprintf("adding %s from the recaps of %s to the chat's lorebook",
					candidates(q.Candidates), draw.Plural(q.Scenes, "scene"))))
		}
	})
}

func candidates(n int) string {
	if n == 1 {
		return "1 new fact"
	}
	return draw.Plural(n, "new fact")
}

// offerAfterNewRecap offers to undo the lorebook changes of a scene's earlier recaps after a new
// one was made.
func (r *Part) offerAfterNewRecap(op storage.Operation) tea.Cmd {
	if op.Status != storage.Completed || op.Type != "generate_scene_recap" && op.Type != "join_scene_recaps" {
		return nil
	}
	j, chat := pane.NewOperation(op), r.host.Play().Chat().Chat.ID
	if j.Chat != chat || j.Node == "" {
		return nil
	}
	for _, s := range r.host.Play().Scenes().List {
		if s.Break == j.Node {
			return r.OfferUndo(chat, s, "")
		}
	}
	return nil
}

// OfferUndo shows a notice about a scene's lorebook changes, if there are any, and how to undo
// them. It undoes nothing itself.
func (r *Part) OfferUndo(chat storage.ChatID, s scenes.Scene, lead string) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		list, err := r.host.Engine().Lore.SceneChanges(chat, s.Break)
		if err != nil || len(list) == 0 {
			return nil // unknown changes are not offered
		}
		return func() tea.Cmd {
			if chat != r.host.Play().Chat().Chat.ID || lead != "" && r.ends(s.Break) {
				return nil // the break is back already, or still there
			}
			return r.showOffer(chat, s, lead, len(list))
		}
	})
}

// ends reports whether a scene of the open chat ends with a break.
func (r *Part) ends(brk storage.NodeID) bool {
	return slices.ContainsFunc(r.host.Play().Scenes().List,
		func(s scenes.Scene) bool { return s.Break == brk && !s.Open })
}

// showOffer shows the notice about a scene's changes to n entries. lead describes what happened to
// the scene.
func (r *Part) showOffer(chat storage.ChatID, s scenes.Scene, lead string, n int) tea.Cmd {
	words := lead + draw.Separator + "its lorebook changes are kept"
	if lead == "" {
		words = pane.SceneTitle(s) + " has a new recap" + draw.Separator + "lorebook changes from the old one are kept"
	}
	words += " (" + pane.EntryCount(n) + ")"
	if k := r.undoSceneKey(); k != "" {
		words += draw.Separator + k + " undoes them"
	}
	cmd := r.host.Say(event.Info, words)
	notice, _ := r.host.Notices().Last()
	r.news.offer = undoOffer{chat, s.Break, pane.SceneTitle(s), notice}
	return cmd
}

// undoSceneKey returns the key that undoes a scene's changes.
func (r *Part) undoSceneKey() string {
	k := r.host.Keys().Key(keys.PaneTakeBack, keys.Browse)
	if k != "" && r.host.Mode() == keys.Write {
		k = r.host.Keys().Key(keys.ToBrowse, keys.Write) + " " + k
	}
	return k
}

// undoScene shows a scene's lorebook changes and asks whether to undo them. It takes the scene of
// the visible notice, else the selected scene.
func (r *Part) undoScene() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	brk, title := r.chosenScene()
	o := r.news.offer
	offered := o.chat == chat && o.brk != ""
	if n, stands := r.host.Notices().Last(); offered && (brk == "" || stands && n == o.notice) {
		brk, title = o.brk, o.title
	}
	switch {
	case chat == "":
		return r.host.Say(event.Info, "no chat is open")
	case brk == "":
		return r.host.Say(event.Info,
			"this scene is still open; select one that has ended, in the scenes pane or by a message")
	}
	return r.host.Do(func() func() tea.Cmd {
		list, err := r.host.Engine().Lore.SceneChanges(chat, brk)
		if err == nil && len(list) == 0 && offered && o.brk != brk {
			brk, title = o.brk, o.title
			list, err = r.host.Engine().Lore.SceneChanges(chat, brk)
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case len(list) == 0:
				return r.host.Say(event.Info, title+" has no lorebook changes to undo")
			}
			r.openSceneChanges(chat, brk, title, list)
			return nil
		}
	})
}

// chosenScene returns the scene that the user has chosen: in the scenes or recap pane, or by the
// selected message.
func (r *Part) chosenScene() (storage.NodeID, string) {
	if r.host.Mode() == keys.Pane {
		switch p := r.host.Panes().Current().(type) {
		case pane.SceneList:
			if s, ok := p.ChosenScene(); ok && !s.Open {
				return s.Break, pane.SceneTitle(s)
			}
			return "", ""
		case pane.SceneView:
			if s, ok := p.ShownScene(); ok {
				return s.Break, pane.SceneTitle(s)
			}
		}
	}
	if m, ok := r.host.Play().Selected(); ok {
		if s, ok := pane.SceneOf(r.host.Play().Scenes(), m.Depth); ok && !s.Open {
			return s.Break, pane.SceneTitle(s)
		}
	}
	return "", ""
}

// openSceneChanges lists a scene's changes and asks whether to undo them.
func (r *Part) openSceneChanges(chat storage.ChatID, brk storage.NodeID, title string, list []lore.SceneChange) {
	sh := &widget.Reader{Title: "Lorebook changes from " + title, Wide: 90,
		Lines: func(w int, sty *draw.Styles) []string { return sceneChangeLines(list, w, sty) }}
	sh.Leaving(keys.PaneUndo, "undo", func() tea.Cmd { return r.undoSceneChanges(chat, brk, title, list) })
	r.host.Open(sh)
}

// undoSceneChanges undoes a scene's changes.
func (r *Part) undoSceneChanges(chat storage.ChatID, brk storage.NodeID, title string,
	list []lore.SceneChange) tea.Cmd {
	keysOf := make([]entryKey, len(list))
	for i, e := range list {
		keysOf[i] = entryKey{e.Book, e.Entry}
	}
	return r.host.Do(func() func() tea.Cmd {
		n, err := r.host.Engine().Lore.UndoScene(chat, brk)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			if r.news.offer.brk == brk {
				r.news.offer = undoOffer{}
			}
			words := "lorebook changes from " + title + " undone in " + pane.EntryCount(n)
			r.news.undone = undoneChanges{chat,
				pane.UndoStep{Text: words, Back: undoEach(r.host.Engine(), chat, keysOf)}}
			if k := r.host.Keys().Key(keys.PaneUndo, keys.Pane); k != "" {
				words += draw.Separator + k + " in the lorebooks pane restores them"
			}
			return r.host.Say(event.Info, words)
		}
	})
}

// sceneChangeLines lists a scene's changes.
func sceneChangeLines(list []lore.SceneChange, w int, sty *draw.Styles) []string {
	out := draw.Hanging("", "Undo these lorebook changes? Your own edits are kept, and each entry's history keeps "+
		"what is removed.", w, sty.Base)
	for _, e := range list {
		name := draw.Truncate(e.Name, 120)
		if e.New {
			name += " (new entry)"
		}
		out = append(out, "")
		out = append(out, draw.Hanging("", name, w, sty.Strong)...)
		for i, f := range e.Facts {
			if i == maxHunks {
				out = append(out, sty.Dim.Styled(draw.Clip("  "+moreHunks(len(e.Facts)-i), w)))
				break
			}
			out = append(out, draw.Hanging(sty.Failure.Styled("  − "), draw.Cut(f, maxShown), w, sty.Base)...)
		}
	}
	return out
}
