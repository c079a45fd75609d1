package lore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// fieldSpec is a field of an entry: how it is shown in the form, what it says in
// words, and how what was typed is put back.
type fieldSpec struct {
	group, label string
	help         string
	make         func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field
	// take is how the field changes an entry, or what is wrong with it.
	take func(f *widget.Field) (func(*storage.LoreEntry), error)
	// words are what the field says; same is whether two entries say the same.
	words func(e *storage.LoreEntry) string
	same  func(a, b *storage.LoreEntry) bool
}

type getter[T any] func(e *storage.LoreEntry) *T

func lineSpec(label, help string, get getter[string]) fieldSpec {
	return fieldSpec{label: label, help: help,
		make: func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.LineField(sty, "", *get(e), "")
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			v := strings.TrimSpace(f.Value())
			return func(e *storage.LoreEntry) { *get(e) = v }, nil
		},
		words: func(e *storage.LoreEntry) string { return *get(e) },
		same:  func(a, b *storage.LoreEntry) bool { return *get(a) == *get(b) },
	}
}

func textSpec(label, help string, rows int, get getter[string]) fieldSpec {
	s := lineSpec(label, help, get)
	s.make = func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
		if n := len(*get(e)); n > pane.LongestTyped {
			return widget.PickField("", "", []string{draw.Size(int64(n)) + ": only in your external editor"})
		}
		return widget.TextField(sty, "", *get(e), rows)
	}
	s.take = func(f *widget.Field) (func(*storage.LoreEntry), error) {
		if f.Input == nil {
			return func(*storage.LoreEntry) {}, nil
		}
		v := f.Value()
		return func(e *storage.LoreEntry) { *get(e) = v }, nil
	}
	return s
}

// listSpec is a list with an item on each line.
func listSpec(label, help string, rows int, get getter[[]string]) fieldSpec {
	return fieldSpec{label: label, help: help,
		make: func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.TextField(sty, "", strings.Join(*get(e), "\n"), rows)
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			var v []string
			for line := range strings.SplitSeq(f.Value(), "\n") {
				if line = strings.TrimSpace(line); line != "" {
					v = append(v, line)
				}
			}
			return func(e *storage.LoreEntry) { *get(e) = v }, nil
		},
		words: func(e *storage.LoreEntry) string { return strings.Join(*get(e), ", ") },
		same:  func(a, b *storage.LoreEntry) bool { return slices.Equal(*get(a), *get(b)) },
	}
}

// wholeSpec is a whole number from least to most.
func wholeSpec(label, help string, least, most int, get getter[int]) fieldSpec {
	return fieldSpec{label: label, help: help,
		make: func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.LineField(sty, "", strconv.Itoa(*get(e)), "")
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			n, err := widget.WholeIn(f.Value(), least, most)
			return func(e *storage.LoreEntry) { *get(e) = n }, err
		},
		words: func(e *storage.LoreEntry) string { return strconv.Itoa(*get(e)) },
		same:  func(a, b *storage.LoreEntry) bool { return *get(a) == *get(b) },
	}
}

// openWholeSpec is a whole number, or what the book and the settings say.
func openWholeSpec(label, help string, most int, get getter[*int]) fieldSpec {
	return fieldSpec{label: label, help: help,
		make: func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.LineField(sty, "", pane.IntText(*get(e)), "empty: lorebook default")
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			if strings.TrimSpace(f.Value()) == "" {
				return func(e *storage.LoreEntry) { *get(e) = nil }, nil
			}
			n, err := widget.WholeIn(f.Value(), 0, most)
			if err != nil {
				err = fmt.Errorf("%w, or empty", err)
			}
			return func(e *storage.LoreEntry) { *get(e) = &n }, err
		},
		words: func(e *storage.LoreEntry) string { return pane.IntText(*get(e)) },
		same:  func(a, b *storage.LoreEntry) bool { return equalAt(*get(a), *get(b)) },
	}
}

func equalAt[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// numberSpec is a number from 0 to most.
func numberSpec(label, help string, most float64, get getter[float64]) fieldSpec {
	show := func(e *storage.LoreEntry) string { return strconv.FormatFloat(*get(e), 'g', -1, 64) }
	return fieldSpec{label: label, help: help,
		make: func(sty *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.LineField(sty, "", show(e), "")
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(f.Value()), ",", "."), 64)
			if err != nil || !(n >= 0 && n <= most) {
				return nil, fmt.Errorf("a number from 0 to %g", most)
			}
			return func(e *storage.LoreEntry) { *get(e) = n }, nil
		},
		words: show,
		same:  func(a, b *storage.LoreEntry) bool { return *get(a) == *get(b) },
	}
}

func yesSpec(label, help string, get getter[bool]) fieldSpec {
	word := func(e *storage.LoreEntry) string {
		if *get(e) {
			return widget.NoYes[1]
		}
		return widget.NoYes[0]
	}
	return fieldSpec{label: label, help: help,
		make: func(_ *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.PickField("", word(e), widget.NoYes)
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			on := f.Chosen == 1
			return func(e *storage.LoreEntry) { *get(e) = on }, nil
		},
		words: word,
		same:  func(a, b *storage.LoreEntry) bool { return *get(a) == *get(b) },
	}
}

var inheritNoYes = []string{"same as settings", "no", "yes"}

// openSpec is yes, no, or what the settings say.
func openSpec(label, help string, get getter[*bool]) fieldSpec {
	word := func(e *storage.LoreEntry) string {
		switch v := *get(e); {
		case v == nil:
			return inheritNoYes[0]
		case *v:
			return inheritNoYes[2]
		}
		return inheritNoYes[1]
	}
	return fieldSpec{label: label, help: help,
		make: func(_ *draw.Styles, e *storage.LoreEntry) *widget.Field {
			return widget.PickField("", word(e), inheritNoYes)
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			v := [...]*bool{nil, ptr(false), ptr(true)}[f.Chosen]
			return func(e *storage.LoreEntry) { *get(e) = v }, nil
		},
		words: word,
		same:  func(a, b *storage.LoreEntry) bool { return equalAt(*get(a), *get(b)) },
	}
}

// pickSpec is one of some values with their words. A value that is none of them
// is offered as it is.
func pickSpec[T comparable](label, help string, values []T, words []string, get getter[T]) fieldSpec {
	word := func(e *storage.LoreEntry) string {
		if i := slices.Index(values, *get(e)); i >= 0 {
			return words[i]
		}
		return safetext.Line(fmt.Sprint(*get(e)))
	}
	return fieldSpec{label: label, help: help,
		make: func(_ *draw.Styles, e *storage.LoreEntry) *widget.Field {
			options := words
			if !slices.Contains(values, *get(e)) {
				options = append(slices.Clone(words), word(e))
			}
			return widget.PickField("", word(e), options)
		},
		take: func(f *widget.Field) (func(*storage.LoreEntry), error) {
			if f.Chosen >= len(values) {
				return func(*storage.LoreEntry) {}, nil
			}
			v := values[f.Chosen]
			return func(e *storage.LoreEntry) { *get(e) = v }, nil
		},
		words: word,
		same:  func(a, b *storage.LoreEntry) bool { return *get(a) == *get(b) },
	}
}

// filterSpecs are the fields of the characters that an entry is kept to. An
// entry without a filter gets one as soon as a field says something.
func filterSpecs() []fieldSpec {
	list := func(label, help string, get func(*storage.LoreFilter) *[]string) fieldSpec {
		of := func(e *storage.LoreEntry) *[]string {
			if e.Characters == nil {
				return &[]string{}
			}
			return get(e.Characters)
		}
		s := listSpec(label, help, 2, of)
		take := s.take
		s.take = func(f *widget.Field) (func(*storage.LoreEntry), error) {
			change, err := take(f)
			return func(e *storage.LoreEntry) { withFilter(e, change) }, err
		}
		return s
	}
	exclude := func(e *storage.LoreEntry) *bool {
		if e.Characters == nil {
			return new(bool)
		}
		return &e.Characters.Exclude
	}
	out := yesSpec("Exclude", "Triggers for all except the characters and tags below, instead of only for them.", exclude)
	take := out.take
	out.take = func(f *widget.Field) (func(*storage.LoreEntry), error) {
		change, err := take(f)
		return func(e *storage.LoreEntry) { withFilter(e, change) }, err
	}
	return []fieldSpec{
		list("Characters", "Character names, one per line: it triggers only for them.", func(f *storage.LoreFilter) *[]string { return &f.Names }),
		list("Tags", "Character tags, one per line.", func(f *storage.LoreFilter) *[]string { return &f.Tags }),
		out,
	}
}

// withFilter changes an entry's filter; an empty one is none.
func withFilter(e *storage.LoreEntry, change func(*storage.LoreEntry)) {
	var f storage.LoreFilter
	if e.Characters != nil {
		f = *e.Characters
	}
	e.Characters = &f
	change(e)
	if !f.Exclude && len(f.Names) == 0 && len(f.Tags) == 0 {
		e.Characters = nil
	}
}
