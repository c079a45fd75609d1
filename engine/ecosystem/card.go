package ecosystem

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// document is a card's JSON, taken apart as far as this package looks into it.
// data is empty when the card is flat (V1 and text-generation-webui's), where all fields stand at
// the root.
type document struct {
	root, data object
	flat       bool
	version    string // V1, V2, V3 or text-generation-webui
}

// cardField ties a field of a card to its name in the V2 and V3 data object, and
// to the names at the root that hold the same: V1's, those of the old "char_"
// dialect, and the mirrors that SillyTavern keeps.
type cardField struct {
	field[storage.Card]
	mirrors  []string
	required bool // V2 and V3 demand it even when empty
	fit      func(raw json.RawMessage) bool
	begin    byte // of a value that is of the right type
	texts    func(*storage.Card) []string
}

func textField(key string, required bool, of func(*storage.Card) *string, c codec[string], mirrors ...string) cardField {
	texts := func(c *storage.Card) []string { return []string{*of(c)} }
	return cardField{newField(key, of, c), append([]string{key}, mirrors...), required, isScalar, '"', texts}
}

func listField(key string, of func(*storage.Card) *[]string, c codec[[]string]) cardField {
	texts := func(c *storage.Card) []string { return *of(c) }
	return cardField{newField(key, of, c), []string{key}, true, isListLike, '[', texts}
}

var cardFields = []cardField{
	textField("name", true, func(c *storage.Card) *string { return &c.Name }, asName, "char_name"),
	textField("description", true,
		func(c *storage.Card) *string { return &c.Description }, asCardText, "char_persona"),
	textField("personality", true, func(c *storage.Card) *string { return &c.Personality }, asCardText),
	textField("scenario", true, func(c *storage.Card) *string { return &c.Scenario }, asCardText, "world_scenario"),
	textField("first_mes", true,
		func(c *storage.Card) *string { return &c.FirstMessage }, asCardText, "char_greeting"),
	textField("mes_example", true,
		func(c *storage.Card) *string { return &c.MessageExample }, asCardText, "example_dialogue"),
	textField("creator_notes", true,
		func(c *storage.Card) *string { return &c.CreatorNotes }, asCardText, "creatorcomment"),
	textField("system_prompt", true, func(c *storage.Card) *string { return &c.SystemPrompt }, asCardText),
	textField("post_history_instructions", true,
		func(c *storage.Card) *string { return &c.PostHistoryInstructions }, asCardText),
	textField("creator", true, func(c *storage.Card) *string { return &c.Creator }, asCardText),
	textField("character_version", true, func(c *storage.Card) *string { return &c.CharacterVersion }, asCardText),
	textField("nickname", false, func(c *storage.Card) *string { return &c.Nickname }, asName),
	listField("alternate_greetings", func(c *storage.Card) *[]string { return &c.AlternateGreetings }, asGreetings),
	listField("tags", func(c *storage.Card) *[]string { return &c.Tags }, asTags),
}

// asCardText reads a text. What is odd is the type of something else.
var asCardText = codec[string]{func(raw json.RawMessage, to *string) (odd string) {
	*to, odd = loose(raw)
	return odd
}, appendText}

var asName = codec[string]{func(raw json.RawMessage, to *string) (odd string) {
	*to, odd = loose(raw)
	*to = strings.TrimSpace(*to)
	return odd
}, appendText}

// asGreetings keeps blank ones, because greetings are told apart by their position.
var asGreetings = codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
	*to, odd = readList(raw, func(s string) []string { return []string{s} })
	return odd
}, appendTexts}

var asTags = codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
	*to, odd = readList(raw, func(s string) []string { return strings.Split(s, ",") })
	*to = trimmed(*to)
	return odd
}, appendTexts}

// readList reads a list of texts, or with split a text that stands where the list should.
func readList(raw json.RawMessage, split func(string) []string) (list []string, odd string) {
	if s, ok := text(raw); ok {
		if strings.TrimSpace(s) == "" {
			return nil, "text"
		}
		return split(s), "text"
	}
	if raw[0] != '[' {
		_, odd = loose(raw)
		return nil, odd
	}
	for _, one := range values(raw, '[') {
		s, o := loose(one)
		if o != "" {
			odd = "item of type " + o
		}
		if o == "" || s != "" {
			list = append(list, s)
		}
	}
	return list, odd
}

// readDocument reads a card from its JSON text.
func readDocument(data []byte) (Imported, error) {
	if len(data) > MaxCardJSON {
		return Imported{}, fault(ErrTooLarge, "the card's JSON has %s; the limit is %s: shorten or split its lorebook", size(len(data)), size(MaxCardJSON))
	}
	source, err := compact(data)
	if err != nil {
		return Imported{}, err
	}
	if root, ok := parseObject(source); ok {
		if in, ok, err := foreignDocument(&root); ok {
			return in, err
		}
	}
	var n notes
	doc, err := openDocument(source, &n)
	if err != nil {
		return Imported{}, err
	}
	card, err := doc.card(&n)
	if err != nil {
		return Imported{}, err
	}
	if strings.IndexFunc(card.Name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0 {
		return Imported{}, fault(ErrDamaged, "the card has no name: give it one in the program that made it, or in the field \"name\"")
	}
	actor := doc.actor(&n)
	avatar := doc.inlineIcon(&n)
	return Imported{Card: card, Actor: actor, Source: source, Avatar: avatar, Format: doc.version, Warnings: n.lines()}, nil
}

// openDocument finds out which kind of card a compact document is.
func openDocument(source json.RawMessage, n *notes) (document, error) {
	var doc document
	if len(source) > 0 && source[0] != '{' {
		return doc, fault(ErrNotCard, "the document is not an object with the fields of a character: choose another file")
	}
	root, ok := parseObject(source)
	if !ok {
		return doc, fault(ErrTooLarge, "the document has more than %d fields at its top, which no card has", maxMembers)
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
		return doc, fault(ErrTooLarge, "the card's data has more than %d fields, which no card has", maxMembers)
	case doc.version != "" && !root.has("name"):
		return doc, fault(ErrDamaged, "the card calls itself %s but its \"data\" is not an object: export it again", doc.version)
	default:
		doc.flat = true
		if doc.version != "" {
			n.add("the card calls itself %s but has no data object; it was read as a V1 card", doc.version)
		} else if len(raw) > 0 {
			n.add("the field data is not an object; an export will replace it")
		}
	}
	doc.settleVersion(n)
	return doc, nil
}

// checkSpec sets the version that the card claims, "" when it claims none.
func (d *document) checkSpec(n *notes) error {
	if !d.root.has("spec") {
		return nil
	}
	spec, _ := loose(d.root.get("spec"))
	version, odd := loose(d.root.get("spec_version"))
	switch spec {
	case "chara_card_v2":
		d.version = "V2"
		if version != "2.0" {
			n.add("spec_version is %s where a V2 card says 2.0; it was read as V2", brief(version))
		}
	case "chara_card_v3":
		d.version = "V3"
		f, err := strconv.ParseFloat(version, 64)
		switch {
		case err != nil:
			n.add("spec_version %s is not a number; the card was read as V3", brief(version))
		case f < 3 || !(f < 4):
			return fault(ErrVersion, "the card has spec_version %s, and V3 cards of 3.0 up to (not including) 4.0 can be read: export it as V3 or V2", brief(version))
		case odd != "":
			n.add("spec_version is a %s instead of text", odd)
		}
	default:
		if strings.HasPrefix(spec, "chara_card") {
			return fault(ErrVersion, "the card's spec is %s; chara_card_v2 and chara_card_v3 can be read: export it as one of these", brief(spec))
		}
		n.add("the field spec is %s, which is not a kind of card; it was ignored", brief(spec))
	}
	return nil
}

func (d *document) settleVersion(n *notes) {
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

// card reads the fields that the program knows. It asks for nothing to be
// there; a name is the caller's to check.
func (d *document) card(n *notes) (storage.Card, error) {
	var c storage.Card
	var odds []string
	for _, f := range cardFields {
		if raw := d.lookup(f.key, f.mirrors, f.fit); raw != nil {
			if odd := f.read(raw, &c); odd != "" {
				odds = append(odds, f.key+" ("+odd+")")
			}
		}
	}
	if err := fitCard(&c); err != nil {
		return c, err
	}
	if len(odds) > 0 {
		n.add("these fields have the wrong type and were converted as far as possible: %s", strings.Join(odds, ", "))
	}
	return c, d.depthPrompt(&c, n)
}

// fitCard refuses what is beyond the limits.
func fitCard(c *storage.Card) error {
	for _, f := range cardFields {
		texts := f.texts(c)
		if len(texts) > maxList {
			return fault(ErrTooLarge, "the field %s has more than %d items: shorten it", f.key, maxList)
		}
		for _, s := range texts {
			if err := checkText(f.key, s); err != nil {
				return err
			}
		}
	}
	for key, name := range map[string]string{"name": c.Name, "nickname": c.Nickname} {
		if len(name) > maxName {
			return fault(ErrTooLarge, "the field %s has %s, and a name may have %s: shorten it",
				key, size(len(name)), size(maxName))
		}
	}
	return nil
}

func checkText(field, s string) error {
	if len(s) > MaxCardText {
		return fault(ErrTooLarge, "the field %s has %s; the limit is %s for one text: shorten it",
			field, size(len(s)), size(MaxCardText))
	}
	return nil
}

func trimmed(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Where a depth prompt stands when its card does not say.
const (
	defaultDepth = 4
	maxPlace     = 10_000
)

// home is the object that holds extensions and the like.
func (d *document) home() *object {
	if d.flat {
		return &d.root
	}
	return &d.data
}

func (d *document) depthPrompt(c *storage.Card, n *notes) error {
	ext, ok := parseObject(d.home().get("extensions"))
	if !ok {
		return nil
	}
	dp, ok := parseObject(ext.get("depth_prompt"))
	if !ok {
		return nil
	}
	prompt, _ := loose(dp.get("prompt"))
	if prompt == "" {
		return nil
	}
	if err := checkText("extensions.depth_prompt", prompt); err != nil {
		return err
	}
	c.DepthPrompt, c.DepthPromptDepth, c.DepthPromptRole = prompt, defaultDepth, "system"
	if raw := dp.get("depth"); raw != nil {
		if depth, ok := whole(raw); ok && depth >= 0 && depth <= maxPlace {
			c.DepthPromptDepth = depth
		} else {
			n.add("the depth of extensions.depth_prompt is not a number from 0 to %d; %d is used", maxPlace, defaultDepth)
		}
	}
	role, _ := loose(dp.get("role"))
	switch strings.ToLower(role) {
	case "", "system", "0":
	case "user", "1":
		c.DepthPromptRole = "user"
	case "assistant", "2":
		c.DepthPromptRole = "assistant"
	default:
		n.add("the role of extensions.depth_prompt is %s; system is used", brief(role))
	}
	return nil
}
