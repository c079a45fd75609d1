package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
)

// importable are the endings of files that can be imported.
var importable = []string{".png", ".json", ".charx", ".jsonl"}

// openImport lets the user look for a card or a chat, from the folder where the
// last one was found.
func (a *app) openImport() tea.Cmd {
	return desk.Browse(a, desk.FileChoice{Title: "Import", Endings: importable, Example: "~/cards/somebody.png", Take: a.importPath,
		Note: "A character card (.png, .json, .charx) or a SillyTavern chat (.jsonl). Dropping the file into the terminal works too."})
}
