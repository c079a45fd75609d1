package bundled

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestCharacter(t *testing.T) {
	c := Character()
	card := c.Card
	for field, text := range map[string]string{
		"name": card.Name, "nickname": card.Nickname, "description": card.Description, "personality": card.Personality,
		"scenario": card.Scenario, "first_mes": card.FirstMessage, "mes_example": card.MessageExample, "goal": c.Actor.Goal, "speech": c.Actor.Speech,
		"style": c.Imagery.Style, "appearance": c.Imagery.Appearance,
	} {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s is empty", field)
		}
	}
	if c.Immersion != storage.Full || len(card.AlternateGreetings) < 2 || len(card.Tags) == 0 || card.CharName() != "Tove" {
		t.Errorf("character: %+v", c)
	}
	if c.ID != "" || !c.CreatedAt.IsZero() || c.HasAvatar {
		t.Error("id, times and avatar are the caller's")
	}
	var source struct {
		Spec    string `json:"spec"`
		Version string `json:"spec_version"`
	}
	if err := json.Unmarshal(c.Source, &source); err != nil || source.Spec != "chara_card_v3" || source.Version != "3.0" {
		t.Errorf("source: %v %+v", err, source)
	}
	if macro := regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(string(c.Source), -1); len(macro) == 0 {
		t.Error("the card names nobody by macro")
	} else {
		for _, m := range macro {
			if m[1] != "user" && m[1] != "char" {
				t.Errorf("macro %s", m[0])
			}
		}
	}
}

func TestCharacter_IsACopy(t *testing.T) {
	c := Character()
	c.Card.AlternateGreetings[0], c.Card.Tags[0], c.Source[0] = "x", "x", 'x'
	if d := Character(); d.Card.AlternateGreetings[0] == "x" || d.Card.Tags[0] == "x" || d.Source[0] == 'x' {
		t.Error("changing one copy changes the next")
	}
}

func TestPersona(t *testing.T) {
	if p := Persona(); p.Name == "" || p.Description == "" || !p.Default {
		t.Errorf("persona: %+v", p)
	}
}
