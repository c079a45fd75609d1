package boards_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// filmed returns a confirmed board of n shots, of which every fifth lacks a picture, every
// third speaks, and every fourth does not say how long it stands.
func filmed(t testing.TB, n, w, h int) (*harness, storage.NodeID) {
	t.Helper()
	s, node := scened(t)
	var shots []any
	for i := range n {
		shot := map[string]any{"kind": "key", "size": "close_up", "description": fmt.Sprintf("The lamp, look %d.", i+1), "seconds": 1 + float64(i)/4}
		if i%3 == 0 {
			shot["dialogue"] = fmt.Sprintf("You came, %d.\nGo.", i)
		}
		if i%4 == 3 {
			delete(shot, "seconds")
		}
		shots = append(shots, shot)
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.InsertShot, map[string]any{"shots": shots}), enginetest.Call(t, storyboard.ConfirmShots, map[string]any{}))
	enginetest.Must(t, err)
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true})
	enginetest.Must(t, err)
	for i, id := range v.Captures {
		if i%5 == 4 {
			continue
		}
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for k := range w * h {
			img.SetNRGBA(k%w, k/w, color.NRGBA{uint8(i * 20), uint8(k % w * 255 / w), uint8(k / w * 255 / h), 255})
		}
		var out bytes.Buffer
		enginetest.Must(t, png.Encode(&out, img))
		c := s.Stored(id)
		c.ImagePath, c.Status = filepath.Join("captures", string(id)+".png"), storage.CaptureCompleted
		enginetest.Must(t, s.Pictures.WriteFile(c.ImagePath, out.Bytes()))
		s.KeepCapture(c)
	}
	return s, node
}

func TestAnimatic_TwelveShots(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: long, one step after the other, with -short")
	}
	t.Parallel()
	s, node := filmed(t, 12, 160, 90)
	dir := t.TempDir()
	shots := s.board(node).Shots
	var drawn []int
	a, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: filepath.Join(dir, "board.gif"), Side: 320, Progress: func(done, of int) { drawn = append(drawn, done, of) }})
	enginetest.Must(t, err)
	if a.Shots != 12 || a.Cards != 2 || a.Frames != 16 || a.Width != 320 || a.Height != 180 || a.MissingGlyphs != 0 || a.Duration != storyboard.TotalDuration(shots) || len(drawn) != 24 {
		t.Errorf("%+v, told %v", a, drawn)
	}
	film, err := gif.DecodeAll(bytes.NewReader(enginetest.Read(t, a.Path)))
	enginetest.Must(t, err)
	if len(film.Image) != 16 || film.Config.Width != 320 || film.Config.Height != 180 {
		t.Fatalf("%d frames of %d × %d", len(film.Image), film.Config.Width, film.Config.Height)
	}
	// Each shot has its seconds, and subtitles change with the frames.
	srt := string(enginetest.Read(t, filepath.Join(dir, "board.srt")))
	frame, total := 0, 0
	at := time.Duration(0)
	for i, shot := range shots {
		n, took := 1, 0
		if shot.Dialogue != "" {
			n = 2
			for _, half := range []string{fmt.Sprintf("You came, %d.", i), "Go."} {
				from := at + time.Duration(took)*10*time.Millisecond
				took += film.Delay[frame]
				frame++
				to := at + time.Duration(took)*10*time.Millisecond
				found := false
				for _, cue := range cuesOf(t, srt) {
					found = found || cue.text == half && (cue.from-from).Abs() <= 20*time.Millisecond && (cue.to-to).Abs() <= 20*time.Millisecond
				}
				if !found {
					t.Errorf("shot %d: %q from %v to %v is not in\n%s", i+1, half, from, to, srt)
				}
			}
		} else {
			took = film.Delay[frame]
			frame++
		}
		if want := int(storyboard.ShotDuration(shot) / (10 * time.Millisecond)); took < want-2 || took > want+2 || n == 0 {
			t.Errorf("shot %d stands for %d, not %d", i+1, took, want)
		}
		at += storyboard.ShotDuration(shot)
		total += took
	}
	if want := int(a.Duration / (10 * time.Millisecond)); total < want-1 || total > want+1 {
		t.Errorf("it takes %d, not %d", total, want)
	}
	// A picture is the picture, and a card has words.
	if r, _, _, _ := film.Image[frame-2].At(160, 40).RGBA(); r>>8 > 0 && r>>8 < 180 {
		t.Errorf("the picture of shot 11 is of another one: %d", r>>8)
	}

	again, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: filepath.Join(dir, "other"), Format: "gif"})
	enginetest.Must(t, err)
	data := enginetest.Read(t, filepath.Join(dir, "other.gif"))
	if w, h, err := media.Size(data, media.GIF); err != nil || w != 768 || h != 432 || again.Frames != 16 {
		t.Errorf("%d × %d, %v, %+v", w, h, err, again)
	}
	if vtt := enginetest.Read(t, filepath.Join(dir, "other.vtt")); !bytes.HasPrefix(vtt, []byte("WEBVTT\n\n00:00:00.000 --> ")) {
		t.Errorf("%s", vtt)
	}
}

type cue struct {
	from, to time.Duration
	text     string
}

func cuesOf(t *testing.T, srt string) (all []cue) {
	t.Helper()
	when := func(s string) time.Duration {
		var h, m, sec, ms int
		if _, err := fmt.Sscanf(s, "%d:%d:%d,%d", &h, &m, &sec, &ms); err != nil {
			t.Fatal(err)
		}
		return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(sec)*time.Second + time.Duration(ms)*time.Millisecond
	}
	for _, block := range strings.Split(strings.TrimSpace(srt), "\n\n") {
		lines := strings.SplitN(block, "\n", 3)
		from, to, _ := strings.Cut(lines[1], " --> ")
		all = append(all, cue{when(from), when(to), lines[2]})
	}
	return all
}

func TestAnimatic_Refuses(t *testing.T) {
	t.Parallel()
	s, node := filmed(t, 3, 16, 16)
	dir := t.TempDir()
	for says, r := range map[string]boards.AnimaticRequest{
		"one of these file extensions": {Path: filepath.Join(dir, "x.webp")},
		"make them match":              {Path: filepath.Join(dir, "x.gif"), Format: "mp4"},
		"give a file name":             {},
		"128 to 2048":                  {Path: filepath.Join(dir, "x.gif"), Side: 9},
		"":                             {Path: filepath.Join(s.Cfg.DataDir, "captures", "x.gif"), Overwrite: true},
	} {
		if _, err := s.Boards.Animatic(s.Context(), s.Chat, node, r); err == nil || !strings.Contains(failure.Text(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "x.vtt"), []byte("mine"), 0o600))
	asked := 0
	r := boards.AnimaticRequest{Path: filepath.Join(dir, "x.gif"), Side: 128, Progress: func(int, int) { asked++ }}
	if _, err := s.Boards.Animatic(s.Context(), s.Chat, node, r); !errors.Is(err, fs.ErrExist) || asked > 0 {
		t.Errorf("over subtitles that are there: %v, %d drawn", err, asked)
	}
	// What is ended leaves nothing behind, and what was there.
	ctx, cancel := context.WithCancel(s.Context())
	r.Overwrite, r.Progress = true, func(int, int) { cancel() }
	if _, err := s.Boards.Animatic(ctx, s.Chat, node, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	names, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	if got := enginetest.Read(t, filepath.Join(dir, "x.vtt")); len(names) != 1 || string(got) != "mine" {
		t.Errorf("%v, %q", names, got)
	}
	r.Progress = nil
	_, err = s.Boards.Animatic(s.Context(), s.Chat, node, r)
	enginetest.Must(t, err)
	enginetest.Must(t, os.Remove(filepath.Join(dir, "x.gif")))
	r.Overwrite = false // subtitles that say the same are the same
	_, err = s.Boards.Animatic(s.Context(), s.Chat, node, r)
	enginetest.Must(t, err)
	if names, err := os.ReadDir(dir); err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
}

// Letters that the font lacks are in the files of subtitles, and not drawn as boxes.
func TestAnimatic_LettersThatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	s, node := filmed(t, 1, 16, 16)
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s1", "dialogue": "誰が教えたの？", "seconds": 2}))
	enginetest.Must(t, err)
	a, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: filepath.Join(t.TempDir(), "x.gif"), Side: 128})
	enginetest.Must(t, err)
	if srt := string(enginetest.Read(t, a.Subtitles[0])); a.MissingGlyphs != 1 || a.Frames != 1 || !strings.Contains(srt, "00:00:02,000\n誰が教えたの？\n") {
		t.Errorf("%+v\n%s", a, srt)
	}
}

// TestAnimatic_HoldsAFrame: what is held does not grow with the shots.
func TestAnimatic_HoldsAFrame(t *testing.T) {
	most := map[int]uint64{}
	for _, n := range []int{6, 24} {
		s, node := filmed(t, n, 512, 512)
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: filepath.Join(t.TempDir(), "x.gif"), Side: 512, Progress: func(done, _ int) {
			if done%6 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most[n] = max(most[n], now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
			}
		}})
		enginetest.Must(t, err)
	}
	if most[24] > most[6]+4<<20 || most[24] > 24<<20 {
		t.Errorf("held: %v", most)
	}
}

// BenchmarkAnimatic measures a board of shots of 1024 × 1024 pixels.
func BenchmarkAnimatic(b *testing.B) {
	for _, n := range []int{12, 100} {
		b.Run(fmt.Sprintf("%d shots", n), func(b *testing.B) {
			s, node := filmed(b, n, 1024, 1024)
			path := filepath.Join(b.TempDir(), "x.gif")
			most := uint64(0)
			var now runtime.MemStats
			for b.Loop() {
				_, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: path, Overwrite: true, Progress: func(int, int) {
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapInuse)
				}})
				enginetest.Must(b, err)
			}
			info, err := os.Stat(path)
			enginetest.Must(b, err)
			b.ReportMetric(float64(info.Size())/1e6, "MB")
			b.ReportMetric(float64(most)/1e6, "MB-heap")
		})
	}
}

func TestAnimatic_WithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s, node := filmed(t, 1, 16, 16)
	dir := t.TempDir()
	_, err := s.Boards.Animatic(s.Context(), s.Chat, node, boards.AnimaticRequest{Path: filepath.Join(dir, "x.mp4")})
	if names, _ := os.ReadDir(dir); err == nil || !strings.Contains(failure.Text(err), "ffmpeg was not found on the PATH") || len(names) > 0 {
		t.Errorf("%v, %v", err, names)
	}
}
