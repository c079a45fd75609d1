package rehearsal

import (
	"encoding/json"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestInform_AnswersWithTheLinesThatBearOnIt(t *testing.T) {
	lines := "<lines>\n[1] Robin: Clara waits at the well.\n[2] The key is lost.\n[3] Clara sold the boat to Ada, at the well.\n</lines>\n"
	for question, want := range map[string]string{
		"Where is the lost key?":       `{"answer":[{"from":[2],"text":"The key is lost."}]}`,
		"What did Clara sell, a boat?": `{"answer":[{"from":[3],"text":"Clara sold the boat to Ada, at the well."},{"from":[1],"text":"Robin: Clara waits at the well."}]}`,
		"Who is Marla?":                `{"answer":[]}`,
	} {
		got, ok := inform([]storage.Node{{Role: storage.User, Content: lines + "<question>\n" + question + "\n</question>"}})
		if out, err := json.Marshal(got); !ok || err != nil || string(out) != want {
			t.Errorf("%s: %s, %v", question, out, err)
		}
	}
	if _, ok := inform([]storage.Node{{Role: storage.User, Content: "Hello."}}); ok {
		t.Error("there is nothing to answer from")
	}
}
