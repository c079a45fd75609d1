package demo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"

	"github.com/HugoSmits86/nativewebp"
)

// comfyMovie is a video file of the servers. The formats that browsers treat as pictures contain
// frames that can be viewed; the others contain only a file header with size and duration.
type comfyMovie struct {
	ext, mime string
	data      []byte
}

const (
	comfyFrames  = 8   // of a movie
	comfyFrameMS = 120 // duration of one frame
	comfyWidest  = 256 // pixels of a movie's frames, across
)

// comfyFilm makes the file that a node of a class saves: the stage for a second, with its beam
// swaying.
func comfyFilm(class string, in map[string]any, s comfySet, w, h int) (comfyMovie, error) {
	m := comfyMovie{ext: ".mp4", mime: "video/h264-mp4"}
	switch class {
	case "SaveAnimatedWEBP":
		m.ext = ".webp"
	case "SaveAnimatedPNG":
		m.ext = ".png"
	case "SaveWEBM":
		m.ext = ".webm"
	case "VHS_VideoCombine":
		switch m.mime = fmt.Sprint(in["format"]); m.mime {
		case "image/gif":
			m.ext = ".gif"
		case "image/webp":
			m.ext = ".webp"
		case "video/webm":
			m.ext = ".webm"
		}
	}
	if m.ext == ".mp4" {
		m.data = comfyMP4(w, h)
		return m, nil
	}
	if m.ext == ".webm" {
		m.data = comfyWEBM(w, h)
		return m, nil
	}
	if w > comfyWidest {
		w, h = comfyWidest, max(1, h*comfyWidest/w)
	}
	h = min(h, 2*comfyWidest)
	var frames []*image.RGBA
	for i := range comfyFrames {
		frames = append(frames, comfyPaint(s, w, h, 0.04*math.Sin(2*math.Pi*float64(i)/comfyFrames)))
	}
	var err error
	switch m.ext {
	case ".webp":
		m.data, err = comfyWEBP(frames)
	case ".png":
		m.data, err = comfyAPNG(frames)
	default:
		m.data, err = comfyGIF(frames)
	}
	return m, err
}

func comfyGIF(frames []*image.RGBA) ([]byte, error) {
	var movie gif.GIF
	for _, frame := range frames {
		flat := image.NewPaletted(frame.Bounds(), palette.Plan9)
		draw.Draw(flat, frame.Bounds(), frame, image.Point{}, draw.Src)
		movie.Image = append(movie.Image, flat)
		movie.Delay = append(movie.Delay, comfyFrameMS/10)
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &movie)
	return b.Bytes(), err
}

// comfyAPNG puts frames into one PNG whose ordinary picture is the first.
func comfyAPNG(frames []*image.RGBA) ([]byte, error) {
	out, sequence := []byte("\x89PNG\r\n\x1a\n"), uint32(0)
	be := binary.BigEndian
	for i, frame := range frames {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, frame); err != nil {
			return nil, err
		}
		chunks := b.Bytes()[8:]
		head := 25 // IHDR
		if i == 0 {
			out = append(out, chunks[:head]...)
			out = append(out, comfyChunk("acTL", be.AppendUint32(be.AppendUint32(nil, uint32(len(frames))), 0))...)
		}
		control := be.AppendUint32(nil, sequence)
		sequence++
		control = be.AppendUint32(be.AppendUint32(control, uint32(frame.Rect.Dx())), uint32(frame.Rect.Dy()))
		control = be.AppendUint32(be.AppendUint32(control, 0), 0)
		control = append(be.AppendUint16(be.AppendUint16(control, comfyFrameMS), 1000), 0, 0)
		out = append(out, comfyChunk("fcTL", control)...)
		for rest := chunks[head:]; len(rest) >= 12; {
			n := int(be.Uint32(rest)) + 12
			if string(rest[4:8]) == "IDAT" {
				if i == 0 {
					out = append(out, rest[:n]...)
				} else {
					out = append(out, comfyChunk("fdAT", append(be.AppendUint32(nil, sequence), rest[8:n-4]...))...)
					sequence++
				}
			}
			rest = rest[n:]
		}
	}
	return append(out, comfyChunk("IEND", nil)...), nil
}

// comfyWEBP returns an animation of frames without loss.
func comfyWEBP(frames []*image.RGBA) ([]byte, error) {
	var movie nativewebp.Animation
	for _, frame := range frames {
		movie.Images = append(movie.Images, frame)
		movie.Durations = append(movie.Durations, comfyFrameMS)
		movie.Disposals = append(movie.Disposals, 0)
	}
	var b bytes.Buffer
	err := nativewebp.EncodeAll(&b, &movie, &nativewebp.Options{CompressionLevel: nativewebp.BestSpeed})
	return b.Bytes(), err
}

// comfyMP4 returns the head of an MP4 file: one silent track of a second.
func comfyMP4(w, h int) []byte {
	be := binary.BigEndian
	box := func(kind string, parts ...[]byte) []byte {
		body := bytes.Join(parts, nil)
		return append(append(be.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
	}
	zeros := func(n int) []byte { return make([]byte, n) }
	words := func(list ...uint32) (out []byte) {
		for _, n := range list {
			out = be.AppendUint32(out, n)
		}
		return out
	}
	matrix := words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
	const scale, length = 1000, 1000
	movie := box("mvhd", words(0, 0, 0, scale, length, 0x10000, 0x01000000), zeros(8), matrix, zeros(24), words(2))
	track := box("tkhd", words(7, 0, 0, 1, 0, length), zeros(16), matrix, words(uint32(w)<<16, uint32(h)<<16))
	media := box("mdhd", words(0, 0, 0, scale, length, 0x55c40000))
	handler := box("hdlr", words(0, 0), []byte("vide"), zeros(13))
	return bytes.Join([][]byte{
		box("ftyp", []byte("isom"), words(512), []byte("isomiso2avc1mp41")),
		box("moov", movie, box("trak", track, box("mdia", media, handler))),
		box("mdat", comfyGarbage(4096)),
	}, nil)
}

// comfyWEBM returns the head of a WebM file: one track of a second.
func comfyWEBM(w, h int) []byte {
	element := func(id uint32, parts ...[]byte) []byte {
		body := bytes.Join(parts, nil)
		head := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00")
		return append(binary.BigEndian.AppendUint32(head, 0x10000000|uint32(len(body))), body...)
	}
	number := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	length := binary.BigEndian.AppendUint64(nil, math.Float64bits(1000))
	head := element(0x1A45DFA3, element(0x4286, number(1)), element(0x42F7, number(1)), element(0x42F2, number(4)),
		element(0x42F3, number(8)),
		element(0x4282, []byte("webm")), element(0x4287, number(4)), element(0x4285, number(2)))
	info := element(0x1549A966, element(0x2AD7B1, number(1_000_000)), element(0x4489, length))
	track := element(0xAE, element(0xD7, number(1)), element(0x73C5, number(1)), element(0x83, number(1)),
		element(0x86, []byte("V_VP9")),
		element(0xE0, element(0xB0, number(w)), element(0xBA, number(h))))
	return append(head, element(0x18538067, info, element(0x1654AE6B, track),
		element(0x1F43B675, element(0xE7, number(0)), element(0xA3, comfyGarbage(4096))))...)
}

// comfyOtherPicture returns a picture in another format than the one given.
func comfyOtherPicture(data []byte) []byte {
	img, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		img, format = image.NewRGBA(image.Rect(0, 0, 8, 8)), ""
	}
	var b bytes.Buffer
	if format == "png" {
		err = jpeg.Encode(&b, img, nil)
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		return comfyGarbage(len(data))
	}
	return b.Bytes()
}
