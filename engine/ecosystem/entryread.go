package ecosystem

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

// item is an entry as its dialect says it. Its name is empty where the dialect
// gives none. uid is -1 where the entry gives none that can be used.
type item struct {
	entry *loreEntry
	uid   int
	err   error    // why the entry cannot be read
	odds  []string // what was wrong, "" for what is no longer spelled out
}

// bookContext is what entries of a book are read against, and what is said once
// for a whole book instead of for each entry.
type bookContext struct {
	family  string
	spelled int
	told    map[string]int
	tells   []string // the keys of told, in the order in which they came up

	childKeys   map[int][]string // Risu: the raw keys of entries that take another's
	closed      map[string]bool  // NovelAI: categories that are off
	sensitive   bool             // KoboldAI Lite
	koboldPlace storage.LorePosition
}

func newBookContext(d *bookDocument, raws []rawEntry) *bookContext {
	c := &bookContext{family: family(d.format), told: map[string]int{}}
	switch c.family {
	case FormatRisu:
		c.childKeys = risuChildren(raws)
	case FormatNovelAI:
		c.closed = closedCategories(&d.book)
	case FormatKobold:
		c.sensitive, c.koboldPlace = koboldSettings(&d.root)
	}
	return c
}

// once counts an observation that is told once; format takes the count.
func (c *bookContext) once(format string) {
	if c.told[format]++; c.told[format] == 1 {
		c.tells = append(c.tells, format)
	}
}

func (c *bookContext) tell(n *notes) {
	for _, format := range c.tells {
		n.add(format, c.told[format])
	}
}

// read reads a compact object as an entry into to; at is its place in the file.
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

// odd notes a value of the wrong type.
func (c *bookContext) odd(it *item, field string, raw json.RawMessage, want, used string) {
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

// take reads a value into a setting.
func (c *bookContext) take(it *item, s *setting, field string, raw json.RawMessage) {
	if want := s.read(raw, it.entry); want != "" {
		c.odd(it, field, raw, want, string(s.raw(it.entry)))
	}
}

// members are those of an object, up to the limit, which is an error of the entry.
func (c *bookContext) members(raw json.RawMessage, it *item) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		n := 0
		for name, value := range members(raw) {
			if n++; n > maxMembers {
				it.err = fault(ErrTooLarge, "an object has more than %d members, which no lorebook has", maxMembers)
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
	var keys json.RawMessage // as a character_book has them, of a program that mixes both
	keyed := false
	for name, value := range c.members(raw, it) {
		key := bareName(name)
		if s, ok := settingsByKey[string(key)]; ok {
			c.take(it, s, s.key, value)
			keyed = keyed || s.key == "key"
			if s.key == "position" {
				nowhere = it.entry.Position == storage.Outlet && !isOutlet(value)
			}
		} else if string(key) == "uid" {
			c.takeUID(it, "uid", value)
		} else if string(key) == "keys" {
			keys = value
		}
	}
	if !keyed && keys != nil {
		c.take(it, settingsByKey["key"], "keys", keys)
	}
	if nowhere {
		it.entry.Outlet = ""
	}
}

// isOutlet reports whether a position is that of an outlet, and not one that there
// is none of.
func isOutlet(raw json.RawMessage) bool {
	f, ok := number(raw)
	return ok && f == float64(storage.Outlet)
}

func (c *bookContext) takeUID(it *item, field string, raw json.RawMessage) {
	if it.uid = readUID(raw); it.uid < 0 && !isNull(raw) {
		c.odd(it, field, raw, "a whole number", "another uid")
	}
}

// bookEntry collects what only the whole of a character_book's entry decides.
type bookEntry struct {
	name, position, enabled, useRegex, caseSensitive json.RawMessage

	order    json.RawMessage // as World Info has it, of a program that mixes both
	hasOrder bool            // in the format's own words

	extPosition json.RawMessage
	hasComment  bool
	native      bool // keys are as World Info has them: slashes tell a regex
}

func (c *bookContext) readCharacterBook(raw json.RawMessage, it *item) {
	it.entry.Selective = false
	var b bookEntry
	for name, value := range c.members(raw, it) {
		key := string(bareName(name))
		if s, ok := settingsByTop[key]; ok {
			c.take(it, s, key, value)
			b.hasComment = b.hasComment || key == "comment" && strings.TrimSpace(it.entry.Name) != ""
			b.hasOrder = b.hasOrder || key == "insertion_order"
			continue
		}
		switch key {
		case "id":
			// Some programs write ids that are no numbers; the place serves for those.
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
	c.settle(it, &b)
}

func (c *bookContext) readExtensions(raw json.RawMessage, it *item, b *bookEntry) {
	if raw[0] != '{' && !isNull(raw) {
		c.odd(it, "extensions", raw, "an object", "none")
	}
	for name, value := range c.members(raw, it) {
		key := string(bareName(name))
		if s, ok := settingsByExt[key]; ok && !isNull(value) { // null is there as if nothing were
			c.take(it, s, "extensions."+key, value)
		}
		switch key {
		case "position":
			b.extPosition, b.native = value, true
		case "selectiveLogic", "useProbability", "display_index":
			b.native = true
		}
	}
}

func (c *bookContext) settle(it *item, b *bookEntry) {
	e := it.entry
	if !b.hasComment {
		c.take(it, settingsByKey["comment"], "name", b.name)
	}
	if !b.hasOrder && b.order != nil {
		c.take(it, settingsByKey["order"], "order", b.order)
	}
	if !isNull(b.enabled) {
		on, plain := truthy(b.enabled)
		if e.Disabled = !on; !plain {
			c.odd(it, "enabled", b.enabled, "true or false", strconv.FormatBool(on))
		}
	}
	e.Position = storage.AfterChar
	if s, _ := text(b.position); s == "before_char" {
		e.Position = storage.BeforeChar
	} else if s != "after_char" && s != "" || len(b.position) > 0 && b.position[0] != '"' && !isNull(b.position) {
		if n, ok := number(b.position); !ok || n != float64(storage.AfterChar) {
			c.odd(it, "position", b.position, "before_char or after_char", "after_char")
		}
	}
	if !isNull(b.extPosition) {
		c.take(it, settingsByKey["position"], "extensions.position", b.extPosition)
		if e.Position == storage.Outlet && !isOutlet(b.extPosition) {
			e.Outlet = ""
		}
	}
	// The ecosystem's leader looks only at the one among the extensions.
	if v, _ := yesNo(b.caseSensitive); v && e.CaseSensitive == nil && !b.native {
		c.once("case_sensitive outside the extensions of an entry is ignored (%d times): set it in the entry if it is meant")
	}
	if v, _ := yesNo(b.useRegex); v && !b.native {
		sensitive := b.caseSensitive == nil || truth(b.caseSensitive)
		e.Keys = slashed(e.Keys, sensitive)
		e.SecondaryKeys = slashed(e.SecondaryKeys, sensitive)
	}
}

// check refuses what is beyond the limits.
func (it *item) check(at int) error {
	e := it.entry
	if it.err != nil {
		return fmt.Errorf("%s: %w", entryLabel(at, e.Name), it.err)
	}
	if len(e.Content) > MaxLoreContent {
		return fault(ErrTooLarge, "the content of %s has %s; the limit is %s: shorten it or split the entry", entryLabel(at, e.Name), size(len(e.Content)), size(MaxLoreContent))
	}
	most := max(len(e.Name), len(e.Outlet), len(e.Group), len(e.Type), len(e.Synopsis),
		longest(e.Keys), longest(e.SecondaryKeys), longest(e.Aliases), longest(e.Triggers))
	if e.Characters != nil {
		most = max(most, longest(e.Characters.Names), longest(e.Characters.Tags))
	}
	if most > MaxLoreContent {
		return fault(ErrTooLarge, "a text of %s has %s; the limit is %s: shorten it", entryLabel(at, e.Name), size(most), size(MaxLoreContent))
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

// families are the dialects of entries. Marks are bits in their order.
var families = []string{FormatWorldInfo, FormatCharacterBook, FormatAgnai, FormatRisu, FormatNovelAI, FormatKobold}

const (
	markWorldInfo = 1 << iota
	markCharacterBook
	markAgnai
	markRisu
	markNovelAI
	markKobold
)

// familyMarks are members that tell a dialect's entries from others.
var familyMarks = map[string]int{
	"uid": markWorldInfo, "key": markWorldInfo | markRisu | markKobold, "keysecondary": markWorldInfo | markKobold,
	"selectiveLogic": markWorldInfo, "disable": markWorldInfo, "order": markWorldInfo, "useProbability": markWorldInfo,
	"displayIndex": markWorldInfo, "addMemo": markWorldInfo,
	"keys": markCharacterBook | markNovelAI, "insertion_order": markCharacterBook, "secondary_keys": markCharacterBook,
	"use_regex": markCharacterBook, "enabled": markCharacterBook | markAgnai | markNovelAI,
	"extensions": markCharacterBook, "case_sensitive": markCharacterBook,
	"keywords": markAgnai, "entry": markAgnai, "weight": markAgnai,
	"secondkey": markRisu, "insertorder": markRisu, "alwaysActive": markRisu, "mode": markRisu, "extentions": markRisu,
	"text": markNovelAI, "displayName": markNovelAI, "contextConfig": markNovelAI, "forceActivation": markNovelAI, "searchRange": markNovelAI,
	"keyanti": markKobold, "widisabled": markKobold, "wigroup": markKobold, "folder": markKobold | markRisu,
}

// keyFamilies are the dialects that read the keys of an entry from that member.
var keyFamilies = map[string]int{
	"key": markWorldInfo | markRisu | markKobold, "keys": markCharacterBook | markNovelAI, "keywords": markAgnai,
}

// entryFamily tells of which dialect an entry is: the one that has the most of
// its members, and hint where it is among those. Without a hint, an entry that has keys
// is none of a dialect that has them elsewhere.
func entryFamily(raw json.RawMessage, hint string) string {
	var votes [6]int
	keyed := 0
	for name, value := range members(raw) {
		bare := name[1 : len(name)-1]
		if readers := keyFamilies[string(bare)]; readers != 0 && !isNull(value) && len(bytes.Trim(value, `[]{}", `)) > 0 {
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
