package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestOthers(t *testing.T) {
	for _, c := range []struct {
		group []string
		want  []string
	}{
		{nil, nil}, {[]string{"Ada"}, nil}, {[]string{"Ada", "Cy"}, []string{"Cy"}},
		{[]string{" Cy\n", "ada", "cy", "", "Dee"}, []string{"Cy", "Dee"}},
	} {
		var group []Person
		for _, name := range c.group {
			group = append(group, Person{Name: name})
		}
		if got := namesOf(others(group, "Ada")); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.group, got, c.want)
		}
	}
}

func TestCast(t *testing.T) {
	s := snapshot()
	s.Group = []Person{{Name: "Ada", Description: "SELF"}, {Name: "{{user}} Cy"},
		{Name: "Dee", Description: "{{char}} is a\n  smuggler; {{user}} knows {memories}. She lies. Her secret.", Looks: "red hair, {{char}}'s scar"}}
	s.AuthorNote = "{{group}} | {{notChar}}"
	p := compile(t, s)
	if got := lines(p, LayerCast); !slices.Equal(got, []string{"this chat (who plays)", "card: {{user}} Cy", "card: Dee", "persona: Ben"}) {
		t.Errorf("%q", got)
	}
	head := p.Messages[0].Content
	for _, want := range []string{"On stage besides Ada: {{user}} Cy, Dee.", "\n- {{user}} Cy: another character.\n",
		"\n- Dee: Dee is a smuggler; Ben knows . She lies. Looks: red hair, Dee's scar.\n", "\n- Ben: played by the user, described above."} {
		if !strings.Contains(head, want) {
			t.Errorf("%q does not stand in\n%s", want, head)
		}
	}
	if strings.Contains(head, "SELF") || strings.Contains(head, "secret") || strings.Contains(head, "a line about Ada") {
		t.Error(head)
	}
	if !strings.HasSuffix(head, "described above.") {
		t.Errorf("the cast is not the end of what stays the same:\n%s", head)
	}
	if line, _ := part(p, LayerCast, true); strings.Contains(line.Reason, "points") {
		t.Errorf("%q", line.Reason)
	}
	if got := p.Messages[len(p.Messages)-1].Content; got != "Ada, {{user}} Cy, Dee | {{user}} Cy, Dee, Ben" {
		t.Error(got)
	}
	s.Persona.Description = ""
	if p = compile(t, s); !strings.Contains(p.Messages[0].Content, "- Ben: played by the user.") {
		t.Error(p.Messages[0].Content)
	}
	s.Group = s.Group[:1]
	if p = compile(t, s); len(lines(p, LayerCast)) > 0 {
		t.Error("alone, but not on stage alone")
	}
}

// However many characters play and whatever their cards contain, their part of the prompt is
// limited.
func TestCast_IsBounded(t *testing.T) {
	for _, n := range []int{1, 5, 64} {
		s := snapshot()
		s.Limits.Context = 1 << 20
		for i := range n {
			s.Group = append(s.Group, Person{Name: fmt.Sprint("N", i), Description: strings.Repeat("word ", 20_000), Looks: strings.Repeat("red,", 20_000)})
		}
		told := 0
		for _, part := range compile(t, s).Parts {
			if part.Layer == LayerCast {
				told += part.Tokens
			}
		}
		if most := n*(2*maxPersonLen+20) + 400; told > most || told > 2*maxCompanyLen+40*n {
			t.Errorf("%d others: %d tokens", n, told)
		}
	}
	for description, want := range map[string]string{
		"": "", "One.": "One.", "One. Two! Three?": "One. Two!", "[Dee: thief;\nage 30]": "[Dee: thief; age 30]", "no mark": "no mark",
	} {
		if got := firstSentences(description); got != want {
			t.Errorf("%q: %q, want %q", description, got, want)
		}
	}
}

// Of three, each one's prompt has a line about the other two, and the scenario of the main
// character's card.
func TestCast_OfThree(t *testing.T) {
	group := []Person{{Name: "Ada", Description: "Ada keeps the light."}, {Name: "Cy", Description: "Cy mends nets."}, {Name: "Dee", Description: "Dee smuggles."}}
	for _, speaker := range group {
		s := snapshot()
		s.Group = group
		s.Card.Name, s.Card.Description, s.Card.Scenario = speaker.Name, speaker.Description, "{{char}} is alone in the tower."
		s.Card.Personality = "Thinks: {{scenario}}"
		if speaker.Name != "Ada" {
			s.Main = "Ada"
		}
		head := compile(t, s).Messages[0].Content
		for _, p := range group {
			line := "\n- " + p.Name + ": " + p.Description
			if strings.Contains(head, line) == (p == speaker) {
				t.Errorf("%s of %s:\n%s", speaker.Name, p.Name, head)
			}
		}
		if !strings.Contains(head, "## Scenario\nAda is alone in the tower.") || !strings.Contains(head, "Thinks: Ada is alone in the tower.") {
			t.Errorf("%s:\n%s", speaker.Name, head)
		}
		s.Episode = &storage.Episode{Title: "one", Situation: "{{char}} lights the lamp.", Objective: "{{char}} wants out"}
		p := compile(t, s)
		if head := p.Messages[0].Content; !strings.Contains(head, "Ada lights the lamp.") || strings.Contains(head, "## Scenario") || !strings.Contains(head, speaker.Name+" wants out") {
			t.Errorf("%s:\n%s", speaker.Name, head)
		}
		if line, _ := part(p, LayerScenario, false); line.Source != "card: Ada" {
			t.Errorf("%s: %+v", speaker.Name, line)
		}
	}
}

// A whispered message comes after a line that marks it. Macros and the limits of the history use
// only the message itself.
func TestWhispers(t *testing.T) {
	s := snapshot()
	s.AuthorNote = "{{lastUserMessage}}"
	plain := compile(t, s)
	id := s.History[len(s.History)-1].ID
	s.Whispers = map[storage.NodeID]string{id: "[whispered to Ada only; nobody else heard it]", "elsewhere": "[whispered to Cy only; nobody else heard it]"}
	p := compile(t, s)
	want := slices.Clone(plain.Messages)
	for i, m := range want {
		if m.Content == s.History[len(s.History)-1].Content && m.Role == "user" {
			want[i].Content = "[whispered to Ada only; nobody else heard it]\n" + m.Content
		}
	}
	if diff := cmp.Diff(want, p.Messages); diff != "" || p.Tokens <= plain.Tokens {
		t.Errorf("%d tokens, %d without it: %s", p.Tokens, plain.Tokens, diff)
	}
	sum := 0
	for _, part := range p.Parts {
		if part.Included {
			sum += part.Tokens
		}
	}
	if sum != p.Tokens {
		t.Errorf("the ledger has %d tokens, the prompt %d", sum, p.Tokens)
	}
}

func TestEngagementStandsInTheTail(t *testing.T) {
	s := snapshot()
	s.Engagement, s.Moment = "They have made {{peace}}.", "Here and now: a boat."
	p := compile(t, s)
	if got := p.Messages[len(p.Messages)-1].Content; !strings.HasSuffix(got, "They have made {{peace}}.\n\nHere and now: a boat.") {
		t.Error(got)
	}
	if got := lines(p, LayerEngagement); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
