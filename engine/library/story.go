package library

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// StoryOptions are what of a play goes into a story to read beside what was said. The
// zero value is the play with its pictures and nothing else.
type StoryOptions struct {
	Recaps     bool   // of the scenes, each at its end
	Takes      bool   // the other takes of each message
	OOC        bool   // what was said out of character
	NoPictures bool   //
	Language   string // a tag of BCP 47; "" is guessed
}

// sampleMessages and sampleBytes are how much of a play is read to guess its language.
const (
	sampleMessages = 60
	sampleBytes    = 64 << 10
)

// WriteStory writes the head's path as a story to read. Only a part of it is held at a
// time. When the context ends, so does the writing, with the context's error.
func (svc *Service) WriteStory(ctx context.Context, chat storage.ChatID, f novel.Format, o StoryOptions, w io.Writer) (novel.Report, error) {
	const op = "export"
	if o.Language != "" && !novel.ValidLanguage(o.Language) {
		return novel.Report{}, failure.Fail(op, failure.Refuse("a language is named by its tag, as en or pt-BR, not %q", o.Language))
	}
	p, err := svc.planStory(chat, o)
	if err != nil {
		return novel.Report{}, failure.Fail(op, err)
	}
	if !f.Pictured() {
		p.files = nil
	}
	show := svc.loadAhead(ctx, p.files)
	defer show.stop()
	r, err := novel.Write(w, f, p.story, svc.pieces(ctx, p, o), show.take)
	if err != nil {
		return r, failure.Fail(op, err)
	}
	return r, nil
}

// plan is what is known of a story before it is read.
type plan struct {
	story  novel.Story
	chat   storage.Chat
	cards  map[storage.CharacterID]storage.Card
	user   storage.Persona
	starts map[storage.NodeID]bool            // the first messages of chapters
	ends   map[storage.NodeID]storage.RecapID // the last ones, with the recap
	hung   map[storage.NodeID][]storage.Capture
	files  []storage.Capture // in the order in which they stand
}

// planStory reads the places of the messages, and of the messages only some.
func (svc *Service) planStory(chat storage.ChatID, o StoryOptions) (p plan, err error) {
	var language string
	sample := strings.Builder{}
	n := 0
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if p.chat, err = storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		svc.planCast(tx, &p)
		svc.planChapters(tx, &p)
		return planPictures(tx, &p, o)
	})
	if err != nil {
		return p, err
	}
	for m, err := range svc.chats.Along(chat, p.chat.Head) {
		if err != nil {
			return p, err
		}
		if p.story.From.IsZero() {
			p.story.From = m.CreatedAt
		}
		sample.WriteString(m.Content + "\n")
		if n++; n == sampleMessages || sample.Len() > sampleBytes {
			break
		}
	}
	language, p.story.RTL = novel.Tongue(sample.String())
	if p.story.Language = o.Language; o.Language == "" {
		p.story.Language = language
	}
	return p, nil
}

func (svc *Service) planCast(tx *storage.Tx, p *plan) {
	who, user := svc.chats.Cast(tx, p.chat)
	p.user, p.cards = user, map[storage.CharacterID]storage.Card{who.ID: who.Card}
	names := []string{who.Card.CharName()}
	for _, id := range chats.CastOf(p.chat) {
		if c, err := storage.Characters.Get(tx, id); err == nil {
			p.cards[id] = c.Card
			names = append(names, c.Card.CharName())
		}
	}
	p.story = novel.Story{ID: storyID(p.chat.ID), Title: p.chat.Title, Cast: names, Persona: user.Name, Modified: p.chat.UpdatedAt}
	if head, err := tx.Node(p.chat.ID, p.chat.Head); err == nil {
		p.story.To = head.CreatedAt
	}
	if p.story.Modified.IsZero() {
		p.story.Modified = svc.core.Config.Now()
	}
}

// storyID is an id of a chat that is none of ours alone.
func storyID(chat storage.ChatID) string {
	id, err := ulid.ParseStrict(string(chat))
	if err != nil {
		return "urn:ghostlight:" + string(chat)
	}
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// planChapters makes chapters of the scenes. A play without an end of a scene is one
// chapter that has no heading.
func (svc *Service) planChapters(tx *storage.Tx, p *plan) {
	p.starts, p.ends = map[storage.NodeID]bool{}, map[storage.NodeID]storage.RecapID{}
	for _, s := range scenes.SpansOf(tx, p.chat.ID, p.chat.Head) {
		if s.Last.ID == "" {
			continue // nothing of it is there
		}
		v := scenes.SceneView(tx, p.chat.ID, s, len(p.story.Chapters)+1)
		name := v.Name
		if name == "" {
			name = "Scene " + strconv.Itoa(v.Number)
		}
		p.story.Chapters = append(p.story.Chapters, name)
		p.starts[v.First] = true
		if s.Break != nil {
			p.ends[v.Last] = s.Break.Recap()
		} else if v.Number == 1 {
			p.story.Chapters[0] = ""
		}
	}
}

// planPictures finds the pictures of the path: those that hang on it, and those that are
// in the gallery alone, at their moments. Sketches of storyboards are none of them.
func planPictures(tx *storage.Tx, p *plan, o StoryOptions) error {
	p.hung = map[storage.NodeID][]storage.Capture{}
	if o.NoPictures {
		return nil
	}
	byPlace := map[storage.NodeID][]storage.Capture{}
	for _, c := range storage.Captures.All(tx) {
		switch {
		case c.Chat != p.chat.ID || c.ImagePath == "" || c.Status != storage.CaptureCompleted:
		case c.Node != "":
			byPlace[c.Node] = append(byPlace[c.Node], c)
		case c.Board == "":
			byPlace[c.At] = append(byPlace[c.At], c)
		}
	}
	if len(byPlace) == 0 {
		return nil
	}
	var places []storage.NodeID
	for at := range tx.Spine(p.chat.ID, p.chat.Head) {
		if len(byPlace[at.ID]) > 0 && !at.Deleted {
			places = append(places, at.ID)
		}
	}
	for i := len(places) - 1; i >= 0; i-- {
		list := byPlace[places[i]]
		p.hung[places[i]] = list
		p.files = append(p.files, list...)
	}
	return nil
}

// pieces reads the story in its order.
func (svc *Service) pieces(ctx context.Context, p plan, o StoryOptions) iter.Seq2[novel.Piece, error] {
	return func(yield func(novel.Piece, error) bool) {
		for m, err := range svc.chats.AlongShown(p.chat.ID, p.chat.Head) {
			if err == nil {
				err = ctx.Err()
			}
			var list []novel.Piece
			if err == nil {
				list, err = svc.piecesOf(p, m, o)
			}
			if err != nil {
				yield(novel.Piece{}, err)
				return
			}
			for _, piece := range list {
				if !yield(piece, nil) {
					return
				}
			}
		}
	}
}

// piecesOf is what a message is in the story.
func (svc *Service) piecesOf(p plan, m chats.Message, o StoryOptions) (list []novel.Piece, err error) {
	if p.starts[m.ID] {
		list = append(list, novel.Piece{Kind: novel.Chapter})
	}
	if m.Role != storage.SceneCapture {
		said := p.said(m, o)
		if o.Takes && m.Siblings > 1 {
			if said.Takes, err = svc.otherTakes(p, m, o); err != nil {
				return nil, err
			}
		}
		if strings.TrimSpace(said.Text) != "" || len(said.Takes) > 0 {
			list = append(list, said)
		}
	}
	for _, c := range p.hung[m.ID] {
		list = append(list, novel.Piece{Kind: novel.Picture, Picture: string(c.ID), Caption: c.Requested})
	}
	if id := p.ends[m.ID]; o.Recaps && id != "" {
		var r storage.Recap
		err := svc.core.Store.View(func(tx *storage.Tx) (err error) { r, err = storage.Recaps.Get(tx, p.chat.ID, id); return err })
		if failure.IgnoreMissing(err) != nil {
			return nil, err
		}
		if strings.TrimSpace(r.Text) != "" {
			list = append(list, novel.Piece{Kind: novel.Recap, Text: r.Text})
		}
	}
	return list, nil
}

// said is what somebody said, or the narrator told. What is hidden from the model is part
// of the story all the same: people hide what has become too long.
func (p plan) said(m chats.Message, o StoryOptions) novel.Piece {
	role := m.Role
	if role == storage.System {
		var x importedExtra
		if len(m.Extra) > 0 && json.Unmarshal(m.Extra, &x) == nil && x.Role != "" {
			role = x.Role
		}
	}
	out := novel.Piece{Kind: novel.Spoken, Name: m.Name, User: role == storage.User, Whisper: m.Presence != nil && m.Presence.Whisper, Text: p.words(m.Node, m.Text(), o)}
	switch {
	case role == storage.System:
		out.Kind, out.Name = novel.Narrated, ""
	case m.Name != "":
	case role == storage.User:
		out.Name = p.user.Name
	default:
		out.Name = p.card(m.Node).CharName()
	}
	return out
}

func (p plan) card(n storage.Node) storage.Card {
	if c, ok := p.cards[n.Speaker]; ok {
		return c
	}
	return p.cards[p.chat.Character]
}

// words are those of a message as they are read.
func (p plan) words(n storage.Node, text string, o StoryOptions) string {
	text = chats.Named(text, p.card(n), p.user)
	if !o.OOC {
		text = novel.InCharacter(text)
	}
	return text
}

// otherTakes are the texts that stand beside a message.
func (svc *Service) otherTakes(p plan, m chats.Message, o StoryOptions) (takes []string, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		ids, _, err := tx.Siblings(m.Chat, m.ID)
		if err != nil {
			return err
		}
		for _, id := range ids {
			n, err := tx.Node(m.Chat, id)
			if err != nil {
				return err
			}
			if text := p.words(n, n.Content, o); id != m.ID && n.Role == m.Role && strings.TrimSpace(text) != "" {
				takes = append(takes, text)
			}
		}
		return nil
	})
	return takes, err
}
