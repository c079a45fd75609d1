package scene

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestPartial(t *testing.T) {
	for in, want := range map[string]string{
		"":                                                  "",
		"no JSON here":                                      "",
		`{"scene_name": "The la`:                            "",
		`{"scene_name": "x", "rec`:                          "",
		`{"recap": {"current_situ`:                          "",
		`{"recap": {"current_situation": [`:                 "",
		`{"recap": {"current_situation": [{"te`:             "",
		`{"recap": {"current_situation": [{"text": "`:       "",
		`{"recap": {"current_situation": [{"text": "Ma`:     "## Current Situation\n\n- Ma",
		`{"recap": {"current_situation": [{"text": "a\`:     "## Current Situation\n\n- a",
		`{"recap": {"current_situation": [{"text": "é\u00e`: "## Current Situation\n\n- é",
		`{"recap": {"current_situation": [{"text": "a\\`:    "## Current Situation\n\n- a\\",
		`{"recap": {"current_situation": [{"text": "# a\n- b", "messages": [1, 2`:                         "## Current Situation\n\n- a - b",
		`{"recap": {"current_situation": [], "key_developments": [{"messages": [1], "text": "a [1]"}, "b`: "## Key Developments\n\n- a\n- b",
		`{"recap": {"current_situation": [{"text": "a"}], "x": {"y": [1]}, "pending_threads": "- b\n- c`:  "## Current Situation\n\n- a\n\n## Pending Threads\n\n- b\n- c",
		"```json\n{\"recap\": \"## Tone & Style\\n- dry\\u001b":                                           "## Tone & Style\n- dry",
		`{"recap": "- The gate is sh`:                "- The gate is sh",
		`{"other": {"recap": "no"}, "recap": "yes"}`: "yes",
		`{"recap": null}`:                            "",
		`{"recap": [1, {"a": "b"}], "x": 1}`:         "",
	} {
		if got := Partial(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// While an answer grows, what is shown of it only grows.
func TestPartial_Grows(t *testing.T) {
	whole := strings.Replace(wholeAnswer, "## Pending Threads", "The crate is open", 1)
	a := readAnswer(t, whole)
	before := ""
	for i := range whole {
		now := Partial(whole[:i])
		if len(Bullets(now)) < len(Bullets(before)) {
			t.Fatalf("at %d: %q after %q", i, now, before)
		}
		before = now
	}
	shown, made := Bullets(Partial(whole)), Bullets(a.Draft(harbour()).Text)
	for i := range made {
		if shown[i].Text != made[i].Text || shown[i].Heading != made[i].Heading {
			t.Errorf("%+v was shown for %+v", shown[i], made[i])
		}
	}
}

func FuzzPartial(f *testing.F) {
	f.Add(wholeAnswer)
	f.Add(`{"recap": {"tone_style": ["a", {"text": "\ud83d`)
	f.Add(`{{{"recap":]}[[[{"text":`)
	f.Add(strings.Repeat(`{"recap":`, 500))
	f.Add(strings.Repeat(`[`, 5000))
	f.Fuzz(func(t *testing.T, text string) {
		for _, part := range []string{text, text[:len(text)/2], text[:len(text)*3/4]} {
			shown := Partial(part)
			if strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
				t.Fatalf("a control character in %q", shown)
			}
		}
		var a Answer
		if json.Unmarshal([]byte(text), &a) == nil && !a.Usable() && strings.Contains(Partial(text), "\n- ") && !strings.Contains(strings.ToLower(text), `"recap"`) {
			t.Fatalf("%q shows a recap of nothing", text)
		}
	})
}

func BenchmarkPartial(b *testing.B) {
	text := strings.Replace(wholeAnswer, `"tone_style": []`, `"tone_style": [`+strings.Repeat(`{"text": "A fact of some length, with names in it.", "messages": [1, 2]}, `, 100)+`"x"]`, 1)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Partial(text)
	}
}
