package demo

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of an answer.
const (
	maxValues = 20_000
	maxAnswer = 1 << 20
	maxDepth  = 24
)

// structured answers a request with a schema: the scripted answer, cut to the schema, or else the
// smallest value that the schema allows, with texts from sentences of the last message. The same
// request gets the same answer.
func structured(format json.RawMessage, messages []storage.Node, scripted Scripted) (string, error) {
	root, err := readSchema(format)
	if err != nil {
		return "", err
	}
	var want any
	if scripted != nil {
		if answer, ok := scripted(root.job(), messages); ok {
			if err := json.Unmarshal(answer, &want); err != nil {
				return "", err
			}
		}
	}
	w := &answerWriter{sentences: lastSentences(messages)}
	if err := w.value(root, want, 0); err != nil {
		return "", err
	}
	return w.out.String(), nil
}

// answerWriter writes a value that satisfies a schema.
type answerWriter struct {
	sentences []string // at least one
	next      int      // sentence to be used next
	out       strings.Builder
	values    int // written so far
}

// value writes want in the form that s allows: properties in the schema's order; texts, numbers and
// lists cut to their bounds. If want is nil, it uses the default of s. If that is missing or has
// another form, it writes the smallest value.
func (w *answerWriter) value(s *schema, want any, depth int) error {
	if w.values++; depth > maxDepth || w.values > maxValues || w.out.Len() > maxAnswer {
		return errSchema // it never ends
	}
	if want == nil {
		want = s.Default
	}
	switch choices := slices.Concat(s.AnyOf, s.OneOf); {
	case s.Const != nil:
		w.out.Write(s.Const)
		return nil
	case len(s.Enum) > 0:
		w.out.Write(oneOf(s.Enum, want))
		return nil
	case len(choices) > 0:
		return w.value(choice(choices, want), want, depth+1)
	}
	switch kind := s.kind(); kind {
	case "object":
		return w.object(s, want, depth)
	case "array":
		return w.array(s, want, depth)
	case "integer", "number":
		w.out.WriteString(strconv.FormatFloat(number(s, want, kind == "integer"), 'f', -1, 64))
	case "boolean":
		b, _ := want.(bool)
		w.out.WriteString(strconv.FormatBool(b))
	case "null":
		w.out.WriteString("null")
	default:
		w.out.Write(quote(w.text(s, want)))
	}
	return nil
}

// choice picks the alternative that want fits in with all its members, else one of its type, else the
// first one.
func choice(choices []*schema, want any) *schema {
	if i := slices.IndexFunc(choices, func(c *schema) bool { return c.allows(want) }); i >= 0 {
		return choices[i]
	}
	return choices[max(0, slices.IndexFunc(choices, func(c *schema) bool { return fits(c.kind(), want) }))]
}

// allows reports whether s allows a decoded JSON value as far as the names of members and enum
// values decide it.
func (s *schema) allows(v any) bool {
	if len(s.Enum) > 0 {
		one, err := json.Marshal(v)
		return err == nil && slices.ContainsFunc(s.Enum, func(e json.RawMessage) bool { return bytes.Equal(e, one) })
	}
	if !fits(s.kind(), v) {
		return false
	}
	members, _ := v.(map[string]any)
	for name, in := range members {
		if i := slices.IndexFunc(s.Properties, func(p property) bool { return p.name == name }); i < 0 ||
			!s.Properties[i].allows(in) {
			return false
		}
	}
	return true
}

// fits reports whether a decoded JSON value has the type kind of a schema.
func fits(kind string, v any) bool {
	switch v.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case float64:
		return kind == "integer" || kind == "number"
	case bool:
		return kind == "boolean"
	}
	return false
}

func (s *schema) kind() string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	switch {
	case len(s.Types) > 0:
		return "null"
	case len(s.Properties) > 0 || len(s.Required) > 0:
		return "object"
	case s.Items != nil || s.MinItems > 0:
		return "array"
	case s.Minimum != nil || s.Maximum != nil:
		return "number"
	}
	return "string"
}

// oneOf returns the allowed value that is wanted, else one that says that nothing has
// happened, else the first.
func oneOf(allowed []json.RawMessage, want any) json.RawMessage {
	wanted, err := json.Marshal(want)
	for _, v := range allowed {
		if err == nil && want != nil && strings.EqualFold(string(v), string(wanted)) {
			return v
		}
	}
	for _, v := range allowed {
		switch strings.Trim(string(v), `"`) {
		case "none", "neither", "new", "going":
			return v
		}
	}
	return allowed[0]
}

// object writes the properties that are wanted or required.
func (w *answerWriter) object(s *schema, want any, depth int) error {
	wanted, _ := want.(map[string]any)
	w.out.WriteByte('{')
	n := 0
	key := func(name string) {
		if n > 0 {
			w.out.WriteString(", ")
		}
		n++
		w.out.Write(quote(name))
		w.out.WriteString(": ")
	}
	for _, p := range s.Properties {
		if wanted[p.name] == nil && !slices.Contains(s.Required, p.name) {
			continue
		}
		key(p.name)
		if err := w.value(p.schema, wanted[p.name], depth+1); err != nil {
			return err
		}
	}
	for i, name := range s.Required {
		if !slices.Contains(s.Required[:i], name) && s.property(name) == nil {
			key(name)
			w.out.WriteString("true")
		}
	}
	w.out.WriteByte('}')
	return nil
}

// array writes the items that are wanted, as many as there is room for, and the fewest
// that the schema takes.
func (w *answerWriter) array(s *schema, want any, depth int) error {
	wanted, isList := want.([]any)
	if want != nil && !isList {
		wanted = []any{want}
	}
	count := max(len(wanted), s.MinItems)
	if s.MaxItems != nil {
		count = min(count, max(*s.MaxItems, s.MinItems))
	}
	item := s.Items
	if item == nil {
		item = &schema{}
	}
	w.out.WriteByte('[')
	for i := range count {
		if i > 0 {
			w.out.WriteString(", ")
		}
		v := any(nil)
		if i < len(wanted) {
			v = wanted[i]
		}
		if err := w.value(item, v, depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

// number returns the wanted number, else 0, within the schema's bounds.
func number(s *schema, want any, whole bool) float64 {
	v, _ := want.(float64)
	if s.Minimum != nil {
		v = max(v, *s.Minimum)
	}
	if s.Maximum != nil {
		v = min(v, *s.Maximum)
	}
	if whole {
		v = math.Ceil(v)
	}
	return v
}

func quote(s string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return []byte(`""`)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// text writes the wanted text, else the sentences that are needed, within the schema's
// lengths.
func (w *answerWriter) text(s *schema, want any) string {
	most := math.MaxInt
	if s.MaxLength != nil {
		most = max(*s.MaxLength, s.MinLength)
	}
	text, _ := want.(string)
	for text == "" && s.MinLength > 0 || utf8.RuneCountInString(text) < s.MinLength {
		text = strings.TrimSpace(text + " " + w.sentence(most))
	}
	return clip(text, s.MinLength, most)
}

// sentence returns the next sentence, or a later one that is not longer than most.
func (w *answerWriter) sentence(most int) string {
	for range w.sentences {
		s := w.sentences[w.next%len(w.sentences)]
		w.next++
		if utf8.RuneCountInString(s) <= most {
			return s
		}
	}
	w.next++
	return w.sentences[w.next%len(w.sentences)]
}

// clip cuts text to most runes, between two words if at least least remain.
func clip(text string, least, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if at := strings.LastIndexByte(cut, ' '); at > 0 && utf8.RuneCountInString(cut[:at]) >= max(least, 1) {
		return cut[:at]
	}
	return cut
}

// lastSentences returns whole sentences of the last message of a story, at least one. The last
// message of a request contains the question; the story is before it, or in the last block between
// tags of that message.
func lastSentences(messages []storage.Node) []string {
	text := ""
	for _, m := range slices.Backward(messages) {
		if m.Role == storage.System || strings.TrimSpace(m.Content) == "" {
			continue
		}
		if block, ok := lastBlock(m.Content); ok {
			text = block
			break
		}
		if text != "" {
			text = m.Content
			break
		}
		text = m.Content
	}
	out := sentences(text)
	if len(out) == 0 {
		out = []string{"The lamp burns on the empty stage.", "Nobody has spoken yet."}
	}
	return out
}

// lastBlock returns the text of the last pair of tags on lines of their own.
func lastBlock(text string) (string, bool) {
	lines := strings.Split(text, "\n")
	for end := len(lines) - 1; end > 0; end-- {
		name, ok := strings.CutPrefix(lines[end], "</")
		if !ok || !strings.HasSuffix(name, ">") {
			continue
		}
		if start := slices.Index(lines[:end], "<"+name); start >= 0 {
			return strings.Join(lines[start+1:end], "\n"), true
		}
	}
	return "", false
}

// sentences splits text into its sentences, without the marks of speech and action and without a
// text in brackets at the beginning of a line.
func sentences(text string) []string {
	unmarked := strings.NewReplacer("*", "", "\"", "", "“", "", "”", "", "`", "", "_", "")
	var out []string
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(line, "[") {
			line = rest
		}
		line = strings.TrimSpace(unmarked.Replace(line))
		start := 0
		for i, r := range line {
			end := i + utf8.RuneLen(r)
			if !strings.ContainsRune(".!?…", r) || end < len(line) && line[end] != ' ' {
				continue
			}
			if s := strings.TrimSpace(line[start:end]); strings.Contains(s, " ") {
				out = append(out, s)
			}
			start = end
		}
	}
	return out
}
