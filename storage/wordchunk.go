package storage

import (
	"bytes"
	"encoding/binary"
	"sort"
	"strings"
)

// The words of a shelf stand in order, in chunks. A word is stored as
//
//	one byte    how many bytes it shares with the word before it, at most 7, times 32,
//	            plus how many follow; 31 means that one more byte says how many follow
//	these bytes
//	its places  the steps from one to the next as varints, times 4; 2 is added where the word
//	            has a capital there, 1 where another place follows
//
// The first word of a chunk shares nothing. No key tells a word, so that a file that is
// encrypted has the same form.
const (
	chunkSize  = 16<<10 - 128 // so that four of them fill their pages
	mostShared = 7
	mostTail   = 31

	placeMore    = 1
	placeCapital = 2
)

func chunkKey(shelf uint32, n int) []byte {
	return binary.BigEndian.AppendUint16(shelfKey(shelf, 'c'), uint16(n)) //nolint:gosec // see shelfBytes
}

// firstWords are the first words of a shelf's chunks.
func firstWords(b *bucket, shelf uint32) ([]string, error) {
	list, err := b.get(shelfKey(shelf, 'f'))
	if len(list) == 0 {
		return nil, err
	}
	return strings.Split(string(list), "\x00"), nil
}

// eachWord gives the words of a shelf that begin with a text, in order, with their places;
// both are good until the next. It reports whether all could be read: the words of a chunk that
// cannot be are left out. The bucket must not change on the way.
func (b *bucket) eachWord(shelf uint32, begin string, yield func(word, places []byte)) (sound bool) {
	firsts, err := firstWords(b, shelf)
	sound = err == nil
	from := sort.Search(len(firsts), func(i int) bool { return firsts[i] > begin })
	for n := max(0, from-1); n < len(firsts); n++ {
		if firsts[n] > begin && !strings.HasPrefix(firsts[n], begin) {
			break
		}
		chunk, err := b.get(chunkKey(shelf, n))
		sound = eachOfChunk(chunk, func(word, places []byte) {
			if bytes.HasPrefix(word, []byte(begin)) {
				yield(word, places)
			}
		}) && err == nil && len(chunk) > 0 && sound
	}
	return sound
}

// eachOfChunk gives the words of a chunk, and reports whether it could be read to its end.
func eachOfChunk(chunk []byte, yield func(word, places []byte)) (sound bool) {
	word := make([]byte, 0, mostWord)
	for len(chunk) > 0 {
		shared, tail := int(chunk[0]>>5), int(chunk[0]&mostTail)
		chunk = chunk[1:]
		if tail == mostTail && len(chunk) > 0 {
			tail, chunk = int(chunk[0]), chunk[1:]
		}
		if shared > len(word) || tail > len(chunk) || shared+tail > mostWord {
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

// placesSize is how many bytes at the beginning are places of one word, 0 where they do not end.
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

// eachPlace gives the places of a word, ascending.
func eachPlace(v []byte, yield func(at int, capital bool)) {
	for at := -1; len(v) > 0; {
		step, n := binary.Uvarint(v)
		if n <= 0 || step>>2 > shelfSize {
			return // damaged: the rest is not found
		}
		if at += int(step >> 2); at >= shelfSize {
			return
		}
		yield(at, step&placeCapital > 0)
		v = v[n:]
	}
}

// addPlace adds a place behind those of a word; one that is there already stays.
func addPlace(v []byte, at int, capital bool) []byte {
	last, end := -1, 0
	for i := 0; i < len(v); {
		step, n := binary.Uvarint(v[i:])
		if n <= 0 {
			break
		}
		last, end = last+int(step>>2), i //nolint:gosec // not more than a shelf has places
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

// chunkWriter makes chunks of the words of a shelf, which come in order.
type chunkWriter struct {
	firsts []string
	chunks [][]byte
	last   []byte // the word before
}

func (w *chunkWriter) add(word, places []byte) {
	n, shared := len(w.chunks)-1, 0
	if n < 0 || len(w.chunks[n])+len(word)+2+len(places) > chunkSize {
		w.firsts = append(w.firsts, string(word))
		w.chunks = append(w.chunks, make([]byte, 0, chunkSize))
		n++
	} else {
		for shared < min(mostShared, len(word), len(w.last)) && word[shared] == w.last[shared] {
			shared++
		}
	}
	tail := len(word) - shared
	chunk := append(w.chunks[n], byte(shared<<5|min(tail, mostTail)))
	if tail >= mostTail {
		chunk = append(chunk, byte(tail))
	}
	w.chunks[n] = append(append(chunk, word[shared:]...), places...)
	w.last = append(w.last[:0], word...)
}

// store puts the chunks in the place of those that the shelf had: not before all of these are
// read.
func (w *chunkWriter) store(b *bucket, shelf uint32) error {
	for n, chunk := range w.chunks {
		if err := b.put(chunkKey(shelf, n), chunk); err != nil {
			return err
		}
	}
	return b.put(shelfKey(shelf, 'f'), []byte(strings.Join(w.firsts, "\x00")))
}
