package play

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type chatLine struct {
	cli.ChatDoc
	CharacterName string            `json:"character_name"`
	Persona       storage.PersonaID `json:"persona"`
	Model         string            `json:"model"`
	Messages      int               `json:"messages"`
	Preview       string            `json:"preview"`
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
	Series        storage.SeriesID  `json:"series,omitempty"`  // that it belongs to
	Episode       storage.EpisodeID `json:"episode,omitempty"` // that it plays
}

func newChatLine(c chats.ChatInfo) chatLine {
	return chatLine{
		cli.NewChatDoc(c.Chat),
		c.CharacterName,
		c.Persona,
		c.Model,
		c.Messages,
		c.Preview,
		c.CreatedAt,
		c.UpdatedAt,
		c.Play.Series,
		c.Play.Episode,
	}
}

// importedChatDoc is a chat that came from a file; More are the others of the file.
type importedChatDoc struct {
	cli.ChatDoc
	Format   string             `json:"format"`
	Lorebook storage.LorebookID `json:"lorebook,omitempty"` // that came with it
	Warnings []string           `json:"warnings"`
	More     []importedChatDoc  `json:"more,omitempty"`
}

func newImportedChatDoc(got library.ImportResult) importedChatDoc {
	return importedChatDoc{
		ChatDoc:  cli.NewChatDoc(got.Chat),
		Format:   got.Format,
		Lorebook: got.Lorebook.ID,
		Warnings: got.Warnings,
	}
}

type messageDoc struct {
	ID        storage.NodeID    `json:"id"`
	Parent    storage.NodeID    `json:"parent"` // "" at a root
	Depth     int               `json:"depth"`
	Role      storage.Role      `json:"role"`
	Name      string            `json:"name"`
	Content   string            `json:"content"`
	Thinking  string            `json:"thinking,omitempty"`
	State     storage.State     `json:"state"`
	CreatedAt time.Time         `json:"created_at"`
	Siblings  int               `json:"siblings"` // itself included
	Stale     bool              `json:"stale,omitempty"`
	Fault     string            `json:"fault,omitempty"`
	Capture   storage.CaptureID `json:"capture,omitempty"` // the picture that it shows

	// These are set if several characters play. Speaker is the author. HeardBy are the characters
	// who witnessed it, missing if all did.
	Speaker storage.CharacterID   `json:"speaker,omitempty"`
	Whisper bool                  `json:"whisper,omitempty"`
	HeardBy []storage.CharacterID `json:"heard_by,omitempty"`

	// The user's wishes for a reply.
	Beat string   `json:"beat,omitempty"`
	Acts []string `json:"acts,omitempty"`
	// Shown is the text as displayed, set if regex scripts change it.
	Shown *chats.Shown `json:"shown,omitempty"`
}

// shownRole returns who a message is shown as: a picture that was asked for is the
// character's.
func shownRole(m chats.Message) storage.Role {
	if m.Requested() {
		return storage.Assistant
	}
	return m.Role
}

func newMessageDocs(list []chats.Message) []messageDoc {
	var out []messageDoc
	for _, m := range list {
		doc := messageDoc{m.ID, m.Parent, m.Depth, shownRole(m), m.Name, m.Content, m.Thinking, m.State, m.CreatedAt,
			m.Siblings, m.Stale, m.Fault, m.Capture, m.Speaker, false, nil, m.Steer.Beat, m.Steer.Acts, m.Shown}
		if p := m.Presence; p != nil {
			doc.Whisper, doc.HeardBy = p.Whisper, p.Witnesses
		}
		out = append(out, doc)
	}
	return out
}

type showDoc struct {
	ID       storage.ChatID `json:"id"`
	Title    string         `json:"title"`
	Head     storage.NodeID `json:"head"`
	Messages []messageDoc   `json:"messages"`
}
