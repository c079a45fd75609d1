package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/process"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// chatExports are the formats of an exported chat; the last one is a folder.
var chatExports = []struct {
	words  string
	format novel.Format
}{
	{"book (EPUB)", novel.EPUB}, {"page (HTML)", novel.HTML}, {"Markdown", novel.Markdown}, {"plain text", novel.Text},
	{"SillyTavern (JSONL)", library.FormatJSONL}, {"all branches, JSONL", ""},
}

// The fields of the dialog.
const (
	exportFormat = iota
	exportFile
	exportPictures
	exportRecaps
	exportTakes
	exportOOC
)

// exportChat asks for the format and the path of a chat.
func (r *Part) exportChat() tea.Cmd {
	chat := r.host.Play().Chat().Chat
	if chat.ID == "" {
		return nil
	}
	var kinds []string
	for _, l := range chatExports {
		kinds = append(kinds, l.words)
	}
	f := widget.Form{Title: "Export this chat", Verb: "write",
		Notes: []string{"EPUB, HTML, Markdown and text are for reading; JSONL contains the whole branch with swipes."},
		Fields: []*widget.Field{
			widget.PickField("As", kinds[0], kinds),
			widget.LineField(r.host.Styles(), "File", filepath.Join(pane.StartDir(r.host), pane.FileName(chat.Title)),
				"the extension follows the format"),
			widget.CheckField("Pictures", true), widget.CheckField("Recaps", false),
			widget.CheckField("Other swipes", false), widget.CheckField("OOC lines", false)}}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[exportFile].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		format := chatExports[f.Fields[exportFormat].Chosen].format
		o := library.StoryOptions{NoPictures: f.Fields[exportPictures].Chosen == 0,
			Recaps: f.Fields[exportRecaps].Chosen == 1, Swipes: f.Fields[exportTakes].Chosen == 1,
			OOC: f.Fields[exportOOC].Chosen == 1}
		if format == "" {
			return func() (func() tea.Cmd, error) { return r.writeBranches(chat.ID, path) }, nil
		}
		path = withEnding(path, format)
		return func() (func() tea.Cmd, error) { return r.writeStory(chat.ID, path, false, o) }, nil
	})
	k.BusyWords = "writing …"
	r.host.Open(k)
	return nil
}

// withEnding returns a path with the extension of a format in place of another format's.
func withEnding(path string, format novel.Format) string {
	ext := filepath.Ext(path)
	has, known := novel.FormatOf(path)
	if strings.EqualFold(ext, ".jsonl") {
		has, known = library.FormatJSONL, true
	}
	switch {
	case known && has == format:
		return path
	case known:
		path = strings.TrimSuffix(path, ext)
	}
	return path + library.ChatEnding(format)
}

// writeStory writes the chat, off the screen's goroutine.
func (r *Part) writeStory(chat storage.ChatID, path string, overwrite bool,
	o library.StoryOptions) (func() tea.Cmd, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("this is a folder: enter a file name")
	}
	at, got, err := r.host.Engine().Library.ExportStory(context.Background(), chat, path, overwrite, o)
	if errors.Is(err, fs.ErrExist) {
		return func() tea.Cmd {
			return pane.AskOverwrite(r.host, path, func() (func() tea.Cmd, error) {
				return r.writeStory(chat, path, true, o)
			})
		}, nil
	}
	if err != nil {
		return nil, err
	}
	words := ""
	if got.Missing > 0 {
		words = " " + draw.Plural(got.Missing, "picture") + " could not be read; the export marks their places."
	}
	return func() tea.Cmd {
		r.host.Files().Folder = filepath.Dir(at)
		return r.offerOpen(at, words)
	}, nil
}

func (r *Part) writeBranches(chat storage.ChatID, dir string) (func() tea.Cmd, error) {
	list, err := r.host.Engine().Library.ExportBranches(context.Background(), chat, dir)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		return r.offerOpen(filepath.Dir(list[0].Path), " "+draw.Plural(len(list), "file")+".")
	}, nil
}

// offerOpen shows the path of a file, and offers to open it.
func (r *Part) offerOpen(path, words string) tea.Cmd {
	r.host.Open(&widget.Confirm{Title: "Exported" + pane.Unencrypted(r.host), Text: safetext.Line(path) + "." +
		words, Choices: []widget.Choice{
		{Key: "c", Words: "close", Do: nil},
		{Key: "o", Words: "open", Do: func() tea.Cmd {
			return r.host.Do(func() func() tea.Cmd {
				err := process.Open(path)
				return func() tea.Cmd {
					if err != nil {
						return r.host.Say(event.Info, "there is no viewer to open it: the file is "+path)
					}
					return r.host.Say(event.Info, "opened "+path)
				}
			})
		}}}})
	return nil
}
