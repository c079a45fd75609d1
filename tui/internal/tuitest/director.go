package tuitest

import "github.com/ghostlight-theatre/ghostlight/engine/demo"

// Directed returns a model's answers about turns. From the given turn on they suggest a picture,
// the same one each time; with 0 none does.
func Directed(picture int) map[demo.Job][]any {
	turn := func(hint, kind string) Object {
		return Object{
			"scene": Object{"rationale": "The talk goes on in the same place.", "status": false},
			"director": Object{
				"beat":    "They talk on, and neither has said yet what matters.",
				"setting": "the lamp room above the stage",
				"open":    "Whose light is this?", "why": "Tove has not answered.", "tone": "hushed, curious",
				"tension": 28,
				"status":  "going", "visual_hint": hint, "visual_type": kind,
			},
			"memories": []any{}, "hooks": []any{}, "taken": []any{}, "why": "", "outdated": []any{}, "settled": []any{},
		}
	}
	answers := []any{turn("", "none")}
	for range picture - 2 {
		answers = append(answers, turn("", "none"))
	}
	if picture > 0 {
		answers = append(answers, turn("Tove bends over the letter in the light of the lamp.", "character"))
	}
	return map[demo.Job][]any{demo.AfterTurnJob: answers}
}
