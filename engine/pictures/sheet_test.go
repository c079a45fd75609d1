package pictures_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestExportCapture(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(3)
	path := s.PathIDs()
	_, err := s.Scenes.ToggleBreak(s.Chat, path[2])
	enginetest.Must(t, err)
	data := enginetest.Graphed(t, 200)
	c := s.pictured(storage.Capture{At: path[4]}, "png", data, nil)
	dir := t.TempDir()

	out, err := s.Pictures.Gallery.Export(c.ID, dir, pictures.ExportOptions{})
	enginetest.Must(t, err)
	if name := filepath.Base(out); !regexp.MustCompile(`^scene-02_\d{8}-\d{6}_`+string(c.ID)+`\.png$`).MatchString(name) || filepath.Dir(out) != dir {
		t.Errorf("it is at %s", out)
	}
	got := enginetest.Read(t, out)
	if bytes.Contains(got, []byte("nobody must know")) {
		t.Error("the graph is still in it")
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := png.Decode(bytes.NewReader(got)); err != nil {
		t.Error(err)
	}

	whole, err := s.Pictures.Gallery.Export(c.ID, filepath.Join(dir, "mine"), pictures.ExportOptions{KeepMetadata: true})
	enginetest.Must(t, err)
	if whole != filepath.Join(dir, "mine.png") || !bytes.Equal(enginetest.Read(t, whole), data) {
		t.Errorf("%s is not the file as it was", whole)
	}
	if _, err := s.Pictures.Gallery.Export(c.ID, whole, pictures.ExportOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if !bytes.Equal(enginetest.Read(t, whole), data) {
		t.Error("it was replaced")
	}
	_, err = s.Pictures.Gallery.Export(c.ID, whole, pictures.ExportOptions{Overwrite: true})
	enginetest.Must(t, err)
	if !bytes.Equal(enginetest.Read(t, whole), got) {
		t.Error("it was not replaced")
	}
	home, err := s.Pictures.Gallery.Export(c.ID, "", pictures.ExportOptions{})
	enginetest.Must(t, err)
	if filepath.Dir(home) != filepath.Join(s.Cfg.DataDir, "exports") {
		t.Errorf("with no place named it is at %s", home)
	}
	names, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	if len(names) != 2 {
		t.Errorf("something was left over: %v", names)
	}
}

func TestExportCapture_Refuses(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	at := s.PathIDs()[0]
	c := s.pictured(storage.Capture{At: at}, "png", enginetest.Graphed(t, 9), nil)
	draft := s.KeepCapture(storage.Capture{At: at, Status: storage.CaptureDraft})
	broken := s.pictured(storage.Capture{At: at}, "png", enginetest.Graphed(t, 9)[:80], nil)
	gone := s.pictured(storage.Capture{At: at}, "png", enginetest.Graphed(t, 9), nil)
	enginetest.Must(t, os.Remove(s.Pictures.Gallery.Path(gone)))
	dir := t.TempDir()
	tests := map[string]struct {
		id   storage.CaptureID
		path string
		says string
	}{
		"no picture yet":      {draft.ID, dir, "no picture yet"},
		"a damaged picture":   {broken.ID, dir, "to export it with its metadata"},
		"a file that is gone": {gone.ID, dir, "no such file"},
		"another kind":        {c.ID, filepath.Join(dir, "x.jpg"), "use this file extension"},
		"a folder not there":  {c.ID, filepath.Join(dir, "no", "x.png"), "create it first"},
		"a device":            {c.ID, os.DevNull, "not a regular file"},
		"a capture not there": {"01ARZ3NDEKTSV4RRFFQ69G5FAV", dir, "there is no capture"},
	}
	for name, tt := range tests {
		if out, err := s.Pictures.Gallery.Export(tt.id, tt.path, pictures.ExportOptions{}); err == nil || out != "" || !strings.Contains(failure.Text(err), tt.says) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	list, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	if len(list) > 0 {
		t.Errorf("there is %v", list)
	}
	// A damaged file can be taken out as it is.
	_, err = s.Pictures.Gallery.Export(broken.ID, dir, pictures.ExportOptions{KeepMetadata: true})
	enginetest.Must(t, err)
}

// withFFmpeg puts a program on the PATH that copies films as ffmpeg does.
func withFFmpeg(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for ffmpeg")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nfor last; do :; done\nwhile [ \"$1\" != -i ]; do shift; done\nexec cp \"$2\" \"$last\"\n"
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Without ffmpeg a film leaves only with what is embedded in it.
func TestExport_AFilmWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(2)
	s.pictured(storage.Capture{At: s.PathIDs()[1], Kind: "video"}, "webm", []byte("\x1a\x45\xdf\xa3 a film"), nil)
	got, err := s.Pictures.Gallery.ExportAll(s.Chat, t.TempDir(), pictures.ExportOptions{})
	enginetest.Must(t, err)
	if len(got) != 1 || !strings.Contains(failure.Text(got[0].Err), "ffmpeg was not found on the PATH") {
		t.Fatalf("%+v", got)
	}
	got, err = s.Pictures.Gallery.ExportAll(s.Chat, t.TempDir(), pictures.ExportOptions{KeepMetadata: true})
	enginetest.Must(t, err)
	if len(got) != 1 || got[0].Err != nil {
		t.Fatalf("with the graph: %+v", got)
	}
}

func TestExportAll(t *testing.T) {
	withFFmpeg(t)
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(2)
	path := s.PathIDs()
	dir := filepath.Join(t.TempDir(), "made", "here")
	if _, err := s.Pictures.Gallery.ExportAll(s.Chat, dir, pictures.ExportOptions{}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a chat without pictures: %v", err)
	}
	a := s.pictured(storage.Capture{At: path[3]}, "png", enginetest.Graphed(t, 1), nil)
	b := s.pictured(storage.Capture{At: path[1]}, "png", enginetest.Graphed(t, 2)[:80], nil)
	c := s.pictured(storage.Capture{At: "nowhere", Kind: "video"}, "webm", []byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x86\x1f\x43\xb6\x75\x81\x00"), nil)
	s.KeepCapture(storage.Capture{At: path[1], Status: storage.CaptureDraft})
	got, err := s.Pictures.Gallery.ExportAll(s.Chat, dir, pictures.ExportOptions{})
	enginetest.Must(t, err)
	if len(got) != 3 || got[0].Capture != b.ID || got[0].Err == nil || got[1].Capture != a.ID || got[1].Err != nil || got[2].Capture != c.ID || got[2].Err != nil {
		t.Fatalf("%+v", got)
	}
	list, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	if len(list) != 2 || filepath.Ext(got[2].Path) != ".webm" {
		t.Errorf("%v", list)
	}
	if again, err := s.Pictures.Gallery.ExportAll(s.Chat, dir, pictures.ExportOptions{}); err != nil || !errors.Is(again[1].Err, fs.ErrExist) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestContactSheet_PNG(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(2)
	path := s.PathIDs()
	seed := int64(77)
	for i, shade := range []uint8{60, 120, 180} {
		s.pictured(storage.Capture{At: path[i], ImagePrompt: "A lamp.", Seed: &seed}, "png", enginetest.Graphed(t, shade), enginetest.Graphed(t, shade))
	}
	s.pictured(storage.Capture{At: path[2], Kind: "video"}, "mp4", []byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00"), nil)
	to := filepath.Join(t.TempDir(), "sheet.png")
	out, err := s.Pictures.Gallery.ContactSheet(s.Chat, to, false)
	enginetest.Must(t, err)
	data := enginetest.Read(t, out)
	img, err := png.Decode(bytes.NewReader(data))
	enginetest.Must(t, err)
	n := map[uint8]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); c.R == c.G && c.G == c.B {
				n[c.R]++
			}
		}
	}
	for _, shade := range []uint8{60, 120, 180} {
		if n[shade] != 40*30 { // nothing is made larger than it is
			t.Errorf("%d pixels of shade %d", n[shade], shade)
		}
	}
	if bytes.Contains(data, []byte("nobody must know")) {
		t.Error("the graph is in it")
	}
	if _, err := s.Pictures.Gallery.ContactSheet(s.Chat, to, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	_, err = s.Pictures.Gallery.ContactSheet(s.Chat, to, true)
	enginetest.Must(t, err)
	if _, err := s.Pictures.Gallery.ContactSheet(s.Chat, filepath.Join(t.TempDir(), "sheet.pdf"), false); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("another ending: %v", err)
	}
	if _, err := (&harness{enginetest.NewHarness(t)}).Pictures.Gallery.ContactSheet(s.Chat, to+"2.png", false); err == nil {
		t.Error("a sheet of a chat that is not there")
	}
}

// hostileText is what a model, a card or a file may hold.
const hostileText = "</p><script>alert('x')</script>\"'><img src=x onerror=alert(1)> \u202egnitteg\u202c \x00\x1b[31m\u0085 <!-- --> &amp; *<b>leaning</b>* \xff"

func TestContactSheet_Page(t *testing.T) {
	withFFmpeg(t)
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(4)
	path := s.PathIDs()
	_, err := s.Scenes.ToggleBreak(s.Chat, path[4])
	enginetest.Must(t, err)
	enginetest.Must(t, s.Scenes.Rename(s.Chat, path[4], "Scene "+hostileText))
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.Chat, path[3])
		if err != nil {
			return err
		}
		n.Content, n.Name = "Before.\n\nIn **two** lines,\nand *one leans*. 2 * 3 *\n\n"+hostileText, hostileText
		if err := tx.PutNode(n); err != nil {
			return err
		}
		c, err := storage.Chats.Get(tx, s.Chat)
		c.Title = hostileText
		return errors.Join(err, storage.Chats.Put(tx, c.ID, c))
	}))
	film := []byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x86\x1f\x43\xb6\x75\x81\x00")
	seed := int64(42)
	first := s.pictured(storage.Capture{At: path[3], ImagePrompt: hostileText, NegativePrompt: hostileText, Seed: &seed}, "png", enginetest.Graphed(t, 50), nil)
	s.pictured(storage.Capture{At: path[3], From: first.ID, ImagePrompt: "again", Requested: "the <lamp>"}, "png", enginetest.Graphed(t, 60), nil)
	s.pictured(storage.Capture{At: path[6], Kind: "video", ImagePrompt: "it moves"}, "webm", film, nil)
	s.pictured(storage.Capture{At: "nowhere", ImagePrompt: "elsewhere"}, "png", enginetest.Graphed(t, 70), nil)
	s.pictured(storage.Capture{At: path[6], ImagePrompt: "damaged"}, "png", enginetest.Graphed(t, 80)[:70], enginetest.Graphed(t, 90))
	s.KeepCapture(storage.Capture{At: path[6], Status: storage.CaptureDraft, ImagePrompt: "only a draft"})

	out, err := s.Pictures.Gallery.ContactSheet(s.Chat, filepath.Join(t.TempDir(), "sheet.html"), false)
	enginetest.Must(t, err)
	doc := string(enginetest.Read(t, out))
	if keep := os.Getenv("GHOSTLIGHT_SHEET"); keep != "" {
		enginetest.Must(t, os.WriteFile(keep, []byte(doc), 0o600))
	}
	for _, bad := range []string{"<script", "<img src=x", "\x00", "\x1b", "\u202e", "\u0085", "<b>", "<!--", "only a draft", "nobody must know",
		base64.StdEncoding.EncodeToString([]byte("nobody must know"))[:18]} {
		if strings.Contains(doc, bad) {
			t.Errorf("there is %q in it", bad)
		}
	}
	for _, want := range []string{"default-src &#39;none&#39;", "lt;script&gt;"} {
		if !strings.Contains(strings.ReplaceAll(doc, "'none'", "&#39;none&#39;"), want) {
			t.Errorf("there is no %q in it", want)
		}
	}
	// The order of what is to be seen.
	rest := doc
	for _, mark := range []string{"<h2>Scene 1 · Scene", "<p dir=\"auto\">Before.</p>", "In <strong>two</strong> lines,<br>\nand <em>one leans</em>. 2 * 3 *</p>",
		"<em>&lt;b&gt;leaning&lt;/b&gt;</em>", "data:image/png;base64,", "variant 1 of 2", "seed 42", "data:image/png;base64,", "variant 2 of 2", "asked for: the &lt;lamp&gt;", "again",
		"<h2>Scene 2</h2>", "<video controls", "data:video/webm;base64,", "it moves", "data:image/jpeg;base64,", "damaged", "<h2>From other branches</h2>", "elsewhere", "</html>"} {
		_, after, ok := strings.Cut(rest, mark)
		if !ok {
			t.Fatalf("there is no %q where it should be", mark)
		}
		rest = after
	}
	balanced(t, doc)
}

// balanced checks that all that is opened in a page is closed again, in order.
func balanced(t testing.TB, doc string) {
	t.Helper()
	var open []string
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`).FindAllStringSubmatch(doc, -1) {
		switch {
		case m[2] == "meta" || m[2] == "img" || m[2] == "br":
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			t.Fatalf("</%s> closes nothing that is open: %v", m[2], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

// TestContactSheet_PagePlaces: pictures stand at the message that shows them, else
// at the one they were taken after, else at the end of their scene.
func TestContactSheet_PagePlaces(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(4)
	path := s.PathIDs()
	_, err := s.Scenes.ToggleBreak(s.Chat, path[4])
	enginetest.Must(t, err)
	s.pictured(storage.Capture{At: path[1], Node: path[3], ImagePrompt: "shown late"}, "png", enginetest.Graphed(t, 50), nil)
	s.pictured(storage.Capture{At: path[2], ImagePrompt: "shown nowhere"}, "png", enginetest.Graphed(t, 51), nil)
	s.pictured(storage.Capture{At: path[1], ImagePrompt: "of what was deleted"}, "png", enginetest.Graphed(t, 52), nil)
	enginetest.Must(t, s.Chats.Delete(s.Chat, path[1], false))
	out, err := s.Pictures.Gallery.ContactSheet(s.Chat, filepath.Join(t.TempDir(), "sheet.html"), false)
	enginetest.Must(t, err)
	doc := string(enginetest.Read(t, out))
	var seen []string
	for _, m := range regexp.MustCompile(`line \d|shown late</p>|shown nowhere</p>|of what was deleted</p>|Scene \d`).FindAllString(doc, -1) {
		seen = append(seen, strings.TrimSuffix(m, "</p>"))
	}
	want := []string{"Scene 1", "line 0", "shown nowhere", "line 1", "shown late", "line 1", "of what was deleted", "Scene 2", "line 2", "line 2", "line 3", "line 3"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestEmphasised(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":               "plain",
		"*a* b":               "<em>a</em> b",
		"**a** *b*":           "<strong>a</strong> <em>b</em>",
		"2 * 3 * 4":           "2 * 3 * 4",
		"*open":               "*open",
		"***a***":             "<em><strong>a</strong></em>",
		"*a **b** c*":         "<em>a <strong>b</strong> c</em>",
		"*a\nb*":              "<em>a<br>\nb</em>",
		"<i>&*<x>*":           "&lt;i&gt;&amp;<em>&lt;x&gt;</em>",
		"**":                  "**",
		"*":                   "*",
		"":                    "",
		"He *nods*, *smiles*": "He <em>nods</em>, <em>smiles</em>",
	} {
		if got := pictures.Emphasised(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[a<>&" *\n]{0,60}`).Draw(t, "text")
		out := pictures.Emphasised(in)
		plain := regexp.MustCompile(`</?(em|strong)>|<br>`).ReplaceAllString(out, "")
		if strings.ContainsAny(plain, "<>") || strings.Count(out, "<em>") != strings.Count(out, "</em>") || strings.Count(out, "<strong>") != strings.Count(out, "</strong>") {
			t.Errorf("%q became %q", in, out)
		}
	})
}

func FuzzPage(f *testing.F) {
	f.Add(hostileText)
	f.Add("*a* **b** <i>")
	marks := strings.NewReplacer("<em>", "", "</em>", "", "<strong>", "", "</strong>", "", "<br>", "")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			return // long ones only take long to be made short
		}
		for _, out := range []string{pictures.EscapeHTML(text), pictures.Emphasised(text)} {
			plain := marks.Replace(out)
			if strings.ContainsAny(plain, "<>\"'\x00\x1b\u202e") {
				t.Errorf("%q became %q", text, out)
			}
		}
	})
}

// TestPage_Budget: what a page takes in is bounded.
func TestPage_Budget(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	big := image.NewNRGBA(image.Rect(0, 0, 900, 700))
	for i := range big.Pix {
		big.Pix[i] = byte(i * i >> 3)
		if i%4 == 3 {
			big.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	enginetest.Must(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, big))
	c := s.pictured(storage.Capture{At: s.PathIDs()[0]}, "png", b.Bytes(), nil)
	out, err := s.Pictures.Gallery.ContactSheet(s.Chat, filepath.Join(t.TempDir(), "sheet.html"), false)
	enginetest.Must(t, err)
	_, data, _ := strings.Cut(string(enginetest.Read(t, out)), "data:image/jpeg;base64,")
	data, _, _ = strings.Cut(data, `"`)
	raw, err := base64.StdEncoding.DecodeString(data)
	enginetest.Must(t, err)
	img, err := jpeg.DecodeConfig(bytes.NewReader(raw))
	if err != nil || img.Width != pictures.ThumbnailSide {
		t.Errorf("%s is %d wide, %v", c.ID, img.Width, err)
	}
}
