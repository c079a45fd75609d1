package enginetest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"testing"
)

const graphSecret = `{"3":{"class_type":"KSampler","inputs":{"text":"nobody must know"}}}`

// Graphed returns a picture of one shade with a graph in it.
func Graphed(t testing.TB, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	var b bytes.Buffer
	Must(t, png.Encode(&b, img))
	return withText(b.Bytes(), "prompt", graphSecret)
}

func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err)
	return data
}
