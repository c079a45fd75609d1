package ollama

import (
	"bytes"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
)

// The parts that all lines of a reply but the last have in common, in the order in which
// the server writes them.
const (
	lineModel    = `{"model":"`
	lineCreated  = `,"created_at":"`
	lineContent  = `,"message":{"role":"assistant","content":"`
	lineThinking = `,"thinking":"`
	lineEnd      = `},"done":false}`
)

// quickLine reads a line of a reply that is in the shape of nearly all, a tenth of the
// work that encoding/json makes of it. It takes no other line, and of one that it takes
// it makes what encoding/json does.
func quickLine(data []byte, line *api.ChatResponse) bool {
	model, data, ok := quickText(data, lineModel)
	if !ok {
		return false
	}
	data, ok = bytes.CutPrefix(data, []byte(lineCreated))
	created, data, ended := bytes.Cut(data, []byte(`"`)) // nothing in a time is escaped
	if !ok || !ended {
		return false
	}
	content, data, ok := quickText(data, lineContent)
	if !ok {
		return false
	}
	var thinking []byte
	if bytes.HasPrefix(data, []byte(lineThinking)) {
		if thinking, data, ok = quickText(data, lineThinking); !ok {
			return false
		}
	}
	if string(data) != lineEnd || line.CreatedAt.UnmarshalText(created) != nil {
		return false
	}
	line.Model, line.Message.Role = string(model), "assistant"
	line.Message.Content, line.Message.Thinking = string(content), string(thinking)
	return true
}

// quickText reads the JSON text that follows a prefix, and tells what comes after it.
func quickText(data []byte, prefix string) (text, rest []byte, ok bool) {
	if len(data) < len(prefix) || string(data[:len(prefix)]) != prefix {
		return nil, nil, false
	}
	data = data[len(prefix):]
	for i, c := range data {
		switch {
		case c == '"':
			return data[:i], data[i+1:], utf8.Valid(data[:i])
		case c == '\\':
			return quickEscaped(data, i)
		case c < ' ':
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// quickEscaped reads the rest of a text whose first i bytes are as they stand.
func quickEscaped(data []byte, i int) (text, rest []byte, ok bool) {
	text = append(make([]byte, 0, i+32), data[:i]...)
	for i < len(data) {
		c := data[i]
		i++
		switch {
		case c == '"':
			return text, data[i:], utf8.Valid(text)
		case c < ' ':
			return nil, nil, false
		case c != '\\':
			text = append(text, c)
			continue
		}
		if i == len(data) {
			return nil, nil, false
		}
		c = data[i]
		i++
		switch c {
		case '"', '\\', '/':
			text = append(text, c)
		case 'n':
			text = append(text, '\n')
		case 't':
			text = append(text, '\t')
		case 'r':
			text = append(text, '\r')
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'u':
			r, ok := quickRune(data[i:])
			if !ok {
				return nil, nil, false
			}
			text = utf8.AppendRune(text, r)
			i += 4
		default:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// quickRune reads four digits of a character that takes no second one.
func quickRune(data []byte) (r rune, ok bool) {
	if len(data) < 4 {
		return 0, false
	}
	for _, c := range data[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, utf8.ValidRune(r)
}
