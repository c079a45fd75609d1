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

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mover moves one folder in, or plans that. Its methods are called by one goroutine, but
// for load.
type mover struct {
	svc   *Service
	src   *folder.Source
	found folder.Found
	items []item
	users map[string]*user // by the folder
	move  storage.MoveIn
	known known
	// groups are the files of groups by their chats, grouped the group chats that are there.
	groups  map[string]folder.File
	grouped map[string]bool
}

// item is a file, or a part of settings.json.
type item struct {
	folder.File
	row  *row
	part string // what of the file it is
	data []byte // of a part
}

func (it *item) path() string {
	if it.part == "" {
		return it.Path
	}
	return it.Path + ": " + it.part
}

// user is what belongs to one user's folder.
type user struct {
	settings folder.UserSettings
	told     bool // there are settings
	books    map[string]storage.LorebookID
	cast     map[string]storage.CharacterID // by the card's file without its ending
	faces    map[string]storage.CharacterID // by the card's file
	personas map[string]storage.PersonaID   // by the picture's file
	named    map[string]storage.PersonaID   // by their name, "" for those of which there are two
}

// open opens a folder and finds what is in it.
func (svc *Service) open(path string) (*mover, error) {
	src, err := folder.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.Refuse("%s not found: check the path", filepath.Base(path))
	case errors.Is(err, fs.ErrPermission):
		return nil, failure.Refuse("%s cannot be read: change its permissions", filepath.Base(path))
	case err != nil:
		return nil, err
	}
	m := &mover{svc: svc, src: src, found: folder.Find(src.Entries), users: map[string]*user{}}
	m.begin(storage.MoveIn{Path: path})
	return m, nil
}

func (m *mover) close() { _ = m.src.Close() }

// begin lists what is to be taken, as a move that has taken nothing yet.
func (m *mover) begin(move storage.MoveIn) {
	m.move, m.items = move, nil
	for i := range rows {
		m.move.Kinds = append(m.move.Kinds, storage.MoveCount{Kind: rows[i].name})
	}
	for _, l := range append(slices.Clone(m.src.Left), m.found.Left...) {
		why := l.Why
		if l.Files > 1 {
			why += fmt.Sprintf(" (%d files)", l.Files)
		}
		m.leave(nil, l.Path, why)
	}
	for _, u := range m.users {
		u.settings, u.told = folder.UserSettings{}, false
	}
	// What the settings say of a persona stands before what an older backup says.
	isBackup := func(f folder.File) bool { return !strings.EqualFold(f.Place, "settings.json") }
	for _, backups := range []bool{false, true} {
		for _, f := range m.found.Files {
			if isBackup(f) == backups {
				m.list(f)
			}
		}
	}
	m.joinGroups()
	order := map[*row]int{}
	for i := range rows {
		order[&rows[i]] = i
	}
	// A chat comes before its branches, which are named after it.
	slices.SortStableFunc(m.items, func(a, b item) int {
		if a.row != b.row || a.Role != folder.Chat && a.Role != folder.GroupChat {
			return order[a.row] - order[b.row]
		}
		return cmp.Or(strings.Compare(path.Dir(a.Path), path.Dir(b.Path)), strings.Compare(baseOf(a.File), baseOf(b.File)))
	})
	for i := range m.items {
		m.count(m.items[i].row).Found++
	}
}

// list puts a file in line. One whose place says nothing is looked into.
func (m *mover) list(f folder.File) {
	if f.Role == folder.Loose {
		head, err := m.head(f.Entry)
		if err != nil {
			m.leave(nil, f.Path, "it cannot be read: "+failure.Words(err))
			return
		}
		var why string
		if f.Role, why = roleOf(f.Path, head); why != "" {
			m.leave(nil, f.Path, why)
			return
		}
	}
	if f.Role == folder.Settings {
		m.listSettings(f)
		return
	}
	if r := rowOf(f.Role); r != nil {
		m.items = append(m.items, item{File: f, row: r})
	}
}

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 64 << 10

func (m *mover) head(e folder.Entry) ([]byte, error) {
	in, err := m.src.Read(e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return io.ReadAll(io.LimitReader(in, headBytes))
}

// listSettings reads the settings of a user, and puts what is in them in line.
func (m *mover) listSettings(f folder.File) {
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
		m.leave(nil, f.Path, "personas and lorebook links are missing: "+failure.Words(err))
		return
	}
	u := m.user(f.House)
	u.told = true
	s = u.settings.Join(s)
	part := func(role folder.Role, place, name string, v any) {
		p := f
		p.Role, p.Place = role, place
		data, err := json.Marshal(v)
		if r := rowOf(role); r != nil && err == nil {
			p.Size = int64(len(data))
			m.items = append(m.items, item{File: p, row: r, part: name, data: data})
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

// user is the user of a folder. Its settings may come later than its files.
func (m *mover) user(house string) *user {
	u := m.users[house]
	if u == nil {
		u = &user{books: map[string]storage.LorebookID{}, cast: map[string]storage.CharacterID{}, faces: map[string]storage.CharacterID{},
			personas: map[string]storage.PersonaID{}, named: map[string]storage.PersonaID{}}
		m.users[house] = u
	}
	return u
}

// mostLines is how many lines of each kind a report has.
const mostLines = 100_000

// leave notes that a file is left out, which counts where it is of a kind.
func (m *mover) leave(r *row, path, why string) {
	kind := ""
	if r != nil {
		kind = r.name
		m.count(r).Left++
	}
	if len(m.move.Left) >= mostLines {
		m.move.More++
		return
	}
	m.move.Left = append(m.move.Left, storage.MoveRemark{Path: path, Kind: kind, Why: failure.FirstRunes(why, 500)})
}

func (m *mover) remark(it *item, remarks []string) {
	for _, text := range remarks {
		if len(m.move.Remarks) >= mostLines {
			m.move.More++
			return
		}
		m.move.Remarks = append(m.move.Remarks, storage.MoveRemark{Path: it.path(), Kind: it.row.name, Why: failure.FirstRunes(text, 500)})
	}
}

func (m *mover) count(r *row) *storage.MoveCount {
	for i := range rows {
		if &rows[i] == r {
			return &m.move.Kinds[i]
		}
	}
	return &storage.MoveCount{}
}

// keys are what an item is known by: its content, and its place in its user's folder. Of
// several users in one folder each has places of its own.
func (m *mover) keys(it *item, sum []byte) (content, place string) {
	content = "content " + string(it.Role) + " " + hex.EncodeToString(sum)
	if it.Role == folder.Chat {
		of := sha256.Sum256([]byte(strings.ToLower(it.Owner)))
		content += " " + hex.EncodeToString(of[:8])
	}
	where := it.Place
	if len(m.found.Houses) > 1 {
		where = filepath.Base(it.House) + "/" + where
	}
	at := sha256.Sum256([]byte(where))
	place = "place " + string(it.Role) + " " + hex.EncodeToString(at[:])
	if it.Role == folder.Sprite || it.Role == folder.OwnFile { // the same in two places are two
		content += " " + place
	}
	return content, place
}

// plan counts what would be done. Nothing is stored.
func (m *mover) plan(ctx context.Context, seen func(done, of int)) error {
	if err := m.know(); err != nil {
		return err
	}
	n := 0
	met := map[string]bool{}
	return m.ahead(ctx, true, func(l *loaded) error {
		if n++; seen != nil {
			seen(n, len(m.items))
		}
		count := m.count(l.row)
		switch {
		case l.err != nil:
			m.leave(l.row, l.path(), m.words(l.err))
		case l.row.put == nil:
			m.leave(l.row, l.path(), l.row.why)
		case l.here != "" || met[l.content] && !l.row.twins:
			count.Here++
		case l.newer:
			count.Newer++
		default:
			count.New++
		}
		met[l.content] = true
		return nil
	})
}

// words are why a file was left out. Its path stands before them.
func (m *mover) words(err error) string {
	words := failure.Words(err)
	if _, rest, named := strings.Cut(words, "\": "); named && strings.HasPrefix(words, "read ") {
		return rest
	}
	return words
}
