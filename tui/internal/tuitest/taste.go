package tuitest

import "github.com/ghostlight-theatre/ghostlight/engine/demo"

// Taught returns the answers of a model that learns from a user who brings the camera closer and
// removes fillers.
func Taught() map[demo.Job][]any {
	var learnt, cards []Object
	for _, l := range []struct{ evidence, text, when, not string }{
		{"E3: fillers were taken out.", "Fillers that only wait are left out.", "scenes that press forward",
			"quiet scenes that live on waiting"},
		{"E1: fillers were added.", "A filler on a look or a hand stands between two key shots.",
			"confrontations between two people", "chases and other fast action"},
		{"E2: sizes became closer.", "The framing goes closer when pressure rises.",
			"moments of pressure between people", "moments in which the place has to be understood"},
	} {
		learnt = append(learnt, Object{
			"evidence": l.evidence, "learning": l.text,
			"appliesTo": l.when, "avoidApplyingTo": l.not, "confidence": "medium",
		})
		cards = append(cards, Object{
			"scenes": []int{1}, "evidence": l.evidence, "card": 0, "preference": l.text, "appliesTo": l.when,
			"avoidApplyingTo": l.not, "detail": "", "kind": "pattern", "for": "shots", "confidence": "medium",
		})
	}
	return map[demo.Job][]any{
		demo.LessonsJob: {Object{
			"sceneContextSummary": "Two people find a trace of somebody who is lost. The mood turns from hope to fear.",
			"editSummary": "The director planned three shots. Two of them were brought closer. " +
				"The one that only waited was taken out.",
			"sceneLearnings": learnt,
		}},
		demo.ProfileJob: {Object{
			"preferenceCards": cards,
			"profileSummary": "In scenes that press forward, fillers that only wait are left out. " +
				"In confrontations between two people, a filler on a look or a hand stands between two key shots. " +
				"In moments of pressure between people, the framing goes closer when pressure rises.",
		}},
	}
}
