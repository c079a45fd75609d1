package storyboard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// excerpts are the lengths to which messages are cut, in runes from the beginning and the end, the
// longest first. The first that lets the scene fit is used.
var excerpts = [][2]int{{3000, 1500}, {1500, 700}, {800, 400}, {400, 250}, {200, 150}, {100, 80}}

// transcript returns the scene with numbered messages. It depends only on the messages and their
// room. left says what did not fit.
func (in Input) transcript() (text, left string) {
	if len(in.Messages) == 0 {
		return none, ""
	}
	room := in.sceneBytes()
	texts := make([]string, len(in.Messages))
	for i, m := range in.Messages {
		texts[i] = cleanText(m.Text)
	}
	var lines []string
	short := 0
	for _, e := range excerpts {
		size := 0
		lines, short = make([]string, len(in.Messages)), 0
		for i, m := range in.Messages {
			said, cut := headAndTail(texts[i], e[0], e[1])
			if cut {
				short++
			}
			lines[i] = fmt.Sprintf("[%d] %s%s: %s", i+1, or(in.name(m.Name), "Somebody"), m.Mark,
				escapeText(said, e[0]+e[1]+10))
			size += len(lines[i]) + 2
		}
		if size <= room {
			break
		}
	}
	lines, gone := cutMiddle(lines, room, "messages")
	if short > 0 {
		left = fmt.Sprintf("Of %s only the beginning and the end are shown.", countText(short, "long message"))
	}
	if gone > 0 {
		left = strings.TrimSpace(fmt.Sprintf("%s For want of room %s in the middle are left out.", left,
			countText(gone, "message")))
	}
	return strings.Join(lines, "\n\n"), left
}

// sceneBytes returns how many bytes the scene may take.
func (in Input) sceneBytes() int {
	if in.SceneBytes <= 0 {
		return defaultSceneBytes
	}
	return max(in.SceneBytes, minSceneBytes)
}

// cutMiddle gives a third of the room to the beginning and the rest to the end. It says what was
// left out between, and returns how much.
func cutMiddle(lines []string, room int, what string) ([]string, int) {
	size := 0
	for _, l := range lines {
		size += len(l) + 2
	}
	if size <= room {
		return lines, 0
	}
	first, used := 0, 0
	for used+len(lines[first])+2 <= room/3 {
		used += len(lines[first]) + 2
		first++
	}
	last := len(lines)
	for last > first+1 && used+len(lines[last-1])+2 <= room {
		last--
		used += len(lines[last]) + 2
	}
	gone := last - first
	kept := append(make([]string, 0, len(lines)-gone+1), lines[:first]...)
	kept = append(kept, fmt.Sprintf("(… %s %d to %d are left out …)", what, first+1, last))
	return append(kept, lines[last:]...), gone
}

// headAndTail returns head runes from the beginning of a text and tail from its end.
func headAndTail(s string, head, tail int) (string, bool) {
	if utf8.RuneCountInString(s) <= head+tail {
		return s, false
	}
	r := []rune(s)
	return string(r[:head]) + " […] " + string(r[len(r)-tail:]), true
}

// descriptionLengths are the lengths of a shot's description, the most first. A board that does
// not fit even with the last only has positions and sizes.
var descriptionLengths = []int{240, 120, 60, 30, 0}

// board returns the storyboard, as far as it fits.
func (in Input) board() string {
	room := in.boardBytes()
	var text string
	for _, n := range descriptionLengths {
		if text = in.boardText(n); len(text) <= room {
			return or(text, "Nothing yet.")
		}
	}
	lines, _ := cutMiddle(strings.Split(text, "\n"), room, "lines")
	return strings.Join(lines, "\n")
}

// boardBytes returns how many bytes the storyboard may take.
func (in Input) boardBytes() int {
	if in.BoardBytes > 0 {
		return in.BoardBytes
	}
	return max(in.SceneBytes, defaultSceneBytes) / 2
}

// boardText returns the storyboard with at most this many runes of each description.
func (in Input) boardText(most int) string {
	p, note := in.Plan, min(maxShownNote, 2*most+30)
	var b strings.Builder
	for _, beat := range p.Beats {
		fmt.Fprintf(&b, "Beat %s: %s", beat.ID, escapeLine(beat.Text, note))
		if where := in.messageWords(beat.Messages); where != "" {
			fmt.Fprintf(&b, " (%s)", where)
		}
		if beat.Why != "" && most > 0 {
			fmt.Fprintf(&b, " – %s", escapeLine(beat.Why, note))
		}
		b.WriteByte('\n')
	}
	if p.Filler != nil {
		fmt.Fprintf(&b, "Filler: %s\n", escapeLine(fillerWords(p.Filler), 3*note))
	}
	for _, a := range p.Budget {
		fmt.Fprintf(&b, "Budget of %s: %s\n", a.Beat, budgetWords(p, a.Beat))
	}
	in.listShots(&b, most)
	in.listProposal(&b, note)
	return strings.TrimSpace(b.String())
}

func (in Input) listShots(b *strings.Builder, most int) {
	for _, k := range in.Plan.Packages {
		fmt.Fprintf(b, "Written for %s and not in the list yet:\n", k.Beat)
		for _, s := range k.Shots {
			writeShot(b, s, 0, most)
		}
	}
	if len(in.Plan.Shots) == 0 {
		return
	}
	how := ""
	if in.Plan.Stage == storage.BoardReady {
		how = ", confirmed"
	}
	fmt.Fprintf(b, "The list, %s%s:\n", countText(len(in.Plan.Shots), "shot"), how)
	for i, s := range in.Plan.Shots {
		writeShot(b, s, i+1, most)
	}
}

// writeShot writes a shot on one line; place counts from 1, 0 means none.
func writeShot(b *strings.Builder, s storage.Shot, place, most int) {
	b.WriteString(string(s.ID))
	if place > 0 {
		fmt.Fprintf(b, " (%d)", place)
	}
	fmt.Fprintf(b, " %s", s.Kind)
	if s.Beat != "" {
		fmt.Fprintf(b, " %s", s.Beat)
	}
	if most == 0 {
		fmt.Fprintf(b, " %s\n", or(escapeLine(s.Size, maxShownDialogue), "-"))
		return
	}
	for _, f := range []string{s.Size, s.Angle, s.Movement, s.Job} {
		fmt.Fprintf(b, " %s |", or(escapeLine(f, maxWord), "-"))
	}
	fmt.Fprintf(b, " %s | %s | %v s", or(escapeLine(s.Subject, min(most, maxName)), "-"),
		or(escapeLine(s.Description, most), "-"), s.Seconds)
	if s.Dialogue != "" {
		fmt.Fprintf(b, " | %q", escapeLine(s.Dialogue, min(most, maxShownDialogue)))
	}
	b.WriteByte('\n')
}

func (in Input) listProposal(b *strings.Builder, note int) {
	e := in.Plan.Proposal
	if e == nil {
		return
	}
	fmt.Fprintf(b, "A proposed edit plan waits for the director: %s\n", escapeLine(e.Summary, note))
	for i, c := range e.Calls {
		if i == maxShownEdits {
			fmt.Fprintf(b, "- and %d more\n", len(e.Calls)-i)
			break
		}
		fmt.Fprintf(b, "- %s %s\n", escapeLine(c.Tool, maxWord),
			escapeLine(string(c.Params), min(note, maxShownParams)))
	}
}
