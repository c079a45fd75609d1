package scene

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func harbourMerge() Merge {
	return Merge{User: "Robin", Char: "Mara", Records: []storage.Recap{
		{SceneName: "The boathouse", Atmosphere: "Cold.", Text: recapText([]string{"Mara waits in the boathouse"}, []string{"Mara swore never to sail again"}, nil, nil, []string{"The debt falls due on Friday"}),
			Sources: []storage.Source{{Bullet: "Mara swore never to sail again", Messages: []storage.NodeID{"b"}}}},
		{SceneName: "The pier", Atmosphere: "Windy.", Text: recapText([]string{"Mara stands on the pier"}, []string{"The debt was paid"}),
			Sources: []storage.Source{{Bullet: "The debt was paid", Messages: []storage.NodeID{"e"}}}},
	}}
}

// The facts of the evening: [1] boathouse, [2] oath, [3] debt due, [4] pier, [5] paid.
func TestJoin_NothingIsForgottenSilently(t *testing.T) {
	for _, tt := range []struct {
		name, answer, text string
		dropped            []string
	}{
		{name: "an honest answer", answer: `{"scene_name": "From boathouse to pier", "recap": {"current_situation": [{"text": "Mara stands on the pier", "bullets": [4]}],
			"key_developments": [{"text": "Mara swore never to sail again", "bullets": [2]}, {"text": "The debt was paid", "bullets": [5]}]},
			"dropped": [{"fact": 1, "why": "she has left it"}, {"fact": 3, "why": "it is paid"}], "atmosphere": "Windy.", "emotional_beats": "None."}`,
			text:    recapText([]string{"Mara stands on the pier"}, []string{"Mara swore never to sail again", "The debt was paid"}, nil, nil, nil),
			dropped: []string{"Mara waits in the boathouse: she has left it", "The debt falls due on Friday: it is paid"}},
		{name: "a careless answer", answer: `{"scene_name": "", "recap": {"current_situation": [{"text": "Mara stands on the pier", "bullets": [4]}],
			"key_developments": [{"text": "The debt was paid", "bullets": [5]}, {"text": "Wolves howl in the hills", "bullets": [77]}]},
			"dropped": [{"fact": 3}], "atmosphere": "", "emotional_beats": ""}`,
			text: recapText([]string{"Mara stands on the pier"}, []string{"Mara waits in the boathouse", "Mara swore never to sail again", "The debt was paid"}, nil, nil, []string{"The debt falls due on Friday"})},
		{name: "only what changes", answer: `{"scene_name": "From boathouse to pier", "recap": {"current_situation": [], "key_developments": [], "dialogue_highlights": [], "tone_style": [],
			"pending_threads": []}, "dropped": [{"fact": 3, "why": "it is paid"}], "atmosphere": "Windy.", "emotional_beats": ""}`,
			text:    recapText([]string{"Mara stands on the pier"}, []string{"Mara waits in the boathouse", "Mara swore never to sail again", "The debt was paid"}, nil, nil, nil),
			dropped: []string{"The debt falls due on Friday: it is paid"}},
		{name: "no answer", answer: `{}`,
			text: recapText([]string{"Mara stands on the pier"}, []string{"Mara waits in the boathouse", "Mara swore never to sail again", "The debt was paid"}, nil, nil, []string{"The debt falls due on Friday"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := harbourMerge().Draft(mergeAnswer(t, tt.answer))
			if diff := cmp.Diff(Tidy(tt.text), Tidy(d.Text)); diff != "" {
				t.Error(diff)
			}
			var dropped []string
			for _, x := range d.Dropped {
				dropped = append(dropped, x.Bullet+": "+x.Why)
			}
			if diff := cmp.Diff(tt.dropped, dropped); diff != "" {
				t.Error(diff)
			}
			if d.SceneName == "" || d.Atmosphere != "Windy." {
				t.Errorf("%q, %q", d.SceneName, d.Atmosphere)
			}
		})
	}
}

// A fact that all records state stays once, with the sources of all of them.
func TestJoin_UnitesSourcesOfTheSameFact(t *testing.T) {
	j := harbourMerge()
	for i := range j.Records {
		j.Records[i].Text += "## Tone & Style\n- Terse\n"
		j.Records[i].Sources = append(j.Records[i].Sources, storage.Source{Bullet: "Terse", Messages: []storage.NodeID{storage.NodeID(rune('c' + i))}})
	}
	d := j.Draft(mergeAnswer(t, `{"recap": {}}`))
	want := storage.Source{Bullet: "Terse", Messages: []storage.NodeID{"c", "d"}}
	if strings.Count(d.Text, "Terse") != 1 || !slices.ContainsFunc(d.Sources, func(s storage.Source) bool { return cmp.Equal(s, want) }) {
		t.Errorf("%s\n%+v", d.Text, d.Sources)
	}
}

// What a joined bullet rests on is all that its facts rest on, the secret one included.
func TestJoin_UnitesSources(t *testing.T) {
	j := harbourMerge()
	for _, text := range []string{"Mara swore never to sail again, and the debt was paid", "No ship will carry her, and nothing is owed"} {
		d := j.Draft(mergeAnswer(t, `{"recap": {"current_situation": [{"text": "Mara stands on the pier", "bullets": [4]}],
			"key_developments": [{"text": "`+text+`", "bullets": [2, 5]}]}}`))
		want := storage.Source{Bullet: text, Messages: []storage.NodeID{"b", "e"}}
		if !slices.ContainsFunc(d.Sources, func(s storage.Source) bool { return cmp.Equal(s, want) }) {
			t.Errorf("%+v", d.Sources)
		}
	}
}
