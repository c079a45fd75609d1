package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxFile is the size in bytes above which ReadFile refuses a file.
const MaxFile = 8 << 20

// File is an export of a chat's recaps, in either format. Of each version it contains what is
// meaningful elsewhere: texts, their sources, and how and when they were made.
type File struct {
	Chat    string          `json:"chat"` // its title
	Scenes  []FileScene     `json:"scenes"`
	Running []storage.Recap `json:"running,omitempty"` // oldest first
}

// FileScene is one scene of a File.
type FileScene struct {
	Number   int             `json:"number"` // from 1
	Name     string          `json:"name,omitempty"`
	First    storage.NodeID  `json:"first,omitempty"`
	Last     storage.NodeID  `json:"last,omitempty"`    // carries the break
	Running  storage.RecapID `json:"running,omitempty"` // in force after it
	Current  int             `json:"current"`           // index of the version in force, from 0
	Versions []storage.Recap `json:"versions,omitempty"`
}

// Bounds of one version in a file.
const (
	maxText    = 256 << 10 // runes
	maxSources = 400
)

// The name and version of the format.
const (
	formatName    = "ghostlight-recaps"
	formatVersion = 1
)

type jsonFile struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	File
}

// ExportJSON writes a file as JSON. ReadFile reads it back without loss.
func ExportJSON(f File) []byte {
	f.tidy()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(jsonFile{Format: formatName, Version: formatVersion, File: f}); err != nil {
		return nil // only years beyond 9999 cannot be written, and no file has any
	}
	return b.Bytes()
}

// ReadFile reads what ExportJSON and ExportMarkdown write, the latter also after it was edited by
// hand. The result is cleaned: it has no control characters, and every index is in range. An error
// names the line.
func ReadFile(data []byte) (File, error) {
	if len(data) > MaxFile {
		return File{}, fmt.Errorf("recap file: larger than %d MB", MaxFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return readJSON(data)
	}
	return readMarkdown(string(data))
}

// errForeign is a file that is something else.
var errForeign = errors.New("this is no recap file of Ghostlight")

func readJSON(data []byte) (File, error) {
	var f jsonFile
	if err := json.Unmarshal(data, &f); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		at := int64(0)
		switch {
		case errors.As(err, &syntax):
			at = syntax.Offset
		case errors.As(err, &kind):
			at = kind.Offset
		}
		line := 1 + bytes.Count(data[:min(max(at, 0), int64(len(data)))], []byte{'\n'})
		return File{}, fmt.Errorf("recap file: line %d: %w", line, err)
	}
	if f.Format != formatName {
		return File{}, fmt.Errorf("recap file: line 1: %w", errForeign)
	}
	if f.Version > formatVersion {
		return File{}, fmt.Errorf("recap file: line 1: written by a newer version of Ghostlight (format %d)", f.Version)
	}
	f.tidy()
	return f.File, nil
}

// tidy brings everything into the one form that both formats can hold. The
// lists are copied, not changed.
func (f *File) tidy() {
	f.Chat = prompts.OneLine(f.Chat)
	scenes := make([]FileScene, len(f.Scenes))
	for i, s := range f.Scenes {
		s.Name, s.Number = prompts.OneLine(s.Name), max(0, s.Number)
		s.First, s.Last, s.Running = cleanID(s.First), cleanID(s.Last), cleanID(s.Running)
		s.Versions = tidyVersions(s.Versions)
		s.Current = max(0, min(s.Current, len(s.Versions)-1))
		scenes[i] = s
	}
	f.Scenes = scenes
	f.Running = tidyVersions(f.Running)
}

// cleanID cleans an id.
func cleanID[T ~string](id T) T { return T(prompts.Bounded(prompts.OneLine(string(id)), maxKeyword)) }

// tidyVersions returns versions with only the fields that a file has, cleaned.
func tidyVersions(list []storage.Recap) (out []storage.Recap) {
	for _, v := range list {
		text := prompts.Bounded(paragraphs(v.Text), maxText)
		out = append(out, storage.Recap{
			ID: cleanID(v.ID), Node: cleanID(v.Node), Covers: cleanID(v.Covers),
			Kind: cleanID(v.Kind), Origin: cleanID(v.Origin),
			SceneName: prompts.OneLine(v.SceneName), Style: prompts.OneLine(v.Style), Model: prompts.OneLine(v.Model),
			Text: text, Original: prompts.Bounded(paragraphs(v.Original), maxText),
			Sources: tidySources(text, v.Sources), Lorebooks: tidyLore(v.Lorebooks),
			Atmosphere: paragraphs(v.Atmosphere), EmotionalBeats: paragraphs(v.EmotionalBeats),
			CreatedAt: v.CreatedAt, EditedAt: v.EditedAt,
		})
	}
	return out
}

func tidyLore(list []storage.LoreCandidate) []storage.LoreCandidate {
	var out []storage.LoreCandidate
	for _, c := range list {
		c.Name, c.Type, c.UID, c.Content = prompts.OneLine(c.Name), prompts.OneLine(c.Type), prompts.OneLine(c.UID),
			paragraphs(c.Content)
		c.Keywords, c.SecondaryKeys = tidyWords(c.Keywords), tidyWords(c.SecondaryKeys)
		if c.Messages = nil; c.Name != "" || c.Content != "" { // a file has no sources for it
			out = append(out, c)
		}
	}
	return out
}

func tidyWords(list []string) []string {
	var out []string
	for _, w := range list {
		if w = prompts.OneLine(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// tidySources sorts the sources by the order of the text's bullets. Sources of removed bullets come
// last.
func tidySources(text string, list []storage.Source) []storage.Source {
	of := map[string][]storage.NodeID{}
	var order []string
	for _, b := range Bullets(text) {
		order = append(order, b.Text)
	}
	for _, s := range list {
		bullet := prompts.OneLine(s.Bullet)
		for _, id := range s.Messages {
			if id = cleanID(id); id != "" && !strings.ContainsAny(string(id), " <>") {
				of[bullet] = append(of[bullet], id)
			}
		}
		order = append(order, bullet)
	}
	var out []storage.Source
	for _, bullet := range order {
		if ids := of[bullet]; bullet != "" && len(ids) > 0 && len(out) < maxSources {
			out = append(out, storage.Source{Bullet: bullet, Messages: ids})
			delete(of, bullet)
		}
	}
	return out
}
