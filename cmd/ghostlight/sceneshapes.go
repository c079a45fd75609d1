package main

import (
	"time"

	"ghostlight/engine/house"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

// The documents of scenes and recaps; see shapes.go.

type recapState struct {
	Version  int  `json:"version"` // 0 while there is none
	Versions int  `json:"versions"`
	Stale    bool `json:"stale"`
}

type sceneShape struct {
	Number    int            `json:"number"`
	Name      string         `json:"name"`
	First     storage.NodeID `json:"first"` // "" in an open scene without a message
	Last      storage.NodeID `json:"last"`
	Messages  int            `json:"messages"`
	Tokens    int            `json:"tokens"`
	Open      bool           `json:"open"`
	Detected  bool           `json:"detected"`
	Rationale string         `json:"rationale,omitempty"`
	Recap     recapState     `json:"recap"`
	Break     storage.NodeID `json:"break"` // "" of the open scene
	Lore      int            `json:"lore"`
	InMemory  bool           `json:"in_memory"` // the running recap in force holds it
	Working   bool           `json:"working"`
	Expanded  bool           `json:"expanded"`
}

func shapeScene(s scenes.Scene) sceneShape {
	return sceneShape{s.Number, s.Name, s.First, s.Last, s.Messages, s.Tokens, s.Open, s.Detected, s.Rationale,
		recapState(s.Recap), s.Break, s.Lore, s.InMemory, s.Working, s.Expanded}
}

type breakShape struct {
	Message storage.NodeID `json:"message"`
	Break   bool           `json:"break"`
	Changed bool           `json:"changed"`
	Scene   int            `json:"scene"` // that ends there, 0 for none on this path
}

type detectShape struct {
	Found  int          `json:"found"`
	Left   int          `json:"left"` // messages that no model was asked about yet
	Total  int          `json:"total"`
	Breaks []foundShape `json:"breaks"`
	Error  string       `json:"error,omitempty"`
}

type foundShape struct {
	Scene     int            `json:"scene"`
	Message   storage.NodeID `json:"message"`
	Name      string         `json:"name"`
	Rationale string         `json:"rationale"`
}

// madeShape is how a version of a recap came to be.
type madeShape struct {
	Stale       bool                `json:"stale"`
	Edited      bool                `json:"edited"`
	Origin      storage.RecapOrigin `json:"origin"`
	Style       string              `json:"style"`
	Instruction string              `json:"instruction,omitempty"`
	Model       string              `json:"model"`
	CreatedAt   *time.Time          `json:"created_at"`
	EditedAt    *time.Time          `json:"edited_at,omitempty"`
	// Witnesses are the characters who know all that it tells; missing where all do.
	Witnesses []storage.CharacterID `json:"witnesses,omitzero"`
}

func shapeMade(r scenes.RecapVersion) madeShape {
	return madeShape{r.Stale, r.Edited(), r.Origin, r.Style, r.Instruction, r.Model, whenSet(r.CreatedAt), whenSet(r.EditedAt), r.Witnesses}
}

type sceneRecapShape struct {
	Scene          int                     `json:"scene"`
	Version        int                     `json:"version"`
	Versions       int                     `json:"versions"`
	SceneName      string                  `json:"scene_name"`
	Recap          string                  `json:"recap"`
	Atmosphere     string                  `json:"atmosphere"`
	EmotionalBeats string                  `json:"emotional_beats"`
	Lorebooks      []storage.LoreCandidate `json:"lorebooks"`
	Sources        []storage.Source        `json:"sources"`
	madeShape
}

func shapeSceneRecap(v scenes.RecapView, s scenes.Scene) sceneRecapShape {
	r := currentOrNone(v)
	return sceneRecapShape{s.Number, v.Current + 1, len(v.Versions), first(v.Scene.Name, r.SceneName), r.Text, r.Atmosphere, r.EmotionalBeats,
		orNone(r.Lorebooks), orNone(r.Sources), shapeMade(r)}
}

func currentOrNone(v scenes.RecapView) scenes.RecapVersion {
	if r := v.Version(); r != nil {
		return *r
	}
	return scenes.RecapVersion{}
}

type messageRecapShape struct {
	Message  storage.NodeID `json:"message"`
	Version  int            `json:"version"`
	Versions int            `json:"versions"`
	Recap    string         `json:"recap"`
	madeShape
}

func shapeMessageRecap(v scenes.RecapView, node storage.NodeID) messageRecapShape {
	r := currentOrNone(v)
	return messageRecapShape{node, v.Current + 1, len(v.Versions), r.Text, shapeMade(r)}
}

type runningShape struct {
	Version  int            `json:"version"`
	Versions int            `json:"versions"`
	Text     string         `json:"text"`
	Covers   storage.NodeID `json:"covers"` // the last message up to which nothing is missing
	Scenes   []int          `json:"scenes"` // the numbers of those in it
	madeShape
}

func shapeRunning(v scenes.RecapView, s scenes.Scenes) runningShape {
	r := currentOrNone(v)
	doc := runningShape{v.Current + 1, len(v.Versions), r.Text, r.Covers, []int{}, shapeMade(r)}
	for _, sc := range s.List {
		if sc.InMemory {
			doc.Scenes = append(doc.Scenes, sc.Number)
		}
	}
	return doc
}

type versionShape struct {
	Version   int             `json:"version"`
	Current   bool            `json:"current"`
	ID        storage.RecapID `json:"id"`
	SceneName string          `json:"scene_name"`
	Text      string          `json:"text"`
	madeShape
}

func shapeVersion(r scenes.RecapVersion, at, current int) versionShape {
	return versionShape{at + 1, at == current, r.ID, r.SceneName, r.Text, shapeMade(r)}
}

type diffShape struct {
	Scene int        `json:"scene"` // 0 for the running recap
	A     int        `json:"a"`
	B     int        `json:"b"`
	Lines []diffLine `json:"lines"`
}

type diffLine struct {
	Op   string `json:"op"` // " ", "+" or "-"
	Text string `json:"text"`
}

type recapsReadShape struct {
	Scenes   int      `json:"scenes"`
	Versions int      `json:"versions"`
	Warnings []string `json:"warnings"`
}

type examShape struct {
	Scene     int                    `json:"scene"`
	Version   int                    `json:"version"`
	Lost      int                    `json:"lost"`
	Questions []storage.ExamQuestion `json:"questions"`
	Model     string                 `json:"model"`
	At        time.Time              `json:"at"`
}

func shapeExam(number, version int, x storage.Exam) examShape {
	return examShape{number, version, len(x.Lost()), orNone(x.Questions), x.Model, x.At}
}

type profileShape struct {
	storage.Profile
	Kinds []house.JobKind `json:"kinds"` // of work that use it
	Notes []string        `json:"notes,omitempty"`
}

type profilesShape struct {
	Profiles []profileShape `json:"profiles"`
	Kinds    []kindShape    `json:"kinds"`
}

type kindShape struct {
	Kind    house.JobKind `json:"kind"`
	Words   string        `json:"words"`
	Profile string        `json:"profile"` // "" for the chat's own way
}
