package pictures

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// captureMoment is the input of a capture prompt.
type captureMoment struct {
	In   capture.Input
	c    storage.Capture
	chat storage.Chat
}

// captureInput reads the moment of a capture.
func (svc *Service) captureInput(p CaptureParams) (m captureMoment, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.Capture)
		if err != nil {
			return queue.ErrDiscard
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		c.Words = cmp.Or(p.Camera, c.Words)
		m, err = svc.CaptureMoment(tx, chat, c)
		return err
	})
	return m, err
}

// CaptureMoment reads the moment that a capture shows, with everything its prompt needs.
func (svc *Service) CaptureMoment(tx *storage.Tx, chat storage.Chat, c storage.Capture) (m captureMoment, err error) {
	_, persona := svc.chats.Cast(tx, chat)
	who := svc.subjectOf(tx, chat, c)
	path, err := chats.MessagesUpTo(tx, c.Chat, c.At, capture.SceneWindow)
	if err != nil {
		return m, err
	}
	facts, ended := svc.Continuity.factsAt(tx, chat, c.At)
	facts = capture.PromptFacts(facts)
	env := chats.EnvOf(who.Card, persona)
	env.Now, env.Seed = c.CreatedAt, string(c.Chat)
	expand := func(s string) string { s, _ = prompts.Expand(s, env); return s }
	m = captureMoment{c: c, chat: chat}
	m.In = capture.Input{
		Kind:            capture.Kind(c.Kind),
		Requested:       c.Requested,
		Messages:        path,
		Character:       who,
		Persona:         persona,
		Description:     expand(who.Card.Description),
		PersonaText:     expand(persona.Description),
		Scenario:        expand(who.Card.Scenario),
		DefaultStyle:    svc.core.Settings().Style,
		DefaultNegative: svc.core.Settings().Negative,
		Focus:           c.Focus,
		Facts:           facts,
		Marks:           scenes.WhisperMarks(tx, path),
		Camera:          c.Camera,
		Words:           c.Words,
		Shot:            shotOf(c),
		Hint:            c.Hint,
		Visual:          c.Visual,
	}
	if ep, err := storage.Episodes.Get(tx, chat.Play.Episode); chat.Play.Episode != "" && err == nil &&
		strings.TrimSpace(ep.Situation) != "" {
		m.In.Scenario = expand(ep.Situation) // the episode's place is closer than the card's scenario
	}
	m.In.Scenario = cmp.Or(settingAt(tx, chat.ID, c.At), m.In.Scenario)
	m.In.People = svc.peopleAt(tx, chat, c, who, persona, path)
	markKnown(m.In.People, slices.Concat(facts, ended))
	svc.addMemories(tx, chat, c.At, m.In.People)
	m.In.Taste = svc.taste(tx, chat, c)
	return m, nil
}

// settingAt returns where and when the story is at a message, as the director last recorded it, ""
// if it has not.
func settingAt(tx *storage.Tx, chat storage.ChatID, at storage.NodeID) string {
	left := settingWindow
	for p := range tx.PathInfos(chat, at) {
		if left--; left < 0 {
			break
		}
		if b, err := storage.TurnRecords.Get(tx, chat, p.ID); err == nil && b.Seen != nil &&
			strings.TrimSpace(b.Seen.Setting) != "" {
			return strings.TrimSpace(b.Seen.Setting)
		}
	}
	return ""
}

// settingWindow is the number of messages that are searched backwards for the setting.
const settingWindow = 200

// shotOf returns the shot of a sketch, nil for other captures.
func shotOf(c storage.Capture) *capture.Shot {
	switch {
	case c.Order != nil:
		return c.Order
	case c.Shot != "" && c.Requested != "":
		return &capture.Shot{Action: c.Requested}
	}
	return nil
}

// peopleAt returns the people of a moment: the main character first, then the persona, the rest of
// the cast, and people of lorebooks whom the newest messages name; also those who have left.
func (svc *Service) peopleAt(
	tx *storage.Tx,
	chat storage.Chat,
	c storage.Capture,
	who storage.Character,
	persona storage.Persona,
	path []storage.Node,
) (out []capture.Person) {
	there := witnessesAt(tx, chat, c.At)
	add := func(ch storage.Character) {
		env := chats.EnvOf(ch.Card, persona)
		env.Now, env.Seed = c.CreatedAt, string(c.Chat)
		expand := func(s string) string { s, _ = prompts.Expand(s, env); return s }
		p := capture.NewPerson(
			ch.Card.CharName(),
			expand(ch.Imagery.Appearance),
			expand(ch.Card.Description),
			expand(ch.Card.Personality),
		)
		if there != nil && !slices.Contains(there, ch.ID) {
			p.Gone = "away at this moment"
		}
		out = append(out, p)
	}
	add(who)
	env := chats.EnvOf(who.Card, persona)
	text, _ := prompts.Expand(persona.Description, env)
	out = append(out, capture.NewPerson(cmp.Or(persona.Name, "User"), "", text, ""))
	if persona.Name == "" && strings.TrimSpace(persona.Description) == "" {
		out[1].Maybe = true // nothing can be required of somebody unknown
	}
	for _, id := range chats.Members(chat) {
		if other, err := storage.Characters.Get(tx, id); err == nil && id != who.ID {
			add(other)
		}
	}
	for _, m := range chat.Play.Cast {
		if m.Left {
			if other, err := storage.Characters.Get(tx, m.Character); err == nil &&
				!slices.ContainsFunc(out, func(p capture.Person) bool { return p.Name == other.Card.CharName() }) {
				out = append(out, capture.Person{Name: other.Card.CharName(), Gone: "has left the story"})
			}
		}
	}
	out = append(out, svc.lorePeople(tx, chat, c, out, path)...)
	return out
}

// witnessesAt returns the characters present at a message, nil for all.
func witnessesAt(tx *storage.Tx, chat storage.Chat, at storage.NodeID) []storage.CharacterID {
	if !chats.IsGroup(chat) {
		return nil
	}
	for p := range tx.PathInfos(chat.ID, at) {
		n, err := tx.Node(chat.ID, p.ID)
		if err != nil {
			return nil
		}
		if n.Presence != nil && !n.Presence.Whisper {
			return n.Presence.Witnesses
		}
		if n.Presence == nil && n.Role == storage.User {
			break
		}
	}
	return chats.Present(chat)
}

// Limits of people from lorebooks.
const (
	maxLorePeople = 6
	nearMessages  = 3
)

// lorePeople returns people of the lorebooks whom the newest messages name. The model decides
// whether they are present.
func (svc *Service) lorePeople(
	tx *storage.Tx,
	chat storage.Chat,
	c storage.Capture,
	cast []capture.Person,
	path []storage.Node,
) (out []capture.Person) {
	books, err := svc.lore.BooksAt(tx, chat.ID, c.At)
	if err != nil {
		return nil
	}
	var said strings.Builder
	for _, n := range path[max(0, len(path)-nearMessages):] {
		said.WriteString(n.Content + "\n")
	}
	said.WriteString(c.Requested)
	if c.Order != nil {
		said.WriteString("\n" + c.Order.Subject + " " + c.Order.Action)
	}
	near := said.String()
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			if x.Disabled || len(out) == maxLorePeople || fill.MatchType(fill.Types(), x.Type) != "character" ||
				!capture.Calls(near, x.Name) ||
				slices.ContainsFunc(append(cast, out...), func(p capture.Person) bool {
					return capture.SameName(p.Name, x.Name)
				}) {
				continue
			}
			p := capture.NewPerson(x.Name, "", strings.Join(plist.Facts(x.Content), ". "), "")
			p.Maybe = true
			out = append(out, p)
		}
	}
	return out
}

// markKnown marks those whose looks and clothes are in facts, including facts that have ended.
func markKnown(people []capture.Person, facts []storage.Fact) {
	for i := range people {
		of := map[storage.FactKind]bool{}
		for _, f := range facts {
			if f.Who != "" && capture.SameName(f.Who, people[i].Name) {
				of[f.Kind] = true
			}
		}
		people[i].Known = of[storage.FactAppearance] && of[storage.FactClothes]
	}
}

// addMemories adds what memories and lorebook entries say of people at a message.
func (svc *Service) addMemories(tx *storage.Tx, chat storage.Chat, at storage.NodeID, people []capture.Person) {
	memories := memory.PathsOf(tx, chats.ScopeOf(chat), chat.ID, at).Memories()
	slices.SortStableFunc(
		memories,
		func(a, b memory.KnownMemory) int { return cmp.Compare(b.Importance, a.Importance) },
	)
	books, err := svc.lore.BooksAt(tx, chat.ID, at)
	if err != nil {
		svc.core.Log.Warn("the lorebooks could not be read for a picture", "err", err)
	}
	for i := range people {
		p := &people[i]
		for _, m := range memories {
			if m.Type == storage.FactMemory && capture.Calls(m.Content, p.Name) {
				p.Remembered = append(p.Remembered, asSentence(m.Content))
			}
		}
		for _, b := range books {
			for j := range b.Entries {
				x := &b.Entries[j]
				if x.Disabled || p.Maybe || !capture.SameName(x.Name, p.Name) {
					continue
				}
				for _, fact := range plist.Facts(x.Content) {
					p.Remembered = append(p.Remembered, asSentence(fact))
				}
			}
		}
	}
}

// maxMemory limits a remembered fact, in runes.
const maxMemory = 200

// asSentence returns a fact as a sentence.
func asSentence(fact string) string {
	return strings.TrimRight(failure.FirstRunes(strings.Join(strings.Fields(fact), " "), maxMemory), ".") + "."
}
