// Package formats reads and writes the files of other roleplay programs: character cards, chats,
// lorebooks, groups, presets, regex scripts and personas. Unknown fields are kept, so that a file
// can be written again without loss.
package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Every error about the content of a file wraps one of these. Its text is shown to the user and
// says what is wrong, where, and what to do.
var (
	// ErrNotCard is the error of a valid file that is not a card.
	ErrNotCard = errors.New("not a character card")
	// ErrNotChat is the error of a valid file that is not a chat.
	ErrNotChat = errors.New("not a chat")
	// ErrTooLarge is the error of a file, or a part of one, beyond the limits of this package.
	ErrTooLarge = errors.New("too large")
	// ErrDamaged is the error of a file that violates its own format.
	ErrDamaged = errors.New("damaged file")
	// ErrVersion is the error of a card of an unknown format version.
	ErrVersion = errors.New("unknown card version")
)

// Limits of what is read. Real files stay far below them.
const (
	MaxCardFile = 64 << 20  // bytes of a card file of any kind
	MaxCardJSON = 16 << 20  // bytes of a card's document
	MaxCardText = 1 << 20   // bytes of one text of a card
	MaxChatFile = 512 << 20 // bytes of a chat file
	MaxChatLine = 16 << 20  // bytes of one line of a chat
	MaxMessages = 1_000_000 // messages of a chat, and again swipes

	maxMembers  = 10_000 // members of one JSON object that is parsed
	maxList     = 1_000  // tags, greetings
	maxName     = 1_000  // bytes of a name
	maxWarnings = 50     // warnings per file that are listed
)

// ImportedCard is a card as it was read. Source is the whole document, compact and with its
// numbers as written; WriteCardJSON merges edits into it. Avatar is a PNG without card data, nil
// if the file has no usable picture. Assets are the files that came with it. Format is for
// display, for instance "V2 PNG". The caller owns all of it.
type ImportedCard struct {
	Card     storage.Card
	Actor    storage.Actor
	Source   json.RawMessage
	Avatar   []byte
	Assets   []Asset
	Format   string
	Warnings []string
}

// ReadCard reads a card from the content of a JSON, PNG or CHARX file. The format is detected from
// the content; name is only used in errors, and may be a path. Errors wrap ErrNotCard,
// ErrTooLarge, ErrDamaged or ErrVersion.
func ReadCard(name string, data []byte) (ImportedCard, error) {
	in, err := readCard(name, data)
	if err != nil {
		return ImportedCard{}, fmt.Errorf("read card %s: %w", quotePath(name), err)
	}
	in.warnMissing()
	return in, nil
}

func readCard(name string, data []byte) (ImportedCard, error) {
	if len(data) > MaxCardFile {
		return ImportedCard{}, wrapf(ErrTooLarge,
			"the file has %s; the limit is %s: export the card with a smaller picture",
			formatSize(len(data)), formatSize(MaxCardFile))
	}
	switch kind := sniff(data); kind {
	case "PNG":
		return readPNG(data)
	case "ZIP":
		return readCharx(data)
	case "JPEG", "WebP", "GIF":
		// Some programs append a CHARX archive to a picture.
		if in, err := readCharx(data); err == nil {
			return in, nil
		}
		if in, ok, err := cardFromPicture(kind, data); ok {
			return in, err
		}
		return ImportedCard{}, pictureFault(kind, name)
	case "YAML":
		return readYAML(data)
	case "":
		return readJSON(name, data)
	default:
		return ImportedCard{}, wrongKind(ErrNotCard, name, data,
			"choose a card file (.png, .webp, .jpg, .json, .yaml, .charx or .byaf)")
	}
}

func readJSON(name string, data []byte) (ImportedCard, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return ImportedCard{}, wrapf(ErrDamaged, "the file is empty: download or export the card again")
	}
	in, err := readDocument(data)
	if err == nil {
		in.Format += " JSON"
		return in, nil
	}
	return ImportedCard{}, orChatFile(ErrNotCard, name, data, err)
}

// sniff returns the format that the first bytes of a file show, "" if it may be JSON.
func sniff(data []byte) string {
	has := func(prefix string) bool { return bytes.HasPrefix(data, []byte(prefix)) }
	switch {
	case has(pngSignature):
		return "PNG"
	case has("PK\x03\x04"), has("PK\x05\x06"):
		return "ZIP"
	case has("\xff\xd8\xff"):
		return "JPEG"
	case has("RIFF") && len(data) >= 12 && string(data[8:12]) == "WEBP":
		return "WebP"
	case has("GIF8"):
		return "GIF"
	case has("\xff\xfe"), has("\xfe\xff"):
		return "a UTF-16 text, but only UTF-8 is supported (save it as UTF-8)"
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 512)], []byte(bom)), " \t\r\n")
	if len(text) > 0 && text[0] == '<' {
		return "a web page or XML (perhaps the page about the card was saved instead)"
	}
	if len(text) > 0 && text[0] != '{' && text[0] != '[' {
		if looksYAML(data) {
			return "YAML"
		}
		return describeContent(data)
	}
	return ""
}

// fileSignatures are the first bytes and names of formats that are not supported.
var fileSignatures = []struct {
	at          int
	magic, name string
}{
	{0, "GGUF", "the file of a model"}, {0, "%PDF", "a PDF document"},
	{0, "\x1f\x8b", "a GZIP archive (unpack it first)"}, {0, "Rar!", "a RAR archive (unpack it first)"},
	{0, "7z\xbc\xaf", "a 7z archive (unpack it first)"}, {0, "BM", "a BMP picture"}, {0, "II*\x00", "a TIFF picture"},
	{0, "MM\x00*", "a TIFF picture"},
	{0, "ID3", "a sound file"}, {0, "OggS", "a sound file"}, {0, "fLaC", "a sound file"}, {8, "WAVE", "a sound file"},
	{8, "AVI ", "a film"},
	{4, "ftyp", "a film"}, {0, "\x1aE\xdf\xa3", "a film"}, {0, "wOF", "a font"}, {0, "OTTO", "a font"},
}

// describeContent returns the unsupported format of a file.
func describeContent(data []byte) string {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 && !bytes.HasPrefix(data, []byte("%PDF")) {
		return "a plain text"
	}
	for _, f := range fileSignatures {
		if len(data) > f.at && bytes.HasPrefix(data[f.at:], []byte(f.magic)) {
			return f.name
		}
	}
	return "a file of an unknown type (perhaps damaged or encrypted)"
}

func pictureFault(kind, name string) error {
	ext := strings.ToLower(filepath.Ext(name))
	own := map[string]string{"JPEG": ".jpg .jpeg", "WebP": ".webp", "GIF": ".gif"}[kind]
	named := ""
	if ext != "" && !strings.Contains(own, ext) {
		named = " named " + strings.Trim(quotePath(ext), `"`)
	}
	return wrapf(ErrNotCard, "this is a %s picture%s; there is no card in it: export it as PNG or JSON", kind, named)
}

// notCard returns the error for a file that is something else.
func notCard(kind Kind) error {
	if words, ok := kindAdvice[kind]; ok {
		return wrapf(ErrNotCard, "%s", words)
	}
	return wrapf(ErrNotCard,
		"the document has no fields of a character (name, description, first_mes ...): choose another file")
}

// notCardBut is notCard for a document whose structure is known.
func notCardBut(t traits) error {
	if words := t.description(); words != "" {
		return wrapf(ErrNotCard, "%s", words)
	}
	return notCard(KindUnknown)
}

func wrapf(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}

// quotePath quotes the last part of an outside path for an error: short, on one line, without
// control characters.
func quotePath(name string) string {
	return quoteShort(filepath.Base(name))
}

// quoteShort quotes an outside text in the same way.
func quoteShort(name string) string {
	const most = 80
	if len(name) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "..."
	}
	return fmt.Sprintf("%q", name)
}

func formatSize(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// warningList collects warnings up to a limit and counts the others.
type warningList struct {
	list []string
	more int
}

func (n *warningList) add(format string, args ...any) {
	if len(n.list) >= maxWarnings {
		n.more++
		return
	}
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

func (n *warningList) lines() []string {
	if n.more > 0 {
		return append(n.list, fmt.Sprintf("and %d more warnings", n.more))
	}
	return n.list
}
