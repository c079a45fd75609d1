package pictures_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
)

func TestEditFields_Seed(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"7": true, "": true, "-1": true, "-2": false, "x": false} {
		var e pictures.CaptureEdit
		if err := pictures.EditFields.Set(&e, "seed", text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if text == "" && e.Seed != nil {
			t.Errorf("no seed is %d", *e.Seed)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{"": {}, " 1024x768 ": {1024, 768}, "512 × 640": {512, 640}, "64X4096": {64, 4096}} {
		if w, h, err := pictures.ParseSize(text); err != nil || [2]int{w, h} != want {
			t.Errorf("%q: %d × %d, %v", text, w, h, err)
		}
	}
	for _, text := range []string{"1024", "x", "63x64", "64x4097", "-64x-64", "axb"} {
		if _, _, err := pictures.ParseSize(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
