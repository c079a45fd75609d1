package text_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// message is a reply of 200 words as models write them, with typographic signs.
var message = strings.Repeat("*She leans on the rail and doesn’t look up.* “You took your time — I almost left.” The lantern swings. ", 10)

// foreign is a text of letters beyond ASCII.
var foreign = strings.Repeat("Она не поднимает глаз. Zoë führt ihn über die Straße. ", 18)

func BenchmarkFold(b *testing.B) {
	for name, s := range map[string]string{"ASCII": strings.ReplaceAll(strings.ReplaceAll(message, "’", "'"), "—", "-"), "Signs": message, "Foreign": foreign} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				text.Fold(s)
			}
		})
	}
}

func BenchmarkWords(b *testing.B) {
	for name, s := range map[string]string{"Signs": message, "Foreign": foreign} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				for range text.Words(s) {
				}
			}
		})
	}
}

func BenchmarkSentences(b *testing.B) {
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		for range text.Sentences(message) {
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		text.Normalize("- **Mara** killed Jonas in the old mill — with the miller’s knife.")
	}
}

func BenchmarkShingles(b *testing.B) {
	other := text.NewShingles(message)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		text.NewShingles(message).Resemblance(other)
	}
}

func BenchmarkTokens(b *testing.B) {
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		text.Tokens(message)
	}
}
