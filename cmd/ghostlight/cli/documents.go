package cli

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The documents that --json prints are the views of the engine with their JSON
// tags, and in the files documents.go of the packages those that differ from every
// view; what one command alone prints of a few values is a map or a struct where it
// prints it. Other programs rely on them: names and meanings stay. What makes a list
// never null and a missing time never the year 1 is the one encoder (output.go).
// Here are the documents that several packages print.

// Docs returns the documents of a list. It is never nil.
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

// PrintDeleted prints that the thing with this id and name was deleted.
func (app *App) PrintDeleted(id, name string) error {
	return app.Print(map[string]string{"deleted": id}, func(p *Page) {
		if name != id {
			id += "  " + OneLine(name)
		}
		p.Linef("%s  deleted", id)
	})
}

// PrintDone prints the result of an action on several things of a story: how many of the named
// things it changed.
func PrintDone[I ~string](app *App, scope storage.ScopeID, action string, changed int, ids []I) error {
	if changed == 0 {
		app.Note("note: nothing has changed")
	}
	doc := map[string]any{"scope": scope, "action": action, "changed": changed, "ids": ids}
	return app.Print(doc, func(p *Page) { p.Linef("%s: %d changed", action, changed) })
}
