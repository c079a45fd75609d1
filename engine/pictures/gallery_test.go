package pictures_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// pictured stores a capture with files: a picture, and the same as its thumbnail.
func (s *harness) pictured(c storage.Capture, ext string, picture, thumb []byte) storage.Capture {
	s.T.Helper()
	c = s.KeepCapture(c)
	c.ImageID, c.ImagePath = string(c.ID), filepath.Join("captures", string(c.ID)+"."+ext)
	enginetest.Must(s.T, s.Pictures.WriteFile(c.ImagePath, picture))
	if thumb != nil {
		c.ThumbnailPath = filepath.Join("captures", string(c.ID)+"_thumb.png")
		enginetest.Must(s.T, s.Pictures.WriteFile(c.ThumbnailPath, thumb))
	}
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
	return c
}

// outline returns a gallery in words: scenes with their names, captures by index.
func outline(g []pictures.GalleryScene, of ...storage.Capture) string {
	var b strings.Builder
	for _, s := range g {
		fmt.Fprintf(&b, "%d %s:", s.Number, s.Name)
		for _, c := range s.Captures {
			i := slices.IndexFunc(of, func(o storage.Capture) bool { return o.ID == c.ID })
			fmt.Fprintf(&b, " %c", 'a'+i)
			if c.Variants > 1 {
				fmt.Fprintf(&b, "(%d/%d)", c.Variant, c.Variants)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestGallery_ByScene(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(10)
	path := s.PathIDs()
	for i, at := range []int{4, 9, 14} {
		_, err := s.Scenes.ToggleBreak(s.Chat, path[at])
		enginetest.Must(t, err)
		if i == 1 {
			enginetest.Must(t, s.Scenes.Rename(s.Chat, path[at], "The cellar"))
		}
	}
	a := s.KeepCapture(storage.Capture{At: path[8]})
	b := s.KeepCapture(storage.Capture{At: path[2]})
	c := s.KeepCapture(storage.Capture{At: path[16]})
	d := s.KeepCapture(storage.Capture{At: path[7], From: ""})
	e := s.KeepCapture(storage.Capture{At: path[8], From: a.ID, Status: storage.CaptureDraft})
	f := s.KeepCapture(storage.Capture{At: path[8]})
	g := s.KeepCapture(storage.Capture{At: path[8], From: e.ID})
	h := s.KeepCapture(storage.Capture{At: "nowhere"})
	i := s.KeepCapture(storage.Capture{At: "nowhere", Node: path[20]})
	got, err := s.Pictures.Gallery.Scenes(s.Chat)
	enginetest.Must(t, err)
	want := "1 : b\n2 The cellar: d a(1/3) e(2/3) g(3/3) f\n4 : c i\n0 : h\n"
	if diff := cmp.Diff(want, outline(got, a, b, c, d, e, f, g, h, i)); diff != "" {
		t.Error(diff)
	}
	if got[1].Last != path[9] || got[2].Last != "" {
		t.Errorf("the ends are %q and %q", got[1].Last, got[2].Last)
	}
	// On another branch the same captures stand elsewhere.
	enginetest.Must(t, s.Chats.Branch(s.Chat, path[5]))
	if got, err = s.Pictures.Gallery.Scenes(s.Chat); err != nil {
		t.Fatal(err)
	}
	want = "1 : b\n0 : a(1/3) e(2/3) g(3/3) c d f h i\n"
	if diff := cmp.Diff(want, outline(got, a, b, c, d, e, f, g, h, i)); diff != "" {
		t.Error(diff)
	}
}

func TestGallery_NumbersScenesAsTheListOfScenes(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(6)
	path := s.PathIDs()
	for _, at := range []int{3, 6, 9} {
		_, err := s.Scenes.ToggleBreak(s.Chat, path[at])
		enginetest.Must(t, err)
	}
	gone := s.KeepCapture(storage.Capture{At: path[5]})
	late := s.KeepCapture(storage.Capture{At: path[8]})
	for _, at := range []int{4, 5, 6} {
		enginetest.Must(t, s.Chats.Delete(s.Chat, path[at], false))
	}
	scenes, err := s.Scenes.List(s.Chat)
	enginetest.Must(t, err)
	got, err := s.Pictures.Gallery.Scenes(s.Chat)
	enginetest.Must(t, err)
	if diff := cmp.Diff("2 : b\n0 : a\n", outline(got, gone, late)); diff != "" {
		t.Error(diff)
	}
	if last := scenes.List[1].Break; last != got[0].Last {
		t.Errorf("scene 2 ends at %s in the list of scenes, at %s here", last, got[0].Last)
	}
}

func TestGallery_Damaged(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	at := s.PathIDs()[0]
	a := s.KeepCapture(storage.Capture{At: at})
	b := s.KeepCapture(storage.Capture{At: at, From: a.ID})
	c := s.KeepCapture(storage.Capture{At: at, From: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}) // that is gone
	d := s.KeepCapture(storage.Capture{At: at, From: c.From})
	e := s.KeepCapture(storage.Capture{At: at})
	e.From, a.From = e.ID, b.ID // rings
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, a.ID, a); err != nil {
			return err
		}
		return storage.Captures.Put(tx, e.ID, e)
	}))
	got, err := s.Pictures.Gallery.Scenes(s.Chat)
	enginetest.Must(t, err)
	if diff := cmp.Diff("1 : c(1/2) d(2/2) a(1/2) b(2/2) e\n", outline(got, a, b, c, d, e)); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Pictures.Gallery.Scenes("01ARZ3NDEKTSV4RRFFQ69G5FAV"); err == nil {
		t.Error("there is a gallery of a chat that is not there")
	}
}

func TestGallery_KnowsTheAvatar(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	at := s.PathIDs()[0]
	one, two := tinyPNG(t, 1), tinyPNG(t, 2)
	a := s.pictured(storage.Capture{At: at}, "png", one, one)
	b := s.pictured(storage.Capture{At: at}, "png", two, two)
	c := s.KeepCapture(storage.Capture{At: at, ThumbnailPath: "captures/gone.png"})
	enginetest.Must(t, s.Pictures.CaptureAsAvatar(b.ID))
	got, err := s.Pictures.Gallery.Scenes(s.Chat)
	enginetest.Must(t, err)
	var avatars []storage.CaptureID
	for _, v := range got[0].Captures {
		if v.Avatar {
			avatars = append(avatars, v.ID)
		}
	}
	if !slices.Equal(avatars, []storage.CaptureID{b.ID}) {
		t.Errorf("the avatar is %v, want %s of %s %s %s", avatars, b.ID, a.ID, b.ID, c.ID)
	}
}

// tinyPNG returns a picture that is told from others by its shade.
func tinyPNG(t testing.TB, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 8, 8))
	img.Pix[9] = shade
	var b bytes.Buffer
	enginetest.Must(t, png.Encode(&b, img))
	return b.Bytes()
}

func BenchmarkGallery10k(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	path := s.PathIDs()
	for i := range 300 {
		s.KeepCapture(storage.Capture{At: path[i*30], ImagePrompt: strings.Repeat("a lamp on a stage ", 60)})
	}
	for i := 40; i < len(path)-1; i += 40 {
		enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
			return storage.Breaks.Put(tx, s.Chat, storage.Break{Node: path[i], Depth: i})
		}))
	}
	for b.Loop() {
		if g, err := s.Pictures.Gallery.Scenes(s.Chat); err != nil || len(g) < 200 {
			b.Fatal(len(g), err)
		}
	}
}
