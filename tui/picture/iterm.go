package picture

import (
	"encoding/base64"
	"image"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
)

// EncodeITerm returns the sequence that draws a part of a picture, given in its pixels, in cols by
// rows cells with the top left corner at the cursor. Anything outside the picture is left out; ""
// if nothing is left.
func EncodeITerm(px *image.RGBA, part image.Rectangle, cols, rows int) string {
	part = part.Intersect(px.Bounds())
	if part.Empty() {
		return ""
	}
	data, err := EncodePNG(px.SubImage(part))
	if err != nil {
		return ""
	}
	return ansi.ITerm2(iterm2.File{
		Size: int64(len(data)), Width: iterm2.Cells(cols), Height: iterm2.Cells(rows),
		IgnoreAspectRatio: true, Inline: true, DoNotMoveCursor: true,
		Content: []byte(base64.StdEncoding.EncodeToString(data)),
	})
}
