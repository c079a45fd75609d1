package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func readChat(t testing.TB, data string) ChatFile {
	t.Helper()
	f, err := ReadChat(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func writeChat(t testing.TB, f ChatFile) string {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteChat(&buf, f, each(f.Messages)); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestReadChat(t *testing.T) {
	f := readChat(t, string(load(t, "chat.jsonl")))
	if f.UserName != "Ada" || f.CharacterName != "Mara Quill" || len(f.Warnings) != 0 || len(f.Messages) != 5 {
		t.Fatalf("%q %q %q, %d messages", f.UserName, f.CharacterName, f.Warnings, len(f.Messages))
	}
	if !strings.Contains(string(f.Metadata), `"n":1.50`) {
		t.Errorf("metadata %s", f.Metadata)
	}
	local := func(s int, ms int) time.Time {
		return time.Date(2024, 11, 2, 10, 11, s, ms*int(time.Millisecond), time.Local)
	}
	m := f.Messages[0]
	if m.Role != storage.Assistant || m.Content != "Hm? You again." || m.Thinking != "greet" || m.Model != "gemma3:4b" || !m.CreatedAt.Equal(local(12, 345)) || m.Chosen != 1 || m.Hidden {
		t.Errorf("%+v", m)
	}
	if len(m.Swipes) != 2 || m.Swipes[0].Content != "You are late." || m.Swipes[0].Model != "gemma3:1b" || m.Swipes[1].Thinking != "greet" || !m.Swipes[1].CreatedAt.Equal(local(13, 0)) {
		t.Errorf("%+v", m.Swipes)
	}
	if s := string(m.Extra); strings.Contains(s, "swipes") || strings.Contains(s, `"mes"`) || !strings.Contains(s, "scene_recap_versions") || !strings.Contains(s, `"precise":1.10`) {
		t.Errorf("extra %s", s)
	}
	if m = f.Messages[1]; m.Role != storage.User || m.Content != "The ferry was slow. 🕯" || !m.CreatedAt.Equal(time.Date(2024, 11, 2, 10, 12, 0, 0, time.Local)) {
		t.Errorf("%+v", m)
	}
	if m = f.Messages[2]; !m.Hidden || m.Role != storage.Assistant || !m.CreatedAt.Equal(time.UnixMilli(1730542999000)) {
		t.Errorf("%+v", m)
	}
	m = f.Messages[3]
	if len(m.Swipes) != 3 || m.Swipes[2].Extra == nil || !m.Swipes[2].CreatedAt.Equal(m.CreatedAt) {
		t.Errorf("swipes without information: %+v", m.Swipes)
	}
	if m = f.Messages[4]; m.Role != storage.Narrator || m.Hidden {
		t.Errorf("%+v", m)
	}
}

func TestReadChat_Tolerates(t *testing.T) {
	const header = `{"user_name":"Ada","character_name":"Mara","create_date":"x"}`
	const a, b = `{"name":"Ada","is_user":true,"mes":"one"}`, `{"name":"Mara","is_user":false,"mes":"two"}`
	tests := []struct {
		name, data string
		texts      string
		warning    string
	}{
		{"plain", header + "\n" + a + "\n" + b, "one|two", ""},
		{"byte order mark, CRLF, blank lines", bom + header + "\r\n\r\n" + a + "\r\n" + b + "\r\n\r\n", "one|two", ""},
		{"no header", a + "\n" + b, "one|two", "no header"},
		{"cut last line", header + "\n" + a + "\n" + b[:20], "one", "line 3 was left out: it is cut off"},
		{"bad line between", header + "\n" + a + "\nnonsense\n" + b, "one|two", "line 3"},
		{"not an object", header + "\n" + a + "\n[1]\n" + b, "one|two", "line 3"},
		{"no message", header + "\n{\"x\":1}\n" + b, "two", "line 2 was left out: it has neither"},
		{"second header", header + "\n" + a + "\n" + header + "\n" + b, "one|two", "another header"},
		{"not UTF-8", header + "\n" + strings.Replace(a, "one", "o\xffe", 1), "o\ufffde", "not UTF-8"},
		{"text of another type", header + "\n" + `{"name":"A","mes":5}`, "5", "the text is a number"},
		{"text missing", header + "\n" + `{"name":"A"}`, "", ""},
		{"bad time", header + "\n" + `{"name":"A","mes":"x","send_date":"tomorrow"}`, "x", "1 messages have a time"},
		{"bad swipes", header + "\n" + `{"name":"A","mes":"x","swipes":7}`, "x", "swipes cannot be read"},
		{"too deep", header + "\n" + `{"name":"A","mes":"x","y":` + strings.Repeat("[", tooDeep) + strings.Repeat("]", tooDeep) + "}\n" + b, "two", "max depth"},
		{"too long", header + "\n" + `{"name":"A","mes":"` + strings.Repeat("x", MaxChatLine) + "\"}\n" + b, "two", "line 2 was left out: it is longer"},
		{"too long, last", header + "\n" + b + "\n" + `{"name":"A","mes":"` + strings.Repeat("x", MaxChatLine), "two", "line 3 was left out: it is longer"},
	}
	for _, tt := range tests {
		f := readChat(t, tt.data)
		var texts []string
		for _, m := range f.Messages {
			texts = append(texts, m.Content)
		}
		if got := strings.Join(texts, "|"); got != tt.texts {
			t.Errorf("%s: read %q", tt.name, got)
		}
		if (tt.warning == "") != (len(f.Warnings) == 0) || !strings.Contains(strings.Join(f.Warnings, "|"), tt.warning) {
			t.Errorf("%s: warnings %q", tt.name, f.Warnings)
		}
	}
}

func TestReadChat_Refusals(t *testing.T) {
	for _, tt := range []struct{ data, words string }{
		{"", "no line"}, {"\n\n", "no line"}, {"hello\nworld", "no line"}, {"[{}]", "no line"},
		{string(load(t, "v2.json")), "character card"}, {string(load(t, "v1.json")), "character card"},
		{string(plainPNG(t)), "PNG picture without a card"}, {string(load(t, "lorebook.json")), "lorebook"},
		{"\xff\xfe{\x00", "UTF-16"},
	} {
		_, err := ReadChat(strings.NewReader(tt.data))
		if !errors.Is(err, ErrNotChat) || !strings.Contains(fmt.Sprint(err), tt.words) {
			t.Errorf("%.30q: %v", tt.data, err)
		}
	}
	boom := errors.New("boom")
	f, err := ReadChat(io.MultiReader(bytes.NewReader(load(t, "chat.jsonl")), iotest.ErrReader(boom)))
	if !errors.Is(err, boom) || len(f.Messages) != 5 || f.UserName != "Ada" {
		t.Errorf("%v, %d messages", err, len(f.Messages))
	}
	many := strings.Repeat(`{"mes":"","swipes":[`+strings.Repeat(`"",`, maxSwipes-1)+`""]}`+"\n", 101)
	if _, err := ReadChat(strings.NewReader(many)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if f := readChat(t, strings.Repeat("nonsense\n", 1000)+`{"mes":"x"}`); len(f.Warnings) != maxWarnings+1 {
		t.Errorf("%d warnings", len(f.Warnings))
	}
}

func TestReadTime(t *testing.T) {
	in := time.Date(2024, 11, 2, 10, 11, 12, 0, time.Local)
	utc := time.Date(2024, 11, 2, 10, 11, 12, 0, time.UTC)
	for raw, want := range map[string]time.Time{
		`"2024-11-02T10:11:12.000Z"`:                   utc,
		`"2024-11-02T12:11:12+02:00"`:                  utc,
		`"2024-11-2@10h11m12s"`:                        in,
		`"2024-11-2@10h11m12s345ms"`:                   in.Add(345 * time.Millisecond),
		`"2024-11-2 @10h 11m 12s 345ms"`:               in.Add(345 * time.Millisecond),
		`"2024-11-02@10h11m"`:                          in.Add(-12 * time.Second),
		`"November 2, 2024 10:11am"`:                   in.Add(-12 * time.Second),
		`"November 2, 2024 10:11 PM"`:                  in.Add(12*time.Hour - 12*time.Second),
		`"Nov 2, 2024 10:11am"`:                        in.Add(-12 * time.Second),
		`"2024-11-02 10:11:12"`:                        in,
		fmt.Sprint(utc.UnixMilli()):                    utc,
		fmt.Sprintf("%q", fmt.Sprint(utc.UnixMilli())): utc,
		fmt.Sprint(utc.Unix()):                         utc,
		`"2024-11-2@10h11x"`:                           {},
		`"2024-11-2@"`:                                 {},
		`"@"`:                                          {},
		`"soon"`:                                       {},
		`1e300`:                                        {},
		`-5`:                                           {},
		`"NaN"`:                                        {},
		`true`:                                         {},
		`null`:                                         {},
		`{}`:                                           {},
	} {
		if got := readTime(json.RawMessage(raw)); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

func lines(t testing.TB, data string) []any {
	t.Helper()
	var out []any
	for line := range strings.Lines(data) {
		out = append(out, tree(t, []byte(line)))
	}
	return out
}

func TestWriteChat_KeepsEverything(t *testing.T) {
	data := string(load(t, "chat.jsonl"))
	f := readChat(t, data)
	out := writeChat(t, f)
	before, after := lines(t, data), lines(t, out)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	again := readChat(t, out)
	if diff := cmp.Diff(f, again); diff != "" {
		t.Error(diff)
	}
	if twice := writeChat(t, again); twice != out {
		t.Error("a second round changes the file again")
	}
	// The header alone carries the metadata too.
	f.Metadata = nil
	if writeChat(t, f) != out {
		t.Error("the header's metadata was lost")
	}
}

func TestWriteChat_KeepsOddLines(t *testing.T) {
	const header = `{"chat_metadata":{},"user_name":"A","character_name":"B"}` + "\n"
	for _, line := range []string{
		`{"name":5,"mes":null,"is_user":0,"is_system":1,"extra":"text","send_date":"soon"}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":["x",null,3],"swipe_id":0,"swipe_info":[{"extra":{}},{"extra":{}},{"extra":{}}]}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":["x"],"swipe_id":0,"swipe_info":[{"extra":{}},{"tail":1}]}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":["x","y"],"swipe_id":0,"swipe_info":[7,{"extra":{}}]}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":["x"],"swipe_id":0,"swipe_info":{"odd":1}}`,
		`{"name":"B","mes":"edited","is_user":false,"is_system":false,"extra":{},"swipes":["x","y"],"swipe_id":1,"swipe_info":[{"extra":{}},{"extra":{}}]}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":[],"swipe_id":9,"swipe_info":[]}`,
		`{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":{},"swipes":"none"}`,
		`{"name":"\ud800","mes":"\udfff","is_user":false,"is_system":false,"extra":{"reasoning":"r","n":1.0}}`,
	} {
		out := writeChat(t, readChat(t, header+line))
		if diff := cmp.Diff(lines(t, header+line), lines(t, out)); diff != "" {
			t.Errorf("%s:\n%s", line, diff)
		}
	}
}

func TestWriteChat_EditsWin(t *testing.T) {
	f := readChat(t, string(load(t, "chat.jsonl")))
	when := time.Date(2025, 1, 2, 3, 4, 5, 6000000, time.UTC)
	m := &f.Messages[0]
	m.Content, m.Thinking, m.Hidden, m.CreatedAt, m.Chosen = "new", "thought", true, when, 0
	m.Swipes[0].Content, m.Swipes[0].Thinking = "new", "thought"
	f.Messages[1].Role, f.Messages[1].Hidden = storage.System, true
	f.Messages[3].Swipes, f.Messages[3].Chosen = nil, 0
	f.Messages[4].Role = storage.Assistant
	f.CharacterName = "Other"
	f.Metadata = json.RawMessage(`{"a": 1}`)
	again := readChat(t, writeChat(t, f))
	f.Header, again.Header = nil, nil
	f.Metadata = json.RawMessage(`{"a":1}`)
	for i := range f.Messages {
		f.Messages[i].Extra, again.Messages[i].Extra = nil, nil
		for j := range f.Messages[i].Swipes {
			f.Messages[i].Swipes[j].Extra, again.Messages[i].Swipes[j].Extra = nil, nil
		}
	}
	if diff := cmp.Diff(f, again); diff != "" {
		t.Error(diff)
	}
}

func TestWriteChat_FromNothing(t *testing.T) {
	when := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	f := ChatFile{UserName: "Ada", CharacterName: "Mara", Messages: []ChatMessage{
		{Role: storage.Assistant, Name: "Mara", Content: "a", CreatedAt: when, Model: "m", Thinking: "t",
			Swipes: []Swipe{{Content: "a", CreatedAt: when, Model: "m", Thinking: "t"}, {Content: "b", CreatedAt: when}}},
		{Role: storage.User, Name: "Ada", Content: "b\n</x>\u2028", CreatedAt: when},
		{Role: storage.SceneCapture, Name: "Ada"},
		{Role: storage.System, Name: "Keeper", Content: "c", CreatedAt: when, Hidden: true},
	}}
	out := writeChat(t, f)
	if strings.Count(out, "\n") != 4 || strings.Contains(out, `\u003c`) {
		t.Errorf("%s", out)
	}
	again := readChat(t, out)
	if again.UserName != "Ada" || again.CharacterName != "Mara" || len(again.Messages) != 3 || len(again.Warnings) != 0 {
		t.Fatalf("%+v", again)
	}
	for i, want := range []ChatMessage{f.Messages[0], f.Messages[1], f.Messages[3]} {
		got := again.Messages[i]
		got.Extra = nil
		for j := range got.Swipes {
			got.Swipes[j].Extra = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteChat_Errors(t *testing.T) {
	if err := WriteChat(brokenPipe{}, ChatFile{}, each(make([]ChatMessage, 1000))); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	for _, f := range []ChatFile{
		{Header: json.RawMessage(`[]`)}, {Metadata: json.RawMessage(`{`)},
		{Messages: []ChatMessage{{Extra: json.RawMessage(`7`)}}},
	} {
		if err := WriteChat(io.Discard, f, each(f.Messages)); !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	}
}

func TestVariants(t *testing.T) {
	m := ChatMessage{Content: "edited", Chosen: 1, Swipes: []Swipe{{Content: "a"}, {Content: "b", Extra: json.RawMessage(`{}`)}}}
	all, chosen := m.Variants()
	if chosen != 1 || all[0].Content != "a" || all[1].Content != "edited" || all[1].Extra == nil || m.Swipes[1].Content != "b" {
		t.Errorf("%+v %d", all, chosen)
	}
	if all, chosen = (ChatMessage{Content: "x", Chosen: 5}).Variants(); chosen != 0 || len(all) != 1 || all[0].Content != "x" {
		t.Errorf("%+v %d", all, chosen)
	}
}

func longChat(count int) []byte {
	var buf bytes.Buffer
	buf.WriteString(`{"chat_metadata":{},"user_name":"unused","character_name":"unused"}` + "\n")
	body := strings.Repeat("The lamp turns, and the sea with it. ", 30)
	for i := range count {
		fmt.Fprintf(&buf, `{"name":"Mara","is_user":%t,"is_system":false,"send_date":"2024-11-02T10:11:12.000Z","mes":%q,"extra":{"model":"m","reasoning":"r"},"swipes":[%q,"b"],"swipe_id":0,"swipe_info":[{"send_date":"2024-11-02T10:11:12.000Z","extra":{}},{"extra":{}}]}`+"\n", i%2 == 0, body, body)
	}
	return buf.Bytes()
}

func BenchmarkReadChat(b *testing.B) {
	data := longChat(10_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if f, err := ReadChat(bytes.NewReader(data)); err != nil || len(f.Messages) != 10_000 {
			b.Fatal(err)
		}
	}
}

// each hands on messages as WriteChat takes them.
func each(list []ChatMessage) iter.Seq2[ChatMessage, error] {
	return func(yield func(ChatMessage, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// What has no message is no chat, whatever its first line says, and a chat that names
// nobody is called after its file.
func TestReadChat_NothingInIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"chat_metadata":{"a":1}}`: "no message",
		`{"user_name":"U","character_name":"A","chat_metadata":{}}` + "\n" + `{"level":"info"}`: "neither a name nor a text",
		"PK\x03\x04 settings.json": "import it with move-in",
	} {
		if _, err := ReadChat(strings.NewReader(text)); !errors.Is(err, ErrNotChat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "Mara Quill - 2024-01-02.jsonl")
	if err := os.WriteFile(path, []byte(`{"mes":"Hello.","is_user":false}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadChatFile(path)
	if err != nil || f.CharacterName != "Mara Quill" || !strings.Contains(strings.Join(f.Warnings, "|"), "taken from the file name") {
		t.Errorf("%q %q %v", f.CharacterName, f.Warnings, err)
	}
}
