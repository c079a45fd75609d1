package library

import (
	"encoding/json"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"ghostlight/engine/core"
	"ghostlight/engine/ecosystem"
	"ghostlight/engine/failure"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

// ImportChat brings in a SillyTavern chat in one transaction. The character is
// the one named, else the one of the chat's name, else a new bare one.
func (svc *Service) ImportChat(path string, who storage.CharacterID) (Imported, error) {
	path = core.ExpandHome(path)
	f, err := ecosystem.ReadChatFile(path)
	if err != nil {
		return Imported{}, failure.Fail("import", err)
	}
	got := Imported{Warnings: f.Warnings}
	now := svc.core.Config.Now()
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if got.Character, err = svc.characterFor(tx, who, f.CharacterName); err != nil {
			return err
		}
		title := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if title == "" {
			title = got.Character.Card.Name
		}
		c := storage.Chat{ID: storage.ChatID(storage.NewID()), Title: chats.FreeTitle(tx, title), Character: got.Character.ID,
			Persona: chats.DefaultPersona(tx).ID, CreatedAt: now, UpdatedAt: now, Extra: f.Header, Lorebooks: worldOf(tx, f.Header)}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
		if c.Head, err = svc.growImported(tx, c.ID, f.Messages); err != nil {
			return err
		}
		got.Chat = c
		return storage.Chats.Put(tx, c.ID, c)
	})
	if err != nil {
		return Imported{}, failure.Fail("import", err)
	}
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(chats.CharactersChanged{})
	return got, nil
}

// worldOf switches the lorebook on that an imported chat names, where there is
// one of that name.
func worldOf(tx *storage.Tx, header []byte) map[storage.LorebookID]bool {
	var h struct {
		Meta struct {
			World string `json:"world_info"`
		} `json:"chat_metadata"`
	}
	if json.Unmarshal(header, &h) != nil || strings.TrimSpace(h.Meta.World) == "" {
		return nil
	}
	for id, b := range storage.Lorebooks.All(tx) {
		if !b.Removed && strings.EqualFold(b.Name, strings.TrimSpace(h.Meta.World)) {
			return map[storage.LorebookID]bool{id: true}
		}
	}
	return nil
}

func (svc *Service) characterFor(tx *storage.Tx, who storage.CharacterID, name string) (storage.Character, error) {
	if who != "" {
		return storage.Characters.Get(tx, who)
	}
	for _, c := range storage.Characters.All(tx) {
		if strings.EqualFold(c.Card.Name, name) {
			return c, nil
		}
	}
	if strings.TrimSpace(name) == "" {
		name = "Somebody"
	}
	now := svc.core.Config.Now()
	c := storage.Character{ID: storage.CharacterID(storage.NewID()), Card: storage.Card{Name: name}, Immersion: storage.Full, CreatedAt: now, UpdatedAt: now}
	return c, storage.Characters.Put(tx, c.ID, c)
}

// growImported hangs imported messages below each other; swipes become
// siblings, and the chat goes on below the chosen one.
func (svc *Service) growImported(tx *storage.Tx, chat storage.ChatID, msgs []ecosystem.ChatMessage) (head storage.NodeID, err error) {
	for _, m := range msgs {
		variants, chosen := m.Variants()
		parent := head
		for i, v := range variants {
			n := storage.Node{Chat: chat, Parent: parent, Role: m.Role, Name: m.Name, Content: v.Content, Thinking: v.Thinking,
				Model: v.Model, State: storage.Complete, CreatedAt: v.CreatedAt}
			if n.CreatedAt.IsZero() {
				n.CreatedAt = svc.core.Config.Now()
			}
			if m.Hidden && m.Role != storage.System {
				n.Role = storage.System // hidden from the model there, and so here
			}
			extra := importedExtra{Swipe: v.Extra}
			if i == chosen {
				extra.Line, extra.Role = m.Extra, m.Role
			}
			if n.Extra, err = json.Marshal(extra); err != nil {
				return "", err
			}
			if err := tx.AppendNode(&n); err != nil {
				return "", err
			}
			if i == chosen {
				head = n.ID
				if err := svc.scenes.ImportScene(tx, chat, n, m.Scene); err != nil {
					return "", err
				}
			}
		}
	}
	return head, nil
}

// importedExtra is what a node keeps of the line it came from.
type importedExtra struct {
	Line  json.RawMessage `json:"line,omitempty"`
	Swipe json.RawMessage `json:"swipe,omitempty"`
	Role  storage.Role    `json:"role,omitempty"`
}

// ExportChat writes the head's path in SillyTavern's format, siblings as swipes, one
// line with each call of w. Only a part of the chat is held at a time.
func (svc *Service) ExportChat(chat storage.ChatID, w io.Writer) error {
	var f ecosystem.ChatFile
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err == nil {
			who, p := svc.chats.Cast(tx, c)
			f.Header, f.CharacterName, f.UserName = c.Extra, who.Card.Name, p.Name
		}
		return err
	})
	if err != nil {
		return failure.Fail("export", err)
	}
	if err := svc.begin(chat, &f); err != nil {
		return err
	}
	if err := ecosystem.WriteChat(w, f, svc.exportLines(chat)); err != nil {
		return failure.Fail("export", err)
	}
	return nil
}

// begin gives a file the first message of either side, from which its header has names,
// and calls the user as the first that was said does.
func (svc *Service) begin(chat storage.ChatID, f *ecosystem.ChatFile) error {
	met := map[storage.Role]bool{}
	named := false
	for line, err := range svc.exportLines(chat) {
		if err != nil {
			return failure.Fail("export", err)
		}
		if !met[line.Role] {
			met[line.Role] = true
			f.Messages = append(f.Messages, line)
		}
		if line.Role == storage.User && !line.Hidden && line.Name != "" && !named {
			f.UserName, named = line.Name, true // whoever it was then
		}
		if named && met[storage.Assistant] {
			break
		}
	}
	return nil
}

func (svc *Service) exportLines(chat storage.ChatID) iter.Seq2[ecosystem.ChatMessage, error] {
	return func(yield func(ecosystem.ChatMessage, error) bool) {
		for m, err := range svc.chats.All(chat) {
			if err != nil {
				yield(ecosystem.ChatMessage{}, err)
				return
			}
			if m.Role == storage.SceneCapture {
				continue
			}
			var line ecosystem.ChatMessage
			err = svc.core.Store.View(func(tx *storage.Tx) error {
				if line, err = exportLine(tx, m); err == nil {
					line.Scene = scenes.ExportScene(tx, m)
				}
				return err
			})
			if !yield(line, err) {
				return
			}
		}
	}
}

func exportLine(tx *storage.Tx, m chats.Message) (ecosystem.ChatMessage, error) {
	var extra importedExtra
	if len(m.Extra) > 0 {
		if err := json.Unmarshal(m.Extra, &extra); err != nil {
			return ecosystem.ChatMessage{}, err
		}
	}
	line := ecosystem.ChatMessage{Role: m.Role, Name: m.Name, Content: m.Content, Thinking: m.Thinking, Model: m.Model,
		CreatedAt: m.CreatedAt, Extra: extra.Line, Hidden: m.Role == storage.System}
	if extra.Role != "" {
		line.Role = extra.Role
	}
	line.CreatedAt = exportTime(m.Node, extra.Line)
	ids, at, err := tx.Siblings(m.Chat, m.ID)
	if err != nil || len(ids) < 2 && len(extra.Swipe) == 0 { // a single swipe stays one
		return line, err
	}
	for _, id := range ids {
		n, err := tx.Node(m.Chat, id)
		if err != nil {
			return line, err
		}
		var x importedExtra
		if len(n.Extra) > 0 {
			if err := json.Unmarshal(n.Extra, &x); err != nil {
				return line, err
			}
		}
		line.Swipes = append(line.Swipes, ecosystem.Swipe{Content: n.Content, Thinking: n.Thinking, Model: n.Model, CreatedAt: exportTime(n, x.Swipe), Extra: x.Swipe})
	}
	line.Chosen = max(0, at)
	return line, nil
}

// exportTime is zero, which leaves a time as it was written, for what came from
// a file and was not changed here: times that could not be read stay so too.
func exportTime(n storage.Node, source json.RawMessage) time.Time {
	if len(source) > 0 && n.EditedAt.IsZero() {
		return time.Time{}
	}
	return n.CreatedAt
}

// ExportChatFile writes a chat into a directory, the data directory's exports
// for "", and says where.
func (svc *Service) ExportChatFile(chat storage.ChatID, dir string) (string, error) {
	name := string(chat) + "-" + svc.core.Config.Now().Format(time.DateOnly) + ".jsonl"
	return svc.export(dir, name, func(w io.Writer) error { return svc.ExportChat(chat, w) })
}
