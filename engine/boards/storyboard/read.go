package storyboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/engine/answer"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// callError is an ErrCall with only its reason as text, for user and model.
type callError string

func (r callError) Error() string        { return string(r) }
func (r callError) Is(target error) bool { return target == ErrCall }

func callErrorf(format string, args ...any) error { return callError(fmt.Sprintf(format, args...)) }

// maxParams limits the parameters of a call and a file, in bytes.
const maxParams = 8 << 20

// object is a JSON object from a model, a file or a front end.
type object map[string]any

// parse decodes a JSON object; no bytes are an empty object.
func parse(raw json.RawMessage) (object, error) {
	if len(raw) > maxParams {
		return nil, callErrorf("the parameters have %d bytes; the limit is %d", len(raw), maxParams)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return object{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, callErrorf("the parameters are not JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, callErrorf("there is more than one JSON value in the parameters")
	}
	switch v := v.(type) {
	case nil:
		return object{}, nil
	case map[string]any:
		return v, nil
	}
	return nil, callErrorf("the parameters must be a JSON object")
}

// encode encodes JSON that is also read by people.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, callErrorf("the parameters cannot be written: %v", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// decode copies an object into a variable; missing fields stay as they are.
func decode(o any, into any) error {
	raw, err := encode(o)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return callErrorf("the parameters cannot be read: %v", err)
	}
	return nil
}

// schemaOf parses a schema of this package.
func schemaOf(raw json.RawMessage) *jsonschema.Schema {
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		panic("storyboard: " + err.Error()) // it is generated here
	}
	return s
}

// read returns o in the form of a schema, and clauses about what does not follow it.
func read(o object, s *jsonschema.Schema) (object, []string) {
	v := coerceObject(o, s)
	return v, answer.Faults(map[string]any(v), s)
}

// coerce returns v in the form of s, as far as its meaning is clear: keys get their names, IDs and
// enum values their own spelling, a single value becomes a list of one, and numbers lose their
// unit. It returns nil for values with which models fill in fields that they do not use: null, an
// empty text that the schema does not allow, and a 0 where counting begins at 1.
func coerce(v any, s *jsonschema.Schema, field string) any {
	for _, one := range s.AnyOf { // an ID or an object
		if _, ok := v.(map[string]any); ok == (one.Type == "object") {
			return coerce(v, one, field)
		}
	}
	if list, ok := v.([]any); ok && s.Type != "array" && len(list) == 1 {
		v = list[0]
	}
	switch s.Type {
	case "object":
		if o, ok := v.(map[string]any); ok && s.Properties != nil {
			return map[string]any(coerceObject(o, s))
		}
	case "array":
		return coerceList(v, s, field)
	case "string":
		return coerceText(v, s, field)
	case "integer", "number":
		return coerceNumber(v, s)
	}
	return answer.Fit(v, s)
}

// coerceObject drops members that the schema does not have.
func coerceObject(o object, s *jsonschema.Schema) object {
	out := object{}
	for _, key := range slices.Sorted(maps.Keys(o)) { // of two with the same meaning, always the same wins
		name := fieldOf(s, key)
		p := s.Properties[name]
		if _, taken := out[name]; p == nil || taken && key != name {
			continue
		}
		got := coerce(o[key], p, name)
		if list, ok := got.([]any); ok && len(list) == 0 && !slices.Contains(s.Required, name) {
			got = nil
		}
		if got != nil {
			out[name] = got
		}
	}
	return out
}

// fieldOf returns which field of a schema a key means: models write camelCase, one for
// several, and words that are near.
func fieldOf(s *jsonschema.Schema, key string) string {
	bare := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
	for _, name := range []string{key, bare, bare + "s", bare + "es", strings.TrimSuffix(bare, "s"),
		fieldAliases[bare]} {
		for field := range s.Properties {
			if field == name || strings.ReplaceAll(field, "_", "") == name {
				return field
			}
		}
	}
	return key
}

var fieldAliases = map[string]string{
	"keybeats": "beats", "beat": "text", "reason": "why", "reasoning": "why",
	"messagenumbers": "messages", "messageids": "messages", "fillerjobs": "jobs",
	"allotments": "budget", "packages": "budget", "beatid": "beat", "keyshots": "key", "fillershots": "filler",
	"duration": "seconds", "shotid": "shot", "shotids": "shots", "indices": "indexes",
	"shotsize": "size", "cameraangle": "angle", "cameramovement": "movement", "dialog": "dialogue",
	"name": "tool", "function": "tool", "arguments": "params", "parameters": "params",
	"toolcalls": "calls", "edits": "calls", "connecting": "fillers", "shotorder": "order",
	"afterid": "after", "beforeid": "before",
}

// idLetters are the letters of the IDs in fields.
var idLetters = map[string]string{
	"shot": "s", "shots": "s", "order": "s", "before": "s", "after": "s", "into": "s", "beat": "b",
}

// coerceList also splits several IDs or numbers in one text.
func coerceList(v any, s *jsonschema.Schema, field string) any {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	items := func(text string) (all []any) {
		between := func(r rune) bool { return strings.ContainsRune(" \t\n,;:.-_#/()[]", r) }
		for _, part := range strings.FieldsFunc(text, between) {
			if !contains("shot shots message messages and", strings.ToLower(part)) {
				all = append(all, part)
			}
		}
		return all
	}
	out := []any{}
	for _, one := range list {
		parts := []any{one}
		if text, ok := one.(string); ok && (idLetters[field] != "" || s.Items.Type == "integer") {
			parts = items(text)
		}
		for _, part := range parts {
			if got := coerce(part, s.Items, field); got != nil {
				out = append(out, got)
			}
		}
	}
	return out
}

func coerceText(v any, s *jsonschema.Schema, field string) any {
	letter := idLetters[field]
	if o, ok := v.(map[string]any); ok && letter != "" { // as in a list of shots
		v = o["id"]
	}
	var text string
	switch v := v.(type) {
	case string:
		text = cleanText(v)
	case float64:
		text = plainNumber(v)
	default:
		return v
	}
	if s.MaxLength == nil || *s.MaxLength <= maxSubject {
		text = cleanLine(text)
	}
	if field == "jobs" {
		field = FieldJob
	}
	switch {
	case letter != "":
		text = idOf(letter, text)
	case Choices(field) != nil:
		text = NormalizeWord(field, text)
	}
	for _, one := range s.Enum {
		if one, ok := one.(string); ok && wordKey(one) == bareKey(wordKey(text)) {
			return one
		}
	}
	if text == "" && (letter != "" || s.Enum != nil || s.MinLength != nil) {
		return nil
	}
	return text
}

func coerceNumber(v any, s *jsonschema.Schema) any {
	if text, ok := v.(string); ok && strings.TrimSpace(text) == "" {
		return nil
	}
	n, ok := toNumber(v)
	switch {
	case !ok:
		return v
	case n == 0 && s.Minimum != nil && *s.Minimum >= 1:
		return nil
	case s.Type == "number" && n > 0 && n < math.MaxInt32: // seconds
		return max(roundSeconds(n), minSeconds)
	}
	return n
}

// toNumber reads a number, also in a text and with a unit of time.
func toNumber(v any) (float64, bool) {
	text, ok := v.(string)
	if !ok {
		n, ok := v.(float64)
		return n, ok
	}
	text = strings.ToLower(strings.TrimSpace(text))
	for _, unit := range []string{"seconds", "second", "secs", "sec", "s"} {
		if cut, ok := strings.CutSuffix(text, unit); ok {
			text = strings.TrimSpace(cut)
			break
		}
	}
	n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// plainNumber formats a number.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// roundSeconds rounds to hundredths, so that sums stay readable.
func roundSeconds(n float64) float64 { return math.Round(n*100) / 100 }

// repair returns the usable part of v by a schema: texts and lists are cut, numbers are limited to
// their bounds, and other invalid values are left out. ok is false if nothing remains.
func repair(v any, s *jsonschema.Schema) (out any, ok bool) {
	switch x := v.(type) {
	case string:
		if s.MaxLength != nil {
			v = clip(x, *s.MaxLength)
		}
	case float64:
		if s.Minimum != nil && s.Maximum != nil {
			v = min(max(x, *s.Minimum), *s.Maximum)
		}
	case []any:
		if s.Type != "array" {
			return nil, false
		}
		kept := []any{}
		for _, one := range x {
			if _, number := one.(float64); number && len(answer.Faults(one, s.Items)) > 0 {
				continue // an unknown message
			}
			if one, ok := repair(one, s.Items); ok && (s.MaxItems == nil || len(kept) < *s.MaxItems) {
				kept = append(kept, one)
			}
		}
		return kept, true
	case map[string]any:
		if s.Type != "object" {
			return nil, false
		}
		return x, repairFields(x, s)
	}
	return v, len(answer.Faults(v, s)) == 0
}

// repairFields drops members that cannot be used, and reports whether all required ones are left.
func repairFields(o object, s *jsonschema.Schema) bool {
	for name, v := range o {
		if p := s.Properties[name]; p == nil {
			continue
		} else if v, ok := repair(v, p); ok {
			o[name] = v
		} else {
			delete(o, name)
		}
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool {
		return o[name] == nil && isIdentifying(name, s.Properties[name])
	})
}

// isIdentifying reports whether a required field identifies its object: an ID, or a non-empty
// text.
func isIdentifying(name string, p *jsonschema.Schema) bool {
	return p.MinLength != nil || idLetters[name] != "" && p.Type == "string"
}

// idOf returns the normal form of an ID: "3", "#3" and "S3" are "s3" for the letter s.
func idOf(letter, s string) string {
	s = cutRunes(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "#"), maxWord)
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return letter + s
	}
	return s
}

// idNumber returns the number of an ID of this program, 0 for any other.
func idNumber[T ~string](letter string, id T) int {
	s, ok := strings.CutPrefix(string(id), letter)
	if !ok || len(s) > 9 || strings.Trim(s, "0123456789") != "" || strings.HasPrefix(s, "0") {
		return 0
	}
	n, _ := strconv.Atoi(s) // "" is 0
	return n
}

// paramsOf reads the parameters of a call on a plan. Shots that are named by position are replaced
// by their IDs.
func paramsOf(p storage.Plan, c storage.ToolCall) (object, error) {
	t, ok := Find(c.Tool)
	if !ok {
		return nil, callErrorf("there is no tool %q; the tools are %s",
			cutRunes(cleanLine(c.Tool), maxWord), toolNames())
	}
	o, err := parse(c.Params)
	if err != nil {
		return nil, err
	}
	if t.Name == InsertShot {
		o = gatherShot(o)
	}
	o, faults := read(o, t.schema)
	if len(faults) > 0 {
		return nil, callErrorf("%s", strings.Join(faults[:min(len(faults), maxFaults)], "; "))
	}
	return o, o.replaceIndexes(t.Name, p)
}

// gatherShot moves the fields of one new shot, which are beside its position, into a list.
func gatherShot(o object) object {
	in, _ := read(o, newShots())
	if shots, _ := in["shots"].([]any); slices.ContainsFunc(shots, isObject) {
		return o
	}
	flat, _ := read(o, flatShot())
	shot := map[string]any{}
	for _, f := range shotForms() {
		if v, ok := flat[f.name]; ok {
			shot[f.name] = v
			delete(flat, f.name)
		}
	}
	flat["shots"] = []any{shot}
	if ids, _ := in["shots"].([]any); len(ids) > 0 && flat["before"] == nil && flat["after"] == nil {
		flat["after"] = ids[len(ids)-1] // an ID in place of a shot is the position
	}
	return flat
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

// replaceIndexes replaces positions in the parameters by IDs. An ID takes precedence.
func (o object) replaceIndexes(tool string, p storage.Plan) error {
	var ids []any
	places, _ := o["indexes"].([]any)
	if n, ok := o["index"]; ok {
		places = append([]any{n}, places...)
	}
	delete(o, "index")
	delete(o, "indexes")
	for _, v := range places {
		n := int(v.(float64))
		if n > len(p.Shots) {
			if tool == InsertShot { // the end
				return nil
			}
			return callErrorf("there is no shot at position %d: the list has %d", n, len(p.Shots))
		}
		ids = append(ids, string(p.Shots[n-1].ID))
	}
	switch list, _ := o["shots"].([]any); {
	case len(ids) == 0:
	case tool == InsertShot:
		if o["before"] == nil && o["after"] == nil {
			o["before"] = ids[0]
		}
	case tool == RemoveShots || tool == MergeShots:
		o["shots"] = append(list, ids...)
	case o["shot"] == nil && len(list) == 0:
		o["shot"] = ids[0]
	}
	return nil
}
