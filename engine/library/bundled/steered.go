package bundled

import (
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// marks are how what is wanted of a reply is told from other instructions.
type marks struct{ beforeBeat, behindBeat, shorter, speech, action string }

var wanted = sync.OnceValue(func() (m marks) {
	beat := prompts.BuiltIn().Text("chat/beat")
	before, behind, _ := strings.Cut(beat, "{{beat}}")
	m.beforeBeat = before[strings.LastIndex(before, "}}")+len("}}"):]
	m.behindBeat = behind[:min(len(behind), 40)]
	m.shorter, m.speech, m.action = head("chat/act-shorter"), head("chat/act-more-speech"), head("chat/act-more-action")
	return m
})

// steered is a reply as an instruction wants it: with a beat in it, shorter, with more that
// is said or done. Whoever plays from a script cannot do more.
func steered(reply, instruction string) string {
	w := wanted()
	parts := strings.Split(reply, "\n\n")
	keep := func(fits func(string) bool) {
		if some := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return !fits(p) }); len(some) > 0 {
			parts = some
		}
	}
	speaks := func(p string) bool { return strings.Contains(p, `"`) }
	switch {
	case strings.Contains(instruction, w.speech):
		keep(speaks)
	case strings.Contains(instruction, w.action):
		keep(func(p string) bool { return !speaks(p) })
	}
	if strings.Contains(instruction, w.shorter) {
		parts = parts[:1]
	}
	if _, rest, ok := strings.Cut(instruction, w.beforeBeat); ok && w.beforeBeat != "" {
		if beat, _, ok := strings.Cut(rest, w.behindBeat); ok {
			parts = append(parts, strings.TrimSpace(beat))
		}
	}
	return strings.Join(parts, "\n\n")
}
