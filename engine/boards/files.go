package boards

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxBoardFile is the size limit of a storyboard file, in bytes.
const MaxBoardFile = 4 << 20

// boardExport is a storyboard for a file.
type boardExport struct {
	View
	title, scene string
}

// Export writes a storyboard to a file and returns its path: a contact sheet (PNG), Markdown, an
// HTML page or JSON, by the extension of path. An existing file is fs.ErrExist without overwrite.
func (svc *Service) Export(chat storage.ChatID, node storage.NodeID, path string, overwrite bool) (string, error) {
	const op = "export storyboard"
	path, err := filepath.Abs(core.ExpandHome(path))
	if err != nil {
		return "", failure.Wrap(op, err)
	}
	var write func(boardExport, io.Writer) error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		write = svc.writeBoardSheet
	case ".html", ".htm":
		write = svc.writeBoardPage
	case ".md", ".markdown":
		write = writeBoardText
	case ".json":
		write = writeBoardDocument
	default:
		return "", failure.Wrap(op, failure.Refusef("a storyboard is written as a contact sheet (.png), a page "+
			"(.html), Markdown (.md) or JSON (.json): use one of these file extensions"))
	}
	b, err := svc.readExport(chat, node)
	if err == nil {
		err = svc.pictures.Gallery.PutFile(path, overwrite, func(w io.Writer) error { return write(b, w) })
	}
	if err != nil {
		return "", failure.Wrap(op, err)
	}
	return path, nil
}

func (svc *Service) readExport(chat storage.ChatID, node storage.NodeID) (b boardExport, err error) {
	if b.View, err = svc.Board(chat, node); err != nil {
		return b, err
	}
	if !b.Begun {
		return b, failure.Refusef("this scene has no storyboard yet: nothing to export")
	}
	var c storage.Chat
	err = svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, chat); return err })
	b.title, b.scene = c.Title, pictures.SceneTitle(b.Scene.Number, b.Scene.Name)
	return b, err
}

// about returns the subtitle of a storyboard's file.
func (b boardExport) about() string {
	sketched, seconds := 0, 0.0
	for _, s := range b.Shots {
		seconds += s.Seconds
		if b.Sketches[s.ID].ImagePath != "" {
			sketched++
		}
	}
	words := []string{b.scene, failure.Count(len(b.Shots), "shot"), shotSeconds(seconds),
		fmt.Sprintf("%d sketched", sketched)}
	if b.Stage != storage.BoardReady {
		words = append(words, "not confirmed")
	}
	return failure.JoinWords(words...)
}

// shotSeconds formats a duration, "" for none.
func shotSeconds(s float64) string {
	if s <= 0 {
		return ""
	}
	return fmt.Sprintf("%v s", math.Round(s*10)/10)
}

// shotTitle returns the heading of a shot: its number, size and duration.
func shotTitle(i int, s storage.Shot) string {
	return failure.JoinWords(fmt.Sprint(i+1), storyboard.Label(storyboard.FieldSize, s.Size), shotSeconds(s.Seconds))
}

// beatTitles returns the headings of beats.
func (b boardExport) beatTitles() map[storage.BeatID]string {
	out := map[storage.BeatID]string{}
	for i, beat := range b.Beats {
		out[beat.ID] = fmt.Sprintf("Beat %d · %s", i+1, failure.FirstRunes(beat.Text, 200))
	}
	return out
}

// writeBoardSheet draws the sketches of a storyboard. A shot without one is drawn as its text.
func (svc *Service) writeBoardSheet(b boardExport, w io.Writer) error {
	if len(b.Shots) == 0 {
		return failure.Refusef("the storyboard has no shots yet")
	}
	titles := b.beatTitles()
	group := ""
	var tiles []media.Tile
	for i, s := range b.Shots {
		group = cmp.Or(titles[s.Beat], group)
		t := media.Tile{Group: group, Caption: failure.JoinWords(shotTitle(i, s), s.Description),
			Placeholder: fmt.Sprintf("Shot %d has no sketch yet.", i+1)}
		if c := b.Sketches[s.ID]; c.ImagePath != "" {
			t.Placeholder = "No preview available."
			t.Picture = func() (image.Image, error) { return svc.pictures.Gallery.Still(c) }
			if c.Kind == string(capture.Video) {
				t.Mark = "video"
			}
		}
		tiles = append(tiles, t)
	}
	return pictures.DrawSheet(w, tiles, media.SheetOptions{Title: b.title, Subtitle: b.about()})
}

func writeBoardText(b boardExport, w io.Writer) error {
	_, err := io.WriteString(w, storyboard.Markdown(failure.JoinWords(b.title, b.scene), b.Plan))
	return err
}

func writeBoardDocument(b boardExport, w io.Writer) error {
	data, err := storyboard.Write(failure.JoinWords(b.title, b.scene), b.Plan)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Import replaces a storyboard with one from JSON, as Export writes it. It can be undone.
func (svc *Service) Import(chat storage.ChatID, node storage.NodeID, data []byte) (View, error) {
	if len(data) > MaxBoardFile {
		return View{}, failure.Wrap("import storyboard",
			failure.Refusef("the file is larger than %d MB, too large for a storyboard", MaxBoardFile>>20))
	}
	call, err := storyboard.Read(data)
	if err != nil {
		return View{}, failure.Wrap("import storyboard", err)
	}
	return svc.Call(chat, node, call)
}
