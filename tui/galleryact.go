package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

func (g *gallery) act(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneUp:
		g.Move(-1)
	case keys.PaneDown:
		g.Move(1)
	case keys.PaneTop:
		g.Pick(0)
		if len(a.batches()) > 0 {
			g.batch = 0
		}
	case keys.PaneBottom:
		g.batch = -1
		g.Pick(len(g.Lines))
	case keys.PaneLeft:
		g.aside(-1)
	case keys.PaneRight:
		g.aside(1)
	case keys.PaneFind:
		g.openFilter(a)
	case keys.PaneMark:
		if g.chosenBatch() == nil {
			g.Mark()
		}
	case keys.PaneMarkRange:
		g.MarkRange()
	case keys.PaneMarkAll:
		g.MarkAll()
	case keys.PaneAll:
		return a.sendDrafts()
	case keys.PaneSwitch:
		return a.openContactSheet()
	default:
		if b := g.chosenBatch(); b != nil {
			return g.actOnBatch(act, *b, a)
		}
		if len(g.Marked) > 0 {
			if cmd, ok := g.actOnMarked(act, a); ok {
				return cmd
			}
		}
		if c := g.current(); c != nil {
			return g.actOn(act, *c, a)
		}
	}
	return nil
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

func (g *gallery) actOnBatch(act keys.Action, b pictures.BatchView, a *app) tea.Cmd {
	switch act {
	case keys.PaneEnter:
		return a.sendBatch(b)
	case keys.PaneCancel:
		return a.cancelBatch(b)
	}
	return a.Say(event.Info, "this is a batch: enter sends its drafts, x cancels all of it")
}

// actOnMarked does what is for several captures at once; ok is false where an
// action is for the chosen one alone.
func (g *gallery) actOnMarked(act keys.Action, a *app) (cmd tea.Cmd, ok bool) {
	var marked []pictures.GalleryItem
	for _, i := range g.Targets(nil) {
		marked = append(marked, g.items[i])
	}
	switch act {
	case keys.PaneEnter:
		return g.sendMarked(marked, a), true
	case keys.PaneCancel:
		return desk.Tell(a, "cancelled", func() error {
			for _, c := range marked {
				if c.Status != storage.CaptureGenerating && c.Status != storage.CapturePrompting {
					continue
				}
				if err := a.eng.Pictures.CancelCapture(c.ID); err != nil {
					return err
				}
			}
			return nil
		}), true
	case keys.PaneExport:
		return a.openExport(marked), true
	case keys.PaneDelete:
		g.askDelete(marked, a)
		return nil, true
	}
	return nil, false
}

// sendMarked asks before it sends the drafts among captures.
func (g *gallery) sendMarked(marked []pictures.GalleryItem, a *app) tea.Cmd {
	var ids []storage.CaptureID
	for _, c := range marked {
		if sendable(c.Capture) {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return a.Say(event.Info, "none of the marked captures is a draft")
	}
	text := "Have " + look.Plural(len(ids), "draft") + " painted?"
	if n := len(marked) - len(ids); n > 0 {
		text += fmt.Sprintf(" The other %d marked are no drafts.", n)
	}
	a.dialogs.Open(&widget.Confirm{Title: "Send drafts", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "send them", Do: func() tea.Cmd {
			clear(g.Marked)
			return a.sending(func() (pictures.Sent, error) { return a.eng.Pictures.SendDrafts(ids) })
		}},
		{Key: "n", Words: "not now", Do: nil}}})
	return nil
}

// sendable tells whether a capture can be sent as it stands.
func sendable(c storage.Capture) bool {
	return (c.Status == storage.CaptureDraft || c.Status == storage.CaptureFailed) && promptOf(c) != ""
}

func (g *gallery) askDelete(list []pictures.GalleryItem, a *app) {
	text := "Delete this capture and its files?"
	if len(list) > 1 {
		text = "Delete these " + look.Plural(len(list), "capture") + " and their files?"
	}
	a.dialogs.Open(&widget.Confirm{Title: "Delete capture", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "keep it", Do: nil},
		{Key: "y", Words: "delete it", Do: func() tea.Cmd {
			return desk.Try(a, func() error {
				for _, c := range list {
					if err := a.eng.Pictures.DeleteCapture(c.ID); err != nil {
						return err
					}
				}
				return nil
			})
		}}}})
}

// actOn does what is for one capture.
func (g *gallery) actOn(act keys.Action, c pictures.GalleryItem, a *app) tea.Cmd {
	switch act {
	case keys.PaneEnter, keys.PaneEdit:
		return a.openCapture(c.Capture)
	case keys.PaneAgain:
		return desk.Try(a, func() error { _, err := a.eng.Pictures.ResendCapture(c.ID); return err })
	case keys.PaneBeside:
		return g.openVariants(c, a)
	case keys.PaneSystem:
		return a.openFile(c.Capture)
	case keys.PaneCopy:
		return tea.Batch(a.Copy(promptOf(c.Capture)), a.Say(event.Info, "prompt copied"))
	case keys.PaneAvatar:
		return desk.Try(a, func() error { return a.eng.Pictures.CaptureAsAvatar(c.ID) })
	case keys.PaneExport:
		return a.openExport([]pictures.GalleryItem{c})
	case keys.PaneWhy:
		a.dialogs.Open(&widget.Reader{Title: "About this " + captureKind(c.Capture), Lines: widget.PlainLines(g.wholeOf(&c, a))})
	case keys.PaneSource:
		if c.Node != "" {
			return a.JumpTo(c.Node)
		}
		return a.JumpTo(c.At)
	case keys.PaneCancel:
		if c.Status != storage.CaptureGenerating && c.Status != storage.CapturePrompting {
			return a.Say(event.Info, "nothing to cancel: it is neither being written nor painted")
		}
		return desk.Tell(a, "cancelled", func() error { return a.eng.Pictures.CancelCapture(c.ID) })
	case keys.PaneDelete:
		g.askDelete([]pictures.GalleryItem{c}, a)
	}
	return nil
}

// wholeOf is all there is to say about a capture.
func (g *gallery) wholeOf(c *pictures.GalleryItem, a *app) string {
	text := g.stateWords(c, a) + "\n"
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
		line("file: ", a.eng.Pictures.CapturePath(c.Capture))
	}
	line("\nAsked for\n", c.Requested)
	line("\nPrompt\n", promptOf(c.Capture))
	if c.FinalPrompt != promptOf(c.Capture) {
		line("\nAs it was sent\n", c.FinalPrompt)
	}
	line("\nNegative prompt\n", c.NegativePrompt)
	line("\nWhy\n", c.Reasoning)
	return text
}

// sendDrafts asks before it sends all captures that wait for ComfyUI.
func (a *app) sendDrafts() tea.Cmd {
	chat := a.view.Chat.ID
	return a.Do(func() func() tea.Cmd {
		all, err := a.eng.Pictures.WaitingDrafts("")
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			a.askSendDrafts(all, chat)
			if len(all) == 0 {
				return a.Say(event.Info, "no capture waits for ComfyUI; other drafts are sent one by one, or marked, with "+a.keys.Key(keys.PaneEnter, keys.Pane))
			}
			return nil
		}
	})
}

func (a *app) askSendDrafts(all []storage.Capture, chat storage.ChatID) {
	var every, here []storage.CaptureID
	for _, c := range all {
		every = append(every, c.ID)
		if c.Chat == chat {
			here = append(here, c.ID)
		}
	}
	send := func(ids []storage.CaptureID) func() tea.Cmd {
		return func() tea.Cmd {
			return a.sending(func() (pictures.Sent, error) { return a.eng.Pictures.SendDrafts(ids) })
		}
	}
	text := look.Plural(len(here), "capture") + " of this chat could not be sent while ComfyUI was away."
	if a.servers.Comfy.Asked && !a.servers.Comfy.Up {
		text += " It does not answer now either."
	}
	var choices []widget.Choice
	if len(here) > 0 {
		choices = append(choices, widget.Choice{Key: "y", Words: "send " + look.Plural(len(here), "capture"), Do: send(here)})
	}
	if n := len(every) - len(here); n > 0 {
		text += fmt.Sprintf(" In other chats wait %d more.", n)
		choices = append(choices, widget.Choice{Key: "a", Words: "send those of all chats: " + look.Plural(len(every), "capture"), Do: send(every)})
	}
	if len(every) > 0 {
		a.dialogs.Open(&widget.Confirm{Title: "Send what waits", Text: text, Choices: append(choices, widget.Choice{Key: "n", Words: "not now", Do: nil})})
	}
}
