package play

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// Some models cannot continue a partial reply: their template closes the last message, and they
// write a new one. The reply of such a model is written again from its beginning when it is cut.

// maxRestarts is how often a reply is begun again. After that, unwanted text stays, and is marked.
const maxRestarts = 3

// modelRestarts reports whether a model is known to begin again, by its template or by what it did.
func (svc *Service) modelRestarts(p preparedRequest) bool {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return p.anew || svc.anew[p.request.Model]
}

// handleRestart records that the model has begun again instead of continuing. It begins the reply
// again and reports true, unless the turn continues an older reply, which is trimmed instead.
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

// restart discards the reply, to have it written again from its beginning.
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

// Lengths, in bytes, for a continuation that repeats the kept text. A short kept text that is
// repeated is dropped from the continuation; after a kept text of more than longEcho, a repetition
// of maxEcho counts as a restart. A kept text of fewer than minEcho may be repeated.
const (
	minEcho  = 24
	maxEcho  = 80
	longEcho = 400
)

// isRestart reports whether piece begins another text instead of continuing kept: it continues the
// middle of a sentence with a capitalized word and no space before it, or it begins as kept does
// and then differs.
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

// repeatsKept reports whether piece, as far as it has arrived, repeats kept from its beginning.
func repeatsKept(kept, piece string) bool {
	text := strings.TrimLeftFunc(piece, unicode.IsSpace)
	return len(kept) >= minEcho && voice.Whole(kept) && strings.HasPrefix(kept, text[:min(len(text), len(kept))])
}

// withoutRepeated returns piece without the repeated kept text at its beginning.
func withoutRepeated(kept, piece string) string {
	text := strings.TrimLeftFunc(piece, unicode.IsSpace)
	return text[min(len(text), len(kept)):]
}
