package formats

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// document is a card's JSON. data is empty for a flat card (V1 and text-generation-webui), whose
// fields are at the root.
type document struct {
	root, data object
	flat       bool
	version    string // V1, V2, V3 or text-generation-webui
}

// cardField ties a field of a card to its name in the V2 and V3 data object, and to the names at
// the root with the same content: those of V1, of the old "char_" dialect, and the mirrors that
// SillyTavern writes.
type cardField struct {
	field[storage.Card]
	mirrors  []string
	required bool // V2 and V3 require it even when empty
	fit      func(raw json.RawMessage) bool
	begin    byte // first byte of a value of the right type
	texts    func(*storage.Card) []string
}

func textField(key string, required bool, of func(*storage.Card) *string, c codec[string],
	mirrors ...string) cardField {
	texts := func(c *storage.Card) []string { return []string{*of(c)} }
	return cardField{newField(key, of, c), append([]string{key}, mirrors...), required, isScalar, '"', texts}
}

func listField(key string, of func(*storage.Card) *[]string, c codec[[]string]) cardField {
	texts := func(c *storage.Card) []string { return *of(c) }
	return cardField{newField(key, of, c), []string{key}, true, isListLike, '[', texts}
}

var cardFields = []cardField{
	textField("name", true, func(c *storage.Card) *string { return &c.Name }, nameCodec, "char_name"),
	textField("description", true,
		func(c *storage.Card) *string { return &c.Description }, cardTextCodec, "char_persona"),
	textField("personality", true, func(c *storage.Card) *string { return &c.Personality }, cardTextCodec),
	textField("scenario", true, func(c *storage.Card) *string { return &c.Scenario }, cardTextCodec, "world_scenario"),
	textField("first_mes", true,
		func(c *storage.Card) *string { return &c.FirstMessage }, cardTextCodec, "char_greeting"),
	textField("mes_example", true,
		func(c *storage.Card) *string { return &c.MessageExample }, cardTextCodec, "example_dialogue"),
	textField("creator_notes", true,
		func(c *storage.Card) *string { return &c.CreatorNotes }, cardTextCodec, "creatorcomment"),
	textField("system_prompt", true, func(c *storage.Card) *string { return &c.SystemPrompt }, cardTextCodec),
	textField("post_history_instructions", true,
		func(c *storage.Card) *string { return &c.PostHistoryInstructions }, cardTextCodec),
	textField("creator", true, func(c *storage.Card) *string { return &c.Creator }, cardTextCodec),
	textField("character_version", true, func(c *storage.Card) *string { return &c.CharacterVersion }, cardTextCodec),
	textField("nickname", false, func(c *storage.Card) *string { return &c.Nickname }, nameCodec),
	listField("alternate_greetings", func(c *storage.Card) *[]string { return &c.AlternateGreetings }, greetingsCodec),
	listField("tags", func(c *storage.Card) *[]string { return &c.Tags }, tagsCodec),
}

// cardTextCodec reads a text and reports any other type.
var cardTextCodec = codec[string]{func(raw json.RawMessage, to *string) (odd string) {
	*to, odd = looseString(raw)
	return odd
}, appendText}

var nameCodec = codec[string]{func(raw json.RawMessage, to *string) (odd string) {
	*to, odd = looseString(raw)
	*to = strings.TrimSpace(*to)
	return odd
}, appendText}

// greetingsCodec keeps blank greetings, because greetings are identified by position.
var greetingsCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
	*to, odd = readList(raw, func(s string) []string { return []string{s} })
	return odd
}, appendTexts}

var tagsCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
	*to, odd = readList(raw, func(s string) []string { return strings.Split(s, ",") })
	*to = trimList(*to)
	return odd
}, appendTexts}

// readList reads a list of texts. With split, a text in place of the list is split.
func readList(raw json.RawMessage, split func(string) []string) (list []string, odd string) {
	if s, ok := text(raw); ok {
		if strings.TrimSpace(s) == "" {
			return nil, "text"
		}
		return split(s), "text"
	}
	if raw[0] != '[' {
		_, odd = looseString(raw)
		return nil, odd
	}
	for _, one := range values(raw, '[') {
		s, o := looseString(one)
		if o != "" {
			odd = "item of type " + o
		}
		if o == "" || s != "" {
			list = append(list, s)
		}
	}
	return list, odd
}

// readDocument reads a card from its JSON.
func readDocument(data []byte) (ImportedCard, error) {
	if len(data) > MaxCardJSON {
		return ImportedCard{}, wrapf(ErrTooLarge,
			"the card's JSON has %s; the limit is %s: shorten or split its lorebook",
			formatSize(len(data)), formatSize(MaxCardJSON))
	}
	source, err := compact(data)
	if err != nil {
		return ImportedCard{}, err
	}
	if root, ok := parseObject(source); ok {
		if in, ok, err := foreignDocument(&root); ok {
			return in, err
		}
	}
	var n warningList
	doc, err := openDocument(source, &n)
	if err != nil {
		return ImportedCard{}, err
	}
	card, err := doc.card(&n)
	if err != nil {
		return ImportedCard{}, err
	}
	if strings.IndexFunc(card.Name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0 {
		return ImportedCard{}, wrapf(ErrDamaged,
			"the card has no name: give it one in the program that made it, or in the field \"name\"")
	}
	actor := doc.actor(&n)
	avatar := doc.inlineIcon(&n)
	return ImportedCard{Card: card, Actor: actor, Source: source, Avatar: avatar, Format: doc.version,
		Warnings: n.lines()}, nil
}

// openDocument detects the kind of card of a compact document.
func openDocument(source json.RawMessage, n *warningList) (document, error) {
	var doc document
	if len(source) > 0 && source[0] != '{' {
		return doc, wrapf(ErrNotCard,
			"the document is not an object with the fields of a character: choose another file")
	}
	root, ok := parseObject(source)
	if !ok {
		return doc, wrapf(ErrTooLarge, "the document has more than %d fields at its top, which no card has", maxMembers)
	}
	if t := root.traits(); t.kind() != KindCard {
		return doc, notCardBut(t)
	}
	doc.root = root
	if err := doc.checkSpec(n); err != nil {
		return doc, err
	}
	raw := root.get("data")
	data, ok := parseObject(raw)
	switch {
	case ok:
		doc.data = data
	case len(raw) > 0 && raw[0] == '{':
		return doc, wrapf(ErrTooLarge, "the card's data has more than %d fields, which no card has", maxMembers)
	case doc.version != "" && !root.has("name"):
		return doc, wrapf(ErrDamaged, "the card calls itself %s but its \"data\" is not an object: export it again",
			doc.version)
	default:
		doc.flat = true
		if doc.version != "" {
			n.add("the card calls itself %s but has no data object; it was read as a V1 card", doc.version)
		} else if len(raw) > 0 {
			n.add("the field data is not an object; an export will replace it")
		}
	}
	doc.setVersion(n)
	return doc, nil
}

// checkSpec sets the version that the card claims, "" if it claims none.
func (d *document) checkSpec(n *warningList) error {
	if !d.root.has("spec") {
		return nil
	}
	spec, _ := looseString(d.root.get("spec"))
	version, odd := looseString(d.root.get("spec_version"))
	switch spec {
	case "chara_card_v2":
		d.version = "V2"
		if version != "2.0" {
			n.add("spec_version is %s where a V2 card says 2.0; it was read as V2", quoteShort(version))
		}
	case "chara_card_v3":
		d.version = "V3"
		f, err := strconv.ParseFloat(version, 64)
		switch {
		case err != nil:
			n.add("spec_version %s is not a number; the card was read as V3", quoteShort(version))
		case f < 3 || !(f < 4):
			return wrapf(ErrVersion, "the card has spec_version %s, and V3 cards of 3.0 up to (not including) 4.0 "+
				"can be read: export it as V3 or V2", quoteShort(version))
		case odd != "":
			n.add("spec_version is a %s instead of text", odd)
		}
	default:
		if strings.HasPrefix(spec, "chara_card") {
			return wrapf(ErrVersion, "the card's spec is %s; chara_card_v2 and chara_card_v3 can be read: export it "+
				"as one of these", quoteShort(spec))
		}
		n.add("the field spec is %s, which is not a kind of card; it was ignored", quoteShort(spec))
	}
	return nil
}

func (d *document) setVersion(n *warningList) {
	switch {
	case d.flat && !d.root.has("name"):
		d.version = programTextGen
	case d.flat:
		d.version = "V1"
	case d.version == "":
		d.version = "V2"
		n.add("the card does not say what version it is; it was read as V2")
	}
}

// lookup returns the value that counts for a field: that of the data object if
// it has one that is fit, else the first at the root that is.
func (d *document) lookup(key string, mirrors []string, fit func(json.RawMessage) bool) json.RawMessage {
	first := d.data.get(key)
	if first != nil && fit(first) {
		return first
	}
	for _, mirror := range mirrors {
		raw := d.root.get(mirror)
		if raw != nil && fit(raw) && !(d.flat && string(raw) == `""`) {
			return raw
		}
		if first == nil {
			first = raw
		}
	}
	return first
}

func isScalar(raw json.RawMessage) bool {
	return raw[0] != '{' && raw[0] != '[' && raw[0] != 'n'
}

func isListLike(raw json.RawMessage) bool { return raw[0] == '[' || raw[0] == '"' }

// card reads the known fields. No field is required; the caller checks the name.
func (d *document) card(n *warningList) (storage.Card, error) {
	var c storage.Card
	var odds []string
	for _, f := range cardFields {
		if raw := d.lookup(f.key, f.mirrors, f.fit); raw != nil {
			if odd := f.read(raw, &c); odd != "" {
				odds = append(odds, f.key+" ("+odd+")")
			}
		}
	}
	if err := checkCardLimits(&c); err != nil {
		return c, err
	}
	if len(odds) > 0 {
		n.add("these fields have the wrong type and were converted as far as possible: %s", strings.Join(odds, ", "))
	}
	return c, d.depthPrompt(&c, n)
}

// checkCardLimits returns an error for a card beyond the limits.
func checkCardLimits(c *storage.Card) error {
	for _, f := range cardFields {
		texts := f.texts(c)
		if len(texts) > maxList {
			return wrapf(ErrTooLarge, "the field %s has more than %d items: shorten it", f.key, maxList)
		}
		for _, s := range texts {
			if err := checkText(f.key, s); err != nil {
				return err
			}
		}
	}
	for key, name := range map[string]string{"name": c.Name, "nickname": c.Nickname} {
		if len(name) > maxName {
			return wrapf(ErrTooLarge, "the field %s has %s, and a name may have %s: shorten it",
				key, formatSize(len(name)), formatSize(maxName))
		}
	}
	return nil
}

func checkText(field, s string) error {
	if len(s) > MaxCardText {
		return wrapf(ErrTooLarge, "the field %s has %s; the limit is %s for one text: shorten it",
			field, formatSize(len(s)), formatSize(MaxCardText))
	}
	return nil
}

func trimList(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// The position of a depth prompt whose card has none.
const (
	defaultDepth = 4
	maxPlace     = 10_000
)

// fieldsObject returns the object with the fields and the extensions.
func (d *document) fieldsObject() *object {
	if d.flat {
		return &d.root
	}
	return &d.data
}

func (d *document) depthPrompt(c *storage.Card, n *warningList) error {
	ext, ok := parseObject(d.fieldsObject().get("extensions"))
	if !ok {
		return nil
	}
	dp, ok := parseObject(ext.get("depth_prompt"))
	if !ok {
		return nil
	}
	prompt, _ := looseString(dp.get("prompt"))
	if prompt == "" {
		return nil
	}
	if err := checkText("extensions.depth_prompt", prompt); err != nil {
		return err
	}
	c.DepthPrompt, c.DepthPromptDepth, c.DepthPromptRole = prompt, defaultDepth, "system"
	if raw := dp.get("depth"); raw != nil {
		if depth, ok := wholeNumber(raw); ok && depth >= 0 && depth <= maxPlace {
			c.DepthPromptDepth = depth
		} else {
			n.add("the depth of extensions.depth_prompt is not a number from 0 to %d; %d is used",
				maxPlace, defaultDepth)
		}
	}
	role, _ := looseString(dp.get("role"))
	switch strings.ToLower(role) {
	case "", "system", "0":
	case "user", "1":
		c.DepthPromptRole = "user"
	case "assistant", "2":
		c.DepthPromptRole = "assistant"
	default:
		n.add("the role of extensions.depth_prompt is %s; system is used", quoteShort(role))
	}
	return nil
}
