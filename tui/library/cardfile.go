package library

import (
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/process"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// formatByEnding is the default format: by the file's extension.
const formatByEnding = "by file extension"

// exportCharacter asks for the path and the format of a card.
func (r *Part) exportCharacter(c storage.Character) tea.Cmd {
	words := []string{formatByEnding}
	for _, f := range library.CardFormats() {
		words = append(words, strings.ToUpper(f.Ending[1:])+": "+f.Description)
	}
	f := widget.Form{Title: "Export " + draw.Truncate(c.Card.Name, 40), Verb: "write", Fields: []*widget.Field{
		widget.LineField(r.host.Styles(), "File", filepath.Join(pane.StartDir(r.host),
			pane.FileName(c.Card.Name)+".png"), "card.png, card.json or card.charx"),
		widget.PickField("Format", words[0], words),
	}}
	r.host.Open(pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		asked := ""
		if at := f.Fields[1].Chosen; at > 0 {
			asked = library.CardFormats()[at-1].Name
		}
		how, err := library.CardFormatOf(path, asked)
		if err != nil {
			return nil, errors.New(failure.Text(err))
		}
		return func() (func() tea.Cmd, error) {
			return pane.WriteNew(r.host, path, func() (func() tea.Cmd, error) { return r.writeCard(c, path, how.Name) })
		}, nil
	}))
	return nil
}

// writeCard writes a card to a file, off the screen's goroutine.
func (r *Part) writeCard(c storage.Character, path, format string) (func() tea.Cmd, error) {
	data, remarks, err := r.host.Engine().Library.ExportCard(c.ID, format)
	if err == nil {
		err = file.Write(path, file.Options{Replace: true}, data)
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, path, "", remarks...) }, nil
}

// openAssets lists what came with a card: its creator's notes and its assets.
func (r *Part) openAssets(c storage.Character) tea.Cmd {
	return pane.Get(r.host, func() ([]library.Asset, error) {
		return r.host.Engine().Library.Assets(c.ID)
	}, func(list []library.Asset) tea.Cmd {
		var entries []widget.Entry
		if c.Card.CreatorNotes != "" {
			entries = append(entries, widget.Entry{Title: "Creator's notes",
				Detail: draw.Truncate(c.Card.CreatorNotes, 200)})
		}
		for _, a := range list {
			entries = append(entries, widget.Entry{Title: safetext.Line(a.Title()), Detail: assetDetail(a),
				Right: assetSize(a), Value: a})
		}
		get := func(f func(library.Asset) tea.Cmd) func(widget.Entry) tea.Cmd {
			return func(e widget.Entry) tea.Cmd {
				if a, ok := e.Value.(library.Asset); ok {
					return f(a)
				}
				return r.readNotes(c)
			}
		}
		p := widget.NewPicker(r.host.Styles(), "Notes and assets of "+draw.Truncate(safetext.Line(c.Card.Name), 40),
			entries,
			get(func(a library.Asset) tea.Cmd { return r.showAsset(c.ID, a) }),
			widget.Extra{Name: keys.DialogEditor, Description: "open externally", Keep: true,
				Do: get(func(a library.Asset) tea.Cmd { return r.openAsset(c.ID, a) })})
		p.Verb, p.Stay = func(widget.Entry) string { return "show" }, true
		p.Empty = "this card has no notes and no assets (emotions, backgrounds)"
		r.host.Open(p)
		return nil
	})
}

// assetDetail returns the type of an asset, and its location.
func assetDetail(a library.Asset) string {
	where := map[formats.AssetPlace]string{
		formats.AssetInline: "embedded in the card", formats.AssetPicture: "the avatar",
		formats.AssetDefault: "program default",
		formats.AssetAddress: "external, never downloaded", formats.AssetMissing: "missing from the file",
	}[a.Place]
	if a.Type == "" {
		where = "not listed in the card"
	}
	words := []string{}
	for _, w := range []string{safetext.Line(a.Type), where} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " · ")
}

func assetSize(a library.Asset) string {
	if !a.HasFile() {
		return ""
	}
	if a.Bytes < 1<<10 {
		return draw.Plural(a.Bytes, "byte")
	}
	return draw.Size(int64(a.Bytes))
}

// showAsset draws a picture in the terminal; other assets are described.
func (r *Part) showAsset(id storage.CharacterID, a library.Asset) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		data, err := r.host.Engine().Library.AssetPicture(id, a.Number)
		if err != nil {
			return func() tea.Cmd {
				r.host.Open(&widget.Reader{Title: safetext.Line(a.Title()),
					Lines: widget.PlainLines(failure.Text(err))})
				return nil
			}
		}
		img, err := picture.Decode(data)
		if err != nil {
			return func() tea.Cmd { return r.host.Fail(err) }
		}
		b := img.Bounds()
		small := picture.Thumbnail(img, 400)
		return func() tea.Cmd {
			r.host.Open(&widget.Reader{Title: safetext.Line(a.Title()), Lines: func(w int, _ *draw.Styles) []string {
				_, h := r.host.Size()
				cols, rows := picture.FitCells(b.Dx(), b.Dy(), w, max(4, h-4), 2)
				return picture.HalfBlocks(small, cols, rows)
			}})
			return nil
		}
	})
}

// openAsset opens an asset in the system's viewer.
func (r *Part) openAsset(id storage.CharacterID, a library.Asset) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		path, err := r.host.Engine().Library.AssetFile(id, a.Number)
		if err == nil && process.Open(path) != nil {
			return func() tea.Cmd { return r.host.Say(event.Info, "saved to "+path) }
		}
		if err != nil {
			return func() tea.Cmd { return r.host.Fail(err) }
		}
		return func() tea.Cmd { return r.host.Say(event.Info, "opened "+path) }
	})
}
