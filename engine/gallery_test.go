package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/storage"
)

// keepCapture stores a capture of a message as if it had been made.
func (s *stage) keepCapture(c storage.Capture) storage.Capture {
	s.t.Helper()
	c.ID, c.Chat = storage.CaptureID(storage.NewID()), s.chat
	if c.Kind == "" {
		c.Kind = "image"
	}
	if c.Status == "" {
		c.Status = storage.CaptureCompleted
	}
	must(s.t, s.store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
	return c
}

// pictured stores a capture with files: a picture, and the same as its thumbnail.
func (s *stage) pictured(c storage.Capture, ext string, picture, thumb []byte) storage.Capture {
	s.t.Helper()
	c = s.keepCapture(c)
	c.ImageID, c.ImagePath = string(c.ID), filepath.Join("captures", string(c.ID)+"."+ext)
	must(s.t, s.writeFile(c.ImagePath, picture))
	if thumb != nil {
		c.ThumbnailPath = filepath.Join("captures", string(c.ID)+"_thumb.png")
		must(s.t, s.writeFile(c.ThumbnailPath, thumb))
	}
	must(s.t, s.store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
	return c
}

// pathIDs is the path of the chat, oldest first.
func (s *stage) pathIDs() []storage.NodeID {
	s.t.Helper()
	_, path, err := s.Path(s.chat, 0)
	must(s.t, err)
	var out []storage.NodeID
	for _, m := range path {
		out = append(out, m.ID)
	}
	return out
}

// outline is a gallery in words: scenes with their names, captures by index.
func outline(g []GalleryScene, of ...storage.Capture) string {
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
	s := newStage(t)
	s.grow(10)
	path := s.pathIDs()
	for i, at := range []int{4, 9, 14} {
		_, err := s.ToggleBreak(s.chat, path[at])
		must(t, err)
		if i == 1 {
			must(t, s.RenameScene(s.chat, path[at], "The cellar"))
		}
	}
	a := s.keepCapture(storage.Capture{At: path[8]})
	b := s.keepCapture(storage.Capture{At: path[2]})
	c := s.keepCapture(storage.Capture{At: path[16]})
	d := s.keepCapture(storage.Capture{At: path[7], From: ""})
	e := s.keepCapture(storage.Capture{At: path[8], From: a.ID, Status: storage.CaptureDraft})
	f := s.keepCapture(storage.Capture{At: path[8]})
	g := s.keepCapture(storage.Capture{At: path[8], From: e.ID})
	h := s.keepCapture(storage.Capture{At: "nowhere"})
	i := s.keepCapture(storage.Capture{At: "nowhere", Node: path[20]})
	got, err := s.Gallery(s.chat)
	must(t, err)
	want := "1 : b\n2 The cellar: d a(1/3) e(2/3) g(3/3) f\n4 : c i\n0 : h\n"
	if diff := cmp.Diff(want, outline(got, a, b, c, d, e, f, g, h, i)); diff != "" {
		t.Error(diff)
	}
	if got[1].Last != path[9] || got[2].Last != "" {
		t.Errorf("the ends are %q and %q", got[1].Last, got[2].Last)
	}
	// On another branch the same captures stand elsewhere.
	must(t, s.Branch(s.chat, path[5]))
	if got, err = s.Gallery(s.chat); err != nil {
		t.Fatal(err)
	}
	want = "1 : b\n0 : a(1/3) e(2/3) g(3/3) c d f h i\n"
	if diff := cmp.Diff(want, outline(got, a, b, c, d, e, f, g, h, i)); diff != "" {
		t.Error(diff)
	}
}

func TestGallery_NumbersScenesAsTheListOfScenes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.grow(6)
	path := s.pathIDs()
	for _, at := range []int{3, 6, 9} {
		_, err := s.ToggleBreak(s.chat, path[at])
		must(t, err)
	}
	gone := s.keepCapture(storage.Capture{At: path[5]})
	late := s.keepCapture(storage.Capture{At: path[8]})
	for _, at := range []int{4, 5, 6} {
		must(t, s.Delete(s.chat, path[at], false))
	}
	scenes, err := s.Scenes(s.chat)
	must(t, err)
	got, err := s.Gallery(s.chat)
	must(t, err)
	if diff := cmp.Diff("2 : b\n0 : a\n", outline(got, gone, late)); diff != "" {
		t.Error(diff)
	}
	if last := scenes.List[1].Break; last != got[0].Last {
		t.Errorf("scene 2 ends at %s in the list of scenes, at %s here", last, got[0].Last)
	}
}

func TestGallery_Damaged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	at := s.pathIDs()[0]
	a := s.keepCapture(storage.Capture{At: at})
	b := s.keepCapture(storage.Capture{At: at, From: a.ID})
	c := s.keepCapture(storage.Capture{At: at, From: "01ARZ3NDEKTSV4RRFFQ69G5FAV"}) // that is gone
	d := s.keepCapture(storage.Capture{At: at, From: c.From})
	e := s.keepCapture(storage.Capture{At: at})
	e.From, a.From = e.ID, b.ID // rings
	must(t, s.store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, a.ID, a); err != nil {
			return err
		}
		return storage.Captures.Put(tx, e.ID, e)
	}))
	got, err := s.Gallery(s.chat)
	must(t, err)
	if diff := cmp.Diff("1 : c(1/2) d(2/2) a(1/2) b(2/2) e\n", outline(got, a, b, c, d, e)); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Gallery("01ARZ3NDEKTSV4RRFFQ69G5FAV"); err == nil {
		t.Error("there is a gallery of a chat that is not there")
	}
}

func TestGallery_KnowsTheAvatar(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	at := s.pathIDs()[0]
	one, two := tinyPNG(t, 1), tinyPNG(t, 2)
	a := s.pictured(storage.Capture{At: at}, "png", one, one)
	b := s.pictured(storage.Capture{At: at}, "png", two, two)
	c := s.keepCapture(storage.Capture{At: at, ThumbnailPath: "captures/gone.png"})
	must(t, s.CaptureAsAvatar(b.ID))
	got, err := s.Gallery(s.chat)
	must(t, err)
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

// tinyPNG is a picture that is told from others by its shade.
func tinyPNG(t testing.TB, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 8, 8))
	img.Pix[9] = shade
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

func BenchmarkGallery10k(b *testing.B) {
	s := newStage(b)
	s.grow(5000)
	path := s.pathIDs()
	for i := range 300 {
		s.keepCapture(storage.Capture{At: path[i*30], ImagePrompt: strings.Repeat("a lamp on a stage ", 60)})
	}
	for i := 40; i < len(path)-1; i += 40 {
		must(b, s.store.Update(func(tx *storage.Tx) error {
			return storage.Breaks.Put(tx, s.chat, storage.Break{Node: path[i], Depth: i})
		}))
	}
	for b.Loop() {
		if g, err := s.Gallery(s.chat); err != nil || len(g) < 200 {
			b.Fatal(len(g), err)
		}
	}
}

// withText puts a text into a PNG.
func withText(data []byte, key, text string) []byte {
	body := slices.Concat([]byte("tEXt"+key), []byte{0}, []byte(text))
	part := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	part = binary.BigEndian.AppendUint32(append(part, body...), crc32.ChecksumIEEE(body))
	return slices.Concat(data[:33], part, data[33:])
}
