package pictures

import (
	"cmp"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shown is a capture as documents tell it: its files by their whole paths, and the prompt as it
// would be sent.
func shown(app *cli.App, c storage.Capture) storage.Capture {
	c.ImagePath, c.ThumbnailPath = app.DataPath(c.ImagePath), app.DataPath(c.ThumbnailPath)
	c.Prompt = cmp.Or(c.ImagePrompt, c.Prompt)
	return c
}

func allShown(app *cli.App, list []storage.Capture) []storage.Capture {
	return cli.Docs(list, func(c storage.Capture) storage.Capture { return shown(app, c) })
}

// promptDoc is a capture whose prompt was just written, with its length. The words that the user
// has added about the camera are in the capture's own document.
type promptDoc struct {
	storage.Capture
	Words int `json:"words"`
}

// batchDoc is a batch and how long it will take.
type batchDoc struct {
	pictures.BatchView
	Left float64 `json:"left"` // seconds, 0 while not known
}

func newBatchDoc(v pictures.BatchView) batchDoc { return batchDoc{v, v.Left.Seconds()} }

// batchDetailDoc is a batch with its captures. Faults says, by capture, why one was not sent.
type batchDetailDoc struct {
	batchDoc
	Items  []storage.Capture            `json:"items"`
	Faults map[storage.CaptureID]string `json:"faults"`
}
