package play

import (
	"context"
	"maps"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// gathered holds everything that a prompt is made of, as it was at one moment.
type gathered struct {
	snapshot prompt.Snapshot
	history  []storage.Node // the snapshot's history without input, before scripts
	input    storage.NodeID // the message made from input; "" for none
	lore     lore.PromptLore
	notes    director.StageNotes
}

// gather reads what a prompt is made of in one transaction, limited to what the moment's speaker
// may know. input is the user's next line, "" for none. also, if not nil, runs before lore and
// notes are chosen; it may change the snapshot and read more.
func (svc *Service) gather(
	ctx context.Context, r request, m chats.Viewpoint, known *models.KnownModel, input string,
	also func(tx *storage.Tx, s *prompt.Snapshot) error,
) (g gathered, err error) {
	if err := svc.lore.ImportCardBook(r.chat); err != nil {
		return g, failure.Wrap("read the character's lorebook", err)
	}
	near := svc.embedNewest(ctx, r, m, input)
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if g.snapshot, err = svc.snapshot(tx, r, m, known); err != nil {
			return failure.Wrap("read the play", err)
		}
		g.history = g.snapshot.History
		if lore.AppendInput(&g.snapshot, m.Chat, input); len(g.snapshot.History) > len(g.history) {
			g.input = g.snapshot.History[len(g.history)].ID
		}
		if also != nil {
			if err := also(tx, &g.snapshot); err != nil {
				return err
			}
		}
		g.lore, g.notes, err = svc.addContext(tx, &g.snapshot, m, near)
		return err
	})
	return g, err
}

// embedLookback is the number of messages searched for the newest lines.
const embedLookback = 20

// embedNewest returns the embedding of the newest lines of a prompt.
func (svc *Service) embedNewest(ctx context.Context, r request, m chats.Viewpoint,
	input string) director.NewestEmbedding {
	if svc.core.Settings().Stage.EmbedModel == "" || r.parent == "" || m.FollowsReply {
		return director.NewestEmbedding{}
	}
	var s prompt.Snapshot
	_ = svc.core.Store.View(func(tx *storage.Tx) (err error) {
		s.History, err = tx.Path(r.chat, r.parent, embedLookback)
		return err
	})
	m.FilterHistory(s.History)
	lore.AppendInput(&s, m.Chat, input)
	return svc.director.EmbedNewest(ctx, s.History, m)
}

// snapshot reads the play's own part of a prompt.
func (svc *Service) snapshot(tx *storage.Tx, r request, m chats.Viewpoint,
	known *models.KnownModel) (s prompt.Snapshot, err error) {
	s = prompt.Snapshot{Mode: r.mode, Set: svc.core.Prompts(), Now: svc.core.Config.Now(), Chat: r.chat,
		Model:  known.Name,
		Count:  known.Meter.Count,
		Limits: prompt.Limits{Context: svc.models.ContextOf(m.Chat, known), Reply: svc.models.ReplyCap(m.Chat, known)},
		Nudge:  r.nudge, Outline: r.outline}
	c, err := storage.Chats.Get(tx, r.chat)
	if err != nil {
		return s, err
	}
	if err := svc.castSnapshot(tx, c, r, m, &s); err != nil {
		return s, err
	}
	last, err := lastOf(tx, r, m)
	if err != nil {
		return s, err
	}
	s.Window = last.Window
	if s.Recap, err = svc.scenes.RecapForPrompt(tx, m, r.parent, last, s.Count, s.Limits.Context); err != nil {
		return s, err
	}
	if s.History, s.More, err = history(tx, r.chat, r.parent, s.Window, s.Recap.Covers, s.Limits.Context); err != nil {
		return s, err
	}
	s.Whispers = whispersOf(tx, m, s.Persona, r, s.History)
	m.FilterHistory(s.History)
	if n := svc.core.Settings().Memory.First; n > 0 {
		if s.First, err = firstOf(tx, r.chat, r.parent, n); err != nil {
			return s, err
		}
		maps.Copy(s.Whispers, whispersOf(tx, m, s.Persona, r, s.First))
		m.FilterHistory(s.First)
	}
	if pass := svc.director.PassText(m.Chat); pass != "" {
		s.Limits.Pass = director.PassBudget(s.Limits.Context, s.Limits.Reply, known.Meter.Count(pass),
			longestReply(s.History))
	}
	if r.continued != nil {
		s.History = append(s.History, *r.continued)
	}
	return s, nil
}

// castSnapshot sets the characters of a snapshot, and what the user wants of the reply.
func (svc *Service) castSnapshot(
	tx *storage.Tx, c storage.Chat, r request, m chats.Viewpoint, s *prompt.Snapshot,
) (err error) {
	who, persona := svc.chats.Cast(tx, c)
	if m.Speaker != "" && m.Speaker != c.Character {
		main := who.Card
		if who, err = storage.Characters.Get(tx, m.Speaker); err != nil {
			return err
		}
		who.Card.Scenario, s.Main = main.Scenario, main.CharName()
	}
	s.Card, s.Immersion, s.Persona, s.AuthorNote, s.Actor = who.Card, who.Immersion, persona, c.AuthorNote, who.Actor
	if s.Steer, err = steerFor(tx, c, r); err != nil {
		return err
	}
	c.Overrides.Apply(&s.Card)
	s.Overrides, s.Variables = c.Overrides, c.Variables
	s.Length = lengthOf(voiceOf(svc.core.Settings().Voice, c), s.Steer)
	s.Taste = svc.taste(tx, c)
	if chats.IsGroup(c) {
		s.Group = peopleOf(tx, c)
	}
	svc.castEpisode(tx, c, s)
	return nil
}

// lastLook is the number of messages searched for the speaker's last reply. A window that began
// further up contains hardly anything current.
const lastLook = 400

// lastOf returns the window and the recaps of the speaker's last prompt on the path of a request.
// Another reply to the same message gets those of the reply before it, so that a fold is not made
// twice.
func lastOf(tx *storage.Tx, r request, m chats.Viewpoint) (scenes.LastPrompt, error) {
	if r.continued != nil {
		return scenes.LastPrompt{Window: r.continued.Window, Recaps: r.continued.Recaps}, nil
	}
	if r.parent == "" {
		return scenes.LastPrompt{}, nil
	}
	mine := func(n *storage.Node) bool {
		return n.Role == storage.Assistant && n.Window != "" &&
			(m.Speaker == "" || chats.SpeakerOf(m.Chat, n) == m.Speaker)
	}
	ids, err := tx.Children(r.chat, r.parent)
	if err != nil {
		return scenes.LastPrompt{}, err
	}
	for _, id := range slices.Backward(ids) {
		if n, err := tx.Node(r.chat, id); err == nil && mine(&n) {
			return scenes.LastPrompt{Window: n.Window, Recaps: n.Recaps}, nil
		}
	}
	seen := 0
	for p := range tx.PathInfos(r.chat, r.parent) {
		if seen++; seen > lastLook {
			break
		}
		if !p.InStory() {
			continue
		}
		n, err := tx.Node(r.chat, p.ID)
		if err != nil {
			return scenes.LastPrompt{}, err
		}
		if mine(&n) {
			return scenes.LastPrompt{Window: n.Window, Recaps: n.Recaps}, nil
		}
	}
	return scenes.LastPrompt{}, nil
}

// castEpisode sets the chat's episode in a snapshot. A deleted episode is ignored.
func (svc *Service) castEpisode(tx *storage.Tx, c storage.Chat, s *prompt.Snapshot) {
	if c.Play.Episode == "" {
		return
	}
	ep, err := storage.Episodes.Get(tx, c.Play.Episode)
	if err != nil {
		return
	}
	s.Episode, s.Genre = &ep, ep.Genre
	if series, err := storage.AllSeries.Get(tx, ep.Series); err == nil && s.Genre == "" {
		s.Genre = series.Genre
	}
}

// addContext adds lore, notes and memories to a snapshot, and applies regex scripts.
func (svc *Service) addContext(
	tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint, near director.NewestEmbedding,
) (f lore.PromptLore, n director.StageNotes, err error) {
	if f, err = svc.lore.ForPrompt(tx, s, m); err != nil {
		return f, n, failure.Wrap("activate lore", err)
	}
	planNote(tx, s, m)
	if n, err = svc.director.StageNotes(tx, s, m, near); err != nil {
		return f, n, failure.Wrap("read what is remembered", err)
	}
	svc.applyPromptScripts(tx, s, m.Chat)
	return f, n, nil
}

// historyPage is the number of messages in the first read; usually that is enough.
const historyPage = 256

// history reads the end of a path. It goes back to the beginning of the last prompt and a little
// beyond the last message that memory covers, or until the text is more than a context can hold.
func history(
	tx *storage.Tx, chat storage.ChatID, leaf, window, covered storage.NodeID, context int,
) (nodes []storage.Node, more bool, err error) {
	if leaf == "" {
		return nil, false, nil
	}
	page, err := tx.Path(chat, leaf, historyPage)
	for err == nil {
		more = len(page) > 0 && page[0].Parent != ""
		nodes = append(page, nodes...)
		known := containsNode(nodes, window) &&
			(covered == "" || containsNode(nodes[min(len(nodes), keptLook):], covered))
		if !more || known || bytesIn(nodes) > context*bytesPerToken {
			return nodes, more, nil
		}
		page, err = tx.PathBefore(chat, nodes[0].ID, len(nodes))
	}
	return nil, false, err
}

// firstOf reads the first n messages with text of the path to leaf.
func firstOf(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, n int) (first []storage.Node, err error) {
	var ids []storage.NodeID // of all messages with text, newest first
	for p := range tx.PathInfos(chat, leaf) {
		if p.InStory() {
			ids = append(ids, p.ID)
		}
	}
	for _, id := range slices.Backward(ids[max(0, len(ids)-n):]) {
		node, err := tx.Node(chat, id)
		if err != nil {
			return nil, err
		}
		first = append(first, node)
	}
	return first, nil
}

// keptLook is the number of messages read before the last one that memory covers: some of them stay
// in the prompt.
const keptLook = 40

// bytesPerToken is more than the average bytes per token of any model.
const bytesPerToken = 8

func containsNode(nodes []storage.Node, id storage.NodeID) bool {
	for _, n := range nodes {
		if n.ID == id {
			return true
		}
	}
	return false
}

func bytesIn(nodes []storage.Node) (n int) {
	for _, m := range nodes {
		n += len(m.Content)
	}
	return n
}
