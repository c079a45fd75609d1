package scene

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Question is one question of an exam, with the answer that the scene gives and
// the numbers of the messages where it stands.
type Question struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Messages []int  `json:"messages"`
}

// Questions is a model's answer to QuestionPrompt.
type Questions struct {
	Questions []Question `json:"questions"`
}

// Check finds what is wrong with the questions, in words for the model.
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

// Reply is the answer to one question, by the number that it was asked with.
type Reply struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
}

// Answers is a model's answer to AnswerPrompt.
type Answers struct {
	Answers []Reply `json:"answers"`
}

// Check finds what is wrong with the answers, in words for the model. A question
// that is left out, or answered twice, is no fault: Grade deals with it.
func (a *Answers) Check() error {
	if len(a.Answers) > 0 && !slices.ContainsFunc(a.Answers, func(r Reply) bool { return r.Number > 0 && r.Answer != "" }) {
		return errors.New(`every answer needs the "number" of its question, and a text`)
	}
	if len(a.Answers) == 0 {
		return errors.New(`"answers" is empty: answer every question by its number`)
	}
	return nil
}

func blank(s string) bool { return !strings.ContainsFunc(s, isWordRune) }

// QuestionPrompt asks for questions that the scene answers, about what its recap
// should hold.
// Bullets of the recap that have ended since are over, by their keys.
func QuestionPrompt(set *prompts.Set, messages []Message, recap storage.Recap, over map[string]string, user, char string) []Prompt {
	user, char = named(user, char)
	bullets, _ := bulletList(recap, 0, over)
	return set.Request(QuestionsFile, map[string]string{
		"user": user, "char": char, "transcript": numbered(messages, user, char), "recap": bullets,
	})
}

// MostQuestions is how many questions are asked at once.
const MostQuestions = 8

// AsksForOver tells whether a question asks for what a bullet says that has ended: its
// answer stands there, and so does something of what it asks.
func (q Question) AsksForOver(bullet string, skip ...string) bool {
	names := nameWords(skip...)
	words, answer := stems(bullet, names), stems(q.Answer, names)
	for w := range answer {
		if !words[w] {
			return false
		}
	}
	return len(answer) > 0 && share(q.Question, words)
}

// Touching is of a recap what rests on any of the messages.
func Touching(r storage.Recap, messages []Message) string {
	var b strings.Builder
	for _, bullet := range Bullets(r.Text) {
		from := SourcesOf(r, bullet.Text)
		if slices.ContainsFunc(messages, func(m Message) bool { return slices.Contains(from, m.ID) }) {
			b.WriteString("## " + bullet.Heading + "\n- " + bullet.Text + "\n")
		}
	}
	return b.String()
}

// AnswerPrompt has the questions answered from memory alone: from recaps and
// what the lorebook took out of them.
func AnswerPrompt(set *prompts.Set, memory string, lore []storage.LoreCandidate, questions []Question, user, char string) []Prompt {
	user, char = named(user, char)
	var known, asked strings.Builder
	for _, l := range lore {
		fmt.Fprintf(&known, "%s: %s\n", prompts.OneLine(l.Name), defuse(prompts.OneLine(l.Content)))
	}
	for i, q := range questions {
		fmt.Fprintf(&asked, "%d. %s\n", i+1, defuse(prompts.OneLine(q.Question)))
	}
	return set.Request(AnswersFile, map[string]string{
		"user": user, "char": char,
		"memory":    or(strings.TrimSpace(defuse(memory)), nothing),
		"lore":      or(strings.TrimSpace(known.String()), nothing),
		"questions": or(strings.TrimSpace(asked.String()), nothing),
	})
}

// enough is the part of an expected answer's words that a given one must hold.
const enough = 0.5

// Grade compares answers with what was expected, without a model: a fact is lost
// when the answer holds less than half of the expected words of meaning, leaving
// aside those that the question gives away, or lacks a number.
func Grade(messages []Message, q Questions, a Answers) []storage.ExamQuestion {
	given := map[int]string{}
	for _, r := range a.Answers {
		if _, has := given[r.Number]; !has {
			given[r.Number] = r.Answer
		}
	}
	var out []storage.ExamQuestion
	for i, one := range q.Questions {
		x := storage.ExamQuestion{Question: prompts.Bounded(prompts.OneLine(one.Question), maxField), Expected: prompts.Bounded(prompts.OneLine(one.Answer), maxField),
			Answer: prompts.Bounded(prompts.OneLine(given[i+1]), maxField)}
		x.Lost = !holds(x.Question, x.Expected, x.Answer)
		for _, n := range one.Messages {
			if n >= 1 && n <= len(messages) && len(x.Messages) < maxNumbers {
				x.Messages = append(x.Messages, messages[n-1].ID)
			}
		}
		out = append(out, x)
	}
	return out
}

// holds tells whether an answer says what was expected.
func holds(question, expected, answer string) bool {
	if blank(answer) || strings.Contains(strings.ToLower(answer), notInMemory) {
		return false
	}
	want, has := meaning(expected), meaning(answer)
	if asked := meaning(question); !within(want, asked) {
		for w := range asked {
			delete(want, w)
		}
	}
	if len(want) == 0 { // "yes"
		return strings.Contains(" "+plainWords(answer)+" ", " "+plainWords(expected)+" ")
	}
	found := 0
	for w := range want {
		switch {
		case has[w]:
			found++
		case isDigits(w):
			return false
		}
	}
	return float64(found) >= enough*float64(len(want))
}

// notInMemory is what the model is told to answer when memory does not say.
const notInMemory = "not in memory"

func within(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}

func plainWords(s string) string {
	var parts []string
	for _, w := range wordsOf(s, 200) {
		parts = append(parts, w.text)
	}
	return strings.Join(parts, " ")
}

// meaning is stems for short answers: names and nouns of three letters count, and
// numbers, in digits or words.
func meaning(s string) map[string]bool {
	set := stems(s, nil)
	letters(s, func(w string, dense bool) bool {
		low := strings.ToLower(w)
		switch {
		case dense:
		case digitsOf(low) != "":
			delete(set, stem(low, nil))
			set[digitsOf(low)] = true
		case utf8.RuneCountInString(low) == minContent-1 && !shortWords[low]:
			set[low] = true
		}
		return true
	})
	return set
}

// digitsOf writes a number in digits, "" for what is none.
func digitsOf(w string) string {
	if isDigits(w) {
		return w
	}
	for _, names := range []string{
		" one two three four five six seven eight nine ten eleven twelve ",
		" eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf ",
		" x deux trois quatre cinq six sept huit neuf dix onze douze ",
		" x dos tres cuatro cinco seis siete ocho nueve diez once doce ",
	} {
		if i := strings.Index(names, " "+w+" "); i >= 0 && w != "x" {
			return strconv.Itoa(strings.Count(names[:i], " ") + 1)
		}
	}
	return ""
}

var shortWords = map[string]bool{
	"the": true, "and": true, "for": true, "was": true, "his": true, "her": true, "she": true, "him": true, "had": true, "has": true,
	"are": true, "you": true, "who": true, "how": true, "why": true, "its": true, "did": true, "one": true, "out": true, "off": true, "not": true,
	"but": true, "all": true, "any": true, "can": true, "der": true, "die": true, "das": true, "den": true, "dem": true, "des": true, "ein": true,
	"und": true, "sie": true, "ihr": true, "war": true, "hat": true, "ist": true, "von": true, "mit": true, "les": true, "une": true, "est": true,
	"aux": true, "que": true, "qui": true, "son": true, "ses": true, "los": true, "las": true, "una": true, "del": true, "por": true, "con": true,
	"era": true, "sus": true,
}

// Bounds of a repair instruction.
const (
	maxLost     = 16
	maxLostText = 300 // runes
)

// RepairInstruction turns facts that an exam has shown to be missing into a wish
// for the next version of the recap; "" without any.
func RepairInstruction(lost []storage.ExamQuestion) string {
	if len(lost) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("The last version of this recap has lost facts of the scene. Put each of them in, under the heading where it belongs, as the transcript tells it, and keep everything else that lasts:\n")
	for _, q := range lost[:min(len(lost), maxLost)] {
		fmt.Fprintf(&b, "- %s Answer: %s\n", clip(q.Question, maxLostText), clip(q.Expected, maxLostText))
	}
	return strings.TrimRight(b.String(), "\n")
}
