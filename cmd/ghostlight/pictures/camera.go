package pictures

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// cameraHelp says how to list the values of the camera settings.
const cameraHelp = "ghostlight capture camera list prints the values of the camera settings; an empty value clears a " +
	"setting."

// cameraFlags are the flags of the camera's controls.
type cameraFlags struct {
	values map[string]*string // by the key of the control
	preset string
}

// add adds the flags of all controls except those left out.
func (c *cameraFlags) add(f *pflag.FlagSet, without ...string) {
	c.values = map[string]*string{}
	for _, s := range capture.CameraFields.Without(without...).Fields {
		c.values[s.Name] = f.String(s.Flag, "", s.Help)
	}
	f.StringVar(&c.preset, "preset", "", "use the camera preset `CAMERA`")
}

// override returns a camera with the flags applied: first the preset, then the single controls.
func (c *cameraFlags) override(e *engine.Engine, f *pflag.FlagSet, base storage.Camera) (storage.Camera, error) {
	if c.preset != "" {
		p, err := e.Pictures.Cameras.Find(c.preset)
		if err != nil {
			return base, cli.UsageError(failure.Text(err))
		}
		base = p.Camera
	}
	for _, s := range capture.CameraFields.Fields {
		if v := c.values[s.Name]; v != nil && f.Changed(s.Flag) {
			if err := s.Set(&base, *v); err != nil {
				return base, err
			}
		}
	}
	return base, nil
}

// Cameras are the camera presets as arguments of commands.
var Cameras = cli.Noun[pictures.NamedCamera]{
	Find:   func(e *engine.Engine, ref string) (pictures.NamedCamera, error) { return e.Pictures.Cameras.Find(ref) },
	List:   func(e *engine.Engine) ([]pictures.NamedCamera, error) { return e.Pictures.Cameras.List() },
	Called: func(c pictures.NamedCamera) (id, name string) { return c.Name, c.Name },
	Page: func(p *cli.Page, c pictures.NamedCamera) {
		p.Linef("%s  %s", cli.OneLine(c.Name), capture.DescribeCamera(c.Camera))
	},
	Delete: func(e *engine.Engine, c pictures.NamedCamera) error { return e.Pictures.Cameras.Delete(c.Name) },
}

func cameraCommand(app *cli.App) *cobra.Command {
	return cli.Group("camera", "list camera settings, and save presets of them",
		app.Command("list", "list the camera settings with their keys, and the presets",
			func(_ context.Context, e *engine.Engine, _ []string) error {
				presets, err := e.Pictures.Cameras.List()
				if err != nil {
					return err
				}
				controls := capture.Controls()
				return app.Print(map[string]any{"controls": controls, "presets": presets}, func(p *cli.Page) {
					writeCameras(p, controls, presets)
				})
			}),
		cameraSaveCommand(app),
		Cameras.DeleteCommand(app, "delete CAMERA", "delete one of your camera presets"))
}

func writeCameras(p *cli.Page, controls []capture.Control, presets []pictures.NamedCamera) {
	var rows [][]string
	for _, c := range controls {
		for _, one := range c.Presets {
			rows = append(rows, []string{"--" + c.Flag, one.Key, one.Phrase})
		}
	}
	for _, n := range presets {
		rows = append(rows, []string{"--preset", n.Name, capture.DescribeCamera(n.Camera)})
	}
	p.Table(rows)
}

func cameraSaveCommand(app *cli.App) *cobra.Command {
	var look cameraFlags
	c := &cobra.Command{Use: "save NAME", Short: "save camera settings as a preset"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		camera, err := look.override(e, c.Flags(), storage.Camera{})
		if err != nil {
			return err
		}
		if err := e.Pictures.Cameras.Save(pictures.NamedCamera{Name: args[0], Camera: camera}); err != nil {
			return err
		}
		kept, err := e.Pictures.Cameras.Find(strings.Join(strings.Fields(args[0]), " "))
		if err != nil {
			return err
		}
		return Cameras.Print(app, kept)
	})
	look.add(c.Flags())
	return c
}
