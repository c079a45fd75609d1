package ecosystem

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Backyard (once Faraday) writes {character} and {user} for names, and #{character}: in
// dialogue. Facts on its formats are from its public specification and library
// (ahoylabs/byaf: specs/v1, src/byaf, src/character-image).
var backyardName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)#?\{(character|user)\}`) })

// backyardMacros writes names as other programs do. What is in double braces is left.
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

// spoken is what was said in a chat: the marks of who speaks, which early versions left at
// either end, go, and names are written out.
func spoken(s, user, character string) string {
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

// backyardCard reads the document of a Backyard card: {character{aiName, aiDisplayName,
// aiPersona, scenario, basePrompt, firstMessage, customDialogue, loreItems: [{key, value}],
// Chat, ...sampling}, version: 1 to 4}.
func backyardCard(root *object) (card object, err error) {
	c, ok := parseObject(root.get("character"))
	if !ok {
		c = *root
	}
	if !c.has("aiName") && !c.has("aiDisplayName") {
		return card, fault(ErrNotCard, "the document has a version and a character, as Backyard's cards do, but no aiName: choose another file")
	}
	d := cardDraft{name: c.firstText("aiDisplayName", "aiName"), nickname: c.firstText("aiName"), description: backyardMacros(c.firstText("aiPersona")),
		scenario: backyardMacros(c.firstText("scenario")), system: backyardMacros(c.firstText("basePrompt")),
		example: backyardMacros(c.firstText("customDialogue")), lore: c.get("loreItems")}
	d.greet(backyardMacros(c.firstText("firstMessage")))
	d.rest = c.without("aiDisplayName", "aiName", "aiPersona", "scenario", "basePrompt", "customDialogue", "loreItems", "firstMessage", "Chat")
	return d.document(programBackyard), nil
}

// backyardCardChats reads the chats that some Backyard cards hold.
func backyardCardChats(root *object) (out []ChatFile, err error) {
	c, _ := parseObject(root.get("character"))
	raws, _ := elements(c.get("Chat"), maxChats)
	for _, raw := range raws {
		chat, ok := parseObject(raw)
		if !ok {
			continue
		}
		list, err := single(backyardLog(&chat, chat.firstText("name"), c.firstText("aiDisplayName", "aiName"), c.firstText("firstMessage")))
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// backyardLog reads {ChatItems: [{input, output, createdAt, RegenSwipes: [{text,
// activeTimestamp}]}], authorNote}. The greeting is not among them.
func backyardLog(chat *object, title, character, greeting string) (ChatFile, error) {
	b := newForeignChat(programBackyard)
	b.file.Title, b.file.CharacterName = title, character
	b.rest = chat.without("ChatItems", "name", "authorNote")
	b.note(backyardNames(chat.firstText("authorNote"), "{{user}}", "{{char}}"), 4)
	raws, ok := elements(chat.get("ChatItems"), MaxMessages)
	if !ok {
		return b.file, fault(ErrNotChat, "the document has a chat and a version, as Backyard's chats do, but no ChatItems: choose another file")
	}
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			b.notes.add("item %d is %s and was left out", i+1, kindOf(raw))
			continue
		}
		input, _ := loose(o.get("input"))
		if i == 0 && input != "" && greeting != "" {
			if err := b.say(said{role: storage.Assistant, name: character, text: spoken(greeting, "User", character)}); err != nil {
				return b.file, err
			}
		}
		if err := b.backyardItem(&o, input); err != nil {
			return b.file, err
		}
	}
	return b.done(), nil
}

func (b *foreignChat) backyardItem(o *object, input string) error {
	at := readTime(o.get("createdAt"))
	if input != "" {
		if err := b.say(said{role: storage.User, text: spoken(input, "User", b.file.CharacterName), at: at}); err != nil {
			return err
		}
	}
	s := said{role: storage.Assistant, name: b.file.CharacterName, at: at}
	output, _ := loose(o.get("output"))
	s.text = spoken(output, "User", s.name)
	s.swipes, s.chosen = backyardSwipes(o.get("RegenSwipes"), s.name)
	s.rest = o.without("input", "output", "createdAt", "RegenSwipes")
	if s.text == "" && len(s.swipes) == 0 {
		return nil
	}
	if len(s.swipes) == 0 {
		return b.say(s)
	}
	if s.text != "" { // what the item shows wins
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
	return b.say(s)
}

// backyardSwipes are the answers to one message; the one that was shown last is chosen.
func backyardSwipes(raw json.RawMessage, character string) (out []Swipe, chosen int) {
	raws, _ := elements(raw, maxSwipes)
	var newest time.Time
	for _, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		words, _ := loose(o.get("text"))
		if shown := readTime(o.get("activeTimestamp")); shown.After(newest) {
			newest, chosen = shown, len(out)
		}
		out = append(out, Swipe{Content: spoken(words, "User", character), CreatedAt: readTime(o.get("createdAt"))})
	}
	return out, chosen
}
