package formats

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestReadGroup(t *testing.T) {
	for name, want := range map[string]Group{
		"2024": {ID: "1717312272000", Name: "The lighthouse", Members: []string{"Mara Quill.png", "Bo1.png", "Silent Sue.png"}, Muted: []string{"Silent Sue.png"},
			Strategy: List, Chats: []string{"other", "2024-06-02@10h11m12s"}, Current: "2024-06-02@10h11m12s"},
		"2025": {ID: "1767312272000", Name: "Harbour", Members: []string{"Bo1.png", "Mara Quill.png"}, Strategy: Pooled, Self: true, Joined: true,
			Chats: []string{"2025-11-02@10h20m00s"}, Current: "2025-11-02@10h20m00s"},
		"2023_names": {ID: "1680000000000", Name: "Two", Members: []string{"Mara Quill", "Bo"}, Chats: []string{"1680000000000"}, Current: "1680000000000"},
	} {
		data := load(t, "groups/"+name+".json")
		g, err := ReadGroup(name+".json", data)
		if err != nil {
			t.Fatal(err)
		}
		meta := g.Metadata
		out, err := WriteGroup(g)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, data), tree(t, out)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		g.Source, g.Metadata = nil, nil
		if diff := cmp.Diff(want, g); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if fresh, err := WriteGroup(g); err != nil || Detect("", fresh) != KindGroup {
			t.Errorf("%s: %s %v", name, fresh, err)
		}
		if name == "2024" && (len(meta) != 2 || !strings.Contains(string(meta["2024-06-02@10h11m12s"]), "A storm.") || !strings.Contains(string(meta["other"]), "past")) {
			t.Errorf("%s: %s", name, meta)
		}
	}
}

func TestReadGroup_Refuses(t *testing.T) {
	for text, want := range map[string]error{
		``:                               ErrDamaged,
		`{"members":["a.png"],"chat_id"`: ErrDamaged,
		`{"a":1}`:                        ErrNotGroup,
		`[]`:                             ErrNotGroup,
		`{"name":"A","description":"","first_mes":""}`: ErrNotGroup,
		`{"name":"A","mes":"x","is_user":false}`:       ErrNotGroup,
	} {
		if _, err := ReadGroup("x.json", []byte(text)); !errors.Is(err, want) || !strings.Contains(err.Error(), "x.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
	g, err := ReadGroup("x", []byte(`{"members":["a.png",null,7,"a.png",{}],"chat_id":3,"chats":{"x":1},"activation_strategy":9}`))
	if err != nil || len(g.Members) != 2 || g.Current != "3" || len(g.Warnings) != 3 {
		t.Errorf("%+v %v", g, err)
	}
}

func TestChatMessage_Avatar(t *testing.T) {
	for extra, want := range map[string]string{
		`{"original_avatar":"A b.png"}`:                            "A b.png",
		`{"force_avatar":"/thumbnail?type=avatar&file=A%20b.png"}`: "A b.png",
		`{"force_avatar":"characters/A.png"}`:                      "A.png",
		`{"force_avatar":"img/five.png"}`:                          "",
		`{"original_avatar":"../../etc/passwd"}`:                   "passwd",
		`{"original_avatar":"..\\\\..\\\\x.png"}`:                  "x.png",
		`{"original_avatar":7,"force_avatar":{}}`:                  "",
		`{}`:                     "",
		`{"force_avatar":"%zz"}`: "%zz",
		`{"original_avatar":"..","force_avatar":"/thumbnail?file=..."}`: "...",
	} {
		if got := (ChatMessage{Role: storage.Assistant, Extra: json.RawMessage(extra)}).Avatar(); got != want {
			t.Errorf("%s: %q, want %q", extra, got, want)
		}
	}
}

func TestReadMetadata(t *testing.T) {
	m, warnings := ReadMetadata(json.RawMessage(`{"note_prompt":"n","note_depth":"7","note_interval":0,"note_position":2,"note_role":2,"scenario":["x"],"variables":{"a":1,"b":[2],"c":null,"d":"t"},"timedWorldInfo":{"sticky":{"A.b.3":{"start":1,"end":4,"protected":true},"odd":{}},"cooldown":{"A.x":{}}},"persona":"a/b.png","own":{"k":1},"empty":{}}`))
	want := Metadata{Persona: "b.png", Note: "n", NotePlan: storage.NotePlan{Place: storage.NoteBeforePrompt, Depth: 7, Every: storage.NoteNever, Role: storage.Assistant},
		Variables: map[string]string{"a": "1", "b": "[2]", "d": "t"}, Timed: []TimedEffect{{Kind: storage.LoreSticky, Book: "A.b", UID: 3, Start: 1, End: 4, Protected: true}}, Unused: []string{"own"}}
	if diff := cmp.Diff(want, m); diff != "" || len(warnings) != 1 {
		t.Errorf("%s %q", diff, warnings)
	}
	if m, _ := ReadMetadata(json.RawMessage(`{"note_prompt":"n"}`)); m.NotePlan != (storage.NotePlan{Place: storage.NoteAtDepth, Depth: 4, Every: 1, Role: storage.System}) {
		t.Errorf("the defaults: %+v", m.NotePlan)
	}
	for _, header := range []string{``, `{"chat_metadata":{"note_prompt":"old","note_depth":1,"x":1.50}}`} {
		m.Note, m.Overrides.Scenario = "new", "s"
		out, err := WithMetadata(json.RawMessage(header), m)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := parseObject(out)
		again, _ := ReadMetadata(o.get("chat_metadata"))
		if again.Note != m.Note || again.NotePlan != m.NotePlan || again.Overrides != m.Overrides || header != "" && !strings.Contains(string(out), "1.50") {
			t.Errorf("%s became %s", header, out)
		}
		if same, err := WithMetadata(out, m); err != nil || string(same) != string(out) {
			t.Errorf("%s became %s", out, same)
		}
	}
}

func FuzzReadGroup(f *testing.F) {
	for _, name := range []string{"2024", "2025", "2023_names"} {
		f.Add(load(f, "groups/"+name+".json"))
	}
	f.Add([]byte(`{"members":[null,{}],"chats":"x","chat_metadata":7,"past_metadata":{"":{},"a":{"b":1}},"id":1e400}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := ReadGroup("a.json", data)
		if err != nil {
			return
		}
		out, err := WriteGroup(g)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, g.Source), tree(t, out)); diff != "" {
			t.Fatal(diff)
		}
		for _, raw := range g.Metadata {
			_, _ = ReadMetadata(raw)
		}
	})
}

func FuzzReadMetadata(f *testing.F) {
	f.Add([]byte(`{"note_prompt":"n","note_depth":1e9,"note_interval":-3,"variables":{"a":{}},"timedWorldInfo":{"sticky":{"a.1":{"start":1,"end":2}}}}`))
	f.Add([]byte(`{"note_prompt":5,"scenario":null,"world_info":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		packed, err := compact(data)
		if err != nil {
			return
		}
		m, _ := ReadMetadata(packed)
		if m.NotePlan.Depth < 0 || m.NotePlan.Every < storage.NoteNever || len(m.Variables) > maxVariables {
			t.Fatalf("%+v", m)
		}
		if _, ok := parseObject(packed); !ok {
			return
		}
		header := json.RawMessage(`{"chat_metadata":` + string(packed) + `}`)
		out, err := WithMetadata(header, m)
		if err != nil || string(out) != string(header) {
			t.Fatalf("%s became %s, %v", header, out, err)
		}
	})
}
