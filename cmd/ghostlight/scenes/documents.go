package scenes

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type breakDoc struct {
	Message storage.NodeID `json:"message"`
	Break   bool           `json:"break"`
	Changed bool           `json:"changed"`
	Scene   int            `json:"scene"` // that ends there, 0 for none on this path
}

type detectDoc struct {
	Found  int        `json:"found"`
	Left   int        `json:"left"` // messages that no model was asked about yet
	Total  int        `json:"total"`
	Breaks []foundDoc `json:"breaks"`
	Error  string     `json:"error,omitempty"`
}

type foundDoc struct {
	Scene     int            `json:"scene"`
	Message   storage.NodeID `json:"message"`
	Name      string         `json:"name"`
	Rationale string         `json:"rationale"`
}

// provenanceDoc says how a version of a recap was made.
type provenanceDoc struct {
	Stale       bool                `json:"stale"`
	Edited      bool                `json:"edited"`
	Origin      storage.RecapOrigin `json:"origin"`
	Style       string              `json:"style"`
	Instruction string              `json:"instruction,omitempty"`
	Model       string              `json:"model"`
	CreatedAt   time.Time           `json:"created_at"`
	EditedAt    time.Time           `json:"edited_at,omitzero"`
	// Witnesses are the characters who may know all of it; missing if all may.
	Witnesses []storage.CharacterID `json:"witnesses,omitzero"`
	// Parts is the number of parts that the recap was made in, if its source was too long for one
	// request. PartEnds are the last messages of the parts of a scene. Shortened is the number of
	// messages of which only the beginning and the end were read.
	Parts     int              `json:"parts,omitempty"`
	PartEnds  []storage.NodeID `json:"part_ends,omitempty"`
	Shortened int              `json:"shortened,omitempty"`
	// Unfinished reports that its lists were full, so that it may be incomplete.
	Unfinished bool `json:"unfinished,omitempty"`
}

func newProvenanceDoc(r scenes.RecapVersion) provenanceDoc {
	return provenanceDoc{r.Stale, r.Edited(), r.Origin, r.Style, r.Instruction, r.Model, r.CreatedAt, r.EditedAt,
		r.Witnesses, r.Parts, r.PartEnds, r.Shortened, r.Unfinished}
}

type sceneRecapDoc struct {
	Scene          int                     `json:"scene"`
	Version        int                     `json:"version"`
	Versions       int                     `json:"versions"`
	SceneName      string                  `json:"scene_name"`
	Recap          string                  `json:"recap"`
	Atmosphere     string                  `json:"atmosphere"`
	EmotionalBeats string                  `json:"emotional_beats"`
	Lorebooks      []storage.LoreCandidate `json:"lorebooks"`
	Sources        []storage.Source        `json:"sources"`
	// Of joined scenes; see runningDoc.
	Dropped []storage.DroppedBullet `json:"dropped"`
	provenanceDoc
}

func newSceneRecapDoc(v scenes.RecapView, s scenes.Scene) sceneRecapDoc {
	r := currentOrNone(v)
	return sceneRecapDoc{s.Number, v.Current + 1, len(v.Versions), cmp.Or(v.Scene.Name, r.SceneName), r.Text,
		r.Atmosphere, r.EmotionalBeats,
		r.Lorebooks, r.Sources, r.Dropped, newProvenanceDoc(r)}
}

// interimDoc is the interim recap of the open scene up to the message Last; Recap is empty if there
// is none.
type interimDoc struct {
	Working   bool                    `json:"working"` // one is being made or waits to be
	First     storage.NodeID          `json:"first"`
	Last      storage.NodeID          `json:"last"`
	Messages  int                     `json:"messages"`
	Recap     string                  `json:"recap"`
	Lorebooks []storage.LoreCandidate `json:"lorebooks"`
	Sources   []storage.Source        `json:"sources"`
	Dropped   []storage.DroppedBullet `json:"dropped"`
	provenanceDoc
}

func newInterimDoc(v scenes.InterimView, working bool) interimDoc {
	return interimDoc{working, v.First, v.Last, v.Messages, v.Text, v.Lorebooks, v.Sources, v.Dropped,
		newProvenanceDoc(v.RecapVersion)}
}

func currentOrNone(v scenes.RecapView) scenes.RecapVersion {
	if r := v.Version(); r != nil {
		return *r
	}
	return scenes.RecapVersion{}
}

type messageRecapDoc struct {
	Message  storage.NodeID `json:"message"`
	Version  int            `json:"version"`
	Versions int            `json:"versions"`
	Recap    string         `json:"recap"`
	provenanceDoc
}

func newMessageRecapDoc(v scenes.RecapView, node storage.NodeID) messageRecapDoc {
	r := currentOrNone(v)
	return messageRecapDoc{node, v.Current + 1, len(v.Versions), r.Text, newProvenanceDoc(r)}
}

type runningDoc struct {
	Version  int            `json:"version"`
	Versions int            `json:"versions"`
	Text     string         `json:"text"`
	Covers   storage.NodeID `json:"covers"` // the last message up to which nothing is missing
	Scenes   []int          `json:"scenes"` // the numbers of the scenes in it
	// Dropped are the facts that this version left out, and why.
	Dropped []storage.DroppedBullet `json:"dropped"`
	provenanceDoc
}

func newRunningDoc(v scenes.RecapView, s scenes.Scenes) runningDoc {
	r := currentOrNone(v)
	doc := runningDoc{v.Current + 1, len(v.Versions), r.Text, r.Covers, nil, r.Dropped, newProvenanceDoc(r)}
	for _, sc := range s.List {
		if sc.InMemory {
			doc.Scenes = append(doc.Scenes, sc.Number)
		}
	}
	return doc
}

type versionDoc struct {
	Version   int             `json:"version"`
	Current   bool            `json:"current"`
	ID        storage.RecapID `json:"id"`
	SceneName string          `json:"scene_name"`
	Text      string          `json:"text"`
	provenanceDoc
}

func newVersionDoc(r scenes.RecapVersion, at, current int) versionDoc {
	return versionDoc{at + 1, at == current, r.ID, r.SceneName, r.Text, newProvenanceDoc(r)}
}

type diffDoc struct {
	Scene int              `json:"scene"` // 0 for the running recap
	A     int              `json:"a"`
	B     int              `json:"b"`
	Lines []scene.DiffLine `json:"lines"`
}
