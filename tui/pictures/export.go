package pictures

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

var graphWords = []string{"no: only the picture", "yes: including the ComfyUI graph with the prompt"}

// openExport asks where pictures are to be written: one to a file, several to a
// folder.
func (r *Room) openExport(list []pictures.GalleryItem) tea.Cmd {
	list = slices.DeleteFunc(list, func(c pictures.GalleryItem) bool { return c.ImagePath == "" })
	if len(list) == 0 {
		return r.desk.Say(event.Info, "there are no pictures to export yet")
	}
	f := widget.Form{Title: "Export the " + captureKind(list[0].Capture), Verb: "write",
		Fields: []*widget.Field{
			widget.LineField(r.desk.Look(), "File", filepath.Join(desk.StartDir(r.desk), exportName(r, list[0].Capture)), "a file or a folder"),
			widget.PickField("Keep graph", graphWords[0], graphWords)}}
	if len(list) > 1 {
		f.Title = "Export " + look.Plural(len(list), "capture")
		f.Fields[0] = widget.LineField(r.desk.Look(), "Folder", desk.StartDir(r.desk), "an existing folder")
	}
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a path")
		}
		o := pictures.ExportOptions{KeepGraph: f.Fields[1].Chosen == 1}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				if len(list) > 1 {
					return nil, errors.New("enter a folder for several captures, not a file")
				}
				o.Overwrite = true
				return func() tea.Cmd {
					return desk.AskOverwrite(r.desk, path, func() (func() tea.Cmd, error) { return r.export(list, path, o) })
				}, nil
			} else if err != nil && len(list) > 1 {
				return nil, errors.New("folder not found")
			}
			return r.export(list, path, o)
		}, nil
	})
	r.desk.Open(k)
	return nil
}

// exportName is what a picture's file is called where the user names none.
func exportName(r *Room, c storage.Capture) string {
	return desk.FileName(r.desk.Play().Chat().Chat.Title) + "-" + c.CreatedAt.Local().Format("20060102-150405") + filepath.Ext(c.ImagePath)
}

// export writes pictures, away from the screen's goroutine.
func (r *Room) export(list []pictures.GalleryItem, path string, o pictures.ExportOptions) (func() tea.Cmd, error) {
	last := ""
	for i, c := range list {
		to, err := r.desk.Engine().Pictures.Gallery.Export(c.ID, path, o)
		if err != nil {
			if i > 0 {
				return nil, fmt.Errorf("%d of %d written, then: %s", i, len(list), failure.Words(err))
			}
			return nil, err
		}
		last = to
	}
	return func() tea.Cmd {
		if len(list) > 1 {
			return desk.Written(r.desk, last, " and "+look.Plural(len(list)-1, "file")+" next to it")
		}
		return desk.Written(r.desk, last, "")
	}, nil
}

var sheetKinds = []string{"PNG: all pictures on one sheet", "HTML: pictures with the story text"}

// openContactSheet asks where a sheet of all pictures of the chat is to be
// written, and as what.
func (r *Room) openContactSheet() tea.Cmd {
	chat := r.desk.Play().Chat().Chat
	if chat.ID == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	f := widget.Form{Title: "Contact sheet", Verb: "write",
		Fields: []*widget.Field{
			widget.PickField("As", sheetKinds[0], sheetKinds),
			widget.LineField(r.desk.Look(), "File", filepath.Join(desk.StartDir(r.desk), desk.FileName(chat.Title)+"-pictures"), "the extension follows the format")}}
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[1].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		end := ".png"
		if f.Fields[0].Chosen == 1 {
			end = ".html"
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case end, ".htm":
		case ".png", ".html":
			path = strings.TrimSuffix(path, filepath.Ext(path)) + end
		default:
			path += end
		}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				return nil, errors.New("this is a folder")
			} else if err == nil {
				return func() tea.Cmd {
					return desk.AskOverwrite(r.desk, path, func() (func() tea.Cmd, error) { return r.writeSheet(chat.ID, path, true) })
				}, nil
			}
			return r.writeSheet(chat.ID, path, false)
		}, nil
	})
	k.BusyWords = "creating the sheet …"
	k.Focus(1)
	r.desk.Open(k)
	return nil
}

func (r *Room) writeSheet(chat storage.ChatID, path string, overwrite bool) (func() tea.Cmd, error) {
	to, err := r.desk.Engine().Pictures.Gallery.ContactSheet(chat, path, overwrite)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return desk.Written(r.desk, to, "") }, nil
}
