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
		{"/drag(on|ster)/", inUnit, "[[drag] [on ster]]"},
		{"/(?:elf|orc)[a-z]* king/", inUnit, "[[ king] [elf orc]]"},
		{"/(?:elves|orcs)[a-z]* or/", inUnit, "[[elves orcs] [ or]]"},
		{"/red.*old/", inUnit, "[[red] [old]]"},
		{"/red\\s+old/", across, "[[red] [old]]"},
		{"/red\\W+(?:\\w+\\W+){0,3}old/", across, "[[red] [old]]"},
		{"/red(?:\\W+\\w+)*older/", inAll, "[[older] [red]]"},
		{"/^red/", inAll, "[[red]]"},
		{"/^red/m", inUnit, "[[red]]"},
		{"/red$/", inAll, "[[red]]"},
		{"/red(?!\\s+old)/", inAll, "[[red]]"},
		{"/red(?!ish)/", inUnit, "[[red]]"},
		{"/(\\s)red\\1/", inAll, "[[red]]"},
		{"/[^]*/", across, "[]"},
		{"/\\d+/", inUnit, "[]"},
		{"/red|\\d/", inUnit, "[]"},
		{"/straße/", inUnit, "[[stra]]"},
		{"/sun/iu", inUnit, "[[un]]"}, // ſ is an s there, and no s where text is folded
		{"/(?<=red)old/", inUnit, "[[old]]"},
		{"/red/y", inAll, "[[red]]"},
		// What a regex needs is the same whether its case counts, but for letters of
		// Unicode's that are equal to one of ASCII.
		{"/\\bthe Inn of Qsaaab/i", inUnit, "[[the inn of qsaaab]]"},
		{"/(?:lamp|Lantern)s/i", inUnit, "[[lamp lantern]]"},
		{"/xsy keeper/iu", inUnit, "[[y k] [per]]"},
		{"/çedille/i", inUnit, "[[edille]]"},
	} {
		sp, ok, fault := parseKey(c.key, false, true)
		if !ok || !sp.regex || fault != "" {
			t.Fatalf("%s: %v %q", c.key, ok, fault)
		}
		got, fault := newPattern(sp)
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
		var k keySet
		id, fault := k.add(map[spec]int32{}, key, false, true)
		if id < 0 {
			if fault != "" && id != neverMatches {
				t.Fatalf("a key with a fault has the number %d", id)
			}
			return
		}
		k.cased.ready()
		k.folded.ready()
		hits, p := k.find(text), k.patterns[id]
		if !p.tried {
			if got, want := slices.Contains(hits, id), containsPlain(fold(text), &p.spec); got != want {
				t.Fatalf("%q in %q: %v, plainly %v", key, text, got, want)
			}
			return
		}
		if yes, err := p.find(text); yes && err == nil && p.needs != nil && !slices.Contains(hits, id) {
			t.Fatalf("%q matches %q without %q", key, text, p.needs)
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
