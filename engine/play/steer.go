package play

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Act is a quick act: an instruction for one reply. Description is for the user; Instruction goes
// into the prompt.
type Act struct {
	Name        string `json:"name"`
	Description string `json:"words"`
	Instruction string `json:"told"`
	Against     string `json:"against"` // the act that it replaces, "" for none
}

// The acts that are about the length of a reply.
const (
	actShorter = "shorter"
	actLonger  = "longer"
)

// acts come with the program; their texts are prompt files.
var acts = []Act{
	{Name: actShorter, Description: "shorter replies", Against: actLonger},
	{Name: actLonger, Description: "longer and more detailed", Against: actShorter},
	{Name: "slower", Description: "slow down, one small step", Against: "faster"},
	{Name: "faster", Description: "move the story on", Against: "slower"},
	{Name: "more-speech", Description: "more dialogue", Against: "more-action"},
	{Name: "more-action", Description: "more action, less dialogue", Against: "more-speech"},
	{Name: "more-senses", Description: "more sensory description"},
	{Name: "plainer", Description: "simple words, no purple prose"},
	{Name: "lighter", Description: "light and funny", Against: "darker"},
	{Name: "darker", Description: "raise the tension", Against: "lighter"},
	{Name: "surprise", Description: "an unexpected turn"},
	{Name: "leave-room", Description: "stop where you can act, do not write for you"},
}

// Acts returns the quick acts: the built-in ones, and one for each prompt file chat/act-NAME.md of
// the user.
func (svc *Service) Acts() []Act { return actsOf(svc.core.Prompts()) }

func actsOf(set *prompts.Set) []Act {
	list := slices.Clone(acts)
	for i := range list {
		list[i].Instruction = set.Text(prompt.ActPrompt(list[i].Name))
	}
	for _, info := range set.Names() {
		if name, ok := strings.CutPrefix(info.Name, prompt.ActPrompt("")); ok && !info.BuiltIn && name != "" {
			list = append(list, Act{Name: name, Description: "your own: " + info.Name + ".md",
				Instruction: set.Text(info.Name)})
		}
	}
	return list
}

// maxActs is the most acts that one reply may have.
const maxActs = 6

// WithAct returns s with act a added, in place of the act that it opposes. If s already has a, it
// is removed.
func WithAct(s storage.Steer, a Act) storage.Steer {
	had := slices.Contains(s.Acts, a.Name)
	s.Acts = slices.DeleteFunc(slices.Clone(s.Acts), func(name string) bool {
		return name == a.Name || a.Against != "" && name == a.Against
	})
	if !had {
		s.Acts = append(s.Acts, a.Name)
	}
	return s
}

// Steering returns a Steer with a beat and the named acts. It refuses unknown acts and values that
// are too long.
func (svc *Service) Steering(beat string, names ...string) (storage.Steer, error) {
	var s storage.Steer
	if s.Beat = strings.TrimSpace(beat); len(s.Beat) > maxNudge {
		return s, failure.Refusef("a beat may have at most %d bytes", maxNudge)
	}
	list := svc.Acts()
	for _, name := range names {
		i := slices.IndexFunc(list, func(a Act) bool {
			return strings.EqualFold(a.Name, strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
		})
		if i < 0 {
			var have []string
			for _, a := range list {
				have = append(have, a.Name)
			}
			return s, failure.Refusef("unknown quick act %q; use one of %s", failure.FirstRunes(name, 40),
				strings.Join(have, ", "))
		}
		if !slices.Contains(s.Acts, list[i].Name) {
			s = WithAct(s, list[i])
		}
	}
	if len(s.Acts) > maxActs {
		return s, failure.Refusef("at most %d acts for one reply", maxActs)
	}
	return s, nil
}

// SetSteer sets what the user wants of the next reply; the zero value resets it. The next reply
// takes it over.
func (svc *Service) SetSteer(chat storage.ChatID, s storage.Steer) error {
	return svc.chats.Change(chat, func(c *storage.Chat) { c.Steer = s })
}

// Steer asks for the next reply with s. If a reply ends the chat, it asks for another in its place.
func (svc *Service) Steer(chat storage.ChatID, s storage.Steer) error {
	return svc.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		r, err := replaceRequest(tx, c)
		r.steer = &s
		return r, err
	})
}

// RegenerateSteered asks for another reply beside a reply, or for a reply to the user's message, with s.
func (svc *Service) RegenerateSteered(chat storage.ChatID, node storage.NodeID, s storage.Steer) error {
	return svc.start(chat, func(tx *storage.Tx, _ storage.Chat) (request, error) {
		r, err := retakeRequest(tx, chat, node)
		r.steer = &s
		return r, err
	})
}

// steerFor returns the steer for the reply to a request: that of the request; for another take,
// that of the take before it; else the chat's own for its next reply.
func steerFor(tx *storage.Tx, c storage.Chat, r request) (storage.Steer, error) {
	switch {
	case r.steer != nil:
		return *r.steer, nil
	case r.appended || r.continued != nil || r.mode == prompt.Impersonate || r.mode == prompt.Continue:
		return storage.Steer{}, nil
	case !c.Steer.IsZero() || r.mode != prompt.Regenerate:
		return c.Steer, nil
	}
	ids, err := tx.Children(c.ID, r.parent)
	if err != nil {
		return storage.Steer{}, err
	}
	for _, id := range slices.Backward(ids) {
		if n, err := tx.Node(c.ID, id); err == nil && n.Role == storage.Assistant && !n.Deleted {
			return n.Steer, nil
		}
	}
	return storage.Steer{}, nil
}

// replaceRequest returns the request for a reply in place of the one that ends a chat, or for the
// next reply if none does.
func replaceRequest(tx *storage.Tx, c storage.Chat) (request, error) {
	for p := range tx.PathInfos(c.ID, c.Head) {
		if !p.InStory() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		if err != nil {
			return request{}, err
		}
		if n.Role == storage.Assistant && n.Parent != "" {
			return request{parent: n.Parent, mode: prompt.Swipe, speaker: n.Speaker, steer: &n.Steer}, nil
		}
		break
	}
	return request{parent: c.Head}, nil
}

// takeSteer resets a chat's own steer after a reply that was made with it.
func takeSteer(c *storage.Chat, n *storage.Node) {
	if n.Role == storage.Assistant && c.Steer.Equal(n.Steer) {
		c.Steer = storage.Steer{}
	}
}
