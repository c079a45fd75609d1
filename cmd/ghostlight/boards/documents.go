package boards

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type boardRowDoc struct {
	Scene   int                `json:"scene"`
	Node    storage.NodeID     `json:"node"`
	Name    string             `json:"name"`
	Stage   storage.BoardStage `json:"stage"` // "" where nothing was begun
	Shots   int                `json:"shots"`
	Calls   int                `json:"calls"`
	Learnt  bool               `json:"learnt"`
	Working bool               `json:"working"` // its recap is being made
	Kept    bool               `json:"kept"`    // its scene break is gone; it comes back with that
}

func newBoardRowDoc(r boards.Row) boardRowDoc {
	return boardRowDoc{r.Scene.Number, r.Scene.Break, r.Scene.Name, r.Stage, r.Shots, r.Calls, r.Learnt, r.Scene.Working, r.Kept}
}

type boardDoc struct {
	Chat      storage.ChatID      `json:"chat"`
	Scene     int                 `json:"scene"`
	Node      storage.NodeID      `json:"node"` // the scene's last message
	SceneName string              `json:"scene_name"`
	Begun     bool                `json:"begun"`
	Stage     storage.BoardStage  `json:"stage"`
	Stale     bool                `json:"stale"` // the scene has changed since
	Beats     []beatDoc           `json:"beats"`
	Filler    *fillerDoc          `json:"filler,omitempty"`
	Budget    []storage.Allotment `json:"budget"`
	Packages  []packageDoc        `json:"packages"`
	Proposal  *storage.EditPlan   `json:"proposal,omitempty"`
	Shots     []shotDoc           `json:"shots"`
	Seconds   float64             `json:"seconds"` // of all shots
	Calls     int                 `json:"calls"`   // in force
	CanUndo   bool                `json:"can_undo"`
	CanRedo   bool                `json:"can_redo"`
	Working   string              `json:"working"` // the tool that the model is asked for, or steer
	Batch     storage.BatchID     `json:"batch"`   // of the newest sketches
	Talk      []talkDoc           `json:"talk"`
}

// beatDoc, fillerDoc, shotFields and talkDoc are records whole: stored, they leave
// out what is empty.

type beatDoc struct {
	ID       storage.BeatID   `json:"id"`
	Text     string           `json:"text"`
	Why      string           `json:"why"`
	Messages []storage.NodeID `json:"messages"`
}

type fillerDoc struct {
	Amount string   `json:"amount"`
	Jobs   []string `json:"jobs"`
	Where  string   `json:"where"`
	Why    string   `json:"why"`
}

type shotFields struct {
	ID          storage.ShotID   `json:"id"`
	Beat        storage.BeatID   `json:"beat"`
	Kind        storage.ShotKind `json:"kind"`
	Size        string           `json:"size"`
	Angle       string           `json:"angle"`
	Movement    string           `json:"movement"`
	Job         string           `json:"job"`
	Subject     string           `json:"subject"`
	Description string           `json:"description"`
	Seconds     float64          `json:"seconds"`
	Dialogue    string           `json:"dialogue"`
}

type talkDoc struct {
	Line     string    `json:"line"`
	Reply    string    `json:"reply"`
	Did      string    `json:"did"` // what was carried out, in the program's words; calls 0: nothing was changed
	Question bool      `json:"question"`
	Calls    int       `json:"calls"`
	At       time.Time `json:"at"`
}

type packageDoc struct {
	Beat  storage.BeatID `json:"beat"`
	Shots []shotDoc      `json:"shots"`
}

// shotDoc is a shot with its place in the list.
type shotDoc struct {
	shotFields
	Position int        `json:"position"` // from 1
	Sketch   *sketchDoc `json:"sketch,omitempty"`
}

type sketchDoc struct {
	ID        storage.CaptureID     `json:"id"`
	Status    storage.CaptureStatus `json:"status"`
	ImagePath string                `json:"image_path"`
}

func newShotDocs(shots []storage.Shot) (docs []shotDoc) {
	for i, s := range shots {
		docs = append(docs, shotDoc{shotFields: shotFields(s), Position: i + 1})
	}
	return docs
}

func newBoardDoc(v boards.View) boardDoc {
	out := boardDoc{Chat: v.Chat, Scene: v.Scene.Number, Node: v.Node, SceneName: v.Scene.Name, Begun: v.Begun, Stage: v.Stage, Stale: v.Stale,
		Beats: cli.Docs(v.Beats, func(b storage.BoardBeat) beatDoc { return beatDoc(b) }), Filler: (*fillerDoc)(v.Filler), Budget: v.Budget,
		Packages: cli.Docs(v.Packages, func(k storage.BeatPackage) packageDoc { return packageDoc{k.Beat, newShotDocs(k.Shots)} }),
		Proposal: v.Proposal, Shots: newShotDocs(v.Shots), Calls: v.Done, CanUndo: v.CanUndo, CanRedo: v.CanRedo, Working: v.Working, Batch: v.Board.Batch,
		Talk: cli.Docs(v.Talk, func(t storage.BoardTalk) talkDoc { return talkDoc(t) })}
	for i, s := range v.Shots {
		out.Seconds += s.Seconds
		if c, ok := v.Sketches[s.ID]; ok {
			out.Shots[i].Sketch = &sketchDoc{c.ID, c.Status, c.ImagePath}
		}
	}
	out.Seconds = math.Round(out.Seconds*100) / 100
	return out
}

type boardCallDoc struct {
	Number int                `json:"number"`
	ID     storage.CallID     `json:"id"`
	Tool   string             `json:"tool"`
	Params json.RawMessage    `json:"params"`
	By     storage.CallBy     `json:"by"`
	Turn   storage.CallID     `json:"turn"` // calls of one turn are taken back together
	Text   string             `json:"text"`
	Told   bool               `json:"told"` // the model was told of your taste
	Stage  storage.BoardStage `json:"stage"`
	Shots  []shotDoc          `json:"shots"` // after it
	At     time.Time          `json:"at"`
}

func newBoardCallDoc(number int, c storage.BoardCall) boardCallDoc {
	return boardCallDoc{number, c.ID, c.Tool, c.Params, c.By, c.Turn, c.Text, c.Used != nil, c.After.Stage, newShotDocs(c.After.Shots), c.At}
}

type tasteUsedDoc struct {
	Number int              `json:"number"`
	ID     storage.CallID   `json:"id"`
	Tool   string           `json:"tool"`
	Told   bool             `json:"told"`
	Block  string           `json:"block"` // as the model was told
	Cards  []storage.CardID `json:"cards"`
}

func newTasteUsedDoc(number int, c storage.BoardCall) tasteUsedDoc {
	out := tasteUsedDoc{Number: number, ID: c.ID, Tool: c.Tool}
	if c.Used != nil {
		out.Told, out.Block, out.Cards = true, c.Used.Block, c.Used.Cards
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
		head += "  " + cli.Plural(n, "shot", "shots") + ", " + secondsWord(newBoardDoc(v).Seconds)
	}
	if v.Stale {
		head += "  stale: the scene has changed since"
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
		p.Linef("\nproposed: %s (%s)\nghostlight storyboard execute applies it, --drop discards it", cli.OneLine(e.Summary), cli.Plural(len(e.Calls), "change", "changes"))
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
			row = append(row, fmt.Sprintf("%d key, %d filler", a.Key, a.Filler), secondsWord(a.Seconds))
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
		rows = append(rows, []string{strconv.Itoa(i + 1), string(s.ID), string(s.Beat), string(s.Kind), s.Size, s.Angle, s.Movement, s.Job,
			secondsWord(s.Seconds), cli.Clip(s.Description, cli.ColumnWidth)})
	}
	p.Table(rows)
}

func secondsWord(n float64) string {
	return strconv.FormatFloat(n, 'f', -1, 64) + " s"
}
