package rehearsal

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// note is one numbered piece of what a request shows: "[3] Name: text" of a
// transcript, or "[7] text" of recaps.
type note struct {
	number  int
	speaker string // "" in recaps
	section string // of the five, under which it stands; "" for none
	part    int    // counts the recaps, where several follow each other
	text    string
}

// pages are what a request shows for its job.
type pages struct {
	notes  []note
	said   bool              // the notes are messages
	blocks map[string]string // what stands between tags, by their name
	rest   []string          // all other lines, the system's first
}

// sections are a recap's parts, in their order.
var sections = []string{"current_situation", "key_developments", "dialogue_highlights", "tone_style", "pending_threads"}

// headings are the sections as they stand in a text.
var headings = []string{"Current Situation", "Key Developments", "Dialogue Highlights", "Tone & Style", "Pending Threads"}

// tags are the names of the tags that part what a request shows from what it
// says about it.
var tags = []string{"transcript", "earlier", "known", "lore", "memory", "newest", "before", "message", "scenes", "recap", "questions"}

// shownBy is what the user's messages show, and what the system's do.
func shownBy(messages []storage.Node) (string, string) {
	var user, system strings.Builder
	for _, m := range messages {
		switch m.Role {
		case storage.User:
			user.WriteString(m.Content + "\n")
		case storage.System:
			system.WriteString(m.Content + "\n")
		}
	}
	return user.String(), system.String()
}

// read finds what the user's messages show, or else the system's: between tags,
// or as numbered lines.
func read(messages []storage.Node) pages {
	user, system := shownBy(messages)
	blocks, outside := between(user, tags)
	if len(blocks) > 0 {
		p := pages{blocks: blocks}
		p.fill()
		p.rest = append(trimmed(system), trimmed(outside)...)
		return p
	}
	p := readNotes(user)
	if len(p.notes) > 0 {
		p.rest = append(trimmed(system), p.rest...)
		return p
	}
	other := readNotes(system)
	other.rest = append(other.rest, p.rest...)
	return other
}

// between cuts the tagged blocks out of a text. Of several with one name the
// longest counts, as an instruction may mention its tags.
func between(text string, tags []string) (blocks map[string]string, outside string) {
	blocks = map[string]string{}
	for _, name := range tags {
		opening, closing := "<"+name+">", "</"+name+">"
		start, end := -1, 0
		for from := 0; ; {
			i := strings.Index(text[from:], opening)
			if i < 0 {
				break
			}
			i += from
			n := strings.Index(text[i:], closing)
			if n < 0 {
				break
			}
			if n += len(closing); n > end-start {
				start, end = i, i+n
			}
			from = i + n
		}
		if start >= 0 {
			blocks[name] = strings.TrimSpace(text[start+len(opening) : end-len(closing)])
			text = text[:start] + "\n" + text[end:]
		}
	}
	return blocks, text
}

// fill finds the notes in the blocks.
func (p *pages) fill() {
	switch b := p.blocks; {
	case b["transcript"] != "":
		p.notes, p.said = readTranscript(b["transcript"]), true
	case b["message"] != "":
		n, ok := head("[1] "+b["message"], false)
		if ok {
			p.notes, p.said = []note{n}, true
		}
	case b["scenes"] != "" || b["newest"] != "":
		shown := readNotes(b["memory"] + "\n" + b["newest"] + "\n" + b["scenes"])
		shown.recaps()
		p.notes = shown.notes
	}
}

// readTranscript takes messages apart that stand by themselves.
func readTranscript(text string) []note {
	var out []note
	for _, l := range trimmed(text) {
		last := len(out) - 1
		if n, ok := head(l, false); ok && (last < 0 || n.number == out[last].number+1) {
			out = append(out, n)
		} else if last >= 0 {
			out[last].text += "\n" + l
		}
	}
	return out
}

func trimmed(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// readNotes takes a text without tags apart. Notes are numbered one by one, so that a number
// in brackets inside of a message begins no new one.
func readNotes(text string) pages {
	var p pages
	section, part, open := "", 0, false
	named, under := 0, 0 // notes with a speaker, and under a heading
	for _, l := range trimmed(text) {
		if s := sectionOf(l); s != "" {
			if slices.Index(sections, s) <= slices.Index(sections, section) {
				part++
			}
			section, open = s, false
			continue
		}
		n, ok := head(l, true)
		last := len(p.notes) - 1
		switch {
		case ok && (last < 0 || n.number == p.notes[last].number+1 || n.number == 1):
			n.section, n.part = section, part
			p.notes, open = append(p.notes, n), true
			if n.speaker != "" {
				named++
			}
		case isBorder(l):
			section, open = "", false
			p.rest = append(p.rest, l)
		case open:
			p.notes[last].text += "\n" + l
		default:
			if l != "" && !strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "*") {
				section = "" // a line of the request's own ends what stood under the heading
			}
			p.rest = append(p.rest, l)
		}
		if ok && section != "" {
			under++
		}
	}
	p.said = named*2 >= len(p.notes) && under*2 <= len(p.notes)
	if !p.said {
		p.recaps()
	}
	return p
}

// recaps undoes what only holds for a transcript: a bullet has no speaker, and
// ends with its line.
func (p *pages) recaps() {
	p.said = false
	for i := range p.notes {
		n := &p.notes[i]
		text, after, _ := strings.Cut(n.text, "\n")
		p.rest = append(p.rest, trimmed(after)...)
		if n.speaker != "" {
			text = n.speaker + ": " + text
		}
		n.speaker, n.text = "", strings.TrimSpace(text)
		if lead, text, ok := strings.Cut(n.text, ": "); ok && sectionOf(lead) != "" {
			n.section, n.text = sectionOf(lead), text
		}
	}
}

// isBorder tells the lines that no message holds: tags, and headings of the
// request's own.
func isBorder(l string) bool {
	return strings.HasPrefix(l, "## ") || strings.HasPrefix(l, "# ") || strings.HasPrefix(l, "<") && strings.HasSuffix(l, ">") && !strings.Contains(l, " ")
}

// sectionOf tells which section a line is the heading of.
func sectionOf(l string) string {
	l = strings.ReplaceAll(strings.ReplaceAll(strings.Trim(l, "#*: ()[]"), " and ", " & "), "_", " ")
	for i, h := range headings {
		if strings.EqualFold(l, h) || strings.EqualFold(l, strings.ReplaceAll(h, "& ", "")) {
			return sections[i]
		}
	}
	return ""
}

// head reads the beginning of a note. A strict reader takes only what looks like
// a name for one.
func head(l string, strict bool) (note, bool) {
	l = strings.TrimLeft(l, "-*• ")
	rest, ok := strings.CutPrefix(l, "[")
	if !ok {
		return note{}, false
	}
	digits, rest, ok := strings.Cut(rest, "]")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 || number > 1_000_000 {
		return note{}, false
	}
	n := note{number: number, text: strings.TrimSpace(rest)}
	speaker, said, ok := strings.Cut(n.text, ":")
	if before, _, marked := strings.Cut(speaker, " ("); marked {
		speaker = before
	}
	speaker = strings.TrimSpace(strings.Trim(speaker, "* "))
	named := utf8.RuneCountInString(speaker) <= maxName && !strings.ContainsAny(speaker, ",;\"!?“”*[]")
	if ok && speaker != "" && (named || !strict && utf8.RuneCountInString(speaker) <= 2*maxName) {
		n.speaker, n.text = speaker, strings.TrimSpace(said)
	}
	return n, true
}

// instruction finds the message at which a request that is made of the chat's own
// messages turns to its job, and how many messages that lists with a quotation
// from them. It is the user's last one, unless that only says what was wrong
// with the answer to it.
func instruction(messages []storage.Node) (at, listed int) {
	at = -1
	for i, m := range slices.Backward(messages) {
		if m.Role != storage.User {
			continue
		}
		n := 0
		for _, l := range trimmed(m.Content) {
			if strings.HasPrefix(l, "- ") && strings.HasSuffix(l, "”") {
				n++
			}
		}
		if n > 0 {
			return i, n
		}
		at = max(at, i)
	}
	return max(at, 0), 0
}

// chatted are the chat's own messages before an instruction.
func chatted(messages []storage.Node) []note {
	at, _ := instruction(messages)
	var out []note
	for _, m := range messages[:min(at, len(messages))] {
		if m.Role == storage.User || m.Role == storage.Assistant {
			out = append(out, note{number: len(out) + 1, text: m.Content})
		}
	}
	return out
}

// transcript is what a request tells of: the notes of a transcript, or the
// chat's own messages.
func transcript(messages []storage.Node) pages {
	p := read(messages)
	if len(p.notes) == 0 {
		p.notes, p.said = chatted(messages), true
	}
	return p
}

// content lists the words that carry a text's meaning, in lower case.
func content(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
	}) {
		w, _, _ = strings.Cut(strings.ReplaceAll(strings.Trim(w, "'’"), "’", "'"), "'")
		n := utf8.RuneCountInString(w)
		if n > 3 && !hollow[w] || n > 1 && n < len(w) || n > 0 && w[0] >= '0' && w[0] <= '9' {
			out = append(out, w)
		}
	}
	return out
}

// hollow are words of more than three letters that say nothing by themselves.
var hollow = map[string]bool{
	"about": true, "again": true, "also": true, "been": true, "before": true, "could": true, "down": true, "from": true,
	"have": true, "here": true, "into": true, "just": true, "like": true, "more": true, "only": true, "over": true,
	"said": true, "says": true, "should": true, "some": true, "than": true, "that": true, "their": true, "them": true,
	"then": true, "there": true, "they": true, "this": true, "very": true, "was": true, "were": true, "what": true,
	"when": true, "where": true, "which": true, "while": true, "will": true, "with": true, "would": true, "your": true,
}

// overlap counts the words that a set holds.
func overlap(words []string, set map[string]bool) int {
	n := 0
	for _, w := range words {
		if set[w] {
			n++
		}
	}
	return n
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
