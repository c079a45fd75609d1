package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of texts in events, in runes.
const (
	maxName  = 40
	maxQuote = 160
)

// plannedText describes a list of shots that the model made.
func plannedText(c *storage.BoardCall) string {
	key, filler := kinds(c.After.Shots)
	words := fmt.Sprintf("%s planned: %d key, %d filler", counted(len(c.After.Shots), "shot"), key, filler)
	if c.Tool == importBoard {
		return words + ", from a file"
	}
	return words
}

// changedText describes changes of shots: for one shot the old and the new value, for several in
// how many of them a field changed.
func changedText(changes []change) string {
	shots := refsOf(changes)
	var parts []string
	if len(shots) == 1 {
		for _, c := range changes {
			parts = append(parts, fieldText(c.field, c.was, c.is))
		}
		return "changed " + label(changes[0].shot) + ": " + strings.Join(parts, "; ")
	}
	for _, f := range fields {
		n, same, to := 0, true, ""
		for _, c := range changes {
			if c.field != f.name {
				continue
			}
			same = n == 0 || same && c.is == to
			to = c.is
			n++
		}
		switch {
		case n == 0:
		case same && !isProse(f.name):
			parts = append(parts, fmt.Sprintf("%s to %s in %d", f.name, value(f.name, to), n))
		default:
			parts = append(parts, fmt.Sprintf("%s in %d", f.name, n))
		}
	}
	return fmt.Sprintf("changed %s: %s", counted(len(shots), "shot"), strings.Join(parts, "; "))
}

// fieldText describes how a field changed.
func fieldText(name, was, is string) string {
	if !isProse(name) {
		return fmt.Sprintf("%s from %s to %s", name, value(name, was), value(name, is))
	}
	for _, c := range Excerpt(name, was, is) {
		return name + ": " + replacedText(c.Removed, c.Added)
	}
	return name + ": spaced in another way"
}

// replacedText returns the words that were removed and added.
func replacedText(gone, came string) string {
	switch {
	case gone == "":
		return "put in " + quoted(came)
	case came == "":
		return "took out " + quoted(gone)
	}
	return quoted(gone) + " became " + quoted(came)
}

// isProse reports whether a field has description or dialogue, and not a way of showing.
func isProse(field string) bool {
	return field == "subject" || field == "description" || field == "dialogue"
}

// value describes a value of a field.
func value(field, v string) string {
	switch v = plain(v); {
	case v == "" || v == "0":
		return "none"
	case field == "seconds":
		return v + " s"
	}
	return v
}

// plain returns a key or a name as words.
func plain(key string) string { return onOneLine(strings.ReplaceAll(key, "_", " "), maxName) }

func quoted(s string) string { return "“" + onOneLine(s, maxQuote) + "”" }

// categoryOf returns the category that a shot is counted in.
func categoryOf(s *storage.Shot) string {
	return strings.TrimSpace(plain(string(s.Kind)) + " " + strings.ToLower(plain(s.Job)))
}

// label identifies a shot in a few words.
func label(s *storage.Shot) string {
	return strings.TrimSpace(onOneLine(string(s.ID), maxName) + " (" + categoryOf(s) + ")")
}

// describe describes a shot.
func describe(s *storage.Shot) string {
	parts := []string{categoryOf(s)}
	for _, v := range []string{s.Size, s.Angle, s.Movement} {
		if v = plain(v); v != "" {
			parts = append(parts, v)
		}
	}
	if s.Seconds > 0 {
		parts = append(parts, fmt.Sprintf("%g s", s.Seconds))
	}
	words := onOneLine(string(s.ID), maxName) + " (" + strings.Join(parts, ", ") + ")"
	if what := or(s.Description, s.Subject); what != "" {
		words += " " + quoted(what)
	}
	return words
}

// addedText describes added shots.
func addedText(list []placedShot, after []storage.Shot) string {
	return "added " + eachShotText(list, func(p *placedShot) string {
		return describe(p.shot) + fmt.Sprintf(" at place %d", p.to) + between(p, after)
	})
}

// between returns the shots on both sides of a shot, which it was added for.
func between(p *placedShot, after []storage.Shot) string {
	var before, behind string
	if p.to >= 2 && p.to-2 < len(after) {
		before = label(&after[p.to-2])
	}
	if p.to < len(after) {
		behind = label(&after[p.to])
	}
	switch {
	case before != "" && behind != "":
		return ", between " + before + " and " + behind
	case before != "":
		return ", last, after " + before
	case behind != "":
		return ", first, before " + behind
	}
	return ""
}

// removedText describes removed shots.
func removedText(list []placedShot) string {
	return "removed " + eachShotText(list, func(p *placedShot) string { return describe(p.shot) })
}

// maxNamedShots is the maximum number of shots that a list names; the others are counted.
const maxNamedShots = 6

// labels identifies shots in a few words.
func labels(list []placedShot) string {
	var out []string
	for i := range list[:min(len(list), maxNamedShots)] {
		out = append(out, label(list[i].shot))
	}
	if n := len(list) - maxNamedShots; n > 0 {
		out = append(out, counted(n, "other"))
	}
	return strings.Join(out, ", ")
}

// movedText describes moved shots.
func movedText(list []placedShot, after []storage.Shot) string {
	return "moved " + eachShotText(list, func(p *placedShot) string {
		return fmt.Sprintf("%s from place %d to %d", label(p.shot), p.from, p.to) + between(p, after)
	})
}

// eachShotText describes several shots, with their number first if there are many, because the
// rest may be cut.
func eachShotText(list []placedShot, words func(*placedShot) string) string {
	var parts []string
	for i := range list[:min(len(list), maxRefs)] {
		parts = append(parts, words(&list[i]))
	}
	all := strings.Join(parts, "; ")
	if len(list) > 1 {
		return counted(len(list), "shot") + ": " + all
	}
	return all
}

// mergedText returns the shots that were merged, and the result.
func mergedText(d shotChanges, c *storage.BoardCall, before []storage.Shot) string {
	merged := readParams(c.Params, before).shots
	for _, p := range d.removed {
		if !slices.Contains(merged, p.shot.ID) {
			merged = append(merged, p.shot.ID)
		}
	}
	var from []string
	for _, s := range before {
		if slices.Contains(merged, s.ID) {
			from = append(from, label(&s))
		}
	}
	words := "merged " + strings.Join(from[:min(len(from), maxRefs)], " and ")
	for _, s := range c.After.Shots {
		if slices.Contains(merged, s.ID) || slices.ContainsFunc(d.added,
			func(p placedShot) bool { return p.shot.ID == s.ID }) {
			return words + " into " + describe(&s)
		}
	}
	return words
}

// planText describes the user's change of a planning step.
func planText(c *storage.BoardCall) []string {
	what := map[string]string{
		"recommend_key_beats":       "the key beats",
		"recommend_filler_strategy": "the filler strategy",
		"budget_beat_packages":      "the budget",
		"generate_beat_package":     "the shots of a beat, before they were put in order,",
	}[c.Tool]
	if what == "" {
		return nil
	}
	return []string{what + " changed by hand"}
}

// bulkText describes an executed edit plan or a planning step that the user changed. It is "" if
// the user changed nothing.
func bulkText(before *storage.Plan, c *storage.BoardCall, d shotChanges) string {
	var parts []string
	add := func(list []placedShot, did string) {
		if len(list) > 0 {
			parts = append(parts, counted(len(list), "shot")+" "+did+" ("+labels(list)+")")
		}
	}
	add(d.added, "added")
	add(d.removed, "removed")
	if refs := refsOf(d.changed); len(refs) > 0 {
		var list []placedShot
		for _, c := range d.changed {
			if !slices.ContainsFunc(list, func(p placedShot) bool { return p.shot.ID == c.shot.ID }) {
				list = append(list, placedShot{shot: c.shot})
			}
		}
		words := strings.TrimPrefix(changedText(d.changed), "changed ")
		if len(refs) == 1 {
			words = counted(1, "shot") + " changed: " + words
		} else {
			words = strings.Replace(words, "shots:", "shots changed ("+labels(list)+"):", 1)
		}
		parts = append(parts, words)
	}
	add(d.moved, "moved")
	parts = append(parts, planText(c)...)
	if len(parts) == 0 {
		return ""
	}
	words := strings.Join(parts, ", ")
	if c.Tool != executeEdit {
		return words
	}
	if p := before.Proposal; p != nil && p.Summary != "" {
		return "carried out an edit plan, " + words + ": " + onOneLine(p.Summary, maxSummary)
	}
	return "carried out an edit plan: " + words
}
