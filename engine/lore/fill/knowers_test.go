package fill

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type who = []storage.CharacterID

// marla returns an entry with a secret that only Ada knows; everybody knows the rest.
func marla() storage.LoreEntry {
	x := storage.NewLoreEntry()
	x.Content = "[character-Marla: runs(Gull Inn), hides in(boathouse)]"
	SetKnowers(&x, func(f string) []storage.CharacterID {
		if f == "hides in(boathouse)" {
			return who{"ada"}
		}
		return nil
	})
	return x
}

func knowing(x *storage.LoreEntry) map[string]who {
	out := map[string]who{}
	for _, f := range plist.Facts(x.Content) {
		out[f] = KnownTo(x, f)
	}
	return out
}

func TestNote(t *testing.T) {
	x := marla()
	if d := cmp.Diff(map[string]who{"runs(Gull Inn)": nil, "hides in(boathouse)": {"ada"}}, knowing(&x)); d != "" || !cmp.Equal(x.Witnesses, who{"ada"}) || SameKnowers(&x) {
		t.Errorf("%s\n%+v", d, x.Facts)
	}
	if got := KnownTo(&x, "what nothing is noted about"); !cmp.Equal(got, who{"ada"}) {
		t.Errorf("in doubt: %v", got)
	}
	SetKnowers(&x, func(string) []storage.CharacterID { return who{"bea", "ada"} })
	if !SameKnowers(&x) || !SameWitnesses(x.Witnesses, who{"ada", "bea"}) {
		t.Errorf("%+v", x)
	}
}

func TestInherit(t *testing.T) {
	old := marla()
	for content, want := range map[string]map[string]who{
		"[character-Marla: runs(Gull Inn, dear), hides in(boathouse, upstairs)]":        {"runs(Gull Inn, dear)": nil, "hides in(boathouse, upstairs)": {"ada"}},
		"[character-Marla: runs(Gull Inn), likes(cake), hides in(boathouse)]":           {"runs(Gull Inn)": nil, "likes(cake)": nil, "hides in(boathouse)": {"ada"}},
		"[character-Marla: runs(Gull Inn), is somebody who hides in the old boathouse]": {"runs(Gull Inn)": nil, "is somebody who hides in the old boathouse": {"ada"}},
		"[character-Marla: runs(Gull Inn)]":                                             {"runs(Gull Inn)": nil},
		"Marla runs the Gull Inn. She hides in the boathouse.":                          {"Marla runs the Gull Inn.": {"ada"}, "She hides in the boathouse.": {"ada"}},
		"[character-Marla: runs(Gull Inn), hides in(boathouse)":                         {"[character-Marla: runs(Gull Inn), hides in(boathouse)": {"ada"}},
	} {
		next := old
		next.Content = content
		InheritKnowers(&old, &next)
		if d := cmp.Diff(want, knowing(&next)); d != "" {
			t.Errorf("%s: %s", content, d)
		}
	}
}

func TestUnite(t *testing.T) {
	a, b := marla(), storage.NewLoreEntry()
	b.Content, b.Witnesses = "[character-Marla: hides in(boathouse), owes(Robin)]", who{"bea"}
	x := a
	x.Content = plist.Merge(a.Content, b.Content)
	x.Facts = append(x.Facts, b.Facts...)
	MergeKnowers(&x, &a, &b)
	if d := cmp.Diff(map[string]who{"runs(Gull Inn)": nil, "hides in(boathouse)": {"ada", "bea"}, "owes(Robin)": {"bea"}}, knowing(&x)); d != "" {
		t.Error(d)
	}
	KeepKnowers(&a, &x)
	if got := KnownTo(&x, "owes(Robin)"); !cmp.Equal(got, who{"ada"}) {
		t.Errorf("in doubt: %v", got)
	}
}

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		a, b who
		want bool
	}{
		{nil, who{"a"}, true}, {who{"a"}, nil, false}, {nil, nil, true}, {who{"a", "b"}, who{"b"}, true}, {who{"a"}, who{"b"}, false},
	} {
		if got := IncludesAll(tt.a, tt.b); got != tt.want {
			t.Errorf("%v, %v: %v", tt.a, tt.b, got)
		}
	}
}
