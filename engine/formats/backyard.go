package formats

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Backyard (formerly Faraday) writes {character} and {user} for names, and #{character}: in
// dialogue. Format facts from its public specification and library (ahoylabs/byaf: specs/v1,
// src/byaf, src/character-image).
var backyardName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)#?\{(character|user)\}`) })

// backyardMacros replaces names by the macros of other programs. Double braces stay.
func backyardMacros(s string) string { return backyardNames(s, "{{user}}", "{{char}}") }

func backyardNames(s, user, character string) string {
	var out strings.Builder
	at := 0
	for _, m := range backyardName().FindAllStringIndex(s, -1) {
		if m[0] > 0 && s[m[0]-1] == '{' || m[1] < len(s) && s[m[1]] == '}' {
			continue
		}
		out.WriteString(s[at:m[0]])
		if strings.Contains(strings.ToLower(s[m[0]:m[1]]), "user") {
			out.WriteString(user)
		} else {
			out.WriteString(character)
		}
		at = m[1]
	}
	return out.String() + s[at:]
}

// chatText returns a message without the speaker marks that early versions left at either end,
// with macros replaced by names.
func chatText(s, user, character string) string {
	s = strings.TrimSpace(s)
	for _, mark := range []string{"#{character}:", "#{user}:"} {
		if len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark) {
			s = strings.TrimSpace(s[len(mark):])
		}
		if at := len(s) - len(mark); at >= 0 && strings.EqualFold(s[at:], mark) {
			s = strings.TrimSpace(s[:at])
		}
	}
	if len(character) > maxInserted || character == "" {
		character = "{{char}}"
	}
	return backyardNames(s, user, character)
}

// backyardCard reads the document of a Backyard card: {character{aiName, aiDisplayName, aiPersona,
// scenario, basePrompt, firstMessage, customDialogue, loreItems: [{key, value}], Chat,
// ...sampling}, version: 1 to 4}.
func backyardCard(root *object) (card object, err error) {
	c, ok := parseObject(root.get("character"))
	if !ok {
		c = *root
	}
	if !c.has("aiName") && !c.has("aiDisplayName") {
		return card, wrapf(ErrNotCard,
			"the document has a version and a character, as Backyard's cards do, but no aiName: choose another file")
	}
	d := cardDraft{name: c.firstText("aiDisplayName", "aiName"), nickname: c.firstText("aiName"),
		description: backyardMacros(c.firstText("aiPersona")),
		scenario:    backyardMacros(c.firstText("scenario")), system: backyardMacros(c.firstText("basePrompt")),
		example: backyardMacros(c.firstText("customDialogue")), lore: c.get("loreItems")}
	d.addGreeting(backyardMacros(c.firstText("firstMessage")))
	d.rest = c.without("aiDisplayName", "aiName", "aiPersona", "scenario", "basePrompt", "customDialogue", "loreItems",
		"firstMessage", "Chat")
	return d.document(programBackyard), nil
}

// backyardCardChats reads the chats of a Backyard card.
func backyardCardChats(root *object) (out []ChatFile, err error) {
	c, _ := parseObject(root.get("character"))
	raws, _ := elements(c.get("Chat"), maxChats)
	for _, raw := range raws {
		chat, ok := parseObject(raw)
		if !ok {
			continue
		}
		list, err := singleChat(backyardLog(&chat, chat.firstText("name"), c.firstText("aiDisplayName", "aiName"),
			c.firstText("firstMessage")))
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// backyardLog reads {ChatItems: [{input, output, createdAt, RegenSwipes: [{text,
// activeTimestamp}]}], authorNote}. The greeting is not in it.
func backyardLog(chat *object, title, character, greeting string) (ChatFile, error) {
	b := newForeignChat(programBackyard)
	b.file.Title, b.file.CharacterName = title, character
	b.rest = chat.without("ChatItems", "name", "authorNote")
	b.note(backyardNames(chat.firstText("authorNote"), "{{user}}", "{{char}}"), 4)
	raws, ok := elements(chat.get("ChatItems"), MaxMessages)
	if !ok {
		return b.file, wrapf(ErrNotChat,
			"the document has a chat and a version, as Backyard's chats do, but no ChatItems: choose another file")
	}
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			b.notes.add("item %d is %s and was left out", i+1, kindOf(raw))
			continue
		}
		input, _ := looseString(o.get("input"))
		if i == 0 && input != "" && greeting != "" {
			if err := b.addMessage(foreignMessage{role: storage.Assistant, name: character,
				text: chatText(greeting, "User", character)}); err != nil {
				return b.file, err
			}
		}
		if err := b.backyardItem(&o, input); err != nil {
			return b.file, err
		}
	}
	return b.chatFile(), nil
}

func (b *foreignChat) backyardItem(o *object, input string) error {
	at := readTime(o.get("createdAt"))
	if input != "" {
		if err := b.addMessage(foreignMessage{role: storage.User, text: chatText(input, "User", b.file.CharacterName),
			at: at}); err != nil {
			return err
		}
	}
	s := foreignMessage{role: storage.Assistant, name: b.file.CharacterName, at: at}
	output, _ := looseString(o.get("output"))
	s.text = chatText(output, "User", s.name)
	s.swipes, s.chosen = backyardSwipes(o.get("RegenSwipes"), s.name)
	s.rest = o.without("input", "output", "createdAt", "RegenSwipes")
	if s.text == "" && len(s.swipes) == 0 {
		return nil
	}
	if len(s.swipes) == 0 {
		return b.addMessage(s)
	}
	if s.text != "" { // the text that the item shows wins
		found := false
		for i := range s.swipes {
			if s.swipes[i].Content == s.text {
				s.chosen, found = i, true
			}
		}
		if !found {
			s.swipes, s.chosen = append(s.swipes, Swipe{Content: s.text, CreatedAt: at}), len(s.swipes)
		}
	}
	return b.addMessage(s)
}

// backyardSwipes returns the swipes of a reply. The one that was shown last is chosen.
func backyardSwipes(raw json.RawMessage, character string) (out []Swipe, chosen int) {
	raws, _ := elements(raw, maxSwipes)
	var newest time.Time
	for _, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		words, _ := looseString(o.get("text"))
		if shown := readTime(o.get("activeTimestamp")); shown.After(newest) {
			newest, chosen = shown, len(out)
		}
		out = append(out, Swipe{Content: chatText(words, "User", character), CreatedAt: readTime(o.get("createdAt"))})
	}
	return out, chosen
}
