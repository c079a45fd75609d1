package movein

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// importer imports the files of one role. A new kind is a new entry of importers.
type importer struct {
	role  folder.Role
	name  string // as shown in plan and report
	limit int64  // bytes of such a file
	// read parses a file without access to the store. With detectOnly, a plan does not parse files
	// that begin like one of their kind.
	read       func(name string, in io.Reader) (any, error)
	detectOnly bool
	// readLong parses a large file, which is opened whenever it is needed. If it is nil, read is
	// used.
	readLong func(name string, open func() (io.ReadCloser, error)) (any, error)
	// put stores a value. renew replaces a record that was imported before and not changed since;
	// if it is nil, put adds a second one. exists reports whether the record exists.
	put    func(m *mover, tx *storage.Tx, l *loaded) (putResult, error)
	renew  func(m *mover, tx *storage.Tx, l *loaded, was storage.MovedRecord) (putResult, error)
	exists func(tx *storage.Tx, id string) bool
	// allowDuplicates imports files with the same content at different paths as separate records.
	allowDuplicates bool
	// register is called with the record of a file, whether it is new or existed.
	register func(m *mover, f folder.File, id string)
	// unsupported says why files of this role are not imported and what to do instead.
	unsupported string
}

// putResult is the record that a file has become.
type putResult struct {
	record  string
	stamp   time.Time // when the record was last changed
	name    string
	remarks []string
	exists  bool // it existed and nothing was stored
}

// importers are in the order of import: a record comes before those that refer to it.
var importers = []importer{
	{role: folder.World, name: "lorebooks", limit: formats.MaxBookFile, read: readWhole(formats.ReadBook),
		put: (*mover).putBook, exists: existsIn(storage.Lorebooks), register: (*mover).registerBook},
	{role: folder.Persona, name: "personas", limit: folder.MaxSettings, read: readPersona, put: (*mover).putPersona,
		exists: existsIn(storage.Personas), register: (*mover).registerPersona},
	{role: folder.Character, name: "characters", limit: formats.MaxCardFile, read: readWhole(formats.ReadCard),
		allowDuplicates: true, put: (*mover).putCharacter, renew: (*mover).renewCharacter,
		exists: existsIn(storage.Characters), register: (*mover).registerCharacter},
	{role: folder.Chat, name: "chats", limit: formats.MaxChatFile, read: readChat, readLong: readLongChat,
		detectOnly: true, put: (*mover).putChat, exists: existsIn(storage.Chats)},
	{role: folder.Group, name: "groups", limit: formats.MaxGroupFile, read: readWhole(formats.ReadGroup),
		put: (*mover).putGroup, exists: func(*storage.Tx, string) bool { return true }},
	{role: folder.GroupChat, name: "group chats", limit: formats.MaxChatFile, read: readChat, readLong: readLongChat,
		detectOnly: true, put: (*mover).putGroupChat, exists: existsIn(storage.Chats)},
	{role: folder.Preset, name: "presets", limit: formats.MaxPresetFile, read: readWhole(formats.ReadPreset),
		put: (*mover).putPreset, exists: existsIn(storage.Presets)},
	{role: folder.Regex, name: "regex scripts", limit: formats.MaxRegexFile, read: readWhole(formats.ReadRegex),
		put: (*mover).putRegex, renew: (*mover).renewRegex, exists: existsIn(storage.RegexScripts)},
	{role: folder.QuickReplies, name: "quick replies", limit: formats.MaxPresetFile,
		read: readWhole(formats.ReadPreset), put: (*mover).putPreset, exists: existsIn(storage.Presets)},
	{role: folder.Note, name: "author's notes",
		unsupported: "notes for several chats are not supported: use the card's depth prompt or the author's notes " +
			"of the chats"},
	{role: folder.PersonaPicture, name: "persona pictures", limit: maxPicture, read: readPicture,
		put: (*mover).putPersonaPicture, exists: hasPersonaPicture},
	{role: folder.Sprite, name: "expression pictures", limit: maxPicture, read: readPicture, put: (*mover).putSprite,
		exists: hasSprite},
	{role: folder.OwnFile, name: "own files", limit: library.MaxOwnFile, read: readWhole(func(_ string,
		data []byte) ([]byte, error) {
		return data, nil
	}), put: (*mover).putOwnFile,
		exists: func(*storage.Tx, string) bool { return true }},
}

func importerFor(role folder.Role) *importer {
	for i := range importers {
		if importers[i].role == role {
			return &importers[i]
		}
	}
	return nil
}

// readWhole adapts a reader that needs the whole file.
func readWhole[T any](read func(name string, data []byte) (T, error)) func(string, io.Reader) (any, error) {
	return func(name string, in io.Reader) (any, error) {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		return read(name, data)
	}
}

func readChat(_ string, in io.Reader) (any, error) {
	f, err := formats.ReadChat(in)
	if err == nil && len(f.Messages) == 0 {
		err = errNoMessage
	}
	return f, err
}

func readLongChat(name string, open func() (io.ReadCloser, error)) (any, error) {
	f, err := formats.ReadLongChat(name, open)
	if err == nil && f.Summary().Count == 0 {
		err = errNoMessage
	}
	return f, err
}

// errNoMessage is the error of a chat without messages.
var errNoMessage = errors.New("it has no messages")

func readPersona(_ string, in io.Reader) (any, error) {
	var p folder.UserPersona
	err := json.NewDecoder(in).Decode(&p)
	return p, err
}

// existsIn returns a function that reports whether a table has a record. A removed lorebook does
// not count.
func existsIn[K ~string, V any](t storage.Table[K, V]) func(*storage.Tx, string) bool {
	return func(tx *storage.Tx, id string) bool {
		v, err := t.Get(tx, K(id))
		if b, book := any(v).(storage.Lorebook); book && b.Removed {
			return false
		}
		return err == nil
	}
}

// roleOf returns the role of a file by its content, or why it has none.
func roleOf(name string, head []byte) (role folder.Role, why string) {
	roles := map[formats.Kind]folder.Role{formats.KindCard: folder.Character, formats.KindChat: folder.Chat,
		formats.KindLorebook: folder.World,
		formats.KindGroup:    folder.Group, formats.KindPreset: folder.Preset,
		formats.KindQuickReplies: folder.QuickReplies,
		formats.KindRegex:        folder.Regex, formats.KindPersonas: folder.Settings,
		formats.KindSettings: folder.Settings}
	kind := formats.Detect(name, head)
	if role := roles[kind]; role != "" {
		return role, ""
	}
	if kind == formats.KindArchive {
		return "", "it is a backup inside the folder: import it separately"
	}
	return "", "unknown file type"
}
