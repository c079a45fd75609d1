package ecosystem

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const bom = "\xef\xbb\xbf"

// compact checks a JSON text of outside origin and returns it without white
// space, in a buffer of its own. Whatever it accepts is safe for the rest of
// this file: valid JSON, valid UTF-8, nested no deeper than maxDepth.
func compact(data []byte) (json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	if !utf8.Valid(data) {
		line, col := place(data, invalidAt(data))
		return nil, fault(ErrDamaged, "line %d, column %d is not UTF-8 text: save the file as UTF-8, or export it again", line, col)
	}
	out, err := appendCompact(make([]byte, 0, len(data)), data)
	if err != nil {
		return nil, syntaxFault(data, err)
	}
	if tooDeep(out) {
		return nil, fault(ErrTooLarge, "the JSON is nested deeper than %d levels, which no real file is", maxDepth)
	}
	return out, nil
}

// appendCompact appends a JSON text without its white space, and with everything else as
// it is written. encoding/json, which takes six times as long, has the last word on what
// is refused, and words it.
func appendCompact(dst, data []byte) ([]byte, error) {
	out, err := jsontext.AppendFormat(dst, data,
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err == nil {
		return out, nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return dst, err
	}
	buf := bytes.NewBuffer(dst)
	err = json.Compact(buf, data)
	return buf.Bytes(), err
}

func syntaxFault(data []byte, err error) error {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return fault(ErrDamaged, "the JSON is broken (%v): export the file again", err)
	}
	line, col := place(data, int(se.Offset)-1)
	if strings.Contains(se.Error(), "unexpected end") {
		return fault(ErrDamaged, "the JSON is cut off at line %d, column %d: download or export the file again", line, col)
	}
	return fault(ErrDamaged, "the JSON is broken at line %d, column %d (%v): export the file again", line, col, se)
}

// JSONFault says in words what keeps a text from being one JSON object. err is
// what encoding/json has to say of it; nil where it is null.
func JSONFault(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "it is empty"
	case err == nil:
		return "it holds null"
	case errors.As(err, &kind):
		return "it holds " + cmp.Or(map[string]string{"array": "a list", "string": "a text", "bool": "true or false"}[kind.Value], "a number")
	case !errors.As(err, &syntax):
		return "it is broken"
	}
	line, col := place(data, int(syntax.Offset)-1)
	if strings.Contains(syntax.Error(), "unexpected end") {
		return fmt.Sprintf("it is cut off at line %d, column %d", line, col)
	}
	return fmt.Sprintf("it is broken at line %d, column %d: %v", line, col, syntax)
}

// RepeatedKey is the first key that a JSON object has twice, which readers take in
// different ways.
func RepeatedKey(object []byte) (key string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		key, is := t.(string)
		if err != nil || !is {
			return "", false
		}
		if seen[key] {
			return key, true
		}
		seen[key] = true
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return "", false
		}
	}
	return "", false
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

// place turns an offset into a line and a column, both from 1.
func place(data []byte, at int) (line, col int) {
	head := data[:max(0, min(at, len(data)))]
	return bytes.Count(head, []byte{'\n'}) + 1, len(head) - bytes.LastIndexByte(head, '\n')
}

func tooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = pastString(b, i) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// pastString returns the index behind the string that begins at b[i].
func pastString(b []byte, i int) int {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		end := i + n
		slashes := 0
		for end-slashes > i && b[end-slashes-1] == '\\' {
			slashes++
		}
		if i = end + 1; slashes%2 == 0 {
			return i
		}
	}
	return len(b)
}

// pastValue returns the index behind the value that begins at b[i]. b is valid
// and compact.
func pastValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = pastString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// elements splits a compact array into its values, which alias raw. ok is false
// when raw is no array or has more than limit values.
func elements(raw json.RawMessage, limit int) (list []json.RawMessage, ok bool) {
	if len(raw) < 2 || raw[0] != '[' {
		return nil, false
	}
	for i := 1; i < len(raw) && raw[i] != ']'; {
		end := pastValue(raw, i)
		if len(list) == limit {
			return nil, false
		}
		list = append(list, raw[i:end])
		if i = end; i < len(raw) && raw[i] == ',' {
			i++
		}
	}
	return list, true
}

// object is one level of a JSON object in its original order. Values, and names
// as they were written, alias the text it was parsed from.
type object struct {
	members []member
	index   map[string]int // only of large objects
}

type member struct {
	key  string
	name []byte // the key as written, quoted
	raw  json.RawMessage
}

// lineKeys are the names in most lines of a chat, as they are written. They are looked up,
// since making a text of each name takes a fifth of the time of reading a chat.
var lineKeys = func() map[string]string {
	known := map[string]string{}
	for _, k := range []string{"name", "is_user", "is_system", "send_date", "mes", "extra", "swipes", "swipe_id", "swipe_info", "force_avatar",
		"original_avatar", "gen_started", "gen_finished", "api", "model", "reasoning", "token_count", "type"} {
		known[`"`+k+`"`] = k
	}
	return known
}()

// parseObject splits a compact object. Of members with one name the last counts,
// as everywhere in JavaScript. ok is false when raw is no object or has too many
// members.
func parseObject(raw json.RawMessage) (o object, ok bool) {
	if len(raw) < 2 || raw[0] != '{' {
		return object{}, false
	}
	for i := 1; i < len(raw) && raw[i] == '"'; {
		colon := pastString(raw, i)
		end := pastValue(raw, colon+1)
		name := raw[i:colon]
		key, met := lineKeys[string(name)]
		if !met {
			key, _ = text(name)
		}
		if o.members == nil {
			o.members = make([]member, 0, 8)
		}
		if at := o.find(key); at >= 0 {
			o.members[at].raw = raw[colon+1 : end]
		} else {
			if len(o.members) == maxMembers {
				return object{}, false
			}
			o.append(member{key, name, raw[colon+1 : end]})
		}
		if i = end; i < len(raw) && raw[i] == ',' {
			i++
		}
	}
	return o, true
}

func (o *object) append(m member) {
	o.members = append(o.members, m)
	switch n := len(o.members); {
	case o.index != nil:
		o.index[m.key] = n - 1
	case n > 32:
		o.reindex()
	}
}

func (o *object) reindex() {
	o.index = nil
	if len(o.members) <= 32 {
		return
	}
	o.index = make(map[string]int, 2*len(o.members))
	for i, m := range o.members {
		o.index[m.key] = i
	}
}

func (o *object) find(key string) int {
	if o.index != nil {
		if at, ok := o.index[key]; ok {
			return at
		}
		return -1
	}
	for i := range o.members {
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
	o.append(member{key, quoted(key), raw})
}

func (o *object) remove(keys ...string) {
	o.members = slices.DeleteFunc(slices.Clone(o.members), func(m member) bool { return slices.Contains(keys, m.key) })
	o.reindex()
}

// encode writes the object as compact JSON into memory of its own.
func (o *object) encode() json.RawMessage {
	n := 2
	for _, m := range o.members {
		n += len(m.name) + len(m.raw) + 2
	}
	out := append(make([]byte, 0, n), '{')
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.name...), ':'), m.raw...)
	}
	return append(out, '}')
}

func encodeList(list []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, raw := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}

// quoted encodes a string, without the escapes that only HTML needs.
func quoted(s string) json.RawMessage {
	out, _ := jsontext.AppendQuote(make([]byte, 0, len(s)+2), s) // the error is of bytes that are no UTF-8, which are replaced
	return out
}

func quotedList(list []string) json.RawMessage {
	raws := make([]json.RawMessage, len(list))
	for i, s := range list {
		raws[i] = quoted(s)
	}
	return encodeList(raws)
}

// text decodes a JSON string. ok is false when raw is something else.
func text(raw json.RawMessage) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", false
	}
	return s, true
}

// isText reports whether text would decode raw.
func isText(raw json.RawMessage) bool { return len(raw) >= 2 && raw[0] == '"' }

// loose decodes what should be a string but may be a number or a boolean; odd
// names the other type. Null, lists and objects are "".
func loose(raw json.RawMessage) (s, odd string) {
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

// truth reads a boolean the way JavaScript programs mean it.
func truth(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "false", "null", "0", `""`, `"false"`:
		return false
	}
	return true
}

// whole reads an integer, also one that is written as a string or with a
// fraction of zero.
func whole(raw json.RawMessage) (int, bool) {
	s, _ := loose(raw)
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != float64(int32(f)) {
		return 0, false
	}
	return int(f), true
}
