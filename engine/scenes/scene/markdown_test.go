package scene

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestBullets(t *testing.T) {
	md := "Above.\n\n## Current Situation\n- one\n  goes on\n* two\n\n  - nested\n\nA paragraph\nof two lines.\n\n---\n\n## Other\n1. three\n\n**Tone and Style:**\n• four\n## Pending Threads\n- Current Situation is open\n-\n"
	want := []Bullet{
		{"", "Above.", 0},
		{"Current Situation", "one goes on", 3},
		{"Current Situation", "two", 5},
		{"Current Situation", "nested", 7},
		{"Current Situation", "A paragraph of two lines.", 9},
		{"", "three", 15},
		{"Tone & Style", "four", 18},
		{"Pending Threads", "Current Situation is open", 20},
	}
	if diff := cmp.Diff(want, Bullets(md)); diff != "" {
		t.Error(diff)
	}
	if Bullets("") != nil || Bullets("## Key Developments\n\n") != nil {
		t.Error("bullets out of nothing")
	}
}

func TestTidy(t *testing.T) {
	const empty = "## Current Situation\n\n## Key Developments\n\n## Dialogue Highlights\n\n## Tone & Style\n\n## Pending Threads"
	for name, c := range map[string]struct{ in, want string }{
		"nothing":     {"", empty},
		"whole":       {wholeText, wholeText},
		"other order": {"## Pending Threads\n- p\n## current_situation\n- c\r\n- d", strings.Replace(strings.Replace(empty, "Situation", "Situation\n\n- c\n- d", 1), "Threads", "Threads\n\n- p", 1)},
		"twice":       {"# Current Situation\n- a\n\n\n\n### CURRENT SITUATION:\n- b\n", strings.Replace(empty, "Situation", "Situation\n\n- a\n\n- b", 1)},
		"other text":  {"Mine.\n\n## Key Developments\n\n- k\n\n## Secrets\n- s\n", "Mine.\n\n" + strings.Replace(empty, "Developments", "Developments\n\n- k\n\n## Secrets\n- s", 1)},
		"controls":    {"## Tone & Style\n- a\x1b[31m\x00b\u202ec  \n", strings.Replace(empty, "Style", "Style\n\n- a [31m bc", 1)},
	} {
		got := Tidy(c.in)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if Tidy(got) != got {
			t.Errorf("%s: not tidy yet", name)
		}
	}
}

func TestSourcesOf(t *testing.T) {
	r := storage.Recap{Sources: []storage.Source{
		{Bullet: "The brass lantern belongs to the keeper", Messages: []storage.NodeID{"a"}},
		{Bullet: "Robin bandaged the bleeding hand himself", Messages: []storage.NodeID{"b", "c"}},
	}}
	for bullet, want := range map[string][]storage.NodeID{
		"The brass lantern belongs to the keeper":                 {"a"},
		"- **The brass lantern** belongs to the  keeper.":         {"a"},
		"The old brass lantern belongs to the keeper":             nil, // other words
		"Robin bandaged the bleeding hand":                        {"b", "c"},
		"The lantern":                                             nil,
		"Something else happened to the lantern near the harbour": nil,
		"": nil,
	} {
		if diff := cmp.Diff(want, SourcesOf(r, bullet)); diff != "" {
			t.Errorf("%q: %s", bullet, diff)
		}
	}
	// An edited bullet has the sources of the bullet that it replaced.
	r.Original = "- The brass lantern belongs to the keeper\n- Robin bandaged the bleeding hand himself"
	r.Text = "- The keeper's lantern is of brass\n- Robin bandaged the bleeding hand himself"
	if diff := cmp.Diff([]storage.NodeID{"a"}, SourcesOf(r, "The keeper's lantern is of brass")); diff != "" {
		t.Error(diff)
	}
}

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want string }{
		"the same":       {"a\nb", "a\nb", " a\n b\n"},
		"nothing":        {"", "", ""},
		"all new":        {"", "a\nb", "+a\n+b\n"},
		"all gone":       {"a\nb", "", "-a\n-b\n"},
		"in the middle":  {"a\nb\nc", "a\nx\nc", " a\n-b\n+x\n c\n"},
		"at the end":     {"a", "a\nb", " a\n+b\n"},
		"no end of line": {"a\nb\n", "a\nb", " a\n b\n"},
		"blank lines":    {"a\n\nb", "a\nb", " a\n-\n b\n"},
	} {
		var b strings.Builder
		for _, l := range Diff(c.a, c.b) {
			b.WriteString(string(l.Op) + l.Text + "\n")
		}
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", name, b.String(), c.want)
		}
	}
	long := strings.Repeat("a line that is long\n", 60_000)
	if n := len(Diff(long, "x\n"+long)); n == 0 || n > 30_000 {
		t.Errorf("%d lines of a huge text", n)
	}
}

func FuzzTidy(f *testing.F) {
	f.Add(wholeText, "- a")
	f.Add("# Key developments\n\n\n* * *\n\t- x\r\n## \n-", "b\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		tidy := Tidy(a)
		if Tidy(tidy) != tidy {
			t.Fatalf("not tidy:\n%q\n%q", tidy, Tidy(tidy))
		}
		if len(Bullets(tidy)) < len(Bullets(paragraphs(a))) {
			t.Fatalf("a bullet was lost: %q", a)
		}
		lines := strings.Split(tidy, "\n")
		for _, bullet := range Bullets(tidy) {
			if bullet.Text == "" || !strings.Contains(lines[bullet.Line], strings.Fields(bullet.Text)[0]) {
				t.Fatalf("bullet %+v is not on its line", bullet)
			}
		}
		var old, now []string
		for _, l := range Diff(a, b) {
			if l.Op != '+' {
				old = append(old, l.Text)
			}
			if l.Op != '-' {
				now = append(now, l.Text)
			}
		}
		if got := strings.Join(old, "\n"); strings.TrimRight(got, "\r\n") != strings.TrimRight(strings.ReplaceAll(a, "\r\n", "\n"), "\r\n") && !strings.Contains(a, "\r") {
			t.Fatalf("%q is not %q", got, a)
		}
		if got := strings.Join(now, "\n"); strings.TrimRight(got, "\r\n") != strings.TrimRight(b, "\r\n") && !strings.Contains(b, "\r") {
			t.Fatalf("%q is not %q", got, b)
		}
	})
}
