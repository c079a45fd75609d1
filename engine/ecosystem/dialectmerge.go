package ecosystem

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// knownMembers are the members of the smaller dialects that entries hold in
// settings of their own.
var knownMembers = map[string][]string{
	FormatAgnai:   {"id", "name", "entry", "keywords", "secondaryKeys", "selective", "constant", "enabled", "weight", "position", ownKey},
	FormatRisu:    {"comment", "content", "key", "secondkey", "insertorder", "alwaysActive", "selective", "activationPercent", "useRegex", ownKey},
	FormatNovelAI: {"displayName", "text", "keys", "enabled", "forceActivation", "nonStoryActivatable", ownKey},
	FormatKobold:  {"uid", "comment", "content", "key", "keysecondary", "keyanti", "constant", "probability", "widisabled", "selective", ownKey},
}

// other writes an entry of a smaller dialect, and notes what does not read back.
func (m *entryMerge) other(at int) {
	for i := range loreSettings {
		s := &loreSettings[i]
		if !m.fresh && !m.differs(s) {
			continue
		}
		if s.key == ownKey {
			m.own(&m.o)
			continue
		}
		switch m.w.ctx.family {
		case FormatAgnai:
			m.agnai(s)
		case FormatRisu:
			m.risu(s)
		case FormatNovelAI:
			m.novelAI(s)
		case FormatKobold:
			m.kobold(s)
		}
	}
	var again loreEntry
	m.w.ctx.read(m.o.encode(), at, &again)
	if again.Name == "" {
		again.Name = m.madeUp
	}
	for i := range loreSettings {
		s := &loreSettings[i]
		inOrder := m.w.ctx.family == FormatKobold && s.key == "order" // of the file
		if !inOrder && !s.same(m.now, &again) {
			m.w.lose(s.key)
		}
	}
}

// unmapped gives keys the form from which they were made.
func unmapped(keys, before []string, f func(string) string) []string {
	first := map[string]string{}
	for _, key := range before {
		first[f(key)] = key
	}
	out := slices.Clone(keys)
	for i, key := range out {
		if was, ok := first[key]; ok {
			out[i] = was
		}
	}
	return out
}

func (m *entryMerge) setKeys(member string, keys []string, f func(string) string) {
	before, _ := readTexts(m.o.get(member))
	m.o.set(member, quotedList(unmapped(keys, before, f)))
}

// setCommaKeys writes keys into one text.
func (m *entryMerge) setCommaKeys(member string, keys []string, f func(string) string) {
	raw := m.o.get(member)
	before, _ := readTexts(raw)
	out := unmapped(keys, before, f)
	if len(raw) > 0 && raw[0] == '[' {
		m.o.set(member, quotedList(out))
		return
	}
	m.o.set(member, quoted(strings.Join(out, ", ")))
}

func (m *entryMerge) agnai(s *setting) {
	switch s.key {
	case "comment":
		m.o.set("name", quoted(m.named()))
	case "content":
		m.o.set("entry", s.write(m.now))
	case "key":
		m.setKeys("keywords", m.now.Keys, globKey)
	case "keysecondary":
		m.setKeys("secondaryKeys", m.now.SecondaryKeys, globKey)
	case "selective", "constant":
		m.o.set(s.key, s.write(m.now))
	case "disable":
		m.o.set("enabled", rawFlag(!m.now.Disabled))
	case "order":
		m.o.set("weight", s.write(m.now))
		if m.fresh {
			m.o.set("priority", s.write(m.now))
		}
	case "position":
		place := "before_char"
		if m.now.Position == storage.AfterChar {
			place = "after_char"
		}
		m.o.set("position", quoted(place))
	}
}

func (m *entryMerge) risu(s *setting) {
	sensitive := m.now.CaseSensitive != nil && *m.now.CaseSensitive
	loosen := func(key string) string { return loosenedKey(key, m.old.CaseSensitive != nil && *m.old.CaseSensitive) }
	switch s.key {
	case "comment", "content", "selective":
		m.o.set(s.key, s.write(m.now))
		if s.key == "comment" {
			m.o.set(s.key, quoted(m.named()))
		}
		if m.fresh {
			m.o.set("mode", quoted("normal"))
		}
	case "order":
		m.o.set("insertorder", s.write(m.now))
	case "constant":
		m.o.set("alwaysActive", s.write(m.now))
		if mode, _ := text(m.o.get("mode")); mode == "constant" && !m.now.Constant {
			m.o.set("mode", quoted("normal"))
		}
	case "probability", "useProbability":
		share := m.now.Probability
		if !m.now.UseProbability {
			share = 100
		}
		if share != 100 || m.o.has("activationPercent") {
			m.o.set("activationPercent", rawFloat(share))
		}
	case "caseSensitive":
		ext, _ := parseObject(m.o.get("extentions"))
		ext.set("risu_case_sensitive", rawFlag(sensitive))
		m.o.set("extentions", ext.encode())
	case "key", "keysecondary":
		m.risuKeys(s.key, loosen)
	}
}

func (m *entryMerge) risuKeys(which string, loosen func(string) string) {
	member, keys := "key", m.now.Keys
	if which == "keysecondary" {
		member, keys = "secondkey", m.now.SecondaryKeys
	}
	regex, _ := yesNo(m.o.get("useRegex"))
	if len(keys) == 1 && isRegexKey(keys[0]) && len(m.now.SecondaryKeys) == 0 && !regex {
		before, _ := readTexts(m.o.get(member))
		if un := unmapped(keys, before, loosen); un[0] == keys[0] {
			m.o.set("useRegex", rawFlag(true))
			m.o.set(member, quoted(keys[0]))
			return
		}
	}
	if regex && !slices.ContainsFunc(keys, isRegexKey) && which == "key" {
		m.o.set("useRegex", rawFlag(false))
	}
	m.setCommaKeys(member, keys, loosen)
}

func (m *entryMerge) novelAI(s *setting) {
	switch s.key {
	case "comment":
		m.o.set("displayName", quoted(m.named()))
	case "content":
		m.o.set("text", s.write(m.now))
	case "key":
		m.setKeys("keys", m.now.Keys, togetherKey)
	case "constant":
		m.o.set("forceActivation", s.write(m.now))
	case "disable":
		m.o.set("enabled", rawFlag(!m.now.Disabled))
	case "excludeRecursion":
		m.o.set("nonStoryActivatable", rawFlag(!m.now.ExcludeRecursion))
	case "order":
		config, _ := parseObject(m.o.get("contextConfig"))
		config.set("budgetPriority", s.write(m.now))
		m.o.set("contextConfig", config.encode())
	case "scanDepth":
		if m.now.ScanDepth != nil {
			m.o.set("searchRange", rawInt(*m.now.ScanDepth*charactersPerMessage))
		}
	}
}

func (m *entryMerge) kobold(s *setting) {
	same := func(key string) string { return key }
	switch s.key {
	case "comment":
		m.o.set("comment", quoted(m.named()))
	case "content", "constant", "selective":
		m.o.set(s.key, s.write(m.now))
	case "probability", "useProbability":
		share := rawFloat(m.now.Probability)
		if !m.now.UseProbability {
			share = json.RawMessage("100")
		}
		if raw := m.o.get("probability"); m.fresh || len(raw) > 0 && raw[0] == '"' {
			share = quoted(string(share))
		}
		m.o.set("probability", share)
	case "disable":
		m.o.set("widisabled", s.write(m.now))
	case "key":
		m.setCommaKeys("key", m.now.Keys, same)
	case "keysecondary", "selectiveLogic":
		m.koboldSecond()
	}
}

func (m *entryMerge) koboldSecond() {
	same := func(key string) string { return key }
	against, _ := readTexts(m.o.get("keyanti"))
	switch {
	case m.now.Logic == storage.NotAny:
		m.setCommaKeys("keyanti", m.now.SecondaryKeys, same)
		m.o.set("keysecondary", quoted(""))
	case len(against) > 0 && slices.ContainsFunc(m.now.SecondaryKeys, isRegexKey):
		m.setCommaKeys("keysecondary", m.now.SecondaryKeys, func(key string) string { return unlessKey(key, against, m.w.ctx.sensitive) })
	default:
		m.setCommaKeys("keysecondary", m.now.SecondaryKeys, same)
		m.o.set("keyanti", quoted(""))
	}
}
