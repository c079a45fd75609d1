package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/pictures"
	"ghostlight/engine/pictures/capture"
	"ghostlight/storage"
)

// cameraHelp says where the keys of the camera's controls stand.
const cameraHelp = "The camera's controls take keys that ghostlight capture camera list prints; an empty one takes a choice away."

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
		p, err := e.Pictures.CameraPreset(c.preset)
		if err != nil {
			return base, misuse{failure.Words(err)}
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
		return base, misuse{err.Error()}
	}
	return out, nil
}

// controlShape is a control of the camera and what it can be set to.
type controlShape struct {
	Key     string            `json:"key"`
	Flag    string            `json:"flag"`
	Label   string            `json:"label"`
	Presets []cameraKeysShape `json:"presets"`
}

type cameraKeysShape struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Phrase string `json:"phrase"`
}

type camerasShape struct {
	Controls []controlShape         `json:"controls"`
	Presets  []pictures.NamedCamera `json:"presets"`
}

func (d *door) captureCamera() *cobra.Command {
	return group("camera", "list the camera's controls, and keep combinations of them", d.cameraList(), d.cameraSave(), d.cameraDelete())
}

func (d *door) cameraList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the camera's controls with their keys, and the presets", Args: takes(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			presets, err := e.Pictures.CameraPresets()
			if err != nil {
				return err
			}
			doc := camerasShape{Presets: orNone(presets)}
			for _, control := range capture.Controls() {
				shape := controlShape{control.Key, flagOf(control.Key), control.Label, nil}
				for _, p := range control.Presets {
					shape.Presets = append(shape.Presets, cameraKeysShape(p))
				}
				doc.Controls = append(doc.Controls, shape)
			}
			return d.tell(doc, func(p *page) {
				var rows [][]string
				for _, c := range doc.Controls {
					for _, one := range c.Presets {
						rows = append(rows, []string{"--" + c.Flag, one.Key, one.Phrase})
					}
				}
				for _, n := range presets {
					rows = append(rows, []string{"--preset", n.Name, capture.Looks(n.Camera)})
				}
				p.table(rows)
			})
		})}
}

func (d *door) cameraSave() *cobra.Command {
	var look cameraFlags
	c := &cobra.Command{Use: "save NAME", Short: "keep a combination of the camera's controls under a name", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		camera, err := look.over(e, c.Flags(), storage.Camera{})
		if err != nil {
			return err
		}
		if err := e.Pictures.SaveCameraPreset(pictures.NamedCamera{Name: args[0], Camera: camera}); err != nil {
			return err
		}
		kept, err := e.Pictures.CameraPreset(strings.Join(strings.Fields(args[0]), " "))
		if err != nil {
			return err
		}
		return d.tell(kept, func(p *page) { p.linef("%s  %s", oneLine(kept.Name), capture.Looks(kept.Camera)) })
	})
	look.add(c.Flags())
	return c
}

func (d *door) cameraDelete() *cobra.Command {
	return &cobra.Command{Use: "delete NAME", Short: "forget a camera preset of your own", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			if err := e.Pictures.DeleteCameraPreset(args[0]); err != nil {
				return err
			}
			return d.tellDeleted(args[0], "camera preset")
		})}
}
