package formats

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WriteCardJSON writes a character as an indented V3 card. It edits the imported document: unknown
// fields stay, edited fields are replaced wherever the document repeats them, and V1 and V2 are
// converted to V3.
func WriteCardJSON(c storage.Character) ([]byte, error) {
	return namedCard(c)(writeJSON(c, "chara_card_v3", assetPlan{}))
}

// WriteCardV2JSON is WriteCardJSON for programs that only read V2.
func WriteCardV2JSON(c storage.Character) ([]byte, error) {
	return namedCard(c)(writeJSON(c, "chara_card_v2", assetPlan{}))
}

// namedCard adds the name of the card to errors.
func namedCard(c storage.Character) func([]byte, error) ([]byte, error) {
	return func(data []byte, err error) ([]byte, error) {
		if err != nil {
			return nil, fmt.Errorf("write card %s: %w", quoteShort(c.Card.Name), err)
		}
		return data, nil
	}
}

func writeJSON(c storage.Character, spec string, p assetPlan) ([]byte, error) {
	raw, err := cardDocument(c, spec, p)
	if err != nil {
		return nil, err
	}
	if out := indentJSON(raw, "  "); len(out) <= MaxCardJSON { // too much white space is not an error
		return out, nil
	}
	return append(raw, '\n'), nil
}

// cardDocument returns the compact document to write.
func cardDocument(c storage.Character, spec string, p assetPlan) (json.RawMessage, error) {
	var doc document
	var old storage.Card
	var was storage.Actor
	if len(c.Source) > 0 {
		source, err := compact(c.Source)
		if err != nil {
			return nil, fmt.Errorf("the kept document: %w", err)
		}
		var n warningList
		if doc, err = openDocument(source, &n); err != nil {
			return nil, fmt.Errorf("the kept document: %w", err)
		}
		if old, err = doc.card(&n); err != nil {
			return nil, fmt.Errorf("the kept document: %w", err)
		}
		was = doc.actor(&n)
	}
	doc.nestData()
	doc.mergeFields(&c.Card, &old)
	doc.mergeDepthPrompt(c.Card, old)
	doc.mergeActor(c.Actor, was)
	p.apply(&doc)
	if !doc.data.has("extensions") {
		doc.data.set("extensions", json.RawMessage("{}"))
	}
	if spec == "chara_card_v3" {
		doc.completeV3(c, sameCard(c.Card, old) && actorFields.same(&c.Actor, &was))
	}
	out := doc.withSpec(spec)
	raw := out.encode()
	if len(raw) > MaxCardJSON {
		return nil, wrapf(ErrTooLarge, "the card would have %s; the limit is %s: shorten it", formatSize(len(raw)),
			formatSize(MaxCardJSON))
	}
	return raw, nil
}

// nestData moves the known fields of a flat document into a data object, except those that the
// merge writes anyway.
func (d *document) nestData() {
	if !d.flat {
		return
	}
	for _, key := range []string{"extensions", "character_book", "assets", "creator_notes_multilingual",
		"source", "group_only_greetings", "creation_date", "modification_date"} {
		if raw := d.root.get(key); raw != nil {
			d.data.set(key, raw)
		}
	}
}

// mergeFields keeps every value that is unchanged, so that a text keeps its original spelling and
// type.
func (d *document) mergeFields(now, old *storage.Card) {
	for _, f := range cardFields {
		edited := !f.same(now, old, nil)
		raw := d.lookup(f.key, f.mirrors, f.fit)
		if edited || len(raw) == 0 || raw[0] != f.begin {
			raw = f.raw(now)
		}
		if edited || !d.data.has(f.key) && (f.required || len(raw) > len(`""`)) {
			d.data.set(f.key, raw)
		}
		for _, mirror := range f.mirrors {
			if edited && d.root.has(mirror) {
				d.root.set(mirror, raw)
			}
		}
	}
}

func (d *document) mergeDepthPrompt(now, old storage.Card) {
	if now.DepthPrompt == old.DepthPrompt && (now.DepthPrompt == "" ||
		now.DepthPromptDepth == old.DepthPromptDepth && now.DepthPromptRole == old.DepthPromptRole) {
		return
	}
	ext, _ := parseObject(d.data.get("extensions"))
	dp, _ := parseObject(ext.get("depth_prompt"))
	dp.set("prompt", quote(now.DepthPrompt))
	if now.DepthPrompt != "" {
		role := now.DepthPromptRole
		if role == "" {
			role = "system"
		}
		dp.set("depth", json.RawMessage(strconv.Itoa(now.DepthPromptDepth)))
		dp.set("role", quote(role))
	}
	ext.set("depth_prompt", dp.encode())
	d.data.set("extensions", ext.encode())
}

// completeV3 adds what V3 requires, and sets the dates of a card that was made or edited here.
func (d *document) completeV3(c storage.Character, same bool) {
	if !d.data.has("group_only_greetings") {
		d.data.set("group_only_greetings", json.RawMessage("[]"))
	}
	fresh := len(c.Source) == 0
	if fresh && !c.CreatedAt.IsZero() {
		d.data.set("creation_date", json.RawMessage(strconv.FormatInt(c.CreatedAt.Unix(), 10)))
	}
	if (fresh || !same) && !c.UpdatedAt.IsZero() {
		d.data.set("modification_date", json.RawMessage(strconv.FormatInt(c.UpdatedAt.Unix(), 10)))
	}
}

func sameCard(a, b storage.Card) bool {
	for _, f := range cardFields {
		if !f.same(&a, &b, nil) {
			return false
		}
	}
	return a.DepthPrompt == b.DepthPrompt && a.DepthPromptDepth == b.DepthPromptDepth &&
		a.DepthPromptRole == b.DepthPromptRole
}

// withSpec returns the root with the members that the format requires first and the others in
// their old order. A V3 document keeps its minor version.
func (d *document) withSpec(spec string) object {
	version := quote("2.0")
	if spec == "chara_card_v3" {
		version = quote("3.0")
		if was, _ := text(d.root.get("spec")); was == spec && d.root.has("spec_version") {
			version = d.root.get("spec_version")
		}
	}
	var out object
	out.set("spec", quote(spec))
	out.set("spec_version", version)
	for _, m := range d.root.members {
		if m.key != "spec" && m.key != "spec_version" && m.key != "data" {
			out.members = append(out.members, m)
		}
	}
	out.set("data", d.data.encode())
	return out
}
