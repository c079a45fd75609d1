package regex

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func env() Env {
	return Env{Names: "Ann Robin", Macros: func() prompts.Env { return prompts.Env{User: "Ann", Char: "Robin (II)", Seed: "chat"} }}
}

// everywhere returns a script that changes all texts at every stage.
func everywhere(find, replace string) storage.RegexScript {
	return storage.RegexScript{Name: find, Find: find, Replace: replace, Places: slices.Clone(storage.RegexPlaces)}
}

func run(t *testing.T, stage Stage, text string, scripts ...storage.RegexScript) string {
	t.Helper()
	s := New(scripts, env(), NewCache(time.Minute))
	if f := s.Faults(); len(f) > 0 {
		t.Fatalf("%v", f)
	}
	p := s.Pass(stage)
	out, _ := p.Run(Text{Text: text, Place: storage.RegexReply, Depth: AnyDepth})
	if len(p.Cut()) > 0 {
		t.Fatalf("cut: %v", p.Cut())
	}
	return out
}

func TestReplacing(t *testing.T) {
	for _, c := range []struct{ find, replace, text, want string }{
		{"apple", "pear", "apple, apple", "pear, apple"},
		{"/apple/g", "pear", "apple, apple, Apple", "pear, pear, Apple"},
		{"/apple/gi", "**{{match}}**", "apple Apple", "**apple** **Apple**"},
		{"/a(b)(c)?/g", "[$0|$1|$2|$3|$10]", "abc ab", "[abc|b|c||] [ab|b|||]"},
		{`/(?<first>\w+) (?<last>\w+)/`, "$<last> $<first>$<none>", "Robin Hood", "Hood Robin"},
		{`/(x)(?<n>y)(z)/`, "$1$2$3", "xyz", "xyz"}, // groups are counted in order of appearance
		{`/<status>[\s\S]*?<\/status>\n?/g`, "", "Hi.\n<status>\nHP 3\n</status>\nBye", "Hi.\nBye"},
		{`/^/gm`, "> ", "a\nb", "> a\n> b"},
		{`/x*/g`, "-", "axb", "-a--b-"},
		{`/a.b/s`, "!", "a\nb", "!"},
		{`/\p{L}+/gu`, "w", "Žluťoučký kůň", "w w"},
		{"/(?<=\\$)\\d+/", "9", "costs $35", "costs $9"},
		{"é", "e", "café 🎭 é", "cafe 🎭 é"},
		{"/a/b/", "c", "a/b", "c"}, // up to the last slash
		{"/a/y", "c", "/a/y a", "c a"},
		{"a\nb", "c", "a", "c"}, // text after a line break is ignored
		{"x", "$", "x", "$"},
		{"x", "$$1", "x", "$"},
		{"x", "{{user}} and {{char}}", "x", "Ann and Robin (II)"},
		{`/\[(\w+)\]/g`, "{{$1}}", "[user] [char]", "Ann Robin (II)"},
		{"/🎭/g", "mask", "🎭🎭", "maskmask"},
	} {
		if got := run(t, Prompt, c.text, everywhere(c.find, c.replace)); got != c.want {
			t.Errorf("%s by %q of %q is %q, not %q", c.find, c.replace, c.text, got, c.want)
		}
	}
}

func TestTrimmedTexts(t *testing.T) {
	s := everywhere(`/"(.*?)"/g`, "<q>$1</q>")
	s.Trim = []string{"le", "{{user}}", ""}
	if got := run(t, Prompt, `"apple, Ann"`, s); got != "<q>app, </q>" {
		t.Errorf("%q", got)
	}
}

func TestMacrosInPatterns(t *testing.T) {
	s := everywhere("/{{char}}/g", "X")
	text := "Robin (II), Robin II, {{char}}"
	for macros, want := range map[storage.RegexMacros]string{storage.RegexRaw: "Robin (II), X, {{char}}", storage.RegexEscaped: "X, Robin II, {{char}}"} {
		if s.Macros = macros; run(t, Prompt, text, s) != want {
			t.Errorf("%s: %q", macros, run(t, Prompt, text, s))
		}
	}
}

func TestWhereScriptsAct(t *testing.T) {
	deep := func(n int) *int { return &n }
	base := everywhere("a", "b")
	base.Places = []storage.RegexPlace{storage.RegexReply}
	acts := func(s storage.RegexScript, stage Stage, x Text) bool {
		x.Text = "a"
		out, by := New([]storage.RegexScript{s}, env(), NewCache(time.Minute)).Pass(stage).Run(x)
		if (out == "b") != (len(by) == 1) {
			t.Errorf("%q is changed by %v", out, by)
		}
		return out == "b"
	}
	reply := Text{Place: storage.RegexReply}
	for name, c := range map[string]struct {
		change              func(s *storage.RegexScript, x *Text)
		shown, sent, stored bool
	}{
		"neither":          {func(*storage.RegexScript, *Text) {}, true, true, true},
		"shown":            {func(s *storage.RegexScript, _ *Text) { s.DisplayOnly = true }, true, false, true},
		"sent":             {func(s *storage.RegexScript, _ *Text) { s.PromptOnly = true }, false, true, true},
		"both":             {func(s *storage.RegexScript, _ *Text) { s.DisplayOnly, s.PromptOnly = true, true }, true, true, true},
		"off":              {func(s *storage.RegexScript, _ *Text) { s.Off = true }, false, false, false},
		"elsewhere":        {func(_ *storage.RegexScript, x *Text) { x.Place = storage.RegexUser }, false, false, false},
		"edited":           {func(_ *storage.RegexScript, x *Text) { x.Edited = true }, false, false, true},
		"edited, on edit":  {func(s *storage.RegexScript, x *Text) { s.OnEdit, x.Edited = true, true }, true, true, true},
		"edited, and both": {func(s *storage.RegexScript, x *Text) { s.DisplayOnly, s.PromptOnly, x.Edited = true, true, true }, true, true, true},
		"foreign":          {func(_ *storage.RegexScript, x *Text) { x.Foreign = true }, false, false, true},
		"too new":          {func(s *storage.RegexScript, x *Text) { s.MinDepth, x.Depth = deep(2), 1 }, false, false, false},
		"deep enough":      {func(s *storage.RegexScript, x *Text) { s.MinDepth, x.Depth = deep(2), 2 }, true, true, true},
		"too deep":         {func(s *storage.RegexScript, x *Text) { s.MaxDepth, x.Depth = deep(2), 3 }, false, false, false},
		"not too deep":     {func(s *storage.RegexScript, x *Text) { s.MaxDepth, x.Depth = deep(2), 2 }, true, true, true},
		"continued":        {func(s *storage.RegexScript, x *Text) { s.MinDepth, x.Depth = deep(0), -1 }, false, false, false},
		"continued, -1":    {func(s *storage.RegexScript, x *Text) { s.MinDepth, x.Depth = deep(-1), -1 }, true, true, true},
		"no depth":         {func(s *storage.RegexScript, x *Text) { s.MinDepth, s.MaxDepth, x.Depth = deep(2), deep(3), AnyDepth }, true, true, true},
	} {
		s, x := base, reply
		c.change(&s, &x)
		if a, b, d := acts(s, Display, x), acts(s, Prompt, x), acts(s, Stored, x); a != c.shown || b != c.sent || d != c.stored {
			t.Errorf("%s: shown %v, sent %v, stored %v", name, a, b, d)
		}
	}
}

func TestScriptsActOneAfterAnother(t *testing.T) {
	list := []storage.RegexScript{everywhere("a", "b"), everywhere("x", "y"), everywhere("b", "c")}
	out, by := New(list, env(), NewCache(time.Minute)).Pass(Display).Run(Text{Text: "a", Place: storage.RegexReply})
	if out != "c" || !slices.Equal(by, []int{0, 2}) {
		t.Errorf("%q by %v", out, by)
	}
	if n := New([]storage.RegexScript{{MinDepth: new(int), Places: list[0].Places}}, env(), NewCache(0)).Window(Prompt); n != 0 {
		t.Errorf("a window of %d", n)
	}
}

// A script that takes too long is cut off, reported, and not tried forever; the others still run.
func TestCutOff(t *testing.T) {
	slow := everywhere(`/(a+)+$/`, "x")
	kept := NewCache(5 * time.Millisecond)
	set := New([]storage.RegexScript{slow, everywhere("/!/", "?")}, env(), kept)
	text := strings.Repeat("a", 40) + "!"
	for range maxStrikes + 1 {
		p := set.Pass(Prompt)
		for i := range 20 {
			out, by := p.Run(Text{Text: fmt.Sprint(text, i), Place: storage.RegexReply})
			if want := strings.Repeat("a", 40) + "?" + fmt.Sprint(i); out != want || !slices.Equal(by, []int{1}) {
				t.Fatalf("%q by %v", out, by)
			}
		}
		if why := p.Cut()[0]; !strings.Contains(why, "stopped") {
			t.Fatalf("%v", p.Cut())
		}
	}
	if why := kept.resting(set.list[0].sign); !strings.Contains(why, "disabled") {
		t.Errorf("it is tried again: %q", why)
	}
	if why := kept.resting(New([]storage.RegexScript{everywhere(`/(a+)+$/`, "y")}, env(), kept).list[0].sign); why != "" {
		t.Errorf("a changed one rests: %q", why)
	}
}

func TestTooMuchIsCutOff(t *testing.T) {
	p := New([]storage.RegexScript{everywhere("/a/g", strings.Repeat("x", 4096))}, env(), NewCache(time.Minute)).Pass(Display)
	if out, _ := p.Run(Text{Text: strings.Repeat("a", 4096), Place: storage.RegexReply}); len(out) != 4096 || !strings.Contains(p.Cut()[0], "longer than") {
		t.Errorf("%d bytes, %v", len(out), p.Cut())
	}
}

func TestFaults(t *testing.T) {
	for find, want := range map[string]string{"(": "not valid", "/a/gx": "no flag x", "": "no pattern", strings.Repeat("a", 5000): "longer than"} {
		s := New([]storage.RegexScript{everywhere(find, "")}, env(), NewCache(0))
		if got := s.Faults()[0]; !strings.Contains(got, want) {
			t.Errorf("%.10q: %q", find, got)
		}
		if out, by := s.Pass(Prompt).Run(Text{Text: "a(", Place: storage.RegexReply}); out != "a(" || by != nil {
			t.Errorf("%.10q acts: %q", find, out)
		}
	}
}

func TestUnstable(t *testing.T) {
	n := 3
	s := everywhere("a", "b")
	sentOnly := s
	sentOnly.PromptOnly = true
	for name, c := range map[string]struct {
		change func(s *storage.RegexScript)
		want   string
	}{
		"plain":       {func(*storage.RegexScript) {}, ""},
		"deep":        {func(s *storage.RegexScript) { s.MinDepth = &n }, "last 4 messages"},
		"near":        {func(s *storage.RegexScript) { s.MaxDepth = &n }, "last 5 messages"},
		"shown alone": {func(s *storage.RegexScript) { s.MaxDepth, s.PromptOnly, s.DisplayOnly = &n, false, true }, ""},
		"clock":       {func(s *storage.RegexScript) { s.Replace = "{{time}}" }, "{{time}}"},
		"names":       {func(s *storage.RegexScript) { s.Replace = "{{user}}" }, ""},
		"thinking":    {func(s *storage.RegexScript) { s.MaxDepth, s.Places = &n, []storage.RegexPlace{storage.RegexThinking} }, ""},
		"unread":      {func(s *storage.RegexScript) { s.Find = "{{time}}" }, ""},
		"in pattern":  {func(s *storage.RegexScript) { s.Find, s.Macros = "{{time}}", storage.RegexRaw }, "{{time}}"},
	} {
		s := sentOnly
		c.change(&s)
		if got := Unstable(s); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestHTMLIsShownAsText(t *testing.T) {
	for put, want := range map[string]string{
		`<span style="color:red">$1</span>`:                                   "hp 3",
		"<div class=x>\n  <b>Status</b>\n  <p>$1</p>\n</div>":                 "**Status**\nhp 3",
		"```html\n<!DOCTYPE html><head><title>t</title></head><p>$1</p>\n```": "hp 3",
		"<details><summary>More</summary>$1<br>x &amp; y</details>":           "More\nhp 3\nx & y",
		"<script>alert(1)</script><style>p{}</style><i>$1</i>":                "*hp 3*",
		"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>":     "a b\nc",
		"<div id=app></div><script>draw()</script>":                           "[hp 3]",
		"a < b": "a < b",
	} {
		s := everywhere(`/\[(.*?)\]/`, put)
		if got := run(t, Display, "[hp 3]", s); got != want {
			t.Errorf("%q: %q, not %q", put, got, want)
		}
	}
	s := everywhere(`/\[(.*?)\]/`, "<b>$1</b>")
	if got := run(t, Prompt, "[hp 3]", s); got != "<b>hp 3</b>" {
		t.Errorf("sent as %q", got)
	}
}

// If a script removes block tags, the words around them stay two words, and its other results are
// shown unchanged. A model gets exactly the script's result.
func TestShownKeepsWordsApart(t *testing.T) {
	const tags, details = `/<[^>]+>/g`, `/<details>[\s\S]*?<\/details>/g`
	for _, c := range []struct{ find, put, text, shown, sent string }{
		{tags, "", "Hello<p>there</p>you", "Hello there you", "Hellothereyou"},
		{tags, "", "one<br>two", "one two", "onetwo"},
		{tags, "", "one<br/><br/>two", "one two", "onetwo"},
		{tags, "", "<div>a</div><div>b</div>", "a b", "ab"},
		{tags, "", "<p>one</p>\n<p>two</p>", "one\ntwo", "one\ntwo"},
		{tags, "", "one <br> two", "one  two", "one  two"},
		{tags, "", "un<b>believ</b>able", "unbelievable", "unbelievable"},
		{tags, "", "你好<br>世界", "你好世界", "你好世界"},
		{details, "", "one.<details><summary>HP</summary>3</details>two", "one. two", "one.two"},
		{details, "", "<details>3</details>two", "two", "two"},
		{details, "", "one.<details>3</details>", "one.", "one."},
		{details, "[HP]", "one.<details>3</details>two", "one.[HP]two", "one.[HP]two"},
		{`/\s*<br>\s*/g`, "", "one <br> two", "one two", "onetwo"},
		{`/\s*\*\*\s*/g`, "", "one ** two", "onetwo", "onetwo"},
		{`/<p>(.*?)<\/p>/g`, "$1", "Hello<p>there</p>you", "Hello there you", "Hellothereyou"},
		{`/<q>(.*?)<\/q>/g`, "$1", "a<q>b</q>c", "abc", "abc"},
		{`/<br>(<p>x<\/p>)/g`, "$1", "a<br><p>x</p>b", "a <p>x</p>b", "a<p>x</p>b"},
		{`/<status>.*?<\/status>/g`, "", "one <status>3</status>two", "one two", "one two"},
		// HTML that a script inserts is shown as a browser shows it.
		{`/\[(.*?)\]/g`, "<div>$1</div>", "one[a][b]two", "one\na\nb\ntwo", "one<div>a</div><div>b</div>two"},
		{`/\[(.*?)\]/g`, "<br>", "one[a]two", "one\ntwo", "one<br>two"},
		{`/\[(.*?)\]/g`, "<b>$1</b>", "one[a]two", "one**a**two", "one<b>a</b>two"},
		{`/\[(.*?)\]/g`, "<p>$1</p>", "[a]", "a", "<p>a</p>"},
		{`/\[(.*?)\]/g`, "<p>$1</p>", "one\n[a]\ntwo", "one\na\ntwo", "one\n<p>a</p>\ntwo"},
		{`/\[(.*?)\]/g`, "<br>$1", "one [a] two", "one\na two", "one <br>a two"},
	} {
		s := everywhere(c.find, c.put)
		if got := run(t, Display, c.text, s); got != c.shown {
			t.Errorf("%s → %q shows %q as %q, not %q", c.find, c.put, c.text, got, c.shown)
		}
		for _, stage := range []Stage{Prompt, Stored} {
			if got := run(t, stage, c.text, s); got != c.sent {
				t.Errorf("%s → %q: %q is %s as %q, not %q", c.find, c.put, c.text, stage, got, c.sent)
			}
		}
	}
}

// A cached result is the same as a new one.
func TestKeptTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		find := rapid.SampledFrom([]string{"/a/g", "/(a)(b)?/gi", "b", "/a*/g", "/[^a]/g"}).Draw(t, "find")
		put := rapid.SampledFrom([]string{"", "$1", "x{{match}}", "{{user}}", "$2$1"}).Draw(t, "put")
		text := rapid.StringOf(rapid.RuneFrom([]rune("abAB é🎭\n"))).Draw(t, "text")
		kept := NewCache(time.Minute)
		set := New([]storage.RegexScript{everywhere(find, put)}, env(), kept)
		x := Text{Text: text, Place: storage.RegexReply}
		a, byA := set.Pass(Prompt).Run(x)
		b, byB := set.Pass(Prompt).Run(x)
		c, _ := New([]storage.RegexScript{everywhere(find, put)}, env(), NewCache(time.Minute)).Pass(Prompt).Run(x)
		if a != b || a != c || !slices.Equal(byA, byB) {
			t.Fatalf("%q, %q, %q", a, b, c)
		}
	})
}

func FuzzRun(f *testing.F) {
	for _, seed := range [][3]string{{"/a/g", "$1{{match}}", "aaa"}, {"({{user}})", "<b>$1</b>", "Ann"}, {"/(?<x>.)/gs", "$<x>", "é\n"}, {"/(a+)+$/", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaa!"}} {
		f.Add(seed[0], seed[1], seed[2], byte(2))
	}
	f.Fuzz(func(t *testing.T, find, put, text string, macros byte) {
		s := everywhere(find, put)
		s.Macros = []storage.RegexMacros{storage.RegexAsWritten, storage.RegexRaw, storage.RegexEscaped}[macros%3]
		_, _ = Check(s), Unstable(s)
		set := New([]storage.RegexScript{s}, env(), NewCache(0))
		for _, stage := range []Stage{Display, Prompt} {
			out, by := set.Pass(stage).Run(Text{Text: text, Place: storage.RegexUser})
			if len(out) > len(text)+2*MaxMade+len(put) {
				t.Fatalf("%d bytes of %d", len(out), len(text))
			}
			if len(by) == 0 && out != text {
				t.Fatalf("nobody made %q of %q", out, text)
			}
		}
	})
}

func BenchmarkPass200(b *testing.B) {
	var list []storage.RegexScript
	for _, find := range []string{`/<status>[\s\S]*?<\/status>/g`, `/"(.*?)"/g`, `/\*(.+?)\*/g`, `/\b(shivers? down)\b/gi`, `/\n{3,}/g`} {
		list = append(list, everywhere(find, "$0"))
	}
	text := strings.Repeat(`The *harbour* lay still. "Who goes there?" she said, and the gulls answered. `, 20)
	kept := NewCache(time.Minute)
	set := New(list, env(), kept)
	for name, cold := range map[string]bool{"cold": true, "warm": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if cold {
					clear(kept.texts)
				}
				p := set.Pass(Prompt)
				p.spent = -time.Hour
				for i := range 200 {
					p.Run(Text{Text: fmt.Sprint(text, i), Place: storage.RegexReply})
				}
			}
		})
	}
}
