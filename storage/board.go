package storage

import (
	"encoding/json"
	"time"
)

// ShotID and BeatID name a shot and a beat within their storyboard: s1, s2 and
// b1, b2 and so on. A number is given once, also when what had it is gone.
type (
	ShotID string
	BeatID string
)

// CallID names a recorded call of a storyboard's tool.
type CallID string

// BoardStage is the stage of planning that a storyboard has reached.
type BoardStage string

const (
	BoardBeats  BoardStage = "beats"
	BoardFiller BoardStage = "filler"
	BoardBudget BoardStage = "budget"
	BoardShots  BoardStage = "shots"
	BoardReady  BoardStage = "READY_FOR_SKETCHES"
)

// ShotKind separates key shots, which a beat cannot do without, from the filler shots between them.
type ShotKind string

const (
	KeyShot    ShotKind = "key"
	FillerShot ShotKind = "filler"
)

// Shot is one shot of a storyboard. Its position is its place in the list. Size,
// Angle, Movement and Job are keys of engine/boards/storyboard's lists, or words of the
// user's own.
type Shot struct {
	ID          ShotID   `json:"id"`
	Beat        BeatID   `json:"beat"`
	Kind        ShotKind `json:"kind"`
	Size        string   `json:"size"`
	Angle       string   `json:"angle"`
	Movement    string   `json:"movement"`
	Job         string   `json:"job"`
	Subject     string   `json:"subject"`
	Description string   `json:"description"`
	Seconds     float64  `json:"seconds"`
	Dialogue    string   `json:"dialogue"`
}

// BoardBeat is a moment that the scene turns on.
type BoardBeat struct {
	ID       BeatID   `json:"id"`
	Text     string   `json:"text"`
	Why      string   `json:"why"`
	Messages []NodeID `json:"messages"` // the messages in which it happens
}

// FillerStrategy describes the shots between the key shots.
type FillerStrategy struct {
	Amount string   `json:"amount"` // none, light, medium or rich
	Jobs   []string `json:"jobs"`   // what fillers are for, as a shot's job
	Where  string   `json:"where"`
	Why    string   `json:"why"`
}

// Allotment is the budget of one beat.
type Allotment struct {
	Beat    BeatID  `json:"beat"`
	Key     int     `json:"key"`    // shots
	Filler  int     `json:"filler"` // shots
	Seconds float64 `json:"seconds"`
}

// BeatPackage holds the shots that were written for one beat, before they become
// part of the list.
type BeatPackage struct {
	Beat  BeatID `json:"beat"`
	Shots []Shot `json:"shots"`
}

// Plan is the state of a storyboard after a call: everything that undo restores.
type Plan struct {
	Stage    BoardStage      `json:"stage"`
	Beats    []BoardBeat     `json:"beats"`
	Filler   *FillerStrategy `json:"filler"`
	Budget   []Allotment     `json:"budget"`
	Packages []BeatPackage   `json:"packages"`
	Shots    []Shot          `json:"shots"`
	Proposal *EditPlan       `json:"proposal"` // waits to be carried out
	// LastShot and LastBeat are the last numbers that were given.
	LastShot int `json:"last_shot"`
	LastBeat int `json:"last_beat"`
}

// EditPlan is a bulk change that the model proposes.
type EditPlan struct {
	Request string     `json:"request"` // the user's words
	Summary string     `json:"summary"` // the change in words
	Calls   []ToolCall `json:"calls"`
}

// ToolCall is a tool with its parameters, a JSON object.
type ToolCall struct {
	Tool   string          `json:"tool"`
	Params json.RawMessage `json:"params"`
}

// Board is the storyboard of a scene, keyed by the scene's last message.
type Board struct {
	Node NodeID `json:"node"`
	Plan
	// Calls are the recorded calls, oldest first. The first Done of them are in force; the others
	// were undone and can be redone.
	Calls []CallID `json:"calls"`
	Done  int      `json:"done"`
	// Talk holds the newest lines of the conversation about it between user and model.
	Talk []BoardTalk `json:"talk"`
	// Inputs is the hash of the scene's messages when it was begun.
	Inputs    string    `json:"inputs"`
	Batch     BatchID   `json:"batch"` // of the newest sketches
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// BoardTalk is one steering line and its result.
type BoardTalk struct {
	Line     string    `json:"line"`     // the user's
	Reply    string    `json:"reply"`    // the model's, in words
	Did      string    `json:"did"`      // the changes that were made, in the program's words
	Question bool      `json:"question"` // the reply wants an answer
	Calls    int       `json:"calls"`    // made for it
	At       time.Time `json:"at"`
}

// CallBy is the author of a call: the user or the model.
type CallBy string

const (
	ByUser  CallBy = "user"  // by hand
	ByModel CallBy = "model" // a step of the planning
	BySteer CallBy = "steer" // the model, for a line of the user's
)

// BoardCall is one call of a tool with what the storyboard was after it.
type BoardCall struct {
	ID CallID `json:"id"`
	ToolCall
	Board NodeID `json:"board"`
	By    CallBy `json:"by"`
	// Turn is the first of the calls that were made together, and are undone together. It is "" on
	// the oldest kept call of a storyboard with very many calls: what preceded it is forgotten, and
	// it cannot be undone.
	Turn  CallID    `json:"turn"`
	Text  string    `json:"text"` // the user's words
	After Plan      `json:"after"`
	Used  *TasteUse `json:"used"` // nil if no learnt preferences were in the prompt
	At    time.Time `json:"at"`
}
