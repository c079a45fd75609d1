package bundled

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Other beginnings of a passage, lines for a place where a text goes on, and how a line
// ends that was given in outline.
var (
	lamplight = []string{"In the lamplight, ", "For the length of a breath, ", "Under the one lamp, "}
	goingOn   = []string{
		"The lamp hums to itself, and for once nobody hurries.",
		"Somewhere above the stage a rope creaks. Then it is quiet again.",
		"A moth finds the light, and loses it, and finds it again.",
	}
	spoken = []string{" *I let that stand.*", " *I wait to see what it does to her.*", " *I do not look away.*"}
)

// passage answers a request about a passage of a text; ok is false for any other.
func passage(instruction string, take int) (answer string, ok bool) {
	const open, end = "<passage>", "</passage>"
	_, text, ok := strings.Cut(instruction, "<text>\n")
	if !ok {
		return "", false
	}
	text, wish, ok := strings.Cut(text, "\n</text>")
	if !ok {
		return "", false
	}
	if strings.Contains(text, "<here/>") {
		return open + pick(goingOn, take) + end, true
	}
	_, old, ok := strings.Cut(text, open)
	if !ok {
		return "", false
	}
	old, _, _ = strings.Cut(old, end)
	wish = strings.ToLower(wish[strings.LastIndexByte(wish, '\n')+1:])
	if words := strings.Fields(old); strings.Contains(wish, "short") && len(words) > 3 {
		short := strings.TrimRightFunc(strings.Join(words[:(len(words)+1+take%2)/2], " "), unicode.IsPunct)
		if strings.HasPrefix(short, "*") {
			return open + short + ".*" + end, true
		}
		return open + short + "." + end, true
	}
	lead, body := "", strings.TrimSpace(old)
	if strings.HasPrefix(body, "*") {
		lead, body = "*", body[1:]
	}
	r, size := utf8.DecodeRuneInString(body)
	return open + lead + pick(lamplight, take) + string(unicode.ToLower(r)) + body[size:] + end, true
}

// outlined is the user's line where it was given in outline, "" where it was not.
func outlined(instruction, lead string, take int) string {
	_, outline, ok := strings.Cut(instruction, lead)
	if !ok {
		return ""
	}
	_, outline, _ = strings.Cut(outline, "\n\n")
	outline = strings.TrimSuffix(strings.TrimSpace(outline), "]")
	return outline + pick(spoken, take)
}
