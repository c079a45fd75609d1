package play

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

// The user's own lists of phrases: files below the config folder.
const (
	phrasesFolder = "phrases"
	phrasesEnding = ".txt"
	maxPhraseFile = 2 << 20
	maxFaults     = 20 // reported per file
)

// phraseFile is a list of the user's own: its phrases, and faults for lines that cannot be used.
type phraseFile struct {
	name   string
	rules  []voice.Rule
	faults []string
}

// phraseFiles caches the files as they were last read. A file is read again when its size or
// modification time changes.
type phraseFiles struct {
	mu   sync.Mutex
	read map[string]readPhrases
}

type readPhrases struct {
	size int64
	at   time.Time
	file phraseFile
}

// ownSets returns the user's own lists, by name.
func (svc *Service) ownSets() []phraseFile {
	if svc.core.Config.ConfigDir == "" {
		return nil
	}
	return svc.files.in(filepath.Join(svc.core.Config.ConfigDir, phrasesFolder))
}

func (f *phraseFiles) in(dir string) (list []phraseFile) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return []phraseFile{{name: phrasesFolder, faults: []string{failure.Text(err)}}}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.read
	f.read = map[string]readPhrases{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), phrasesEnding)
		path := filepath.Join(dir, e.Name())
		is, err := os.Stat(path)
		if !ok || err == nil && is.IsDir() {
			continue
		}
		if err != nil {
			list = append(list, phraseFile{name: name, faults: []string{failure.Text(err)}})
			continue
		}
		now, have := was[path]
		if !have || now.size != is.Size() || !now.at.Equal(is.ModTime()) {
			now = readPhrases{is.Size(), is.ModTime(), readPhraseFile(path, name, is.Size())}
		}
		f.read[path] = now
		list = append(list, now.file)
	}
	return list
}

// setName matches the valid names of a list.
var setName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + config.SetName + `$`) })

// readPhraseFile reads a list line by line and reports invalid lines as faults.
func readPhraseFile(path, name string, size int64) (f phraseFile) {
	f.name = name
	reserved := append([]string{config.SetAuto, config.SetMine, config.SetCard, lengthWord},
		append(VoiceChecks(), phrases.Languages()...)...)
	switch {
	case slices.Contains(reserved, name):
		f.faults = []string{fmt.Sprintf("%s: %q is a built-in name: rename the file", path, name)}
		return f
	case !setName().MatchString(name):
		f.faults = []string{fmt.Sprintf("%s: the name of a list may have only lower-case letters, digits, - and _",
			path)}
		return f
	case size > maxPhraseFile:
		f.faults = []string{fmt.Sprintf("%s: a list may have at most %d MB", path, maxPhraseFile>>20)}
		return f
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.faults = []string{failure.Text(err)}
		return f
	}
	n, regexes := 0, 0
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(text), "\ufeff"))
	for line := range strings.Lines(lines) {
		n++
		for _, r := range voice.Listed(name, []byte(line)) {
			err := voice.Check(r.Text)
			if err == nil && strings.HasPrefix(r.Text, "/") {
				if regexes++; regexes > voice.MaxRegexes {
					err = fmt.Errorf("there are more than %d regular expressions", voice.MaxRegexes)
				}
			}
			if err == nil {
				f.rules = append(f.rules, r)
			} else if len(f.faults) < maxFaults {
				f.faults = append(f.faults,
					fmt.Sprintf("%s:%d: %s: %v", path, n, bounded(strings.ToValidUTF8(r.Text, "?"), 60), err))
			}
		}
	}
	return f
}
