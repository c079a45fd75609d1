package linter

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of what the linter tries out.
const (
	enoughTexts  = 30      // below that a key that never matched says nothing
	mostTexts    = 12      // nor does one that matches in most
	regexWork    = 3 << 20 // bytes that all regexes together are tried on
	regexPatient = 3       // regexes that may run out of time before no more is tried
	manyKeys     = 64      // of an entry, that are compared with each other
	keyFindings  = 24      // of an entry
)

// entryKey is a key as it is compared.
type entryKey struct {
	raw, text string // text is trimmed, its macros expanded, and in lower case where case does not count
	kind      keyKind
	exact     bool // case counts
	alone     bool // whole words
	fault     string
	slot      int32 // of the finder, -1 for none
	regex     *regexp2.Regexp
	matched   int // texts that it matches in, -1 where that is not known
	of        int // texts that it was tried on
}

type keyKind int

const (
	plainKey keyKind = iota
	regexKey
	brokenRegex
	emptyKey
	macroKey // what it stands for is not known
)

// readKey tells how a key of an entry is compared.
func (l *linter) readKey(e *storage.LoreEntry, raw string) entryKey {
	k := entryKey{raw: raw, text: strings.TrimSpace(raw), slot: -1, matched: -1, exact: l.in.CaseSensitive, alone: l.in.WholeWords}
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
	pattern, flags, isRegex := storage.RegexKey(k.text)
	switch {
	case k.text == "":
		k.kind = emptyKey
	case isRegex:
		k.kind = regexKey
		var err error
		if k.regex, err = compileKey(pattern, flags); err != nil {
			k.kind, k.fault = brokenRegex, regexFault(err)
		}
	case strings.Contains(k.text, "{{"):
		k.kind = macroKey
	case !k.exact:
		k.text = strings.ToLower(k.text)
	}
	return k
}

// longestRegex is how many bytes a pattern may have to be used at all.
const longestRegex = 4 << 10

func compileKey(pattern, flags string) (re *regexp2.Regexp, err error) {
	defer func() { // a stranger's pattern in another's parser
		if r := recover(); r != nil {
			re, err = nil, fmt.Errorf("%v", r)
		}
	}()
	if len(pattern) > longestRegex {
		return nil, fmt.Errorf("it is longer than %d bytes", longestRegex)
	}
	options := regexp2.ECMAScript
	for i, f := range flags {
		if strings.ContainsRune(flags[:i], f) {
			return nil, fmt.Errorf("its flag %q is there twice", f)
		}
		switch f {
		case 'i':
			options |= regexp2.IgnoreCase
		case 'm':
			options |= regexp2.Multiline
		case 's':
			options |= regexp2.Singleline
		case 'u':
			options |= regexp2.Unicode
		}
	}
	if re, err = regexp2.Compile(pattern, options); err == nil {
		re.MatchTimeout = 20 * time.Millisecond
	}
	return re, err
}

// matches tries a regex on a text. It fails where that takes too long.
func matches(re *regexp2.Regexp, text string) (found bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return re.MatchString(text)
}

func regexFault(err error) string {
	text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return excerpt(text, 120)
}

// search finds out in how many messages each key matches.
func (l *linter) search() {
	folded, exact := newFinder(), newFinder()
	of := func(k *entryKey) *finder {
		if k.exact {
			return exact
		}
		return folded
	}
	regexes := 0
	l.eachKey(func(k *entryKey) {
		switch k.kind {
		case plainKey:
			k.slot = of(k).add(sought{k.text, k.alone})
		case regexKey:
			regexes++
		}
	})
	read := func(text string, tag int) {
		folded.read(strings.ToLower(text), int32(tag)) //nolint:gosec // a number of messages or entries
		if len(exact.seen) > 0 {
			exact.read(text, int32(tag)) //nolint:gosec // as above
		}
	}
	for i, text := range l.in.Texts {
		read(text, i)
	}
	l.eachKey(func(k *entryKey) {
		if k.slot >= 0 {
			k.matched, k.of = of(k).seen[k.slot].texts, len(l.in.Texts)
		}
	})
	l.searchRegexes(regexes)
	l.told = func(k *entryKey) occurrence {
		if k.slot < 0 {
			return occurrence{}
		}
		return of(k).seen[k.slot]
	}
	folded.forget()
	exact.forget()
	if len(l.in.Texts) < enoughTexts { // nobody will ask
		return
	}
	for i, e := range l.entries {
		if !e.PreventRecursion {
			read(e.Content, i)
		}
	}
}

// searchRegexes tries each regex on as many of the newest messages as its share
// of the work allows. One that runs out of time is named; after some of those
// no more is tried.
func (l *linter) searchRegexes(count int) {
	if count == 0 {
		return
	}
	share, slow := regexWork/count, 0
	l.eachKey(func(k *entryKey) {
		if k.kind != regexKey || slow == regexPatient {
			return
		}
		k.matched = 0
		room := share
		for _, text := range slices.Backward(l.in.Texts) {
			if room -= len(text); room < 0 {
				break
			}
			found, err := matches(k.regex, text)
			if err != nil {
				k.fault = "it is too slow on a message of this chat: too much backtracking"
				k.matched = -1
				slow++
				return
			}
			if k.of++; found {
				k.matched++
			}
		}
	})
}

// eachKey visits all primary keys that can decide about an entry.
func (l *linter) eachKey(visit func(*entryKey)) {
	for i, e := range l.entries {
		if e.Constant {
			continue
		}
		for j := range l.keys[i] {
			visit(&l.keys[i][j])
		}
	}
}

// checkKeys names what is wrong with the keys of an entry, one by one.
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
			say("dead-key", Doubt, k, "removes the key", "a key is only whitespace; it always matches")
		case k.kind == emptyKey:
			say("dead-key", Doubt, k, "removes the key", "a key is empty; it never matches")
		case k.kind == brokenRegex:
			say("regex", Fault, k, out, "the regex “%s” is not valid, so it never matches: %s", excerpt(k.raw, 60), k.fault)
		case k.fault != "":
			say("regex", Doubt, k, "", "the regex “%s”: %s", excerpt(k.raw, 60), k.fault)
		case l.isRepeated(keys, j):
			say("duplicate-key", Doubt, k, "removes the duplicate", "duplicate key “%s”", excerpt(k.raw, 60))
		case !l.checkReach(e, k, out, say):
			l.checkForm(k, say)
		}
	}
	if e.UseGroupScoring == nil || !*e.UseGroupScoring {
		l.checkShadows(keys, say)
	}
	l.checkDead(i, out, say)
}

type sayKey func(rule string, s Severity, k entryKey, fix, format string, args ...any)

// isRepeated tells whether an earlier key is the same.
func (l *linter) isRepeated(keys []entryKey, j int) bool {
	return j < manyKeys && keys[j].kind != emptyKey &&
		slices.ContainsFunc(keys[:j], func(k entryKey) bool { return k.text == keys[j].text })
}

// checkReach names a key that matches all the time.
func (l *linter) checkReach(e *storage.LoreEntry, k entryKey, fix string, say sayKey) bool {
	r, _ := utf8.DecodeRuneInString(k.text)
	letters := utf8.RuneCountInString(k.text)
	folded := strings.ToLower(k.text)
	small := k.kind == plainKey && r < unicode.MaxLatin1
	switch {
	case k.kind == plainKey && l.persons[folded] && strings.Contains(strings.ToLower(e.Name), folded):
		say("everywhere", Thought, k, "", "the key “%s” is a character in every scene: the entry always triggers and could be constant", excerpt(k.raw, 60))
	case k.kind == plainKey && l.persons[folded]:
		say("everywhere", Doubt, k, fix, "the key “%s” is the name of a character in every scene: the entry always triggers", excerpt(k.raw, 60))
	case small && letters == 1:
		say("everywhere", Doubt, k, fix, "the key “%s” is a single character: it triggers on nearly everything", k.raw)
	case small && letters == 2 && !k.alone:
		say("everywhere", Doubt, k, fix, "the key “%s” has two letters and whole words is off: it triggers inside other words", k.raw)
	case k.kind == plainKey && isStopWord(folded):
		say("everywhere", Doubt, k, fix, "the key “%s” is a very common word: it triggers all the time", k.raw)
	case k.of >= mostTexts && k.matched*2 > k.of:
		say("everywhere", Doubt, k, fix, "the key “%s” matches in %d of %d messages: the entry triggers nearly all the time", excerpt(k.raw, 60), k.matched, k.of)
	default:
		return false
	}
	return true
}

// checkForm names a plain key that is probably not written as it was meant.
func (l *linter) checkForm(k entryKey, say sayKey) {
	if k.kind != plainKey || k.matched > 0 {
		return
	}
	switch bare := barekey(k.raw); {
	case strings.HasPrefix(k.text, "/") && strings.Count(k.text, "/") > 1:
		say("regex", Doubt, k, "", "the key “%s” looks like a regex but is not valid, so it is matched as plain text: "+
			"escape slashes as \\/, and use only the flags gimsuy", excerpt(k.raw, 60))
	case len(splitKey(k.raw)) > 1:
		say("key-list", Doubt, k, "splits it into several keys", "the key “%s” looks like several keys in one; "+
			"it matches only the whole text including commas", excerpt(k.raw, 60))
	case bare != "" && bare != strings.TrimSpace(k.raw):
		say("key-marks", Doubt, k, "removes the punctuation", "the key “%s” starts or ends with punctuation and only matches with it", excerpt(k.raw, 60))
	case len(k.text) > maxFound:
		say("long-key", Thought, k, "", "a key is %d characters long and only matches as a whole: “%s”", utf8.RuneCountInString(k.text), excerpt(k.raw, 60))
	}
}

// barekey is a key without the marks that quoting and listing leave behind.
func barekey(raw string) string {
	return strings.Trim(strings.TrimSpace(raw), " \t\"“”„«»‘’`*,;.:!?")
}

// splitKey takes a list of keys apart.
func splitKey(raw string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(raw, func(r rune) bool { return r == ',' || r == ';' || r == '\n' || r == '|' }) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// checkShadows names keys that can only match where another one matches anyway.
func (l *linter) checkShadows(keys []entryKey, say sayKey) {
	for j, k := range keys[:min(len(keys), manyKeys)] {
		for n, by := range keys[:min(len(keys), manyKeys)] {
			if n != j && k.text != by.text && shadows(by, k) {
				say("shadowed-key", Thought, k, "removes the key", "the key “%s” adds nothing: where it matches, “%s” matches too", excerpt(k.raw, 60), excerpt(by.raw, 60))
				break
			}
		}
	}
}

// shadows tells whether the first key matches wherever the second does.
func shadows(by, k entryKey) bool {
	if by.kind != plainKey || k.kind != plainKey || by.exact && !k.exact || len(by.text) > maxFound || len(k.text) > maxFound {
		return false
	}
	text := k.text
	if !by.exact {
		text = strings.ToLower(text)
	}
	for from := 0; ; {
		at := strings.Index(text[from:], by.text)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(by.text)
		if !by.alone || (at == 0 || !isWordByte(text[at-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		from = at + 1
	}
}

// checkDead names keys that no message holds: one by one where others of the
// entry match, else the entry as a whole.
func (l *linter) checkDead(i int, fix string, say sayKey) {
	e := l.entries[i]
	if len(l.in.Texts) < enoughTexts || e.Vectorized || activates(e) {
		return
	}
	var dead []entryKey
	alive := false
	for _, k := range l.keys[i] {
		switch {
		case k.kind == emptyKey && k.raw != "":
			alive = true
		case k.kind == emptyKey || k.kind == brokenRegex:
		case k.matched != 0 || k.of < enoughTexts || !e.ExcludeRecursion && l.toldElsewhere(&k, i):
			alive = true
		case k.kind == plainKey || k.kind == regexKey:
			dead = append(dead, k)
		}
	}
	switch {
	case alive:
		for _, k := range dead {
			say("dead-key", Thought, k, fix, "the key “%s” has not matched in any of the %d messages of this chat", excerpt(k.raw, 60), k.of)
		}
	case l.in.Fired[e.ID] > 0: // by what the messages do not show
	case len(dead) == 1:
		say("dead-key", Thought, dead[0], "", "its only key “%s” has not matched in any of the %d messages of this chat", excerpt(dead[0].raw, 60), dead[0].of)
	case len(dead) > 1:
		say("dead-keys", Thought, entryKey{}, "", "none of its %d keys has matched in any of the %d messages of this chat", len(dead), dead[0].of)
	}
}

// toldElsewhere tells whether another entry's content holds the key, so that
// recursion can fire it.
func (l *linter) toldElsewhere(k *entryKey, i int) bool {
	o := l.told(k)
	return o.texts > 1 || o.texts == 1 && int(o.first) != i
}

// stopWords are in nearly every text of their language.
var stopWords = slices.Sorted(strings.FieldsSeq(`the a an and or but if then so of in on at to for from by with as is are was were be been has have had do does did
	not no yes it its he him his she her hers they them their we us our you your my me this that these those there here what who which
	when where why how all some any one out up down into over about just like can will would could said says
	der die das den dem des ein eine einen einem einer und oder aber nicht kein ist sind war waren ich du er sie es wir ihr mich mir
	sich mit von zu zum zur auf im am auch noch nur wie wenn dass
	le la les un une des du et ou mais est sont était je tu il elle nous vous ils elles ne pas que qui dans sur avec pour
	el los las y o pero es son era yo tú él ella no que en con por para se su`))

func isStopWord(w string) bool {
	_, is := slices.BinarySearch(stopWords, w)
	return is
}

// excerpt is the beginning of a text, on one line.
func excerpt(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 8*most)], "")), " ")
	if all := []rune(text); len(all) > most {
		return string(all[:most]) + "…"
	}
	return text
}
