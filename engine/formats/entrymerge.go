package formats

import (
	"encoding/json"
	"iter"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryMerge writes an entry over its original.
type entryMerge struct {
	w        *bookWriter
	now, old *loreEntry // old is the original entry, for a new entry the defaults
	o        object
	fresh    bool
	uid      int // of the original, -1 for none
	implied  int // UID of an entry at this position without one, -1 for none
	buf      []byte

	foreign    string // the dialect that a new entry is from
	foreignRaw json.RawMessage
}

// dropDerivedName removes the name that was derived for an entry when it was read.
func (m *entryMerge) dropDerivedName(read *loreEntry) {
	if read.Name == "" && m.now.Name == derivedName(&loreEntry{Keys: read.Keys, UID: m.now.UID}) {
		unnamed := *m.now
		unnamed.Name = ""
		m.now = &unnamed
	}
}

func (m *entryMerge) differs(s *setting) bool { return !s.same(m.now, m.old, m.buf) }

// idMember returns the member with an entry's UID in the dialect.
func (m *entryMerge) idMember() string {
	switch m.w.ctx.family {
	case FormatWorldInfo:
		return "uid"
	case FormatCharacterBook:
		return "id"
	}
	return ""
}

func (m *entryMerge) idMatches() bool {
	return m.idMember() == "" || m.uid == m.now.UID || m.uid < 0 && m.implied == m.now.UID
}

func (m *entryMerge) unchanged() bool {
	if !m.idMatches() {
		return false
	}
	for i := range loreSettings {
		if m.differs(&loreSettings[i]) {
			return false
		}
	}
	return true
}

func (m *entryMerge) result() json.RawMessage {
	key := m.idMember()
	// An ID that is not a number means something to another program.
	if m.fresh || !m.idMatches() && (m.uid >= 0 || key == "uid" || isNull(m.o.get(key))) {
		m.o.set(key, rawInt(m.now.UID))
	}
	if m.w.ctx.family == FormatWorldInfo {
		m.worldInfo()
	} else {
		m.characterBook()
	}
	return m.o.encode()
}

// changedSettings yields the settings to write.
func (m *entryMerge) changedSettings() iter.Seq[*setting] {
	return func(yield func(*setting) bool) {
		for i := range loreSettings {
			if s := &loreSettings[i]; (m.fresh || m.differs(s)) && !yield(s) {
				return
			}
		}
	}
}

func (m *entryMerge) worldInfo() {
	if m.fresh {
		m.o.members = append(make([]member, 0, len(loreSettings)+4), m.o.members...)
	}
	for s := range m.changedSettings() {
		if s.key == ownKey {
			m.writeOwnSettings(&m.o)
		} else {
			m.o.set(s.key, s.raw(m.now))
		}
	}
	if !m.fresh {
		return
	}
	m.o.set("addMemo", rawFlag(m.now.Name != ""))
	m.o.set("displayIndex", rawInt(m.now.UID))
	m.o.set("automationId", quote(""))
	ext := m.foreignMembers()
	for own, name := range extensionNames {
		if raw := ext.get(name); raw != nil {
			m.o.set(own, raw)
			ext.remove(name)
		}
	}
	if len(ext.members) > 0 {
		m.o.set("extensions", ext.encode())
	}
}

// writeOwnSettings writes the settings that only this program has.
func (m *entryMerge) writeOwnSettings(to *object) {
	o, _ := parseObject(to.get(ownKey))
	writeOwn(&o, m.now)
	if len(o.members) == 0 {
		to.remove(ownKey)
		return
	}
	to.set(ownKey, o.encode())
}

func (m *entryMerge) characterBook() {
	ext, isObject := parseObject(m.o.get("extensions"))
	useRegex, _ := looseBool(m.o.get("use_regex"))
	bare := !m.fresh && useRegex && !nativeKeys(&ext) // keys are regular expressions without slashes
	if m.fresh {
		m.o.set("use_regex", rawFlag(true))
		ext.members = make([]member, 0, len(loreSettings))
	}
	rekeyed := false
	for s := range m.changedSettings() {
		switch {
		case bare && (s.key == "key" || s.key == "keysecondary"):
			rekeyed = true
		case s.key == "comment":
			m.bookName()
		case s.key == "disable":
			m.o.set("enabled", rawFlag(!m.now.Disabled))
		case s.key == "position":
			m.bookPosition(&ext)
		case s.key == ownKey:
			m.writeOwnSettings(&ext)
		case s.top != "":
			m.o.set(s.top, s.raw(m.now))
		default:
			ext.set(s.ext, s.raw(m.now))
			if s.key == "caseSensitive" && !bare &&
				(m.o.has("case_sensitive") || m.fresh && m.now.CaseSensitive != nil) {
				m.o.set("case_sensitive", s.raw(m.now))
			}
		}
	}
	if bare && (rekeyed || nativeKeys(&ext)) { // from here on slashes mark a regular expression
		ext.set("selectiveLogic", rawInt(int(m.now.Logic)))
		m.o.set("keys", quoteList(m.now.Keys))
		m.o.set("secondary_keys", quoteList(m.now.SecondaryKeys))
	}
	if m.fresh {
		carried := m.foreignMembers()
		for _, c := range carried.members {
			if !ext.has(c.key) {
				ext.members = append(ext.members, c)
			}
		}
	}
	if m.fresh || len(ext.members) > 0 || isObject { // another value stays as it is
		m.o.set("extensions", ext.encode())
	}
}

// nativeKeys reports whether the extensions are those of a program whose keys are as in World
// Info: these set use_regex for every entry, and slashes mark a regular expression.
func nativeKeys(ext *object) bool {
	return ext.has("position") || ext.has("selectiveLogic") || ext.has("useProbability") || ext.has("display_index")
}

func (m *entryMerge) bookName() {
	name := quote(m.now.Name)
	if m.fresh || m.o.has("comment") || !m.o.has("name") {
		m.o.set("comment", name)
	}
	if m.fresh || m.o.has("name") {
		m.o.set("name", name)
	}
}

// bookPosition keeps the extensions if the two plain positions are enough.
func (m *entryMerge) bookPosition(ext *object) {
	plain := "after_char"
	if m.now.Position == storage.BeforeChar {
		plain = "before_char"
	}
	m.o.set("position", quote(plain))
	if m.fresh || ext.has("position") || m.now.Position > storage.AfterChar {
		ext.set("position", rawInt(int(m.now.Position)))
	}
}

// stringSet is a set of names.
type stringSet map[string]bool

func newStringSet(names ...string) stringSet {
	s := stringSet{}
	for _, name := range names {
		s[name] = true
	}
	return s
}

// knownMembers are the members of read-only dialects that have a setting.
var knownMembers = map[string]stringSet{
	FormatAgnai: newStringSet("id", "name", "entry", "keywords", "secondaryKeys", "selective", "constant", "enabled",
		"weight",
		"position", ownKey),
	FormatRisu: newStringSet("comment", "content", "key", "secondkey", "insertorder", "alwaysActive", "selective",
		"activationPercent", "useRegex", ownKey),
	FormatNovelAI: newStringSet("displayName", "text", "keys", "enabled", "forceActivation", "nonStoryActivatable",
		ownKey),
	FormatKobold: newStringSet("uid", "comment", "content", "key", "keysecondary", "keyanti", "constant", "probability",
		"widisabled", "selective", ownKey),
}

// The members of entries that are not settings.
var (
	worldInfoMembers = newStringSet("uid", "addMemo", "extensions")
	bookMembers      = newStringSet("id", "name", "enabled", "position", "use_regex", "case_sensitive", "extensions")
)

// extensionNames maps members of World Info that are not read to their names among the extensions
// of a character_book.
var extensionNames = map[string]string{"displayIndex": "display_index", "automationId": "automation_id"}

// foreignMembers returns the members of an entry of another dialect that have no setting, named as
// the extensions of a character_book.
func (m *entryMerge) foreignMembers() (out object) {
	seen := stringSet{}
	add := func(raw json.RawMessage, settings map[string]*setting, others stringSet) {
		for name, value := range members(raw) {
			key := string(unquotedName(name))
			if settings[key] == nil && !others[key] && !seen[key] {
				seen[key] = true
				out.members = append(out.members, member{key, name, value})
			}
		}
	}
	addBook := func(raw json.RawMessage) {
		add(memberOf(raw, "extensions"), settingsByExt, newStringSet("position"))
		add(raw, settingsByTop, bookMembers)
	}
	switch m.foreign {
	case "":
	case FormatWorldInfo:
		add(m.foreignRaw, settingsByKey, worldInfoMembers)
		for i := range out.members {
			if name := extensionNames[out.members[i].key]; name != "" {
				out.members[i] = member{name, quote(name), out.members[i].raw}
			}
		}
		add(memberOf(m.foreignRaw, "extensions"), nil, nil)
		if at, ok := m.w.originalAt[m.now.UID]; ok {
			addBook(m.w.originals[at])
		}
	case FormatCharacterBook:
		addBook(m.foreignRaw)
	default:
		add(m.foreignRaw, nil, knownMembers[m.foreign])
		if len(out.members) > 0 {
			rest := out.encode()
			out = object{}
			out.set(m.foreign, rest)
		}
	}
	return out
}
