package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Origins of presets.
const (
	PresetBundled  = "bundled"
	PresetYours    = "yours"
	PresetImported = "imported"
)

// PresetView is a preset in a list.
type PresetView struct {
	Ref    string `json:"id"` // unique, even where two presets have one name
	Name   string `json:"name"`
	Origin string `json:"from"` // PresetBundled, PresetYours or PresetImported
	Why    string `json:"why"`  // of a bundled preset: what it is for
	// Kinds, Files, Remarks and CreatedAt are those of Import.
	Kinds       []string              `json:"kinds"`
	OwnName     string                `json:"profile"` // the user's profile with its samplers, "" for none
	Sampling    []models.SamplerValue `json:"sampling"`
	Unsupported []formats.Unsupported `json:"lacks"`  // requests that Ollama does not support
	Banned      []string              `json:"banned"` // texts
	Chat        bool                  `json:"chat"`   // the chat uses it
	Model       bool                  `json:"model"`  // chats without a choice of their own use it with the model
	Files       []string              `json:"files"`  // below the prompts folder
	Remarks     []string              `json:"remarks"`
	CreatedAt   time.Time             `json:"created_at"`

	Profile *storage.Profile `json:"-"` // its samplers, nil for one without
	Import  *storage.Preset  `json:"-"` // the imported document, nil if it was not imported
}

// PresetsOf returns all presets: first the bundled ones, then the user's profiles and the imported
// ones by name. It marks the presets that chat and model use; both may be empty.
func (svc *Service) PresetsOf(chat storage.ChatID, model string) (list []PresetView, err error) {
	var c storage.Chat
	var profiles []storage.Profile
	imports := map[string]storage.Preset{}
	var rest []storage.Preset
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		profiles, imports, rest = nil, map[string]storage.Preset{}, nil
		for _, p := range storage.Profiles.All(tx) {
			profiles = append(profiles, p)
		}
		for _, p := range storage.Presets.All(tx) {
			if at := slices.IndexFunc(profiles, func(f storage.Profile) bool {
				return f.Name == p.Profile
			}); p.Profile != "" && at >= 0 {
				imports[p.Profile] = p
			} else {
				rest = append(rest, p)
			}
		}
		if chat == "" {
			return nil
		}
		c, err = storage.Chats.Get(tx, chat)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("list presets", err)
	}
	var own []PresetView
	for _, p := range profiles {
		v := PresetView{Ref: PresetYours + "/" + p.Name, Name: p.Name, Origin: PresetYours, Profile: &p}
		if i, ok := imports[p.Name]; ok {
			v.Ref, v.Origin, v.Import = string(i.ID), PresetImported, &i
		}
		own = append(own, v)
	}
	for _, i := range rest {
		own = append(own, PresetView{Ref: string(i.ID), Name: i.Name, Origin: PresetImported, Import: &i})
	}
	slices.SortStableFunc(own, func(a, b PresetView) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	for _, b := range bundled.SamplerPresets() {
		name := b.Profile.Name
		list = append(list, PresetView{Ref: PresetBundled + "/" + name, Name: name, Origin: PresetBundled, Why: b.Why,
			Profile: &b.Profile})
	}
	list = append(list, own...)
	for i := range list {
		list[i].describe()
	}
	svc.markPresets(list, c, model)
	return list, nil
}

// describe fills in the samplers and what Ollama does not support of them.
func (v *PresetView) describe() {
	if v.Profile != nil {
		v.Sampling = models.SamplerValues(*v.Profile)
		if v.Origin != PresetBundled {
			v.OwnName = v.Profile.Name
		}
	}
	if i := v.Import; i != nil {
		v.Kinds, v.Files, v.Remarks, v.CreatedAt = i.Kinds, i.Files, i.Remarks, i.CreatedAt
		v.Unsupported, v.Banned = formats.UnsupportedInPreset(i.Source)
	}
}

// markPresets marks the presets that a chat and a model use.
func (svc *Service) markPresets(list []PresetView, c storage.Chat, model string) {
	if c.ID != "" {
		model = cmp.Or(model, svc.models.ModelOf(c))
	}
	plain, said := svc.models.SamplingOf(storage.Chat{}, model), svc.models.ModelSampling(model)
	for i := range list {
		v := &list[i]
		if v.Profile == nil {
			continue
		}
		v.Model = model != "" && models.UsesPreset(plain, said, *v.Profile)
		v.Chat = c.ID != "" && models.UsesPreset(svc.models.SamplingOf(c, model),
			svc.models.StoredSampling(c, model), *v.Profile)
	}
}

// FindPresetView finds a preset by its name, its ID or a prefix of the ID.
func (svc *Service) FindPresetView(ref string) (PresetView, error) {
	list, err := svc.PresetsOf("", "")
	if err != nil {
		return PresetView{}, err
	}
	var names []core.Named
	for _, v := range list {
		names = append(names, core.Named{ID: v.Ref, Name: v.Name})
	}
	id, err := core.Resolve("preset", ref, names)
	if err != nil {
		return PresetView{}, err
	}
	return list[slices.IndexFunc(list, func(v PresetView) bool { return v.Ref == id })], nil
}

// UsePreset makes a chat use the current samplers of a preset. undo reverts that as long as it is
// the last change of the chat.
func (svc *Service) UsePreset(chat storage.ChatID, v PresetView) (undo func() error, err error) {
	if err := v.checkHasSamplers(); err != nil {
		return nil, err
	}
	c, err := svc.chats.Find(string(chat))
	if err != nil {
		return nil, err
	}
	if err := svc.chats.UseSampling(chat,
		withoutInherited(*v.Profile, svc.models.SamplingOf(c, svc.models.ModelOf(c)))); err != nil {
		return nil, err
	}
	return func() error {
		list, err := svc.chats.Changes(chat, "")
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(list, func(c chats.Change) bool { return c.Next }); i < 0 ||
			list[i].Kind != storage.ChangeSampling {
			return failure.Wrap("undo", failure.Refusef("the chat was changed since: undo that first"))
		}
		return svc.chats.Undo(chat)
	}, nil
}

// UsePresetFor makes all chats without a choice of their own use the samplers of a preset with a
// model. undo reverts that.
func (svc *Service) UsePresetFor(model string, v PresetView) (undo func() error, err error) {
	if err := v.checkHasSamplers(); err != nil {
		return nil, err
	}
	was := svc.models.ModelSampling(model)
	now, err := models.WithSamplers(was, withoutInherited(*v.Profile, svc.models.SamplingOf(storage.Chat{}, model)))
	if err == nil {
		err = svc.models.PutModelSampling(model, now)
	}
	if err != nil {
		return nil, err
	}
	return func() error { return svc.models.PutModelSampling(model, was) }, nil
}

// withoutInherited returns a profile without the reply length and the context size that apply
// anyway, so that these keep following the settings.
func withoutInherited(p, inForce storage.Profile) storage.Profile {
	if p.NumPredict == inForce.NumPredict {
		p.NumPredict = 0
	}
	if p.NumCtx == inForce.NumCtx {
		p.NumCtx = 0
	}
	return p
}

// checkHasSamplers returns an error for a preset without samplers.
func (v PresetView) checkHasSamplers() error {
	if v.Profile == nil {
		return failure.Refusef("the preset %q has no samplers: it holds %s", failure.FirstRunes(v.Name, 60),
			strings.Join(v.Import.Kinds, ", "))
	}
	return nil
}

// SavePreset saves the samplers of a chat, or without a chat those of a model, as a preset of the
// user. If a preset with the name exists, this is an error unless replace is set. undo restores the
// previous state.
func (svc *Service) SavePreset(name string, chat storage.ChatID, model string,
	replace bool) (undo func() error, err error) {
	var c storage.Chat
	if chat != "" {
		if c, err = svc.chats.Find(string(chat)); err != nil {
			return nil, err
		}
		model = cmp.Or(model, svc.models.ModelOf(c))
	}
	p := models.OnlySampling(svc.models.SamplingOf(c, model))
	p.Name, p.NumCtx, p.Think = strings.TrimSpace(name), 0, "" // these depend on the machine and the model
	if err := checkPresetName(p.Name); err != nil {
		return nil, err
	}
	if err := models.CheckProfile(p); err != nil {
		return nil, failure.Wrap("save preset", err)
	}
	var was *storage.Profile
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		was = nil
		have, err := storage.Profiles.Get(tx, p.Name)
		switch {
		case err == nil && !replace:
			return failure.Refusef("preset %q already exists: choose another name, or replace it",
				failure.FirstRunes(p.Name, 60))
		case err == nil:
			was = &have
			// Jobs use the preset's values for these.
			p.Server, p.Model, p.NumCtx, p.Think, p.Prefill = have.Server, have.Model, have.NumCtx,
				have.Think, have.Prefill
			if err := models.CheckProfile(p); err != nil {
				return err
			}
		case !errors.Is(err, storage.ErrNotFound):
			return err
		}
		return storage.Profiles.Put(tx, p.Name, p)
	})
	if err != nil {
		return nil, failure.Wrap("save preset", err)
	}
	return func() error {
		return svc.changePreset("save preset", func(tx *storage.Tx) error {
			if was != nil {
				return storage.Profiles.Put(tx, was.Name, *was)
			}
			return models.ReplaceProfile(tx, p.Name, "")
		})
	}, nil
}

func (svc *Service) changePreset(op string, f func(*storage.Tx) error) error {
	if err := svc.core.Store.Update(f); err != nil {
		return failure.Wrap(op, err)
	}
	return nil
}

// checkPresetName returns an error for the name of a bundled preset.
func checkPresetName(name string) error {
	for _, b := range bundled.SamplerPresets() {
		if strings.EqualFold(b.Profile.Name, name) {
			return failure.Refusef("%q is a built-in preset: choose another name", b.Profile.Name)
		}
	}
	return nil
}

// RenamePreset renames a preset of the user or an imported one. Jobs that use it continue to use
// it. undo restores the name.
func (svc *Service) RenamePreset(v PresetView, name string) (undo func() error, err error) {
	name = strings.TrimSpace(name)
	if err := cmp.Or(v.checkEditable(), checkPresetName(name)); err != nil {
		return nil, err
	}
	rename := func(from, to string) error {
		return svc.changePreset("rename preset", func(tx *storage.Tx) error {
			if v.Profile == nil {
				p, err := storage.Presets.Get(tx, v.Import.ID)
				if p.Name = to; err != nil {
					return err
				}
				return storage.Presets.Put(tx, p.ID, p)
			}
			p, err := storage.Profiles.Get(tx, from)
			if err != nil {
				return err
			}
			if p.Name = to; from == to {
				return nil
			}
			if err := models.CheckProfile(p); err != nil {
				return err
			}
			if _, err := storage.Profiles.Get(tx, to); !errors.Is(err, storage.ErrNotFound) {
				return cmp.Or(err, failure.Refusef("preset %q already exists", failure.FirstRunes(to, 60)))
			}
			if err := storage.Profiles.Put(tx, to, p); err != nil {
				return err
			}
			return models.ReplaceProfile(tx, from, to)
		})
	}
	if name == "" {
		return nil, failure.Wrap("rename preset", failure.Refusef("enter a name for the preset"))
	}
	if err := rename(v.Name, name); err != nil {
		return nil, err
	}
	return func() error { return rename(name, v.Name) }, nil
}

// checkEditable returns an error for a bundled preset.
func (v PresetView) checkEditable() error {
	if v.Origin == PresetBundled {
		return failure.Refusef("%q is a built-in preset: save it under another name", v.Name)
	}
	return nil
}

// DeletePreset removes a preset and its profile. Its prompt files stay. A profile that a job uses
// cannot be removed. undo restores it.
func (svc *Service) DeletePreset(v PresetView) (undo func() error, err error) {
	if err := v.checkEditable(); err != nil {
		return nil, err
	}
	if v.Profile != nil {
		_, jobs, err := svc.models.Profiles()
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			if j.Profile == v.Name {
				return nil, failure.Wrap("delete preset",
					failure.Refusef("it is the profile for %s: choose another profile there first", j.Description))
			}
		}
	}
	err = svc.changePreset("delete preset", func(tx *storage.Tx) error {
		if v.Import != nil {
			if err := storage.Presets.Delete(tx, v.Import.ID); err != nil {
				return err
			}
		}
		if v.Profile == nil {
			return nil
		}
		return models.ReplaceProfile(tx, v.Name, "")
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		return svc.changePreset("delete preset", func(tx *storage.Tx) error {
			if v.Profile != nil {
				if _, err := storage.Profiles.Get(tx, v.Name); !errors.Is(err, storage.ErrNotFound) {
					return cmp.Or(err, failure.Refusef("preset %q exists in the meantime",
						failure.FirstRunes(v.Name, 60)))
				}
				if err := storage.Profiles.Put(tx, v.Name, *v.Profile); err != nil {
					return err
				}
			}
			if v.Import == nil {
				return nil
			}
			return storage.Presets.Put(tx, v.Import.ID, *v.Import)
		})
	}, nil
}

// File returns the preset as a file of another program: the imported document, else its samplers.
func (v PresetView) File() (json.RawMessage, error) {
	if v.Import != nil {
		return v.Import.Source, nil
	}
	file := samplerFile(*v.Profile)
	if v.Profile.Seed != nil {
		file["seed"] = *v.Profile.Seed
	}
	if len(v.Profile.Stop) > 0 {
		file["custom_stopping_strings"] = v.Profile.Stop
	}
	if len(file) == 0 {
		return nil, failure.Refusef("the preset %q has no values to export", v.Name)
	}
	return json.Marshal(file)
}

// samplerFile returns the samplers of a profile under the names of SillyTavern's presets.
func samplerFile(p storage.Profile) map[string]any {
	file := map[string]any{}
	for key, v := range map[string]*float64{"temp": p.Temperature, "top_p": p.TopP, "min_p": p.MinP,
		"rep_pen":   p.RepeatPen,
		"typical_p": p.TypicalP, "presence_pen": p.PresencePen, "freq_pen": p.FrequencyPen} {
		if v != nil {
			file[key] = *v
		}
	}
	if p.TopK != nil {
		file["top_k"] = *p.TopK
	}
	if p.RepeatLastN != nil && *p.RepeatLastN >= 0 { // all of the context is 0 there, which disables it here
		file["rep_pen_range"] = *p.RepeatLastN
	}
	return file
}
