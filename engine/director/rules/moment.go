package rules

import (
	"strings"

	"ghostlight/prompts"
)

// Bounds of the moment note, in bytes: four of them are about a token.
const (
	maxMoment  = 236
	maxAnchor  = 48 // the setting
	maxOpen    = 64
	maxLine    = 80
	leastLine  = 16 // what a line needs to say anything
	maxMessage = 16 << 10
)

// Moment is the note that keeps the next reply in the moment: what is unresolved,
// where it plays, and the ends of what the user (theirs) and the character
// (yours) have said last. It is short whatever it is given, and "" where neither
// a tension nor a setting is known.
func Moment(theirs, yours, open, setting string) string {
	open = strings.TrimRight(cut(prompts.OneLine(head(open, maxMessage)), maxOpen), ".")
	setting = strings.TrimRight(cut(prompts.OneLine(head(setting, maxMessage)), maxAnchor), ".")
	if open == "" && setting == "" {
		return ""
	}
	var parts []string
	if setting != "" {
		parts = append(parts, "Here and now: "+ended(setting))
	}
	if open != "" {
		parts = append(parts, "Unresolved: "+ended(open))
	}
	const theirsIs, yoursIs, end = "Their last line: “", "Yours: “", "”"
	room := maxMoment - len(strings.Join(parts, " ")) - len(" "+theirsIs+end+" "+yoursIs+end)
	for _, l := range []struct{ is, text string }{{theirsIs, theirs}, {yoursIs, yours}} {
		most := min(maxLine, room/2)
		if text := strings.Trim(prompts.OneLine(tail(l.text, maxMessage)), `"“”`); text != "" && most >= leastLine {
			parts = append(parts, l.is+cutHead(text, most)+end)
		}
	}
	return strings.Join(parts, " ")
}

// ended is a sentence with its full stop, unless it ends with another mark.
func ended(s string) string {
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// tail keeps at most n bytes of the end.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }
