package storage

import (
	"bytes"
	"encoding/binary"
	"sort"
	"strings"
)

// The words of a segment are stored in chunks, sorted. A word is stored as
//
//	one byte    how many bytes it shares with the word before it, at most 7, times 32,
//	            plus how many follow; 31 means that one more byte says how many follow
//	these bytes
//	its places  the steps from one to the next as varints, times 4; 2 is added if the word is
//	            capitalized there, 1 if another place follows
//
// The first word of a chunk shares no bytes. Keys contain no words, so that they need no
// encryption.
const (
	chunkSize = 16<<10 - 128 // so that four of them fill their pages
	maxShared = 7
	maxTail   = 31

	placeMore    = 1
	placeCapital = 2
)

func chunkKey(segment uint32, n int) []byte {
	return binary.BigEndian.AppendUint16(segmentKey(segment, 'c'), uint16(n)) //nolint:gosec // see segmentBytes
}

// firstWords returns the first word of each chunk of a segment.
func firstWords(b *bucket, segment uint32) ([]string, error) {
	list, err := b.get(segmentKey(segment, 'f'))
	if len(list) == 0 {
		return nil, err
	}
	return strings.Split(string(list), "\x00"), nil
}

// eachWord yields the words of a segment that begin with a prefix, sorted, with their places.
// Both slices are valid only during the call. It reports whether all chunks could be read; the
// words of an unreadable chunk are skipped. The bucket must not change during the iteration.
func (b *bucket) eachWord(segment uint32, begin string, yield func(word, places []byte)) (sound bool) {
	firsts, err := firstWords(b, segment)
	sound = err == nil
	from := sort.Search(len(firsts), func(i int) bool { return firsts[i] > begin })
	for n := max(0, from-1); n < len(firsts); n++ {
		if firsts[n] > begin && !strings.HasPrefix(firsts[n], begin) {
			break
		}
		chunk, err := b.get(chunkKey(segment, n))
		sound = eachOfChunk(chunk, func(word, places []byte) {
			if bytes.HasPrefix(word, []byte(begin)) {
				yield(word, places)
			}
		}) && err == nil && len(chunk) > 0 && sound
	}
	return sound
}

// eachOfChunk yields the words of a chunk and reports whether it could be read to its end.
func eachOfChunk(chunk []byte, yield func(word, places []byte)) (sound bool) {
	word := make([]byte, 0, maxWordBytes)
	for len(chunk) > 0 {
		shared, tail := int(chunk[0]>>5), int(chunk[0]&maxTail)
		chunk = chunk[1:]
		if tail == maxTail && len(chunk) > 0 {
			tail, chunk = int(chunk[0]), chunk[1:]
		}
		if shared > len(word) || tail > len(chunk) || shared+tail > maxWordBytes {
			return false
		}
		word = append(word[:shared], chunk[:tail]...)
		chunk = chunk[tail:]
		size := placesSize(chunk)
		if size == 0 {
			return false
		}
		yield(word, chunk[:size])
		chunk = chunk[size:]
	}
	return true
}

// placesSize returns how many bytes at the start of v are the places of one word, 0 if they
// do not end.
func placesSize(v []byte) (size int) {
	for size < len(v) {
		step, n := binary.Uvarint(v[size:])
		if n <= 0 {
			return 0
		}
		if size += n; step&placeMore == 0 {
			return size
		}
	}
	return 0
}

// eachPlace yields the places of a word in ascending order.
func eachPlace(v []byte, yield func(at int, capital bool)) {
	for at := -1; len(v) > 0; {
		step, n := binary.Uvarint(v)
		if n <= 0 || step>>2 > segmentSize {
			return // damaged: the rest is not found
		}
		if at += int(step >> 2); at >= segmentSize {
			return
		}
		yield(at, step&placeCapital > 0)
		v = v[n:]
	}
}

// addPlace appends a place to those of a word. A place that is not behind the last is ignored.
func addPlace(v []byte, at int, capital bool) []byte {
	last, end := -1, 0
	for i := 0; i < len(v); {
		step, n := binary.Uvarint(v[i:])
		if n <= 0 {
			break
		}
		last, end = last+int(step>>2), i //nolint:gosec // at most segmentSize
		i += n
	}
	if at <= last {
		return v
	}
	if len(v) > 0 {
		v[end] |= placeMore
	}
	step := uint64(at-last) << 2 //nolint:gosec // above 0
	if capital {
		step |= placeCapital
	}
	return binary.AppendUvarint(v, step)
}

// chunkWriter packs the words of a segment, which must be added in order, into chunks.
type chunkWriter struct {
	firsts []string
	chunks [][]byte
	last   []byte // the previous word
}

func (w *chunkWriter) add(word, places []byte) {
	n, shared := len(w.chunks)-1, 0
	if n < 0 || len(w.chunks[n])+len(word)+2+len(places) > chunkSize {
		w.firsts = append(w.firsts, string(word))
		w.chunks = append(w.chunks, make([]byte, 0, chunkSize))
		n++
	} else {
		for shared < min(maxShared, len(word), len(w.last)) && word[shared] == w.last[shared] {
			shared++
		}
	}
	tail := len(word) - shared
	chunk := append(w.chunks[n], byte(shared<<5|min(tail, maxTail)))
	if tail >= maxTail {
		chunk = append(chunk, byte(tail))
	}
	w.chunks[n] = append(append(chunk, word[shared:]...), places...)
	w.last = append(w.last[:0], word...)
}

// store replaces the chunks of the segment. All old chunks must have been read before.
func (w *chunkWriter) store(b *bucket, segment uint32) error {
	for n, chunk := range w.chunks {
		if err := b.put(chunkKey(segment, n), chunk); err != nil {
			return err
		}
	}
	return b.put(segmentKey(segment, 'f'), []byte(strings.Join(w.firsts, "\x00")))
}
