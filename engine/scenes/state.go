package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// StateAt returns the story's memory at a message, oldest first: the texts of the running recap in
// force and of the newest scenes that it lacks.
func StateAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (texts []string, err error) {
	list, err := memoryAt(tx, chat, leaf, 0)
	for _, r := range list {
		texts = append(texts, r.Text)
	}
	return texts, err
}

// maxEarlier is the maximum number of scenes that are shown besides the running recap, which may
// lack them.
const maxEarlier = 6

// memoryAt returns the running recap in force at a message, and the recaps of scenes that it lacks
// or that are among the last n, oldest first.
func memoryAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, last int) (out []storage.Recap, err error) {
	running, _, err := RunningAt(tx, chat, leaf)
	if err != nil && !failure.Damaged(err) {
		return nil, err
	}
	in := lineageIn(tx, chat).Parts(running)
	n := 0
	for _, s := range slices.Backward(SpansOf(tx, chat, leaf)) {
		if s.Break == nil {
			continue
		}
		if n++; n > max(maxEarlier, last) {
			break
		}
		if r, err := storage.Recaps.Get(tx, chat, s.Break.Recap()); err == nil && (!in[s.Break.Node] || n <= last) {
			out = append(out, r)
		}
	}
	if running != nil {
		out = append(out, *running)
	}
	slices.Reverse(out)
	return out, nil
}

// WhisperMarks returns for each whispered message who heard it, in the words of recap prompts.
func WhisperMarks(tx *storage.Tx, nodes []storage.Node) map[storage.NodeID]string {
	out := map[storage.NodeID]string{}
	for _, m := range messagesOf(tx, nodes) {
		if mark := scene.Whispered(m); mark != "" {
			out[m.ID] = mark
		}
	}
	return out
}
