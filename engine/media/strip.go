package media

import (
	"bytes"
	"fmt"
	"io"
)

// Strip returns a file without the data that programs have added to the picture: prompts, graphs,
// EXIF, XMP, comments, tags, thumbnails, and bytes behind its end. Everything that its looks depend
// on stays the same, to the bit: pixels, colour profile, timing. Films need ffmpeg; without it the
// error is ErrNoFFmpeg. If the file is damaged or has another format, the error is ErrMalformed or
// ErrUnknown and out is nil, never half a file. data is not changed.
func Strip(data []byte, format string) (out []byte, err error) {
	defer recoverDecode(&err)
	switch formatOf(format) {
	case PNG:
		return stripPNG(data)
	case JPEG:
		return stripJPEG(data)
	case GIF:
		return stripGIF(data)
	case WebP:
		return stripWebP(data)
	case MP4, WebM:
		var out bytes.Buffer
		if err := stripFilm(&out, bytes.NewReader(data)); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	}
	return nil, fmt.Errorf("%w: %.20q", ErrUnknown, format)
}

// StripTo writes what Strip returns for a file. PNGs and films are never kept in memory, however
// large they are. On an error, what was written is unusable.
func StripTo(w io.Writer, r io.Reader, format string) (err error) {
	defer recoverDecode(&err)
	switch formatOf(format) {
	case PNG:
		return stripPNGTo(w, r)
	case MP4, WebM:
		return stripFilm(w, r)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if data, err = Strip(data, format); err == nil {
		_, err = w.Write(data)
	}
	return err
}
