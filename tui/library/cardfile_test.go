package library_test

import (
	"archive/zip"
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// ferry returns a CHARX archive with a picture of a mood.
func ferry(t *testing.T) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			img.Set(x, y, color.RGBA{uint8(6 * x), uint8(8 * y), 90, 255})
		}
	}
	var pic, buf bytes.Buffer
	if err := png.Encode(&pic, img); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&buf)
	for name, data := range map[string][]byte{"assets/glad.png": pic.Bytes(), "assets/theme.ogg": []byte("OggS"),
		"card.json": []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ilse","description":"Keeps the ferry.","assets":[
		 {"type":"icon","uri":"ccdefault:","name":"main","ext":"png"},
		 {"type":"emotion","uri":"embeded://assets/glad.png","name":"glad","ext":"png"},
		 {"type":"background","uri":"https://example.org/quay.png","name":"quay","ext":"png"}]}}`)} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ilse.charx")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What came with a card is listed and shown, and the card is written in the format that
// the file's ending says.
func TestCharacters_AssetsAndExport(t *testing.T) {
	t.Parallel()
	from := ferry(t)
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		if _, err := e.Library.Import(from); err != nil {
			t.Fatal(err)
		}
		tuitest.NewChat(t, e)
	}})
	s.See("‹1/3›").Press("ctrl+t").See("Ilse").TypeText("ilse").Press("ctrl+b").See("assets of Ilse", "glad", "never downloaded", "theme.ogg").Golden("assets")
	s.TypeText("glad").Press("enter").See("▀").Golden("asset-shown", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("esc").See("assets of Ilse").Press("ctrl+u").TypeText("quay").Press("enter").See("is not downloaded").Press("esc", "esc")
	to := filepath.Join(t.TempDir(), "out.charx")
	s.See("Characters").Press("ctrl+s").See("Export Ilse")
	s.Press("ctrl+u").TypeText(to+"x").Press("ctrl+s").See("unknown card extension").Press("backspace", "ctrl+s").NotSee("Export Ilse").See("written to")
	if data, err := os.ReadFile(to); err != nil || !bytes.HasPrefix(data, []byte("PK")) || !bytes.Contains(data, []byte("OggS")) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// A preset says what became of it.
func TestImport_Preset(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "warm.json")
	if err := os.WriteFile(path, []byte(`{"temp": 0.8, "top_p": 0.9, "top_k": 40, "dry_multiplier": 0.8}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f7").See("Import from").TypeText(path).Press("enter").See("Imported the preset warm", "profile warm", "dry_multiplier 0.8")
	s.Golden("preset-imported", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}).Press("esc")
}
