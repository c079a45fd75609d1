package formats

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The "type" of RisuAI's exports: one chat, or all those of a character.
const (
	risuChat     = "risuChat"
	risuAllChats = "risuAllChats"
)

// risuChats reads an export of RisuAI. Format facts from its public source (src/ts/characters.ts,
// src/ts/storage/database.svelte.ts): {type, ver: 1 or 2, data, folders}, where data is one chat
// or a list of them; a chat has message: [{role: user or char, data, time in milliseconds, saying,
// name, generationInfo{model}, disabled, isComment}], note (its author's note), name, localLore
// and fmIndex, the greeting before the first message, which is not in the file (-1 for the first
// one).
func risuChats(root *object) ([]ChatFile, error) {
	raws := []json.RawMessage{root.get("data")}
	if kind, _ := text(root.get("type")); kind == risuAllChats {
		list, ok := elements(root.get("data"), maxChats)
		if !ok {
			return nil, wrapf(ErrDamaged,
				"a RisuAI file of all chats holds no list of at most %d chats: export it again", maxChats)
		}
		raws = list
	}
	var out []ChatFile
	for _, raw := range raws {
		chat, ok := parseObject(raw)
		if !ok {
			return nil, wrapf(ErrDamaged, "what calls itself a RisuAI chat is %s: export it again", kindOf(raw))
		}
		list, err := singleChat(risuLog(&chat))
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func risuLog(chat *object) (ChatFile, error) {
	b := newForeignChat(programRisu)
	b.file.Title = chat.firstText("name")
	b.rest = chat.without("message", "name", "localLore")
	b.note(chat.firstText("note"), 4)
	raws, ok := elements(chat.get("message"), MaxMessages)
	if !ok {
		return b.file, wrapf(ErrDamaged, "the chat %s has no list of messages: export it again",
			quoteShort(b.file.Title))
	}
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			b.notes.add("message %d is %s and was left out", i+1, kindOf(raw))
			continue
		}
		if err := b.addMessage(risuMessage(&o)); err != nil {
			return b.file, err
		}
	}
	if lore, _ := elements(chat.get("localLore"), MaxBookEntries); len(lore) > 0 {
		var book object
		book.set("type", quote("risu"))
		book.set("ver", json.RawMessage("1"))
		book.set("data", chat.get("localLore"))
		b.book(&book)
	}
	if len(b.file.Messages) > 0 {
		b.notes.add("RisuAI does not write the greeting into the file; the chat begins with what follows it")
	}
	return b.chatFile(), nil
}

func risuMessage(o *object) foreignMessage {
	s := foreignMessage{role: storage.Assistant, name: o.firstText("name"), at: readTime(o.get("time")),
		rest: o.without("role", "data", "time", "name")}
	s.text, _ = looseString(o.get("data"))
	switch role, _ := text(o.get("role")); role {
	case "user":
		s.role = storage.User
	case "system":
		s.role = storage.System
	}
	info, _ := parseObject(o.get("generationInfo"))
	s.model = info.firstText("model")
	// A comment is for the reader; a disabled message is not sent to the model.
	s.hidden = jsTruth(o.get("disabled")) || jsTruth(o.get("isComment"))
	return s
}

// note sets the author's note in SillyTavern's fields.
func (b *foreignChat) note(prompt string, depth int) {
	if prompt == "" {
		return
	}
	if len(prompt) > MaxCardText {
		b.notes.add("the author's note has %s and was left out", formatSize(len(prompt)))
		return
	}
	b.meta.set("note_prompt", quote(prompt))
	b.meta.set("note_interval", json.RawMessage("1"))
	b.meta.set("note_position", json.RawMessage("1"))
	b.meta.set("note_depth", rawInt(depth))
	b.meta.set("note_role", json.RawMessage("0"))
}

// book reads the lorebook of a chat. An unreadable one becomes a warning.
func (b *foreignChat) book(doc *object) {
	in, err := bookFromDocument(b.file.Title, doc.encode())
	switch {
	case err != nil:
		b.notes.add("the chat was read without its lorebook: %v", err)
	case len(in.Entries) > 0:
		b.file.Lorebook = &in
		b.notes.list = append(b.notes.list, in.Warnings...)
	}
}
