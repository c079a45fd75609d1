package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

var graphWords = []string{"no: nothing but the picture", "yes: ComfyUI's graph too, prompt included"}

// openExport asks where pictures are to be written: one to a file, several to a
// folder.
func (a *app) openExport(list []pictures.GalleryItem) tea.Cmd {
	list = slices.DeleteFunc(list, func(c pictures.GalleryItem) bool { return c.ImagePath == "" })
	if len(list) == 0 {
		return a.Say(event.Info, "there is no picture yet that could be exported")
	}
	f := widget.Form{Title: "Export the " + captureKind(list[0].Capture), Foot: "^S write · tab next · esc close",
		Fields: []*widget.Field{
			widget.LineField(a.lk, "File", filepath.Join(desk.StartDir(a), exportName(a, list[0].Capture)), "a file or a folder"),
			widget.PickField("Keep graph", graphWords[0], graphWords)}}
	if len(list) > 1 {
		f.Title = "Export " + look.Plural(len(list), "capture")
		f.Fields[0] = widget.LineField(a.lk, "Folder", desk.StartDir(a), "a folder that is there")
	}
	k := desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("a path is needed")
		}
		o := pictures.ExportOptions{KeepGraph: f.Fields[1].Chosen == 1}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				if len(list) > 1 {
					return nil, errors.New("several captures go to a folder, and this is a file")
				}
				o.Overwrite = true
				return func() tea.Cmd {
					return a.overwriting(path, func() (func() tea.Cmd, error) { return a.export(list, path, o) })
				}, nil
			} else if err != nil && len(list) > 1 {
				return nil, errors.New("there is no such folder")
			}
			return a.export(list, path, o)
		}, nil
	})
	a.dialogs.Open(k)
	return nil
}

// exportName is what a picture's file is called where the user names none.
func exportName(a *app, c storage.Capture) string {
	return desk.FileName(a.view.Chat.Title) + "-" + c.CreatedAt.Local().Format("20060102-150405") + filepath.Ext(c.ImagePath)
}

// export writes pictures, away from the screen's goroutine.
func (a *app) export(list []pictures.GalleryItem, path string, o pictures.ExportOptions) (func() tea.Cmd, error) {
	last := ""
	for i, c := range list {
		to, err := a.eng.Pictures.ExportCapture(c.ID, path, o)
		if err != nil {
			if i > 0 {
				return nil, fmt.Errorf("%d of %d are written; then: %s", i, len(list), failure.Words(err))
			}
			return nil, err
		}
		last = to
	}
	return func() tea.Cmd {
		a.SetFolder(filepath.Dir(last))
		if len(list) > 1 {
			return a.Say(event.Info, look.Plural(len(list), "file")+" written to "+filepath.Dir(last))
		}
		return a.Say(event.Info, "written to "+last)
	}, nil
}

// overwriting asks before a file is replaced.
func (a *app) overwriting(path string, write func() (func() tea.Cmd, error)) tea.Cmd {
	a.dialogs.Open(&widget.Confirm{Title: "The file exists", Text: path + " is there already. Overwrite it?", Choices: []widget.Choice{
		{Key: "n", Words: "leave it", Do: nil},
		{Key: "y", Words: "overwrite it", Do: func() tea.Cmd {
			return a.Do(func() func() tea.Cmd {
				then, err := write()
				if err != nil {
					return func() tea.Cmd { return a.Fail(err) }
				}
				return then
			})
		}}}})
	return nil
}

var sheetKinds = []string{"PNG: all pictures on one sheet", "HTML: pictures with the story's text"}

// openContactSheet asks where a sheet of all pictures of the chat is to be
// written, and as what.
func (a *app) openContactSheet() tea.Cmd {
	chat := a.view.Chat
	if chat.ID == "" {
		return a.Say(event.Info, "no chat is open")
	}
	f := widget.Form{Title: "Contact sheet", Foot: "^S write · tab next · esc close",
		Fields: []*widget.Field{
			widget.PickField("As", sheetKinds[0], sheetKinds),
			widget.LineField(a.lk, "File", filepath.Join(desk.StartDir(a), desk.FileName(chat.Title)+"-pictures"), "its ending follows from the kind")}}
	k := desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[1].Value()))
		if path == "" {
			return nil, errors.New("the path of a file is needed")
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
				return nil, errors.New("that is a folder")
			} else if err == nil {
				return func() tea.Cmd {
					return a.overwriting(path, func() (func() tea.Cmd, error) { return a.writeSheet(chat.ID, path, true) })
				}, nil
			}
			return a.writeSheet(chat.ID, path, false)
		}, nil
	})
	k.BusyWords = "drawing the sheet …"
	k.Focus(1)
	a.dialogs.Open(k)
	return nil
}

func (a *app) writeSheet(chat storage.ChatID, path string, overwrite bool) (func() tea.Cmd, error) {
	to, err := a.eng.Pictures.ContactSheet(chat, path, overwrite)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		a.SetFolder(filepath.Dir(to))
		return a.Say(event.Info, "written to "+to)
	}, nil
}

// variants shows the variants of a capture side by side.
type variants struct {
	g   *gallery
	all []pictures.GalleryItem
	at  int
}

func (g *gallery) openVariants(c pictures.GalleryItem, a *app) tea.Cmd {
	v := &variants{g: g}
	for _, id := range g.family[c.ID] {
		if i := g.index(id); i >= 0 {
			if id == c.ID {
				v.at = len(v.all)
			}
			v.all = append(v.all, g.items[i])
		}
	}
	if len(v.all) < 2 {
		return a.Say(event.Info, "there are no variants of it yet; "+a.keys.Key(keys.PaneAgain, keys.Pane)+" makes one with a new seed")
	}
	a.dialogs.Open(v)
	return nil
}

func (v *variants) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.Keystroke(msg) {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "left", "h", "up", "k":
		v.at = (v.at + len(v.all) - 1) % len(v.all)
	case "right", "l", "down", "j", "space":
		v.at = (v.at + 1) % len(v.all)
	case "o":
		return v.g.a.openFile(v.all[v.at].Capture), false
	case "enter":
		v.g.batch = -1
		v.g.GoTo(string(v.all[v.at].ID))
		return nil, true
	}
	return nil, false
}

// Draw shows the chosen variant and as many beside it as there is room for.
func (v *variants) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	in := look.Frame(buf, screen, lk, "Variants", "← → choose · enter go to it · o open · esc close")
	n := max(1, min(len(v.all), in.Dx()/30, 3))
	from := max(0, min(v.at-n/2, len(v.all)-n))
	w := in.Dx() / n
	for i := range n {
		c := &v.all[from+i]
		area := uv.Rect(in.Min.X+i*w, in.Min.Y, w-1, in.Dy())
		st := lk.Dim
		if from+i == v.at {
			st = lk.Selected
			look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), st)
		}
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, fmt.Sprintf(" %d/%d %s", from+i+1, len(v.all), look.Ago(time.Now(), c.CreatedAt)))
		y := area.Min.Y + 1
		for _, l := range v.g.a.large(c, area.Dx(), max(leastRows, area.Dy()*3/5)) {
			if y < area.Max.Y {
				look.PutStyled(buf, area.Min.X, y, area.Dx(), l)
				y++
			}
		}
		for _, l := range v.g.details(c, area.Dx(), area.Max.Y-y, v.g.a) {
			look.PutStyled(buf, area.Min.X, y, area.Dx(), l)
			y++
		}
	}
	return nil
}
