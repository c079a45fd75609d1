package formats

import (
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// caiChats reads dumps of Character.AI. It has no export of its own; the shapes are those
// of its answers as extensions save them. Facts from the public sources of CAI Tools
// (scripts/content.js), characterai-dumper and SillyTavern's importer:
//
//   - {info{character{name}}, histories{histories: [{external_id, created, msgs: [{text,
//     created, is_alternative, src{name, is_human}}]}]}}, or {histories: [...]}, or one
//     history alone: the first site;
//   - {messages: [{src__name, src__is_human, text, is_alternative}], has_more, next_page}:
//     its pages of one chat;
//   - {turns: [{author{name, is_human}, create_time, candidates: [{candidate_id,
//     raw_content, create_time}], primary_candidate_id}], meta}: the newer site, newest
//     first;
//   - {chats: [...]} of any of these, beside {character};
//   - [{name, message, isHuman}], and a list of such lists: CAI Tools.
func caiChats(root *object) ([]ChatFile, error) {
	list, err := findCAIChats(root, 0)
	if err != nil {
		return nil, err
	}
	info, _ := parseObject(root.get("info"))
	who, ok := parseObject(info.get("character"))
	if !ok {
		who, _ = parseObject(root.get("character"))
	}
	name := who.firstText("name", "participant__name")
	if name == "" {
		name = root.firstText("character_name", "character")
	}
	for i := range list {
		if f := &list[i]; name != "" && len(name) <= maxName && f.CharacterName == "" {
			f.CharacterName = name
		}
	}
	return list, nil
}

func findCAIChats(root *object, depth int) ([]ChatFile, error) {
	if depth > 3 {
		return nil, nil
	}
	for _, key := range []string{"histories", "chats"} {
		raw := root.get(key)
		if inner, ok := parseObject(raw); ok {
			return findCAIChats(&inner, depth+1)
		}
		raws, ok := elements(raw, maxChats)
		if !ok {
			continue
		}
		var out []ChatFile
		for _, raw := range raws {
			var list []ChatFile
			var err error
			if inner, ok := parseObject(raw); ok {
				list, err = findCAIChats(&inner, depth+1)
			} else if len(raw) > 0 && raw[0] == '[' {
				list, err = singleChat(caiMessages(raw))
			}
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return out, nil
	}
	for _, key := range []string{"msgs", "turns", "messages", "history"} {
		if raw := root.get(key); len(raw) > 0 && raw[0] == '[' {
			f, err := caiMessages(raw)
			if err == nil && f.Title == "" {
				f.Title = root.firstText("title", "name")
			}
			return singleChat(f, err)
		}
	}
	return nil, nil
}

// caiMessages reads a list of messages of any of the shapes.
func caiMessages(raw json.RawMessage) (ChatFile, error) {
	b := newForeignChat(programCAI)
	raws, ok := elements(raw, MaxMessages)
	if !ok {
		return b.file, wrapf(ErrTooLarge, "the chat has more than %d messages: split it", MaxMessages)
	}
	var all []foreignMessage
	known := 0
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			b.notes.add("message %d is %s and was left out", i+1, kindOf(raw))
			continue
		}
		s, ok := caiMessage(&o)
		if !ok {
			b.notes.add("message %d has no text and was left out", i+1)
			continue
		}
		known++
		if jsTruth(o.get("is_alternative")) && len(all) > 0 && all[len(all)-1].role == s.role {
			last := &all[len(all)-1]
			if len(last.swipes) == 0 {
				last.swipes = []Swipe{{Content: last.text, CreatedAt: last.at}}
			}
			last.swipes = append(last.swipes, Swipe{Content: s.text, CreatedAt: s.at})
			continue
		}
		all = append(all, s)
	}
	if len(raws) > 0 && known == 0 {
		return b.file, wrapf(ErrNotChat, "the list holds no messages of a chat: choose another file")
	}
	if newestFirst(raws, all) {
		slices.Reverse(all)
	}
	for _, s := range all {
		if err := b.addMessage(s); err != nil {
			return b.file, err
		}
	}
	return b.chatFile(), nil
}

// newestFirst reports whether a list of turns begins with the last one. Without usable times this
// is true for turns of the newer site.
func newestFirst(raws []json.RawMessage, all []foreignMessage) bool {
	if len(all) < 2 {
		return false
	}
	first, last := all[0].at, all[len(all)-1].at
	if !first.IsZero() && !last.IsZero() && !first.Equal(last) {
		return first.After(last)
	}
	o, _ := parseObject(raws[0])
	return o.has("candidates") && o.has("turn_key")
}

func caiMessage(o *object) (foreignMessage, bool) {
	src, ok := parseObject(o.get("src"))
	if !ok {
		src, _ = parseObject(o.get("author"))
	}
	s := foreignMessage{role: storage.Assistant, name: src.firstText("name"), at: readTime(o.get("create_time"))}
	if s.name == "" {
		s.name = o.firstText("src__name", "name", "display_name")
	}
	if s.at.IsZero() {
		s.at = readTime(o.get("created"))
	}
	for _, human := range []json.RawMessage{src.get("is_human"), o.get("src__is_human"), o.get("isHuman")} {
		if jsTruth(human) && len(human) > 0 {
			s.role = storage.User
		}
	}
	if candidates, ok := elements(o.get("candidates"), maxSwipes); ok && len(candidates) > 0 {
		caiCandidates(&s, candidates, o.firstText("primary_candidate_id"))
		s.rest = o.without("candidates", "create_time")
		return s, true
	}
	s.text = o.firstText("text", "message", "raw_content")
	s.rest = o.without("text", "message", "name", "created", "src__name")
	return s, s.text != ""
}

// caiCandidates sets the swipes of a turn. The primary candidate is chosen.
func caiCandidates(s *foreignMessage, raws []json.RawMessage, primary string) {
	for _, raw := range raws {
		o, ok := parseObject(raw)
		if !ok {
			continue
		}
		if id := o.firstText("candidate_id"); id != "" && id == primary {
			s.chosen = len(s.swipes)
		}
		words, _ := looseString(o.get("raw_content"))
		s.swipes = append(s.swipes, Swipe{Content: words, CreatedAt: readTime(o.get("create_time"))})
	}
	if len(s.swipes) > 0 {
		s.text = s.swipes[s.chosen].Content
	}
	if len(s.swipes) == 1 {
		s.swipes, s.chosen = nil, 0
	}
}
