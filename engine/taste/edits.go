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

// The kinds of edits: to prompts of captures, and to recaps.
const (
	EditCaptures = "capture"
	editRecaps   = "recap"
)

// maxEdits is how many edits are kept of a chat, the newest.
const maxEdits = 500

// CaptureEdits are what the user has changed in prompts of a chat, oldest first.
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
		return nil, failure.Fail("edits", err)
	}
	slices.SortStableFunc(out, func(a, b storage.Edit) int { return a.At.Compare(b.At) })
	return out, nil
}

// StoreEdit keeps in what a capture differs from what was written for it, in place
// of what was kept of it before; nothing where it does not. Before is the capture
// as it was stored: a variant is compared with the picture that it was made of.
func (svc *Service) StoreEdit(tx *storage.Tx, edit pictures.CaptureEdited) error {
	before, c := edit.Before, edit.Now
	if before.Prompt == "" {
		return nil // no model has written it
	}
	changes := append(differences(generatedCapture(tx, before, c), c), seedChange(tx, before, c, storage.EditID(c.ID))...)
	return svc.putEdit(tx, c.Chat, EditCaptures, string(c.ID), c.At, changes)
}

// StoreRecapEdit likewise keeps in what a version of a recap differs from what was
// made.
func (svc *Service) StoreRecapEdit(tx *storage.Tx, edit scenes.RecapEdited) error {
	r := edit.Recap
	return svc.putEdit(tx, edit.Chat, editRecaps, string(r.ID), r.Node, limitChanges(lessons.Excerpt("text", edit.Made, r.Text)))
}

// putEdit keeps the changes to one thing, which hangs on a message, in place of
// those kept before, and has the scene that holds it learnt from.
func (svc *Service) putEdit(tx *storage.Tx, chat storage.ChatID, kind, about string, at storage.NodeID, changes []storage.EditChange) error {
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

// generatedCapture is what a capture was before the user had a hand in it, as a capture; of
// a variant the one that it was made of. What is not known is as it is now.
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
		return storage.Capture{Prompt: before.Prompt, NegativePrompt: c.NegativePrompt, Workflow: c.Workflow, Width: c.Width, Height: c.Height, Camera: c.Camera}
	}
	return storage.Capture{Prompt: before.Prompt, NegativePrompt: w.NegativePrompt, Workflow: w.Workflow, Width: w.Width, Height: w.Height, Camera: w.Camera}
}

// differences lists what the user has changed.
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

// maxEditBytes bounds what is kept of one edit.
const maxEditBytes = 2 << 10

// limitChanges leaves out changes beyond what is kept of one edit.
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

// seedChange tells of a seed that the user has chosen. One that an attempt at the
// picture has drawn is none.
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

// trimEdits forgets the oldest edits of a chat that has too many.
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
