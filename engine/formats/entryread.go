package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// item is an entry as it was read. Its name is empty if the dialect has none. uid is -1 if the
// entry has none that can be used.
type item struct {
	entry *loreEntry
	uid   int
	err   error    // why the entry cannot be read
	odds  []string // what was wrong, "" beyond the limit
}

// bookContext is the state of reading the entries of a book. It collects the warnings that are
// given once per book.
type bookContext struct {
	family     string
	spelled    int
	counts     map[string]int
	countOrder []string // the keys of counts, in the order of their first use

	childKeys          map[int][]string // Risu: the raw keys of entries that use another entry's keys
	disabledCategories map[string]bool  // NovelAI: disabled categories
	sensitive          bool             // KoboldAI Lite
	koboldPlace        storage.LorePosition
}

func newBookContext(d *bookDocument, raws []rawEntry) *bookContext {
	c := &bookContext{family: family(d.format), counts: map[string]int{}}
	switch c.family {
	case FormatRisu:
		c.childKeys = risuChildren(raws)
	case FormatNovelAI:
		c.disabledCategories = disabledCategories(&d.book)
	case FormatKobold:
		c.sensitive, c.koboldPlace = koboldSettings(&d.root)
	}
	return c
}

// countOnce counts an observation that is reported once; the count is the argument of format.
func (c *bookContext) countOnce(format string) {
	if c.counts[format]++; c.counts[format] == 1 {
		c.countOrder = append(c.countOrder, format)
	}
}

func (c *bookContext) addWarnings(n *warningList) {
	for _, format := range c.countOrder {
		n.add(format, c.counts[format])
	}
}

// read reads a compact object as an entry into to. at is its position in the file.
func (c *bookContext) read(raw json.RawMessage, at int, to *loreEntry) item {
	*to = storage.NewLoreEntry()
	to.Role = storage.System
	it := item{entry: to, uid: -1}
	switch c.family {
	case FormatCharacterBook:
		c.readCharacterBook(raw, &it)
	case FormatAgnai:
		c.readAgnai(raw, &it)
	case FormatRisu:
		c.readRisu(raw, at, &it)
	case FormatNovelAI:
		c.readNovelAI(raw, &it)
	case FormatKobold:
		c.readKobold(raw, at, &it)
	default:
		c.readWorldInfo(raw, &it)
	}
	if strings.TrimSpace(it.entry.Name) == "" {
		it.entry.Name = ""
	}
	return it
}

// noteOdd notes a value of the wrong type.
func (c *bookContext) noteOdd(it *item, field string, raw json.RawMessage, want, used string) {
	if c.spelled++; c.spelled > maxWarnings {
		it.odds = append(it.odds, "")
		return
	}
	if len(used) > 80 {
		used = "what could be read"
	}
	is := kindOf(raw)
	if want == wantTexts && raw[0] == '[' {
		is, want = "a list with other things", "one of texts"
	}
	it.odds = append(it.odds, fmt.Sprintf("the field %s is %s where %s belongs; %s is used", field, is, want, used))
}

// set reads a value into a setting.
func (c *bookContext) set(it *item, s *setting, field string, raw json.RawMessage) {
	if want := s.read(raw, it.entry); want != "" {
		c.noteOdd(it, field, raw, want, string(s.raw(it.entry)))
	}
}

// members yields the members of an object. Too many are an error of the entry.
func (c *bookContext) members(raw json.RawMessage, it *item) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		n := 0
		for name, value := range members(raw) {
			if n++; n > maxMembers {
				it.err = wrapf(ErrTooLarge, "an object has more than %d members, which no lorebook has", maxMembers)
				return
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

func (c *bookContext) readWorldInfo(raw json.RawMessage, it *item) {
	nowhere := false
	var keys json.RawMessage // as in a character_book, by a program that mixes both formats
	keyed := false
	for name, value := range c.members(raw, it) {
		key := unquotedName(name)
		if s, ok := settingsByKey[string(key)]; ok {
			c.set(it, s, s.key, value)
			keyed = keyed || s.key == "key"
			if s.key == "position" {
				nowhere = it.entry.Position == storage.Outlet && !isOutlet(value)
			}
		} else if string(key) == "uid" {
			c.setUID(it, "uid", value)
		} else if string(key) == "keys" {
			keys = value
		}
	}
	if !keyed && keys != nil {
		c.set(it, settingsByKey["key"], "keys", keys)
	}
	if nowhere {
		it.entry.Outlet = ""
	}
}

// isOutlet reports whether a position is the outlet, and not an unknown one.
func isOutlet(raw json.RawMessage) bool {
	f, ok := number(raw)
	return ok && f == float64(storage.Outlet)
}

func (c *bookContext) setUID(it *item, field string, raw json.RawMessage) {
	if it.uid = readUID(raw); it.uid < 0 && !isNull(raw) {
		c.noteOdd(it, field, raw, "a whole number", "another uid")
	}
}

// bookEntry collects the members of a character_book entry that are read together.
type bookEntry struct {
	name, position, enabled, useRegex, caseSensitive json.RawMessage

	order    json.RawMessage // as in World Info, by a program that mixes both formats
	hasOrder bool            // in the format's own member

	extPosition json.RawMessage
	hasComment  bool
	native      bool // keys are as in World Info: slashes mark a regular expression
}

func (c *bookContext) readCharacterBook(raw json.RawMessage, it *item) {
	it.entry.Selective = false
	var b bookEntry
	for name, value := range c.members(raw, it) {
		key := string(unquotedName(name))
		if s, ok := settingsByTop[key]; ok {
			c.set(it, s, key, value)
			b.hasComment = b.hasComment || key == "comment" && strings.TrimSpace(it.entry.Name) != ""
			b.hasOrder = b.hasOrder || key == "insertion_order"
			continue
		}
		switch key {
		case "id":
			// Some programs write IDs that are not numbers; then the position is used.
			it.uid = readUID(value)
		case "name":
			b.name = value
		case "order":
			b.order = value
		case "position":
			b.position = value
		case "enabled":
			b.enabled = value
		case "use_regex":
			b.useRegex = value
		case "case_sensitive":
			b.caseSensitive = value
		case "extensions":
			c.readExtensions(value, it, &b)
		}
	}
	c.finishBookEntry(it, &b)
}

func (c *bookContext) readExtensions(raw json.RawMessage, it *item, b *bookEntry) {
	if raw[0] != '{' && !isNull(raw) {
		c.noteOdd(it, "extensions", raw, "an object", "none")
	}
	for name, value := range c.members(raw, it) {
		key := string(unquotedName(name))
		if s, ok := settingsByExt[key]; ok && !isNull(value) { // null counts as missing
			c.set(it, s, "extensions."+key, value)
		}
		switch key {
		case "position":
			b.extPosition, b.native = value, true
		case "selectiveLogic", "useProbability", "display_index":
			b.native = true
		}
	}
}

func (c *bookContext) finishBookEntry(it *item, b *bookEntry) {
	e := it.entry
	if !b.hasComment {
		c.set(it, settingsByKey["comment"], "name", b.name)
	}
	if !b.hasOrder && b.order != nil {
		c.set(it, settingsByKey["order"], "order", b.order)
	}
	if !isNull(b.enabled) {
		on, plain := truthy(b.enabled)
		if e.Disabled = !on; !plain {
			c.noteOdd(it, "enabled", b.enabled, "true or false", strconv.FormatBool(on))
		}
	}
	e.Position = storage.AfterChar
	if s, _ := text(b.position); s == "before_char" {
		e.Position = storage.BeforeChar
	} else if s != "after_char" && s != "" || len(b.position) > 0 && b.position[0] != '"' && !isNull(b.position) {
		if n, ok := number(b.position); !ok || n != float64(storage.AfterChar) {
			c.noteOdd(it, "position", b.position, "before_char or after_char", "after_char")
		}
	}
	if !isNull(b.extPosition) {
		c.set(it, settingsByKey["position"], "extensions.position", b.extPosition)
		if e.Position == storage.Outlet && !isOutlet(b.extPosition) {
			e.Outlet = ""
		}
	}
	// SillyTavern only uses the one among the extensions.
	if v, _ := looseBool(b.caseSensitive); v && e.CaseSensitive == nil && !b.native {
		c.countOnce("case_sensitive outside the extensions of an entry is ignored (%d times): set it in the entry if " +
			"it is meant")
	}
	if v, _ := looseBool(b.useRegex); v && !b.native {
		sensitive := b.caseSensitive == nil || jsTruth(b.caseSensitive)
		e.Keys = withSlashes(e.Keys, sensitive)
		e.SecondaryKeys = withSlashes(e.SecondaryKeys, sensitive)
	}
}

// check returns an error for an entry beyond the limits.
func (it *item) check(at int) error {
	e := it.entry
	if it.err != nil {
		return fmt.Errorf("%s: %w", entryLabel(at, e.Name), it.err)
	}
	if len(e.Content) > MaxLoreContent {
		return wrapf(ErrTooLarge, "the content of %s has %s; the limit is %s: shorten it or split the entry",
			entryLabel(at, e.Name), formatSize(len(e.Content)), formatSize(MaxLoreContent))
	}
	most := max(len(e.Name), len(e.Outlet), len(e.Group), len(e.Type), len(e.Synopsis),
		longest(e.Keys), longest(e.SecondaryKeys), longest(e.Aliases), longest(e.Triggers))
	if e.Characters != nil {
		most = max(most, longest(e.Characters.Names), longest(e.Characters.Tags))
	}
	if most > MaxLoreContent {
		return wrapf(ErrTooLarge, "a text of %s has %s; the limit is %s: shorten it", entryLabel(at, e.Name),
			formatSize(most), formatSize(MaxLoreContent))
	}
	return nil
}

func longest(list []string) int {
	most := 0
	for _, s := range list {
		most = max(most, len(s))
	}
	return most
}

// families are the dialects of entries. Marks are bits in this order.
var families = []string{FormatWorldInfo, FormatCharacterBook, FormatAgnai, FormatRisu, FormatNovelAI, FormatKobold}

const (
	markWorldInfo = 1 << iota
	markCharacterBook
	markAgnai
	markRisu
	markNovelAI
	markKobold
)

// familyMarks are members that distinguish the entries of a dialect.
var familyMarks = map[string]int{
	"uid": markWorldInfo, "key": markWorldInfo | markRisu | markKobold, "keysecondary": markWorldInfo | markKobold,
	"selectiveLogic": markWorldInfo, "disable": markWorldInfo, "order": markWorldInfo, "useProbability": markWorldInfo,
	"displayIndex": markWorldInfo, "addMemo": markWorldInfo,
	"keys": markCharacterBook | markNovelAI, "insertion_order": markCharacterBook, "secondary_keys": markCharacterBook,
	"use_regex": markCharacterBook, "enabled": markCharacterBook | markAgnai | markNovelAI,
	"extensions": markCharacterBook, "case_sensitive": markCharacterBook,
	"keywords": markAgnai, "entry": markAgnai, "weight": markAgnai,
	"secondkey": markRisu, "insertorder": markRisu, "alwaysActive": markRisu, "mode": markRisu, "extentions": markRisu,
	"text": markNovelAI, "displayName": markNovelAI, "contextConfig": markNovelAI, "forceActivation": markNovelAI,
	"searchRange": markNovelAI,
	"keyanti":     markKobold, "widisabled": markKobold, "wigroup": markKobold, "folder": markKobold | markRisu,
}

// keyFamilies are the dialects that read the keys of an entry from a member.
var keyFamilies = map[string]int{
	"key": markWorldInfo | markRisu | markKobold, "keys": markCharacterBook | markNovelAI, "keywords": markAgnai,
}

// entryFamily returns the dialect of an entry: the one with most of its members, and hint if it is
// among those. Without a hint, an entry with keys is not of a dialect that has its keys in another
// member.
func entryFamily(raw json.RawMessage, hint string) string {
	var votes [6]int
	keyed := 0
	for name, value := range members(raw) {
		bare := name[1 : len(name)-1]
		if readers := keyFamilies[string(bare)]; readers != 0 && !isNull(value) &&
			len(bytes.Trim(value, `[]{}", `)) > 0 {
			keyed |= readers
		}
		marks := familyMarks[string(bare)]
		for f := 0; marks != 0; f, marks = f+1, marks>>1 {
			votes[f] += marks & 1
		}
	}
	if keyed != 0 && hint == "" {
		for f := range votes {
			if keyed&(1<<f) == 0 {
				votes[f] = 0
			}
		}
	}
	best, most := hint, 0
	if at := slices.Index(families, hint); at >= 0 {
		most = votes[at]
	}
	for f, n := range votes {
		if n > most {
			best, most = families[f], n
		}
	}
	return best
}
