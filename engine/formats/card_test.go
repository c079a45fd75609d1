package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustRead(t testing.TB, name string, data []byte) ImportedCard {
	t.Helper()
	in, err := ReadCard(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// tree decodes JSON with its numbers as they are written.
func tree(t testing.TB, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return v
}

func at(t testing.TB, v any, path ...string) any {
	t.Helper()
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok || m[key] == nil {
			t.Fatalf("nothing at %v", path)
		}
		v = m[key]
	}
	return v
}

func TestReadCard_Versions(t *testing.T) {
	description := "{{char}} keeps the lighthouse at Hollow Point."
	tests := []struct {
		file, format string
		want         storage.Card
	}{
		{"v1.json", "V1 JSON", storage.Card{
			Name: "Mara Quill", Description: description, Personality: "patient, dry",
			Scenario:       "The lamp has gone out and a storm is coming.",
			FirstMessage:   "*She lifts the lantern.* \"You are late, {{user}}.\"",
			MessageExample: "<START>\n{{user}}: Is it safe?\n{{char}}: It is dry. That is not the same.",
		}},
		{"v2.json", "V2 JSON", storage.Card{
			Name: "Mara Quill", Description: description, Personality: "patient, dry", FirstMessage: "You are late.",
			AlternateGreetings: []string{"*The door is open.*", "Hm?", ""}, SystemPrompt: "{{original}}\nKeep to the weather.",
			PostHistoryInstructions: "Short sentences.", CreatorNotes: "made for rainy evenings", Creator: "the house",
			CharacterVersion: "1.2", Tags: []string{"sea", "slow"},
			DepthPrompt: "{{char}} smells of lamp oil.", DepthPromptDepth: 2, DepthPromptRole: "assistant",
		}},
		{"v3.json", "V3 JSON", storage.Card{
			Name: "Ferrous Nine", Nickname: "Nine", Description: "A tram that thinks. Ångström, 灯, 🕯.", FirstMessage: "Ding.",
		}},
		{"legacy.json", "text-generation-webui JSON", storage.Card{
			Name: "Oda", Description: "A clockmaker.", FirstMessage: "Mind the springs.", MessageExample: "Oda: Tick.", Scenario: "A shop at night.",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			data := load(t, tt.file)
			in := mustRead(t, tt.file, data)
			if diff := cmp.Diff(tt.want, in.Card); diff != "" {
				t.Error(diff)
			}
			if in.Format != tt.format || unexpected(in) || in.Avatar != nil {
				t.Errorf("format %q, warnings %q, %d bytes of avatar", in.Format, in.Warnings, len(in.Avatar))
			}
			if diff := cmp.Diff(tree(t, data), tree(t, in.Source)); diff != "" {
				t.Errorf("the kept document differs: %s", diff)
			}
			if in = mustRead(t, tt.file, append([]byte(bom), data...)); in.Card.Name != tt.want.Name {
				t.Error("a byte order mark is not tolerated")
			}
		})
	}
}

func TestReadCard_Leniency(t *testing.T) {
	tests := []struct {
		name, doc string
		want      storage.Card
		warning   string // part of the only warning; "" for none
	}{
		{"data wins", `{"spec":"chara_card_v2","spec_version":"2.0","name":"Root","description":"root","data":{"name":"Data","description":""}}`,
			storage.Card{Name: "Data"}, ""},
		{"mirror fills in", `{"spec":"chara_card_v2","spec_version":"2.0","name":"Root","creatorcomment":"c","tags":["t"],"data":{"description":"d","tags":null}}`,
			storage.Card{Name: "Root", Description: "d", CreatorNotes: "c", Tags: []string{"t"}}, ""},
		{"numbers and null", `{"name":7,"description":null,"personality":[1],"first_mes":1.50,"tags":"sea, ,slow"}`,
			storage.Card{Name: "7", FirstMessage: "1.50", Tags: []string{"sea", "slow"}}, "name (number), description (null), personality (list), first_mes (number), tags (text)"},
		{"text for a list", `{"name":"A","first_mes":"","alternate_greetings":"one, two"}`,
			storage.Card{Name: "A", AlternateGreetings: []string{"one, two"}}, "alternate_greetings (text)"},
		{"odd items", `{"name":"A","first_mes":"","alternate_greetings":["a",2,null,{"x":1},""]}`,
			storage.Card{Name: "A", AlternateGreetings: []string{"a", "2", ""}}, "alternate_greetings (item of type object)"},
		{"no spec", `{"data":{"name":"A"}}`, storage.Card{Name: "A"}, "does not say what version"},
		{"spec without data", `{"spec":"chara_card_v2","spec_version":"2.0","name":"A","description":"d"}`,
			storage.Card{Name: "A", Description: "d"}, "no data object"},
		{"number as version", `{"spec":"chara_card_v3","spec_version":3.0,"data":{"name":"A"}}`, storage.Card{Name: "A"}, "number instead of text"},
		{"v2 of another version", `{"spec":"chara_card_v2","spec_version":"2.7","data":{"name":"A"}}`, storage.Card{Name: "A"}, "2.7"},
		{"foreign spec", `{"spec":"x","name":"A","description":"d"}`, storage.Card{Name: "A", Description: "d"}, "not a kind of card"},
		{"empty V1 half", `{"name":"","char_name":"Oda","description":"","char_persona":"d"}`, storage.Card{Name: "Oda", Description: "d"}, ""},
		{"name is trimmed", `{"name":" A\n","description":" d "}`, storage.Card{Name: "A", Description: " d "}, ""},
		{"last of equal keys", `{"name":"A","description":"1","description":"2"}`, storage.Card{Name: "A", Description: "2"}, ""},
		{"depth prompt's defaults", `{"name":"A","description":"","extensions":{"depth_prompt":{"prompt":"p"}}}`,
			storage.Card{Name: "A", DepthPrompt: "p", DepthPromptDepth: 4, DepthPromptRole: "system"}, ""},
		{"depth as text", `{"name":"A","description":"","extensions":{"depth_prompt":{"prompt":"p","depth":"0","role":"User"}}}`,
			storage.Card{Name: "A", DepthPrompt: "p", DepthPromptDepth: 0, DepthPromptRole: "user"}, ""},
		{"bad depth", `{"name":"A","description":"","extensions":{"depth_prompt":{"prompt":"p","depth":-1}}}`,
			storage.Card{Name: "A", DepthPrompt: "p", DepthPromptDepth: 4, DepthPromptRole: "system"}, "depth_prompt is not a number"},
		{"bad role", `{"name":"A","description":"","extensions":{"depth_prompt":{"prompt":"p","role":"ghost"}}}`,
			storage.Card{Name: "A", DepthPrompt: "p", DepthPromptDepth: 4, DepthPromptRole: "system"}, `"ghost"`},
		{"empty depth prompt", `{"name":"A","description":"","extensions":{"depth_prompt":{"prompt":"","depth":9}}}`, storage.Card{Name: "A"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := mustRead(t, "x.json", []byte(tt.doc))
			if diff := cmp.Diff(tt.want, in.Card); diff != "" {
				t.Error(diff)
			}
			if (tt.warning == "") != (len(in.Warnings) == 0) || !strings.Contains(strings.Join(in.Warnings, "|"), tt.warning) {
				t.Errorf("warnings %q, want %q", in.Warnings, tt.warning)
			}
			again := mustRead(t, "y.json", mustWrite(t, storage.Character{Card: in.Card, Source: in.Source}))
			if diff := cmp.Diff(in.Card, again.Card); diff != "" {
				t.Errorf("round trip: %s", diff)
			}
		})
	}
}

func TestReadCard_Refusals(t *testing.T) {
	long := strings.Repeat("x", MaxCardText+1)
	many := strings.TrimSuffix(strings.Repeat(`"",`, maxList+1), ",")
	fields := make([]string, maxMembers+1)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"%d":0`, i)
	}
	tests := []struct {
		name, doc string
		kind      error
		words     string
	}{
		{"a.json", "", ErrDamaged, "empty"},
		{"a.json", " \n", ErrDamaged, "empty"},
		{"a.json", `{"name":"A",` + "\n" + `"description": x}`, ErrDamaged, "line 2, column 16"},
		{"a.json", `{"name":"A","description":"d`, ErrDamaged, "cut off at line 1"},
		{"a.json", "{\"name\":\"A\",\n\"description\":\"\xff\"}", ErrDamaged, "line 2, column 16 is not UTF-8"},
		{"a.json", "\xff\xfe{\x00", ErrNotCard, "UTF-16"},
		{"a.json", `[1]`, ErrNotCard, "not an object"},
		{"a.json", `hello`, ErrNotCard, "this is a plain text: choose a card file"},
		{"a.json", `<!DOCTYPE html>`, ErrNotCard, "web page"},
		{"a.pdf", `%PDF-1.7`, ErrNotCard, "PDF"},
		{"a.json", `{"temperature":1,"name":"preset"}`, ErrNotCard, "no fields of a character"},
		{"a.json", `{"data":{"x":1}}`, ErrNotCard, "no fields of a character"},
		{"a.json", `{"name":"","description":"d"}`, ErrDamaged, "no name"},
		{"a.json", `{"name":" \u0000\u200b ","description":"d"}`, ErrDamaged, "no name"},
		{"a.json", `{"name":{"a":1},"description":"d"}`, ErrDamaged, "no name"},
		{"a.json", `{"spec":"chara_card_v2","data":[]}`, ErrDamaged, "is not an object"},
		{"a.json", `{"spec":"chara_card_v3","spec_version":"4.0","data":{"name":"A"}}`, ErrVersion, `"4.0"`},
		{"a.json", `{"spec":"chara_card_v3","spec_version":"2.9","data":{"name":"A"}}`, ErrVersion, `"2.9"`},
		{"a.json", `{"spec":"chara_card_v3","spec_version":"NaN","data":{"name":"A"}}`, ErrVersion, `"NaN"`},
		{"a.json", `{"spec":"chara_card_v9","data":{"name":"A"}}`, ErrVersion, `"chara_card_v9"`},
		{"a.json", string(load(t, "lorebook.json")), ErrNotCard, "lorebook"},
		{"a.json", `{"spec":"lorebook_v3","data":{"name":"b","entries":[]}}`, ErrNotCard, "lorebook"},
		{"a.json", `{"type":"risu","data":[]}`, ErrNotCard, "lorebook"},
		{"a.json", string(load(t, "chat.jsonl")), ErrNotCard, "this is a chat"},
		{"a.json", `{"name":"A","is_user":true,"mes":"x"}`, ErrNotCard, "this is a chat"},
		{"a.json", `{"name":"A","description":"` + long + `"}`, ErrTooLarge, "description"},
		{"a.json", `{"name":"` + long[:maxName+1] + `","description":""}`, ErrTooLarge, "name"},
		{"a.json", `{"name":"A","first_mes":"","tags":["` + long + `"]}`, ErrTooLarge, "tags"},
		{"a.json", `{"name":"A","first_mes":"","alternate_greetings":[` + many + `]}`, ErrTooLarge, "alternate_greetings"},
		{"a.json", `{"name":"A","first_mes":"","extensions":{"depth_prompt":{"prompt":"` + long + `"}}}`, ErrTooLarge, "depth_prompt"},
		{"a.json", `{"name":"A","first_mes":"","x":` + strings.Repeat("[", tooDeep) + strings.Repeat("]", tooDeep) + `}`, ErrDamaged, "max depth"},
		{"a.json", `{"name":"A","first_mes":"","x":` + strings.Repeat("[", 1<<20), ErrDamaged, "JSON"},
		{"a.json", `{"name":"A","first_mes":"",` + strings.Join(fields, ",") + `}`, ErrTooLarge, "fields at its top"},
		{"a.json", `{"name":"A","first_mes":"","data":{` + strings.Join(fields, ",") + `}}`, ErrTooLarge, "data has more than"},
		{"a.json", `{"name":"A","first_mes":"","x":"` + strings.Repeat(" ", MaxCardJSON) + `"}`, ErrTooLarge, "16.0 MB"},
		{"a.bin", strings.Repeat(" ", MaxCardFile+1), ErrTooLarge, "64.0 MB"},
		{"mara.png", "\xff\xd8\xff\xe0 rest", ErrNotCard, "this is a JPEG picture named .png; there is no card in it: export it as PNG or JSON"},
		{"mara.jpeg", "\xff\xd8\xff\xe0 rest", ErrNotCard, "this is a JPEG picture; there is no card in it"},
		{"mara.png", "RIFF\x00\x00\x00\x00WEBPVP8 ", ErrNotCard, "this is a WebP picture named .png"},
		{"mara.gif", "GIF89a", ErrNotCard, "this is a GIF picture;"},
	}
	for _, tt := range tests {
		in, err := ReadCard("some/dir/"+tt.name, []byte(tt.doc))
		if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.words) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("%q", tt.name)) {
			t.Errorf("%.60q: got %v, want %v with %q", tt.doc, err, tt.kind, tt.words)
		}
		if !reflect.DeepEqual(in, ImportedCard{}) {
			t.Errorf("%.60q: something came with the error", tt.doc)
		}
	}
}

func TestReadCard_ErrorsAreOneCleanLine(t *testing.T) {
	name := "a\x1b]0;x\a\n\u202e" + strings.Repeat("é", 200) + ".json"
	_, err := ReadCard(name, []byte(`{"spec":"chara_card_v3","spec_version":"`+strings.Repeat("9", 5000)+`\u001b[31m","data":{"name":"A"}}`))
	if err == nil {
		in, _ := ReadCard(name, []byte(`{"spec":"chara_card_v3","spec_version":"`+strings.Repeat("9", 5000)+`\u001b[31m","data":{"name":"A"}}`))
		err = errors.New(strings.Join(in.Warnings, " "))
	}
	if s := err.Error(); len(s) > 1000 || strings.ContainsAny(s, "\x1b\a\n\u202e") {
		t.Errorf("%d bytes: %q", len(s), s)
	}
}

func mustWrite(t testing.TB, c storage.Character) []byte {
	t.Helper()
	out, err := WriteCardJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// without removes what an export is meant to change.
func without(v any, keys ...string) map[string]any {
	m, _ := v.(map[string]any)
	out := map[string]any{}
	for k, x := range m {
		if !slices.Contains(keys, k) {
			out[k] = x
		}
	}
	return out
}

func TestWriteCardJSON_KeepsEverything(t *testing.T) {
	for _, file := range []string{"v1.json", "v2.json", "v3.json", "legacy.json"} {
		t.Run(file, func(t *testing.T) {
			data := load(t, file)
			in := mustRead(t, file, data)
			out := mustWrite(t, storage.Character{Card: in.Card, Source: in.Source, UpdatedAt: time.Unix(1, 0)})
			before, after := tree(t, data), tree(t, out)
			if diff := cmp.Diff(without(before, "spec", "spec_version", "data"), without(after, "spec", "spec_version", "data")); diff != "" {
				t.Errorf("root: %s", diff)
			}
			if spec := at(t, after, "spec"); spec != "chara_card_v3" {
				t.Errorf("spec %v", spec)
			}
			dataAfter := at(t, after, "data").(map[string]any)
			if was, ok := before.(map[string]any)["data"]; ok {
				for key, value := range was.(map[string]any) {
					if diff := cmp.Diff(value, dataAfter[key]); diff != "" {
						t.Errorf("data.%s: %s", key, diff)
					}
				}
			}
			again := mustRead(t, file, out)
			if diff := cmp.Diff(in.Card, again.Card); diff != "" || unexpected(again) {
				t.Errorf("round trip: %s %q", diff, again.Warnings)
			}
			twice := mustWrite(t, storage.Character{Card: again.Card, Source: again.Source})
			if string(twice) != string(out) {
				t.Error("a second round changes the document again")
			}
		})
	}
	in := mustRead(t, "v3.json", load(t, "v3.json"))
	if v := at(t, tree(t, mustWrite(t, storage.Character{Card: in.Card, Source: in.Source})), "spec_version"); v != "3.1" {
		t.Errorf("spec_version %v", v)
	}
}

func TestWriteCardJSON_EditsWin(t *testing.T) {
	in := mustRead(t, "v2.json", load(t, "v2.json"))
	c := in.Card
	c.Description, c.CreatorNotes, c.Nickname = "new <b>&", "", "M"
	c.Tags, c.DepthPromptDepth = []string{"one"}, 0
	out := tree(t, mustWrite(t, storage.Character{Card: c, Source: in.Source, UpdatedAt: time.Unix(1700000000, 0)}))
	for _, tt := range []struct {
		want any
		path []string
	}{
		{"new <b>&", []string{"data", "description"}},
		{"new <b>&", []string{"description"}},
		{"", []string{"data", "creator_notes"}},
		{"", []string{"creatorcomment"}},
		{"M", []string{"data", "nickname"}},
		{[]any{"one"}, []string{"data", "tags"}},
		{[]any{"one"}, []string{"tags"}},
		{json.Number("0"), []string{"data", "extensions", "depth_prompt", "depth"}},
		{true, []string{"data", "extensions", "depth_prompt", "aside"}},
		{json.Number("123456789012345678901234567890"), []string{"data", "extensions", "other/tool", "big"}},
		{json.Number("1.10"), []string{"data", "extensions", "other/tool", "small"}},
		{json.Number("1700000000"), []string{"data", "modification_date"}},
		{"Mara Quill - 2024-11-02@10h11m12s", []string{"chat"}},
	} {
		if diff := cmp.Diff(tt.want, at(t, out, tt.path...)); diff != "" {
			t.Errorf("%v: %s", tt.path, diff)
		}
	}
}

func TestWriteCardJSON_FromNothing(t *testing.T) {
	c := storage.Character{Card: storage.Card{Name: "Ada", DepthPrompt: "p"}, CreatedAt: time.Unix(5, 0), UpdatedAt: time.Unix(6, 0)}
	data := at(t, tree(t, mustWrite(t, c)), "data").(map[string]any)
	for _, key := range []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt",
		"post_history_instructions", "alternate_greetings", "tags", "creator", "character_version", "extensions", "group_only_greetings", "creation_date", "modification_date"} {
		if data[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	v2, err := WriteCardV2JSON(c)
	if err != nil {
		t.Fatal(err)
	}
	doc := tree(t, v2)
	if at(t, doc, "spec") != "chara_card_v2" || at(t, doc, "spec_version") != "2.0" || without(at(t, doc, "data"))["group_only_greetings"] != nil {
		t.Errorf("%s", v2)
	}
	if role := at(t, doc, "data", "extensions", "depth_prompt", "role"); role != "system" {
		t.Errorf("role %v", role)
	}
}

func TestWriteCardJSON_RefusesABrokenSource(t *testing.T) {
	_, err := WriteCardJSON(storage.Character{Card: storage.Card{Name: "A"}, Source: json.RawMessage(`{`)})
	if !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// unexpected reports whether a card was read with a remark that is not about its assets.
func unexpected(in ImportedCard) bool {
	return slices.ContainsFunc(in.Warnings, func(w string) bool { return !strings.Contains(w, "of the card's assets") })
}
