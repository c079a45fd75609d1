package scene

import (
	"slices"
	"strings"
	"unicode"
)

// spot is what a header says of where and when.
type spot struct {
	place, when string
	slug        bool // "INT. KITCHEN - NIGHT": any change of it is a new scene
	rule        *rule
	text        string
}

// newPlace finds a header that names another place than the last header did.
func (k *look) newPlace() *hit {
	for i, raw := range k.lines {
		if i > 0 && raw.at-k.lines[0].at > maxLead {
			break
		}
		if h := k.placeFrom(i); h != nil {
			return h
		}
	}
	return nil
}

// placeFrom judges the header on line i.
func (k *look) placeFrom(i int) *hit {
	if k.lines[i].cut || !promising(k.lines[i].text) {
		return nil
	}
	l := peel(k.lines[i])
	now, ok := spotOf(l)
	if !ok || k.speaks(now.place) || i > 0 && l.plain && now.rule.pattern == keyed && !k.headersUntil(i) {
		return nil
	}
	h := &hit{rule: now.rule, cue: now.text}
	before, known := k.lastSpot()
	if known {
		if !now.differs(before) {
			return nil
		}
		h.note = "; the last header was “" + clip(before.text, maxCue) + "”"
	}
	return h.at(i)
}

// headersUntil tells whether only headers and rules stand before line i.
func (k *look) headersUntil(i int) bool {
	for _, raw := range k.lines[:i] {
		if _, ok := spotOf(peel(raw)); !ok && !isStatus(raw.text) && ruleOfSeparator(raw.text) == nil {
			return false
		}
	}
	return true
}

// lastSpot is the newest header in the messages before.
func (k *look) lastSpot() (spot, bool) {
	for i := len(k.previous) - 1; i >= 0; i-- {
		text := k.previous[i].Text
		lines := firstLines(text, maxFirst)
		last, before := lastLines(text)
		for _, raw := range append(lines, before, last) {
			if raw.text == "" || raw.cut {
				continue
			}
			if s, ok := spotOf(peel(raw)); ok {
				return s, true
			}
		}
	}
	return spot{}, false
}

// differs tells whether s is a new scene's header after the header before.
func (s spot) differs(before spot) bool {
	a, b := placeWords(s.place), placeWords(before.place)
	if !subset(a, b) && !subset(b, a) {
		return true
	}
	when, was := placeWords(s.when), placeWords(before.when)
	if slices.Equal(when, was) || len(when) == 0 {
		return false
	}
	if p, _, _ := skipIn(s.when); p != nil {
		return true
	}
	return s.slug && before.slug && !slices.Contains(when, "continuous") && !slices.Contains(when, "same") && !slices.Contains(when, "moments")
}

func subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}

// placeWords are the words of a place that tell it from another.
func placeWords(s string) []string {
	var out []string
	for _, w := range wordsOf(s, 20) {
		switch w.text {
		case "the", "a", "an", "of", "in", "at", "on", "der", "die", "das", "den", "dem", "im", "am", "le", "la", "les", "du", "de", "des", "el", "los", "las", "en":
		default:
			out = append(out, w.text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const (
	pinned = "📍"
	keyed  = "location:"
	slug   = "int."
	dashed = "place — time"
)

func placeRule(pattern string) *rule { return &places[indexOf(places, pattern)] }

// spotOf reads a line as a header. It is one only when it names a place.
func spotOf(l line) (spot, bool) {
	if l.quoted || l.cut || len(l.text) > 300 {
		return spot{}, false
	}
	s := spot{text: l.text}
	switch {
	case l.plain && !strings.Contains(l.text, ":") && !slugLine(l.core) && !strings.Contains(l.text, pinned):
		return spot{}, false
	case strings.Contains(l.text, pinned):
		s.rule = placeRule(pinned)
		s.pinned(l.text)
	case slugLine(l.core):
		s.rule, s.slug = placeRule(slug), true
		s.slugged(l.core)
	default:
		if s.rule = placeRule(keyed); !s.keyed(l) {
			s.rule = placeRule(dashed)
			s.dashed(l)
		}
	}
	return s, s.place != ""
}

// pinned reads "📍 Harbour | 🕒 10 PM".
func (s *spot) pinned(text string) {
	at := strings.Index(text, pinned)
	if strings.ContainsFunc(text[:at], isWordRune) && !strings.ContainsAny(text[:at], "|·•") {
		return
	}
	rest := strings.TrimLeft(text[at+len(pinned):], "\ufe0f \t")
	place, when := rest, ""
	for i, r := range rest {
		if i > 0 && (isBar(r) || isOrnament(r) && r > 0x2190) {
			place, when = rest[:i], rest[i:]
			break
		}
	}
	if _, value, ok := strings.Cut(place, ":"); ok {
		place = value
	}
	s.place, s.when = bare(place), bare(when)
	if len(wordsOf(s.place, 20)) > 14 {
		s.place = ""
	}
}

func isBar(r rune) bool { return r == '|' || r == ';' || r == '·' || r == '•' || r == '｜' }

// bare takes decoration off a value.
func bare(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return isOrnament(r) || strings.ContainsRune("*_[](){}<>.,:;|·•-–—", r) })
}

// slugLine knows the first word of a screenplay's scene heading.
func slugLine(s string) bool {
	for _, p := range []string{"INT.", "EXT.", "INT ", "EXT ", "INT/EXT", "I/E"} {
		if !strings.HasPrefix(s, p) {
			continue
		}
		rest := s[len(p):]
		i := strings.IndexFunc(rest, isWordRune)
		return i >= 0 && !unicode.IsDigit(firstRune(rest[i:])) && !strings.Contains(rest, "|")
	}
	return false
}

// slugged reads "INT. KITCHEN - NIGHT".
func (s *spot) slugged(core string) {
	_, rest, _ := strings.Cut(core, " ")
	if strings.ToUpper(rest) != rest && !strings.Contains(rest, " - ") && !strings.Contains(rest, "—") && !strings.Contains(rest, "–") {
		return
	}
	s.place = bare(rest)
	for _, dash := range []string{" - ", "—", "–"} {
		if i := strings.LastIndex(rest, dash); i > 0 {
			s.place, s.when = bare(rest[:i]), bare(rest[i+len(dash):])
			return
		}
	}
}

// keyed reads "Location: Harbour | Time: 10 PM".
func (s *spot) keyed(l line) bool {
	if !strings.Contains(l.core, ":") {
		return false
	}
	for _, p := range strings.FieldsFunc(l.core, isBar) {
		key, value, ok := strings.Cut(p, ":")
		if !ok {
			continue
		}
		value = bare(value)
		switch keyWord(key) {
		case 'p':
			n := len(wordsOf(value, 20))
			if s.place == "" && n > 0 && n <= 14 && (!l.plain || n <= 8 && !strings.HasSuffix(p, "?")) {
				s.place = value
			}
		case 't':
			s.when = strings.TrimSpace(s.when + " " + value)
		}
	}
	return s.place != ""
}

// keyWord says what a key asks for: 'p' a place, 't' a time.
func keyWord(key string) byte {
	switch strings.ToLower(bare(key)) {
	case "location", "current location", "place", "setting", "scene", "ort", "schauplatz", "szene", "lieu", "endroit", "scène",
		"lugar", "ubicación", "ubicacion", "escenario", "escena":
		return 'p'
	case "time", "date", "day", "time of day", "zeit", "uhrzeit", "datum", "tag", "heure", "jour", "hora", "fecha", "día":
		return 't'
	}
	return 0
}

// dashed reads "The Old Mill — Midnight", which must look like a header.
func (s *spot) dashed(l line) {
	if !l.strong && !l.framed() || strings.ContainsAny(l.core, "?!\"“”") {
		return
	}
	ws := wordsOf(l.core, 16)
	if len(ws) < 2 || len(ws) > 14 {
		return
	}
	timed := false
	var place []string
	for _, p := range cutParts(l.core) {
		pw := wordsOf(p, 16)
		switch {
		case len(pw) == 0:
		case isWhen(pw, p):
			timed = true
			s.when = strings.TrimSpace(s.when + " " + bare(p))
		case lexicon()[pw[0].text]&statusWord != 0:
			return
		default:
			place = append(place, bare(p))
		}
	}
	if timed {
		s.place = strings.Join(place, ", ")
	}
}

func cutParts(s string) []string {
	for _, dash := range []string{" — ", " – ", " - ", " | ", " · ", " • ", " / ", "—", ", "} {
		if strings.Contains(s, dash) {
			return strings.Split(s, dash)
		}
	}
	return nil
}

// isWhen tells whether words are a time and nothing else.
func isWhen(ws []word, text string) bool {
	if p, _, t := skipIn(text); p != nil && len(t.words) == 0 {
		return true
	}
	found := false
	for _, w := range ws {
		is := lexicon()[w.text]
		switch {
		case is&hourWord != 0:
			found = true
		case strings.Contains(text, ":") && isDigits(w.text), strings.HasSuffix(w.text, "pm") || strings.HasSuffix(w.text, "am") && len(w.text) <= 4:
			found = true
		case isDigits(w.text), is&(partWord|numberWord|ordinalWord) != 0, filler[w.text]:
		default:
			return false
		}
	}
	return found
}

// filler are words that a time may hold besides.
var filler = map[string]bool{
	"the": true, "at": true, "in": true, "around": true, "about": true, "early": true, "late": true, "mid": true, "next": true, "following": true,
	"same": true, "past": true, "half": true, "quarter": true, "o'clock": true, "of": true, "that": true, "much": true, "just": true, "before": true,
	"after": true, "th": true, "st": true, "nd": true, "rd": true, "am": true, "im": true, "um": true, "spät": true, "früh": true,
	"january": true, "february": true, "march": true, "april": true, "may": true, "june": true, "july": true, "august": true,
	"september": true, "october": true, "november": true, "december": true,
}
