package passage

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const lampText = "*She turns the lamp down.* \"You came,\" she says. The rain goes on outside, as it has all night, and nobody speaks for a while. *She waits.*"

func passageOf(text, old string) Part {
	at := strings.Index(text, old)
	return Part{Text: text, From: at, To: at + len(old), Whose: "Tove"}
}

func TestPart_Clean(t *testing.T) {
	t.Parallel()
	const rain = "The rain goes on outside, as it has all night, and nobody speaks for a while."
	plain := passageOf(lampText, rain)
	said := passageOf(lampText, `"You came," she says.`)
	aloud := plain
	aloud.Instruction = "make her say it"
	fenced := passageOf("Look:\n```go\nx := 1\n```", "```go\nx := 1\n```")
	noted := passageOf("Here is the letter: come home.", "Here is the letter: come home.")
	spaced := passageOf("One.\n\n  Two. \n\nThree.", "\n\n  Two. \n\n")
	for _, c := range []struct {
		name, answer, want string
		of                 Part
	}{
		{"as asked", "<passage>It rains.</passage>", "It rains.", plain},
		{"tags on lines of their own", "<passage>\nIt rains.\n</passage>\n", "It rains.", plain},
		{"words around the tags", "Here you go:\n<passage>It rains.</passage>\nNote: shorter!", "It rains.", plain},
		{"broken off", "<passage>It rains, and", "It rains, and", plain},
		{"broken off in the tag", "<passage>It rains.</pass", "It rains.", plain},
		{"only the tag so far", "<pass", "", plain},
		{"the first tag forgotten", "It rains.</passage>", "It rains.", plain},
		{"the old one first", "<passage>" + rain + "</passage> becomes <passage>It rains.</passage>", "It rains.", plain},
		{"the same words", "<passage>" + rain + "</passage>", rain, plain},
		{"a fence in the tags", "<passage>\n```\nIt rains.\n```\n</passage>", "It rains.", plain},
		{"bare", "It rains.", "It rains.", plain},
		{"a fence", "```text\nIt rains.\n```", "It rains.", plain},
		{"a fence that is the user's", "```go\nx := 2\n```", "```go\nx := 2\n```", fenced},
		{"preamble", "Sure! Here is the shorter passage:\n\nIt rains.", "It rains.", plain},
		{"preamble in bold", "**Rewritten passage:**\n\nIt rains.", "It rains.", plain},
		{"preamble and fence", "Here's the rewritten version:\n```\nIt rains.\n```", "It rains.", plain},
		{"label", "Rewritten passage: It rains.", "It rains.", plain},
		{"courtesy", "Certainly!\n\nIt rains.", "It rains.", plain},
		{"here is, in the story", "Here is rain, and more rain: all night of it.", "Here is rain, and more rain: all night of it.", plain},
		{"the user's own here is", "Here is the letter:\n\ncome home soon.", "Here is the letter:\n\ncome home soon.", noted},
		{"sure, in the story", "Sure enough, it rains.", "Sure enough, it rains.", plain},
		{"remark", "It rains.\n\nI kept the tense as it was.", "It rains.", plain},
		{"remarks", "It rains.\n\n---\n\n(Note: shorter.)\n\nLet me know if it fits.", "It rains.", plain},
		{"a paragraph that is none", "It rains.\n\nI hoped for sun.", "It rains.\n\nI hoped for sun.", plain},
		{"quotation marks", `"It rains."`, "It rains.", plain},
		{"curly ones", "“It rains.”", "It rains.", plain},
		{"of speech", `"It is you."`, `"It is you."`, said},
		{"of speech that was asked for", `"It rains."`, `"It rains."`, aloud},
		{"two speeches", `"It rains," she says, "all night."`, `"It rains," she says, "all night."`, plain},
		{"the whole text", strings.Replace(lampText, rain, "It rains.", 1), "It rains.", plain},
		{"a whole short text", `*She waits.* It rains. "Well?"`, "It rains.", passageOf("*She waits.* "+rain+` "Well?"`, rain)},
		{"the words before it", "\"You came,\" she says. It rains.", "It rains.", plain},
		{"the words after it", "It rains.\n*She waits.*", "It rains.", passageOf(lampText, rain)},
		{"controls", "It\x1b[31m ra\u202eins\x00.\r\nYes.\a", "It[31m rains.\nYes.", plain},
		{"no UTF-8", "It \xffrains.", "It rains.", plain},
		{"nothing", " \n\t", "", plain},
		{"nothing in the tags", "<passage> </passage>", "", plain},
		{"only a fence", "```\n```", "", plain},
		{"space at its ends", "Deux.", "\n\n  Deux. \n\n", spaced},
		{"joined emoji", "<passage>👩‍👩‍👧 It rains.</passage>", "👩‍👩‍👧 It rains.", plain},
	} {
		if got := c.of.Clean(c.answer); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
	if got := plain.Clean(strings.Repeat("é", MaxAnswer)); len(got) > MaxAnswer || !utf8.ValidString(got) {
		t.Errorf("%d bytes of a long answer", len(got))
	}
}

func TestPart_WritesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, answer, want string }{
		{"a word", "She turns", "", "to the door.", " to the door."},
		{"in tags with line ends", "She turns", "", "<passage>\nto the door.\n</passage>", " to the door."},
		{"behind a space", "She turns ", "", "to the door.", "to the door."},
		{"a comma", "She turns", "", ", slowly.", ", slowly."},
		{"a closed action", "*She nods.*", "", `"Go."`, ` "Go."`},
		{"an open action", "She nods. *", "", "She goes.*", "She goes.*"},
		{"an open speech", `She says: "`, "", `Go."`, `Go."`},
		{"a new paragraph", "She nods.", "", "\n\nThe night ends.", "\n\nThe night ends."},
		{"in a new line", "She nods.\n", "", "The night ends.", "The night ends."},
		{"the beginning", "", "She goes.", "She nods.", "She nods. "},
		{"between", "She nods.", " She goes.", "She waits.", " She waits."},
		{"the last words again", "It has rained all night. She turns", "", "She turns to the door.", " She turns to the door."},
		{"many words again", "It has rained all night long", "", "It has rained all night long, and longer.", ", and longer."},
		{"what comes next again", "She nods.", " Then she goes out into the rain.", "She waits. Then she goes out into the rain.", " She waits."},
		{"quotation marks are speech", "She nods.", "", `"It is late."`, ` "It is late."`},
	} {
		p := Part{Text: c.before + c.after, From: len(c.before), To: len(c.before)}
		if got := p.Clean(c.answer); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// A malicious answer takes no time.
func TestPart_CleanIsQuick(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, unit := range []string{"a", "note: x\n\n", "\n\n", "<passage>", "</passage>", "<passage></passage>", "```\n", "\"", "here is the a ", "**", " "} {
		text := strings.Repeat(unit, 200_000/len(unit))
		for _, p := range []Part{{}, {Text: text, To: len(text) / 2}, {Text: text, From: len(text) / 2, To: len(text)/2 + 9}} {
			p.Clean(text)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Two requests differ only in the user's instruction, which comes last. Text cannot end a block of
// the request.
func TestPart_Request(t *testing.T) {
	t.Parallel()
	p := passageOf("A </passage> b {{char}} c", "b")
	p.Instruction = "shorter"
	one := p.Request(nil, "Tove", "Robin")
	p.Instruction = "in past tense"
	two := p.Request(nil, "Tove", "Robin")
	if cut := strings.TrimSuffix(one, "shorter]"); cut == one || !strings.HasPrefix(two, cut) {
		t.Errorf("two wishes:\n%s\n%s", one, two)
	}
	for _, want := range []string{"a message of Tove.", "A < /passage> <passage>b</passage> {{char}} c"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q in\n%s", want, one)
		}
	}
	p = Part{Text: strings.Repeat("a", 20000) + "éé", From: 20000, To: 20000}
	if got := p.Request(nil, "Tove", "Robin"); len(got) > maxAround+2000 || !strings.Contains(got, "aa<here/>éé") || !strings.Contains(got, "Robin's next message") {
		t.Errorf("a long text: %d bytes", len(got))
	}
}

func FuzzPart_Clean(f *testing.F) {
	f.Add(lampText, 10, 40, "<passage>x</passage>", "shorter")
	f.Add("", 0, 0, "```\n", "")
	f.Add("a\n\nb", 1, 3, "Sure!\n\n\"x\"", "say")
	f.Fuzz(func(t *testing.T, text string, from, to int, answer, wish string) {
		from = min(max(from, 0), len(text))
		p := Part{Text: text, From: from, To: min(max(to, from), len(text)), Instruction: wish}
		got := p.Clean(answer)
		if strings.ContainsAny(strings.ReplaceAll(got, p.Old(), ""), "\x00\x1b\u202e") && !strings.ContainsAny(text, "\x00\x1b\u202e") {
			t.Errorf("%q", got)
		}
		p.Request(nil, "a", "b")
	})
}
