package ecosystem

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// asDisabled switches an entry off. SillyTavern compares it with true where it takes
// other flags as JavaScript takes them in a condition: 1 and "1" switch off, 2 and "true"
// do not.
var asDisabled = codec[bool]{func(raw json.RawMessage, to *bool) string {
	*to = equalsTrue(raw)
	if v, plain := truthy(raw); !plain || v != *to {
		return "true or false"
	}
	return ""
}, strconv.AppendBool}

var asPosition = codec[storage.LorePosition]{func(raw json.RawMessage, to *storage.LorePosition) string {
	v := -1
	want := readCount(raw, int(storage.BeforeChar), int(storage.Outlet), &v)
	if v < 0 || raw[0] == 't' || raw[0] == 'f' {
		// There it fires and stands nowhere, which is what an outlet without a name does.
		v, want = int(storage.Outlet), "a number from 0 to 7"
	}
	*to = storage.LorePosition(v)
	return want
}, appendInt[storage.LorePosition]}

// asLevel is the level from which recursion reaches an entry; true is the first, and
// so is what is neither a number nor false.
var asLevel = codec[int]{func(raw json.RawMessage, to *int) string {
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

// roles are by their numbers.
var roles = []storage.Role{storage.System, storage.User, storage.Assistant}

var asRole = codec[storage.Role]{func(raw json.RawMessage, to *storage.Role) string {
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

// asFilter reads a filter that names nobody as none.
var asFilter = codec[*storage.LoreFilter]{func(raw json.RawMessage, to **storage.LoreFilter) string {
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

// ownSettings are what only this program knows of an entry. An empty object stands
// for nothing, and is not written where there was none.
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
	e.Type, oddType = loose(o.get("type"))
	e.Synopsis, oddSynopsis = loose(o.get("synopsis"))
	e.Locked = truth(o.get("locked"))
	if want != "" || strings.Trim(oddType+oddSynopsis, "nul") != "" {
		return "an object of aliases, type, synopsis and locked"
	}
	return ""
}, func(dst []byte, e loreEntry) []byte {
	var o object
	writeOwn(&o, &e)
	return o.append(dst)
}}

// writeOwn writes what only this program knows of an entry into what is kept of that.
func writeOwn(o *object, e *loreEntry) {
	o.remove("aliases", "type", "synopsis", "locked")
	if len(e.Aliases) > 0 {
		o.set("aliases", quotedList(e.Aliases))
	}
	if e.Type != "" {
		o.set("type", quoted(e.Type))
	}
	if e.Synopsis != "" {
		o.set("synopsis", quoted(e.Synopsis))
	}
	if e.Locked {
		o.set("locked", rawFlag(true))
	}
}
