package pictures

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const settingCameras = "cameras"

// Limits of the user's camera presets.
const (
	maxCameras    = 50
	maxCameraName = 40 // runes of a name
)

// Cameras are the named camera settings.
type Cameras struct{ core *core.Core }

// List returns the combinations of camera controls by name: those that the
// program brings, then the user's own. One of the user's takes the place of one of
// the same name.
func (cams *Cameras) List() ([]NamedCamera, error) {
	var own []NamedCamera
	if err := cams.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingCameras, &own)
		return err
	}); err != nil {
		return nil, failure.Wrap("camera presets", err)
	}
	var out []NamedCamera
	for _, n := range capture.Cameras() {
		if cameraIndex(own, n.Name) < 0 {
			out = append(out, NamedCamera{Name: n.Name, Camera: n.Camera})
		}
	}
	return append(out, own...), nil
}

func cameraIndex(list []NamedCamera, name string) int {
	return slices.IndexFunc(list, func(n NamedCamera) bool {
		return strings.EqualFold(n.Name, strings.TrimSpace(name))
	})
}

// Find finds a preset by its name, ignoring case.
func (cams *Cameras) Find(name string) (NamedCamera, error) {
	list, err := cams.List()
	if err != nil {
		return NamedCamera{}, err
	}
	i := cameraIndex(list, name)
	if i < 0 {
		var names []string
		for _, n := range list {
			names = append(names, n.Name)
		}
		return NamedCamera{}, failure.Wrap("camera preset", failure.Refusef("no camera preset %q; use one of %s",
			failure.FirstRunes(name, maxCameraName), strings.Join(names, ", ")))
	}
	return list[i], nil
}

// Save stores a preset, replacing one of the same name.
func (cams *Cameras) Save(p NamedCamera) error {
	p.Name = strings.Join(strings.Fields(p.Name), " ")
	camera, err := capture.CheckCamera(p.Camera)
	switch n := utf8.RuneCountInString(p.Name); {
	case err != nil:
		return failure.Wrap("camera preset", failure.Refusef("%s", err.Error()))
	case p.Name == "" || strings.ContainsFunc(p.Name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return failure.Wrap("camera preset", failure.Refusef("a camera preset needs a name with letters"))
	case n > maxCameraName:
		return failure.Wrap("camera preset", failure.Refusef(
			"the name of a camera preset may have at most %d characters; this one has %d", maxCameraName, n))
	case camera == storage.Camera{}:
		return failure.Wrap("camera preset",
			failure.Refusef("no camera setting is chosen: choose a shot, an angle or another setting first"))
	}
	p.Camera = camera
	return cams.change(func(own []NamedCamera) ([]NamedCamera, error) {
		if i := cameraIndex(own, p.Name); i >= 0 {
			own[i] = p
			return own, nil
		}
		if len(own) >= maxCameras {
			return nil, failure.Refusef("the limit of %d camera presets is reached: delete one first", maxCameras)
		}
		return append(own, p), nil
	})
}

// Delete removes a preset of the user. Bundled ones stay.
func (cams *Cameras) Delete(name string) error {
	return cams.change(func(own []NamedCamera) ([]NamedCamera, error) {
		i := cameraIndex(own, name)
		if i >= 0 {
			return slices.Delete(own, i, i+1), nil
		}
		if slices.ContainsFunc(capture.Cameras(), func(n capture.NamedCamera) bool {
			return strings.EqualFold(n.Name, strings.TrimSpace(name))
		}) {
			return nil, failure.Refusef("this camera preset is built in and cannot be deleted")
		}
		return nil, &failure.Missing{Kind: "camera preset", Ref: failure.FirstRunes(name, maxCameraName)}
	})
}

func (cams *Cameras) change(f func([]NamedCamera) ([]NamedCamera, error)) error {
	err := cams.core.Store.Update(func(tx *storage.Tx) error {
		var own []NamedCamera
		if _, err := tx.Setting(settingCameras, &own); err != nil {
			return err
		}
		own, err := f(own)
		if err != nil {
			return err
		}
		return tx.PutSetting(settingCameras, own)
	})
	if err != nil {
		return failure.Wrap("camera preset", err)
	}
	return nil
}
