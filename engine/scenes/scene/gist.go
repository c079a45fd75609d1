package scene

import (
	"slices"
	"strings"
)

// Gist returns the part of some recaps, oldest first, that fits into room tokens: all of them if
// they fit, otherwise the situation, the open threads and the newest of the rest.
func Gist(texts []string, room int, count func(string) int) string {
	whole := blocks(texts)
	if count(whole) <= room {
		return whole
	}
	all := Bullets(whole)
	now := 0 // index of the newest situation
	for i, b := range all {
		if headingOf(b.Heading) == situation && (i == 0 || headingOf(all[i-1].Heading) != situation) {
			now = i
		}
	}
	var kept [len(headings)][]string
	for _, at := range []int{situation, threads, developments, highlights} {
		for i, b := range slices.Backward(all) {
			of := headingOf(b.Heading)
			if of < 0 {
				of = developments
			}
			if cost := count(b.Text) + 4; of == at && (at != situation || i >= now) && cost <= room {
				kept[at] = append(kept[at], b.Text)
				room -= cost
			}
		}
	}
	var out strings.Builder
	for i, h := range headings {
		if len(kept[i]) > 0 {
			out.WriteString("\n" + h + ":\n")
		}
		for _, text := range slices.Backward(kept[i]) {
			out.WriteString("- " + text + "\n")
		}
	}
	return strings.TrimSpace(out.String())
}
