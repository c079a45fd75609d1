package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FaultKind is a way in which a server fails.
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
	Say                   // answers with Text and Calls instead of the script or the schema
	Missing               // 404, the model is not there
	Cut                   // ends for length
	Wrapped               // the right answer, with chatter and a code fence around it
	Lacks                 // the right answer, without its property Text, or without its last one
	Slow                  // every further token takes Pace
	Wait                  // waits until Until is closed, and goes on as if nothing had been
	Mistyped              // the right answer, with every value of another type than it should have
)

// Fault is a failure of one answer. After is the number of tokens that are written before it; kinds
// that spoil the whole answer ignore it.
type Fault struct {
	Kind  FaultKind
	After int
	Text  string             // for Say and Lacks; for ErrorLine and ServerError the error, "" for a usual one
	Calls []storage.ToolCall // for Say: the tools that are called, offered or not
	Pace  time.Duration      // for Slow
	Until <-chan struct{}    // for Wait; nil is never closed
}

// Times makes the first n requests that aim accepts fail, and no other; a nil aim accepts all. The
// result is for Options.Fault and safe for concurrent use.
func Times(n int, f Fault, aim func(Call) bool) func(Call) Fault {
	var mu sync.Mutex
	return func(c Call) Fault {
		if aim != nil && !aim(c) {
			return Fault{}
		}
		mu.Lock()
		defer mu.Unlock()
		if n <= 0 {
			return Fault{}
		}
		n--
		return f
	}
}

const runnerDied = "an error was encountered while running the model: unexpected EOF"

// rawMark marks the place of bytes that are not UTF-8: JSON encoding would replace the bytes
// themselves, so they replace the mark in the finished line.
const (
	rawMark  = "\ue0ff"
	rawBytes = "\xff\xfe\xc3"
)

// hostile must never reach a terminal unchanged: it has colour, cursor, title and clipboard
// sequences, a hyperlink, C1 controls, bidi overrides, a bell, a carriage return, tag characters
// and broken UTF-8.
const hostile = "*The light turns \x1b[31mred\x1b[0m.* \x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\"Look\x1b[2J\x1b[H at " +
	"\u202ethgil eht\u202c,\" she says\r\n\u009b5m\x1b]8;;http://example.invalid\x1b\\link\x1b]8;;\x1b\\ " +
	"\u2066isolated\u2069 \U000E0041\u200b" + rawMark + " \x1bP1;1|x\x1b\\ \x08\x00end."

// early answers a request with a fault that needs no model, and reports
// whether it did.
func (f Fault) early(ctx context.Context, w http.ResponseWriter, model string) bool {
	switch f.Kind {
	case Hang:
		if f.After > 0 {
			return false
		}
		<-ctx.Done()
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w,
			"<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n")
	case Unavailable:
		fail(w, http.StatusServiceUnavailable, "server busy, please try again.  maximum pending requests exceeded")
	case Missing:
		notFound(w, model)
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

// strike applies the fault once its tokens are written, and reports whether the answer is over.
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
			if !s.token(ctx, " this") {
				break
			}
		}
		s.abandon()
	case NoDone:
		s.abandon()
	case Slow:
		s.delay = f.Pace
		return false
	case Wait:
		select {
		case <-f.Until:
			return false
		case <-ctx.Done():
		}
	case Endless:
		for s.token(ctx, endlessWord(s.written)) {
		}
	default:
		return false
	}
	return true
}

var endlessWords = strings.SplitAfter(" and on and on the lamp burns and the rain falls and nobody leaves and", "n")

// endlessWord returns the n-th word of an endless text. The text contains its round numbers:
// readers stop a text that only repeats itself.
func endlessWord(n int) string {
	at := n % len(endlessWords)
	if at == 0 {
		return fmt.Sprintf(" %d", n/len(endlessWords)) + endlessWords[at]
	}
	return endlessWords[at]
}

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

// wrapped returns an answer of a model that cannot help being polite.
func wrapped(content string) string {
	return "Certainly! Here is what you asked for:\n\n```json\n" + content +
		"\n```\n\nLet me know if anything should change."
}

// mistyped returns an object whose values all have the wrong type: a text is a number, everything
// else a text. A value that is no object stays unchanged.
func mistyped(content string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(content), &fields) != nil {
		return content
	}
	for name, v := range fields {
		if _, text := v.(string); text {
			fields[name] = 7
		} else {
			fields[name] = "as it should be"
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return content
	}
	return string(data)
}

// without removes a property from an object, "" the last one. A value that is no object stays
// unchanged.
func without(content, name string) string {
	dec := json.NewDecoder(strings.NewReader(content))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') || !json.Valid([]byte(content)) {
		return content
	}
	var kept [][]byte
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return content
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return content
		}
		if key != name {
			kept = append(kept, fmt.Appendf(nil, "%s: %s", quote(key.(string)), value))
		}
	}
	if name == "" {
		kept = kept[:max(len(kept)-1, 0)]
	}
	return "{" + string(bytes.Join(kept, []byte(", "))) + "}"
}
