package comfy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestImportWorkflow(t *testing.T) {
	dir, from := filepath.Join(t.TempDir(), "deep", "workflows"), t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := put("My Flow.json", linkedGraph)
	w, err := ImportWorkflow(dir, good, "", false)
	if err != nil || w.Name != "My-Flow" {
		t.Fatalf("%v %q", err, w.Name)
	}
	list, errs := LoadWorkflows(dir)
	if len(errs) > 0 || list[len(list)-1].Name != "My-Flow" || list[len(list)-1].Hash() != w.Hash() {
		t.Errorf("%v: %v", list, errs)
	}
	other := put("other.json", twoTexts)
	if _, err := ImportWorkflow(dir, other, "My-Flow", false); !errors.Is(err, ErrExists) {
		t.Errorf("overwritten: %v", err)
	}
	if w, err := ImportWorkflow(dir, other, "../../My Flow.json", true); err != nil || w.Name != "My-Flow" || w.Check() == nil {
		t.Errorf("%v: %q, %v", err, w.Name, w.Check())
	}
	if _, err := ImportWorkflow(dir, good, "quick-sketch", false); !errors.Is(err, ErrExists) {
		t.Errorf("a built-in one is replaced: %v", err)
	}
	var editor *EditorFormatError
	if _, err := ImportWorkflow(dir, put("e.json", `{"nodes":[],"links":[],"version":1}`), "", false); !errors.As(err, &editor) || editor.Name != "e" {
		t.Errorf("%v", err)
	}
	for _, tt := range []struct{ path, name string }{{put("b.json", `{`), ""}, {from, ""}, {filepath.Join(from, "none.json"), ""}, {good, "///"}, {put("list.json", `[]`), ""}} {
		var fault *WorkflowError
		if _, err := ImportWorkflow(dir, tt.path, tt.name, true); !errors.As(err, &fault) {
			t.Errorf("%s: %v", tt.path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left over: %v %v", entries, err)
	}
	above, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(above) != 1 {
		t.Errorf("outside: %v %v", above, err)
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "My flow (2)": "My-flow-2", "../../etc/passwd": "etc-passwd", `C:\x\y`: "C-x-y", "a\x00b\nc": "a-b-c", "...": "", "": "", ".hidden": "hidden", "-rf": "rf",
		"SDXL_v1.5": "SDXL_v1.5", "end.": "end", "Ünïcode 日本": "Ünïcode-日本", "\u202egnp": "gnp", "nul": "nul-1", strings.Repeat("x", 500): strings.Repeat("x", 80),
	} {
		if got := CleanName(in); got != want {
			t.Errorf("%.40q: %q, want %q", in, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"a", "../b", "日本語 かな", "e\u0301", strings.Repeat("日", 300), "con", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := CleanName(s)
		if strings.ContainsAny(got, "/\\:\x00") || strings.HasPrefix(got, ".") || len(got) > 210 || !utf8.ValidString(got) || got != "" && !filepath.IsLocal(got) {
			t.Fatalf("%q", got)
		}
		if CleanName(got) != got {
			t.Fatalf("%q is cleaned again to %q", got, CleanName(got))
		}
	})
}
