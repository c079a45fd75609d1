package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// pngChunk returns a chunk of a PNG with its checksum.
func pngChunk(id string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, id...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withPNGHead gives a PNG another size in its head.
func withPNGHead(data []byte, w, h int) []byte {
	body := bytes.Clone(data[16:29])
	binary.BigEndian.PutUint32(body, uint32(w))
	binary.BigEndian.PutUint32(body[4:], uint32(h))
	return append([]byte(pngMagic), append(pngChunk("IHDR", body), data[33:]...)...)
}
