package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func recapText(sections ...[]string) string {
	var b strings.Builder
	for i, s := range sections {
		b.WriteString("## " + headings[i] + "\n")
		for _, t := range s {
			b.WriteString("- " + t + "\n")
		}
	}
	return b.String()
}

func pier() Merge {
	return Merge{User: "Robin", Char: "Mara", Running: true, Records: []storage.Recap{
		{Text: recapText([]string{"Mara waits in the boathouse"}, []string{"Mara swore never to sail again", "The brass lantern was found"}, nil, nil,
			[]string{"The debt falls due on Friday"})},
		{Text: recapText([]string{"Mara stands on the pier"}, []string{"The debt was paid"})}}}
}

func mergeAnswer(t testing.TB, text string) *MergeAnswer {
	t.Helper()
	var a MergeAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

// What an answer does not mention stays as it was.
func TestMerge_NothingIsForgottenSilently(t *testing.T) {
	m := pier()
	a := mergeAnswer(t, `{"recap": {"current_situation": [{"text": "Mara stands on the pier", "bullets": [5]}], "key_developments": [{"text": "Mara paid the debt", "bullets": [6]}]},
		"dropped": [{"fact": 4, "why": "it is paid"}, {"fact": "99", "why": "x"}]}`)
	d := m.Draft(a)
	want := recapText([]string{"Mara stands on the pier"}, []string{"Mara waits in the boathouse", "Mara swore never to sail again", "The brass lantern was found", "Mara paid the debt"}, nil, nil, nil)
	if diff := cmp.Diff(Tidy(want), Tidy(d.Text)); diff != "" {
		t.Error(diff)
	}
	if len(d.Dropped) != 1 || d.Dropped[0].Bullet != "The debt falls due on Friday" || d.Dropped[0].Why != "it is paid" || d.Dropped[0].Heading != headings[4] {
		t.Errorf("%+v", d.Dropped)
	}
	whole := mergeAnswer(t, `{"recap": {"current_situation": [{"text": "Mara is on the pier", "bullets": [1, 5]}], "key_developments": ["Mara swore never to sail again.",
		{"text": "A lantern of brass was found, and the debt due on Friday is paid", "bullets": [3, 4, 6]}]}}`)
	want = recapText([]string{"Mara is on the pier"}, []string{"Mara swore never to sail again.", "A lantern of brass was found, and the debt due on Friday is paid"}, nil, nil, nil)
	if d := m.Draft(whole); Tidy(want) != Tidy(d.Text) || d.Dropped != nil {
		t.Errorf("everything is there: %s\n%+v", cmp.Diff(Tidy(want), Tidy(d.Text)), d.Dropped)
	}
}

// A line states every fact that it cites, in any words. A line that cites many facts does not
// displace lines that state one of them.
func TestMerge_WhatALineNamesIsTold(t *testing.T) {
	m := pier()
	a := mergeAnswer(t, `{"recap": {"current_situation": [{"text": "She is by the water, and light-hearted", "bullets": [1, 3, 5, 6, 2, 40, -1]}],
		"key_developments": [{"text": "No ship will ever carry her", "bullets": [2]}, {"text": "She is by the water, and light-hearted", "bullets": [4]}, {"text": "Wolves howl", "bullets": [41]}]}}`)
	d := m.Draft(a)
	want := recapText([]string{"She is by the water, and light-hearted"}, []string{"No ship will ever carry her"}, nil, nil, nil)
	if diff := cmp.Diff(Tidy(want), Tidy(d.Text)); diff != "" || d.Dropped != nil {
		t.Error(diff, d.Dropped)
	}
	same := mergeAnswer(t, `{"recap": {"current_situation": [{"text": "All is well", "bullets": [5, 1, 2]}, {"text": "All is well.", "bullets": [3, 4, 6]}]}}`)
	want = recapText([]string{"All is well"}, []string{"The brass lantern was found", "The debt was paid"}, nil, nil, []string{"The debt falls due on Friday"})
	if diff := cmp.Diff(Tidy(want), Tidy(m.Draft(same).Text)); diff != "" {
		t.Errorf("named by a line that says the same as another: %s", diff)
	}
}

// A fact that an answer states under two headings is kept under one.
func TestMerge_AFactIsToldOnce(t *testing.T) {
	m := pier()
	a := mergeAnswer(t, `{"recap": {"current_situation": [{"text": "Mara stands on the pier", "bullets": [5]}],
		"key_developments": [{"text": "Mara swore never to sail again", "bullets": [2]}, {"text": "The brass lantern was found", "bullets": [3]}, {"text": "The debt was paid", "bullets": [6]}],
		"dialogue_highlights": [{"text": "Mara: I swear I shall never sail again", "bullets": [2]}, {"text": "The debt was paid, and Mara stands on the pier", "bullets": [5, 6]}]},
		"dropped": [{"fact": 4, "why": "it is paid"}, {"fact": 1, "why": "she left"}]}`)
	want := recapText([]string{"Mara stands on the pier"}, []string{"Mara swore never to sail again", "The brass lantern was found", "The debt was paid"}, nil, nil, nil)
	if diff := cmp.Diff(Tidy(want), Tidy(m.Draft(a).Text)); diff != "" {
		t.Error(diff)
	}
}

func TestMerge_Parts(t *testing.T) {
	m := pier()
	var parts []storage.Recap
	for _, p := range m.Split() {
		if len(p.Prompt(prompts.BuiltIn())) == 0 {
			t.Error("a part without a prompt")
		}
		parts = append(parts, p.Concatenate())
	}
	d := JoinDrafts(parts)
	want := recapText([]string{"Mara stands on the pier"}, []string{"Mara waits in the boathouse", "Mara swore never to sail again", "The brass lantern was found", "The debt was paid"}, nil, nil,
		[]string{"The debt falls due on Friday"})
	if diff := cmp.Diff(Tidy(want), d.Text); diff != "" {
		t.Error(diff)
	}
	if len(d.Dropped) > 0 {
		t.Errorf("%+v", d.Dropped)
	}
}

// Whatever a model answers, each fact is stated, stays, or is dropped for a reason.
func TestMerge_Property(t *testing.T) {
	word := rapid.SampledFrom([]string{"lantern", "oath", "harbour", "letter", "wound", "friday", "stove", "keeper"})
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string, tag string) string {
			var sections [len(headings)][]string
			for i := range sections {
				for j := range rapid.IntRange(0, 3).Draw(t, label) {
					sections[i] = append(sections[i], fmt.Sprintf("%s%d%d the %s and the %s", tag, i, j, word.Draw(t, "a"), word.Draw(t, "b")))
				}
			}
			return recapText(sections[:]...)
		}
		m := Merge{Records: []storage.Recap{{Text: list("base", "b")}, {Text: list("next", "n")}}, Running: rapid.Bool().Draw(t, "running")}
		facts := m.facts()
		type bullet struct {
			Text    string `json:"text"`
			Bullets []int  `json:"bullets"`
		}
		answer := map[string]any{}
		sections := map[string][]bullet{}
		for range rapid.IntRange(0, 6).Draw(t, "bullets") {
			key := rapid.SampledFrom(sectionKeys[:]).Draw(t, "section")
			text := "the " + word.Draw(t, "c") + " again"
			if len(facts) > 0 && rapid.Bool().Draw(t, "copy") {
				text = facts[rapid.IntRange(0, len(facts)-1).Draw(t, "which")].text
			}
			sections[key] = append(sections[key], bullet{text, rapid.SliceOfN(rapid.IntRange(-1, len(facts)+2), 0, 4).Draw(t, "numbers")})
		}
		answer["recap"] = sections
		var dropped []map[string]any
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(facts)+1), 0, 3).Draw(t, "dropped") {
			dropped = append(dropped, map[string]any{"fact": n, "why": rapid.SampledFrom([]string{"", "over", "untrue"}).Draw(t, "why")})
		}
		answer["dropped"] = dropped
		raw, _ := json.Marshal(answer)
		var a MergeAnswer
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		d := m.Draft(&a)
		gone := map[string]bool{}
		for _, x := range d.Dropped {
			if x.Why == "" {
				t.Fatalf("%q is dropped without a reason", x.Bullet)
			}
			gone[x.Bullet] = true
		}
		for i, f := range facts {
			switch {
			case gone[f.text], strings.Contains(d.Text, "- "+f.text+"\n"), strings.HasSuffix(d.Text, "- "+f.text):
			default: // a bullet that cites it
				found := false
				for _, s := range a.body.sections {
					for _, it := range s {
						found = found || slices.Contains(it.numbers, i+1) && strings.Contains(d.Text, it.text)
					}
				}
				if !found {
					t.Fatalf("fact %d %q is gone:\n%s\n%s", i+1, f.text, raw, d.Text)
				}
			}
		}
	})
}

// What stays is kept whole, however long the user has made it.
func TestMerge_KeepsLongBulletsWhole(t *testing.T) {
	m := pier()
	long := strings.Repeat("She counted every plank of the pier. ", 40) + "Then came plank [12]"
	m.Records[0].Text = recapText(nil, []string{long})
	if d := m.Concatenate(); !strings.Contains(d.Text, "- "+long+"\n") {
		t.Errorf("cut:\n%s", d.Text)
	}
}
