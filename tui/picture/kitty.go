package picture

import (
	"encoding/base64"
	"hash/fnv"
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// MaxPlaceholders is the greatest number of columns or rows of a picture in placeholder cells: there are marks for
// that many.
const MaxPlaceholders = 297

// QueryID is the picture id in [Query] and in its answer.
const QueryID = 31

// Query returns the sequence that asks the terminal whether it knows Kitty graphics. A terminal
// that does not is silent: send it before another question that every terminal answers (such as the
// primary device attributes), and take the answer to that one as a no. Do not send it inside a
// multiplexer.
func Query() string {
	return ansi.KittyGraphics([]byte("AAAA"), "i="+strconv.Itoa(QueryID), "s=1", "v=1", "a=q", "t=d", "f=24")
}

// ParseAnswer reads a sequence from the terminal. isAnswer reports whether it answers [Query], ok
// whether the answer is yes.
func ParseAnswer(seq string) (ok, isAnswer bool) {
	body, found := strings.CutPrefix(seq, "\x1b_G")
	if !found {
		if body, found = strings.CutPrefix(seq, "\u009fG"); !found {
			return false, false
		}
	}
	for _, end := range []string{"\x1b\\", "\u009c", "\a"} {
		body = strings.TrimSuffix(body, end)
	}
	keys, payload, _ := strings.Cut(body, ";")
	for key := range strings.SplitSeq(keys, ",") {
		if key == "i="+strconv.Itoa(QueryID) {
			return Answer(QueryID, []byte(payload))
		}
	}
	return false, false
}

// Answer is [ParseAnswer] for an answer that is already parsed, as Bubble Tea delivers it: the
// picture id and the terminal's reply.
func Answer(id int, payload []byte) (ok, isAnswer bool) {
	return id == QueryID && string(payload) == "OK", id == QueryID
}

// IDFor makes a picture id of a key, such as the id of a capture. It is never 0, never QueryID, and
// has 24 bits, so that the colour of a cell can encode it.
func IDFor(key string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	id := (h.Sum32()>>24 ^ h.Sum32()) & 0xffffff
	if id == 0 || id == QueryID {
		id = 0x100000
	}
	return id
}

// Transmit returns the sequences that send a PNG to the terminal under an id. The terminal shows it
// wherever cells of [Placeholders] with the same id, cols and rows are. It does not answer. Shrink
// the picture first (see [Thumbnail]): the sequences are a third longer than the PNG.
func Transmit(id uint32, png []byte, cols, rows int) string {
	cols, rows = clamp(cols), clamp(rows)
	payload := base64.StdEncoding.EncodeToString(png)
	var b strings.Builder
	b.Grow(len(payload) + 16*(len(payload)/kitty.MaxChunkSize+8))
	b.WriteString("\x1b_Ga=T,U=1,t=d,f=100,q=2,i=")
	b.WriteString(strconv.FormatUint(uint64(id), 10))
	b.WriteString(",c=")
	b.WriteString(strconv.Itoa(cols))
	b.WriteString(",r=")
	b.WriteString(strconv.Itoa(rows))
	for first := true; first || payload != ""; first = false {
		chunk := payload[:min(kitty.MaxChunkSize, len(payload))]
		payload = payload[len(chunk):]
		if first {
			b.WriteByte(',')
		} else {
			b.WriteString("\x1b_Gq=2,")
		}
		if payload == "" {
			b.WriteString("m=0;")
		} else {
			b.WriteString("m=1;")
		}
		b.WriteString(chunk)
		b.WriteString("\x1b\\")
	}
	return b.String()
}

// Placeholders returns lines of cells in which the terminal shows the picture with the given id.
// They are ordinary text that scrolls and is cut like any other. Each cell encodes its row and
// column, so any part of it can be drawn alone. The text colour encodes the id, so the output must
// be in true colour. At most [MaxPlaceholders] columns and rows are made.
func Placeholders(id uint32, cols, rows int) []string {
	cols, rows = clamp(cols), clamp(rows)
	high := ""
	if id>>24 != 0 {
		high = string(kitty.Diacritic(int(id >> 24)))
	}
	lines := make([]string, rows)
	var buf []byte
	for y := range rows {
		row := string(kitty.Placeholder) + string(kitty.Diacritic(y))
		//nolint:gosec // the bytes of the id
		buf = sgr(buf[:0], 38, color.RGBA{R: uint8(id >> 16), G: uint8(id >> 8), B: uint8(id)})
		for x := range cols {
			buf = append(buf, row...)
			buf = append(buf, string(kitty.Diacritic(x))...)
			buf = append(buf, high...)
		}
		buf = append(buf, reset...)
		lines[y] = string(buf)
	}
	return lines
}

// Place is the cell of a picture that a placeholder cell shows.
type Place struct {
	ID       uint32
	Col, Row int
}

// marks maps each mark to its number.
var marks = func() map[rune]int {
	m := make(map[rune]int, MaxPlaceholders)
	for i := range MaxPlaceholders {
		m[kitty.Diacritic(i)] = i
	}
	return m
}()

// ReadPlaceholder parses a cell of [Placeholders] from its content and its colour. ok is false for
// other cells, and for ids of more than 24 bits.
func ReadPlaceholder(content string, colour color.Color) (p Place, ok bool) {
	rest, ok := strings.CutPrefix(content, string(kitty.Placeholder))
	if !ok || colour == nil {
		return p, false
	}
	found := 0
	for _, r := range rest {
		n, ok := marks[r]
		switch {
		case !ok || found == 2:
			return p, false
		case found == 0:
			p.Row = n
		default:
			p.Col = n
		}
		found++
	}
	r, g, b, _ := colour.RGBA()
	p.ID = r>>8<<16 | g>>8<<8 | b>>8
	return p, found == 2
}

// Wrap makes tmux pass sequences on to the terminal around it, one by one. That needs its option
// allow-passthrough.
func Wrap(sequences string) string {
	var b strings.Builder
	for sequences != "" {
		end := strings.Index(sequences, "\x1b\\")
		if end < 0 {
			end = len(sequences)
		} else {
			end += 2
		}
		b.WriteString(ansi.TmuxPassthrough(sequences[:end]))
		sequences = sequences[end:]
	}
	return b.String()
}

// Delete returns the sequence that makes the terminal forget the picture with the given id and free
// its memory.
func Delete(id uint32) string {
	return ansi.KittyGraphics(nil, "a=d", "d=I", "i="+strconv.FormatUint(uint64(id), 10), "q=2")
}

func clamp(n int) int { return min(max(n, 1), MaxPlaceholders) }
