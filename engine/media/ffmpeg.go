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

// ErrNoFFmpeg means that ffmpeg, which is needed for films, was not found.
var ErrNoFFmpeg = errors.New("ffmpeg was not found on the PATH")

// Limits of ffmpeg.
const (
	filmRate        = 10 // frames a second
	maxFilmDuration = 30 * time.Minute
	maxFaultBytes   = 2 << 10 // of ffmpeg's error output
)

// FFmpeg returns the path of ffmpeg.
func FFmpeg() (path string, err error) {
	if path, err = exec.LookPath("ffmpeg"); err != nil {
		return "", ErrNoFFmpeg
	}
	return path, nil
}

// NewMP4 starts an MP4 that ffmpeg encodes. It is run without a shell, gets pixels and no names
// except that of a file of this program, and ends with ctx, or after half an hour.
func NewMP4(ctx context.Context, ffmpeg string, w io.Writer, width, height int) (Film, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	if width%2+height%2 > 0 {
		return nil, fmt.Errorf("%w: an MP4 needs an even width and height, not %d × %d", ErrFilm, width, height)
	}
	dir, err := os.MkdirTemp("", "ghostlight-film-*")
	if err != nil {
		return nil, err
	}
	f := &mp4Film{frameClock: frameClock{width: width, height: height}, to: w, dir: dir, out: filepath.Join(dir,
		"film.mp4")}
	ctx, f.stop = context.WithTimeout(ctx, maxFilmDuration)
	f.ctx = ctx
	f.cmd = exec.CommandContext(ctx, ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "error",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", fmt.Sprintf("%dx%d", width, height),
		"-framerate", strconv.Itoa(filmRate), "-i", "pipe:0",
		"-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fs", strconv.Itoa(maxFilmBytes), "-y", f.out)
	f.cmd.Dir, f.cmd.Stderr, f.cmd.WaitDelay = dir, &f.stderr, 5*time.Second
	if f.in, err = f.cmd.StdinPipe(); err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ffmpeg cannot be started: %w", err), f.Close())
	}
	return f, nil
}

type mp4Film struct {
	frameClock
	ctx      context.Context //nolint:containedctx // of one program that runs
	stop     context.CancelFunc
	cmd      *exec.Cmd
	in       io.WriteCloser
	stderr   limitedBuffer
	to       io.Writer
	dir, out string
	waited   bool
}

// Add implements Film. A frame is repeated for its duration, because the frame rate is fixed.
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

// wait waits for the end of ffmpeg.
func (f *mp4Film) wait() error {
	if f.waited || f.cmd == nil || f.cmd.Process == nil {
		return nil
	}
	f.waited = true
	return errors.Join(f.in.Close(), f.cmd.Wait())
}

// fault returns why ffmpeg failed: that it was stopped, or its own message.
func (f *mp4Film) fault(errs ...error) error {
	err := errors.Join(errs...)
	switch words := strings.TrimSpace(f.stderr.kept.String()); {
	case f.ctx.Err() != nil:
		return context.Cause(f.ctx)
	case err == nil:
		return nil
	case words != "":
		return fmt.Errorf("ffmpeg failed: %s", words)
	}
	return fmt.Errorf("ffmpeg failed: %w", err)
}

// End implements Film.
func (f *mp4Film) End() error {
	if err := f.fault(f.wait()); err != nil {
		return err
	}
	return copyFile(f.to, f.out)
}

// Close implements Film.
func (f *mp4Film) Close() error {
	f.stop()
	_ = f.wait() // it was stopped
	return os.RemoveAll(f.dir)
}

// stripFilm writes a film without its metadata, chapters, attachments and covers. Video and sound
// are copied unchanged. ffmpeg reads and writes files in a temporary folder, because an MP4 is not
// read sequentially.
func stripFilm(w io.Writer, r io.Reader) error {
	ffmpeg, err := FFmpeg()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ghostlight-film-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing can be done about it
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	format, err := writeFilm(in, r)
	if err != nil {
		return err
	}
	reads, writes := "mov", "mp4"
	if format == WebM {
		reads, writes = "matroska", "webm"
	}
	ctx, stop := context.WithTimeout(context.Background(), maxFilmDuration)
	defer stop()
	var said limitedBuffer
	// No other file is opened, whatever the film refers to.
	cmd := exec.CommandContext(ctx, ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "error",
		"-protocol_whitelist", "file",
		"-f", reads, "-i", in, "-map", "0:V", "-map", "0:a?", "-map_metadata", "-1", "-map_chapters",
		"-1", "-c", "copy",
		"-fflags", "+bitexact", "-f", writes, "-y", out)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = dir, &said, 5*time.Second
	if err := cmd.Run(); err != nil {
		if words := strings.TrimSpace(said.kept.String()); words != "" {
			return malformed(format, "%s", words)
		}
		return fmt.Errorf("ffmpeg could not read it: %w", err)
	}
	return copyFile(w, out)
}

// writeFilm writes a film to a file and returns its format.
func writeFilm(path string, r io.Reader) (format string, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, r); err != nil {
		return "", err
	}
	var head [16]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if format = Sniff(head[:n]); format != MP4 && format != WebM {
		return "", malformed("film", "it does not begin as one")
	}
	return format, nil
}

// copyFile copies the output of ffmpeg.
func copyFile(w io.Writer, path string) error {
	made, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("ffmpeg produced no file: %w", err)
	}
	defer func() { _ = made.Close() }() // was only read
	n, err := io.Copy(w, made)
	if err == nil && n == 0 {
		err = errors.New("ffmpeg produced no file")
	}
	return err
}

// limitedBuffer keeps the beginning of the written data.
type limitedBuffer struct{ kept bytes.Buffer }

// Write implements io.Writer: it accepts everything and keeps the beginning.
func (l *limitedBuffer) Write(data []byte) (int, error) {
	if room := maxFaultBytes - l.kept.Len(); room > 0 {
		l.kept.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}
