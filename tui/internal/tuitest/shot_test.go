package tuitest

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"
)

// Blocks, lines and letters of a frame are in its picture, in their colours.
func TestPicture(t *testing.T) {
	data, err := Picture("\x1b[38;2;240;0;0m█\x1b[48;2;0;0;240m▀\x1b[m─x", 4, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 4*shotCellW+2*shotMargin || got.Y != shotCellH+2*shotMargin {
		t.Errorf("the picture is %v", got)
	}
	at := func(cell int, dx, dy int) color.RGBA {
		return color.RGBAModel.Convert(img.At(shotMargin+cell*shotCellW+dx, shotMargin+dy)).(color.RGBA)
	}
	red, blue := color.RGBA{240, 0, 0, 255}, color.RGBA{0, 0, 240, 255}
	for _, c := range []struct {
		what string
		got  color.RGBA
		want color.RGBA
	}{
		{"the block", at(0, 5, 10), red}, {"the upper half", at(1, 5, 3), red}, {"the lower half", at(1, 5, 18), blue},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, not %v", c.what, c.got, c.want)
		}
	}
	if at(2, 5, 10) == at(2, 5, 2) {
		t.Error("there is no line")
	}
	letter := false
	for y := range shotCellH {
		for x := range shotCellW {
			letter = letter || at(3, x, y) != at(2, 0, 2)
		}
	}
	if !letter {
		t.Error("there is no letter")
	}
}
