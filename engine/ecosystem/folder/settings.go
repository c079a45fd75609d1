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

// MaxSettings is how large a settings.json may be, in bytes.
const MaxSettings = 64 << 20

// The limits of what is taken from it.
const (
	maxPersonas = 10_000
	maxBound    = 100_000
	maxText     = 1 << 20
	maxScripts  = 1000
)

// UserSettings is what settings.json says of a play: who the user is, which lorebooks
// count where, and how things are tagged. It follows the fields of public/scripts
// (personas.js, world-info.js, tags.js, authors-note.js) of SillyTavern 1.10 to 1.13.
type UserSettings struct {
	Personas []UserPersona // by file
	// Default is the file of the persona that new chats begin with, "" for none.
	Default string
	// GlobalBooks are the names of the lorebooks that count in every chat, CharBooks those
	// that count with a character beside its card's own, by the name of the card's file
	// without its ending.
	GlobalBooks []string
	CharBooks   map[string][]string
	// Tags are the names of the tags of a character, by its card's file; of a group by its id.
	Tags map[string][]string
	// Regex are the scripts for all chats, in the order in which they act, AllowedRegex the
	// files of the cards whose own scripts act too.
	Regex        []UserScript
	AllowedRegex []string
	// Notes are the author's notes that are meant for every chat of a character, by the name
	// of the card's file without its ending; "" is the one for all new chats.
	Notes map[string]string
}

// UserPersona is a persona there. File is that of its picture, by which it is told.
type UserPersona struct {
	File        string   `json:"file"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Book        string   `json:"book,omitempty"`       // the name of its lorebook
	Characters  []string `json:"characters,omitempty"` // cards' files with which it is worn
	// Groups are the ids of groups with which it is worn.
	Groups []string `json:"groups,omitempty"`
	// Raw is all that is said of it, as it was written.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// UserScript is a regex script there: how it is called, and all of it. Older ones have no ID.
type UserScript struct {
	ID, Name string
	Raw      json.RawMessage
}

// ReadSettings reads a settings.json, or a backup of personas alone.
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
		power = doc // where they stood at first, and stand in a backup of personas
	}
	if doc["power_user"] == nil && doc["personas"] == nil && doc["world_info_settings"] == nil && doc["extension_settings"] == nil {
		return out, errors.New("it has none of the settings of SillyTavern")
	}
	out.personas(power)
	if out.Default == "" {
		if user := word(doc["user_avatar"]); len(out.Personas) == 1 && user == out.Personas[0].File {
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

// Join adds what other settings of the same user say. What both say is as s has it, and
// the personas of the other that s has are taken from what is returned.
func (s *UserSettings) Join(other UserSettings) (added UserSettings) {
	known := map[string]bool{}
	for _, p := range s.Personas {
		known[p.File] = true
	}
	other.Personas = slices.DeleteFunc(other.Personas, func(p UserPersona) bool { return known[p.File] })
	s.Personas = append(s.Personas, other.Personas...)
	s.Default = cmp.Or(s.Default, other.Default)
	s.GlobalBooks = append(s.GlobalBooks, other.GlobalBooks...)
	s.CharBooks, s.Tags, s.Notes = joined(s.CharBooks, other.CharBooks), joined(s.Tags, other.Tags), joined(s.Notes, other.Notes)
	if s.Regex == nil {
		s.Regex = other.Regex
	} else {
		other.Regex = nil
	}
	s.AllowedRegex = append(s.AllowedRegex, other.AllowedRegex...)
	return other
}

func joined[V any](a, b map[string]V) map[string]V {
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
		name := strings.TrimSpace(word(raw))
		if name == "" || len(s.Personas) == maxPersonas {
			continue
		}
		p := UserPersona{File: path.Base(file), Name: name, Raw: bytes.Clone(about[file])}
		of := fields(about[file])
		p.Description, p.Book = word(of["description"]), strings.TrimSpace(word(of["lorebook"]))
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
	s.Default = word(power["default_persona"])
}

// books reads which lorebooks count where. Older versions had one for all chats.
func (s *UserSettings) books(doc map[string]json.RawMessage) {
	world := fields(doc["world_info_settings"])
	for _, raw := range []json.RawMessage{world["world_info"], doc["world_info"]} {
		if one := word(raw); one != "" && one != "None" {
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
	_ = json.Unmarshal(ext["regex"], &raws) // what is no list holds none
	_ = json.Unmarshal(ext["character_allowed_regex"], &allowed)
	for _, raw := range raws[:min(len(raws), maxScripts)] {
		one := UserScript{Raw: bytes.Clone(raw)}
		of := fields(raw)
		one.ID, one.Name = word(of["id"]), strings.TrimSpace(word(of["scriptName"]))
		s.Regex = append(s.Regex, one)
	}
	for _, raw := range allowed[:min(len(allowed), maxBound)] {
		if file := word(raw); file != "" {
			s.AllowedRegex = append(s.AllowedRegex, file)
		}
	}
}

func (s *UserSettings) notes(note map[string]json.RawMessage) {
	s.Notes = map[string]string{}
	if text := strings.TrimSpace(word(note["default"])); text != "" {
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

// fields are the members of an object, nil for anything else.
func fields(raw json.RawMessage) (m map[string]json.RawMessage) {
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// word is a text of bounded length, "" for anything else.
func word(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil || len(s) > maxText {
		return ""
	}
	return s
}
