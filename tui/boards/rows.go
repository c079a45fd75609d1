package boards

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// The headings of a storyboard's list.
const (
	headTalk = iota
	headProposal
	headBeats
	headFiller
	headBudget
	headShots
)

var heads = [...]string{"Instructions", "Proposal", "Beats", "Filler", "Budget", "Shots"}

// item is a row of a storyboard: its heading, and its index and key.
type item struct {
	head int
	at   int // its index among rows of the same kind
	key  string
}

// shotKey returns the key of a shot's row.
func shotKey(id storage.ShotID) string { return "shot " + string(id) }

// itemsOf returns the rows of a storyboard.
func itemsOf(plan *storage.Plan, talk []storage.BoardTalk) []item {
	items := make([]item, 0, 3+2*len(plan.Beats)+len(plan.Shots))
	add := func(head, at int, key string) { items = append(items, item{head, at, key}) }
	if len(talk) > 0 {
		add(headTalk, len(talk)-1, "talk")
	}
	if plan.Proposal != nil {
		add(headProposal, 0, "proposal")
	}
	for i, b := range plan.Beats {
		add(headBeats, i, "beat "+string(b.ID))
	}
	if plan.Filler != nil {
		add(headFiller, 0, "filler")
	}
	for i, b := range plan.Budget {
		add(headBudget, i, "budget "+string(b.Beat))
	}
	for i := range plan.Shots {
		add(headShots, i, shotKey(plan.Shots[i].ID))
	}
	return items
}

// item returns the selected row; ok is false for none.
func (p *boardPane) item() (it item, ok bool) {
	if x := p.Item(); x != nil {
		return *x, true
	}
	return item{}, false
}

// shot returns the selected shot, nil if another row is selected.
func (p *boardPane) shot() *storage.Shot {
	if it, ok := p.item(); ok && it.head == headShots {
		return &p.view.Shots[it.at]
	}
	return nil
}

// shots returns the shots for an action: the marked ones in order, or the selected one.
func (p *boardPane) shots() []storage.ShotID {
	var out []storage.ShotID
	for _, i := range p.Targets(func(i int) bool { return p.Items[i].head != headShots }) {
		out = append(out, p.view.Shots[p.Items[i].at].ID)
	}
	return out
}

// shotAt returns the index of a shot, -1 if it was removed.
func (p *boardPane) shotAt(id storage.ShotID) int {
	for i := range p.view.Shots {
		if p.view.Shots[i].ID == id {
			return i
		}
	}
	return -1
}

// tally is the totals of a storyboard.
type tally struct {
	key, filler int
	seconds     float64
	sketched    int // shots whose sketch is painted
}

func tallyOf(v *boards.View) tally {
	var t tally
	for i := range v.Shots {
		s := &v.Shots[i]
		if s.Kind == storage.FillerShot {
			t.filler++
		} else {
			t.key++
		}
		t.seconds += s.Seconds
		if v.Sketches[s.ID].Status == storage.CaptureCompleted {
			t.sketched++
		}
	}
	return t
}

// text describes the totals, the most important first.
func (t tally) text() string {
	words := draw.Join(draw.Plural(t.key+t.filler, "shot"),
		strconv.Itoa(t.key)+" key, "+strconv.Itoa(t.filler)+" filler", shotTime(t.seconds))
	if t.sketched > 0 {
		words += draw.Separator + strconv.Itoa(t.sketched) + " sketched"
	}
	return words
}

// shotTime formats a duration, "" for none.
func shotTime(s float64) string {
	switch {
	case !(s > 0) || math.IsInf(s, 0): // not a number is neither
		return ""
	case s >= 100:
		return elapsedText(int(min(s+0.5, 1e6)))
	}
	return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64) + " s"
}

func elapsedText(s int) string {
	return strconv.Itoa(s/60) + ":" + strconv.Itoa(s%60/10) + strconv.Itoa(s%10) + " min"
}

// kindMark returns the mark of a shot's kind.
func kindMark(k storage.ShotKind) string {
	if k == storage.FillerShot {
		return "◇"
	}
	return "◆"
}

// shotStyle describes size, angle and movement of a shot.
func shotStyle(s *storage.Shot) string {
	return draw.Join(fieldText(storyboard.FieldSize, s.Size, 24), fieldText(storyboard.FieldAngle, s.Angle, 24),
		fieldText(storyboard.FieldMovement, s.Movement, 24))
}

// fieldText returns the label of a field's value, in at most n cells.
func fieldText(field, value string, n int) string {
	return draw.Truncate(storyboard.Label(field, value), n)
}

// beatText returns the label of a beat in at most n cells, the ID of a deleted one.
func (p *boardPane) beatText(id storage.BeatID, n int) string {
	for i := range p.view.Beats {
		if b := &p.view.Beats[i]; b.ID == id {
			return pane.Truncate(p.Host, string(b.ID)+" "+b.Text, n)
		}
	}
	return draw.Truncate(string(id), n)
}

// allotmentText describes the budget of a beat.
func allotmentText(b storage.Allotment) string {
	return draw.Join(strconv.Itoa(b.Key)+" key, "+strconv.Itoa(b.Filler)+" filler", shotTime(b.Seconds))
}

// allotmentSigns describes the budget of a beat in few cells.
func allotmentSigns(b storage.Allotment) string {
	return draw.Join(strconv.Itoa(b.Key)+kindMark(storage.KeyShot)+" "+strconv.Itoa(b.Filler)+
		kindMark(storage.FillerShot), shotTime(b.Seconds))
}

// drafted returns the shots of a beat's package that are not in the list yet.
func (p *boardPane) drafted(id storage.BeatID) []storage.Shot {
	for _, k := range p.view.Packages {
		if k.Beat == id {
			return k.Shots
		}
	}
	return nil
}

// fillerText returns the filler strategy in one line.
func fillerText(f *storage.FillerStrategy) string {
	jobs := make([]string, 0, len(f.Jobs))
	for _, j := range f.Jobs {
		jobs = append(jobs, strings.ToLower(fieldText(storyboard.FieldJob, j, 40)))
	}
	return draw.Join(draw.Truncate(f.Amount, 20), strings.Join(jobs, ", "), draw.Truncate(f.Where, 200))
}

// sketchMark returns the mark of a sketch's state, " " for none.
func sketchMark(c *storage.Capture) string {
	switch c.Status {
	case storage.CapturePrompting:
		return "…"
	case storage.CaptureDraft:
		return "○"
	case storage.CaptureGenerating:
		return "●"
	case storage.CaptureCompleted:
		return "✓"
	case storage.CaptureFailed:
		return "!"
	}
	return " "
}

// sketchText returns the state of a shot's sketch, "" for none.
func (p *boardPane) sketchText(c *storage.Capture) string {
	switch c.Status {
	case storage.CapturePrompting:
		return "drafting"
	case storage.CaptureGenerating:
		for _, j := range p.Host.Work().Running() {
			if j.Capture == c.ID && j.Op.Type == pane.Paints {
				return draw.Join("generating", pane.ProgressWords(j))
			}
		}
		return "queued for ComfyUI"
	case storage.CaptureCompleted:
		return "done"
	case storage.CaptureFailed:
		return "failed"
	case storage.CaptureDraft:
		if c.Waiting {
			return "draft, waiting for ComfyUI"
		}
		return "draft"
	}
	return ""
}

// callText describes a call of a tool with its parameters, in at most n cells.
func callText(c storage.ToolCall, n int) string {
	var with map[string]any
	if len(c.Params) > pane.MaxTypedLen || json.Unmarshal(c.Params, &with) != nil {
		return pane.ToolWords(c.Tool)
	}
	return draw.Truncate(draw.Join(pane.ToolWords(c.Tool), valueText(with)), n)
}

// valueText returns a JSON value without quotes and brackets.
func valueText(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		if tool, ok := v["tool"].(string); ok { // a call in a proposal
			return draw.Join(pane.ToolWords(tool), valueText(v["params"]))
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if words := valueText(v[k]); words != "" && k != "messages" { // message ids mean nothing to the user
				parts = append(parts, strings.ReplaceAll(k, "_", " ")+": "+words)
			}
		}
		return strings.Join(parts, "; ")
	case []any:
		for _, e := range v {
			parts = append(parts, valueText(e))
		}
		return strings.Join(parts, ", ")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}
