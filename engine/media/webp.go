package media

import (
	"encoding/binary"
	"slices"
)

// The flags in a WebP's header for what is removed.
const webpMetadata = 0x04 | 0x08

func stripWebP(data []byte) ([]byte, error) {
	out := append(make([]byte, 0, len(data)), "RIFF\x00\x00\x00\x00WEBP"...)
	pixels := false
	for c, err := range riffChunks(data) {
		if err != nil {
			return nil, err
		}
		switch c.id {
		case "VP8X":
			if len(c.body) != 10 {
				return nil, malformed(WebP, "its head is %d bytes long", len(c.body))
			}
			out = append(out, c.raw...)
			out[len(out)-10] &^= webpMetadata
		case "ANMF":
			frame, err := stripFrame(c)
			if err != nil {
				return nil, err
			}
			out, pixels = append(out, frame...), true
		case "VP8 ", "VP8L", "ALPH", "ICCP", "ANIM":
			out = append(out, c.raw...)
			pixels = pixels || c.id == "VP8 " || c.id == "VP8L"
		}
		if len(out)%2 != 0 {
			out = append(out, 0)
		}
	}
	if !pixels {
		return nil, malformed(WebP, "there are no pixels in it")
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-chunkHead))
	return out, nil
}

// stripFrame returns a frame of an animation with only its picture.
func stripFrame(frame chunk) ([]byte, error) {
	const head = 16
	if len(frame.body) < head {
		return nil, malformed(WebP, "a frame is cut off")
	}
	out := slices.Concat([]byte("ANMF\x00\x00\x00\x00"), frame.body[:head])
	pixels := false
	for c, err := range chunksOf(frame.body[head:]) {
		switch {
		case err != nil:
			return nil, err
		case c.id == "VP8 ", c.id == "VP8L", c.id == "ALPH":
			out = append(out, c.raw...)
			pixels = pixels || c.id != "ALPH"
		}
		if len(out)%2 != 0 {
			out = append(out, 0)
		}
	}
	if !pixels {
		return nil, malformed(WebP, "a frame holds no picture")
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-chunkHead))
	return out, nil
}
