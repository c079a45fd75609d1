package pictures

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withFirstSketch returns the prompt of a sketch with the people and the place of the storyboard's
// first sketch, word for word: the same words give the same faces. Ended facts, people who are not
// in the shot, and the place of a close shot are left out.
func withFirstSketch(tx *storage.Tx, c storage.Capture, a capture.Answer, prompt string) string {
	if c.Board == "" || c.Shot == "" || strings.TrimSpace(prompt) == "" {
		return prompt
	}
	var order []string
	of := map[string][]string{}
	ended := endedFacts(tx, c.Chat)
	inView := func(who string) bool {
		return slices.ContainsFunc(a.InView, func(n string) bool { return capture.SameName(n, who) }) ||
			capture.Calls(prompt, who)
	}
	for _, f := range firstSketchFacts(tx, c) {
		text := strings.TrimRight(strings.TrimSpace(f.Text), ".")
		who := f.Who
		switch {
		case text == "" || strings.Contains(strings.ToLower(prompt), strings.ToLower(text)):
			continue
		case f.Kind == storage.FactAppearance || f.Kind == storage.FactClothes:
			if who == "" || !inView(who) {
				continue
			}
		case f.Kind == storage.FactPlace || f.Kind == storage.FactLight:
			if c.Camera.Shot == "detail" {
				continue
			}
			who = "The " + string(f.Kind)
		default: // things are shown only if they are wanted
			continue
		}
		fact := storage.Fact{Kind: f.Kind, Who: f.Who, Text: f.Text}
		if slices.ContainsFunc(ended, func(o storage.Fact) bool { return capture.SameFact(o, fact) }) {
			continue
		}
		if of[who] == nil {
			order = append(order, who)
		}
		of[who] = append(of[who], text)
	}
	for _, who := range order {
		prompt = strings.TrimSpace(prompt) + " " + who + ": " + strings.Join(of[who], ", ") + "."
	}
	return prompt
}

// firstSketchFacts returns the facts that the oldest sketch of a capture's storyboard shows, nil
// if that is the capture itself.
func firstSketchFacts(tx *storage.Tx, c storage.Capture) []storage.ShownFact {
	b, err := storage.Boards.Get(tx, c.Chat, c.Board)
	if err != nil {
		return nil
	}
	for id, o := range storage.Captures.All(tx) {
		switch {
		case id >= c.ID:
			return nil
		case o.Chat == c.Chat && o.Board == c.Board && o.Shot != "" && o.Kind == c.Kind &&
			!o.CreatedAt.Before(b.CreatedAt) && o.Wrote != nil && len(o.Wrote.Shows) > 0:
			return o.Wrote.Shows
		}
	}
	return nil
}

// endedFacts returns the facts of a chat that are no longer true.
func endedFacts(tx *storage.Tx, chat storage.ChatID) (out []storage.Fact) {
	for _, f := range storage.Facts.All(tx, chat) {
		if f.Ended != "" {
			out = append(out, f)
		}
	}
	return out
}
