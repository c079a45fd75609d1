package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ghostlight/engine/library/bundled"
	"ghostlight/storage"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// decoded is JSON without the order of its keys.
func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

func TestEnsureBundled_Once(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	who, err := s.Characters()
	if err != nil || len(who) != 1 || who[0].Immersion != storage.Full {
		t.Fatalf("%d characters, %v", len(who), err)
	}
	personas, err := s.Personas()
	if err != nil || len(personas) != 1 || !personas[0].Default {
		t.Fatalf("personas: %+v %v", personas, err)
	}
	must(t, s.EnsureBundled())
	must(t, s.DeleteCharacter(who[0].ID))
	must(t, s.DeletePersona(personas[0].ID))
	s.reopen()
	must(t, s.EnsureBundled())
	if who, err = s.Characters(); err != nil || len(who) != 0 {
		t.Errorf("who was deleted is back: %+v %v", who, err)
	}
	if turn := s.say("Who are you?"); turn.Content == "" { // the chat stays
		t.Errorf("turn: %+v", turn)
	}
}

func TestCharacter_RoundTrip(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var card map[string]any
	must(t, json.Unmarshal(bundled.CardJSON(), &card))
	data := card["data"].(map[string]any)
	data["name"], data["nickname"], data["invented_field"] = "Somebody Else", "", map[string]any{"n": []any{1.5, nil, "x"}}
	text, err := json.Marshal(card)
	must(t, err)
	got, err := s.Import(write(t, "card.json", string(text)))
	must(t, err)
	if got.Chat.ID != "" || got.Character.Card.Name != "Somebody Else" || got.Character.ID == "" {
		t.Errorf("imported: %+v", got.Character.Card)
	}
	for _, format := range []string{"json", "png"} {
		path, err := s.ExportCharacterFile(got.Character.ID, format, "")
		must(t, err)
		again, err := s.Import(path)
		if err != nil || !reflect.DeepEqual(again.Character.Card, got.Character.Card) {
			t.Fatalf("%s: %v\n%+v\n%+v", format, err, again.Character.Card, got.Character.Card)
		}
		out, err := s.ExportCharacter(again.Character.ID, "json")
		must(t, err)
		kept := decoded(t, out).(map[string]any)["data"].(map[string]any)
		if !reflect.DeepEqual(kept["invented_field"], decoded(t, []byte(`{"n": [1.5, null, "x"]}`))) {
			t.Errorf("%s: the unknown field became %v", format, kept["invented_field"])
		}
	}
	if who, err := s.Characters(); err != nil || len(who) != 4 {
		t.Errorf("%d characters, %v", len(who), err)
	}
	if _, err := s.ExportCharacter(got.Character.ID, "gif"); !errors.Is(err, ErrNothing) {
		t.Errorf("a format that is none: %v", err)
	}
	for name, text := range map[string]string{"photo.png": "\xff\xd8\xff\xe0JFIF", "no.json": `{"a": 1}`, "empty.png": ""} {
		if _, err := s.Import(write(t, name, text)); err == nil || Words(err) == "" {
			t.Errorf("%s was taken for a card", name)
		}
	}
	if _, err := s.Import(filepath.Join(t.TempDir(), "nowhere.png")); !strings.Contains(Words(err), "does not exist") {
		t.Errorf("the words for a missing file are %q", Words(err))
	}
}

func TestSaveCharacterAndPersona(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: " "}}); !errors.Is(err, ErrNothing) {
		t.Errorf("without a name: %v", err)
	}
	if _, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: "X"}, Immersion: "deep"}); err == nil {
		t.Error("an immersion that is none was taken")
	}
	who, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: "New"}})
	if err != nil || who.ID == "" || who.Immersion != storage.Full {
		t.Errorf("a new one: %+v %v", who, err)
	}
	chat, err := s.NewChat(who.ID, "")
	must(t, err)
	s.chat = chat.ID
	if turn := s.say("Hello, {{char}}, I am {{user}}."); s.node(turn.UserMessage).Content != "Hello, New, I am Robin." || s.node(turn.UserMessage).Parent != "" {
		t.Errorf("without a greeting the first message is %+v", s.node(turn.UserMessage))
	}
	a, err := s.SavePersona(storage.Persona{Name: "Ada", Default: true})
	must(t, err)
	list, err := s.Personas()
	if err != nil || len(list) != 2 || list[0].ID != a.ID || list[1].Default {
		t.Errorf("personas: %+v %v", list, err)
	}
	must(t, s.DeletePersona(a.ID))
	if v := s.view(); v.Persona.Name != "Robin" {
		t.Errorf("the chat's persona is %+v", v.Persona)
	}
}

const tavern = `{"chat_metadata":{"integrity":"6f0e","variables":{"n":1.50}},"user_name":"unused","character_name":"unused","future":[1]}
{"name":"Mara Quill","is_user":false,"is_system":false,"send_date":"2024-11-2@10h11m12s345ms","mes":"Hm? You again.","extra":{"model":"gemma3:4b","scene_recap_versions":[{"text":"a"}]},"swipes":["You are late.","Hm? You again."],"swipe_id":1,"swipe_info":[{"send_date":"2024-11-2@10h11m12s345ms","extra":{"model":"gemma3:1b","odd":1e2}},{"send_date":"2024-11-2@10h11m13s000ms","gen_started":"x","extra":{"model":"gemma3:4b"}}],"precise":1.10}
{"name":"Ada","is_user":true,"is_system":false,"send_date":"November 2, 2024 10:12am","mes":"The ferry was slow.","extra":{},"force_avatar":"User Avatars/a.png"}
{"name":"Mara Quill","is_user":false,"is_system":true,"send_date":1730542999000,"mes":"(hidden)","extra":{}}
{"name":"Mara Quill","is_user":false,"is_system":false,"send_date":"2024-11-02T10:20:00.000Z","mes":"third","swipes":["first","second","third"],"swipe_id":2,"swipe_info":[{"send_date":"2024-11-02T10:19:00.000Z","extra":{}}],"extra":{}}
`

func TestChat_RoundTrip(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	got, err := s.Import(write(t, "An evening.jsonl", tavern))
	must(t, err)
	if got.Chat.Title != "An evening" || got.Character.Card.Name != "Mara Quill" {
		t.Errorf("imported: %+v, %q", got.Chat, got.Character.Card.Name)
	}
	s.chat = got.Chat.ID
	s.expectContents("Hm? You again. (2/2); The ferry was slow.; (hidden); third (3/3)")
	var out bytes.Buffer
	must(t, s.ExportChat(s.chat, &out))
	want, have := strings.Split(strings.TrimSpace(tavern), "\n"), strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(want) != len(have) {
		t.Fatalf("%d lines became %d:\n%s", len(want), len(have), out.String())
	}
	for i := range want {
		w, h := decoded(t, []byte(want[i])).(map[string]any), decoded(t, []byte(have[i])).(map[string]any)
		for key := range w {
			if !reflect.DeepEqual(w[key], h[key]) && key != "swipe_info" {
				t.Errorf("line %d, %s: %v became %v", i, key, w[key], h[key])
			}
		}
	}
	// And once more, from what was written, after it was played on.
	s.say("And then?")
	s.hangPicture()
	out.Reset()
	must(t, s.ExportChat(s.chat, &out))
	if n := strings.Count(out.String(), "\n"); n != len(want)+2 || strings.Contains(out.String(), "scene_capture") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
	path, err := s.ExportChatFile(s.chat, t.TempDir())
	must(t, err)
	again, err := s.ImportChat(path, got.Character.ID)
	must(t, err)
	if again.Character.ID != got.Character.ID || again.Chat.ID == got.Chat.ID {
		t.Errorf("again: %+v", again.Chat)
	}
	s.chat = again.Chat.ID
	if v := s.view(); len(v.Messages) != 6 || v.Messages[3].Siblings != 3 || v.Messages[3].At != 2 {
		t.Errorf("again: %s", s.story())
	}
	moved, err := s.Swipe(s.chat, s.view().Messages[3].ID, -1)
	if !moved || err != nil || s.last().Content != "second" {
		t.Errorf("swiping in an imported chat: %t %v %q", moved, err, s.last().Content)
	}
	s.say("Goes it on?")
	s.sound()
}

func (s *stage) expectContents(want string) {
	s.t.Helper()
	var out []string
	for _, m := range s.view().Messages {
		line := m.Content
		if m.Siblings > 1 {
			line += fmt.Sprintf(" (%d/%d)", m.At+1, m.Siblings)
		}
		out = append(out, line)
	}
	if got := strings.Join(out, "; "); got != want {
		s.t.Errorf("the chat reads\n\t%s\nwant\n\t%s", got, want)
	}
}

func TestChat_RoundTripOdd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const odd = `{"user_name":"Ada","character_name":"Mara","chat_metadata":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":null,"mes":"nothing","extra":{}}
{"name":"Ada","is_user":true,"is_system":false,"send_date":"","mes":"empty","extra":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":"vor drei Tagen","mes":"foreign","extra":{}}
{"name":"Ada","is_user":true,"is_system":false,"mes":"none","extra":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":"2024-11-2@10h11m12s","mes":"last","extra":{},"swipes":["last"],"swipe_id":7,"swipe_info":[{"send_date":"gestern","extra":{}}]}
`
	got, err := s.Import(write(t, "odd.jsonl", odd))
	must(t, err)
	s.chat = got.Chat.ID
	var out bytes.Buffer
	must(t, s.ExportChat(s.chat, &out))
	want := strings.Replace(odd, `"swipe_id":7`, `"swipe_id":0`, 1)
	w, h := strings.Split(want, "\n"), strings.Split(out.String(), "\n")
	if len(w) != len(h) {
		t.Fatalf("%s", out.String())
	}
	for i := range w[:len(w)-1] {
		if !reflect.DeepEqual(decoded(t, []byte(w[i])), decoded(t, []byte(h[i]))) {
			t.Errorf("line %d\n\t%s\nbecame\n\t%s", i, w[i], h[i])
		}
	}
}

// longChat is a chat file of so many lines, every seventh with three swipes.
func longChat(lines int) string {
	var b strings.Builder
	b.WriteString(`{"user_name":"Robin","character_name":"Tove","chat_metadata":{}}` + "\n")
	for i := range lines {
		swipes := ""
		if i%7 == 0 {
			swipes = fmt.Sprintf(`,"swipes":["one %d","two %d","line %d, said under the lamp"],"swipe_id":2`, i, i, i)
		}
		fmt.Fprintf(&b, `{"name":"%s","is_user":%t,"send_date":"2024-11-02T10:20:00.000Z","mes":"line %d, said under the lamp"%s,"extra":{}}`+"\n",
			[]string{"Tove", "Robin"}[i%2], i%2 == 1, i, swipes)
	}
	return b.String()
}

func TestImportChat_Long(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	got, err := s.Import(write(t, "long.jsonl", longChat(1000)))
	must(t, err)
	if v, err := s.View(got.Chat.ID, 200); err != nil || v.Total != 1000 || v.Messages[199].Content != "line 999, said under the lamp" {
		t.Errorf("imported: %d of %d messages, %v", len(v.Messages), v.Total, err)
	}
	for _, text := range []string{"", "\n\n", "not a chat\n", `{"a":1}` + "\n"} {
		if got, err := s.Import(write(t, "bad.jsonl", text)); err == nil {
			t.Errorf("%q became %+v", text, got)
		}
	}
	if list, err := s.Chats(); err != nil || len(list) != 2 {
		t.Errorf("%d chats are left, %v", len(list), err)
	}
}
