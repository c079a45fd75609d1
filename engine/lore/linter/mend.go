package linter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Mend does what a finding's Fix says. It returns the entries that it changed as
// they should be, and what was done in words; a removed one has Removed set. The
// entries that it is given stay as they are. It fails where the finding no longer
// fits them, or has no fix.
func Mend(f Finding, entries []storage.LoreEntry) (changed []storage.LoreEntry, what string, err error) {
	if f.Fix == "" {
		return nil, "", errors.New("mend lore entry: there is no automatic fix; edit the entry")
	}
	at := func(id storage.EntryID) int {
		return slices.IndexFunc(entries, func(e storage.LoreEntry) bool { return e.ID == id && !e.Removed })
	}
	i := at(f.Entry)
	if i < 0 {
		return nil, "", fmt.Errorf("mend lore entry: the entry “%s” is gone; check the book again", f.Name)
	}
	e := cloneEntry(&entries[i])
	if f.Rule == "twin" {
		j := at(f.Other)
		if j < 0 || i == j {
			return nil, "", fmt.Errorf("mend lore entry: there is no second entry left to merge into “%s”; check the book again", nameOf(&e))
		}
		from := cloneEntry(&entries[j])
		absorb(&e, &from)
		from.Removed = true
		return []storage.LoreEntry{e, from}, fmt.Sprintf("merged “%s” into “%s”", nameOf(&from), nameOf(&e)), nil
	}
	what = mend(f, &e)
	if what == "" {
		return nil, "", fmt.Errorf("mend lore entry: “%s” has changed since and needs no such fix; check the book again", nameOf(&e))
	}
	return []storage.LoreEntry{e}, what + " in “" + nameOf(&e) + "”", nil
}

// cloneEntry copies all of an entry that mending changes.
func cloneEntry(e *storage.LoreEntry) storage.LoreEntry {
	c := *e
	c.Aliases, c.Keys, c.SecondaryKeys = slices.Clone(e.Aliases), slices.Clone(e.Keys), slices.Clone(e.SecondaryKeys)
	c.Triggers, c.Facts, c.Past = slices.Clone(e.Triggers), slices.Clone(e.Facts), slices.Clone(e.Past)
	return c
}

// mend changes an entry and says what it did, "" for nothing.
func mend(f Finding, e *storage.LoreEntry) string {
	if what := mendKeys(f, e); what != "" {
		return what
	}
	switch f.Rule {
	case "plist":
		if mended := plist.Mend(e.Content); mended != e.Content {
			e.Content = mended
			return "tidied the content"
		}
	case "plist-head":
		if mended := mendHead(e); mended != e.Content {
			e.Content = mended
			return "added the entry's name to the content"
		}
	case "empty":
		if strings.TrimSpace(e.Content) == "" && !e.Disabled {
			e.Disabled = true
			return "disabled the empty entry"
		}
	case "volatile":
		if e.Constant {
			if e.Constant = false; !hasKey(e) {
				e.Keys = append(e.Keys, nameKey(e))
			}
			return "changed constant to keyed"
		}
	default:
		return mendSettings(f, e)
	}
	return ""
}

// mendKeys does what concerns the finding's key.
func mendKeys(f Finding, e *storage.LoreEntry) string {
	at, last := slices.Index(e.Keys, f.Key), len(e.Keys)-1
	switch f.Rule {
	case "dead-key", "shadowed-key", "everywhere", "regex":
		if at < 0 && f.Rule == "regex" {
			if n := slices.Index(e.SecondaryKeys, f.Key); n >= 0 {
				e.SecondaryKeys = slices.Delete(e.SecondaryKeys, n, n+1)
				return fmt.Sprintf("removed the secondary key “%s”", excerpt(f.Key, 60))
			}
		}
		if at >= 0 {
			e.Keys = slices.DeleteFunc(e.Keys, func(k string) bool { return k == f.Key })
			return fmt.Sprintf("removed the key “%s”", excerpt(f.Key, 60))
		}
	case "duplicate-key":
		for ; last > 0; last-- {
			if e.Keys[last] == f.Key {
				e.Keys = slices.Delete(e.Keys, last, last+1)
				return fmt.Sprintf("removed the duplicate key “%s”", excerpt(f.Key, 60))
			}
		}
	case "key-list":
		if at >= 0 {
			e.Keys = united(slices.Delete(e.Keys, at, at+1), splitKey(f.Key))
			return fmt.Sprintf("split the key “%s”", excerpt(f.Key, 60))
		}
	case "key-marks":
		if at >= 0 {
			e.Keys = united(slices.Delete(e.Keys, at, at+1), []string{barekey(f.Key)})
			return fmt.Sprintf("removed punctuation from the key “%s”", excerpt(f.Key, 60))
		}
	case "no-keys":
		if key := nameKey(e); key != "" && !hasKey(e) {
			e.Keys = []string{key}
			return "made the name a key"
		}
	}
	return ""
}

// mendSettings does what concerns when and where the entry comes in.
func mendSettings(f Finding, e *storage.LoreEntry) string {
	switch f.Rule {
	case "secondary":
		if !e.Selective {
			e.Selective = true
			return "enabled the secondary keys"
		}
		e.SecondaryKeys = nil
		return "removed the secondary keys"
	case "filter":
		if len(e.Triggers) > 0 && !knownTrigger(e.Triggers) {
			e.Triggers = nil
			return "allowed all generation types"
		}
		e.SecondaryKeys = nil
		return "removed the secondary keys"
	case "probability":
		e.Probability = 100
		return "set the probability to 100 %"
	case "depth", "position":
		e.Position = storage.AfterChar
		return "moved the content after the character"
	case "times":
		e.Sticky, e.Cooldown, e.Delay = max(e.Sticky, 0), max(e.Cooldown, 0), max(e.Delay, 0)
		if e.Constant {
			e.Sticky, e.Cooldown = 0, 0
		}
		return "fixed the timed effects"
	case "recursion":
		if e.ExcludeRecursion {
			e.ExcludeRecursion = false
			return "allowed recursion"
		}
		e.DelayUntilRecursion = 0
		return "turned off delay until recursion"
	case "group":
		groups := slices.DeleteFunc(groupsOf(e), func(g string) bool { return g == f.Key })
		e.Group = strings.Join(groups, ", ")
		return "removed it from its group"
	case "group-weight":
		e.GroupWeight = 100
		return "set its group weight to 100"
	}
	return ""
}

// mendHead puts the entry's own name into the head of its content.
func mendHead(e *storage.LoreEntry) string {
	_, name, ok := plist.Head(e.Content)
	if !ok {
		return e.Content
	}
	return plist.Rename(e.Content, name, e.Name)
}

// absorb takes over what another entry knows: its facts, and by which names and
// keys it is known. Settings stay.
func absorb(e, from *storage.LoreEntry) {
	was := *e
	e.Content = joinContents(e.Content, from.Content)
	e.Keys = united(e.Keys, from.Keys)
	e.SecondaryKeys = united(e.SecondaryKeys, from.SecondaryKeys)
	names := append([]string{from.Name}, from.Aliases...)
	for _, n := range names {
		taken := strings.TrimSpace(n) == "" || strings.EqualFold(n, e.Name)
		if !taken && !slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, n) }) {
			e.Aliases = append(e.Aliases, n)
		}
	}
	if e.Synopsis == "" {
		e.Synopsis = from.Synopsis
	}
	if e.Type == "" {
		e.Type = from.Type
	}
	e.Facts = append(e.Facts, from.Facts...)
	scribe.Unite(e, &was, from)
	e.Constant = e.Constant || from.Constant
}

// joinContents adds the facts of a content that another does not have.
func joinContents(content, more string) string {
	known := map[string]bool{}
	for _, f := range plist.Facts(content) {
		known[wording(f)] = true
	}
	var fresh []string
	isFresh := map[string]bool{}
	for _, f := range plist.Facts(more) {
		if w := wording(f); !known[w] {
			known[w], isFresh[w] = true, true
			fresh = append(fresh, f)
		}
	}
	switch {
	case strings.TrimSpace(content) == "":
		return more
	case len(fresh) == 0:
		return content
	}
	into, err := plist.Parse(content)
	if err != nil {
		return strings.TrimRight(content, "\n ") + "\n" + strings.Join(fresh, "\n")
	}
	if other, err := plist.Parse(more); err == nil {
		for _, p := range other.Properties {
			if w := wording(p.String()); isFresh[w] {
				delete(isFresh, w)
				into.Properties = append(into.Properties, p)
			}
		}
	} else {
		for _, f := range fresh {
			into.Properties = append(into.Properties, plist.Property{Text: strings.TrimRight(plist.Plain(f), ".。")})
		}
	}
	return into.String()
}

// wording is what two facts that say the same have in common.
func wording(fact string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(fact), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}

// united adds the keys that are not there yet.
func united(keys, more []string) []string {
	for _, k := range more {
		if strings.TrimSpace(k) != "" && !slices.ContainsFunc(keys, func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(k)) }) {
			keys = append(keys, k)
		}
	}
	return keys
}
