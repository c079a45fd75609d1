package ecosystem

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// codec reads and writes values of one type. read takes over what it can, and says what
// belongs there where that is something else; write appends the value to dst.
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

// raw is the value as it is written.
func (f *field[T]) raw(from *T) json.RawMessage { return f.write(nil, from) }

// same reports whether two records have the same value. buf is memory that may be used.
func (f *field[T]) same(a, b *T, buf []byte) bool {
	buf = f.write(buf[:0], a)
	n := len(buf)
	buf = f.write(buf, b)
	return bytes.Equal(buf[:n], buf[n:])
}

// fields are the members of a document that a record of type T holds.
type fields[T any] []field[T]

// read reads the members that are there, and calls odd with those that are of another type
// than want says.
func (all fields[T]) read(o *object, to *T, odd func(key, want string)) {
	for i := range all {
		if raw := o.get(all[i].key); raw != nil {
			if want := all[i].read(raw, to); want != "" && odd != nil {
				odd(all[i].key, want)
			}
		}
	}
}

// merge writes what differs between two records into a document, everything if it is fresh.
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

// asLoose is a text that may be written as a number or a truth value.
var asLoose = codec[string]{func(raw json.RawMessage, to *string) string {
	*to, _ = loose(raw)
	return ""
}, appendText}

// asTruth is a truth value as JavaScript programs mean it.
var asTruth = codec[bool]{func(raw json.RawMessage, to *bool) string {
	*to = truth(raw)
	return ""
}, strconv.AppendBool}

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error is of bytes that are no UTF-8, which are replaced
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

// orNull writes null for what is not there.
func orNull[V any](write func([]byte, V) []byte) func([]byte, *V) []byte {
	return func(dst []byte, v *V) []byte {
		if v == nil {
			return append(dst, "null"...)
		}
		return write(dst, *v)
	}
}
