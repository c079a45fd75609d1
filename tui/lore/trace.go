package lore

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// traceFact is a labelled line of a trace.
type traceFact struct{ label, text string }

const maxShown = 8 << 10 // bytes of an entry's content in a dialog

// traceLines lays out a trace. where describes the place of a message, and quote an excerpt of it.
func traceLines(t *activation.Trace, does *lore.Activation, where func(activation.Hit) string, w int,
	sty *draw.Styles) []string {
	st, mark := sty.Warning, "○ "
	if t.Verdict == activation.Triggered {
		st, mark = sty.Success, "● "
	}
	out := draw.Hanging(st.Styled(mark), traceVerdict(t), w, sty.Strong)
	out = append(out, "")
	for _, f := range traceFacts(t, does, where) {
		out = append(out, draw.Hanging(sty.Dim.Styled(fmt.Sprintf("%-10s", f.label)), f.text, w, sty.Base)...)
	}
	text := t.Text
	if text == "" && t.Entry != nil {
		text = t.Entry.Content
	}
	if strings.TrimSpace(text) != "" {
		head, words := draw.Heading(sty), "Content"
		if t.Verdict != activation.Triggered {
			words = "Content"
		}
		out = append(out, "", head.Styled(words))
		for _, l := range draw.Wrap(draw.Cut(text, maxShown), w) {
			out = append(out, sty.Base.Styled(l))
		}
	}
	return out
}

func traceVerdict(t *activation.Trace) string {
	words := "not triggered: " + string(t.Verdict)
	switch {
	case t.Verdict == activation.Triggered && t.Constant:
		words = "constant"
	case t.Verdict == activation.Triggered:
		words = "triggers"
	case t.Verdict == activation.CutByBudget:
		words = "triggered, cut by the budget"
	}
	if t.Tokens > 0 {
		words += draw.Separator + draw.Plural(t.Tokens, "token")
	}
	if t.BookName != "" {
		words += draw.Separator + draw.Truncate(t.BookName, 80) + " (" + t.Source.String() + ")"
	}
	return words
}

func traceFacts(t *activation.Trace, does *lore.Activation, where func(activation.Hit) string) []traceFact {
	var out []traceFact
	add := func(label, text string) {
		if text != "" {
			out = append(out, traceFact{label, text})
		}
	}
	add("because", draw.Truncate(t.Reason, 1000))
	for _, f := range does.Faults {
		if t.Entry != nil && f.Book == t.Book && f.Entry == t.Entry.ID {
			add("fault", "“"+draw.Truncate(f.Key, 80)+"”: "+draw.Truncate(f.Text, 400))
		}
	}
	const most = 12
	for i, h := range t.Hits {
		label := ""
		if i == 0 {
			label = "matched"
		}
		if i == most {
			add(label, fmt.Sprintf("… and %d more", len(t.Hits)-most))
			break
		}
		key := "“" + draw.Truncate(h.Key, 80) + "”"
		if h.Secondary {
			key += " (secondary)"
		}
		out = append(out, traceFact{label, key + " in " + where(h)})
	}
	if len(t.Path) > 0 {
		add("via", draw.Truncate(strings.Join(t.Path, " → "), 400))
	}
	add("group", draw.Truncate(t.Group, 400))
	for _, e := range does.Effects {
		if t.Entry != nil && e.Book == t.Book && e.UID == t.Entry.UID {
			add("timed", effectWords(e))
		}
	}
	if e := t.Entry; e != nil && e.UseProbability && e.Probability < 100 {
		add("chance", fmt.Sprintf("%g %%", e.Probability))
	}
	if t.Round > 1 {
		add("round", fmt.Sprintf("%d: triggered by other entries", t.Round))
	}
	add("goes", placeWords(t.Position, t.Depth, t.Role, t.Outlet))
	if e := t.Entry; e != nil {
		add("keys", draw.Truncate(strings.Join(e.Keys, ", "), 400))
		if e.Selective {
			add("and", draw.Truncate(strings.Join(e.SecondaryKeys, ", "), 400))
		}
	}
	return out
}

// effectWords describes a running timed effect.
func effectWords(e storage.LoreEffect) string {
	words := "stays active"
	if e.Kind == storage.LoreCooldown {
		words = "rests"
	}
	return fmt.Sprintf("%s until the chat has %s", words, draw.Plural(e.End, "message"))
}

// placeWords returns the position of an entry's content in the prompt.
func placeWords(p storage.LorePosition, depth int, role storage.Role, outlet string) string {
	switch p {
	case storage.BeforeChar:
		return "before the character"
	case storage.AfterChar:
		return "after the character"
	case storage.NoteTop:
		return "above the author's note"
	case storage.NoteBottom:
		return "below the author's note"
	case storage.BeforeExamples:
		return "before the examples"
	case storage.AfterExamples:
		return "after the examples"
	case storage.Outlet:
		return "outlet " + draw.Truncate(outlet, 60)
	case storage.AtDepth:
		words := fmt.Sprintf("%s before the end", draw.Plural(depth, "message"))
		if depth == 0 {
			words = "at the very end"
		}
		if role != "" {
			words += ", as " + draw.Truncate(string(role), 20)
		}
		return words
	}
	return ""
}
