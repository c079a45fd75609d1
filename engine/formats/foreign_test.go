package formats

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func foreignFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "foreign", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// told returns a chat in a few lines: its format, names and title, and each message as
// "role name: words", with its swipes.
func told(f ChatFile) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s | %s | %s | %s\n", f.Format, f.UserName, f.CharacterName, f.Title)
	for _, m := range f.Messages {
		hidden := ""
		if m.Hidden {
			hidden = " hidden"
		}
		fmt.Fprintf(&out, "%s%s %s: %s", m.Role, hidden, m.Name, m.Content)
		for i, s := range m.Swipes {
			mark := "|"
			if i == m.Chosen {
				mark = "*"
			}
			fmt.Fprintf(&out, " %s%s", mark, s.Content)
		}
		out.WriteString("\n")
	}
	if f.Lorebook != nil {
		for _, e := range f.Lorebook.Entries {
			fmt.Fprintf(&out, "lore %s %s: %s\n", e.Name, strings.Join(e.Keys, ","), e.Content)
		}
	}
	for _, more := range f.More {
		out.WriteString("-- " + told(more))
	}
	return out.String()
}

func TestReadChat_OtherPrograms(t *testing.T) {
	tests := []struct{ file, want string }{
		{"risu_v1.json", `RisuAI | User |  | The lamp
user User: Is the lamp lit?
assistant : It was, once.
assistant hidden : (a note to myself)
user hidden User: Never mind.
lore Lamp lamp,light: It burns oil.
`},
		{"risu_all_v2.json", `RisuAI | User |  | First watch
assistant : You are late.
user User: The ferry was slow.
-- RisuAI | User |  | Second watch
user User: Again?
`},
		{"agnai_chat_v1.json", `Agnai | User |  | Fog on the pier
assistant : Mind the step.
user User: I see it.
`},
		{"agnai_chat_v2.json", `Agnai | Ada | Mara Quill | 
assistant Mara Quill: Mind the step.
user Ada: I see it.
user hidden Ada: brb, tea
`},
		{"textgen_data.json", `text-generation-webui | User |  | 
assistant : Mind the step.
user User: I'm here.
assistant : So you are.
`},
		{"textgen_history.json", `text-generation-webui | User |  | 
assistant : Mind the step.
user User: I'm here.
assistant : So you are, and late. |So you are. *So you are, and late.
`},
		{"textgen_session.json", `text-generation-webui | Ada | Mara Quill | 
user Ada: Hello?
assistant Mara Quill: Mind the step.
`},
		{"cai_dumper.json", `Character.AI | [NAME_REDACTED] | Mara Quill | 
assistant Mara Quill: Mind the step.
user [NAME_REDACTED]: I see it.
assistant Mara Quill: Do you? *Do you? |Good.
-- Character.AI |  | Mara Quill | 
assistant Mara Quill: Back again.
`},
		{"cai_history.json", caiTold("")},
		{"cai_page.json", caiTold("")},
		{"cai_turns.json", caiTold("assistant Mara Quill: Do you? *Do you? |Good.\n")},
		{"cai_tools.json", caiTold("")},
		{"cai_tools_all.json", caiTold("-- Character.AI |  | Mara Quill | \nassistant Mara Quill: Back again.\n")},
		{"kobold_story.json", `KoboldAI Lite, story | User | Narrator | 
assistant Narrator: The lamp went out.
assistant Narrator: Nobody noticed at first.
assistant Narrator: Then the ships did.
lore Lamp lamp,light: It burns oil.
`},
		{"kobold_chat.json", `KoboldAI Lite, chat | Ada | Mara Quill | 
user Ada: Is anybody there?
assistant Mara Quill: Mind the step.
It is wet.
user Ada: I see it.
assistant Tove: So do I.
`},
		{"kobold_adventure.json", `KoboldAI Lite, adventure | User | Narrator | 
assistant Narrator: You stand on a pier.
user User: walk to the light
assistant Narrator: The stairs are wet.

You hear a bell.
`},
		{"kobold_instruct.json", `KoboldAI Lite, instruct | Ada | Mara Quill | 
user Ada: Who keeps the light?
assistant Mara Quill: Mara does.
user Ada: Since when?
assistant Mara Quill: Since the storm.
`},
		{"kobold_united_v3.json", `KoboldAI Lite, story | User | Narrator | The lamp
assistant Narrator: The lamp went out.
assistant Narrator: Nobody noticed.
assistant Narrator: At first.
assistant Narrator: Then they did.
lore Lamp lamp: It burns oil.
`},
		{"backyard_chat_v1.json", `Backyard | User |  | 
user User: Is the lamp lit?
assistant : It was, once.
`},
		{"backyard_chat_v2.json", `Backyard | User |  | The lamp
user User: Is the lamp lit?
assistant : It was, once.
assistant : Come in.
`},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		seen[tt.file] = true
		data := foreignFile(t, tt.file)
		if kind := Detect("", data); kind != KindChat {
			t.Errorf("%s is taken for a %s", tt.file, kind)
		}
		f, err := ReadChat(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		if diff := cmp.Diff(tt.want, told(f)); diff != "" {
			t.Errorf("%s: %s", tt.file, diff)
		}
		checkForeign(t, f)
		if _, err := ReadCard("x.json", data); !errors.Is(err, ErrNotCard) || !strings.Contains(err.Error(), "this is a chat of ") && !strings.HasPrefix(tt.file, "cai_tools") {
			t.Errorf("%s as a card: %v", tt.file, err)
		}
	}
	for _, name := range []string{"risu", "agnai_chat", "textgen_", "cai", "kobold", "backyard_chat"} {
		files, _ := filepath.Glob(filepath.Join("testdata", "foreign", name+"*.json"))
		for _, file := range files {
			if !seen[filepath.Base(file)] {
				t.Errorf("%s is in no test", file)
			}
		}
	}
}

func caiTold(more string) string {
	return "Character.AI | Ada | Mara Quill | \nassistant Mara Quill: Mind the step.\nuser Ada: I see it.\n" + more
}

// checkForeign writes a chat in SillyTavern's format and expects it back.
func checkForeign(t testing.TB, f ChatFile) {
	t.Helper()
	for _, f := range append([]ChatFile{f}, f.More...) {
		var out bytes.Buffer
		if err := WriteChat(&out, f, func(yield func(ChatMessage, error) bool) {
			for _, m := range f.Messages {
				if !yield(m, nil) {
					return
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		again, err := ReadChat(&out)
		if err != nil {
			t.Fatal(err)
		}
		if again.CharacterName == "" {
			again.CharacterName = f.CharacterName
		}
		if len(again.Messages) != len(f.Messages) || again.UserName != f.UserName && f.UserName != "unused" {
			t.Fatalf("%d messages of %q became %d of %q", len(f.Messages), f.UserName, len(again.Messages), again.UserName)
		}
		for i, m := range again.Messages {
			if was := f.Messages[i]; m.Content != was.Content || m.Name != was.Name || m.Hidden != was.Hidden || !m.CreatedAt.Equal(was.CreatedAt) || len(m.Swipes) != len(was.Swipes) || m.Chosen != was.Chosen {
				t.Fatalf("message %d was %+v and is %+v", i, was, m)
			}
		}
	}
}

func TestReadChat_WhatIsCarried(t *testing.T) {
	read := func(name string) ChatFile {
		f, err := ReadChat(bytes.NewReader(foreignFile(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	risu := read("risu_v1.json")
	for _, want := range []string{`"note_prompt":"Keep it foggy."`, `"risuai":{`, `"$mood":"calm"`, `"fmIndex":-1`} {
		if !bytes.Contains(risu.Header, []byte(want)) {
			t.Errorf("no %s in %s", want, risu.Header)
		}
	}
	if m := risu.Messages[1]; m.Model != "mistral" || m.CreatedAt.IsZero() || !bytes.Contains(m.Extra, []byte(`"inputTokens":812`)) {
		t.Errorf("a message of RisuAI became %+v %s", m, m.Extra)
	}
	story := read("kobold_story.json")
	for _, want := range []string{`"scenario":"A lighthouse in 1893."`, `"note_prompt":"[Author's note: slow and foggy]"`, `"temperature":0.75`, `"altbranches":[["Another."]]`} {
		if !bytes.Contains(story.Header, []byte(want)) {
			t.Errorf("no %s in %s", want, story.Header)
		}
	}
	if bytes.Contains(story.Header, []byte("api_key")) {
		t.Errorf("a key was carried: %s", story.Header)
	}
	if all := strings.Join(story.Warnings, "\n"); !strings.Contains(all, "pictures in the text (1)") || !strings.Contains(all, "other branches of the story (1)") {
		t.Errorf("warnings: %s", all)
	}
	if m := read("textgen_history.json").Messages[1]; m.CreatedAt.IsZero() || !bytes.Contains(m.Extra, []byte("I&#x27;m here.")) {
		t.Errorf("what was shown is gone: %+v %s", m, m.Extra)
	}
}

// TestReadChat_WhatItIsInstead expects that a file that is no chat is told what it is.
func TestReadChat_WhatItIsInstead(t *testing.T) {
	for text, want := range map[string]string{
		`{"members":["a"],"chat_id":"x","chats":["x"]}`:     "this is a SillyTavern group file",
		string(foreignFile(t, "agnai_text.json")):           "this is a character card",
		string(foreignFile(t, "textgen.yaml")):              "this is a character card",
		string(plainPNG(t)):                                 "this is a PNG picture without a card",
		string(plainJPEG(t)):                                "this is a JPEG picture without a card",
		string(archive(t, entry{"x.txt", []byte("hello")})): "this is an archive",
		`{"chat":{},"version":1}`:                           "no ChatItems",
		`{"type":"risuChat","ver":2,"data":[]}`:             "what calls itself a RisuAI chat",
		`{"internal":[],"visible":[]}`:                      "has no messages",
		`{"histories":{"histories":[]}}`:                    "has no messages",
		`[{"isHuman":true,"message":5}]`:                    "no messages of a chat",
	} {
		if _, err := ReadChat(strings.NewReader(text)); !errors.Is(err, ErrNotChat) && !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzForeignChat(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "foreign", "*"))
	for _, file := range files {
		f.Add(foreignFile(f, filepath.Base(file)))
	}
	f.Add(backyardArchive(f))
	f.Add([]byte(`{"chat":{"ChatItems":[{"input":"Is the lamp lit?","createdAt":"2023-08-01T10:00:00.0001"}]},"version":0}`)) // finer than a chat's file says it
	f.Fuzz(func(t *testing.T, data []byte) {
		if file, err := readForeign(data); err == nil {
			checkForeign(t, file)
		}
	})
}

// TestReadChatFile_NamesTheFile expects the name of the file in a refusal.
func TestReadChatFile_NamesTheFile(t *testing.T) {
	_, err := ReadChatFile(filepath.Join("testdata", "foreign", "agnai_text.json"))
	if err == nil || err.Error() != `read chat "agnai_text.json": not a chat: this is a character card: import it as a character` {
		t.Error(err)
	}
}

func FuzzPersonas(f *testing.F) {
	f.Add([]byte(`{"personas":{"a.png":"Ada","b.png":7},"persona_descriptions":{"a.png":{"description":"Walks.","lorebook":"x"},"b.png":"old"},"default_persona":"a.png"}`))
	f.Add([]byte(`{"power_user":{"personas":{"a.png":"Ada"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, err := readPersonas(data)
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("%d personas, %v", len(list), err)
		}
	})
}
