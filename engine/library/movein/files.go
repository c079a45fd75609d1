package movein

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxPicture is the size limit of a picture of a persona or an expression, in bytes.
const maxPicture = 32 << 20

// readPicture reads a file that begins like a picture. The bytes are kept as they are.
func readPicture(_ string, in io.Reader) (any, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF8", "RIFF"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return data, nil
		}
	}
	return nil, failure.Refusef("it is not a PNG, JPEG, GIF or WebP picture")
}

// putPersonaPicture stores the picture of a persona.
func (m *mover) putPersonaPicture(tx *storage.Tx, l *loaded) (putResult, error) {
	id := m.user(l.UserDir).personas[path.Base(l.Place)]
	if id == "" {
		return putResult{}, failure.Refusef("no persona has this picture")
	}
	have, _ := tx.Avatar(storage.CharacterID(id)) // one that cannot be read is overwritten
	s := putResult{record: string(id), stamp: m.svc.core.Config.Now(), exists: bytes.Equal(have, l.value.([]byte))}
	if s.exists {
		return s, nil
	}
	return s, tx.PutAvatar(storage.CharacterID(id), l.value.([]byte))
}

func hasPersonaPicture(tx *storage.Tx, id string) bool {
	_, err := tx.Avatar(storage.CharacterID(id))
	return err == nil
}

// putSprite stores an expression picture of a character under its file name.
func (m *mover) putSprite(tx *storage.Tx, l *loaded) (putResult, error) {
	id := m.user(l.UserDir).charactersByName[l.Owner]
	if id == "" {
		return putResult{}, failure.Refusef("no character is called after its folder")
	}
	name := library.SpriteFolder + path.Base(l.Place)
	have, _ := tx.Asset(id, name) // one that cannot be read is overwritten
	s := putResult{record: string(id) + "/" + name, stamp: m.svc.core.Config.Now(), exists: bytes.Equal(have,
		l.value.([]byte))}
	if s.exists {
		return s, nil
	}
	return s, tx.PutAsset(id, name, l.value.([]byte))
}

func hasSprite(tx *storage.Tx, record string) bool {
	id, name, _ := strings.Cut(record, "/")
	_, err := tx.Asset(storage.CharacterID(id), name)
	return err == nil
}

// putOwnFile writes a file that the user made to the settings folder. An existing file is never
// overwritten.
func (m *mover) putOwnFile(_ *storage.Tx, l *loaded) (putResult, error) {
	dir := m.svc.core.Config.ConfigDir
	rel, ok := folder.OwnPath(l.File)
	if dir == "" || !ok {
		return putResult{}, failure.Refusef("Ghostlight has nothing to import it as")
	}
	to := filepath.Join(dir, filepath.FromSlash(rel))
	s := putResult{record: rel, stamp: m.svc.core.Config.Now()}
	have, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(have, l.value.([]byte)):
		s.exists = true
		return s, nil
	case err == nil:
		return putResult{}, failure.Refusef("another file is called %s here", rel)
	case !errors.Is(err, fs.ErrNotExist):
		return putResult{}, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return putResult{}, err
	}
	_, err = file.Put(to, file.Options{}, func(w io.Writer) error {
		_, err := w.Write(l.value.([]byte))
		return err
	})
	return s, err
}
