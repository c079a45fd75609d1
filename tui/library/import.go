package library

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// importableEndings are the extensions of files that can be imported.
var importableEndings = []string{".png", ".json", ".charx", ".jsonl", ".byaf", ".yaml", ".yml", ".webp", ".jpg",
	".jpeg", ".story", ".scenario", ".lorebook"}

// IsImportablePath reports whether a text looks like the path of something that can be imported: a
// file, a folder, or a backup.
func IsImportablePath(text string) bool {
	text = strings.Trim(text, " \t\r\n'\"")
	ending := strings.ToLower(filepath.Ext(text))
	if strings.ContainsAny(text, "\r\n") {
		return false
	}
	return slices.Contains(importableEndings, ending) || ending == ".zip" || filepath.IsAbs(text) ||
		strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "file://")
}

// openImport opens the file dialog for a card or a chat, in the folder of the last import.
func (r *Part) openImport() tea.Cmd {
	return pane.Browse(r.host, pane.FileChoice{Title: "Import", Endings: importableEndings,
		Example: "~/cards/somebody.png", Read: r.read,
		Note: "A character card, lorebook, preset or chat from SillyTavern or another program. You can also drop the " +
			"file into the terminal."})
}

// Import imports a card, a chat or a lorebook and shows it; for a folder or a backup it shows the
// plan of a move first.
func (r *Part) Import(path string) tea.Cmd {
	if isFolder(path) {
		return r.moveIn(path)
	}
	return r.host.Do(func() func() tea.Cmd {
		then, err := r.read(path)
		if err != nil {
			return func() tea.Cmd {
				r.host.Open(&widget.Reader{Title: "Nothing was imported", Lines: widget.PlainLines(failure.Text(err))})
				return nil
			}
		}
		return then
	})
}

// read imports a file and returns a function that shows it.
func (r *Part) read(path string) (func() tea.Cmd, error) {
	got, err := r.host.Engine().Library.Import(path)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		switch {
		case got.Chat.ID != "":
			return tea.Batch(r.host.Play().SwitchTo(got.Chat.ID), r.host.Say(event.Info, importText(got)))
		case got.Lorebook.ID != "":
			return r.host.Say(event.Info, importText(got))
		case got.Regex != nil:
			return r.host.Say(event.Info, importText(got))
		case got.Preset.ID != "":
			r.host.Open(&widget.Reader{Title: "Imported the preset " +
				draw.Truncate(safetext.Line(got.Preset.Name), 40),
				Lines: widget.PlainLines(presetText(got.Preset))})
			return nil
		}
		name := safetext.Line(got.Character.Card.Name)
		who := got.Character.ID
		choices := []widget.Choice{{Key: "y", Words: "start a chat with " + name,
			Do: func() tea.Cmd { return r.beginChat(who) }}}
		if len(formats.CardRegex(got.Character.Source)) > 0 {
			choices = append(choices, widget.Choice{Key: "a", Words: "start a chat and allow the card's regex scripts",
				Do: func() tea.Cmd {
					allow := func() (int, error) { return r.host.Engine().Chats.Regex.Allow(who, true) }
					return pane.Get(r.host, allow, func(int) tea.Cmd { return r.beginChat(who) })
				}})
		}
		r.host.Open(&widget.Confirm{Title: "Imported " + name, Text: importText(got),
			Choices: append(choices, widget.Choice{Key: "n", Words: "not now", Do: nil})})
		return nil
	}, nil
}

// presetText describes the result of a preset's import.
func presetText(p storage.Preset) string {
	words := []string{"Imported: " + strings.Join(p.Kinds, ", ") + "."}
	if p.Profile != "" {
		words = append(words, "Samplers saved as profile "+safetext.Line(p.Profile)+".")
	}
	for _, f := range p.Files {
		words = append(words, "Saved: prompts/"+f)
	}
	for _, r := range p.Remarks {
		words = append(words, safetext.Line(r))
	}
	return strings.Join(words, "\n\n")
}

func importText(got library.ImportResult) string {
	words := "Added to your characters."
	if got.Chat.ID != "" {
		words = fmt.Sprintf("imported %q (%s)", got.Chat.Title, got.Format)
		if n := len(got.More); n > 0 {
			words += fmt.Sprintf(" and %s of the same file", draw.Plural(n, "more chat"))
		}
	} else if got.Lorebook.ID != "" {
		words = fmt.Sprintf("The lorebook %q was imported with %s; it applies to every chat.",
			safetext.Line(got.Lorebook.Name), pane.EntryCount(got.Entries))
	}
	if got.Regex != nil {
		words = draw.Plural(len(got.Regex.Scripts), "regex script") + " imported"
		if n := got.Regex.Here; n > 0 {
			words += fmt.Sprintf(", %d already imported", n)
		}
	}
	if n := len(got.Warnings); n > 0 {
		words += " " + draw.Plural(n, "remark") + ": " + strings.Join(got.Warnings[:min(n, 4)], "; ")
	}
	return words
}
