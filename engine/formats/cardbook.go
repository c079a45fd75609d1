package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CardBook returns the lorebook in a card document, as in Character.Source. ok is false if there
// is none. A book without a name is named after the card.
func CardBook(source json.RawMessage) (book ImportedBook, ok bool, err error) {
	if len(source) == 0 {
		return ImportedBook{}, false, nil
	}
	compacted, err := compact(source)
	if err != nil {
		return ImportedBook{}, false, fmt.Errorf("the card's lorebook: %w", err)
	}
	root, _ := parseObject(compacted)
	doc, err := openCardBook(&root)
	if errors.Is(err, ErrNotBook) {
		return ImportedBook{}, false, nil
	}
	if err == nil {
		book, err = doc.read("lorebook")
	}
	if err != nil {
		return ImportedBook{}, false, fmt.Errorf("the card's lorebook: %w", err)
	}
	return book, true, nil
}

// WithBook returns a card document with its lorebook replaced or added. For a nil source, a card
// made here, the result is a V3 document with nothing else, which WriteCardJSON fills.
func WithBook(source json.RawMessage, b storage.Lorebook, entries []storage.LoreEntry) (json.RawMessage, error) {
	raw, _, err := WriteBook(FormatCharacterBook, b, entries)
	if err != nil {
		return nil, err
	}
	out, err := withBook(source, raw)
	if err != nil {
		return nil, fmt.Errorf("put lorebook %s into the card: %w", quoteShort(b.Name), err)
	}
	return out, nil
}

// WithWorld returns a card document that refers to a World Info book. A nil source is a card made
// here, as in WithBook.
func WithWorld(source json.RawMessage, name string) (json.RawMessage, error) {
	return withExtension(source, "world", name)
}

// WithCardID returns a card document with the character's ID in Ghostlight and the time of its
// last change.
func WithCardID(source json.RawMessage, id string, changed time.Time) (json.RawMessage, error) {
	source, err := withExtension(source, idKey, id)
	if err == nil {
		source, err = withExtension(source, changedKey, changed.UTC().Format(time.RFC3339Nano))
	}
	return source, err
}

// CardID returns what WithCardID wrote, "" for none. The ID is untrusted.
func CardID(source json.RawMessage) (id string, changed time.Time) {
	changed, _ = time.Parse(time.RFC3339Nano, cardExtension(source, changedKey))
	return cardExtension(source, idKey), changed
}

// changedKey is the member beside idKey of a record that can change after it was moved out.
const changedKey = "ghostlight_changed"

// withExtension returns a card document with a text among its extensions.
func withExtension(source json.RawMessage, key, value string) (json.RawMessage, error) {
	if len(source) > 0 && cardExtension(source, key) == value {
		return source, nil
	}
	source, err := editCard(source, func(home *object) {
		ext, _ := parseObject(home.get("extensions"))
		ext.set(key, quote(value))
		home.set("extensions", ext.encode())
	})
	if err != nil {
		return nil, fmt.Errorf("write %s into the card: %w", key, err)
	}
	return source, nil
}

func withBook(source, raw json.RawMessage) (json.RawMessage, error) {
	out, err := editCard(source, func(home *object) { home.set("character_book", raw) })
	if len(out) > MaxCardJSON {
		return nil, wrapf(ErrTooLarge, "the card would have %s; the limit is %s: export the lorebook on its own",
			formatSize(len(out)), formatSize(MaxCardJSON))
	}
	return out, err
}

// editCard edits the object with the fields of a card document. A nil source is a card made here.
func editCard(source json.RawMessage, edit func(home *object)) (json.RawMessage, error) {
	if len(source) == 0 {
		source = json.RawMessage(`{"spec":"chara_card_v3","spec_version":"3.0","data":{}}`)
	}
	source, err := compact(source)
	if err != nil {
		return nil, err
	}
	var n warningList
	doc, err := openDocument(source, &n)
	if err != nil {
		return nil, err
	}
	edit(doc.fieldsObject())
	if !doc.flat {
		doc.root.set("data", doc.data.encode())
	}
	return doc.root.encode(), nil
}

// CardWorld returns the name of the World Info book that a card document refers to, "" for none.
func CardWorld(source json.RawMessage) string { return cardExtension(source, "world") }

func cardExtension(source json.RawMessage, key string) string {
	value, _ := text(extension(source, key))
	return strings.TrimSpace(value)
}

// WithID returns a document with its record's ID in Ghostlight.
func WithID(doc json.RawMessage, id string) (json.RawMessage, error) { return withText(doc, idKey, id) }

func withText(doc json.RawMessage, key, value string) (json.RawMessage, error) {
	o, err := parseKept(doc)
	if err != nil {
		return nil, err
	}
	o.set(key, quote(value))
	return o.encode(), nil
}

// namedKey is the member with the name that a lorebook has in its file.
const namedKey = "ghostlight_named"

// WithFileName marks a lorebook as named after its file, and keeps the name in the file.
func WithFileName(doc json.RawMessage, name string) (json.RawMessage, error) {
	return withText(doc, namedKey, name)
}

// WithOriginalName returns a written lorebook with the name that it had in its file, if it still
// has the name of the file.
func WithOriginalName(doc json.RawMessage, b storage.Lorebook) (json.RawMessage, error) {
	o, err := parseKept(b.Source)
	if err != nil {
		return nil, err
	}
	named, _ := text(o.get(namedKey))
	if own, ok := text(o.get("name")); ok && named == b.Name {
		return withText(doc, "name", own)
	}
	return doc, nil
}

// IDOf returns what WithID wrote, "" for none. The ID is untrusted.
func IDOf(doc json.RawMessage) string {
	o, _ := parseKept(doc)
	id, _ := text(o.get(idKey))
	return id
}
