package ecosystem

import (
	"encoding/json"
	"iter"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryMerge writes an entry over what was kept of it.
type entryMerge struct {
	w        *bookWriter
	now, old *loreEntry // old is how the kept object reads, for a fresh one the defaults
	o        object
	fresh    bool
	uid      int // that the kept object says, -1 for none
	implied  int // uid of an entry at this place that says none, -1 for none
	buf      []byte

	foreign    string // the dialect that a fresh entry is from
	foreignRaw json.RawMessage
}

// unname takes off the name that was made up for an entry when it was read.
func (m *entryMerge) unname(read *loreEntry) {
	if read.Name == "" && m.now.Name == derivedName(&loreEntry{Keys: read.Keys, UID: m.now.UID}) {
		unnamed := *m.now
		unnamed.Name = ""
		m.now = &unnamed
	}
}

func (m *entryMerge) differs(s *setting) bool { return !s.same(m.now, m.old, m.buf) }

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
	key := m.idMember()
	// An id that is no number means something to another program.
	if m.fresh || !m.idFits() && (m.uid >= 0 || key == "uid" || isNull(m.o.get(key))) {
		m.o.set(key, rawInt(m.now.UID))
	}
	if m.w.ctx.family == FormatWorldInfo {
		m.worldInfo()
	} else {
		m.characterBook()
	}
	return m.o.encode()
}

// changed yields the settings that are to be written.
func (m *entryMerge) changed() iter.Seq[*setting] {
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
	for s := range m.changed() {
		if s.key == ownKey {
			m.own(&m.o)
		} else {
			m.o.set(s.key, s.raw(m.now))
		}
	}
	if !m.fresh {
		return
	}
	m.o.set("addMemo", rawFlag(m.now.Name != ""))
	m.o.set("displayIndex", rawInt(m.now.UID))
	m.o.set("automationId", quoted(""))
	ext := m.carried()
	for own, name := range carriedNames {
		if raw := ext.get(name); raw != nil {
			m.o.set(own, raw)
			ext.remove(name)
		}
	}
	if len(ext.members) > 0 {
		m.o.set("extensions", ext.encode())
	}
}

// own writes what only this program knows, where there is some.
func (m *entryMerge) own(to *object) {
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
	useRegex, _ := yesNo(m.o.get("use_regex"))
	bare := !m.fresh && useRegex && !nativeKeys(&ext) // its keys are regexes without slashes
	if m.fresh {
		m.o.set("use_regex", rawFlag(true))
		ext.members = make([]member, 0, len(loreSettings))
	}
	rekeyed := false
	for s := range m.changed() {
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
			m.own(&ext)
		case s.top != "":
			m.o.set(s.top, s.raw(m.now))
		default:
			ext.set(s.ext, s.raw(m.now))
			if s.key == "caseSensitive" && !bare && (m.o.has("case_sensitive") || m.fresh && m.now.CaseSensitive != nil) {
				m.o.set("case_sensitive", s.raw(m.now))
			}
		}
	}
	if bare && (rekeyed || nativeKeys(&ext)) { // from here on slashes tell a regex
		ext.set("selectiveLogic", rawInt(int(m.now.Logic)))
		m.o.set("keys", quotedList(m.now.Keys))
		m.o.set("secondary_keys", quotedList(m.now.SecondaryKeys))
	}
	if m.fresh {
		carried := m.carried()
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

// nativeKeys reports whether extensions are those of programs whose keys are as in
// World Info: those say use_regex of every entry, and slashes tell.
func nativeKeys(ext *object) bool {
	return ext.has("position") || ext.has("selectiveLogic") || ext.has("useProbability") || ext.has("display_index")
}

func (m *entryMerge) bookName() {
	name := quoted(m.now.Name)
	if m.fresh || m.o.has("comment") || !m.o.has("name") {
		m.o.set("comment", name)
	}
	if m.fresh || m.o.has("name") {
		m.o.set("name", name)
	}
}

// bookPosition leaves the extensions alone where the two plain positions do.
func (m *entryMerge) bookPosition(ext *object) {
	plain := "after_char"
	if m.now.Position == storage.BeforeChar {
		plain = "before_char"
	}
	m.o.set("position", quoted(plain))
	if m.fresh || ext.has("position") || m.now.Position > storage.AfterChar {
		ext.set("position", rawInt(int(m.now.Position)))
	}
}

// set is a set of names.
type set map[string]bool

func setOf(names ...string) set {
	s := set{}
	for _, name := range names {
		s[name] = true
	}
	return s
}

// knownMembers are the members of the dialects that are only read that entries hold in
// settings of their own.
var knownMembers = map[string]set{
	FormatAgnai: setOf("id", "name", "entry", "keywords", "secondaryKeys", "selective", "constant", "enabled", "weight",
		"position", ownKey),
	FormatRisu: setOf("comment", "content", "key", "secondkey", "insertorder", "alwaysActive", "selective",
		"activationPercent", "useRegex", ownKey),
	FormatNovelAI: setOf("displayName", "text", "keys", "enabled", "forceActivation", "nonStoryActivatable", ownKey),
	FormatKobold: setOf("uid", "comment", "content", "key", "keysecondary", "keyanti", "constant", "probability",
		"widisabled", "selective", ownKey),
}

// The members of entries that are no settings and are written in ways of their own.
var (
	worldInfoMembers = setOf("uid", "addMemo", "extensions")
	bookMembers      = setOf("id", "name", "enabled", "position", "use_regex", "case_sensitive", "extensions")
)

// carriedNames are members of World Info that nothing here reads, with their names among the
// extensions of a character_book.
var carriedNames = map[string]string{"displayIndex": "display_index", "automationId": "automation_id"}

// carried is what an entry of another dialect says that has no place of its own, as the
// extensions of a character_book have it.
func (m *entryMerge) carried() (out object) {
	seen := set{}
	add := func(raw json.RawMessage, settings map[string]*setting, others set) {
		for name, value := range members(raw) {
			key := string(bareName(name))
			if settings[key] == nil && !others[key] && !seen[key] {
				seen[key] = true
				out.members = append(out.members, member{key, name, value})
			}
		}
	}
	addBook := func(raw json.RawMessage) {
		add(memberOf(raw, "extensions"), settingsByExt, setOf("position"))
		add(raw, settingsByTop, bookMembers)
	}
	switch m.foreign {
	case "":
	case FormatWorldInfo:
		add(m.foreignRaw, settingsByKey, worldInfoMembers)
		for i := range out.members {
			if name := carriedNames[out.members[i].key]; name != "" {
				out.members[i] = member{name, quoted(name), out.members[i].raw}
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
