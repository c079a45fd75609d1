package comfy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth is the nesting limit of a workflow file; real ones have about six levels.
const maxDepth = 64

// decodeTree decodes one JSON value into maps, slices, strings, bools, nil and json.Number, which
// keeps numbers exact. What encoding/json would accept, such as duplicate names, is an error with
// its line and column.
func decodeTree(name string, data []byte) (any, error) {
	if len(data) > maxGraph {
		return nil, &WorkflowError{Name: name, Reason: fmt.Sprintf("the file is larger than %d MB", maxGraph>>20)}
	}
	data = withoutNaN(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	t := &treeReader{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	t.dec.UseNumber()
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &WorkflowError{Name: name, Reason: "the file is empty"}
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, t.fault(int64(i), "this is not UTF-8 text")
	}
	v, err := t.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := t.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, t.fault(t.dec.InputOffset(), "there is more after the end of the JSON")
	}
	return v, nil
}

// withoutNaN replaces Python's NaN and infinities by null, as ComfyUI's own files contain them.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	quoted := false
	for i := 0; i < len(data); i++ {
		switch {
		case quoted && data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		case data[i] == '"':
			quoted = !quoted
		case !quoted:
			if word := notANumber(data[i:]); word != "" {
				out = append(out, "null"...)
				i += len(word) - 1
				continue
			}
		}
		out = append(out, data[i])
	}
	return out
}

func notANumber(data []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return word
		}
	}
	return ""
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

type treeReader struct {
	name string
	data []byte
	dec  *json.Decoder
}

// fault returns an error at a byte offset. Columns count characters.
func (t *treeReader) fault(offset int64, reason string) error {
	offset = max(0, min(offset, int64(len(t.data))))
	before := t.data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	start := bytes.LastIndexByte(before, '\n') + 1
	return &WorkflowError{Name: t.name, Line: line, Column: 1 + utf8.RuneCount(before[start:]), Reason: reason}
}

func (t *treeReader) wrap(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return t.fault(int64(len(t.data)), "the file ends in the middle of the JSON")
	case errors.As(err, &syntax):
		// The offset is that of the byte after the offending one.
		at := max(syntax.Offset-1, t.dec.InputOffset())
		if rest := t.data[min(at, int64(len(t.data))):]; bytes.HasPrefix(rest, []byte("%")) ||
			bytes.HasPrefix(rest, []byte("__")) || bytes.HasPrefix(rest, []byte("{")) {
			return t.fault(at, "this is not JSON: a placeholder must stand in quotation marks")
		}
		return t.fault(at, "this is not JSON: "+clip(syntax.Error(), 200))
	}
	return t.fault(t.dec.InputOffset(), "this is not JSON: "+clip(err.Error(), 200))
}

func (t *treeReader) value(depth int) (any, error) {
	tok, err := t.dec.Token()
	if err != nil {
		return nil, t.wrap(err)
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return tok, nil
	}
	if depth >= maxDepth {
		return nil, t.fault(t.dec.InputOffset()-1, fmt.Sprintf("the JSON nests deeper than %d levels", maxDepth))
	}
	if delim == '[' {
		return t.array(depth)
	}
	return t.object(depth)
}

func (t *treeReader) array(depth int) (any, error) {
	list := []any{}
	for t.dec.More() {
		v, err := t.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if _, err := t.dec.Token(); err != nil {
		return nil, t.wrap(err)
	}
	return list, nil
}

func (t *treeReader) object(depth int) (any, error) {
	object := map[string]any{}
	for t.dec.More() {
		tok, err := t.dec.Token()
		if err != nil {
			return nil, t.wrap(err)
		}
		key, ok := tok.(string)
		if !ok {
			return nil, t.fault(t.dec.InputOffset(), "a name in quotes is expected here")
		}
		if _, twice := object[key]; twice {
			return nil, t.fault(t.dec.InputOffset(),
				fmt.Sprintf("the name %q occurs twice in one object", clip(key, 60)))
		}
		if object[key], err = t.value(depth + 1); err != nil {
			return nil, err
		}
	}
	if _, err := t.dec.Token(); err != nil {
		return nil, t.wrap(err)
	}
	return object, nil
}

// encodeTree is the inverse of decodeTree. The same tree always gives the same bytes.
func encodeTree(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("comfy workflow: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
