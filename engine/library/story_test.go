package library_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/epubtest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shoot puts a picture below the head of the chat that is played.
func shoot(t testing.TB, s *enginetest.Harness, ext string, data []byte, hang bool, requested string) storage.Capture {
	t.Helper()
	var c storage.Capture
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		c = storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.Chat, At: chat.Head, Kind: "image", Status: storage.CaptureCompleted, Requested: requested}
		c.ImagePath = filepath.Join("captures", string(c.ID)+ext)
		if hang {
			n := storage.Node{Chat: s.Chat, Parent: chat.Head, Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID, CreatedAt: chat.UpdatedAt}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			c.Node, chat.Head = n.ID, n.ID
			if err := storage.Chats.Put(tx, chat.ID, chat); err != nil {
				return err
			}
		}
		return storage.Captures.Put(tx, c.ID, c)
	}))
	if data != nil {
		path := filepath.Join(s.Core().Config.DataDir, c.ImagePath)
		enginetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		enginetest.Must(t, os.WriteFile(path, data, 0o600))
	}
	return c
}

// noise returns a picture that does not compress.
func noise(t testing.TB, w, h int) []byte {
	t.Helper()
	m, r := image.NewNRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(m.Pix); i += 4 {
		v := uint8(r.Uint32())
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = v&0xf0, v<<4, uint8(i>>8), 255
	}
	m.Set(0, 0, color.NRGBA{1, 2, 3, 40})
	var b bytes.Buffer
	enginetest.Must(t, png.Encode(&b, m))
	return b.Bytes()
}

func book(t testing.TB, s *enginetest.Harness, o library.StoryOptions) (files map[string]string, r novel.Report) {
	t.Helper()
	var out bytes.Buffer
	r, err := s.Library.WriteStory(context.Background(), s.Chat, novel.EPUB, o, &out)
	enginetest.Must(t, err)
	if err := epubtest.Faults(out.Bytes()); err != nil {
		t.Error(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	enginetest.Must(t, err)
	files = map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		enginetest.Must(t, err)
		text, err := io.ReadAll(in)
		enginetest.Must(t, err)
		files[f.Name] = string(text)
	}
	return files, r
}

func TestWriteStory_TheBundledPlayWithPicturesIsABook(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	s.Say("*I step in.* \"Is anyone there?\" ((brb))")
	first := shoot(t, s, ".png", enginetest.Graphed(t, 40), true, "the lamp <on> the stage")
	reply := s.Say("And who lights the lamp?")
	enginetest.Must(t, s.Scenes.ChangeScenes(s.Chat, "test", func(tx *storage.Tx) error {
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: reply.Message, Kind: storage.SceneRecap, Text: "- The lamp was lit."}
		return errors.Join(storage.Recaps.Put(tx, s.Chat, r), storage.Breaks.Put(tx, s.Chat, storage.Break{Node: reply.Message, Name: "The <lamp>", Versions: []storage.RecapID{r.ID}}))
	}))
	s.Sibling(reply.Message, "Another *answer*.")
	enginetest.Must(t, s.Chats.Goto(s.Chat, reply.Message))
	s.Say("The second evening.")
	shoot(t, s, ".png", noise(t, 2100, 600), true, "")
	shoot(t, s, ".webp", nil, true, "lost")
	shoot(t, s, ".png", enginetest.Graphed(t, 90), false, "in the gallery alone")

	files, r := book(t, s, library.StoryOptions{})
	if r.Chapters != 2 || r.Pictures != 3 || r.Missing != 1 {
		t.Errorf("%+v", r)
	}
	one, two := files["EPUB/chapter0001.xhtml"], files["EPUB/chapter0002.xhtml"]
	for text, in := range map[string]string{"<h2>The &lt;lamp&gt;</h2>": one, "<em>I step in.</em>": one, "the lamp &lt;on&gt; the stage": one, "pictures/p0001.png": one, "<h2>Scene 2</h2>": two, "pictures/p0002.jpeg": two, "pictures/p0003.png": two} {
		if !strings.Contains(in, text) {
			t.Errorf("%q is not where it belongs: %s", text, in)
		}
	}
	for _, text := range []string{"brb", "Another <em>answer", "The lamp was lit"} {
		if strings.Contains(one, text) {
			t.Errorf("%q was not asked for", text)
		}
	}
	if strings.Contains(files["EPUB/pictures/p0001.png"], "class_type") {
		t.Error("the graph of a picture left the house")
	}
	if !strings.Contains(files["EPUB/title.xhtml"], "With ") || !strings.Contains(files["EPUB/nav.xhtml"], "The &lt;lamp&gt;") || !strings.Contains(files["EPUB/toc.ncx"], "Scene 2") {
		t.Error("title page or contents are not whole")
	}
	files, _ = book(t, s, library.StoryOptions{Recaps: true, Swipes: true, OOC: true, NoPictures: true, Language: "pt-BR"})
	for _, text := range []string{"brb", "Another <em>answer", "The lamp was lit", `lang="pt-BR"`} {
		if !strings.Contains(files["EPUB/chapter0001.xhtml"], text) {
			t.Errorf("%q was asked for", text)
		}
	}
	if strings.Contains(files["EPUB/chapter0001.xhtml"], "<img") {
		t.Error("pictures were not asked for")
	}
	var page bytes.Buffer
	_, err := s.Library.WriteStory(context.Background(), s.Chat, novel.HTML, library.StoryOptions{}, &page)
	enginetest.Must(t, err)
	if strings.Count(page.String(), `src="data:image/`) != 3 || strings.Count(page.String(), "<h2") != 3 {
		t.Errorf("the page has %d pictures", strings.Count(page.String(), `src="data:image/`))
	}
	_ = first
}

func TestWriteStory_WithoutScenesAndWithoutMessages(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	s.Say("Hello.")
	files, r := book(t, s, library.StoryOptions{})
	if r.Chapters != 1 || strings.Contains(files["EPUB/chapter0001.xhtml"], "<h2") {
		t.Errorf("%+v\n%s", r, files["EPUB/chapter0001.xhtml"])
	}
	c, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Nobody"}})
	enginetest.Must(t, err)
	chat, err := s.Chats.New(c.ID, "")
	enginetest.Must(t, err)
	s.Chat = chat.ID
	if _, r := book(t, s, library.StoryOptions{}); r.Chapters != 0 {
		t.Errorf("an empty one: %+v", r)
	}
}

func TestWriteStory_ALongChapterIsSeveralDocuments(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	got, err := s.Library.Import(enginetest.Write(t, "long.jsonl", enginetest.LongChat(3000)))
	enginetest.Must(t, err)
	s.Chat = got.Chat.ID
	files, _ := book(t, s, library.StoryOptions{})
	if files["EPUB/chapter0001-2.xhtml"] == "" {
		t.Error("3000 messages stand in one document")
	}
	n := 0
	for name, text := range files {
		if strings.HasPrefix(name, "EPUB/chapter") {
			n += strings.Count(text, "said under the lamp")
		}
	}
	if n != 3000 {
		t.Errorf("%d of 3000 messages are in the book", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Library.WriteStory(ctx, s.Chat, novel.EPUB, library.StoryOptions{}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestExportStory_FormatsAndRefusals(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl", "a.md", "a.txt", "a.html", "a.EPUB"} {
		if _, _, err := s.Library.ExportStory(context.Background(), s.Chat, filepath.Join(dir, name), false, library.StoryOptions{}); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := s.Library.ExportStory(context.Background(), s.Chat, filepath.Join(dir, "a.docx"), false, library.StoryOptions{}); err == nil || !strings.Contains(err.Error(), ".epub") || !strings.Contains(err.Error(), ".jsonl") {
		t.Errorf("an ending that is not known: %v", err)
	}
	if _, _, err := s.Library.ExportStory(context.Background(), s.Chat, filepath.Join(dir, "a.md"), false, library.StoryOptions{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 5 {
		t.Errorf("%d files", len(list))
	}
}

func TestExportBranches(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	one := s.Say("One.")
	s.Say("Two.")
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.Say("Instead of two.")
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message)) // the head stands above both ways now
	dir := filepath.Join(t.TempDir(), "out")
	list, err := s.Library.ExportBranches(context.Background(), s.Chat, dir)
	enginetest.Must(t, err)
	var names []string
	text := map[string]bool{}
	for _, b := range list {
		names = append(names, filepath.Base(b.Path))
		data := string(enginetest.Read(t, b.Path))
		for _, what := range []string{`"Two."`, `"Instead of two."`} {
			text[what] = text[what] || strings.Contains(data, what)
		}
		if strings.Contains(data, `"main_chat"`) == b.Shown {
			t.Errorf("%s: %.200s", b.Path, data)
		}
		if _, err := s.Library.Import(b.Path); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(names)
	if len(names) != 3 || !text[`"Two."`] || !text[`"Instead of two."`] || !strings.Contains(strings.Join(names, "\n"), "branch at message 3") {
		t.Errorf("%q %v", names, text)
	}
	if _, err := s.Library.ExportBranches(context.Background(), s.Chat, dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a folder with files: %v", err)
	}
}

// The play that comes with the program is a sound book to its end, with a picture at every
// other message.
func TestWriteStory_BundledPlay(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	picture := noise(t, 64, 48)
	for i := range tove.Length() {
		s.Say(fmt.Sprintf("%d. *I nod & wait.* <beat> \"Go on?\"", i))
		shoot(t, s, ".png", picture, i%2 == 0, "the \"lamp\" & <her>")
	}
	files, r := book(t, s, library.StoryOptions{Recaps: true, Swipes: true, OOC: true})
	if r.Pictures != tove.Length() {
		t.Errorf("%d pictures of %d", r.Pictures, tove.Length())
	}
	said := ""
	for name, text := range files {
		if strings.HasSuffix(name, ".xhtml") {
			said += text
		}
	}
	for _, words := range []string{"a woman is holding a second bulb between her teeth", "&lt;beat&gt;"} {
		if !strings.Contains(said, words) {
			t.Errorf("the book does not say %q", words)
		}
	}
}

// BenchmarkStory writes a story of 10,000 messages with 200 pictures of a megapixel and
// tells how much memory the process took at most, and how much of the processors, which
// is the figure that counts where others are at work:
//
//	go test ./engine/library -run '^$' -bench Story -benchtime 1x
func BenchmarkStory(b *testing.B) {
	s := enginetest.NewHarness(b)
	var chat strings.Builder
	chat.WriteString(`{"user_name":"Robin","character_name":"Tove","chat_metadata":{}}` + "\n")
	prose := strings.Repeat(`*She turns the lamp down, slowly.* \"Not yet,\" she says, \"not while *he* is listening.\"\n\n`, 6)
	for i := range 10_000 {
		fmt.Fprintf(&chat, `{"name":"%s","is_user":%t,"send_date":"2024-11-02T10:20:00.000Z","mes":"%d. %s","extra":{}}`+"\n", []string{"Tove", "Robin"}[i%2], i%2 == 1, i, prose)
	}
	got, err := s.Library.Import(enginetest.Write(b, "long.jsonl", chat.String()))
	enginetest.Must(b, err)
	s.Chat = got.Chat.ID
	data := noise(b, 1024, 1024)
	for range 200 {
		shoot(b, s, ".png", data, true, "")
	}
	for _, f := range []novel.Format{novel.EPUB, novel.HTML} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				runtime.GC()
				var most uint64
				done, told := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(told)
					for {
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapInuse)
						select {
						case <-done:
							return
						case <-time.After(20 * time.Millisecond):
						}
					}
				}()
				before := processors()
				path := filepath.Join(b.TempDir(), "story"+f.Ending())
				_, r, err := s.Library.ExportStory(context.Background(), s.Chat, path, true, library.StoryOptions{})
				enginetest.Must(b, err)
				if used := processors() - before; used > 0 {
					b.ReportMetric(used, "cpu-s")
				}
				close(done)
				<-told
				info, err := os.Stat(path)
				enginetest.Must(b, err)
				if r.Pictures != 200 {
					b.Fatalf("%+v", r)
				}
				b.ReportMetric(float64(most)/(1<<20), "peak-MB")
				b.ReportMetric(float64(info.Size())/(1<<20), "file-MB")
			}
		})
	}
}

// processors returns how many seconds of them the process has taken, 0 if the system does
// not tell.
func processors() float64 {
	data, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(data), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100
}
