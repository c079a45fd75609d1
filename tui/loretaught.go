package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/engine/lore"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

// loreToasts is what the screen knows of lorebook news that it has told.
type loreToasts struct {
	chat    storage.ChatID // whose inbox was counted last
	waiting int
	busy    bool
	again   bool
	offer   takeBackOffer
	pointed *lorePane // that has led to the message which the play shows
	tried   string    // the text in the test box
	taken   takenBack
}

// takeBackOffer is a scene whose teaching the user was offered to take back.
type takeBackOffer struct {
	chat   storage.ChatID
	brk    storage.NodeID
	title  string
	notice int // that offers it
}

// takenBack is what was taken back last of a scene's teaching: entries that are
// gone by it stand in no list, so that their histories cannot be asked for.
type takenBack struct {
	chat storage.ChatID
	undo desk.UndoStep // back is nil where there is nothing to undo
}

// loreToast gets every event and tells news of the lorebooks in the status line.
func (a *app) loreToast(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case lore.Changed:
		if ev.Chat != "" && ev.Chat != a.view.Chat.ID {
			return nil
		}
		if b := a.inbox(); b != nil {
			return b.read(a)
		}
		return a.countWaiting()
	case house.OperationChanged:
		return a.toldAnew(ev.Operation)
	}
	return nil
}

// loreWanted reads what the lore pane needs beside the view that is shown: how
// many changes wait, and the next turn while the user writes.
func (a *app) loreWanted() tea.Cmd {
	p, ok := paneOf[*lorePane](a)
	if !ok {
		return nil
	}
	var cmd tea.Cmd
	if b := a.inbox(); b != nil && (b.stale || b.chat != a.view.Chat.ID) {
		cmd = b.read(a)
	}
	if w, ok := p.view().(*loreWhy); ok {
		cmd = tea.Batch(cmd, w.follow(a))
	}
	return cmd
}

// countWaiting tells of changes that have come to wait: one reading at a time.
func (a *app) countWaiting() tea.Cmd {
	chat, t := a.view.Chat.ID, &a.toasts
	if t.busy {
		t.again = true
		return nil
	}
	t.busy = true
	return a.Do(func() func() tea.Cmd {
		all, err := a.eng.Lore.Inbox(chat, "")
		return func() tea.Cmd {
			var cmd tea.Cmd
			t.busy = false
			if t.again {
				t.again = false
				cmd = a.countWaiting()
			}
			if err != nil || chat != a.view.Chat.ID {
				return cmd
			}
			had := t.waiting
			if t.chat != chat {
				had = 0
			}
			t.chat, t.waiting = chat, len(all)
			if len(all) <= had || a.inbox() != nil {
				return cmd
			}
			return tea.Batch(cmd, a.Say(event.Info, waitingWords(len(all))+" for your word in the lorebooks"+a.inboxWords()))
		}
	})
}

// inboxWords say how the inbox is opened.
func (a *app) inboxWords() string {
	k := a.keys.Key(keys.LoreInbox, keys.Write)
	if k == "" {
		if k = a.keys.Key(keys.PaneLore, keys.Write); k == "" {
			return ""
		}
		k += " " + a.keys.Key(keys.PaneView3, keys.Pane)
	}
	return look.Separator + k + " shows " + them(2)
}

// fillLore queues what fills the chat's book from recaps.
func (a *app) fillLore() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	return a.Do(func() func() tea.Cmd {
		q, err := a.eng.Lore.FillMissing(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case q.Candidates == 0 && q.Scenes == 0:
				return a.Say(event.Info, "the chat's lorebook holds what its recaps know")
			case q.Candidates == 0:
				return a.Say(event.Info, "the recaps of "+look.Plural(q.Scenes, "scene")+" name nothing for the lorebook")
			}
			return tea.Batch(a.Tick(), a.Say(event.Info, fmt.Sprintf("%s from the recaps of %s go into the chat's lorebook", candidates(q.Candidates), look.Plural(q.Scenes, "scene"))))
		}
	})
}

func candidates(n int) string {
	if n == 1 {
		return "1 find"
	}
	return look.Plural(n, "find")
}

// toldAnew offers to take back what earlier recaps of a scene have taught when it
// has got another one.
func (a *app) toldAnew(op storage.Operation) tea.Cmd {
	if op.Status != storage.Completed || op.Type != "generate_scene_recap" && op.Type != "join_scene_recaps" {
		return nil
	}
	j, chat := newJob(op), a.view.Chat.ID
	if j.Chat != chat || j.Node == "" {
		return nil
	}
	for _, s := range a.scenes.List {
		if s.Break == j.Node {
			return a.offerTakeBack(chat, s, "")
		}
	}
	return nil
}

// offerTakeBack tells what a scene has taught, where it has taught something, and
// how that is taken back. Nothing is taken back by itself.
func (a *app) offerTakeBack(chat storage.ChatID, s scenes.Scene, lead string) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Lore.Taught(chat, s.Break)
		if err != nil || len(list) == 0 {
			return nil // what is not known is not offered
		}
		return func() tea.Cmd {
			if chat != a.view.Chat.ID || lead != "" && a.ends(s.Break) {
				return nil // the break is back already, or was never gone
			}
			return a.offered(chat, s, lead, len(list))
		}
	})
}

// ends tells whether a scene of the open chat ends with a break.
func (a *app) ends(brk storage.NodeID) bool {
	return slices.ContainsFunc(a.scenes.List, func(s scenes.Scene) bool { return s.Break == brk && !s.Open })
}

// offered says that what a scene has taught n entries can be taken back. lead are
// the words about what has happened to it.
func (a *app) offered(chat storage.ChatID, s scenes.Scene, lead string, n int) tea.Cmd {
	words := lead + look.Separator + "what it taught the lorebooks stays"
	if lead == "" {
		words = sceneTitle(s) + " has another recap" + look.Separator + "what those before taught the lorebooks stays"
	}
	words += " (" + desk.EntryCount(n) + ")"
	if k := a.takeBackKey(); k != "" {
		words += look.Separator + k + " takes it back"
	}
	cmd := a.Say(event.Info, words)
	a.toasts.offer = takeBackOffer{chat, s.Break, sceneTitle(s), a.notice.id}
	return cmd
}

// takeBackKey is the key that takes back what a scene has taught.
func (a *app) takeBackKey() string {
	k := a.keys.Key(keys.PaneTakeBack, keys.Browse)
	if k != "" && a.mode == keys.Write {
		k = a.keys.Key(keys.ToBrowse, keys.Write) + " " + k
	}
	return k
}

// takeBack shows what a scene has taught the lorebooks and asks whether to take
// that back: the scene that was offered last while the offer stands on the
// screen, or else the chosen one.
func (a *app) takeBack() tea.Cmd {
	chat := a.view.Chat.ID
	brk, title := a.sceneForLore()
	o := a.toasts.offer
	offered := o.chat == chat && o.brk != ""
	if offered && (brk == "" || a.notice.id == o.notice && a.notice.text != "") {
		brk, title = o.brk, o.title
	}
	switch {
	case chat == "":
		return a.Say(event.Info, "no chat is open")
	case brk == "":
		return a.Say(event.Info, "this scene is still open; choose one that has ended, in the scenes pane or by a message")
	}
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Lore.Taught(chat, brk)
		if err == nil && len(list) == 0 && offered && o.brk != brk {
			brk, title = o.brk, o.title
			list, err = a.eng.Lore.Taught(chat, brk)
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case len(list) == 0:
				return a.Say(event.Info, title+" has taught the lorebooks nothing but what its recap holds")
			}
			a.dialogs.Open(newTaughtSheet(a, chat, brk, title, list))
			return nil
		}
	})
}

// sceneForLore is the scene that the user has chosen: in the scenes or recap
// pane, or by the selected message.
func (a *app) sceneForLore() (storage.NodeID, string) {
	if a.mode == keys.Pane {
		switch p := a.pane.(type) {
		case desk.SceneList:
			if s, ok := p.ChosenScene(); ok && !s.Open {
				return s.Break, sceneTitle(s)
			}
			return "", ""
		case desk.SceneView:
			if s, ok := p.ShownScene(); ok {
				return s.Break, sceneTitle(s)
			}
		}
	}
	if it := a.play.Current(); it != nil {
		if s := a.sceneOf(it); s != nil && !s.Open {
			return s.Break, sceneTitle(*s)
		}
	}
	return "", ""
}

// taughtSheet is a dialog over what a scene has taught.
type taughtSheet struct {
	widget.Sheet
	laidLines
	a     *app
	chat  storage.ChatID
	brk   storage.NodeID
	title string
	list  []lore.Taught
}

func (t *taughtSheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.Keystroke(msg) {
	case "y":
		return t.takeBack(), true
	case "esc", "q", "n", "enter", "ctrl+c":
		return nil, true
	}
	t.Sheet.Handle(msg)
	return nil, false
}

// takeBack takes back what was taught.
func (t *taughtSheet) takeBack() tea.Cmd {
	chat, brk, title := t.chat, t.brk, t.title
	keysOf := make([]loreKey, len(t.list))
	for i, e := range t.list {
		keysOf[i] = loreKey{e.Book, e.Entry}
	}
	return t.a.Do(func() func() tea.Cmd {
		n, err := t.a.eng.Lore.TakeBack(chat, brk)
		return func() tea.Cmd {
			if err != nil {
				return t.a.Fail(err)
			}
			if t.a.toasts.offer.brk == brk {
				t.a.toasts.offer = takeBackOffer{}
			}
			words := "what " + title + " taught was taken back from " + desk.EntryCount(n)
			t.a.toasts.taken = takenBack{chat, desk.UndoStep{Words: words, Back: undoEach(t.a.eng, chat, keysOf)}}
			if k := t.a.keys.Key(keys.PaneRestore, keys.Pane); k != "" {
				words += look.Separator + k + " in the lorebooks pane undoes it"
			}
			return t.a.Say(event.Info, words)
		}
	})
}

func (t *taughtSheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	foot := "y take it back · esc keep it · ↑↓ scroll"
	w := min(90, screen.Dx())
	lines := t.in(max(1, w-5), lk)
	if in := look.Frame(buf, look.Centred(screen, w, len(lines)+2), lk, "What "+t.title+" taught", foot); !in.Empty() {
		t.Sheet.Draw(buf, in, lines, lk)
	}
	return nil
}

func newTaughtSheet(a *app, chat storage.ChatID, brk storage.NodeID, title string, list []lore.Taught) *taughtSheet {
	t := &taughtSheet{a: a, chat: chat, brk: brk, title: title, list: list}
	t.lines = t.lay
	return t
}

// lay lays out what was taught.
func (t *taughtSheet) lay(w int, lk *look.Look) []string {
	out := look.Hanging("", "Take this back out of the lorebooks? What you have written yourself stays, and each entry's history keeps what goes.", w, lk.Base)
	for _, e := range t.list {
		name := look.Within(e.Name, 120)
		if e.New {
			name += " (a new entry)"
		}
		out = append(out, "")
		out = append(out, look.Hanging("", name, w, lk.Strong)...)
		for i, f := range e.Facts {
			if i == mostHunks {
				out = append(out, lk.Dim.Styled(look.Clip("  "+moreHunks(len(e.Facts)-i), w)))
				break
			}
			out = append(out, look.Hanging(lk.Failure.Styled("  − "), cutText(f, longestShown), w, lk.Base)...)
		}
	}
	return out
}
