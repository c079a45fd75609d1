package safetext

import "io"

// Writer returns a writer that cleans the text on its way to w, as [Block] would clean the whole
// text, regardless of how it is cut into writes. Close writes the rest of a rune cut off at the
// end; it does not close w. The writer is not safe for concurrent use.
func Writer(w io.Writer) io.WriteCloser { return &writer{w: w} }

type writer struct {
	w   io.Writer
	c   Cleaner
	buf []byte
}

// Write cleans p and passes the result on. It reports len(p) unless w failed; how much of p a failed write covered
// is unknown then, and it reports 0.
func (w *writer) Write(p []byte) (int, error) {
	const piece = 16 << 10 // bounds the buffer for any length of p
	for at := 0; at < len(p); at += piece {
		w.buf = w.c.Append(w.buf[:0], string(p[at:min(at+piece, len(p))]))
		if err := w.pass(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (w *writer) Close() error {
	w.buf = w.c.Flush(w.buf[:0])
	return w.pass()
}

func (w *writer) pass() error {
	if len(w.buf) == 0 {
		return nil
	}
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	return err
}
