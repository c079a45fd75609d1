package rehearsal

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// forge writes a value that satisfies a schema.
type forge struct {
	root *schema
	m    material
	rng  *rand.Rand
	next int // sentence to be used next
	out  strings.Builder

	values int // written so far
}

// Bounds of an answer.
const (
	maxValues = 20_000
	maxAnswer = 1 << 20
)

// deepest is how far a schema that refers to itself is followed: below it only
// what is required is written.
const deepest = 6

func newForge(root *schema, messages []storage.Node) *forge {
	var all strings.Builder
	for _, m := range messages {
		all.WriteString(m.Content)
	}
	seed := hash(all.String())
	f := &forge{root: root, m: gather(messages), rng: rand.New(rand.NewPCG(seed, uint64(len(messages))))} //nolint:gosec // nothing here is secret
	f.next = f.rng.IntN(len(f.m.sentences))
	return f
}

// value writes one value. name is the property it belongs to.
func (f *forge) value(s *schema, name string, depth int) error {
	s, err := s.resolve(f.root)
	if err != nil {
		return err
	}
	if s, err = s.merge(f.root, 0); err != nil {
		return err
	}
	if f.values++; depth > 4*deepest || f.values > maxValues || f.out.Len() > maxAnswer {
		return errSchema // it never ends
	}
	switch choices := slices.Concat(s.AnyOf, s.OneOf); {
	case s.Const != nil:
		f.out.Write(s.Const)
		return nil
	case len(s.Enum) > 0:
		f.out.Write(f.choose(s.Enum))
		return nil
	case len(choices) > 0:
		pick := choices[0]
		if depth >= deepest {
			pick = choices[len(choices)-1] // the way out is usually named last
		}
		return f.value(f.under(s, pick), name, depth+1)
	}
	switch s.kind() {
	case "object":
		return f.object(s, depth)
	case "array":
		return f.array(s, name, depth)
	case "integer":
		f.out.WriteString(strconv.FormatInt(int64(f.number(s, 1)), 10))
	case "number":
		f.out.WriteString(strconv.FormatFloat(f.number(s, 0), 'f', -1, 64))
	case "boolean":
		f.out.WriteString(strconv.FormatBool(f.rng.IntN(3) == 0))
	case "null":
		f.out.WriteString("null")
	default:
		text, err := f.text(s, name)
		if err != nil {
			return err
		}
		f.out.Write(quote(text))
	}
	return nil
}

// under is an alternative together with what its parent demands.
func (f *forge) under(parent, pick *schema) *schema {
	base := *parent
	base.AnyOf, base.OneOf = nil, nil
	base.AllOf = []*schema{pick}
	if resolved, err := pick.resolve(f.root); err == nil {
		base.AnyOf, base.OneOf = resolved.AnyOf, resolved.OneOf
	}
	return &base
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
	case len(s.Properties) > 0 || s.MinProperties > 0:
		return "object"
	case s.Items != nil || len(s.PrefixItems) > 0 || s.MinItems > 0:
		return "array"
	case s.Minimum != nil || s.Maximum != nil || s.Above != nil || s.Below != nil || s.MultipleOf != nil:
		return "number"
	}
	return "string"
}

// choose prefers the values that mean nothing has happened, as a calm judge
// would, so that a rehearsed evening is not all turning points.
func (f *forge) choose(values []json.RawMessage) json.RawMessage {
	for _, v := range values {
		switch strings.ToLower(strings.Trim(string(v), `"`)) {
		case "none", "going", "no", "unchanged", "neutral":
			if f.rng.IntN(4) > 0 {
				return v
			}
		}
	}
	return values[f.rng.IntN(len(values))]
}

func (f *forge) object(s *schema, depth int) error {
	plain := *s
	if depth >= deepest {
		plain.Properties = slices.DeleteFunc(slices.Clone(s.Properties), func(p property) bool { return !slices.Contains(s.Required, p.name) })
	}
	return f.members(&plain, func(p property) error { return f.value(p.schema, p.name, depth+1) })
}

// members writes an object with all properties of the schema, each by write, and
// whatever else is required.
func (f *forge) members(s *schema, write func(property) error) error {
	f.out.WriteByte('{')
	n := 0
	key := func(name string) {
		if n > 0 {
			f.out.WriteString(", ")
		}
		n++
		f.out.Write(quote(name))
		f.out.WriteString(": ")
	}
	for _, p := range s.Properties {
		key(p.name)
		if err := write(p); err != nil {
			return err
		}
	}
	for i, name := range s.Required {
		if !slices.Contains(s.Required[:i], name) && !slices.ContainsFunc(s.Properties, func(p property) bool { return p.name == name }) {
			key(name)
			f.out.WriteString("true")
		}
	}
	for i := 1; n < s.MinProperties; i++ {
		key("more_" + strconv.Itoa(i))
		f.out.WriteString("true")
	}
	f.out.WriteByte('}')
	return nil
}

func (f *forge) array(s *schema, name string, depth int) error {
	count := max(s.MinItems, 1+f.rng.IntN(3))
	if depth >= deepest {
		count = s.MinItems
	}
	if s.MaxItems != nil {
		count = min(count, max(*s.MaxItems, s.MinItems))
	}
	if s.Items == nil {
		count = max(s.MinItems, min(count, len(s.PrefixItems)))
	}
	return f.items(s, count, func(item *schema) error { return f.value(item, name, depth+1) })
}

// items writes an array of count items, each by write, which is asked again for
// one that must not occur twice.
func (f *forge) items(s *schema, count int, write func(item *schema) error) error {
	whole := f.out
	var items []string
	for tries := 0; len(items) < count && tries < count*20+20; tries++ {
		item := s.Items
		if len(items) < len(s.PrefixItems) {
			item = s.PrefixItems[len(items)]
		}
		if item == nil {
			item = &schema{}
		}
		f.out = strings.Builder{}
		if err := write(item); err != nil {
			return err
		}
		if text := f.out.String(); !s.UniqueItems || !slices.Contains(items, text) {
			items = append(items, text)
		}
	}
	f.out = strings.Builder{}
	f.out.WriteString(whole.String() + "[" + strings.Join(items, ", ") + "]")
	return nil
}

// number picks a number within the bounds, on a grid of step, or of multipleOf
// where the schema has one; step 0 means two decimals where there is room.
func (f *forge) number(s *schema, step float64) float64 {
	low, high := 1.0, 5.0
	grid := step
	if grid == 0 {
		grid = 0.01
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		grid = *s.MultipleOf
		if step == 1 && grid != math.Trunc(grid) {
			grid = math.Max(1, math.Ceil(grid))
		}
	}
	hasLow, hasHigh := s.Minimum != nil || s.Above != nil, s.Maximum != nil || s.Below != nil
	if hasLow {
		low = lowest(s, grid)
	}
	if hasHigh {
		high = highest(s, grid)
	}
	switch {
	case hasLow && !hasHigh:
		high = low + 4*grid
	case hasHigh && !hasLow:
		low = math.Min(0, high-4*grid)
	}
	first, last := math.Ceil(low/grid-1e-9), math.Floor(high/grid+1e-9)
	if first > last { // no point of the grid between the bounds
		return (low + high) / 2
	}
	span := math.Min(last-first, 1e6)
	n := first + math.Floor(f.rng.Float64()*(span+1))
	return within(math.Round(n*grid*1e9)/1e9, s)
}

// within corrects what rounding may have done to a number near a bound.
func within(v float64, s *schema) float64 {
	if s.Minimum != nil {
		v = math.Max(v, *s.Minimum)
	}
	if s.Maximum != nil {
		v = math.Min(v, *s.Maximum)
	}
	return v
}

func lowest(s *schema, grid float64) float64 {
	low := math.Inf(-1)
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.Above != nil {
		low = math.Max(low, *s.Above+math.Min(grid, gap(s)))
	}
	return low
}

func highest(s *schema, grid float64) float64 {
	high := math.Inf(1)
	if s.Maximum != nil {
		high = *s.Maximum
	}
	if s.Below != nil {
		high = math.Min(high, *s.Below-math.Min(grid, gap(s)))
	}
	return high
}

// gap is a distance that keeps clear of an exclusive bound without jumping over
// the other one.
func gap(s *schema) float64 {
	low, high := s.Above, s.Below
	if low == nil {
		low = s.Minimum
	}
	if high == nil {
		high = s.Maximum
	}
	if low == nil || high == nil {
		return 1
	}
	return (*high - *low) / 4
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

// text writes a string of the length asked for.
func (f *forge) text(s *schema, name string) (string, error) {
	if s.Pattern != "" {
		return matching(s.Pattern, s.MinLength)
	}
	switch s.Format {
	case "date":
		return "2026-11-20", nil
	case "time":
		return "23:40:00Z", nil
	case "date-time":
		return "2026-11-20T23:40:00Z", nil
	case "uuid", "uuid4":
		return "6f0d7a52-3f0e-4c58-9d0b-2f5a1c9e7b34", nil
	}
	most := 160
	if s.MaxLength != nil {
		most = *s.MaxLength
	}
	most = max(most, s.MinLength)
	text := f.phrase(name, most)
	for utf8.RuneCountInString(text) < s.MinLength {
		text += " " + f.sentence()
	}
	return clip(text, s.MinLength, most), nil
}

// phrase suits the property's name: somebody's name, a short title, or a
// sentence or more of the transcript.
func (f *forge) phrase(name string, most int) string {
	name = strings.ToLower(name)
	switch {
	case hasAny(name, "who", "character", "speaker", "participant", "person") || name == "name":
		return f.m.names[f.rng.IntN(len(f.m.names))]
	case hasAny(name, "title", "name", "tone", "mood", "key", "tag", "genre"):
		words := strings.Fields(f.sentence())
		return strings.Trim(strings.Join(words[:min(4, len(words))], " "), " ,.;:!?\"")
	}
	text := f.sentence()
	for most > 300 && utf8.RuneCountInString(text) < min(most, 700)*2/3 {
		text += " " + f.sentence()
	}
	return text
}

func hasAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

func (f *forge) sentence() string {
	s := f.m.sentences[f.next%len(f.m.sentences)]
	f.next++
	return s
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
