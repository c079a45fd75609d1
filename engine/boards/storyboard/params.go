package storyboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of a plan.
const (
	maxShots       = 300
	maxBeats       = 60
	maxDescription = 2000 // runes
	maxDialogue    = 1000
	maxSubject     = 200
	maxNote        = 1000 // what a beat or the filler strategy says
	maxJobs        = 12
	maxSeconds     = 600 // of a shot
	minSeconds     = 0.1
	maxAllotted    = 40   // shots of one kind in a beat's budget, and in its package
	maxBeatSeconds = 3600 // in a beat's budget
	maxEdits       = 40   // calls of a proposal
	maxMessages    = 100  // of a beat
	maxID          = 200  // runes, of a message's id
	maxParams      = 8 << 20
)

// refusal is an ErrCall whose text says why, and nothing else: user and model read
// it as it is.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrCall }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// object is a JSON object from a model, a file or a front end. What is not there
// and what is null or an empty text where no text is meant are the same.
type object map[string]any

func parseParams(raw json.RawMessage) (object, error) {
	if len(raw) > maxParams {
		return nil, refuse("the parameters have %d bytes, and %d are the most", len(raw), maxParams)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return object{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // an index must not pass through a float
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, refuse("the parameters are not JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse("there is more than one JSON value in the parameters")
	}
	switch v := v.(type) {
	case nil:
		return object{}, nil
	case map[string]any:
		return v, nil
	}
	return nil, refuse("the parameters must be a JSON object")
}

// has reports whether a key says something.
func (o object) has(key string) bool {
	switch v := o[key].(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		return len(v) > 0
	}
	return true
}

// text reads a text of at most limit runes. There is false where the key is
// missing; an empty text is there.
func (o object) text(key string, limit int) (s string, there bool, err error) {
	switch v := o[key].(type) {
	case nil:
		return "", false, nil
	case string:
		s = tidyText(v)
	case json.Number:
		s = v.String()
	default:
		return "", false, refuse("%s must be a text", key)
	}
	if n := len([]rune(s)); n > limit {
		return "", false, refuse("%s has %d characters, and %d are the most", key, n, limit)
	}
	return s, true, nil
}

// line reads a text on one line.
func (o object) line(key string, limit int) (s string, there bool, err error) {
	s, there, err = o.text(key, limit)
	return tidyLine(s), there, err
}

// list reads a list; a value alone is a list of one.
func (o object) list(key string) []any {
	switch v := o[key].(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		if !o.has(key) {
			return nil
		}
		return []any{v}
	}
}

// objects reads a list of objects.
func (o object) objects(key string, limit int) ([]object, error) {
	list := o.list(key)
	if len(list) > limit {
		return nil, refuse("%s has %d entries, and %d are the most", key, len(list), limit)
	}
	all := make([]object, len(list))
	for i, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, refuse("entry %d of %s must be an object", i+1, key)
		}
		all[i] = m
	}
	return all, nil
}

// number reads a number, also one in a text and with a unit of time after it.
func (o object) number(key string) (n float64, there bool, err error) {
	if !o.has(key) {
		return 0, false, nil
	}
	n, ok := toNumber(o[key])
	if !ok {
		return 0, false, refuse("%s must be a number", key)
	}
	return n, true, nil
}

func toNumber(v any) (float64, bool) {
	var s string
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case string:
		s = strings.ToLower(strings.TrimSpace(v))
		for _, unit := range []string{"seconds", "second", "secs", "sec", "s"} {
			if cut, ok := strings.CutSuffix(s, unit); ok {
				s = strings.TrimSpace(cut)
				break
			}
		}
		s = strings.Replace(s, ",", ".", 1)
	default:
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// count reads a whole number from low to high.
func (o object) count(key string, low, high int) (n int, there bool, err error) {
	f, there, err := o.number(key)
	if err != nil || !there {
		return 0, there, err
	}
	if f != math.Trunc(f) || f < float64(low) || f > float64(high) {
		return 0, false, refuse("%s must be a whole number from %d to %d, not %s", key, low, high, plainNumber(f))
	}
	return int(f), true, nil
}

// seconds reads a length of time; 0 takes away the one there was.
func (o object) seconds(key string, limit float64) (n float64, there bool, err error) {
	n, there, err = o.number(key)
	if err != nil || !there {
		return 0, there, err
	}
	rounded := hundredths(n)
	if n != 0 && (rounded < minSeconds || rounded > limit) {
		return 0, false, refuse("%s must be from %v to %v, not %v", key, minSeconds, limit, n)
	}
	return rounded, true, nil
}

// plainNumber writes a number as people do.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// hundredths rounds seconds to what anybody can mean, so that sums stay readable.
func hundredths(n float64) float64 { return math.Round(n*100) / 100 }

// names reads ids of a kind, a list or a text of several.
func (o object) names(key, letter string) ([]string, error) {
	var all []string
	for _, v := range o.list(key) {
		switch v := v.(type) {
		case string:
			for _, s := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }) {
				if !contains("shot shots and", strings.ToLower(s)) {
					all = append(all, idOf(letter, s))
				}
			}
		case json.Number:
			all = append(all, idOf(letter, v.String()))
		case map[string]any: // as a list of shots gives them
			id, there, err := object(v).line("id", maxID)
			if err != nil {
				return nil, err
			}
			if !there || id == "" {
				return nil, refuse("an entry of %s has no id", key)
			}
			all = append(all, idOf(letter, id))
		default:
			return nil, refuse("%s must be a list of ids", key)
		}
		if len(all) > maxShots {
			return nil, refuse("%s names more than %d", key, maxShots)
		}
	}
	return all, nil
}

// idOf is an id in its own form: "3", "#3" and "S3" are "s3" for the letter s.
func idOf(letter, s string) string {
	s = cutRunes(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "#"), maxWord)
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return letter + s
	}
	return s
}

// idNumber is the number of an id that the program has given, 0 for another.
func idNumber[T ~string](letter string, id T) int {
	s, ok := strings.CutPrefix(string(id), letter)
	if !ok || len(s) > 9 || strings.Trim(s, "0123456789") != "" || strings.HasPrefix(s, "0") {
		return 0
	}
	n, _ := strconv.Atoi(s) // "" is 0
	return n
}

// setFields puts the fields that o names into a shot and says which they are.
func setFields(s *storage.Shot, o object, beats []storage.BoardBeat) ([]string, error) {
	var named []string
	for _, f := range shotFields() {
		there, err := f.set(s, o, beats)
		if err != nil {
			return nil, err
		}
		if there {
			named = append(named, f.name)
		}
	}
	if s.Description == "" {
		return nil, refuse("the shot needs a description: what is seen in it")
	}
	return named, nil
}

type shotField struct {
	name string
	set  func(*storage.Shot, object, []storage.BoardBeat) (bool, error)
}

func shotFields() []shotField {
	return []shotField{
		{"beat", setBeat},
		{"kind", setKind},
		wordField(FieldSize, func(s *storage.Shot) *string { return &s.Size }),
		wordField(FieldAngle, func(s *storage.Shot) *string { return &s.Angle }),
		wordField(FieldMovement, func(s *storage.Shot) *string { return &s.Movement }),
		wordField(FieldJob, func(s *storage.Shot) *string { return &s.Job }),
		{"subject", func(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
			return put(&s.Subject)(o.line("subject", maxSubject))
		}},
		{"description", func(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
			return put(&s.Description)(o.text("description", maxDescription))
		}},
		{"seconds", func(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
			return put(&s.Seconds)(o.seconds("seconds", maxSeconds))
		}},
		{"dialogue", func(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
			return put(&s.Dialogue)(o.text("dialogue", maxDialogue))
		}},
	}
}

func put[T any](to *T) func(T, bool, error) (bool, error) {
	return func(v T, there bool, err error) (bool, error) {
		if err == nil && there {
			*to = v
		}
		return there, err
	}
}

func wordField(name string, of func(*storage.Shot) *string) shotField {
	return shotField{name, func(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
		text, there, err := o.line(name, maxNote)
		return put(of(s))(Normal(name, text), there, err)
	}}
}

func setBeat(s *storage.Shot, o object, beats []storage.BoardBeat) (bool, error) {
	name, there, err := o.line("beat", maxNote)
	if err != nil || !there {
		return there, err
	}
	if name == "" {
		s.Beat = ""
		return true, nil
	}
	b, err := findBeat(beats, name)
	if err == nil {
		s.Beat = b
	}
	return true, err
}

func setKind(s *storage.Shot, o object, _ []storage.BoardBeat) (bool, error) {
	text, there, err := o.line("kind", maxNote)
	if err != nil || !there {
		return there, err
	}
	switch bareKey(wordKey(text)) {
	case "key", "main":
		s.Kind = storage.KeyShot
	case "filler", "fill", "connecting":
		s.Kind = storage.FillerShot
	case "":
		return false, nil
	default:
		return false, refuse("kind must be key or filler, not %q", cutRunes(text, maxWord))
	}
	return true, nil
}

func findBeat(beats []storage.BoardBeat, name string) (storage.BeatID, error) {
	id := storage.BeatID(idOf("b", name))
	for _, b := range beats {
		if b.ID == id {
			return id, nil
		}
	}
	if len(beats) == 0 {
		return "", refuse("there is no beat %q, for there are no beats yet", cutRunes(name, maxWord))
	}
	ids := make([]string, len(beats))
	for i, b := range beats {
		ids[i] = string(b.ID)
	}
	return "", refuse("there is no beat %q; there are %s", cutRunes(name, maxWord), strings.Join(ids, ", "))
}
