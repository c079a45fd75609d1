package pictures

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Hints implements desk.Pane.
func (g *gallery) Hints() []desk.Hint {
	hint := desk.NewHint
	switch {
	case g.chosenBatch() != nil:
		return []desk.Hint{hint(keys.PaneEnter, "send its drafts"), hint(keys.PaneStop, "cancel all")}
	case len(g.Marked) > 0:
		return []desk.Hint{hint("", strconv.Itoa(len(g.Marked))+" marked"), hint(keys.PaneEnter, "send"), hint(keys.PaneStop, "cancel"),
			hint(keys.PaneExport, "export"), hint(keys.PaneDelete, "delete")}
	case len(g.items) == 0:
		return nil
	}
	return []desk.Hint{hint(keys.PaneEnter, "edit, send"), hint(keys.PaneRegenerate, "again"), hint(keys.PaneMark, "mark"), hint(keys.PaneBeside, "variants"),
		hint(keys.PaneOutside, "open"), hint(keys.PaneWhy, "details"), hint(keys.PaneAll, "send pending"), hint(keys.PaneExport, "export"),
		hint(keys.PaneAvatar, "avatar"), hint(keys.PaneCopy, "copy"), hint(keys.PaneStop, "cancel"), hint(keys.PaneDelete, "delete"),
		hint(keys.PaneNew, "use as start picture"), hint(keys.PanePause, "reference image"), hint(keys.PaneFilter, "filter"), hint(keys.PaneSwitch, "sheet")}
}

// Actions implements desk.Pane.
func (g *gallery) Actions() []desk.Action {
	if g.always == nil { // with every key: they are made once
		g.always = slices.Clip(g.declare())
	}
	switch {
	case len(g.Marked) > 0:
		return append(g.always, desk.Action{Name: keys.ToBrowse, Do: func() tea.Cmd { clear(g.Marked); return nil }})
	case g.Filter.On():
		return append(g.always, desk.Action{Name: keys.ToBrowse, Do: func() tea.Cmd { return g.SetFilter("") }})
	}
	return g.always
}

// declare are the actions that there always are.
func (g *gallery) declare() []desk.Action {
	do := func(f func()) func() tea.Cmd { return func() tea.Cmd { f(); return nil } }
	return []desk.Action{
		{Name: keys.PaneUp, Do: do(func() { g.Move(-1) })},
		{Name: keys.PaneDown, Do: do(func() { g.Move(1) })},
		{Name: keys.PaneTop, Do: do(g.toTop)},
		{Name: keys.PaneBottom, Do: do(func() { g.batch = -1; g.Pick(len(g.Lines)) })},
		{Name: keys.PaneLeft, Words: "left; previous variant", Do: do(func() { g.aside(-1) })},
		{Name: keys.PaneRight, Words: "right; next variant", Do: do(func() { g.aside(1) })},
		{Name: keys.PageUp, Do: do(func() { g.step(-max(1, g.grid.shown-1)) })},
		{Name: keys.PageDown, Do: do(func() { g.step(max(1, g.grid.shown-1)) })},
		{Name: keys.PaneFilter, Do: do(g.openFilter)},
		{Name: keys.PaneMark, Do: do(g.mark)},
		{Name: keys.PaneMarkRange, Do: do(g.MarkRange)},
		{Name: keys.PaneMarkAll, Do: do(g.MarkAll)},
		{Name: keys.PaneAll, Do: g.room.sendDrafts},
		{Name: keys.PaneSwitch, Do: g.room.openContactSheet},
	}
}

// Other implements desk.Other: the rest is for what is chosen or marked.
func (g *gallery) Other(act keys.Action) tea.Cmd {
	if b := g.chosenBatch(); b != nil {
		return g.actOnBatch(act, *b)
	}
	if len(g.Marked) > 0 {
		if cmd, ok := g.actOnMarked(act); ok {
			return cmd
		}
	}
	if c := g.current(); c != nil {
		return g.actOn(act, *c)
	}
	return nil
}

func (g *gallery) toTop() {
	g.Pick(0)
	if len(g.room.batches()) > 0 {
		g.batch = 0
	}
}

// mark marks the chosen capture; a batch cannot be marked.
func (g *gallery) mark() {
	if g.chosenBatch() == nil {
		g.Mark()
	}
}

// aside goes to the capture at the side in a grid, to the variant before or after
// in a list.
func (g *gallery) aside(n int) {
	if g.grid.cols > 1 {
		g.Pick(g.At + n)
		return
	}
	c := g.current()
	if c == nil {
		return
	}
	all := g.family[c.ID]
	if i := slices.Index(all, c.ID); i >= 0 {
		g.GoTo(string(all[(i+n+len(all))%len(all)]))
	}
}

func (g *gallery) actOnBatch(act keys.Action, b pictures.BatchView) tea.Cmd {
	switch act {
	case keys.PaneEnter:
		return g.room.sendBatch(b)
	case keys.PaneStop:
		return g.room.CancelBatch(b)
	}
	return g.Desk.Say(event.Info, "this is a batch: enter sends its drafts, x cancels it")
}

// actOnMarked does what is for several captures at once; ok is false where an
// action is for the chosen one alone.
func (g *gallery) actOnMarked(act keys.Action) (cmd tea.Cmd, ok bool) {
	var marked []pictures.GalleryItem
	for _, i := range g.Targets(nil) {
		marked = append(marked, g.items[i])
	}
	switch act {
	case keys.PaneEnter:
		return g.sendMarked(marked), true
	case keys.PaneStop:
		return desk.Tell(g.Desk, "cancelled", func() error {
			for _, c := range marked {
				if c.Status != storage.CaptureGenerating && c.Status != storage.CapturePrompting {
					continue
				}
				if err := g.Desk.Engine().Pictures.CancelCapture(c.ID); err != nil {
					return err
				}
			}
			return nil
		}), true
	case keys.PaneExport:
		return g.room.openExport(marked), true
	case keys.PaneDelete:
		g.askDelete(marked)
		return nil, true
	}
	return nil, false
}

// sendMarked asks before it sends the drafts among captures.
func (g *gallery) sendMarked(marked []pictures.GalleryItem) tea.Cmd {
	var ids []storage.CaptureID
	for _, c := range marked {
		if sendable(c.Capture) {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return g.Desk.Say(event.Info, "none of the selected captures is a draft")
	}
	text := "Generate " + look.Plural(len(ids), "draft") + "?"
	if n := len(marked) - len(ids); n > 0 {
		text += fmt.Sprintf(" The other %d selected are not drafts.", n)
	}
	g.Desk.Open(&widget.Confirm{Title: "Send drafts", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "send", Do: func() tea.Cmd {
			clear(g.Marked)
			return g.room.sending(func() (pictures.Sent, error) { return g.Desk.Engine().Pictures.SendDrafts(ids), nil })
		}},
		{Key: "n", Words: "not now", Do: nil}}})
	return nil
}

// sendable tells whether a capture can be sent as it stands.
func sendable(c storage.Capture) bool {
	return (c.Status == storage.CaptureDraft || c.Status == storage.CaptureFailed) && promptOf(c) != ""
}

func (g *gallery) askDelete(list []pictures.GalleryItem) {
	text := "Delete this capture and its files?"
	if len(list) > 1 {
		text = "Delete these " + look.Plural(len(list), "capture") + " and their files?"
	}
	g.Desk.Open(&widget.Confirm{Title: "Delete capture", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "delete", Do: func() tea.Cmd {
			return desk.Try(g.Desk, func() error {
				for _, c := range list {
					if err := g.Desk.Engine().Pictures.DeleteCapture(c.ID); err != nil {
						return err
					}
				}
				return nil
			})
		}}}})
}

// actOn does what is for one capture.
func (g *gallery) actOn(act keys.Action, c pictures.GalleryItem) tea.Cmd {
	switch act {
	case keys.PaneEnter, keys.PaneEdit:
		return g.room.openCapture(c.Capture)
	case keys.PaneRegenerate, keys.PaneInstruct:
		return desk.Try(g.Desk, func() error { _, err := g.Desk.Engine().Pictures.ResendCapture(c.ID); return err })
	case keys.PaneBeside:
		return g.openVariants(c)
	case keys.PaneOutside:
		return g.room.openFile(c.Capture)
	case keys.PaneCopy:
		return g.Desk.Copy(promptOf(c.Capture), "prompt")
	case keys.PaneAvatar:
		return desk.Try(g.Desk, func() error { return g.Desk.Engine().Pictures.CaptureAsAvatar(c.ID) })
	case keys.PaneNew:
		return g.room.beginFrom(c.Capture)
	case keys.PanePause:
		return g.room.asReference(c.Capture)
	case keys.PaneExport:
		return g.room.openExport([]pictures.GalleryItem{c})
	case keys.PaneWhy:
		g.Desk.Open(&widget.Reader{Title: "About this " + captureKind(c.Capture), Lines: widget.PlainLines(g.wholeOf(&c))})
	case keys.PaneSource:
		if c.Node != "" {
			return g.Desk.JumpTo(c.Node)
		}
		return g.Desk.JumpTo(c.At)
	case keys.PaneStop:
		if c.Status != storage.CaptureGenerating && c.Status != storage.CapturePrompting {
			return g.Desk.Say(event.Info, "nothing to cancel: no prompt or picture is being generated")
		}
		return desk.Tell(g.Desk, "cancelled", func() error { return g.Desk.Engine().Pictures.CancelCapture(c.ID) })
	case keys.PaneDelete:
		g.askDelete([]pictures.GalleryItem{c})
	}
	return nil
}

// wholeOf is all there is to say about a capture.
func (g *gallery) wholeOf(c *pictures.GalleryItem) string {
	text := g.stateWords(c) + "\n"
	line := func(label, words string) {
		if words != "" {
			text += label + words + "\n"
		}
	}
	for _, w := range c.Warnings {
		line("! ", w)
	}
	line("", madeWith(c))
	line("server: ", c.Server)
	if c.Seed != nil {
		line("seed ", fmt.Sprint(*c.Seed))
	}
	line("camera: ", directed(c))
	line("taken ", c.CreatedAt.Local().Format("2006-01-02 15:04:05"))
	if c.ImagePath != "" {
		line("file: ", g.Desk.Engine().Pictures.Gallery.Path(c.Capture))
	}
	line("\nRequest\n", c.Requested)
	line("\nPrompt\n", promptOf(c.Capture))
	if c.FinalPrompt != promptOf(c.Capture) {
		line("\nSent prompt\n", c.FinalPrompt)
	}
	line("\nNegative prompt\n", c.NegativePrompt)
	line("\nWhy\n", c.Reasoning)
	return text
}

// sendDrafts asks before it sends all captures that wait for ComfyUI.
func (r *Room) sendDrafts() tea.Cmd {
	chat := r.desk.Chat().Chat.ID
	return r.desk.Do(func() func() tea.Cmd {
		all, err := r.desk.Engine().Pictures.WaitingDrafts("")
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			r.askSendDrafts(all, chat)
			if len(all) == 0 {
				return r.desk.Say(event.Info, "no capture is waiting for ComfyUI; send other drafts one by one, or marked, with "+r.desk.Keys().Key(keys.PaneEnter, keys.Pane))
			}
			return nil
		}
	})
}

func (r *Room) askSendDrafts(all []storage.Capture, chat storage.ChatID) {
	var every, here []storage.CaptureID
	for _, c := range all {
		every = append(every, c.ID)
		if c.Chat == chat {
			here = append(here, c.ID)
		}
	}
	send := func(ids []storage.CaptureID) func() tea.Cmd {
		return func() tea.Cmd {
			return r.sending(func() (pictures.Sent, error) { return r.desk.Engine().Pictures.SendDrafts(ids), nil })
		}
	}
	text := look.Plural(len(here), "capture") + " of this chat could not be sent while ComfyUI was offline."
	if r.desk.Servers().Comfy.Asked && !r.desk.Servers().Comfy.Up {
		text += " It is still offline."
	}
	var choices []widget.Choice
	if len(here) > 0 {
		choices = append(choices, widget.Choice{Key: "y", Words: "send " + look.Plural(len(here), "capture"), Do: send(here)})
	}
	if n := len(every) - len(here); n > 0 {
		text += fmt.Sprintf(" %d more are waiting in other chats.", n)
		choices = append(choices, widget.Choice{Key: "a", Words: "send from all chats: " + look.Plural(len(every), "capture"), Do: send(every)})
	}
	if len(every) > 0 {
		r.desk.Open(&widget.Confirm{Title: "Send waiting captures", Text: text, Choices: append(choices, widget.Choice{Key: "n", Words: "not now", Do: nil})})
	}
}
