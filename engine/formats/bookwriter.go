package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WriteBook writes a lorebook as compact JSON and returns warnings about what the format cannot
// hold. Entries keep the order of the file that they came from; others follow in the given order.
// The formats are FormatWorldInfo, FormatCharacterBook (the bare object), FormatLorebookV3 and
// FormatOriginal, which is the dialect that the book was read from, or World Info for a book made
// here. In its own dialect an unedited value is written as it was read, and an edit changes only
// its field. The dialects of Agnai, RisuAI, NovelAI and KoboldAI Lite are read-only: an unedited
// book is written as it was read, an edited one as World Info.
func WriteBook(format string, b storage.Lorebook, entries []storage.LoreEntry) ([]byte, []string, error) {
	w := bookWriter{format: format, b: &b, given: map[int]bool{}}
	out, err := w.document(entries)
	if errors.Is(err, errReadOnly) {
		w = bookWriter{format: FormatWorldInfo, b: &b, given: map[int]bool{}}
		w.n.add("lorebooks of %s can only be read, and this one was edited, so it was written as World Info",
			formatLabel(b.Format))
		out, err = w.document(entries)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write lorebook %s: %w", quoteShort(b.Name), err)
	}
	return out, w.n.lines(), nil
}

// errReadOnly is the error for an edited book of a read-only dialect.
var errReadOnly = errors.New("the dialect is only read")

func readOnly(format string) bool {
	return !slices.Contains([]string{FormatWorldInfo, FormatCharacterBook, FormatLorebookV3}, format)
}

type bookWriter struct {
	format string
	b      *storage.Lorebook
	n      warningList

	source *bookDocument // the document that the book was read from, nil for one made here
	layout sourceLayout
	given  map[int]bool // layout.Given, if all entries are written as they were
	ctx    *bookContext // of the written dialect
	edited bool         // of a read-only dialect
	buf    []byte       // for comparisons

	// The entries of the character_book that a World Info book was made of, when it is written as
	// a character_book again.
	originals  []json.RawMessage
	originalAt map[int]int
}

func (w *bookWriter) document(entries []storage.LoreEntry) (json.RawMessage, error) {
	if err := w.open(); err != nil {
		return nil, err
	}
	if len(entries) > MaxBookEntries {
		return nil, wrapf(ErrTooLarge, "the book has %d entries; the limit is %d: split it",
			len(entries), MaxBookEntries)
	}
	entries = w.layout.inFileOrder(entries)
	sources, err := keptSources(entries)
	if err != nil {
		return nil, err
	}
	target := w.targetDocument()
	w.ctx, w.buf = newBookContext(&target, sources), make([]byte, 0, 64<<10)
	// A new entry states its UID, which changes how the others are read.
	if !slices.ContainsFunc(sources, func(s rawEntry) bool { return w.familyOf(s.raw) != w.ctx.family }) {
		for _, uid := range w.layout.Given {
			w.given[uid] = true
		}
	}
	names, err := w.entryNames(entries)
	if err != nil {
		return nil, err
	}
	raws := make([]json.RawMessage, len(entries))
	for i := range entries {
		raws[i] = w.entry(i, &entries[i], sources[i].raw, names)
	}
	list := joinEntries(raws, names)
	w.head(&target)
	if w.edited {
		return nil, errReadOnly
	}
	if w.format == FormatWorldInfo {
		w.mirror(&target, entries, sources)
	}
	out := target.withEntries(list)
	return out, nil
}

// open opens the original document and sets the format.
func (w *bookWriter) open() error {
	if len(w.b.Source) > 0 && formatLabel(w.b.Format) != "" {
		source, err := compact(w.b.Source)
		if err != nil {
			return fmt.Errorf("the kept document: %w", err)
		}
		doc, ok := reopenBook(w.b.Format, source)
		if !ok {
			return wrapf(ErrDamaged, "the kept document is not a lorebook")
		}
		w.source = &doc
		w.layout = readLayout(doc.book.get(doc.key))
	}
	if w.format == FormatOriginal {
		if w.format = FormatWorldInfo; w.source != nil {
			w.format = w.b.Format
		}
		return nil
	}
	switch w.format {
	case FormatWorldInfo, FormatCharacterBook, FormatLorebookV3:
		return nil
	}
	return fmt.Errorf("there is no format %s to write: %s, %s, %s and %s are known", quoteShort(w.format),
		FormatWorldInfo, FormatCharacterBook, FormatLorebookV3, FormatOriginal)
}

// reopenBook opens a document that ReadBook stored.
func reopenBook(format string, source json.RawMessage) (bookDocument, bool) {
	root, ok := parseObject(source)
	doc := bookDocument{format: format, root: root, book: root, key: "entries"}
	switch format {
	case FormatLorebookV3:
		doc.wrapped = true
		doc.book, ok = parseObject(root.get("data"))
	case FormatRisu:
		doc.key = "data"
	case FormatKobold:
		switch {
		case root.has("worldinfo"):
			doc.key = "worldinfo"
		case root.has("wi"):
			doc.key = "wi"
		default:
			return openEntryList(source), ok
		}
	}
	return doc, ok
}

func keptSources(entries []storage.LoreEntry) ([]rawEntry, error) {
	out := make([]rawEntry, len(entries))
	for i := range entries {
		if len(entries[i].Source) == 0 {
			continue
		}
		raw, err := compact(entries[i].Source)
		if err != nil {
			return nil, fmt.Errorf("what was kept of %s: %w", entryLabel(i, entries[i].Name), err)
		}
		out[i].raw = raw
	}
	return out, nil
}

// targetDocument returns the document to fill: the original if it has the format, else a new one
// with the original's members beside the entries.
func (w *bookWriter) targetDocument() bookDocument {
	switch {
	case w.source != nil && w.source.format == w.format:
		return *w.source
	case w.source != nil && family(w.source.format) == family(w.format):
		doc := bookDocument{format: w.format, book: w.source.book, key: "entries"}
		return wrapBook(doc)
	}
	doc := bookDocument{format: w.format, key: "entries"}
	fresh := w.source == nil
	if w.format == FormatWorldInfo {
		doc.book.set("entries", rawNull)
		doc.book.set("name", quote(w.b.Name))
	} else {
		doc.book.set("name", quote(w.b.Name))
		doc.book.set("description", quote(w.b.Description))
		doc.book.set("extensions", json.RawMessage("{}"))
		doc.book.set("entries", rawNull)
	}
	w.layout = sourceLayout{}
	if !fresh {
		w.copyHead(&doc.book)
	}
	return wrapBook(doc)
}

func wrapBook(doc bookDocument) bookDocument {
	doc.root = doc.book
	if doc.format == FormatLorebookV3 {
		doc.wrapped = true
		doc.root = object{}
		doc.root.set("spec", quote(FormatLorebookV3))
		doc.root.set("data", rawNull)
	}
	return doc
}

// copyHead copies what a document of another dialect says about the book.
func (w *bookWriter) copyHead(book *object) {
	from := family(w.source.format)
	if from == FormatKobold {
		return // a save file holds a whole story
	}
	members := w.source.book.members
	if from == FormatWorldInfo {
		var data object
		data, w.originals, w.originalAt = originalEntries(&w.source.book)
		data.remove("entries")
		members = slices.Concat(data.members, members)
	}
	var ext, rest object
	var odd json.RawMessage // extensions that are not an object
	for _, m := range members {
		switch m.key {
		case w.source.key, "name", "description", "originalData", "scan_depth", "scanDepth":
		case "extensions":
			var isObject bool
			if ext, isObject = parseObject(m.raw); !isObject {
				odd = m.raw
			}
		case "token_budget", "recursive_scanning":
			book.set(m.key, m.raw)
		default:
			rest.set(m.key, m.raw)
		}
	}
	if from != FormatWorldInfo && from != FormatCharacterBook && len(rest.members) > 0 {
		rest = object{[]member{{from, quote(from), rest.encode()}}}
	}
	for _, m := range rest.members {
		if !ext.has(m.key) {
			ext.members = append(ext.members, m)
		}
	}
	switch {
	case len(ext.members) > 0:
		book.set("extensions", ext.encode())
	case odd != nil:
		book.set("extensions", odd)
	}
}

// head writes the edits of the book itself.
func (w *bookWriter) head(doc *bookDocument) {
	var quiet warningList
	own := bookDocument{format: doc.format, root: doc.root, book: doc.book, key: doc.key}
	s := sourceLayout{}
	was := own.readHead(w.layout.Name, &s, &quiet)
	// A name is one line. A difference in white space is not an edit.
	renamed := !slices.Equal(strings.Fields(w.b.Name), strings.Fields(was.Name))
	described, deeper := w.b.Description != was.Description, !equalPointers(w.b.ScanDepth, was.ScanDepth)
	if readOnly(w.format) {
		w.edited = w.edited || renamed || described || deeper
		return
	}
	if renamed {
		doc.book.set("name", quote(w.b.Name))
	}
	if described {
		doc.book.set("description", quote(w.b.Description))
	}
	if deeper {
		w.headDepth(doc)
	}
}

func (w *bookWriter) headDepth(doc *bookDocument) {
	switch {
	case w.b.ScanDepth == nil:
		doc.book.remove("scan_depth", "scanDepth")
	case doc.book.has("scanDepth"):
		doc.book.remove("scan_depth")
		doc.book.set("scanDepth", rawInt(*w.b.ScanDepth))
	default:
		doc.book.set("scan_depth", rawInt(*w.b.ScanDepth))
	}
}

// entryNames returns the names of the entries in an object, nil if they are a list.
func (w *bookWriter) entryNames(entries []storage.LoreEntry) ([]string, error) {
	if w.format != FormatWorldInfo || w.source != nil && w.source.format == FormatWorldInfo && w.layout.List {
		return nil, nil
	}
	odd := map[int]string{}
	used := make(map[string]bool, len(entries))
	for name, uid := range w.layout.Keys {
		odd[uid] = string(quote(name))
	}
	uids := make(map[int]bool, len(entries))
	names := make([]string, len(entries))
	for i := range entries {
		uid := entries[i].UID
		if uids[uid] {
			return nil, wrapf(ErrDamaged, "%s has the uid %d of another entry", entryLabel(i, entries[i].Name), uid)
		}
		uids[uid] = true
		if name, ok := odd[uid]; ok {
			names[i], used[name] = name, true
		}
	}
	for i := range entries {
		if names[i] != "" {
			continue
		}
		// The name may belong to an entry that was stored under another UID.
		at := entries[i].UID
		for used[`"`+strconv.Itoa(at)+`"`] {
			at += len(entries) + 1
		}
		names[i] = `"` + strconv.Itoa(at) + `"`
		used[names[i]] = true
	}
	return names, nil
}

// joinEntries returns the list of entries, or the object with the entries under their names.
func joinEntries(raws []json.RawMessage, names []string) json.RawMessage {
	if names == nil {
		return encodeList(raws)
	}
	all := object{make([]member, len(raws))}
	for i, raw := range raws {
		all.members[i] = member{name: []byte(names[i]), raw: raw}
	}
	return all.encode()
}

// familyOf returns the dialect of an entry's source, "" for none.
func (w *bookWriter) familyOf(source json.RawMessage) string {
	if len(source) == 0 || source[0] != '{' {
		return ""
	}
	hint := ""
	if w.source != nil {
		hint = family(w.source.format)
	}
	return entryFamily(source, hint)
}

// entry returns an entry as it is written. source is its compact original.
func (w *bookWriter) entry(i int, e *loreEntry, source json.RawMessage, names []string) json.RawMessage {
	from := w.familyOf(source)
	implied := i
	if names != nil {
		implied = nameUID([]byte(names[i]))
	}
	var old loreEntry
	if w.given[e.UID] {
		implied = e.UID
	}
	m := entryMerge{now: e, old: &old, implied: implied, w: w, buf: w.buf}
	if from == w.ctx.family {
		m.uid = w.ctx.read(source, i, &old).uid
		m.dropDerivedName(&old)
		if m.unchanged() {
			return source
		}
		if o, ok := parseObject(source); ok && !readOnly(w.format) {
			m.o = o
			return m.result()
		}
	}
	if readOnly(w.format) {
		w.edited = true
		return source
	}
	m.fresh, m.uid = true, -1
	if from != "" && from != w.ctx.family {
		m.foreign, m.foreignRaw = from, source
		quiet := bookContext{family: from, counts: map[string]int{}, spelled: maxWarnings}
		quiet.read(source, i, &old)
		m.dropDerivedName(&old)
	}
	return m.result()
}
