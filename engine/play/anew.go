package play

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// Some models cannot go on from the beginning of a reply: their template ends whatever stands
// last, and they write another one. Of those a reply is begun anew where it is cut.

// maxRestarts is how often a reply is begun anew; after that what is not wanted stands, marked.
const maxRestarts = 3

// modelRestarts reports whether a model is known to begin anew, by its template or by what it did.
func (svc *Service) modelRestarts(p preparedRequest) bool {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return p.anew || svc.anew[p.request.Model]
}

// handleRestart notes that the model has begun anew where it was to go on, and does what there is to
// do then.
func (b *backtracker) handleRestart(sum *ollama.Result) (more bool) {
	b.restarts = true
	b.svc.mu.Lock()
	if b.svc.anew == nil {
		b.svc.anew = map[string]bool{}
	}
	b.svc.anew[b.p.request.Model] = true
	b.svc.mu.Unlock()
	if b.t.continued != nil {
		b.trimToSentence(sum)
		return false
	}
	b.restart()
	return true
}

// restart throws the reply away, which is written once more from its beginning.
func (b *backtracker) restart() {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	b.t.cost.anew++
	b.t.cost.tokens += b.count(b.voiceWatch.Piece(b.initialLen, b.voiceWatch.Len()))
	if b.t.cost.anew >= maxRestarts {
		b.voiceWatch.AllowRest()
	}
	b.voiceWatch.End(b.initialLen, "")
	b.voiceWatch.Rescan()
	b.heldSpace, b.attempt, b.emitted, b.arrivals = "", 1, min(b.emitted, b.initialLen), nil
	b.s.cut(b.initialLen)
}

// What says again what stands there is left out where that is short, and begins another text
// where it is long. Of fewer bytes it may be said twice.
const (
	minEcho  = 24
	maxEcho  = 80
	longEcho = 400
)

// isRestart reports whether what comes behind what stands there begins another text: it goes on
// from the middle of a sentence with a word, and leaves no space before it; or it begins as
// that does, and then says something else.
func isRestart(kept, piece string) bool {
	if voice.Whole(kept) {
		text := strings.TrimLeftFunc(piece, unicode.IsSpace)
		return len(text) >= maxEcho && strings.HasPrefix(kept, text[:maxEcho]) &&
			(len(kept) > longEcho || !repeatsKept(kept, piece))
	}
	before, _ := utf8.DecodeLastRuneInString(kept)
	r, n := utf8.DecodeRuneInString(piece)
	if strings.ContainsRune("*\"“„«", r) && n < len(piece) {
		r, _ = utf8.DecodeRuneInString(piece[n:])
	}
	return (unicode.IsLetter(before) || before == ',') && unicode.IsUpper(r)
}

// repeatsKept reports whether what comes says again what stands there, as far as it has come.
func repeatsKept(kept, piece string) bool {
	text := strings.TrimLeftFunc(piece, unicode.IsSpace)
	return len(kept) >= minEcho && voice.Whole(kept) && strings.HasPrefix(kept, text[:min(len(text), len(kept))])
}

// withoutRepeated returns what comes without what stood there, which has been said again.
func withoutRepeated(kept, piece string) string {
	text := strings.TrimLeftFunc(piece, unicode.IsSpace)
	return text[min(len(text), len(kept)):]
}
