package keys

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// layouts are the letters of keyboards that do not write Latin ones, each beside the keys of a US
// keyboard that stand at their places.
var layouts = [][2]string{
	{"йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"}, // Russian
	{"іїєґў", "s]'\\o"}, // Ukrainian and Belarusian, beside the Russian ones
	{"ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"},                 // Greek
	{"קראטוןםפשדגכעיחלךףזסבהנמצתץ", "ertyuiopasdfghjkl;zxcvbnm,."},             // Hebrew
	{"ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظذ", "qwertyuiop[]asdfghjkl;'zxcvnm,./`"}, // Arabic
	{"پچکگی", "m];'d"}, // Persian, beside the Arabic ones
	{"ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm"}, // Korean
	{"ๆไพะรนยบลฟหกดเาสวงผปแอทมใฝ", "qwrtiop[]asdfgkl;'zxcvm,./"}, // Thai
	{"ქწერტყუიოპასდფგჰჯკლზხცვბნმ", "qwertyuiopasdfghjklzxcvbnm"}, // Georgian
}

// usKeys are the keys of a US keyboard, by the letters that stand at their places.
var usKeys = func() map[rune]rune {
	keys := map[rune]rune{}
	for _, l := range layouts {
		us := []rune(l[1])
		for i, r := range []rune(l[0]) {
			keys[r] = us[i]
		}
	}
	return keys
}()

// OnUS returns a key press with the key of a US keyboard as its BaseCode where the layout writes no
// Latin letters: as the terminal says, else as is usual for such a letter. Keys of Latin layouts are
// told by what is printed on them: their place would make ctrl+a of a French keyboard a ctrl+q.
func OnUS(k tea.KeyPressMsg) tea.KeyPressMsg {
	if k.Code < utf8.RuneSelf || unicode.Is(unicode.Latin, k.Code) {
		k.BaseCode = 0
		return k
	}
	lower := unicode.ToLower(k.Code)
	if k.BaseCode == 0 {
		k.BaseCode = usKeys[lower]
	}
	if k.BaseCode != 0 && lower != k.Code {
		k.Mod |= tea.ModShift
	}
	return k
}

// TextOnUS returns what a key press that types a letter would type on a US keyboard, "" where that
// is not known or no other.
func TextOnUS(k tea.KeyPressMsg) string {
	switch {
	case k.BaseCode == 0 || k.Text == "":
		return ""
	case k.Mod.Contains(tea.ModShift):
		return strings.ToUpper(string(k.BaseCode))
	}
	return string(k.BaseCode)
}
