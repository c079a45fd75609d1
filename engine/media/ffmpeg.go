package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrNoFFmpeg: an MP4 is wanted, and nothing is there that can make one.
var ErrNoFFmpeg = errors.New("there is no ffmpeg on the PATH, which an .mp4 needs")

// Bounds of another program's work.
const (
	filmRate     = 10 // frames a second
	longestFilm  = 30 * time.Minute
	longestFault = 2 << 10 // bytes of what ffmpeg says
)

// FFmpeg finds the program that makes MP4s.
func FFmpeg() (path string, err error) {
	if path, err = exec.LookPath("ffmpeg"); err != nil {
		return "", ErrNoFFmpeg
	}
	return path, nil
}

// NewMP4 begins an MP4 that an ffmpeg at a path makes. It is started without a shell,
// gets pixels and no names but those of a file of ours, and ends when ctx does, or
// after half an hour.
func NewMP4(ctx context.Context, ffmpeg string, w io.Writer, width, height int) (Film, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	if width%2+height%2 > 0 {
		return nil, fmt.Errorf("%w: an MP4 needs even sides, not %d × %d", ErrFilm, width, height)
	}
	dir, err := os.MkdirTemp("", "ghostlight-film-*")
	if err != nil {
		return nil, err
	}
	f := &mp4Film{reel: reel{width: width, height: height}, to: w, dir: dir, out: filepath.Join(dir, "film.mp4")}
	ctx, f.stop = context.WithTimeout(ctx, longestFilm)
	f.ctx = ctx
	f.cmd = exec.CommandContext(ctx, ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "error",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", fmt.Sprintf("%dx%d", width, height), "-framerate", strconv.Itoa(filmRate), "-i", "pipe:0",
		"-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fs", strconv.Itoa(mostFilm), "-y", f.out)
	f.cmd.Dir, f.cmd.Stderr, f.cmd.WaitDelay = dir, &f.said, 5*time.Second
	if f.in, err = f.cmd.StdinPipe(); err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ffmpeg cannot be started: %w", err), f.Close())
	}
	return f, nil
}

type mp4Film struct {
	reel
	ctx      context.Context //nolint:containedctx // of one program that runs
	stop     context.CancelFunc
	cmd      *exec.Cmd
	in       io.WriteCloser
	said     limited
	to       io.Writer
	dir, out string
	waited   bool
}

// Add implements Film. A frame is written as often as it stands in a film of a
// steady rate.
func (f *mp4Film) Add(picture *image.RGBA, stands time.Duration) error {
	n, err := f.next(picture, stands, time.Second/filmRate)
	if err != nil {
		return err
	}
	for range n {
		if _, err := f.in.Write(picture.Pix[:4*f.width*f.height]); err != nil {
			return f.fault(f.wait(), err)
		}
	}
	return nil
}

// wait lets ffmpeg end.
func (f *mp4Film) wait() error {
	if f.waited || f.cmd == nil || f.cmd.Process == nil {
		return nil
	}
	f.waited = true
	return errors.Join(f.in.Close(), f.cmd.Wait())
}

// fault says why ffmpeg gave up: that it was stopped, or its own words.
func (f *mp4Film) fault(errs ...error) error {
	err := errors.Join(errs...)
	switch words := strings.TrimSpace(f.said.kept.String()); {
	case f.ctx.Err() != nil:
		return context.Cause(f.ctx)
	case err == nil:
		return nil
	case words != "":
		return fmt.Errorf("ffmpeg could not make it: %s", words)
	}
	return fmt.Errorf("ffmpeg could not make it: %w", err)
}

// End implements Film.
func (f *mp4Film) End() error {
	if err := f.fault(f.wait()); err != nil {
		return err
	}
	made, err := os.Open(f.out)
	if err != nil {
		return fmt.Errorf("ffmpeg has made nothing: %w", err)
	}
	defer func() { _ = made.Close() }()
	n, err := io.Copy(f.to, made)
	if err == nil && n == 0 {
		err = errors.New("ffmpeg has made nothing")
	}
	return err
}

// Close implements Film.
func (f *mp4Film) Close() error {
	f.stop()
	_ = f.wait() // it was stopped
	return os.RemoveAll(f.dir)
}

// limited keeps the beginning of what is written to it.
type limited struct{ kept bytes.Buffer }

// Write implements io.Writer: it takes all, and keeps some.
func (l *limited) Write(data []byte) (int, error) {
	if room := longestFault - l.kept.Len(); room > 0 {
		l.kept.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}
