package library

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// presetFolder is the folder of the texts of presets, below the folder of the user's prompts.
const presetFolder = "presets"

// ImportPreset imports a preset: its samplers become a profile, its prompts become new prompt
// files, and the whole document is kept. An existing preset is returned unchanged.
func (svc *Service) ImportPreset(path string) (p storage.Preset, err error) {
	got, err := formats.ReadPresetFile(core.ExpandHome(path))
	if err != nil {
		return storage.Preset{}, failure.Wrap("import", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		for _, have := range storage.Presets.All(tx) {
			if bytes.Equal(have.Source, got.Source) {
				p, p.Remarks = have, []string{"already imported; nothing was changed"}
				return nil
			}
		}
		p, err = svc.AddPreset(tx, got)
		return err
	})
	if err != nil {
		return storage.Preset{}, failure.Wrap("import", err)
	}
	return p, nil
}

// AddPreset stores a preset as a new one, as part of a transaction. If that is rolled back, the
// text files stay in their folder for the next attempt.
func (svc *Service) AddPreset(tx *storage.Tx, got formats.Preset) (storage.Preset, error) {
	p := storage.Preset{ID: storage.PresetID(storage.NewID()), Name: got.Name, Kinds: got.Kinds, Source: got.Source,
		Remarks: slices.Clone(got.Remarks), CreatedAt: svc.core.Config.Now()}
	files, remarks, err := svc.writeTexts(tx, got)
	if err != nil {
		return storage.Preset{}, err
	}
	p.Files, p.Remarks = files, append(p.Remarks, remarks...)
	if got.Profile != nil {
		if err := svc.putProfile(tx, &p, *got.Profile); err != nil {
			return storage.Preset{}, err
		}
	}
	return p, storage.Presets.Put(tx, p.ID, p)
}

// putProfile stores the profile of a preset under an unused name.
func (svc *Service) putProfile(tx *storage.Tx, p *storage.Preset, profile storage.Profile) error {
	base := failure.FirstRunes(p.Name, 60)
	for n := 1; ; n++ {
		profile.Name = base
		if n > 1 {
			profile.Name = fmt.Sprintf("%s %d", base, n)
		}
		if _, err := storage.Profiles.Get(tx, profile.Name); errors.Is(err, storage.ErrNotFound) {
			break
		}
	}
	if err := models.CheckProfile(profile); err != nil {
		p.Remarks = append(p.Remarks, "no profile was created: "+failure.Text(err))
		return nil
	}
	p.Profile = profile.Name
	return storage.Profiles.Put(tx, profile.Name, profile)
}

// Presets returns the imported presets by name.
func (svc *Service) Presets() ([]storage.Preset, error) {
	out, err := core.All(svc.core, "presets", storage.Presets)
	slices.SortStableFunc(out, func(a, b storage.Preset) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, err
}
