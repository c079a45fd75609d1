// Package media is about pictures and videos as files: their first frame, what
// programs have written into them besides the picture, and sheets of many. It
// knows nothing of chats. Files may come from anywhere: nothing here panics, and
// no picture is decoded before its size is known to be bearable.
package media

import (
	"bytes"
	"errors"
	"fmt"
)

// The formats that are known here, by the names that the rest of the program
// uses for them.
const (
	PNG  = "png"
	JPEG = "jpeg"
	GIF  = "gif"
	WebP = "webp"
	MP4  = "mp4"  // and what is built like it, such as QuickTime
	WebM = "webm" // and Matroska
)

// Bounds of pictures that are decoded.
const (
	MaxPixels = 64 << 20
	maxSide   = 1<<16 - 1
)

var (
	// ErrNoPoster: a video in a format that is not decoded here.
	ErrNoPoster = errors.New("no still can be extracted from a video of this format")
	// ErrUnknown: the bytes are none of the formats that are known here.
	ErrUnknown = errors.New("this is not a picture or video of a known format")
	// ErrTooLarge: a picture with more pixels than are decoded.
	ErrTooLarge = errors.New("the picture is too large")
	// ErrMalformed: a file that does not hold to its format.
	ErrMalformed = errors.New("the file is damaged")
)

// malformed says where a file does not hold to its format. It is ErrMalformed.
func malformed(format, where string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMalformed, format, fmt.Sprintf(where, args...))
}

// Sniff tells the format by the first bytes, "" for none that is known.
func Sniff(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte(pngMagic)):
		return PNG
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return GIF
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return WebP
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return MP4
	case bytes.HasPrefix(data, []byte(ebmlMagic)):
		return WebM
	}
	return ""
}

// The beginnings of files.
const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	ebmlMagic = "\x1a\x45\xdf\xa3"
)

// formatOf is the name of a format in the usual spelling: callers know files by
// their endings, too.
func formatOf(name string) string {
	switch name {
	case "jpg":
		return JPEG
	case "apng":
		return PNG
	case "mov", "m4v":
		return MP4
	case "mkv":
		return WebM
	}
	return name
}
