package boards

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// boardDoc is a storyboard with its shots in order, and their sketches.
type boardDoc struct {
	boards.View
	Scene     int       `json:"scene"`
	SceneName string    `json:"scene_name"`
	Shots     []shotDoc `json:"shots"`
	Seconds   float64   `json:"seconds"` // of all shots
	Calls     int       `json:"calls"`   // in force
}

type shotDoc struct {
	storage.Shot
	Position int        `json:"position"` // from 1
	Sketch   *sketchDoc `json:"sketch"`
}

type sketchDoc struct {
	ID        storage.CaptureID     `json:"id"`
	Status    storage.CaptureStatus `json:"status"`
	ImagePath string                `json:"image_path"`
}

func newBoardDoc(v boards.View) boardDoc {
	out := boardDoc{View: v, Scene: v.Scene.Number, SceneName: v.Scene.Name, Seconds: seconds(v.Shots), Calls: v.Done}
	for i, s := range v.Shots {
		shot := shotDoc{Shot: s, Position: i + 1}
		if c, ok := v.Sketches[s.ID]; ok {
			shot.Sketch = &sketchDoc{c.ID, c.Status, c.ImagePath}
		}
		out.Shots = append(out.Shots, shot)
	}
	return out
}

// seconds returns the duration of shots.
func seconds(shots []storage.Shot) (sum float64) {
	for _, s := range shots {
		sum += s.Seconds
	}
	return math.Round(sum*100) / 100
}

// usedDoc is the text about the user's taste in the request of a call.
type usedDoc struct {
	Number int            `json:"number"`
	ID     storage.CallID `json:"id"`
	Tool   string         `json:"tool"`
	Used   bool           `json:"told"`
	storage.TasteUse
}

func newUsedDoc(c boards.CallView) usedDoc {
	out := usedDoc{Number: c.Number, ID: c.ID, Tool: c.Tool}
	if c.Used != nil {
		out.Used, out.TasteUse = true, *c.Used
	}
	return out
}

// writeBoard writes a storyboard.
func writeBoard(p *cli.Page, v boards.View) {
	head := fmt.Sprintf("scene %d", v.Scene.Number)
	if v.Scene.Name != "" {
		head += "  " + cli.OneLine(v.Scene.Name)
	}
	head += "  " + cmp.Or(string(v.Stage), "not begun")
	if n := len(v.Shots); n > 0 {
		head += "  " + cli.Plural(n, "shot", "shots") + ", " + secondsText(seconds(v.Shots))
	}
	if v.Stale {
		head += "  outdated: the scene has changed since"
	}
	p.Line(head)
	writePlan(p, v.Plan)
	for _, k := range v.Packages {
		if len(v.Shots) == 0 {
			p.Linef("\nwritten for %s", k.Beat)
			writeShots(p, k.Shots)
		}
	}
	if len(v.Shots) > 0 {
		p.Line("")
		writeShots(p, v.Shots)
	}
	if e := v.Proposal; e != nil {
		p.Linef(
			"\nproposed: %s (%s)\nghostlight storyboard execute applies it, --drop discards it",
			cli.OneLine(e.Summary),
			cli.Plural(len(e.Calls), "change", "changes"),
		)
	}
	if n := len(v.Talk); n > 0 {
		t := v.Talk[n-1]
		did := cli.OneLine(t.Did)
		if t.Calls == 0 && !t.Question {
			did = strings.TrimSpace("no changes " + did)
		}
		p.Linef("\n> %s", cli.OneLine(t.Line))
		for _, words := range []string{did, strings.TrimSpace(t.Reply)} {
			if words != "" {
				p.Line(words)
			}
		}
	}
}

// writePlan writes beats, filler strategy and budget.
func writePlan(p *cli.Page, plan storage.Plan) {
	budget := map[storage.BeatID]storage.Allotment{}
	for _, a := range plan.Budget {
		budget[a.Beat] = a
	}
	rows := [][]string{}
	for _, b := range plan.Beats {
		row := []string{string(b.ID), cli.Clip(b.Text, cli.ColumnWidth)}
		if a, ok := budget[b.ID]; ok {
			row = append(row, fmt.Sprintf("%d key, %d filler", a.Key, a.Filler), secondsText(a.Seconds))
		}
		rows = append(rows, row)
	}
	p.Table(rows)
	if f := plan.Filler; f != nil {
		p.Line(cli.OneLine("filler " + f.Amount + "  " + strings.Join(f.Jobs, ", ") + "  " + f.Where))
	}
}

func writeShots(p *cli.Page, shots []storage.Shot) {
	rows := [][]string{}
	for i, s := range shots {
		rows = append(
			rows,
			[]string{
				strconv.Itoa(i + 1),
				string(s.ID),
				string(s.Beat),
				string(s.Kind),
				s.Size,
				s.Angle,
				s.Movement,
				s.Job,
				secondsText(s.Seconds),
				cli.Clip(s.Description, cli.ColumnWidth),
			},
		)
	}
	p.Table(rows)
}

func secondsText(n float64) string {
	return strconv.FormatFloat(n, 'f', -1, 64) + " s"
}
