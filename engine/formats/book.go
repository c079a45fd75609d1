package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ErrNotBook is the error of a valid file that is not a lorebook.
var ErrNotBook = errors.New("not a lorebook")

// Limits of lorebooks.
const (
	MaxBookFile    = 256 << 20 // bytes of a lorebook's file
	MaxBookEntries = 200_000
	MaxLoreContent = 1 << 20 // bytes of one entry's content, and of each other text of it

	maxBookKeys = 2_000_000
)

// The dialects of lorebooks, as in Lorebook.Format. WriteBook accepts the first three and
// FormatOriginal.
const (
	FormatWorldInfo     = "world_info"
	FormatCharacterBook = "character_book"
	FormatLorebookV3    = "lorebook_v3"
	FormatAgnai         = "agnai"
	FormatRisu          = "risu"
	FormatNovelAI       = "novelai"
	FormatKobold        = "kobold"
	// FormatOriginal is the dialect that a book was read from.
	FormatOriginal = "original"
)

// ImportedBook is a lorebook as it was read. Book has no ID, kind or owner, and its entries have
// no IDs; their UIDs are unique and below Book.NextUID. Book.Source is the document with a note in
// place of its entries, for WriteBook; each entry's Source is the original entry. Sources share
// memory, so they must not be changed in place. Format is for display.
type ImportedBook struct {
	Book     storage.Lorebook
	Entries  []storage.LoreEntry
	Format   string
	Warnings []string
}

// ReadBook reads a lorebook from the content of a file: a World Info file, a character_book, alone
// or in a card, or a book of Agnai, Risu, NovelAI or KoboldAI Lite. The format is detected from
// the content; name is used in errors, and as the name of a book that has none. Errors wrap
// ErrNotBook, ErrTooLarge or ErrDamaged.
func ReadBook(name string, data []byte) (ImportedBook, error) {
	in, err := readBook(name, data)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("read lorebook %s: %w", quotePath(name), err)
	}
	return in, nil
}

// ReadBookFile reads the lorebook at path. It also returns ErrNotFile.
func ReadBookFile(path string) (ImportedBook, error) {
	data, err := readFile(path, MaxBookFile)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("read lorebook %s: %w", quotePath(path), err)
	}
	return ReadBook(path, data)
}

func readBook(name string, data []byte) (ImportedBook, error) {
	if len(data) > MaxBookFile {
		return ImportedBook{}, wrapf(ErrTooLarge, "the file has %s; the limit is %s: split the book",
			formatSize(len(data)), formatSize(MaxBookFile))
	}
	title := bookTitle(name)
	switch kind := sniff(data); kind {
	case "PNG":
		return bookFromPNG(title, data)
	case "ZIP":
		return bookFromArchive(name, title, data)
	case "JPEG", "WebP", "GIF":
		if in, err := bookFromArchive(name, title, data); err == nil {
			return in, nil
		}
		return bookFromExif(name, title, kind, data)
	case "":
		return bookFromJSON(name, title, data)
	case "YAML":
		card, err := readYAML(data)
		return bookFromCard(title, card, err, "YAML card")
	default:
		return ImportedBook{}, wrongKind(ErrNotBook, name, data,
			"choose a lorebook (.json, .lorebook) or a card (.png, .json, .charx)")
	}
}

// bookFromCard reads the book of a card. where describes the file.
func bookFromCard(title string, card ImportedCard, err error, where string) (ImportedBook, error) {
	if err != nil {
		return ImportedBook{}, err
	}
	in, err := bookFromDocument(title, card.Source)
	in.Format += " in a " + where
	return in, err
}

// bookFromExif reads the book of a card in the Exif data of a picture.
func bookFromExif(name, title, kind string, data []byte) (ImportedBook, error) {
	card, ok, err := cardFromPicture(kind, data)
	if !ok {
		return ImportedBook{}, wrongKind(ErrNotBook, name, data,
			"export the book as JSON, or get the card's original file")
	}
	return bookFromCard(title, card, err, kind)
}

func bookFromJSON(name, title string, data []byte) (ImportedBook, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))) == 0 {
		return ImportedBook{}, wrapf(ErrDamaged, "the file is empty: download or export the book again")
	}
	source, err := compact(data)
	if err != nil {
		return ImportedBook{}, orChatFile(ErrNotBook, name, data, err)
	}
	return bookFromDocument(title, source)
}

// bookFromDocument reads the book that a compact document is or contains.
func bookFromDocument(title string, source json.RawMessage) (ImportedBook, error) {
	doc, err := openBook(source)
	if err != nil {
		return ImportedBook{}, err
	}
	in, err := doc.read(title)
	if root, ok := parseObject(source); err == nil && ok && root.traits().kind() == KindStory {
		in.Format += " story"
	}
	return in, err
}

// bookFromPNG reads the NovelAI book of a picture, or that of its card.
func bookFromPNG(title string, data []byte) (ImportedBook, error) {
	chunks, _, err := pngChunks(data)
	if err != nil {
		return ImportedBook{}, err
	}
	var first error
	for _, keyword := range []string{"naidata", "ccv3", "chara"} {
		tries := 0
		for _, c := range chunks {
			if c.keyword() != keyword || tries == maxTries {
				continue
			}
			tries++
			in, err := bookFromChunk(title, c)
			if err == nil {
				in.Format += " in a PNG"
				return in, nil
			}
			if first == nil {
				first = fmt.Errorf("chunk %q: %w", c.keyword(), err)
			}
		}
	}
	if first == nil {
		return bookFromExif("", title, "PNG", data)
	}
	return ImportedBook{}, first
}

func bookFromChunk(title string, c chunk) (ImportedBook, error) {
	body, _, err := c.document()
	if err != nil {
		return ImportedBook{}, err
	}
	source, err := compact(body)
	if err != nil {
		return ImportedBook{}, err
	}
	return bookFromDocument(title, source)
}

func bookFromArchive(name, title string, data []byte) (ImportedBook, error) {
	files, err := openArchive(data)
	if err != nil {
		return ImportedBook{}, err
	}
	entry := files[charxDocument]
	if entry == nil && files[byafManifest] != nil {
		card, err := readBYAF(files)
		return bookFromCard(title, card, err, "BYAF")
	}
	if entry == nil {
		return ImportedBook{}, wrongKind(ErrNotBook, name, data, "unpack it, and choose a lorebook or a card")
	}
	body, err := unpack(entry, MaxCardJSON)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	source, err := compact(body)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in, err := bookFromDocument(title, source)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in.Format += " in a CHARX"
	return in, nil
}

// bookTitle returns the name of a book after its file.
func bookTitle(name string) string {
	base := filepath.Base(name)
	title := strings.TrimSpace(strings.TrimSuffix(base, filepath.Ext(base)))
	if title == "" || title == "." || len(title) > maxName || !utf8String(title) {
		return "lorebook"
	}
	return title
}

// notBook returns the error for a file that is something else.
func notBook(kind Kind) error {
	if kind == KindCard {
		return wrapf(ErrNotBook, "this card has no lorebook: import it as a character")
	}
	if words, ok := kindAdvice[kind]; ok && kind != KindLorebook {
		return wrapf(ErrNotBook, "%s", words)
	}
	return wrapf(ErrNotBook, "the document has no entries of a lorebook: choose another file")
}
