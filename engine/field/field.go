// Package field describes the fields of a record once: for forms, for --set and --from of
// commands, for tables, for comparing two versions, and for validation.
package field

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a field's value.
type Kind int

// The kinds of fields.
const (
	Line    Kind = iota // a text of one line
	Text                // a text of several lines
	List                // texts
	Integer             // a whole number
	Number              // a number
	Switch              // on or off
	Enum                // one of the field's choices
)

// Choice is a value that a field can have.
type Choice struct {
	Value string // in JSON and for --set
	Label string // on the screen, "" for Value
}

// Choices returns choices for values that need no other words.
func Choices[S ~string](values ...S) []Choice {
	list := make([]Choice, len(values))
	for i, v := range values {
		list[i].Value = string(v)
	}
	return list
}

// Spec describes a field of the record T.
type Spec[T any] struct {
	Name string // for --set, and in JSON
	Path string // in the record's JSON if that is not Name, such as "card.description"
	Flag string // of its own in commands, "" for none

	Group string // the heading in a form; fields without one come first and are never folded
	Label string // in a form, "" for a field that forms do not show
	Help  string // a sentence or a few words, for forms and for the help of commands
	Hint  string // shown in a form's line while it is empty

	// At returns a pointer to the value in a record: to a string, number, bool, list of strings or
	// of a string type, to a type based on these, to a pointer to one, which is nil while unset, or
	// to an encoding.TextMarshaler and TextUnmarshaler. For a value that is computed from others it
	// returns a Value or a ListValue.
	At func(v *T) any

	Choices     []Choice
	AllowsOther bool    // other values than the choices are allowed
	Rows        int     // of the text in a form; more than 1, or Multiline, makes a Line a Text
	Multiline   bool    // the text may have several lines
	Min, Max    float64 // limits of a number if they differ, of a text's length in bytes if Max is set
	Runes       int     // at most this number of characters, 0 for any number
	Required    bool    // must not be blank
	ZeroIsEmpty bool    // the number 0 is written as an empty text: it means none, or a default
	Inverted    bool    // a switch that is stored as its opposite
	// Split splits the text of a list, and Join is its inverse; nil means SplitList and JoinList. A
	// form has an item on each line, or uses these functions.
	Split func(text string) []string
	Join  func(items []string) string
	// Check returns the fault of a value that has the right kind, nil if there is none. Check
	// itself may be nil. The text reads "must be …" after the field's name.
	Check func(v *T) error
}

// Value is a value that is computed from others.
type Value interface {
	Text() string
	Set(text string) error
}

// Computed is a Value made of two functions.
type Computed struct {
	Get func() string
	Put func(text string) error
}

// Text implements Value.
func (c Computed) Text() string { return c.Get() }

// Set implements Value.
func (c Computed) Set(text string) error { return c.Put(text) }

// Error is a fault of a field.
type Error struct {
	Name   string // of the field
	Reason string // such as "must be a whole number, not \"x\""
}

func (e *Error) Error() string { return e.Name + " " + e.Reason }

func (s *Spec[T]) wrong(format string, args ...any) error {
	return &Error{s.Name, fmt.Sprintf(format, args...)}
}

// Kind returns the kind of the field, by the type of its value.
func (s *Spec[T]) Kind() Kind {
	at := s.At(new(T))
	if _, ok := s.list(new(T)); ok {
		return List
	}
	if _, ok := at.(Value); ok || len(s.Choices) > 0 {
		if len(s.Choices) > 0 {
			return Enum
		}
		return s.text()
	}
	switch target(at).Kind() {
	case reflect.Bool:
		return Switch
	case reflect.Float64:
		return Number
	case reflect.Int, reflect.Int64:
		return Integer
	}
	return s.text()
}

func (s *Spec[T]) text() Kind {
	if s.Multiline || s.Rows > 1 {
		return Text
	}
	return Line
}

// Optional reports whether the field can be unset, a state different from all of its values.
func (s *Spec[T]) Optional() bool {
	t := reflect.TypeOf(s.At(new(T)))
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Pointer
}

// target returns the type that a pointer points to, through a second pointer too.
func target(at any) reflect.Type {
	t := reflect.TypeOf(at)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Get returns the value of the field in the form of --set, "" for one that is unset.
func (s *Spec[T]) Get(v *T) string {
	at := s.At(v)
	if at, ok := at.(Value); ok {
		return at.Text()
	}
	if list, ok := s.list(v); ok {
		if s.Join != nil {
			return s.Join(list.Get())
		}
		return JoinList(list.Get())
	}
	is := reflect.ValueOf(at).Elem()
	if is.Kind() == reflect.Pointer {
		if is.IsNil() {
			return ""
		}
		is = is.Elem()
	}
	if m, ok := is.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			return ""
		}
		return string(text)
	}
	switch is.Kind() {
	case reflect.String:
		return is.String()
	case reflect.Bool:
		return strconv.FormatBool(is.Bool() != s.Inverted)
	case reflect.Float64:
		if s.ZeroIsEmpty && is.Float() == 0 {
			return ""
		}
		return strconv.FormatFloat(is.Float(), 'g', -1, 64)
	}
	if s.ZeroIsEmpty && is.IsZero() {
		return ""
	}
	return fmt.Sprint(is.Interface())
}

// Display returns the value of the field for display.
func (s *Spec[T]) Display(v *T) string {
	text := s.Get(v)
	for _, c := range s.Choices {
		if c.Value == text && c.Label != "" {
			return c.Label
		}
	}
	if s.Kind() == Switch && text != "" {
		return map[bool]string{true: "yes", false: "no"}[text == "true"]
	}
	return text
}

// Set parses text and gives the field its value, or returns an *Error and leaves the field
// unchanged.
func (s *Spec[T]) Set(v *T, text string) error {
	was := *v
	err := s.set(v, text)
	if err != nil {
		*v = was
	}
	return err
}

func (s *Spec[T]) set(v *T, text string) error {
	if list, ok := s.list(v); ok {
		split := SplitList
		if s.Split != nil {
			split = s.Split
		}
		list.Put(split(text))
		return s.checked(v)
	}
	at, text := s.At(v), s.value(text)
	if at, ok := at.(Value); ok {
		if !s.allowed(text) {
			return s.notAllowed(text)
		}
		if err := at.Set(text); err != nil {
			return s.wrong("must be %v", err)
		}
		return s.checked(v)
	}
	if err := s.put(reflect.ValueOf(at).Elem(), text); err != nil {
		return err
	}
	return s.checked(v)
}

// value returns the value that a text means: a choice may be given by its words, in any case.
func (s *Spec[T]) value(text string) string {
	for _, c := range s.Choices {
		if strings.EqualFold(text, c.Value) || c.Label != "" && strings.EqualFold(text, c.Label) {
			return c.Value
		}
	}
	return text
}

func (s *Spec[T]) allowed(text string) bool {
	return s.AllowsOther || len(s.Choices) == 0 ||
		slices.ContainsFunc(s.Choices, func(c Choice) bool { return c.Value == text })
}

func (s *Spec[T]) notAllowed(text string) error {
	var names []string
	for _, c := range s.Choices {
		if name := cmp.Or(c.Value, c.Label); name != "" {
			names = append(names, name)
		}
	}
	words := "one of " + strings.Join(names, ", ")
	if slices.Contains(s.Choices, Choice{}) {
		words += ", or empty"
	}
	return s.wrong("must be %s, not %s", words, quote(text))
}

// put parses text into a value.
func (s *Spec[T]) put(is reflect.Value, text string) error {
	if is.Kind() == reflect.Pointer {
		if t := strings.TrimSpace(text); t == "" || t == "default" || t == "none" {
			is.SetZero()
			return nil
		}
		fresh := reflect.New(is.Type().Elem())
		if err := s.put(fresh.Elem(), text); err != nil {
			return err
		}
		is.Set(fresh)
		return nil
	}
	if u, ok := is.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return s.putText(u, text)
	}
	if !s.allowed(text) {
		return s.notAllowed(text)
	}
	return s.putBasic(is, text)
}

// putText parses a text by the value's own unmarshaler, which may accept other texts than the
// choices, such as numbers.
func (s *Spec[T]) putText(u encoding.TextUnmarshaler, text string) error {
	err := u.UnmarshalText([]byte(text))
	word := text
	if m, ok := u.(encoding.TextMarshaler); ok && err == nil {
		if made, err := m.MarshalText(); err == nil {
			word = string(made)
		}
	}
	switch {
	case !s.allowed(word):
		return s.notAllowed(text)
	case err != nil:
		return s.wrong("must be %v", err)
	}
	return nil
}

func (s *Spec[T]) putBasic(is reflect.Value, text string) error {
	switch is.Kind() {
	case reflect.String:
		if s.text() == Line {
			text = strings.TrimSpace(text)
		}
		is.SetString(text)
		return nil
	case reflect.Bool:
		on, ok := switchWords[strings.ToLower(strings.TrimSpace(text))]
		if !ok {
			return s.wrong("must be true or false, not %s", quote(text))
		}
		is.SetBool(on != s.Inverted)
		return nil
	case reflect.Float64:
		t := strings.TrimSpace(strings.TrimSuffix(s.number(text), "%"))
		n, err := strconv.ParseFloat(strings.ReplaceAll(t, ",", "."), 64)
		if err != nil || !s.within(n) {
			return s.wrong("must be %s, not %s", s.numberWords(), quote(text))
		}
		is.SetFloat(n)
		return nil
	}
	n, err := strconv.ParseInt(s.number(text), 10, 64)
	if err != nil || !s.within(float64(n)) || is.OverflowInt(n) {
		return s.wrong("must be %s, not %s", s.numberWords(), quote(text))
	}
	is.SetInt(n)
	return nil
}

// number returns the text of a number, without spaces.
func (s *Spec[T]) number(text string) string {
	if text = strings.TrimSpace(text); text == "" && s.ZeroIsEmpty {
		return "0"
	}
	return text
}

// switchWords are the accepted texts of a switch.
var switchWords = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

func (s *Spec[T]) within(n float64) bool {
	return s.Min == s.Max && !math.IsNaN(n) || n >= s.Min && n <= s.Max || s.ZeroIsEmpty && n == 0
}

func (s *Spec[T]) numberWords() string {
	words := "a number"
	if s.Kind() == Integer {
		words = "a whole number"
	}
	if s.Min != s.Max {
		words = fmt.Sprintf("%s from %s to %s", words, short(s.Min), short(s.Max))
	}
	if s.Optional() || s.ZeroIsEmpty {
		words += ", or empty"
	}
	return words
}

func short(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Valid returns the fault of the field in a record, as an *Error.
func (s *Spec[T]) Valid(v *T) error {
	text := s.Get(v)
	is := reflect.ValueOf(s.At(v))
	unset := is.Kind() == reflect.Pointer && is.Elem().Kind() == reflect.Pointer && is.Elem().IsNil()
	switch kind := s.Kind(); {
	case unset:
		return nil
	case kind == Enum && !s.allowed(text):
		return s.notAllowed(text)
	case kind == Integer || kind == Number:
		if n, err := strconv.ParseFloat(s.number(text), 64); err != nil || !s.within(n) {
			return s.wrong("must be %s, not %s", s.numberWords(), quote(text))
		}
	}
	return s.checked(v)
}

// checked checks the rules that the field's kind does not cover.
func (s *Spec[T]) checked(v *T) error {
	switch kind := s.Kind(); {
	case s.Required && strings.TrimSpace(s.Get(v)) == "":
		return s.wrong("must not be empty")
	case s.Max > 0 && (kind == Line || kind == Text) && float64(len(s.Get(v))) > s.Max:
		return s.wrong("must have at most %s bytes, not %d", short(s.Max), len(s.Get(v)))
	case s.Runes > 0 && utf8.RuneCountInString(s.Get(v)) > s.Runes:
		return s.wrong("must have at most %d characters, not %d", s.Runes, utf8.RuneCountInString(s.Get(v)))
	}
	for _, item := range s.Items(v) {
		if !s.allowed(item) {
			return s.notAllowed(item)
		}
	}
	if s.Check == nil {
		return nil
	}
	if err := s.Check(v); err != nil {
		return s.wrong("must be %v", err)
	}
	return nil
}

// quote returns a text for an error message: its beginning, in quotes.
func quote(text string) string { return strconv.Quote(beginning(text)) }

// beginning returns the part of a text that an error message shows.
func beginning(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return text
}
