package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ghostlight/engine/boards"
	"ghostlight/storage"
)

// The documents of storyboards; see shapes.go.

type boardRowShape struct {
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

func shapeBoardRow(r boards.Row) boardRowShape {
	return boardRowShape{r.Scene.Number, r.Scene.Break, r.Scene.Name, r.Stage, r.Shots, r.Calls, r.Learnt, r.Scene.Working, r.Kept}
}

type boardShape struct {
	Chat      storage.ChatID      `json:"chat"`
	Scene     int                 `json:"scene"`
	Node      storage.NodeID      `json:"node"` // the scene's last message
	SceneName string              `json:"scene_name"`
	Begun     bool                `json:"begun"`
	Stage     storage.BoardStage  `json:"stage"`
	Stale     bool                `json:"stale"` // the scene has changed since
	Beats     []keyBeatShape      `json:"beats"`
	Filler    *fillerShape        `json:"filler,omitempty"`
	Budget    []storage.Allotment `json:"budget"`
	Packages  []packageShape      `json:"packages"`
	Proposal  *proposedShape      `json:"proposal,omitempty"`
	Shots     []shotShape         `json:"shots"`
	Seconds   float64             `json:"seconds"` // of all shots
	Calls     int                 `json:"calls"`   // in force
	CanUndo   bool                `json:"can_undo"`
	CanRedo   bool                `json:"can_redo"`
	Working   string              `json:"working"` // the tool that the model is asked for, or steer
	Batch     storage.BatchID     `json:"batch"`   // of the newest sketches
	Talk      []talkShape         `json:"talk"`
}

type keyBeatShape struct {
	ID       storage.BeatID   `json:"id"`
	Text     string           `json:"text"`
	Why      string           `json:"why"`
	Messages []storage.NodeID `json:"messages"`
}

type fillerShape struct {
	Amount string   `json:"amount"`
	Jobs   []string `json:"jobs"`
	Where  string   `json:"where"`
	Why    string   `json:"why"`
}

type packageShape struct {
	Beat  storage.BeatID `json:"beat"`
	Shots []shotShape    `json:"shots"`
}

type proposedShape struct {
	Request string             `json:"request"`
	Summary string             `json:"summary"`
	Calls   []storage.ToolCall `json:"calls"`
}

type shotShape struct {
	ID          storage.ShotID   `json:"id"`
	Position    int              `json:"position"` // from 1
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
	Sketch      *sketchShape     `json:"sketch,omitempty"`
}

type sketchShape struct {
	ID        storage.CaptureID     `json:"id"`
	Status    storage.CaptureStatus `json:"status"`
	ImagePath string                `json:"image_path"`
}

type talkShape struct {
	Line     string    `json:"line"`
	Reply    string    `json:"reply"`
	Question bool      `json:"question"`
	Calls    int       `json:"calls"`
	At       time.Time `json:"at"`
}

func shapeShots(shots []storage.Shot) []shotShape {
	out := []shotShape{}
	for i, s := range shots {
		out = append(out, shotShape{ID: s.ID, Position: i + 1, Beat: s.Beat, Kind: s.Kind, Size: s.Size, Angle: s.Angle, Movement: s.Movement, Job: s.Job,
			Subject: s.Subject, Description: s.Description, Seconds: s.Seconds, Dialogue: s.Dialogue})
	}
	return out
}

func shapeBoard(v boards.View) boardShape {
	out := boardShape{Chat: v.Chat, Scene: v.Scene.Number, Node: v.Node, SceneName: v.Scene.Name, Begun: v.Begun, Stage: v.Stage, Stale: v.Stale,
		Beats: []keyBeatShape{}, Budget: orNone(v.Budget), Packages: []packageShape{}, Shots: shapeShots(v.Shots), Calls: v.Done,
		CanUndo: v.CanUndo, CanRedo: v.CanRedo, Working: v.Working, Batch: v.Board.Batch, Talk: []talkShape{}}
	for _, b := range v.Beats {
		out.Beats = append(out.Beats, keyBeatShape{b.ID, b.Text, b.Why, orNone(b.Messages)})
	}
	if f := v.Filler; f != nil {
		out.Filler = &fillerShape{f.Amount, orNone(f.Jobs), f.Where, f.Why}
	}
	for _, k := range v.Packages {
		out.Packages = append(out.Packages, packageShape{k.Beat, shapeShots(k.Shots)})
	}
	if p := v.Proposal; p != nil {
		out.Proposal = &proposedShape{p.Request, p.Summary, orNone(p.Calls)}
	}
	for i, s := range v.Shots {
		out.Seconds += s.Seconds
		if c, ok := v.Sketches[s.ID]; ok {
			out.Shots[i].Sketch = &sketchShape{c.ID, c.Status, c.ImagePath}
		}
	}
	out.Seconds = math.Round(out.Seconds*100) / 100
	for _, t := range v.Talk {
		out.Talk = append(out.Talk, talkShape(t))
	}
	return out
}

type boardCallShape struct {
	Number int                `json:"number"`
	ID     storage.CallID     `json:"id"`
	Tool   string             `json:"tool"`
	Params json.RawMessage    `json:"params"`
	By     storage.CallBy     `json:"by"`
	Turn   storage.CallID     `json:"turn"` // calls of one turn are taken back together
	Text   string             `json:"text"`
	Told   bool               `json:"told"` // the model was told of your taste
	Stage  storage.BoardStage `json:"stage"`
	Shots  []shotShape        `json:"shots"` // after it
	At     time.Time          `json:"at"`
}

func shapeBoardCall(number int, c storage.BoardCall) boardCallShape {
	return boardCallShape{number, c.ID, c.Tool, c.Params, c.By, c.Turn, c.Text, c.Used != nil, c.After.Stage, shapeShots(c.After.Shots), c.At}
}

type tasteUsedShape struct {
	Number int              `json:"number"`
	ID     storage.CallID   `json:"id"`
	Tool   string           `json:"tool"`
	Told   bool             `json:"told"`
	Block  string           `json:"block"` // as the model was told
	Cards  []storage.CardID `json:"cards"`
}

func shapeTasteUsed(number int, c storage.BoardCall) tasteUsedShape {
	out := tasteUsedShape{Number: number, ID: c.ID, Tool: c.Tool, Cards: []storage.CardID{}}
	if c.Used != nil {
		out.Told, out.Block, out.Cards = true, c.Used.Block, orNone(c.Used.Cards)
	}
	return out
}

// board writes a storyboard.
func (p *page) board(v boards.View) {
	head := fmt.Sprintf("scene %d", v.Scene.Number)
	if v.Scene.Name != "" {
		head += "  " + oneLine(v.Scene.Name)
	}
	head += "  " + first(string(v.Stage), "not begun")
	if n := len(v.Shots); n > 0 {
		head += "  " + counted(n, "shot", "shots") + ", " + secondsWord(shapeBoard(v).Seconds)
	}
	if v.Stale {
		head += "  stale: the scene has changed since"
	}
	p.line(head)
	p.plan(v.Plan)
	for _, k := range v.Packages {
		if len(v.Shots) == 0 {
			p.linef("\nwritten for %s", k.Beat)
			p.shots(k.Shots)
		}
	}
	if len(v.Shots) > 0 {
		p.line("")
		p.shots(v.Shots)
	}
	if e := v.Proposal; e != nil {
		p.linef("\nproposed: %s (%s)\nghostlight storyboard execute carries it out, with --drop it goes", oneLine(e.Summary), counted(len(e.Calls), "change", "changes"))
	}
	if n := len(v.Talk); n > 0 {
		p.linef("\n> %s\n%s", oneLine(v.Talk[n-1].Line), strings.TrimSpace(v.Talk[n-1].Reply))
	}
}

// plan writes beats, filler strategy and budget.
func (p *page) plan(plan storage.Plan) {
	budget := map[storage.BeatID]storage.Allotment{}
	for _, a := range plan.Budget {
		budget[a.Beat] = a
	}
	rows := [][]string{}
	for _, b := range plan.Beats {
		row := []string{string(b.ID), clip(b.Text, columnLimit)}
		if a, ok := budget[b.ID]; ok {
			row = append(row, fmt.Sprintf("%d key, %d filler", a.Key, a.Filler), secondsWord(a.Seconds))
		}
		rows = append(rows, row)
	}
	p.table(rows)
	if f := plan.Filler; f != nil {
		p.line(oneLine("filler " + f.Amount + "  " + strings.Join(f.Jobs, ", ") + "  " + f.Where))
	}
}

func (p *page) shots(shots []storage.Shot) {
	rows := [][]string{}
	for i, s := range shots {
		rows = append(rows, []string{strconv.Itoa(i + 1), string(s.ID), string(s.Beat), string(s.Kind), s.Size, s.Angle, s.Movement, s.Job,
			secondsWord(s.Seconds), clip(s.Description, columnLimit)})
	}
	p.table(rows)
}

func secondsWord(n float64) string {
	return strconv.FormatFloat(n, 'f', -1, 64) + " s"
}
