package themes

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func hex(t *testing.T, s string) color.Color {
	t.Helper()
	c, err := parseColor(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var textRoles = strings.Fields("text dim accent speech action strong code quote heading ooc user character warning error success")

func backgrounds(dark bool) []string {
	if dark {
		return []string{"#000000", "#1a1b26", "#222222"}
	}
	return []string{"#ffffff", "#fdf6e3", "#eeeeee"}
}

func TestBuiltins_Complete(t *testing.T) {
	set, errs := Load("")
	if len(errs) != 0 || len(set) != len(order) || set[0].Name != DefaultName {
		t.Fatalf("%v, %v", set.Names(), errs)
	}
	for _, th := range set {
		data, err := builtin.ReadFile(th.Name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		bases := Set{{}} // nothing to borrow from
		if th.Name == "ghostlight-italic" {
			bases = set[:1] // only its narration is its own
		}
		bare, errs := parse(th.Name, "x", data, bases)
		if len(errs) > 0 {
			t.Errorf("%s: %v", th.Name, errs)
		}
		for _, dark := range []bool{true, false} {
			p := bare.Palette(dark)
			for _, role := range roles {
				if *p.slot(role) == nil {
					t.Errorf("%s, dark %v: no %s", th.Name, dark, role)
				}
			}
		}
	}
	if entries, _ := builtin.ReadDir("."); len(entries) != len(order) {
		t.Errorf("%d embedded files, %d in the order", len(entries), len(order))
	}
}

// highest are the themes whose text has the contrast that WCAG calls AAA.
var highest = map[string]bool{"blackout": true, "beacon": true}

func TestBuiltins_Contrast(t *testing.T) {
	set, _ := Load("")
	for _, th := range set {
		for _, dark := range []bool{true, false} {
			p := th.Palette(dark)
			least := 4.5
			if highest[th.Name] {
				least = 7
			}
			at := func(what string, fg, bg color.Color, want float64) {
				t.Helper()
				if got := contrast(fg, bg); got < want {
					t.Errorf("%s, dark %v: %s: contrast %.2f < %.1f", th.Name, dark, what, got, want)
				}
			}
			for _, bg := range backgrounds(dark) {
				for _, role := range textRoles {
					at(role+" on "+bg, *p.slot(role), hex(t, bg), least)
				}
				at("faint on "+bg, p.Faint, hex(t, bg), 3)
				at("border on "+bg, p.Border, hex(t, bg), 1.5)
			}
			at("accent", p.AccentText, p.Accent, least)
			at("selection", p.SelectionText, p.Selection, least)
			at("side matter in the selection", p.SelectionDim(), p.Selection, 4.5)
			if p.SelectionDim() == p.SelectionText {
				t.Errorf("%s, dark %v: side matter in the selection does not stand back", th.Name, dark)
			}
			at("status", p.StatusText, p.Status, least)
			at("text on the status bar", p.Dim, p.Status, 3)
		}
	}
}

// In 256 colours text must stay readable; in 16 it must not take the colour of the background.
func TestBuiltins_FewColours(t *testing.T) {
	set, _ := Load("")
	for _, th := range set {
		for _, dark := range []bool{true, false} {
			p := th.Palette(dark)
			for _, role := range textRoles {
				c := *p.slot(role)
				for _, bg := range backgrounds(dark) {
					if got := contrast(colorprofile.ANSI256.Convert(c), hex(t, bg)); got < 4 {
						t.Errorf("%s, dark %v: %s on %s in 256 colours: contrast %.2f", th.Name, dark, role, bg, got)
					}
				}
				got, ok := colorprofile.ANSI.Convert(c).(ansi.BasicColor)
				if !ok {
					t.Fatalf("%T", colorprofile.ANSI.Convert(c))
				}
				if dark && got == ansi.Black || !dark && (got == ansi.White || got == ansi.BrightWhite || got == ansi.BrightYellow) {
					t.Errorf("%s, dark %v: %s becomes terminal colour %d", th.Name, dark, role, got)
				}
			}
			for _, pair := range [][2]color.Color{{p.AccentText, p.Accent}, {p.SelectionText, p.Selection}, {p.SelectionDim(), p.Selection}, {p.StatusText, p.Status}} {
				if a, b := colorprofile.ANSI.Convert(pair[0]), colorprofile.ANSI.Convert(pair[1]); a == b {
					t.Errorf("%s, dark %v: text and bar become the same terminal colour %v", th.Name, dark, a)
				}
			}
		}
	}
}

// write puts files into a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Narration is upright but in a theme that says otherwise.
func TestNarration(t *testing.T) {
	set, errs := Load(write(t, map[string]string{
		"slant.toml": "base = 'ghostlight-italic'\n", "plain.toml": "base = 'ghostlight-italic'\nnarration = 'upright'\n", "odd.toml": "narration = 'bold'\n"}))
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "neither upright nor italic") {
		t.Errorf("faults: %v", errs)
	}
	for name, want := range map[string]bool{DefaultName: false, "beacon": false, "ghostlight-italic": true, "slant": true, "plain": false, "odd": false} {
		th, _ := set.Find(name)
		if got := th.Palette(true).ItalicNarration; got != want || th.Palette(false).ItalicNarration != want {
			t.Errorf("%s: italic %v", name, got)
		}
	}
}

func TestLoad_AddsAndReplaces(t *testing.T) {
	set, errs := Load(write(t, map[string]string{
		"dusk.toml":       "title = 'Dusk'\nbase = 'footlights'\n[colors]\nfog = '#abc'\n[dark]\naction = 'fog'\nspeech = '214'\n",
		"ghostlight.toml": "[light]\ntext = '#010203'\n",
		"notes.txt":       "nothing",
	}))
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	if got := fmt.Sprint(set.Names()); got != "[ghostlight footlights blackout beacon ghostlight-italic dusk]" {
		t.Errorf("names %s", got)
	}
	foot, _ := set.Find("footlights")
	dusk, ok := set.Find("dusk")
	if !ok || dusk.Title != "Dusk" || !strings.HasSuffix(dusk.Source, "dusk.toml") {
		t.Errorf("%v %+v", ok, dusk)
	}
	p := dusk.Palette(true)
	if p.Action != (color.RGBA{0xaa, 0xbb, 0xcc, 0xff}) || p.Speech != ansi.IndexedColor(214) || p.Text != foot.Palette(true).Text {
		t.Errorf("%v %v %v", p.Action, p.Speech, p.Text)
	}
	own, _ := set.Find(DefaultName)
	if own.Palette(false).Text != (color.RGBA{1, 2, 3, 0xff}) || own.Palette(true) != Default().Palette(true) {
		t.Error("the user's ghostlight does not overlay the built-in one")
	}
}

func TestLoad_Faults(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"bad colour", "a.toml", "[dark]\ntext = '#12'\n", `a.toml: dark.text: bad colour "#12"`},
		{"bad named colour", "a.toml", "[colors]\nfog = 'blue-ish'\n", `a.toml: colors.fog: bad colour "blue-ish"`},
		{"unknown name", "a.toml", "[light]\ntext = 'nowhere'\n", `a.toml: light.text: bad colour "nowhere"`},
		{"no such role", "a.toml", "[dark]\ntxet = '#fff'\n", "a.toml: dark.txet: no such role"},
		{"unknown key", "a.toml", "title = 'x'\nink = 'y'\n", "a.toml:2: ink: unknown key"},
		{"syntax", "a.toml", "[dark\ntext = 1\n", "a.toml:1:"},
		{"wrong type", "a.toml", "[dark]\ntext = 7\n", "a.toml:2:"},
		{"no such base", "a.toml", "base = 'noon'\n", `a.toml: base: no built-in theme "noon"`},
		{"name", "My Theme.toml", "", "takes only a-z"},
		{"too large", "a.toml", strings.Repeat("#", maxFile+1), "larger than 64 KB"},
		{"out of range", "a.toml", "[dark]\ntext = '256'\n", "bad colour"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, errs := Load(write(t, map[string]string{tt.file: tt.text}))
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.want) {
				t.Errorf("faults %v, want one with %q", errs, tt.want)
			}
			for _, th := range set {
				p := th.Palette(true)
				for _, role := range roles {
					if *p.slot(role) == nil {
						t.Errorf("%s: %s is nil", th.Name, role)
					}
				}
			}
		})
	}
}

func TestLoad_NoFolder(t *testing.T) {
	if set, errs := Load(filepath.Join(t.TempDir(), "none")); len(errs) != 0 || len(set) != len(order) {
		t.Errorf("%v %v", set.Names(), errs)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range order {
		data, err := builtin.ReadFile(name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("[dark]\ntext = '#12'\nx.y = 3"))
	base := Set{Default()}
	f.Fuzz(func(t *testing.T, data []byte) {
		th, _ := parse("x", "x.toml", data, base)
		p := th.Palette(false)
		if th.Name != "" && p.Text == nil {
			t.Error("no text colour")
		}
	})
}

func BenchmarkDefault(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = Default()
	}
}
