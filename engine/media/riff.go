package media

import (
	"encoding/binary"
	"iter"
)

// chunk is one chunk of a RIFF file. raw includes its head and padding.
type chunk struct {
	id        string
	body, raw []byte
}

const chunkHead = 8

// riffChunks returns the chunks of a WebP. A declared size larger than the file is an error after
// the existing chunks.
func riffChunks(data []byte) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		if Sniff(data) != WebP {
			yield(chunk{}, malformed(WebP, "it does not begin as one"))
			return
		}
		size := uint64(binary.LittleEndian.Uint32(data[4:]))
		end := min(uint64(len(data)), size+chunkHead)
		if end < 12 {
			yield(chunk{}, malformed(WebP, "it is said to be %d bytes long", size))
			return
		}
		for c, err := range chunksOf(data[12:end]) {
			if !yield(c, err) {
				return
			}
		}
		// One byte of padding may be missing at the very end.
		if size+chunkHead > uint64(len(data))+1 {
			yield(chunk{}, malformed(WebP, "it is cut off: %d bytes of %d", len(data), size+chunkHead))
		}
	}
}

// chunksOf returns consecutive chunks up to the end of data.
func chunksOf(data []byte) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		for len(data) > 0 {
			if len(data) < chunkHead {
				yield(chunk{}, malformed(WebP, "%d bytes are left over", len(data)))
				return
			}
			id, size := string(data[:4]), uint64(binary.LittleEndian.Uint32(data[4:]))
			if size > uint64(len(data)-chunkHead) {
				yield(chunk{}, malformed(WebP, "chunk %q is cut off", id))
				return
			}
			whole := min(uint64(len(data)), chunkHead+size+size%2)
			if !yield(chunk{id: id, body: data[chunkHead : chunkHead+size], raw: data[:whole]}, nil) {
				return
			}
			data = data[whole:]
		}
	}
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func putU24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }
