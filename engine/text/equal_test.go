package text_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// pairs are texts that look alike to those who count words. The same ones are copies.
var pairs = []struct {
	name, a, b  string
	equal, copy bool
}{
	{"who did it to whom", "Mara killed Jonas in the mill", "Jonas killed Mara in the mill", false, false},
	{"as a short sentence", "Mara killed Jonas", "Jonas killed Mara", false, false},
	{"who is older", "Ines is older than Mara", "Mara is older than Ines", false, false},
	{"the same in other words, which is not for us to tell", "Mara is afraid of dogs", "Dogs scare Mara", false, false},
	{"two doors", "Cabin 3 is locked", "Cabin 4 is open", false, false},
	{"two numbers", "Cabin 3 is locked", "Cabin 4 is locked", false, false},
	{"two requests", "Would you draw me a map to the cave?", "What do you look like right now?", false, false},
	{"a hook and what points at it", "Ask Robin how Friday went", "To bring up when it fits: the open matter of Friday", false, false},
	{"a denial", "Mara has the key to the mill", "Mara has not the key to the mill", false, false},
	{"a question", "Mara is dead.", "Mara is dead?", false, true},
	{"an accent that makes another word", "Hablo con Mara", "Habló con Mara", false, true},
	{"a sign", "It is 5 degrees", "It is -5 degrees", false, true},
	{"percent", "It holds 10", "It holds 10%", false, true},
	{"a few words turned around in a long one",
		"On the evening of the third day Mara found Jonas in the old mill by the river and told him of the letter",
		"On the evening of the third day Jonas found Mara in the old mill by the river and told her of the letter", false, false},

	{"the same", "Mara killed Jonas", "Mara killed Jonas", true, true},
	{"case and a full stop", "mara killed jonas.", "Mara killed Jonas", true, true},
	{"marks of type", "- **Mara** _killed_ Jonas!", "* Mara killed `Jonas`", true, true},
	{"quotes and blanks", " “Mara  killed\nJonas” ", `"Mara killed Jonas."`, true, true},
	{"apostrophes and dashes", "Mara’s mill — burnt", "Mara's mill - burnt", true, true},
	{"width", "Ｍａｒａ killed Jonas", "Mara killed Jonas", true, true},
	{"accents apart", "Zoe\u0308 left", "Zoë left", true, true},
	{"sharp s", "Die STRASSE", "die Straße", true, true},
	{"headings and quotations", "## Mara left", "> > Mara left", true, true},
	{"Japanese", "「マラは行った。」", "マラは行った", true, true},
	{"signs alone", "***", " *** ", true, false},
	{"other signs", "***", "---", false, false},
	{"nothing", "", "  ", true, false},
}

func TestEqual(t *testing.T) {
	for _, tt := range pairs {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Equal(tt.a, tt.b); got != tt.equal {
				t.Errorf("Equal(%q, %q) = %v; %q and %q", tt.a, tt.b, got, text.Normalize(tt.a), text.Normalize(tt.b))
			}
		})
	}
}

func FuzzEqual(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
		f.Add(s, "“"+s+".”")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !text.Equal(a, a) {
			t.Errorf("%q is not equal to itself", a)
		}
		if text.Equal(a, b) != text.Equal(b, a) {
			t.Errorf("Equal(%q, %q) depends on the order", a, b)
		}
		if once := text.Normalize(a); text.Normalize(once) != once {
			t.Errorf("Normalize(%q) = %+q, again %+q", a, once, text.Normalize(once))
		}
	})
}
