package rehearsal

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// FaultKind is a way in which a server goes wrong.
type FaultKind int

const (
	NoFault     FaultKind = iota
	Hang                  // not a byte more, and the connection stays open
	Die                   // the connection is cut in the middle of the stream
	ErrorLine             // a line with an error inside a stream that began well
	HTML                  // a page of some other server
	Unavailable           // 503, the server's queue is full
	ServerError           // 500 before anything is written
	RepeatAbort           // one token over and over, then an end without done
	NoDone                // the stream ends well-formed, but done never comes
	Garbage               // a line that is not JSON
	Escapes               // escape sequences, bidi marks and invalid UTF-8 in the text
	Endless               // never stops writing
	ThinkOnly             // thinks, and then says nothing
	Say                   // answers with Text instead of the script or the schema
)

// Fault is what goes wrong with one answer. After counts the tokens that are
// written before it does; kinds that spoil the whole answer ignore it.
type Fault struct {
	Kind  FaultKind
	After int
	Text  string // for Say; for ErrorLine and ServerError the error, "" for a usual one
}

const runnerDied = "an error was encountered while running the model: unexpected EOF"

// rawMark stands for bytes that are no UTF-8: JSON encoding would replace the
// bytes themselves, so the finished line gets them instead of the mark.
const (
	rawMark  = "\ue0ff"
	rawBytes = "\xff\xfe\xc3"
)

// hostile is what must never reach a terminal as it is: colour, cursor, title
// and clipboard sequences, a hyperlink, C1 controls, bidi overrides, a bell, a
// carriage return, tag characters and broken UTF-8.
const hostile = "*The light turns \x1b[31mred\x1b[0m.* \x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\"Look\x1b[2J\x1b[H at \u202ethgil eht\u202c,\" " +
	"she says\r\n\u009b5m\x1b]8;;http://example.invalid\x1b\\link\x1b]8;;\x1b\\ \u2066isolated\u2069 \U000E0041\u200b" + rawMark + " \x1bP1;1|x\x1b\\ \x08\x00end."

// early answers a request with a fault that needs no model, and reports
// whether it did.
func (f Fault) early(ctx context.Context, w http.ResponseWriter) bool {
	switch f.Kind {
	case Hang:
		if f.After > 0 {
			return false
		}
		<-ctx.Done()
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n")
	case Unavailable:
		fail(w, http.StatusServiceUnavailable, "server busy, please try again.  maximum pending requests exceeded")
	case ServerError:
		fail(w, http.StatusInternalServerError, f.text(runnerDied))
	default:
		return false
	}
	return true
}

func (f Fault) text(usual string) string {
	if f.Text != "" {
		return f.Text
	}
	return usual
}

// strike does what the fault does once its tokens are written, and reports
// whether the answer is over.
func (f Fault) strike(ctx context.Context, s *stream) bool {
	switch f.Kind {
	case Hang:
		<-ctx.Done()
	case Die:
		s.flush()
		panic(http.ErrAbortHandler) // net/http's way to cut a connection
	case ErrorLine:
		s.line(map[string]string{"error": f.text(runnerDied)})
	case Garbage:
		s.raw("}{ this is not JSON\n")
	case RepeatAbort:
		for range 31 {
			if !s.token(ctx, " this", false) {
				break
			}
		}
		s.abandon()
	case NoDone:
		s.abandon()
	case Endless:
		for s.token(ctx, endlessWords[s.written%len(endlessWords)], false) {
		}
	default:
		return false
	}
	return true
}

var endlessWords = strings.SplitAfter(" and on and on the lamp burns and the rain falls and nobody leaves and", "n")

// pause waits for d or the end of ctx, and reports whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
