package linter

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of what the linter tries out.
const (
	minTexts        = 30                     // below that a key that never matched says nothing
	maxMatchedTexts = 12                     // nor does one that matches in most
	maxComparedKeys = 64                     // of an entry, that are compared with each other
	keyFindings     = 24                     // of an entry
	regexTime       = 500 * time.Millisecond // that all regexes together are tried for
)

// entryKey is a key as it is compared.
type entryKey struct {
	raw, text   string // text is trimmed, expanded, and lower case if case does not count
	kind        keyKind
	exact       bool // case counts
	alone       bool // whole words
	fault       string
	matched     int  // texts that it matches in, -1 if unknown
	of          int  // texts that it was tried on
	reported    bool // as one that matches all the time
	triggerable bool // the content of another entry holds it, so that recursion can trigger it
}

type keyKind int

const (
	plainKey keyKind = iota
	regexKey
	brokenRegex
	emptyKey
	macroKey // its expansion is unknown
)

// readKey returns a key of an entry in its compared form.
func (l *linter) readKey(e *storage.LoreEntry, raw string) entryKey {
	k := entryKey{raw: raw, text: strings.TrimSpace(raw), matched: -1, exact: l.in.CaseSensitive,
		alone: l.in.WholeWords}
	if strings.Contains(k.text, "{{") {
		k.text = l.names.Replace(k.text)
	}
	if e.CaseSensitive != nil {
		k.exact = *e.CaseSensitive
	}
	if e.WholeWords != nil {
		k.alone = *e.WholeWords
	}
	k.alone = k.alone && !strings.ContainsFunc(k.text, unicode.IsSpace)
	_, _, isRegex := storage.RegexKey(k.text)
	switch {
	case k.text == "":
		k.kind = emptyKey
	case isRegex:
		if k.kind = regexKey; activation.KeyFault(k.text) != "" {
			k.kind, k.fault = brokenRegex, strings.TrimPrefix(activation.KeyFault(k.text), "the regex is not valid: ")
		}
	case strings.Contains(k.text, "{{"):
		k.kind = macroKey
	case !k.exact:
		k.text = strings.ToLower(k.text)
	}
	return k
}

// search counts the messages, and the contents, in which each key matches.
func (l *linter) search() {
	judged := make([]storage.LoreEntry, len(l.entries))
	contents := make([]string, len(l.entries))
	for i, e := range l.entries {
		judged[i] = *e
		judged[i].Keys, judged[i].SecondaryKeys = nil, nil
		for _, k := range l.keys[i] {
			if e.Constant || k.kind != plainKey && k.kind != regexKey {
				k.text = "" // not needed
			}
			judged[i].Keys = append(judged[i].Keys, k.text)
		}
		if !e.PreventRecursion {
			contents[i] = e.Content
		}
	}
	set := activation.Settings{CaseSensitive: l.in.CaseSensitive, WholeWords: l.in.WholeWords}
	newest := slices.Clone(l.in.Texts)
	slices.Reverse(newest)
	inTexts := activation.CountKeys(judged, set, newest, regexTime)
	var inContents [][]activation.Count
	if len(l.in.Texts) >= minTexts { // otherwise not needed
		inContents = activation.CountKeys(judged, set, contents, regexTime)
	}
	for i := range l.keys {
		for j := range l.keys[i] {
			k := &l.keys[i][j]
			if k.kind != plainKey && k.kind != regexKey {
				continue
			}
			k.matched, k.of = inTexts[i][j].Texts, inTexts[i][j].Of
			if inTexts[i][j].Fault != "" {
				k.fault,
					k.matched = "it takes too long on a message of this chat: its parts can match in too many ways", -1
			}
			if inContents != nil {
				k.triggerable = inContents[i][j].Texts > 1 || inContents[i][j].Texts == 1 && inContents[i][j].First != i
			}
		}
	}
}

// checkKeys reports the faults of an entry's keys, one by one.
func (l *linter) checkKeys(i int) {
	e, keys := l.entries[i], l.keys[i]
	left := keyFindings
	say := func(rule string, s Severity, k entryKey, fix, format string, args ...any) {
		if left--; left >= 0 {
			l.report(i, Finding{Rule: rule, Severity: s, Key: k.raw, Fix: fix, Text: fmt.Sprintf(format, args...)})
		}
	}
	out := ""
	if len(keys) > 1 {
		out = "removes the key"
	}
	for j, k := range keys {
		switch {
		case k.kind == emptyKey && k.raw != "":
			say("dead-key", Warning, k, "removes the key", "a key is only whitespace; it always matches")
		case k.kind == emptyKey:
			say("dead-key", Warning, k, "removes the key", "a key is empty; it never matches")
		case k.kind == brokenRegex:
			say("regex", Error, k, out, "the regex “%s” is not valid, so it never matches: %s",
				excerpt(k.raw, 60), k.fault)
		case k.fault != "":
			say("regex", Warning, k, "", "the regex “%s”: %s", excerpt(k.raw, 60), k.fault)
		case l.isRepeated(keys, j):
			say("duplicate-key", Warning, k, "removes the duplicate", "duplicate key “%s”", excerpt(k.raw, 60))
		case l.checkReach(e, k, out, say):
			keys[j].reported = true
		default:
			l.checkForm(k, say)
		}
	}
	l.checkDead(i, out, say)
}

type keyReport func(rule string, s Severity, k entryKey, fix, format string, args ...any)

// isRepeated reports whether an earlier key is the same.
func (l *linter) isRepeated(keys []entryKey, j int) bool {
	return j < maxComparedKeys && keys[j].kind != emptyKey &&
		slices.ContainsFunc(keys[:j], func(k entryKey) bool { return k.text == keys[j].text })
}

// checkReach names a key that matches all the time.
func (l *linter) checkReach(e *storage.LoreEntry, k entryKey, fix string, say keyReport) bool {
	r, _ := utf8.DecodeRuneInString(k.text)
	letters := utf8.RuneCountInString(k.text)
	folded := strings.ToLower(k.text)
	small := k.kind == plainKey && r < unicode.MaxLatin1
	switch {
	case k.kind == plainKey && l.persons[folded] && strings.Contains(strings.ToLower(e.Name), folded):
		say("everywhere", Hint, k, "", "the key “%s” is a character in every scene: the entry always triggers and "+
			"could be constant", excerpt(k.raw, 60))
	case k.kind == plainKey && l.persons[folded]:
		say("everywhere", Warning, k, fix,
			"the key “%s” is the name of a character in every scene: the entry always triggers", excerpt(k.raw, 60))
	case small && letters == 1:
		say("everywhere", Warning, k, fix, "the key “%s” is a single character: it triggers on nearly everything",
			k.raw)
	case small && letters == 2 && !k.alone:
		say("everywhere", Warning, k, fix,
			"the key “%s” has two letters and whole words is off: it triggers inside other words", k.raw)
	case k.of >= maxMatchedTexts && k.matched*2 > k.of:
		say("everywhere", Warning, k, fix,
			"the key “%s” matches in %d of %d messages: the entry triggers nearly all the time", excerpt(k.raw, 60),
			k.matched, k.of)
	default:
		return false
	}
	return true
}

// checkForm reports a plain key that is probably not in the intended form.
func (l *linter) checkForm(k entryKey, say keyReport) {
	if k.kind != plainKey || k.matched > 0 {
		return
	}
	switch bare := bareKey(k.raw); {
	case strings.HasPrefix(k.text, "/") && strings.Count(k.text, "/") > 1:
		say("regex", Warning, k, "", "the key “%s” looks like a regex but is not valid, so it is matched as plain "+
			"text: escape slashes as \\/, and use each of the flags gimsuy at most once", excerpt(k.raw, 60))
	case len(splitKey(k.raw)) > 1:
		say("key-list", Warning, k, "splits it into several keys", "the key “%s” looks like several keys in one; "+
			"it matches only the whole text including commas", excerpt(k.raw, 60))
	case bare != "" && bare != strings.TrimSpace(k.raw):
		say("key-marks", Warning, k, "removes the punctuation",
			"the key “%s” starts or ends with punctuation and only matches with it", excerpt(k.raw, 60))
	}
}

// bareKey returns a key without the marks that quoting and listing leave behind.
func bareKey(raw string) string {
	return strings.Trim(strings.TrimSpace(raw), " \t\"“”„«»‘’`*,;.:!?")
}

// splitKey takes a list of keys apart.
func splitKey(raw string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(raw, func(r rune) bool {
		return r == ',' || r == ';' || r == '\n' || r == '|'
	}) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// checkDead reports keys that no message contains: one by one if other keys of the entry match,
// otherwise for the entry as a whole.
func (l *linter) checkDead(i int, fix string, say keyReport) {
	e := l.entries[i]
	if len(l.in.Texts) < minTexts || e.Vectorized || activates(e) {
		return
	}
	var dead []entryKey
	alive := false
	for _, k := range l.keys[i] {
		switch {
		case k.kind == emptyKey && k.raw != "":
			alive = true
		case k.kind == emptyKey || k.kind == brokenRegex:
		case k.reported || k.matched != 0 || k.of < minTexts || !e.ExcludeRecursion && k.triggerable:
			alive = true
		case k.kind == plainKey || k.kind == regexKey:
			dead = append(dead, k)
		}
	}
	switch {
	case alive:
		for _, k := range dead {
			say("dead-key", Hint, k, fix, "the key “%s” has not matched in any of the %d messages of this chat",
				excerpt(k.raw, 60), k.of)
		}
	case l.in.Triggered[e.ID] > 0: // by something outside the messages
	case len(dead) == 1:
		say("dead-key", Hint, dead[0], "", "its only key “%s” has not matched in any of the %d messages of this chat",
			excerpt(dead[0].raw, 60), dead[0].of)
	case len(dead) > 1:
		say("dead-keys", Hint, entryKey{}, "", "none of its %d keys has matched in any of the %d messages of this chat",
			len(dead), dead[0].of)
	}
}

// checkShared names keys that trigger several entries without a group that would
// choose between them.
func (l *linter) checkShared() {
	type shared struct{ first, second, count int }
	by := map[string]*shared{}
	var order []string
	for i, e := range l.entries {
		if e.Constant || len(groupsOf(e)) > 0 || e.Selective && len(e.SecondaryKeys) > 0 || e.Characters != nil {
			continue
		}
		for j, k := range l.keys[i] {
			if k.kind != plainKey && k.kind != regexKey || l.isRepeated(l.keys[i], j) {
				continue
			}
			s := by[k.text]
			if s == nil {
				by[k.text] = &shared{first: i, second: -1, count: 1}
				continue
			}
			if s.count++; s.count == 2 {
				s.second = i
				order = append(order, k.text)
			}
		}
	}
	for _, key := range order {
		s := by[key]
		others := "“" + nameOf(l.entries[s.second]) + "”"
		if s.count > 2 {
			others += " and " + countOf(s.count-2, "more entry")
			others = strings.Replace(others, "entrys", "entries", 1)
		}
		l.report(s.first, Finding{
			Rule: "shared-key", Severity: Hint, Other: l.entries[s.second].ID, Key: key,
			Text: fmt.Sprintf("the key “%s” also triggers %s, and no group chooses between them",
				excerpt(key, 60), others),
		})
	}
}

// excerpt returns the beginning of a text, on one line.
func excerpt(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 8*most)], "")), " ")
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}
