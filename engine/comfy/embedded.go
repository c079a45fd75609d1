package comfy

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

// MaxWorkflowPicture is the size limit of a picture whose graph is imported, in bytes.
const MaxWorkflowPicture = 64 << 20

// embeddedGraph returns the graph that ComfyUI has written into a PNG or WebP, as
// JSON. picture is false for other files, which are graphs themselves. A picture that
// holds none is a *WorkflowError, one with the editor's graph only an
// *EditorFormatError.
func embeddedGraph(name string, data []byte) (graph []byte, picture bool, err error) {
	var texts map[string][]byte
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		texts = pngTexts(data[8:])
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		texts = webpTexts(data[12:])
	default:
		return nil, false, nil
	}
	if graph := texts["prompt"]; len(graph) > 0 {
		return graph, true, nil
	}
	if len(texts["workflow"]) > 0 {
		return nil, true, &EditorFormatError{Name: name}
	}
	const reason = "there is no ComfyUI workflow in this picture; programs that edit or upload pictures often remove it"
	return nil, true, &WorkflowError{Name: name, Reason: reason}
}

// pngTexts reads the text chunks of a PNG after its signature.
func pngTexts(rest []byte) map[string][]byte {
	out := map[string][]byte{}
	for len(rest) >= 12 {
		size := int64(binary.BigEndian.Uint32(rest))
		if size > int64(len(rest))-12 {
			return out // cut off: what came before counts
		}
		kind, body := string(rest[4:8]), rest[8:8+size]
		rest = rest[12+size:]
		key, text, ok := bytes.Cut(body, []byte{0})
		if !ok || kind != "tEXt" && kind != "zTXt" && kind != "iTXt" {
			continue
		}
		switch {
		case kind == "zTXt" && len(text) > 0:
			text = inflate(text[1:])
		case kind == "iTXt" && len(text) > 1:
			packed := text[0] == 1
			_, text, _ = bytes.Cut(text[2:], []byte{0}) // the language
			if _, text, _ = bytes.Cut(text, []byte{0}); packed {
				text = inflate(text) // after the translated keyword
			}
		}
		if _, have := out[string(key)]; !have {
			out[string(key)] = text
		}
	}
	return out
}

// inflate decompresses a text, nil if it is damaged or larger than a graph may be.
func inflate(packed []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxGraph+1))
	if err != nil || len(data) > maxGraph {
		return nil
	}
	return data
}

// webpTexts reads the texts in a WebP's Exif data after its header. ComfyUI writes them as
// "prompt:{…}".
func webpTexts(rest []byte) map[string][]byte {
	for len(rest) >= 8 {
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		if size > int64(len(rest))-8 {
			return nil
		}
		if kind := string(rest[:4]); kind == "EXIF" {
			return exifTexts(bytes.TrimPrefix(rest[8:8+size], []byte("Exif\x00\x00")))
		}
		rest = rest[min(int64(len(rest)), 8+size+size&1):]
	}
	return nil
}

// exifTexts reads the texts in the first directory of Exif data that say what they
// are.
func exifTexts(data []byte) map[string][]byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(data, []byte("II*\x00")):
		return nil
	}
	if len(data) < 8 {
		return nil
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return nil
	}
	out := map[string][]byte{}
	entries := data[at+2:]
	for range order.Uint16(data[at:]) {
		if len(entries) < 12 {
			break
		}
		const ascii = 2
		kind, size, from := order.Uint16(entries[2:]), int64(order.Uint32(entries[4:])),
			int64(order.Uint32(entries[8:]))
		entries = entries[12:]
		if kind != ascii || size <= 4 || from+size > int64(len(data)) {
			continue
		}
		key, text, ok := bytes.Cut(bytes.TrimRight(data[from:from+size], "\x00"), []byte(":"))
		if ok && (string(key) == "prompt" || string(key) == "workflow") {
			out[string(key)] = text
		}
	}
	return out
}
