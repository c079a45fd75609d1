package plist

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func shortly(hunks []Hunk) []string {
	sign := map[Change]string{Kept: "=", Added: "+", Removed: "-", Changed: "~"}
	var out []string
	for _, h := range hunks {
		s := sign[h.Kind]
		if h.Head {
			s = "#" + s
		}
		switch h.Kind {
		case Added:
			s += h.After
		case Changed:
			s += h.Before + " > " + h.After
		default:
			s += h.Before
		}
		out = append(out, s)
	}
	return out
}

func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"[character-Mara: keeper,  owes(Robin,\n 5), ]", []string{"keeper", "owes(Robin,\n 5)"}},
		{"", []string{}},
		{"Mara keeps the light. She owes Tom Reed 5.5 coins! “Never.” And so on…", []string{"Mara keeps the light.", "She owes Tom Reed 5.5 coins!", "“Never.”", "And so on…"}},
		{"- one\n* two\n\n---\n3. three", []string{"- one", "* two", "3. three"}},
		{"灯台守。静か！", []string{"灯台守。", "静か！"}},
		{"[a-b: c]\n[d-e: f]", []string{"[a-b: c]", "[d-e: f]"}},
	} {
		if d := cmp.Diff(tt.want, Facts(tt.in)); d != "" {
			t.Errorf("%q: %s", tt.in, d)
		}
	}
}

func TestSameFact(t *testing.T) {
	for _, p := range [][2]string{{"- Owes  (Robin,5).", "owes(robin, 5)"}, {"“Ay” don’t", "\"ay\" don't"}, {"借金（船）", "借金(船)"}} {
		if !SameFact(p[0], p[1]) {
			t.Errorf("%q and %q", p[0], p[1])
		}
	}
	if SameFact("owes(Robin)", "owes Robin") || SameFact("a b", "ab") {
		t.Error("facts that differ are the same")
	}
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"new entry", "", "[item-Key: iron, old]", []string{"#+item-Key", "+iron", "+old"}},
		{"changed details", "[character-Mara: hair(red), keeper, calm]", "[character-Mara: hair(black), keeper, owes(Robin), calm]",
			[]string{"#=character-Mara", "~hair(red) > hair(black)", "=keeper", "+owes(Robin)", "=calm"}},
		{"moved", "[item-K: a, b, c]", "[item-K: c, A., b]", []string{"#=item-K", "=a", "=b", "=c"}},
		{"renamed", "[character-the bartender: a]", "[character-Tom: a, c]", []string{"#~character-the bartender > character-Tom", "=a", "+c"}},
		{"gone", "[item-K: iron, found in the well]", "[item-K: iron]", []string{"#=item-K", "=iron", "-found in the well"}},
		{"other words", "[c-M: works at the Rusty Flagon, calm]", "[c-M: works at the harbour, calm]",
			[]string{"#=c-M", "~works at the Rusty Flagon > works at the harbour", "=calm"}},
		{"twice", "[i-K: a, a, b]", "[i-K: a, b]", []string{"#=i-K", "=a", "-a", "=b"}},
		{"sentences", "Mara keeps the light. She is calm.", "Mara keeps the light. It burns. She is calm!",
			[]string{"=Mara keeps the light.", "+It burns.", "=She is calm."}},
		{"other form", "Mara.", "[c-Mara: x]", []string{"~Mara. > [c-Mara: x]"}},
		{"nothing", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, shortly(Diff(tt.before, tt.after))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestApply(t *testing.T) {
	tests := []struct {
		name, before, after string
		take                string // a letter for each hunk: y is taken
		want                string
	}{
		{"one of two", "[c-M: hair(red),\n keeper]", "[c-M: hair(black), keeper, owes(Robin)]", "nnny", "[c-M: hair(red),\n keeper, owes(Robin)]"},
		{"the other", "[c-M: hair(red),\n keeper]", "[c-M: hair(black), keeper, owes(Robin)]", "nynn", "[c-M: hair(black),\n keeper]"},
		{"order stays", "[i-K: a, b, c]", "[i-K: c, x, b, a, y]", "nnynnn", "[i-K: a, y, b, c]"},
		{"the first goes", "[i-K: iron, old, big]", "[i-K: new one]", "nnynn", "[i-K: iron, big]"},
		{"new entry in part", "", "[i-K: iron, old, big]\n", "nynn", "[i-K: iron]\n"},
		{"new entry, second", "", "[i-K: iron, old]", "ynY", "[i-K: old]"},
		{"all but the name", "[c-the bartender: a]", "[c-Tom: a, b]", "nny", "[c-the bartender: a, b]"},
		{"nothing left", "[i-K: iron, old]", "[i-K: new one]", "nyyn", ""},
		{"sentences", "Mara keeps the light. She is calm.\n", "Mara keeps the light. It burns. She is calm.\nIt rains.", "nyn", "Mara keeps the light. It burns. She is calm.\n"},
		{"lines", "- one\n- two\n", "- one\n- zero\n- two\n- three\n", "nynn", "- one\n- zero\n- two\n"},
		{"too few", "[i-K: a]", "[i-K: a, b]", "", "[i-K: a]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := Diff(tt.before, tt.after)
			var take []bool
			for _, r := range tt.take {
				take = append(take, r == 'y' || r == 'Y')
			}
			if got := Apply(tt.before, tt.after, take); got != tt.want {
				t.Errorf("%v gave %q, want %q", shortly(h), got, tt.want)
			}
		})
	}
}

func drawContent(t *rapid.T, label string) string {
	facts := rapid.SliceOfN(rapid.SampledFrom([]string{"keeper", "Keeper ", "hair(red)", "hair(black, long)", "owes(Robin)", "owes(Robin, 5)", "calm", "calm at night", "x", "born in 1,200"}), 0, 6).Draw(t, label)
	switch rapid.IntRange(0, 4).Draw(t, label+" form") {
	case 0:
		return strings.Join(facts, rapid.SampledFrom([]string{"\n", ". A", ".\n- "}).Draw(t, label+" gap"))
	case 1:
		return rapid.StringOf(rapid.RuneFrom([]rune("aB.,[]()-:\n !"))).Draw(t, label+" wild")
	}
	return "[c-" + rapid.SampledFrom([]string{"Mara", "Tom"}).Draw(t, label+" name") + ":" + strings.Join(facts, rapid.SampledFrom([]string{",", ", ", " ,\n"}).Draw(t, label+" gap")) + "]" +
		rapid.SampledFrom([]string{"", "\n"}).Draw(t, label+" end")
}

func TestApply_AllIsAfterAndNoneIsBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawContent(t, "before"), drawContent(t, "after")
		h := Diff(before, after)
		if got := Apply(before, after, all(h, true)); got != after {
			t.Fatalf("all: %q to %q gave %q", before, after, got)
		}
		if got := Apply(before, after, all(h, false)); got != before {
			t.Fatalf("none: %q to %q gave %q", before, after, got)
		}
	})
}

func TestApply_PartsHoldWhatIsTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) string {
			return "[c-Mara: " + strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"keeper", "hair(red)", "hair(black)", "owes(Robin)", "calm", "blind", "from(Ulm, Bonn)"}), 1, 5, rapid.ID).Draw(t, label), ", ") + "]"
		}
		before, after := draw("before"), draw("after")
		h := Diff(before, after)
		take := rapid.SliceOfN(rapid.Bool(), len(h), len(h)).Draw(t, "take")
		var want []string
		for i, k := range h {
			if k.Head {
				continue
			}
			if text := k.Before; k.Kind != Kept && take[i] {
				if k.After != "" {
					want = append(want, k.After)
				}
			} else if text != "" {
				want = append(want, text)
			}
		}
		got := Facts(Apply(before, after, take))
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" && len(want)+len(got) > 0 {
			t.Fatalf("%q to %q taking %v: %s", before, after, take, d)
		}
	})
}

func TestTakeBack(t *testing.T) {
	tests := []struct {
		name, base, taught, now, want string
		ok                            bool
	}{
		{"nothing came after", "[c-M:  a ,b]", "[c-M: a, c]", "[c-M: a, c]", "[c-M:  a ,b]", true},
		{"a later fact stays", "[c-M: a]", "[c-M: a, owes(Robin)]", "[c-M: a, owes(Robin), blind]", "[c-M: a, blind]", true},
		{"a changed fact", "[c-M: hair(red), a]", "[c-M: hair(black), a]", "[c-M: hair(black), a, b]", "[c-M: hair(red), a, b]", true},
		{"changed again", "[c-M: hair(red), a]", "[c-M: hair(black), a]", "[c-M: hair(white), a, b]", "[c-M: hair(white), a, b]", false},
		{"a removed one comes back", "[c-M: a, poor, b]", "[c-M: a, b]", "[c-M: a, b, c]", "[c-M: a, poor, b, c]", true},
		{"unless it was replaced", "[c-M: a, hair(red), b]", "[c-M: a, b]", "[c-M: a, b, hair(black)]", "[c-M: a, b, hair(black)]", false},
		{"renamed", "[c-the bartender: a]", "[c-Tom: a, b]", "[c-Tom: a, b, c]", "[c-the bartender: a, c]", true},
		{"renamed again", "[c-the bartender: a]", "[c-Tom: a]", "[c-Tim: a, c]", "[c-Tim: a, c]", false},
		{"new entry with later facts", "", "[c-M: a, b]", "[c-M: a, b, c]", "[c-M: c]", true},
		{"new entry alone", "", "[c-M: a, b]", "[c-M: b, a]", "", true},
		{"nothing taught", "[c-M: a]", "[c-M: a]", "[c-M: a, b]", "[c-M: a, b]", false},
		{"rewritten by the user", "[c-M: a]", "[c-M: a, b]", "Mara is a.", "Mara is a.", false},
		{"free text", "Mara is calm.", "Mara is calm. Mara owes Robin.", "Mara is calm. Mara owes Robin. Mara left.", "Mara is calm. Mara left.", true},
		{"emptied", "[c-M: a]", "[c-M: a, b]", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Revert(tt.base, tt.taught, tt.now)
			if got != tt.want || ok != tt.ok {
				t.Errorf("%q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestTakeBack_IsTheReverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, taught, now := drawContent(t, "base"), drawContent(t, "taught"), drawContent(t, "now")
		if got, ok := Revert(base, taught, taught); got != base && base != taught || ok != (base != taught) {
			t.Fatalf("%q taught %q taken back at once: %q, %v", base, taught, got, ok)
		}
		got, ok := Revert(base, taught, now)
		if !ok && got != now {
			t.Fatal("nothing was taken back, and yet the content changed")
		}
		Rebase(base, taught, now)
	})
}

func TestTakeBack_LeavesWhatCameLater(t *testing.T) {
	facts := []string{"keeper", "hair(red)", "owes(Robin)", "calm", "blind", "from(Ulm, Bonn)"}
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOfNDistinct(rapid.SampledFrom(facts[:3]), 1, 3, rapid.ID).Draw(t, "base")
		added := rapid.SliceOfNDistinct(rapid.SampledFrom(facts[3:]), 1, 3, rapid.ID).Draw(t, "added")
		list := func(f ...[]string) string { return "[c-Mara: " + strings.Join(slices.Concat(f...), ", ") + "]" }
		later := []string{"lost the 12 swords"}
		got, ok := Revert(list(base), list(base, added), list(later, base, added))
		if !ok || got != list(later, base) {
			t.Fatalf("%q, %v", got, ok)
		}
	})
}

func TestCarry(t *testing.T) {
	full := "[c-M: a, hair(red), b, c, poor]"
	if got := Rebase("[c-M: hair(red), poor]", "[c-M: hair(black), hat(blue)]", full); got != "[c-M: a, hair(black), b, c, hat(blue)]" {
		t.Error(got)
	}
	if got := Rebase("", "New fact.", "Old fact"); got != "Old fact\nNew fact." {
		t.Error(got)
	}
	if got := Rebase("", "New fact.", "Old fact."); got != "Old fact. New fact." {
		t.Error(got)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("[c-M: a, b(c)]", "[c-M: b(d), e]", "[c-M: x]", uint64(5))
	f.Add("A b. C d.", "- A b.\n- x", "", uint64(1))
	f.Add("[c-M: ]", "[c-N: a]\n", "[c-M: a", uint64(3))
	f.Fuzz(func(t *testing.T, before, after, now string, mask uint64) {
		h := Diff(before, after)
		if got := Apply(before, after, all(h, true)); got != after {
			t.Fatalf("all: %q", got)
		}
		if got := Apply(before, after, all(h, false)); got != before {
			t.Fatalf("none: %q", got)
		}
		take := make([]bool, len(h))
		for i := range take {
			take[i] = mask>>(i%64)&1 == 1
		}
		part := Apply(before, after, take)
		if Valid(before) && Valid(after) && part != "" && !Valid(part) {
			t.Fatalf("%q to %q in part is %q", before, after, part)
		}
		Revert(before, after, now)
		Rebase(before, after, now)
	})
}
