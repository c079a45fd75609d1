package storage

import (
	"hash/fnv"
	"iter"
)

// SumWords returns a checksum of words, which does not depend on their order.
func SumWords(words []Word) (sum uint64) {
	met := map[string]bool{}
	for _, w := range words {
		if key := truncateWord(w.Text); key != "" && !met[key] {
			met[key] = true
			sum += sumOf([]byte(key))
		}
	}
	return sum
}

func sumOf(word []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(word)
	return h.Sum64()
}

// IndexedSums iterates over the indexed messages of a chat, the last indexed first, with the
// sum of the indexed words of each, see SumWords. A rewritten message may come twice. A damaged
// segment yields an empty id. The transaction must not write during the iteration.
func (tx *Tx) IndexedSums(chat ChatID) iter.Seq2[NodeID, uint64] {
	return func(yield func(NodeID, uint64) bool) {
		b := tx.inner(bucketWords, string(chat))
		if b == nil {
			return
		}
		sums := make([]uint64, segmentSize)
		for segment := range b.segments() {
			clear(sums)
			table := b.raw.Get(segmentKey(segment, 't'))
			last := len(table)/ulidSize - 1
			if !sumSegment(b, segment, sums, last) && !yield("", 0) {
				return
			}
			for at := min(last, segmentSize-1); at >= 0; at-- {
				if !yield(nodeIDOf(table[at*ulidSize:(at+1)*ulidSize]), sums[at]) {
					return
				}
			}
		}
	}
}

// sumSegment adds up the words of a segment by place. It reports whether all words could be
// read and each is at the place of a message.
func sumSegment(b *bucket, segment uint32, sums []uint64, last int) (sound bool) {
	placed := true
	sound = b.eachWord(segment, "", func(word, v []byte) {
		sum, to := sumOf(word), -1
		eachPlace(v, func(at int, _ bool) {
			sums[at] += sum
			to = at
		})
		placed = placed && to >= 0 && to <= last
	})
	return sound && placed
}

// ForgetWords deletes the word index of a chat, so that all its messages are unindexed.
func (tx *Tx) ForgetWords(chat ChatID) error {
	return ioError("save "+kindWords, tx.drop(string(chat), bucketWords))
}
