package ecosystem

import (
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryMerge writes an entry over what was kept of it.
type entryMerge struct {
	w        *bookWriter
	now, old *loreEntry // old is how the kept object reads, for a fresh one the defaults
	o        object
	fresh    bool
	madeUp   string // the name that was made up for an entry that had none
	uid      int    // that the kept object says, -1 for none
	implied  int    // uid of an entry at this place that says none, -1 for none

	foreign    string // the dialect that a fresh entry is from
	foreignRaw json.RawMessage
}

// named is the name to write: none for one that was made up when it was read.
func (m *entryMerge) named() string {
	if m.madeUp != "" && m.now.Name == m.madeUp {
		return ""
	}
	return m.now.Name
}

func (m *entryMerge) differs(s *setting) bool {
	if s.key == "comment" {
		return m.named() != m.old.Name
	}
	return !s.same(m.now, m.old)
}

// idMember is where the dialect says an entry's uid.
func (m *entryMerge) idMember() string {
	switch m.w.ctx.family {
	case FormatWorldInfo:
		return "uid"
	case FormatCharacterBook:
		return "id"
	}
	return ""
}

func (m *entryMerge) idFits() bool {
	return m.idMember() == "" || m.uid == m.now.UID || m.uid < 0 && m.implied == m.now.UID
}

func (m *entryMerge) unchanged() bool {
	if !m.idFits() {
		return false
	}
	for i := range loreSettings {
		if m.differs(&loreSettings[i]) {
			return false
		}
	}
	return true
}

func (m *entryMerge) merged() json.RawMessage {
	m.setID()
	if m.w.ctx.family == FormatWorldInfo {
		m.worldInfo()
	} else {
		m.characterBook()
	}
	return m.o.encode()
}

func (m *entryMerge) setID() {
	key := m.idMember()
	// An id that is no number means something to another program.
	if m.fresh || !m.idFits() && (m.uid >= 0 || key == "uid" || isNull(m.o.get(key))) {
		m.o.set(key, rawInt(m.now.UID))
	}
}

func (m *entryMerge) worldInfo() {
	if m.fresh {
		m.o.members = append(make([]member, 0, len(loreSettings)+5), m.o.members...)
	}
	for i := range loreSettings {
		s := &loreSettings[i]
		switch {
		case s.key == ownKey:
			m.own(&m.o)
		case !m.fresh && !m.differs(s):
		case s.key == "comment":
			m.o.set("comment", quoted(m.named()))
		case m.fresh:
			m.o.append(member{s.key, s.quotedKey, s.write(m.now)})
		default:
			m.o.set(s.key, s.write(m.now))
		}
		if m.fresh && s.key == "selectiveLogic" {
			m.o.set("addMemo", rawFlag(m.named() != ""))
		}
	}
	if !m.fresh {
		return
	}
	m.o.set("displayIndex", rawInt(m.now.UID))
	m.o.set("automationId", quoted(""))
	ext := m.carried()
	for _, same := range [][2]string{{"display_index", "displayIndex"}, {"automation_id", "automationId"}} {
		if raw := ext.get(same[0]); raw != nil {
			m.o.set(same[1], raw)
			ext.remove(same[0])
		}
	}
	if len(ext.members) > 0 {
		m.o.set("extensions", ext.encode())
	}
}

// own writes what only this program knows, where there is some.
func (m *entryMerge) own(to *object) {
	s := settingsByKey[ownKey]
	if !m.fresh && !m.differs(s) {
		return
	}
	kept, _ := parseObject(to.get(ownKey))
	kept.remove("aliases", "type", "synopsis", "locked")
	mine, _ := parseObject(s.write(m.now))
	for _, member := range mine.members {
		kept.append(member)
	}
	if len(kept.members) == 0 {
		to.remove(ownKey)
		return
	}
	to.set(ownKey, kept.encode())
}

// The members of a character_book's entry, in the order of its format.
var bookEntryOrder = []string{"id", "keys", "secondary_keys", "name", "comment", "content", "constant", "selective",
	"insertion_order", "enabled", "position", "use_regex", "extensions"}

var bookEntryBlank = func() []member {
	out := make([]member, len(bookEntryOrder))
	for i, key := range bookEntryOrder {
		out[i] = member{key, quoted(key), rawNull}
	}
	return out
}()

func (m *entryMerge) characterBook() {
	ext, _ := parseObject(m.o.get("extensions"))
	if m.fresh {
		id := m.o.get("id")
		m.o.members = append(make([]member, 0, len(bookEntryBlank)+1), bookEntryBlank...)
		m.o.set("id", id)
		m.o.set("use_regex", rawFlag(true))
		ext.members = make([]member, 0, len(loreSettings)+2)
	}
	native := nativeKeys(&ext)
	useRegex, _ := yesNo(m.o.get("use_regex"))
	converted := !m.fresh && useRegex && !native
	before := len(ext.members)
	touched := false
	for i := range loreSettings {
		s := &loreSettings[i]
		if !m.fresh && !m.differs(s) {
			continue
		}
		switch s.key {
		case "key", "keysecondary":
			if !converted {
				m.o.set(topNames[s.key], s.write(m.now))
			}
		case "comment":
			m.bookName()
		case "disable":
			m.o.set("enabled", rawFlag(!m.now.Disabled))
		case "position":
			touched = m.bookPosition(&ext) || touched
		case ownKey:
			m.own(&ext)
			touched = true
		default:
			if name := topNames[s.key]; name != "" {
				m.o.set(name, s.write(m.now))
				continue
			}
			if touched = true; m.fresh {
				ext.append(member{s.ext, s.quotedExt, s.write(m.now)})
			} else {
				ext.set(s.ext, s.write(m.now))
			}
			if s.key == "caseSensitive" && !converted && (m.o.has("case_sensitive") || m.fresh && m.now.CaseSensitive != nil) {
				m.o.set("case_sensitive", s.write(m.now))
			}
		}
	}
	if converted {
		touched = m.convertedKeys(&ext) || touched
	}
	if m.fresh {
		carried := m.carried()
		for _, c := range carried.members {
			if !ext.has(c.key) {
				ext.append(c)
			}
		}
	}
	if m.fresh || touched || len(ext.members) != before {
		m.o.set("extensions", ext.encode())
	}
}

// nativeKeys reports whether extensions are those of programs whose keys are as in
// World Info: those say use_regex of every entry, and slashes tell.
func nativeKeys(ext *object) bool {
	return ext.has("position") || ext.has("selectiveLogic") || ext.has("useProbability") || ext.has("display_index")
}

func (m *entryMerge) bookName() {
	name := quoted(m.named())
	if m.fresh || m.o.has("comment") || !m.o.has("name") {
		m.o.set("comment", name)
	}
	if m.fresh || m.o.has("name") {
		m.o.set("name", name)
	}
}

// bookPosition leaves the extensions alone where the two plain positions do.
func (m *entryMerge) bookPosition(ext *object) bool {
	plain := "after_char"
	if m.now.Position == storage.BeforeChar {
		plain = "before_char"
	}
	m.o.set("position", quoted(plain))
	if m.fresh || ext.has("position") || m.now.Position > storage.AfterChar {
		ext.set("position", rawInt(int(m.now.Position)))
		return true
	}
	return false
}

// convertedKeys writes keys that were regexes without slashes. As soon as one is
// not, or an edit made the entry one in which slashes tell, all get them.
func (m *entryMerge) convertedKeys(ext *object) bool {
	sensitive := !m.o.has("case_sensitive") || truth(m.o.get("case_sensitive"))
	first := map[string]string{}
	for _, name := range []string{"keys", "secondary_keys"} {
		list, _ := readKeys(m.o.get(name))
		for _, key := range list {
			first[slashedKey(key, sensitive)] = key
		}
	}
	native := nativeKeys(ext)
	changed := false
	for _, key := range slices.Concat(m.now.Keys, m.now.SecondaryKeys) {
		if _, ok := first[key]; !ok && !isRegexKey(key) && !native {
			ext.set("selectiveLogic", rawInt(int(m.now.Logic)))
			native, changed = true, true
		}
	}
	for _, s := range []*setting{settingsByKey["key"], settingsByKey["keysecondary"]} {
		if !native && !m.differs(s) {
			continue
		}
		list := m.now.Keys
		if s.key == "keysecondary" {
			list = m.now.SecondaryKeys
		}
		out := slices.Clone(list)
		for i, key := range out {
			if was, ok := first[key]; ok && !native {
				out[i] = was
			}
		}
		if len(out) > 0 || m.o.has(topNames[s.key]) {
			m.o.set(topNames[s.key], quotedList(out))
		}
	}
	return changed
}

// knownMembers are the members of the dialects that are only read that entries hold in
// settings of their own.
var knownMembers = map[string][]string{
	FormatAgnai: {"id", "name", "entry", "keywords", "secondaryKeys", "selective", "constant", "enabled", "weight",
		"position", ownKey},
	FormatRisu: {"comment", "content", "key", "secondkey", "insertorder", "alwaysActive", "selective", "activationPercent",
		"useRegex", ownKey},
	FormatNovelAI: {"displayName", "text", "keys", "enabled", "forceActivation", "nonStoryActivatable", ownKey},
	FormatKobold: {"uid", "comment", "content", "key", "keysecondary", "keyanti", "constant", "probability", "widisabled",
		"selective", ownKey},
}

// carried is what an entry of another dialect says that has no place of its own.
func (m *entryMerge) carried() object {
	var out object
	add := func(key string, raw json.RawMessage) {
		if !out.has(key) {
			out.set(key, raw)
		}
	}
	each := func(raw json.RawMessage, keep func(key string) bool) {
		_ = eachMember(raw, maxMembers, func(name []byte, value json.RawMessage) {
			if key := bareName(name); keep(string(key)) {
				add(string(key), value)
			}
		})
	}
	switch m.foreign {
	case "":
	case FormatWorldInfo:
		var ext json.RawMessage
		_ = eachMember(m.foreignRaw, maxMembers, func(name []byte, value json.RawMessage) {
			switch key := bareName(name); string(key) {
			case "uid", "addMemo":
			case "extensions":
				ext = value
			case "displayIndex":
				add("display_index", value)
			case "automationId":
				add("automation_id", value)
			default:
				if settingsByKey[string(key)] == nil {
					add(string(key), value)
				}
			}
		})
		each(ext, func(string) bool { return true })
		if at, ok := m.w.originalAt[m.now.UID]; ok {
			eachUnknown(m.w.originals[at], each)
		}
	case FormatCharacterBook:
		eachUnknown(m.foreignRaw, each)
	default:
		known := knownMembers[m.foreign]
		each(m.foreignRaw, func(key string) bool { return !slices.Contains(known, key) })
		if len(out.members) > 0 {
			rest := out.encode()
			out = object{}
			out.set(m.foreign, rest)
		}
	}
	return out
}

// eachUnknown goes through what a character_book's entry says that is no
// setting.
func eachUnknown(raw json.RawMessage, each func(json.RawMessage, func(string) bool)) {
	src, _ := parseObject(raw)
	each(src.get("extensions"), func(key string) bool { return settingsByExt[key] == nil && key != "position" })
	each(raw, func(key string) bool { return !slices.Contains(bookEntryOrder, key) && key != "case_sensitive" })
}
