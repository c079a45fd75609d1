package prompts

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// variable handles the macros of local and global variables.
func (x *expander) variable(name string, args []string) bool {
	verb, global := variableVerb(name)
	if verb == "" || first(args) == "" {
		return false
	}
	key, value := args[0], strings.Join(args[1:], "::")
	vars := x.env.Vars
	switch verb {
	case "set":
		vars.set(global, key, value)
	case "add":
		vars.add(global, key, value, false)
	case "inc":
		x.write(vars.add(global, key, "1", true))
	case "dec":
		x.write(vars.add(global, key, "-1", true))
	case "get":
		x.write(vars.get(global, key))
	case "has":
		x.write(strconv.FormatBool(vars.has(global, key)))
	case "delete":
		delete(vars.scope(global), key)
	}
	return true
}

// verbs are the actions of the macros of variables, by their names.
var verbs = func() map[string]string {
	m := map[string]string{"varexists": "has", "globalvarexists": "has", "flushvar": "delete",
		"flushglobalvar": "delete"}
	for _, verb := range strings.Fields("set add inc dec get has delete") {
		m[verb+"var"], m[verb+"globalvar"] = verb, verb
	}
	return m
}()

func variableVerb(name string) (verb string, global bool) {
	verb = verbs[name]
	return verb, verb != "" && strings.Contains(name, "global")
}

// settingVerb reports whether a macro takes a value for a variable.
func settingVerb(name string) (verb string, sets bool) {
	verb = verbs[name]
	return verb, verb == "set" || verb == "add"
}

// shorthand expands {{.x}}, {{$x}} and their operators. It expands a value only if it is used.
func (x *expander) shorthand(n *node) {
	v, vars := n.short, x.env.Vars
	value := func() string {
		if len(n.argv) == 0 {
			return ""
		}
		return trimText(x.inner(n.argv[0].nodes, 0, len(n.argv[0].nodes)))
	}
	held := vars.get(v.global, v.key)
	switch v.op {
	case "":
		x.write(held)
	case "=":
		vars.set(v.global, v.key, value())
	case "+=":
		vars.add(v.global, v.key, value(), false)
	case "-=":
		if f, ok := toNumber(value()); ok {
			vars.add(v.global, v.key, formatNumber(-f), true)
		}
	case "++":
		x.write(vars.add(v.global, v.key, "1", true))
	case "--":
		x.write(vars.add(v.global, v.key, "-1", true))
	case "||", "??", "||=", "??=":
		if v.op[0] == '?' && vars.has(v.global, v.key) || v.op[0] == '|' && !isFalse(held) {
			x.write(held)
			return
		}
		s := value()
		if len(v.op) == 3 {
			vars.set(v.global, v.key, s)
		}
		x.write(s)
	default:
		x.write(strconv.FormatBool(compare(v.op, held, value())))
	}
}

// compare compares texts for == and !=, and numbers for the other operators.
func compare(op, a, b string) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	}
	m, okM := toNumber(a)
	n, okN := toNumber(b)
	if !okM || !okN {
		return false
	}
	switch op {
	case ">":
		return m > n
	case ">=":
		return m >= n
	case "<":
		return m < n
	}
	return m <= n
}

// isFalse reports whether a value counts as false.
func isFalse(s string) bool {
	if s == "" {
		return true
	}
	switch strings.ToLower(trimText(s)) {
	case "false", "off", "0":
		return true
	}
	return false
}

func (v *Vars) has(global bool, name string) bool {
	_, has := v.scope(global)[name]
	return has
}

// get returns a variable's value. A value that reads as a number is normalized: "007" is 7.
func (v *Vars) get(global bool, name string) string {
	held := v.scope(global)[name]
	if trimText(held) == "" || len(held) > maxDigits {
		return held // longer numbers would lose digits
	}
	if f, ok := toNumber(held); ok {
		return formatNumber(f)
	}
	return held
}

// add adds to a variable and returns its new value: it adds numbers, appends to a JSON list, and
// otherwise appends text.
func (v *Vars) add(global bool, name, value string, number bool) string {
	held := v.get(global, name)
	if grown, ok := push(held, value, number); ok {
		v.set(global, name, grown)
		return v.get(global, name)
	}
	m, okM := toNumber(held)
	n, okN := toNumber(value)
	switch {
	case okM && okN:
		v.set(global, name, formatNumber(m+n))
	case okM && m == 0:
		v.set(global, name, value)
	default:
		v.set(global, name, held+value)
	}
	return v.get(global, name)
}

// push appends a value to a JSON list.
func push(list, value string, number bool) (grown string, ok bool) {
	var items []json.RawMessage
	if !strings.HasPrefix(trimText(list), "[") || json.Unmarshal([]byte(list), &items) != nil {
		return "", false
	}
	item := []byte(value)
	if !number {
		item = encode(value)
	}
	return string(encode(append(items, item))), true
}

// encode writes JSON without the escapes for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// maxDigits limits the length of a text that is read as a number.
const maxDigits = 15

var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`)
})

// toNumber parses a number as JavaScript does: an empty text is 0.
func toNumber(s string) (float64, bool) {
	s = trimText(s)
	if s == "" {
		return 0, true
	}
	if len(s) > 3*maxDigits {
		return 0, false
	}
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xXoObB", s[1]) >= 0 {
		n, err := strconv.ParseUint(s, 0, 53)
		return float64(n), err == nil && !strings.Contains(s, "_")
	}
	if !decimal().MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// formatNumber formats a number as JavaScript does.
func formatNumber(f float64) string {
	if size := math.Abs(f); f == 0 {
		return "0"
	} else if size < 1e21 && size >= 1e-6 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

func trimText(s string) string { return strings.TrimFunc(s, isSpace) }
