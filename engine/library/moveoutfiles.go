package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// writeFile writes one file. It only returns an error that ends the move: that of the context or a
// full disk.
func (m *mover) writeFile(what, rel string, write func(io.Writer) error) (done bool, err error) {
	if err := m.ctx.Err(); err != nil {
		return false, err
	}
	path := filepath.Join(m.root, rel)
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = m.svc.pictures.Gallery.PutFile(path, false,
			func(w io.Writer) error { return write(contextWriter{m.ctx, w}) })
	}
	return err == nil, m.addFailure(what, err, 1)
}

// addFailure reports what could not be written. If err is nil, it counts files as written.
func (m *mover) addFailure(what string, err error, files int) error {
	switch {
	case err == nil:
		m.report.Files += files
		return nil
	case m.ctx.Err() != nil:
		return m.ctx.Err()
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EDQUOT):
		return err
	}
	m.report.Left = append(m.report.Left, what+": "+failure.Text(err))
	return nil
}

func (m *mover) document(what, rel string, v any) (bool, error) {
	return m.writeFile(what, rel, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// freeName returns an unused name in a folder.
func (m *mover) freeName(folder, title, ending string) string {
	if m.names[folder] == nil {
		m.names[folder] = fileNames{}
	}
	return filepath.Join(folder, m.names[folder].unique(title, ending))
}

// writeStored writes bytes of the store.
func (m *mover) writeStored(w io.Writer, read func(*storage.Tx) ([]byte, error)) error {
	var data []byte
	if err := m.svc.core.Store.View(func(tx *storage.Tx) (err error) { data, err = read(tx); return err }); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// pictures copies the picture files, each with its request beside it.
func (m *mover) pictures() error {
	var list []storage.Capture
	who := map[storage.ChatID]storage.CharacterID{}
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, c := range storage.Captures.All(tx) {
			if c.ImagePath != "" {
				list = append(list, c)
			}
		}
		for id, c := range storage.Chats.All(tx) {
			who[id] = c.Character
		}
		return nil
	}); err != nil {
		return err
	}
	for _, c := range list {
		folder := m.folders[who[c.Chat]]
		if folder == "" {
			folder = "Somebody"
		}
		rel := filepath.Join("user", "images", folder, string(c.ID)+filepath.Ext(c.ImagePath))
		done, err := m.writeFile("picture "+string(c.ID), rel,
			func(w io.Writer) error { return m.svc.core.CopyFile(w, c.ImagePath) })
		if err != nil {
			return err
		}
		if done {
			m.report.Pictures++
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := m.document("the list of pictures", filepath.Join("ghostlight", "pictures.json"), list)
	return err
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(w, f)
	return err
}

// credentialsPattern matches credentials in an address.
var credentialsPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/@\s"']*@`) })

// profiles writes the model profiles, and their samplers as presets of SillyTavern.
func (m *mover) profiles() error {
	list, _, err := m.svc.models.Profiles()
	if err != nil {
		return err
	}
	for _, p := range list {
		p.Server = credentialsPattern().ReplaceAllString(p.Server, "$1")
		done, err := m.document("profile "+p.Name, m.freeName(filepath.Join("ghostlight", "profiles"), p.Name, ".json"),
			p)
		if err != nil {
			return err
		}
		if done {
			m.report.Profiles++
		}
		preset := samplerFile(p)
		if len(preset) > 1 && !m.isFromPreset(p) {
			if _, err := m.document("preset "+p.Name, m.freeName(samplerFolder, p.Name, ".json"), preset); err != nil {
				return err
			}
		}
	}
	return nil
}

// MaxOwnFile is the size limit of a file that the user made, such as a prompt or a theme, in
// bytes.
const MaxOwnFile = 16 << 20

// settings writes the program's settings and the user's own prompts, lists of phrases, themes and
// workflows.
func (m *mover) settings(text []byte) error {
	if len(text) > 0 {
		if _, err := m.writeFile("settings", filepath.Join("ghostlight", "config.toml"), func(w io.Writer) error {
			_, err := w.Write(credentialsPattern().ReplaceAll(text, []byte("$1")))
			return err
		}); err != nil {
			return err
		}
	}
	from := m.svc.core.Config.ConfigDir
	if from == "" {
		return nil
	}
	for _, folder := range []string{"prompts", "phrases", "themes", "workflows"} {
		err := filepath.WalkDir(filepath.Join(from, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil //nolint:nilerr // most have none of these folders
			}
			rel, err := filepath.Rel(from, path)
			if info, statErr := d.Info(); err != nil || statErr != nil || info.Size() > MaxOwnFile {
				return err
			}
			_, err = m.writeFile(rel, filepath.Join("ghostlight", rel),
				func(w io.Writer) error { return copyFile(w, path) })
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// index writes a file that lists the contents of the folder.
func (m *mover) index() error {
	_, err := m.writeFile("README.md", "README.md", func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, `# Ghostlight: all data

Written on %s. All files are in open formats. The folders are those of a SillyTavern user,
so you can copy their contents there.

| where | what |
|---|---|
| characters/ | %d character cards: PNG with the card inside (V2 and V3) |
| chats/ | chats by character, one JSON Lines file per branch; %d chats with %d more branches |
| group chats/, groups/ | group chats, and their members |
| worlds/ | %d lorebooks, as World Info |
| characters/NAME/ | expressions of a character |
| personas.json, User Avatars/ | %d personas as a persona backup, and their pictures |
| user/images/ | %d pictures by character, as they were generated |
| TextGen Settings/ | samplers of profiles as presets |
| OpenAI Settings/, NovelAI Settings/, instruct/, context/, sysprompt/, QuickReplies/ ... | %d presets and quick reply sets, as they were imported; ghostlight/presets/ has those of several kinds |
| ghostlight/recaps/ | recaps of scenes with all their versions; "scene import" reads them |
| ghostlight/storyboards/ | %d storyboards as JSON and as Markdown |
| ghostlight/series/, ghostlight/memories/ | series with their episodes; memories and hooks |
| ghostlight/profiles/ | %d profiles |
| ghostlight/settings.json | which lorebooks apply where, %d regex scripts, and the cards whose own scripts are allowed, as SillyTavern settings; move-in reads them |
| ghostlight/pictures.json | how each picture was generated |
| ghostlight/config.toml | the settings, without user names and passwords of servers |
| ghostlight/prompts/, phrases/, themes/, workflows/ | your own files |

ghostlight move-in imports this folder again, here or elsewhere. The ids in the files prevent duplicates.
`, m.svc.core.Config.Now().Format("2006-01-02"), m.report.Characters, m.report.Chats, m.report.Branches,
			m.report.Lorebooks, m.report.Personas, m.report.Pictures, m.report.Presets, m.report.Storyboards,
			m.report.Profiles, m.report.Scripts)
		if len(m.report.Left) > 0 {
			b.WriteString("\n## Not included\n\n")
			for _, l := range m.report.Left {
				b.WriteString("- " + strings.Join(strings.Fields(l), " ") + "\n")
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
	return err
}
