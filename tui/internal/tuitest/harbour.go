package tuitest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Object is a JSON object of an answer.
type Object = map[string]any

// fact is a line of a recap with the numbers of its sources: messages in a scene's recap, else
// earlier lines.
func fact(text, of string, numbers ...int) Object { return Object{"text": text, of: numbers} }

func said(text string, messages ...int) Object { return fact(text, "messages", messages...) }

func kept(text string, bullets ...int) Object { return fact(text, "bullets", bullets...) }

func entry(name, kind, content string, keys ...string) Object {
	return Object{"name": name, "type": kind, "keywords": keys,
		"content": "[" + kind + "-" + name + ": " + content + "]"}
}

// harbour answers like a model that has read Harbour. A second request about a scene gets another
// answer; later requests get the second one again.
func harbour() demo.Scripted {
	first := demo.InOrder(map[demo.Job][]any{demo.SceneJob: {
		photograph("Tove says: “The ferry leaves at dawn, and nobody leaves with it.”",
			entry("Tove", "character", "carries a lantern, has met(Robin), sold a compass(to Aksel)", "tove"),
			entry("Aksel", "character", "brother of(Robin), bought a compass, paid with(silver ring)", "aksel"),
			entry("Skarvik", "location", "harbour with a broken crane, ferry leaves at dawn", "skarvik", "harbour")),
		photograph("Tove says: “He bought a compass from me.”",
			entry("Tove", "character", "carries a lantern, has met(Robin)", "tove")),
	}})
	second := demo.InOrder(map[demo.Job][]any{
		demo.SceneJob: {
			lampRoom("The story is told in small acts and short exchanges.", lines[0], lines[1]),
			lampRoom("The story is told near and unhurried.", lines[2], lines[3]),
		},
		demo.RunningJob: {
			running("The story is told in small acts and short exchanges.", lines[0], lines[1]),
			running("The story is told near and unhurried.", lines[2], lines[3]),
		},
		demo.QuestionsJob: {Object{"questions": recallQuestions}},
	})
	return func(job demo.Job, messages []storage.Node) (json.RawMessage, bool) {
		text := ""
		for _, m := range messages {
			text += m.Content + "\n"
		}
		switch {
		case job == demo.AnswersJob:
			return remembered(text)
		case strings.Contains(text, "the stairs of the lighthouse"):
			return second(job, messages)
		case strings.Contains(text, "the gangway"):
			return first(job, messages)
		}
		return nil, false
	}
}

// lines are Tove's lines in the second scene.
var lines = []string{
	"Tove says: “Aksel slept here for a week.”", "Tove says: “My mother drowned in that cave.”",
	"Tove says: “He left this notebook under the lamp.”", "Tove says: “I promised never to go there again.”",
}

// photograph is a recap of the first scene.
func photograph(line string, lore ...Object) Object {
	return Object{
		"scene_name": "The Photograph",
		"recap": Object{
			"current_situation": []Object{
				said("Robin and Tove stand on the quay of Skarvik and look at a photograph of Aksel.", 3, 4),
			},
			"key_developments": []Object{
				said("Robin came down the gangway of the ferry.", 1),
				said("Aksel bought a compass from Tove with a silver ring.", 4),
			},
			"dialogue_highlights": []Object{said(line, 2)},
			"tone_style":          []Object{said("The story is told in the present tense.")},
			"pending_threads":     []Object{said("Robin wants to find Aksel.", 3)},
		},
		"atmosphere":      "A harbour at night, one lantern, and a broken crane.",
		"emotional_beats": "Tove is wary of the stranger until she sees the photograph.",
		"lorebooks":       lore,
	}
}

// lampRoom is a recap of the second scene.
func lampRoom(tone, one, two string) Object {
	return Object{
		"scene_name": "The Next Morning",
		"recap": Object{
			"current_situation": []Object{
				said("Tove goes pale.", 4), said("Robin holds the notebook that Aksel left.", 3),
			},
			"key_developments": []Object{
				said("Robin climbs the stairs of the lighthouse behind Tove.", 1),
				said("Tove unlocks the iron door.", 2),
			},
			"dialogue_highlights": []Object{said(one, 2), said(two, 4)},
			"tone_style":          []Object{said(tone)},
			"pending_threads":     []Object{said("Nobody knows what is in the cave under the north cliff.", 3)},
		},
		"atmosphere":      "A cold lamp room high above the sea.",
		"emotional_beats": "Tove helped gladly until she heard of the cave; now she is afraid.",
		"lorebooks": []Object{
			entry("Tove", "character", "has the key of(lighthouse), lost her mother(in the cave)", "tove"),
			entry("Aksel", "character", "slept in the lighthouse(for a week), left a notebook(under the lamp)",
				"aksel"),
			entry("The cave", "location", "lies under the north cliff", "cave"),
		},
	}
}

// running is the running recap after both scenes.
func running(tone, one, two string) Object {
	return Object{
		"recap": Object{
			"current_situation": []Object{
				kept("Tove goes pale.", 7), kept("Robin holds the notebook that Aksel left.", 8),
			},
			"key_developments": []Object{
				kept("Robin came down the gangway of the ferry.", 2),
				kept("Aksel bought a compass from Tove with a silver ring.", 3),
				kept("Robin climbs the stairs of the lighthouse behind Tove.", 9),
				kept("Tove unlocks the iron door.", 10),
			},
			"dialogue_highlights": []Object{
				kept("Tove says: “The ferry leaves at dawn, and nobody leaves with it.”", 4),
				kept(one, 11), kept(two, 12),
			},
			"tone_style": []Object{kept("The story is told in the present tense.", 5), kept(tone, 13)},
			"pending_threads": []Object{
				kept("Robin wants to find Aksel.", 6),
				kept("Nobody knows what is in the cave under the north cliff.", 14),
			},
		},
		"dropped": []Object{{"fact": 1, "why": "they have left the quay"}},
	}
}

// recallQuestions are about the second scene.
var recallQuestions = []Object{
	{"question": "Where did Robin follow Tove?", "answer": "the stairs of the lighthouse", "messages": []int{1}},
	{"question": "What does Tove unlock?", "answer": "the iron door", "messages": []int{2}},
	{"question": "How long did Aksel sleep in the lamp room?", "answer": "for a week", "messages": []int{2}},
	{"question": "How does Tove look when she hears of the cave?", "answer": "pale", "messages": []int{4}},
	{"question": "Who drowned in the cave?", "answer": "Tove's mother", "messages": []int{4}},
}

// remembered answers the questions of the recall test in a request, if the notes there contain the
// answer.
func remembered(request string) (json.RawMessage, bool) {
	asked := map[int]string{} // the answers, by the places of their questions
	for _, q := range recallQuestions {
		if at := strings.Index(request, q["question"].(string)); at >= 0 {
			asked[at] = q["answer"].(string)
		}
	}
	var answers []Object
	for i, at := range slices.Sorted(maps.Keys(asked)) {
		says := "not in memory"
		if strings.Contains(request, asked[at]) {
			says = asked[at]
		}
		answers = append(answers, Object{"number": i + 1, "answer": says})
	}
	data, err := json.Marshal(Object{"answers": answers})
	return data, err == nil && len(answers) > 0
}
