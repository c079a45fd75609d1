package lore

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeys_SplitOnCommasAndLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                             nil,
		" , \n,":                       nil,
		"inn":                          {"inn"},
		"inn, the Halfmoon,inn-keeper": {"inn", "the Halfmoon", "inn-keeper"},
		"inn\nlamp, rope":              {"inn", "lamp", "rope"},
		"/in{1,2}s?/i, lamp":           {"/in{1,2}s?/i", "lamp"},
		"/a[/,]b/, c":                  {"/a[/,]b/", "c"},
		"/a\\/,b/gi\nc":                {"/a\\/,b/gi", "c"},
		`"Hello, world", x`:            {"Hello, world", "x"},
		`"say \\"hi\\"", x`:            {`say "hi"`, "x"},
		"and/or, either":               {"and/or", "either"},
		"/usr/local, x":                {"/usr/local", "x"},
		"/a,b":                         {"/a", "b"},
		"/a/ b, c":                     {"/a/ b", "c"},
		`6" pipe, x`:                   {`6" pipe`, "x"},
	} {
		if got := SplitKeys(strings.ReplaceAll(text, `\\"`, `\"`)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// What the form shows of keys is read as the same keys, whatever they are.
func TestKeys_ComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{"inn", "a, b", "/x,y/i", `"q"`, `\\`, "/", "//", "/a", "a\nb", " a "}), rapid.StringN(1, 12, -1))).Draw(t, "keys")
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "" })
		if got := SplitKeys(JoinKeys(keys)); !slices.Equal(got, keys) {
			t.Fatalf("%q came back as %q", keys, got)
		}
	})
}
