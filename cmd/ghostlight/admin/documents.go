package admin

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// operation is an operation with the reason why it is blocked, "" if it is not.
type operation struct {
	storage.Operation
	Blocked string `json:"blocked"`
}

// briefOperation is an operation in a list, without the fields that may be long; queue show prints
// these.
type briefOperation struct {
	operation
	Params   *struct{} `json:"params,omitempty"`
	Metadata *struct{} `json:"metadata,omitempty"`
	Result   *struct{} `json:"result,omitempty"`
}

func newOperation(o storage.Operation, blocked string) operation {
	o.Lane = discreetLane(o.Lane)
	return operation{o, blocked}
}

// discreetLane returns the name of a lane without the password of an address in it.
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
	Checks []health.Check   `json:"checks"`
	Repair *backup.Repaired `json:"repair,omitempty"` // with --repair
	Error  string           `json:"error,omitempty"`
}
