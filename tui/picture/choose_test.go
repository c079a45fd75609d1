package picture

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	cell := Cell{9, 18}
	sixel := []int{62, 4, 22}
	tests := []struct {
		name   string
		a      Answers
		forced Mode
		want   Mode
		why    string
	}{
		{"nothing yet", Answers{}, Auto, Blocks, "did not report its features"},
		{"no answer but Kitty's", Answers{Kitty: true, Version: "kitty(0.35.2)", TrueColor: true}, Auto, Blocks, "did not report its features"},
		{"an old terminal", Answers{Fenced: true, Attributes: []int{1, 2}}, Auto, Blocks, "name unknown"},
		{"kitty", Answers{Fenced: true, Attributes: []int{62, 52}, Version: "kitty(0.35.2)", Kitty: true, TrueColor: true}, Auto, Kitty, "kitty(0.35.2)"},
		{"kitty, the first with placeholders", Answers{Fenced: true, Version: "kitty(0.28.0)", Kitty: true, TrueColor: true}, Auto, Kitty, ""},
		{"kitty, too old", Answers{Fenced: true, Version: "kitty(0.27.1)", Kitty: true, TrueColor: true}, Auto, Blocks, "not known to support placeholder"},
		{"kitty in 256 colours", Answers{Fenced: true, Version: "kitty(0.35.2)", Kitty: true}, Auto, Blocks, "colours"},
		{"ghostty", Answers{Fenced: true, Version: "ghostty 1.1.3", Kitty: true, TrueColor: true}, Auto, Kitty, "ghostty"},
		{"ghostty that refuses the query", Answers{Fenced: true, Version: "ghostty 1.1.3", TrueColor: true}, Auto, Blocks, "did not answer the Kitty query"},
		{"WezTerm says yes to Kitty", Answers{Fenced: true, Attributes: []int{65, 4, 6}, Version: "WezTerm 20240203-110809-5046fc22", Kitty: true, TrueColor: true, Cell: cell}, Auto, ITerm, "WezTerm"},
		{"iTerm2", Answers{Fenced: true, Attributes: sixel, Version: "iTerm2 3.5.10", Kitty: true, TrueColor: true}, Auto, ITerm, "iTerm2"},
		{"Konsole", Answers{Fenced: true, Attributes: sixel, Version: "Konsole 24.08.1", Kitty: true, TrueColor: true, Cell: cell}, Auto, Sixel, "9×18"},
		{"a name that is not kitty's", Answers{Fenced: true, Version: "kittyish 9.0", Kitty: true, TrueColor: true}, Auto, Blocks, ""},
		{"foot", Answers{Fenced: true, Attributes: sixel, Version: "foot(1.18.1)", Cell: cell}, Auto, Sixel, "foot"},
		{"xterm with Sixel", Answers{Fenced: true, Attributes: []int{63, 1, 2, 4}, Version: "XTerm(390)", Cell: cell}, Auto, Sixel, ""},
		{"Sixel without a name", Answers{Fenced: true, Attributes: sixel, Cell: cell}, Auto, Sixel, "name unknown"},
		{"Sixel, but no cell size", Answers{Fenced: true, Attributes: sixel}, Auto, Blocks, "cell size"},
		{"Sixel and nonsense for a cell", Answers{Fenced: true, Attributes: sixel, Cell: Cell{0, 18}}, Auto, Blocks, "cell size"},
		{"44 is not 4", Answers{Fenced: true, Attributes: []int{62, 44}, Cell: cell}, Auto, Blocks, "does not report Sixel"},
		{"tmux without more", Answers{Fenced: true, Attributes: []int{1, 2}, Version: "tmux 3.3a"}, Auto, Blocks, "did not report the outer terminal"},
		{"tmux with Sixel, but around it none", Answers{Fenced: true, Attributes: []int{1, 2, 4}, Version: "tmux 3.5", Cell: cell,
			Tmux: ParseTmux("xterm(353)\tbpaste,title\toff\n")}, Auto, Blocks, "does not know that the outer terminal does"},
		{"tmux with Sixel in foot", Answers{Fenced: true, Attributes: []int{1, 2, 4}, Version: "tmux 3.5", Cell: cell,
			Tmux: ParseTmux("foot(1.18.1)\tRGB,sixel,title\toff\n")}, Auto, Sixel, "foot"},
		{"tmux that hands on, in kitty", Answers{Fenced: true, Attributes: []int{1, 2}, Version: "tmux 3.4", TrueColor: true,
			Tmux: ParseTmux("kitty(0.35.2)\tRGB\ton\n")}, Auto, Kitty, "kitty(0.35.2)"},
		{"tmux that does not hand on, in kitty", Answers{Fenced: true, Attributes: []int{1, 2}, Version: "tmux 3.4", TrueColor: true,
			Tmux: ParseTmux("kitty(0.35.2)\tRGB\toff\n")}, Auto, Blocks, "allow-passthrough"},
		{"tmux of few colours, in kitty", Answers{Fenced: true, Attributes: []int{1, 2}, Version: "tmux 3.4",
			Tmux: ParseTmux("kitty(0.35.2)\t256\tall\n")}, Auto, Blocks, "colours"},
		{"tmux that hands on, in WezTerm", Answers{Fenced: true, Attributes: []int{1, 2}, Version: "tmux 3.4", TrueColor: true,
			Tmux: ParseTmux("WezTerm 20240203\tRGB\ton\n")}, Auto, Blocks, "not known to support placeholder"},
		{"forced, whatever the terminal says", Answers{}, Kitty, Kitty, "ui.images"},
		{"forced off", Answers{Fenced: true, Kitty: true, Version: "kitty(0.35.2)"}, Off, Off, "ui.images"},
		{"forced blocks", Answers{Fenced: true, Kitty: true, Version: "kitty(0.35.2)"}, Blocks, Blocks, "ui.images"},
		{"no setting", Answers{Fenced: true, Attributes: sixel, Cell: cell}, "", Sixel, ""},
		{"a setting that is none", Answers{Fenced: true, Attributes: sixel, Cell: cell}, "ascii", Blocks, "must be one of auto"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mode, why := Choose(tt.a, tt.forced)
			if mode != tt.want || !strings.Contains(why, tt.why) || why == "" {
				t.Errorf("%s, because %s; want %s, because … %s …", mode, why, tt.want, tt.why)
			}
		})
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("kitty(0.35.2)", "kitty(0.35.2)\tRGB\ton")
	f.Add("tmux 3.4", "")
	f.Add("((((....", "\t\t\t")
	f.Fuzz(func(t *testing.T, version, tmux string) {
		mode, why := Choose(Answers{Fenced: true, Kitty: true, TrueColor: true, Version: version, Tmux: ParseTmux(tmux)}, Auto)
		if why == "" || mode == Sixel || mode == Off || mode == Auto {
			t.Fatalf("%s, because %q", mode, why)
		}
	})
}

func TestQuestions(t *testing.T) {
	want := "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q\x1b[16t\x1b[14t\x1b[c"
	if got := Queries(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
