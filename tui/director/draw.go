package director

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// maxNote is the number of bytes of an episode's text that its card reads.
const maxNote = 4 << 10

// cardLine is a line of an episode's card. If there is too little room, lines of the highest rank
// are dropped first.
type cardLine struct {
	st    uv.Style
	text  string
	right string // at the right edge
	rank  int
	more  bool // it continues the text of the line before
}

// card returns lines about the play as a whole, at most half of h.
func (p *directorPane) card(w, h int) []string {
	most := h / 2
	if h >= 12 {
		most-- // a blank line separates it from the turns
	}
	lines := p.cardLines(&p.part.view, w-1)
	for len(lines) > max(1, most) {
		worst := 0
		for i, l := range lines {
			if l.rank >= lines[worst].rank {
				worst = i
			}
		}
		if l := lines[worst]; l.more && !strings.HasSuffix(lines[worst-1].text, "…") {
			lines[worst-1].text = draw.Continued(lines[worst-1].text, w-1)
		}
		lines = slices.Delete(lines, worst, worst+1)
	}
	var out []string
	for _, l := range lines {
		room := w
		if l.right != "" {
			room -= ansi.StringWidth(l.right) + 1
		}
		text := draw.Clip(l.text, max(0, room))
		line := l.st.Styled(text)
		if l.right != "" {
			gap := max(1, room-ansi.StringWidth(text)+1)
			line += strings.Repeat(" ", gap) + p.part.host.Styles().Accent.Styled(l.right)
		}
		out = append(out, line)
	}
	if h >= 12 {
		out = append(out, "")
	}
	return out
}

// cardLines returns all lines of the card.
func (p *directorPane) cardLines(v *director.View, w int) []cardLine {
	sty := p.part.host.Styles()
	state := stateWords(v)
	if v.Working {
		state = strings.TrimPrefix(state+draw.Separator+"checking …", draw.Separator)
	}
	var out []cardLine
	add := func(rank int, st uv.Style, text string) { out = append(out, cardLine{st: st, text: text, rank: rank}) }
	// texts adds the first rows of a longer text; each further row is dropped earlier.
	texts := func(rank, rows int, st uv.Style, lead, text string) {
		if text = strings.TrimSpace(draw.Cut(text, maxNote)); text == "" {
			return
		}
		lines := draw.HangingPlain(lead, text, w, rows)
		for i, l := range lines {
			out = append(out, cardLine{st: st, text: l, rank: rank + i, more: i > 0})
		}
	}
	if v.Episode == nil {
		out = append(out, cardLine{st: sty.Strong, text: "no episode", right: state})
		texts(2, 3, sty.Dim, "", p.plainWords())
	} else {
		if v.Series != nil {
			add(20, sty.Dim, strings.TrimSuffix(draw.Truncate(v.Series.Title, 120)+draw.Separator+
				draw.Truncate(genreOf(v), 60), draw.Separator))
		}
		out = append(out, cardLine{st: sty.Strong, text: episodeTitle(*v.Episode, 120), right: state})
		add(1, sty.Base, turnWords(v))
		if words := p.endWords(v); words != "" {
			texts(2, 2, sty.Accent, "", words)
		}
	}
	if words := tensionWords(v, w, sty.Plain); words != "" {
		add(3, sty.Base, words)
	}
	if v.Off {
		add(4, sty.Warning, "turned off in the settings")
	}
	if ep := v.Episode; ep != nil {
		texts(5, 2, sty.Base, "? ", pane.Named(p.part.host, ep.Question, 1000))
		texts(30, 3, sty.Dim, "", pane.Named(p.part.host, ep.Situation, 1000))
		if len(ep.Resolutions) > 0 {
			add(22, sty.Dim, "possible endings: "+draw.Truncate(strings.Join(ep.Resolutions, ", "), 100))
		}
	}
	texts(24, 4, sty.Dim, "in prompt: ", v.Moment)
	texts(10, 2, sty.Dim, "", sparkWords(v))
	if words := engagedWords(v); words != "" {
		add(21, sty.Dim, words)
	}
	return out
}

// plainWords returns words for a chat without an episode: how to choose one.
func (p *directorPane) plainWords() string {
	words := "This chat has no episode; the director still checks each turn."
	if way := pane.PathTo(p.part.host, keys.ChooseEpisode); way != "" {
		words += " " + way + " chooses one"
		if k := p.part.host.Keys().Key(keys.SeriesList, keys.Pane); k != "" {
			words += ", " + k + " lists and creates them"
		}
		words += "."
	}
	return words
}

// episodeTitle returns an episode's number and title in at most n cells.
func episodeTitle(ep storage.Episode, n int) string {
	return draw.Truncate(strconv.Itoa(ep.Number)+draw.Separator+draw.Truncate(ep.Title, n), n)
}

func genreOf(v *director.View) string {
	if v.Episode.Genre != "" || v.Series == nil {
		return v.Episode.Genre
	}
	return v.Series.Genre
}

// stateWords returns the state of a play, "" for a plain chat.
func stateWords(v *director.View) string {
	switch v.State {
	case director.PlayPlain, "":
		return ""
	}
	return string(v.State)
}

// turnWords returns the current turn of a play.
func turnWords(v *director.View) string {
	words := fmt.Sprintf("turn %d", v.Turn)
	if n := v.Episode.TurnBudget; n > 0 {
		words = fmt.Sprintf("turn %d of %d %s", v.Turn, n, draw.Meter(float64(v.Turn)/float64(n), 8))
	}
	if v.Phase != "" {
		words += draw.Separator + draw.Truncate(v.Phase, 20)
	}
	return words
}

// endWords returns why a play is complete and what may follow, "" while it is not.
func (p *directorPane) endWords(v *director.View) string {
	if v.State != director.PlayComplete {
		return ""
	}
	words := "complete"
	if v.Ended != nil {
		words += ": " + endedBy(v.Ended.By)
	}
	if v.Next == nil {
		return words
	}
	next := "next: " + episodeTitle(*v.Next, 60)
	if k := p.part.host.Keys().Key(keys.NextEpisode, keys.Pane); k != "" {
		next += " (" + k + ")"
	}
	return next + draw.Separator + words
}

// endedBy returns why a play is complete, in words.
func endedBy(by storage.EndedBy) string {
	switch by {
	case storage.EndedSemantic:
		return "set by the director"
	case storage.EndedByTurns:
		return "turn budget reached"
	case storage.EndedByUser:
		return "set by you"
	}
	return draw.Truncate(string(by), 30)
}

// heights are the steps of a line of tension.
var heights = []rune("▁▂▃▄▅▆▇█")

// tensionWords returns the newest tension, its history, and the tone; "" before the first
// evaluation. A terminal without colours gets numbers.
func tensionWords(v *director.View, w int, plain bool) string {
	var seen []int // the newest first
	tone := ""
	for _, b := range v.Turns {
		if !b.Evaluated {
			continue
		}
		if len(seen) == 0 {
			tone = draw.Truncate(b.Tone, 40)
		}
		if seen = append(seen, max(0, min(b.Tension, 100))); len(seen) == 24 {
			break
		}
	}
	if len(seen) == 0 {
		return ""
	}
	line := ""
	if plain {
		for i, t := range seen[:min(len(seen), 5)] {
			if line = strconv.Itoa(t) + line; i < min(len(seen), 5)-1 {
				line = " " + line
			}
		}
	} else {
		for _, t := range seen[:min(len(seen), max(4, w-30))] {
			line = string(heights[t*(len(heights)-1)/100]) + line
		}
		line += " " + strconv.Itoa(seen[0])
	}
	return strings.TrimSuffix("tension "+line+draw.Separator+tone, draw.Separator)
}

// sparkWords returns how many sparks automatic pictures may cost, and when pictures are made.
func sparkWords(v *director.View) string {
	words := fmt.Sprintf("%d of %d sparks left", v.Sparks.Left, v.Sparks.Allowance)
	if v.Episode == nil && v.Mode == "" {
		return words
	}
	switch v.Mode {
	case storage.ScenesOff:
		return words + draw.Separator + "pictures only on request"
	case storage.ScenesRhythmic:
		n := storage.DefaultInterval
		if v.Episode != nil {
			n = v.Episode.Interval()
		}
		words += draw.Separator + fmt.Sprintf("a picture every %s, and at peaks", draw.Plural(n, "turn"))
	default:
		words += draw.Separator + "pictures at peaks"
	}
	switch v.Sparks.Answer {
	case storage.SparksAllowed:
		return words + draw.Separator + "allowed"
	case storage.SparksRefused:
		return words + draw.Separator + "refused"
	case storage.SparksAsked:
		return words + draw.Separator + "waiting for your answer"
	}
	return words
}

// engagedWords returns how long and how often the user and the characters have interacted.
func engagedWords(v *director.View) string {
	e := v.Engagement
	var parts []string
	if e.Sessions > 0 {
		parts = append(parts, draw.Plural(e.Sessions, "session")+" before")
	}
	switch {
	case e.Since == "today":
		parts = append(parts, "first met today")
	case e.Since != "":
		parts = append(parts, "first met "+draw.Truncate(e.Since, 40)+" ago")
	}
	return strings.Join(parts, draw.Separator)
}

// pictureWords describes what happened to a picture, and why; "" if unknown.
func pictureWords(b *director.TurnView) string {
	why := draw.Truncate(b.CaptureWhy, 160)
	if b.Capture != "" {
		return strings.TrimSuffix("picture created: "+why, ": ")
	}
	return why
}

// takenWords returns the hooks that a reply took up, "" for none.
func takenWords(b *director.TurnView, hooks map[storage.HookID]string, n int) string {
	if len(b.TakenUp) == 0 {
		return ""
	}
	var known []string
	for _, id := range b.TakenUp {
		if words := draw.Truncate(hooks[id], n); words != "" {
			known = append(known, words)
		}
	}
	if len(known) == 0 {
		return "used " + draw.Plural(len(b.TakenUp), "hook")
	}
	return "used: " + strings.Join(known, "; ")
}
