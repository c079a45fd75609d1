package boards

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of an animatic: its longer side in pixels, and its length.
const (
	defaultSide = 768
	minSide     = 128
	maxSide     = 2048
	maxAnimatic = time.Hour
)

// animaticFormats are the formats of an animatic, by file extension.
var animaticFormats = []string{media.GIF, media.MP4}

// AnimaticRequest is the destination and the format of an animatic.
type AnimaticRequest struct {
	Path   string
	Format string // gif or mp4; "" by the file's extension
	Side   int    // the longer side in pixels, 0 for a usual one
	// Overwrite replaces existing files.
	Overwrite bool
	// Progress is called for each written shot; it may be nil.
	Progress func(done, of int)
}

// Animatic is the result of writing a storyboard as a film.
type Animatic struct {
	Path      string   `json:"path"`
	Subtitles []string `json:"subtitles"` // files beside it, none where nobody speaks
	Format    string   `json:"format"`
	Width     int      `json:"width"`
	Height    int      `json:"height"`
	Shots     int      `json:"shots"`
	Frames    int      `json:"frames"`
	Cards     int      `json:"cards"` // shots without a picture, shown as a card with their text
	// MissingGlyphs are shots whose words are in the files alone: the font lacks letters of theirs.
	MissingGlyphs int           `json:"undrawn"`
	Duration      time.Duration `json:"-"`
	Seconds       float64       `json:"seconds"` // Duration, in hundredths
	Scene         int           `json:"scene"`   // its number
	Bytes         int64         `json:"bytes"`   // of the film
}

// Animatic writes the shots of a storyboard as one film, each for its duration, with the dialogue
// drawn into the picture and in subtitle files. One picture at a time is in memory. The files are
// written completely or not at all; ctx cancels it.
func (svc *Service) Animatic(ctx context.Context, chat storage.ChatID, node storage.NodeID,
	r AnimaticRequest) (Animatic, error) {
	const op = "animatic"
	a := Animatic{}
	path, format, err := animaticPath(r)
	if err != nil {
		return a, failure.Wrap(op, err)
	}
	a.Path, a.Format = path, format
	b, err := svc.readExport(chat, node)
	if err == nil {
		err = svc.writeAnimatic(ctx, b, r, &a)
	}
	if err != nil {
		return Animatic{}, failure.Wrap(op, err)
	}
	a.Scene, a.Seconds = b.Scene.Number, math.Round(a.Duration.Seconds()*100)/100
	if info, err := os.Stat(a.Path); err == nil {
		a.Bytes = info.Size()
	}
	return a, nil
}

// animaticPath returns the path and the format of an animatic. An explicit format must not
// contradict the extension.
func animaticPath(r AnimaticRequest) (path, format string, err error) {
	const forms = "a film is a .gif, or an .mp4 if ffmpeg is installed"
	if strings.TrimSpace(r.Path) == "" {
		return "", "", failure.Refusef("give a file name: %s", forms)
	}
	if path, err = filepath.Abs(core.ExpandHome(r.Path)); err != nil {
		return "", "", err
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	format = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(r.Format), "."))
	switch {
	case format == "":
		format = ending
	case ending == "":
		path += "." + format
	case ending != format:
		return "", "", failure.Refusef("the file ends in .%s, but the format is %s: make them match",
			failure.ShortRef(ending), failure.ShortRef(format))
	}
	if !slices.Contains(animaticFormats, format) {
		return "", "", failure.Refusef("%s: use one of these file extensions", forms)
	}
	return path, format, nil
}

func (svc *Service) writeAnimatic(ctx context.Context, b boardExport, r AnimaticRequest, a *Animatic) error {
	if len(b.Shots) == 0 {
		return failure.Refusef("the storyboard has no shots yet")
	}
	if a.Duration = storyboard.TotalDuration(b.Shots); a.Duration > maxAnimatic {
		return failure.Refusef("the shots take %v in total; a film can be at most %v long",
			a.Duration.Round(time.Second), maxAnimatic)
	}
	if r.Side == 0 {
		r.Side = defaultSide
	}
	if r.Side < minSide || r.Side > maxSide {
		return failure.Refusef("the longer side of a film must be from %d to %d pixels, not %d", minSide,
			maxSide, r.Side)
	}
	f := animaticWriter{svc: svc, b: b, r: r, a: a}
	if a.Format == media.MP4 {
		var err error
		if f.ffmpeg, err = media.FFmpeg(); err != nil {
			return failure.Refusef("%s: install it, or use the file extension .gif", err.Error())
		}
	}
	a.Width, a.Height = f.size()
	slides, err := media.NewSlides(a.Width, a.Height)
	if err != nil {
		return err
	}
	defer func() { _ = slides.Close() }() // holds nothing but memory
	f.slides = slides
	f.plan()
	return f.write(ctx)
}

// animaticWriter writes an animatic.
type animaticWriter struct {
	svc    *Service
	b      boardExport
	r      AnimaticRequest
	a      *Animatic
	ffmpeg string
	slides *media.Slides
	scenes [][]storyboard.Cue // of each shot
	drawn  []bool             // whether its words are drawn
}

// size returns the size of the first picture, scaled to the requested side; without pictures it is
// a wide format. Sides are even, as video encoders require.
func (f *animaticWriter) size() (w, h int) {
	w, h = 16, 9
	for _, s := range f.b.Shots {
		if img := f.picture(s); img != nil {
			w, h = img.Bounds().Dx(), img.Bounds().Dy()
			break
		}
	}
	side := f.r.Side
	if w >= h {
		w, h = side, max(h*side/w, side/4)
	} else {
		w, h = max(w*side/h, side/4), side
	}
	return w &^ 1, h &^ 1
}

// picture returns the painted picture of a shot, nil if there is none.
func (f *animaticWriter) picture(s storage.Shot) image.Image {
	c, ok := f.b.Sketches[s.ID]
	if !ok || c.ImagePath == "" {
		return nil
	}
	data, err := f.svc.pictures.Gallery.Picture(c, false)
	if err == nil {
		if img, err := media.Poster(data, media.Sniff(data)); err == nil {
			return img
		}
	}
	img, err := f.svc.pictures.Gallery.Still(c)
	if err != nil {
		f.svc.core.Log.Info("a shot of an animatic has no picture that can be shown", "capture", c.ID, "err", err)
		return nil
	}
	return img
}

// plan divides the duration of each shot among its dialogue.
func (f *animaticWriter) plan() {
	at := time.Duration(0)
	for _, s := range f.b.Shots {
		parts, drawn := f.slides.Subtitles(s.Dialogue)
		if !drawn {
			f.a.MissingGlyphs++
		}
		stands := storyboard.ShotDuration(s)
		f.scenes, f.drawn = append(f.scenes, storyboard.Cues(at, stands, parts)), append(f.drawn, drawn)
		at += stands
	}
}

// write writes film and subtitles. The files are opened nested, so that an existing one is refused
// before anything is drawn, and none is replaced before all are written.
func (f *animaticWriter) write(ctx context.Context) error {
	cues := slices.Concat(f.scenes...)
	put := func(path string, write func(io.Writer) error) error {
		return f.svc.pictures.Gallery.PutFile(path, f.r.Overwrite, write)
	}
	film := func() error { return put(f.a.Path, func(w io.Writer) error { return f.film(ctx, w) }) }
	if len(cues) == 0 {
		return film()
	}
	beside := strings.TrimSuffix(f.a.Path, filepath.Ext(f.a.Path))
	f.a.Subtitles = []string{beside + ".srt", beside + ".vtt"}
	text := func(path, text string, then func() error) func() error {
		return func() error {
			if hasContent(path, text) { // of the same film in another form
				return then()
			}
			return put(path, func(w io.Writer) error {
				if _, err := io.WriteString(w, text); err != nil {
					return err
				}
				return then()
			})
		}
	}
	return text(f.a.Subtitles[0], storyboard.SRT(cues), text(f.a.Subtitles[1], storyboard.VTT(cues), film))()
}

// hasContent reports whether a file exists with exactly this text.
func hasContent(path, text string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && string(data) == text
}

// film draws all frames.
func (f *animaticWriter) film(ctx context.Context, w io.Writer) (err error) {
	var out media.Film
	if f.a.Format == media.MP4 {
		out, err = media.NewMP4(ctx, f.ffmpeg, w, f.a.Width, f.a.Height)
	} else {
		out, err = media.NewGIF(w, f.a.Width, f.a.Height)
	}
	if err != nil {
		return err
	}
	defer func() {
		if fault := out.Close(); fault != nil && !os.IsNotExist(fault) {
			f.svc.core.Log.Warn("tidying up after an animatic failed", "err", fault)
		}
	}()
	for i, s := range f.b.Shots {
		if err := f.shot(ctx, out, i, s); err != nil {
			return err
		}
		if f.r.Progress != nil {
			f.r.Progress(i+1, len(f.b.Shots))
		}
		f.svc.core.Emit(AnimaticProgress{f.b.Chat, f.b.Node, i + 1, len(f.b.Shots)})
	}
	f.a.Shots = len(f.b.Shots)
	return out.End()
}

// shot draws a shot: once, or once for each part of its dialogue.
func (f *animaticWriter) shot(ctx context.Context, out media.Film, i int, s storage.Shot) error {
	slide := media.Slide{Picture: f.picture(s)}
	if slide.Picture == nil {
		slide.Title = failure.JoinWords(shotTitle(i, s), storyboard.Label(storyboard.FieldAngle, s.Angle))
		slide.Text = shotWords(s)
		f.a.Cards++
	}
	cues := f.scenes[i]
	if len(cues) == 0 || !f.drawn[i] {
		cues = []storyboard.Cue{{To: storyboard.ShotDuration(s)}}
	}
	for _, c := range cues {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		slide.Subtitle = c.Lines
		if c.To <= c.From {
			continue
		}
		if err := out.Add(f.slides.Draw(slide), c.To-c.From); err != nil {
			return fmt.Errorf("shot %d: %w", i+1, err)
		}
		f.a.Frames++
	}
	return nil
}
