package habits

import "fmt"

// maxAdvised is the longest habit that advice quotes, in bytes.
const maxAdvised = 200

// Advice returns an instruction against a habit, for whoever writes the replies; "" if none is
// needed.
func Advice(kind Kind, it Item) string {
	text := it.Text[:min(len(it.Text), maxAdvised)]
	switch kind {
	case Openings:
		return fmt.Sprintf("Begin replies in other ways than with \"%s\".", text)
	case Phrases:
		return fmt.Sprintf("Do not use the phrase \"%s\" again.", text)
	}
	return named[it.Text]
}

// named holds the advice by item name.
var named = map[string]string{
	Short:        "Let some sentences run longer than a few words.",
	Long:         "Put short sentences among the long ones.",
	Even:         "Vary the length of sentences within a reply.",
	MostlySpeech: "Let there be more in a reply than speech: what is done, and what can be seen and heard.",
	NoSpeech:     "Let those who play speak aloud, in words of their own.",
	Question:     "Do not end a reply with a question unless somebody needs the answer.",
	Speech:       "End some replies with something other than speech.",
	Action:       "End some replies with something other than an action.",
	Narration:    "End some replies with speech or an act of those who play.",
	Cut:          "Bring each reply to its end within its length.",
}
