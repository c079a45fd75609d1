package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// Tokens of hosted servers are written into the file, which nobody else may read then, and
// shown nowhere.
func TestHeaders_AreSecret(t *testing.T) {
	t.Parallel()
	f := File{Path: filepath.Join(t.TempDir(), "config.toml")}
	if err := os.WriteFile(f.Path, []byte("# mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"comfyui.headers": "https://gpu.example Authorization: Bearer s3cret", "ollama.headers": `["X-Key: s3cret", "X-Team: s3cret, too"]`} {
		if _, err := f.Set(name, value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s, err := Read(f.Path, true)
	if err != nil || len(s.Ollama.Headers) != 2 || len(s.ComfyUI.Headers) != 1 {
		t.Fatalf("%v: %+v", err, s)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	list, err := f.List(s)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := toml.Marshal(s.WithDefaults().Shown())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintf("%+v", list), string(shown)} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "Authorization: ••••") || !strings.Contains(text, "X-Key: ••••") {
			t.Errorf("shown: %.2000s", text)
		}
	}
	for _, bad := range []string{"Authorization: ••••", "s3cret", "Bad Name: s3cret"} {
		if _, err := f.Set("comfyui.headers", bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if again, err := Read(f.Path, true); err != nil || len(again.ComfyUI.Headers) != 1 {
		t.Errorf("%v: %v", err, again.ComfyUI.Headers)
	}
}
