package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxShownTallies is the maximum number of common values that are listed; the rest is one item.
const maxShownTallies = 5

// totals are the sums over memories.
type totals struct {
	scenes, shots, least, most, key, filler int
	seconds                                 float64 // of all shots
	perBeat                                 float64 // sum over the scenes that have key beats
	scenesWithBeats                         int     // such scenes
	sizes, angles, movements, jobs          counts
	edited                                  int // scenes with edits of any kind
	fields, inserted, removed               counts
	merges, merged, reorders, reordered     int // in all, and in how many scenes
	bulk                                    int
}

// Stats describes the statistics of all memories, one sentence each, "" for none. The same
// memories give the same text.
func Stats(memories []storage.TasteMemory) string {
	n := totals{sizes: counts{}, angles: counts{}, movements: counts{}, jobs: counts{}, fields: counts{},
		inserted: counts{}, removed: counts{}}
	for _, m := range memories {
		n.board(m.Summary)
		n.edits(m.Counts)
	}
	all := slices.DeleteFunc(append(n.shotWords(), n.editWords()...), func(s string) bool { return s == "" })
	return strings.Join(all, " ")
}

func (n *totals) board(s *storage.ShotSummary) {
	if s == nil || s.Shots <= 0 {
		return
	}
	if n.scenes == 0 {
		n.least = s.Shots
	}
	n.scenes++
	n.shots += s.Shots
	n.least, n.most = min(n.least, s.Shots), max(n.most, s.Shots)
	n.key += max(0, s.Key)
	n.filler += max(0, s.Filler)
	n.seconds += max(0, s.AverageSeconds) * float64(s.Shots)
	if s.PerKeyBeat > 0 {
		n.perBeat += s.PerKeyBeat
		n.scenesWithBeats++
	}
	n.sizes.add(s.Sizes)
	n.angles.add(s.Angles)
	n.movements.add(s.Movements)
	n.jobs.add(s.Jobs)
}

func (n *totals) edits(c storage.EditCounts) {
	if len(c.Fields)+len(c.Inserted)+len(c.Removed) > 0 || c.Merges+c.Reorders+c.Bulk > 0 {
		n.edited++
	}
	n.fields.add(c.Fields)
	n.inserted.add(c.Inserted)
	n.removed.add(c.Removed)
	n.merges += max(0, c.Merges)
	n.merged += min(1, max(0, c.Merges))
	n.reorders += max(0, c.Reorders)
	n.reordered += min(1, max(0, c.Reorders))
	n.bulk += max(0, c.Bulk)
}

func (n *totals) shotWords() []string {
	if n.scenes == 0 {
		return nil
	}
	between := ""
	if n.least < n.most {
		between = fmt.Sprintf(" (%d to %d)", n.least, n.most)
	}
	out := []string{fmt.Sprintf("Over %s: %s shots per scene%s.", counted(n.scenes, "finished scene"),
		decimal(float64(n.shots)/float64(n.scenes)), between)}
	if n.scenesWithBeats > 0 {
		out = append(out, fmt.Sprintf("Per key beat %s shots.", decimal(n.perBeat/float64(n.scenesWithBeats))))
	}
	if n.seconds > 0 {
		out = append(out, fmt.Sprintf("A shot lasts %s seconds on average.", decimal(n.seconds/float64(n.shots))))
	}
	if all := n.key + n.filler; all > 0 {
		out = append(out, fmt.Sprintf("Filler is %d %% of all shots.", (100*n.filler+all/2)/all))
	}
	return append(out, listed("Common sizes", n.sizes), listed("Common angles", n.angles),
		listed("Common movements", n.movements), listed("Common jobs", n.jobs))
}

func (n *totals) editWords() []string {
	out := []string{listed("Fields changed most", n.fields), listed("Inserted most", n.inserted),
		listed("Removed most", n.removed)}
	often := func(what string, times, scenes int) {
		if times > 0 {
			out = append(out, fmt.Sprintf("%s %s, in %d of %s.", what, counted(times, "time"), scenes,
				counted(n.edited, "edited scene")))
		}
	}
	often("Shots merged", n.merges, n.merged)
	often("Shots reordered", n.reorders, n.reordered)
	if n.bulk > 0 {
		out = append(out, fmt.Sprintf("Bulk edits: %d.", n.bulk))
	}
	return out
}

// counts counts by name.
type counts map[string]int

func (t counts) add(list []storage.Tally) {
	for _, x := range list {
		if name := onOneLine(strings.ReplaceAll(x.Name, "_", " "), 60); name != "" && x.N > 0 {
			t[name] += x.N
		}
	}
}

// listed returns a sentence about the most common values.
func listed(what string, t counts) string {
	var words []string
	for _, x := range tallies(t, maxShownTallies) {
		words = append(words, fmt.Sprintf("%s (%d)", x.Name, x.N))
	}
	if len(words) == 0 {
		return ""
	}
	return what + ": " + strings.Join(words, ", ") + "."
}

// decimal formats a number with at most one decimal.
func decimal(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }
