package formats

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// codec reads and writes values of one type. read converts as much as it can and returns what is
// expected if the value is something else; write appends the value to dst.
type codec[V any] struct {
	read  func(raw json.RawMessage, to *V) (want string)
	write func(dst []byte, v V) []byte
}

// field ties a member of a document to a field of a record of type T.
type field[T any] struct {
	key   string
	read  func(raw json.RawMessage, to *T) (want string)
	write func(dst []byte, from *T) []byte
}

func newField[T, V any](key string, of func(*T) *V, c codec[V]) field[T] {
	return field[T]{key, func(raw json.RawMessage, to *T) string { return c.read(raw, of(to)) },
		func(dst []byte, from *T) []byte { return c.write(dst, *of(from)) }}
}

// raw returns the value as it is written.
func (f *field[T]) raw(from *T) json.RawMessage { return f.write(nil, from) }

// same reports whether two records have the same value. buf is scratch memory.
func (f *field[T]) same(a, b *T, buf []byte) bool {
	buf = f.write(buf[:0], a)
	n := len(buf)
	buf = f.write(buf, b)
	return bytes.Equal(buf[:n], buf[n:])
}

// fields are the members of a document that belong to a record of type T.
type fields[T any] []field[T]

// read reads the members that exist, and calls odd for those of the wrong type.
func (all fields[T]) read(o *object, to *T, odd func(key, want string)) {
	for i := range all {
		if raw := o.get(all[i].key); raw != nil {
			if want := all[i].read(raw, to); want != "" && odd != nil {
				odd(all[i].key, want)
			}
		}
	}
}

// merge writes the differences between two records into a document, or everything if it is fresh.
func (all fields[T]) merge(o *object, now, old *T, fresh bool) {
	for i := range all {
		if f := &all[i]; fresh || !f.same(now, old, nil) {
			o.set(f.key, f.raw(now))
		}
	}
}

func (all fields[T]) same(a, b *T) bool {
	for i := range all {
		if !all[i].same(a, b, nil) {
			return false
		}
	}
	return true
}

// looseCodec is a text that may be written as a number or a boolean.
var looseCodec = codec[string]{func(raw json.RawMessage, to *string) string {
	*to, _ = looseString(raw)
	return ""
}, appendText}

// truthCodec is a boolean as JavaScript programs interpret it.
var truthCodec = codec[bool]{func(raw json.RawMessage, to *bool) string {
	*to = jsTruth(raw)
	return ""
}, strconv.AppendBool}

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error is about invalid UTF-8, which is replaced
	return dst
}

func appendInt[V ~int](dst []byte, v V) []byte { return strconv.AppendInt(dst, int64(v), 10) }

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, s)
	}
	return append(dst, ']')
}

// nullable writes null for a nil pointer.
func nullable[V any](write func([]byte, V) []byte) func([]byte, *V) []byte {
	return func(dst []byte, v *V) []byte {
		if v == nil {
			return append(dst, "null"...)
		}
		return write(dst, *v)
	}
}
