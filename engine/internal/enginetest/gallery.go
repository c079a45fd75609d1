package enginetest

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KeepCapture stores a capture of a message as if it had been made.
func (s *Harness) KeepCapture(c storage.Capture) storage.Capture {
	s.T.Helper()
	c.ID, c.Chat = storage.CaptureID(storage.NewID()), s.Chat
	if c.Kind == "" {
		c.Kind = "image"
	}
	if c.Status == "" {
		c.Status = storage.CaptureCompleted
	}
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
	return c
}

// PathIDs returns the path of the chat, oldest first.
func (s *Harness) PathIDs() []storage.NodeID {
	s.T.Helper()
	_, path, err := s.Chats.Path(s.Chat, 0)
	Must(s.T, err)
	var out []storage.NodeID
	for _, m := range path {
		out = append(out, m.ID)
	}
	return out
}

// withText puts a text into a PNG.
func withText(data []byte, key, text string) []byte {
	body := slices.Concat([]byte("tEXt"+key), []byte{0}, []byte(text))
	part := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	part = binary.BigEndian.AppendUint32(append(part, body...), crc32.ChecksumIEEE(body))
	return slices.Concat(data[:33], part, data[33:])
}
