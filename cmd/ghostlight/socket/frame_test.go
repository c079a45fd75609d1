package socket

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

func TestFrame_ThereAndBack(t *testing.T) {
	var wire bytes.Buffer
	w := &writer{w: &wire}
	long := bytes.Repeat([]byte("x"), 3*chunk+7)
	if n, err := (stream{w, output, func() error { return nil }}).Write(long); n != len(long) || err != nil {
		t.Fatalf("wrote %d: %v", n, err)
	}
	var got []byte
	for {
		k, payload, err := readFrame(&wire)
		if err == io.EOF {
			break
		}
		if err != nil || k != output || len(payload) > chunk {
			t.Fatalf("%c of %d bytes: %v", k, len(payload), err)
		}
		got = append(got, payload...)
	}
	if !bytes.Equal(got, long) {
		t.Errorf("%d bytes came of %d", len(got), len(long))
	}
	if err := w.frame(cancel, make([]byte, 65)); err == nil {
		t.Error("a frame that nobody would read was written")
	}
}

// A frame that announces more than it brings takes no memory for it, and none is longer
// than its kind allows.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("g\x00\x00\x00\x02{}"))
	f.Add([]byte("q\x00\x40\x00\x00{"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("o\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, payload, err := readFrame(bytes.NewReader(data))
		if err != nil {
			return
		}
		if uint32(len(payload)) > k.most() || len(payload) > len(data) {
			t.Fatalf("%c: %d bytes", k, len(payload))
		}
		var wire bytes.Buffer
		if err := (&writer{w: &wire}).frame(k, payload); err != nil || !bytes.HasPrefix(data, wire.Bytes()) {
			t.Fatalf("%c comes out as %q: %v", k, wire.Bytes(), err)
		}
	})
}

func TestFrame_AnnouncedIsNotAllocated(t *testing.T) {
	head := binary.BigEndian.AppendUint32([]byte{byte(request)}, request.most())
	got := testing.AllocsPerRun(10, func() {
		if _, _, err := readFrame(bytes.NewReader(head)); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	})
	if got > 20 {
		t.Errorf("%v allocations for nothing", got)
	}
}
