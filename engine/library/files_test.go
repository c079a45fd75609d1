package library_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// decoded returns JSON without the order of its keys.
func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

func TestEnsureBundled_Once(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	who, err := s.Library.Characters()
	if err != nil || len(who) != 1 || who[0].Immersion != storage.Full {
		t.Fatalf("%d characters, %v", len(who), err)
	}
	personas, err := s.Library.Personas()
	if err != nil || len(personas) != 1 || !personas[0].Default {
		t.Fatalf("personas: %+v %v", personas, err)
	}
	enginetest.Must(t, s.Library.EnsureBundled())
	enginetest.Must(t, s.Library.DeleteCharacter(who[0].ID))
	enginetest.Must(t, s.Library.DeletePersona(personas[0].ID))
	s.Reopen()
	enginetest.Must(t, s.Library.EnsureBundled())
	if who, err = s.Library.Characters(); err != nil || len(who) != 0 {
		t.Errorf("who was deleted is back: %+v %v", who, err)
	}
	if turn := s.Say("Who are you?"); turn.Content == "" { // the chat stays
		t.Errorf("turn: %+v", turn)
	}
}

func TestCharacter_RoundTrip(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	var card map[string]any
	enginetest.Must(t, json.Unmarshal(bundled.CardJSON(), &card))
	data := card["data"].(map[string]any)
	data["name"], data["nickname"], data["invented_field"] = "Somebody Else", "", map[string]any{"n": []any{1.5, nil, "x"}}
	text, err := json.Marshal(card)
	enginetest.Must(t, err)
	got, err := s.Library.Import(enginetest.Write(t, "card.json", string(text)))
	enginetest.Must(t, err)
	if got.Chat.ID != "" || got.Character.Card.Name != "Somebody Else" || got.Character.ID == "" {
		t.Errorf("imported: %+v", got.Character.Card)
	}
	for _, format := range []string{"json", "png"} {
		path, err := s.Library.ExportCharacterFile(got.Character.ID, format, "")
		enginetest.Must(t, err)
		again, err := s.Library.Import(path)
		if err != nil || !reflect.DeepEqual(again.Character.Card, got.Character.Card) {
			t.Fatalf("%s: %v\n%+v\n%+v", format, err, again.Character.Card, got.Character.Card)
		}
		out, err := s.Library.ExportCharacter(again.Character.ID, "json")
		enginetest.Must(t, err)
		kept := decoded(t, out).(map[string]any)["data"].(map[string]any)
		if !reflect.DeepEqual(kept["invented_field"], decoded(t, []byte(`{"n": [1.5, null, "x"]}`))) {
			t.Errorf("%s: the unknown field became %v", format, kept["invented_field"])
		}
	}
	if who, err := s.Library.Characters(); err != nil || len(who) != 4 {
		t.Errorf("%d characters, %v", len(who), err)
	}
	if _, err := s.Library.ExportCharacter(got.Character.ID, "gif"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a format that is none: %v", err)
	}
	for name, text := range map[string]string{"photo.png": "\xff\xd8\xff\xe0JFIF", "no.json": `{"a": 1}`, "empty.png": ""} {
		if _, err := s.Library.Import(enginetest.Write(t, name, text)); err == nil || failure.Text(err) == "" {
			t.Errorf("%s was taken for a card", name)
		}
	}
	if _, err := s.Library.Import(filepath.Join(t.TempDir(), "nowhere.png")); !strings.Contains(failure.Text(err), "File not found") {
		t.Errorf("the words for a missing file are %q", failure.Text(err))
	}
}

func TestSaveCharacterAndPersona(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	who, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "New"}})
	if err != nil || who.ID == "" || who.Immersion != storage.Full {
		t.Errorf("a new one: %+v %v", who, err)
	}
	chat, err := s.Chats.New(who.ID, "")
	enginetest.Must(t, err)
	s.Chat = chat.ID
	if turn := s.Say("Hello, {{char}}, I am {{user}}."); s.Node(turn.UserMessage).Content != "Hello, New, I am Robin." || s.Node(turn.UserMessage).Parent != "" {
		t.Errorf("without a greeting the first message is %+v", s.Node(turn.UserMessage))
	}
	a, err := s.Library.SavePersona(storage.Persona{Name: "Ada", Default: true})
	enginetest.Must(t, err)
	list, err := s.Library.Personas()
	if err != nil || len(list) != 2 || list[0].ID != a.ID || list[1].Default {
		t.Errorf("personas: %+v %v", list, err)
	}
	enginetest.Must(t, s.Library.DeletePersona(a.ID))
	if v := s.View(); v.Persona.Name != "Robin" {
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
	s := (&harness{enginetest.NewHarness(t)})
	got, err := s.Library.Import(enginetest.Write(t, "An evening.jsonl", tavern))
	enginetest.Must(t, err)
	if got.Chat.Title != "An evening" || got.Character.Card.Name != "Mara Quill" {
		t.Errorf("imported: %+v, %q", got.Chat, got.Character.Card.Name)
	}
	s.Chat = got.Chat.ID
	s.expectContents("Hm? You again. (2/2); The ferry was slow.; (hidden); third (3/3)")
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(s.Chat, &out))
	want, have := strings.Split(strings.TrimSpace(tavern), "\n"), strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(want) != len(have) {
		t.Fatalf("%d lines became %d:\n%s", len(want), len(have), out.String())
	}
	for i := range want {
		w, h := decoded(t, []byte(want[i])).(map[string]any), decoded(t, []byte(have[i])).(map[string]any)
		for key := range w {
			if !reflect.DeepEqual(w[key], h[key]) {
				t.Errorf("line %d, %s: %v became %v", i, key, w[key], h[key])
			}
		}
	}
	// And once more, from what was written, after it was played on.
	s.Say("And then?")
	s.HangPicture()
	out.Reset()
	enginetest.Must(t, s.Library.ExportChat(s.Chat, &out))
	if n := strings.Count(out.String(), "\n"); n != len(want)+2 || strings.Contains(out.String(), "scene_capture") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
	path, err := s.Library.ExportChatFile(s.Chat, t.TempDir())
	enginetest.Must(t, err)
	again, err := s.Library.ImportChat(path, got.Character.ID)
	enginetest.Must(t, err)
	if again.Character.ID != got.Character.ID || again.Chat.ID == got.Chat.ID {
		t.Errorf("again: %+v", again.Chat)
	}
	s.Chat = again.Chat.ID
	if v := s.View(); len(v.Messages) != 6 || v.Messages[3].Siblings != 3 || v.Messages[3].At != 2 {
		t.Errorf("again: %s", s.Story())
	}
	moved, err := s.Play.Swipe(s.Chat, s.View().Messages[3].ID, -1)
	if !moved || err != nil || s.Last().Content != "second" {
		t.Errorf("swiping in an imported chat: %t %v %q", moved, err, s.Last().Content)
	}
	s.Say("Goes it on?")
	s.Sound()
}

func (s *harness) expectContents(want string) {
	s.T.Helper()
	var out []string
	for _, m := range s.View().Messages {
		line := m.Content
		if m.Siblings > 1 {
			line += fmt.Sprintf(" (%d/%d)", m.At+1, m.Siblings)
		}
		out = append(out, line)
	}
	if got := strings.Join(out, "; "); got != want {
		s.T.Errorf("the chat reads\n\t%s\nwant\n\t%s", got, want)
	}
}

func TestChat_RoundTripOdd(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	const odd = `{"user_name":"Ada","character_name":"Mara","chat_metadata":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":null,"mes":"nothing","extra":{}}
{"name":"Ada","is_user":true,"is_system":false,"send_date":"","mes":"empty","extra":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":"vor drei Tagen","mes":"foreign","extra":{}}
{"name":"Ada","is_user":true,"is_system":false,"mes":"none","extra":{}}
{"name":"Mara","is_user":false,"is_system":false,"send_date":"2024-11-2@10h11m12s","mes":"last","extra":{},"swipes":["last"],"swipe_id":7,"swipe_info":[{"send_date":"gestern","extra":{}}]}
`
	got, err := s.Library.Import(enginetest.Write(t, "odd.jsonl", odd))
	enginetest.Must(t, err)
	s.Chat = got.Chat.ID
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(s.Chat, &out))
	want := odd
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

func TestImportChat_Long(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	got, err := s.Library.Import(enginetest.Write(t, "long.jsonl", enginetest.LongChat(1000)))
	enginetest.Must(t, err)
	if v, err := s.Play.View(got.Chat.ID, 200); err != nil || v.Total != 1000 || v.Messages[199].Content != "line 999, said under the lamp" {
		t.Errorf("imported: %d of %d messages, %v", len(v.Messages), v.Total, err)
	}
	for _, text := range []string{"", "\n\n", "not a chat\n", `{"a":1}` + "\n"} {
		if got, err := s.Library.Import(enginetest.Write(t, "bad.jsonl", text)); err == nil {
			t.Errorf("%q became %+v", text, got)
		}
	}
	if list, err := s.Chats.List(); err != nil || len(list) != 2 {
		t.Errorf("%d chats are left, %v", len(list), err)
	}
}

// charx returns a CHARX archive with a card and files of the given names.
func charx(t *testing.T, card string, files map[string]string) string {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	files["card.json"] = card
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		enginetest.Must(t, err)
		_, err = w.Write([]byte(files[name]))
		enginetest.Must(t, err)
	}
	enginetest.Must(t, z.Close())
	return buf.String()
}

const withMoods = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ilse","description":"Keeps the ferry.","assets":[
 {"type":"emotion","uri":"embeded://assets/glad.png","name":"glad","ext":"png"},
 {"type":"background","uri":"https://example.org/quay.png","name":"quay","ext":"png"}]}}`

func TestAssets_KeptAndWritten(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	got, err := s.Library.Import(enginetest.Write(t, "ilse.charx", charx(t, withMoods, map[string]string{"assets/glad.png": "GLAD", "note.txt": "mine"})))
	enginetest.Must(t, err)
	id := got.Character.ID
	list, err := s.Library.Assets(id)
	if err != nil || len(list) != 3 || list[0].Bytes != 4 || list[1].HasFile() || list[2].Path != "note.txt" {
		t.Fatalf("%+v %v", list, err)
	}
	if _, data, err := s.Library.AssetData(id, 1); err != nil || string(data) != "GLAD" {
		t.Errorf("%q %v", data, err)
	}
	for n, want := range map[int]string{2: "is not downloaded", 4: "the card has 3", 0: "the card has 3"} {
		if _, _, err := s.Library.AssetData(id, n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("asset %d: %v", n, err)
		}
	}
	s.Reopen()
	for _, f := range library.CardFormats() {
		path, err := s.Library.ExportCharacterFile(id, f.Name, t.TempDir())
		enginetest.Must(t, err)
		again, err := s.Library.Import(path)
		enginetest.Must(t, err)
		if _, data, err := s.Library.AssetData(again.Character.ID, 1); err != nil || string(data) != "GLAD" || filepath.Ext(path) != f.Ending {
			t.Errorf("%s: %q %v", f.Name, data, err)
		}
	}
	enginetest.Must(t, s.Library.DeleteCharacter(id))
	if _, err := s.Library.Assets(id); err == nil {
		t.Error("the assets of a deleted character are listed")
	}
}

func TestCardFormatOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, asked, want string }{
		{"", "", "png"}, {"a.JSON", "", "json"}, {"a.charx", "", "charx"}, {"a.png", "", "png"}, {"a.json", "v2", "v2"}, {"", "v3", "json"}, {"a.txt", "charx", "charx"},
		{"a.txt", "", ".png, .json or .charx"}, {"a", "", ".png, .json or .charx"}, {"a.json", "webp", "json (V3), v2"}, {"a.png", "v2", "use .json"},
	} {
		f, err := library.CardFormatOf(tt.file, tt.asked)
		if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && f.Name != tt.want {
			t.Errorf("%q %q: %v %v, want %s", tt.file, tt.asked, f.Name, err, tt.want)
		}
	}
}
