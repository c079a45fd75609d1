package models

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SamplerNames returns the names in SamplingNames that influence the choice of words. The others
// limit the context and the reply, or say how an answer ends and whether the model thinks.
func SamplerNames() []string {
	return slices.DeleteFunc(SamplingNames(), func(name string) bool {
		return slices.Contains([]string{"num_ctx", "num_predict", "stop", "think"}, name)
	})
}

// WithSamplers returns p with the samplers of from: all of SamplerNames, also if from leaves them
// empty, and the other values that from sets. The error is a *field.Error if from has a value that
// no server could use.
func WithSamplers(p, from storage.Profile) (storage.Profile, error) {
	samplers := SamplerNames()
	for _, name := range SamplingNames() {
		text := SamplingText(from, name)
		if name != "stop" && (text != "" || slices.Contains(samplers, name)) {
			if err := SamplingFields.Set(&p, name, text); err != nil {
				return p, err
			}
		}
	}
	if len(from.Stop) > 0 {
		p.Stop = slices.Clone(from.Stop)
	}
	return p, nil
}

// OnlySampling returns the sampling values of a profile, without its name, its server, its model
// and its prefill.
func OnlySampling(p storage.Profile) storage.Profile { return mergeProfiles(p, storage.Profile{}) }

// StoredSampling returns the sampling that is stored for the chat or else for the model, without
// the settings.
func (svc *Service) StoredSampling(c storage.Chat, model string) storage.Profile {
	return mergeProfiles(c.Sampling, svc.ModelSampling(model))
}

// UsesPreset reports whether a chat or a model has the samplers of a preset: inForce are its
// effective values, said those that it sets itself.
func UsesPreset(inForce, said, preset storage.Profile) bool {
	for _, name := range SamplerNames() {
		want := SamplingText(preset, name)
		if want == "" && SamplingText(said, name) != "" || want != "" && SamplingText(inForce, name) != want {
			return false
		}
	}
	if want := SamplingText(preset, "stop"); want != "" && SamplingText(inForce, "stop") != want {
		return false
	}
	return true
}

// PutModelSampling replaces the stored sampling of a model.
func (svc *Service) PutModelSampling(model string, p storage.Profile) error {
	if model == "" {
		return failure.Refusef("no model is chosen")
	}
	if err := svc.CheckSampling(storage.Chat{}, model, p); err != nil {
		return err
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		all := map[string]storage.Profile{}
		if _, err := tx.Setting(settingSampling, &all); err != nil {
			return err
		}
		if all[model] = p; !hasSampling(p) {
			delete(all, model)
		}
		return tx.PutSetting(settingSampling, all)
	})
	if err != nil {
		return failure.Wrap("keep sampling", err)
	}
	return svc.LoadSampling()
}

// SamplerValue is one of SamplingNames with its value in a profile and its effect.
type SamplerValue struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Description string `json:"words"`
}

// SamplerValues returns the sampling values of a profile.
func SamplerValues(p storage.Profile) (list []SamplerValue) {
	for _, s := range SamplingFields.Fields {
		if text := s.Get(&p); text != "" {
			list = append(list, SamplerValue{s.Name, text, s.Help})
		}
	}
	return list
}
