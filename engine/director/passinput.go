package director

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readAfter reads the exchange at the end of a chat's path.
func (svc *Service) readAfter(params chats.Params) (p pass, err error) {
	p = pass{Params: params, parts: svc.PassParts()}
	if p.Force {
		p.parts = rules.Parts{Director: true, Memories: true, Hooks: true, Picture: p.parts.Picture}
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if p.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		c := p.chat
		if !chats.OnPath(tx, c.ID, c.Head, p.Node) {
			return queue.ErrDiscard // swiped away: it is not part of the story
		}
		leaf := LastReply(tx, c) // more messages may have come while this waited
		if leaf == "" {
			return queue.ErrDiscard
		}
		if p.leaf, err = tx.Node(c.ID, leaf); err != nil {
			return err
		}
		b, _ := storage.TurnRecords.Get(tx, c.ID, leaf)
		if passDone(b) && !p.Force {
			p.parts = rules.Parts{}
		}
		p.turn = cmp.Or(b.Turn, chats.TurnAt(tx, c.ID, leaf))
		if err := svc.readFresh(tx, &p); err != nil {
			return err
		}
		p.parts.Break = !svc.core.Settings().Scenes.NoDetect && len(p.fresh) > 0
		if !p.parts.Any() {
			return queue.ErrDiscard
		}
		if err := svc.readPassInput(tx, &p); err != nil {
			return err
		}
		if p.parts.Picture = p.parts.Picture && svc.mayAsk(tx, &p); !p.parts.Any() {
			return queue.ErrDiscard
		}
		return nil
	})
	return p, err
}

// readFresh reads the messages in which a scene break is looked for.
func (svc *Service) readFresh(tx *storage.Tx, p *pass) error {
	for _, id := range scenes.UncheckedMessages(tx, p.chat.ID, p.leaf.ID) {
		n, err := tx.Node(p.chat.ID, id)
		if err != nil {
			return err
		}
		p.fresh = append(p.fresh, scenes.MessageFor(n))
	}
	return nil
}

// mayAsk reports whether the user may have asked for a picture in the messages of a pass.
func (svc *Service) mayAsk(tx *storage.Tx, p *pass) bool {
	said := func(n storage.Node) bool { return n.Role == storage.User }
	return slices.ContainsFunc(p.nodes, said) && !svc.painter.RequestsOff(tx, p.chat)
}

// passDone reports whether a pass has evaluated a record.
func passDone(b storage.TurnRecord) bool { return b.Passed || b.Seen != nil }

// maxNumbered is the maximum number of messages that a pass is about: the newest.
const maxNumbered = 12

// readMessages reads the messages since the last pass that the speaker has heard, and those just
// before.
func (svc *Service) readMessages(tx *storage.Tx, p *pass, in *rules.Input) error {
	c, over := p.chat, false
	for at := range tx.PathInfos(c.ID, p.leaf.ID) {
		if !at.InStory() {
			continue
		}
		if b, err := storage.TurnRecords.Get(tx, c.ID, at.ID); at.ID != p.leaf.ID && err == nil && passDone(b) {
			over = true
		}
		if over = over || len(p.nodes) == maxNumbered; over && len(in.Before) == chats.PassLook {
			break
		}
		n, err := tx.Node(c.ID, at.ID)
		if err != nil {
			return err
		}
		if chats.IsGroup(c) && !chats.Knows(c, chats.SpeakerOf(c, &p.leaf), &n) {
			continue
		}
		line := rules.Line{ID: n.ID, Speaker: n.Name, Text: n.Content, User: n.Role == storage.User,
			Hearers: svc.hearers(tx, c, &n, in.User)}
		if over {
			in.Before = append(in.Before, line)
			continue
		}
		p.nodes, in.Messages = append(p.nodes, n), append(in.Messages, line)
	}
	slices.Reverse(p.nodes)
	slices.Reverse(in.Messages)
	slices.Reverse(in.Before)
	return nil
}

// hearers returns the names of everybody who heard a whispered message; nil for other messages.
func (svc *Service) hearers(tx *storage.Tx, c storage.Chat, n *storage.Node, user string) []string {
	if n.Presence == nil || !n.Presence.Whisper {
		return nil
	}
	speaker := chats.SpeakerOf(c, n)
	heard := slices.DeleteFunc(slices.Clone(n.Presence.Witnesses),
		func(id storage.CharacterID) bool { return id == speaker })
	names := append([]string{}, svc.chats.NamesOf(tx, heard)...)
	if n.Role != storage.User {
		names = append(names, user)
	}
	return names
}

// readPassInput reads the input of the pass.
func (svc *Service) readPassInput(tx *storage.Tx, p *pass) error {
	c := p.chat
	char, user := svc.chats.Names(tx, c)
	if p.leaf.Name != "" && chats.IsGroup(c) {
		char = p.leaf.Name
	}
	in := rules.Input{Char: char, User: user, Turn: playTurn(c, p.turn)}
	if ep, ok := episodeOf(tx, c); ok {
		in.Genre, in.Situation, in.Question, in.Budget = ep.Genre, ep.Situation, ep.Question, ep.TurnBudget
		in.Over = endedAt(tx, c, p.leaf.Parent)
		if s, err := storage.AllSeries.Get(tx, ep.Series); err == nil && in.Genre == "" {
			in.Genre = s.Genre
		}
	}
	if err := svc.readMessages(tx, p, &in); err != nil {
		return err
	}
	if chats.IsGroup(c) && c.Play.Order == storage.OrderDirector {
		in.Speakers = svc.chats.NamesOf(tx, chats.Present(c))
	}
	paths := memory.PathsOf(tx, chats.ScopeOf(c), c.ID, p.leaf.ID)
	hooks, memories := paths.Hooks(), paths.Memories()
	var err error
	if p.seen, err = svc.mayInfer(tx, c, p.leaf, chats.KnownTo(c, p.nodes), memories, hooks); err != nil {
		return err
	}
	if err := svc.readKnown(tx, p, &in, memories, hooks); err != nil {
		return err
	}
	in.Setting = svc.settingBefore(tx, p)
	if len(p.nodes) > 0 {
		in.Time = scenes.ClockWords(scenes.ClockAt(tx, c.ID, p.nodes[0].Parent).Time)
	}
	p.in = in
	return nil
}

// mayInfer returns the witnesses who know everything in the prompt that the exchange is evaluated
// in, since a finding may be based on any of it.
func (svc *Service) mayInfer(tx *storage.Tx, c storage.Chat, leaf storage.Node, witnesses []storage.CharacterID,
	memories []memory.KnownMemory, hooks []memory.KnownHook) ([]storage.CharacterID, error) {
	if !chats.IsGroup(c) || len(witnesses) == 0 {
		return witnesses, nil
	}
	who := chats.Viewpoint{Chat: c, Speaker: chats.SpeakerOf(c, &leaf)}
	take := func(known []storage.CharacterID) {
		if who.MayKnow(known) {
			witnesses = storage.WitnessesOfBoth(witnesses, known)
		}
	}
	for _, m := range memories {
		take(m.Witnesses)
	}
	for _, h := range hooks {
		take(h.Witnesses)
	}
	seen := func(n *storage.Node) {
		if chats.Knows(c, who.Speaker, n) {
			witnesses = slices.DeleteFunc(slices.Clone(witnesses),
				func(id storage.CharacterID) bool { return !chats.Knows(c, id, n) })
		}
	}
	if r, _, err := scenes.RunningAt(tx, c.ID, leaf.ID); err == nil && r != nil {
		for _, s := range r.Sources {
			for _, id := range s.Messages {
				if n, err := tx.Node(c.ID, id); err == nil {
					seen(&n)
				}
			}
		}
	}
	for p := range tx.PathInfos(c.ID, leaf.ID) {
		if p.InStory() {
			n, err := tx.Node(c.ID, p.ID)
			if err != nil {
				return nil, err
			}
			seen(&n)
		}
		if p.ID == leaf.Window {
			break
		}
	}
	return witnesses, nil
}
