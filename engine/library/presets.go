package library

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// presetFolder is where the texts of presets go, below the folder of the user's prompts.
const presetFolder = "presets"

// ImportPreset brings in a preset: what it says of sampling becomes a profile, what it
// has the model told becomes prompt files of new names, and the whole document is kept.
// A preset that is here already is given back as it is.
func (svc *Service) ImportPreset(path string) (storage.Preset, error) {
	got, err := ecosystem.ReadPresetFile(core.ExpandHome(path))
	if err != nil {
		return storage.Preset{}, failure.Fail("import", err)
	}
	if p, ok, err := svc.presetOf(got.Source); err != nil || ok {
		p.Remarks = []string{"it is here already; nothing was changed"}
		return p, err
	}
	p := storage.Preset{ID: storage.PresetID(storage.NewID()), Name: got.Name, Kinds: got.Kinds, Source: got.Source, Remarks: got.Remarks, CreatedAt: svc.core.Config.Now()}
	files, remarks, err := svc.writeTexts(got)
	if err != nil {
		return storage.Preset{}, failure.Fail("import", err)
	}
	p.Files, p.Remarks = files, append(p.Remarks, remarks...)
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if got.Profile != nil {
			if err := svc.putProfile(tx, &p, *got.Profile); err != nil {
				return err
			}
		}
		return tx.PutPreset(p)
	})
	if err != nil {
		svc.dropTexts(files)
		return storage.Preset{}, failure.Fail("import", err)
	}
	return p, nil
}

// presetOf finds a preset by its whole document.
func (svc *Service) presetOf(source []byte) (found storage.Preset, ok bool, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, p := range storage.Presets.All(tx) {
			if bytes.Equal(p.Source, source) {
				found, ok = p, true
				return nil
			}
		}
		return nil
	})
	return found, ok, err
}

// putProfile keeps the profile of a preset under a name that no other has.
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
	if err := house.CheckProfile(profile); err != nil {
		p.Remarks = append(p.Remarks, "no profile was made of it: "+failure.Words(err))
		return nil
	}
	p.Profile = profile.Name
	return storage.Profiles.Put(tx, profile.Name, profile)
}

// writeTexts writes the texts of a preset into files of their own, none of which was
// there before. A text that a prompt file cannot be is written too, as one to be read.
func (svc *Service) writeTexts(got ecosystem.Preset) (files, remarks []string, err error) {
	if len(got.Texts) == 0 {
		return nil, nil, nil
	}
	if svc.core.Config.ConfigDir == "" {
		return nil, []string{"there is no folder for prompt files, so its texts were kept with the preset only"}, nil
	}
	folder, err := svc.freeFolder(slug(got.Name))
	if err != nil {
		return nil, nil, err
	}
	full := svc.manyTexts()
	met := map[string]int{}
	for _, t := range got.Texts {
		name, text := t.Use, t.Text
		if met[t.Use]++; met[t.Use] > 1 {
			name = fmt.Sprintf("%s-%d", t.Use, met[t.Use])
		}
		ending := ".txt"
		switch t.Use {
		case "replies":
			ending = ".toml"
		case "main", "after", "story":
			if t.Use == "story" {
				text = withoutConditions(text)
			}
			switch fault := prompts.Check(text); {
			case full:
				remarks = append(remarks, fmt.Sprintf("%s was written as a text to read: there are %d prompt files of presets already", useWords[t.Use], mostTexts))
			case fault == nil:
				ending = ".md"
			default:
				text = t.Text
				remarks = append(remarks, fmt.Sprintf("%s is no prompt file: line %d, %s; it was written as a text to read", useWords[t.Use], fault.Line, fault.Fault))
			}
		}
		rel := presetFolder + "/" + folder + "/" + name + ending
		if err := svc.writeText(rel, text); err != nil {
			svc.dropTexts(files)
			return nil, nil, err
		}
		files = append(files, rel)
	}
	return files, append(remarks, svc.howToUse(files)...), nil
}

// useWords say what a text of a preset is.
var useWords = map[string]string{"main": "the system prompt", "after": "the text behind the history", "story": "the story string"}

// howToUse says what can be done with the files that were written.
func (svc *Service) howToUse(files []string) (words []string) {
	dir := filepath.Join(svc.core.Config.ConfigDir, "prompts")
	for _, rel := range files {
		switch filepath.Base(rel) {
		case "main.txt":
			words = append(words, "a card's system prompt and an author's note understand the macros that a prompt file does not")
		case "main.md":
			words = append(words, fmt.Sprintf("the system prompt is in %s; as %s it takes the place of the program's own", filepath.Join(dir, filepath.FromSlash(rel)), filepath.Join(dir, "chat", "main.md")))
		case "after.md", "after.txt":
			words = append(words, fmt.Sprintf("what stands behind the history is in %s; an author's note says it with every turn (ghostlight chat note CHAT @FILE)", filepath.Join(dir, filepath.FromSlash(rel))))
		}
	}
	return words
}

// mostTexts is how many prompt files of presets there may be, so that the user's own are
// read too.
const mostTexts = 300

func (svc *Service) manyTexts() bool {
	list, _ := filepath.Glob(filepath.Join(svc.core.Config.ConfigDir, "prompts", presetFolder, "*", "*.md"))
	return len(list) >= mostTexts
}

// freeFolder is the name of a folder for the texts of a preset that is not there yet.
func (svc *Service) freeFolder(name string) (string, error) {
	dir := filepath.Join(svc.core.Config.ConfigDir, "prompts", presetFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		err := os.Mkdir(filepath.Join(dir, try), 0o700)
		if err == nil || !errors.Is(err, os.ErrExist) || n == 10_000 {
			return try, err
		}
	}
}

func (svc *Service) writeText(rel, text string) error {
	f, err := os.OpenFile(filepath.Join(svc.core.Config.ConfigDir, "prompts", filepath.FromSlash(rel)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.TrimRight(text, "\n") + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// dropTexts takes files away again that were just written, with their folder.
func (svc *Service) dropTexts(files []string) {
	for _, rel := range files {
		path := filepath.Join(svc.core.Config.ConfigDir, "prompts", filepath.FromSlash(rel))
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // once it is empty
	}
}

// slug makes the name of a folder of a name from outside.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(failure.FirstRunes(name, 40)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "preset"
}

// withoutConditions takes the conditions out of a story string, which a prompt file has
// no word for, and leaves what stands in them.
func withoutConditions(text string) string {
	for {
		start := strings.Index(text, "{{")
		found := false
		for start >= 0 {
			end := strings.Index(text[start:], "}}")
			if end < 0 {
				break
			}
			tag := strings.TrimSpace(text[start+2 : start+end])
			if strings.HasPrefix(tag, "#") || strings.HasPrefix(tag, "/") || tag == "else" || tag == "trim" {
				text, found = text[:start]+text[start+end+2:], true
				break
			}
			next := strings.Index(text[start+2:], "{{")
			if next < 0 {
				break
			}
			start += 2 + next
		}
		if !found {
			return text
		}
	}
}

// Presets lists the presets that were imported, by name.
func (svc *Service) Presets() ([]storage.Preset, error) {
	out, err := core.All(svc.core, "presets", storage.Presets)
	slices.SortStableFunc(out, func(a, b storage.Preset) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, err
}

// FindPreset finds a preset by its id, a unique prefix of it, or its name.
func (svc *Service) FindPreset(ref string) (storage.Preset, error) {
	return core.Find(svc.core, "preset", ref, storage.Presets, func(p storage.Preset) (string, string) { return p.Name, "" })
}

// DeletePreset forgets a preset. The profile and the prompt files that were made of it
// are the user's, and stay.
func (svc *Service) DeletePreset(id storage.PresetID) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error { return storage.Presets.Delete(tx, id) })
	if err != nil {
		return failure.Fail("delete preset", err)
	}
	return nil
}
