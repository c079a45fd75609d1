package formats

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// checkCard holds a card that was read to what is promised of every card: it can
// be written, comes back as it was, and its picture can be decoded.
func checkCard(t *testing.T, in ImportedCard) {
	t.Helper()
	if strings.TrimSpace(in.Card.Name) == "" || len(in.Source) > MaxCardJSON || len(in.Warnings) > maxWarnings+2 {
		t.Fatalf("name %q, %d bytes of source, %d warnings", in.Card.Name, len(in.Source), len(in.Warnings))
	}
	out, err := WriteCardJSON(storage.Character{Card: in.Card, Actor: in.Actor, Source: in.Source})
	if err != nil {
		if strings.Contains(err.Error(), "nested deeper") || strings.Contains(err.Error(), "limit") {
			return // raising V1 to V3 adds a level, and repeats texts
		}
		t.Fatal(err)
	}
	again, err := ReadCard("again.json", out)
	if err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if diff := cmp.Diff(in.Card, again.Card); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(in.Actor, again.Actor); diff != "" {
		t.Fatal(diff)
	}
	if in.Avatar != nil {
		if _, err := png.DecodeConfig(bytes.NewReader(in.Avatar)); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzReadCardJSON(f *testing.F) {
	for _, file := range []string{"v1.json", "v2.json", "v3.json", "legacy.json", "lorebook.json", "chat.jsonl"} {
		f.Add(load(f, file))
	}
	f.Add([]byte(`{"name":7,"tags":"a,b","alternate_greetings":[1,null,{}],"extensions":{"depth_prompt":{"prompt":1,"depth":"x"}},"description":null}`))
	f.Add([]byte(`{"name":"A","description":"","extensions":{"ghostlight":{"current_goal":7,"tone":["x"],"weights":{"Warmth ":"80%","wit":1e400,"":3,"a":-2.5}}}}`))
	f.Add([]byte(`{"spec":"chara_card_v3","spec_version":3,"data":{"name":"\ud800","assets":[{"type":"icon","uri":"data:image/png;base64,iVBORw0KGgo="}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if in, err := ReadCard("a.json", data); err == nil {
			checkCard(t, in)
		}
	})
}

func FuzzReadCardPNG(f *testing.F) {
	plain := plainPNG(f)
	f.Add(plain)
	f.Add(withChunks(plain, cardText("chara", docA), cardText("ccv3", docB)))
	f.Add(withChunks(plain, makeChunk("zTXt", append([]byte("chara\x00\x00"), pack(f, []byte(base64.StdEncoding.EncodeToString([]byte(docA))))...))))
	f.Add(withChunks(plain, makeChunk("iTXt", []byte("ccv3\x00\x00\x00en\x00x\x00"+docB))))
	f.Fuzz(func(t *testing.T, data []byte) {
		// As it is, and as the body of a card chunk with a right checksum.
		if in, err := ReadCard("a.png", data); err == nil {
			checkCard(t, in)
		}
		for _, typ := range []string{"tEXt", "zTXt", "iTXt"} {
			body := append([]byte("chara\x00"), data...)
			if in, err := ReadCard("a.png", withChunks(plain, makeChunk(typ, body))); err == nil {
				checkCard(t, in)
			}
		}
		if out, err := WriteCardPNG(storage.Character{Card: storage.Card{Name: "A"}}, append([]byte(pngSignature), data...)); err == nil {
			checkCard(t, mustRead(t, "a.png", out))
		}
	})
}

func FuzzReadCharx(f *testing.F) {
	v3 := load(f, "v3.json")
	f.Add(archive(f, entry{"card.json", v3}, entry{"assets/icon/main.png", plainPNG(f)}))
	f.Add(archive(f, entry{"card.json", []byte("{}")}))
	f.Add(archive(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if in, err := readCharx(data); err == nil {
			checkCard(t, in)
		}
	})
}

func FuzzReadChat(f *testing.F) {
	for _, seed := range shortChats(f) {
		f.Add(seed)
	}
	f.Add([]byte(`{"mes":"a","extra":{"scene_break":"true","scene_recap_versions":["{\"recap\":{\"a_b\":[\"c\",1]}}",{"text":"d"},5,""],"scene_recap_current_index":9,"scene_recap_memory":"e"}}`))
	f.Add([]byte(`{"mes":5,"swipes":[null,"a"],"swipe_id":"1","swipe_info":[1,{},2]}`))
	f.Add([]byte("{\"name\":\"a\",\"is_user\":1,\"send_date\":\"2024-1-1@1h1m1s\"}\r\n{\"mes\":\"\xff\"}\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ReadChat(bytes.NewReader(data))
		if err != nil {
			return
		}
		out := writeChat(t, file)
		again := readChat(t, out)
		if len(file.Messages) != len(again.Messages) {
			t.Fatalf("%d messages became %d", len(file.Messages), len(again.Messages))
		}
		for i, m := range file.Messages {
			n := again.Messages[i]
			m.Extra, n.Extra = nil, nil // a line may gain fields
			if diff := cmp.Diff(m, n); diff != "" {
				t.Fatal(diff)
			}
		}
		if twice := writeChat(t, again); twice != out {
			if diff := cmp.Diff(lines(t, out), lines(t, twice)); diff != "" {
				t.Fatalf("a second round changes the file again: %s", diff)
			}
		}
		checkScenes(t, file)
	})
}

// shortChats returns the short lines of the chats of the test data, each a chat by itself.
// What is found beside a seed is shortened before anything else is tried, in as many tries
// as the square of its length at worst: of whole chats that is a minute for each.
func shortChats(f *testing.F) (out [][]byte) {
	for _, file := range []string{"chat.jsonl", "scenes.jsonl"} {
		for line := range bytes.Lines(load(f, file)) {
			if len(line) < 200 {
				out = append(out, line)
			}
		}
	}
	return out
}

// checkScenes edits the scenes of a chat and expects them back.
func checkScenes(t *testing.T, file ChatFile) {
	t.Helper()
	for i := range file.Messages {
		scene := file.Messages[i].Scene
		if scene == nil {
			continue
		}
		if n := len(scene.Versions); n > maxVersions || scene.Current < 0 || scene.Current > 0 && scene.Current >= n {
			t.Fatalf("version %d of %d", scene.Current, n)
		}
		scene.Hidden, scene.Name = !scene.Hidden, "fuzz"
		if len(scene.Versions) < maxVersions {
			scene.Versions = append(scene.Versions, SceneVersion{Text: "new", Atmosphere: "dim"})
			scene.Current = len(scene.Versions) - 1
		}
	}
	again := readChat(t, writeChat(t, file))
	for i, m := range file.Messages {
		if m.Scene == nil {
			continue
		}
		if diff := cmp.Diff(m.Scene, again.Messages[i].Scene); diff != "" {
			t.Fatal(diff)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("a.jsonl", load(f, "chat.jsonl"))
	f.Add("a.png", []byte(pngSignature))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		if kind := Detect(name, head); kind != KindUnknown && kindAdvice[kind] == "" {
			t.Fatal(kind)
		}
	})
}

// anyJSON draws a JSON value of any kind, with numbers that floats would spoil.
func anyJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		most := 6
		if depth == 0 {
			most = 4
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return string(quote(rapid.String().Draw(t, "text")))
		case 1:
			return rapid.SampledFrom([]string{"0", "-0.0", "1.50", "1e400", "12345678901234567890123", "-7E-3"}).Draw(t, "number")
		case 2:
			return "null"
		case 3:
			return "true"
		case 4:
			return `"\ud83d\ude00\/\u0000"`
		case 5:
			return "[" + strings.Join(rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "list"), ", ") + "]"
		}
		var parts []string
		for i, v := range rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "values") {
			parts = append(parts, fmt.Sprintf("%s : %s", quote(fmt.Sprint(i, rapid.String().Draw(t, "key"))), v))
		}
		return "{" + strings.Join(parts, ",\n") + "}"
	})
}

// TestCards_UnknownFieldsSurvive puts any values under unknown names at every
// level, edits the card, and expects them back as they were.
func TestCards_UnknownFieldsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		unknown := func(label string) string {
			return fmt.Sprintf(`"x-%s":%s,"y-%s":%s`, label, anyJSON(3).Draw(rt, label), label, anyJSON(1).Draw(rt, label))
		}
		wrapped := rapid.Bool().Draw(rt, "wrapped")
		inner := fmt.Sprintf(`"name":%s,"description":%s,"extensions":{"depth_prompt":{"prompt":"p",%s},%s},"character_book":%s,"assets":%s,%s`,
			quote("n"+rapid.String().Draw(rt, "name")), quote(rapid.String().Draw(rt, "description")),
			unknown("dp"), unknown("ext"), anyJSON(3).Draw(rt, "book"), anyJSON(2).Draw(rt, "assets"), unknown("data"))
		doc := "{" + inner + "}"
		if wrapped {
			doc = fmt.Sprintf(`{"spec":"chara_card_v2","spec_version":"2.0","data":{%s},%s}`, inner, unknown("root"))
		}
		in, err := ReadCard("a.json", []byte(doc))
		if err != nil {
			rt.Fatalf("%v in %s", err, doc)
		}
		card := in.Card
		if rapid.Bool().Draw(rt, "edit") {
			card.Description = rapid.String().Draw(rt, "new description")
			card.AlternateGreetings = rapid.SliceOfN(rapid.String(), 1, 3).Draw(rt, "greetings")
			card.DepthPrompt, card.DepthPromptRole = "q", "user"
		}
		out := mustWrite(t, storage.Character{Card: card, Source: in.Source})
		again, err := ReadCard("b.json", out)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(card, again.Card); diff != "" {
			rt.Fatal(diff)
		}
		before, after := tree(t, []byte(doc)).(map[string]any), tree(t, out).(map[string]any)
		if !wrapped {
			before = map[string]any{"data": before} // the flat fields are repeated there
			for key := range before["data"].(map[string]any) {
				if strings.HasPrefix(key, "x-") || strings.HasPrefix(key, "y-") {
					after["data"].(map[string]any)[key] = after[key]
				}
			}
		}
		compareKept(rt, before, after, "")
	})
}

// compareKept expects everything of before in after, but for the fields that the
// test edits and the format's own.
func compareKept(rt *rapid.T, before, after map[string]any, path string) {
	for key, was := range before {
		is, ok := after[key]
		if !ok {
			rt.Fatalf("%s/%s is gone", path, key)
		}
		switch key {
		case "spec", "spec_version", "description", "prompt", "role":
		case "data", "extensions", "depth_prompt":
			compareKept(rt, was.(map[string]any), is.(map[string]any), path+"/"+key)
		default:
			if diff := cmp.Diff(was, is); diff != "" {
				rt.Fatalf("%s/%s: %s", path, key, diff)
			}
		}
	}
}

// TestChats_UnknownFieldsSurvive is the same for the lines of a chat.
func TestChats_UnknownFieldsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string { return string(quote(rapid.String().Draw(rt, label))) }
		value := func(label string) string { return anyJSON(2).Draw(rt, label) }
		data := fmt.Sprintf(`{"chat_metadata":{"x":%s},"user_name":%s,"character_name":"unused","y":%s}`, value("meta"), text("user"), value("header"))
		data = strings.ReplaceAll(data, "\n", " ") + "\n"
		for i := range rapid.IntRange(1, 4).Draw(rt, "lines") {
			line := fmt.Sprintf(`{"name":%s,"is_user":%t,"is_system":false,"mes":%s,"extra":{"x":%s},"z":%s`, text("name"), i%2 == 0, text("mes"), value("extra"), value("line"))
			if n := rapid.IntRange(0, 3).Draw(rt, "swipes"); n > 0 {
				texts, infos := make([]string, n), make([]string, n)
				for j := range n {
					texts[j], infos[j] = text("swipe"), fmt.Sprintf(`{"send_date":%s,"extra":{"x":%s}}`, text("date"), value("info"))
				}
				line += fmt.Sprintf(`,"swipes":[%s],"swipe_id":%d,"swipe_info":[%s]`, strings.Join(texts, ","), n-1, strings.Join(infos, ","))
			}
			data += strings.ReplaceAll(line, "\n", " ") + "}\n"
		}
		f, err := ReadChat(strings.NewReader(data))
		if err != nil {
			rt.Fatalf("%v in %s", err, data)
		}
		if diff := cmp.Diff(lines(t, data), lines(t, writeChat(t, f))); diff != "" {
			rt.Fatal(diff)
		}
	})
}
