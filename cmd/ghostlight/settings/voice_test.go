package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVoice_Phrases(t *testing.T) {
	for text, fault := range map[string]string{
		`phrases = ["barely above a whisper", "/shivers? down/", "/"]`: "",
		`phrases = ["  "]`:                               "2:1: voice.phrases has a phrase without words",
		`phrases = ["/(a/"]`:                             "2:1: voice.phrases has a regular expression that cannot be read",
		`phrases = "whisper"`:                            "voice.phrases must be a list, not text",
		`phrases = ["` + strings.Repeat("x", 501) + `"]`: "phrase of 501 bytes",
	} {
		_, err := parse("config.toml", []byte("[voice]\n"+text))
		if fault == "" && err != nil || fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%.60s: %v, not %q", text, err, fault)
		}
	}
}

// A phrase with commas and quotes comes out of the file as it went in.
func TestVoice_PhrasesAreWritten(t *testing.T) {
	f := File{Path: filepath.Join(t.TempDir(), "config.toml")}
	s, err := f.Set("voice.phrases", `["maybe, just maybe", "said \"no\"", "/it['’]s/"]`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"maybe, just maybe", `said "no"`, "/it['’]s/"}; strings.Join(s.Voice.Phrases, "|") != strings.Join(want, "|") {
		t.Errorf("it says %q", s.Voice.Phrases)
	}
	list, err := f.List(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, is := range list {
		if is.Name == "voice.phrases" {
			if again, err := f.Set(is.Name, is.Value); err != nil || strings.Join(again.Voice.Phrases, "|") != strings.Join(s.Voice.Phrases, "|") {
				text, _ := os.ReadFile(f.Path)
				t.Errorf("shown as %s it is read as %q (%v): %s", is.Value, again.Voice.Phrases, err, text)
			}
		}
	}
}
