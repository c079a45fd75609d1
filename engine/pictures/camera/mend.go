package camera

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// forms are the words of a choice in the forms that a phrase may have: a noun, said of
// the camera ("from below"), a thing that burns, an hour.
type forms struct{ noun, said, thing, hour string }

var wordings = map[Axis]map[string]forms{
	Size: {
		"extreme-wide": {noun: "extreme wide shot", said: "in an extreme wide shot"}, "wide": {noun: "wide shot", said: "in a wide shot"},
		"full": {noun: "full shot", said: "in a full shot"}, "medium": {noun: "medium shot", said: "in a medium shot"},
		"medium-close": {noun: "medium close-up", said: "in a medium close-up"}, "close": {noun: "close-up", said: "in close-up"},
		"detail": {noun: "extreme close-up", said: "in extreme close-up"},
	},
	Angle: {
		"eye": {noun: "eye-level view", said: "at eye level"}, "low": {noun: "low-angle view", said: "from a low angle"},
		"high": {noun: "high-angle view", said: "from a high angle"}, "overhead": {noun: "overhead view", said: "seen from straight above"},
		"ground": {noun: "ground-level view", said: "seen from ground level"}, "dutch": {noun: "Dutch angle", said: "with a tilted horizon"},
		"shoulder": {noun: "over-the-shoulder view", said: "in an over-the-shoulder view"}, "profile": {noun: "profile view", said: "seen in profile"},
		"behind": {noun: "back view", said: "seen from behind"},
	},
	Lens: {
		"ultra-wide": {noun: "16 mm ultra-wide lens", said: "deep focus"}, "wide": {noun: "28 mm lens", said: "deep focus"},
		"normal": {noun: "50 mm lens"}, "portrait": {noun: "85 mm lens", said: "shallow depth of field"},
		"tele": {noun: "135 mm lens", said: "shallow depth of field"}, "macro": {noun: "macro lens", said: "shallow depth of field"}, "anamorphic": {noun: "anamorphic lens"},
	},
	Light: {
		"golden-hour": {"golden-hour light", "lit by the setting sun", "setting sun", "at sunset"}, "blue-hour": {"blue-hour light", "in blue-hour light", "evening sky", "at dusk"},
		"overcast": {"overcast daylight", "in overcast daylight", "overcast sky", "in the daytime"}, "noon": {"midday light", "in midday light", "midday sky", "at noon"},
		"moon": {"moonlight", "in moonlight", "moon", "at night"}, "candle": {"candlelight", "in candlelight", "candle", "at night"},
		"fire": {"firelight", "in firelight", "fire", "at night"}, "lamp": {"lamplight", "in lamplight", "lamp", "at night"},
		"stage": {"spotlight", "in a spotlight", "spotlight", "at night"}, "studio": {"studio lighting", "in studio lighting", "softbox", "in the daytime"},
		"window": {"window light", "in window light", "window", "in the daytime"}, "neon": {"neon light", "in neon light", "neon sign", "at night"},
		"back": {"backlight", "in backlight", "backlight", "at night"}, "chiaroscuro": {"chiaroscuro", "in chiaroscuro", "single light", "at night"},
	},
	Composition: {
		"thirds": {noun: "off-centre composition"}, "centred": {noun: "centred composition"}, "diagonal": {noun: "diagonal composition"},
	},
}

// Change is a sentence that was written anew. Now is "" where nothing was left of it.
type Change struct{ Was, Now string }

// Mend takes out of a text what disagrees with a camera and puts in its place what was
// chosen, word by word, so that the rest of each sentence stays as it is. What cannot
// be said otherwise leaves with its sentence. The result does not disagree.
func Mend(text string, c storage.Camera, strict bool) (string, []Change) {
	if len(Clashes(text, c, strict)) == 0 {
		return text, nil
	}
	var b strings.Builder
	var changes []Change
	at := 0
	for _, s := range Sentences(text) {
		b.WriteString(text[at:s.From])
		at = s.To
		was := s.In(text)
		now := mended(was, c, strict)
		if now != was {
			changes = append(changes, Change{was, now})
		}
		b.WriteString(now)
	}
	b.WriteString(text[min(at, len(text)):])
	out := tidied(b.String())
	if len(changes) == 0 || len(Clashes(out, c, strict)) > 0 { // it needs what stands around a sentence to be read so
		out = dropped(out, c, strict, &changes)
	}
	return out, changes
}

// dropped is a text without the sentences that disagree.
func dropped(text string, c storage.Camera, strict bool, changes *[]Change) string {
	for {
		clashes := Clashes(text, c, strict)
		if len(clashes) == 0 {
			return text
		}
		var b strings.Builder
		at := 0
		spans := Sentences(text)
		for _, m := range clashes {
			if m.From < at {
				continue // it is gone already
			}
			cut := Span{m.From, m.To}
			for len(spans) > 0 && spans[0].To <= cut.From {
				spans = spans[1:]
			}
			if len(spans) > 0 && spans[0].From <= cut.From {
				cut = Span{max(at, spans[0].From), max(spans[0].To, cut.To)}
			}
			*changes = append(*changes, Change{cut.In(text), ""})
			b.WriteString(text[at:cut.From])
			at = cut.To
		}
		text = tidied(b.String() + text[at:])
	}
}

// mended is a sentence without what disagrees, "" where it cannot be mended.
func mended(s string, c storage.Camera, strict bool) string {
	for range 6 {
		clashes := Clashes(s, c, strict)
		if len(clashes) == 0 {
			return s
		}
		clashes = withShown(s, clashes)
		for i := len(clashes) - 1; i >= 0; i-- { // from the end: what lies before stays in place
			s = replaced(s, clashes[i])
		}
	}
	if len(Clashes(s, c, strict)) > 0 {
		return ""
	}
	return s
}

// leading are words before what is said of the camera that go with it.
var leading = words("at from slightly just a little far directly straight seen viewed looking")

func lastWord(s string) string {
	s = strings.TrimRight(s, " ")
	return s[strings.LastIndexAny(s, " \n(")+1:]
}

// replaced puts the chosen words in the place of a mark.
func replaced(s string, m Clash) string {
	f := wordings[m.Axis][m.Chosen]
	to, from := "", m.From
	form := m.form
	if m.Axis == Angle && form == 'n' && leads(s, m.From) < m.From && !articles[strings.ToLower(lastWord(s[:m.From]))] {
		form = 'a' // from below eye level
	}
	switch form {
	case 'n':
		if to = f.noun; m.Axis == Angle && m.Chosen != "dutch" && strings.HasSuffix(strings.ToLower(m.Words), "angle") {
			to = strings.Replace(to, "-angle view", " angle", 1)
		}
	case 's':
		if to = f.thing; to != "" { // the verb stays
			if i := strings.LastIndexByte(m.Words, ' '); i >= 0 && verbs[strings.ToLower(m.Words[i+1:])] {
				to += m.Words[i:]
			}
		}
	case 'f':
		head, _, _ := strings.Cut(m.Words, " ")
		if to = f.noun; strings.EqualFold(head, "lit") || strings.EqualFold(head, "illuminated") || strings.EqualFold(head, "bathed") {
			to = f.said
		}
	case 't':
		to = f.hour
	case 'd':
		to = f.said
	case 'v':
		return verbless(s, m)
	case 'o':
		return onlyLight(s, m, f.noun)
	default:
		to, from = f.said, leads(s, m.From)
	}
	if m.Words != "" && to != "" {
		if r, _ := utf8.DecodeRuneInString(s[from:]); unicode.IsUpper(r) {
			n, size := utf8.DecodeRuneInString(to)
			to = string(unicode.ToUpper(n)) + to[size:]
		}
	}
	return articled(s[:from], to) + s[max(m.To, m.shown):]
}

// withShown has the marks of a size take along what is said of it right after: that is
// not mended for itself.
func withShown(s string, list []Clash) (out []Clash) {
	end := 0
	for _, m := range list {
		if m.From < end {
			continue
		}
		if m.Axis == Size && m.form == 'n' {
			m.shown = m.To + len(inFrame().FindString(s[m.To:]))
			end = m.shown
		}
		out = append(out, m)
	}
	return out
}

// inFrame is what says after a size what it shows: with another size it goes.
var inFrame = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i: of (?:the|a|her|his|their|\pL+['’]s) face(?:s)?\b| of a single detail\b|,? (?:with )?(?:whole figures(?: and the room around them)?|(?:(?:the )?figures? )?from (?:head to foot|the waist up)|head and shoulders)\b)`)
})

// onlyLight puts another light in the place of the clause that says which is the only one.
func onlyLight(s string, m Clash, noun string) string {
	from, end := strings.LastIndexAny(s[:m.From], ";.!?:\n")+1, m.To
	low := strings.ToLower(s)
	for _, w := range []string{"only", "sole", "provides", "gives"} {
		if i := strings.Index(low[m.To:], w); i >= 0 && len(low) == len(s) {
			end = max(end, m.To+i+len(w))
		}
	}
	if i := strings.IndexAny(s[end:], ";,.!?:\n"); i >= 0 {
		end += i
	} else {
		end = len(s)
	}
	lead := s[from:m.From]
	from += len(lead) - len(strings.TrimLeft(lead, " "))
	to := noun + " is the only light"
	if r, _ := utf8.DecodeRuneInString(s[from:]); unicode.IsUpper(r) {
		n, size := utf8.DecodeRuneInString(to)
		to = string(unicode.ToUpper(n)) + to[size:]
	}
	return s[:from] + to + s[end:]
}

var verbs = func() map[string]bool {
	out := map[string]bool{}
	for v := range strings.SplitSeq(lightVerbs, "|") {
		out[v] = true
	}
	return out
}()

// leads is where the words begin that lead to what is said of the camera: "from
// slightly below".
func leads(s string, at int) int {
	for range 6 {
		before := strings.TrimRight(s[:at], " ")
		word := lastWord(before)
		if word == "" || !leading[strings.ToLower(word)] {
			break
		}
		at = len(before) - len(word)
	}
	return at
}

// verbless takes the direction out of a verb: "looking up" becomes "looking".
func verbless(s string, m Clash) string {
	head, _, _ := strings.Cut(m.Words, " ")
	if m.Axis == Size {
		head = "is in the frame"
		if strings.HasPrefix(strings.ToLower(m.Words), "fill ") {
			head = "are in the frame"
		} else if strings.HasPrefix(strings.ToLower(m.Words), "filling") {
			head = "in the frame"
		}
	} else if m.Axis == Angle && m.group == roll {
		head = "set"
	}
	return s[:m.From] + head + s[m.To:]
}

// articled joins words to what stands before them, with the article that they want.
func articled(before, to string) string {
	trimmed, word := strings.TrimRight(before, " "), lastWord(before)
	low := strings.ToLower(word)
	if low != "a" && low != "an" || to == "" {
		return before + to
	}
	first, _ := utf8.DecodeRuneInString(strings.ToLower(to))
	want := "a"
	if strings.ContainsRune("aeio", first) {
		want = "an"
	}
	if strings.HasPrefix(word, "A") {
		want = "A" + want[1:]
	}
	switch strings.ToLower(to) { // nothing that is counted
	case "candlelight", "firelight", "lamplight", "moonlight", "window light", "neon light", "backlight", "chiaroscuro", "overcast daylight", "midday light", "golden-hour light", "blue-hour light", "studio lighting":
		want, before = "", strings.TrimSuffix(trimmed, word)
		return before + to
	}
	return strings.TrimSuffix(trimmed, word) + want + " " + to
}

// tidied is a text without the blanks and commas that something has left.
func tidied(s string) string {
	for _, pair := range [][2]string{{"  ", " "}, {" ,", ","}, {" .", "."}, {",,", ","}, {",.", "."}, {"..", "."}} {
		if pair[0] == ".." {
			continue // an ellipsis is the writer's own
		}
		for strings.Contains(s, pair[0]) {
			s = strings.ReplaceAll(s, pair[0], pair[1])
		}
	}
	return strings.TrimLeft(s, " ,")
}

// Lacking is what must be added to a text that does not say what a camera has chosen:
// short words for each axis that it leaves out, in their order.
func Lacking(text string, c storage.Camera) (out []string) {
	for _, a := range Unsaid(text, c) {
		f := wordings[a][chosen(c, a)]
		if f.noun != "" {
			out = append(out, f.noun)
		}
	}
	return out
}
