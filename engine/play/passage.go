package play

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/passage"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Passage is a part of a text to rewrite. If it is empty, it is the place where the text should
// continue.
type Passage struct {
	Message     storage.NodeID // message that has Text, "" for the user's next line
	Text        string         // all of it, as the user sees it now
	From, To    int            // bytes of Text
	Instruction string
}

// Rewrite asks for a new version of a passage. It arrives as PassageWritten events, and nothing is
// stored: the caller puts it into the text. It is a turn: Stop ends it, and no reply is written
// meanwhile.
func (svc *Service) Rewrite(chat storage.ChatID, p Passage) error {
	const doing = "rewrite"
	p.Instruction = strings.TrimSpace(p.Instruction)
	switch {
	case p.From < 0 || p.To < p.From || p.To > len(p.Text) || !starts(p.Text, p.From) || !starts(p.Text, p.To):
		return failure.Wrap(doing, failure.Refusef("the passage is not part of the text"))
	case p.From < p.To && strings.TrimSpace(p.Text[p.From:p.To]) == "":
		return failure.Wrap(doing, failure.Refusef("the passage is empty"))
	case p.To-p.From > passage.MaxAnswer:
		return failure.Wrap(doing, failure.Refusef("a passage may have at most %d bytes: select less text",
			passage.MaxAnswer))
	case len(p.Instruction) > maxNudge:
		return failure.Wrap(doing, failure.Refusef("an instruction may have at most %d bytes", maxNudge))
	}
	return svc.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		part := &passage.Part{Text: p.Text, From: p.From, To: p.To, Instruction: p.Instruction}
		r := request{parent: c.Head, appended: true, passage: part}
		if p.Message == "" {
			r.speaker = lastSpeaker(tx, c)
			return r, nil
		}
		n, err := tx.Node(chat, p.Message)
		if err != nil {
			return r, failure.Wrap(doing, err)
		}
		if part.Whose = n.Name; part.Whose == "" {
			part.Whose = "the one who spoke"
		}
		r.speaker = n.Speaker
		if _, err := storage.Characters.Get(tx, r.speaker); err != nil || n.Role != storage.Assistant {
			r.speaker = lastSpeaker(tx, c)
		}
		if n.ID == c.Head || n.Parent == "" {
			return r, nil
		}
		if before, err := tx.Node(chat, n.Parent); err == nil && !before.Deleted {
			part.Earlier = before.Content
		}
		return r, nil
	})
}

// starts reports whether a character of a text begins at a place.
func starts(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// lastSpeaker returns the last speaker in a chat with several characters, whose prompt the server
// has read; "" if one character plays, or none has spoken yet.
func lastSpeaker(tx *storage.Tx, c storage.Chat) storage.CharacterID {
	if !chats.IsGroup(c) {
		return ""
	}
	seen := 0
	for p := range tx.PathInfos(c.ID, c.Head) {
		if seen++; seen > lastLook {
			break
		}
		if !p.InStory() {
			continue
		}
		if n, err := tx.Node(c.ID, p.ID); err == nil && n.Role == storage.Assistant {
			return chats.SpeakerOf(c, &n)
		}
	}
	return ""
}

// askPassage appends the request for a passage to a prompt, and returns the most tokens of its
// answer: the passage may grow to twice its length.
func askPassage(s *prompt.Snapshot, p *passage.Part) int {
	set := s.Set
	if set == nil {
		set = prompts.BuiltIn()
	}
	user := s.Persona.Name
	if user == "" {
		user = "User"
	}
	s.Appended = p.Request(set, s.Card.CharName(), user)
	answer := s.Limits.Reply
	if s.Count != nil {
		answer = max(answer, min(2*s.Count(p.Old())+200, s.Limits.Context/2))
	}
	s.Limits.Pass = answer - s.Limits.Reply
	return answer
}
