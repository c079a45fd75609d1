package ecosystem

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WriteBook writes a lorebook as compact JSON, with warnings about what the format
// has no place for. Entries stand as they stood in the file they came from, others
// behind those, in the order in which they are given. The
// formats are FormatWorldInfo, FormatCharacterBook (the bare object),
// FormatLorebookV3 and FormatOriginal: the dialect that the book was read from,
// World Info for a book made here. In its own dialect what was not edited leaves
// as it came, and an edit changes only its field. The dialects of Agnai, RisuAI, NovelAI
// and KoboldAI Lite are only read: a book of theirs leaves as it came, and as World Info
// once it was edited.
func WriteBook(format string, b storage.Lorebook, entries []storage.LoreEntry) ([]byte, []string, error) {
	w := bookWriter{format: format, b: &b, given: map[int]bool{}}
	out, err := w.document(entries)
	if errors.Is(err, errReadOnly) {
		w = bookWriter{format: FormatWorldInfo, b: &b, given: map[int]bool{}}
		w.n.add("lorebooks of %s can only be read, and this one was edited, so it was written as World Info", formatLabel(b.Format))
		out, err = w.document(entries)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write lorebook %s: %w", brief(b.Name), err)
	}
	return out, w.n.lines(), nil
}

// errReadOnly is that of a book that was edited, of a dialect that is only read.
var errReadOnly = errors.New("the dialect is only read")

func readOnly(format string) bool {
	return !slices.Contains([]string{FormatWorldInfo, FormatCharacterBook, FormatLorebookV3}, format)
}

type bookWriter struct {
	format string
	b      *storage.Lorebook
	n      notes

	kept   *bookDocument // what the book was read from, nil for one made here
	layout sourceLayout
	given  map[int]bool // layout.Given, where all entries are written as they stood
	ctx    *bookContext // of the dialect that is written
	edited bool         // of a dialect that is only read
	buf    []byte       // for comparing

	// What a World Info book keeps of the character_book that it was made of,
	// while one is made of it again.
	originals  []json.RawMessage
	originalAt map[int]int
}

func (w *bookWriter) document(entries []storage.LoreEntry) (json.RawMessage, error) {
	if err := w.open(); err != nil {
		return nil, err
	}
	if len(entries) > MaxBookEntries {
		return nil, fault(ErrTooLarge, "the book has %d entries; the limit is %d: split it",
			len(entries), MaxBookEntries)
	}
	entries = w.layout.ordered(entries)
	sources, err := keptSources(entries)
	if err != nil {
		return nil, err
	}
	target := w.target()
	w.ctx, w.buf = newBookContext(&target, sources), make([]byte, 0, 64<<10)
	// An entry that is made anew says its uid, and so the others are read otherwise.
	if !slices.ContainsFunc(sources, func(s rawEntry) bool { return w.familyOf(s.raw) != w.ctx.family }) {
		for _, uid := range w.layout.Given {
			w.given[uid] = true
		}
	}
	names, err := w.names(entries)
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

// open reads the kept document and settles the format.
func (w *bookWriter) open() error {
	if len(w.b.Source) > 0 && formatLabel(w.b.Format) != "" {
		source, err := compact(w.b.Source)
		if err != nil {
			return fmt.Errorf("the kept document: %w", err)
		}
		doc, ok := reopenBook(w.b.Format, source)
		if !ok {
			return fault(ErrDamaged, "the kept document is not a lorebook")
		}
		w.kept = &doc
		w.layout = readLayout(doc.book.get(doc.key))
	}
	if w.format == FormatOriginal {
		if w.format = FormatWorldInfo; w.kept != nil {
			w.format = w.b.Format
		}
		return nil
	}
	switch w.format {
	case FormatWorldInfo, FormatCharacterBook, FormatLorebookV3:
		return nil
	}
	return fmt.Errorf("there is no format %s to write: %s, %s, %s and %s are known", brief(w.format),
		FormatWorldInfo, FormatCharacterBook, FormatLorebookV3, FormatOriginal)
}

// reopenBook opens a document that ReadBook kept.
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
			return bareBook(source), ok
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

// target is the document to fill: the kept one where it is of the format, else a
// new one with what the kept one said beside the entries.
func (w *bookWriter) target() bookDocument {
	switch {
	case w.kept != nil && w.kept.format == w.format:
		return *w.kept
	case w.kept != nil && family(w.kept.format) == family(w.format):
		doc := bookDocument{format: w.format, book: w.kept.book, key: "entries"}
		return wrapBook(doc)
	}
	doc := bookDocument{format: w.format, key: "entries"}
	fresh := w.kept == nil
	if w.format == FormatWorldInfo {
		doc.book.set("entries", rawNull)
		doc.book.set("name", quoted(w.b.Name))
	} else {
		doc.book.set("name", quoted(w.b.Name))
		doc.book.set("description", quoted(w.b.Description))
		doc.book.set("extensions", json.RawMessage("{}"))
		doc.book.set("entries", rawNull)
	}
	w.layout = sourceLayout{}
	if !fresh {
		w.carryHead(&doc.book)
	}
	return wrapBook(doc)
}

func wrapBook(doc bookDocument) bookDocument {
	doc.root = doc.book
	if doc.format == FormatLorebookV3 {
		doc.wrapped = true
		doc.root = object{}
		doc.root.set("spec", quoted(FormatLorebookV3))
		doc.root.set("data", rawNull)
	}
	return doc
}

// carryHead takes over what the kept document of another dialect says of the
// book.
func (w *bookWriter) carryHead(book *object) {
	from := family(w.kept.format)
	if from == FormatKobold {
		return // a save file holds a whole story
	}
	members := w.kept.book.members
	if from == FormatWorldInfo {
		var data object
		data, w.originals, w.originalAt = originalEntries(&w.kept.book)
		data.remove("entries")
		members = slices.Concat(data.members, members)
	}
	var ext, rest object
	var odd json.RawMessage // extensions that are no object
	for _, m := range members {
		switch m.key {
		case w.kept.key, "name", "description", "originalData", "scan_depth", "scanDepth":
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
		rest = object{[]member{{from, quoted(from), rest.encode()}}}
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

// head writes what was edited of the book itself.
func (w *bookWriter) head(doc *bookDocument) {
	var quiet notes
	own := bookDocument{format: doc.format, root: doc.root, book: doc.book, key: doc.key}
	s := sourceLayout{}
	was := own.head(w.layout.Name, &s, &quiet)
	// A name is one line here. One that differs in white space alone was not edited.
	renamed := !slices.Equal(strings.Fields(w.b.Name), strings.Fields(was.Name))
	described, deeper := w.b.Description != was.Description, !equalPointers(w.b.ScanDepth, was.ScanDepth)
	if readOnly(w.format) {
		w.edited = w.edited || renamed || described || deeper
		return
	}
	if renamed {
		doc.book.set("name", quoted(w.b.Name))
	}
	if described {
		doc.book.set("description", quoted(w.b.Description))
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

// names are the names under which entries stand, nil where they are a list.
func (w *bookWriter) names(entries []storage.LoreEntry) ([]string, error) {
	if w.format != FormatWorldInfo || w.kept != nil && w.kept.format == FormatWorldInfo && w.layout.List {
		return nil, nil
	}
	odd := map[int]string{}
	used := make(map[string]bool, len(entries))
	for name, uid := range w.layout.Keys {
		odd[uid] = string(quoted(name))
	}
	uids := make(map[int]bool, len(entries))
	names := make([]string, len(entries))
	for i := range entries {
		uid := entries[i].UID
		if uids[uid] {
			return nil, fault(ErrDamaged, "%s has the uid %d of another entry", entryLabel(i, entries[i].Name), uid)
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
		// A name can be taken by an entry that stood under another's uid.
		at := entries[i].UID
		for used[`"`+strconv.Itoa(at)+`"`] {
			at += len(entries) + 1
		}
		names[i] = `"` + strconv.Itoa(at) + `"`
		used[names[i]] = true
	}
	return names, nil
}

// joinEntries is the list of entries, or the object in which they stand under their names.
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

// familyOf is the dialect of what was kept of an entry, "" for none.
func (w *bookWriter) familyOf(source json.RawMessage) string {
	if len(source) == 0 || source[0] != '{' {
		return ""
	}
	hint := ""
	if w.kept != nil {
		hint = family(w.kept.format)
	}
	return entryFamily(source, hint)
}

// entry is one entry as it is written. source is what was kept of it, compact.
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
		m.unname(&old)
		if m.unchanged() {
			return source
		}
		if o, ok := parseObject(source); ok && !readOnly(w.format) {
			m.o = o
			return m.merged()
		}
	}
	if readOnly(w.format) {
		w.edited = true
		return source
	}
	m.fresh, m.uid = true, -1
	if from != "" && from != w.ctx.family {
		m.foreign, m.foreignRaw = from, source
		quiet := bookContext{family: from, told: map[string]int{}, spelled: maxWarnings}
		quiet.read(source, i, &old)
		m.unname(&old)
	}
	return m.merged()
}
