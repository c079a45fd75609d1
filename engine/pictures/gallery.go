package pictures

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Gallery is what is done with pictures that are there: they are listed, read and
// written to files of the user's.
type Gallery struct {
	core  *core.Core
	chats *chats.Service
}

// Scenes are a chat's captures by scene, in the story's order; scenes without one
// are left out. A capture belongs to the message it was taken after, or, where
// that is not on the head's path, to the one that shows it. Variants stand one
// after the other.
func (gallery *Gallery) Scenes(chat storage.ChatID) ([]GalleryScene, error) {
	var g galleryRead
	err := gallery.core.Store.View(func(tx *storage.Tx) (err error) {
		g, err = readGallery(tx, chat)
		return err
	})
	if err != nil {
		return nil, failure.Fail("gallery", err)
	}
	gallery.markAvatar(g)
	return g.scenes, nil
}

// galleryRead is what a gallery was made of.
type galleryRead struct {
	chat   storage.Chat
	scenes []GalleryScene
	avatar []byte // of the chat's character
	// story and places are read for a page only: what was said on the head's path,
	// and its scenes by number from 1.
	story  []pageLine
	places []storage.Break
}

func readGallery(tx *storage.Tx, chat storage.ChatID) (g galleryRead, err error) {
	if g.chat, err = storage.Chats.Get(tx, chat); err != nil {
		return g, err
	}
	// One that is gone, or has none, has no bytes.
	g.avatar, _ = tx.Avatar(g.chat.Character)
	var list []storage.Capture
	for _, c := range storage.Captures.All(tx) {
		if c.Chat == chat {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return g, nil
	}
	where := findPositions(tx, g.chat, list)
	g.scenes = sceneGroups(where, variantsOf(list))
	return g, nil
}

// position is where a message stands: the number of its scene, 0 for none, and its
// depth.
type position struct{ scene, depth int }

// positions are the scenes of a path, and where captures stand on it.
type positions struct {
	scenes []storage.Break // by number from 1; the open scene's is empty
	at     map[storage.CaptureID]position
}

// findPositions finds the place of each capture.
func findPositions(tx *storage.Tx, chat storage.Chat, list []storage.Capture) positions {
	wanted := map[storage.NodeID]position{}
	for _, c := range list {
		wanted[c.At], wanted[c.Node] = position{}, position{}
	}
	out := positions{scenes: locate(tx, chat, wanted), at: map[storage.CaptureID]position{}}
	for _, c := range list {
		s := wanted[c.At]
		if s.scene == 0 {
			s = wanted[c.Node]
		}
		out.at[c.ID] = s
	}
	return out
}

// locate finds out where messages stand in one walk along the head's path. It
// returns the scenes of the path, oldest first, numbered as in the list of scenes:
// one of which all was deleted has no number.
func locate(tx *storage.Tx, chat storage.Chat, wanted map[storage.NodeID]position) []storage.Break {
	type met struct {
		brk   storage.Break
		shown bool
		holds []storage.NodeID
	}
	marks := scenes.BreaksOf(tx, chat.ID)
	// Scenes are met from the newest down, since that is the way up the tree.
	scenes := []met{{shown: true}}
	for p := range tx.PathPlaces(chat.ID, chat.Head) {
		if b := marks[p.ID]; b != nil && !b.Hidden {
			scenes = append(scenes, met{brk: *b})
		}
		at := &scenes[len(scenes)-1]
		at.shown = at.shown || !p.Deleted
		if _, ok := wanted[p.ID]; ok {
			wanted[p.ID] = position{depth: p.Depth}
			at.holds = append(at.holds, p.ID)
		}
	}
	var out []storage.Break
	for _, s := range slices.Backward(scenes) {
		if !s.shown {
			continue
		}
		out = append(out, s.brk)
		for _, id := range s.holds {
			wanted[id] = position{len(out), wanted[id].depth}
		}
	}
	return out
}

// variantsOf counts captures that were made from the same one. The list is in
// order of age, and stays so.
func variantsOf(list []storage.Capture) []galleryVariant {
	from := map[storage.CaptureID]storage.CaptureID{}
	for _, c := range list {
		from[c.ID] = c.From
	}
	out := make([]galleryVariant, len(list))
	count := map[storage.CaptureID]int{}
	for i, c := range list {
		root := rootOf(c.ID, from)
		count[root]++
		out[i] = galleryVariant{GalleryItem{Capture: c, Variant: count[root]}, root}
	}
	for i := range out {
		out[i].Variants = count[out[i].root]
	}
	return out
}

// galleryVariant is a capture with the one that it goes back to, which may be
// deleted.
type galleryVariant struct {
	GalleryItem
	root storage.CaptureID
}

// rootOf goes up from a capture to what it was made from in the end. Of a ring, which only damage
// makes, it is the oldest one.
func rootOf(id storage.CaptureID, from map[storage.CaptureID]storage.CaptureID) storage.CaptureID {
	root, oldest := id, id
	for range from {
		up := from[root]
		if up == "" {
			return root
		}
		root, oldest = up, min(oldest, up)
	}
	return oldest
}

// sceneGroups puts captures into their scenes.
func sceneGroups(where positions, list []galleryVariant) (out []GalleryScene) {
	slices.SortStableFunc(list, func(a, b galleryVariant) int {
		x, y := where.at[a.ID], where.at[b.ID]
		// The last group has the number 0.
		if x.scene == 0 || y.scene == 0 {
			if c := cmp.Compare(y.scene, x.scene); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(x.scene, y.scene), cmp.Compare(x.depth, y.depth), cmp.Compare(a.root, b.root), cmp.Compare(a.ID, b.ID))
	})
	for i, v := range list {
		n := where.at[v.ID].scene
		if i == 0 || n != out[len(out)-1].Number {
			s := GalleryScene{Number: n}
			if n > 0 {
				s.Name, s.Last = where.scenes[n-1].Name, where.scenes[n-1].Node
			}
			out = append(out, s)
		}
		s := &out[len(out)-1]
		s.Captures = append(s.Captures, v.GalleryItem)
	}
	return out
}

// markAvatar finds the picture that is the character's avatar. Only files of its
// very size are read.
func (gallery *Gallery) markAvatar(g galleryRead) {
	if len(g.avatar) == 0 {
		return
	}
	key := gallery.core.Store.Key()
	for i := range g.scenes {
		for j := range g.scenes[i].Captures {
			c := &g.scenes[i].Captures[j]
			if c.ThumbnailPath == "" {
				continue
			}
			path := filepath.Join(gallery.core.Config.DataDir, c.ThumbnailPath)
			if info, err := os.Stat(path); err != nil || info.Size() != int64(len(g.avatar)) && info.Size() != key.SizeOf(int64(len(g.avatar))) {
				continue
			}
			data, err := gallery.core.ReadFile(c.ThumbnailPath)
			c.Avatar = err == nil && bytes.Equal(data, g.avatar)
		}
	}
}
