package text_test

import (
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

func TestFinder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		phrases []string
		in      string
		want    []string // what stands in the text
	}{
		{"a name", []string{"Mara"}, "MARA’S door; Maranatha. mara!", []string{"MARA", "mara"}},
		{"without an accent", []string{"José", "Zoe"}, "Jose and Zoë", []string{"Jose", "Zoë"}},
		{"several words", []string{"Anna Bell"}, "Anna\u00a0Bell's, Anna-Bell, Bell Anna, Anna", []string{"Anna\u00a0Bell", "Anna-Bell"}},
		{"one in another", []string{"Anna", "Anna Bell", "Bell"}, "Anna Bell", []string{"Anna", "Anna Bell", "Bell"}},
		{"an apostrophe within", []string{"O'Brien", "heure"}, "O’Brien’s, à l’heure", []string{"O’Brien", "heure"}},
		{"a phrase", []string{"can't help but"}, "She can’t *help* but smile", []string{"can’t *help* but"}},
		{"Japanese", []string{"田中", "マラ"}, "私は田中さんとマラです", []string{"田中", "マラ"}},
		{"Korean", []string{"마라"}, "마라는 갔다, 감마", []string{"마라"}},
		{"Russian", []string{"Мара"}, "МАРА ушла", []string{"МАРА"}},
		{"no words", []string{"", "…"}, "… Mara", nil},
		{"no phrases", nil, "Mara", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for m := range text.NewFinder(tt.phrases).Find(tt.in) {
				got = append(got, tt.in[m.From:m.To])
				if n := len(slices.Collect(text.NewFinder(tt.phrases[m.Phrase : m.Phrase+1]).Find(tt.in[m.From:m.To]))); n != 1 {
					t.Errorf("%q is not the phrase %q", tt.in[m.From:m.To], tt.phrases[m.Phrase])
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %q in %q, want %q", got, tt.in, tt.want)
			}
		})
	}
}

func FuzzFinder(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+5)%len(seeds)])
		f.Add(s+" and "+s, s)
	}
	f.Fuzz(func(t *testing.T, s, phrase string) {
		last := 0
		for m := range text.NewFinder([]string{"", phrase}).Find(s) {
			if m.Phrase != 1 || m.From < last || m.To <= m.From || m.To > len(s) {
				t.Fatalf("%q in %q: %+v after %d", phrase, s, m, last)
			}
			last = m.From
		}
	})
}
