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

// item is a row of a storyboard: what it is by its heading, and which one.
type item struct {
	head int
	at   int // its place among its like
	key  string
}

// shotKey names a shot's row.
func shotKey(id storage.ShotID) string { return "shot " + string(id) }

// itemsOf are the rows of a storyboard.
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

// item is the chosen row; ok is false for none.
func (p *boardPane) item() (it item, ok bool) {
	if x := p.Item(); x != nil {
		return *x, true
	}
	return item{}, false
}

// shot is the chosen shot, nil where another row is chosen.
func (p *boardPane) shot() *storage.Shot {
	if it, ok := p.item(); ok && it.head == headShots {
		return &p.view.Shots[it.at]
	}
	return nil
}

// shots are those that an action is for: the marked ones in their order, or the
// chosen one.
func (p *boardPane) shots() []storage.ShotID {
	var out []storage.ShotID
	for _, i := range p.Targets(func(i int) bool { return p.Items[i].head != headShots }) {
		out = append(out, p.view.Shots[p.Items[i].at].ID)
	}
	return out
}

// shotAt is where a shot stands, -1 where it is gone.
func (p *boardPane) shotAt(id storage.ShotID) int {
	for i := range p.view.Shots {
		if p.view.Shots[i].ID == id {
			return i
		}
	}
	return -1
}

// tally is what a storyboard comes to.
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

// words are the tally in words, the most important first.
func (t tally) words() string {
	words := draw.Join(draw.Plural(t.key+t.filler, "shot"), strconv.Itoa(t.key)+" key, "+strconv.Itoa(t.filler)+" filler", shotTime(t.seconds))
	if t.sketched > 0 {
		words += draw.Separator + strconv.Itoa(t.sketched) + " sketched"
	}
	return words
}

// shotTime is a length of time as a storyboard has it, "" for none.
func shotTime(s float64) string {
	switch {
	case !(s > 0) || math.IsInf(s, 0): // not a number is neither
		return ""
	case s >= 100:
		return elapsedWords(int(min(s+0.5, 1e6)))
	}
	return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64) + " s"
}

func elapsedWords(s int) string {
	return strconv.Itoa(s/60) + ":" + strconv.Itoa(s%60/10) + strconv.Itoa(s%10) + " min"
}

// kindMark is the sign of a shot's kind.
func kindMark(k storage.ShotKind) string {
	if k == storage.FillerShot {
		return "◇"
	}
	return "◆"
}

// shotLook is how a shot is seen: size, angle and movement, in words.
func shotLook(s *storage.Shot) string {
	return draw.Join(fieldWords(storyboard.FieldSize, s.Size, 24), fieldWords(storyboard.FieldAngle, s.Angle, 24), fieldWords(storyboard.FieldMovement, s.Movement, 24))
}

// fieldWords is what the value of a field of a shot is called, in at most n cells.
func fieldWords(field, value string, n int) string {
	return draw.Within(storyboard.Label(field, value), n)
}

// beatWords is what a beat is called in at most n cells; one that is gone goes by
// its id.
func (p *boardPane) beatWords(id storage.BeatID, n int) string {
	for i := range p.view.Beats {
		if b := &p.view.Beats[i]; b.ID == id {
			return pane.Within(p.Host, string(b.ID)+" "+b.Text, n)
		}
	}
	return draw.Within(string(id), n)
}

// allotmentWords is the budget of a beat in words.
func allotmentWords(b storage.Allotment) string {
	return draw.Join(strconv.Itoa(b.Key)+" key, "+strconv.Itoa(b.Filler)+" filler", shotTime(b.Seconds))
}

// allotmentSigns is the same in few cells.
func allotmentSigns(b storage.Allotment) string {
	return draw.Join(strconv.Itoa(b.Key)+kindMark(storage.KeyShot)+" "+strconv.Itoa(b.Filler)+kindMark(storage.FillerShot), shotTime(b.Seconds))
}

// drafted are the shots that are written for a beat and not in the list yet.
func (p *boardPane) drafted(id storage.BeatID) []storage.Shot {
	for _, k := range p.view.Packages {
		if k.Beat == id {
			return k.Shots
		}
	}
	return nil
}

// fillerWords is the filler strategy in one line.
func fillerWords(f *storage.FillerStrategy) string {
	jobs := make([]string, 0, len(f.Jobs))
	for _, j := range f.Jobs {
		jobs = append(jobs, strings.ToLower(fieldWords(storyboard.FieldJob, j, 40)))
	}
	return draw.Join(draw.Within(f.Amount, 20), strings.Join(jobs, ", "), draw.Within(f.Where, 200))
}

// sketchMark is the sign of how far the sketch of a shot is, " " for none.
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

// sketchWords says how far the sketch of a shot is, "" for none.
func (p *boardPane) sketchWords(c *storage.Capture) string {
	switch c.Status {
	case storage.CapturePrompting:
		return "drafting"
	case storage.CaptureGenerating:
		for _, j := range p.Host.Work().Jobs() {
			if j.Capture == c.ID && j.Op.Type == pane.Paints {
				return draw.Join("painting", pane.ProgressWords(j))
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

// callWords is a call of a tool in words: what it is called, and its parameters by
// name, in at most n cells.
func callWords(c storage.ToolCall, n int) string {
	var with map[string]any
	if len(c.Params) > pane.MaxTypedLen || json.Unmarshal(c.Params, &with) != nil {
		return pane.ToolWords(c.Tool)
	}
	return draw.Within(draw.Join(pane.ToolWords(c.Tool), valueWords(with)), n)
}

// valueWords is a value of JSON without its signs.
func valueWords(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		if tool, ok := v["tool"].(string); ok { // a call in a proposal
			return draw.Join(pane.ToolWords(tool), valueWords(v["params"]))
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if words := valueWords(v[k]); words != "" && k != "messages" { // their ids tell nobody anything
				parts = append(parts, strings.ReplaceAll(k, "_", " ")+": "+words)
			}
		}
		return strings.Join(parts, "; ")
	case []any:
		for _, e := range v {
			parts = append(parts, valueWords(e))
		}
		return strings.Join(parts, ", ")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}
