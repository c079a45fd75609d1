// Package studiobench measures whether a picture that is not what was asked for is noticed. A
// played model writes prompts in words that the program does not know, and says truthfully what it
// has written: what counts is whether it is asked again, and whether the user is told. The wordings
// and the wrong answers are by somebody who did not know the program; readings.json says which of
// the program's presets they mean.
//
//	go test ./engine/studiobench -v
package studiobench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// wordings are phrases by the key of what they mean, and phrases for that nobody is there.
type wordings struct {
	Size, Angle map[string][]string
	Light       []struct{ Phrase, Means string }
	Absence     []string
}

// mismatch is an order with an answer to something else.
type mismatch struct {
	Asked  any
	Prompt string   `json:"wrong_prompt"`
	Shows  string   `json:"wrong_shows"`
	InView []string `json:"in_view"`
	Shot   string
	Angle  string
	Why    string `json:"why_wrong"`
}

// presetReadings are what a reader makes of the material who knows the program's words: the presets that
// its phrases mean, what its requests ask for, and the people without a name in its answers.
type presetReadings struct {
	Keys    map[string]string
	Lights  []string
	Orders  map[string]struct{ Shot, Angle, Everybody string }
	Unnamed map[string]string
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	enginetest.Must(t, err)
	enginetest.Must(t, json.Unmarshal(data, into))
}

func (r presetReadings) key(s string) string { return cmp.Or(r.Keys[s], s) }

// model gives one answer to every request for a picture, and counts them.
type model struct {
	mu     sync.Mutex
	answer capture.Answer
	asked  int
}

func (m *model) play(a capture.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range 110 {
		a.Prompt += fmt.Sprintf(" grain%d", i)
	}
	a.Prompt += "."
	a.InView = append([]string{}, a.InView...)
	for _, v := range []*string{&a.Shot, &a.Angle, &a.Light} {
		*v = cmp.Or(*v, capture.Other)
	}
	for _, v := range []*string{&a.RequestedShot, &a.RequestedAngle, &a.RequestedLight} {
		*v = cmp.Or(*v, capture.Open)
	}
	m.answer, m.asked = a, 0
}

// Answer implements demo.Answer.
func (m *model) Answer(format json.RawMessage, _ []storage.Node) (string, bool) {
	if demo.JobOf(format) != demo.CaptureJob {
		return "", false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	data, err := json.Marshal(m.answer)
	return string(data), err == nil
}

var cast = []string{"Mara", "Jonas", "Ines", "Robin", "Piet"}

// stage returns a scene of the cast and Tove; Robin is the user's.
func stage(t *testing.T) (*enginetest.Harness, *model) {
	m := &model{}
	s := enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Servers.Answer = m.Answer })
	for _, name := range cast {
		if name != "Robin" {
			s.Joined(name)
		}
	}
	return s, m
}

// namedPeople returns the people whom a text names.
func namedPeople(text string) (list []capture.RequestedPerson) {
	for _, name := range cast {
		if strings.Contains(text, name) {
			list = append(list, capture.RequestedPerson{Words: name, Name: name})
		}
	}
	return list
}

// isNoticed draws a picture and reports whether the model was asked again or the user is told.
func (m *model) isNoticed(s *enginetest.Harness, r pictures.CaptureRequest, a capture.Answer) (again, told bool, c storage.Capture) {
	m.play(a)
	c = s.Drafted(r)
	return m.asked > 1, len(c.Warnings)+len(c.Wrote.Notes) > 0, c
}

// axis is a size, an angle or a light: the setting of the user, what an answer says that an order
// asks for, and what it says that it used.
type axis struct {
	name   string
	list   [][2]string // keys and phrases
	fields func(*storage.Camera, *capture.Answer) (set, asked, used *string)
}

func axes(w wordings, r presetReadings) []axis {
	list := []axis{
		{"size", nil, func(c *storage.Camera, a *capture.Answer) (set, asked, used *string) {
			return &c.Shot, &a.RequestedShot, &a.Shot
		}},
		{"angle", nil, func(c *storage.Camera, a *capture.Answer) (set, asked, used *string) {
			return &c.Angle, &a.RequestedAngle, &a.Angle
		}},
		{"light", nil, func(c *storage.Camera, a *capture.Answer) (set, asked, used *string) {
			return &c.Lighting, &a.RequestedLight, &a.Light
		}},
	}
	for i, by := range []map[string][]string{w.Size, w.Angle} {
		for _, key := range slices.Sorted(maps.Keys(by)) {
			for _, phrase := range by[key] {
				list[i].list = append(list[i].list, [2]string{r.key(key), phrase})
			}
		}
	}
	for i, l := range w.Light {
		list[2].list = append(list[2].list, [2]string{r.Lights[i], l.Phrase})
	}
	return list
}

// Each wording is ordered by a setting and in the words of a request, and answered with its own
// camera and with another one.
func TestStudioBench_Cameras(t *testing.T) {
	s, m := stage(t)
	var w wordings
	var r presetReadings
	read(t, "wordings.json", &w)
	read(t, "readings.json", &r)
	for _, x := range axes(w, r) {
		if len(x.list) != 20 {
			t.Fatalf("%d wordings of %s", len(x.list), x.name)
		}
		missed, alarms, unknown := 0, 0, 0
		for i, one := range x.list {
			key, phrase := one[0], one[1]
			another := x.list[(i+10)%20][0]
			if another == key {
				another = x.list[(i+5)%20][0]
			}
			for _, byWords := range []bool{false, true} {
				for _, used := range []string{key, another} {
					req := pictures.CaptureRequest{Requested: "Mara"}
					a := capture.Answer{Prompt: "Mara. " + phrase, InView: []string{"Mara"}, RequestedPeople: namedPeople("Mara")}
					set, asked, use := x.fields(&req.Camera, &a)
					*use = used
					switch {
					case key == capture.Other: // no preset means it: nothing can be compared
						unknown++
						continue
					case byWords:
						req.Requested += ", " + phrase
						*asked = key
					default:
						*set = key
					}
					again, told, c := m.isNoticed(s, req, a)
					switch differs := used != key; {
					case differs && !(again && told):
						missed++
						t.Errorf("%s: %q passes as %s: %q", x.name, phrase, used, c.Warnings)
					case !differs && (again || told):
						alarms++
						t.Errorf("%s: %q is held against %s: %q", x.name, phrase, used, c.Warnings)
					}
				}
			}
		}
		t.Logf("%s: %d wordings, %d missed, %d false alarms, %d without a preset", x.name, len(x.list), missed, alarms, unknown/4)
	}
}

// Nobody is asked for, and nobody or somebody is there.
func TestStudioBench_Absence(t *testing.T) {
	s, m := stage(t)
	var w wordings
	read(t, "wordings.json", &w)
	if len(w.Absence) != 20 {
		t.Fatalf("%d wordings of absence", len(w.Absence))
	}
	right, noticed := 0, 0
	for _, phrase := range w.Absence {
		for _, who := range [][]string{nil, {"Jonas"}, {"a passer-by"}} {
			a := capture.Answer{Prompt: phrase + ", " + strings.Join(who, " "), InView: who}
			again, told, c := m.isNoticed(s, pictures.CaptureRequest{Requested: phrase}, a)
			switch {
			case len(who) == 0 && (again || told):
				t.Errorf("%q with nobody is held against it: %q", phrase, c.Warnings)
			case len(who) == 0:
				right++
			case !again || !told:
				t.Errorf("%q with %s passes", phrase, who)
			default:
				noticed++
			}
		}
	}
	t.Logf("absence: %d of 20 let pass, %d of 40 noticed", right, noticed)
}

// order returns what a wrong answer was to answer, with an honest reading of it.
func (x mismatch) order(r presetReadings) (req pictures.CaptureRequest, a capture.Answer) {
	text, _ := x.Asked.(string)
	if shot, ok := x.Asked.(map[string]any); ok {
		text, _ = shot["shot_text"].(string)
		size, _ := shot["wanted_shot"].(string)
		angle, _ := shot["wanted_angle"].(string)
		req.Camera = storage.Camera{Shot: r.key(size), Angle: r.key(angle)}
		req.Order = &storage.ShotOrder{Action: text}
	}
	req.Requested = text
	read := r.Orders[text]
	a = capture.Answer{Prompt: x.Prompt, Shows: x.Shows, InView: x.InView, Shot: r.key(x.Shot), Angle: r.key(x.Angle),
		RequestedPeople: namedPeople(text), RequestedShot: read.Shot, RequestedAngle: read.Angle}
	if read.Everybody != "" {
		for _, name := range cast {
			a.RequestedPeople = append(a.RequestedPeople, capture.RequestedPerson{Words: read.Everybody, Name: name})
		}
	}
	return req, a
}

// Thirty requests and thirty sketches are answered with something else than they ask for. A model
// that does not say what the order asks for, or whom it has painted without a name, hides some.
func TestStudioBench_WrongOnPurpose(t *testing.T) {
	s, m := stage(t)
	var all struct{ Requests, Sketches []mismatch }
	var r presetReadings
	read(t, "wrong.json", &all)
	read(t, "readings.json", &r)
	if len(all.Requests) != 30 || len(all.Sketches) != 30 {
		t.Fatalf("%d requests and %d sketches", len(all.Requests), len(all.Sketches))
	}
	list := slices.Concat(all.Requests, all.Sketches)
	n, alarms, unread, unnamed := 0, 0, 0, 0
	for _, x := range list {
		req, a := x.order(r)
		who := r.Unnamed[x.Shows]
		if who != "" {
			a.InView = []string{who}
		}
		again, told, c := m.isNoticed(s, req, a)
		if again && told {
			n++
		} else {
			t.Errorf("%s: %q passes: %+v", x.Why, req.Requested, c.Wrote)
		}
		silent := a
		silent.RequestedPeople, silent.RequestedShot, silent.RequestedAngle = nil, "", ""
		if again, told, _ := m.isNoticed(s, req, silent); !again || !told {
			unread++
			t.Logf("hidden where the order is not read (%s): %q", x.Why, req.Requested)
		}
		right := a
		right.InView, right.Shot, right.Angle = nil, cmp.Or(req.Camera.Shot, a.RequestedShot), cmp.Or(req.Camera.Angle, a.RequestedAngle)
		right.Prompt = req.Requested
		for _, asked := range a.RequestedPeople {
			right.InView = append(right.InView, asked.Name)
			right.Prompt += " " + asked.Name
		}
		if again, told, c := m.isNoticed(s, req, right); again || told {
			alarms++
			t.Errorf("what was asked for is held against %q: %q", req.Requested, c.Warnings)
		}
		if who == "" {
			continue
		}
		a.InView = nil
		if again, told, _ := m.isNoticed(s, req, a); !again || !told {
			unnamed++
			t.Logf("hidden where in_view leaves out who has no name: %q", req.Requested)
		}
	}
	t.Logf("asked again and told: %d of %d, %d false alarms; hidden by an answer that does not say what the order asks for: %d,"+
		" by one that leaves out people without a name: %d", n, len(list), alarms, unread, unnamed)
}
