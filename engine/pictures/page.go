package pictures

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/jpeg"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of files that are embedded in a page. Others are shown as a still of thumbnail size.
const (
	maxStillBytes  = 1536 << 10
	maxFilmBytes   = 20 << 20
	maxStillsBytes = 64 << 20
	maxFilmsBytes  = 120 << 20
)

// pageLine is a message of the story in a page.
type pageLine struct {
	id    storage.NodeID
	scene int
	name  string
	role  storage.Role
	text  string
}

// readStory reads the messages of the path.
func (g *galleryRead) readStory(of *Gallery, tx *storage.Tx) error {
	path, err := tx.Path(g.chat.ID, g.chat.Head, 0)
	if err != nil {
		return err
	}
	at := map[storage.NodeID]position{}
	for _, n := range path {
		at[n.ID] = position{}
	}
	g.places = locate(tx, g.chat, at)
	who, persona := of.chats.Cast(tx, g.chat)
	for _, n := range path {
		t := pageLine{id: n.ID, scene: at[n.ID].scene, name: n.Name, role: n.Role, text: n.Content}
		switch {
		case t.name != "":
		case n.Role == storage.User:
			t.name = persona.Name
		case n.Role == storage.Assistant:
			t.name = who.Card.CharName()
		}
		g.story = append(g.story, t)
	}
	return nil
}

// Page writes a chat's story with its pictures as HTML.
type Page struct {
	gallery       *Gallery
	w             *bufio.Writer
	stills, films int // bytes that were embedded
}

func (gallery *Gallery) writePage(g galleryRead, w io.Writer) error {
	p := &Page{gallery: gallery, w: bufio.NewWriter(w)}
	p.Head(g.chat.Title, gallery.about(g))
	at, rest := pictureSlots(g)
	open := 0
	section := func(n int) {
		if n == open {
			return
		}
		if open > 0 {
			p.figures(rest[open])
			p.Raw("</section>\n")
		}
		if open = n; n > 0 {
			p.Raw("<section>\n<h2>", EscapeHTML(SceneTitle(n, g.places[n-1].Name)), "</h2>\n")
		}
	}
	for _, t := range g.story {
		section(t.scene)
		if t.role != storage.SceneCapture {
			p.message(t)
		}
		p.figures(at[t.id])
	}
	section(0)
	if len(rest[0]) > 0 {
		p.Raw("<section>\n<h2>", EscapeHTML(SceneTitle(0, "")), "</h2>\n")
		p.figures(rest[0])
		p.Raw("</section>\n")
	}
	p.Raw("</main>\n</body>\n</html>\n")
	return p.w.Flush()
}

// pictureSlots returns the pictures after each message: the one that shows them, else the one that
// they were taken after. The rest are at the end of their scene, by its number.
func pictureSlots(g galleryRead) (at map[storage.NodeID][]GalleryItem, rest map[int][]GalleryItem) {
	at, rest = map[storage.NodeID][]GalleryItem{}, map[int][]GalleryItem{}
	on := map[storage.NodeID]bool{}
	for _, t := range g.story {
		on[t.id] = true
	}
	for _, s := range g.scenes {
		for _, c := range s.Captures {
			switch {
			case c.ImagePath == "":
			case on[c.Node]:
				at[c.Node] = append(at[c.Node], c)
			case on[c.At]:
				at[c.At] = append(at[c.At], c)
			default:
				rest[s.Number] = append(rest[s.Number], c)
			}
		}
	}
	return at, rest
}

// Raw writes HTML. The error is returned by Flush.
func (p *Page) Raw(parts ...string) {
	for _, s := range parts {
		_, _ = p.w.WriteString(s)
	}
}

// Head writes the beginning of the page.
func (p *Page) Head(title, about string) {
	sum := sha256.Sum256([]byte(pageStyle))
	title = EscapeHTML(title)
	p.Raw("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; media-src data:; `+
			`style-src 'sha256-`,
		base64.StdEncoding.EncodeToString(sum[:]), `'; base-uri 'none'; form-action 'none'">`, "\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n",
		"<title>", title, "</title>\n<style>", pageStyle, "</style>\n</head>\n<body>\n<header>\n<h1 dir=\"auto\">",
		title, "</h1>\n<p>",
		EscapeHTML(about), "</p>\n</header>\n<main>\n")
}

// message writes a message.
func (p *Page) message(t pageLine) {
	class := "other"
	switch t.role {
	case storage.User:
		class = "user"
	case storage.System, storage.Narrator:
		class = "note"
	}
	p.Raw(`<article class="`, class, `">`)
	if t.name != "" {
		p.Raw("\n<h3 dir=\"auto\">", EscapeHTML(t.name), "</h3>")
	}
	for para := range strings.SplitSeq(strings.ReplaceAll(t.text, "\r\n", "\n"), "\n\n") {
		if para = strings.Trim(para, "\n"); strings.TrimSpace(para) != "" {
			p.Raw("\n<p dir=\"auto\">", emphasize(para), "</p>")
		}
	}
	p.Raw("\n</article>\n")
}

// figures writes pictures side by side.
func (p *Page) figures(list []GalleryItem) {
	if len(list) == 0 {
		return
	}
	p.Raw("<div class=\"pictures\">\n")
	for _, c := range list {
		p.Raw("<figure>\n")
		p.Picture(c.Capture)
		p.Raw("\n<figcaption>")
		if c.Variants > 1 {
			p.Raw(fmt.Sprintf("variant %d of %d · ", c.Variant, c.Variants))
		}
		p.Raw("<details><summary>prompt")
		if c.Seed != nil {
			p.Raw(fmt.Sprintf(" · seed %d", *c.Seed))
		}
		p.Raw("</summary>")
		if c.Requested != "" {
			p.Raw("<p dir=\"auto\">asked for: ", EscapeHTML(c.Requested), "</p>")
		}
		p.Raw("<p dir=\"auto\">", EscapeHTML(shownPrompt(c.Capture)), "</p>")
		if c.NegativePrompt != "" {
			p.Raw("<p dir=\"auto\">without: ", EscapeHTML(c.NegativePrompt), "</p>")
		}
		p.Raw("</details></figcaption>\n</figure>\n")
	}
	p.Raw("</div>\n")
}

// Picture writes a capture's picture, or why it cannot be shown: the file itself if it fits into
// the page, else a still of thumbnail size.
func (p *Page) Picture(c storage.Capture) {
	words := EscapeHTML(failure.FirstRunes(shownPrompt(c), 200))
	video := c.Kind == string(capture.Video)
	if data, format, ok := p.file(c); ok {
		switch format {
		case media.MP4, media.WebM:
			if len(data) <= maxFilmBytes && p.films+len(data) <= maxFilmsBytes {
				p.film(data, "video/"+format, words)
				return
			}
		default:
			most := maxStillBytes
			if video {
				most = maxFilmBytes // an animation
			}
			if w, _ := dimensions(data); w > 0 && len(data) <= most && p.stills+len(data) <= maxStillsBytes {
				p.image(data, "image/"+format, words)
				return
			}
		}
	}
	img, err := p.gallery.Still(c)
	if err == nil {
		if data, mime, err := encodeStill(img); err == nil {
			p.image(data, mime, words)
			if video {
				p.Raw("<p>a still of a video: the video is too large for this page, or ffmpeg was not available to " +
					"remove its metadata</p>")
			}
			return
		}
	}
	p.Raw(`<p class="gone">This picture cannot be shown here.</p>`)
}

func (p *Page) film(data []byte, mime, words string) {
	p.films += len(data)
	p.Raw(`<video controls loop muted preload="metadata" aria-label="`, words, `" src="`)
	p.data(mime, data)
	p.Raw(`"></video>`)
}

// file returns a capture's file without metadata.
func (p *Page) file(c storage.Capture) (data []byte, format string, ok bool) {
	info, err := p.gallery.stat(c)
	if err != nil || info > maxFilmBytes+maxFilmBytes/4 { // what is embedded may be much
		return nil, "", false
	}
	if data, err = p.gallery.Picture(c, false); err != nil {
		return nil, "", false
	}
	format = media.Sniff(data)
	data, err = media.Strip(data, format)
	return data, format, err == nil
}

func (p *Page) image(data []byte, mime, words string) {
	p.stills += len(data)
	p.Raw(`<img loading="lazy" decoding="async"`)
	if w, h := dimensions(data); w > 0 {
		p.Raw(fmt.Sprintf(` width="%d" height="%d"`, w, h))
	}
	p.Raw(` alt="`, words, `" src="`)
	p.data(mime, data)
	p.Raw(`">`)
}

func (p *Page) data(mime string, data []byte) {
	p.Raw("data:", mime, ";base64,")
	enc := base64.NewEncoder(base64.StdEncoding, p.w)
	_, _ = enc.Write(data) // as with raw
	_ = enc.Close()
}

// encodeStill encodes a still for a page, keeping transparency.
func encodeStill(img image.Image) (data []byte, mime string, err error) {
	img = thumbnail(img)
	if o, ok := img.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		data, err = encodePNG(img)
		return data, "image/png", err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 88})
	return b.Bytes(), "image/jpeg", err
}

// EscapeHTML escapes a text for an HTML element or a quoted attribute.
func EscapeHTML(s string) string { return html.EscapeString(removeInvisible(s)) }

// removeInvisible removes control characters and unterminated direction changes.
func removeInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, unicode.IsControl(r):
			return -1
		case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// strong and em match text between two asterisks, or one.
var (
	strong = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\*\*([^*\s][^*]*)\*\*`) })
	em     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\*([^*\s][^*]*)\*`) })
)

// emphasize converts asterisks in a paragraph to emphasis. Unmatched asterisks stay.
func emphasize(para string) string {
	out := strong().ReplaceAllString(lines(removeInvisible(para)), "<strong>$1</strong>")
	return em().ReplaceAllString(out, "<em>$1</em>")
}

func lines(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\n", "<br>\n") }

const pageStyle = `
:root { color-scheme: light dark; --back: #faf8f4; --text: #26241f; --faint: #716b60; --light: #8a5a00; --line: #e2ddd2; --card: #fffdf9; }
@media (prefers-color-scheme: dark) { :root { --back: #14161b; --text: #d8d9dd; --faint: #8d919b; --light: #f0c674; --line: #2b2f38; --card: #1b1e25; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 17px/1.6 Georgia, "Times New Roman", serif; overflow-wrap: anywhere; }
header, main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { margin: 0; color: var(--light); font-weight: normal; }
header p, figcaption, .note, .gone, figure > p { color: var(--faint); font: 14px/1.5 system-ui, sans-serif; }
h2 { margin: 2.5rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); color: var(--light); font-weight: normal; }
h3 { margin: 0; color: var(--faint); font: 600 14px/1.5 system-ui, sans-serif; }
article { margin: 0 0 1.1rem; }
article p { margin: .2rem 0 .6rem; unicode-bidi: isolate; }
.user { padding-left: 1rem; border-left: 3px solid var(--line); }
em { color: var(--faint); }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0; }
figure { flex: 1 1 18rem; min-width: 0; margin: 0; padding: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
img, video { display: block; max-width: 100%; height: auto; margin: 0 auto; border-radius: 3px; }
figcaption { margin-top: .4rem; }
details { display: inline; }
details p { margin: .4rem 0 0; white-space: pre-wrap; }
summary { display: inline; cursor: pointer; }
@media print { figure { break-inside: avoid; } }
`

// NewPage returns a page that writes to w.
func NewPage(gallery *Gallery, w io.Writer) *Page {
	return &Page{gallery: gallery, w: bufio.NewWriter(w)}
}

// Flush writes buffered output and returns the first error.
func (p *Page) Flush() error { return p.w.Flush() }
