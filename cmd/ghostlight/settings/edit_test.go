package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPut_LeavesAllElse(t *testing.T) {
	for name, c := range map[string]struct{ text, path, literal, want string }{
		"a value":               {"# mine\n[ollama]\nnum_ctx = 1 # why\n", "ollama.num_ctx", "2", "# mine\n[ollama]\nnum_ctx = 2 # why\n"},
		"an empty file":         {"", "ui.dark", `"dark"`, "[ui]\ndark = \"dark\"\n"},
		"a new table":           {"[ui]\ndark = 'x'", "ollama.seed", "1", "[ui]\ndark = 'x'\n\n[ollama]\nseed = 1\n"},
		"a key more":            {"[ollama]\n  a = 1\n\n# next\n[ui]\nb = 2\n", "ollama.seed", "1", "[ollama]\n  a = 1\n  seed = 1\n\n# next\n[ui]\nb = 2\n"},
		"below an empty header": {"[ollama] # x\n[ui]\n", "ollama.seed", "1", "[ollama] # x\nseed = 1\n[ui]\n"},
		"dotted":                {"ollama.a = 1\n[ui]\n", "ollama.seed", "2", "ollama.a = 1\nollama.seed = 2\n[ui]\n"},
		"dotted value":          {"ollama . seed = 1\n", "ollama.seed", "2", "ollama . seed = 2\n"},
		"dotted in a table":     {"[lore]\nreview.a = \"x\"\n", "lore.review.b", `"y"`, "[lore]\nreview.a = \"x\"\nreview.b = \"y\"\n"},
		"inline":                {"ui = { dark = \"a\", images = \"b\" }\n", "ui.images", `"off"`, "ui = { dark = \"a\", images = \"off\" }\n"},
		"inline, one more":      {"ui = { dark = \"a\" } # c\n", "ui.images", `"off"`, "ui = { dark = \"a\", images = \"off\" } # c\n"},
		"inline, first":         {"ui = {}\n", "ui.images", `"off"`, "ui = { images = \"off\" }\n"},
		"a text of lines":       {"[comfyui]\nstyle = \"\"\"\nnum = 1\n[ui]\n\"\"\" # c\nfree = 1\n", "comfyui.style", `"s"`, "[comfyui]\nstyle = \"s\" # c\nfree = 1\n"},
		"a list of lines":       {"[ollama]\n  stop = [ # one\n  'a', # ]\n 'b']\n", "ollama.stop", `["c"]`, "[ollama]\n  # one\n  # ]\n  stop = [\"c\"]\n"},
		"line ends":             {"[ui]\r\ndark = 'a'\r\n", "ui.images", `"off"`, "[ui]\r\ndark = 'a'\r\nimages = \"off\"\r\n"},
		"no last line end":      {"[ui]\ndark = 'a'", "ui.images", `"off"`, "[ui]\ndark = 'a'\nimages = \"off\""},
		"no header's line end":  {"[ui]", "ui.images", `"off"`, "[ui]\nimages = \"off\""},
		"a list of tables":      {"[[quick_replies]]\nkey = 'a'\n", "keys.quit", `["f1"]`, "[[quick_replies]]\nkey = 'a'\n\n[keys]\nquit = [\"f1\"]\n"},
		"quoted":                {"\"ui\".'dark' = 1\n", "ui.dark", "2", "\"ui\".'dark' = 2\n"},
		"a mark at the start":   {"\ufeff[ui]\ndark = 1\n", "ui.dark", "2", "\ufeff[ui]\ndark = 2\n"},
		"a deeper table":        {"[lore]\nfill = true\n", "lore.review.default", `"review"`, "[lore]\nfill = true\n\n[lore.review]\ndefault = \"review\"\n"},
	} {
		got, err := put([]byte(c.text), pathOf(c.path), c.literal)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q, not\n%q", name, err, got, c.want)
		}
	}
}

func TestRemoved_KeepsComments(t *testing.T) {
	for name, c := range map[string]struct{ text, path, want string }{
		"a line":           {"[ui]\n  dark = 'a'\nimages = 'b'\n", "ui.dark", "[ui]\nimages = 'b'\n"},
		"with a comment":   {"[ui]\n  dark = 'a'  # mine\n", "ui.dark", "[ui]\n  # mine\n"},
		"inner comments":   {"[ollama]\n  stop = [ # one\n 'a']\n  x = 1\n", "ollama.stop", "[ollama]\n  # one\n  x = 1\n"},
		"inline, first":    {"ui = { a = 1, b = 2 }\n", "ui.a", "ui = { b = 2 }\n"},
		"inline, last":     {"ui = { a = 1, b = 2 }\n", "ui.b", "ui = { a = 1 }\n"},
		"inline, the only": {"ui = { a = 1 }\n", "ui.a", "ui = {  }\n"},
		"not there":        {"[ui]\n", "ui.a", "[ui]\n"},
		"the last line":    {"[ui]\na = 1", "ui.a", "[ui]\n"},
	} {
		got, err := removed([]byte(c.text), pathOf(c.path))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q, not\n%q", name, err, got, c.want)
		}
	}
}

// Whatever a file looks like: a change leaves all other values, and all bytes outside
// the value; what was put in anew can be taken out again.
func FuzzPut(f *testing.F) {
	for _, s := range []string{"", "[ollama]\nseed = 1 # x\n", "ollama.seed = 1\nollama.b.c = {d = [1, {e = 'x'}], 'f' = \"\"\"a\"\"\"\"}\n", "ollama = { a = 1, b = { c = 2 } }\n",
		"\ufeff[ a . 'b' ]\r\nc = [\r\n # y\r\n 1,\r\n]\r\n[[l]]\nx = 1979-05-27 07:32:00Z\n[l.m]\nseed = -inf\n", "a = '''\n'''\n[ollama]\n[ollama.seed]\nx=1", "ollama.x.seed = nan\n[ollama.y]\n", "\"ollama\".\"s\\u0065ed\" = 1 # c"} {
		f.Add([]byte(s), "ollama.seed")
		f.Add([]byte(s), "ollama.b.new")
		f.Add([]byte(s), "lore.review.x")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		path := pathOf(name)
		if len(path) < 2 || bytes.ContainsAny([]byte(name), "\x00\ufffd") {
			return
		}
		l, err := scan(text)
		if _, wrong := values(text); wrong != nil || err != nil {
			return
		}
		out, err := put(text, path, `"new"`) // which looks at the values itself
		if err != nil {
			return
		}
		e := l.find(path)
		if e != nil {
			if back := splice(out, 0, 0, ""); len(e.comments) == 0 && (!bytes.HasPrefix(back, text[:e.value]) || !bytes.HasSuffix(back, text[e.end:])) {
				t.Fatalf("more was changed than the value:\n%q\n%q", text, out)
			}
			if again, err := put(out, path, string(text[e.value:e.end])); err == nil && len(e.comments) == 0 && !bytes.Equal(again, text) {
				t.Fatalf("put back it is another file:\n%q\n%q", text, again)
			}
			return
		}
		if len(out) <= len(text) {
			t.Fatalf("nothing was put in:\n%q", out)
		}
		back, err := removed(out, path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(strings.ReplaceAll(string(back), " ", ""), strings.ReplaceAll(strings.TrimRight(line, "\r\n"), " ", "")) {
				t.Fatalf("a line is missing:\n%q\n%q", text, back)
			}
		}
	})
}

func TestFile_ChangesAndRefuses(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "new", "config.toml")}
	s, err := f.Set("ollama.temperature", "0,7")
	if err != nil || *s.Ollama.Temperature != 0.7 {
		t.Fatalf("%v: %+v", err, s.Ollama)
	}
	for _, c := range [][3]string{
		{"ollama.num_ctx", "12", "ollama.num_ctx must be a whole number from 256 to 1048576"},
		{"ollama.num_ctx", "many", "ollama.num_ctx must be a whole number, not \"many\""},
		{"ui.dark", "dusk", "ui.dark must be auto, dark or light, not \"dusk\""},
		{"taste.learn", "perhaps", "taste.learn must be true or false, not \"perhaps\""},
		{"ollama.temprature", "1", "unknown setting ollama.temprature; ghostlight config list shows them"},
		{"temperature", "1", "unknown setting temperature; did you mean ollama.temperature"},
		{"keys.", "f1", "unknown setting keys."},
	} {
		if _, err := f.Set(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s = %s: %v", c[0], c[1], err)
		}
	}
	if s, err = f.Set("keys.capture", "f12, ctrl+g"); err != nil || len(s.Keys["capture"]) != 2 {
		t.Errorf("%v: %v", err, s.Keys)
	}
	if _, err = f.Unset("ollama.temperature"); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(f.Path); string(text) != "[ollama]\n\n[keys]\ncapture = [\"f12\", \"ctrl+g\"]\n" {
		t.Errorf("the file is %q", text)
	}
}

// Every setting says what it is for, and what it is by itself can be written.
func TestList_ExplainsEach(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "config.toml")}
	list, err := f.List(Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Purpose == "" {
			t.Errorf("%s is not explained", s.Name)
		}
		if s.SectionPurpose == "" {
			t.Errorf("[%s] is not explained", s.Section)
		}
		if s.Value != s.Default || s.Source != "default" {
			t.Errorf("%s is %q (%s), and by itself %q", s.Name, s.Value, s.Source, s.Default)
		}
		if s.Default == "" {
			continue
		}
		if _, err := f.Set(s.Name, s.Default); err != nil {
			t.Errorf("%s = %s: %v", s.Name, s.Default, err)
		}
	}
	if len(list) < 80 {
		t.Errorf("only %d settings", len(list))
	}
}

// The time that a model stays loaded is a duration, a word, or Ollama's own notation.
func TestOllama_Kept(t *testing.T) {
	t.Parallel()
	minutes := func(n int) *time.Duration { return new(time.Duration(n) * time.Minute) }
	for text, want := range map[string]*time.Duration{"": minutes(30), "5m": minutes(5), "0": minutes(0), "0s": minutes(0), "always": new(time.Duration(-1)), "-1": new(time.Duration(-1)), "server": nil} {
		o := Ollama{KeepAlive: text}
		if got := o.Kept(); (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for text, ok := range map[string]bool{"-1": true, "0": true, "5m": true, "always": true, "server": true, "-5m": false, "5": false, "25h": false, "soon": false} {
		s := Settings{Ollama: Ollama{KeepAlive: text}}
		if err := s.WithDefaults().check(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "keep_alive") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
