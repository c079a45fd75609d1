package promptbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// story is the material that all questions are about.
type story struct {
	Name, Genre string
	Char        string
	Card        struct{ Description, Personality, Scenario, Greeting string }
	User        string
	Persona     string
	Appearance  string // of the character
	Looks       string // of the user's
	Question    string // of the episode
	Situation   string
	Setting     string // of the scene that is played
	Messages    []struct {
		User bool
		Text string
	}
	Next, Asking string // what the user says next: in the story, and for a picture
	Outline      string // of a turn of the user's
	Wish         string // for the next reply
	Passage      string // of the last message
	Earlier      []pastScene
	Known        []rules.KnownFact
	Candidate    storage.LoreCandidate
	Entries      []storage.LoreEntry
	News         string // for the first entry
	Asked        string // about Facts
	Facts        []string
	Questions    []string
	Line         string // that steers the storyboard
	Plan         storage.Plan
	Shot         storage.ShotOrder
	Events       []storage.EditEvent
	Cards        []storage.PreferenceCard
}

// pastScene is a scene that was recapped.
type pastScene struct {
	Name, Atmosphere                                   string
	Situation, Developments, Highlights, Tone, Threads []string
}

// readStories reads the stories of testdata.
func readStories(t *testing.T) (out []*story) {
	t.Helper()
	for _, name := range []string{"salvage", "rowan", "pearls"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		s := &story{}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range s.Entries {
			s.Entries[i].ID = storage.EntryID(fmt.Sprintf("e%d", i+1))
		}
		out = append(out, s)
	}
	return out
}

// id names the message with a number, from 1.
func id(number int) storage.NodeID { return storage.NodeID(fmt.Sprintf("m%d", number)) }

// who is the name of whoever says a message.
func (s *story) who(user bool) string {
	if user {
		return s.User
	}
	return s.Char
}

func role(user bool) storage.Role {
	if user {
		return storage.User
	}
	return storage.Assistant
}

// card is the character's.
func (s *story) card() storage.Card {
	return storage.Card{Name: s.Char, Description: s.Card.Description, Personality: s.Card.Personality,
		Scenario: s.Card.Scenario, FirstMessage: s.Card.Greeting}
}

func (s *story) character() storage.Character {
	return storage.Character{Card: s.card(), Immersion: storage.Full,
		Imagery: storage.Imagery{Appearance: s.Appearance}}
}

func (s *story) persona() storage.Persona {
	return storage.Persona{Name: s.User, Description: s.Persona}
}

// nodes are the messages of the chat, and what the user then says, if anything.
func (s *story) nodes(says ...string) (out []storage.Node) {
	add := func(user bool, text string) {
		out = append(out, storage.Node{ID: id(len(out)), Depth: len(out), Role: role(user), Name: s.who(user),
			Content: text, State: storage.Complete})
	}
	add(false, s.Card.Greeting)
	for _, m := range s.Messages {
		add(m.User, m.Text)
	}
	for _, text := range says {
		add(true, text)
	}
	return out
}

// messages are the scene that is played, as recaps are made of it.
func (s *story) messages() (out []scene.Message) {
	for i, m := range s.Messages {
		out = append(out, scene.Message{ID: id(i + 1), Role: role(m.User), Name: s.who(m.User), Text: m.Text})
	}
	return out
}

// lines are the same for the director, and shots for storyboards.
func (s *story) lines() (out []rules.Line) {
	for i, m := range s.Messages {
		out = append(out, rules.Line{ID: id(i + 1), Speaker: s.who(m.User), Text: m.Text, User: m.User})
	}
	return out
}

func (s *story) shots() (out []storyboard.Message) {
	for i, m := range s.Messages {
		out = append(out, storyboard.Message{ID: id(i + 1), Name: s.who(m.User), Text: m.Text})
	}
	return out
}

// recap is that of a scene before the one that is played.
func (s *story) recap(i int) storage.Recap {
	p := s.Earlier[i]
	r := storage.Recap{SceneName: p.Name, Atmosphere: p.Atmosphere}
	for _, part := range []struct {
		heading string
		bullets []string
	}{{"Current Situation", p.Situation}, {"Key Developments", p.Developments},
		{"Dialogue Highlights", p.Highlights}, {"Tone & Style", p.Tone}, {"Pending Threads", p.Threads}} {
		r.Text += "## " + part.heading + "\n"
		for _, b := range part.bullets {
			r.Text += "- " + b + "\n"
		}
		r.Text += "\n"
	}
	return r
}

// bullets is how many facts a recap tells.
func bullets(list ...storage.Recap) (n int) {
	for _, r := range list {
		n += len(scene.Bullets(r.Text))
	}
	return n
}

// registry lists the entries of the lorebook.
func (s *story) registry() (out []fill.RegistryEntry) {
	for i := range s.Entries {
		out = append(out, fill.NewRegistryEntry(&s.Entries[i]))
	}
	return out
}

// names are the story's own.
func (s *story) names() (out []string) {
	out = []string{s.Char, s.User}
	for _, e := range s.Entries {
		out = append(out, e.Name)
	}
	return out
}

// sent is a prompt of one of the engine's packages in the form that all are kept in.
func sent[M ~struct{ Role, Content string }](list []M) (out []prompts.Message) {
	for _, m := range list {
		plain := struct{ Role, Content string }(m)
		out = append(out, prompts.Message{Role: plain.Role, Content: plain.Content})
	}
	return out
}
