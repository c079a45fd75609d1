package scenes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapInput is the input of a recap.
type recapInput struct {
	chats.Params
	chat    storage.Chat
	in      scene.Input // without the past and the lorebook's facts, see fitRequest
	inputs  string
	key     string          // of the whole request
	have    []storage.Recap // versions there are
	earlier []string        // the play's memory at the scene's beginning, oldest first
	known   []SceneEntry
	room    shares
	started *readPart      // the part that an interim recap has read
	after   storage.NodeID // the break before the scene, "" for the first
	open    bool           // the scene is still being played
}

// SceneEntry is a lorebook entry that is relevant in a scene.
type SceneEntry struct{ Name, Text string }

// complete sets the remaining fields of a finished recap.
func (t *recapInput) complete(j models.Job, r storage.Recap) storage.Recap {
	r.ID, r.Kind, r.Origin = storage.RecapID(storage.NewID()), storage.SceneRecap, storage.Generated
	r.RequestHash, r.InputsHash, r.Model, r.Style, r.Instruction = t.key, t.inputs, j.Model, t.in.Style, t.Instruction
	return r
}

// errNothingSaid refuses the recap of a scene without messages.
var errNothingSaid = failure.Refusef("this scene has no messages to recap")

// readScene reads the input for the recap of the scene that ends at a message. If open is set, it
// is the open scene up to that message.
func (jobs *Jobs) readScene(p chats.Params, open bool) (t recapInput, err error) {
	t.Params, t.open = p, open
	err = jobs.core.Store.View(func(tx *storage.Tx) error {
		if t.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		if b, err := VisibleBreak(tx, p.Chat, p.Node); err == nil {
			t.have = VersionsOf(tx, p.Chat, b)
		} else if !IsGone(err) {
			return err
		} else if !open {
			return queue.ErrDiscard
		}
		if at, err := tx.NodeInfo(p.Chat, p.Node); open {
			if end, ok := sceneEnd(tx, p.Chat, t.chat.Head, at); err != nil || !ok || end != "" {
				return queue.ErrDiscard
			}
		}
		if err := jobs.readSpan(tx, &t, openUpTo(tx, p.Chat, p.Node)); err != nil {
			return err
		}
		switch {
		case len(t.in.Messages) > 0:
			return nil
		case open:
			return queue.ErrDiscard
		}
		return errNothingSaid
	})
	return t, err
}

// readSpan reads the messages of a scene and the other material of its recap.
func (jobs *Jobs) readSpan(tx *storage.Tx, t *recapInput, s Span) error {
	t.after = s.after
	nodes, err := nodesIn(tx, t.Chat, s)
	if err != nil {
		return err
	}
	t.in.Messages = recapMessages(jobs.core.Settings().Scenes.Types, messagesOf(tx, nodes))
	t.inputs = scene.HashMessages(t.in.Messages)
	t.in.Char, t.in.User = jobs.chats.Names(tx, t.chat)
	t.in.Present = presence(t.chat, nodes, t.in.Messages, func(id storage.CharacterID) string { return nameOf(tx, id) })
	t.in.Style, t.in.Instruction = t.Style, t.Instruction
	if t.in.Style == "" {
		t.in.Style = jobs.core.Settings().Scenes.Style
	}
	if !t.Force && t.in.Instruction == "" {
		t.started = startedPart(tx, t.Chat, s, t.in)
	}
	t.in.Taste = jobs.from.Taste(tx, t.chat)
	if t.earlier, err = jobs.memoryBefore(tx, t.chat, s); err != nil {
		return err
	}
	t.in.Memories = jobs.sceneMemories(tx, t.chat, nodes, s.Last.ID)
	t.known, err = jobs.from.Lore(tx, t.chat, s.after, s.Last.ID)
	return err
}

// sceneMemories returns the memories that came only from messages of a scene and that everybody
// knows who has witnessed the whole scene: whoever may read the recap knows them.
func (jobs *Jobs) sceneMemories(tx *storage.Tx, c storage.Chat, nodes []storage.Node,
	last storage.NodeID) []scene.Memory {
	here := map[storage.NodeID]bool{}
	for i := range nodes {
		here[nodes[i].ID] = true
	}
	list := jobs.from.Memories(tx, c, last, chats.KnownTo(c, nodes))
	return slices.DeleteFunc(list, func(m scene.Memory) bool {
		return len(m.Sources) == 0 || slices.ContainsFunc(m.Sources, func(id storage.NodeID) bool { return !here[id] })
	})
}

// MessagesIn reads the messages of a scene, oldest first.
func MessagesIn(tx *storage.Tx, chat storage.ChatID, s Span) ([]scene.Message, error) {
	nodes, err := nodesIn(tx, chat, s)
	return messagesOf(tx, nodes), err
}

// nodesIn reads the nodes of the messages in a scene, oldest first.
func nodesIn(tx *storage.Tx, chat storage.ChatID, s Span) ([]storage.Node, error) {
	var out []storage.Node
	if s.Last.ID == "" {
		return nil, nil
	}
	for p := range tx.PathInfos(chat, s.Last.ID) {
		if p.InStory() {
			n, err := tx.Node(chat, p.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		if p.ID == s.first.ID {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// MessageFor returns a message as recaps see it.
func MessageFor(n storage.Node) scene.Message {
	return scene.Message{ID: n.ID, Role: n.Role, Name: n.Name, Text: n.Content}
}

// messagesOf converts messages for recaps, with the hearers of whispered ones.
func messagesOf(tx *storage.Tx, nodes []storage.Node) []scene.Message {
	out := make([]scene.Message, 0, len(nodes))
	user := "the user"
	for _, n := range nodes {
		m := MessageFor(n)
		if n.Role == storage.User {
			user = cmp.Or(n.Name, user)
		}
		if n.Presence != nil && n.Presence.Whisper {
			m.Heard = []string{}
			for _, id := range n.Presence.Witnesses {
				if name := nameOf(tx, id); name != "" && name != n.Name && id != n.Speaker {
					m.Heard = append(m.Heard, name)
				}
			}
			if n.Role == storage.Assistant {
				m.Heard = append(m.Heard, user)
			}
		}
		out = append(out, m)
	}
	return out
}

// nameOf returns a character's name, "" if the character was deleted.
func nameOf(tx *storage.Tx, id storage.CharacterID) string {
	who, err := storage.Characters.Get(tx, id)
	if err != nil {
		return ""
	}
	return who.Card.CharName()
}

// presence describes which cast members were absent for part of a scene, by message numbers.
// Whispers to others are no absence.
func presence(c storage.Chat, nodes []storage.Node, messages []scene.Message,
	nameOf func(storage.CharacterID) string) []string {
	if !chats.IsGroup(c) {
		return nil
	}
	var out []string
	for _, who := range append([]storage.CharacterID{c.Character}, chats.CastOf(c)...) {
		var away [][2]int // from and to
		for i := range nodes {
			n := &nodes[i]
			at := slices.IndexFunc(messages, func(m scene.Message) bool { return m.ID == n.ID })
			switch {
			case at < 0 || n.Presence != nil && n.Presence.Whisper || chats.Knows(c, who, n):
			case len(away) > 0 && away[len(away)-1][1] == at:
				away[len(away)-1][1] = at + 1
			default:
				away = append(away, [2]int{at + 1, at + 1})
			}
		}
		var parts []string
		for _, a := range away {
			parts = append(parts, fmt.Sprintf("%d to %d", a[0], a[1]))
		}
		if name := nameOf(who); name != "" && len(away) > 0 {
			out = append(out, name+" is not there in the messages "+strings.Join(parts, " and ")+".")
		}
	}
	return out
}

// memoryBefore returns the story's memory at the beginning of a scene. The settings may ask for
// more than the running recap and the scenes that it lacks. Facts that ended before the scene are
// left out; facts that end in it are marked.
func (svc *Service) memoryBefore(tx *storage.Tx, c storage.Chat, of Span) (out []string, err error) {
	if of.after == "" {
		return nil, nil
	}
	list, err := memoryAt(tx, c.ID, of.after, svc.core.Settings().Scenes.History-1)
	over := EndIndexAt(tx, c, of.Last.ID, nil)
	for _, r := range list {
		out = append(out, over.until(tx, c.ID, knownToAll(tx, c, r), of.after))
	}
	return out, err
}

// shares are the maximum sizes, in tokens, of the parts of a request about a scene. beside is the
// share of the past and of known facts, for each of the two; messages is what is left for messages.
// state is how much of that may repeat the results of earlier parts.
type shares struct{ beside, state, messages int }

// Of the room of a request, the scene's past and the lorebook may take a third each; less if the
// scene is long, and a twelfth each if it is read in parts. A fifth of what is left may repeat the
// results of earlier parts.
var divisors = []int{3, 4, 6, 8, 12}

// fitRequest fills a request about a scene with as much of the past and of the lorebook as fits.
// fits is false if the scene must be read in parts.
func fitRequest(set *prompts.Set, j models.Job, t recapInput) (out recapInput, fits bool) {
	if t.exceedsModel(j) {
		return fitPartRequest(set, j, t), false
	}
	for _, d := range divisors {
		if t = trimContext(set, j, t, d); j.Fits(scene.RecapPrompt(set, t.in)) == nil {
			return t, true
		}
	}
	return t, false
}

// fitPartRequest is fitRequest for a request about a part of a scene.
func fitPartRequest(set *prompts.Set, j models.Job, t recapInput) recapInput {
	return trimContext(set, j, t, divisors[len(divisors)-1])
}

// exceedsModel reports whether a scene's text is so long that no request with all of it can fit,
// however the model counts tokens. Then the request is not built at all.
func (t *recapInput) exceedsModel(j models.Job) bool {
	size := 0
	for i := range t.in.Messages {
		size += len(t.in.Messages[i].Text)
	}
	return size > j.Options.NumCtx*maxBytes
}

// maxBytes is more than any model makes a token of, on the whole.
const maxBytes = 8

// requestKey returns the hash of the request for a scene's recap. If the request is never built, it
// is the hash of its inputs.
func (t *recapInput) requestKey(set *prompts.Set, j models.Job) string {
	in, extra := t.in, ""
	if t.exceedsModel(j) {
		in.Messages, extra = nil, t.inputs
	}
	return scene.HashRequest(j.Server+" "+j.Model, scene.RecapPrompt(set, in), extra)
}

// trimContext limits the scene's past, and the lorebook's facts, to a share of a request's room
// each. The rest is left for messages.
func trimContext(set *prompts.Set, j models.Job, t recapInput, divisor int) recapInput {
	count := j.Known.Meter.Count
	empty := t.in
	empty.Messages, empty.Earlier, empty.Lore = nil, nil, nil
	room := j.Options.NumCtx - j.Options.NumPredict - requestFrame
	for _, m := range scene.PartPrompt(set, empty, scene.Part{}) {
		room -= count(m.Content) + 6
	}
	t.room.beside = max(0, room/divisor)
	t.in.Earlier = nil
	if text := scene.Gist(t.earlier, t.room.beside, count); text != "" {
		t.in.Earlier = []string{text}
	}
	t.in.Lore = fitLore(t.known, t.room.beside, count)
	for _, text := range append(slices.Clone(t.in.Earlier), t.in.Lore...) {
		room -= count(text) + 2
	}
	t.room.state, t.room.messages = max(0, room/5), room
	return t
}

// requestFrame is a little room that estimates may be wrong by, in tokens.
const requestFrame = 60

// fitLore returns the lorebook entries that fit, and the names of the others.
func fitLore(known []SceneEntry, room int, count func(string) int) []string {
	var out, names []string
	for _, k := range known {
		text := strings.TrimSpace(k.Text)
		if cost := count(text) + 2; text != "" && cost <= room-count(strings.Join(names, ", ")) {
			out = append(out, text)
			room -= cost
		} else if k.Name != "" && count(k.Name)+12 <= room {
			names = append(names, k.Name)
			room -= count(k.Name) + 2
		}
	}
	if len(names) > 0 {
		out = append(out, "It also knows "+strings.Join(names, ", ")+".")
	}
	return out
}
