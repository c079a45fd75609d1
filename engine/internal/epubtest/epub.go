// Package epubtest checks books that were written, in tests.
package epubtest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Faults checks a book by the rules of EPUB 3 that matter to readers: the mimetype
// comes first and stored, the package is found and complete, ids are unique, the spine and
// all references resolve, every document is well-formed XML, there is a table of contents
// for new and old readers, and nothing refers to anything outside or runs.
func Faults(data []byte) error {
	b := &epub{files: map[string][]byte{}, used: map[string]bool{}, ids: map[string]map[string]bool{}}
	if err := b.unpack(data); err != nil {
		return err
	}
	b.packed()
	return errors.Join(b.faults...)
}

type epub struct {
	files  map[string][]byte
	faults []error
	used   map[string]bool
	ids    map[string]map[string]bool // by document
	links  []epubLink
}

type epubLink struct{ from, to string }

func (b *epub) fault(format string, args ...any) {
	if len(b.faults) < 20 {
		b.faults = append(b.faults, fmt.Errorf(format, args...))
	}
}

func (b *epub) unpack(data []byte) error {
	const first = "application/epub+zip"
	if len(data) < 58 || string(data[30:58]) != "mimetype"+first || data[8] != 0 || data[6]&8 != 0 {
		b.fault("the file does not begin with a stored mimetype without extra fields")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if b.files[f.Name] != nil || strings.Contains(f.Name, "..") || strings.HasPrefix(f.Name, "/") {
			b.fault("the name %q stands twice or leads out", f.Name)
		}
		b.files[f.Name] = text
	}
	return nil
}

// opf is the list of what a book is made of.
type opf struct {
	Version string `xml:"version,attr"`
	Unique  string `xml:"unique-identifier,attr"`
	Meta    struct {
		Identifier []struct {
			ID   string `xml:"id,attr"`
			Text string `xml:",chardata"`
		} `xml:"identifier"`
		Title    []string `xml:"title"`
		Language []string `xml:"language"`
		Meta     []struct {
			Property string `xml:"property,attr"`
			Text     string `xml:",chardata"`
		} `xml:"meta"`
	} `xml:"metadata"`
	Items []struct {
		ID         string `xml:"id,attr"`
		Href       string `xml:"href,attr"`
		Media      string `xml:"media-type,attr"`
		Properties string `xml:"properties,attr"`
	} `xml:"manifest>item"`
	Spine struct {
		Toc  string `xml:"toc,attr"`
		Refs []struct {
			ID string `xml:"idref,attr"`
		} `xml:"itemref"`
	} `xml:"spine"`
}

func (b *epub) packed() {
	const name = "EPUB/package.opf"
	var box struct {
		Root struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := xml.Unmarshal(b.files["META-INF/container.xml"], &box); err != nil || box.Root.Path != name {
		b.fault("container.xml does not lead to %s: %v", name, err)
	}
	var p opf
	if err := xml.Unmarshal(b.files[name], &p); err != nil {
		b.fault("%s: %w", name, err)
		return
	}
	b.metadata(p)
	b.used["mimetype"], b.used["META-INF/container.xml"], b.used[name] = true, true, true
	byID, navs := map[string]string{}, 0
	for _, it := range p.Items {
		file := path.Join("EPUB", it.Href)
		if byID[it.ID] != "" || it.ID == "" || b.used[file] {
			b.fault("the manifest has %s (%s) twice", it.ID, it.Href)
		}
		byID[it.ID], b.used[file] = it.Media, true
		if b.files[file] == nil {
			b.fault("the manifest names %s, which is not there", it.Href)
		}
		if strings.Contains(it.Properties, "nav") {
			navs++
		}
		b.item(file, it.Media)
	}
	if navs != 1 {
		b.fault("there are %d tables of contents", navs)
	}
	if byID[p.Spine.Toc] != "application/x-dtbncx+xml" {
		b.fault("the spine has no NCX")
	}
	read := map[string]bool{}
	for _, r := range p.Spine.Refs {
		if byID[r.ID] != "application/xhtml+xml" || read[r.ID] {
			b.fault("the spine names %q, which is no document or stands twice", r.ID)
		}
		read[r.ID] = true
	}
	for file := range b.files {
		if !b.used[file] {
			b.fault("%s is in no manifest", file)
		}
	}
	b.resolve()
}

func (b *epub) metadata(p opf) {
	if p.Version != "3.0" || len(p.Meta.Title) != 1 || strings.TrimSpace(p.Meta.Title[0]) == "" ||
		len(p.Meta.Language) != 1 || p.Meta.Language[0] == "" {
		b.fault("version %q, titles %q, languages %q", p.Version, p.Meta.Title, p.Meta.Language)
	}
	if !slices.ContainsFunc(p.Meta.Identifier, func(i struct {
		ID   string `xml:"id,attr"`
		Text string `xml:",chardata"`
	}) bool {
		return i.ID == p.Unique && i.Text != ""
	}) {
		b.fault("there is no identifier %q", p.Unique)
	}
	modified := 0
	for _, m := range p.Meta.Meta {
		if m.Property == "dcterms:modified" && len(m.Text) == len("2006-01-02T15:04:05Z") {
			modified++
		}
	}
	if modified != 1 {
		b.fault("the book says %d times when it was modified", modified)
	}
}

// item looks at one file.
func (b *epub) item(file, media string) {
	data := b.files[file]
	head := map[string]string{"image/png": "\x89PNG", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8"}
	switch media {
	case "application/xhtml+xml", "application/x-dtbncx+xml":
		b.document(file, data, media == "application/xhtml+xml")
	case "text/css":
		if bytes.Contains(data, []byte("url(")) || bytes.Contains(data, []byte("@import")) {
			b.fault("%s leads out", file)
		}
	default:
		if want := head[media]; want == "" || !bytes.HasPrefix(data, []byte(want)) {
			b.fault("%s is no %s", file, media)
		}
	}
}

// epubTags are the elements that are allowed in a document.
var epubTags = strings.Fields(
	`html head meta title link body section header main nav h1 h2 h3 h4 h5 h6 p div span aside figure figcaption img
	br hr em strong del code pre blockquote ol ul li table thead tbody tr th td a bdi style
	ncx docTitle text navMap navPoint navLabel content`)

func (b *epub) document(file string, data []byte, page bool) {
	if !utf8.Valid(data) {
		b.fault("%s is not UTF-8", file)
	}
	ids := map[string]bool{}
	b.ids[file] = ids
	d := xml.NewDecoder(bytes.NewReader(data))
	titles, headings := 0, 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.fault("%s: %w", file, err)
			return
		}
		el, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(epubTags, el.Name.Local) {
			b.fault("%s has an element %q", file, el.Name.Local)
		}
		switch el.Name.Local {
		case "title":
			titles++
		case "h1", "h2":
			headings++
		}
		b.attributes(file, el, ids)
	}
	if page && titles != 1 {
		b.fault("%s has %d titles", file, titles)
	}
}

func (b *epub) attributes(file string, el xml.StartElement, ids map[string]bool) {
	seen := map[xml.Name]bool{}
	for _, a := range el.Attr {
		if seen[a.Name] {
			b.fault("%s: an attribute %s twice", file, a.Name.Local)
		}
		seen[a.Name] = true
		switch n := a.Name.Local; {
		case n == "id":
			if ids[a.Value] || a.Value == "" || strings.ContainsAny(a.Value, " \t\n") {
				b.fault("%s: the id %q stands twice, or is none", file, a.Value)
			}
			ids[a.Value] = true
		case n == "href" || n == "src":
			b.links = append(b.links, epubLink{file, a.Value})
		case strings.HasPrefix(strings.ToLower(n), "on"):
			b.fault("%s: something runs at %s", file, n)
		}
	}
	if el.Name.Local == "img" && !seen[xml.Name{Local: "alt"}] {
		b.fault("%s: a picture without words", file)
	}
}

// resolve looks whether everything that is referred to is there.
func (b *epub) resolve() {
	for _, l := range b.links {
		u, err := url.Parse(l.to)
		if err != nil || u.IsAbs() || u.Host != "" || strings.HasPrefix(l.to, "/") {
			b.fault("%s refers to %q", l.from, l.to)
			continue
		}
		to := l.from
		if u.Path != "" {
			to = path.Join(path.Dir(l.from), u.Path)
		}
		if !b.used[to] || b.files[to] == nil || u.Fragment != "" && !b.ids[to][u.Fragment] {
			b.fault("%s refers to %q, which is not there", l.from, l.to)
		}
	}
}
