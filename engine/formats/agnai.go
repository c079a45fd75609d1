package formats

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// agnaiLog reads an export of Agnai. Format facts from its public source
// (web/pages/Chat/ChatExport.tsx, web/pages/Character/ImportChat.tsx): {name, greeting,
// sampleChat, scenario, treeLeafId, messages: [{_id, parent, createdAt, userId, characterId,
// handle, name, msg, ooc, state}]}. A message of a user has a userId; older files have neither
// handle nor name.
func agnaiLog(root *object) (ChatFile, error) {
	b := newForeignChat(programAgnai)
	if name := root.firstText("name"); name != "Exported" {
		b.file.Title = name
	}
	b.rest = root.without("messages")
	b.scenario(root.firstText("scenario"))
	raws, ok := elements(root.get("messages"), MaxMessages)
	if !ok {
		return b.file, wrapf(ErrDamaged, "the chat of Agnai has no list of messages: export it again")
	}
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			b.notes.add("message %d is %s and was left out", i+1, kindOf(raw))
			continue
		}
		s := foreignMessage{role: storage.Assistant, name: o.firstText("name", "handle"),
			at: readTime(o.get("createdAt")), rest: o.without("msg", "name", "createdAt")}
		s.text, _ = looseString(o.get("msg"))
		if user, _ := looseString(o.get("userId")); user != "" {
			s.role = storage.User
		}
		s.hidden = jsTruth(o.get("ooc"))
		if err := b.addMessage(s); err != nil {
			return b.file, err
		}
	}
	return b.chatFile(), nil
}

// scenario sets the chat's own scenario, which replaces the card's.
func (b *foreignChat) scenario(s string) {
	if len(s) > MaxCardText {
		b.notes.add("the scenario has %s and was left out", formatSize(len(s)))
	} else if s != "" {
		b.meta.set("scenario", quote(s))
	}
}

// agnaiCard reads a character of Agnai. Format facts from its public source
// (web/pages/Character/port.ts, common/characters.ts): {kind: character, name, description (notes
// of the creator), persona{kind: text, boostyle, wpp, sbf or attributes; attributes{name:
// [text]}}, greeting, alternateGreetings, scenario, sampleChat, systemPrompt,
// postHistoryInstructions, characterBook (of kind memory), creator, characterVersion, tags,
// appearance, avatar}.
func agnaiCard(root *object) (card object, err error) {
	d := cardDraft{name: root.firstText("name"), notes: root.firstText("description"),
		scenario: root.firstText("scenario"),
		example:  root.firstText("sampleChat"), system: root.firstText("systemPrompt"),
		postHistory: root.firstText("postHistoryInstructions"),
		creator:     root.firstText("creator"), version: root.firstText("characterVersion")}
	persona, ok := parseObject(root.get("persona"))
	if ok {
		d.description = agnaiPersona(d.name, &persona)
	} else {
		d.description = root.firstText("persona")
	}
	d.addGreeting(root.firstText("greeting"))
	for _, key := range []string{"alternateGreetings", "alternativeGreetings"} {
		list, _ := readTexts(root.get(key))
		for _, s := range list {
			d.addGreeting(s)
		}
	}
	d.tags, _ = readTexts(root.get("tags"))
	if book, ok := parseObject(root.get("characterBook")); ok {
		d.book, _ = agnaiBook(&book) // an unreadable book is dropped, the character is kept
	}
	d.rest = root.without("name", "description", "scenario", "sampleChat", "systemPrompt", "postHistoryInstructions",
		"creator", "characterVersion",
		"greeting", "alternateGreetings", "alternativeGreetings", "tags", "characterBook", "avatar")
	return d.document(programAgnai), nil
}

// agnaiPersona formats the attributes of a persona according to their kind.
func agnaiPersona(name string, persona *object) string {
	kind := persona.firstText("kind")
	attributes, _ := parseObject(persona.get("attributes"))
	var lines, all []string
	all = append(all, name)
	for _, m := range attributes.members {
		list, _ := readTexts(m.raw)
		all = append(all, list...)
		inQuotes := make([]string, len(list))
		for i, s := range list {
			inQuotes[i] = `"` + s + `"`
		}
		switch kind {
		case "wpp":
			lines = append(lines, m.key+"("+strings.Join(inQuotes, " + ")+")")
		case "sbf":
			lines = append(lines, m.key+": "+strings.Join(inQuotes, ", "))
		default:
			lines = append(lines, m.key+": "+strings.Join(list, ", "))
		}
	}
	switch kind {
	case "wpp":
		return "[character(\"" + name + "\") {\n" + strings.Join(lines, "\n") + "\n}]"
	case "sbf":
		return "[ character: \"" + name + "\"; " + strings.Join(lines, "; ") + " ]"
	case "boostyle":
		return strings.Join(all, " + ")
	}
	if texts, _ := readTexts(attributes.get("text")); len(attributes.members) == 1 && len(texts) > 0 {
		return strings.Join(texts, "\n")
	}
	return strings.Join(lines, "\n")
}

// agnaiBook converts a memory book to a character_book, nil if it has no entries.
func agnaiBook(memory *object) (json.RawMessage, error) {
	doc := bookDocument{format: FormatAgnai, root: *memory, book: *memory, key: "entries"}
	in, err := doc.read("lorebook")
	if err != nil || len(in.Entries) == 0 {
		return nil, err
	}
	raw, _, err := WriteBook(FormatCharacterBook, in.Book, in.Entries)
	return raw, err
}
