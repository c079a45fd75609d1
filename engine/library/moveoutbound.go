package library

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bookNames finds names of files for the lorebooks, by which others ask for them.
func (m *mover) bookNames() error {
	return m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, b := range storage.Lorebooks.All(tx) {
			if b.Removed {
				continue
			}
			m.lore = append(m.lore, b)
			stem := strings.TrimSuffix(filepath.Base(m.name("worlds", b.Name, ".json")), ".json")
			m.worlds[b.ID] = stem
			for _, of := range append([]string{string(b.Character), string(b.Persona)}, b.Also...) {
				if of != "" {
					m.bound[of] = append(m.bound[of], stem)
				}
			}
		}
		for id, c := range storage.Characters.All(tx) {
			if stem := m.worlds[c.Book]; stem != "" { // its own one first
				list := slices.DeleteFunc(m.bound[string(id)], func(s string) bool { return s == stem })
				m.bound[string(id)] = slices.Insert(list, 0, stem)
			}
		}
		return nil
	})
}

// world is the lorebook that a character's card asks for. A card that holds one and asks
// for none would bring it a second time.
func (m *mover) world(id storage.CharacterID) string {
	if list := m.bound[string(id)]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// meta puts into a chat's metadata what it is bound to, by the names of the files of this
// folder, and reports whether that is something else than what stands there.
func (m *mover) meta(c storage.Chat) func(meta map[string]json.RawMessage) bool {
	return func(meta map[string]json.RawMessage) (changed bool) {
		set := func(key, value string) {
			raw, err := json.Marshal(value)
			if err == nil && !bytes.Equal(raw, meta[key]) {
				meta[key], changed = raw, true
			}
		}
		set(ecosystem.ChatKey, string(c.ID))
		set(ecosystem.TitleKey, c.Title)
		if file := m.personaFiles[c.Persona]; file != "" {
			set("persona", file)
		}
		var worlds []string
		for _, b := range m.lore {
			if on, said := c.Lorebooks[b.ID]; on || !said && b.Chat == c.ID {
				worlds = append(worlds, m.worlds[b.ID])
			}
		}
		var now string
		_ = json.Unmarshal(meta["world_info"], &now) // what is no name is none of these
		if len(worlds) > 0 && !slices.Contains(worlds, now) {
			set("world_info", worlds[0])
		}
		return changed
	}
}

// presetFolders are the folders of the other program, by what a preset holds first.
var presetFolders = map[string]string{ecosystem.PresetChat: "OpenAI Settings", ecosystem.PresetInstruct: "instruct", ecosystem.PresetContext: "context",
	ecosystem.PresetSystem: "sysprompt", ecosystem.PresetReasoning: "reasoning", ecosystem.PresetQuickReplies: "QuickReplies"}

// samplerFolder is that of presets of samplers.
const samplerFolder = "TextGen Settings"

// folderOfPreset is the folder in which the other program keeps a preset. What holds several
// kinds in one file has none there.
func folderOfPreset(p storage.Preset) string {
	if ecosystem.SeveralPresets(p.Source) {
		return filepath.FromSlash(folder.OwnPresets)
	}
	if len(p.Kinds) > 0 && presetFolders[p.Kinds[0]] != "" {
		return presetFolders[p.Kinds[0]]
	}
	var has map[string]json.RawMessage
	_ = json.Unmarshal(p.Source, &has) // of what is no object nothing is known
	_, novel := has["phrase_rep_pen"]
	_, kobold := has["sampler_order"]
	_, textGen := has["sampler_priority"]
	switch _, last := has["temperature_last"]; {
	case novel:
		return "NovelAI Settings"
	case kobold && !textGen && !last:
		return "KoboldAI Settings"
	}
	return samplerFolder
}

// presets writes the presets that came in, as they came.
func (m *mover) presets() error {
	list, err := m.svc.Presets()
	if err != nil {
		return err
	}
	for _, p := range list {
		in := folderOfPreset(p)
		done, err := m.try("preset "+p.Name, m.name(in, p.Name, ".json"), func(w io.Writer) error {
			var out bytes.Buffer
			if err := json.Indent(&out, p.Source, "", "  "); err != nil {
				return err
			}
			_, err := w.Write(append(out.Bytes(), '\n'))
			return err
		})
		if err != nil {
			return err
		}
		if got, rerr := ecosystem.ReadPreset(p.Name, p.Source); done && rerr == nil && got.Profile != nil {
			got.Profile.Name = p.Profile
			m.ofPresets[p.Profile] = append(m.ofPresets[p.Profile], *got.Profile)
		}
		if done {
			m.out.Presets++
		}
	}
	return nil
}

// fromPreset reports whether a profile is what a preset that was written makes of itself.
func (m *mover) fromPreset(p storage.Profile) bool {
	return slices.ContainsFunc(m.ofPresets[p.Name], func(made storage.Profile) bool { return reflect.DeepEqual(made, p) })
}

// bindings writes what is bound where and the regex scripts, in the form of the settings of
// SillyTavern. It is no settings.json: that holds much more, and would lose it.
func (m *mover) bindings() error {
	global, scripts, allowed := []string{}, []json.RawMessage{}, []string{}
	type extra struct {
		Name  string   `json:"name"`
		Books []string `json:"extraBooks"`
	}
	extras := []extra{}
	for _, b := range m.lore {
		if b.Kind == storage.GlobalBook && !b.Off {
			global = append(global, m.worlds[b.ID])
		}
	}
	views, err := m.svc.chats.Regex.List("")
	if err != nil {
		return err
	}
	for _, v := range views {
		switch file := m.folders[v.Character] + ".png"; {
		case v.Character == "":
			data, err := m.svc.chats.Regex.Export(v)
			if err != nil {
				return err
			}
			scripts = append(scripts, data)
			m.out.Scripts++
		case v.Allowed && !slices.Contains(allowed, file):
			allowed = append(allowed, file)
		}
	}
	for _, id := range m.order {
		if books := m.bound[string(id)]; len(books) > 0 {
			extras = append(extras, extra{m.folders[id], books})
		}
	}
	_, err = m.document("what is bound where", filepath.FromSlash(folder.OwnSettings), map[string]any{
		"world_info_settings": map[string]any{"world_info": map[string]any{"globalSelect": global, "charLore": extras}},
		"extension_settings":  map[string]any{"regex": scripts, "character_allowed_regex": allowed},
	})
	return err
}
