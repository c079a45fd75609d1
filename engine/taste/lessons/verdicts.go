package lessons

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// JudgeFile is the prompt file that asks whether cards are of one story.
const JudgeFile = "taste/judge"

// mostAsked is how many cards are asked about in one request.
const mostAsked = 6

// The two answers that there are for a card.
const (
	anyStory = "any story"
	oneStory = "one story"
)

// judgeFences are the tags around the cards in the request.
var judgeFences = []string{"cards"}

// Verdicts is a model's answer about cards.
type Verdicts struct {
	Cards []struct {
		Card   int    `json:"card"`
		Why    string `json:"why"`
		Detail string `json:"detail"`
		Fits   string `json:"fits"`
	} `json:"cards"`
}

// verdictKey names what a card says: a verdict is about the words, not the card.
func verdictKey(c storage.PreferenceCard) string {
	sum := sha256.Sum256([]byte(fold(strings.Join([]string{prompts.OneLine(c.Preference), prompts.OneLine(c.AppliesTo), prompts.OneLine(c.AvoidApplyingTo)}, "\n"))))
	return hex.EncodeToString(sum[:8])
}

// verdictOn finds what was said of a card before.
func verdictOn(t storage.Taste, c storage.PreferenceCard) (storage.CardVerdict, bool) {
	key := verdictKey(c)
	i := slices.IndexFunc(t.Verdicts, func(v storage.CardVerdict) bool { return v.Key == key })
	if i < 0 {
		return storage.CardVerdict{}, false
	}
	return t.Verdicts[i], true
}

// Held says why a card of the program's is not told, "" where it is.
type Held string

const (
	HeldWaits       Held = "waits"       // it is not known yet whether it is of one story
	HeldPlot        Held = "plot"        // it is
	HeldUnsupported Held = "unsupported" // no edit shows it
)

// Hold says whether a card is told: one that the rules cannot decide is, once the
// model has said that it fits any story. The user's own words always are.
func (d *Details) Hold(t storage.Taste, c Card) (Held, string) {
	if c.Own {
		return "", ""
	}
	switch v, why := d.Judge(c.PreferenceCard); {
	case v == Plot:
		return HeldPlot, why
	case c.Unsupported:
		return HeldUnsupported, ""
	case v == Pattern:
		return "", ""
	}
	switch v, known := verdictOn(t, c.PreferenceCard); {
	case !known:
		return HeldWaits, ""
	case v.Plot:
		return HeldPlot, v.Why
	}
	return "", ""
}

// Waiting are the cards of a profile that the model is to be asked about, at most
// as many as are asked at once.
func Waiting(t storage.Taste, h storage.TasteHand, d *Details) (out []storage.PreferenceCard) {
	for _, c := range Cards(t, h) {
		if c.Deleted || c.Muted {
			continue
		}
		if held, _ := d.Hold(t, c); held == HeldWaits && len(out) < mostAsked {
			out = append(out, c.PreferenceCard)
		}
	}
	return out
}

// AskJudge is the request to judge cards, JudgeSchema the form of the answer.
func AskJudge(set *prompts.Set, cards []storage.PreferenceCard) []prompts.Message {
	var lines []string
	for i, c := range cards {
		line := fmt.Sprintf("%d. %s Holds for: %s. Not for: %s.", i+1, ended(said(c.Preference, maxPreference)),
			strings.TrimRight(or(said(c.AppliesTo, maxCondition), nothing), "."), strings.TrimRight(or(said(c.AvoidApplyingTo, maxCondition), nothing), "."))
		lines = append(lines, prompts.Defuse(line, judgeFences))
	}
	return set.Request(JudgeFile, map[string]string{"cards": strings.Join(lines, "\n"), "count": fmt.Sprint(len(cards))})
}

// ended is a text that ends as a sentence does.
func ended(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// JudgeSchema is the form of the answer to AskJudge about so many cards.
func JudgeSchema(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"cards":{"type":"array","minItems":%d,"maxItems":%d,"items":{"type":"object","properties":{`+
		`"card":{"type":"integer","minimum":1,"maximum":%d},"why":{"type":"string","minLength":1,"maxLength":%d},"detail":{"type":"string","maxLength":%d},"fits":{"type":"string","enum":[%q,%q]}},`+
		`"required":["card","why","detail","fits"],"additionalProperties":false}}},"required":["cards"],"additionalProperties":false}`, n, n, n, maxEvidence, maxQuote, anyStory, oneStory))
}

// JudgeForm is what such an answer must look like to be read.
func JudgeForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"cards":{"type":"array","items":{"type":"object","required":["card","fits"],"properties":{"card":{"type":"integer"},"fits":{"type":"string"}}}}},"required":["cards"]}`)
}

// CheckVerdicts says what is wrong with an answer, for the model.
func CheckVerdicts(cards []storage.PreferenceCard, v Verdicts) error {
	var faults []string
	seen := map[int]bool{}
	for _, x := range v.Cards {
		switch {
		case x.Card < 1 || x.Card > len(cards):
			faults = append(faults, fmt.Sprintf("there is no card %d", x.Card))
			continue
		case seen[x.Card]:
			faults = append(faults, fmt.Sprintf("card %d is answered twice", x.Card))
		case x.Fits != anyStory && x.Fits != oneStory:
			faults = append(faults, fmt.Sprintf(`card %d: "fits" must be %q or %q`, x.Card, anyStory, oneStory))
		case x.Fits == anyStory && !noDetail(x.Detail):
			faults = append(faults, fmt.Sprintf(`card %d: a card with a detail of a story does not fit any: either "detail" is empty, or "fits" is %q`, x.Card, oneStory))
		case x.Fits == oneStory && !quotes(cards[x.Card-1], x.Detail):
			faults = append(faults, fmt.Sprintf(`card %d: "detail" must be the words of the card that belong to one story; where there are none, "fits" is %q`, x.Card, anyStory))
		}
		seen[x.Card] = true
	}
	for i := range cards {
		if !seen[i+1] {
			faults = append(faults, fmt.Sprintf("card %d has no answer", i+1))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults[:min(len(faults), mostFaults)], "; "))
}

// noDetail tells whether a detail says that there is none.
func noDetail(s string) bool {
	switch strings.Join(words(s), " ") {
	case "", "none", "no", "nothing", "n a", "no detail":
		return true
	}
	return false
}

// quotes tells whether words stand in a card.
func quotes(c storage.PreferenceCard, detail string) bool {
	all := spaced(c.Preference) + spaced(c.AppliesTo) + spaced(c.AvoidApplyingTo)
	return len(words(detail)) > 0 && strings.Contains(all, spaced(detail))
}

// KeepVerdicts is what of an answer is kept. An answer that contradicts itself holds
// the card back: what is not told does no harm.
func KeepVerdicts(cards []storage.PreferenceCard, v Verdicts) (out []storage.CardVerdict) {
	for i, c := range cards {
		for _, x := range v.Cards {
			if x.Card != i+1 || x.Fits != anyStory && x.Fits != oneStory {
				continue
			}
			plot := x.Fits == oneStory || !noDetail(x.Detail)
			why := said(x.Why, maxEvidence)
			if plot && quotes(c, x.Detail) {
				why = said(x.Detail, maxQuote)
			}
			out = append(out, storage.CardVerdict{Key: verdictKey(c), Plot: plot, Why: why})
			break
		}
	}
	return out
}

// mostVerdicts is how many verdicts are kept of a story, the newest.
const mostVerdicts = 200

// WithVerdicts adds verdicts to those of a profile; a newer one takes the place of
// an older.
func WithVerdicts(t storage.Taste, add []storage.CardVerdict) storage.Taste {
	all := slices.DeleteFunc(slices.Clone(t.Verdicts), func(v storage.CardVerdict) bool {
		return slices.ContainsFunc(add, func(n storage.CardVerdict) bool { return n.Key == v.Key })
	})
	all = append(all, add...)
	t.Verdicts = all[max(0, len(all)-mostVerdicts):]
	return t
}
