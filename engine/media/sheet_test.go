package media

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSheet_Picture draws a sheet as it may be; GHOSTLIGHT_SHEET keeps it to be
// looked at.
func TestSheet_Picture(t *testing.T) {
	t.Parallel()
	asked := 0
	tiles := []Tile{}
	for i := range 7 {
		tile := Tile{Group: fmt.Sprintf("Scene %d · The cellar", i/3+1), Caption: fmt.Sprintf("%d · seed 77 · Tove under the lamp, the trapdoor open, dust in the light, and a hand that reaches for the key that nobody has seen for years", i+1),
			Picture: func() (image.Image, error) { asked++; return solid(640, 400, red), nil }}
		if i == 4 {
			tile.Picture, tile.Placeholder = func() (image.Image, error) { return nil, errors.New("gone") }, "The file is gone, and nobody knows where to it went."
		}
		if i == 5 {
			tile.Mark = "film"
		}
		tiles = append(tiles, tile)
	}
	img, err := Sheet(tiles, SheetOptions{Title: "The Lamp", Subtitle: "7 pictures · 21 November 2026"})
	if err != nil {
		t.Fatal(err)
	}
	if asked != 6 {
		t.Errorf("pictures were asked for %d times", asked)
	}
	// Each picture shows in its place: the colours are counted.
	n := map[color.Color]int{}
	for y := 0; y < img.Bounds().Dy(); y++ {
		for x := 0; x < img.Bounds().Dx(); x++ {
			n[color.NRGBAModel.Convert(img.At(x, y))]++
		}
	}
	if each := 360 * 225 * 3 / 4; n[red] < 6*each*9/10 || n[red] > 6*each {
		t.Errorf("%d pixels of the pictures", n[red])
	}
	if lit := n[color.NRGBAModel.Convert(sheetLight)]; lit < 200 {
		t.Errorf("%d pixels of headings", lit)
	}
	if path := os.Getenv("GHOSTLIGHT_SHEET"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSheet_Bounds(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 5, 40, 300, 1000, 2500} {
		for _, groups := range []int{1, n} {
			tiles := make([]Tile, n)
			for i := range tiles {
				tiles[i] = Tile{Group: fmt.Sprint(i * groups / max(n, 1)), Caption: "c"}
			}
			img, err := Sheet(tiles, SheetOptions{Title: "T"})
			if err != nil {
				t.Fatalf("%d in %d: %v", n, groups, err)
			}
			if b := img.Bounds(); b.Dy() > sheetSide || b.Dx()*b.Dy() > sheetPixels || b.Dx() < 200 {
				t.Errorf("%d in %d groups: %v", n, groups, b)
			}
		}
	}
	if _, err := Sheet(make([]Tile, 100_000), SheetOptions{}); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
}

// TestSheet_Apart: no two cells share a pixel, and all lie on the sheet.
func TestSheet_Apart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(sheetPlans).Draw(t, "plan")
		p.top = 50
		var tiles []Tile
		for range rapid.IntRange(1, 60).Draw(t, "tiles") {
			tiles = append(tiles, Tile{Group: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "group")})
		}
		var cells []image.Rectangle
		height := p.place(tiles, func(i int, cell image.Rectangle, heading string) {
			if i != len(cells) {
				t.Fatalf("tile %d came after %d", i, len(cells))
			}
			cells = append(cells, cell)
		})
		if len(cells) != len(tiles) {
			t.Fatalf("%d cells", len(cells))
		}
		sheet := image.Rect(0, 0, p.width(), height)
		for i, a := range cells {
			if !a.In(sheet) {
				t.Errorf("%v is not on %v", a, sheet)
			}
			for _, b := range cells[:i] {
				if a.Overlaps(b) {
					t.Errorf("%v lies on %v", a, b)
				}
			}
		}
	})
}

func TestWrap(t *testing.T) {
	t.Parallel()
	w, err := newTextWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z]{1,40} ){0,20}`), rapid.Just(strings.Repeat("W", 5000))).Draw(t, "text")
		wide, most := rapid.IntRange(40, 400).Draw(t, "wide"), rapid.IntRange(1, 4).Draw(t, "most")
		list := w.wrap(w.plain, text, wide, most)
		if len(list) > most {
			t.Fatalf("%d lines", len(list))
		}
		for _, line := range list {
			if got := w.measure(w.plain, line); got > wide {
				t.Errorf("%q is %d wide, more than %d", line, got, wide)
			}
		}
		all := strings.Join(strings.Fields(printable(text, maxLetters)), "")
		got := strings.ReplaceAll(strings.Join(list, ""), " ", "")
		if cut, ok := strings.CutSuffix(got, "…"); ok && cut != all {
			got = cut
		} else if got != all {
			t.Errorf("%q became %q", all, got)
		}
		if !strings.HasPrefix(all, got) {
			t.Errorf("%q does not begin with %q", all, got)
		}
	})
	if list := w.wrap(w.plain, "a\x1b[31m\u202eb\u0000", 400, 1); len(list) != 1 || list[0] != "a[31mb" {
		t.Errorf("%q", list)
	}
}
