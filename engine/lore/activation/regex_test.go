package activation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRegexLiteral(t *testing.T) {
	for key, want := range map[string][]string{
		"/a/": {"a", ""}, "/a/gim": {"a", "gim"}, `/a\/b/i`: {"a/b", "i"}, "/a/b/": nil, "//": nil, "/": nil, "///": nil, "a/b/": nil,
		"/a/x": nil, "/a": nil, "/a\nb/s": {"a\nb", "s"}, `/\//`: {"/", ""}, "/a//": nil,
	} {
		pattern, flags, ok := storage.RegexKey(key)
		if ok != (want != nil) || ok && (pattern != want[0] || flags != want[1]) {
			t.Errorf("%q: %q %q %v", key, pattern, flags, ok)
		}
	}
}

func TestScopeAndNeeds(t *testing.T) {
	for _, c := range []struct {
		key   string
		scope scope
		needs string
	}{
		{"/dragon/", inUnit, "[[dragon]]"},
		{"/Dragon(s|fly)?/i", inUnit, "[[dragon]]"},
		{"/drag(on|ster)/", inUnit, "[[drag]]"},
		{"/(?:elf|orc)[a-z]* king/", inUnit, "[[ king] [elf orc]]"},
		{"/red.*old/", inUnit, "[[red] [old]]"},
		{"/red\\s+old/", inRegion, "[[red] [old]]"},
		{"/red\\W+(?:\\w+\\W+){0,3}old/", inRegion, "[[red] [old]]"},
		{"/red(?:\\W+\\w+)*old/", inWindow, "[[red] [old]]"},
		{"/^red/", inWindow, "[[red]]"},
		{"/^red/m", inUnit, "[[red]]"},
		{"/red$/", inWindow, "[[red]]"},
		{"/red(?!\\s+old)/", inWindow, "[[red]]"},
		{"/red(?!ish)/", inUnit, "[[red]]"},
		{"/(\\s)red\\1/", inWindow, "[[red]]"},
		{"/[^]*/", inRegion, "[]"},
		{"/\\d+/", inUnit, "[]"},
		{"/red|\\d/", inUnit, "[]"},
		{"/straße/", inUnit, "[[stra]]"},
		{"/sun/iu", inUnit, "[[un]]"}, // ſ is an s there, and no s where text is folded
		{"/(?<=red)old/", inUnit, "[[old]]"},
		{"/red/y", inWindow, "[[red]]"},
	} {
		sp, ok, fault := parseKey(c.key, false, true)
		if !ok || !sp.regex || fault != "" {
			t.Fatalf("%s: %v %q", c.key, ok, fault)
		}
		got, fault := newChecker(sp)
		if fault != "" || got.scope != c.scope || fmt.Sprint(got.needs) != c.needs {
			t.Errorf("%s: scope %d, needs %v, fault %q", c.key, got.scope, got.needs, fault)
		}
	}
}

func FuzzKey(f *testing.F) {
	for _, key := range append(naiveKeys, naiveWords...) {
		f.Add(key, "the inn")
	}
	f.Add("/a/iu", "a")
	f.Add(`/[\u{1}-\u{fffff}]\p{L}/iu`, "a")
	f.Add(`/[\x/i`, "a")
	f.Fuzz(func(t *testing.T, key, text string) {
		if len(key) > 200 || len(text) > 200 {
			return
		}
		b := newBuilder()
		id, ok, fault := b.add(key, false, true)
		if !ok || fault != "" {
			if id != deadKey && id != blankKey && id != emptyKey {
				t.Fatalf("a key that is none has a number")
			}
			return
		}
		m := b.build()
		var seen marks
		hits := m.scan(&part{partKey: partKey{text: text}}, &seen)
		if id&isChecker == 0 {
			sp, _, _ := parseKey(key, false, true)
			if got, want := slices.Contains(hits, id), containsPlain(fold(text), &sp); got != want {
				t.Fatalf("%q in %q: %v, plainly %v", key, text, got, want)
			}
			return
		}
		c := m.checker(id)
		if yes, err := c.find(text); yes && err == nil && len(c.needs) > 0 {
			for set := range c.needs {
				if !slices.Contains(hits, id|uint32(set)) {
					t.Fatalf("%q matches %q without %q", key, text, c.needs[set])
				}
			}
		}
	})
}

func TestUndecoratedKeysKeepTheirOrder(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "b"}, keysOf([]string{"", "a", " ", "b", "\ufeff"}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	same := []string{"a", "b"}
	if got := keysOf(same); &got[0] != &same[0] {
		t.Error("keys without empty ones are copied")
	}
}

// What a regex needs is the same whether its case counts, but for letters of Unicode's that
// are equal to one of ASCII; and a run of letters of either case goes on over borders.
func TestRegex_NeedsWithoutCase(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"/\\bthe Inn of Qsaaab/i": "[[the inn of qsaaab]]",
		"/(?:lamp|Lantern)s/i":    "[[lamp lantern]]",
		"/xsy keeper/iu":          "[[y k] [per]]",
		"/çedille/i":              "[[edille]]",
	} {
		sp, ok, fault := parseKey(key, false, false)
		if !ok || fault != "" {
			t.Fatal(key, fault)
		}
		c, fault := newChecker(sp)
		if fault != "" {
			t.Fatal(key, fault)
		}
		if got := fmt.Sprint(c.needs); got != want {
			t.Errorf("%s needs %s, want %s", key, got, want)
		}
	}
	sp, _, _ := parseKey("/lamp[a-z\\n]+end/i", false, false)
	c, fault := newChecker(sp)
	if fault != "" || len(c.swallows) == 0 || !c.swallows[0]('A') || !c.swallows[0]('a') {
		t.Errorf("a run of letters does not take capitals: %q", fault)
	}
}
