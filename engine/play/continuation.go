package play

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// continuation returns the request that continues the kept part of the reply. It begins exactly as
// the first request did.
func (b *backtracker) continuation() ollama.Request {
	req := b.p.request
	req.Yields = false
	text := b.voiceWatch.Text()
	b.t.mu.Lock()
	b.continues = text != ""
	b.t.mu.Unlock()
	if b.continues {
		req.Messages = slices.Clone(req.Messages)
		m := ollama.Message{Role: string(storage.Assistant), Content: text}
		if !b.noThink && b.t.continued == nil {
			m.Thinking = b.thinking.String()
		}
		if n := len(req.Messages); b.t.continued != nil && n > 0 && req.Messages[n-1].Role == m.Role {
			req.Messages = req.Messages[:n-1]
		}
		req.Messages = append(req.Messages, m)
		if b.noThink {
			req.Think = ollama.ThinkOff
		}
	}
	req.Options.NumPredict = max(minLeft, req.Options.NumPredict-b.count(text[b.initialLen:]))
	seed := rand.IntN(1 << 30)
	if s := b.p.request.Options.Seed; s != nil {
		seed = *s + b.t.backtracks()
	}
	req.Options.Seed = &seed
	if hot, ok := b.temperature(); ok {
		req.Options.Temperature = &hot
	}
	return req
}

// temperature returns the temperature for the first words of a continuation, and reports whether it
// differs from the model's own.
func (b *backtracker) temperature() (float64, bool) {
	own := 0.8
	if t := b.p.request.Options.Temperature; t != nil {
		own = *t
	}
	raise := b.attempt - 1
	if own < minTemperature {
		own, raise = minTemperature, b.attempt
	}
	if raise <= 0 || own >= maxTemperature {
		return own, false
	}
	return min(own+raiseStep*float64(raise), maxTemperature), true
}

// filterStart receives the first text of a continuation and returns what to add to the reply; ""
// means nothing yet, or never. The caller holds t.mu.
func (b *backtracker) filterStart(piece string) string {
	if !b.cutAt.IsZero() {
		b.t.cost.waited += time.Since(b.cutAt)
		b.cutAt = time.Time{}
	}
	kept := b.voiceWatch.Text()
	piece = b.repeatedText + piece
	b.emptyReplies = 0
	if isRestart(kept, piece) {
		b.stop(stopRestart)
		return ""
	}
	if repeatsKept(kept, piece) {
		b.repeatedText = piece
		if piece = withoutRepeated(kept, piece); piece == "" {
			return ""
		}
		b.t.keepRejected(storage.Rejected{Kind: string(voice.Repeat), Text: bounded(kept, maxText),
			At: len(kept), Tries: 1})
		b.t.cost.tokens += b.count(kept)
	}
	b.repeatedText = ""
	gap := b.heldSpace
	b.hasText, b.heldSpace = true, ""
	return joined(kept, gap, piece)
}

// joined restores the white space that preceded the cut text, if the model has written none itself.
func joined(kept, gap, piece string) string {
	r, n := utf8.DecodeRuneInString(piece)
	line := strings.Contains(gap, "\n")
	switch {
	case gap == "" || unicode.IsSpace(r):
		return piece
	case strings.ContainsRune("\"*_'’“«»”", r):
		if strings.ContainsRune(voice.Open(kept), r) {
			return piece
		}
	case strings.ContainsRune("-–—", r):
		if !line || n == len(piece) && r != '-' {
			return piece
		}
	case strings.ContainsRune(".,;:!?…)]}」』）。、，！？%", r):
		return piece
	}
	return gap + piece
}
