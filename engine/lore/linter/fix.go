package linter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Fix applies a finding's fix. It returns the changed entries and a description of the fix, and
// leaves its arguments unchanged. It fails if the finding has no fix or no longer applies.
func Fix(f Finding, entries []storage.LoreEntry) (changed []storage.LoreEntry, what string, err error) {
	if f.Fix == "" {
		return nil, "", errors.New("there is no automatic fix: edit the entry")
	}
	at := func(id storage.EntryID) int {
		return slices.IndexFunc(entries, func(e storage.LoreEntry) bool { return e.ID == id && !e.Removed })
	}
	i := at(f.Entry)
	if i < 0 {
		return nil, "", fmt.Errorf("the entry “%s” no longer exists: check the lorebook again", f.Name)
	}
	e := cloneEntry(&entries[i])
	what = fix(f, &e)
	if what == "" {
		return nil, "", fmt.Errorf("“%s” has changed since and does not need this fix: check the lorebook again",
			nameOf(&e))
	}
	return []storage.LoreEntry{e}, what + " in “" + nameOf(&e) + "”", nil
}

// cloneEntry copies all of an entry that fixes change.
func cloneEntry(e *storage.LoreEntry) storage.LoreEntry {
	c := *e
	c.Aliases, c.Keys, c.SecondaryKeys = slices.Clone(e.Aliases), slices.Clone(e.Keys), slices.Clone(e.SecondaryKeys)
	c.Triggers, c.Facts, c.Past = slices.Clone(e.Triggers), slices.Clone(e.Facts), slices.Clone(e.Past)
	return c
}

// fix changes an entry and returns a description, "" if it changed nothing.
func fix(f Finding, e *storage.LoreEntry) string {
	if what := fixKey(f, e); what != "" {
		return what
	}
	switch f.Rule {
	case "plist":
		if mended := plist.Repair(e.Content); mended != e.Content {
			e.Content = mended
			return "tidied the content"
		}
	case "plist-head":
		if mended := fixHead(e); mended != e.Content {
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
		return fixSettings(f, e)
	}
	return ""
}

// fixKey fixes findings about a key.
func fixKey(f Finding, e *storage.LoreEntry) string {
	at, last := slices.Index(e.Keys, f.Key), len(e.Keys)-1
	switch f.Rule {
	case "dead-key", "everywhere", "regex":
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
			e.Keys = withKeys(slices.Delete(e.Keys, at, at+1), splitKey(f.Key))
			return fmt.Sprintf("split the key “%s”", excerpt(f.Key, 60))
		}
	case "key-marks":
		if at >= 0 {
			e.Keys = withKeys(slices.Delete(e.Keys, at, at+1), []string{bareKey(f.Key)})
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

// fixSettings fixes findings about when and where the entry triggers.
func fixSettings(f Finding, e *storage.LoreEntry) string {
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
	case "group-weight":
		e.GroupWeight = 100
		return "set its group weight to 100"
	}
	return ""
}

// fixHead puts the entry's own name into the head of its content.
func fixHead(e *storage.LoreEntry) string {
	_, name, ok := plist.Head(e.Content)
	if !ok {
		return e.Content
	}
	return plist.Rename(e.Content, name, e.Name)
}

// withKeys adds the keys that are not there yet.
func withKeys(keys, more []string) []string {
	for _, k := range more {
		if strings.TrimSpace(k) != "" && !slices.ContainsFunc(keys,
			func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(k)) }) {
			keys = append(keys, k)
		}
	}
	return keys
}
