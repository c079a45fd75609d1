package chats

import (
	"encoding/json"
	"iter"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Params are the params of the operations on scenes. Node is the break or
// message that it is about.
type Params struct {
	Chat        storage.ChatID   `json:"chat"`
	Node        storage.NodeID   `json:"node,omitempty"`
	Nodes       []storage.NodeID `json:"nodes,omitempty"` // several, oldest first
	Base        storage.RecapID  `json:"base,omitempty"`
	Force       bool             `json:"force,omitempty"`
	Asked       bool             `json:"asked,omitempty"` // by the user
	Style       string           `json:"style,omitempty"`
	Instruction string           `json:"instruction,omitempty"`
	Min         int              `json:"min,omitempty"`
	Done        int              `json:"done,omitempty"`
	Total       int              `json:"total,omitempty"`
	Batch       string           `json:"batch,omitempty"` // of detected breaks
	Read        json.RawMessage  `json:"read,omitempty"`  // finished parts, if it takes several requests
}

// ParamsOf returns the params of an operation. A damaged record is about no chat.
func ParamsOf(op storage.Operation) (p Params) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no chat
	return p
}

// Unfinished iterates over a chat's operations that wait or run.
func Unfinished(tx *storage.Tx, chat storage.ChatID) iter.Seq[storage.Operation] {
	return func(yield func(storage.Operation) bool) {
		for _, op := range storage.Operations.All(tx) {
			if op.Status != storage.Pending && op.Status != storage.InProgress {
				continue
			}
			if ParamsOf(op).Chat == chat && !yield(op) {
				return
			}
		}
	}
}

// Names returns the names of the character and the user in a chat.
func (svc *Service) Names(tx *storage.Tx, c storage.Chat) (char, user string) {
	who, persona := svc.Cast(tx, c)
	char, user = who.Card.CharName(), persona.Name
	if user == "" {
		user = Nobody
	}
	return char, user
}

// Nobody is the name of a user without a persona.
const Nobody = "You"
