package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/kaptinlin/jsonrepair"

	"github.com/ghostlight-theatre/ghostlight/engine/answer"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

const (
	// maxRepair limits the bytes that are passed to the repair of broken JSON, whose time grows
	// with their square. maxDepth limits their nesting.
	maxRepair = 64 << 10
	maxDepth  = 100
	// maxValues limits the JSON values of one answer that are tried.
	maxValues = 64
	// maxCopied limits the part of a copied text that is shown to the model, in bytes.
	maxCopied = 60
)

// answerForm holds the rules for the answers to a request, and their destination.
type answerForm struct {
	wanted   *jsonschema.Schema   // the schema that was sent
	accepted *jsonschema.Schema   // the schema of accepted answers
	rules    *jsonschema.Resolved // of accepted
	texts    answer.Instruction   // that no answer may repeat
	last     bool                 // no further answer is requested: copied texts are left out
	copied   bool                 // an answer had a text of an example
	into     any
	check    func() error
}

// newForm makes the form of the answer to a request.
func newForm(req Request, schema json.RawMessage, into any, check func() error) (*answerForm, error) {
	if v := reflect.ValueOf(into); v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, errors.New("there is no place for the answer")
	}
	f := &answerForm{wanted: new(jsonschema.Schema), texts: Instruction(req.Messages), into: into, check: check}
	if err := json.Unmarshal(schema, f.wanted); err != nil {
		return nil, fmt.Errorf("schema of the answer: %w", err)
	}
	accepted := req.Form
	if accepted == nil {
		accepted = schema
	}
	f.accepted = new(jsonschema.Schema)
	err := json.Unmarshal(accepted, f.accepted)
	if err == nil {
		f.rules, err = f.accepted.Resolve(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("schema of the answer: %w", err)
	}
	return f, nil
}

// read decodes an answer. The error describes its fault.
func (f *answerForm) read(res Result) error {
	switch res.Ending {
	case EndLength:
		return errors.New("it was cut off at the length limit before the JSON was complete")
	case EndRepeat:
		return errors.New("it repeated the same text until it was cut off")
	case EndThinkingOnly:
		return errors.New("it held only thoughts and no JSON")
	}
	text := strings.TrimSpace(res.Content)
	if text == "" {
		return errors.New("it was empty")
	}
	var meant any // values after the first one are asides
	var fault error
	for v := range values(text, f.opening()) {
		err := f.accept(v)
		if err == nil {
			return nil
		}
		if fault == nil {
			meant, fault = v, err
		}
	}
	if fault == nil {
		return errors.New("there is no JSON " + f.kind() + " in it")
	}
	// The caller may accept an answer that breaks a rule: it has to get the value that the fault is
	// about.
	return f.accept(meant)
}

// kind returns the required kind of the whole answer, in words for the model.
func (f *answerForm) kind() string {
	if f.wanted.Type == "array" {
		return "array"
	}
	return "object"
}

func (f *answerForm) opening() byte {
	if f.wanted.Type == "array" {
		return '['
	}
	return '{'
}

// values iterates over the JSON values in a text that begin with open, whatever surrounds them:
// first the complete ones in their order, then those of a repaired text. A value inside another
// value is skipped, unless that is a list of one.
func values(text string, open byte) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		for n, at := 0, 0; n < maxValues; n++ {
			next := strings.IndexAny(text[at:], "{[")
			if next < 0 {
				break
			}
			at += next
			v, used := decodeAt(text[at:])
			list, _ := v.([]any)
			switch {
			case used > 0 && text[at] == open:
				if !yield(v) {
					return
				}
			case len(list) == 1 && opens(list[0], open):
				if !yield(list[0]) {
					return
				}
			// What is inside of broken JSON is not the answer.
			case used == 0 && (text[at] == open || listed(text[at+1:])):
				used = closing(text[at:])
			case used == 0: // words in brackets
				used = 1
			}
			at += used
		}
		for _, part := range broken(text, open) {
			if v, ok := repaired(part, open); ok && !yield(v) {
				return
			}
		}
	}
}

// listed reports whether the text after a bracket looks like the first element of a list.
func listed(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.IndexByte("{[\"", text[0]) >= 0
}

// opens reports whether a value is of the kind that begins with open.
func opens(v any, open byte) bool {
	switch v.(type) {
	case map[string]any:
		return open == '{'
	case []any:
		return open == '['
	}
	return false
}

// decodeAt decodes the JSON value at the beginning of a text and returns its length, 0 for none.
func decodeAt(text string) (v any, used int) {
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0
	}
	return v, int(d.InputOffset())
}

// closing returns the length of the text up to the end of the brackets that are opened at its
// beginning, ignoring brackets in quotes; the whole length if one is never closed.
func closing(text string) int {
	open, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open++
		case c == '}' || c == ']':
			if open--; open <= 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// broken returns the parts of a text that may contain broken JSON, each once: the fenced part, the
// part between brackets, and the whole text.
func broken(text string, open byte) (parts []string) {
	add := func(part string) {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if _, in, ok := strings.Cut(text, "```"); ok {
		in, _, _ = strings.Cut(in, "```")
		add(in)
	}
	if i, j := strings.IndexByte(text, open), strings.LastIndexAny(text, "}]"); i >= 0 {
		if j > i {
			add(text[i : j+1])
		}
		add(text[i:])
	}
	add(text)
	return parts
}

// repaired corrects what models do to JSON: fences, comments, missing quotes.
func repaired(text string, open byte) (any, bool) {
	if len(text) > maxRepair || depth(text) > maxDepth {
		return nil, false
	}
	fixed, err := jsonrepair.Repair(text)
	if err != nil || strings.IndexByte(strings.TrimSpace(fixed), open) != 0 {
		return nil, false
	}
	var v any
	return v, json.Unmarshal([]byte(fixed), &v) == nil
}

// depth returns the deepest possible nesting of the brackets in text.
func depth(text string) int {
	open, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[', '(':
			open++
			deepest = max(deepest, open)
		case '}', ']', ')':
			open = max(open-1, 0)
		}
	}
	return deepest
}

// Instruction returns the texts of a prompt that no answer may repeat.
func Instruction(messages []Message) answer.Instruction {
	return answer.NewInstruction(func(yield func(string) bool) {
		for _, m := range messages {
			if !yield(m.Content) {
				return
			}
		}
	})
}

// withoutExamples returns the messages of a prompt without the examples of answers, and whether they
// had any.
func withoutExamples(messages []Message) (out []Message, had bool) {
	out = slices.Clone(messages)
	for i := range out {
		out[i].Content = answer.WithoutExamples(out[i].Content)
		had = had || out[i].Content != messages[i].Content
	}
	return out, had
}

// accept decodes a value into its place, if it has the required form.
func (f *answerForm) accept(v any) error {
	v = answer.Fit(v, f.wanted)
	kept, copied := f.texts.Drop(v)
	f.copied = f.copied || f.texts.CopiesExample(v)
	v = kept
	if copied != "" && !f.last {
		return fmt.Errorf("“%s” is copied from the instruction", text.Shorten(copied, maxCopied))
	}
	if f.rules.Validate(v) != nil {
		return errors.New(answer.FaultText(v, f.accepted, f.wanted))
	}
	b, err := json.Marshal(v)
	if err == nil {
		reflect.ValueOf(f.into).Elem().SetZero()
		err = json.Unmarshal(b, f.into)
	}
	if err != nil { // the wanted schema is the narrower one
		return errors.New(answer.FaultText(v, f.wanted, f.wanted))
	}
	if f.check == nil {
		return nil
	}
	return f.check()
}
