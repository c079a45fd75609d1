package comfy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// maxPreview bounds a preview picture; larger ones are left out.
const maxPreview = 8 << 20

// frame is a picture that came over the socket.
type frame struct {
	prompt string // the job it belongs to, "" when the frame does not say
	node   string // the node it belongs to, "" when the frame does not say
	image  []byte // JPEG or PNG
	png    bool
}

// readFrame decodes a binary message of the socket. ok is false for those that
// carry no picture, and for broken ones.
func readFrame(data []byte) (frame, bool) {
	if len(data) < 8 {
		return frame{}, false
	}
	event, field, rest := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:]), data[8:]
	var f frame
	switch event {
	case 1:
		f.image = rest
	case 4:
		if uint64(field) > uint64(len(rest)) {
			return frame{}, false
		}
		var meta struct {
			Node    string `json:"node_id"`
			Display string `json:"display_node_id"`
			Prompt  string `json:"prompt_id"`
		}
		if json.Unmarshal(rest[:field], &meta) != nil {
			return frame{}, false
		}
		f.prompt, f.node, f.image = meta.Prompt, meta.Display, rest[field:]
		if f.node == "" {
			f.node = meta.Node
		}
	default:
		return frame{}, false
	}
	switch imageType(f.image) {
	case "png":
		f.png = true
	case "jpeg":
	default:
		return frame{}, false
	}
	return f, true
}

// imageType names the format of a file by its first bytes, "" when it is none that
// a capture can be.
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp"
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return "mp4"
	case bytes.HasPrefix(data, []byte("\x1a\x45\xdf\xa3")):
		return "webm"
	}
	return ""
}
