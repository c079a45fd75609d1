package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFiles(t *testing.T) {
	in, err := ReadCardFile("testdata/v1.json")
	if err != nil || in.Card.Name != "Mara Quill" {
		t.Error(in.Card.Name, err)
	}
	f, err := ReadChatFile("testdata/chat.jsonl")
	if err != nil || len(f.Messages) != 5 {
		t.Error(len(f.Messages), err)
	}
	dir := t.TempDir()
	if err := os.Symlink(must(filepath.Abs("testdata/v1.json")), filepath.Join(dir, "link.json")); err != nil {
		t.Skip(err)
	}
	if _, err := ReadCardFile(filepath.Join(dir, "link.json")); err != nil {
		t.Error(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestPastedPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"card.png", "two words.json", "it's.CHARX", "naïve%20.jsonl", "notes.txt"} {
		if err := os.WriteFile(at(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("dir.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, want string }{
		{at("card.png"), at("card.png")},
		{at("card.png") + " \r\n", at("card.png")},
		{"'" + at("card.png") + "' ", at("card.png")},
		{`"` + at("two words.json") + `"`, at("two words.json")},
		{at("two words.json"), at("two words.json")},
		{strings.ReplaceAll(at("two words.json"), " ", `\ `) + " ", at("two words.json")},
		{at("it\\'s.CHARX"), at("it's.CHARX")},
		{"'" + dir + `/it'\''s.CHARX'`, at("it's.CHARX")},
		{`"` + at("it's.CHARX") + `"`, at("it's.CHARX")},
		{"file://" + dir + "/two%20words.json", at("two words.json")},
		{"file://localhost" + dir + "/na%C3%AFve%2520.jsonl\n", at("naïve%20.jsonl")},
		{at("naïve%20.jsonl"), at("naïve%20.jsonl")},
		{"~/card.png", at("card.png")},
		{`~/two\ words.json`, at("two words.json")},
		{"testdata/v1.json", "testdata/v1.json"},
		{"", ""}, {" \n", ""}, {"hello", ""}, {at("none.png"), ""}, {at("notes.txt"), ""}, {at("dir.png"), ""},
		{dir, dir}, {filepath.Base(dir), ""}, // a folder of cards, by its whole path
		{at("card.png") + " " + at("two words.json"), ""},
		{at("card.png") + "\n" + at("card.png"), ""},
		{"look at " + at("card.png"), ""},
		{"'" + at("card.png"), ""},
		{at("card.png") + `\`, ""},
		{"file://elsewhere" + at("card.png"), ""},
		{"file://" + dir + "/card.png%00", ""},
		{"file://%zz/card.png", ""},
		{at("card.png") + "\x00", ""},
		{"/" + strings.Repeat("a", maxPath) + ".png", ""},
		{"~nobody/card.png", ""},
	}
	for _, tt := range tests {
		got, ok := PastedPath(tt.text)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: %q %v, want %q", tt.text, got, ok, tt.want)
		}
	}
}

func TestDetect(t *testing.T) {
	chat, v2 := string(load(t, "chat.jsonl")), string(load(t, "v2.json"))
	tests := []struct {
		name, head string
		want       Kind
	}{
		{"a.jsonl", chat, KindChat},
		{"a.json", chat, KindChat},
		{"", chat[:300], KindChat},
		{"a.jsonl", bom + chat, KindChat},
		{"a.jsonl", `{"name":"A","is_user":true,"mes":"cut of`, KindChat},
		{"a.jsonl", `{"odd":1}`, KindChat},
		{"a.json", v2, KindCard},
		{"a.json", v2[:120], KindCard},
		{"a.json", string(load(t, "v1.json")), KindCard},
		{"a.json", string(load(t, "v3.json")), KindCard},
		{"a.json", string(load(t, "legacy.json")), KindCard},
		{"a.json", `{"data":{"name":"cut`, KindCard},
		{"a.json", string(load(t, "lorebook.json")), KindLorebook},
		{"a.json", `{"entries":{"0":{"uid":0,"cont`, KindLorebook},
		{"a.json", `{"spec":"lorebook_v3","data":{}}`, KindLorebook},
		{"a.json", `{"lorebookVersion":5}`, KindLorebook},
		{"a.json", `{"kind":"memory","name":"x"}`, KindLorebook},
		{"a.png", string(plainPNG(t)), KindCard},
		{"a.png", string(withChunks(plainPNG(t), cardText("naidata", "{}"))), KindLorebook},
		{"a.charx", "PK\x03\x04", KindCard},
		{"a.zip", "PK\x03\x04....card.json", KindCard},
		{"a.zip", "PK\x03\x04", KindUnknown},
		{"a.jpg", "\xff\xd8\xff", KindUnknown},
		{"a.json", "", KindUnknown}, {"a.jsonl", "", KindUnknown}, {"a.json", "[]", KindUnknown},
		{"a.json", "{", KindUnknown}, {"a.json", `{"a"`, KindUnknown}, {"a.json", `{"temperature":1}`, KindUnknown},
		{"a.txt", "hello", KindUnknown},
		{"a.json", `{"id":"1","name":"Us","members":["a.png"],"allow_self_responses":false,"chats":[]}`, KindGroup},
		{"a.json", `{"id":"1","name":"Us","members":["a.png"],"chat_metadata":{},"chat_id":"x"}`, KindGroup},
		{"a.json", `{"scriptName":"x","findRegex":"/a/","replaceString":""}`, KindRegex},
		{"a.json", `{"version":2,"name":"x","qrList":[]}`, KindQuickReplies},
		{"a.json", `{"personas":{},"persona_descriptions":{}}`, KindPersonas},
		{"a.json", `{"username":"x","power_user":{}}`, KindSettings},
		{"a.json", `{"temperature":1,"top_p":1}`, KindPreset},
		{"a.json", `{"name":"x","input_sequence":""}`, KindPreset},
		{"a.json", `{"story_string":"x"}`, KindPreset},
		{"a.json", `{"name":"x","content":"y"}`, KindPreset},
	}
	for _, tt := range tests {
		if got := Detect(tt.name, []byte(tt.head)); got != tt.want {
			t.Errorf("%s %.40q: %s, want %s", tt.name, tt.head, got, tt.want)
		}
	}
	if !DetectChat([]byte(chat)) || DetectChat([]byte(v2)) {
		t.Error("DetectChat")
	}
}
