package tui

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// What terminals answer, as they write it, and what is made of it.
func TestUnderstand(t *testing.T) {
	tests := []struct {
		name, said string
		want       picture.Answers
		mode       picture.Mode
	}{
		{"kitty", "\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.35.2)\x1b\\\x1b[6;20;10t\x1b[4;800;1200t\x1b[?62;52;c",
			picture.Answers{Fenced: true, Version: "kitty(0.35.2)", Kitty: true, Cell: picture.Cell{W: 10, H: 20}}, picture.Kitty},
		{"an xterm with Sixel, and a key typed meanwhile", "\x1bP>|XTerm(390)\x1b\\x\x1b[6;17;8t\x1b[?64;1;2;4;6;9;15;16;17;18;21;22;28c",
			picture.Answers{Fenced: true, Version: "XTerm(390)", Cell: picture.Cell{W: 8, H: 17}}, picture.Sixel},
		{"one that tells its size in pixels only", "\x1b[4;480;800t\x1b[?62;4c",
			picture.Answers{Fenced: true, Cell: picture.Cell{W: 10, H: 20}}, picture.Sixel},
		{"one that refuses", "\x1b_Gi=31;ENOTSUP\x1b\\\x1b[?1;2c", picture.Answers{Fenced: true}, picture.Blocks},
		{"nonsense", "\x1b[6;0;0t\x1b[6;99999;1t\x1bP>|\x1b\\\x1b[4t\x1b[?c", picture.Answers{Fenced: true}, picture.Blocks},
		{"nothing", "", picture.Answers{}, picture.Blocks},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var a picture.Answers
			parseAnswers(&a, []byte(tt.said), 80, 24)
			tt.want.Attributes, tt.want.TrueColor = a.Attributes, true // how they are read shows in the mode
			a.TrueColor = true
			if diff := cmp.Diff(tt.want, a); diff != "" {
				t.Error(diff)
			}
			if mode, why := picture.Choose(a, picture.Auto); mode != tt.mode {
				t.Errorf("%s: %s", mode, why)
			}
		})
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add([]byte("\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.35.2)\x1b\\\x1b[6;20;10t\x1b[?62;c"))
	f.Add([]byte("\x1b[4;800;1200t\x1b[\x1bP\x1b_G"))
	f.Fuzz(func(t *testing.T, said []byte) {
		if len(said) > 1<<12 {
			return
		}
		var a picture.Answers
		parseAnswers(&a, said, 0, 0)
		if len(a.Version) > 1<<10 || strings.ContainsAny(a.Version, "\x1b\n") {
			t.Fatalf("it calls itself %q", a.Version)
		}
	})
}

// listen stops at the last answer, however the others come in pieces.
func TestListen(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	go func() {
		for _, piece := range []string{"\x1bP>|fo", "ot(1.18.1)\x1b", "\\\x1b[6;2", "0;10t\x1b[?62;", "4;22c"} {
			_, _ = out.WriteString(piece)
		}
		_ = out.Close()
	}()
	a := listen(t.Context(), in, 80, 24)
	if a.Version != "foot(1.18.1)" || a.Cell != (picture.Cell{W: 10, H: 20}) || !a.Fenced {
		t.Errorf("%+v", a)
	}
}
