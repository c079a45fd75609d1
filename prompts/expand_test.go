package prompts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func sample() Env {
	return Env{
		User: "Ben", Char: "Ada", Persona: "A tired sailor.", Description: "{{char}} keeps the light.",
		Personality: "dry", Scenario: "A storm nears {{user}}.", Examples: "<START>\n{{user}}: Hi\n<start>\n{{char}}: Yes?",
		CharPrompt: "Be {{char}}.", CharInstruction: "Stay terse.", CharDepth: "Salt in the air.",
		Greetings:   []string{"Hello, {{user}}.", "You again.", "Third."},
		CharVersion: "1.2", CreatorNotes: "For storms.", Original: "Ours for {{char}}.", Model: "tiny",
		LastMessage: "{{char}} raw", LastMessageID: "9", LastUserMessage: "from user", LastCharMessage: "from char",
		Input: "typed", Generation: "swipe", MaxPrompt: 7000, MaxContext: 8192, MaxReply: 1024,
		Now:          time.Date(2026, 3, 5, 7, 8, 9, 0, time.UTC),
		LastActivity: time.Date(2026, 3, 5, 5, 8, 9, 0, time.UTC),
		Seed:         "chat", Place: "main", Turn: "M9",
	}
}

func TestExpandEveryMacro(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{{user}} {{USER}} {{ User }}", "Ben Ben Ben"},
		{"{{char}}", "Ada"},
		{"{{persona}}", "A tired sailor."},
		{"{{description}}", "Ada keeps the light."},
		{"{{charDescription}}", "Ada keeps the light."},
		{"{{personality}}", "dry"},
		{"{{scenario}}", "A storm nears Ben."},
		{"{{mesExamples}}", "Ben: Hi\n\nAda: Yes?"},
		{"{{mesExamplesRaw}}", "<START>\nBen: Hi\n<start>\nAda: Yes?"},
		{"{{charPrompt}}", "Be Ada."},
		{"{{charInstruction}}", "Stay terse."},
		{"{{charJailbreak}}", "Stay terse."},
		{"{{charDepthPrompt}}", "Salt in the air."},
		{"{{charFirstMessage}}", "Hello, Ben."},
		{"{{greeting}}|{{greeting::1}}|{{greeting:2}}|{{greeting::9}}|{{greeting::-1}}", "Hello, Ben.|You again.|Third.||"},
		{"{{charVersion}} {{char_version}}", "1.2 1.2"},
		{"{{creatorNotes}}", "For storms."},
		{"{{model}}", "tiny"},
		{"{{original}}", "Ours for Ada."},
		{"{{group}} {{groupNotMuted}} {{charIfNotGroup}} {{notChar}}", "Ada Ada Ada Ben"},
		{"{{lastMessage}}", "{{char}} raw"},
		{"{{lastMessageId}} {{allChatRange}} {{firstDisplayedMessageId}}", "9 0-9 0"},
		{"{{lastUserMessage}}", "from user"},
		{"{{lastCharMessage}}", "from char"},
		{"{{lastGenerationType}}", "swipe"},
		{"[{{firstIncludedMessageId}}{{lastSwipeId}}{{currentSwipeId}}]", "[]"},
		{"{{input}}", "typed"},
		{"{{maxPrompt}} {{maxContext}} {{maxResponse}}", "7000 8192 1024"},
		{"{{maxPromptTokens}} {{maxContextTokens}} {{maxResponseTokens}}", "7000 8192 1024"},
		{"a{{newline}}b{{newline::2}}c", "a\nb\n\nc"},
		{"a{{space}}b{{space::3}}c", "a b   c"},
		{"a{{noop}}b", "ab"},
		{"a\n\n{{trim}}\r\n\nb", "ab"},
		{"a\n{{trim}}{{newline}}{{trim}}b", "ab"},
		{"a{{trim}}  x {{/trim}}b", "axb"},
		{"a{{// a remark with {{char}} }}b", "ab"},
		{"a{{//}}all of {{user}} this{{///}}b", "ab"},
		{"a{{comment: quiet}}b{{hidden_key:lamp}}c{{comment}}gone{{/comment}}d", "abcd"},
		{"a{{banned \"word\"}}b", "ab"},
		{"a{{outlet::lore}}b", "ab"},
		{"{{reverse::añ{{user}}}}", "neBña"},
		{"{{reverse:abc}} {{reverse abc}} {{reverse}}abc{{/reverse}}", "cba cba cba"},
		{"{{time}}", "7:08 AM"},
		{"{{time_UTC+2}} {{time::UTC-3}} {{time_UTC+5.5}}", "9:08 AM 4:08 AM 12:38 PM"},
		{"{{date}}", "March 5, 2026"},
		{"{{weekday}}", "Thursday"},
		{"{{isotime}} {{isodate}}", "07:08 2026-03-05"},
		{"{{datetimeformat::DD.MM.YYYY HH:mm [at] Do MMMM}}", "05.03.2026 07:08 at 5th March"},
		{"{{datetimeformat dddd h:mm a}}", "Thursday 7:08 am"},
		{"{{idleDuration}} {{idle_duration}}", "2 hours 2 hours"},
		{"{{timeDiff::2026-03-05 12:00::2026-03-05 10:00}}", "in 2 hours"},
		{"{{timeDiff::2026-01-01::2026-03-05}}", "2 months ago"},
		{"{{setvar::n::4}}{{incvar::n}}{{decvar::n}}{{addvar::n::2.5}}{{getvar::n}}{{getvar:n}}{{getvar n}}", "546.56.56.5"},
		{"{{hasvar::n}}{{setvar::n::x}}{{hasvar::n}}{{varexists::n}}{{deletevar::n}}{{hasvar::n}}", "falsetruetruefalse"},
		{"{{setvar::n::x}}{{flushvar::n}}[{{getvar::n}}]", "[]"},
		{"{{setvar::s::a}}{{addvar::s::b}}{{getvar::s}}{{getglobalvar::s}}", "ab"},
		{"{{setglobalvar::g::1}}{{addglobalvar::g::2}}{{incglobalvar::g}}{{decglobalvar::g}}{{getglobalvar::g}}{{hasglobalvar::g}}{{deleteglobalvar::g}}{{globalvarexists::g}}", "433truefalse"},
		{"{{setvar::v}} {{user}} was here {{/setvar}}{{getvar::v}}", "Ben was here"},
		{"{{setvar::a::b::c}}{{getvar::a}}", "b::c"},
		{"{{setvar::k::char}}{{ {{getvar::k}} }}", "{{ char }}"},
		{"{{if 1}}yes{{/if}}{{if 0}}no{{/if}}", "yes"},
		{"{{if {{getvar::none}}}}a{{else}}b{{/if}}", "b"},
		{"{{if !{{getvar::none}}}}a{{else}}b{{/if}}", "a"},
		{"{{if persona}}a{{else}}b{{/if}}{{if input}}c{{/if}}", "ac"},
		{"{{#if off}}a{{else}} b {{/if}}", " b "},
		{"{{if 1}}{{if 0}}x{{else}}y{{/if}}{{else}}z{{/if}}", "y"},
		{"{{if 0}}{{setvar::q::1}}{{/if}}[{{getvar::q}}]", "[]"},
		{"{{if::1::a::b}}{{if::false::a::b}}", "ab"},
		{"<USER> <bot> <Char> <GROUP> <START> <sigh> a<b", "Ben Ada Ada Ada <START> <sigh> a<b"},
	} {
		t.Run(c.in, func(t *testing.T) {
			if got, _ := Expand(c.in, sample()); got != c.want {
				t.Errorf("Expand(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// Every macro of SillyTavern's list, by its name, whether its value changes by
// itself, and a use of it that leaves nothing of it behind.
func TestEveryMacroIsKnown(t *testing.T) {
	plain := strings.Fields("user char persona description personality scenario mesExamples mesExamplesRaw charPrompt charInstruction charDepthPrompt " +
		"charFirstMessage greeting charVersion creatorNotes model original group groupNotMuted charIfNotGroup notChar firstIncludedMessageId lastSwipeId " +
		"currentSwipeId systemPrompt instructInput isMobile maxPrompt maxContext maxResponse newline space noop trim // comment")
	moving := strings.Fields("lastMessage lastMessageId allChatRange lastUserMessage lastCharMessage lastGenerationType input time date weekday isotime isodate idleDuration")
	uses := map[string]string{"greeting(n)": "{{greeting::1}}", "reverse": "{{reverse::ab}}", "pick": "{{pick::a::b}}", "timeDiff": "{{timeDiff::12:00::13:00}}",
		"outlet": "{{outlet::x}}", "if": "{{if 1}}a{{else}}b{{/if}}", "banned": "{{banned \"x\"}}", "hidden_key": "{{hidden_key:x}}", "comment": "{{comment: x}}", "//": "{{// x}}"}
	movingUses := map[string]string{"roll": "{{roll:2d6}}", "random": "{{random::a::b}}", "time_UTC": "{{time_UTC+2}}", "datetimeformat": "{{datetimeformat::YYYY}}", "input": "{{input}}"}
	for _, name := range plain {
		uses[name+"/"] = "{{" + name + "}}"
	}
	for _, name := range moving {
		movingUses[name] = "{{" + name + "}}"
	}
	for _, verb := range strings.Fields("set add inc dec get has delete") {
		for _, scope := range []string{"var", "globalvar"} {
			args := "::n"
			if verb == "set" || verb == "add" {
				args += "::1"
			}
			uses[verb+scope] = "{{" + verb + scope + args + "}}"
		}
	}
	for _, old := range strings.Fields("<USER> <BOT> <CHAR> <GROUP>") {
		uses[old] = old
	}
	check := func(name, use string, changes bool) {
		for _, in := range []string{use, strings.ToUpper(use), "{{reverse::" + use + "}}"} {
			got, volatile := Expand(in, sample())
			if strings.ContainsAny(got, "<{}") && !strings.Contains(name, "Raw") && name != "lastMessage" || len(volatile) > 0 != changes {
				t.Errorf("%s: %q gives %q, changes by itself: %q", name, in, got, volatile)
			}
		}
		frozen := sample()
		frozen.Frozen = true
		a, _ := Expand(use, frozen)
		frozen.LastMessage, frozen.LastMessageID, frozen.LastUserMessage, frozen.LastCharMessage = "1", "2", "3", "4"
		frozen.Input, frozen.Generation, frozen.LastActivity = "5", "6", frozen.LastActivity.Add(-time.Hour)
		if b, _ := Expand(use, frozen); a != b {
			t.Errorf("%s: frozen, it gives %q and %q", name, a, b)
		}
	}
	for name, use := range uses {
		check(name, use, false)
	}
	for name, use := range movingUses {
		check(name, use, true)
	}
}

func TestPlaceholders(t *testing.T) {
	e := sample()
	e.Placeholders = map[string]string{"memories": "{{char}} {hooks} <USER>", "hooks": "lamp"}
	e.Description = "of {hooks}"
	e.LastMessage = "{memories}"
	for _, c := range []struct{ in, want string }{
		{"{memories}|{Hooks}|{HOOKS}", "{{char}} {hooks} <USER>|lamp|lamp"},
		{"{memory} { hooks } {} { {hooks", "{memory} { hooks } {} { {hooks"},
		{"{{memories}} {{{hooks}}} {{char}}", "{{memories}} {{{hooks}}} Ada"},
		{"{{description}} {{lastMessage}} {{nosuch {hooks} }}", "of lamp {memories} {{nosuch lamp }}"},
		{"{{if 1}}{hooks}{{/if}}{{setvar::a::b {hooks} c}}{{getvar::a}}", "lampb lamp c"},
		{"<user> {\n} {" + strings.Repeat("x", 100) + "}", "Ben {\n} {" + strings.Repeat("x", 100) + "}"},
	} {
		if got, volatile := Expand(c.in, e); got != c.want || (volatile != nil) != strings.Contains(c.in, "lastMessage") {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	var met []string
	e.PlaceholderMet = func(name string) { met = append(met, name) }
	Expand("{HOOKS} {none} {memories}", e)
	if !slices.Equal(met, []string{"hooks", "memories"}) {
		t.Errorf("met %q", met)
	}
	e.Placeholders = nil
	if got, _ := Expand("{hooks} {{char}}", e); got != "{hooks} Ada" {
		t.Errorf("without placeholders: %q", got)
	}
}

func TestExpandKeepsUnknown(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{{nosuch}} {{user::x}}", "{{nosuch}} {{user::x}}"},
		{"{{nosuch::{{char}}}}", "{{nosuch::Ada}}"},
		{"{{a {{b {{user}} }} }}", "{{a {{b Ben }} }}"},
		{"{{{user}}}", "{Ben}"},
		{"{{{{user}}}}", "{{Ben}}"},
		{"{{user", "{{user"},
		{"{{ {{user}}", "{{ Ben"},
		{"user}} {{char}}}}", "user}} Ada}}"},
		{"{{}} {} { {{ }}", "{{}} {} { {{ }}"},
		{"{{/if}} {{else}} {{if x}}open", "{{/if}}  {{if x}}open"},
		{"{{time::nowhere}} {{time_UTCx}} {{newline::x}}", "7:08 AM {{time_UTCx}} {{newline::x}}"},
	} {
		if got, _ := Expand(c.in, sample()); got != c.want {
			t.Errorf("Expand(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestExpandDoesNotReadNamesOrMessagesAgain(t *testing.T) {
	e := sample()
	e.User, e.Input = "{{char}}<BOT>", "{{setvar::x::1}}::{{user}}"
	e.LastMessage = "a::b"
	got, _ := Expand("{{user}}|{{input}}|{{getvar::x}}|{{reverse::{{lastMessage}}}}", e)
	if want := "{{char}}<BOT>|{{setvar::x::1}}::{{user}}||b::a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExpandChance(t *testing.T) {
	e := sample()
	in := "{{random::a::b::c}}{{random:a,b,c}}{{random a\\,x}} {{roll:2d6+1}} {{roll d20}} {{roll::6}} {{pick::a::b::c}}{{pick:a,b,c}}"
	once, _ := Expand(in, e)
	if again, _ := Expand(in, e); again != once {
		t.Fatalf("the same env gave %q and %q", once, again)
	}
	if !strings.Contains(once, "a,x") {
		t.Errorf("%q: an escaped comma parted the list", once)
	}
	seen, picked := map[string]bool{}, map[string]bool{}
	for i := range 60 {
		e.Turn = fmt.Sprint(i)
		r, _ := Expand("{{random::a::b::c}}", e)
		p, _ := Expand("{{pick::a::b::c}}", e)
		seen[r], picked[p] = true, true
		var a, b int
		rolled, _ := Expand("{{roll:d4}} {{roll:3d1-5}}", e)
		if n, err := fmt.Sscanf(rolled, "%d %d", &a, &b); n != 2 || err != nil || a < 1 || a > 4 || b != -2 {
			t.Fatalf("rolled %q", rolled)
		}
	}
	if len(seen) != 3 {
		t.Errorf("random gave only %v over 60 turns", seen)
	}
	if len(picked) != 1 {
		t.Errorf("pick moved with the turn: %v", picked)
	}
	picked = map[string]bool{}
	for i := range 60 {
		e.Seed = fmt.Sprint("chat", i)
		p, _ := Expand("{{pick::a::b::c}}", e)
		picked[p] = true
	}
	if len(picked) != 3 {
		t.Errorf("pick gave only %v over 60 chats", picked)
	}
	if got, _ := Expand("[{{roll:x}}{{roll:9999d6}}{{random::}}{{pick:}}]", e); got != "[]" {
		t.Errorf("nonsense gave %q", got)
	}
}

func TestExpandGroup(t *testing.T) {
	e := sample()
	e.Group = []string{"Ada", "Cy"}
	if got, _ := Expand("{{group}}; {{charIfNotGroup}}; {{notChar}}; <GROUP>", e); got != "Ada, Cy; Ada, Cy; Cy, Ben; Ada, Cy" {
		t.Error(got)
	}
}

func TestExpandFrozen(t *testing.T) {
	e := sample()
	e.Frozen = true
	got, volatile := Expand("[{{lastMessage}}{{input}}] {{idleDuration}} {{date}} {{date}} {{roll:6}}", e)
	if !strings.HasPrefix(got, "[] a while March 5, 2026") {
		t.Error(got)
	}
	if want := []string{"lastMessage", "input", "idleDuration", "date", "roll"}; !slices.Equal(volatile, want) {
		t.Errorf("volatile %v, want %v", volatile, want)
	}
}

func TestVolatile(t *testing.T) {
	got := Volatile("{{if 0}}{{RANDOM::{{time_UTC+1}}::b}}{{/if}}{{pick::a}}{{user}} {{idle_duration}}")
	if want := []string{"random", "time", "idleDuration"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestVarsLastFromOneTextToTheNext(t *testing.T) {
	e := sample()
	e.Vars = NewVars()
	Expand("{{setvar::a::1}}{{setglobalvar::b::2}}", e)
	if got, _ := Expand("{{getvar::a}}{{getglobalvar::b}}", e); got != "12" {
		t.Error(got)
	}
}

func TestExpandIsBounded(t *testing.T) {
	e := sample()
	e.Placeholders = map[string]string{"memories": strings.Repeat("m", 10_000)}
	e.Description = "{{description}}{{personality}}{{personality}}" // holds itself
	e.Personality = strings.Repeat("{{scenario}}{{persona}}", 40)
	e.Scenario = strings.Repeat("{{persona}}{{charPrompt}}", 40)
	e.Persona = strings.Repeat("{{charPrompt}}", 400)
	e.CharPrompt = strings.Repeat("x{{char}}", 400)
	bomb := "{{setvar::a::xxxxxxxxxxxxxxxx}}" + strings.Repeat("{{setvar::a::{{getvar::a}}{{getvar::a}}}}", 500) + strings.Repeat("{{getvar::a}}", 2000)
	for name, in := range map[string]string{
		"fields": "{{description}}", "variables": bomb,
		"newlines": strings.Repeat("{{newline::1000}}", 5000),
		"deep":     strings.Repeat("{{reverse::", 5000) + "x" + strings.Repeat("}}", 5000),
		"open":     strings.Repeat("{{", 400_000),
		"close":    strings.Repeat("}}", 400_000),
		"scopes":   strings.Repeat("{{if 1}}{{trim}}", 30_000) + strings.Repeat("{{/if}}", 30_000),
		"marks":    strings.Repeat("<user>", 200_000),
		"braces":   strings.Repeat("{memories", 100_000),
		"places":   strings.Repeat("{memories}", 100_000),
		"dice":     strings.Repeat("{{roll::1000d6}}", 3000),
	} {
		out, _ := Expand(in, e)
		if limit := max(maxOutput, len(in)); len(out) > limit {
			t.Errorf("%s: %d bytes came out, more than %d", name, len(out), limit)
		}
	}
}

func TestExpandDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("{{reverse::", n) + "ab" + strings.Repeat("}}", n) }
	if got, _ := Expand(nested(maxNesting), Env{}); got != "ab" {
		t.Errorf("%d levels gave %q", maxNesting, got)
	}
	if got, _ := Expand(nested(maxNesting+1), Env{}); got != "{{reverse::ab}}" {
		t.Errorf("one level more gave %q", got)
	}
}

func TestExpandLeavesPlainTextAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("a{} <>\n\r:/é\u2603START"))).Draw(t, "text")
		s = strings.ReplaceAll(s, "{{", "{ ")
		if got, volatile := Expand(s, sample()); got != s || volatile != nil {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"{{user}} {{random::a::b}}", "{{if {{getvar::x}}}}a{{else}}b{{/if}}", "{{{{}}}}{{//}}{{///}}", "{{trim}}\n{{setvar::a}}b{{/setvar}}",
		"{{roll:999999999999999999999d9}}", "{{datetimeformat::[YYYY Do SSS}}", "{{timeDiff::x::2020-01-01}}", "{{incvar::}}{{incvar::1e400}}",
		"<user<user>>", "{{description}}{{original}}", "{{greeting::99999999999999999999}}", "\xff{{reverse::\xff\xc3}}", "{{#if}}{{/if}}",
		"{{space::-1}}{{newline::99999999}}", "{{time_UTC+nan}}{{time::UTC+1e9}}", "{{random:\\,,}}", "{{if::{{if 1}}::x{{/if}}::b}}",
		"{{.a = 1}}{{.a++}}{{$b ??= {{.a}}}}{{.a >= 2}}", "{{if !.a}}{{else}}{{user}}{{/user}}{{/if}}", "{{#setvar::a}}\n  x\n{{/setvar}}{{.a-=3}}",
		"{{if 1}}{{setvar::a}}x{{else}}y{{/setvar}}{{/if}}", `\{\{user\}\}`, "{{addvar::a::[1]}}{{addvar::a::\xff}}{{incvar::a}}", "{{ ! ? # > // / }}{{///}}",
		"{memories}{{reverse::{hooks}}}{Memories{hooks}", "{{description}}{{{hooks}}}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		env := sample()
		env.Original = s
		env.Placeholders = map[string]string{"memories": "{hooks}{memories}", "hooks": "é"}
		got, volatile := Expand(s, env)
		again, _ := Expand(s, env)
		if got != again {
			t.Fatalf("%q: two runs differ: %q, %q", s, got, again)
		}
		if len(got) > max(maxOutput, len(s)) {
			t.Fatalf("%d bytes from %d", len(got), len(s))
		}
		if !strings.ContainsAny(s, `{<\\`) && got != s {
			t.Fatalf("%q became %q", s, got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("%q became invalid: %q", s, got)
		}
		Unknown(s)
		named := Volatile(s)
		for _, v := range volatile {
			if !slices.Contains(named, v) && !strings.Contains(strings.ToLower(s), "if") {
				t.Fatalf("%q: met %s, but Volatile says %v", s, v, named)
			}
		}
	})
}

// Time must grow with the text and no faster: compare the lines' MB/s.
func BenchmarkExpand(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for name, unit := range map[string]string{"prose": "A line of prose about {{char}} and {{user}}.\n", "open": "{{", "nested": "{{reverse::{{user}}}}", "if": "{{if 1}}a{{/if}}"} {
			text := strings.Repeat(unit, n/len(unit))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Expand(text, sample())
				}
			})
		}
	}
}
