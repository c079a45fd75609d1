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

// cameraHelp says where the keys of the camera's controls stand.
const cameraHelp = "Camera values are listed by ghostlight capture camera list; an empty value clears a setting."

// cameraFlags are the controls of the camera on the command line.
type cameraFlags struct {
	values map[string]*string // by the key of the control
	preset string
}

// flagOf is the flag of a control.
func flagOf(control string) string {
	if control == "lighting" {
		return "light"
	}
	return control
}

// add adds the flags of all controls but those left out.
func (c *cameraFlags) add(f *pflag.FlagSet, without ...string) {
	c.values = map[string]*string{}
	for _, control := range capture.Controls() {
		if strings.Contains(strings.Join(without, " "), control.Key) {
			continue
		}
		v := new(string)
		c.values[control.Key] = v
		f.StringVar(v, flagOf(control.Key), "", strings.ToLower(control.Label)+" `KEY` of the camera")
	}
	f.StringVar(&c.preset, "preset", "", "the camera preset `NAME`")
}

// over is a camera with what the flags change of it: first the preset, then the
// single controls.
func (c *cameraFlags) over(e *engine.Engine, f *pflag.FlagSet, base storage.Camera) (storage.Camera, error) {
	if c.preset != "" {
		p, err := e.Pictures.Cameras.Find(c.preset)
		if err != nil {
			return base, cli.UsageError(failure.Words(err))
		}
		base = p.Camera
	}
	values := map[string]string{}
	for _, control := range capture.Controls() {
		values[control.Key] = *control.Value(&base)
		if v := c.values[control.Key]; v != nil && f.Changed(flagOf(control.Key)) {
			values[control.Key] = *v
		}
	}
	out, err := capture.ParseCamera(values)
	if err != nil {
		return base, cli.UsageError(err.Error())
	}
	return out, nil
}

// controlDoc is a control of the camera and what it can be set to.
type controlDoc struct {
	Key     string           `json:"key"`
	Flag    string           `json:"flag"`
	Label   string           `json:"label"`
	Presets []capture.Preset `json:"presets"`
}

type camerasDoc struct {
	Controls []controlDoc           `json:"controls"`
	Presets  []pictures.NamedCamera `json:"presets"`
}

func cameraCommand(app *cli.App) *cobra.Command {
	return cli.Group("camera", "list the camera's controls, and save combinations of them", cameraListCommand(app), cameraSaveCommand(app), cameraDeleteCommand(app))
}

func cameraListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the camera's controls with their keys, and the presets",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			presets, err := e.Pictures.Cameras.List()
			if err != nil {
				return err
			}
			doc := camerasDoc{Presets: presets}
			for _, control := range capture.Controls() {
				doc.Controls = append(doc.Controls, controlDoc{control.Key, flagOf(control.Key), control.Label, control.Presets})
			}
			return app.Print(doc, func(p *cli.Page) {
				var rows [][]string
				for _, c := range doc.Controls {
					for _, one := range c.Presets {
						rows = append(rows, []string{"--" + c.Flag, one.Key, one.Phrase})
					}
				}
				for _, n := range presets {
					rows = append(rows, []string{"--preset", n.Name, capture.Looks(n.Camera)})
				}
				p.Table(rows)
			})
		})}
}

func cameraSaveCommand(app *cli.App) *cobra.Command {
	var look cameraFlags
	c := &cobra.Command{Use: "save NAME", Short: "save a combination of the camera's controls under a name"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		camera, err := look.over(e, c.Flags(), storage.Camera{})
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
		return app.Print(kept, func(p *cli.Page) { p.Linef("%s  %s", cli.OneLine(kept.Name), capture.Looks(kept.Camera)) })
	})
	look.add(c.Flags())
	return c
}

func cameraDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete NAME", Short: "delete a camera preset of your own",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			if err := e.Pictures.Cameras.Delete(args[0]); err != nil {
				return err
			}
			return app.PrintDeleted(args[0], "camera preset")
		})}
}
