package layout

import "cmp"

// functions are those that templates of servers know, but for the two that do not look at
// all their arguments. What tells the day and what writes tools out writes nothing here.
var functions = map[string]func(args []any) (any, error){
	"not":              not,
	"eq":               equal,
	"ne":               unequal,
	"lt":               ordered(func(c int) bool { return c < 0 }),
	"le":               ordered(func(c int) bool { return c <= 0 }),
	"gt":               ordered(func(c int) bool { return c > 0 }),
	"ge":               ordered(func(c int) bool { return c >= 0 }),
	"len":              length,
	"index":            index,
	"slice":            slice,
	"json":             nothing,
	"currentDate":      nothing,
	"yesterdayDate":    nothing,
	"toTypeScriptType": nothing,
}

func nothing([]any) (any, error) { return "", nil }

func not(args []any) (any, error) {
	if len(args) != 1 {
		return nil, errLayout
	}
	return !truth(args[0]), nil
}

// equal reports whether the first argument is one of the others.
func equal(args []any) (any, error) {
	if len(args) < 2 {
		return nil, errLayout
	}
	for _, other := range args[1:] {
		if same, err := same(args[0], other); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

func unequal(args []any) (any, error) {
	if len(args) != 2 {
		return nil, errLayout
	}
	same, err := same(args[0], args[1])
	return !same, err
}

func same(a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return a == b, nil
		}
	case int:
		if b, ok := b.(int); ok {
			return a == b, nil
		}
	case bool:
		if b, ok := b.(bool); ok {
			return a == b, nil
		}
	}
	return false, errLayout
}

func ordered(holds func(c int) bool) func(args []any) (any, error) {
	return func(args []any) (any, error) {
		if len(args) != 2 {
			return nil, errLayout
		}
		switch a := args[0].(type) {
		case string:
			if b, ok := args[1].(string); ok {
				return holds(cmp.Compare(a, b)), nil
			}
		case int:
			if b, ok := args[1].(int); ok {
				return holds(cmp.Compare(a, b)), nil
			}
		}
		return nil, errLayout
	}
}

func length(args []any) (any, error) {
	if len(args) == 1 {
		switch v := args[0].(type) {
		case string:
			return len(v), nil
		case []any:
			return len(v), nil
		case map[string]any:
			return len(v), nil
		}
	}
	return nil, errLayout
}

// index is what the first argument has at the second, and that at the third.
func index(args []any) (any, error) {
	if len(args) == 0 || args[0] == nil {
		return nil, errLayout
	}
	v := args[0]
	for _, at := range args[1:] {
		switch of := v.(type) {
		case []any:
			i, ok := at.(int)
			if !ok || i < 0 || i >= len(of) {
				return nil, errLayout
			}
			v = of[i]
		case map[string]any:
			name, ok := at.(string)
			if !ok {
				return nil, errLayout
			}
			v = of[name]
		default:
			return nil, errLayout
		}
	}
	return v, nil
}

// slice is the first argument from the second to the third, or to its end.
func slice(args []any) (any, error) {
	if len(args) < 1 || len(args) > 3 {
		return nil, errLayout
	}
	n, err := length(args[:1])
	if err != nil {
		return nil, err
	}
	bounds := [2]int{0, n.(int)}
	for i, at := range args[1:] {
		var ok bool
		if bounds[i], ok = at.(int); !ok {
			return nil, errLayout
		}
	}
	if bounds[0] < 0 || bounds[0] > bounds[1] || bounds[1] > n.(int) {
		return nil, errLayout
	}
	switch v := args[0].(type) {
	case string:
		return v[bounds[0]:bounds[1]], nil
	case []any:
		return v[bounds[0]:bounds[1]], nil
	}
	return nil, errLayout
}
