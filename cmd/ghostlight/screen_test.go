package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A change on the screen is written to the file, and the engine uses it immediately.
func TestFileSettings_InForceAtOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("OLLAMA_HOST", "")
	file := filepath.Join(dir, "config.toml")
	const mine = "# mine\n[ollama]\nnum_ctx = 4096 # small\n"
	if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	app := cli.New(nil, nil, nil, "test")
	root := newRoot(app)
	if err := root.ParseFlags([]string{"--config", file, "--data", filepath.Join(dir, "data"), "--ollama", "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if err := app.Prepare(); err != nil {
		t.Fatal(err)
	}
	e, err := app.Open(cli.OnScreen)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.Close(e, nil); err != nil {
			t.Error(err)
		}
	}()
	f := &fileSettings{app: app, eng: e}
	must := func(s config.Setting, err error) config.Setting {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	context := func() int { return e.Models.ContextOf(storage.Chat{}, nil) }
	if s := must(f.Set("ollama.num_ctx", "6000")); s.Source != config.FromFile || context() != 6000 {
		t.Errorf("%+v; the context has %d tokens", s, context())
	}
	if _, err := f.Set("ollama.num_ctx", "9"); err == nil || !strings.Contains(err.Error(), "from 256") || context() != 6000 {
		t.Errorf("refused: %v, %d", err, context())
	}
	if s := must(f.Unset("ollama.num_ctx")); s.Source != config.FromDefault || s.Value != "8192" || context() != 8192 {
		t.Errorf("%+v; the context has %d tokens", s, context())
	}
	must(f.Set("ollama.num_ctx", "4096"))
	if text, _ := os.ReadFile(file); string(text) != "# mine\n[ollama]\nnum_ctx = 4096\n# small\n" {
		t.Errorf("the file is %q", text)
	}
	if err := e.Models.SetDefaultModel("chosen"); err != nil {
		t.Fatal(err)
	}
	source := func(name string) config.Setting {
		t.Helper()
		list, err := f.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s.Name == name {
				return s
			}
		}
		t.Fatalf("there is no %s", name)
		return config.Setting{}
	}
	if s := source("ollama.model"); s.Value != "chosen" || s.Source != config.FromProgram {
		t.Errorf("the model is %+v", s)
	}
	if s := must(f.Set("ollama.model", "mine")); s.Value != "mine" || s.Source != config.FromFile || e.Models.ModelOf(storage.Chat{}) != "mine" {
		t.Errorf("the model is %+v", s)
	}
	if s := source("ollama.url"); s.Source != config.FromFlag {
		t.Errorf("the server is %+v", s)
	}
}

func TestPresentable(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"Mara Lind", "ml"}: "Mara", {"mara,,,", "mlind"}: "Mara", {"", "mara.lind"}: "Mara", {"mlind", "mlind"}: "Mlind", {"", "root"}: "", {"root", "root"}: "",
		{"", `BOX\jo99`}: "Jo", {"", "ädna"}: "Ädna", {"", ""}: "", {"", "anne-lise@work"}: "Anne-lise",
	} {
		if got := presentable(in[0], in[1]); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
