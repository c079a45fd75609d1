package formats

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image/jpeg"
	"path/filepath"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func plainJPEG(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture(4, 4), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func plainWebP(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := nativewebp.Encode(&out, picture(4, 4), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadCard_OtherPrograms(t *testing.T) {
	mara := func(edit func(*storage.Card)) storage.Card {
		c := storage.Card{Name: "Mara Quill", Description: "Keeps the light.", FirstMessage: "Mind the step."}
		edit(&c)
		return c
	}
	backyard := mara(func(c *storage.Card) {
		c.Nickname, c.Description, c.Scenario, c.SystemPrompt = "Mara", "{{char}} keeps the light. {{user}} visits.", "A pier in fog.", "Write as {{char}}."
		c.MessageExample, c.FirstMessage = "{{user}}: Hello?\n{{char}}: Hm.", "Mind the step, {{user}}."
	})
	tests := []struct {
		file, format string
		want         storage.Card
	}{
		{"agnai_text.json", "Agnai JSON", mara(func(c *storage.Card) {
			c.CreatorNotes, c.Tags, c.Scenario, c.MessageExample = "Made for a test.", []string{"keeper", "sea"}, "A pier in fog.", "{{char}}: Hm."
			c.SystemPrompt, c.PostHistoryInstructions, c.AlternateGreetings = "Be brief.", "Stay on the pier.", []string{"You again."}
			c.Creator, c.CharacterVersion = "me", "2"
		})},
		{"agnai_wpp.json", "Agnai JSON", mara(func(c *storage.Card) {
			c.Description = "[character(\"Mara Quill\") {\nMind(\"brave\" + \"tired\")\nJob(\"keeper\")\n}]"
		})},
		{"backyard_v1.json", "Backyard JSON", backyard},
		{"backyard_v2.json", "Backyard JSON", backyard},
		{"backyard_v3.json", "Backyard JSON", backyard},
		{"backyard_v4.json", "Backyard JSON", backyard},
		{"textgen.json", "text-generation-webui JSON", mara(func(*storage.Card) {})},
		{"textgen_old.yaml", "text-generation-webui YAML", mara(func(*storage.Card) {})},
		{"textgen.yaml", "text-generation-webui YAML", mara(func(c *storage.Card) {
			c.Description, c.FirstMessage = "{{char}}'s Persona: keeps the light.\nShe is tired.", "Mind the step, {{user}}."
			c.MessageExample = "<START>\n{{user}}: Hello?\n{{char}}: Hm."
		})},
	}
	for _, tt := range tests {
		data := foreignFile(t, tt.file)
		if kind := Detect("x", data); kind != KindCard {
			t.Errorf("%s is taken for a %s", tt.file, kind)
		}
		in := mustRead(t, "x", data)
		if diff := cmp.Diff(tt.want, in.Card); diff != "" || in.Format != tt.format {
			t.Errorf("%s: %q %s", tt.file, in.Format, diff)
		}
		checkCard(t, in)
	}
	for file, kept := range map[string]string{"agnai_text.json": `"appearance":"grey coat"`, "backyard_v4.json": `"temperature":1.2`, "textgen.yaml": `"odd":[1,"two",{"three":3}]`} {
		if in := mustRead(t, "x", foreignFile(t, file)); !bytes.Contains(in.Source, []byte(kept)) {
			t.Errorf("%s: no %s in %s", file, kept, in.Source)
		}
	}
	for _, file := range []string{"agnai_text.json", "backyard_v4.json"} {
		book := mustBook(t, "x", mustRead(t, "x", foreignFile(t, file)).Source)
		if len(book.Entries) != 1 || strings.Join(book.Entries[0].Keys, ",") != "lamp,light" || !strings.HasPrefix(book.Entries[0].Content, "It burns oil") {
			t.Errorf("%s: the book is %+v", file, book.Entries)
		}
	}
}

// tiffWith returns Exif data with a comment, in either order of bytes.
func tiffWith(order binary.AppendByteOrder, mark, comment string) []byte {
	out := order.AppendUint32(order.AppendUint16([]byte(mark), 42), 8)
	out = order.AppendUint16(out, 1)
	out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, exifIFD), 4), 1)
	out = order.AppendUint32(order.AppendUint32(out, 26), 0) // the second directory; no next
	out = order.AppendUint16(out, 1)
	out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, exifComment), 7), uint32(len(comment)))
	out = order.AppendUint32(order.AppendUint32(out, 44), 0)
	return append(out, comment...)
}

func jpegWith(t testing.TB, marker byte, body []byte) []byte {
	t.Helper()
	plain := plainJPEG(t)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return bytes.Join([][]byte{plain[:2], segment, body, plain[2:]}, nil)
}

func webpWith(t testing.TB, exif []byte) []byte {
	t.Helper()
	plain := plainWebP(t)
	body := append([]byte("WEBPVP8X"), 10, 0, 0, 0, 0x08, 0, 0, 0, 3, 0, 0, 3, 0, 0)
	body = append(body, plain[12:]...)
	body = binary.LittleEndian.AppendUint32(append(body, "EXIF"...), uint32(len(exif)))
	if body = append(body, exif...); len(exif)%2 == 1 {
		body = append(body, 0)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func TestReadCard_InExif(t *testing.T) {
	v1 := `{"name":"Mara Quill","description":"Keeps the light.","personality":"","scenario":"","first_mes":"Mind the step.","mes_example":""}`
	packed := base64.StdEncoding.EncodeToString([]byte(v1))
	numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(v1)), " ", ","), "[]")
	wide := "UNICODE\x00"
	for _, r := range v1 {
		wide += "\x00" + string(r)
	}
	backyard := base64.StdEncoding.EncodeToString(foreignFile(t, "backyard_v4.json"))
	little, big := tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00"+v1), tiffWith(binary.BigEndian, "MM", "ASCII\x00\x00\x00"+packed)
	head := func(tiff []byte) []byte { return append([]byte("Exif\x00\x00"), tiff...) }
	tests := []struct {
		name, format string
		data         []byte
	}{
		{"a.webp", "V1 WebP", webpWith(t, head(little))},
		{"b.webp", "V1 WebP", webpWith(t, big)},
		{"c.webp", "V1 WebP", webpWith(t, tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00"+numbers))},
		{"a.jpg", "V1 JPEG", jpegWith(t, 0xe1, head(big))},
		{"b.jpg", "V1 JPEG", jpegWith(t, 0xe1, head(tiffWith(binary.BigEndian, "MM", wide)))},
		{"c.jpg", "V1 JPEG", jpegWith(t, 0xfe, []byte(packed))},
		{"d.jpg", "V1 JPEG", jpegWith(t, 0xfe, []byte("chara:"+packed))},
		{"a.png", "Backyard PNG", withChunks(plainPNG(t), makeChunk("eXIf", tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00"+backyard)))},
		{"b.png", "Backyard PNG", withChunks(plainPNG(t), makeChunk("zTXt", append([]byte("Raw profile type exif\x00\x00"),
			pack(t, fmt.Appendf(nil, "\nexif\n%8d\n%x\n", len(backyard), head(tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00"+backyard))))...)))},
	}
	for _, tt := range tests {
		in, err := ReadCard(tt.name, tt.data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if in.Format != tt.format || in.Card.Name != "Mara Quill" || in.Avatar == nil {
			t.Errorf("%s: %q %q, %d bytes of avatar, %v", tt.name, in.Format, in.Card.Name, len(in.Avatar), in.Warnings)
		}
		checkCard(t, in)
		if kind := Detect(tt.name, tt.data); kind != KindCard && tt.name != "c.jpg" && tt.name != "d.jpg" {
			t.Errorf("%s is taken for a %s", tt.name, kind)
		}
	}
	if _, err := ReadCard("x.webp", plainWebP(t)); !errors.Is(err, ErrNotCard) {
		t.Errorf("a plain picture: %v", err)
	}
	for _, data := range [][]byte{tests[7].data, foreignFile(t, "backyard_v1.json")} {
		checkBackyardChat(t, data)
	}
}

func checkBackyardChat(t *testing.T, data []byte) {
	t.Helper()
	f, err := ReadChat(bytes.NewReader(data))
	if err != nil || told(f) != "Backyard | User | Mara Quill | One night\nassistant Mara Quill: Mind the step, User.\nuser User: Hello?\nassistant Mara Quill: You again. |Hm? *You again.\n" {
		t.Errorf("the chat of a Backyard card: %v\n%s", err, told(f))
	}
}

// backyardArchive returns a BYAF with a picture and two scenarios.
func backyardArchive(t testing.TB) []byte {
	return archive(t, entry{"manifest.json", []byte(`{"schemaVersion":1,"createdAt":"2025-01-01T00:00:00.000Z","author":{"name":"me","backyardURL":""},"characters":["characters/c1/character.json"],"scenarios":["scenarios/one.json","scenarios/two.json"]}`)},
		entry{"characters/c1/character.json", []byte(`{"schemaVersion":1,"id":"c1","name":"Mara","displayName":"Mara Quill","isNSFW":false,"persona":"{character} keeps the light.","createdAt":"2025-01-01T00:00:00.000Z","updatedAt":"2025-01-01T00:00:00.000Z","loreItems":[{"key":"lamp, light","value":"It burns oil."}],"images":[{"path":"images/a.png","label":""},{"path":"images/b.png","label":"x"}]}`)},
		entry{"characters/c1/images/a.png", plainPNG(t)},
		entry{"scenarios/one.json", []byte(`{"schemaVersion":1,"title":"A night","narrative":"A pier in fog.","formattingInstructions":"Write as {character}.","firstMessages":[{"characterID":"c1","text":"Mind the step, {user}."}],"exampleMessages":[{"characterID":"c1","text":"#{user}: Hello?\n#{character}: Hm."}],"minP":0.1,"temperature":1.2,"grammar":null,"messages":[{"type":"human","text":"Hello?","createdAt":"2025-01-02T00:00:00.000Z","updatedAt":"2025-01-02T00:00:00.000Z"},{"type":"ai","outputs":[{"text":"You again.","createdAt":"2025-01-02T00:00:01.000Z","updatedAt":"2025-01-02T00:00:01.000Z","activeTimestamp":"2025-01-02T00:00:09.000Z"},{"text":"Hm?","createdAt":"2025-01-02T00:00:02.000Z","updatedAt":"2025-01-02T00:00:02.000Z","activeTimestamp":"2025-01-02T00:00:02.000Z"}]}]}`)},
		entry{"scenarios/two.json", []byte(`{"schemaVersion":1,"narrative":"Morning.","formattingInstructions":"","firstMessages":[{"text":"You stayed."}],"exampleMessages":[],"messages":[]}`)})
}

func TestReadCard_BYAF(t *testing.T) {
	data := backyardArchive(t)
	in := mustRead(t, "mara.byaf", data)
	want := storage.Card{Name: "Mara Quill", Nickname: "Mara", Description: "{{char}} keeps the light.", Scenario: "A pier in fog.", SystemPrompt: "Write as {{char}}.",
		FirstMessage: "Mind the step, {{user}}.", AlternateGreetings: []string{"You stayed."}, MessageExample: "{{user}}: Hello?\n{{char}}: Hm.", Creator: "me"}
	if diff := cmp.Diff(want, in.Card); diff != "" || in.Format != "Backyard BYAF" || in.Avatar == nil {
		t.Errorf("%q, %d bytes of avatar, %v: %s", in.Format, len(in.Avatar), in.Warnings, diff)
	}
	for _, say := range []string{"holds chats (1)", "more pictures stay in the archive (1)"} {
		if all := strings.Join(in.Warnings, "\n"); !strings.Contains(all, say) {
			t.Errorf("no %q in %s", say, all)
		}
	}
	checkCard(t, in)
	if Detect("x", data) != KindCard {
		t.Error("a BYAF is taken for something else")
	}
	f, err := ReadChat(bytes.NewReader(data))
	if err != nil || told(f) != "Backyard BYAF | User | Mara Quill | A night\nassistant Mara Quill: Mind the step, User.\nuser User: Hello?\nassistant Mara Quill: You again. *You again. |Hm?\n" {
		t.Errorf("%v\n%s", err, told(f))
	}
	for name, broken := range map[string][]byte{
		"no character": archive(t, entry{"manifest.json", []byte(`{"characters":["characters/../../x"],"scenarios":[]}`)}),
		"no manifest":  archive(t, entry{"characters/c1/character.json", []byte(`{}`)}),
		"no names":     archive(t, entry{"manifest.json", []byte(`{"characters":[],"scenarios":[]}`)}),
	} {
		if _, err := ReadCard("x.byaf", broken); err == nil {
			t.Errorf("%s was read", name)
		}
		if _, err := ReadChat(bytes.NewReader(broken)); err == nil {
			t.Errorf("%s was read as a chat", name)
		}
	}
}

func TestReadBook_NovelAIStory(t *testing.T) {
	for _, file := range []string{"novelai_v1.story", "novelai_v3.scenario"} {
		data := foreignFile(t, file)
		if kind := Detect(file, data); kind != KindStory {
			t.Errorf("%s is taken for a %s", file, kind)
		}
		in := mustBook(t, file, data)
		if in.Book.Name != "The lamp" || in.Format != "NovelAI story" || len(in.Entries) != 1 || in.Entries[0].Content != "It burns oil." || in.Entries[0].Keys[0] != "lamp" {
			t.Errorf("%s: %q %q %+v", file, in.Book.Name, in.Format, in.Entries)
		}
		for _, err := range []error{second(ReadCard(file, data)), second(ReadChat(bytes.NewReader(data)))} {
			if err == nil || !strings.Contains(err.Error(), "this is a NovelAI story") {
				t.Errorf("%s as something else: %v", file, err)
			}
		}
	}
	if _, err := ReadBook("x.story", []byte(`{"storyContainerVersion":1,"content":{}}`)); !errors.Is(err, ErrNotBook) {
		t.Errorf("a story without a book: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestReadCard_YAMLBounds(t *testing.T) {
	for text, want := range map[string]string{
		"name: A\ncontext: &x [a]\nodd: [*x, *x]":                      "refers to another part",
		"name: A\ncontext: b\nodd: " + strings.Repeat("[", 60):         "",
		"name: A\ncontext: b\n\tbad: c":                                "the YAML is broken",
		"name: A\ncontext: b\nlist:\n" + strings.Repeat(" - a\n", 3e4): "more than",
	} {
		if _, err := ReadCard("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzForeignCard(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "foreign", "*"))
	for _, file := range files {
		f.Add(foreignFile(f, filepath.Base(file)))
	}
	f.Add(backyardArchive(f))
	f.Add(webpWith(f, tiffWith(binary.LittleEndian, "II", "ASCII\x00\x00\x00{}")))
	f.Add(jpegWith(f, 0xe1, append([]byte("Exif\x00\x00"), tiffWith(binary.BigEndian, "MM", "UNICODE\x00\x00{")...)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if in, err := ReadCard("x", data); err == nil {
			checkCard(t, in)
		}
		if in, err := readYAML(data); err == nil {
			checkCard(t, in)
		}
		_ = tiffTexts(data)
		_, _ = ReadBook("x", data)
	})
}
