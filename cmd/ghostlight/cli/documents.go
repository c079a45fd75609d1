package cli

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The documents that --json prints are the views of the engine with their JSON
// tags, and in the files documents.go of the packages those that differ from every
// view. Other programs rely on them: names and meanings stay. What makes a list
// never null and a missing time never the year 1 is the one encoder (output.go).
// Here are the documents that several packages print.

// Docs are the documents of a list. It is never nil.
func Docs[T, D any](list []T, doc func(T) D) []D {
	docs := make([]D, 0, len(list))
	for _, v := range list {
		docs = append(docs, doc(v))
	}
	return docs
}

// ChatDoc is a chat in a few words.
type ChatDoc struct {
	ID        storage.ChatID      `json:"id"`
	Title     string              `json:"title"`
	Character storage.CharacterID `json:"character"`
	Head      storage.NodeID      `json:"head"`
}

// NewChatDoc makes the document of a chat.
func NewChatDoc(c storage.Chat) ChatDoc { return ChatDoc{c.ID, c.Title, c.Character, c.Head} }

// PrintDeleted prints that what has this id and name is no more.
func (app *App) PrintDeleted(id, name string) error {
	return app.Print(map[string]string{"deleted": id}, func(p *Page) { p.Linef("%s  %s  deleted", id, OneLine(name)) })
}

// doneDoc is what an action on several things of a story came to.
type doneDoc[I ~string] struct {
	Scope   storage.ScopeID `json:"scope"`
	Action  string          `json:"action"`
	Changed int             `json:"changed"`
	IDs     []I             `json:"ids"`
}

// PrintDone prints what an action on several things of a story came to: how many
// of those named it has changed.
func PrintDone[I ~string](app *App, scope storage.ScopeID, action string, changed int, ids []I) error {
	if changed == 0 {
		app.Note("note: nothing has changed")
	}
	return app.Print(doneDoc[I]{scope, action, changed, ids}, func(p *Page) { p.Linef("%s: %d changed", action, changed) })
}
