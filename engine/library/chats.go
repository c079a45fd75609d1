package library

import (
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// importedExtra holds the data that a message keeps of its line in the imported file.
type importedExtra struct {
	Line  json.RawMessage `json:"line,omitempty"`
	Swipe json.RawMessage `json:"swipe,omitempty"`
	Role  storage.Role    `json:"role,omitempty"`
}

// encode returns the JSON. The raw values were made by the reader and need no validation.
func (x importedExtra) encode() json.RawMessage {
	out := append(make([]byte, 0, len(x.Line)+len(x.Swipe)+48), '{')
	for _, m := range []struct {
		name string
		raw  json.RawMessage
	}{{`"line":`, x.Line}, {`"swipe":`, x.Swipe}, {`"role":"`, json.RawMessage(x.Role)}} {
		if len(m.raw) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, m.name...), m.raw...)
	}
	if x.Role != "" {
		out = append(out, '"')
	}
	return append(out, '}')
}

// ExportChat writes the path of the head in SillyTavern's format, siblings as swipes, with one
// call of w.Write per line. Only a part of the chat is in memory at a time.
func (svc *Service) ExportChat(chat storage.ChatID, w io.Writer) error {
	return svc.exportPath(chat, "", &exportOptions{}, w)
}

// exportOptions say how a chat file is written. avatarFiles are the card files of the characters,
// nil for those that the chat knows. changeMetadata edits the metadata and reports whether it did.
// With keepIDs, messages carry their IDs. With separateBranches, branches have files of their own:
// only messages without children are swipes, and swipes above swipeDepth are in another file.
type exportOptions struct {
	avatarFiles      map[storage.CharacterID]string
	changeMetadata   func(meta map[string]json.RawMessage) bool
	keepIDs          bool
	separateBranches bool
	swipeDepth       int
}

// metadata returns the metadata of a chat, nil if those of its header stay. For a chat without a
// header they may be in the file of its group.
func (o *exportOptions) metadata(c storage.Chat, header json.RawMessage) (json.RawMessage, error) {
	if o.changeMetadata == nil {
		return nil, nil
	}
	raw := headerMetadata(header)
	bare := len(raw) <= len("{}")
	if bare && c.From != nil && len(c.From.Group) > 0 {
		if g, err := formats.ReadGroup("", c.From.Group); err == nil {
			raw = g.Metadata[c.From.File]
		}
	}
	meta := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &meta); err != nil {
			return nil, err
		}
	}
	if changed := o.changeMetadata(meta); !changed && !bare || len(meta) == 0 {
		return nil, nil
	}
	return json.Marshal(meta)
}

// exportPath is ExportChat for the path to a leaf; "" means the head.
func (svc *Service) exportPath(chat storage.ChatID, leaf storage.NodeID, o *exportOptions, w io.Writer) error {
	var f formats.ChatFile
	var c storage.Chat
	var faces map[storage.CharacterID]string
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err == nil {
			who, p := svc.chats.Cast(tx, c)
			f.CharacterName, f.UserName = who.Card.Name, p.Name
			if faces = o.avatarFiles; faces == nil {
				faces = avatarFilesOf(tx, c)
			}
			f.Header, err = exportHeader(c)
		}
		return err
	})
	if err != nil {
		return failure.Wrap("export", err)
	}
	f.NoHeader = len(f.Header) == 0 && c.From != nil && c.From.Bare
	lines := svc.exportLines(chat, leaf, faces, o)
	if err := setHeaderNames(lines, &f); err != nil {
		return err
	}
	if len(f.Header) > 0 { // its names are those of another program
		f.UserName, f.CharacterName = formats.HeaderNames(f.Header, f.Messages)
	}
	if f.Metadata, err = o.metadata(c, f.Header); err != nil {
		return failure.Wrap("export", err)
	}
	if err := formats.WriteChat(w, f, lines); err != nil {
		return failure.Wrap("export", err)
	}
	return nil
}

// setHeaderNames sets the names in the header from the first messages of the user and the
// character. It calls the user as the first message does.
func setHeaderNames(lines iter.Seq2[formats.ChatMessage, error], f *formats.ChatFile) error {
	met := map[storage.Role]bool{}
	named := false
	for line, err := range lines {
		if err != nil {
			return failure.Wrap("export", err)
		}
		if !met[line.Role] {
			met[line.Role] = true
			f.Messages = append(f.Messages, line)
		}
		if line.Role == storage.User && !line.Hidden && line.Name != "" && !named {
			f.UserName, named = line.Name, true // the persona at that time
		}
		if named && met[storage.Assistant] {
			break
		}
	}
	return nil
}

func (svc *Service) exportLines(chat storage.ChatID, leaf storage.NodeID, faces map[storage.CharacterID]string,
	o *exportOptions) iter.Seq2[formats.ChatMessage, error] {
	return func(yield func(formats.ChatMessage, error) bool) {
		for m, err := range svc.chats.Along(chat, leaf) {
			if err != nil {
				yield(formats.ChatMessage{}, err)
				return
			}
			if m.Role == storage.SceneCapture {
				continue
			}
			var line formats.ChatMessage
			err = svc.core.Store.View(func(tx *storage.Tx) error {
				if line, err = exportLine(tx, m, o); err == nil {
					line.SetAvatar(faces[m.Speaker])
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

func exportLine(tx *storage.Tx, m chats.Message, o *exportOptions) (formats.ChatMessage, error) {
	var extra importedExtra
	if len(m.Extra) > 0 {
		if err := json.Unmarshal(m.Extra, &extra); err != nil {
			return formats.ChatMessage{}, err
		}
	}
	line := formats.ChatMessage{Role: m.Role, Name: m.Name, Content: m.Content, Thinking: m.Thinking, Model: m.Model,
		CreatedAt: m.CreatedAt, Extra: extra.Line, Hidden: m.Role == storage.System}
	if extra.Role != "" {
		line.Role = extra.Role
	}
	if line.Role == storage.Narrator && m.Name == prompt.NarratorName && len(extra.Line) > 0 {
		line.Name = formats.LineName(extra.Line)
	}
	line.CreatedAt = exportTime(m.Node, extra.Line)
	if o.keepIDs {
		line.ID = string(m.ID)
	}
	ids, at, err := o.swipes(tx, m)
	if err != nil || len(ids) < 2 && len(extra.Swipe) == 0 { // a single swipe stays a list of one
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
		swipe := formats.Swipe{Content: n.Content, Thinking: n.Thinking, Model: n.Model,
			CreatedAt: exportTime(n, x.Swipe), Extra: x.Swipe}
		if o.keepIDs {
			swipe.ID = string(id)
		}
		line.Swipes = append(line.Swipes, swipe)
	}
	line.Chosen = max(0, at)
	return line, nil
}

// swipes returns the siblings that are swipes of a message, including itself, and its index.
func (o *exportOptions) swipes(tx *storage.Tx, m chats.Message) (ids []storage.NodeID, at int, err error) {
	all, at, err := tx.Siblings(m.Chat, m.ID)
	if err != nil || !o.separateBranches {
		return all, at, err
	}
	if m.Depth < o.swipeDepth {
		return []storage.NodeID{m.ID}, 0, nil
	}
	for _, id := range all {
		alone := true
		if id == m.ID {
			at = len(ids)
		} else if alone, err = chats.NothingFollowed(tx, m.Chat, id); err != nil {
			return nil, 0, err
		}
		if alone {
			ids = append(ids, id)
		}
	}
	return ids, at, nil
}

// exportTime returns the zero time for a message that was imported and not changed, which keeps
// the time as it was written, even if it could not be parsed.
func exportTime(n storage.Node, source json.RawMessage) time.Time {
	if len(source) > 0 && n.EditedAt.IsZero() {
		return time.Time{}
	}
	return n.CreatedAt
}

// exportHeader returns the header that a chat was imported with, updated with its current note and
// card overrides. A chat of an older version keeps its header.
func exportHeader(c storage.Chat) (json.RawMessage, error) {
	now := formats.Metadata{Note: c.AuthorNote, NotePlan: c.Note, Overrides: c.Overrides}
	was := metadataOf(c)
	if c.From == nil && len(c.Extra) > 0 && c.AuthorNote == "" ||
		was.Note == now.Note && was.NotePlan == now.NotePlan && was.Overrides == now.Overrides {
		return c.Extra, nil
	}
	return formats.WithMetadata(c.Extra, now)
}

// metadataOf returns the metadata that a chat was imported with.
func metadataOf(c storage.Chat) formats.Metadata {
	raw := headerMetadata(c.Extra)
	if c.From != nil && len(raw) <= len("{}") && len(c.From.Group) > 0 {
		if g, err := formats.ReadGroup("", c.From.Group); err == nil {
			raw = g.Metadata[c.From.File]
		}
	}
	m, _ := formats.ReadMetadata(raw)
	return m
}

func headerMetadata(header json.RawMessage) json.RawMessage {
	var h struct {
		Meta json.RawMessage `json:"chat_metadata"`
	}
	_ = json.Unmarshal(header, &h) // an invalid header has no metadata
	return h.Meta
}

// ExportChatFile writes a chat into a directory and returns the path. An empty dir means the
// exports folder of the data directory.
func (svc *Service) ExportChatFile(chat storage.ChatID, dir string) (string, error) {
	name := string(chat) + "-" + svc.core.Config.Now().Format(time.DateOnly) + ".jsonl"
	return svc.writeExport(dir, name, func(w io.Writer) error { return svc.ExportChat(chat, w) })
}
