package ecosystem

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// disableSetting switches an entry off. SillyTavern compares it with true where it takes
// other flags as JavaScript takes them in a condition: 1 and "1" switch off, 2 and "true"
// do not.
func disableSetting() setting {
	s := flagSetting("disable", "", func(e *loreEntry) *bool { return &e.Disabled })
	s.read = func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) == 0 {
			return ""
		}
		e.Disabled = equalsTrue(raw)
		if v, plain := truthy(raw); !plain || v != e.Disabled {
			return "true or false"
		}
		return ""
	}
	return s
}

func logicSetting() setting {
	of := func(e *loreEntry) *storage.LoreLogic { return &e.Logic }
	return newSetting("selectiveLogic", "selectiveLogic", func(raw json.RawMessage, e *loreEntry) string {
		v := int(*of(e))
		want := readCount(raw, int(storage.AndAny), int(storage.AndAll), &v)
		*of(e) = storage.LoreLogic(v)
		return want
	}, func(e *loreEntry) json.RawMessage { return rawInt(int(*of(e))) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

func positionSetting() setting {
	of := func(e *loreEntry) *storage.LorePosition { return &e.Position }
	return newSetting("position", "", func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) == 0 {
			return ""
		}
		v := -1
		want := readCount(raw, int(storage.BeforeChar), int(storage.Outlet), &v)
		if v < 0 || raw[0] == 't' || raw[0] == 'f' {
			// There it fires and stands nowhere, which is what an outlet without a name does.
			v, want = int(storage.Outlet), "a number from 0 to 7"
		}
		*of(e) = storage.LorePosition(v)
		return want
	}, func(e *loreEntry) json.RawMessage { return rawInt(int(*of(e))) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

// delaySetting is the level from which recursion reaches an entry; true is the first, and
// so is what is neither a number nor false.
func delaySetting() setting {
	of := func(e *loreEntry) *int { return &e.DelayUntilRecursion }
	return newSetting("delayUntilRecursion", "delay_until_recursion", func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) == 0 {
			return ""
		}
		v, plain := truthy(raw)
		*of(e) = 0
		if v {
			*of(e) = 1
		}
		if f, ok := number(raw); !v || plain || !ok || f <= 0 {
			if !plain {
				return "a number from 0"
			}
			return ""
		}
		return readCount(raw, 0, maxOrder, of(e))
	}, func(e *loreEntry) json.RawMessage { return rawInt(*of(e)) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

func roleSetting() setting {
	roles := []storage.Role{storage.System, storage.User, storage.Assistant}
	at := func(e *loreEntry) int { return max(0, slices.Index(roles, e.Role)) }
	return newSetting("role", "role", func(raw json.RawMessage, e *loreEntry) string {
		v := 0
		if s, ok := text(raw); ok {
			if i := slices.Index(roles, storage.Role(strings.ToLower(s))); i >= 0 {
				e.Role = roles[i]
				return ""
			}
		}
		want := readCount(raw, 0, len(roles)-1, &v)
		e.Role = roles[v]
		return want
	}, func(e *loreEntry) json.RawMessage { return rawInt(at(e)) },
		func(a, b *loreEntry) bool { return at(a) == at(b) })
}

// filterSetting reads a filter that names nobody as none.
func filterSetting() setting {
	empty := func(f *storage.LoreFilter) bool { return f == nil || len(f.Names)+len(f.Tags) == 0 }
	return newSetting("characterFilter", "character_filter", func(raw json.RawMessage, e *loreEntry) string {
		e.Characters = nil
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
		if !empty(&f) {
			e.Characters = &f
		}
		if names != "" || tags != "" || !plain {
			return "an object of isExclude, names and tags"
		}
		return ""
	}, func(e *loreEntry) json.RawMessage {
		var f storage.LoreFilter
		if e.Characters != nil {
			f = *e.Characters
		}
		var o object
		o.set("isExclude", rawFlag(f.Exclude))
		o.set("names", quotedList(f.Names))
		o.set("tags", quotedList(f.Tags))
		return o.encode()
	}, func(a, b *loreEntry) bool {
		if empty(a.Characters) || empty(b.Characters) {
			return empty(a.Characters) == empty(b.Characters)
		}
		return a.Characters.Exclude == b.Characters.Exclude && slices.Equal(a.Characters.Names, b.Characters.Names) &&
			slices.Equal(a.Characters.Tags, b.Characters.Tags)
	})
}

// ownSetting holds what only this program knows of an entry. An empty object stands
// for nothing, and is not written where there was none.
func ownSetting() setting {
	return newSetting(ownKey, ownKey, func(raw json.RawMessage, e *loreEntry) string {
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
	}, func(e *loreEntry) json.RawMessage {
		var o object
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
		return o.encode()
	}, func(a, b *loreEntry) bool {
		return a.Type == b.Type && a.Synopsis == b.Synopsis && a.Locked == b.Locked && slices.Equal(a.Aliases, b.Aliases)
	})
}
