package scene

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestTimes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []TimeCue
	}{
		"a header":                {"[Thursday, 3 March, evening]\n\nThe bell rings.", []TimeCue{{Text: "Thursday, 3 March, evening"}}},
		"a header with a place":   {"**The Old Mill — Midnight**\nShe waits.", []TimeCue{{Text: "The Old Mill — Midnight"}}},
		"keys":                    {"Location: Harbour | Time: 10 PM\nShe waits.", []TimeCue{{Text: "10 PM"}}},
		"a key alone":             {"**Time: 10 PM**\nShe waits.", []TimeCue{{Text: "10 PM"}}},
		"a pin":                   {"📍 Harbour | 🕒 10 PM\nShe waits.", []TimeCue{{Text: "10 PM"}}},
		"a screenplay":            {"INT. KITCHEN - NIGHT\nShe waits.", []TimeCue{{Text: "NIGHT"}}},
		"a count of days":         {"Day 4\n\nShe waits.", []TimeCue{{Text: "Day 4"}}},
		"a skip of its own":       {"*Three days later*\n\nShe waits.", []TimeCue{{Text: "Three days later", Skip: true}}},
		"a skip and its hour":     {"Three days later, at dusk, she waits.", []TimeCue{{Text: "Three days later, at dusk", Skip: true}}},
		"a skip in a sentence":    {"The next morning she waits.", []TimeCue{{Text: "The next morning", Skip: true}}},
		"a mark":                  {"[Time skip: three days]", []TimeCue{{Text: "Time skip  three days", Skip: true}}},
		"a mark at the end":       {"I nod and go home. (skip to the next morning)", []TimeCue{{Text: "skip to the next morning", Skip: true}}},
		"a mark in front":         {"[Thursday evening] The bell rings.", []TimeCue{{Text: "Thursday evening"}}},
		"at the end":              {"She nods.\n\n*An hour passes.*", []TimeCue{{Text: "An hour passes", Skip: true}}},
		"told of the past":        {"Last Thursday I saw a boat.", nil},
		"told":                    {"I saw a boat on Thursday evening, three days later it was gone.", nil},
		"spoken":                  {"“Three days later he was dead,” she says.", nil},
		"spoken, with a dash":     {"— Three days later he was dead.", nil},
		"asked":                   {"Three days later?", nil},
		"supposed":                {"Three days later would be too late.", nil},
		"nothing":                 {"", nil},
		"a fence":                 {"```\nTime: 10 PM\n```", nil},
		"a weekday in a sentence": {"Thursday is market day.", nil},
	} {
		got := Times(Message{Role: storage.Assistant, Name: "Mara", Text: c.text})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	long := Times(Message{Text: strings.Repeat("[Thursday]\n", 100_000)})
	if len(long) > maxCues {
		t.Errorf("%d cues of one message", len(long))
	}
}

func FuzzTimes(f *testing.F) {
	f.Add("[Thursday, 3 March, evening]\n\nThe bell rings. (skip to the next morning)")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range Times(Message{Text: s}) {
			if len(c.Text) > 4<<10 {
				t.Fatalf("a cue of %d bytes", len(c.Text))
			}
		}
	})
}
