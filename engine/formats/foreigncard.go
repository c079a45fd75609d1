package formats

import (
	"encoding/json"
	"fmt"
	"strings"
)

// cardDraft is a character of another program that is converted to a V3 card. rest holds the data
// that the card has no field for; it becomes an extension under the program's name.
type cardDraft struct {
	name, nickname, description, personality string
	scenario, example, system, postHistory   string
	notes, creator, version                  string
	greetings                                []string
	tags                                     []string
	lore                                     json.RawMessage // a list of {key, value}
	book                                     json.RawMessage // a character_book
	rest                                     object
}

func (d *cardDraft) addGreeting(s string) {
	if s != "" {
		d.greetings = append(d.greetings, s)
	}
}

// document returns the draft as a V3 card.
func (d *cardDraft) document(program string) object {
	var data, ext, doc object
	first, others := "", []string{}
	if len(d.greetings) > 0 {
		first, others = d.greetings[0], d.greetings[1:]
	}
	for _, f := range []struct{ key, text string }{{"name", d.name}, {"description", d.description},
		{"personality", d.personality},
		{"scenario", d.scenario}, {"first_mes", first}, {"mes_example", d.example}, {"creator_notes", d.notes},
		{"system_prompt", d.system},
		{"post_history_instructions", d.postHistory}, {"creator", d.creator}, {"character_version", d.version}} {
		data.set(f.key, quote(f.text))
	}
	if d.nickname != "" && d.nickname != d.name {
		data.set("nickname", quote(d.nickname))
	}
	data.set("alternate_greetings", quoteList(others))
	data.set("group_only_greetings", json.RawMessage("[]"))
	data.set("tags", quoteList(d.tags))
	if book := d.characterBook(); book != nil {
		data.set("character_book", book)
	}
	if len(d.rest.members) > 0 {
		ext.set(carriedKey(program), d.rest.encode())
	}
	data.set("extensions", ext.encode())
	doc.set("spec", quote("chara_card_v3"))
	doc.set("spec_version", quote("3.0"))
	doc.set("data", data.encode())
	return doc
}

// characterBook returns the draft's lorebook, nil if it has none.
func (d *cardDraft) characterBook() json.RawMessage {
	if d.book != nil {
		return d.book
	}
	raws, _ := elements(d.lore, maxMembers)
	var entries []json.RawMessage
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		var e object
		keys, _ := looseString(o.get("key"))
		words, _ := looseString(o.get("value"))
		e.set("id", rawInt(i))
		e.set("keys", quoteList(commaList(keys)))
		e.set("content", quote(backyardMacros(words)))
		e.set("enabled", json.RawMessage("true"))
		e.set("insertion_order", rawInt(100+i))
		e.set("extensions", json.RawMessage("{}"))
		entries = append(entries, e.encode())
	}
	if len(entries) == 0 {
		return nil
	}
	var book object
	book.set("extensions", json.RawMessage("{}"))
	book.set("entries", encodeList(entries))
	return book.encode()
}

// foreignDocument reads a card of another program. ok is false if it is not one.
func foreignDocument(root *object) (in ImportedCard, ok bool, err error) {
	t := root.traits()
	if t.kind() != KindCard || root.has("spec") {
		return in, false, nil
	}
	var doc object
	program := t.program(KindCard)
	var avatar string
	switch program {
	case programAgnai:
		if doc, err = agnaiCard(root); err != nil {
			return in, true, err
		}
		avatar = root.firstText("avatar")
	case programBackyard:
		if doc, err = backyardCard(root); err != nil {
			return in, true, err
		}
	case programTextGen:
		doc = textGenCard(root)
	default:
		return in, false, nil
	}
	if in, err = readConverted(doc.encode(), program); err != nil {
		return in, true, err
	}
	if chats, _ := backyardCardChats(root); program == programBackyard && len(chats) > 0 {
		in.Warnings = append(in.Warnings,
			fmt.Sprintf("the card holds chats (%d); import the same file as a chat to get them", len(chats)))
	}
	if strings.HasPrefix(avatar, "data:") {
		var n warningList
		in.Avatar = dataPicture(avatar, &n)
		in.Warnings = append(in.Warnings, n.list...)
	}
	return in, true, nil
}

// readConverted reads a V3 card that was converted from another program's.
func readConverted(doc json.RawMessage, program string) (ImportedCard, error) {
	in, err := readDocument(doc)
	in.Format = program
	return in, err
}
