package bundled

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
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

// evening plays the script from the greeting with what the user says.
func evening(turns int, says func(turn int) string) (replies []string) {
	messages := []storage.Node{
		{Role: storage.System, Content: "You play Tove."},
		{Role: storage.Assistant, Content: Character().Card.FirstMessage},
	}
	for turn := range turns {
		messages = append(messages, storage.Node{Role: storage.User, Content: says(turn)})
		reply := Reply(messages, 0)
		replies = append(replies, reply)
		messages = append(messages, storage.Node{Role: storage.Assistant, Content: reply})
	}
	return replies
}

func TestReply_FollowsTheScript(t *testing.T) {
	if Length() < 12 {
		t.Fatalf("only %d replies", Length())
	}
	replies := evening(Length(), func(int) string { return "I nod." })
	longest, table := 0, false
	for i, reply := range replies {
		if reply != book().script[i] {
			t.Errorf("reply %d is not the script's: %.60q", i, reply)
		}
		if !strings.Contains(reply, "*") || !strings.Contains(reply, "\"") {
			t.Errorf("reply %d lacks action or speech", i)
		}
		if strings.Contains(reply, "{{") {
			t.Errorf("reply %d holds a macro", i)
		}
		longest = max(longest, len(strings.Fields(reply)))
		table = table || strings.Contains(reply, "|---|")
	}
	if longest < 250 || !table {
		t.Errorf("longest %d words, table %t", longest, table)
	}
}

func TestReply_AfterTheLastPage(t *testing.T) {
	for i, reply := range evening(Length()+4, func(int) string { return "Go on." })[Length():] {
		if reply == "" {
			t.Errorf("nothing %d turns after the end", i)
		}
	}
}

func TestReply_Aside(t *testing.T) {
	replies := evening(3, func(turn int) string { return "Is there a GHOST?" })
	if !strings.HasPrefix(replies[0], "*At the word ghost") || !strings.HasSuffix(replies[0], book().script[0]) {
		t.Errorf("first: %.80q", replies[0])
	}
	if replies[1] != book().script[1] || replies[2] != book().script[2] {
		t.Error("an aside comes once, and does not lose the page")
	}
}

func TestReply_PageSurvivesFoldingAndCutting(t *testing.T) {
	page := book().script[7]
	messages := []storage.Node{
		{Role: storage.System, Content: "Tove …"},
		{Role: storage.Assistant, Content: page[:len(page)/2]},
		{Role: storage.User, Content: "…"},
	}
	if got := Reply(messages, 0); got != book().script[8] {
		t.Errorf("after page 7 came %.60q", got)
	}
}

func TestReply_AnotherTake(t *testing.T) {
	messages := []storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.Assistant, Content: "Hello."}, {Role: storage.User, Content: "Hi."}}
	seen := map[string]bool{}
	for take := range 4 {
		seen[Reply(messages, take)] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different takes of 4", len(seen))
	}
}

func TestReply_Instructions(t *testing.T) {
	set := prompts.BuiltIn()
	base := []storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.Assistant, Content: "Hello."}}
	with := func(role storage.Role, text string) []storage.Node {
		return append(base[:len(base):len(base)], storage.Node{Role: role, Content: text})
	}
	in := func(list []string, s string) bool {
		for _, l := range list {
			if l == s {
				return true
			}
		}
		return false
	}
	values := map[string]string{"user": "Robin", "char": "Tove"}
	if got := Reply(with(storage.User, set.Fill("chat/impersonate", values)), 0); !in(book().yours, got) {
		t.Errorf("impersonate: %.60q", got)
	}
	if got := Reply(with(storage.User, set.Fill("chat/continue", values)), 0); !in(book().continued, got) {
		t.Errorf("continue: %.60q", got)
	}
	if got := Reply(base, 0); !in(book().continued, got) {
		t.Errorf("an open reply: %.60q", got)
	}
}

func TestReply_OtherCharacters(t *testing.T) {
	system := prompts.BuiltIn().Fill("chat/main", map[string]string{"char": "Ines Falk", "user": "Robin"})
	for n := range 12 {
		messages := []storage.Node{{Role: storage.System, Content: system}}
		for range n {
			messages = append(messages, storage.Node{Role: storage.User, Content: "Hm?"}, storage.Node{Role: storage.Assistant, Content: "So."})
		}
		messages = append(messages, storage.Node{Role: storage.User, Content: "And?"})
		got := Reply(messages, 0)
		if strings.Contains(got, "Tove") || strings.Contains(got, "{{") || got == "" {
			t.Errorf("turn %d: %q", n, got)
		}
		if strings.Contains(book().others[max(n-1, 0)%len(book().others)], "{{char}}") && !strings.Contains(got, "Ines Falk") {
			t.Errorf("turn %d does not name her: %q", n, got)
		}
	}
	if Reply(nil, 0) == "" {
		t.Error("no messages, no reply")
	}
}

// What is wanted of a reply can be seen in it.
func TestReply_Steered(t *testing.T) {
	told := func(acts ...string) string {
		var text []string
		for _, a := range acts {
			text = append(text, prompts.BuiltIn().Text("chat/act-"+a))
		}
		return "[For this turn:\n\n" + strings.Join(text, "\n\n") + "]"
	}
	play := func(instruction string) string {
		list := []storage.Node{{Role: storage.System, Content: "You play Tove."}, {Role: storage.Assistant, Content: Character().Card.FirstMessage},
			{Role: storage.User, Content: "Mmh."}, {Role: storage.User, Content: instruction}}
		return Reply(list, 0)
	}
	plain := play("[Nothing.]")
	if got := play(told("shorter")); len(got) >= len(plain) || !strings.HasPrefix(plain, got) {
		t.Errorf("shorter: %q", got)
	}
	for _, part := range strings.Split(play(told("more-speech")), "\n\n") {
		if !strings.Contains(part, `"`) {
			t.Errorf("more speech: %q", part)
		}
	}
	beat := strings.NewReplacer("{{char}}", "Tove", "{{user}}", "Robin", "{{beat}}", "The lamp goes out.").Replace(prompts.BuiltIn().Text("chat/beat"))
	if got := play(beat); got != plain+"\n\nThe lamp goes out." {
		t.Errorf("with a beat: %q", got)
	}
}
