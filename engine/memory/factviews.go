package memory

import (
	"context"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FactQuery selects facts of a play.
type FactQuery struct {
	Chat    storage.ChatID
	As      storage.CharacterID // only what this one may know; "" for everything
	Subject string              // only facts with these words or near them in meaning; "" for all
}

// FactList holds the facts of a play at the chat's current message.
type FactList struct {
	Chat   storage.ChatID      `json:"chat"`
	As     storage.CharacterID `json:"as"`
	AsName string              `json:"as_name"`
	Cast   []Knower            `json:"cast"` // the cast, if several play
	// PromptOf is the speaker of the next prompt. Fault is why there is no prompt; then the
	// InPrompt fields are not set.
	PromptOf string `json:"prompt_of"`
	Fault    string `json:"fault"`
	// Facts are in the order of their subjects, and of one subject the older first.
	Facts          []Fact `json:"facts"`
	Contradictions []Pair `json:"contradictions"`
	Duplicates     []Pair `json:"duplicates"`
	// Doubts are the facts that the user has to confirm; the view of a character has none.
	Doubts  []Doubt `json:"doubts"`
	LeftOut int     `json:"left_out"` // facts that were too many

	ended []Fact // facts of pairs that have ended
}

// Fact is one statement with its home.
type Fact struct {
	ID   string     `json:"id"`
	Kind facts.Kind `json:"kind"`
	Home string     `json:"home"` // in words: the recap, the entry, and the like
	// Record is the id of the memory, hook, recap or entry, and Book that of the
	// entry's lorebook, "" for the others.
	Record string             `json:"record"`
	Book   storage.LorebookID `json:"book"`
	Text   string             `json:"text"`
	// Subject is its main name, "" for none; Names are all names in it.
	Subject string   `json:"subject"`
	Names   []string `json:"names"`
	Sources []Source `json:"sources"` // oldest first
	// Everybody reports that the whole cast may know it; otherwise Knowers are the characters who
	// may.
	Everybody      bool     `json:"everybody"`
	Knowers        []Knower `json:"knowers"`
	Since          int      `json:"since"`        // the number of its oldest message, 0 for none
	Scene          int      `json:"scene"`        // the number of that message's scene, 0 for none
	SceneName      string   `json:"scene_name"`   // its name
	InPrompt       bool     `json:"told"`         // the next prompt contains it
	InPromptBy     string   `json:"told_by"`      // the part of the prompt that contains it
	WhyNotInPrompt string   `json:"why_not_told"` // why it does not
	// ByMeaning reports that it was found by meaning, without the words of FactQuery.Subject. True
	// sorts last.
	ByMeaning bool `json:"by_meaning"`
	depth     int  // of its newest message
}

// Source is a message that a fact came from. Number counts as in chat show.
type Source struct {
	Message storage.NodeID `json:"message"`
	Number  int            `json:"number"`
	Name    string         `json:"name"` // the speaker
}

// Knower is a character that may know a fact.
type Knower struct {
	ID   storage.CharacterID `json:"id"`
	Name string              `json:"name"`
}

// Pair is two facts by id, the older one first. If they contradict each other, Later is the one
// that holds, "" if both do, and Reason is the model's reason.
type Pair struct {
	Older  string `json:"older"`
	Newer  string `json:"newer"`
	Later  string `json:"later"`
	Reason string `json:"reason"`
}

// Find returns the fact with an id, from the facts or pairs, or nil.
func (v FactList) Find(id string) *Fact {
	for _, list := range [][]Fact{v.Facts, v.ended} {
		for i := range list {
			if list[i].ID == id {
				return &list[i]
			}
		}
	}
	return nil
}

// NextPrompt returns the input of a chat's next prompt, the compiled prompt, and whose moment it
// is. speaker is the next speaker, "" for the one whose turn it is.
type NextPrompt func(ctx context.Context, c storage.Chat,
	speaker storage.CharacterID) (prompt.Snapshot, prompt.Prompt, chats.Viewpoint, error)
