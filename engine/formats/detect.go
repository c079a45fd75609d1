package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the likely content of a file.
type Kind string

const (
	KindCard         Kind = "card"
	KindChat         Kind = "chat"
	KindLorebook     Kind = "lorebook"
	KindGroup        Kind = "group"         // the members of group chats and their chats
	KindRegex        Kind = "regex scripts" // one script, or a list of them
	KindPreset       Kind = "preset"        // samplers, prompts of a chat, instruct, context, system prompt
	KindQuickReplies Kind = "quick replies" // a set of them
	KindPersonas     Kind = "personas"      // a backup of all personas
	KindSettings     Kind = "settings"      // settings.json of a program
	KindArchive      Kind = "backup"        // a zip of a data folder
	KindStory        Kind = "story"         // of NovelAI: its lorebook can be imported
	KindUnknown      Kind = "unknown"
)

// kindAdvice says, for each kind, what the file is and what to do with it.
var kindAdvice = map[Kind]string{
	KindCard:         "this is a character card: import it as a character",
	KindChat:         "this is a chat: import it as a chat, with its character's card first",
	KindLorebook:     "this is a lorebook: it belongs to a character or a chat, but is none itself",
	KindGroup:        "this is a SillyTavern group file: import it with the chats of that group",
	KindRegex:        "this is a set of regex scripts: import it as regex scripts",
	KindPreset:       "this is a preset of samplers or prompts: import it as a preset",
	KindQuickReplies: "this is a set of quick replies: import it as a preset",
	KindPersonas:     "this is a backup of personas: import it as personas",
	KindSettings:     "this is the settings file of a program: import its folder with move-in",
	KindArchive:      "this is the backup of a whole program: import it with move-in",
	KindStory:        "this is a NovelAI story: its lorebook can be imported as a lorebook, its text cannot",
}

// wrongKind returns the error for a file of another kind, with advice on what to do: that for its
// kind, else instead.
func wrongKind(reason error, name string, data []byte, instead string) error {
	form := sniff(data)
	words := kindAdvice[Detect(name, data[:min(len(data), detectHead)])]
	switch form {
	case "PNG", "JPEG", "WebP", "GIF":
		_, exif, _ := cardFromPicture(form, data)
		chunks, _, _ := pngChunks(data)
		if !exif && !slices.ContainsFunc(chunks, func(c chunk) bool {
			return c.holdsCard() || c.keyword() == "naidata"
		}) {
			words = fmt.Sprintf("this is a %s picture without a card (sites and picture programs strip it): %s",
				form, instead)
		}
	case "ZIP":
		form = "a ZIP archive"
	case "YAML":
		form = "YAML"
	}
	if words == "" {
		words = fmt.Sprintf("this is %s: %s", form, instead)
	}
	return wrapf(reason, "%s", words)
}

// orChatFile returns err, or for a file of several JSON lines, that it is a chat.
func orChatFile(reason error, name string, data []byte, err error) error {
	if errors.Is(err, ErrDamaged) && Detect(name, data[:min(len(data), detectHead)]) == KindChat {
		return wrapf(reason, "%s", strings.Replace(kindAdvice[KindChat], "a chat", "a chat in JSONL", 1))
	}
	return err
}

const detectHead = 64 << 10

// Detect guesses from a file's name and its first bytes (64 KB are enough, any number works) what
// it contains. It is meant for dialogs; reading the file decides. A PNG counts as a card, because
// card data may be at its end.
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
		if ext == ".byaf" || bytes.Contains(head, []byte(byafManifest)) && bytes.Contains(head, []byte("scenarios/")) {
			return KindCard
		}
		if bytes.Contains(head, []byte("settings.json")) ||
			bytes.Contains(head, []byte("characters/")) && bytes.Contains(head, []byte("chats/")) {
			return KindArchive
		}
		return KindUnknown
	case "JPEG", "WebP":
		if mayHoldCard(head) {
			return KindCard
		}
		return KindUnknown
	case "YAML":
		return KindCard
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

// DetectChat reports whether a file that begins with head is a chat.
func DetectChat(head []byte) bool { return Detect("", head) == KindChat }

// traits are the top-level members of a document that identify its kind. Those of a list are those
// of its first object.
type traits struct {
	list   bool
	keys   map[string]bool
	lists  map[string]bool   // members that are lists
	filled map[string]bool   // members that are non-empty texts, lists or objects
	marks  map[string]string // spec, type and kind, if they are texts
}

func newTraits() traits {
	return traits{keys: map[string]bool{}, lists: map[string]bool{}, filled: map[string]bool{},
		marks: map[string]string{}}
}

// add adds a top-level member. raw is nil if the value is cut off.
func (t traits) add(key string, kind jsontext.Kind, raw json.RawMessage) {
	t.keys[key] = true
	s, _ := text(raw)
	if s != "" && (key == "spec" || key == "type" || key == "kind") {
		t.marks[key] = s
	}
	nested := kind == '[' || kind == '{'
	t.filled[key] = s != "" || nested && (raw == nil || len(bytes.TrimSpace(raw[1:len(raw)-1])) > 0)
	t.lists[key] = kind == '['
}

func (t traits) hasAny(keys ...string) bool {
	for _, key := range keys {
		if t.keys[key] {
			return true
		}
	}
	return false
}

// The programs whose chats and characters have a recognisable structure, as reports name them.
const (
	programRisu     = "RisuAI"
	programAgnai    = "Agnai"
	programTextGen  = "text-generation-webui"
	programCAI      = "Character.AI"
	programKobold   = "KoboldAI Lite"
	programBackyard = "Backyard"
	programNovelAI  = "NovelAI"
)

// programRules identify the program of a file that is in none of the common formats, by its
// top-level members.
var programRules = []struct {
	kind    Kind
	program string
	is      func(t traits) bool
}{
	{KindChat, programRisu, func(t traits) bool {
		return t.marks["type"] == risuChat || t.marks["type"] == risuAllChats
	}},
	{KindChat, programAgnai, func(t traits) bool {
		return t.keys["messages"] && (t.hasAny("sampleChat", "treeLeafId") || t.keys["greeting"] && t.keys["scenario"])
	}},
	{KindChat, programTextGen, func(t traits) bool {
		return t.keys["data_visible"] || t.lists["internal"] && (t.keys["visible"] || len(t.keys) == 1) ||
			t.keys["history"] && t.hasAny("name1", "name2") ||
			t.lists["data"] && (len(t.keys) == 0 || len(t.keys) == 1 && t.keys["data"])
	}},
	{KindChat, programCAI, func(t traits) bool {
		return t.hasAny("histories", "msgs") && !t.keys["members"] || t.lists["turns"] ||
			t.keys["messages"] && t.hasAny("has_more", "next_page") ||
			t.lists["chats"] && !t.hasAny("members", "chat_id", "spec") ||
			t.list && (t.keys["isHuman"] && t.keys["message"] || t.keys["src__is_human"] ||
				t.keys["candidates"] && t.keys["author"])
	}},
	{KindChat, programKobold, func(t traits) bool {
		return t.hasAny("actions", "gamestarted", "savedsettings") && (t.filled["prompt"] || t.filled["actions"]) &&
			!t.hasAny("power_user", "scenarioVersion") || t.lists["ga"] && t.hasAny("cm", "ca", "cwi")
	}},
	{KindChat, programBackyard, func(t traits) bool { return t.keys["chat"] && t.keys["version"] }},
	{KindCard, programAgnai, func(t traits) bool {
		return t.marks["kind"] == "character" || t.keys["persona"] && t.hasAny("greeting", "sampleChat")
	}},
	{KindCard, programBackyard, func(t traits) bool {
		return t.keys["character"] && t.keys["version"] || t.keys["aiName"] && t.keys["aiPersona"]
	}},
	{KindCard, programTextGen, func(t traits) bool {
		return t.hasAny("name", "bot") && t.keys["context"] && !t.hasAny("description", "entries", "messages",
			"turn_template")
	}},
	{KindStory, programNovelAI, func(t traits) bool { return t.hasAny("storyContainerVersion", "scenarioVersion") }},
}

// program returns the program of a file of a kind, "" for the common formats.
func (t traits) program(kind Kind) string {
	for _, r := range programRules {
		if r.kind == kind && r.is(t) {
			return r.program
		}
	}
	return ""
}

func (t traits) count(keys ...string) (n int) {
	for _, key := range keys {
		if t.keys[key] {
			n++
		}
	}
	return n
}

// kindRules identify kinds by top-level members. The first rule that matches decides; those with
// an explicit kind come before those by structure.
var kindRules = []struct {
	kind Kind
	is   func(t traits) bool
}{
	{KindCard, func(t traits) bool { return strings.HasPrefix(t.marks["spec"], "chara_card") }},
	{KindStory, func(t traits) bool { return t.program(KindStory) != "" }},
	{KindChat, func(t traits) bool { return t.program(KindChat) != "" }},
	{KindLorebook, func(t traits) bool {
		return strings.HasPrefix(t.marks["spec"], "lorebook") || t.marks["type"] == "risu" ||
			t.marks["kind"] == "memory" ||
			t.keys["lorebookVersion"] || t.keys["wi"] && len(t.keys) == 1 ||
			t.keys["worldinfo"] && t.hasAny("gamestarted", "savedsettings", "memory", "prompt")
	}},
	{KindChat, func(t traits) bool {
		return !t.keys["members"] && (t.keys["chat_metadata"] || t.keys["user_name"] && t.keys["character_name"] ||
			t.keys["mes"] && t.hasAny("is_user", "name"))
	}},
	{KindGroup, func(t traits) bool {
		return t.keys["members"] && t.hasAny("chat_id", "chats", "activation_strategy", "disabled_members")
	}},
	{KindRegex, func(t traits) bool {
		return t.keys["findRegex"] && t.hasAny("scriptName", "replaceString", "placement")
	}},
	{KindQuickReplies, func(t traits) bool { return t.hasAny("qrList", "quickReplySlots") }},
	{KindPersonas, func(t traits) bool {
		return t.keys["personas"] && t.hasAny("persona_descriptions",
			"default_persona")
	}},
	{KindSettings, func(t traits) bool { return t.hasAny("power_user", "extension_settings", "world_info_settings") }},
	{KindCard, func(t traits) bool { return t.keys["char_name"] || t.program(KindCard) != "" }},
	{KindPreset, func(t traits) bool {
		return t.hasAny("input_sequence", "story_string", "prompt_order", "openai_max_context") ||
			t.keys["content"] && t.keys["name"] && len(t.keys) <= 4 ||
			t.hasAny("temp", "temperature") && t.hasAny("top_p", "top_k", "rep_pen", "frequency_penalty", "min_p") ||
			t.keys["prefix"] && t.keys["suffix"] && t.keys["separator"] || t.count(masterParts...) > 1
	}},
	{KindLorebook, func(t traits) bool {
		return t.keys["entries"] && !t.hasAny("first_mes", "mes_example", "personality", "scenario")
	}},
	{KindCard, func(t traits) bool {
		return t.keys["name"] && t.hasAny("description", "first_mes", "mes_example", "personality",
			"scenario") || t.keys["data"]
	}},
}

func (t traits) kind() Kind {
	for _, r := range kindRules {
		if r.is(t) && (!t.list || r.kind == KindChat || r.kind == KindRegex) {
			return r.kind
		}
	}
	return KindUnknown
}

// description returns what a file is, with the program that it comes from.
func (t traits) description() string {
	kind := t.kind()
	words := kindAdvice[kind]
	if program := t.program(kind); program != "" && kind == KindChat {
		words = strings.Replace(words, "a chat", "a chat of "+program, 1)
	}
	return words
}

func (o *object) traits() traits {
	t := newTraits()
	for _, m := range o.members {
		t.add(m.key, jsontext.Kind(m.raw[0]), m.raw)
	}
	if data, ok := parseObject(o.get("data")); !ok || !data.has("name") {
		delete(t.keys, "data")
	}
	return t
}

// headTraits reads as many top-level members as the beginning of a JSON file shows.
func headTraits(head []byte) traits {
	t := newTraits()
	dec := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(head, []byte(bom))), lenient)
	for range 2 { // a list, or a list of lists
		if dec.PeekKind() == '[' {
			_, _ = dec.ReadToken()
			t.list = true
		}
	}
	if dec.PeekKind() != '{' {
		return t
	}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == '"' && len(t.keys) < maxMembers {
		var name jsontext.Token
		if name, err = dec.ReadToken(); err != nil {
			return t
		}
		key, kind := name.String(), dec.PeekKind()
		var value jsontext.Value
		value, err = dec.ReadValue()
		t.add(key, kind, json.RawMessage(value))
	}
	return t
}
