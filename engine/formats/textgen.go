package formats

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// textGenLog reads a chat of text-generation-webui. Facts from its public source (modules/chat.py):
// the log is {internal, visible, metadata}. internal and visible are lists of pairs [user, reply];
// visible is the displayed text, with HTML escapes. The first versions call them data and
// data_visible, and sessions put them under history beside name1 (the user) and name2. In the first
// pair the user text <|BEGIN-VISIBLE-CHAT|> means none, because the greeting comes first. metadata
// has user_N and assistant_N with timestamp, model_name, versions: [{content, visible_content,
// timestamp}] and current_version_index.
func textGenLog(root *object) (ChatFile, error) {
	b := newForeignChat(programTextGen)
	home := *root
	if history, ok := parseObject(root.get("history")); ok {
		home = history
	}
	shown, plain := home.get("visible"), home.get("internal")
	if !home.has("visible") && !home.has("internal") {
		shown, plain = home.get("data_visible"), home.get("data")
	}
	if plain == nil {
		plain = shown
	}
	b.rest = root.without("history", "visible", "internal", "data", "data_visible")
	b.file.UserName, b.file.CharacterName = root.firstText("name1", "your_name"), root.firstText("name2", "character")
	b.scenario(root.firstText("context"))
	pairs, ok := elements(plain, MaxMessages)
	if !ok {
		return b.file, wrapf(ErrDamaged, "the chat of text-generation-webui has no list of pairs: export it again")
	}
	shows, _ := elements(shown, MaxMessages)
	metadata, _ := parseObject(home.get("metadata"))
	for i, raw := range pairs {
		pair, ok := elements(raw, 2)
		if !ok {
			b.notes.add("pair %d is not a pair of texts and was left out", i+1)
			continue
		}
		var show []json.RawMessage
		if i < len(shows) {
			show, _ = elements(shows[i], 2)
		}
		if err := b.pair(i, pair, show, &metadata); err != nil {
			return b.file, err
		}
	}
	return b.chatFile(), nil
}

// pair adds both messages of a pair. Empty ones are skipped.
func (b *foreignChat) pair(at int, pair, show []json.RawMessage, metadata *object) error {
	for i, who := range []string{"user", "assistant"} {
		if i >= len(pair) {
			continue
		}
		s := foreignMessage{role: storage.User, name: b.file.UserName}
		if i == 1 {
			s.role, s.name = storage.Assistant, b.file.CharacterName
		}
		s.text, _ = looseString(pair[i])
		if s.text == "" || s.text == "<|BEGIN-VISIBLE-CHAT|>" {
			continue
		}
		if i < len(show) {
			if seen, _ := text(show[i]); seen != "" && seen != s.text {
				s.rest.set("visible", show[i])
			}
		}
		info, ok := parseObject(metadata.get(who + "_" + strconv.Itoa(at)))
		if ok {
			s.at, s.model = readTime(info.get("timestamp")), info.firstText("model_name")
			s.swipes, s.chosen = textGenVersions(&info, s.text)
			if rest := info.without("timestamp", "versions", "model_name",
				"current_version_index"); len(rest.members) > 0 {
				s.rest.set("metadata", rest.encode())
			}
		}
		if err := b.addMessage(s); err != nil {
			return err
		}
	}
	return nil
}

func textGenVersions(info *object, now string) (swipes []Swipe, chosen int) {
	versions, _ := elements(info.get("versions"), maxSwipes)
	for _, raw := range versions {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		words, _ := looseString(o.get("content"))
		swipes = append(swipes, Swipe{Content: words, CreatedAt: readTime(o.get("timestamp")),
			Model: o.firstText("model_name")})
	}
	if len(swipes) == 0 {
		return nil, 0
	}
	chosen, ok := wholeNumber(info.get("current_version_index"))
	if !ok || chosen < 0 || chosen >= len(swipes) {
		chosen = len(swipes) - 1
	}
	swipes[chosen].Content = now // it was edited later and wins
	return swipes, chosen
}

// textGenCard reads a character of text-generation-webui. Facts from its public source
// (modules/chat.py, characters/): {name, context, greeting}, with example dialogue in the
// context behind lines of <START>; older ones say bot, user and turn_template.
func textGenCard(root *object) object {
	d := cardDraft{name: strings.TrimSuffix(root.firstText("name", "bot"), ":"),
		scenario:    root.firstText("scenario", "world_scenario"),
		personality: root.firstText("personality")}
	d.description, d.example = splitExample(root.firstText("context"))
	if own := root.firstText("example_dialogue", "example"); own != "" {
		d.example = strings.TrimSpace(d.example + "\n" + own)
	}
	d.addGreeting(root.firstText("greeting"))
	list, _ := readTexts(root.get("alternate_greetings"))
	for _, s := range list {
		d.addGreeting(s)
	}
	d.tags, _ = readTexts(root.get("tags"))
	d.rest = root.without("name", "context", "greeting", "scenario", "world_scenario", "personality",
		"example_dialogue", "example", "alternate_greetings", "tags")
	return d.document(programTextGen)
}

// splitExample splits example dialogue off a context.
func splitExample(context string) (about, example string) {
	at := 0
	for line := range strings.SplitAfterSeq(context, "\n") {
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(line)), "<START>") {
			return strings.TrimSpace(context[:at]), strings.TrimSpace(context[at:])
		}
		at += len(line)
	}
	return strings.TrimSpace(context), ""
}
