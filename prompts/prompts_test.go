package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuiltInFilesAreSound(t *testing.T) {
	infos := BuiltIn().Names()
	for _, want := range []string{"chat/main", "chat/continue", "chat/next", "chat/impersonate", "chat/immersion-minimal",
		"chat/immersion-balanced", "chat/immersion-full", "chat/immersion-unbounded", "chat/actor-goal", "chat/actor-struggle", "chat/actor-dream", "chat/actor-stressor",
		"chat/actor-weights", "chat/actor-tone", "chat/actor-speech", "chat/actor-boundaries", "chat/episode-situation", "chat/episode-frame",
		"chat/episode-question", "chat/episode-resolutions", "chat/episode-motivation", "chat/episode-objective", "chat/episode-obstacle",
		"chat/episode-tactic", "chat/episode-genre", "chat/cast", "chat/nudge", "chat/pointer-memories", "chat/pointer-hooks",
		"recap/detect", "recap/detect-appended", "recap/scene", "recap/scene-appended", "recap/part-appended", "recap/rest", "recap/running", "recap/join", "recap/message", "recap/style-bullets",
		"recap/style-narrative", "recap/style-dialogue", "recap/exam-questions", "recap/exam-answers", "recap/exam-marks"} {
		if !slices.ContainsFunc(infos, func(i Info) bool { return i.Name == want && i.BuiltIn && i.Source == BuiltInSource }) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, i := range infos {
		text := BuiltIn().Text(i.Name)
		if p := check(text, i.Macros, true); p != nil {
			t.Errorf("%s: %v", i.Name, p)
		}
		if len(text) > maxFile {
			t.Errorf("%s is larger than an override may be", i.Name)
		}
	}
}

func TestLoadOverrides(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "chat/main.md", "\ufeffBe {{Char}}.\r\nNow.\r\n\r\n")
	write(t, dir, "recap/bullets.md", "Use {{anything}}.")
	write(t, dir, "chat/.hidden.md", "{{")
	write(t, dir, "notes.txt", "{{")
	s, errs := Load(dir)
	if errs != nil {
		t.Fatal(errs)
	}
	if got := s.Text("chat/main"); got != "Be {{Char}}.\nNow." {
		t.Errorf("text %q", got)
	}
	if got := s.Source("chat/main"); got != path {
		t.Errorf("source %q", got)
	}
	if s.Text("chat/next") != BuiltIn().Text("chat/next") || s.Text("chat/next") == "" {
		t.Error("a file that is not overridden should stay built-in")
	}
	if got := s.Fill("recap/bullets", map[string]string{"ANYTHING": "{{char}}"}); got != "Use {{char}}." {
		t.Errorf("filled %q", got)
	}
	infos := s.Names()
	at := slices.IndexFunc(infos, func(i Info) bool { return i.Name == "recap/bullets" })
	if at < 0 || infos[at].BuiltIn || !slices.Equal(infos[at].Macros, []string{"anything"}) {
		t.Errorf("infos %+v", infos)
	}
	if s.Text("no/such") != "" || s.Source("no/such") != "" || s.Text("../secret") != "" {
		t.Error("unknown names should be empty")
	}
}

func TestLoadNamesWhatIsBroken(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		line, column int
		says         string
	}{
		"unknown macro": {"One.\né {{charr}}", 2, 3, "unknown macro {{charr}}"},
		"unclosed":      {"One.\n\nTwo {{char\n}}", 3, 5, "never closed"},
		"unclosed end":  {"{{char}} {{", 1, 10, "never closed"},
		"nested":        {"{{a{{char}}}}", 1, 1, "never closed"},
		"code":          {"Say {{if x}}", 1, 5, "only {{name}}"},
		"utf-8":         {"é\nab\xffc", 2, 3, "UTF-8"},
		"too large":     {strings.Repeat("x\n", maxFile), maxFile/2 + 1, 1, "larger than 64 KB"},
		"empty":         {"\n\n", 1, 1, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, "chat/main.md", c.text)
			write(t, dir, "chat/next.md", "Go on.")
			s, errs := Load(dir)
			var p *Problem
			if len(errs) != 1 || !errors.As(errs[0], &p) {
				t.Fatalf("errors %v", errs)
			}
			if p.File != path || p.Line != c.line || p.Column != c.column || !strings.Contains(p.Fault, c.says) {
				t.Errorf("got %v; want line %d, column %d, %q", p, c.line, c.column, c.says)
			}
			if s.Text("chat/main") != BuiltIn().Text("chat/main") {
				t.Error("the built-in text is not in use")
			}
			if s.Text("chat/next") != "Go on." {
				t.Error("the sound file beside it was lost")
			}
		})
	}
}

func TestLoadChecksRecapFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "recap/style-bullets.md", "Call {{user}} and {{Char}} by name.")
	write(t, dir, "recap/scene.md", "Retell.\n---\n{{transcript}} {{wish}} {{mood}}")
	write(t, dir, "recap/running.md", "{{transcript}}")
	write(t, dir, "recap/style-mine.md", "As {{anybody}} likes.")
	s, errs := Load(dir)
	var p *Problem
	if len(errs) != 2 || !errors.As(errs[1], &p) || p.Line != 3 || p.Column != 25 || !strings.Contains(p.Fault, "{{mood}}") ||
		!strings.Contains(errs[0].Error(), "unknown macro {{transcript}}") {
		t.Fatalf("errors %v", errs)
	}
	if s.Text("recap/scene") != BuiltIn().Text("recap/scene") || !strings.HasPrefix(s.Text("recap/style-bullets"), "Call") || s.Text("recap/style-mine") == "" {
		t.Error("the broken file should be left out, and only it")
	}
	for _, i := range s.Names() {
		if strings.HasPrefix(i.Name, "recap/") && i.BuiltIn && (!slices.Contains(i.Macros, "user") || !slices.Contains(i.Macros, "char")) {
			t.Errorf("%s lacks the names: %v", i.Name, i.Macros)
		}
	}
}

func TestLoadWithoutFolder(t *testing.T) {
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if s, errs := Load(dir); errs != nil || s.Text("chat/main") == "" {
			t.Errorf("Load(%q): %v", dir, errs)
		}
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link.md")); err != nil {
		t.Skip("no symlinks here")
	}
	if _, errs := Load(dir); len(errs) != 1 {
		t.Errorf("errors %v", errs)
	}
}

func TestExamples(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "<START>": nil, "a": {"a"}, "<START>\na\n<start>\n\nb\n": {"a", "b"}, "x<START>y<STAR": {"x", "y<STAR"},
	} {
		if got := Examples(in); !slices.Equal(got, want) {
			t.Errorf("Examples(%q) = %q", in, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("{{char}}")
	f.Add("{{ char }} {{{x}} \xff")
	f.Fuzz(func(t *testing.T, text string) {
		p := check(text, plainMacros, true)
		if p != nil && (p.Line < 1 || p.Column < 1) {
			t.Fatalf("%q: no place in %v", text, p)
		}
		if p == nil {
			for _, m := range templateMacros(text) {
				if !slices.ContainsFunc(plainMacros, func(a string) bool { return strings.EqualFold(a, m) }) {
					t.Fatalf("%q passed with {{%s}}", text, m)
				}
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	for _, name := range []string{"chat", "capture"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for _, i := range BuiltIn().Names() {
		if err := os.WriteFile(filepath.Join(dir, i.Name+".md"), []byte(BuiltIn().Text(i.Name)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, errs := Load(dir); errs != nil {
			b.Fatal(errs)
		}
	}
}
