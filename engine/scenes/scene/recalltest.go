package scene

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Question is a question of a recall test, its answer in the scene, and the numbers of the messages
// with the answer.
type Question struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Messages []int  `json:"messages"`
}

// Questions is a model's answer to QuestionPrompt.
type Questions struct {
	Questions []Question `json:"questions"`
}

// Check returns the faults of the questions, worded for the model.
func (q *Questions) Check() error {
	for _, one := range q.Questions {
		if blank(one.Question) || blank(one.Answer) {
			return errors.New("every question needs a text and the answer that the transcript gives")
		}
	}
	if len(q.Questions) == 0 {
		return errors.New(`"questions" is empty: ask at least one`)
	}
	return nil
}

// NumberedAnswer is the answer to one question, by the number that it was asked with.
type NumberedAnswer struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
}

// Answers is a model's answer to AnswerPrompt.
type Answers struct {
	Answers []NumberedAnswer `json:"answers"`
}

// Check returns the faults of the answers, worded for the model. A question that is left out, or
// answered twice, is no fault: Grade handles it.
func (a *Answers) Check() error {
	if len(a.Answers) > 0 && !slices.ContainsFunc(a.Answers,
		func(r NumberedAnswer) bool { return r.Number > 0 && r.Answer != "" }) {
		return errors.New(`every answer needs the "number" of its question, and a text`)
	}
	if len(a.Answers) == 0 {
		return errors.New(`"answers" is empty: answer every question by its number`)
	}
	return nil
}

func blank(s string) bool { return !strings.ContainsFunc(s, isWordRune) }

// QuestionPrompt asks for questions that the scene answers, about what its recap should contain.
// over holds the bullets of the recap that have ended since, by key.
func QuestionPrompt(set *prompts.Set, messages []Message, recap storage.Recap, over map[string]string,
	user, char string) []Prompt {
	user, char = withNames(user, char)
	bullets, _ := bulletList(recap, 0, over)
	return set.Request(QuestionsFile, map[string]string{
		"user": user, "char": char, "transcript": numbered(messages, user, char), "recap": bullets,
	})
}

// AnswerPrompt asks for answers from memory alone: from recaps and the facts that the lorebook took
// from them.
func AnswerPrompt(set *prompts.Set, memory string, lore []storage.LoreCandidate, questions []Question,
	user, char string) []Prompt {
	user, char = withNames(user, char)
	var known, asked strings.Builder
	for _, l := range lore {
		fmt.Fprintf(&known, "%s: %s\n", prompts.OneLine(l.Name), defuse(prompts.OneLine(l.Content)))
	}
	for i, q := range questions {
		fmt.Fprintf(&asked, "%d. %s\n", i+1, defuse(prompts.OneLine(q.Question)))
	}
	return set.Request(AnswersFile, map[string]string{
		"user": user, "char": char,
		"memory":    cmp.Or(strings.TrimSpace(defuse(memory)), none),
		"lore":      cmp.Or(strings.TrimSpace(known.String()), none),
		"questions": cmp.Or(strings.TrimSpace(asked.String()), none),
	})
}

// notInMemory is the answer that the instructions demand if memory does not contain it.
const notInMemory = "not in memory"

// Grade combines answers with the expected ones. A question without an answer is lost; whether the
// others are is for a model to judge, see MarksPrompt.
func Grade(messages []Message, q Questions, a Answers) []storage.RecallQuestion {
	given := map[int]string{}
	for _, r := range a.Answers {
		if _, has := given[r.Number]; !has {
			given[r.Number] = r.Answer
		}
	}
	var out []storage.RecallQuestion
	for i, one := range q.Questions {
		x := storage.RecallQuestion{Question: prompts.Bounded(prompts.OneLine(one.Question), maxField),
			Expected: prompts.Bounded(prompts.OneLine(one.Answer), maxField),
			Answer:   prompts.Bounded(prompts.OneLine(given[i+1]), maxField)}
		x.Lost = blank(x.Answer) || text.Equal(x.Answer, notInMemory)
		for _, n := range one.Messages {
			if n >= 1 && n <= len(messages) && len(x.Messages) < maxNumbers {
				x.Messages = append(x.Messages, messages[n-1].ID)
			}
		}
		out = append(out, x)
	}
	return out
}

// Marks is a model's answer to MarksPrompt.
type Marks struct {
	Marks []AnswerMark `json:"marks"`
}

// AnswerMark reports whether the answer to a question, by number, is right.
type AnswerMark struct {
	Number int  `json:"number"`
	Right  bool `json:"right"`
}

// MarksPrompt asks which answers are wrong.
func MarksPrompt(set *prompts.Set, list []storage.RecallQuestion, user, char string) []Prompt {
	user, char = withNames(user, char)
	var b strings.Builder
	for i, x := range list {
		given := defuse(cmp.Or(x.Answer, notInMemory))
		fmt.Fprintf(&b, "%d. %s\nRight: %s\nGiven: %s\n", i+1, defuse(x.Question), defuse(x.Expected), given)
	}
	return set.Request(MarksFile, map[string]string{"user": user, "char": char,
		"questions": strings.TrimSpace(b.String())})
}

// Apply records which questions are lost. An answer with the expected words is right whatever its
// mark.
func (m Marks) Apply(list []storage.RecallQuestion) {
	for _, x := range m.Marks {
		if x.Right || x.Number < 1 || x.Number > len(list) {
			continue
		}
		if q := &list[x.Number-1]; !text.Equal(q.Answer, q.Expected) {
			q.Lost = true
		}
	}
}

// Bounds of a repair instruction.
const (
	maxLost     = 16
	maxLostText = 300 // runes
)

// RepairInstruction turns facts that a recall test has shown to be missing into a wish
// for the next version of the recap; "" without any.
func RepairInstruction(lost []storage.RecallQuestion) string {
	if len(lost) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("The last version of this recap has lost facts of the scene. Put each of them in, under the " +
		"heading where it belongs, as the transcript tells it, and keep everything else that lasts:\n")
	for _, q := range lost[:min(len(lost), maxLost)] {
		fmt.Fprintf(&b, "- %s Answer: %s\n", clip(q.Question, maxLostText), clip(q.Expected, maxLostText))
	}
	return strings.TrimRight(b.String(), "\n")
}
