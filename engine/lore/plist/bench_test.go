package plist

import (
	"strings"
	"testing"
)

func BenchmarkDiff(b *testing.B) {
	before := "[character-Mara: " + strings.Repeat("owes(Robin, 5), hair(red), keeper of the old light, ", 8) + "calm]"
	after := strings.ReplaceAll(before, "red", "black")
	for b.Loop() {
		Diff(before, after)
	}
}

func BenchmarkCheck1MB(b *testing.B) {
	text := "[character-Mara: " + strings.Repeat("owes(Robin, 5), hair(red), keeper of the old light, ", 20000) + "calm]"
	for b.Loop() {
		Check(text, Want{Name: "Mara"})
	}
}

func BenchmarkParse1MB(b *testing.B) {
	text := "[character-Mara: " + strings.Repeat("owes(Robin, 5), hair(red), keeper of the old light, ", 20000) + "calm]"
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
