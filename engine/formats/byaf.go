package formats

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	byafManifest  = "manifest.json"
	maxByafScenes = 1_000
)

// byaf is an open Backyard archive: manifest.json names one characters/ID/character.json {id,
// name, displayName, persona, loreItems, images: [{path, label}]} and scenarios/NAME.json {title,
// narrative, formattingInstructions, firstMessages: [{text}], exampleMessages, messages}. Names in
// it are compared and never used as paths.
type byaf struct {
	files     map[string]*zip.File
	folder    string // of the character, within the archive
	character object
	scenarios []object
	author    string
	notes     warningList
}

func openBYAF(files map[string]*zip.File) (*byaf, error) {
	b := &byaf{files: files}
	manifest, err := b.document(byafManifest)
	if err != nil {
		return nil, err
	}
	paths, _ := elements(manifest.get("characters"), maxList)
	if len(paths) == 0 {
		return nil, wrapf(ErrNotCard,
			"the archive's %s names no characters, so it is not a Backyard archive: choose another file", byafManifest)
	}
	if len(paths) > 1 {
		b.notes.add("the archive names %d characters; the first one was read", len(paths))
	}
	path, _ := text(paths[0])
	if b.character, err = b.document(path); err != nil {
		return nil, err
	}
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		b.folder = path[:at+1]
	}
	author, _ := parseObject(manifest.get("author"))
	b.author = author.firstText("name")
	list, ok := elements(manifest.get("scenarios"), maxByafScenes)
	if !ok && manifest.has("scenarios") {
		return nil, wrapf(ErrTooLarge, "the archive has more than %d scenarios", maxByafScenes)
	}
	seen := map[string]bool{}
	for _, raw := range list {
		path, _ := text(raw)
		if seen[path] {
			continue
		}
		seen[path] = true
		scenario, err := b.document(path)
		if err != nil {
			b.notes.add("a scenario was left out: %v", err)
			continue
		}
		b.scenarios = append(b.scenarios, scenario)
	}
	return b, nil
}

func (b *byaf) document(path string) (object, error) {
	entry := b.files[strings.TrimPrefix(path, "./")]
	if entry == nil {
		return object{}, wrapf(ErrDamaged, "the archive has no entry %s: export it again", quoteShort(path))
	}
	data, err := unpack(entry, maxForeignChat)
	if err == nil {
		data, err = compact(data)
	}
	if err != nil {
		return object{}, fmt.Errorf("%s: %w", quoteShort(path), err)
	}
	o, ok := parseObject(data)
	if !ok {
		return object{}, wrapf(ErrDamaged, "%s is not an object: export the archive again", quoteShort(path))
	}
	return o, nil
}

// readBYAF reads the character of a Backyard archive. The first scenario becomes the card's; the
// greetings of the others become alternate greetings.
func readBYAF(files map[string]*zip.File) (ImportedCard, error) {
	b, err := openBYAF(files)
	if err != nil {
		return ImportedCard{}, err
	}
	c := &b.character
	d := cardDraft{name: c.firstText("displayName", "name"), nickname: c.firstText("name"),
		description: backyardMacros(c.firstText("persona")),
		creator:     b.author, lore: c.get("loreItems")}
	talks := 0
	for i := range b.scenarios {
		s := &b.scenarios[i]
		if i == 0 {
			d.scenario, d.system = backyardMacros(s.firstText("narrative")),
				backyardMacros(s.firstText("formattingInstructions"))
			d.example = backyardMacros(strings.Join(byafTexts(s.get("exampleMessages")), "\n"))
		}
		for _, greeting := range byafTexts(s.get("firstMessages")) {
			d.addGreeting(backyardMacros(greeting))
		}
		if list, _ := elements(s.get("messages"), MaxMessages); len(list) > 0 {
			talks++
		}
	}
	d.rest = c.without("displayName", "name", "persona", "loreItems")
	d.rest.set("scenarios", b.scenarioRest())
	doc := d.document(programBackyard)
	in, err := readConverted(doc.encode(), programBackyard)
	if err != nil {
		return ImportedCard{}, err
	}
	in.Format = programBackyard + " BYAF"
	n := warningList{list: append(in.Warnings, b.notes.lines()...)}
	in.Avatar = b.avatar(&n)
	if talks > 0 {
		n.add("the archive holds chats (%d); import the same file as a chat to get them", talks)
	}
	in.Warnings = n.lines()
	return in, nil
}

// scenarioRest returns what a card cannot hold: samplers, grammars, other narratives.
func (b *byaf) scenarioRest() json.RawMessage {
	var out []json.RawMessage
	for i := range b.scenarios {
		drop := []string{"messages", "firstMessages", "backgroundImage"}
		if i == 0 {
			drop = append(drop, "narrative", "formattingInstructions", "exampleMessages")
		}
		rest := b.scenarios[i].without(drop...)
		out = append(out, rest.encode())
	}
	return encodeList(out)
}

func (b *byaf) avatar(n *warningList) []byte {
	images, _ := elements(b.character.get("images"), maxList)
	if len(images) == 0 {
		return nil
	}
	if len(images) > 1 {
		n.add("more pictures stay in the archive (%d)", len(images)-1)
	}
	first, _ := parseObject(images[0])
	path := first.firstText("path")
	if b.files[path] == nil {
		path = b.folder + path
	}
	data, err := readIcon(b.files, path)
	if err != nil {
		n.add("the card was read without its picture: %v", err)
	}
	return data
}

// byafTexts returns the texts of a list of messages.
func byafTexts(raw json.RawMessage) (out []string) {
	list, _ := elements(raw, maxList)
	for _, raw := range list {
		o, _ := parseObject(raw)
		if s := o.firstText("text"); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// chats reads the scenarios that have messages: {type: human, text, createdAt} and {type: ai,
// outputs: [{text, createdAt, activeTimestamp}]}. The greeting is not among them.
func (b *byaf) chats() (out []ChatFile, err error) {
	name := b.character.firstText("displayName", "name")
	for i := range b.scenarios {
		s := &b.scenarios[i]
		raws, _ := elements(s.get("messages"), MaxMessages)
		if len(raws) == 0 {
			continue
		}
		c := newForeignChat(programBackyard)
		c.file.Format = programBackyard + " BYAF"
		c.file.Title, c.file.CharacterName = s.firstText("title"), name
		c.rest = s.without("messages", "firstMessages", "exampleMessages", "narrative", "title",
			"formattingInstructions")
		c.scenario(backyardMacros(s.firstText("narrative")))
		if greetings := byafTexts(s.get("firstMessages")); len(greetings) > 0 {
			if err := c.addMessage(foreignMessage{role: storage.Assistant, name: name,
				text: chatText(greetings[0], "User",
					name)}); err != nil {
				return nil, err
			}
		}
		for j, raw := range raws {
			o, ok := parseObject(raw)
			if !ok {
				c.notes.add("message %d is %s and was left out", j+1, kindOf(raw))
				continue
			}
			if err := c.byafMessage(&o); err != nil {
				return nil, err
			}
		}
		out = append(out, c.chatFile())
	}
	if len(out) == 0 {
		return nil, wrapf(ErrNotChat, "this is a Backyard archive without messages: import it as a character")
	}
	return out, nil
}

func (b *foreignChat) byafMessage(o *object) error {
	kind, _ := text(o.get("type"))
	if kind == "human" {
		words, _ := looseString(o.get("text"))
		return b.addMessage(foreignMessage{role: storage.User, text: chatText(words, "User", b.file.CharacterName),
			at: readTime(o.get("createdAt")), rest: o.without("type", "text", "createdAt")})
	}
	s := foreignMessage{role: storage.Assistant, name: b.file.CharacterName, rest: o.without("type", "outputs")}
	s.swipes, s.chosen = backyardSwipes(o.get("outputs"), s.name)
	if len(s.swipes) == 0 {
		b.notes.add("message %d has no text and was left out", len(b.file.Messages)+1)
		return nil
	}
	s.text, s.at = s.swipes[s.chosen].Content, s.swipes[s.chosen].CreatedAt
	if len(s.swipes) == 1 {
		s.swipes = nil
	}
	return b.addMessage(s)
}
