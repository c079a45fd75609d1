package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// StateAt is what the story remembers at a message, oldest first: the running recap in
// force there, and the recaps of the newest scenes that it lacks.
func StateAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) ([]string, error) {
	running, _, err := RunningAt(tx, chat, leaf)
	if err != nil && !failure.Damaged(err) {
		return nil, err
	}
	in := map[storage.NodeID]bool{}
	if running != nil && err == nil {
		in = pastIn(tx, chat).Parts(running)
	} else {
		running = nil
	}
	var out []string
	for _, s := range slices.Backward(StretchesOf(tx, chat, leaf)) {
		if s.Brk == nil || in[s.Brk.Node] {
			continue
		}
		if r, err := storage.Recaps.Get(tx, chat, s.Brk.Recap()); err == nil {
			out = append(out, r.Text)
		}
		if len(out) == mostEarlier {
			break
		}
	}
	if running != nil {
		out = append(out, running.Text)
	}
	slices.Reverse(out)
	return out, nil
}

// WhisperMarks say of whispered messages who heard them, in the words of recaps'
// prompts.
func WhisperMarks(tx *storage.Tx, nodes []storage.Node) map[storage.NodeID]string {
	out := map[storage.NodeID]string{}
	for _, m := range messagesOf(tx, nodes) {
		if mark := scene.Whispered(m); mark != "" {
			out[m.ID] = mark
		}
	}
	return out
}
