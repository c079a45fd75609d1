package library

import (
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// importedExtra is what a node keeps of the line it came from.
type importedExtra struct {
	Line  json.RawMessage `json:"line,omitempty"`
	Swipe json.RawMessage `json:"swipe,omitempty"`
	Role  storage.Role    `json:"role,omitempty"`
}

// encode is as JSON what a reader of files made, whose own JSON needs no second look.
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

// ExportChat writes the head's path in SillyTavern's format, siblings as swipes, one
// line with each call of w. Only a part of the chat is held at a time.
func (svc *Service) ExportChat(chat storage.ChatID, w io.Writer) error {
	return svc.exportPath(chat, "", &outfit{}, w)
}

// outfit is what a file of a chat is told of where it is written: the files of those who
// play, nil for those that the chat knows, and what becomes of its metadata. meta tells
// whether it has changed them. With ids, messages carry theirs. Where branches have files
// of their own, only messages that nothing followed are swipes, and of what is above a depth
// another file has them.
type outfit struct {
	faces    map[storage.CharacterID]string
	meta     func(meta map[string]json.RawMessage) bool
	ids      bool
	branches bool
	above    int
}

// dressed are the metadata of a chat as an outfit has them, nil where those of its header
// stay. Those of a chat without a header may stand in the file of its group.
func (o *outfit) dressed(c storage.Chat, header json.RawMessage) (json.RawMessage, error) {
	if o.meta == nil {
		return nil, nil
	}
	raw := headerMetadata(header)
	bare := len(raw) <= len("{}")
	if bare && c.From != nil && len(c.From.Group) > 0 {
		if g, err := ecosystem.ReadGroup("", c.From.Group); err == nil {
			raw = g.Metadata[c.From.File]
		}
	}
	meta := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &meta); err != nil {
			return nil, err
		}
	}
	if changed := o.meta(meta); !changed && !bare || len(meta) == 0 {
		return nil, nil
	}
	return json.Marshal(meta)
}

// exportPath is ExportChat for the path to a leaf, that to the head for "".
func (svc *Service) exportPath(chat storage.ChatID, leaf storage.NodeID, o *outfit, w io.Writer) error {
	var f ecosystem.ChatFile
	var c storage.Chat
	var faces map[storage.CharacterID]string
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err == nil {
			who, p := svc.chats.Cast(tx, c)
			f.CharacterName, f.UserName = who.Card.Name, p.Name
			if faces = o.faces; faces == nil {
				faces = facesOf(tx, c)
			}
			f.Header, err = exportHeader(c)
		}
		return err
	})
	if err != nil {
		return failure.Fail("export", err)
	}
	f.Bare = len(f.Header) == 0 && c.From != nil && c.From.Bare
	lines := svc.exportLines(chat, leaf, faces, o)
	if err := begin(lines, &f); err != nil {
		return err
	}
	if len(f.Header) > 0 { // its names are those of its own program
		f.UserName, f.CharacterName = ecosystem.HeaderNames(f.Header, f.Messages)
	}
	if f.Metadata, err = o.dressed(c, f.Header); err != nil {
		return failure.Fail("export", err)
	}
	if err := ecosystem.WriteChat(w, f, lines); err != nil {
		return failure.Fail("export", err)
	}
	return nil
}

// begin gives a file the first message of either side, from which its header has names,
// and calls the user as the first that was said does.
func begin(lines iter.Seq2[ecosystem.ChatMessage, error], f *ecosystem.ChatFile) error {
	met := map[storage.Role]bool{}
	named := false
	for line, err := range lines {
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

func (svc *Service) exportLines(chat storage.ChatID, leaf storage.NodeID, faces map[storage.CharacterID]string, o *outfit) iter.Seq2[ecosystem.ChatMessage, error] {
	return func(yield func(ecosystem.ChatMessage, error) bool) {
		for m, err := range svc.chats.Along(chat, leaf) {
			if err != nil {
				yield(ecosystem.ChatMessage{}, err)
				return
			}
			if m.Role == storage.SceneCapture {
				continue
			}
			var line ecosystem.ChatMessage
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

func exportLine(tx *storage.Tx, m chats.Message, o *outfit) (ecosystem.ChatMessage, error) {
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
	if line.Role == storage.Narrator && m.Name == script.NarratorName && len(extra.Line) > 0 {
		line.Name = ecosystem.LineName(extra.Line)
	}
	line.CreatedAt = exportTime(m.Node, extra.Line)
	if o.ids {
		line.ID = string(m.ID)
	}
	ids, at, err := o.swipes(tx, m)
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
		swipe := ecosystem.Swipe{Content: n.Content, Thinking: n.Thinking, Model: n.Model, CreatedAt: exportTime(n, x.Swipe), Extra: x.Swipe}
		if o.ids {
			swipe.ID = string(id)
		}
		line.Swipes = append(line.Swipes, swipe)
	}
	line.Chosen = max(0, at)
	return line, nil
}

// swipes are the siblings that stand beside a message in its line, itself among them, and
// where it stands.
func (o *outfit) swipes(tx *storage.Tx, m chats.Message) (ids []storage.NodeID, at int, err error) {
	all, at, err := tx.Siblings(m.Chat, m.ID)
	if err != nil || !o.branches {
		return all, at, err
	}
	if m.Depth < o.above {
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

// exportTime is zero, which leaves a time as it was written, for what came from
// a file and was not changed here: times that could not be read stay so too.
func exportTime(n storage.Node, source json.RawMessage) time.Time {
	if len(source) > 0 && n.EditedAt.IsZero() {
		return time.Time{}
	}
	return n.CreatedAt
}

// exportHeader is the header that a chat came with, and what its note and what stands in
// the place of the cards' texts are now. A chat of before these were read keeps its header.
func exportHeader(c storage.Chat) (json.RawMessage, error) {
	now := ecosystem.Metadata{Note: c.AuthorNote, Plan: c.Note, Over: c.Over}
	was := metadataOf(c)
	if c.From == nil && len(c.Extra) > 0 && c.AuthorNote == "" || was.Note == now.Note && was.Plan == now.Plan && was.Over == now.Over {
		return c.Extra, nil
	}
	return ecosystem.WithMetadata(c.Extra, now)
}

// metadataOf reads what a chat came with.
func metadataOf(c storage.Chat) ecosystem.Metadata {
	raw := headerMetadata(c.Extra)
	if c.From != nil && len(raw) <= len("{}") && len(c.From.Group) > 0 {
		if g, err := ecosystem.ReadGroup("", c.From.Group); err == nil {
			raw = g.Metadata[c.From.File]
		}
	}
	m, _ := ecosystem.ReadMetadata(raw)
	return m
}

func headerMetadata(header json.RawMessage) json.RawMessage {
	var h struct {
		Meta json.RawMessage `json:"chat_metadata"`
	}
	_ = json.Unmarshal(header, &h) // a header that is none says nothing
	return h.Meta
}

// ExportChatFile writes a chat into a directory, the data directory's exports
// for "", and says where.
func (svc *Service) ExportChatFile(chat storage.ChatID, dir string) (string, error) {
	name := string(chat) + "-" + svc.core.Config.Now().Format(time.DateOnly) + ".jsonl"
	return svc.export(dir, name, func(w io.Writer) error { return svc.ExportChat(chat, w) })
}
