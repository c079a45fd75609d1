package demo

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A model that was asked to misbehave does so in the ways that were named, and goes on from
// what stays of its reply.
func TestUnruly(t *testing.T) {
	say := func(line, kept string, take int) string {
		msgs := []storage.Node{{Role: storage.System, Content: "You play Tove; Ada Brandt is played by somebody real, who writes the other turns."}, {Role: storage.User, Content: line}}
		if kept != "" {
			msgs = append(msgs, storage.Node{Role: storage.Assistant, Content: kept})
		}
		text, ok := unruly(msgs, take)
		if !ok {
			return "-"
		}
		return text
	}
	for line, want := range map[string]string{
		"misbehave phrases":       "a shiver runs up her spine",
		"Please MISBEHAVE: user!": "User: I take the lamp",
		"misbehave template":      "<|im_start|>user",
		"misbehave speaker":       "Bo: Then let me",
		"misbehave language":      "Она уходит с лампой",
		"misbehave list":          "60. the rope",
		"misbehave":               "User: I take the lamp",
		"behave":                  "-",
	} {
		if got := say(line, "", 0); !strings.Contains(got, want) {
			t.Errorf("%q: %q", line, got)
		}
	}
	begin := calm[0][0] + calm[0][1] + " " + calm[1][0]
	for _, tc := range []struct {
		line, kept, want string
		take             int
	}{
		{"misbehave phrases", begin, calm[1][1] + " " + calm[2][0], 0},
		{"misbehave phrases stubborn", begin, stock[0], 1},
		{"misbehave phrases stubborn", begin, calm[1][1], 2},
		{"misbehave phrases hopeless", begin, stock[0], 9},
		{"misbehave phrases hopeless", begin + stock[0][:9], stock[0][9:], 0},
		{"misbehave phrases stubborn", begin + calm[1][1] + " " + calm[2][0][:12], calm[2][0][12:] + calm[2][1], 0},
		{"misbehave phrases stubborn", begin + calm[1][1] + " " + calm[2][0] + calm[2][1] + " " + calm[3][0][:10], calm[3][0][10:] + calm[3][1], 0},
		{"misbehave phrases", calm[0][0] + calm[0][1] + strings.Repeat(" She waits.", len(calm)-2) + " " + calm[len(calm)-1][0] + " a", " moment later," + calm[len(calm)-1][1], 1},
		{"misbehave user", begin + calm[1][1], " " + calm[2][0], 0},
	} {
		if got := say(tc.line, tc.kept, tc.take); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%q after %q goes on with %q, not %q", tc.line, tc.kept, got, tc.want)
		}
	}
}
