// Package studiobench measures whether a picture that is not what was asked for is noticed. A
// played model writes prompts in words that the program does not know, and says truthfully what it
// has written: what counts is whether it is asked again, and whether the user is told. What a
// wording means is said by who wrote it, in testdata.
//
//	go test ./engine/studiobench -v
package studiobench

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// wordings are sentences with the key of what they mean, and requests in which nobody is to be seen.
type wordings struct {
	Shot, Angle, Light [][2]string
	Absence            []string
}

func readWordings(t *testing.T) (w wordings) {
	t.Helper()
	data, err := os.ReadFile("testdata/wordings.json")
	enginetest.Must(t, err)
	enginetest.Must(t, json.Unmarshal(data, &w))
	for name, n := range map[string]int{"shot": len(w.Shot), "angle": len(w.Angle), "light": len(w.Light), "absence": len(w.Absence)} {
		if n != 20 {
			t.Fatalf("%d wordings of %s", n, name)
		}
	}
	return w
}

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
		if *v == "" {
			*v = capture.Other
		}
	}
	m.answer, m.asked = a, 0
}

// Answer implements rehearsal.Answer.
func (m *model) Answer(format json.RawMessage, _ []storage.Node) (string, bool) {
	if rehearsal.JobOf(format) != rehearsal.CaptureJob {
		return "", false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	data, err := json.Marshal(m.answer)
	return string(data), err == nil
}

// stage is a scene of two.
func stage(t *testing.T) (*enginetest.Stage, *model) {
	m := &model{}
	s := enginetest.NewStudio(t, func(o *enginetest.Setup) { o.House.Answer = m.Answer })
	return s, m
}

// noticed draws a picture and reports whether the model was asked again or the user is told.
func (m *model) noticed(s *enginetest.Stage, r pictures.CaptureRequest, a capture.Answer) (again, told bool, c storage.Capture) {
	m.play(a)
	c = s.Drafted(r)
	return m.asked > 1, len(c.Warnings)+len(c.Wrote.Notes) > 0, c
}

// Each wording is written once for the camera that was ordered, and once for another one.
func TestStudioBench_Cameras(t *testing.T) {
	s, m := stage(t)
	w := readWordings(t)
	for _, axis := range []struct {
		name string
		list [][2]string
		set  func(*storage.Camera, *capture.Answer) (ordered, used *string)
	}{
		{"shot", w.Shot, func(c *storage.Camera, a *capture.Answer) (*string, *string) { return &c.Shot, &a.Shot }},
		{"angle", w.Angle, func(c *storage.Camera, a *capture.Answer) (*string, *string) { return &c.Angle, &a.Angle }},
		{"light", w.Light, func(c *storage.Camera, a *capture.Answer) (*string, *string) { return &c.Lighting, &a.Light }},
	} {
		missed, alarms := 0, 0
		for i, x := range axis.list {
			another := axis.list[(i+len(axis.list)/2)%len(axis.list)][0]
			for _, key := range []string{x[0], another} {
				r := pictures.CaptureRequest{}
				a := capture.Answer{Prompt: "Tove and Robin. " + x[1], InView: []string{"Tove", "Robin"}}
				ordered, used := axis.set(&r.Camera, &a)
				*ordered, *used = key, x[0]
				again, told, c := m.noticed(s, r, a)
				switch wrong := key != x[0]; {
				case wrong && !(again && told):
					missed++
					t.Errorf("%s: %q passes for %s: %q", axis.name, x[1], key, c.Warnings)
				case !wrong && (again || told):
					alarms++
					t.Errorf("%s: %q is held against %s: %q", axis.name, x[1], key, c.Warnings)
				}
			}
		}
		t.Logf("%s: %d wordings, %d missed, %d false alarms", axis.name, len(axis.list), missed, alarms)
	}
}

// Thirty requests and thirty sketches are answered with something else than they ask for.
func TestStudioBench_WrongOnPurpose(t *testing.T) {
	s, m := stage(t)
	w := readWordings(t)
	var requests, sketches []pictures.CaptureRequest
	for _, text := range w.Absence {
		requests = append(requests, pictures.CaptureRequest{Requested: text})
	}
	for i := range 10 {
		requests = append(requests, pictures.CaptureRequest{Requested: fmt.Sprintf("Robin on step %d", i+1)})
	}
	for i := range 30 {
		shot := capture.Shots()[i%3].Key // far ones: the model comes near
		if i%2 == 0 {
			shot = "detail"
		}
		sketches = append(sketches, pictures.CaptureRequest{Requested: "a shot", Camera: storage.Camera{Shot: shot},
			Order: &storage.ShotOrder{Subject: "Robin's hand", Action: fmt.Sprintf("Robin's hand lays ring %d on the table.", i+1)}})
	}
	count := func(list []pictures.CaptureRequest, a capture.Answer) (n int) {
		for _, r := range list {
			if again, told, c := m.noticed(s, r, a); again && told {
				n++
			} else {
				t.Errorf("%q passes: %+v", r.Requested, c.Wrote)
			}
		}
		return n
	}
	n := count(requests, capture.Answer{Prompt: "Tove and a guest sit in a room.", Shows: "Two people in a room.", InView: []string{"Tove", "a guest"}})
	k := count(sketches, capture.Answer{Prompt: "Robin and Tove stand side by side.", Shows: "Two whole figures.", InView: []string{"Robin", "Tove"}, Shot: "medium"})
	t.Logf("asked again and told: %d of %d requests, %d of %d sketches", n, len(requests), k, len(sketches))
	right := 0
	for _, text := range w.Absence {
		if again, told, _ := m.noticed(s, pictures.CaptureRequest{Requested: text}, capture.Answer{Prompt: strings.ToUpper(text)}); !again && !told {
			right++
		}
	}
	if t.Logf("answered rightly and let pass: %d of %d", right, len(w.Absence)); right < len(w.Absence) {
		t.Errorf("%d of %d right answers pass", right, len(w.Absence))
	}
}
