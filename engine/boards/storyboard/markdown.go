package storyboard

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Markdown returns a storyboard as a page: beats with their budget, filler strategy, shots with
// all fields, and totals. Texts are escaped.
func Markdown(scene string, p storage.Plan) string {
	var b strings.Builder
	title := "Storyboard"
	if scene = cleanLine(scene); scene != "" {
		title += ": " + escapeMarkdown(scene)
	}
	fmt.Fprintf(&b, "# %s\n\n%s\n", title, totals(p))
	pageBeats(&b, p)
	if f := p.Filler; f != nil {
		fmt.Fprintf(&b, "\n## Filler\n\n- Amount: %s\n", escapeMarkdown(f.Amount))
		var jobs []string
		for _, j := range f.Jobs {
			jobs = append(jobs, escapeMarkdown(Label(FieldJob, j)))
		}
		item(&b, "For", strings.Join(jobs, ", "))
		item(&b, "Where", escapeMarkdown(f.Where))
		item(&b, "Why", escapeMarkdown(f.Why))
	}
	pageShots(&b, p)
	return b.String()
}

// totals describes how far the plan is and how long the shots are.
func totals(p storage.Plan) string {
	var keys int
	var seconds float64
	for _, s := range p.Shots {
		if s.Kind == storage.KeyShot {
			keys++
		}
		seconds += s.Seconds
	}
	words := []string{fmt.Sprintf("%s (%d key, %d filler)", countText(len(p.Shots), "shot"), keys, len(p.Shots)-keys)}
	if seconds > 0 {
		words = append(words, secondsText(seconds))
	}
	if p.Stage == storage.BoardReady {
		words = append(words, "confirmed")
	}
	return strings.Join(words, " · ")
}

func pageBeats(b *strings.Builder, p storage.Plan) {
	if len(p.Beats) == 0 {
		return
	}
	b.WriteString("\n## Key beats\n\n| Beat | What happens | Why | Key | Filler | Seconds |\n| --- | --- | --- | " +
		"---: | ---: | ---: |\n")
	for _, beat := range p.Beats {
		budget := " | | "
		for _, a := range p.Budget {
			if a.Beat == beat.ID {
				budget = fmt.Sprintf("%d | %d | %v", a.Key, a.Filler, a.Seconds)
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", escapeMarkdown(string(beat.ID)), escapeMarkdown(beat.Text),
			escapeMarkdown(beat.Why), budget)
	}
}

func pageShots(b *strings.Builder, p storage.Plan) {
	b.WriteString("\n## Shots\n")
	if len(p.Shots) == 0 {
		b.WriteString("\nThere are none yet.\n")
		return
	}
	texts := map[storage.BeatID]string{}
	for _, beat := range p.Beats {
		texts[beat.ID] = beat.Text
	}
	var beat storage.BeatID
	for i, s := range p.Shots {
		if s.Beat != "" && s.Beat != beat {
			beat = s.Beat
			fmt.Fprintf(b, "\n### %s · %s\n", escapeMarkdown(string(beat)), escapeMarkdown(texts[beat]))
		}
		fmt.Fprintf(b, "\n#### %d · %s\n\n%s\n\n", i+1, escapeMarkdown(string(s.ID)), paragraph(s.Description, ""))
		item(b, "Kind", escapeMarkdown(string(s.Kind)))
		item(b, "Beat", escapeMarkdown(string(s.Beat)))
		item(b, "Size", escapeMarkdown(Label(FieldSize, s.Size)))
		item(b, "Angle", escapeMarkdown(Label(FieldAngle, s.Angle)))
		item(b, "Movement", escapeMarkdown(Label(FieldMovement, s.Movement)))
		item(b, "Job", escapeMarkdown(Label(FieldJob, s.Job)))
		item(b, "Subject", escapeMarkdown(s.Subject))
		if s.Seconds > 0 {
			item(b, "Seconds", fmt.Sprint(s.Seconds))
		}
		if s.Dialogue != "" {
			fmt.Fprintf(b, "\n%s\n", paragraph(s.Dialogue, "> "))
		}
	}
}

func item(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "- %s: %s\n", name, text)
	}
}

// paragraph returns text with its line breaks.
func paragraph(text, head string) string {
	var lines []string
	for _, l := range strings.Split(cleanText(text), "\n") {
		if l = escapeMarkdown(l); l != "" {
			lines = append(lines, head+l)
		}
	}
	return strings.Join(lines, "\\\n")
}

// escapeMarkdown returns a text on one line with Markdown escaped, also within a table.
func escapeMarkdown(text string) string {
	var b strings.Builder
	text = cleanLine(text)
	for i, r := range text {
		switch r {
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '\\', '`', '*', '_', '[', ']', '|', '~', '#', '$', '!', '{', '}', '^':
			b.WriteByte('\\')
		case '-', '+', '=', ':':
			if i == 0 {
				b.WriteByte('\\')
			}
		case '.', ')':
			if i > 0 && strings.Trim(text[:i], "0123456789 ") == "" {
				b.WriteByte('\\') // else a numbered list
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
