package plist

import (
	"slices"
	"strings"
)

// Retype gives an entry another type in its head. A text of another form comes
// back as it was.
func Retype(content, typ string) string {
	p := parse(content)
	if typ = CleanType(typ); typ == "" || !p.isValid() {
		return content
	}
	return content[:p.typ.from] + typ + content[p.typ.to:]
}

// Merge adds to a content the facts of another one that it lacks. Without such facts it is returned
// byte for byte.
func Merge(content, other string) string {
	have := map[string]bool{}
	for _, f := range Facts(content) {
		have[factKey(f)] = true
	}
	var fresh []string
	for _, f := range Facts(other) {
		if k := factKey(f); !have[k] {
			have[k] = true
			fresh = append(fresh, f)
		}
	}
	if len(fresh) == 0 {
		return content
	}
	if strings.TrimSpace(content) == "" {
		return other
	}
	l, err := Parse(content)
	if err != nil {
		return strings.TrimRight(content, blanks) + "\n" + strings.Join(fresh, "\n")
	}
	foreign := !Valid(other)
	for _, f := range fresh {
		if foreign {
			f = CleanText(f)
		}
		l.Properties = append(l.Properties, Property{Text: f})
	}
	return l.String()
}

// Split moves the facts with these indexes from a content to a new one about name. ok is false if
// none or all of them would move.
func Split(content, name string, facts []int) (rest, taken string, ok bool) {
	all := Facts(content)
	var stay, away []string
	for i, f := range all {
		if slices.Contains(facts, i) {
			away = append(away, f)
		} else {
			stay = append(stay, f)
		}
	}
	if len(away) == 0 || len(stay) == 0 {
		return content, "", false
	}
	l, err := Parse(content)
	if err != nil {
		return strings.Join(stay, "\n"), strings.Join(away, "\n"), true
	}
	of := func(list []string) []Property {
		out := make([]Property, len(list))
		for i, f := range list {
			out[i] = Property{Text: f}
		}
		return out
	}
	return List{l.Type, l.Name, of(stay)}.String(), List{l.Type, CleanName(name), of(away)}.String(), true
}
