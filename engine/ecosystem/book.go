package ecosystem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ErrNotBook is a sound file that is something else than a lorebook.
var ErrNotBook = errors.New("not a lorebook")

// The limits of lorebooks.
const (
	MaxBookFile    = 256 << 20 // bytes of a lorebook's file
	MaxBookEntries = 200_000
	MaxLoreContent = 1 << 20 // bytes of one entry's content, and of each other text of it

	maxBookKeys = 2_000_000
)

// The dialects of lorebooks, as Lorebook.Format names them. WriteBook takes the
// first three, and FormatOriginal.
const (
	FormatWorldInfo     = "world_info"
	FormatCharacterBook = "character_book"
	FormatLorebookV3    = "lorebook_v3"
	FormatAgnai         = "agnai"
	FormatRisu          = "risu"
	FormatNovelAI       = "novelai"
	FormatKobold        = "kobold"
	// FormatOriginal is the dialect that a book came from.
	FormatOriginal = "original"
)

// ImportedBook is a lorebook as it was read. Book has no id, kind or owner, and
// its entries have no ids; their UIDs are unique and below Book.NextUID.
// Book.Source is the document with a note in the place of its entries, for
// WriteBook; each entry's Source is the entry as it stood there. Source texts
// share memory with each other, so they must not be changed in place. Format is
// for display.
type ImportedBook struct {
	Book     storage.Lorebook
	Entries  []storage.LoreEntry
	Format   string
	Warnings []string
}

// ReadBook reads a lorebook from the bytes of a file: a World Info file, a
// character_book, alone or in a card, or a book of Agnai, Risu, NovelAI or
// KoboldAI Lite. What it is is decided by the bytes; name serves the words of
// errors, and names a book that does not name itself. Errors wrap ErrNotBook,
// ErrTooLarge or ErrDamaged.
func ReadBook(name string, data []byte) (ImportedBook, error) {
	in, err := readBook(name, data)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("read lorebook %s: %w", shown(name), err)
	}
	return in, nil
}

// ReadBookFile reads the lorebook at path. Beyond the errors of ReadBook there
// is ErrNotFile.
func ReadBookFile(path string) (ImportedBook, error) {
	data, err := readFile(path, MaxBookFile)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("read lorebook %s: %w", shown(path), err)
	}
	return ReadBook(path, data)
}

func readBook(name string, data []byte) (ImportedBook, error) {
	if len(data) > MaxBookFile {
		return ImportedBook{}, fault(ErrTooLarge, "the file has %s; the limit is %s: split the book", size(len(data)), size(MaxBookFile))
	}
	title := bookTitle(name)
	switch kind := sniff(data); kind {
	case "PNG":
		return bookOfPNG(title, data)
	case "ZIP":
		return bookOfArchive(name, title, data)
	case "JPEG", "WebP", "GIF":
		if in, err := bookOfArchive(name, title, data); err == nil {
			return in, nil
		}
		return bookOfExif(name, title, kind, data)
	case "":
		return bookOfJSON(name, title, data)
	case "YAML":
		card, err := readYAML(data)
		return bookOfImported(title, card, err, "YAML card")
	default:
		return ImportedBook{}, refuse(ErrNotBook, name, data, "choose a lorebook (.json, .lorebook) or a card (.png, .json, .charx)")
	}
}

// bookOfImported reads the book of a card, which where says what file it was.
func bookOfImported(title string, card Imported, err error, where string) (ImportedBook, error) {
	if err != nil {
		return ImportedBook{}, err
	}
	in, err := bookOfDocument(title, card.Source)
	in.Format += " in a " + where
	return in, err
}

// bookOfExif reads the book of a card that is in the Exif data of a picture.
func bookOfExif(name, title, kind string, data []byte) (ImportedBook, error) {
	card, ok, err := cardOfPicture(kind, data)
	if !ok {
		return ImportedBook{}, refuse(ErrNotBook, name, data, "export the book as JSON, or get the card's original file")
	}
	return bookOfImported(title, card, err, kind)
}

func bookOfJSON(name, title string, data []byte) (ImportedBook, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))) == 0 {
		return ImportedBook{}, fault(ErrDamaged, "the file is empty: download or export the book again")
	}
	source, err := compact(data)
	if err != nil {
		return ImportedBook{}, orChat(ErrNotBook, name, data, err)
	}
	return bookOfDocument(title, source)
}

// bookOfDocument reads the book that a compact document is or holds.
func bookOfDocument(title string, source json.RawMessage) (ImportedBook, error) {
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

// bookOfPNG reads the NovelAI book of a picture, or that of its card.
func bookOfPNG(title string, data []byte) (ImportedBook, error) {
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
			in, err := bookOfChunk(title, c)
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
		return bookOfExif("", title, "PNG", data)
	}
	return ImportedBook{}, first
}

func bookOfChunk(title string, c chunk) (ImportedBook, error) {
	body, _, err := c.document()
	if err != nil {
		return ImportedBook{}, err
	}
	source, err := compact(body)
	if err != nil {
		return ImportedBook{}, err
	}
	return bookOfDocument(title, source)
}

func bookOfArchive(name, title string, data []byte) (ImportedBook, error) {
	files, err := openArchive(data)
	if err != nil {
		return ImportedBook{}, err
	}
	entry := files[charxDocument]
	if entry == nil && files[byafManifest] != nil {
		card, err := readBYAF(files)
		return bookOfImported(title, card, err, "BYAF")
	}
	if entry == nil {
		return ImportedBook{}, refuse(ErrNotBook, name, data, "unpack it, and choose a lorebook or a card")
	}
	body, err := unpack(entry, MaxCardJSON)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	source, err := compact(body)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in, err := bookOfDocument(title, source)
	if err != nil {
		return ImportedBook{}, fmt.Errorf("%s: %w", charxDocument, err)
	}
	in.Format += " in a CHARX"
	return in, nil
}

// bookTitle is what a file's name calls a book.
func bookTitle(name string) string {
	base := filepath.Base(name)
	title := strings.TrimSpace(strings.TrimSuffix(base, filepath.Ext(base)))
	if title == "" || title == "." || len(title) > maxName || !utf8String(title) {
		return "lorebook"
	}
	return title
}

// notBook tells the user what a file is that is no lorebook.
func notBook(kind Kind) error {
	if kind == KindCard {
		return fault(ErrNotBook, "this card has no lorebook: import it as a character")
	}
	if words, ok := kindWords[kind]; ok && kind != KindLorebook {
		return fault(ErrNotBook, "%s", words)
	}
	return fault(ErrNotBook, "the document has no entries of a lorebook: choose another file")
}
