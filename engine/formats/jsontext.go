package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const bom = "\xef\xbb\xbf"

// lenient accepts what other programs write: duplicate names and unpaired surrogates. Strings and
// numbers stay as they are written.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true))

// compact checks an untrusted JSON text and returns it without white space, in a new buffer. The
// result is valid JSON and UTF-8 and nested no deeper than the library allows; the functions of
// this file rely on that.
func compact(data []byte) (json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	if !utf8.Valid(data) {
		line, col := lineColumn(data, invalidAt(data))
		return nil, wrapf(ErrDamaged,
			"line %d, column %d is not UTF-8 text: save the file as UTF-8, or export it again", line, col)
	}
	out, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data, lenient)
	if err != nil {
		return nil, wrapf(ErrDamaged, "the JSON is %s: download or export the file again", syntaxFault(data, err))
	}
	return out, nil
}

// syntaxFault describes where a text stops being JSON.
func syntaxFault(data []byte, err error) string {
	se, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return "broken (" + err.Error() + ")"
	}
	line, col := lineColumn(data, int(se.ByteOffset))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("cut off at line %d, column %d", line, col)
	}
	return fmt.Sprintf("broken at line %d, column %d (%v)", line, col, se.Err)
}

// JSONFault describes why a text is not one JSON object.
func JSONFault(data []byte) string {
	if len(bytes.TrimSpace(data)) == 0 {
		return "it is empty"
	}
	out, err := jsontext.AppendFormat(nil, data, lenient)
	if err != nil {
		return "it is " + syntaxFault(data, err)
	}
	return "it holds " + kindOf(out)
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

// lineColumn converts an offset to a line and a column, both from 1.
func lineColumn(data []byte, at int) (line, col int) {
	head := data[:max(0, min(at, len(data)))]
	return bytes.Count(head, []byte{'\n'}) + 1, len(head) - bytes.LastIndexByte(head, '\n')
}

// skipString returns the index behind the string that begins at b[i].
func skipString(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(b))
}

// skipValue returns the index behind the value that begins at b[i]. b is valid and compact.
// A decoder of the library, made for each object, takes twice as long.
func skipValue(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}

// values yields the values of a list or an object that begins with begin, and nothing for any
// other value. The names of an object's members are quoted as written. All alias raw.
func values(raw json.RawMessage, begin byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		if len(raw) == 0 || raw[0] != begin {
			return
		}
		for i := 1; i < len(raw)-1; {
			var name []byte
			if begin == '{' {
				colon := skipString(raw, i)
				name, i = raw[i:colon:colon], colon+1
			}
			end := skipValue(raw, i)
			if !yield(name, raw[i:end:end]) {
				return
			}
			i = end + 1
		}
	}
}

// members yields the members of an object.
func members(raw json.RawMessage) iter.Seq2[[]byte, json.RawMessage] { return values(raw, '{') }

// memberOf returns a member of an object, nil for none. Of duplicates the last one counts, as in
// JavaScript.
func memberOf(raw json.RawMessage, key string) (found json.RawMessage) {
	for name, value := range members(raw) {
		if string(unquotedName(name)) == key {
			found = value
		}
	}
	return found
}

// unquotedName returns a member's name without its quotes.
func unquotedName(name []byte) []byte {
	if bytes.IndexByte(name, '\\') >= 0 {
		s, _ := text(json.RawMessage(name))
		return []byte(s)
	}
	return name[1 : len(name)-1]
}

// elements returns the values of a list, which alias raw. ok is false if raw is not a list or has
// more than limit values.
func elements(raw json.RawMessage, limit int) (list []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	for _, value := range values(raw, '[') {
		if len(list) == limit {
			return nil, false
		}
		list = append(list, value)
	}
	return list, true
}

// object is one level of a JSON object in its original order, with duplicates. Values, and names
// as they were written, alias the text it was parsed from.
type object struct{ members []member }

type member struct {
	key  string
	name []byte // the key as written, quoted
	raw  json.RawMessage
}

// parseObject splits an object. ok is false if raw is not an object or has too many members.
func parseObject(raw json.RawMessage) (o object, ok bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return object{}, false
	}
	for name, value := range members(raw) {
		if len(o.members) == maxMembers {
			return object{}, false
		}
		if o.members == nil {
			o.members = make([]member, 0, 8)
		}
		key, _ := text(json.RawMessage(name))
		o.members = append(o.members, member{key, name, value})
	}
	return o, true
}

// find returns the index of a member, -1 for none. Of several members with the same name the last
// one counts, as everywhere in JavaScript.
func (o *object) find(key string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return i
		}
	}
	return -1
}

// get returns nil for a key that is not there.
func (o *object) get(key string) json.RawMessage {
	if at := o.find(key); at >= 0 {
		return o.members[at].raw
	}
	return nil
}

func (o *object) has(key string) bool { return o.find(key) >= 0 }

func (o *object) set(key string, raw json.RawMessage) {
	if at := o.find(key); at >= 0 {
		o.members[at].raw = raw
		return
	}
	o.members = append(o.members, member{key, quote(key), raw})
}

func (o *object) remove(keys ...string) {
	o.members = slices.DeleteFunc(slices.Clone(o.members), func(m member) bool { return slices.Contains(keys, m.key) })
}

func (o *object) clone() object { return object{slices.Clone(o.members)} }

// encode returns the object as compact JSON in new memory.
func (o *object) encode() json.RawMessage {
	n := 2
	for _, m := range o.members {
		n += len(m.name) + len(m.raw) + 2
	}
	return o.append(make([]byte, 0, n))
}

func (o *object) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, m.name...), ':'), m.raw...)
	}
	return append(dst, '}')
}

// indentJSON returns a document with indentation and a final newline.
func indentJSON(raw json.RawMessage, indent string) []byte {
	out, _ := jsontext.AppendFormat(nil, raw, lenient, jsontext.WithIndent(indent)) // it is valid
	return append(out, '\n')
}

func encodeList(list []json.RawMessage) json.RawMessage {
	n := 2
	for _, raw := range list {
		n += len(raw) + 1
	}
	out := append(make([]byte, 0, n), '[')
	for i, raw := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}

// quote encodes a string without the escapes that only HTML needs.
func quote(s string) json.RawMessage {
	return appendText(make([]byte, 0, len(s)+2), s)
}

func quoteList(list []string) json.RawMessage {
	raws := make([]json.RawMessage, len(list))
	for i, s := range list {
		raws[i] = quote(s)
	}
	return encodeList(raws)
}

// text decodes a JSON string. ok is false if raw is something else.
func text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	out, _ := jsontext.AppendUnquote(nil, raw) // the error is about unpaired surrogates, which are replaced
	return string(out), true
}

// isText reports whether raw is a string.
func isText(raw json.RawMessage) bool { return len(raw) >= 2 && raw[0] == '"' }

// looseString decodes a string that may be written as a number or a boolean; odd names the other
// type. Null, lists and objects are "".
func looseString(raw json.RawMessage) (s, odd string) {
	if s, ok := text(raw); ok {
		return s, ""
	}
	switch {
	case len(raw) == 0:
		return "", ""
	case raw[0] == 'n':
		return "", "null"
	case raw[0] == 't' || raw[0] == 'f':
		return string(raw), "boolean"
	case raw[0] == '[':
		return "", "list"
	case raw[0] == '{':
		return "", "object"
	}
	return string(raw), "number"
}

// jsTruth returns the boolean value of raw in JavaScript.
func jsTruth(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "false", "null", "0", `""`, `"false"`:
		return false
	}
	return true
}

// wholeNumber reads an integer, also one that is written as a string or with a fraction of zero.
func wholeNumber(raw json.RawMessage) (int, bool) {
	s, _ := looseString(raw)
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != float64(int32(f)) {
		return 0, false
	}
	return int(f), true
}
