package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// textFile is a text of a preset as a file.
type textFile struct {
	name string
	data []byte
}

// writeTexts writes the texts of a preset into a new folder. A text that cannot be used as a
// prompt file is written as a plain text.
func (svc *Service) writeTexts(tx *storage.Tx, got formats.Preset) (files, remarks []string, err error) {
	if len(got.Texts) == 0 {
		return nil, nil, nil
	}
	if svc.core.Config.ConfigDir == "" {
		return nil, []string{"there is no prompt folder, so the texts are kept only in the preset"}, nil
	}
	list, remarks := textFiles(got.Texts, svc.hasTooManyPromptFiles())
	folder, err := svc.makeTextFolder(tx, slug(got.Name), list)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range list {
		rel := presetFolder + "/" + folder + "/" + t.name
		if err := file.Write(svc.promptPath(rel), file.Options{}, t.data); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		files = append(files, rel)
	}
	return files, append(remarks, svc.usageRemarks(files)...), nil
}

func (svc *Service) promptPath(rel string) string {
	return filepath.Join(svc.core.Config.ConfigDir, "prompts", filepath.FromSlash(rel))
}

// textFiles returns the texts of a preset as files. full means that the limit of prompt files is
// reached.
func textFiles(texts []formats.PresetText, full bool) (list []textFile, remarks []string) {
	met := map[string]int{}
	for _, t := range texts {
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
				remarks = append(remarks,
					fmt.Sprintf("%s was saved as plain text: there are already %d prompt files from presets",
						usageTexts[t.Use], maxPromptFiles))
			case fault == nil:
				ending = ".md"
			default:
				text = t.Text
				remarks = append(remarks,
					fmt.Sprintf("%s is not a valid prompt file: line %d, %s; it was saved as plain text",
						usageTexts[t.Use], fault.Line, fault.Fault))
			}
		}
		list = append(list, textFile{name + ending, []byte(strings.TrimRight(text, "\n") + "\n")})
	}
	return list, remarks
}

// usageTexts describe the kinds of texts of a preset.
var usageTexts = map[string]string{"main": "the system prompt", "after": "the post-history text",
	"story": "the story string"}

// usageRemarks returns remarks on how to use the files that were written.
func (svc *Service) usageRemarks(files []string) (words []string) {
	for _, rel := range files {
		switch filepath.Base(rel) {
		case "main.txt":
			words = append(words,
				"a card's system prompt and an author's note understand the macros that a prompt file does not")
		case "main.md":
			words = append(words, fmt.Sprintf("the system prompt is in %s; rename it to %s to use it",
				svc.promptPath(rel), svc.promptPath("chat/main.md")))
		case "replies.toml":
			words = append(words, "to use its quick replies, copy them from "+svc.promptPath(rel)+
				" into the config file")
		case "after.md", "after.txt":
			words = append(words,
				fmt.Sprintf("the post-history instructions are in %s; use them as an author's note (ghostlight chat "+
					"note CHAT @FILE)", svc.promptPath(rel)))
		}
	}
	return words
}

// maxPromptFiles limits the prompt files of presets, so that the user's own are read too.
const maxPromptFiles = 300

func (svc *Service) hasTooManyPromptFiles() bool {
	list, _ := filepath.Glob(filepath.Join(svc.core.Config.ConfigDir, "prompts", presetFolder, "*", "*.md"))
	return len(list) >= maxPromptFiles
}

// makeTextFolder creates a folder for the texts of a preset and returns its name. It may reuse a
// folder that holds only some of these texts and belongs to no preset, as after a crash between
// the texts and the record.
func (svc *Service) makeTextFolder(tx *storage.Tx, name string, list []textFile) (string, error) {
	if err := os.MkdirAll(svc.promptPath(presetFolder), 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		err := os.Mkdir(svc.promptPath(presetFolder+"/"+try), 0o700)
		switch {
		case err == nil, !errors.Is(err, fs.ErrExist), n == 10_000:
			return try, err
		case svc.containsOnly(presetFolder+"/"+try, list) &&
			len(storage.Presets.Holding(tx, presetFolder+"/"+try+"/")) == 0:
			return try, nil
		}
	}
}

// containsOnly reports whether a folder contains nothing but some of these files.
func (svc *Service) containsOnly(rel string, list []textFile) bool {
	there, err := os.ReadDir(svc.promptPath(rel))
	if err != nil {
		return false
	}
	want := map[string][]byte{}
	for _, t := range list {
		want[t.name] = t.data
	}
	for _, e := range there {
		if strings.HasPrefix(e.Name(), ".ghostlight-") {
			continue // left over from an interrupted write
		}
		data, known := want[e.Name()]
		info, err := e.Info()
		if !known || err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
			return false
		}
		if have, err := os.ReadFile(svc.promptPath(rel + "/" + e.Name())); err != nil || !bytes.Equal(have, data) {
			return false
		}
	}
	return true
}

// slug makes a folder name of a name from outside.
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

// withoutConditions removes the conditions of a story string, which prompt files do not support,
// and keeps their contents.
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
