package lore

import (
	"cmp"
	"errors"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// BookFields are the fields of a lorebook. The owner, and how the book counts in the chat, are for
// forms only: commands have flags for them.
var BookFields = field.Record[Book]{Noun: "a lorebook", Fields: []field.Spec[Book]{
	{Name: "name", Flag: "name", Label: "Name", Help: "its name in lists", Hint: "for example: The harbour",
		Required: true, At: func(b *Book) any { return &b.Name }},
	{Name: "owner", Label: "Belongs to", Help: "which chats it applies to", At: ownerOf},
	{Name: "off", Label: "Off by default", Help: "applies only to chats that enable it",
		At: func(b *Book) any { return &b.Off }},
	{Name: "scan_depth", Flag: "scan-depth", Label: "Scan depth",
		Help: "how many of the newest messages are searched for keys", Hint: "messages; empty: same as settings",
		Max: deepestScan, At: func(b *Book) any { return &b.ScanDepth }},
	{Name: "description", Flag: "description", Label: "Description", Help: "what it is about", Rows: 3,
		At: func(b *Book) any { return &b.Description }},
	{Name: "in_chat", Label: "In this chat", Help: "whether it applies to this chat",
		Choices: []field.Choice{
			{Value: "default", Label: "lorebook default"},
			{Value: "on"},
			{Value: "off"},
		}, At: switchOf},
}}

// ownerOf returns the owner of a book as a text: global, or the kind of the owner, a colon, and its
// id.
func ownerOf(b *Book) any {
	return field.Computed{
		Get: func() string {
			id := cmp.Or(string(b.Chat), string(b.Character), string(b.Persona))
			if id == "" {
				return string(storage.GlobalBook)
			}
			return string(b.Kind) + ":" + id
		},
		Put: func(text string) error {
			kind, id, _ := strings.Cut(text, ":")
			b.Kind, b.Chat, b.Character, b.Persona = storage.BookKind(kind), "", "", ""
			switch b.Kind {
			case storage.GlobalBook:
			case storage.ChatBook:
				b.Chat = storage.ChatID(id)
			case storage.CharacterBook:
				b.Character = storage.CharacterID(id)
			case storage.PersonaBook:
				b.Persona = storage.PersonaID(id)
			default:
				return errors.New("global, or the kind and id of an owner, such as chat:ID")
			}
			return nil
		}}
}

// switchOf returns the computed field that says whether a book counts in a chat: default, on or
// off.
func switchOf(b *Book) any {
	return field.Computed{
		Get: func() string {
			switch {
			case !b.Switched:
				return "default"
			case b.On:
				return "on"
			}
			return "off"
		},
		Put: func(text string) error {
			b.Switched = text != "default"
			b.On = b.Switched && text == "on" || !b.Switched && b.On
			return nil
		}}
}
