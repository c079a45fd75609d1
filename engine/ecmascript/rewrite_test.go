package ecmascript

import (
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
	"pgregory.net/rapid"
)

func TestReadyMeansTheSame(t *testing.T) {
	atoms := []string{`.`, `\W`, `\S`, `\D`, `\w`, `[\W_]`, `[^\W_]`, `[\S ]`, `[^\S\n]`, `[\s\S]`, `[^]`, `[\w\W]`, `[\D\-a]`, `[a-c\W]`, `[^a-c\D]`, `a`, `Σ`, `\.`, `[.]`, `\\W`, `[\\W]`, `(?=\W)`, `[^.]`, `[\]\W]`, `[^^\W]`, `ſ`}
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 1, 4).Draw(t, "pattern"), rapid.SampledFrom([]string{"", "*", "+?", "|"}).Draw(t, "between"))
		options := regexp2.RegexOptions(regexp2.ECMAScript | regexp2.IgnoreCase)
		for _, o := range []regexp2.RegexOptions{regexp2.Singleline, regexp2.Unicode, regexp2.Multiline} {
			if rapid.Bool().Draw(t, "flag") {
				options |= o
			}
		}
		changed, fault := Normalize(pattern, options)
		if fault != "" {
			t.Fatal(fault)
		}
		a, errA := regexp2.Compile(pattern, options)
		b, errB := regexp2.Compile(changed, options)
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%s: %v, as %s: %v", pattern, errA, changed, errB)
		}
		if errA != nil {
			return
		}
		text := rapid.StringOf(rapid.RuneFrom([]rune("aAbB1_ -\n\r.\\]^WsSſkKΣσς\u2028é\x01"))).Draw(t, "text")
		type span struct{ at, length int }
		all := func(re *regexp2.Regexp) (out []span) {
			for m, _ := re.FindStringMatch(text); m != nil; m, _ = re.FindNextMatch(m) {
				out = append(out, span{m.RuneIndex, m.RuneLength})
			}
			return out
		}
		if x, y := all(a), all(b); !slices.Equal(x, y) {
			t.Fatalf("%s finds %v in %q, as %s %v", pattern, x, text, changed, y)
		}
	})
}

// Where case is ignored, no class may be left of which the engine tries every
// character.
func TestReadyLeavesNothingCostly(t *testing.T) {
	for _, pattern := range []string{`a.*b`, `\W\S\D`, `[\W_]+[^\W_]`, `[^\S\n]`, `[\s\S]`} {
		out, fault := Normalize(pattern, regexp2.ECMAScript|regexp2.IgnoreCase)
		if fault != "" {
			t.Fatal(fault)
		}
		tree, err := syntax.Parse(out, syntax.ParseOptions{RegexOptions: syntax.ECMAScript})
		if err != nil {
			t.Fatal(err)
		}
		var walk func(*syntax.RegexNode)
		walk = func(n *syntax.RegexNode) {
			if n.Set != nil && !n.Set.IsNegated() && !n.Set.IsAnything() && n.Set.CharIn(0x10000) && n.Set.CharIn(0x4e00) {
				t.Errorf("%s as %s still names nearly all characters: %s", pattern, out, n.Set.String())
			}
			for _, child := range n.Children {
				walk(child)
			}
		}
		walk(tree.Root)
	}
	for _, pattern := range []string{`[\u0000-\uffff][\u0000-\uffff][\u0000-\uffff]`, strings.Repeat("(", 100) + strings.Repeat(")", 100)} {
		if _, fault := Normalize(pattern, regexp2.ECMAScript|regexp2.IgnoreCase); fault == "" {
			t.Errorf("%.40s is taken", pattern)
		}
	}
}
