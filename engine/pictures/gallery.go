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

// Gallery lists, reads and exports finished pictures.
type Gallery struct {
	core  *core.Core
	chats *chats.Service
}

// Scenes returns a chat's captures by scene, in the story's order; scenes without captures are
// left out. A capture belongs to the message it was taken after, or, if that is not on the path,
// to the one that shows it. Variants follow each other.
func (gallery *Gallery) Scenes(chat storage.ChatID) ([]GalleryScene, error) {
	var g galleryRead
	err := gallery.core.Store.View(func(tx *storage.Tx) (err error) {
		g, err = readGallery(tx, chat)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("gallery", err)
	}
	gallery.markAvatar(g)
	return g.scenes, nil
}

// galleryRead is the data of a gallery.
type galleryRead struct {
	chat   storage.Chat
	scenes []GalleryScene
	avatar []byte // of the chat's character
	// story and places are only read for a page: the messages of the path, and its scenes by
	// number from 1.
	story  []pageLine
	places []storage.Break
}

func readGallery(tx *storage.Tx, chat storage.ChatID) (g galleryRead, err error) {
	if g.chat, err = storage.Chats.Get(tx, chat); err != nil {
		return g, err
	}
	// a missing character has no bytes
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

// position is the position of a message: the number of its scene, 0 for none, and its depth.
type position struct{ scene, depth int }

// positions are the scenes of a path and the positions of captures on it.
type positions struct {
	scenes []storage.Break // by number from 1; that of the open scene is empty
	at     map[storage.CaptureID]position
}

// findPositions returns the position of each capture.
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

// locate finds the positions of messages in one walk along the head's path. It returns the scenes
// of the path, oldest first, numbered as in the list of scenes: a scene whose messages are all
// deleted has no number.
func locate(tx *storage.Tx, chat storage.Chat, wanted map[storage.NodeID]position) []storage.Break {
	type met struct {
		brk   storage.Break
		shown bool
		holds []storage.NodeID
	}
	marks := scenes.BreaksOf(tx, chat.ID)
	// Scenes are found from the newest up, in the order of the walk.
	scenes := []met{{shown: true}}
	for p := range tx.PathInfos(chat.ID, chat.Head) {
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

// variantsOf counts the captures that were made from the same one. It keeps the order.
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

// galleryVariant is a capture with the capture that it was first made from, which may be deleted.
type galleryVariant struct {
	GalleryItem
	root storage.CaptureID
}

// rootOf returns the capture that a capture was first made from. In a cycle, which only damage can
// cause, it is the oldest one.
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

// sceneGroups sorts captures into their scenes.
func sceneGroups(where positions, list []galleryVariant) (out []GalleryScene) {
	slices.SortStableFunc(list, func(a, b galleryVariant) int {
		x, y := where.at[a.ID], where.at[b.ID]
		// The last group has the number 0.
		if x.scene == 0 || y.scene == 0 {
			if c := cmp.Compare(y.scene, x.scene); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(x.scene, y.scene), cmp.Compare(x.depth, y.depth), cmp.Compare(a.root, b.root),
			cmp.Compare(a.ID, b.ID))
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

// markAvatar marks the picture that is the character's avatar. Only files of the same size are
// read.
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
			if info, err := os.Stat(path); err != nil || info.Size() != int64(len(g.avatar)) &&
				info.Size() != key.SizeOf(int64(len(g.avatar))) {
				continue
			}
			data, err := gallery.core.ReadFile(c.ThumbnailPath)
			c.Avatar = err == nil && bytes.Equal(data, g.avatar)
		}
	}
}
