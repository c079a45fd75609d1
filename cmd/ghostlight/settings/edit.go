package settings

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// put returns the text of a config file with one value set to a TOML literal. Everything else is
// kept byte for byte, except that comments inside the old value move above it.
func put(text []byte, path []string, literal string) ([]byte, error) {
	return edited(text, path, literal, func(l layout) []byte {
		if e := l.find(path); e != nil {
			return replaced(text, *e, literal)
		}
		return l.inserted(text, path, literal)
	})
}

// removed returns the text of a config file without one value. The comments of its line
// stay.
func removed(text []byte, path []string) ([]byte, error) {
	return edited(text, path, "", func(l layout) []byte {
		e := l.find(path)
		if e == nil {
			return text
		}
		if e.within >= 0 {
			return l.pulled(text, *e)
		}
		to := e.end
		for to < len(text) && (text[to] == ' ' || text[to] == '\t') {
			to++
		}
		if to < len(text) && text[to] == '#' {
			return splice(text, e.start, to, e.above(text))
		}
		kept := e.indent(text) + e.above(text)
		return splice(text, e.start-len(e.indent(text)), lineEnd(text, to), kept[:len(kept)-len(e.indent(text))])
	})
}

// edited changes a text, and makes sure that no other value has become another one.
func edited(text []byte, path []string, literal string, change func(layout) []byte) ([]byte, error) {
	was, err := values(text)
	if err != nil {
		return nil, err
	}
	l, err := scan(text)
	if err != nil {
		return nil, err
	}
	out := change(l)
	now, err := values(out)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be changed here; edit the config file", strings.Join(path, "."))
	}
	at := was
	for _, name := range path[:len(path)-1] {
		below, ok := at[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			at[name] = below
		}
		at = below
	}
	delete(at, path[len(path)-1])
	if literal != "" {
		v, err := values([]byte("v = " + literal))
		if err != nil {
			return nil, err
		}
		at[path[len(path)-1]] = v["v"]
	}
	if dense(was); !same(was, dense(now)) {
		return nil, fmt.Errorf("%s cannot be changed here; edit the config file", strings.Join(path, "."))
	}
	return out, nil
}

// values returns all values of a config file, known or not.
func values(text []byte) (map[string]any, error) {
	out := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &out)
	return out, err
}

// dense takes tables without values away.
func dense(m map[string]any) map[string]any {
	for k, v := range m {
		if below, ok := v.(map[string]any); ok && len(dense(below)) == 0 {
			delete(m, k)
		}
	}
	return m
}

// same reports whether values are the same, those that are no number among them.
func same(a, b map[string]any) bool {
	return reflect.DeepEqual(a, b) || fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}

// find returns the entry of a path, nil if there is none.
func (l layout) find(path []string) *entry {
	for i, e := range l.entries {
		if slices.Equal(e.path, path) && !l.listed(e) {
			return &l.entries[i]
		}
	}
	return nil
}

// listed reports whether an entry is in a list of tables.
func (l layout) listed(e entry) bool {
	for _, h := range l.headers {
		if h.list && len(h.path) <= len(e.table) && slices.Equal(h.path, e.table[:len(h.path)]) {
			return true
		}
	}
	return false
}

func splice(text []byte, from, to int, by string) []byte {
	return slices.Concat(text[:from], []byte(by), text[to:])
}

// newline returns how the lines of a text end.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indent returns the text before the entry on its line.
func (e entry) indent(text []byte) string {
	from := bytes.LastIndexByte(text[:e.start], '\n') + 1
	return string(bytes.TrimPrefix(text[from:e.start], []byte("\ufeff")))
}

// above returns the comments inside the value of an entry, as lines above it.
func (e entry) above(text []byte) (lines string) {
	for _, c := range e.comments {
		lines += c + newline(text) + e.indent(text)
	}
	return lines
}

func replaced(text []byte, e entry, literal string) []byte {
	out := splice(text, e.value, e.end, literal)
	if e.within >= 0 {
		return out
	}
	return splice(out, e.start, e.start, e.above(text))
}

// pulled takes an entry out of its inline table.
func (l layout) pulled(text []byte, e entry) []byte {
	var before, after *entry
	for i, o := range l.entries {
		switch {
		case o.within != e.within || o.start == e.start:
		case o.start < e.start:
			before = &l.entries[i]
		case after == nil:
			after = &l.entries[i]
		}
	}
	switch {
	case after != nil:
		return splice(text, e.start, after.start, "")
	case before != nil:
		return splice(text, before.end, e.end, "")
	}
	return splice(text, e.start, e.end, "")
}

// inserted returns the text with a value that it does not have yet: in the table that it
// belongs to, wherever and however that is written, else in one at the end.
func (l layout) inserted(text []byte, path []string, literal string) []byte {
	if out, ok := l.insertedInline(text, path, literal); ok {
		return out
	}
	// Dotted keys make tables that no header may name again.
	for k := len(path) - 1; k > 0; k-- {
		for i := len(l.entries) - 1; i >= 0; i-- {
			e := l.entries[i]
			if e.within < 0 && len(e.table) < k && len(e.path) > k && slices.Equal(e.path[:k], path[:k]) &&
				!l.listed(e) {
				return below(text, e.end, e.indent(text), path[len(e.table):], literal)
			}
		}
	}
	for _, h := range l.headers {
		if h.list || !slices.Equal(h.path, path[:len(path)-1]) {
			continue
		}
		at, indent := h.end-1, ""
		for _, e := range l.entries {
			if e.within < 0 && e.start >= h.end && slices.Equal(e.table, h.path) {
				at, indent = e.end, e.indent(text)
			}
		}
		return below(text, max(0, at), indent, path[len(path)-1:], literal)
	}
	nl, out := newline(text), string(text)
	if out != "" && out != "\ufeff" {
		if !strings.HasSuffix(out, "\n") {
			out += nl
		}
		out += nl
	}
	return []byte(out + "[" + written(path[:len(path)-1]) + "]" + nl + written(path[len(path)-1:]) +
		" = " + literal + nl)
}

// insertedInline puts a value into the inline table that it belongs to, if there is one.
func (l layout) insertedInline(text []byte, path []string, literal string) ([]byte, bool) {
	for k := len(path) - 1; k > 0; k-- {
		e := l.find(path[:k])
		if e == nil || text[e.value] != '{' {
			continue
		}
		at := slices.IndexFunc(l.entries, func(o entry) bool { return o.start == e.start })
		line, last := written(path[k:])+" = "+literal, e.value
		for _, o := range l.entries {
			if o.within == at {
				last = o.end
			}
		}
		if last != e.value {
			return splice(text, last, last, ", "+line), true
		}
		return splice(text, e.value, e.end, "{ "+line+" }"), true
	}
	return nil, false
}

// below returns the text with a line more, below the one at a place.
func below(text []byte, at int, indent string, key []string, literal string) []byte {
	end, nl := lineEnd(text, at), newline(text)
	line := indent + written(key) + " = " + literal + nl
	if end == len(text) && !bytes.HasSuffix(text, []byte("\n")) {
		line = nl + strings.TrimSuffix(line, nl)
	}
	return splice(text, end, end, line)
}

// written returns a key in the syntax of a config file.
func written(path []string) string {
	var parts []string
	for _, p := range path {
		if p == "" || strings.ContainsFunc(p, func(r rune) bool { return r > 127 || !bare(byte(r)) }) {
			p = quoted(p)
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ".")
}

// quoted returns a text in the syntax of a config file.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 127:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// literal converts a text from the user to a value of a kind, in the syntax of a config file.
func literal(name, kind, text string) (string, error) {
	switch text = strings.TrimSpace(text); kind {
	case KindSwitch:
		if on, ok := map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false,
			"off": false}[strings.ToLower(text)]; ok {
			return strconv.FormatBool(on), nil
		}
		return "", refuse(name, "must be true or false, not %q", text)
	case KindInteger:
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", refuse(name, "must be a whole number, not %q", text)
		}
		return strconv.Itoa(n), nil
	case KindNumber:
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
		if err != nil {
			return "", refuse(name, "must be a number such as 0.8, not %q", text)
		}
		return strings.ReplaceAll(strconv.FormatFloat(v, 'g', -1, 64), "+Inf", "inf"), nil
	case KindList:
		return listLiteral(text)
	}
	return quoted(text), nil
}

// listLiteral returns a list of texts that was written as in a config file, or with commas.
func listLiteral(text string) (string, error) {
	var v struct{ V []string }
	if strings.HasPrefix(text, "[") {
		if err := toml.Unmarshal([]byte("V = "+text), &v); err != nil {
			return "", fmt.Errorf("a list is written as one, two or [\"one\", \"two\"]")
		}
	} else {
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				v.V = append(v.V, part)
			}
		}
	}
	parts := make([]string, len(v.V))
	for i, p := range v.V {
		parts[i] = quoted(p)
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}
