package text_test

import (
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"ASCII", "mara killed jonas", "mara killed jonas"},
		{"case", "Mara KILLED Jonas", "mara killed jonas"},
		{"accents", "Café Zoë naïve Ångström", "cafe zoe naive angstrom"},
		{"accents apart", "Cafe\u0301", "cafe"},
		{"sharp s", "Straße STRASSE ẞ", "strasse strasse ss"},
		{"final sigma", "ΟΔΥΣΣΕΥΣ Ὀδυσσεύς", "οδυσσευσ οδυσσευσ"},
		{"Turkish", "İstanbul IŞIK ışık", "istanbul isik isik"},
		{"Vietnamese", "Nguyễn Đặng", "nguyen dang"},
		{"letters that are not taken apart", "Søren Łukasz Æsir Œuvre Þór Ħal", "soren lukasz aesir oeuvre thor hal"},
		{"Cyrillic", "Ёлка МОЙ мои́", "елка мой мои"},
		{"Hebrew points", "שָׁלוֹם", "שלום"},
		{"Arabic marks", "مُحَمَّد", "محمد"},
		{"kana keep their voice", "かぎ ガ", "かぎ ガ"},
		{"half width kana", "ｶﾞ", "ガ"},
		{"Hindi keeps its vowels", "कि के", "कि के"},
		{"Thai keeps its tones", "น้ำ", "น้ํา"},
		{"Hangul", "마라", "마라"},
		{"full width", "ＭＡＲＡ　３", "mara 3"},
		{"ligatures", "ﬁre", "fire"},
		{"apostrophes", "don’t don‘t donʼt don`t don´t", "don't don't don't don't don't"},
		{"quotes", "“a” „b‟ «c»", `"a" "b" "c"`},
		{"dashes", "a–b—c‑d−1", "a-b-c-d-1"},
		{"ellipsis", "well…", "well..."},
		{"spaces", "a\u00a0b\u202fc\u3000d", "a b c d"},
		{"what cannot be seen", "Ma\u00adra\u200b \ufeffJo\u200dnas", "mara jonas"},
		{"Cherokee", "Ꮔꮔ", "ꮔꮔ"},
		{"emoji", "❤️ ❤", "❤ ❤"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Fold(tt.in); got != tt.want {
				t.Errorf("Fold(%q) = %q (%+q), want %q (%+q)", tt.in, got, got, tt.want, tt.want)
			}
		})
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := text.Fold(s)
		if twice := text.Fold(once); twice != once {
			t.Errorf("Fold(%q) = %+q, folded again %+q", s, once, twice)
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("Fold(%q) = %q is not UTF-8", s, once)
		}
	})
}

// seeds are texts that have what the rules are about.
var seeds = []string{
	"", "Mara", "*She smiles.* \"Hello there…\" He waves — once. Mr. O’Brien paid 3.5 gold!",
	"Привет, мир! Ёлка.", "Ὀδυσσεύς", "私は田中マラさんです。はい！", "마라는 학교에 갔다.", "สวัสดีครับ", "हिन्दी में", "שָׁלוֹם",
	"İIıi ß ﬁ ½ ² ᾳ ŉ", "e\u0301\u0301 \u0301x", "a\xffb", "👩‍👩‍👧 ❤️ 🇩🇪", "a\r\n\r\nb", "_a_ b:c ~~d~~ `e`", "...", "((ooc))", "-- + > ## x",
	"\u0345 \u1fb3 \u03b1\u0345 \u0345\u034f", "❤﹏", "´\u0301", "’\u0301",
}
