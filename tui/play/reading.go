package play

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sceneReading is the state of reading the scenes of the open chat: one reading at a time, and one
// more after it when something changed meanwhile.
type sceneReading struct {
	widget.Latest
	chat  storage.ChatID
	busy  bool
	again bool
}

// ReadScenes reads the scenes of the open chat, and then what the next prompt leaves out.
func (r *Part) ReadScenes() tea.Cmd {
	chat := r.view.Chat.ID
	if chat == "" {
		return nil
	}
	if r.reads.busy && r.reads.chat == chat {
		r.reads.again = true
		return nil
	}
	newest := r.reads.Begin()
	r.reads = sceneReading{Latest: r.reads.Latest, chat: chat, busy: true}
	return r.host.Do(func() func() tea.Cmd {
		s, err := r.host.Engine().Scenes.List(chat)
		return func() tea.Cmd {
			if !newest() {
				return nil // of another chat
			}
			r.reads.busy = false
			if chat != r.view.Chat.ID {
				return nil
			}
			var more tea.Cmd
			if r.reads.again {
				more = r.ReadScenes()
			}
			if err != nil {
				return tea.Batch(more, r.host.Fail(err))
			}
			r.setScenes(s)
			return tea.Batch(more, r.readOutlook())
		}
	})
}

// SetScenes shows scenes that were read after a change. A reading that runs meanwhile may be older,
// and is repeated.
func (r *Part) SetScenes(s scenes.Scenes) tea.Cmd {
	var again tea.Cmd
	if r.reads.busy && r.reads.chat == s.Chat {
		r.reads.busy = false // the reading may be older than this
		again = r.ReadScenes()
	}
	r.setScenes(s)
	return again
}

// Unfold scrolls to the recap under a scene's last message once it is read; "" cancels that.
func (r *Part) Unfold(last storage.NodeID) { r.list.Marks.Unfold = last }

func (r *Part) setScenes(s scenes.Scenes) {
	if s.Chat != r.view.Chat.ID {
		return
	}
	r.scenes = s
	r.screen.ScenesRead()
	r.list.KeepInPlace(func() {
		r.list.Mark(s)
		r.fadeCovered()
	})
}

// promptOutlook describes the messages that are missing from a chat's next prompt.
type promptOutlook struct {
	chat       storage.ChatID // "" while it is not known
	depth      int            // of the first message in it
	covered    int            // older ones replaced by a recap
	uncovered  int            // older ones that no recap replaces
	unrecapped int            // those in it that will leave it without a recap
	fill       float64        // share of its budget
	reads      widget.Latest
}

// readOutlook compiles the next prompt to find the messages that it lacks. If the server is offline
// the earlier result stays.
func (r *Part) readOutlook() tea.Cmd {
	chat := r.view.Chat.ID
	newest := r.outlook.reads.Begin()
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Play.Prompt(r.host.Context(), chat, "")
		var oldest chats.MessageRange
		if err == nil && v.OldestInPrompt != "" {
			oldest, err = r.host.Engine().Chats.Around(chat, v.OldestInPrompt, 0)
		}
		return func() tea.Cmd {
			if err != nil || chat != r.view.Chat.ID || !newest() {
				return nil
			}
			r.outlook = promptOutlook{chat: chat, covered: v.Covered, uncovered: v.Uncovered, unrecapped: v.Unrecapped,
				fill: filled(v), reads: r.outlook.reads}
			if len(oldest.Messages) > 0 {
				r.outlook.depth = oldest.Messages[0].Depth
			}
			r.list.KeepInPlace(r.fadeCovered)
			return nil
		}
	})
}

// uncoveredText returns words about messages that have left the prompt without being in a recap.
func uncoveredText(n int) string {
	if n == 1 {
		return "1 message not in a recap"
	}
	return fmt.Sprintf("%d messages not in a recap", n)
}

// leavingText returns words about messages that will leave the prompt without a recap.
func leavingText(n int) string {
	if n == 1 {
		return "1 message will leave context without a recap"
	}
	return fmt.Sprintf("%d messages will leave context without a recap", n)
}

// fadeCovered fades the messages that a recap replaces in the prompt. Before the prompt is known,
// it fades none.
func (r *Part) fadeCovered() {
	covered := -1
	if o := r.outlook; o.chat == r.view.Chat.ID && o.chat != "" {
		switch {
		case o.covered == 0:
			covered = -1 // none
		case o.uncovered == 0:
			covered = o.depth - 1
		default:
			covered = min(r.scenes.CoversDepth, o.depth-1)
		}
	}
	r.list.Marks.Covered = covered
}
