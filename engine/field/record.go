package field

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// Record describes a kind of record by its fields, in the order of forms and tables.
type Record[T any] struct {
	Noun   string // such as "an episode"
	Fields []Spec[T]
	New    func() T // a record with the defaults, nil where they are the zero value
}

// Default returns a record whose fields have their defaults.
func (r *Record[T]) Default() T {
	if r.New == nil {
		return *new(T)
	}
	return r.New()
}

// Find returns the field with a name, which may have dashes, or with a flag; nil if there is none.
func (r *Record[T]) Find(name string) *Spec[T] {
	for i, s := range r.Fields {
		if s.Name == strings.ReplaceAll(name, "-", "_") || s.Name == name || s.Flag != "" && s.Flag == name {
			return &r.Fields[i]
		}
	}
	return nil
}

// Names returns the names of the fields, in their order.
func (r *Record[T]) Names() []string {
	var names []string
	for _, s := range r.Fields {
		names = append(names, s.Name)
	}
	return names
}

// With returns the record with other choices for a field, for choices that are known only at run
// time.
func (r *Record[T]) With(name string, choices []Choice) *Record[T] {
	out := *r
	out.Fields = slices.Clone(r.Fields)
	out.Find(name).Choices = choices
	return &out
}

// Without returns the record without the fields of some names.
func (r *Record[T]) Without(names ...string) *Record[T] {
	out := *r
	out.Fields = slices.Clone(r.Fields)
	out.Fields = slices.DeleteFunc(out.Fields, func(s Spec[T]) bool { return slices.Contains(names, s.Name) })
	return &out
}

// Set parses text and sets the field with this name.
func (r *Record[T]) Set(v *T, name, text string) error {
	s := r.Find(name)
	if s == nil {
		return r.unknown(name)
	}
	return s.Set(v, text)
}

func (r *Record[T]) unknown(name string) error {
	return &Error{r.Noun, fmt.Sprintf("has no field %s; the fields are %s", quote(name), strings.Join(r.Names(), ", "))}
}

// Valid returns the fault of the first invalid field of a record, as an *Error.
func (r *Record[T]) Valid(v *T) error {
	for i := range r.Fields {
		if err := r.Fields[i].Valid(v); err != nil {
			return err
		}
	}
	return nil
}

// ValidChange is Valid for the fields that differ from another version: a value that was invalid
// before must not prevent a change of another field.
func (r *Record[T]) ValidChange(before, after *T) error {
	for _, c := range r.Diff(before, after) {
		if err := r.Find(c.Name).Valid(after); err != nil {
			return err
		}
	}
	return nil
}

// Change is a field that differs between two versions of a record.
type Change struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff returns the fields that differ between two versions of a record.
func (r *Record[T]) Diff(before, after *T) []Change {
	var list []Change
	for i := range r.Fields {
		s := &r.Fields[i]
		if a, b := s.Get(before), s.Get(after); a != b {
			list = append(list, Change{s.Name, a, b})
		}
	}
	return list
}

// FromJSON takes the fields of a JSON object, and leaves others as they are. What the
// document type shown has beside them is ignored, so that a printed document can be edited and
// read again; any other name is an error.
func (r *Record[T]) FromJSON(v *T, data []byte, shown reflect.Type) error {
	var doc map[string]json.RawMessage
	if err := jsonv2.Unmarshal(data, &doc); err != nil { // it refuses a duplicate name
		return r.noObject(err.Error())
	}
	if doc == nil {
		return r.noObject("this is null")
	}
	return r.fromObject(v, "", doc, shown)
}

func (r *Record[T]) noObject(words string) error {
	return &Error{r.Noun, "is a JSON object with these fields: " + strings.Join(r.Names(), ", ") + "; but " + words}
}

func (r *Record[T]) fromObject(v *T, path string, doc map[string]json.RawMessage, shown reflect.Type) error {
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	slices.Sort(names) // so that of several errors always the same one is returned
	for _, name := range names {
		at := path + name
		if s := r.at(at); s != nil {
			err := error(nil)
			if s.Inverted && s.Path != at { // its name says the opposite of what is stored
				err = s.Set(v, string(doc[name]))
			} else {
				err = s.setJSON(v, doc[name])
			}
			if err != nil {
				return err
			}
			continue
		}
		var below map[string]json.RawMessage
		if r.below(at+".") && json.Unmarshal(doc[name], &below) == nil {
			if below == nil {
				r.unset(v, at+".")
			}
			if err := r.fromObject(v, at+".", below, nil); err != nil {
				return err
			}
			continue
		}
		if path == "" && !has(shown, name) {
			return r.unknown(name)
		}
	}
	return nil
}

// at returns the field with a path in the record's JSON, or with a name.
func (r *Record[T]) at(path string) *Spec[T] {
	for i, s := range r.Fields {
		if s.Path == path {
			return &r.Fields[i]
		}
	}
	if s := r.Find(path); s != nil && s.Name == path {
		return s
	}
	return nil
}

// below reports whether there are fields below a path.
func (r *Record[T]) below(path string) bool {
	return slices.ContainsFunc(r.Fields, func(s Spec[T]) bool { return strings.HasPrefix(s.Path, path) })
}

// unset sets the fields below a path to their defaults, because their object is null.
func (r *Record[T]) unset(v *T, path string) {
	std := r.Default()
	for i := range r.Fields {
		if s := &r.Fields[i]; strings.HasPrefix(s.Path, path) {
			_ = s.Set(v, s.Get(&std)) // a default is right
		}
	}
}

// has reports whether the JSON of a type has a member with a name.
func has(t reflect.Type, name string) bool {
	if t == nil {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name || tag == "" && f.Anonymous && has(f.Type, name) {
			return true
		}
	}
	return false
}

// setJSON sets the field to a value of a file.
func (s *Spec[T]) setJSON(v *T, raw json.RawMessage) error {
	if string(raw) == "null" {
		return s.setNull(v)
	}
	at := s.At(v)
	if _, computed := at.(Value); computed || s.Kind() == Enum {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw) // a number or a switch
		}
		return s.Set(v, text)
	}
	list, isList := s.list(v)
	of := reflect.TypeFor[[]string]()
	if !isList {
		of = reflect.TypeOf(at).Elem()
	}
	was, fresh := *v, reflect.New(of)
	if json.Unmarshal(raw, fresh.Interface()) != nil || holdsNull(raw) {
		return s.wrong("must be %s, not %s", s.typeWords(), beginning(string(raw)))
	}
	if isList {
		list.Put(*fresh.Interface().(*[]string))
	} else {
		reflect.ValueOf(at).Elem().Set(fresh.Elem())
	}
	err := s.Valid(v)
	if err != nil {
		*v = was
	}
	return err
}

// setNull unsets the field, if possible; a computed one may accept an empty text for that.
func (s *Spec[T]) setNull(v *T) error {
	if s.Kind() == List {
		return s.SetItems(v, []string{})
	}
	if s.Kind() == Enum && s.allowed("") {
		return s.Set(v, "")
	}
	if _, ok := s.At(v).(Value); ok {
		return s.Set(v, "")
	}
	if !s.Optional() {
		return s.wrong("must be %s, not null", s.typeWords())
	}
	reflect.ValueOf(s.At(v)).Elem().SetZero()
	return nil
}

// holdsNull reports whether a list contains null, which would be read as "".
func holdsNull(raw json.RawMessage) bool {
	var list []*json.RawMessage
	return json.Unmarshal(raw, &list) == nil && slices.Contains(list, nil)
}

// typeWords returns the kind of the field's value in words.
func (s *Spec[T]) typeWords() string {
	words := map[Kind]string{List: "a list of texts", Integer: "a whole number", Number: "a number",
		Switch: "true or false"}[s.Kind()]
	if words == "" {
		words = "a text"
	}
	if s.Optional() {
		words += ", or null"
	}
	return words
}

// AsError returns the *Error in err, nil if there is none.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
