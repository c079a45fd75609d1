package promptbench

import (
	"errors"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var sceneJobs = []job{
	{"detect appended", []string{scene.DetectAppendedFile}, func(set *prompts.Set, s *story) *request {
		m := s.messages()
		n := len(m) - 2
		return askDetect(s.chat(set, prompt.Normal, scene.DetectInstruction(set, m[:n], m[n:])), m[n:])
	}},
	{"recap appended", []string{scene.SceneFile, scene.SceneAppendedFile, scene.StyleFile + scene.Bulleted},
		func(set *prompts.Set, s *story) *request {
			in := s.recapInput()
			return askRecap(s.chat(set, prompt.Normal, asOutOfCharacter(scene.AppendedPrompt(set, in))), in)
		}},
	{"recap of a message", []string{scene.MessageFile, scene.StyleFile + scene.Bulleted}, askMessage},
	{"join", []string{scene.JoinFile, scene.StyleFile + scene.Bulleted}, askJoin},
	{"merge", []string{scene.RunningFile},
		func(set *prompts.Set, s *story) *request { return askMerge(set, s) }},
	{"recall test questions", []string{scene.QuestionsFile}, askQuestions},
	{"recall test answers", []string{scene.AnswersFile}, askAnswers},
	{"recall test marks", []string{scene.MarksFile}, askMarks},
}

var otherSceneJobs = []job{
	{"recap", []string{scene.SceneFile, scene.StyleFile + scene.Bulleted}, func(set *prompts.Set, s *story) *request {
		in := s.recapInput()
		return askRecap(sent(scene.RecapPrompt(set, in)), in)
	}},
	{"recap of a part", []string{scene.SceneFile, scene.PartFile, scene.StyleFile + scene.Bulleted}, askPart},
	{"detect", []string{scene.DetectFile}, func(set *prompts.Set, s *story) *request {
		m := s.messages()
		n := len(m) - 1
		return askDetect(sent(scene.DetectPrompt(set, m[:n], m[n])), m[n:])
	}},
}

// asOutOfCharacter is a request as the program appends it to the chat's own prompt.
func asOutOfCharacter(request []scene.Prompt) string {
	var parts []string
	for _, m := range request {
		parts = append(parts, m.Content)
	}
	return "[Out of character.\n\n" + strings.Join(parts, "\n\n") + "]"
}

func (s *story) recapInput() scene.Input {
	return scene.Input{Messages: s.messages(), Earlier: []string{s.recap(1).Text},
		Lore: []string{s.Entries[0].Content}, User: s.User, Char: s.Char}
}

func askRecap(prompt []prompts.Message, in scene.Input) *request {
	var a scene.Answer
	return &request{prompt: prompt, reply: jobReply, heat: jobHeat,
		schema: scene.RecapSchema(in.Messages, len(in.Memories)),
		form:   scene.RecapForm(), into: &a,
		check: func() error { return a.Check(in) }, usable: a.Usable, once: true,
		shown: map[string]span{"messages": upTo(len(in.Messages))}, cites: true,
		required: []string{"scene_name", "text", "name", "content"}}
}

func askPart(set *prompts.Set, s *story) *request {
	in := s.recapInput()
	n := len(in.Messages)
	part := scene.Part{Messages: scene.Slice(in.Messages, scene.Position{Number: n / 2}, scene.Position{Number: n}),
		Number: 2, Of: 2, Before: s.recap(1).Text, Last: true}
	c := askRecap(sent(scene.PartPrompt(set, in, part)), in)
	c.schema = scene.RecapSchema(part.Messages, len(in.Memories))
	c.shown = map[string]span{"messages": {n/2 + 1, n}}
	return c
}

func askMessage(set *prompts.Set, s *story) *request {
	var a scene.MessageAnswer
	m := s.messages()
	n := len(m) - 1
	return &request{prompt: sent(scene.MessagePrompt(set, m[:n], m[n], scene.Bulleted, s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: scene.MessageSchema(), into: &a, check: a.Check, required: []string{"recap"}}
}

// askDetect counts a break that quotes nothing of the messages as of no use: the program
// takes it for none.
func askDetect(prompt []prompts.Message, candidates []scene.Message) *request {
	var d scene.Detection
	return &request{prompt: prompt, reply: scenes.DetectReply, heat: jobHeat, schema: scene.DetectSchema(),
		form: scene.DetectForm(), into: &d,
		required: []string{"rationale"}, after: func() error {
			if _, _, ok := scene.HasEvidence(d, candidates); d.Status && !ok {
				return errors.New("says that there is a break, and quotes nothing of it")
			}
			return nil
		}}
}

func askJoin(set *prompts.Set, s *story) *request {
	c := mergeRequest(set, scene.Merge{Records: []storage.Recap{s.recap(0), s.recap(1)}, User: s.User, Char: s.Char})
	c.required = []string{"scene_name", "text"}
	return c
}

func askMerge(set *prompts.Set, s *story) *request {
	return mergeRequest(set, scene.Merge{Records: []storage.Recap{s.recap(0), s.recap(1)}, Running: true, User: s.User, Char: s.Char})
}

func mergeRequest(set *prompts.Set, work scene.Merge) *request {
	var a scene.MergeAnswer
	n := bullets(work.Records...)
	return &request{prompt: sent(work.Prompt(set)), reply: jobReply, heat: jobHeat, schema: work.Schema(),
		form: scene.MergeForm(), into: &a,
		once: true, shown: map[string]span{"bullets": upTo(n), "fact": upTo(n)}, cites: true, required: []string{"text"}}
}

func askMarks(set *prompts.Set, s *story) *request {
	var list []storage.RecallQuestion
	for _, q := range s.Questions {
		list = append(list, storage.RecallQuestion{Question: q, Expected: s.Facts[0], Answer: s.Facts[0]})
	}
	var m scene.Marks
	return &request{prompt: sent(scene.MarksPrompt(set, list, s.User, s.Char)), reply: jobReply, heat: jobHeat,
		schema: scene.MarksSchema(len(list)), into: &m, shown: map[string]span{"number": upTo(len(list))}, cites: true}
}

func askQuestions(set *prompts.Set, s *story) *request {
	var q scene.Questions
	return &request{prompt: sent(scene.QuestionPrompt(set, s.messages(), s.recap(1), nil, s.User, s.Char)),
		reply: jobReply, heat: jobHeat,
		schema: scene.QuestionSchema(s.messages()), into: &q, check: q.Check, usable: func() bool { return len(q.Questions) > 0 },
		shown: map[string]span{"messages": upTo(len(s.Messages))}, cites: true,
		required: []string{"question", "answer"}}
}

func askAnswers(set *prompts.Set, s *story) *request {
	var a scene.Answers
	var list []scene.Question
	memory := s.recap(1).Text
	for _, q := range s.Questions {
		list = append(list, scene.Question{Question: q})
	}
	for _, f := range s.Facts {
		memory += "\n- " + f
	}
	return &request{prompt: sent(scene.AnswerPrompt(set, memory, nil, list, s.User, s.Char)), reply: jobReply,
		heat:   jobHeat,
		schema: scene.AnswerSchema(len(list)), into: &a, check: a.Check, usable: func() bool { return len(a.Answers) > 0 },
		shown: map[string]span{"number": upTo(len(list))}, cites: true, required: []string{"answer"}}
}
