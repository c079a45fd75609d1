package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PersonaFields are the fields of a persona.
var PersonaFields = field.Record[storage.Persona]{Noun: "a persona", Fields: []field.Spec[storage.Persona]{
	{Name: "name", Flag: "name", Label: "Name", Help: "your name in the chat", Hint: "your name in the chat", Required: true,
		At: func(p *storage.Persona) any { return &p.Name }},
	{Name: "description", Flag: "description", Label: "Description", Help: "who it is; sent to the model", Rows: 8,
		At: func(p *storage.Persona) any { return &p.Description }},
	{Name: "default", Flag: "default", Label: "Default", Help: "use it in new chats",
		At: func(p *storage.Persona) any { return &p.Default }},
}}
