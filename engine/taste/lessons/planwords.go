package lessons

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// planWords tell what of a plan is different besides its shots.
func planWords(before, after *storage.Plan) []string {
	parts := beatWords(before.Beats, after.Beats)
	parts = append(parts, fillerWords(before.Filler, after.Filler)...)
	parts = append(parts, budgetWords(before.Budget, after.Budget)...)
	return append(parts, packageWords(before.Packages, after.Packages)...)
}

func beatWords(before, after []storage.BoardBeat) (parts []string) {
	was := map[storage.BeatID]string{}
	for _, b := range before {
		was[b.ID] = b.Text
	}
	reworded := 0
	for _, b := range after {
		text, there := was[b.ID]
		delete(was, b.ID)
		switch {
		case !there:
			parts = append(parts, "key beat added: "+quoted(b.Text))
		case text != b.Text:
			reworded++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		parts = append(parts, "key beat removed: "+quoted(was[id]))
	}
	if reworded > 0 {
		parts = append(parts, counted(reworded, "key beat")+" reworded")
	}
	if len(parts) == 0 && !slices.EqualFunc(before, after, func(a, b storage.BoardBeat) bool { return a.ID == b.ID }) {
		parts = append(parts, "key beats put in another order")
	}
	return parts
}

func fillerWords(before, after *storage.FillerStrategy) (parts []string) {
	var a, b storage.FillerStrategy
	if before != nil {
		a = *before
	}
	if after != nil {
		b = *after
	}
	jobs := func(f *storage.FillerStrategy) string { return strings.Join(f.Jobs, ", ") }
	for _, f := range [][3]string{{"amount of filler", a.Amount, b.Amount}, {"jobs of filler", jobs(&a), jobs(&b)}, {"where filler stands", a.Where, b.Where}} {
		if f[1] != f[2] {
			parts = append(parts, fmt.Sprintf("%s from %s to %s", f[0], value("", f[1]), value("", f[2])))
		}
	}
	return parts
}

func budgetWords(before, after []storage.Allotment) []string {
	if slices.Equal(before, after) {
		return nil
	}
	a, b := allotted(before), allotted(after)
	return []string{fmt.Sprintf("budget from %d key and %d filler in %g s to %d key and %d filler in %g s", a.Key, a.Filler, a.Seconds, b.Key, b.Filler, b.Seconds)}
}

func allotted(list []storage.Allotment) (sum storage.Allotment) {
	for _, a := range list {
		sum.Key += a.Key
		sum.Filler += a.Filler
		sum.Seconds += a.Seconds
	}
	return sum
}

// packageWords tell of shots that were written for a beat and are not in the list
// yet.
func packageWords(before, after []storage.BeatPackage) []string {
	was := map[storage.BeatID][]storage.Shot{}
	for _, p := range before {
		was[p.Beat] = p.Shots
	}
	n := 0
	for _, p := range after {
		if !slices.Equal(was[p.Beat], p.Shots) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{"shots of " + counted(n, "beat") + " rewritten before they were put in order"}
}
