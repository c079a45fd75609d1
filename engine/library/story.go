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

// StoryOptions say what is added to a story beside the messages. The zero value is the messages
// with their pictures.
type StoryOptions struct {
	Recaps     bool   // of the scenes, each at its end
	Swipes     bool   // the other swipes of each message
	OOC        bool   // messages out of character
	NoPictures bool   //
	Language   string // a tag of BCP 47; "" is guessed
}

// sampleMessages and sampleBytes limit what is read to guess the language.
const (
	sampleMessages = 60
	sampleBytes    = 64 << 10
)

// WriteStory writes the path of the head as a story. Only a part of it is in memory at a time. It
// ends with the context's error when the context ends.
func (svc *Service) WriteStory(ctx context.Context, chat storage.ChatID, f novel.Format, o StoryOptions,
	w io.Writer) (novel.Report, error) {
	const op = "export"
	if o.Language != "" && !novel.ValidLanguage(o.Language) {
		return novel.Report{}, failure.Wrap(op,
			failure.Refusef("a language is named by its tag, as en or pt-BR, not %q", o.Language))
	}
	p, err := svc.planStory(chat, o)
	if err != nil {
		return novel.Report{}, failure.Wrap(op, err)
	}
	if !f.HasPictures() {
		p.files = nil
	}
	show := svc.newPictureLoader(ctx, p.files)
	defer show.stop()
	r, err := novel.Write(w, f, p.story, svc.pieces(ctx, p, o), show.next)
	if err != nil {
		return r, failure.Wrap(op, err)
	}
	return r, nil
}

// storyPlan holds the data about a story that is read before its messages.
type storyPlan struct {
	story    novel.Story
	chat     storage.Chat
	cards    map[storage.CharacterID]storage.Card
	user     storage.Persona
	starts   map[storage.NodeID]bool            // the first messages of chapters
	ends     map[storage.NodeID]storage.RecapID // the last messages of chapters, with the recap
	pictures map[storage.NodeID][]storage.Capture
	files    []storage.Capture // in the order of the story
}

// planStory reads the positions of the messages, and a sample of their texts.
func (svc *Service) planStory(chat storage.ChatID, o StoryOptions) (p storyPlan, err error) {
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
	language, p.story.RTL = novel.DetectLanguage(sample.String())
	if p.story.Language = o.Language; o.Language == "" {
		p.story.Language = language
	}
	return p, nil
}

func (svc *Service) planCast(tx *storage.Tx, p *storyPlan) {
	who, user := svc.chats.Cast(tx, p.chat)
	p.user, p.cards = user, map[storage.CharacterID]storage.Card{who.ID: who.Card}
	names := []string{who.Card.CharName()}
	for _, id := range chats.CastOf(p.chat) {
		if c, err := storage.Characters.Get(tx, id); err == nil {
			p.cards[id] = c.Card
			names = append(names, c.Card.CharName())
		}
	}
	p.story = novel.Story{ID: storyID(p.chat.ID), Title: p.chat.Title, Cast: names, Persona: user.Name,
		Modified: p.chat.UpdatedAt}
	if head, err := tx.Node(p.chat.ID, p.chat.Head); err == nil {
		p.story.To = head.CreatedAt
	}
	if p.story.Modified.IsZero() {
		p.story.Modified = svc.core.Config.Now()
	}
}

// storyID returns an ID for the story that does not reveal the chat's ID.
func storyID(chat storage.ChatID) string {
	id, err := ulid.ParseStrict(string(chat))
	if err != nil {
		return "urn:ghostlight:" + string(chat)
	}
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// planChapters makes a chapter of each scene. A story without a scene break is one chapter without
// a heading.
func (svc *Service) planChapters(tx *storage.Tx, p *storyPlan) {
	p.starts, p.ends = map[storage.NodeID]bool{}, map[storage.NodeID]storage.RecapID{}
	for _, s := range scenes.SpansOf(tx, p.chat.ID, p.chat.Head) {
		if s.Last.ID == "" {
			continue // none of its messages is on the path
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

// planPictures finds the pictures of the path: those attached to messages, and those of the
// gallery at their moments. Storyboard sketches are left out.
func planPictures(tx *storage.Tx, p *storyPlan, o StoryOptions) error {
	p.pictures = map[storage.NodeID][]storage.Capture{}
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
	for at := range tx.PathInfos(p.chat.ID, p.chat.Head) {
		if len(byPlace[at.ID]) > 0 && !at.Deleted {
			places = append(places, at.ID)
		}
	}
	for i := len(places) - 1; i >= 0; i-- {
		list := byPlace[places[i]]
		p.pictures[places[i]] = list
		p.files = append(p.files, list...)
	}
	return nil
}

// pieces returns the pieces of the story in order.
func (svc *Service) pieces(ctx context.Context, p storyPlan, o StoryOptions) iter.Seq2[novel.Piece, error] {
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

// piecesOf returns the pieces of a message.
func (svc *Service) piecesOf(p storyPlan, m chats.Message, o StoryOptions) (list []novel.Piece, err error) {
	if p.starts[m.ID] {
		list = append(list, novel.Piece{Kind: novel.Chapter})
	}
	if m.Role != storage.SceneCapture {
		said := p.messagePiece(m, o)
		if o.Swipes && m.Siblings > 1 {
			if said.Swipes, err = svc.otherSwipes(p, m, o); err != nil {
				return nil, err
			}
		}
		if strings.TrimSpace(said.Text) != "" || len(said.Swipes) > 0 {
			list = append(list, said)
		}
	}
	for _, c := range p.pictures[m.ID] {
		list = append(list, novel.Piece{Kind: novel.Picture, Picture: string(c.ID), Caption: c.Requested})
	}
	if id := p.ends[m.ID]; o.Recaps && id != "" {
		var r storage.Recap
		err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
			r, err = storage.Recaps.Get(tx, p.chat.ID, id)
			return err
		})
		if failure.IgnoreMissing(err) != nil {
			return nil, err
		}
		if strings.TrimSpace(r.Text) != "" {
			list = append(list, novel.Piece{Kind: novel.Recap, Text: r.Text})
		}
	}
	return list, nil
}

// messagePiece returns the piece of a line or a narration. A message that is hidden from the model
// is part of the story: users hide what has become too long.
func (p storyPlan) messagePiece(m chats.Message, o StoryOptions) novel.Piece {
	role := m.Role
	if role == storage.System {
		var x importedExtra
		if len(m.Extra) > 0 && json.Unmarshal(m.Extra, &x) == nil && x.Role != "" {
			role = x.Role
		}
	}
	out := novel.Piece{Kind: novel.Spoken, Name: m.Name, User: role == storage.User,
		Whisper: m.Presence != nil && m.Presence.Whisper, Text: p.messageText(m.Node, m.Text(), o)}
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

func (p storyPlan) card(n storage.Node) storage.Card {
	if c, ok := p.cards[n.Speaker]; ok {
		return c
	}
	return p.cards[p.chat.Character]
}

// messageText returns the text of a message for the reader.
func (p storyPlan) messageText(n storage.Node, text string, o StoryOptions) string {
	text = chats.Named(text, p.card(n), p.user)
	if !o.OOC {
		text = novel.RemoveOOC(text)
	}
	return text
}

// otherSwipes returns the texts of the other swipes of a message.
func (svc *Service) otherSwipes(p storyPlan, m chats.Message, o StoryOptions) (takes []string, err error) {
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
			if text := p.messageText(n, n.Content, o); id != m.ID && n.Role == m.Role && strings.TrimSpace(text) != "" {
				takes = append(takes, text)
			}
		}
		return nil
	})
	return takes, err
}
