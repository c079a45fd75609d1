package linter

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds beyond which an entry is worth a word.
const (
	listed = 6 // problems named of one content
)

// The request kinds that entries can be kept to.
var triggerKinds = []string{"normal", "continue", "impersonate", "swipe", "regenerate", "quiet"}

func (l *linter) checkContents() {
	for i := range l.entries {
		l.checkContent(i)
	}
}

// checkContent checks the text that the model would read.
func (l *linter) checkContent(i int) {
	e := l.entries[i]
	if strings.TrimSpace(e.Content) == "" {
		l.reportf(i, "empty", Warning, "disables the entry", "the content is empty")
		return
	}
	if n := utf8.RuneCountInString(e.Content); n > fill.MaxContent {
		every := "whenever it triggers"
		if e.Constant {
			every = "in every prompt"
		}
		l.reportf(i, "long", Hint, "",
			"the content is %d characters long and costs these tokens %s: compact or split the entry", n, every)
	}
	if isListed(e.Content) {
		l.checkList(i)
	}
	if typ := strings.TrimSpace(e.Type); typ != "" && len(l.in.Types) > 0 &&
		!slices.ContainsFunc(l.in.Types, func(t string) bool { return strings.EqualFold(t, typ) }) {
		l.reportf(i, "type", Hint, "", "its type “%s” is none of %s", excerpt(typ, 40), strings.Join(l.in.Types, ", "))
	}
	l.checkMacros(i)
	if moving := prompts.Volatile(e.Content); len(moving) > 0 && (e.Constant || activates(e)) {
		fix := ""
		if e.Constant && !activates(e) && (hasKey(e) || nameKey(e) != "") {
			fix = "makes it keyed, so it is added at the end of the prompt"
		}
		l.reportf(i, "volatile", Warning, fix, "it is constant and contains {{%s}}, which changes every turn: "+
			"the prompt would be processed again every turn", strings.Join(moving, "}}, {{"))
	}
}

// checkMacros reports texts that look like macros and are none.
func (l *linter) checkMacros(i int) {
	if left := prompts.Unknown(l.entries[i].Content); len(left) > 0 {
		l.reportf(i, "macro", Warning, "", "{{%s}} is an unknown macro or has wrong arguments: it is sent as it is",
			strings.Join(left[:min(len(left), listed)], "}}, {{"))
	}
}

// isListed reports whether a content is meant as "[type-Name: …". Other texts in brackets are not
// checked as lists.
func isListed(content string) bool {
	content = strings.TrimSpace(content)
	if !plist.IsList(content) {
		return false
	}
	typ, _, _ := strings.Cut(content[1:], "-")
	return typ != "" && len(typ) <= 40 && !strings.ContainsFunc(typ, func(r rune) bool { return !text.InWord(r) })
}

func (l *linter) want(e *storage.LoreEntry) plist.Want {
	return plist.Want{Types: l.in.Types, Name: strings.TrimSpace(e.Name), Aliases: e.Aliases}
}

// checkList checks a content in list form. A fix is offered if it resolves every problem.
func (l *linter) checkList(i int) {
	e := l.entries[i]
	problems := plist.Check(e.Content, l.want(e))
	if len(problems) == 0 {
		return
	}
	tidied := plist.Check(plist.Repair(e.Content), l.want(e))
	for _, p := range problems[:min(len(problems), listed)] {
		f, after := Finding{Rule: "plist", Severity: Warning, Text: p.String(), Fix: listFixes[p.Kind]}, tidied
		switch {
		case p.Kind == plist.OtherHead:
			f.Rule, f.Fix, after = "plist-head", "inserts the entry's name", plist.Check(fixHead(e), l.want(e))
		case p.Kind == plist.UnknownType:
			f.Severity = Hint
		case p.Kind.Form():
			f.Severity = Error
		}
		if slices.ContainsFunc(after, func(q plist.Problem) bool { return q.Kind == p.Kind || q.Kind.Form() }) {
			f.Fix = ""
		}
		l.report(i, f)
	}
}

// listFixes describes what plist.Repair does.
var listFixes = map[plist.Fault]string{
	plist.NotBracketed: "closes the bracket",
	plist.Unbalanced:   "closes the parentheses",
	plist.UpperType:    "writes the type in lower case",
	plist.Empty:        "removes the empty items",
	plist.Duplicate:    "removes the duplicate",
}

func hasKey(e *storage.LoreEntry) bool {
	return slices.ContainsFunc(e.Keys, func(k string) bool { return strings.TrimSpace(k) != "" })
}

// nameKey returns a key derived from the entry's name, "" if it would be a bad key.
func nameKey(e *storage.LoreEntry) string {
	key := strings.ToLower(strings.Join(strings.Fields(e.Name), " "))
	if n := utf8.RuneCountInString(key); n < 3 || n > 60 || strings.HasPrefix(key, "/") ||
		strings.ContainsAny(key, ",;|{}") || bareKey(key) != key {
		return ""
	}
	return key
}

// checkSettings checks when and where an entry would trigger.
func (l *linter) checkSettings(i int) {
	e := l.entries[i]
	if !e.Constant && !activates(e) && !hasKey(e) {
		fix, what := "", "it has no keys and is not constant, so it can never trigger"
		if len(e.SecondaryKeys) > 0 {
			what = "it has secondary keys but no keys, so it can never trigger"
		}
		if key := nameKey(e); key != "" && !l.persons[key] {
			fix = fmt.Sprintf("makes its name a key: “%s”", key)
		}
		l.reportf(i, "no-keys", Warning, fix, "%s", what)
	}
	if e.UseProbability && !(e.Probability > 0) {
		l.reportf(i, "probability", Warning, "sets it to 100 %", "its probability is 0 %%, so it never triggers")
	}
	if e.Constant && e.Position == storage.AtDepth && e.Depth > 0 {
		l.reportf(i, "depth", Hint, "moves it after the character",
			"it is constant at depth %d: it moves every turn, and everything below it is processed again", e.Depth)
	}
	if e.Position < storage.BeforeChar || e.Position > storage.Outlet {
		l.reportf(i, "position", Warning, "moves it after the character", "its position %d does not exist", e.Position)
	}
	if e.Position == storage.Outlet && strings.TrimSpace(e.Outlet) == "" {
		l.reportf(i, "position", Warning, "moves it after the character",
			"its outlet has no name, so it is never in the prompt")
	}
	if len(e.Triggers) > 0 && !knownTrigger(e.Triggers) {
		l.reportf(i, "filter", Error, "allows all generation types",
			"it is limited to the generation type %s, which does not exist",
			excerpt(strings.Join(e.Triggers, ", "), 60))
	}
	l.checkTimes(i)
}

func knownTrigger(triggers []string) bool {
	return slices.ContainsFunc(triggers, func(t string) bool {
		return slices.Contains(triggerKinds, strings.ToLower(strings.TrimSpace(t)))
	})
}

// checkTimes judges the timed effects.
func (l *linter) checkTimes(i int) {
	e := l.entries[i]
	negative := func(name string, n int) {
		if n < 0 {
			l.reportf(i, "times", Warning, "sets it to 0", "its %s is less than 0", name)
		}
	}
	negative("sticky", e.Sticky)
	negative("cooldown", e.Cooldown)
	negative("delay", e.Delay)
	switch {
	case e.Constant && e.Cooldown > 0:
		l.reportf(i, "times", Warning, "removes the cooldown",
			"it is constant with a cooldown of %d messages: each change processes the whole prompt again", e.Cooldown)
	case e.Constant && e.Sticky > 0:
		l.reportf(i, "times", Hint, "removes the sticky effect",
			"it is constant, so sticky (%d messages) has no effect", e.Sticky)
	}
}

// checkSecondary judges the keys that narrow the others down.
func (l *linter) checkSecondary(i int) {
	e := l.entries[i]
	secondary := make([]entryKey, 0, len(e.SecondaryKeys))
	for _, raw := range e.SecondaryKeys {
		k := l.readKey(e, raw)
		if k.kind == brokenRegex && len(secondary) < keyFindings {
			l.report(i, Finding{
				Rule: "regex", Severity: Error, Key: raw, Fix: "removes the key",
				Text: fmt.Sprintf("the secondary regex “%s” is not valid, so it never matches: %s",
					excerpt(raw, 60), k.fault),
			})
		}
		if k.kind != emptyKey {
			secondary = append(secondary, k)
		}
	}
	if len(secondary) == 0 || !hasKey(e) {
		return
	}
	if !e.Selective {
		l.reportf(i, "secondary", Warning, "enables them", "it has %s that are not used because it is not selective",
			countOf(len(secondary), "secondary key"))
		return
	}
	unlike := func(keys, others []entryKey) bool {
		return slices.ContainsFunc(keys, func(k entryKey) bool {
			return !slices.ContainsFunc(others, func(o entryKey) bool { return k.kind == plainKey && k.text == o.text })
		})
	}
	// A key that matches then also matches as a secondary key.
	if keys := l.keys[i]; len(keys) <= maxComparedKeys && len(secondary) <= maxComparedKeys &&
		!unlike(keys, secondary) &&
		(e.Logic == storage.NotAny || e.Logic == storage.NotAll && !unlike(secondary, keys[:1])) {
		l.reportf(i, "filter", Error, "removes the secondary keys",
			"its keys are the secondary keys that must not match: it can never trigger")
	}
}

// checkRecursion names entries that wait for a recursion that cannot come.
func (l *linter) checkRecursion() {
	starters := 0 // entries that can set recursion off
	starts := func(e *storage.LoreEntry) bool { return !e.PreventRecursion && e.DelayUntilRecursion == 0 }
	for _, e := range l.entries {
		if starts(e) {
			starters++
		}
	}
	for i, e := range l.entries {
		switch {
		case e.DelayUntilRecursion <= 0:
		case e.ExcludeRecursion:
			l.reportf(i, "recursion", Error, "allows recursion",
				"it is delayed until recursion and excluded from recursion, so it can never trigger")
		case starters == 0:
			l.reportf(i, "recursion", Warning, "turns off delay until recursion",
				"it is delayed until recursion, but no entry of this lorebook starts one")
		}
	}
}

// checkGroups names members that cannot win.
func (l *linter) checkGroups() {
	members := map[string]int{}
	for _, e := range l.entries {
		for _, g := range groupsOf(e) {
			members[g]++
		}
	}
	for i, e := range l.entries {
		others := slices.ContainsFunc(groupsOf(e), func(g string) bool { return members[g] > 1 })
		if others && !(e.GroupWeight > 0 && !math.IsInf(e.GroupWeight, 1)) && !e.GroupOverride {
			l.reportf(i, "group-weight", Warning, "sets it to 100",
				"its group weight is not above 0, so it can never win")
		}
	}
}

// groupsOf lists the names of an entry's groups, each once.
func groupsOf(e *storage.LoreEntry) []string {
	var out []string
	for g := range strings.SplitSeq(e.Group, ",") {
		if g = strings.TrimSpace(g); g != "" && len(out) < maxComparedKeys && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

func countOf(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
