package house

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type profileDoc struct {
	storage.Profile
	Kinds []house.JobKind `json:"kinds"` // of work that use it
	Notes []string        `json:"notes,omitempty"`
}

type profilesDoc struct {
	Profiles []profileDoc    `json:"profiles"`
	Kinds    []house.JobInfo `json:"kinds"`
}

type operationDoc struct {
	ID           storage.OperationID     `json:"id"`
	Type         string                  `json:"type"`
	Status       storage.OperationStatus `json:"status"`
	Priority     int                     `json:"priority"`
	Dependencies []storage.OperationID   `json:"dependencies"`
	Attempts     int                     `json:"attempts"`
	Error        string                  `json:"error,omitempty"`
	Blocked      string                  `json:"blocked,omitempty"` // why it waits for somebody
	CreatedAt    time.Time               `json:"created_at"`
	StartedAt    time.Time               `json:"started_at"`
	CompletedAt  time.Time               `json:"completed_at"`
}

func newOperationDoc(o storage.Operation, blocked string) operationDoc {
	return operationDoc{o.ID, o.Type, o.Status, o.Priority, o.Dependencies, o.Attempts, o.Error, blocked, o.CreatedAt, o.StartedAt, o.CompletedAt}
}

// operationWholeDoc is an operation with what it was given and what came of it.
type operationWholeDoc struct {
	operationDoc
	Lane      string          `json:"lane"`
	Params    json.RawMessage `json:"params,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	NotBefore time.Time       `json:"not_before,omitzero"` // it waits for another try
}

func newOperationWholeDoc(o storage.Operation, blocked string) operationWholeDoc {
	return operationWholeDoc{newOperationDoc(o, blocked), discreetLane(o.Lane), o.Params, o.Metadata, o.Result, o.NotBefore}
}

// discreetLane is the name of a lane without the password of an address in it.
func discreetLane(lane string) string {
	name, server, ok := strings.Cut(lane, " ")
	if !ok {
		return lane
	}
	return name + " " + cli.RedactAddress(server)
}

type modelDoc struct {
	ollama.Model
	Loaded bool `json:"loaded"`
}

type promptFiles struct {
	Prompts []prompts.Info `json:"prompts"`
	Faults  []string       `json:"faults"`
}

type checksDoc struct {
	Checks []house.Check   `json:"checks"`
	Repair *house.Repaired `json:"repair,omitempty"` // with --repair
	Error  string          `json:"error,omitempty"`
}
