package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
)

// Inside makes the tree of commands for a front end that has the engine open: they work
// on that engine, close nothing, print to out, and read nothing. Each tree is for one
// run.
func (app *App) Inside(e *engine.Engine, out io.Writer, build func(*App) *cobra.Command) *cobra.Command {
	in := New(nil, nil, nil, "")
	root := build(in)
	in.within(app, e)
	in.In, in.Out, in.Err = strings.NewReader(""), out, out
	return root
}

// within makes app share host's engine and settings. Its flags start with host's values.
func (app *App) within(host *App, e *engine.Engine) {
	host.changing.Lock()
	*app = *host
	host.changing.Unlock()
	app.shared, app.front, app.closeLog, app.Printed, app.JSON, app.Args = e, host, func() {}, false, false, nil
}

// IsInside reports whether the commands run within a front end, on its engine.
func (app *App) IsInside() bool { return app.shared != nil }

// OperationWords returns the name of a queue operation for the user. It is "" for the picture
// operations, which are reported elsewhere.
func OperationWords(typ string) string {
	if typ == pictures.OpCapturePrompt || typ == pictures.OpCaptureSend {
		return ""
	}
	return queue.TypeText(typ)
}
