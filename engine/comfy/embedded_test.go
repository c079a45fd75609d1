package comfy

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func pngWith(chunks ...string) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range append(append([]string{"IHDR" + strings.Repeat("\x00", 13)}, chunks...), "IEND") {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)-4))
		out = append(out, c...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE([]byte(c)))
	}
	return out
}

func webpWith(texts ...string) []byte {
	exif := []byte("II*\x00\x08\x00\x00\x00")
	exif = binary.LittleEndian.AppendUint16(exif, uint16(len(texts)))
	at, body := 8+2+12*len(texts)+4, ""
	for i, text := range texts {
		text += "\x00"
		exif = binary.LittleEndian.AppendUint16(exif, uint16(0x0110-i))
		exif = binary.LittleEndian.AppendUint16(exif, 2)
		exif = binary.LittleEndian.AppendUint32(exif, uint32(len(text)))
		exif = binary.LittleEndian.AppendUint32(exif, uint32(at+len(body)))
		body += text
	}
	exif = append(append(exif, 0, 0, 0, 0), body...)
	out := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8L\x03\x00\x00\x00abc\x00EXIF"), binary.LittleEndian.AppendUint32(nil, uint32(len(exif)))...)
	return append(out, exif...)
}

func TestImportWorkflow_FromAPicture(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write([]byte(linkedGraph))
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	nan := strings.Replace(linkedGraph, `{"class_type":"CLIPTextEncode"`, `{"is_changed":[NaN, -Infinity],"class_type":"CLIPTextEncode"`, 1)
	nan = strings.Replace(nan, `"a lamp"`, `"NaN \" NaN"`, 1)
	const editor = `{"nodes":[],"links":[]}`
	for _, tt := range []struct {
		name string
		data []byte
		want string // of the error, "" for none
	}{
		{"a.png", pngWith("tEXtworkflow\x00"+editor, "tEXtprompt\x00"+linkedGraph), ""},
		{"b.png", pngWith("iTXtprompt\x00\x00\x00en\x00Prompt\x00" + linkedGraph), ""},
		{"c.png", pngWith("iTXtprompt\x00\x01\x00\x00\x00" + packed.String()), ""},
		{"d.png", pngWith("zTXtprompt\x00\x00" + packed.String()), ""},
		{"e.png", pngWith("tEXtprompt\x00" + nan), ""},
		{"f.webp", webpWith("workflow:"+editor, "prompt:"+linkedGraph), ""},
		{"nan.json", []byte(nan), ""},
		{"g.png", pngWith("tEXtworkflow\x00" + editor), "Export (API)"},
		{"h.png", pngWith("tEXtparameters\x00a lamp"), "no ComfyUI workflow in this picture"},
		{"i.webp", webpWith("a lamp"), "no ComfyUI workflow in this picture"},
		{"j.png", pngWith("tEXtprompt\x00" + linkedGraph)[:300], "no ComfyUI workflow in this picture"},
		{"k.webp", webpWith("prompt:" + linkedGraph)[:80], "no ComfyUI workflow in this picture"},
	} {
		file, dir := filepath.Join(t.TempDir(), tt.name), t.TempDir()
		if err := os.WriteFile(file, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := ImportWorkflow(dir, file, "", false)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			continue
		}
		if err != nil || w.Check() != nil {
			t.Errorf("%s: %v, %v", tt.name, err, w.Check())
			continue
		}
		list, errs := LoadWorkflows(dir)
		if kept := list[len(list)-1]; len(errs) > 0 || kept.Hash() != w.Hash() {
			t.Errorf("%s: what is kept is read otherwise: %v", tt.name, errs)
		}
	}
}

func FuzzEmbeddedGraph(f *testing.F) {
	f.Add(pngWith("iTXtprompt\x00\x00\x00en\x00Prompt\x00{}", "zTXtprompt\x00\x00x"))
	f.Add(webpWith("prompt:{}", "workflow:{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if graph, picture, err := embeddedGraph("x", data); err == nil && picture && len(graph) == 0 {
			t.Fatal("a picture without a graph was taken")
		}
	})
}
