// Package media handles picture and video files: their first frame, removing metadata, and contact
// sheets. Files may come from anywhere: nothing here panics, and no picture is decoded before its
// size is checked.
package media

import (
	"bytes"
	"errors"
	"fmt"
)

// The known formats, by the names that the rest of the program uses.
const (
	PNG  = "png"
	JPEG = "jpeg"
	GIF  = "gif"
	WebP = "webp"
	MP4  = "mp4"  // and similar formats, such as QuickTime
	WebM = "webm" // and Matroska
)

// Limits of pictures that are decoded.
const (
	MaxPixels = 64 << 20
	maxSide   = 1<<16 - 1
)

var (
	// ErrNoPoster means that a video format cannot be decoded.
	ErrNoPoster = errors.New("no still can be extracted from a video of this format")
	// ErrUnknown means that the format is not known.
	ErrUnknown = errors.New("this is not a picture or video of a known format")
	// ErrTooLarge means that a picture has too many pixels.
	ErrTooLarge = errors.New("the picture is too large")
	// ErrMalformed means that a file violates its format.
	ErrMalformed = errors.New("the file is damaged")
)

// malformed returns an ErrMalformed with its position.
func malformed(format, where string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMalformed, format, fmt.Sprintf(where, args...))
}

// Sniff returns the format by the first bytes, "" if unknown.
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

// The first bytes of formats.
const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	ebmlMagic = "\x1a\x45\xdf\xa3"
)

// formatOf returns the usual name of a format: callers may pass file extensions.
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
