package library

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MovedOut is the report of a move out.
type MovedOut struct {
	Path        string   `json:"path"`
	Files       int      `json:"files"`
	Characters  int      `json:"characters"`
	Personas    int      `json:"personas"`
	Lorebooks   int      `json:"lorebooks"`
	Chats       int      `json:"chats"`
	Branches    int      `json:"branches"` // beside the one that each chat shows
	Pictures    int      `json:"pictures"`
	Storyboards int      `json:"storyboards"`
	Profiles    int      `json:"profiles"`
	Presets     int      `json:"presets"`
	Scripts     int      `json:"regex_scripts"` // those of cards are in the cards
	Left        []string `json:"left"`          // what could not be written, and why
}

// mover writes one move out.
type mover struct {
	svc        *Service
	ctx        context.Context //nolint:containedctx // it is that of this one call
	report     MovedOut
	root       string
	folders    map[storage.CharacterID]string // names of a character's card and folder
	names      map[string]fileNames           // used names, by folder
	written    []storage.CharacterID          // in the order of writing
	lore       []storage.Lorebook
	worlds     map[storage.LorebookID]string // file names of lorebooks, without extension
	boundBooks map[string][]string           // those bound to a character or a persona
	// personaFiles are the picture files that identify personas, presetProfiles the profiles that
	// presets make.
	personaFiles   map[storage.PersonaID]string
	presetProfiles map[string][]storage.Profile
	progress       func(what string)
}

// MoveOut writes all data into a folder, which must be empty or new, in open formats and in the
// layout of SillyTavern's data folder. settings are the program's settings as a file, without
// secrets. Each file is written completely or not at all; data that cannot be read is skipped and
// reported. tell may be nil; it is called before each step with a description of the data that is
// written next. MoveOut ends with the context's error when the context ends.
func (svc *Service) MoveOut(ctx context.Context, dir string, settings []byte,
	tell func(what string)) (MovedOut, error) {
	const op = "move out"
	root, err := svc.makeEmptyFolder(dir)
	if err != nil {
		return MovedOut{Left: []string{}}, failure.Wrap(op, err)
	}
	m := &mover{svc: svc, ctx: ctx, root: root, report: MovedOut{Path: root, Left: []string{}},
		folders: map[storage.CharacterID]string{}, names: map[string]fileNames{},
		worlds: map[storage.LorebookID]string{}, boundBooks: map[string][]string{},
		personaFiles: map[storage.PersonaID]string{}, presetProfiles: map[string][]storage.Profile{}, progress: tell}
	if err := m.bookNames(); err != nil {
		return m.report, failure.Wrap(op, err)
	}
	steps := []struct {
		what string
		do   func() error
	}{{"characters", m.characters}, {"lorebooks", m.books}, {"personas", m.personas}, {"chats", m.chats},
		{"pictures", m.pictures}, {"presets", m.presets}, {"profiles", m.profiles}, {"bindings", m.bindings},
		{"settings", func() error { return m.settings(settings) }}, {"the list of what is where", m.index}}
	for _, s := range steps {
		if tell != nil {
			tell(s.what)
		}
		if err := s.do(); err != nil {
			return m.report, failure.Wrap(op, err)
		}
	}
	return m.report, nil
}

func (m *mover) characters() error {
	list, err := m.svc.Characters()
	if err != nil {
		return err
	}
	for _, c := range list {
		rel := m.freeName("characters", c.Card.Name, ".png")
		m.folders[c.ID], m.written = strings.TrimSuffix(filepath.Base(rel), ".png"), append(m.written, c.ID)
		done, err := m.writeFile("character "+c.Card.Name, rel, func(w io.Writer) error {
			data, err := m.svc.exportWithBook(c.ID, "png", m.cardBook(c.ID))
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		})
		if err != nil {
			return err
		}
		if done {
			m.report.Characters++
		}
		if err := m.sprites(c, strings.TrimSuffix(rel, ".png")); err != nil {
			return err
		}
	}
	return nil
}

// sprites writes the expression pictures of a character into a folder of its name.
func (m *mover) sprites(c storage.Character, dir string) error {
	var paths []string
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error { paths, _ = tx.Assets(c.ID); return nil }); err != nil {
		return err
	}
	for _, asset := range paths {
		name, ok := strings.CutPrefix(asset, SpriteFolder)
		if !ok || name != filepath.Base(name) {
			continue
		}
		if _, err := m.writeFile("expression "+name+" of "+c.Card.Name, filepath.Join(dir, FileName(name)),
			func(w io.Writer) error {
				return m.writeStored(w, func(tx *storage.Tx) ([]byte, error) { return tx.Asset(c.ID, asset) })
			}); err != nil {
			return err
		}
	}
	return nil
}

func (m *mover) books() error {
	for _, b := range m.lore {
		rel := filepath.Join("worlds", m.worlds[b.ID]+".json")
		done, err := m.writeFile("lorebook "+b.Name, rel, func(w io.Writer) error {
			warnings, err := m.svc.WriteOwnBook(w, b)
			for _, warning := range warnings {
				m.report.Left = append(m.report.Left, "lorebook "+b.Name+": "+warning)
			}
			return err
		})
		if err != nil {
			return err
		}
		if done {
			m.report.Lorebooks++
		}
	}
	return nil
}

// WriteOwnBook writes a lorebook as it is moved out.
func (svc *Service) WriteOwnBook(w io.Writer, b storage.Lorebook) (warnings []string, err error) {
	var doc bytes.Buffer
	if warnings, err = svc.lore.Export(&doc, b.ID, b.Chat, ""); err != nil {
		return warnings, err
	}
	out, err := formats.WithOriginalName(doc.Bytes(), b)
	if err == nil {
		out, err = formats.WithID(out, string(b.ID))
	}
	if err == nil {
		_, err = w.Write(out)
	}
	return warnings, err
}

// personas writes the personas in the form of SillyTavern's backup of personas.
func (m *mover) personas() error {
	type about struct {
		Description string `json:"description"`
		Position    int    `json:"position"`
		Lorebook    string `json:"lorebook"`
	}
	var f struct {
		Names   map[string]string `json:"personas"`
		About   map[string]about  `json:"persona_descriptions"`
		Default *string           `json:"default_persona"`
	}
	f.Names, f.About = map[string]string{}, map[string]about{}
	list, err := m.svc.Personas()
	if err != nil {
		return err
	}
	keys := fileNames{}
	for _, p := range list {
		key := keys.unique(p.Name, ".png")
		m.personaFiles[p.ID] = key
		f.Names[key], f.About[key] = p.Name, about{Description: p.Description}
		if books := m.boundBooks[string(p.ID)]; len(books) > 0 { // a persona can have one
			f.About[key] = about{Description: p.Description, Lorebook: books[0]}
		}
		if p.Default {
			f.Default = &key
		}
	}
	done, err := m.document("personas", "personas.json", f)
	if done {
		m.report.Personas = len(list)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		err = m.personaPicture(list[i])
	}
	return err
}

func (m *mover) personaPicture(p storage.Persona) error {
	has := false
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Avatar(storage.CharacterID(p.ID))
		has = err == nil
		return failure.IgnoreMissing(err)
	}); err != nil || !has {
		return err
	}
	_, err := m.writeFile("picture of "+p.Name, filepath.Join("User Avatars", m.personaFiles[p.ID]),
		func(w io.Writer) error {
			return m.writeStored(w, func(tx *storage.Tx) ([]byte, error) {
				return tx.Avatar(storage.CharacterID(p.ID))
			})
		})
	return err
}

func (m *mover) chats() error {
	list, err := m.svc.chats.List()
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b chats.ChatInfo) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for _, c := range list {
		if err := m.chat(c.Chat); err != nil {
			return err
		}
	}
	return m.series()
}

// chat writes all branches of a chat, and what the program derived from it.
func (m *mover) chat(c storage.Chat) error {
	cast := append([]storage.CharacterID{c.Character}, chats.CastOf(c)...)
	folder := m.folders[c.Character]
	if folder == "" {
		folder = "Somebody"
	}
	dir := filepath.Join("chats", folder)
	if len(cast) > 1 {
		dir = "group chats"
	}
	if m.names[dir] == nil {
		m.names[dir] = fileNames{}
	}
	if err := os.MkdirAll(filepath.Join(m.root, dir), 0o700); err != nil {
		return err
	}
	list, err := m.svc.writeBranches(m.ctx, c, filepath.Join(m.root, dir), m.names[dir],
		exportOptions{avatarFiles: m.avatarFiles(cast), changeMetadata: m.changeMetadata(c), keepIDs: true})
	if err == nil {
		m.report.Chats++
		m.report.Branches += len(list) - 1
	}
	if err := m.addFailure("chat "+c.Title, err, len(list)); err != nil {
		return err
	}
	if len(cast) > 1 && err == nil {
		if err := m.group(c, cast, list); err != nil {
			return err
		}
	}
	return m.chatExtras(c)
}

// avatarFiles returns the card files of the characters of a group chat, nil for a single
// character.
func (m *mover) avatarFiles(cast []storage.CharacterID) map[storage.CharacterID]string {
	if len(cast) < 2 {
		return nil
	}
	out := map[storage.CharacterID]string{}
	for _, id := range cast {
		if name := m.folders[id]; name != "" {
			out[id] = name + ".png"
		}
	}
	return out
}

// group writes the group file of a group chat.
func (m *mover) group(c storage.Chat, cast []storage.CharacterID, list []Branch) error {
	members, ids := []string{}, []string{}
	for _, id := range cast {
		if name := m.folders[id]; name != "" {
			members = append(members, name+".png")
		}
	}
	for _, b := range list {
		ids = append(ids, strings.TrimSuffix(filepath.Base(b.Path), ".jsonl"))
	}
	rel := m.freeName("groups", c.Title, ".json")
	g := formats.Group{}
	if c.From != nil && len(c.From.Group) > 0 {
		if was, err := formats.ReadGroup("", c.From.Group); err == nil {
			g = was
		}
	}
	away := []string{}
	if name := m.folders[c.Character]; c.Play.MainAway && name != "" {
		away = append(away, name+".png")
	}
	for _, p := range c.Play.Cast {
		if name := m.folders[p.Character]; p.Away && !p.Left && name != "" {
			away = append(away, name+".png")
		}
	}
	g.ID, g.Name = strings.TrimSuffix(filepath.Base(rel), ".json"), c.Title
	g.Members, g.Muted, g.Chats, g.Current = members, away, ids, ids[0]
	if strategyOf(turnOrderOf(g.Strategy)) != strategyOf(c.Play.Order) {
		g.Strategy = strategyOf(c.Play.Order)
	}
	_, err := m.writeFile("group "+c.Title, rel, func(w io.Writer) error {
		doc, err := formats.WriteGroup(g)
		if err == nil {
			doc, err = formats.WithID(doc, string(c.ID))
		}
		if err == nil {
			_, err = w.Write(doc)
		}
		return err
	})
	return err
}

// chatExtras writes recaps, storyboards and memories of a chat.
func (m *mover) chatExtras(c storage.Chat) error {
	base := filepath.Base(m.freeName("titles", c.Title, ""))
	recaps := false
	var nodes []storage.NodeID
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, b := range storage.Breaks.All(tx, c.ID) {
			recaps = recaps || len(b.Versions) > 0
		}
		for node := range storage.Boards.All(tx, c.ID) {
			nodes = append(nodes, node)
		}
		return nil
	}); err != nil {
		return err
	}
	if recaps {
		if _, err := m.writeFile("recaps of "+c.Title, filepath.Join("ghostlight", "recaps", base+".json"),
			func(w io.Writer) error {
				data, err := m.svc.scenes.ExportRecaps(c.ID, "json")
				if err == nil {
					_, err = w.Write(data)
				}
				return err
			}); err != nil {
			return err
		}
	}
	for i, node := range nodes {
		if err := m.board(c, node, filepath.Join("ghostlight", "storyboards",
			fmt.Sprintf("%s %d", base, i+1))); err != nil {
			return err
		}
	}
	return m.memories(storage.ScopeID(c.ID), c.Title)
}

// board writes a storyboard as JSON and as text.
func (m *mover) board(c storage.Chat, node storage.NodeID, rel string) error {
	path := filepath.Join(m.root, rel)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	for _, ending := range []string{".json", ".md"} {
		if err == nil {
			err = m.ctx.Err()
		}
		if err == nil {
			_, err = m.svc.boards.Export(c.ID, node, path+ending, false)
		}
	}
	if err == nil {
		m.report.Storyboards++
	}
	return m.addFailure("a storyboard of "+c.Title, err, 2)
}

// memories writes the memories of a story.
func (m *mover) memories(scope storage.ScopeID, title string) error {
	var f struct {
		Title    string           `json:"title"`
		Memories []storage.Memory `json:"memories"`
		Hooks    []storage.Hook   `json:"hooks"`
	}
	f.Title, f.Memories, f.Hooks = title, []storage.Memory{}, []storage.Hook{}
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, v := range storage.Memories.All(tx, scope) {
			f.Memories = append(f.Memories, v)
		}
		for _, v := range storage.Hooks.All(tx, scope) {
			f.Hooks = append(f.Hooks, v)
		}
		return nil
	}); err != nil || len(f.Memories)+len(f.Hooks) == 0 {
		return err
	}
	_, err := m.document("memories of "+title, m.freeName(filepath.Join("ghostlight", "memories"), title, ".json"), f)
	return err
}

// series writes the series, which belong to no single chat.
func (m *mover) series() error {
	type whole struct {
		storage.Series
		Episodes []storage.Episode `json:"episodes"`
	}
	list := []whole{}
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		for id, s := range storage.AllSeries.All(tx) {
			one := whole{Series: s, Episodes: []storage.Episode{}}
			for _, e := range storage.Episodes.All(tx) {
				if e.Series == id {
					one.Episodes = append(one.Episodes, e)
				}
			}
			list = append(list, one)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, s := range list {
		if _, err := m.document("series "+s.Title, m.freeName(filepath.Join("ghostlight", "series"), s.Title, ".json"),
			s); err != nil {
			return err
		}
		if err := m.memories(storage.ScopeID(s.ID), s.Title); err != nil {
			return err
		}
	}
	return nil
}
