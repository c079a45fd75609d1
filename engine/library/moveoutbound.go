package library

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bookNames chooses the file names of the lorebooks. Other files refer to a lorebook by this name.
func (m *mover) bookNames() error {
	return m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, b := range storage.Lorebooks.All(tx) {
			if b.Removed {
				continue
			}
			m.lore = append(m.lore, b)
			stem := strings.TrimSuffix(filepath.Base(m.freeName("worlds", b.Name, ".json")), ".json")
			m.worlds[b.ID] = stem
			for _, of := range append([]string{string(b.Character), string(b.Persona)}, b.Also...) {
				if of != "" {
					m.boundBooks[of] = append(m.boundBooks[of], stem)
				}
			}
		}
		for id, c := range storage.Characters.All(tx) {
			if stem := m.worlds[c.Book]; stem != "" { // its own one first
				list := slices.DeleteFunc(m.boundBooks[string(id)], func(s string) bool { return s == stem })
				m.boundBooks[string(id)] = slices.Insert(list, 0, stem)
			}
		}
		return nil
	})
}

// cardBook returns the name of the lorebook that a character's card refers to. A card that
// contains a lorebook without naming it would import it a second time.
func (m *mover) cardBook(id storage.CharacterID) string {
	if list := m.boundBooks[string(id)]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// changeMetadata returns a function that adds to a chat's metadata what the chat is bound to, by
// the file names of this folder, and reports whether that changed anything.
func (m *mover) changeMetadata(c storage.Chat) func(meta map[string]json.RawMessage) bool {
	return func(meta map[string]json.RawMessage) (changed bool) {
		set := func(key, value string) {
			raw, err := json.Marshal(value)
			if err == nil && !bytes.Equal(raw, meta[key]) {
				meta[key], changed = raw, true
			}
		}
		set(formats.ChatKey, string(c.ID))
		set(formats.TitleKey, c.Title)
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
		_ = json.Unmarshal(meta["world_info"], &now) // anything but a name is ignored
		if len(worlds) > 0 && !slices.Contains(worlds, now) {
			set("world_info", worlds[0])
		}
		return changed
	}
}

// presetFolders are the folders of SillyTavern, by the first kind in a preset.
var presetFolders = map[string]string{formats.PresetChat: "OpenAI Settings", formats.PresetInstruct: "instruct",
	formats.PresetContext: "context",
	formats.PresetSystem:  "sysprompt", formats.PresetReasoning: "reasoning",
	formats.PresetQuickReplies: "QuickReplies"}

// samplerFolder is the folder of sampler presets.
const samplerFolder = "TextGen Settings"

// presetFolderOf returns SillyTavern's folder for a preset. A preset with several kinds in one file
// has none there.
func presetFolderOf(p storage.Preset) string {
	if formats.SeveralPresets(p.Source) {
		return filepath.FromSlash(folder.OwnPresets)
	}
	if len(p.Kinds) > 0 && presetFolders[p.Kinds[0]] != "" {
		return presetFolders[p.Kinds[0]]
	}
	var has map[string]json.RawMessage
	_ = json.Unmarshal(p.Source, &has) // anything but an object is ignored
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

// presets writes the imported presets unchanged.
func (m *mover) presets() error {
	list, err := m.svc.Presets()
	if err != nil {
		return err
	}
	for _, p := range list {
		in := presetFolderOf(p)
		done, err := m.writeFile("preset "+p.Name, m.freeName(in, p.Name, ".json"), func(w io.Writer) error {
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
		if got, rerr := formats.ReadPreset(p.Name, p.Source); done && rerr == nil && got.Profile != nil {
			got.Profile.Name = p.Profile
			m.presetProfiles[p.Profile] = append(m.presetProfiles[p.Profile], *got.Profile)
		}
		if done {
			m.report.Presets++
		}
	}
	return nil
}

// isFromPreset reports whether a profile is unchanged since a preset made it.
func (m *mover) isFromPreset(p storage.Profile) bool {
	return slices.ContainsFunc(m.presetProfiles[p.Name],
		func(made storage.Profile) bool { return reflect.DeepEqual(made, p) })
}

// bindings writes the bindings and the regex scripts in the form of SillyTavern's settings. It is
// not named settings.json, because that file holds much more and would be overwritten.
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
			m.report.Scripts++
		case v.Allowed && !slices.Contains(allowed, file):
			allowed = append(allowed, file)
		}
	}
	for _, id := range m.written {
		if books := m.boundBooks[string(id)]; len(books) > 0 {
			extras = append(extras, extra{m.folders[id], books})
		}
	}
	_, err = m.document("what is bound where", filepath.FromSlash(folder.OwnSettings), map[string]any{
		"world_info_settings": map[string]any{"world_info": map[string]any{"globalSelect": global, "charLore": extras}},
		"extension_settings":  map[string]any{"regex": scripts, "character_allowed_regex": allowed},
	})
	return err
}
