package activation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestDecorators(t *testing.T) {
	e := func(content string, edits ...edit) []storage.LoreEntry {
		return list(entry("inn", append([]edit{says(content)}, edits...)...))
	}
	length := func(n int) func(*Input) { return func(in *Input) { in.Length = n } }
	replies := func(n int) func(*Input) { return func(in *Input) { in.Replies = n } }
	checkRules(t, []rule{
		{name: "@@activate fires without a key", entries: e("@@activate\nx"), chat: []string{"x"}, fires: "inn"},
		{name: "@@activate does not make a disabled entry fire", entries: e("@@activate\nx", func(e *storage.LoreEntry) { e.Disabled = true }), chat: []string{"x"}},
		{name: "@@dont_activate never fires", entries: e("@@dont_activate\nx"), chat: []string{"inn"}, lost: "inn: decorator"},
		{name: "not even if it is constant", entries: e("@@dont_activate\nx", constant, keys("x")), chat: []string{"y x"}, lost: "inn: decorator"},
		{name: "@@activate wins over it", entries: e("@@dont_activate\n@@activate\nx"), chat: []string{"x"}, fires: "inn"},
		{name: "@@constant", entries: e("@@constant\nx"), chat: []string{"x"}, fires: "inn"},
		{name: "@@probability", entries: e("@@probability 40\nx"), chat: []string{"inn"}, in: rolls(0.5), lost: "inn: probability"},
		{name: "@@scan_depth", entries: e("@@scan_depth 1\nx"), chat: []string{"y", "inn"}},
		{name: "@@additional_keys asks for one more", entries: e("@@additional_keys red, old\nx"), chat: []string{"the inn"}, lost: "inn: decorator"},
		{name: "@@additional_keys is met", entries: e("@@additional_keys red, old\nx"), chat: []string{"the old inn"}, fires: "inn"},
		{name: "@@additional_keys asks constant entries too", entries: e("@@additional_keys red\nx", constant), chat: []string{"the inn"}, lost: "inn: decorator"},
		{name: "@@exclude_keys keeps out", entries: e("@@exclude_keys burnt,closed\nx"), chat: []string{"the inn is closed"}, lost: "inn: decorator"},
		{name: "@@exclude_keys that are not there", entries: e("@@exclude_keys burnt,closed\nx"), chat: []string{"the inn"}, fires: "inn"},
		{name: "@@activate_only_after counts replies", entries: e("@@activate_only_after 3\nx"), chat: []string{"inn"}, in: replies(2), lost: "inn: decorator"},
		{name: "@@activate_only_after enough", entries: e("@@activate_only_after 3\nx"), chat: []string{"inn"}, in: replies(3), fires: "inn"},
		{name: "@@activate_only_after takes half of the messages where replies are not known", entries: e("@@activate_only_after 3\nx"), chat: []string{"inn"}, in: length(5), fires: "inn"},
		{name: "@@activate_only_every", entries: e("@@activate_only_every 2\nx"), chat: []string{"inn"}, in: replies(3), lost: "inn: decorator"},
		{name: "@@activate_only_every at its turn", entries: e("@@activate_only_every 2\nx"), chat: []string{"inn"}, in: replies(4), fires: "inn"},
		{name: "@@is_greeting of another greeting", entries: e("@@is_greeting 1\nx"), chat: []string{"inn"}, lost: "inn: decorator"},
		{name: "@@is_greeting", entries: e("@@is_greeting 1\nx"), chat: []string{"inn"}, in: func(in *Input) { in.Greeting = 1 }, fires: "inn"},
		{name: "@@match_partial_word", entries: e("@@match_partial_word\nx"), chat: []string{"spinning"}, fires: "inn"},
		{name: "@@match_full_word", set: func(s *Settings) { s.WholeWords = false }, entries: e("@@match_full_word\nx"), chat: []string{"spinning"}},
	})
}

// What an entry keeps of having triggered is kept as a timed effect without end.
func TestDecoratorsAfterMatch(t *testing.T) {
	for decorator, want := range map[string]string{"keep_activate_after_match": "inn", "dont_activate_after_match": ""} {
		e := entry("inn", says("@@"+decorator+"\nx"))
		s := Compile([]Book{{ID: "book", Entries: list(e)}}, DefaultSettings()).NewScan()
		in := Input{Messages: chatOf("the inn"), Length: 4, Context: 4000}
		first := s.Activate(in)
		if names(first.Triggered) != "inn" || len(first.Effects) != 1 {
			t.Fatalf("%s: fired %q, effects %v", decorator, names(first.Triggered), first.Effects)
		}
		text := map[string]string{"inn": "nothing", "": "the inn"}[want]
		later := s.Activate(Input{Messages: chatOf(text), Length: 400, Context: 4000, Effects: first.Effects})
		if names(later.Triggered) != want {
			t.Errorf("%s: fired %q later; lost %s", decorator, names(later.Triggered), verdicts(later.Lost))
		}
		again := s.Activate(Input{Messages: chatOf("the inn"), Length: 4, Context: 4000, Effects: first.Effects})
		if names(again.Triggered) != "inn" {
			t.Errorf("%s: a swipe of the message does not take it back", decorator)
		}
	}
}

func TestUndecorate(t *testing.T) {
	for _, c := range []struct {
		name, content, left string
		depth               int // -1: none
		activate            bool
	}{
		{"nothing", "text", "text", -1, false},
		{"one", "@@depth 5\ntext", "text", 5, false},
		{"blank lines around are taken off", "\n@@depth 5\r\n\n@@activate\n\ntext\n", "text\n", 5, false},
		{"SillyTavern's own after another", "@@depth 5\n@@activate\ntext", "text", 5, true},
		{"SillyTavern's own with more in its line", "@@activate now\ntext", "text", -1, false},
		{"SillyTavern's own below an empty line", "\n@@activate\ntext", "\n@@activate\ntext", -1, false},
		{"a fallback of nothing", "@@@activate\ntext", "text", -1, false},
		{"SillyTavern's own as a fallback", "@@sing\n@@@activate\ntext", "text", -1, true},
		{"unknown ones are taken off", "@@sing loud\n@@depth 5\ntext", "text", 5, false},
		{"a fallback of what is not known", "@@sing\n@@@depth 5\ntext", "text", 5, false},
		{"a fallback of what is known", "@@activate\n@@@depth 5\ntext", "text", -1, true},
		{"the first known of a chain", "@@sing\n@@@hum\n@@@depth 5\n@@@activate\ntext", "text", 5, false},
		{"a fallback of a value that makes no sense", "@@depth deep\n@@@depth 5\ntext", "text", 5, false},
		{"the first of a name counts", "@@depth 5\n@@depth 6\ntext", "text", 5, false},
		{"a position wins over a depth", "@@depth 5\n@@position after_desc\ntext", "text", -1, false},
		{"a depth below 0 is the end", "@@depth -2\ntext", "text", 0, false},
		{"only before the content", "text\n@@depth 5", "text\n@@depth 5", -1, false},
		{"nothing but decorators", "@@activate", "", -1, true},
	} {
		d, left := parseDecorators(c.content)
		depth, activate := -1, false
		if d != nil {
			activate = d.activate
			if d.depth != nil {
				depth = *d.depth
			}
		}
		if left != c.left || depth != c.depth || activate != c.activate {
			t.Errorf("%s: left %q, depth %d, activate %v", c.name, left, depth, activate)
		}
	}
}

func TestDecoratedPlace(t *testing.T) {
	e := entry("inn", says("@@depth 5\n@@role user\nthe cellar"), func(e *storage.LoreEntry) { e.Position = storage.NoteTop })
	f := entry("old", says("@@position before_desc\nx"), func(e *storage.LoreEntry) { e.Position = storage.AtDepth })
	r := rule{entries: list(e, f), chat: []string{"inn old"}}
	_, got := r.run(t)
	if len(got.Triggered) != 2 {
		t.Fatal(names(got.Triggered))
	}
	a, b := got.Triggered[1], got.Triggered[0]
	if a.Position != storage.AtDepth || a.Depth != 5 || a.Role != storage.User || a.Text != "the cellar" || a.Entry.Content != "the cellar" {
		t.Errorf("%+v", a)
	}
	if b.Position != storage.BeforeChar {
		t.Errorf("%+v", b)
	}
	if Hash(&e) == "" {
		t.Error("no hash")
	}
}

func FuzzUndecorate(f *testing.F) {
	for _, seed := range []string{"@@depth 5\ntext", "@@a\n@@@b\n@@@depth 1\n\n@@role user\nx", "@@\n@@@\n@@@@x\n", "\r\n@@probability 1e9\n", "@@exclude_keys ,,\nx", "\r@@x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		d, left := parseDecorators(content)
		if !strings.HasSuffix(content, left) {
			t.Errorf("%q is no end of %q", left, content)
		}
		if d == nil && left != content {
			t.Errorf("%q lost something without decorators", content)
		}
		if again, rest := parseDecorators(left); again != nil || rest != left {
			t.Errorf("%q still has decorators", left)
		}
		if d != nil && utf8.ValidString(content) && !strings.Contains(content, "@@") {
			t.Errorf("decorators of %q", content)
		}
	})
}
