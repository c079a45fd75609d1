package voice

import (
	"hash/maphash"
)

// gram is how many words in a row are compared, by which sentences are known again.
const gram = 4

// A sentence stands there again when it has RepeatWords and four of five runs of words were
// said before, or so many words in a row.
const (
	repeatWords = 6
	repeatRun   = 10
	doubtRun    = 6
)

var seed = maphash.MakeSeed()

// Said are the sentences of earlier replies. It is never changed.
type Said struct{ grams map[[gram]uint64]struct{} }

// mostSaid bounds what is kept of earlier replies, in runs of words.
const mostSaid = 100_000

// NewSaid takes replies, from the newest.
func NewSaid(replies []string) *Said {
	s := &Said{grams: map[[gram]uint64]struct{}{}}
	for _, text := range replies {
		w := New(Rules{Said: s}, "")
		w.said.into = s.grams
		w.replay = true
		w.add(text)
		w.fold.finish()
		w.search()
		w.said.ended()
		if len(s.grams) > mostSaid {
			break
		}
	}
	return s
}

// follower reads the words of a reply.
type follower struct {
	said *Said
	own  map[[gram]uint64]struct{} // of the sentences of this reply
	into map[[gram]uint64]struct{} // where own goes, nil for own

	hash  maphash.Hash
	at    int // where the word begins
	last  [gram]uint64
	words int // of this sentence
	long  int // the same in quarters of a word: letters of scripts without blanks are less than one
	all   int // the same of the reply
	size  int // of the word, in bytes
	lead  [2]byte
	grams [][gram]uint64
	hits  int
	run   int // quarters of words in a row that were said before
	doubt int // where the word begins that makes it doubtful
}

// take takes the next byte of the folded text.
func (f *follower) take(b byte, at int) {
	switch b {
	case wordBegins:
		if f.said != nil {
			f.hash.SetSeed(seed)
		}
		f.at, f.size = at, 0
	case wordEnds:
		f.words++
		f.long += f.weight()
		f.all += f.weight()
		if f.said != nil {
			f.word(f.hash.Sum64())
		}
	case ' ':
	default:
		if f.size < len(f.lead) {
			f.lead[f.size] = b
		}
		f.size++
		if f.said != nil {
			_ = f.hash.WriteByte(b)
		}
	}
}

// weight is how many quarters of a word the last one is.
func (f *follower) weight() int {
	switch {
	case f.size == 3 && f.lead[0] >= 0xE3 && f.lead[0] <= 0xE9: // Kana, Han
		return 2
	case f.size <= 9 && f.lead[0] == 0xE0 && f.lead[1] >= 0xB8: // Thai, Lao
		return 1
	}
	return 4
}

func (f *follower) word(h uint64) {
	copy(f.last[:], f.last[1:])
	f.last[gram-1] = h
	if f.words < gram {
		return
	}
	f.grams = append(f.grams, f.last)
	_, said := f.said.grams[f.last]
	if !said {
		_, said = f.own[f.last]
	}
	if !said {
		f.run = 0
		return
	}
	f.hits++
	before := f.run
	if f.run += f.weight(); before == 0 {
		f.run *= gram
	}
	if before < 4*doubtRun && f.run >= 4*doubtRun {
		f.doubt = f.at
	}
}

// repeats tells whether the sentence that is complete was said before.
func (f *follower) repeats() bool {
	return f.long >= 4*repeatWords && f.hits*5 >= len(f.grams)*4 && f.hits > 0
}

// certain tells it of one that is still being written.
func (f *follower) certain() bool { return f.run >= 4*repeatRun }

// doubtful is from where a sentence is to be held back.
func (f *follower) doubtful() (int, bool) { return f.doubt, f.run >= 4*doubtRun }

// ended takes a sentence to what was said.
func (f *follower) ended() {
	if f.said != nil && len(f.grams) > 0 {
		into := f.into
		if into == nil {
			if f.own == nil {
				f.own = map[[gram]uint64]struct{}{}
			}
			into = f.own
		}
		for _, g := range f.grams {
			into[g] = struct{}{}
		}
	}
	f.grams, f.words, f.long, f.hits, f.run, f.last = f.grams[:0], 0, 0, 0, 0, [gram]uint64{}
}
