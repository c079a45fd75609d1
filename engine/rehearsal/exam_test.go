package rehearsal

import (
	"fmt"
	"strings"
	"testing"
)

type examQuestions struct {
	Questions []struct {
		Question, Answer string
		Messages         []int
	}
}

type examAnswers struct {
	Answers []struct {
		Number int
		Answer string
	}
}

// TestExam goes the whole way: a recap, an exam that it does not pass, and a
// recap that was told what is missing.
func TestExam(t *testing.T) {
	text, count := evening(t, 6)
	q := perfect[examQuestions](t, askSchema, asked("Make questions.", "The scene:\n\n"+text+"\nThe recap:\n\n## Key Developments\n- x"), 0)
	if len(q.Questions) != usualQuestions {
		t.Fatalf("%d questions", len(q.Questions))
	}
	paper := ""
	for i, one := range q.Questions {
		paper += fmt.Sprintf("%d. %s\n", i+1, one.Question)
		if one.Answer == "" || len(one.Messages) != 1 || one.Messages[0] < 1 || one.Messages[0] > count || !strings.HasSuffix(one.Question, "?") {
			t.Errorf("question %+v", one)
		}
	}
	lost := func(recap string) (out []string) {
		memory := "<roleplay_memory>\n- " + strings.ReplaceAll(recap, "\n", "\n- ") + "\n</roleplay_memory>\n\nQuestions:\n\n" + paper
		a := perfect[examAnswers](t, answerSchema, asked("Answer from memory alone. What is not there is unknown.", memory), 0)
		if len(a.Answers) != len(q.Questions) {
			t.Fatalf("%d answers", len(a.Answers))
		}
		for i, one := range a.Answers {
			if one.Number != i+1 || one.Answer == "" {
				t.Errorf("answer %+v", one)
			}
			if one.Answer != q.Questions[i].Answer {
				out = append(out, q.Questions[i].Answer)
			}
		}
		return out
	}
	first := perfect[sceneAnswer](t, usualScene, asked("Recap.", text), 0)
	missing := lost(first.texts())
	if len(missing) == 0 || len(missing) == len(q.Questions) {
		t.Fatalf("an exam should find some of %d facts lost, and not all: %q\n%s", len(q.Questions), missing, first.texts())
	}
	repair := "\n</scene>\n\nThis must not be missing:\n- " + strings.Join(missing, "\n- ")
	second := perfect[sceneAnswer](t, usualScene, asked("Recap.", text+repair), 0)
	if still := lost(second.texts()); len(still) > 0 {
		t.Errorf("after the repair still lost: %q\n%s", still, second.texts())
	}
}

func TestExam_BetweenTags(t *testing.T) {
	body := "<memory>\n## Key Developments\n- Tove puts the dented kettle on the stove.\n1. What is this?\n</memory>\n<known>\nRobin: [character-Robin: mends(violins for the fish market)]\n</known>\n" +
		"<questions>\n1. What happens with kettle and stove?\n2. What does Robin mend for the fish market?\n3. What is in the cellar\n</questions>\nAnswer."
	a := perfect[examAnswers](t, answerSchema, asked("Where it does not say: not in memory", body), 0)
	want := []string{"Tove puts the dented kettle on the stove.", "Robin: [character-Robin: mends(violins for the fish market)]", notThere}
	if len(a.Answers) != 3 {
		t.Fatalf("%+v", a)
	}
	for i, one := range a.Answers {
		if one.Number != i+1 || one.Answer != want[i] {
			t.Errorf("%+v, want %q", one, want[i])
		}
	}
}

func TestExam_NothingRemembered(t *testing.T) {
	a := perfect[examAnswers](t, answerSchema, asked("Answer.", "Memory:\nThe rain stops.\n\n[1] What happens with kettle, stove and sleeve?\n[2] Who?"), 0)
	if len(a.Answers) != 2 || a.Answers[0].Answer != unknown || a.Answers[1].Answer != unknown {
		t.Errorf("%+v", a)
	}
}
