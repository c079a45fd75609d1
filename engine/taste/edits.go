package taste

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The kinds of edits: of prompts of captures, and of recaps.
const (
	EditCaptures = "capture"
	editRecaps   = "recap"
)

// maxEdits is the number of stored edits of a chat; the newest are kept.
const maxEdits = 500

// CaptureEdits returns the user's edits of capture prompts in a chat, oldest first.
func (svc *Service) CaptureEdits(chat storage.ChatID) ([]storage.Edit, error) {
	out := []storage.Edit{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		for _, x := range storage.Edits.All(tx, chat) {
			if x.Kind == EditCaptures {
				out = append(out, x)
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("edits", err)
	}
	slices.SortStableFunc(out, func(a, b storage.Edit) int { return a.At.Compare(b.At) })
	return out, nil
}

// StoreEdit stores the differences between a capture and its generated version, replacing earlier
// ones; without differences there is none. before is the capture as it was stored: a variant is
// compared with its original.
func (svc *Service) StoreEdit(tx *storage.Tx, edit pictures.CaptureEdited) error {
	before, c := edit.Before, edit.Now
	if before.Prompt == "" {
		return nil // no model has written it
	}
	changes := append(differences(generatedCapture(tx, before, c), c),
		seedChange(tx, before, c, storage.EditID(c.ID))...)
	return svc.putEdit(tx, c.Chat, EditCaptures, string(c.ID), c.At, changes)
}

// StoreRecapEdit stores the differences between a version of a recap and its generated text.
func (svc *Service) StoreRecapEdit(tx *storage.Tx, edit scenes.RecapEdited) error {
	r := edit.Recap
	return svc.putEdit(tx, edit.Chat, editRecaps, string(r.ID), r.Node,
		limitChanges(lessons.Excerpt("text", edit.Made, r.Text)))
}

// putEdit stores the changes of one thing at a message, replacing earlier ones, and queues
// learning from its scene.
func (svc *Service) putEdit(tx *storage.Tx, chat storage.ChatID, kind, about string, at storage.NodeID,
	changes []storage.EditChange) error {
	id := storage.EditID(about) // one edit of each
	if len(changes) == 0 {
		if !storage.Edits.Has(tx, chat, id) {
			return nil
		}
		if err := storage.Edits.Delete(tx, chat, id); err != nil {
			return err
		}
		return svc.queueSceneOf(tx, chat, at)
	}
	x := storage.Edit{ID: id, Kind: kind, About: about, Changes: changes, At: svc.core.Config.Now()}
	known, err := storage.Edits.Get(tx, chat, id)
	same := err == nil && slices.Equal(known.Changes, changes)
	if err := storage.Edits.Put(tx, chat, x); err != nil || same {
		return err
	}
	return errors.Join(trimEdits(tx, chat), svc.queueSceneOf(tx, chat, at))
}

// generatedCapture returns a capture before the user's edits; for a variant that is its original.
// Unknown values are the current ones.
func generatedCapture(tx *storage.Tx, before, c storage.Capture) storage.Capture {
	if c.ID != before.ID { // a variant that is made now
		return before
	}
	if c.From != "" {
		if from, err := storage.Captures.Get(tx, c.From); err == nil && from.ID != c.ID {
			return from
		}
	}
	w := before.Wrote
	if w == nil {
		return storage.Capture{Prompt: before.Prompt, NegativePrompt: c.NegativePrompt, Workflow: c.Workflow,
			Width: c.Width, Height: c.Height, Camera: c.Camera}
	}
	return storage.Capture{Prompt: before.Prompt, NegativePrompt: w.NegativePrompt, Workflow: w.Workflow,
		Width: w.Width, Height: w.Height, Camera: w.Camera}
}

// differences returns the user's changes.
func differences(from, c storage.Capture) []storage.EditChange {
	text := from.ImagePrompt
	if text == "" {
		text = from.Prompt
	}
	out := lessons.Excerpt("prompt", text, c.ImagePrompt)
	out = append(out, lessons.Excerpt("negative_prompt", from.NegativePrompt, c.NegativePrompt)...)
	value := func(field, was, is string) {
		if was != is {
			out = append(out, storage.EditChange{Field: field, Removed: was, Added: is})
		}
	}
	value("workflow", from.Workflow, c.Workflow)
	value("size", sizeWords(from), sizeWords(c))
	value("camera", capture.DescribeCamera(from.Camera), capture.DescribeCamera(c.Camera))
	return limitChanges(out)
}

// maxEditBytes limits a stored edit.
const maxEditBytes = 2 << 10

// limitChanges drops changes beyond maxEditBytes.
func limitChanges(list []storage.EditChange) []storage.EditChange {
	size := 0
	for i, c := range list {
		if size += len(c.Field) + len(c.Removed) + len(c.Added); size > maxEditBytes {
			return list[:i]
		}
	}
	return list
}

func sizeWords(c storage.Capture) string {
	if c.Width == 0 && c.Height == 0 {
		return ""
	}
	return fmt.Sprintf("%d×%d", c.Width, c.Height)
}

// seedChange returns the change of a seed that the user set. A random seed of an attempt is not a
// change.
func seedChange(tx *storage.Tx, before, c storage.Capture, id storage.EditID) []storage.EditChange {
	switch {
	case c.Seed == nil:
		return nil
	case before.Seed == nil || *before.Seed != *c.Seed:
		return []storage.EditChange{{Field: "seed", Added: strconv.FormatInt(*c.Seed, 10)}}
	}
	known, err := storage.Edits.Get(tx, c.Chat, id)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(known.Changes, func(x storage.EditChange) bool { return x.Field != "seed" })
}

// trimEdits deletes the oldest edits of a chat beyond the limit.
func trimEdits(tx *storage.Tx, chat storage.ChatID) error {
	var list []storage.Edit
	for _, x := range storage.Edits.All(tx, chat) {
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b storage.Edit) int { return a.At.Compare(b.At) })
	for _, x := range list[:max(0, len(list)-maxEdits)] {
		if err := storage.Edits.Delete(tx, chat, x.ID); err != nil {
			return err
		}
	}
	return nil
}
