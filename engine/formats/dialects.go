package formats

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The dialects in this file have fewer settings than World Info and match keys in other ways.
// Their implicit behaviour is set in the entry, so that settings of this program do not change it.

// charactersPerMessage converts a depth in characters to one in messages.
const charactersPerMessage = 400

func messagesOf(characters int) int {
	const most = 1000
	return min(max(1, (characters+charactersPerMessage-1)/charactersPerMessage), most)
}

// foreignEntry reads the members of an entry and notes those of the wrong type.
type foreignEntry struct {
	c  *bookContext
	it *item
	o  object
}

func (c *bookContext) newForeignEntry(raw json.RawMessage, it *item) foreignEntry {
	o, ok := parseObject(raw)
	if !ok {
		it.err = wrapf(ErrTooLarge, "it has more than %d members, which no entry has", maxMembers)
	}
	yes, no := true, false
	it.entry.CaseSensitive, it.entry.WholeWords = &no, &yes
	it.entry.Selective = false
	return foreignEntry{c, it, o}
}

// set reads a member into the World Info setting with the same meaning.
func (f *foreignEntry) set(key, setting string) {
	if raw := f.o.get(key); raw != nil {
		f.c.set(f.it, settingsByKey[setting], key, raw)
	}
}

func (f *foreignEntry) flag(key string, without bool) bool {
	raw := f.o.get(key)
	v, ok := looseBool(raw)
	if !ok {
		if v = without; !isNull(raw) {
			f.c.noteOdd(f.it, key, raw, "true or false", strconv.FormatBool(v))
		}
	}
	return v
}

func (f *foreignEntry) count(key string, without int) int {
	v := without
	if raw := f.o.get(key); raw != nil {
		if want := readCount(raw, -maxOrder, maxOrder, &v); want != "" {
			f.c.noteOdd(f.it, key, raw, want, strconv.Itoa(v))
		}
	}
	return v
}

// readKeyList reads a list of keys, or with commas a comma-separated text.
func (f *foreignEntry) readKeyList(key string, commas bool) []string {
	raw := f.o.get(key)
	if s, ok := text(raw); ok && commas {
		return commaList(s)
	}
	list, want := readTexts(raw)
	if want != "" {
		f.c.noteOdd(f.it, key, raw, want, string(quoteList(list)))
	}
	return list
}

func mapKeys(keys []string, f func(string) string) []string {
	for i, key := range keys {
		keys[i] = f(key)
	}
	return keys
}

func (c *bookContext) readAgnai(raw json.RawMessage, it *item) {
	f := c.newForeignEntry(raw, it)
	e := it.entry
	f.set("name", "comment")
	f.set("entry", "content")
	e.Keys = mapKeys(f.readKeyList("keywords", false), globKey)
	e.SecondaryKeys = mapKeys(f.readKeyList("secondaryKeys", false), globKey)
	f.set("selective", "selective")
	f.set("constant", "constant")
	e.Disabled = !f.flag("enabled", true)
	e.Order = f.count("weight", 0)
	if s, _ := text(f.o.get("position")); s == "after_char" {
		e.Position = storage.AfterChar
	}
	if f.o.has("priority") && f.count("priority", 0) != e.Order {
		c.countOnce("the priority of an entry for the budget differs from its weight for the position (%d times): " +
			"here the order is used for both, set to the weight")
	}
	it.uid = readUID(f.o.get("id"))
	f.set(ownKey, ownKey)
}

// risuChildren returns the keys of entries that have none of their own because they belong to the
// entry before, or to the one with their ID.
func risuChildren(raws []rawEntry) map[int][]string {
	out := map[int][]string{}
	byID := map[string][]string{}
	var before []string
	for pass := range 2 {
		for i, r := range raws {
			o, _ := parseObject(r.raw)
			mode, _ := looseString(o.get("mode"))
			key, _ := looseString(o.get("key"))
			id, _ := looseString(o.get("id"))
			switch child := mode == "child"; {
			case pass == 0 && !child && mode != "folder" && id != "":
				byID[id] = commaList(key)
			case pass == 1 && child && strings.TrimSpace(key) == "":
				if out[i] = before; byID[id] != nil {
					out[i] = byID[id]
				}
			case pass == 1 && !child && mode != "folder":
				before = commaList(key)
			}
		}
	}
	return out
}

func (c *bookContext) readRisu(raw json.RawMessage, at int, it *item) {
	f := c.newForeignEntry(raw, it)
	e := it.entry
	no := false
	e.WholeWords = &no
	f.set("comment", "comment")
	f.set("content", "content")
	e.Order = f.count("insertorder", 100)
	e.Constant = f.flag("alwaysActive", false)
	e.Selective = f.flag("selective", false)
	e.Position = storage.AfterChar
	ext, _ := parseObject(f.o.get("extentions"))
	sensitive, _ := looseBool(ext.get("risu_case_sensitive"))
	e.CaseSensitive = &sensitive
	f.set("activationPercent", "probability")
	if f.flag("useRegex", false) {
		e.Keys, e.SecondaryKeys = f.oneKey("key", sensitive), f.oneKey("secondkey", sensitive)
	} else {
		keys, second := f.readKeyList("key", true), f.readKeyList("secondkey", true)
		if from, ok := c.childKeys[at]; ok {
			keys = append(keys, from...)
		}
		for _, key := range append(keys[:len(keys):len(keys)], second...) {
			if !strings.HasPrefix(key, "/") {
				c.countOnce(
					"keys that are matched without any spaces (%d): here only spaces in the key itself are optional")
			}
		}
		loosen := func(key string) string { return spacelessKey(key, sensitive) }
		e.Keys, e.SecondaryKeys = mapKeys(keys, loosen), mapKeys(second, loosen)
	}
	switch mode, _ := looseString(f.o.get("mode")); mode {
	case "", "normal", "multiple":
	case "constant":
		e.Constant = true
	case "child":
		if len(e.Keys) == 0 && !e.Constant {
			c.countOnce("child entries without keys and without a parent in this file (%d) never trigger")
		}
	case "folder":
		e.Disabled, e.Keys, e.SecondaryKeys = true, nil, nil
		c.countOnce("folders (%d) are kept as disabled entries, for an export")
	default:
		c.noteOdd(it, "mode", f.o.get("mode"), "a mode that is known", "normal")
	}
	f.set(ownKey, ownKey)
}

// oneKey reads a text that is one regular expression.
func (f *foreignEntry) oneKey(key string, sensitive bool) []string {
	s, odd := looseString(f.o.get(key))
	if odd != "" && odd != "null" {
		f.c.noteOdd(f.it, key, f.o.get(key), "a text", s)
	}
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return []string{slashedKey(s, sensitive)}
}

// disabledCategories returns the IDs of disabled categories.
func disabledCategories(book *object) map[string]bool {
	out := map[string]bool{}
	list, _ := elements(book.get("categories"), maxMembers)
	for _, raw := range list {
		o, _ := parseObject(raw)
		id, _ := looseString(o.get("id"))
		if on, ok := looseBool(o.get("enabled")); ok && !on && id != "" {
			out[id] = true
		}
	}
	return out
}

func (c *bookContext) readNovelAI(raw json.RawMessage, it *item) {
	const usualRange, usualOrder = 1000, 400
	f := c.newForeignEntry(raw, it)
	e := it.entry
	f.set("displayName", "comment")
	f.set("text", "content")
	e.Keys = mapKeys(f.readKeyList("keys", false), allWordsKey)
	e.Constant = f.flag("forceActivation", false)
	e.Disabled = !f.flag("enabled", true)
	if category, _ := looseString(f.o.get("category")); c.disabledCategories[category] {
		e.Disabled = true
		c.countOnce("entries in a category that is turned off (%d) are disabled")
	}
	// Only entries that say so are found by the text of other entries.
	e.ExcludeRecursion = !f.flag("nonStoryActivatable", false)
	config, _ := parseObject(f.o.get("contextConfig"))
	e.Order = usualOrder
	if priority := config.get("budgetPriority"); priority != nil {
		f.c.set(it, settingsByKey["order"], "contextConfig.budgetPriority", priority)
	}
	depth := messagesOf(f.count("searchRange", usualRange))
	e.ScanDepth = &depth
	c.countOnce("entries that search a number of characters (%d) here search messages with about as much text")
	f.set(ownKey, ownKey)
}

// koboldSettings reads the settings of a save file that apply to all its entries.
func koboldSettings(root *object) (sensitive bool, place storage.LorePosition) {
	saved, _ := parseObject(root.get("savedsettings"))
	sensitive, _ = looseBool(saved.get("case_sensitive_wi"))
	raw := firstOf(root, &saved, "wiinsertlocation", "wi_insertlocation")
	switch where, _ := number(raw); where {
	case 1:
		return sensitive, storage.NoteTop
	case 2:
		return sensitive, storage.NoteBottom
	}
	return sensitive, storage.AfterChar
}

func firstOf(root, saved *object, keys ...string) json.RawMessage {
	for _, key := range keys {
		for _, o := range []*object{root, saved} {
			if raw := o.get(key); !isNull(raw) {
				return raw
			}
		}
	}
	return nil
}

// koboldDepth returns the depth of a save file in messages. The file has characters, with 0 for
// all.
func koboldDepth(root *object, n *warningList) int {
	const all = 1000
	saved, _ := parseObject(root.get("savedsettings"))
	raw := firstOf(root, &saved, "wisearchdepth", "wi_searchdepth")
	f, ok := number(raw)
	if raw != nil && !ok {
		n.add("the search depth is %s instead of a number; the whole chat is searched", kindOf(raw))
	}
	if f < 1 || f > maxOrder {
		return all
	}
	n.add("entries are searched for in %d characters; here in %d messages, about as much text", int(f),
		messagesOf(int(f)))
	return messagesOf(int(f))
}

func totalLength(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s)
	}
	return n
}

func (c *bookContext) readKobold(raw json.RawMessage, at int, it *item) {
	f := c.newForeignEntry(raw, it)
	e := it.entry
	no, sensitive := false, c.sensitive
	e.WholeWords, e.CaseSensitive = &no, &sensitive
	f.set("comment", "comment")
	f.set("content", "content")
	f.set("constant", "constant")
	f.set("probability", "probability")
	e.Disabled = f.flag("widisabled", false)
	e.Keys = f.readKeyList("key", true)
	// Entries keep the order of the file, and only the chat activates them.
	e.Order, e.Position = 100+at, c.koboldPlace
	e.ExcludeRecursion, e.PreventRecursion = true, true
	if e.Selective = f.flag("selective", false); e.Selective {
		second, against := f.readKeyList("keysecondary", true), f.readKeyList("keyanti", true)
		switch {
		case len(against) == 0:
			e.SecondaryKeys = second
		case len(second) == 0:
			e.SecondaryKeys, e.Logic = against, storage.NotAny
		case len(second)*(totalLength(against)+2*len(against)) > MaxLoreContent:
			e.SecondaryKeys = second
			c.countOnce("entries with too many secondary keys and anti-keys to combine (%d): the anti-keys are ignored")
		default:
			e.SecondaryKeys = mapKeys(second, func(key string) string { return exceptKey(key, against, c.sensitive) })
		}
	}
	it.uid = readUID(f.o.get("uid"))
	f.set(ownKey, ownKey)
}
