package ecosystem

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// Kind is what a file seems to hold.
type Kind string

const (
	KindCard     Kind = "card"
	KindChat     Kind = "chat"
	KindLorebook Kind = "lorebook"
	KindUnknown  Kind = "unknown"
)

const detectHead = 64 << 10

// Detect guesses from a file's name and its first bytes (some 64 KB are plenty,
// any number will do) what it holds. It is a guess for dialogs; reading the file
// decides. A PNG counts as a card, because card data may stand at its very end.
func Detect(name string, head []byte) Kind {
	ext := strings.ToLower(filepath.Ext(name))
	switch sniff(head) {
	case "PNG":
		if bytes.Contains(head, []byte("tEXtnaidata\x00")) {
			return KindLorebook
		}
		return KindCard
	case "ZIP":
		if ext == ".charx" || bytes.Contains(head, []byte(charxDocument)) {
			return KindCard
		}
		return KindUnknown
	case "":
		t := headTraits(head)
		kind := t.kind()
		if kind == KindUnknown && ext == ".jsonl" && len(t.keys) > 0 {
			return KindChat
		}
		return kind
	}
	return KindUnknown
}

// DetectChat tells whether a file that begins with head is a chat.
func DetectChat(head []byte) bool { return Detect("", head) == KindChat }

// traits are what of a document's top level tells its kind.
type traits struct {
	keys  map[string]bool
	marks map[string]string // spec, type and kind, where they are text
}

func newTraits() traits {
	return traits{keys: map[string]bool{}, marks: map[string]string{}}
}

func (t traits) note(key string, value any) {
	t.keys[key] = true
	if s, ok := value.(string); ok && (key == "spec" || key == "type" || key == "kind") {
		t.marks[key] = s
	}
}

func (t traits) any(keys ...string) bool {
	for _, key := range keys {
		if t.keys[key] {
			return true
		}
	}
	return false
}

func (t traits) kind() Kind {
	k := t.keys
	switch {
	case strings.HasPrefix(t.marks["spec"], "chara_card"):
		return KindCard
	case strings.HasPrefix(t.marks["spec"], "lorebook"), t.marks["type"] == "risu", t.marks["kind"] == "memory", k["lorebookVersion"],
		k["worldinfo"] && t.any("gamestarted", "savedsettings", "memory", "prompt"), k["wi"] && len(k) == 1:
		return KindLorebook
	case k["chat_metadata"], k["user_name"] && k["character_name"], k["mes"] && t.any("is_user", "name"):
		return KindChat
	case k["char_name"]:
		return KindCard
	case k["entries"] && !t.any("first_mes", "mes_example", "personality", "scenario"):
		return KindLorebook
	case k["name"] && t.any("description", "first_mes", "mes_example", "personality", "scenario"), k["data"]:
		return KindCard
	}
	return KindUnknown
}

func (o *object) traits() traits {
	t := newTraits()
	for _, m := range o.members {
		s, _ := text(m.raw)
		t.note(m.key, s)
	}
	if data, ok := parseObject(o.get("data")); !ok || !data.has("name") {
		delete(t.keys, "data")
	}
	return t
}

// headTraits reads as many top-level fields as a beginning of JSON shows.
func headTraits(head []byte) traits {
	t := newTraits()
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte(bom))))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return t
	}
	for len(t.keys) < maxMembers {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return t
		}
		t.keys[name] = true // also when its value is cut off
		value, err := dec.Token()
		if err != nil {
			return t
		}
		t.note(name, value)
		if _, nested := value.(json.Delim); nested && !skipNested(dec) {
			return t
		}
	}
	return t
}

func skipNested(dec *json.Decoder) bool {
	for depth := 1; depth > 0; {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return true
}
