package folder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// MaxSettings is the size limit of a settings.json, in bytes.
const MaxSettings = 64 << 20

// Limits of what is read from it.
const (
	maxPersonas = 10_000
	maxBound    = 100_000
	maxText     = 1 << 20
	maxScripts  = 1000
)

// UserSettings holds the personas, lorebooks, tags, notes and regex scripts of settings.json. It
// follows the fields of public/scripts (personas.js, world-info.js, tags.js, authors-note.js) of
// SillyTavern 1.10 to 1.13.
type UserSettings struct {
	Personas []UserPersona // sorted by file
	// Default is the file of the persona of new chats, "" for none.
	Default string
	// GlobalBooks are the names of the lorebooks that are active in every chat. CharBooks are
	// those active with a character in addition to the card's own, by the file name of the card
	// without its ending.
	GlobalBooks []string
	CharBooks   map[string][]string
	// Tags are the names of the tags of a character, by card file, or of a group, by ID.
	Tags map[string][]string
	// Regex are the scripts for all chats in their order. AllowedRegex are the files of the cards
	// whose own scripts are allowed.
	Regex        []UserScript
	AllowedRegex []string
	// Notes are the author's notes for every chat of a character, by the file name of the card
	// without its ending; "" is the note of all new chats.
	Notes map[string]string
}

// UserPersona is a persona of SillyTavern. File is the file of its picture, which identifies it.
type UserPersona struct {
	File        string   `json:"file"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Book        string   `json:"book,omitempty"`       // the name of its lorebook
	Characters  []string `json:"characters,omitempty"` // card files that use it
	// Groups are the IDs of groups that use it.
	Groups []string `json:"groups,omitempty"`
	// Raw is the whole JSON value as it was read.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// UserScript is a regex script of SillyTavern. Older ones have no ID.
type UserScript struct {
	ID, Name string
	Raw      json.RawMessage
}

// ReadSettings reads a settings.json or a backup of personas.
func ReadSettings(data []byte) (UserSettings, error) {
	var out UserSettings
	if len(data) > MaxSettings {
		return out, fmt.Errorf("%w: it has more than %d MB", ErrTooLarge, MaxSettings>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil {
		return out, fmt.Errorf("it is damaged: %w", err)
	}
	power := fields(doc["power_user"])
	if power == nil {
		power = doc // old versions and backups of personas have them at the top
	}
	if doc["power_user"] == nil && doc["personas"] == nil && doc["world_info_settings"] == nil &&
		doc["extension_settings"] == nil {
		return out, errors.New("it has none of the settings of SillyTavern")
	}
	out.personas(power)
	if out.Default == "" {
		if user := stringValue(doc["user_avatar"]); len(out.Personas) == 1 && user == out.Personas[0].File {
			out.Default = user
		}
	}
	out.books(doc)
	out.tags(doc)
	ext := fields(doc["extension_settings"])
	out.regex(ext)
	out.notes(fields(ext["note"]))
	return out, nil
}

// Merge adds what other settings of the same user say; where both have a value, that of s stays.
// It returns other without the personas and scripts that s already had.
func (s *UserSettings) Merge(other UserSettings) (added UserSettings) {
	known := map[string]bool{}
	for _, p := range s.Personas {
		known[p.File] = true
	}
	other.Personas = slices.DeleteFunc(other.Personas, func(p UserPersona) bool { return known[p.File] })
	s.Personas = append(s.Personas, other.Personas...)
	s.Default = cmp.Or(s.Default, other.Default)
	s.GlobalBooks = append(s.GlobalBooks, other.GlobalBooks...)
	s.CharBooks, s.Tags, s.Notes = mergeMaps(s.CharBooks, other.CharBooks), mergeMaps(s.Tags, other.Tags),
		mergeMaps(s.Notes, other.Notes)
	if s.Regex == nil {
		s.Regex = other.Regex
	} else {
		other.Regex = nil
	}
	s.AllowedRegex = append(s.AllowedRegex, other.AllowedRegex...)
	return other
}

func mergeMaps[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(b)
	if out == nil {
		return a
	}
	maps.Copy(out, a)
	return out
}

func (s *UserSettings) personas(power map[string]json.RawMessage) {
	names, about := fields(power["personas"]), fields(power["persona_descriptions"])
	for file, raw := range names {
		name := strings.TrimSpace(stringValue(raw))
		if name == "" || len(s.Personas) == maxPersonas {
			continue
		}
		p := UserPersona{File: path.Base(file), Name: name, Raw: bytes.Clone(about[file])}
		of := fields(about[file])
		p.Description, p.Book = stringValue(of["description"]), strings.TrimSpace(stringValue(of["lorebook"]))
		var bound []struct{ Type, ID string }
		_ = json.Unmarshal(of["connections"], &bound)
		for _, b := range bound[:min(len(bound), maxBound)] {
			switch {
			case b.ID == "":
			case b.Type == "character":
				p.Characters = append(p.Characters, b.ID)
			case b.Type == "group":
				p.Groups = append(p.Groups, b.ID)
			}
		}
		s.Personas = append(s.Personas, p)
	}
	slices.SortFunc(s.Personas, func(a, b UserPersona) int { return cmp.Compare(a.File, b.File) })
	s.Default = stringValue(power["default_persona"])
}

// books reads which lorebooks are active where. Older versions had one for all chats.
func (s *UserSettings) books(doc map[string]json.RawMessage) {
	world := fields(doc["world_info_settings"])
	for _, raw := range []json.RawMessage{world["world_info"], doc["world_info"]} {
		if one := stringValue(raw); one != "" && one != "None" {
			s.GlobalBooks = append(s.GlobalBooks, one)
		}
		var w struct {
			GlobalSelect []string `json:"globalSelect"`
			CharLore     []struct {
				Name       string   `json:"name"`
				ExtraBooks []string `json:"extraBooks"`
			} `json:"charLore"`
		}
		if json.Unmarshal(raw, &w) != nil {
			continue
		}
		s.GlobalBooks = append(s.GlobalBooks, w.GlobalSelect[:min(len(w.GlobalSelect), maxBound)]...)
		for _, c := range w.CharLore[:min(len(w.CharLore), maxBound)] {
			if s.CharBooks == nil {
				s.CharBooks = map[string][]string{}
			}
			s.CharBooks[c.Name] = append(s.CharBooks[c.Name], c.ExtraBooks...)
		}
	}
}

func (s *UserSettings) tags(doc map[string]json.RawMessage) {
	var tags []struct{ ID, Name string }
	var on map[string][]string
	if json.Unmarshal(doc["tags"], &tags) != nil || json.Unmarshal(doc["tag_map"], &on) != nil {
		return
	}
	names := map[string]string{}
	for _, t := range tags {
		names[t.ID] = strings.TrimSpace(t.Name)
	}
	s.Tags = map[string][]string{}
	for of, ids := range on {
		for _, id := range ids {
			if name := names[id]; name != "" && len(name) <= 200 && !slices.Contains(s.Tags[of], name) {
				s.Tags[of] = append(s.Tags[of], name)
			}
		}
	}
}

func (s *UserSettings) regex(ext map[string]json.RawMessage) {
	var raws, allowed []json.RawMessage
	_ = json.Unmarshal(ext["regex"], &raws) // anything but a list counts as empty
	_ = json.Unmarshal(ext["character_allowed_regex"], &allowed)
	for _, raw := range raws[:min(len(raws), maxScripts)] {
		one := UserScript{Raw: bytes.Clone(raw)}
		of := fields(raw)
		one.ID, one.Name = stringValue(of["id"]), strings.TrimSpace(stringValue(of["scriptName"]))
		s.Regex = append(s.Regex, one)
	}
	for _, raw := range allowed[:min(len(allowed), maxBound)] {
		if file := stringValue(raw); file != "" {
			s.AllowedRegex = append(s.AllowedRegex, file)
		}
	}
}

func (s *UserSettings) notes(note map[string]json.RawMessage) {
	s.Notes = map[string]string{}
	if text := strings.TrimSpace(stringValue(note["default"])); text != "" {
		s.Notes[""] = text
	}
	var of []struct {
		Name, Prompt string
		UseChara     bool `json:"useChara"`
	}
	_ = json.Unmarshal(note["chara"], &of)
	for _, n := range of[:min(len(of), maxBound)] {
		if text := strings.TrimSpace(n.Prompt); n.UseChara && text != "" && len(text) <= maxText && n.Name != "" {
			s.Notes[n.Name] = text
		}
	}
}

// fields returns the members of an object, nil for any other value.
func fields(raw json.RawMessage) (m map[string]json.RawMessage) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// stringValue returns a string of bounded length, "" for any other value.
func stringValue(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil || len(s) > maxText {
		return ""
	}
	return s
}
