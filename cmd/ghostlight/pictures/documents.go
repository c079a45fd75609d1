package pictures

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type capturePromptDoc struct {
	ID             storage.CaptureID `json:"id"`
	Kind           string            `json:"kind"`
	Prompt         string            `json:"prompt"`
	NegativePrompt string            `json:"negative_prompt"`
	Reasoning      string            `json:"reasoning"`
	Words          int               `json:"words"`
	Warnings       []string          `json:"warnings"`
}

type captureSendDoc struct {
	ID             storage.CaptureID     `json:"id"`
	Status         storage.CaptureStatus `json:"status"`
	Seed           *int64                `json:"seed"`
	FinalPrompt    string                `json:"final_prompt"`
	ImagePath      string                `json:"image_path"` // absolute, "" while there is none
	ThumbnailPath  string                `json:"thumbnail_path"`
	GenerationTime float64               `json:"generation_time"` // seconds
	Error          string                `json:"error,omitempty"`
}

func newCaptureSendDoc(app *cli.App, c storage.Capture) captureSendDoc {
	return captureSendDoc{c.ID, c.Status, c.Seed, c.FinalPrompt, app.DataPath(c.ImagePath), app.DataPath(c.ThumbnailPath), c.GenerationTime, c.Error}
}

type captureDoc struct {
	captureSendDoc
	Chat           storage.ChatID `json:"chat"`
	At             storage.NodeID `json:"at"`
	Message        storage.NodeID `json:"message"` // that shows it, "" while none does
	Kind           string         `json:"kind"`
	Requested      string         `json:"requested"`
	Prompt         string         `json:"prompt"`       // as it would be sent
	ImagePrompt    string         `json:"image_prompt"` // as the user saw and sent it, "" while it is a draft of the model's
	NegativePrompt string         `json:"negative_prompt"`
	Reasoning      string         `json:"reasoning"`
	Workflow       string         `json:"workflow"`
	WorkflowID     string         `json:"workflow_id"` // the same, under the name that the stored record has
	ImageID        string         `json:"image_id"`
	Width          int            `json:"width"`
	Height         int            `json:"height"`
	Warnings       []string       `json:"warnings"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
}

func newCaptureDoc(app *cli.App, c storage.Capture) captureDoc {
	return captureDoc{newCaptureSendDoc(app, c), c.Chat, c.At, c.Node, c.Kind, c.Requested, cmp.Or(c.ImagePrompt, c.Prompt), c.ImagePrompt, c.NegativePrompt,
		c.Reasoning, c.Workflow, c.Workflow, c.ImageID, c.Width, c.Height, c.Warnings, c.CreatedAt, c.UpdatedAt}
}
