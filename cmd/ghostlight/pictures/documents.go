package pictures

import (
	"cmp"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shownCapture returns a capture for a document: with the full paths of its files, and the prompt
// as it would be sent.
func shownCapture(app *cli.App, c storage.Capture) storage.Capture {
	c.ImagePath, c.ThumbnailPath = app.DataPath(c.ImagePath), app.DataPath(c.ThumbnailPath)
	c.Prompt = cmp.Or(c.ImagePrompt, c.Prompt)
	return c
}

func shownCaptures(app *cli.App, list []storage.Capture) []storage.Capture {
	return cli.Docs(list, func(c storage.Capture) storage.Capture { return shownCapture(app, c) })
}
