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
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

var graphChoices = []string{"no: only the picture", "yes: including the ComfyUI graph with the prompt"}

// openExport asks where to write pictures: one to a file, several to a folder.
func (r *Part) openExport(list []pictures.GalleryItem) tea.Cmd {
	list = slices.DeleteFunc(list, func(c pictures.GalleryItem) bool { return c.ImagePath == "" })
	if len(list) == 0 {
		return r.host.Say(event.Info, "there are no pictures to export yet")
	}
	f := widget.Form{Title: "Export the " + captureKind(list[0].Capture), Verb: "write",
		Fields: []*widget.Field{
			widget.LineField(r.host.Styles(), "File",
				filepath.Join(pane.StartDir(r.host), exportName(r, list[0].Capture)), "a file or a folder"),
			widget.PickField("Keep graph", graphChoices[0], graphChoices)}}
	if len(list) > 1 {
		f.Title = "Export " + draw.Plural(len(list), "capture")
		f.Fields[0] = widget.LineField(r.host.Styles(), "Folder", pane.StartDir(r.host), "an existing folder")
	}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a path")
		}
		o := pictures.ExportOptions{KeepMetadata: f.Fields[1].Chosen == 1}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				if len(list) > 1 {
					return nil, errors.New("enter a folder for several captures, not a file")
				}
				o.Overwrite = true
				return func() tea.Cmd {
					return pane.AskOverwrite(r.host, path, func() (func() tea.Cmd, error) {
						return r.export(list, path, o)
					})
				}, nil
			} else if err != nil && len(list) > 1 {
				return nil, errors.New("folder not found")
			}
			return r.export(list, path, o)
		}, nil
	})
	r.host.Open(k)
	return nil
}

// exportName returns the default file name of a picture.
func exportName(r *Part, c storage.Capture) string {
	return pane.FileName(r.host.Play().Chat().Chat.Title) + "-" + c.CreatedAt.Local().Format("20060102-150405") +
		filepath.Ext(c.ImagePath)
}

// export writes pictures off the screen's goroutine.
func (r *Part) export(list []pictures.GalleryItem, path string, o pictures.ExportOptions) (func() tea.Cmd, error) {
	last := ""
	for i, c := range list {
		to, err := r.host.Engine().Pictures.Gallery.Export(c.ID, path, o)
		if err != nil {
			if i > 0 {
				return nil, fmt.Errorf("%d of %d written, then: %s", i, len(list), failure.Text(err))
			}
			return nil, err
		}
		last = to
	}
	return func() tea.Cmd {
		if len(list) > 1 {
			return pane.Written(r.host, last, " and "+draw.Plural(len(list)-1, "file")+" next to it")
		}
		return pane.Written(r.host, last, "")
	}, nil
}

var sheetKinds = []string{"PNG: all pictures on one sheet", "HTML: pictures with the story text"}

// openContactSheet asks for the path and the format of a contact sheet.
func (r *Part) openContactSheet() tea.Cmd {
	chat := r.host.Play().Chat().Chat
	if chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	f := widget.Form{Title: "Contact sheet", Verb: "write",
		Fields: []*widget.Field{
			widget.PickField("As", sheetKinds[0], sheetKinds),
			widget.LineField(r.host.Styles(), "File", filepath.Join(pane.StartDir(r.host),
				pane.FileName(chat.Title)+"-pictures"), "the extension follows the format")}}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[1].Value()))
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
					return pane.AskOverwrite(r.host, path, func() (func() tea.Cmd, error) {
						return r.writeSheet(chat.ID, path, true)
					})
				}, nil
			}
			return r.writeSheet(chat.ID, path, false)
		}, nil
	})
	k.BusyWords = "creating the sheet …"
	k.Focus(1)
	r.host.Open(k)
	return nil
}

func (r *Part) writeSheet(chat storage.ChatID, path string, overwrite bool) (func() tea.Cmd, error) {
	to, err := r.host.Engine().Pictures.Gallery.ContactSheet(chat, path, overwrite)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, to, "") }, nil
}
