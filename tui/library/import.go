package library

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/library"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

// importable are the endings of files that can be imported.
var importable = []string{".png", ".json", ".charx", ".jsonl"}

// MayBeFile tells whether a text ends like the path of a file that can be imported.
func MayBeFile(text string) bool {
	return slices.Contains(importable, strings.ToLower(filepath.Ext(strings.Trim(text, " \t\r\n'\""))))
}

// openImport lets the user look for a card or a chat, from the folder where the
// last one was found.
func (r *Room) openImport() tea.Cmd {
	return desk.Browse(r.desk, desk.FileChoice{Title: "Import", Endings: importable, Example: "~/cards/somebody.png", Take: r.Import,
		Note: "A character card (.png, .json, .charx) or a SillyTavern chat (.jsonl). Dropping the file into the terminal works too."})
}

// Import brings in a card, a chat or a lorebook and goes there.
func (r *Room) Import(path string) tea.Cmd {
	return r.desk.Do(func() func() tea.Cmd {
		got, err := r.desk.Engine().Library.Import(path)
		return func() tea.Cmd {
			switch {
			case err != nil:
				r.desk.Open(&widget.Reader{Title: "Nothing was imported", Lines: widget.PlainLines(failure.Words(err))})
				return nil
			case got.Chat.ID != "":
				return tea.Batch(r.desk.SwitchTo(got.Chat.ID), r.desk.Say(event.Info, importWords(got)))
			case got.Lorebook.ID != "":
				return r.desk.Say(event.Info, importWords(got))
			}
			name := safetext.Line(got.Character.Card.Name)
			r.desk.Open(&widget.Confirm{Title: "Imported " + name, Text: importWords(got), Choices: []widget.Choice{
				{Key: "y", Words: "start a chat with " + name, Do: func() tea.Cmd { return r.beginChat(got.Character.ID) }},
				{Key: "n", Words: "later", Do: nil}}})
			return nil
		}
	})
}

func importWords(got library.Imported) string {
	words := "It is in your library now."
	if got.Chat.ID != "" {
		words = fmt.Sprintf("imported %q", got.Chat.Title)
	}
	if got.Lorebook.ID != "" {
		words = fmt.Sprintf("The lorebook %q was imported with %s; it applies to every chat.", safetext.Line(got.Lorebook.Name), desk.EntryCount(got.Entries))
	}
	if n := len(got.Warnings); n > 0 {
		words += " " + look.Plural(n, "remark") + ": " + strings.Join(got.Warnings[:min(n, 4)], "; ")
	}
	return words
}
