package memorybench

import (
	"slices"
	"strconv"
	"strings"
)

// schema is what a grammar makes of a JSON schema: no model can answer otherwise.
type schema struct {
	Type       string
	Properties map[string]*schema
	Required   []string
	Items      *schema
	MinItems   int
	MaxItems   *int
	MinLength  int
	MaxLength  *int
	Minimum    float64
	Enum       []any
}

// folded returns a field's name however it is spelled: resolvedId as resolved_id.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// prop returns a property by its name, nil for none.
func (s *schema) prop(name string) *schema {
	if s == nil {
		return nil
	}
	for n, p := range s.Properties {
		if folded(n) == folded(name) {
			return p
		}
	}
	return nil
}

func (s *schema) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return s.prop(n) == nil })
}

// citing returns the names of the fields that are lists of numbers.
func (s *schema) citing() []string {
	if s == nil {
		return nil
	}
	out := s.Items.citing()
	for name, p := range s.Properties {
		if p.Type == "array" && p.Items != nil && p.Items.Type == "integer" {
			out = append(out, tagName(name))
		}
		out = append(out, p.citing()...)
	}
	return out
}

// The jobs of the model.
const (
	joinJob      = "join of recaps"
	recapJob     = "scene recap"
	mergeJob     = "merge of recaps"
	lookupJob    = "lore lookup"
	resolveJob   = "lore resolve"
	loreJob      = "lore merge"
	questionsJob = "recall test questions"
	answersJob   = "recall test answers"
	passJob      = "pass"
	detectJob    = "detection"
)

// job returns what is asked for by the names of the fields; "" for nothing that the model
// knows.
func (s *schema) job() string {
	switch {
	case s.lists() != nil && s.has("scene_name", "dropped"):
		return joinJob
	case s.lists() != nil && s.has("scene_name"):
		return recapJob
	case s.lists() != nil:
		return mergeJob
	case s.has("same_entity_ids"):
		return lookupJob
	case s.has("resolved_id"):
		return resolveJob
	case s.has("facts"):
		return loreJob
	case s.has("questions"):
		return questionsJob
	case s.has("answers"):
		return answersJob
	case s.has("director"), s.has("memories"), s.has("hooks"), s.has("scene"):
		return passJob
	case s.has("status", "rationale"):
		return detectJob
	}
	return ""
}

// lists returns the object that has the lists of a recap, nil for none.
func (s *schema) lists() *schema {
	for _, of := range []*schema{s.prop("recap"), s} {
		if of != nil && of.has(headings...) {
			return of
		}
	}
	return nil
}

// least returns the smallest number that an entry of a recap's lists can cite.
func (s *schema) least() int {
	for _, p := range s.lists().prop(headings[0]).Items.Properties {
		if p.Type == "array" && p.Items.Type == "integer" {
			return int(p.Items.Minimum)
		}
	}
	return 0
}

// entry fills an object that says something and cites where that stands: the longest of its
// texts, and each list of numbers or of labels.
func (s *schema) entry(t toldFact) map[string]any {
	out, longest := map[string]any{}, ""
	for name, p := range s.Properties {
		switch {
		case p.Type == "string" && (longest == "" || p.longer(s.Properties[longest])):
			longest = name
		case p.Type == "array" && strings.HasPrefix(folded(name), "memor"):
			out[name] = p.cites(nil, t.labels)
		case p.Type == "array":
			out[name] = p.cites(append([]int{t.n}, t.also...), nil)
		}
	}
	out[longest] = t.text
	return out
}

func (s *schema) longer(o *schema) bool {
	return s.MaxLength == nil || o.MaxLength != nil && *s.MaxLength > *o.MaxLength
}

// cites are numbers and labels as a list takes them, each once.
func (s *schema) cites(numbers []int, labels []string) []any {
	out := []any{}
	add := func(v any) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, n := range numbers {
		if n > 0 {
			add(s.cite(cited{n: n}))
		}
	}
	for _, l := range labels {
		n, _ := strconv.Atoi(strings.TrimLeft(l, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		add(s.cite(cited{n: n, label: l}))
	}
	return out
}

// cite returns what a list takes for something that a prompt numbers.
func (s *schema) cite(c cited) any {
	switch {
	case s == nil || s.Items == nil || s.Items.Type != "string":
		return c.n
	case c.label != "":
		return c.label
	}
	return strconv.Itoa(c.n)
}

// fit cuts a value to what the grammar lets through, and fills what it demands.
func (s *schema) fit(v any) any {
	switch {
	case len(s.Enum) > 0:
		if !slices.Contains(s.Enum, v) {
			return s.Enum[0]
		}
	case s.Properties != nil:
		given, _ := v.(map[string]any)
		out := map[string]any{}
		for name, p := range s.Properties {
			if x, ok := value(given, name); ok || slices.Contains(s.Required, name) {
				out[name] = p.fit(x)
			}
		}
		return out
	case s.Type == "array":
		list, _ := v.([]any)
		out := []any{}
		for i, x := range list {
			if s.MaxItems == nil || i < *s.MaxItems {
				out = append(out, s.Items.fit(x))
			}
		}
		return out
	case s.Type == "string":
		text, _ := v.(string)
		if s.MaxLength != nil && len(text) > *s.MaxLength {
			text = text[:*s.MaxLength]
		}
		for len(text) < s.MinLength {
			text += "-"
		}
		return text
	case v == nil && s.Type == "boolean":
		return false
	case v == nil:
		return s.Minimum
	}
	return v
}

// value returns what is given for a field, however its name is spelled.
func value(given map[string]any, name string) (any, bool) {
	for n, v := range given {
		if folded(n) == folded(name) {
			return v, true
		}
	}
	return nil, false
}
