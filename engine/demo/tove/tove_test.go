package tove

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// playScript plays the script from the greeting with what the user says.
func playScript(turns int, says func(turn int) string) (replies []string) {
	messages := []storage.Node{
		{Role: storage.System, Content: "You play Tove."},
		{Role: storage.Assistant, Content: bundled.Character().Card.FirstMessage},
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
	replies := playScript(Length(), func(int) string { return "I nod." })
	longest, table := 0, false
	for i, reply := range replies {
		if reply != text().replies[i] {
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
	for i, reply := range playScript(Length()+4, func(int) string { return "Go on." })[Length():] {
		if reply == "" {
			t.Errorf("nothing %d turns after the end", i)
		}
	}
}

func TestReply_PageSurvivesFoldingAndCutting(t *testing.T) {
	page := text().replies[7]
	messages := []storage.Node{
		{Role: storage.System, Content: "Tove …"},
		{Role: storage.Assistant, Content: page[:len(page)/2]},
		{Role: storage.User, Content: "…"},
	}
	if got := Reply(messages, 0); got != text().replies[8] {
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
	if got := Reply(with(storage.User, set.Fill("chat/impersonate", values)), 0); !in(text().impersonate, got) {
		t.Errorf("impersonate: %.60q", got)
	}
	if got := Reply(with(storage.User, set.Fill("chat/continue", values)), 0); !in(text().continuation, got) {
		t.Errorf("continue: %.60q", got)
	}
	if got := Reply(base, 0); !in(text().continuation, got) {
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
	}
	if Reply(nil, 0) == "" {
		t.Error("no messages, no reply")
	}
}

func TestReply_Rewrites(t *testing.T) {
	asked := prompts.BuiltIn().Fill("chat/rewrite", map[string]string{"user": "Robin", "char": "Tove"})
	got := Reply([]storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.User, Content: asked}}, 1)
	if want := "<passage>" + text().rewrite[1] + "</passage>"; got != want {
		t.Errorf("%q", got)
	}
}

func TestReply_GoesOnFromWhereItWasCut(t *testing.T) {
	page := text().replies[2]
	messages := []storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.Assistant, Content: page[:120]}}
	if got := Reply(messages, 0); strings.TrimSpace(page[:120])+got != page {
		t.Errorf("%q", got)
	}
}

func TestCharacter(t *testing.T) {
	if card := bundled.Character().Card; card.CharName() != Character {
		t.Errorf("the character is %s", card.CharName())
	}
}

// Every answer is JSON and belongs to a job, and its name says a reply of the play.
func TestAnswers(t *testing.T) {
	jobs, err := files.ReadDir("answers")
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		entries, err := files.ReadDir("answers/" + job.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			turn, request := 0, 1
			if n, _ := fmt.Sscanf(e.Name(), "%d-%d.json", &turn, &request); n == 0 || turn > Length()+1 || request < 1 {
				t.Errorf("%s/%s is not named by a reply", job.Name(), e.Name())
			}
			data, err := files.ReadFile("answers/" + job.Name() + "/" + e.Name())
			if err != nil || !json.Valid(data) {
				t.Errorf("%s/%s is no JSON: %v", job.Name(), e.Name(), err)
			}
		}
	}
}

func TestPlay_AnswersByTurnAndRequest(t *testing.T) {
	p := New()
	if _, ok := p.Answer(demo.AfterTurnJob, nil); ok {
		t.Error("an answer before the first reply")
	}
	messages := []storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.Assistant, Content: "Hello."}, {Role: storage.User, Content: "Hi."}}
	p.Reply(messages, 0)
	first, ok := p.Answer(demo.AfterTurnJob, messages)
	again, _ := p.Answer(demo.AfterTurnJob, messages)
	if !ok || string(first) != string(again) {
		t.Errorf("%s\n%s", first, again)
	}
	other := []storage.Node{{Role: storage.System, Content: "You play Ines."}, {Role: storage.User, Content: "Hi."}}
	if answer, ok := p.Answer(demo.AfterTurnJob, other); ok {
		t.Errorf("another story is told %s", answer)
	}
}

// Work that is done late, when the play has gone on, is answered as of what it shows; so
// is work after a restart.
func TestPlay_AnswersAboutWhatIsShown(t *testing.T) {
	line := func(i int) string {
		return "[1] Tove, beginning “" + string([]rune(text().replies[i])[:38]) + "…”\n"
	}
	request := []storage.Node{{Role: storage.System, Content: "Tove"}, {Role: storage.User, Content: line(0) + line(4)}}
	want, err := files.ReadFile("answers/scene_recap/05.json")
	if err != nil {
		t.Fatal(err)
	}
	late := New()
	late.turn = 9
	for _, p := range []*Play{late, New()} {
		if got, ok := p.Answer(demo.SceneJob, request); !ok || string(got) != string(want) {
			t.Errorf("after reply %d: %s", p.turn, got)
		}
	}
}
