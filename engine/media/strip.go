package media

import (
	"bytes"
	"fmt"
	"io"
)

// Strip returns a file without what programs have written into it besides the picture:
// prompts, graphs, EXIF, XMP, comments, tags, thumbnails, and bytes behind its
// end. What its looks depend on stays as it is, to the bit: pixels, colour
// profile, timing. Films need ffmpeg, without which it is ErrNoFFmpeg. A damaged
// file, or one that is not of that format, is ErrMalformed or ErrUnknown and gives
// nothing, never a half file. data is not changed.
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

// StripTo writes what Strip gives of a file that is read. PNGs and films are never
// held in memory, however large they are. Where it fails, what was written is of no use.
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
