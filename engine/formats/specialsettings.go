package formats

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// disabledCodec disables an entry. SillyTavern compares this flag with true, where it uses other
// flags as conditions: 1 and "1" disable, 2 and "true" do not.
var disabledCodec = codec[bool]{func(raw json.RawMessage, to *bool) string {
	*to = equalsTrue(raw)
	if v, plain := truthy(raw); !plain || v != *to {
		return "true or false"
	}
	return ""
}, strconv.AppendBool}

var positionCodec = codec[storage.LorePosition]{func(raw json.RawMessage, to *storage.LorePosition) string {
	v := -1
	want := readCount(raw, int(storage.BeforeChar), int(storage.Outlet), &v)
	if v < 0 || raw[0] == 't' || raw[0] == 'f' {
		// There it triggers without a position, like an outlet without a name.
		v, want = int(storage.Outlet), "a number from 0 to 7"
	}
	*to = storage.LorePosition(v)
	return want
}, appendInt[storage.LorePosition]}

// levelCodec is the level from which recursion reaches an entry. True is the first level, and so is
// any value other than a number or false.
var levelCodec = codec[int]{func(raw json.RawMessage, to *int) string {
	v, plain := truthy(raw)
	*to = 0
	if v {
		*to = 1
	}
	if f, ok := number(raw); !v || plain || !ok || f <= 0 {
		if !plain {
			return "a number from 0"
		}
		return ""
	}
	return readCount(raw, 0, maxOrder, to)
}, appendInt[int]}

// roles are indexed by SillyTavern's numbers.
var roles = []storage.Role{storage.System, storage.User, storage.Assistant}

var roleCodec = codec[storage.Role]{func(raw json.RawMessage, to *storage.Role) string {
	v := 0
	if s, ok := text(raw); ok {
		if i := slices.Index(roles, storage.Role(strings.ToLower(s))); i >= 0 {
			*to = roles[i]
			return ""
		}
	}
	want := readCount(raw, 0, len(roles)-1, &v)
	*to = roles[v]
	return want
}, func(dst []byte, r storage.Role) []byte { return appendInt(dst, max(0, slices.Index(roles, r))) }}

// filterCodec reads a filter without names as none.
var filterCodec = codec[*storage.LoreFilter]{func(raw json.RawMessage, to **storage.LoreFilter) string {
	*to = nil
	if isNull(raw) || string(raw) == `{"isExclude":false,"names":[],"tags":[]}` {
		return ""
	}
	o, ok := parseObject(raw)
	if !ok {
		return "an object of names and tags"
	}
	var f storage.LoreFilter
	var names, tags string
	f.Names, names = readTexts(o.get("names"))
	f.Tags, tags = readTexts(o.get("tags"))
	var plain bool
	f.Exclude, plain = truthy(o.get("isExclude"))
	if len(f.Names)+len(f.Tags) > 0 {
		*to = &f
	}
	if names != "" || tags != "" || !plain {
		return "an object of isExclude, names and tags"
	}
	return ""
}, func(dst []byte, f *storage.LoreFilter) []byte {
	if f == nil || len(f.Names)+len(f.Tags) == 0 {
		f = &storage.LoreFilter{}
	}
	dst = strconv.AppendBool(append(dst, `{"isExclude":`...), f.Exclude)
	dst = appendTexts(append(dst, `,"names":`...), f.Names)
	dst = appendTexts(append(dst, `,"tags":`...), f.Tags)
	return append(dst, '}')
}}

// ownSettings are the settings of an entry that only this program has. An empty object means none,
// and is not added.
var ownSettings = codec[loreEntry]{func(raw json.RawMessage, e *loreEntry) string {
	e.Aliases, e.Type, e.Synopsis, e.Locked = nil, "", "", false
	if isNull(raw) {
		return ""
	}
	o, ok := parseObject(raw)
	if !ok {
		return "an object"
	}
	var want, oddType, oddSynopsis string
	e.Aliases, want = readTexts(o.get("aliases"))
	e.Type, oddType = looseString(o.get("type"))
	e.Synopsis, oddSynopsis = looseString(o.get("synopsis"))
	e.Locked = jsTruth(o.get("locked"))
	if want != "" || strings.Trim(oddType+oddSynopsis, "nul") != "" {
		return "an object of aliases, type, synopsis and locked"
	}
	return ""
}, func(dst []byte, e loreEntry) []byte {
	var o object
	writeOwn(&o, &e)
	return o.append(dst)
}}

// writeOwn writes the settings that only this program has into the source of an entry.
func writeOwn(o *object, e *loreEntry) {
	o.remove("aliases", "type", "synopsis", "locked")
	if len(e.Aliases) > 0 {
		o.set("aliases", quoteList(e.Aliases))
	}
	if e.Type != "" {
		o.set("type", quote(e.Type))
	}
	if e.Synopsis != "" {
		o.set("synopsis", quote(e.Synopsis))
	}
	if e.Locked {
		o.set("locked", rawFlag(true))
	}
}
