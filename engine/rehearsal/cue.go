package rehearsal

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// detect judges whether the newest message begins a new scene: the one that the
// request shows, or of the chat's own messages before an instruction as many as
// that quotes the beginnings of, or else the last exchange.
func detect(messages []storage.Node) (record, bool) {
	p := read(messages)
	newest := p.notes[max(0, len(p.notes)-1):]
	if chat := chatted(messages); len(newest) == 0 || len(chat) > 1 && len(p.blocks) == 0 {
		_, listed := instruction(messages)
		if listed == 0 {
			listed = 2
		}
		newest = chat[max(0, len(chat)-listed):]
	}
	if len(newest) == 0 {
		return nil, false
	}
	for _, n := range slices.Backward(newest) {
		if c, ok := findCue(n.text); ok {
			return record{"status": true, "rationale": c.rationale()}, true
		}
	}
	return record{"status": false, "rationale": "The newest message goes on where the one before it stopped; nothing in it marks a new scene."}, true
}

// cue is a place in a message that marks a new scene.
type cue struct {
	text  string
	moves bool // to another place, and not in time
	opens bool // the message begins with it
}

func (c cue) rationale() string {
	why, end := "The story skips time", "says so"
	if c.moves {
		why = "The story has moved to another place"
	}
	if c.opens {
		end = "opens it"
	}
	return why + `: "` + strings.Join(strings.Fields(c.text), " ") + `" ` + end + "."
}

// The kinds of words that stand in cues for any of them.
const (
	dayParts = "morning day evening night afternoon noon dawn week month year spring summer autumn winter"
	counts   = "one two three four five six seven eight nine ten several many some few twelve twenty hundred thousand"
	longs    = "hour hours day days night nights week weeks month months year years"
	lights   = "dawn daybreak nightfall noon midday midnight sunrise sunset dusk morning evening"
	places   = "city town village castle palace fortress inn tavern harbour harbor port station gate gates market camp temple church school " +
		"house home cottage cabin manor tower bridge forest woods river shore beach island ship airport hospital hotel library museum farm mill " +
		"keep theatre theater stage kitchen cellar garden street hall shop café cafe bar office attic roof walls square docks"
	vehicles = "train ship boat bus ferry plane carriage"
	glances  = "look looks looked looking glance glances glanced glancing stare stares stared gaze gazes gazed smile smiles smiled peer peers " +
		"nod nods nodded shout shouts shouted glare glares glared wave waves waved points pointed"
	delays = "until till for of about"
)

// cues in words: {kind} is any word of a kind, _ any word at all, a|b one of
// several; ^ is the beginning of a sentence.
const timeCues = `the next {day}
the following {day}
^next {day}
the morning after
the day after
{count} {long} later
{long} later
a {long} later
later that {day}
later the same {day}
^later when
^later in the {day}
^much later
some time later
a while later
a little while later
by the time {light}
by the time the sun
^by {light}
when {light} breaks|broke
as {light} breaks|broke
^dawn breaks|broke
{count} {long} pass|passes|passed
{long} pass|passed
{long} go|went by
after {count} {long}
^that evening|night|afternoon|morning
^the same evening|night`

const placeCues = `_ arrive|arrives|arrived at|in|back
^arriving at|in
_ reach|reaches|reached the {place}
_ reach|reaches|reached the _ {place}
^back at|in|on the _
^back home
are|is|were|was|am back at|in|on the _
back at the {place}
back at the _ {place}
outside the {place}
outside the _ {place}
step|steps|stepped off the {vehicle}
^meanwhile in|at|on|across|back
on the far|other side of the {place}
^elsewhere in|on|at`

// pattern is one cue, word by word.
type pattern struct {
	opening bool // only at the beginning of a sentence
	moves   bool
	words   []map[string]bool // nil stands for any word
}

var patterns = sync.OnceValue(func() []pattern {
	kinds := map[string]string{"{day}": dayParts, "{count}": counts, "{long}": longs, "{light}": lights, "{place}": places, "{vehicle}": vehicles}
	var out []pattern
	for i, list := range []string{timeCues, placeCues} {
		for l := range strings.Lines(list) {
			p := pattern{moves: i == 1}
			l, p.opening = strings.CutPrefix(strings.TrimSpace(l), "^")
			for _, w := range strings.Fields(l) {
				switch kind, ok := kinds[w]; {
				case ok:
					p.words = append(p.words, setOf(strings.Fields(kind)))
				case w == "_":
					p.words = append(p.words, nil)
				default:
					p.words = append(p.words, setOf(strings.Split(w, "|")))
				}
			}
			out = append(out, p)
		}
	}
	return out
})

// token is a word of the narration.
type token struct {
	word       string // in lower case
	start, end int    // in the text
	opening    bool   // of a sentence
	apart      bool   // something other than blanks and markup stands before it
}

// findCue finds the first cue of a text's narration, of those that begin at the
// same word the longest. What is spoken does not count.
func findCue(text string) (cue, bool) {
	words := narrated(text)
	for i, w := range words {
		var best cue
		for _, p := range patterns() {
			if p.opening && !w.opening || !p.at(words[i:]) || i > 0 && !w.apart && p.blocked(words[i-1].word) {
				continue
			}
			if end := words[i+len(p.words)-1].end; end-w.start > len(best.text) {
				best = cue{text: text[w.start:end], moves: p.moves, opens: i == 0}
			}
		}
		if best.text != "" {
			return best, true
		}
	}
	return cue{}, false
}

func (p pattern) at(words []token) bool {
	if len(words) < len(p.words) {
		return false
	}
	for i, set := range p.words {
		w := words[i]
		if i > 0 && w.apart || set != nil && !set[w.word] {
			return false
		}
	}
	return true
}

// blocked tells the words after which a cue means something else: "until the
// next morning", "she looks back at the house".
func (p pattern) blocked(before string) bool {
	if p.moves {
		return slices.Contains(strings.Fields(glances), before)
	}
	return slices.Contains(strings.Fields(delays), before)
}

// narrated lists the words outside of speech.
func narrated(text string) []token {
	var out []token
	opening, apart, speaking := true, false, false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case strings.ContainsRune("\"“”„«»", r):
			speaking, apart = !speaking, true
			opening = opening || !speaking
		case r == '\n':
			speaking = false
			if strings.HasPrefix(text[at:], "\n\n") {
				opening, apart = true, true
			}
		case speaking:
		case strings.ContainsRune(".!?…", r):
			opening, apart = true, true
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			end := at + wordLength(text[at:])
			out = append(out, token{word: strings.ToLower(text[at:end]), start: at, end: end, opening: opening, apart: apart})
			opening, apart, size = false, false, end-at
		case r != ' ' && r != '*' && r != '_' && r != ',':
			apart = true
		}
		at += size
	}
	return out
}

// wordLength is the length in bytes of the word that a text begins with.
func wordLength(text string) int {
	for at, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' && r != '-' {
			return at
		}
	}
	return len(text)
}
