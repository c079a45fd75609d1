package field_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
)

type mood string

type inner struct {
	Tags []string `json:"tags"`
}

// level is a number that has words as a text.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte([]string{"low", "high"}[l]), nil }

func (l *level) UnmarshalText(text []byte) error {
	n, ok := map[string]level{"low": 0, "0": 0, "high": 1, "1": 1}[string(text)]
	if *l = n; !ok {
		return errors.New("low or high")
	}
	return nil
}

type record struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Text   string   `json:"text"`
	Count  int      `json:"count"`
	Share  float64  `json:"share"`
	Depth  *int     `json:"depth"`
	Sharp  *bool    `json:"sharp"`
	On     bool     `json:"on"`
	Keys   []string `json:"keys"`
	Moods  []mood   `json:"moods"`
	Mood   mood     `json:"mood"`
	Inner  inner    `json:"inner"`
	Part   *inner   `json:"part"`
	Level  level    `json:"level"`
	Width  int      `json:"width"`
	Height int      `json:"height"`
	Muted  bool     `json:"muted"`
}

type document struct {
	record
	Tokens int `json:"tokens"`
}

func records() *field.Record[record] {
	return &field.Record[record]{Noun: "a record", New: func() record { return record{Count: 3} }, Fields: []field.Spec[record]{
		{Name: "name", Required: true, Max: 20, At: func(r *record) any { return &r.Name }},
		{Name: "text", Rows: 4, Runes: 40, At: func(r *record) any { return &r.Text }},
		{Name: "count", Min: 1, Max: 9, At: func(r *record) any { return &r.Count }},
		{Name: "share", Min: 0, Max: 1, ZeroIsEmpty: true, At: func(r *record) any { return &r.Share }},
		{Name: "depth", Min: 0, Max: 100, At: func(r *record) any { return &r.Depth }},
		{Name: "sharp", At: func(r *record) any { return &r.Sharp }},
		{Name: "on", At: func(r *record) any { return &r.On }},
		{Name: "keys", At: func(r *record) any { return &r.Keys }},
		{Name: "mood", Choices: []field.Choice{{"", "none"}, {"calm", "at ease"}, {"wild", ""}}, At: func(r *record) any { return &r.Mood }},
		{Name: "moods", Choices: field.Choices("calm", "wild"), At: func(r *record) any { return &r.Moods }},
		{Name: "tags", Path: "inner.tags", At: func(r *record) any { return &r.Inner.Tags }},
		{Name: "heard", Path: "muted", Inverted: true, At: func(r *record) any { return &r.Muted }},
		{Name: "part_tags", Path: "part.tags", At: func(r *record) any {
			return field.ListValue{Get: func() []string {
				if r.Part == nil {
					return nil
				}
				return r.Part.Tags
			}, Put: func(items []string) { r.Part = &inner{items} }}
		}},
		{Name: "level", Choices: field.Choices("low", "high"), At: func(r *record) any { return &r.Level }},
		{Name: "size", At: func(r *record) any {
			return field.Computed{Get: func() string {
				if r.Width == 0 {
					return ""
				}
				return "wide"
			}, Put: func(text string) error {
				if text != "wide" {
					return errors.New("wide")
				}
				r.Width = 2
				return nil
			}}
		}},
	}}
}

func TestSpec_SetAndGet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want, fault string }{
		{"name", " Ada ", "Ada", ""},
		{"name", " ", "", "name must not be empty"},
		{"name", strings.Repeat("x", 21), "", "at most 20 bytes"},
		{"text", " as it is \n", " as it is \n", ""},
		{"text", strings.Repeat("é", 40), strings.Repeat("é", 40), ""},
		{"text", strings.Repeat("x", 41), "", "at most 40 characters, not 41"},
		{"count", " 4 ", "4", ""},
		{"count", "10", "", `count must be a whole number from 1 to 9, not "10"`},
		{"count", "1.5", "", "a whole number"},
		{"share", "0,5", "0.5", ""},
		{"share", "", "", ""},
		{"share", "NaN", "", "a number from 0 to 1, or empty"},
		{"depth", "7", "7", ""},
		{"depth", "default", "", ""},
		{"depth", "-1", "", "a whole number from 0 to 100, or empty"},
		{"sharp", "no", "false", ""},
		{"sharp", "", "", ""},
		{"on", "YES", "true", ""},
		{"on", "maybe", "", "true or false"},
		{"keys", "a, b ,", "a, b", ""},
		{"moods", "wild, calm", "wild, calm", ""},
		{"moods", "wild, sad", "", `moods must be one of calm, wild, not "sad"`},
		{"keys", "a, b\nc", "a, b\nc", ""},
		{"mood", "calm", "calm", ""},
		{"mood", "At ease", "calm", ""},
		{"mood", "none", "", ""},
		{"mood", "odd", "", `mood must be one of none, calm, wild, not "odd"`},
		{"tags", "x", "x", ""},
		{"part_tags", "x, y", "x, y", ""},
		{"level", "high", "high", ""},
		{"level", "1", "high", ""},
		{"level", "2", "", `level must be one of low, high, not "2"`},
		{"size", "wide", "wide", ""},
		{"size", "thin", "", "size must be wide"},
		{"other", "", "", `a record has no field "other"; the fields are name,`},
	} {
		r, v := records(), record{Name: "before", Count: 3}
		was := v
		err := r.Set(&v, c.name, c.text)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s=%q: %v, want %q", c.name, c.text, err, c.fault)
			}
			if d := cmp.Diff(was, v); d != "" {
				t.Errorf("%s=%q changed the record:\n%s", c.name, c.text, d)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s=%q: %v", c.name, c.text, err)
			continue
		}
		if got := r.Find(c.name).Get(&v); got != c.want {
			t.Errorf("%s=%q gives %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// What Get writes, Set reads: the field is the same again.
func TestSpec_RoundTrip(t *testing.T) {
	t.Parallel()
	seven, no := 7, false
	full := record{Name: "Ada", Text: "a\nb", Count: 2, Share: 0.25, Depth: &seven, Sharp: &no, On: true, Keys: []string{"a, b", "c"}, Mood: "wild",
		Inner: inner{[]string{"t"}}, Part: &inner{[]string{"u"}}, Level: 1, Width: 2}
	r, got := records(), record{}
	for i := range r.Fields {
		s := &r.Fields[i]
		if text := s.Get(&full); text != "" {
			if err := s.Set(&got, text); err != nil {
				t.Error(err)
			}
		}
	}
	if d := cmp.Diff(full, got); d != "" {
		t.Error(d)
	}
	if err := r.Valid(&got); err != nil {
		t.Error(err)
	}
}

func TestRecord_FromJSON(t *testing.T) {
	t.Parallel()
	r, v := records(), record{Name: "Ada", Count: 3, Keys: []string{"old"}}
	err := r.FromJSON(&v, []byte(`{"id": "x", "tokens": 3, "name": "Bea", "count": 4, "depth": null, "keys": null, "mood": "calm", "inner": {"tags": ["t"]}, "part": {"tags": ["u"]}}`),
		reflect.TypeFor[document]())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(record{Name: "Bea", Count: 4, Keys: []string{}, Mood: "calm", Inner: inner{[]string{"t"}},
		Part: &inner{[]string{"u"}}}, v); d != "" {
		t.Error(d)
	}
	if err := r.FromJSON(&v, []byte(`{"inner": null}`), nil); err != nil || len(v.Inner.Tags) > 0 {
		t.Errorf("null: %v, %v", v.Inner, err)
	}
	for text, want := range map[string]string{
		`{"nme": "x"}`:          `no field "nme"`,
		`{"count": "4"}`:        "count must be a whole number",
		`{"count": 44}`:         "count must be a whole number from 1 to 9",
		`{"count": null}`:       "not null",
		`{"keys": ["a", null]}`: "keys must be a list of texts",
		`{"mood": "odd"}`:       "mood must be one of",
		`[1]`:                   "is a JSON object",
		`null`:                  "null",
	} {
		was := v
		if err := r.FromJSON(&v, []byte(text), reflect.TypeFor[document]()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if d := cmp.Diff(was, v); d != "" {
			t.Errorf("%s changed the record:\n%s", text, d)
		}
	}
}

func TestRecord_Diff(t *testing.T) {
	t.Parallel()
	r, a, b := records(), record{Name: "Ada"}, record{Name: "Bea", On: true}
	if d := cmp.Diff([]field.Change{{"name", "Ada", "Bea"}, {"on", "false", "true"}}, r.Diff(&a, &b)); d != "" {
		t.Error(d)
	}
}

func TestRecord_Valid(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]record{
		"name must not be empty": {Count: 3}, "count must be": {Name: "x"}, "mood must be one of": {Name: "x", Count: 3, Mood: "odd"}} {
		if err := records().Valid(&v); field.AsError(err) == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", v, err, want)
		}
	}
}

// A switch that is stored as its opposite is set by its name, and in JSON by what is stored.
func TestRecord_Inverted(t *testing.T) {
	t.Parallel()
	r, v := records(), record{}
	if err := r.Set(&v, "heard", "off"); err != nil || !v.Muted || r.Find("heard").Get(&v) != "false" {
		t.Errorf("%v %+v", err, v)
	}
	for text, muted := range map[string]bool{`{"heard":true}`: false, `{"heard":false}`: true, `{"muted":true}`: true, `{"muted":false}`: false} {
		if err := r.FromJSON(&v, []byte(text), reflect.TypeFor[document]()); err != nil || v.Muted != muted {
			t.Errorf("%s: %v %+v", text, err, v)
		}
	}
}

// What was wrong before is no reason to refuse a change of something else.
func TestRecord_ValidChange(t *testing.T) {
	t.Parallel()
	r, old := records(), record{Name: "Ada", Count: 100}
	change := old
	change.Name = "Bo"
	if err := r.ValidChange(&old, &change); err != nil {
		t.Error(err)
	}
	change.Count = 200
	if err := r.ValidChange(&old, &change); err == nil || err.(*field.Error).Name != "count" {
		t.Errorf("%v", err)
	}
}
