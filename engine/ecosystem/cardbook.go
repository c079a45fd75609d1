package ecosystem

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CardBook is the lorebook within a card document, as Character.Source keeps
// it. ok is false when it has none. A book without a name is called after the
// card.
func CardBook(source json.RawMessage) (book ImportedBook, ok bool, err error) {
	if len(source) == 0 {
		return ImportedBook{}, false, nil
	}
	compacted, err := compact(source)
	if err != nil {
		return ImportedBook{}, false, fmt.Errorf("the card's lorebook: %w", err)
	}
	root, _ := parseObject(compacted)
	doc, err := bookOfCard(&root)
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

// WithBook is a card document with its lorebook replaced by the given one, or
// given to it. A nil source is a card made here: the result is a V3 document
// that holds nothing else, for WriteCardJSON to fill.
func WithBook(source json.RawMessage, b storage.Lorebook, entries []storage.LoreEntry) (json.RawMessage, error) {
	raw, _, err := WriteBook(FormatCharacterBook, b, entries)
	if err != nil {
		return nil, err
	}
	out, err := withBook(source, raw)
	if err != nil {
		return nil, fmt.Errorf("put lorebook %s into the card: %w", brief(b.Name), err)
	}
	return out, nil
}

// WithWorld is a card document that asks for a World Info book. A nil source is a card made
// here, as with WithBook.
func WithWorld(source json.RawMessage, name string) (json.RawMessage, error) {
	return withExtension(source, "world", name)
}

// WithCardID is a card document that says which ID the character has in Ghostlight, and when it was
// changed last; CardID reads that of a document, "" for none. It is untrusted.
func WithCardID(source json.RawMessage, id string, changed time.Time) (json.RawMessage, error) {
	source, err := withExtension(source, idKey, id)
	if err == nil {
		source, err = withExtension(source, changedKey, changed.UTC().Format(time.RFC3339Nano))
	}
	return source, err
}

// CardID is what WithCardID has written.
func CardID(source json.RawMessage) (id string, changed time.Time) {
	changed, _ = time.Parse(time.RFC3339Nano, cardExtension(source, changedKey))
	return cardExtension(source, idKey), changed
}

// changedKey stands beside idKey where a record can have changed since it was moved out.
const changedKey = "ghostlight_changed"

// withExtension is a card document with a text among its extensions.
func withExtension(source json.RawMessage, key, value string) (json.RawMessage, error) {
	if len(source) > 0 && cardExtension(source, key) == value {
		return source, nil
	}
	source, err := editCard(source, func(home *object) {
		ext, _ := parseObject(home.get("extensions"))
		ext.set(key, quoted(value))
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
		return nil, fault(ErrTooLarge, "the card would have %s; the limit is %s: export the lorebook on its own",
			size(len(out)), size(MaxCardJSON))
	}
	return out, err
}

// editCard is a card document with the object edited that holds its fields; nil is a card
// made here.
func editCard(source json.RawMessage, edit func(home *object)) (json.RawMessage, error) {
	if len(source) == 0 {
		source = json.RawMessage(`{"spec":"chara_card_v3","spec_version":"3.0","data":{}}`)
	}
	source, err := compact(source)
	if err != nil {
		return nil, err
	}
	var n notes
	doc, err := openDocument(source, &n)
	if err != nil {
		return nil, err
	}
	edit(doc.home())
	if !doc.flat {
		doc.root.set("data", doc.data.encode())
	}
	return doc.root.encode(), nil
}

// CardWorld is the name of the World Info book that a card document asks for, ""
// for none.
func CardWorld(source json.RawMessage) string { return cardExtension(source, "world") }

func cardExtension(source json.RawMessage, key string) string {
	value, _ := text(extension(source, key))
	return strings.TrimSpace(value)
}

// WithID is a document that says which ID its record has in Ghostlight; IDOf reads that, ""
// for none. It is untrusted.
func WithID(doc json.RawMessage, id string) (json.RawMessage, error) { return withText(doc, idKey, id) }

func withText(doc json.RawMessage, key, value string) (json.RawMessage, error) {
	o, err := kept(doc)
	if err != nil {
		return nil, err
	}
	o.set(key, quoted(value))
	return o.encode(), nil
}

// namedKey is the name under which a lorebook keeps how its file called it.
const namedKey = "ghostlight_named"

// NameByFile keeps that a lorebook is called after its file, and not as it calls itself.
func NameByFile(doc json.RawMessage, name string) (json.RawMessage, error) {
	return withText(doc, namedKey, name)
}

// OwnName is a document that a lorebook was written as, with the name by which the book it came
// from called itself, as long as the name of its file is still the book's.
func OwnName(doc json.RawMessage, b storage.Lorebook) (json.RawMessage, error) {
	o, err := kept(b.Source)
	if err != nil {
		return nil, err
	}
	named, _ := text(o.get(namedKey))
	if own, ok := text(o.get("name")); ok && named == b.Name {
		return withText(doc, "name", own)
	}
	return doc, nil
}

// IDOf is what WithID has written.
func IDOf(doc json.RawMessage) string {
	o, _ := kept(doc)
	id, _ := text(o.get(idKey))
	return id
}
