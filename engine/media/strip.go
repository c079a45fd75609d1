package media

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// What Embedded finds in files.
const (
	KindPrompt   = "prompt"   // a graph as ComfyUI runs it, with all its texts
	KindWorkflow = "workflow" // a graph as ComfyUI's editor keeps it
	KindExif     = "exif"
	KindXMP      = "xmp"
	KindText     = "text" // keywords with texts
	KindComment  = "comment"
	KindTags     = "tags"  // titles, comments and the like of videos
	KindOther    = "other" // what is not known, and not needed to show the picture
	KindTail     = "tail"  // bytes behind the end of the picture
)

// Strip is a file without what programs have written into it besides the picture:
// prompts, graphs, EXIF, XMP, comments, tags, thumbnails, and bytes behind its
// end. What its looks depend on stays as it is, to the bit: pixels, colour
// profile, timing. A damaged file, or one that is not of that format, is
// ErrMalformed or ErrUnknown and gives nothing, never a half file. data is not
// changed.
func Strip(data []byte, format string) (out []byte, err error) {
	return strip(data, format, func(string) {})
}

// StripTo writes what Strip gives of a file that is read. A PNG is never held in memory,
// however large it is. Where it fails, what was written is of no use.
func StripTo(w io.Writer, r io.Reader, format string) (err error) {
	defer guard(&err)
	if formatOf(format) == PNG {
		return stripPNGTo(w, r, func(string) {})
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

// Embedded tells what is in a file that Strip takes out, each kind once, sorted.
// Of a damaged file it tells what stands before the damage.
func Embedded(data []byte, format string) (kinds []string) {
	_, _ = strip(data, format, func(kind string) { kinds = append(kinds, kind) }) // what was found counts
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// strip does the work of Strip and tells found of each thing that it leaves out.
func strip(data []byte, format string, found func(kind string)) (out []byte, err error) {
	defer guard(&err)
	switch formatOf(format) {
	case PNG:
		return stripPNG(data, found)
	case JPEG:
		return stripJPEG(data, found)
	case GIF:
		return stripGIF(data, found)
	case WebP:
		return stripWebP(data, found)
	case MP4:
		return stripMP4(data, found)
	case WebM:
		return stripWebM(data, found)
	}
	return nil, fmt.Errorf("%w: %.20q", ErrUnknown, format)
}

// tell tells of something that is left out, and whether there is a graph in it.
func tell(found func(string), kind string, body []byte) {
	found(kind)
	if bytes.Contains(body, []byte(`"class_type"`)) {
		found(KindPrompt)
	}
	if bytes.Contains(body, []byte(`"last_node_id"`)) || bytes.Contains(body, []byte(`"nodes"`)) && bytes.Contains(body, []byte(`"links"`)) {
		found(KindWorkflow)
	}
}
