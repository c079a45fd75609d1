package field

import (
	"reflect"
	"slices"
	"strings"
)

// ListValue is a list of texts that is computed from other values.
type ListValue struct {
	Get func() []string
	Put func(items []string)
}

// list returns the list of the field; ok is false if the field holds none.
func (s *Spec[T]) list(v *T) (list ListValue, ok bool) {
	at := s.At(v)
	if list, ok := at.(ListValue); ok {
		return list, true
	}
	is := reflect.ValueOf(at)
	if is.Kind() != reflect.Pointer || is.Elem().Kind() != reflect.Slice ||
		is.Elem().Type().Elem().Kind() != reflect.String {
		return list, false
	}
	is = is.Elem()
	return ListValue{Get: func() []string {
		if is.IsNil() {
			return nil
		}
		items := make([]string, is.Len())
		for i := range items {
			items[i] = is.Index(i).String()
		}
		return items
	}, Put: func(items []string) {
		if items == nil {
			is.SetZero()
			return
		}
		fresh := reflect.MakeSlice(is.Type(), len(items), len(items))
		for i, item := range items {
			fresh.Index(i).SetString(item)
		}
		is.Set(fresh)
	}}, true
}

// SetItems sets the texts of a field that holds a list.
func (s *Spec[T]) SetItems(v *T, items []string) error {
	if list, ok := s.list(v); ok {
		list.Put(items)
	}
	return s.checked(v)
}

// Items returns the texts of a field that holds a list.
func (s *Spec[T]) Items(v *T) []string {
	if list, ok := s.list(v); ok {
		return list.Get()
	}
	return nil
}

// SplitList splits a list: at its lines if it has several, otherwise at its commas. Blank items are
// left out.
func SplitList(text string) []string {
	sep := ","
	if strings.ContainsRune(strings.TrimSpace(text), '\n') {
		sep = "\n"
	}
	list := []string{}
	for item := range strings.SplitSeq(text, sep) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// JoinList joins a list so that SplitList can split it: with commas, or with line breaks if an item
// contains a comma.
func JoinList(list []string) string {
	if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, ",") }) {
		return strings.Join(list, "\n")
	}
	return strings.Join(list, ", ")
}
