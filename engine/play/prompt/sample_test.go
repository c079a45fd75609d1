package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// words counts one token per word, so that sizes in tests are exact.
func words(s string) int { return len(strings.Fields(s)) }

func text(name string, n int) string {
	return name + strings.Repeat(" word", max(n-1, 0))
}

func message(i int, role storage.Role, content string) storage.Node {
	return storage.Node{ID: storage.NodeID(fmt.Sprintf("m%05d", i)), Depth: i, Role: role, Content: content, State: storage.Complete,
		CreatedAt: time.Date(2026, 3, 5, 6, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Minute)}
}

func ada() storage.Card {
	return storage.Card{
		Name: "Ada", Description: "{{char}} keeps the lighthouse.", Personality: "Dry, watchful.",
		Scenario:       "A storm nears; {{user}} knocks.",
		MessageExample: "<START>\n{{user}}: Anybody in?\n{{char}}: \"Depends.\"\n<START>\n{{char}}: *shrugs*",
		FirstMessage:   "Who knocks?",
	}
}

func snapshot() Snapshot {
	return Snapshot{
		Card: ada(), Immersion: storage.Full, Persona: storage.Persona{Name: "Ben", Description: "A tired sailor."},
		History: []storage.Node{
			message(0, storage.Assistant, "Who knocks?"),
			message(1, storage.User, "Ben.  "),
			message(2, storage.Assistant, " *opens* {{user}}?"),
			message(3, storage.User, "Let me in."),
		},
		Limits: Limits{Context: 8192, Reply: 512}, Count: words,
		Now:  time.Date(2026, 3, 5, 7, 8, 9, 0, time.UTC),
		Chat: "01KJYFG0000000000000000000", Model: "tiny",
	}
}

// dist is the size of a user's and a character's messages, in tokens.
type dist struct {
	name       string
	user, char int
}

var dists = []dist{{"short", 20, 80}, {"medium", 45, 220}, {"long", 150, 350}}

// drawn varies a size by about a third either way.
func drawn(r *rand.Rand, mean int) int {
	return max(4, int(float64(mean)*(1+0.3*r.NormFloat64())))
}
