package storyboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FitsWhole reports whether the whole scene fits.
func (in Input) FitsWhole() bool {
	_, left := in.transcript()
	return left == ""
}

// partValues adds the macros of a part of a scene.
func (in Input) partValues(values map[string]string) {
	p := in.Part
	var lines []string
	first, last := 0, 0
	for _, m := range p.Messages {
		how := m.Mark
		if m.Continued {
			how += " (going on)"
		}
		if last = m.Number; first == 0 {
			first = m.Number
		}
		text := cleanText(m.Text)
		lines = append(lines, fmt.Sprintf("[%d] %s%s: %s", m.Number, or(in.name(m.Name), "Somebody"), how,
			escapeText(text, utf8.RuneCountInString(text)+1)))
	}
	values["transcript"] = or(strings.Join(lines, "\n\n"), none)
	values["before"] = or(escapeText(p.FoundSoFar, maxRecap), none)
	values["ending"] = "The part ends here, within the scene."
	if p.Last {
		values["ending"] = "The scene ends here."
	}
	switch {
	case p.FromParts:
		values["shown"] = "It was read in parts. Here stands what was found in them in place of the messages, under " +
			"the numbers of these:"
		values["ending"] = "The scene ends here. Choose among what was found."
	case p.Number > 0:
		values["shown"] = fmt.Sprintf(
			"You read it in %d parts, in their order. This is part %d, the messages %d to %d:", max(p.Of, p.Number),
			p.Number, first, last)
	default:
		values["shown"] = fmt.Sprintf("These of the messages %d to %d matter now:", first, last)
	}
}

// ReadBeats returns the key beats in an answer to RecommendBeats, in the form of its call. A part
// of a scene may have none. The error says what is wrong with the answer, for the model.
func ReadBeats(in Input, answer json.RawMessage) ([]map[string]any, error) {
	t := &answerReader{Input: in}
	if err := t.read(RecommendBeats, answer); err != nil {
		return nil, err
	}
	t.beats()
	var out []map[string]any
	for _, b := range t.entries("beats") {
		out = append(out, b.(map[string]any))
	}
	return out, t.err()
}

// BeatsCall returns the call that sets beats.
func BeatsCall(beats []map[string]any) (storage.ToolCall, error) {
	raw, err := encode(map[string]any{"beats": beats})
	return storage.ToolCall{Tool: RecommendBeats, Params: raw}, err
}

// TooMany reports whether the parts of a scene have more beats than the scene should have.
func (in Input) TooMany(beats []map[string]any) bool {
	_, high := in.beatRange()
	return len(beats) > high
}

// FoundPart returns a part that shows the beats found so far, with at most this many runes of
// each.
func (in Input) FoundPart(beats []map[string]any, most int) *Part {
	p := &Part{FromParts: true}
	for _, b := range beats {
		text, _ := b["text"].(string)
		if why, _ := b["why"].(string); why != "" {
			text += " – " + why
		}
		if ids := in.numbersOf(b); len(ids) > 0 {
			p.Messages = append(p.Messages, Message{Number: ids[0], Name: "Found", Text: clip(cleanLine(text), most)})
		}
	}
	return p
}

// numbersOf returns the message numbers of a beat's call.
func (in Input) numbersOf(b map[string]any) (out []int) {
	list, _ := b["messages"].([]any)
	for i, m := range in.Messages {
		if slices.ContainsFunc(list, func(id any) bool { return id == string(m.ID) }) {
			out = append(out, i+1)
		}
	}
	return out
}

// WithAllMessages gives the chosen beats all messages of the beats they were chosen from.
func WithAllMessages(chosen, found []map[string]any) []map[string]any {
	for _, c := range chosen {
		ids, _ := c["messages"].([]any)
		for _, f := range found {
			of, _ := f["messages"].([]any)
			if len(of) == 0 || !slices.Contains(ids, of[0]) {
				continue
			}
			for _, id := range of {
				if !slices.Contains(ids, id) && len(ids) < maxMessages {
					ids = append(ids, id)
				}
			}
		}
		c["messages"] = ids
	}
	return chosen
}

// JoinBeats joins the beats of several parts: a duplicate ID of an existing beat stays with the
// first one.
func JoinBeats(beats []map[string]any) []map[string]any {
	seen := map[any]bool{}
	for _, b := range beats {
		if id, ok := b["id"]; ok && seen[id] {
			delete(b, "id")
		} else if ok {
			seen[id] = true
		}
	}
	return beats[:min(len(beats), maxBeats)]
}

// Around selects the messages around a beat: its own, and as many before and after as fit. If its
// own are too long, their beginnings and ends are shown.
func (in Input) Around(beat storage.BeatID, room int, count func(string) int) *Part {
	var own []int
	texts := make([]string, len(in.Messages))
	chosen := map[int]bool{}
	for i := range in.Messages {
		texts[i] = in.Messages[i].Text
		if slices.ContainsFunc(in.Plan.Beats, func(b storage.BoardBeat) bool {
			return b.ID == beat && slices.Contains(b.Messages, in.Messages[i].ID)
		}) {
			own, chosen[i] = append(own, i), true
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	cost := func(i int) int { return count(texts[i]) + messageOverhead }
	size := func() (n int) {
		for i := range chosen {
			n += cost(i)
		}
		return n
	}
	for _, e := range excerpts {
		if size() <= room {
			break
		}
		for i := range chosen {
			texts[i], _ = headAndTail(cleanText(in.Messages[i].Text), e[0], e[1])
		}
	}
	var near []int // the nearest first
	away := make([]int, len(in.Messages))
	for i := range in.Messages {
		away[i] = len(in.Messages)
		for _, o := range own {
			away[i] = min(away[i], max(i-o, o-i))
		}
		near = append(near, i)
	}
	slices.SortStableFunc(near, func(a, b int) int { return away[a] - away[b] })
	left := room - size()
	for _, i := range near {
		if chosen[i] {
			continue
		}
		if left -= cost(i); left < 0 {
			break
		}
		chosen[i] = true
	}
	p := &Part{Last: chosen[len(in.Messages)-1]}
	for i, m := range in.Messages {
		if chosen[i] {
			m.Number, m.Text = i+1, texts[i]
			p.Messages = append(p.Messages, m)
		}
	}
	return p
}

// messageOverhead is the number of tokens of a message besides its text.
const messageOverhead = 12

// hasMessage reports whether a message is shown.
func (in Input) hasMessage(n int) bool {
	return in.Part == nil || slices.ContainsFunc(in.Part.Messages, func(m Message) bool { return m.Number == n })
}

func (in Input) firstShown() int {
	if in.Part == nil || len(in.Part.Messages) == 0 {
		return 1
	}
	return in.Part.Messages[0].Number
}

func (in Input) lastShown() int {
	if in.Part == nil || len(in.Part.Messages) == 0 {
		return len(in.Messages)
	}
	return in.Part.Messages[len(in.Part.Messages)-1].Number
}
