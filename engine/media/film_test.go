package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// painted is a picture that packs as a photograph does, another one for each seed.
func painted(w, h, seed int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	grain := uint32(seed + 1)
	for i := range w * h {
		grain = grain*1664525 + 1013904223
		x, y := i%w, i/w
		g := uint8(grain >> 30)
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = uint8(x*200/w+seed*9)+g, uint8(y*200/h)+g, uint8((x+y)*100/(w+h))+g, 255
	}
	return img
}

// shown are the frames of a GIF that is decoded again, and how long each stands.
func shown(t *testing.T, data []byte) (frames []image.Image, stands []time.Duration) {
	t.Helper()
	all, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil || all.LoopCount != 0 {
		t.Fatalf("%v, played %d times", err, all.LoopCount)
	}
	for i, img := range all.Image {
		frames, stands = append(frames, img), append(stands, time.Duration(all.Delay[i])*10*time.Millisecond)
	}
	return frames, stands
}

func TestFilm_DecodedAgain(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {3, 7}, {64, 48}, {161, 90}} {
		var out bytes.Buffer
		f, err := NewGIF(&out, size.X, size.Y)
		if err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{40 * time.Millisecond, 2500 * time.Millisecond, 333333333, 333333333, 333333334, 600 * time.Second}
		total := time.Duration(0)
		for i, d := range want {
			if err := f.Add(painted(size.X, size.Y, i), d); err != nil {
				t.Fatal(err)
			}
			total += d
		}
		if err := errors.Join(f.End(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if w, h, err := Size(out.Bytes(), GIF); err != nil || w != size.X || h != size.Y || Sniff(out.Bytes()) != GIF {
			t.Errorf("%d × %d, %v", w, h, err)
		}
		if _, err := Poster(out.Bytes(), GIF); err != nil {
			t.Errorf("%v", err)
		}
		frames, stands := shown(t, out.Bytes())
		if len(frames) != len(want) {
			t.Fatalf("%v: %d frames", size, len(frames))
		}
		sum := time.Duration(0)
		for i, img := range frames {
			sum += stands[i]
			if img.Bounds().Size() != size || (stands[i]-want[i]).Abs() > 10*time.Millisecond {
				t.Errorf("frame %d is %v and stands for %v", i, img.Bounds(), stands[i])
			}
			far, was := 0, painted(size.X, size.Y, i)
			for y := range size.Y {
				for x := range size.X {
					far = max(far, apart(img.At(x, y), was.At(x, y)))
				}
			}
			if far > 24 {
				t.Errorf("%v: frame %d is %d off", size, i, far)
			}
		}
		if (sum - total).Abs() > 10*time.Millisecond {
			t.Errorf("it takes %v, not %v", sum, total)
		}
	}
}

func apart(a, b color.Color) int {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(p.R, q.R), d(p.G, q.G), d(p.B, q.B))
}

func TestFilm_Refuses(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{0, 4}, {4, -1}, {maxFilmSide + 1, 4}} {
		if _, err := NewGIF(io.Discard, size[0], size[1]); !errors.Is(err, ErrFilm) {
			t.Error(err)
		}
	}
	f, err := NewGIF(io.Discard, 8, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{f.Add(painted(9, 8, 0), time.Second), f.Add(painted(8, 8, 0), 0), f.Add(painted(8, 8, 0), time.Hour)} {
		if !errors.Is(err, ErrFilm) {
			t.Error(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// However many frames there are, one at a time is held.
func TestFilm_HoldsOneFrame(t *testing.T) {
	f, err := NewGIF(io.Discard, 512, 512)
	if err != nil {
		t.Fatal(err)
	}
	img, most := painted(512, 512, 1), uint64(0)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 12 {
		if err := f.Add(img, time.Second); err != nil {
			t.Fatal(err)
		}
		if i%4 == 3 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
		}
	}
	if err := errors.Join(f.End(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if most > 4<<20 {
		t.Errorf("%d kB are held", most>>10)
	}
}

// asFFmpeg makes the test's own program stand for ffmpeg: by what a variable says it
// does what is wanted, fails, or never ends.
func asFFmpeg(t *testing.T, how string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a link that is a program of another name")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ffmpeg")
	if err := os.Symlink(self, path); err != nil {
		t.Skip(err)
	}
	t.Setenv("GHOSTLIGHT_FFMPEG", how)
	t.Setenv("PATH", dir)
	return path
}

func TestMain(m *testing.M) {
	how := os.Getenv("GHOSTLIGHT_FFMPEG")
	if how == "" || filepath.Base(os.Args[0]) != "ffmpeg" {
		os.Exit(m.Run())
	}
	switch how {
	case "fails":
		fmt.Fprintln(os.Stderr, "Unknown encoder"+strings.Repeat(" for ever", 9000))
		os.Exit(1)
	case "hangs":
		select {}
	}
	if film := slices.Index(os.Args, "-map_metadata"); film > 0 {
		from, err := os.ReadFile(os.Args[slices.Index(os.Args, "-i")+1])
		if err != nil || os.WriteFile(os.Args[len(os.Args)-1], bytes.ReplaceAll(from, []byte(secret), nil), 0o600) != nil {
			os.Exit(4)
		}
		os.Exit(0)
	}
	n, err := io.Copy(io.Discard, os.Stdin)
	if err != nil {
		os.Exit(2)
	}
	words := fmt.Sprintf("\x00\x00\x00\x18ftypisom %d %s", n, strings.Join(os.Args[1:len(os.Args)-1], " "))
	if os.WriteFile(os.Args[len(os.Args)-1], []byte(words), 0o600) != nil {
		os.Exit(3)
	}
	os.Exit(0)
}

func TestMP4(t *testing.T) {
	path := asFFmpeg(t, "works")
	if found, err := FFmpeg(); err != nil || found != path {
		t.Fatalf("%s, %v", found, err)
	}
	var out bytes.Buffer
	f, err := NewMP4(t.Context(), path, &out, 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []time.Duration{time.Second, 250 * time.Millisecond, 250 * time.Millisecond} {
		if err := f.Add(painted(16, 8, 1), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.End(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); Sniff(out.Bytes()) != MP4 || !strings.Contains(got, " "+strconv.Itoa(15*16*8*4)+" ") || !strings.Contains(got, "-video_size 16x8") {
		t.Errorf("%q", got)
	}
	if _, err := NewMP4(t.Context(), path, io.Discard, 15, 8); !errors.Is(err, ErrFilm) {
		t.Errorf("an odd side: %v", err)
	}
}

func TestMP4_Fails(t *testing.T) {
	path := asFFmpeg(t, "fails")
	f, err := NewMP4(t.Context(), path, io.Discard, 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil { // it is not known when it has ended
		err = f.Add(painted(16, 8, 1), 10*time.Second)
	}
	if !strings.Contains(err.Error(), "Unknown encoder") || len(err.Error()) > maxFaultBytes+100 {
		t.Errorf("%d bytes: %.200s", len(err.Error()), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := FFmpeg(); !errors.Is(err, ErrNoFFmpeg) {
		t.Error(err)
	}
}

func TestStrip_Films(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	mp4, webm := "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00", "\x1a\x45\xdf\xa3 webm"
	for format, film := range map[string]string{MP4: mp4, "mkv": webm} {
		if got, err := Strip([]byte(film), format); !errors.Is(err, ErrNoFFmpeg) || got != nil {
			t.Errorf("without ffmpeg: %q, %v", got, err)
		}
	}
	asFFmpeg(t, "works")
	for format, film := range map[string]string{"mov": mp4, WebM: webm} {
		if got, err := Strip([]byte(film+secret), format); err != nil || string(got) != film {
			t.Errorf("%s: %q, %v", format, got, err)
		}
		var out bytes.Buffer
		if err := StripTo(&out, strings.NewReader(film+secret), format); err != nil || out.String() != film {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
		if got, err := Strip([]byte("no film"), format); !errors.Is(err, ErrMalformed) || got != nil {
			t.Errorf("no film: %q, %v", got, err)
		}
	}
	asFFmpeg(t, "fails")
	if got, err := Strip([]byte(mp4), MP4); !errors.Is(err, ErrMalformed) || got != nil || !strings.Contains(err.Error(), "Unknown encoder") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMP4_Cancelled(t *testing.T) {
	path := asFFmpeg(t, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	f, err := NewMP4(ctx, path, io.Discard, 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for err == nil {
		err = f.Add(painted(16, 8, 1), 600*time.Second)
	}
	dir := f.(*mp4Film).dir
	if !errors.Is(err, context.Canceled) || f.Close() != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}

// TestSlides draws a card and a picture with a subtitle; GHOSTLIGHT_SLIDES keeps them.
func TestSlides(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{64, 64}, {768, 432}, {432, 768}, {768, 768}} {
		s, err := NewSlides(size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		words := "“You came,” she says. " + strings.Repeat("And the rain does not stop until the morning. ", 4) + "\nNo."
		parts, ok := s.Subtitles(words)
		if !ok || len(parts) < 2 {
			t.Fatalf("%v, %v", ok, parts)
		}
		var all []string
		for _, p := range parts {
			if len(p) > subtitleLines {
				t.Errorf("%d lines at once", len(p))
			}
			all = append(all, p...)
		}
		if got := strings.Join(strings.Fields(strings.Join(all, " ")), ""); got != strings.Join(strings.Fields(words), "") {
			t.Errorf("%q", got)
		}
		for i, slide := range []Slide{{Picture: painted(1024, 700, 3), Subtitle: parts[0]}, {Title: "2 · Close-up · 4 s", Text: strings.Repeat("Her hand stops on the net. ", 9), Subtitle: parts[1]}} {
			img := s.Draw(slide)
			white := 0
			for y := size[1] * 2 / 3; y < size[1]; y++ {
				for x := range size[0] {
					if img.RGBAAt(x, y) == slideSubtitle {
						white++
					}
				}
			}
			if white < 20 {
				t.Errorf("%v: %d pixels of the subtitle", size, white)
			}
			keep(t, fmt.Sprintf("slide-%dx%d-%d.png", size[0], size[1], i), img)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	s, err := NewSlides(320, 180)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Subtitles("誰が教えたの？"); ok {
		t.Error("boxes are taken for letters")
	}
	if parts, ok := s.Subtitles(" \n\x1b[2J\u202e\n"); !ok || len(parts) > 1 {
		t.Errorf("%v %q", ok, parts)
	}
}

// keep puts a picture where GHOSTLIGHT_SLIDES says, to be looked at.
func keep(t *testing.T, name string, img image.Image) {
	t.Helper()
	dir := os.Getenv("GHOSTLIGHT_SLIDES")
	if dir == "" {
		return
	}
	var out bytes.Buffer
	if err := errors.Join(png.Encode(&out, img), os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}
