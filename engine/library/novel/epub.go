package novel

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strconv"
	"strings"
)

// documentBytes is the size at which the next document of an EPUB begins: readers lay out a
// document as a whole.
const documentBytes = 200 << 10

// epubWriter writes an EPUB. Only one of its documents is in memory.
type epubWriter struct {
	to       *zip.Writer
	story    *Story
	body     bodyWriter
	image    func(string) (Image, error)
	r        *Report
	doc      strings.Builder
	part     int // of the chapter, from 1; 0 if no document is open
	chapter  int
	chapters []string // the first document of each
	spine    []string
	pictures []manifestEntry
}

// manifestEntry is a file of the manifest.
type manifestEntry struct{ name, media string }

func writeBook(w io.Writer, s Story, pieces iter.Seq2[Piece, error],
	image func(string) (Image, error)) (r Report, err error) {
	b := &epubWriter{to: zip.NewWriter(w), story: &s, body: bodyWriter{story: &s}, image: image, r: &r}
	// The type of the file must be in its first bytes.
	if err := b.store("mimetype", []byte("application/epub+zip")); err != nil {
		return r, err
	}
	for _, f := range []struct{ name, text string }{
		{"META-INF/container.xml", container},
		{"EPUB/style.css", style},
		{"EPUB/title.xhtml", b.document(s.Title, `<section class="title" epub:type="titlepage">`+"\n"+s.title()+
			"</section>\n")},
	} {
		if err := b.pack(f.name, f.text); err != nil {
			return r, err
		}
	}
	if err := r.count(pieces, b.piece); err != nil {
		return r, err
	}
	if err := b.end(); err != nil {
		return r, err
	}
	for _, f := range []struct{ name, text string }{{"EPUB/nav.xhtml", b.nav()}, {"EPUB/toc.ncx", b.ncx()},
		{"EPUB/package.opf", b.opf()}} {
		if err := b.pack(f.name, f.text); err != nil {
			return r, err
		}
	}
	return r, b.to.Close()
}

// piece adds a piece to the open document.
func (b *epubWriter) piece(p Piece) error {
	if p.Kind == Chapter {
		if err := b.end(); err != nil {
			return err
		}
		b.chapter++
		b.body.begin()
		b.begin(b.story.open(b.chapter, b.chapter))
		b.chapters = append(b.chapters, b.name())
		return nil
	}
	if b.part == 0 { // pieces before the first chapter
		if err := b.piece(Piece{Kind: Chapter}); err != nil {
			return err
		}
	}
	if b.doc.Len() > documentBytes {
		part := b.part
		if err := b.end(); err != nil {
			return err
		}
		b.part = part
		b.begin("<section class=\"chapter\">\n")
	}
	if p.Kind != Picture {
		b.body.piece(&b.doc, p)
		return nil
	}
	img, err := b.image(p.Picture)
	if err != nil {
		b.r.Missing++
		b.body.picture(&b.doc, p, "", img)
		return nil
	}
	name := fmt.Sprintf("pictures/p%04d.%s", len(b.pictures)+1, img.Format)
	b.pictures = append(b.pictures, manifestEntry{name, mediaType(img.Format)})
	b.r.Pictures++
	b.body.picture(&b.doc, p, name, img)
	return b.store("EPUB/"+name, img.Data)
}

func (b *epubWriter) begin(open string) {
	b.part++
	b.doc.Reset()
	b.doc.WriteString(open)
}

// name returns the name of the open document.
func (b *epubWriter) name() string {
	if b.part > 1 {
		return fmt.Sprintf("chapter%04d-%d.xhtml", b.chapter, b.part)
	}
	return fmt.Sprintf("chapter%04d.xhtml", b.chapter)
}

// end writes the open document.
func (b *epubWriter) end() error {
	if b.part == 0 {
		return nil
	}
	b.doc.WriteString("</section>\n")
	name := b.name()
	b.spine = append(b.spine, name)
	b.part = 0
	return b.pack("EPUB/"+name, b.document(b.story.label(b.chapter), b.doc.String()))
}

// document returns a complete document.
func (b *epubWriter) document(title, inner string) string {
	return `<?xml version="1.0" encoding="utf-8"?>` + "\n<!DOCTYPE html>\n" +
		`<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="` +
		b.story.Language + `" xml:lang="` + b.story.Language + `" dir="` + b.story.dir() + "\">\n" +
		"<head>\n<meta charset=\"utf-8\" />\n<title>" + escape(title) + "</title>\n" +
		`<link rel="stylesheet" type="text/css" href="style.css" />` + "\n</head>\n<body>\n" + inner +
		"</body>\n</html>\n"
}

// pack writes a compressed text file.
func (b *epubWriter) pack(name, text string) error {
	w, err := b.to.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// store writes an uncompressed file, with its size in the header.
func (b *epubWriter) store(name string, data []byte) error {
	size := uint64(len(data))
	w, err := b.to.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data),
		CompressedSize64: size, UncompressedSize64: size})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

const container = `<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml" />
</rootfiles>
</container>
`

// nav returns the table of contents.
func (b *epubWriter) nav() string {
	var out strings.Builder
	out.WriteString("<nav epub:type=\"toc\" id=\"toc\" role=\"doc-toc\">\n<h2>Contents</h2>\n<ol>\n" +
		`<li><a href="title.xhtml">` + escape(b.story.Title) + "</a></li>\n")
	for i, name := range b.chapters {
		out.WriteString(`<li><a href="` + name + `">` + escape(b.story.label(i+1)) + "</a></li>\n")
	}
	out.WriteString("</ol>\n</nav>\n<nav epub:type=\"landmarks\" hidden=\"hidden\">\n<h2>Parts</h2>\n<ol>\n" +
		`<li><a epub:type="titlepage" href="title.xhtml">Title page</a></li>` + "\n" +
		`<li><a epub:type="toc" href="nav.xhtml">Contents</a></li>` + "\n")
	if len(b.chapters) > 0 {
		out.WriteString(`<li><a epub:type="bodymatter" href="` + b.chapters[0] + "\">Beginning</a></li>\n")
	}
	out.WriteString("</ol>\n</nav>\n")
	return b.document("Contents", out.String())
}

// ncx returns the table of contents for EPUB 2 readers.
func (b *epubWriter) ncx() string {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="utf-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="` + b.story.Language + `">
<head>
<meta name="dtb:uid" content="` + escape(b.story.ID) + `" />
<meta name="dtb:depth" content="1" />
<meta name="dtb:totalPageCount" content="0" />
<meta name="dtb:maxPageNumber" content="0" />
</head>
<docTitle><text>` + escape(b.story.Title) + "</text></docTitle>\n<navMap>\n")
	point := func(n int, label, to string) {
		out.WriteString(`<navPoint id="point` + strconv.Itoa(n) + `" playOrder="` + strconv.Itoa(n) +
			`"><navLabel><text>` + escape(label) + `</text></navLabel><content src="` + to + "\" /></navPoint>\n")
	}
	point(1, b.story.Title, "title.xhtml")
	for i, name := range b.chapters {
		point(i+2, b.story.label(i+1), name)
	}
	out.WriteString("</navMap>\n</ncx>\n")
	return out.String()
}

// opf returns the package document.
func (b *epubWriter) opf() string {
	s := b.story
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="` + s.Language +
		`" dir="` + s.dir() + `">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">` + escape(s.ID) + `</dc:identifier>
<dc:title>` + escape(s.Title) + `</dc:title>
<dc:language>` + s.Language + `</dc:language>
<meta property="dcterms:modified">` + s.Modified.UTC().Format("2006-01-02T15:04:05Z") + "</meta>\n")
	if !s.From.IsZero() {
		out.WriteString("<dc:date>" + s.From.UTC().Format("2006-01-02") + "</dc:date>\n")
	}
	if s.Persona != "" {
		out.WriteString("<dc:creator>" + escape(s.Persona) + "</dc:creator>\n")
	}
	for _, name := range s.Cast {
		out.WriteString("<dc:contributor>" + escape(name) + "</dc:contributor>\n")
	}
	out.WriteString(`</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav" />
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml" />
<item id="style" href="style.css" media-type="text/css" />
<item id="title" href="title.xhtml" media-type="application/xhtml+xml" />
`)
	for i, name := range b.spine {
		out.WriteString(`<item id="doc` + strconv.Itoa(i+1) + `" href="` + name +
			`" media-type="application/xhtml+xml" />` + "\n")
	}
	for i, p := range b.pictures {
		out.WriteString(`<item id="picture` + strconv.Itoa(i+1) + `" href="` + p.name + `" media-type="` + p.media +
			`" />` + "\n")
	}
	progress := ""
	if s.RTL {
		progress = ` page-progression-direction="rtl"`
	}
	out.WriteString("</manifest>\n" + `<spine toc="ncx"` + progress + ">\n" + `<itemref idref="title" />` + "\n" +
		`<itemref idref="nav" />` + "\n")
	for i := range b.spine {
		out.WriteString(`<itemref idref="doc` + strconv.Itoa(i+1) + `" />` + "\n")
	}
	out.WriteString("</spine>\n</package>\n")
	return out.String()
}
