package formats

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func utf8String(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// bookDocument is the JSON of a lorebook and its position in the surrounding document.
type bookDocument struct {
	format  string
	root    object // the document; the book itself if wrapped is false
	book    object
	wrapped bool   // the book is root's "data"
	bare    bool   // the document is only the list of entries
	key     string // the member of book with the entries
	card    string // the name of the card that contains the book
}

// openBook detects the dialect of a compact document.
func openBook(source json.RawMessage) (bookDocument, error) {
	if len(source) > 0 && source[0] == '[' {
		list, _ := elements(source, MaxBookEntries)
		if len(list) > 0 && entryFamily(list[0], "") == FormatKobold {
			return openEntryList(source), nil
		}
		return bookDocument{}, notBook(KindUnknown)
	}
	root, ok := parseObject(source)
	if !ok && len(source) > 0 && source[0] == '{' {
		return bookDocument{}, wrapf(ErrTooLarge,
			"the document has more than %d fields at its top, which no lorebook has", maxMembers)
	}
	if !ok {
		return bookDocument{}, notBook(KindUnknown)
	}
	t := root.traits()
	if t.kind() == KindStory {
		return openStoryBook(&root)
	}
	doc := bookDocument{root: root, book: root, key: "entries"}
	switch spec := t.marks["spec"]; {
	case strings.HasPrefix(spec, "chara_card"):
		return openCardBook(&root)
	case strings.HasPrefix(spec, "lorebook"):
		data, ok := parseObject(root.get("data"))
		if !ok {
			return doc, wrapf(ErrDamaged,
				"the document calls itself %s but its \"data\" is not a lorebook: export it again", quoteShort(spec))
		}
		doc.format, doc.book, doc.wrapped = FormatLorebookV3, data, true
	case t.marks["kind"] == "memory":
		doc.format = FormatAgnai
	case t.marks["type"] == "risu" && root.has("data"):
		doc.format, doc.key = FormatRisu, "data"
	case root.has("lorebookVersion"):
		doc.format = FormatNovelAI
	case koboldMember(&root) != "":
		doc.format, doc.key = FormatKobold, koboldMember(&root)
	case t.kind() == KindLorebook || root.has("entries") && t.kind() == KindUnknown:
		if !root.has("entries") {
			return doc, notBook(KindUnknown) // the mark of a dialect, without what it marks
		}
		doc.format = FormatWorldInfo
		if isCharacterBookList(&root) {
			doc.format = FormatCharacterBook
		}
	case t.kind() == KindCard:
		return openCardBook(&root)
	default:
		return doc, notBook(t.kind())
	}
	return doc, nil
}

func openEntryList(list json.RawMessage) bookDocument {
	doc := bookDocument{format: FormatKobold, bare: true, key: "wi"}
	doc.book.set("wi", list)
	doc.root = doc.book
	return doc
}

// koboldMember returns the name of the member with the entries of a KoboldAI Lite file.
func koboldMember(root *object) string {
	for _, key := range []string{"worldinfo", "wi"} {
		if raw := root.get(key); len(raw) > 0 && raw[0] == '[' {
			return key
		}
	}
	return ""
}

// isCharacterBookList reports whether the entry list is a character_book, and not World Info with
// a list.
func isCharacterBookList(root *object) bool {
	raw := root.get("entries")
	if len(raw) == 0 || raw[0] != '[' {
		return false
	}
	for _, entry := range values(raw, '[') { // the first entry with a distinctive member decides
		if fam := entryFamily(entry, ""); fam != "" {
			return fam == FormatCharacterBook
		}
	}
	return root.has("extensions") || root.has("scan_depth") || root.has("token_budget")
}

// openStoryBook opens the lorebook of a NovelAI story or scenario: content.lorebook of a file with
// storyContainerVersion, whose title is in metadata, and lorebook of one with scenarioVersion
// (format facts from public tools that read and write them: NovelAI-API, KoboldAI Lite).
func openStoryBook(root *object) (bookDocument, error) {
	home, about := *root, *root
	if content, ok := parseObject(root.get("content")); ok {
		home = content
		about, _ = parseObject(root.get("metadata"))
	}
	book, ok := parseObject(home.get("lorebook"))
	if !ok || !book.has("entries") {
		return bookDocument{}, wrapf(ErrNotBook,
			"this is a NovelAI story without a lorebook: there is nothing in it to import")
	}
	doc := bookDocument{format: FormatNovelAI, root: book, book: book, key: "entries"}
	if title := strings.TrimSpace(about.firstText("title")); len(title) <= maxName {
		doc.card = title
	}
	return doc, nil
}

// openCardBook opens the character_book of a card, also of a card of another program.
func openCardBook(root *object) (bookDocument, error) {
	card, ok, err := foreignDocument(root)
	if err != nil {
		return bookDocument{}, err
	}
	if ok {
		converted, _ := parseObject(card.Source)
		root = &converted
	}
	home := *root
	if data, ok := parseObject(root.get("data")); ok {
		home = data
	}
	raw := home.get("character_book")
	if len(raw) == 0 {
		raw = root.get("character_book")
	}
	if len(raw) == 0 || string(raw) == "null" {
		return bookDocument{}, notBook(KindCard)
	}
	book, ok := parseObject(raw)
	if !ok {
		return bookDocument{}, wrapf(ErrDamaged,
			"the card's \"character_book\" is not a lorebook: export the card again")
	}
	doc := bookDocument{format: FormatCharacterBook, root: book, book: book, key: "entries"}
	name, _ := looseString(home.get("name"))
	if name = strings.TrimSpace(name); len(name) <= maxName {
		doc.card = name
	}
	return doc, nil
}

// family returns the dialect of a format's entries.
func family(format string) string {
	if format == FormatLorebookV3 {
		return FormatCharacterBook
	}
	return format
}

func formatLabel(format string) string {
	return map[string]string{FormatWorldInfo: "World Info", FormatCharacterBook: "character_book",
		FormatLorebookV3: "lorebook_v3",
		FormatAgnai:      "Agnai", FormatRisu: "Risu", FormatNovelAI: "NovelAI", FormatKobold: "KoboldAI Lite"}[format]
}

// withEntries returns the document with its entries replaced.
func (d *bookDocument) withEntries(raw json.RawMessage) json.RawMessage {
	book := d.book.clone()
	book.set(d.key, raw)
	if d.bare {
		return raw
	}
	if !d.wrapped {
		return book.encode()
	}
	root := d.root.clone()
	root.set("data", book.encode())
	return root.encode()
}

// rawEntry is an entry with its name in the object of entries, if it had one.
type rawEntry struct {
	raw  json.RawMessage
	name []byte // quoted
}

// splitEntries returns the entries of the document. Of entries with the same name the last one is
// used.
func (d *bookDocument) splitEntries() ([]rawEntry, bool, error) {
	raw := d.book.get(d.key)
	tooMany := wrapf(ErrTooLarge, "the book has more than %d entries: split it", MaxBookEntries)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, true, nil
	case raw[0] == '[':
		list, ok := elements(raw, MaxBookEntries)
		if !ok {
			return nil, true, tooMany
		}
		out := make([]rawEntry, len(list))
		for i, r := range list {
			out[i].raw = r
		}
		return out, true, nil
	case raw[0] == '{':
		var out []rawEntry
		seen := map[string]int{}
		for name, value := range members(raw) {
			key, _ := text(json.RawMessage(name))
			if at, ok := seen[key]; ok {
				out[at].raw = value
				continue
			}
			if len(out) == MaxBookEntries {
				return nil, false, tooMany
			}
			seen[key] = len(out)
			out = append(out, rawEntry{value, name})
		}
		return out, false, nil
	}
	return nil, false, wrapf(ErrDamaged, "the field %s is %s and holds no entries: export the book again",
		d.key, kindOf(raw))
}

// read reads the whole book. title is used if the book has no name.
func (d *bookDocument) read(title string) (ImportedBook, error) {
	raws, list, err := d.splitEntries()
	if err != nil {
		return ImportedBook{}, err
	}
	var n warningList
	ctx := newBookContext(d, raws)
	entries := make([]storage.LoreEntry, 0, len(raws))
	from := make([]rawEntry, 0, len(raws))
	uids := make([]int, 0, len(raws))
	places := make([]int, 0, len(raws))
	keys := 0
	for i, r := range raws {
		if len(r.raw) == 0 || r.raw[0] != '{' {
			n.add("entry %d is %s instead of an entry; it was left out", i+1, kindOf(r.raw))
			continue
		}
		entries = append(entries, storage.LoreEntry{})
		it := ctx.read(r.raw, i, &entries[len(entries)-1])
		if err := it.check(i); err != nil {
			return ImportedBook{}, err
		}
		if keys += len(it.entry.Keys) + len(it.entry.SecondaryKeys); keys > maxBookKeys {
			return ImportedBook{}, wrapf(ErrTooLarge, "the book has more than %d keys: split it", maxBookKeys)
		}
		for _, odd := range it.odds {
			if odd == "" {
				n.more++
				continue
			}
			n.add("%s: %s", entryLabel(i, it.entry.Name), odd)
		}
		it.entry.Source = r.raw
		from = append(from, r)
		uids = append(uids, it.uid)
		places = append(places, i)
	}
	s := sourceLayout{List: list}
	next := assignUIDs(entries, from, uids, places, &s, &n)
	for i := range entries {
		if entries[i].Name == "" {
			entries[i].Name = derivedName(&entries[i])
		}
	}
	book := d.readHead(title, &s, &n)
	book.NextUID = next
	book.Source = d.withEntries(s.encode())
	ctx.addWarnings(&n)
	return ImportedBook{Book: book, Entries: entries, Format: formatLabel(d.format), Warnings: n.lines()}, nil
}

// readHead reads what the document says about the book itself.
func (d *bookDocument) readHead(title string, s *sourceLayout, n *warningList) storage.Lorebook {
	b := storage.Lorebook{Format: d.format}
	name, odd := looseString(d.book.get("name"))
	name = strings.TrimSpace(name)
	if odd != "" && odd != "null" {
		n.add("the book's name is of type %s instead of text", odd)
	}
	if len(name) > maxName {
		n.add("the book's name has %s, and a name may have %s; it was named after its file", formatSize(len(name)),
			formatSize(maxName))
		name = ""
	}
	if name == "" {
		if name = title; d.card != "" {
			name = d.card
		}
		s.Name = name
	}
	b.Name = name
	about, odd := looseString(d.book.get("description"))
	if odd != "" && odd != "null" {
		n.add("the book's description is of type %s instead of text", odd)
	}
	if len(about) > MaxLoreContent {
		n.add("the book's description has %s and was left out of the overview", formatSize(len(about)))
		about = ""
	}
	b.Description = about
	b.ScanDepth = d.scanDepth(n)
	return b
}

func (d *bookDocument) scanDepth(n *warningList) *int {
	for _, key := range []string{"scan_depth", "scanDepth"} {
		raw := d.book.get(key)
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if depth, ok := wholeNumber(raw); ok && depth >= 0 {
			return &depth
		}
		n.add("the book's %s is %s instead of a number of messages; the value of the settings is used",
			key, kindOf(raw))
	}
	if d.format == FormatKobold {
		depth := koboldDepth(&d.root, n)
		return &depth
	}
	return nil
}

// assignUIDs gives every entry a unique UID and returns the next free one. Entries without one use
// their name in the file, or their position.
func assignUIDs(entries []storage.LoreEntry, from []rawEntry, uids, places []int, s *sourceLayout, n *warningList) int {
	taken := make(map[int]bool, len(entries))
	top := -1
	take := func(i, uid int) bool {
		if uid < 0 || taken[uid] {
			return false
		}
		taken[uid] = true
		entries[i].UID = uid
		top = max(top, uid)
		return true
	}
	var left []int
	for i, uid := range uids {
		if uid >= 0 && !take(i, uid) {
			left = append(left, i)
		} else if uid < 0 {
			left = append(left, i)
		}
		if k := nameUID(from[i].name); k >= 0 {
			top = max(top, k)
		}
	}
	for _, i := range left {
		if uids[i] < 0 {
			if uid := nameUID(from[i].name); uid >= 0 && take(i, uid) || from[i].name == nil && take(i, i) {
				continue
			}
		}
		for !take(i, top+1) {
			top++
		}
		if uids[i] >= 0 && len(n.list) >= maxWarnings {
			n.more++
		} else if uids[i] >= 0 {
			n.add("%s: the uid %d is that of another entry; it is now %d", entryLabel(places[i], entries[i].Name),
				uids[i], entries[i].UID)
		}
	}
	s.setUIDs(entries, from, uids)
	for i := range from {
		key, named := text(json.RawMessage(from[i].name))
		if !named || key == strconv.Itoa(entries[i].UID) {
			continue
		}
		if s.Keys == nil {
			s.Keys = map[string]int{}
		}
		s.Keys[key] = entries[i].UID
	}
	return top + 1
}

const maxUID = 1 << 53

// nameUID returns the UID in an entry's name in the file, -1 for none.
func nameUID(name []byte) int {
	if len(name) < 3 || len(name) > 18 {
		return -1
	}
	uid, err := strconv.Atoi(string(name[1 : len(name)-1]))
	if err != nil || uid < 0 || uid > maxUID {
		return -1
	}
	return uid
}

// readUID reads a UID, -1 if it cannot be used.
func readUID(raw json.RawMessage) int {
	f, ok := number(raw)
	if !ok || f < 0 || f > maxUID || f != float64(int64(f)) {
		return -1
	}
	return int(f)
}

// entryLabel returns how warnings name an entry: by its position in the file, from 1, and its
// name.
func entryLabel(at int, name string) string {
	if name == "" {
		return fmt.Sprintf("entry %d", at+1)
	}
	return fmt.Sprintf("entry %d %s", at+1, quoteShort(name))
}

// derivedName returns a name for an entry without one.
func derivedName(e *storage.LoreEntry) string {
	for _, key := range e.Keys {
		if len(key) <= maxName && strings.TrimSpace(key) != "" {
			return key
		}
	}
	return fmt.Sprintf("entry %d", e.UID)
}
