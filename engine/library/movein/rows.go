package movein

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// row is how the files of one role come in. A new kind is a new row.
type row struct {
	role  folder.Role
	name  string // in plan and report
	limit int64  // bytes of such a file
	// read makes values of a file, away from the store; lazy leaves that out of a plan for
	// files that begin like one of their kind.
	read func(name string, in io.Reader) (any, error)
	lazy bool
	// again is read for a large file, which is read anew whenever it is asked for; nil has
	// read do it.
	again func(name string, open func() (io.ReadCloser, error)) (any, error)
	// put stores them, renew puts them in the place of a record that came in before and was
	// not changed since; nil puts them beside it. there reports whether such a record is there.
	put   func(m *mover, tx *storage.Tx, l *loaded) (stored, error)
	renew func(m *mover, tx *storage.Tx, l *loaded, was storage.MovedRecord) (stored, error)
	there func(tx *storage.Tx, id string) bool
	// twins are files of the same content that are told apart by their places.
	twins bool
	// met hears of the record that a file has become, now or before.
	met func(m *mover, f folder.File, id string)
	// why nobody takes such files yet: what is there instead, or what to do.
	why string
}

// stored is the record that a file has become.
type stored struct {
	record  string
	stamp   time.Time // when it was changed last
	name    string
	remarks []string
	here    bool // it was here, and nothing came of it
}

// rows are in the order in which things come in: what others ask for comes first.
var rows = []row{
	{role: folder.World, name: "lorebooks", limit: ecosystem.MaxBookFile, read: whole(ecosystem.ReadBook), put: (*mover).putBook, there: is(storage.Lorebooks), met: (*mover).metBook},
	{role: folder.Persona, name: "personas", limit: folder.MaxSettings, read: persona, put: (*mover).putPersona, there: is(storage.Personas), met: (*mover).metPersona},
	{role: folder.Character, name: "characters", limit: ecosystem.MaxCardFile, read: whole(ecosystem.ReadCard), twins: true, put: (*mover).putCharacter, renew: (*mover).renewCharacter, there: is(storage.Characters), met: (*mover).metCharacter},
	{role: folder.Chat, name: "chats", limit: ecosystem.MaxChatFile, read: chat, again: longChat, lazy: true, put: (*mover).putChat, there: is(storage.Chats)},
	{role: folder.Group, name: "groups", limit: ecosystem.MaxGroupFile, read: whole(ecosystem.ReadGroup), put: (*mover).putGroup, there: func(*storage.Tx, string) bool { return true }},
	{role: folder.GroupChat, name: "group chats", limit: ecosystem.MaxChatFile, read: chat, again: longChat, lazy: true, put: (*mover).putGroupChat, there: is(storage.Chats)},
	{role: folder.Preset, name: "presets", limit: ecosystem.MaxPresetFile, read: whole(ecosystem.ReadPreset), put: (*mover).putPreset, there: is(storage.Presets)},
	{role: folder.Regex, name: "regex scripts", limit: ecosystem.MaxRegexFile, read: whole(ecosystem.ReadRegex), put: (*mover).putRegex, renew: (*mover).renewRegex, there: is(storage.RegexScripts)},
	{role: folder.QuickReplies, name: "quick replies", limit: ecosystem.MaxPresetFile, read: whole(ecosystem.ReadPreset), put: (*mover).putPreset, there: is(storage.Presets)},
	{role: folder.Note, name: "author's notes", why: "notes for several chats are not supported: use the card's depth prompt or the author's notes of the chats"},
	{role: folder.PersonaPicture, name: "persona pictures", limit: maxPicture, read: picture, put: (*mover).putPersonaPicture, there: hasPersonaPicture},
	{role: folder.Sprite, name: "expression pictures", limit: maxPicture, read: picture, put: (*mover).putSprite, there: hasSprite},
	{role: folder.OwnFile, name: "own files", limit: library.MaxOwnFile, read: whole(func(_ string, data []byte) ([]byte, error) { return data, nil }), put: (*mover).putOwnFile,
		there: func(*storage.Tx, string) bool { return true }},
}

func rowOf(role folder.Role) *row {
	for i := range rows {
		if rows[i].role == role {
			return &rows[i]
		}
	}
	return nil
}

// whole reads a file whose reader wants all of it.
func whole[T any](read func(name string, data []byte) (T, error)) func(string, io.Reader) (any, error) {
	return func(name string, in io.Reader) (any, error) {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		return read(name, data)
	}
}

func chat(_ string, in io.Reader) (any, error) {
	f, err := ecosystem.ReadChat(in)
	if err == nil && len(f.Messages) == 0 {
		err = errNoMessage
	}
	return f, err
}

func longChat(name string, open func() (io.ReadCloser, error)) (any, error) {
	f, err := ecosystem.ReadLongChat(name, open)
	if err == nil && f.Gist().Count == 0 {
		err = errNoMessage
	}
	return f, err
}

// errNoMessage is of a chat in which nothing is said.
var errNoMessage = errors.New("it has no messages")

func persona(_ string, in io.Reader) (any, error) {
	var p folder.UserPersona
	err := json.NewDecoder(in).Decode(&p)
	return p, err
}

// is reports whether a table has a record. A book that was removed is gone.
func is[K ~string, V any](t storage.Table[K, V]) func(*storage.Tx, string) bool {
	return func(tx *storage.Tx, id string) bool {
		v, err := t.Get(tx, K(id))
		if b, book := any(v).(storage.Lorebook); book && b.Removed {
			return false
		}
		return err == nil
	}
}

// roleOf says by its content what a file is that its place says nothing of.
func roleOf(name string, head []byte) (role folder.Role, why string) {
	roles := map[ecosystem.Kind]folder.Role{ecosystem.KindCard: folder.Character, ecosystem.KindChat: folder.Chat, ecosystem.KindLorebook: folder.World,
		ecosystem.KindGroup: folder.Group, ecosystem.KindPreset: folder.Preset, ecosystem.KindQuickReplies: folder.QuickReplies,
		ecosystem.KindRegex: folder.Regex, ecosystem.KindPersonas: folder.Settings, ecosystem.KindSettings: folder.Settings}
	kind := ecosystem.Detect(name, head)
	if role := roles[kind]; role != "" {
		return role, ""
	}
	if kind == ecosystem.KindArchive {
		return "", "it is a backup inside the folder: import it separately"
	}
	return "", "unknown file type"
}
