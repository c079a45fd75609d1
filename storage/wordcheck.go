package storage

import (
	"hash/fnv"
	"iter"
)

// SumWords stands for words, whatever their order: other words hardly ever have the same.
func SumWords(words []Word) (sum uint64) {
	met := map[string]bool{}
	for _, w := range words {
		if key := keptWord(w.Text); key != "" && !met[key] {
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

// ShelfSums gives the messages on a chat's shelves, the last taken first, with the sum of
// the words that stand there for each, see SumWords. One that was rewritten comes again.
// What is damaged comes without an id. The transaction must not write on the way.
func (tx *Tx) ShelfSums(chat ChatID) iter.Seq2[NodeID, uint64] {
	return func(yield func(NodeID, uint64) bool) {
		b := tx.inner(bucketWords, string(chat))
		if b == nil {
			return
		}
		sums := make([]uint64, shelfSize)
		for shelf := range b.shelves() {
			clear(sums)
			table := b.raw.Get(shelfKey(shelf, 't'))
			last := len(table)/ulidSize - 1
			if !sumShelf(b, shelf, sums, last) && !yield("", 0) {
				return
			}
			for at := min(last, shelfSize-1); at >= 0; at-- {
				if !yield(nodeOf(table[at*ulidSize:(at+1)*ulidSize]), sums[at]) {
					return
				}
			}
		}
	}
}

// sumShelf adds up the words of a shelf by place, and reports whether all can be read and there
// is a message at each place.
func sumShelf(b *bucket, shelf uint32, sums []uint64, last int) (sound bool) {
	placed := true
	sound = b.eachWord(shelf, "", func(word, v []byte) {
		sum, to := sumOf(word), -1
		eachPlace(v, func(at int, _ bool) {
			sums[at] += sum
			to = at
		})
		placed = placed && to >= 0 && to <= last
	})
	return sound && placed
}

// ForgetWords takes all messages of a chat off their shelves: their words have to be taken
// in again.
func (tx *Tx) ForgetWords(chat ChatID) error {
	return ioError("save "+kindWords, tx.drop(string(chat), bucketWords))
}
