package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// Tokens of hosted servers and keys are written into the file, which nobody else may read then, and
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
	const key = "comfyui-s3cret"
	if _, err := f.Set("comfyui.api_key", key); err != nil {
		t.Fatal(err)
	}
	s, err := Read(f.Path, true)
	if err != nil || s.ComfyUI.APIKey != key {
		t.Fatalf("%v: the key is %q", err, s.ComfyUI.APIKey)
	}
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
	for _, bad := range []string{"••••", "s3cret with spaces"} {
		if _, err := f.Set("comfyui.api_key", bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if again, err := Read(f.Path, true); err != nil || len(again.ComfyUI.Headers) != 1 || again.ComfyUI.APIKey != key {
		t.Errorf("%v: %v", err, again.ComfyUI.Headers)
	}
}

// A password in an address is used, and shown nowhere.
func TestAddresses_PasswordsAreSecret(t *testing.T) {
	t.Parallel()
	f := File{Path: filepath.Join(t.TempDir(), "config.toml")}
	for name, value := range map[string]string{
		"ollama.url": "http://me:s3cret@127.0.0.1:1", "remember.embed_server": "http://me:s3cret@[::1]:1/under?a=b@c",
		"comfyui.urls": "http://me:s3cret@127.0.0.1:2, me:s3cret@far.example:3, http://me:s3/cret@127.0.0.1:4, http://me@plain.example, http://127.0.0.1:8188",
	} {
		if s, err := f.Set(name, value); err != nil {
			t.Fatalf("%s: %v", name, err)
		} else if name == "ollama.url" && s.Ollama.URL != value {
			t.Errorf("%s is %q", name, s.Ollama.URL)
		}
	}
	s, err := Read(f.Path, true)
	if err != nil {
		t.Fatal(err)
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
		for _, want := range []string{"http://me:••••@127.0.0.1:1", "http://me:••••@[::1]:1/under?a=b@c", "me:••••@far.example:3", "http://me@plain.example", "http://127.0.0.1:8188"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in: %.3000s", want, text)
			}
		}
		if strings.Contains(text, "s3") {
			t.Errorf("shown: %.3000s", text)
		}
	}
	if s.Ollama.URL != "http://me:s3cret@127.0.0.1:1" || s.ComfyUI.URLs[0] != "http://me:s3cret@127.0.0.1:2" {
		t.Errorf("in use are %q and %q", s.Ollama.URL, s.ComfyUI.URLs)
	}
	if _, err := f.Set("ollama.url", "http://me:••••@127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "enter the real password") {
		t.Errorf("what was shown is taken back: %v", err)
	}
}
