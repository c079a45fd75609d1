package keys

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// layouts are the letters of keyboards without Latin letters, each with the keys in the same
// positions on a US keyboard.
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

// usKeys maps letters to the keys in the same positions on a US keyboard.
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

// OnUS returns a key press with the key of a US keyboard as its BaseCode if the layout has no Latin
// letters. The terminal's BaseCode is used if there is one, else the usual layout of that letter.
// Keys of Latin layouts are identified by their labels: by position, ctrl+a of a French keyboard
// would be a ctrl+q.
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

// TextOnUS returns the character that a key press would type on a US keyboard, "" if it is unknown
// or the same.
func TextOnUS(k tea.KeyPressMsg) string {
	switch {
	case k.BaseCode == 0 || k.Text == "":
		return ""
	case k.Mod.Contains(tea.ModShift):
		return strings.ToUpper(string(k.BaseCode))
	}
	return string(k.BaseCode)
}
