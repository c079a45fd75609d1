package movein

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mover moves one folder in, or plans that. Its methods must be called from one goroutine, except
// load.
type mover struct {
	svc   *Service
	src   *folder.Source
	found folder.Contents
	items []item
	users map[string]*user // by user folder
	move  storage.MoveIn
	index storeIndex
	// groups are the group files by chat, grouped the group chats that exist.
	groups  map[string]folder.File
	grouped map[string]bool
}

// item is a file, or a part of settings.json.
type item struct {
	folder.File
	importer *importer
	part     string // which part of the file it is
	data     []byte // content of a part
}

func (it *item) path() string {
	if it.part == "" {
		return it.Path
	}
	return it.Path + ": " + it.part
}

// user is the state of one user folder.
type user struct {
	settings         folder.UserSettings
	hasSettings      bool // its settings were read
	books            map[string]storage.LorebookID
	charactersByName map[string]storage.CharacterID // by card file without its ending
	charactersByFile map[string]storage.CharacterID // by card file
	personas         map[string]storage.PersonaID   // by picture file
	personasByName   map[string]storage.PersonaID   // by name, "" for a name that two have
}

// open opens a folder and lists what is in it.
func (svc *Service) open(path string) (*mover, error) {
	src, err := folder.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.Refusef("%s not found: check the path", filepath.Base(path))
	case errors.Is(err, fs.ErrPermission):
		return nil, failure.Refusef("%s cannot be read: change its permissions", filepath.Base(path))
	case err != nil:
		return nil, err
	}
	m := &mover{svc: svc, src: src, found: folder.Find(src.Entries), users: map[string]*user{}}
	m.begin(storage.MoveIn{Path: path})
	return m, nil
}

func (m *mover) close() { _ = m.src.Close() }

// begin lists the items of a new move.
func (m *mover) begin(move storage.MoveIn) {
	m.move, m.items = move, nil
	for i := range importers {
		m.move.Kinds = append(m.move.Kinds, storage.MoveCount{Kind: importers[i].name})
	}
	for _, l := range append(slices.Clone(m.src.Skipped), m.found.Skipped...) {
		why := l.Reason
		if l.Files > 1 {
			why += fmt.Sprintf(" (%d files)", l.Files)
		}
		m.skip(nil, l.Path, why)
	}
	for _, u := range m.users {
		u.settings, u.hasSettings = folder.UserSettings{}, false
	}
	// The settings come before an older backup of personas.
	isBackup := func(f folder.File) bool { return !strings.EqualFold(f.Place, "settings.json") }
	for _, backups := range []bool{false, true} {
		for _, f := range m.found.Files {
			if isBackup(f) == backups {
				m.addItem(f)
			}
		}
	}
	m.joinGroups()
	order := map[*importer]int{}
	for i := range importers {
		order[&importers[i]] = i
	}
	// A chat comes before its branches, which are named after it.
	slices.SortStableFunc(m.items, func(a, b item) int {
		if a.importer != b.importer || a.Role != folder.Chat && a.Role != folder.GroupChat {
			return order[a.importer] - order[b.importer]
		}
		return cmp.Or(strings.Compare(path.Dir(a.Path), path.Dir(b.Path)), strings.Compare(baseName(a.File),
			baseName(b.File)))
	})
	for i := range m.items {
		m.count(m.items[i].importer).Found++
	}
}

// addItem adds a file. One whose path says nothing is identified by its content.
func (m *mover) addItem(f folder.File) {
	if f.Role == folder.Loose {
		head, err := m.head(f.Entry)
		if err != nil {
			m.skip(nil, f.Path, "it cannot be read: "+failure.Text(err))
			return
		}
		var why string
		if f.Role, why = roleOf(f.Path, head); why != "" {
			m.skip(nil, f.Path, why)
			return
		}
	}
	if f.Role == folder.Settings {
		m.addSettings(f)
		return
	}
	if r := importerFor(f.Role); r != nil {
		m.items = append(m.items, item{File: f, importer: r})
	}
}

// headBytes is the number of bytes that are read to identify a file.
const headBytes = 64 << 10

func (m *mover) head(e folder.Entry) ([]byte, error) {
	in, err := m.src.Read(e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return io.ReadAll(io.LimitReader(in, headBytes))
}

// addSettings reads the settings of a user and adds their parts as items.
func (m *mover) addSettings(f folder.File) {
	in, err := m.src.Read(f.Entry)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(in, folder.MaxSettings+1))
		_ = in.Close()
	}
	var s folder.UserSettings
	if err == nil {
		s, err = folder.ReadSettings(data)
	}
	if err != nil {
		m.skip(nil, f.Path, "personas and lorebook links are missing: "+failure.Text(err))
		return
	}
	u := m.user(f.UserDir)
	u.hasSettings = true
	s = u.settings.Merge(s)
	part := func(role folder.Role, place, name string, v any) {
		p := f
		p.Role, p.Place = role, place
		data, err := json.Marshal(v)
		if r := importerFor(role); r != nil && err == nil {
			p.Size = int64(len(data))
			m.items = append(m.items, item{File: p, importer: r, part: name, data: data})
		}
	}
	for _, p := range s.Personas {
		part(folder.Persona, "personas/"+p.File, fmt.Sprintf("persona %s (%s)", p.Name, p.File), p)
	}
	met := map[string]bool{}
	for i, one := range s.Regex {
		key, name := one.ID, failure.FirstRunes(one.Name, 80)
		if key == "" {
			key = "named " + one.Name
		}
		if met[key] {
			key = fmt.Sprintf("%s (%d)", key, i+1)
		}
		met[key] = true
		part(folder.Regex, "settings/regex/"+key, "regex script "+name, one.Raw)
	}
	for _, of := range sortedKeys(s.Notes) {
		name := "note for every chat of " + of
		if of == "" {
			name = "note for every new chat"
		}
		part(folder.Note, "settings/note/"+of, name, s.Notes[of])
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// user returns the user of a folder. Its settings may be read later than its files.
func (m *mover) user(dir string) *user {
	u := m.users[dir]
	if u == nil {
		u = &user{books: map[string]storage.LorebookID{}, charactersByName: map[string]storage.CharacterID{},
			charactersByFile: map[string]storage.CharacterID{},
			personas:         map[string]storage.PersonaID{}, personasByName: map[string]storage.PersonaID{}}
		m.users[dir] = u
	}
	return u
}

// maxReportLines is the number of lines that a report has of each kind.
const maxReportLines = 100_000

// skip reports that a file is skipped, and counts it if it is of a known kind.
func (m *mover) skip(r *importer, path, why string) {
	kind := ""
	if r != nil {
		kind = r.name
		m.count(r).Left++
	}
	if len(m.move.Left) >= maxReportLines {
		m.move.More++
		return
	}
	m.move.Left = append(m.move.Left, storage.MoveRemark{Path: path, Kind: kind, Why: failure.FirstRunes(why, 500)})
}

func (m *mover) addRemarks(it *item, remarks []string) {
	for _, text := range remarks {
		if len(m.move.Remarks) >= maxReportLines {
			m.move.More++
			return
		}
		m.move.Remarks = append(m.move.Remarks,
			storage.MoveRemark{Path: it.path(), Kind: it.importer.name, Why: failure.FirstRunes(text, 500)})
	}
}

func (m *mover) count(r *importer) *storage.MoveCount {
	for i := range importers {
		if &importers[i] == r {
			return &m.move.Kinds[i]
		}
	}
	return &storage.MoveCount{}
}

// keys returns the keys of an item: its content, and its path in its user folder. Several users in
// one folder have separate paths.
func (m *mover) keys(it *item, sum []byte) (content, place string) {
	content = "content " + string(it.Role) + " " + hex.EncodeToString(sum)
	if it.Role == folder.Chat {
		of := sha256.Sum256([]byte(strings.ToLower(it.Owner)))
		content += " " + hex.EncodeToString(of[:8])
	}
	where := it.Place
	if len(m.found.UserDirs) > 1 {
		where = filepath.Base(it.UserDir) + "/" + where
	}
	at := sha256.Sum256([]byte(where))
	place = "place " + string(it.Role) + " " + hex.EncodeToString(at[:])
	if it.Role == folder.Sprite || it.Role == folder.OwnFile { // the same content in two places is two items
		content += " " + place
	}
	return content, place
}

// plan counts what a move would do. Nothing is stored.
func (m *mover) plan(ctx context.Context, seen func(done, of int)) error {
	if err := m.buildIndex(); err != nil {
		return err
	}
	n := 0
	met := map[string]bool{}
	return m.readAhead(ctx, true, func(l *loaded) error {
		if n++; seen != nil {
			seen(n, len(m.items))
		}
		count := m.count(l.importer)
		switch {
		case l.err != nil:
			m.skip(l.importer, l.path(), m.reasonFor(l.err))
		case l.importer.put == nil:
			m.skip(l.importer, l.path(), l.importer.unsupported)
		case l.existing != "" || met[l.contentKey] && !l.importer.allowDuplicates:
			count.Here++
		case l.newer:
			count.Newer++
		default:
			count.New++
		}
		met[l.contentKey] = true
		return nil
	})
}

// reasonFor returns why a file was skipped, without its path.
func (m *mover) reasonFor(err error) string {
	words := failure.Text(err)
	if _, rest, named := strings.Cut(words, "\": "); named && strings.HasPrefix(words, "read ") {
		return rest
	}
	return words
}
