package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// stream writes one answer, as lines while it comes or as one document at the
// end. It belongs to its handler.
type stream struct {
	w     http.ResponseWriter
	model string // as the request named it
	quiet bool   // not streamed
	delay time.Duration

	begun             bool
	written           int // tokens
	content, thinking strings.Builder
	calls             []api.ToolCall
	read              []uint64 // the tokens written, for the cache
}

// token writes one token of content.
func (s *stream) token(ctx context.Context, text string) bool { return s.part(ctx, part{text: text}) }

// part writes one token, after the servers's delay, and reports whether the client
// is still there.
func (s *stream) part(ctx context.Context, p part) bool {
	if !pause(ctx, s.delay) {
		return false
	}
	s.written++
	s.read = append(s.read, hash(p.text))
	var m api.Message
	switch {
	case p.call != nil:
		m.ToolCalls = []api.ToolCall{*p.call}
	case p.hidden:
		return true
	case p.thought:
		m.Thinking = p.text
	default:
		m.Content = p.text
	}
	if !s.quiet {
		return s.line(s.shape(m, "", api.Metrics{}))
	}
	s.content.WriteString(m.Content)
	s.thinking.WriteString(m.Thinking)
	s.calls = append(s.calls, m.ToolCalls...)
	return true
}

// gathered returns the message of an answer that is not streamed.
func (s *stream) gathered() api.Message {
	return api.Message{Content: s.content.String(), Thinking: s.thinking.String(), ToolCalls: s.calls}
}

// finish writes the end of the answer with its counters.
func (s *stream) finish(reason string, m api.Metrics) {
	if s.quiet {
		reply(s.w, s.shape(s.gathered(), reason, m))
		return
	}
	s.line(s.shape(api.Message{}, reason, m))
}

// abandon ends the answer without the line that says so: a stream just stops,
// a document says that it is not done.
func (s *stream) abandon() {
	if s.quiet {
		reply(s.w, s.shape(s.gathered(), "", api.Metrics{}))
	}
}

// shape returns a chunk of the answer; with a reason it is the last one.
func (s *stream) shape(says api.Message, reason string, m api.Metrics) any {
	now, done := time.Now().UTC(), reason != ""
	says.Role = "assistant"
	return api.ChatResponse{Model: s.model, CreatedAt: now, Done: done, DoneReason: reason, Metrics: m, Message: says}
}

// line writes v as one line of the stream and reports whether it went out. An
// answer that is not streamed has no lines: v is an error, and becomes the
// whole answer.
func (s *stream) line(v any) bool {
	if s.quiet {
		document(s.w, http.StatusInternalServerError, v)
		return true
	}
	data, err := json.Marshal(v)
	if err != nil {
		return false
	}
	return s.raw(string(bytes.ReplaceAll(data, []byte(rawMark), []byte(rawBytes))) + "\n")
}

// raw writes bytes as they are and sends them off.
func (s *stream) raw(text string) bool {
	if !s.begun && !s.quiet {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	s.begun = true
	if _, err := io.WriteString(s.w, text); err != nil {
		return false
	}
	s.flush()
	return true
}

// flush sends everything written so far. A writer that cannot flush is ignored.
func (s *stream) flush() { _ = http.NewResponseController(s.w).Flush() }
