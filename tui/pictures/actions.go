package pictures

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// galleryName is the pane's name; its actions are declared under it.
const galleryName = "gallery"

// Actions of the gallery only.
const (
	galleryCompare keys.Name = "gallery-compare"
	galleryWhy     keys.Name = "gallery-why"
	galleryExport  keys.Name = "gallery-export"
	galleryAvatar  keys.Name = "gallery-avatar"
)

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: galleryName, System: keys.SystemPictures, Actions: (&gallery{part: r}).Actions()}}
}

// Actions implements pane.Pane.
func (g *gallery) Actions() []keys.Action {
	do := func(f func()) func() tea.Cmd { return func() tea.Cmd { f(); return nil } }
	return slices.Concat(
		keys.When(func() bool { return g.chosenBatch() != nil },
			keys.Action{Name: keys.PaneEnter, Text: "send the batch's drafts", Hint: "send its drafts",
				Do: g.sendBatch},
			keys.Action{Name: keys.PaneStop, Text: "cancel the batch", Hint: "cancel all", Do: g.cancelBatch}),
		keys.When(func() bool { return len(g.Marked) > 0 },
			keys.Action{Name: keys.PaneEnter, Text: "send the selected drafts", Hint: "send", Do: g.sendMarked},
			keys.Action{Name: keys.ToBrowse, Text: "select none", Do: do(func() { clear(g.Marked) })}),
		keys.When(func() bool { return g.Filter.Active() },
			keys.Action{Name: keys.ToBrowse, Text: "show all again", Do: func() tea.Cmd { return g.SetFilter("") }}),
		g.onCapture(),
		[]keys.Action{
			{Name: keys.PaneMarkRange, Unavailable: g.whyNoCapture, Do: do(g.MarkRange)},
			{Name: keys.PaneMarkAll, Unavailable: g.whyEmpty, Do: do(g.MarkAll)},
			{Name: keys.PaneFilter, Hint: "filter", Unavailable: g.whyEmpty, Do: do(g.openFilter)},
			{Name: keys.PaneUp, Do: do(func() { g.Move(-1) })},
			{Name: keys.PaneDown, Do: do(func() { g.Move(1) })},
			{Name: keys.PaneTop, Do: do(g.goToTop)},
			{Name: keys.PaneBottom, Do: do(func() { g.batch = -1; g.Pick(len(g.Lines)) })},
			{Name: keys.PaneLeft, Text: "left; previous variant", Do: do(func() { g.moveSideways(-1) })},
			{Name: keys.PaneRight, Text: "right; next variant", Do: do(func() { g.moveSideways(1) })},
			{Name: keys.PageUp, Do: do(func() { g.step(-max(1, g.grid.shown-1)) })},
			{Name: keys.PageDown, Do: do(func() { g.step(max(1, g.grid.shown-1)) })},
		})
}

// onCapture returns the actions on the chosen or the marked captures.
func (g *gallery) onCapture() []keys.Action {
	one := func(do func(c pictures.GalleryItem) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { return do(*g.current()) }
	}
	open := one(func(c pictures.GalleryItem) tea.Cmd { return g.part.openCapture(c.Capture) })
	own := func(name, was keys.Name, words string, do func() tea.Cmd, k ...string) keys.Action {
		return keys.PaneAction(keys.Action{Name: name, Text: words, Unavailable: g.whyNoCapture, Do: do}, was, k...)
	}
	compare := own(galleryCompare, "pane-beside", "compare the variants side by side", one(g.openVariants), "v")
	compare.Hint, compare.Unavailable = "variants", g.whyNoVariants
	exportAll := func() tea.Cmd { return g.part.openExport(g.targets()) }
	export := own(galleryExport, "pane-export", "export pictures", exportAll)
	export.Unavailable = g.whyNoTargets
	why := own(galleryWhy, "pane-why", "all details of the capture", one(g.openDetails), "W")
	why.Hint = "details"
	return []keys.Action{
		{Name: keys.PaneStop, Text: "cancel the prompt or picture", Hint: "cancel", Unavailable: g.whyNoWork,
			Do: g.cancel},
		{Name: keys.PaneEnter, Text: "edit and send", Hint: "edit, send", Unavailable: g.whyNoCapture, Do: open},
		{Name: keys.PaneEdit, Text: "edit and send", Unavailable: g.whyNoCapture, Do: open},
		{Name: keys.PaneRegenerate, Text: "again with a new seed", Hint: "again", Unavailable: g.whyNoCapture,
			Do: one(g.resend)},
		{Name: keys.PaneMark, Hint: "select", Unavailable: g.whyNoCapture, Do: func() tea.Cmd { g.Mark(); return nil }},
		compare,
		{Name: keys.PaneOutside, Text: "open the picture in another program",
			Hint: "open", Unavailable: g.whyNoCapture,
			Do: one(func(c pictures.GalleryItem) tea.Cmd { return g.part.openFile(c.Capture) })},
		why,
		{Name: keys.PaneDelete, Text: "delete with its files", Hint: "delete", Unavailable: g.whyNoTargets,
			Do: func() tea.Cmd { g.askDelete(g.targets()); return nil }},
		{Name: keys.PaneNew, Text: "new draft that starts with this",
			Hint: "start picture", Unavailable: g.whyNoCapture,
			Do: one(func(c pictures.GalleryItem) tea.Cmd { return g.part.startFrom(c.Capture) })},
		{Name: keys.PaneLock, Text: "keep as a reference image", Hint: "reference image", Unavailable: g.whyNoCapture,
			Do: one(func(c pictures.GalleryItem) tea.Cmd { return g.part.asReference(c.Capture) })},
		{Name: keys.PaneCopy, Text: "copy the prompt", Hint: "copy", Unavailable: g.whyNoCapture,
			Do: one(func(c pictures.GalleryItem) tea.Cmd { return g.Host.Copy(promptOf(c.Capture), "prompt") })},
		{Name: keys.PaneSource, Unavailable: g.whyNoCapture, Do: one(g.toMessage)},
		export,
		own(galleryAvatar, "pane-avatar", "set as the character's avatar", one(g.setAvatar)),
	}
}

// whyEmpty returns the reason if there are no captures.
func (g *gallery) whyEmpty() string {
	if len(g.items) == 0 {
		return "there are no captures in this chat yet"
	}
	return ""
}

// whyNoCapture returns the reason if no capture is chosen.
func (g *gallery) whyNoCapture() string {
	switch {
	case g.chosenBatch() != nil:
		key := func(act keys.Name) string { return g.Host.Keys().Key(act, keys.Pane) }
		return "this is a batch: " + key(keys.PaneEnter) + " sends its drafts, " + key(keys.PaneStop) + " cancels it"
	case g.current() == nil:
		return cmp.Or(g.whyEmpty(), "no capture is selected")
	}
	return ""
}

// whyNoTargets returns the reason if no capture is marked or chosen.
func (g *gallery) whyNoTargets() string {
	if len(g.Marked) > 0 && g.chosenBatch() == nil {
		return ""
	}
	return g.whyNoCapture()
}

// whyNoVariants returns the reason if the chosen capture has no variants to compare.
func (g *gallery) whyNoVariants() string {
	if why := g.whyNoCapture(); why != "" {
		return why
	}
	if len(g.variants[g.current().ID]) < 2 {
		again := g.Host.Keys().Key(keys.PaneRegenerate, keys.Pane)
		return "there are no variants yet; " + again + " creates one with a new seed"
	}
	return ""
}

// whyNoWork returns the reason if there is nothing to cancel.
func (g *gallery) whyNoWork() string {
	if !slices.ContainsFunc(g.Targets(nil), func(i int) bool { return isInWork(&g.items[i]) }) {
		return "nothing to cancel: no prompt or picture is being generated"
	}
	return ""
}

// isInWork reports whether a capture's prompt or picture is being generated.
func isInWork(c *pictures.GalleryItem) bool {
	return c.Status == storage.CaptureGenerating || c.Status == storage.CapturePrompting
}

// targets returns the marked captures, or the chosen one.
func (g *gallery) targets() (list []pictures.GalleryItem) {
	for _, i := range g.Targets(nil) {
		list = append(list, g.items[i])
	}
	return list
}

func (g *gallery) goToTop() {
	g.Pick(0)
	if len(g.part.batches()) > 0 {
		g.batch = 0
	}
}

// moveSideways moves by n captures in a grid, or by n variants in a list.
func (g *gallery) moveSideways(n int) {
	if g.grid.cols > 1 {
		g.Pick(g.At + n)
		return
	}
	c := g.current()
	if c == nil {
		return
	}
	all := g.variants[c.ID]
	if i := slices.Index(all, c.ID); i >= 0 {
		g.GoTo(string(all[(i+n+len(all))%len(all)]))
	}
}

func (g *gallery) sendBatch() tea.Cmd { return g.part.sendBatch(*g.chosenBatch()) }

func (g *gallery) cancelBatch() tea.Cmd { return g.part.CancelBatch(*g.chosenBatch()) }

// cancel stops the work on captures.
func (g *gallery) cancel() tea.Cmd {
	list := g.targets()
	return pane.Tell(g.Host, "cancelled", func() error {
		for i := range list {
			if !isInWork(&list[i]) {
				continue
			}
			if err := g.Host.Engine().Pictures.CancelCapture(list[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// sendMarked asks before it sends the drafts among the marked captures.
func (g *gallery) sendMarked() tea.Cmd {
	var ids []storage.CaptureID
	marked := g.targets()
	for _, c := range marked {
		if sendable(c.Capture) {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return g.Host.Say(event.Info, "none of the selected captures is a draft")
	}
	text := "Generate " + draw.Plural(len(ids), "draft") + "?"
	if n := len(marked) - len(ids); n > 0 {
		text += fmt.Sprintf(" The other %d selected are not drafts.", n)
	}
	g.Host.Open(&widget.Confirm{Title: "Send drafts", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "send", Do: func() tea.Cmd {
			clear(g.Marked)
			return g.part.sending(func() (pictures.SendResult, error) {
				return g.Host.Engine().Pictures.SendDrafts(ids), nil
			})
		}},
		{Key: "n", Words: "not now", Do: nil}}})
	return nil
}

// sendable reports whether a capture can be sent unchanged.
func sendable(c storage.Capture) bool {
	return (c.Status == storage.CaptureDraft || c.Status == storage.CaptureFailed) && promptOf(c) != ""
}

func (g *gallery) askDelete(list []pictures.GalleryItem) {
	text := "Delete this capture and its files?"
	if len(list) > 1 {
		text = "Delete these " + draw.Plural(len(list), "capture") + " and their files?"
	}
	g.Host.Open(&widget.Confirm{Title: "Delete capture", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "delete", Do: func() tea.Cmd {
			return pane.Try(g.Host, func() error {
				for _, c := range list {
					if err := g.Host.Engine().Pictures.DeleteCapture(c.ID); err != nil {
						return err
					}
				}
				return nil
			})
		}}}})
}

// resend paints a capture again.
func (g *gallery) resend(c pictures.GalleryItem) tea.Cmd {
	return pane.Try(g.Host, func() error { _, err := g.Host.Engine().Pictures.ResendCapture(c.ID); return err })
}

func (g *gallery) setAvatar(c pictures.GalleryItem) tea.Cmd {
	return pane.Try(g.Host, func() error { return g.Host.Engine().Pictures.CaptureAsAvatar(c.ID) })
}

func (g *gallery) openDetails(c pictures.GalleryItem) tea.Cmd {
	g.Host.Open(&widget.Reader{Title: "About this " + captureKind(c.Capture),
		Lines: widget.PlainLines(g.captureDetails(&c))})
	return nil
}

// toMessage goes to the message of a capture.
func (g *gallery) toMessage(c pictures.GalleryItem) tea.Cmd {
	return g.Host.Play().JumpTo(cmp.Or(c.Node, c.At))
}

// captureDetails returns all details of a capture.
func (g *gallery) captureDetails(c *pictures.GalleryItem) string {
	text := g.stateText(c) + "\n"
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
	line("camera: ", cameraLine(c))
	line("taken ", c.CreatedAt.Local().Format("2006-01-02 15:04:05"))
	if c.ImagePath != "" {
		line("file: ", g.Host.Engine().Pictures.Gallery.Path(c.Capture))
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
func (r *Part) sendDrafts() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		all, err := r.host.Engine().Pictures.WaitingDrafts("")
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			r.askSendDrafts(all, chat)
			if len(all) == 0 {
				enter := r.host.Keys().Key(keys.PaneEnter, keys.Pane)
				return r.host.Say(event.Info,
					"no capture is waiting for ComfyUI; "+enter+
						" in the gallery sends other drafts, one or all selected")
			}
			return nil
		}
	})
}

func (r *Part) askSendDrafts(all []storage.Capture, chat storage.ChatID) {
	var every, here []storage.CaptureID
	for _, c := range all {
		every = append(every, c.ID)
		if c.Chat == chat {
			here = append(here, c.ID)
		}
	}
	send := func(ids []storage.CaptureID) func() tea.Cmd {
		return func() tea.Cmd {
			return r.sending(func() (pictures.SendResult, error) {
				return r.host.Engine().Pictures.SendDrafts(ids), nil
			})
		}
	}
	text := draw.Plural(len(here), "capture") + " of this chat could not be sent while ComfyUI was offline."
	if r.host.Work().Servers().Comfy.Asked && !r.host.Work().Servers().Comfy.Up {
		text += " It is still offline."
	}
	var choices []widget.Choice
	if len(here) > 0 {
		choices = append(choices, widget.Choice{Key: "y", Words: "send " + draw.Plural(len(here), "capture"),
			Do: send(here)})
	}
	if n := len(every) - len(here); n > 0 {
		text += fmt.Sprintf(" %d more are waiting in other chats.", n)
		choices = append(choices, widget.Choice{Key: "a", Words: "send from all chats: " +
			draw.Plural(len(every), "capture"), Do: send(every)})
	}
	if len(every) > 0 {
		r.host.Open(&widget.Confirm{Title: "Send waiting captures", Text: text,
			Choices: append(choices, widget.Choice{Key: "n", Words: "not now", Do: nil})})
	}
}
