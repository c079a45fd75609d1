package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// line is one message of the transcript that a capture is made of.
type line struct{ speaker, text string }

// moment is what a capture request says about the scene.
type moment struct {
	character, user, style, request, negative, trigger string
	setting                                            string
	video                                              bool
	lines                                              []line
	people                                             []shown
	look                                               map[string]string // what the order decides of the camera
}

// shown is somebody in view, and how they look.
type shown struct{ name, looks string }

// Words that a description should have: an image's, and a video's.
const (
	fewestWords, mostWords           = 115, 230
	fewestVideoWords, mostVideoWords = 50, 125
)

// describe answers the request for a picture's prompt: a description in the
// third person, made of what the transcript shows. It does not answer when the
// request names nobody.
func describe(s *schema, messages []storage.Node) (string, bool) {
	m := readMoment(messages)
	if m.character == "" {
		return "", false
	}
	prompt := m.paint()
	for _, p := range s.Properties {
		if p.name == "prompt" && p.MaxLength != nil && utf8.RuneCountInString(prompt) > *p.MaxLength {
			prompt = clip(prompt, 0, *p.MaxLength)
		}
	}
	negative := m.negative
	if negative == "" || strings.HasPrefix(negative, "nothing") {
		negative = "blurry, extra fingers, deformed hands"
	}
	if m.video {
		negative += ", text on screen, captions, flicker"
	} else {
		negative += ", text, watermark"
	}
	reasoning := "The last messages decide the moment; the earlier ones only lend it the place."
	if m.request != "" {
		reasoning = "The request names the subject; the last messages say how it looks now."
	}
	return `{"reasoning": ` + string(quote(reasoning)) + `, "prompt": ` + string(quote(prompt)) +
		`, "negative_prompt": ` + string(quote(clip(negative, 0, 480))) + `}`, json.Valid(quote(prompt))
}

// readMoment finds names, style and transcript in the instruction.
func readMoment(messages []storage.Node) moment {
	var m moment
	var body strings.Builder
	for _, n := range messages {
		switch n.Role {
		case storage.System:
			m.instruction(n.Content)
		case storage.User:
			body.WriteString(n.Content + "\n")
		}
	}
	m.transcript(body.String())
	m.order(body.String())
	if m.character == "" {
		for _, l := range m.lines {
			m.character = l.speaker
		}
	}
	return m
}

func (m *moment) instruction(text string) {
	var heading string
	m.video = m.video || strings.Contains(text, "video")
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if h, ok := strings.CutPrefix(l, "## "); ok {
			heading = h
			continue
		}
		if heading == "What was asked for" && m.request == "" {
			m.request = l
		}
		for _, field := range []struct {
			label string
			into  *string
		}{
			{"Style:", &m.style}, {"Always keep out:", &m.negative}, {"Setting of the story:", &m.setting},
		} {
			if v, ok := strings.CutPrefix(l, field.label); ok && *field.into == "" {
				*field.into = strings.TrimSpace(v)
			}
		}
		if name, ok := strings.CutPrefix(l, "Name:"); ok {
			name, maybe := strings.CutSuffix(strings.TrimSpace(name), " (perhaps here)")
			if m.character == "" {
				m.character = name
			} else if m.user == "" {
				m.user = name
			}
			if !maybe {
				m.people = append(m.people, shown{name: name})
			}
		}
		if looks, ok := strings.CutPrefix(l, "Appearance:"); ok && len(m.people) > 0 && m.people[len(m.people)-1].looks == "" {
			looks, _, _ = strings.Cut(strings.TrimSpace(looks), ". ")
			m.people[len(m.people)-1].looks = strings.TrimRight(clip(looks, 0, 110), ",.; ")
		}
		if _, after, ok := strings.Cut(l, "trigger word \""); ok {
			m.trigger, _, _ = strings.Cut(after, "\"")
		}
	}
}

func (m *moment) transcript(text string) {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(l), "[Message ") {
			if speaker, rest, ok := label(l); ok {
				m.lines = append(m.lines, line{speaker, rest})
				continue
			}
		}
		if len(m.lines) > 0 {
			m.lines[len(m.lines)-1].text += "\n" + l
		}
	}
	if n := len(m.lines); n > 0 { // what follows the transcript is no part of it
		if before, _, ok := strings.Cut(m.lines[n-1].text, "\nThat was the newest message."); ok {
			m.lines[n-1].text = before
		}
	}
}

// order reads what ends the request: what was asked for, and the camera.
func (m *moment) order(text string) {
	_, text, _ = strings.Cut(text, "That was the newest message.")
	m.look = cameraLines(text)
	for l := range strings.Lines(text) {
		if _, asked, ok := strings.Cut(strings.TrimSpace(l), " has asked for, and nothing else: "); ok && m.request == "" {
			m.request = asked
		}
		if seen, ok := strings.CutPrefix(strings.TrimSpace(l), "- What is seen: "); ok && m.request == "" {
			m.request = seen
		}
	}
}

// cameraLines are what an order decides of the camera, by the names of its lines.
func cameraLines(text string) map[string]string {
	out := map[string]string{}
	for l := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "- ")), ": ")
		if !ok || !strings.HasPrefix(strings.TrimSpace(l), "- ") {
			continue
		}
		value, _, _ = strings.Cut(value, ". ")
		value, _, _ = strings.Cut(value, " (")
		out[name] = value
	}
	return out
}

// framed says how the moment is looked at: as the order has it, else from the middle of
// the room.
func framed(look map[string]string) string {
	var parts []string
	for _, name := range []string{"Shot", "Angle", "Lens", "Composition", "Mood", "Place", "In the user's own words"} {
		if look[name] != "" {
			parts = append(parts, look[name])
		}
	}
	if look["Shot"] == "" && look["Angle"] == "" && look["In the user's own words"] == "" {
		parts = append([]string{"medium wide shot at eye level"}, parts...)
	}
	return first(strings.Join(parts, ", "))
}

// lit says where the light comes from.
func lit(look map[string]string) string {
	if look["Light"] == "" {
		return "One warm lamp, low and to the left, is the only source of light; it draws a bright rim along cheek, sleeve and fingers and lets everything behind fall away into brown dusk."
	}
	return first(look["Light"]) + " draws a rim along cheek, sleeve and fingers and lets everything behind fall away into shadow."
}

// first is a text with a capital letter.
func first(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// looking is a name with how its owner looks.
func (m *moment) looking(name string) string {
	for _, p := range m.people {
		if p.name == name && p.looks != "" && p.looks != "not said" {
			looks, _ := strings.CutPrefix(p.looks, name)
			return name + ", " + strings.TrimLeft(looks, ", ")
		}
	}
	return name
}

// paint puts the description together: the frame first, then what the newest
// messages show, then light and matter until it is long enough, and the style
// at the end. A sentence that holds the trigger word is left out.
func (m *moment) paint() string {
	least, most := fewestWords, mostWords
	opening, closing := m.still()
	if m.video {
		least, most = fewestVideoWords, mostVideoWords
		opening, closing = m.moving()
	}
	style := m.manner()
	var parts []string
	count := words([]string{style, closing[0]})
	add := func(s string, room int) {
		n := len(strings.Fields(s))
		if count+n <= room && !m.forbids(s) {
			parts = append(parts, s)
			count += n
		}
	}
	for _, s := range opening {
		add(s, most)
	}
	for _, s := range m.shown() {
		add(s, most-20)
	}
	for i, s := range closing {
		if i == 0 {
			count -= len(strings.Fields(s)) // its room was kept
		} else if count >= least {
			break
		}
		add(s, most)
	}
	if !m.forbids(style) {
		parts = append(parts, style)
	}
	return strings.Join(parts, " ")
}

func (m *moment) forbids(s string) bool {
	return m.trigger != "" && strings.Contains(strings.ToLower(s), strings.ToLower(m.trigger))
}

func words(parts []string) int { return len(strings.Fields(strings.Join(parts, " "))) }

func (m *moment) manner() string {
	if m.style == "" || strings.HasPrefix(m.style, "whatever") {
		return "Painted with restraint, few colours and soft edges."
	}
	return strings.TrimRight(clip(m.style, 0, 200), ". ") + "."
}

// subject is what a request asks to see, from the third person.
func (m *moment) subject() string {
	s := m.request
	for _, lead := range []string{"picture of ", "photo of ", "image of ", "video of ", "show me ", "Show me "} {
		if _, after, ok := strings.Cut(s, lead); ok {
			s = after
		}
	}
	fields := strings.Fields(strings.Trim(clip(s, 0, 120), " .!?\"*"))
	for i, w := range fields {
		fields[i], _ = retold(w, m.character, true)
	}
	return strings.Join(fields, " ")
}

func (m *moment) still() (opening, closing []string) {
	opening = []string{framed(m.look) + ", the camera a few steps away: " + m.looking(m.character) + ", stands in the middle of the moment, weight on one foot, hands caught in mid-gesture."}
	if m.user != "" && m.request == "" {
		opening = append(opening, "Facing "+m.character+" at arm's length is "+m.looking(m.user)+", turned half towards the light, shoulders drawn up.")
		for _, p := range m.people {
			if p.name != m.character && p.name != m.user {
				opening = append(opening, "Beside them "+m.looking(p.name)+", looks on.")
			}
		}
	}
	if m.request != "" {
		opening = append(opening, "The subject, "+m.subject()+", fills the middle third of the frame as it is now, with nothing arranged for the viewer.")
	}
	return opening, []string{
		lit(m.look),
		"Worn wood, rough wool and a thin film of dust carry the texture; the palette keeps to amber, umber and a cold blue in the deepest shadow.",
		"The figures stand left and right of the centre with a hand's breadth between them, the dark rows of the background closing the picture at the top.",
		"Faces and hands are sharp while the room behind them softens; in the foreground the blurred edge of a table leads the eye inwards.",
		"The moment feels held, a breath before an answer, quiet and near.",
	}
}

func (m *moment) moving() (opening, closing []string) {
	opening = []string{"The camera glides forward at walking pace towards " + m.looking(m.character) + ", who turns slowly into the light."}
	if len(m.look) > 0 {
		opening = append(opening, framed(m.look)+".")
	}
	if m.user != "" && m.request == "" {
		opening = append(opening, m.looking(m.user)+", steps in from the left and stops at arm's length.")
	}
	if m.look["Light"] != "" {
		opening = append(opening, first(m.look["Light"])+".")
	}
	return opening, []string{
		"The air stirs, and long shadows swing across the floor.",
		"Dust drifts through the beam; a sleeve moves, fingers close, a breath lifts the shoulders.",
		"The shot slows and comes to rest on the two faces, warm amber against deep blue, and holds.",
	}
}

// shown are the actions of the last messages, newest first, told from outside.
func (m *moment) shown() []string {
	var out []string
	for _, l := range slices.Backward(m.lines[max(0, len(m.lines)-3):]) {
		other := m.user
		if strings.EqualFold(l.speaker, m.user) {
			other = m.character
		}
		n := 0
		for _, a := range actions(l.text) {
			if told, ok := outside(a, l.speaker, other); ok && n < 3 {
				out = append(out, told)
				n++
			}
		}
	}
	return out
}

// actions are the parts between asterisks.
func actions(text string) []string {
	var out []string
	for i, part := range strings.Split(strings.ReplaceAll(text, "**", ""), "*") {
		if i%2 == 1 && !strings.Contains(part, "\n\n") {
			out = append(out, strings.Join(strings.Fields(part), " "))
		}
	}
	return out
}

// outside retells an action in the third person: the speaker's "I" becomes
// they, "you" becomes the other's name. It gives up on what would not be a
// plain sentence.
func outside(action, speaker, other string) (string, bool) {
	fields := strings.Fields(action)
	if r, _ := utf8.DecodeRuneInString(action); !unicode.IsLetter(r) || spokenOf(fields) {
		return "", false
	}
	if len(fields) < 4 || len(fields) > 45 || strings.ContainsAny(action, "\"“”[]{}<>|#") || other == "" {
		return "", false
	}
	first := ""
	for i, w := range fields {
		core := strings.TrimRightFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
		tail := w[len(core):]
		last := i == len(fields)-1 || tail != "" || linking(fields[i+1])
		told, mine := retold(strings.ReplaceAll(core, "’", "'"), other, last)
		if mine && first == "" {
			first = speaker
		}
		fields[i] = told + tail
	}
	told := strings.TrimSpace(strings.Join(fields, " "))
	if first != "" {
		told = "Of " + first + " the moment shows this: " + told
	}
	r, size := utf8.DecodeRuneInString(told)
	told = string(unicode.ToUpper(r)) + told[size:]
	if !strings.HasSuffix(told, ".") {
		told = strings.TrimRight(told, ",;:-–—!?… ") + "."
	}
	return told, true
}

// spokenOf reports whether an action is about speech rather than sight.
func spokenOf(fields []string) bool {
	return slices.ContainsFunc(fields, func(w string) bool {
		switch strings.ToLower(strings.Trim(w, ",.;:")) {
		case "says", "said", "asks", "asked", "repeats", "remarks", "admits", "sounds", "sound", "voice", "listens", "word":
			return true
		}
		return false
	})
}

// retold turns one word round. last says that no verb of "you" can follow.
func retold(w, other string, last bool) (told string, mine bool) {
	switch strings.ToLower(w) {
	case "i", "we":
		return "they", true
	case "i'm", "we're", "am":
		return strings.TrimPrefix("they are", map[bool]string{true: "they ", false: ""}[w == "am"]), true
	case "i've", "we've":
		return "they have", true
	case "i'll", "we'll":
		return "they will", true
	case "i'd", "we'd":
		return "they would", true
	case "me", "us":
		return "them", true
	case "my", "our":
		return "their", true
	case "mine", "ours":
		return "theirs", true
	case "myself", "ourselves":
		return "themselves", true
	case "you":
		if last {
			return other, false
		}
		return "they", false
	case "you're":
		return other + ", who is", false
	case "your":
		return other + "'s", false
	case "yours":
		return other + "'s own", false
	case "yourself":
		return "themselves", false
	}
	return w, false
}

// linking tells words that no clause's verb can be.
func linking(w string) bool {
	switch strings.ToLower(strings.Trim(w, ",.;:")) {
	case "and", "or", "but", "with", "in", "on", "at", "to", "from", "for", "of", "by", "over", "across", "through",
		"into", "between", "without", "as", "while", "until", "the", "a", "an", "again", "before", "after", "now", "then":
		return true
	}
	return false
}
