package formats

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The modes in a save file of KoboldAI Lite.
const (
	koboldStoryMode = iota + 1
	koboldAdventure
	koboldChat
	koboldInstruct
)

const maxSpeakers = 100 // besides the user

// koboldPicture matches a picture in the text.
var koboldPicture = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\[<\|[a-z]\|.*?\|[a-z]\|>\]`)
})

// koboldStory reads a save file. Facts from the public source of KoboldAI Lite
// (index.html, generate_savefile and kai_json_load): {gamestarted, prompt, memory,
// authorsnote, anotetemplate, actions: [text], worldinfo, savedsettings{opmode 1 story, 2
// adventure, 3 chat, 4 instruct; chatname; chatopponent, several joined by ||$||;
// instruct_starttag, instruct_endtag}}. The text is prompt and actions one after the
// other: in chat lines "Name: words", in adventures actions as "\n\n> words\n", in
// instructions turns between tags or {{[INPUT]}} and {{[OUTPUT]}}. Files of KoboldAI
// United have file_version, actions{actions{N{"Selected Text"}}}, authornote and
// worldinfo_v2; shared stories ga, cm, ca, ct and cwi.
func koboldStory(root *object) (ChatFile, error) {
	b := newForeignChat(programKobold)
	saved, _ := parseObject(root.get("savedsettings"))
	b.scenario(root.firstText("memory", "cm"))
	if note := root.firstText("authorsnote", "authornote", "ca"); note != "" {
		if frame := root.firstText("anotetemplate", "authornotetemplate", "ct"); strings.Contains(frame, "<|>") {
			note = strings.ReplaceAll(frame, "<|>", note)
		}
		b.note(note, 4)
	}
	b.file.Title = root.firstText("title")
	b.koboldRest(root, &saved)
	t := koboldParser{user: cmp.Or(saved.firstText("chatname"), "User"), saved: &saved}
	for _, name := range strings.Split(saved.firstText("chatopponent"), "||$||") {
		if name = strings.TrimSpace(name); name != "" && len(t.others) < maxSpeakers {
			t.others = append(t.others, name)
		}
	}
	chunks := koboldChunks(root)
	var names []string
	for macro, name := range map[string]string{"{{user}}": t.user, "{{char}}": t.other()} {
		if len(name) <= maxInserted {
			names = append(names, macro, name)
		}
	}
	inserted := strings.NewReplacer(names...)
	pictures := 0
	for i, s := range chunks {
		pictures += len(koboldPicture().FindAllStringIndex(s, -1))
		s = koboldPicture().ReplaceAllString(s, "")
		chunks[i] = inserted.Replace(s)
	}
	if pictures > 0 {
		b.notes.add("pictures in the text (%d) were left out", pictures)
	}
	mode, words := t.mode(chunks)
	b.file.Format = programKobold + ", " + words
	b.file.UserName, b.file.CharacterName = t.user, t.other()
	if mode == koboldStoryMode || mode == koboldAdventure {
		b.file.CharacterName = "Narrator"
	}
	for _, s := range t.messages(mode, chunks) {
		if s.role == storage.Assistant && s.name == "" {
			s.name = b.file.CharacterName
		}
		if err := b.addMessage(s); err != nil {
			return b.file, err
		}
	}
	b.koboldBook(root)
	if other, ok := elements(root.get("altbranches"), maxList); ok && len(other) > 0 {
		b.notes.add("other branches of the story (%d) are kept with the chat, but not shown", len(other))
	}
	return b.chatFile(), nil
}

// koboldRest keeps the rest of the file, except credentials.
func (b *foreignChat) koboldRest(root, saved *object) {
	b.rest = root.without("prompt", "actions", "actions_metadata", "worldinfo", "worldinfo_v2", "wi", "memory",
		"authorsnote", "ga", "cm", "cwi", "savedsettings")
	var secret []string
	for _, m := range saved.members {
		if strings.HasSuffix(m.key, "_key") || strings.HasSuffix(m.key, "_token") ||
			strings.Contains(m.key, "password") {
			secret = append(secret, m.key)
		}
	}
	if settings := saved.without(secret...); len(settings.members) > 0 {
		b.rest.set("savedsettings", settings.encode())
	}
}

func (b *foreignChat) koboldBook(root *object) {
	var book object
	if newer, ok := parseObject(root.get("worldinfo_v2")); ok && newer.has("entries") {
		book.set("entries", newer.get("entries"))
		b.book(&book)
		return
	}
	for _, key := range []string{"worldinfo", "wi", "cwi"} {
		if list, ok := elements(root.get(key), MaxBookEntries); ok && len(list) > 0 {
			book.set("worldinfo", root.get(key))
			for _, place := range []string{"wisearchdepth", "wiinsertlocation", "savedsettings"} {
				if raw := root.get(place); raw != nil {
					book.set(place, raw)
				}
			}
			b.book(&book)
			return
		}
	}
}

// koboldChunks returns the pieces of the text, in order.
func koboldChunks(root *object) (out []string) {
	add := func(raw json.RawMessage) {
		if s, _ := looseString(raw); s != "" {
			out = append(out, s)
		}
	}
	add(root.get("prompt"))
	key := "actions"
	if !root.has(key) {
		key = "ga"
	}
	if list, ok := elements(root.get(key), MaxMessages); ok {
		for _, raw := range list {
			add(raw)
		}
		return out
	}
	// The newer file numbers its actions.
	outer, _ := parseObject(root.get(key))
	inner, _ := parseObject(outer.get("actions"))
	members := slices.Clone(inner.members)
	slices.SortStableFunc(members, func(x, y member) int {
		m, _ := strconv.Atoi(x.key)
		n, _ := strconv.Atoi(y.key)
		return cmp.Compare(m, n)
	})
	for _, m := range members {
		action, _ := parseObject(m.raw)
		add(action.get("Selected Text"))
	}
	return out
}

// koboldParser splits the text of a save file into messages.
type koboldParser struct {
	user   string
	others []string
	saved  *object
}

func (t *koboldParser) other() string {
	if len(t.others) > 0 {
		return t.others[0]
	}
	return "KoboldGPT"
}

// mode returns the mode in the file, else the one that the text suggests.
func (t *koboldParser) mode(chunks []string) (int, string) {
	names := []string{"", "story", "adventure", "chat", "instruct"}
	if mode, ok := wholeNumber(t.saved.get("opmode")); ok && mode > 0 && mode < len(names) {
		return mode, names[mode]
	}
	for _, s := range chunks {
		switch {
		case strings.Contains(s, "{{[INPUT]}}"), strings.Contains(s, "{{[OUTPUT]}}"):
			return koboldInstruct, names[koboldInstruct]
		case strings.Contains(s, "\n\n> "):
			return koboldAdventure, names[koboldAdventure]
		}
	}
	return koboldStoryMode, names[koboldStoryMode]
}

func (t *koboldParser) messages(mode int, chunks []string) []foreignMessage {
	switch mode {
	case koboldAdventure:
		return t.adventure(strings.Join(chunks, ""))
	case koboldChat:
		return t.chat(strings.Join(chunks, ""))
	case koboldInstruct:
		return t.instruct(strings.Join(chunks, ""))
	}
	var out []foreignMessage
	for _, s := range chunks {
		out = appendMessage(out, storage.Assistant, "", s)
	}
	return out
}

// appendMessage appends a message unless it is blank.
func appendMessage(out []foreignMessage, role storage.Role, name, words string) []foreignMessage {
	if words = strings.Trim(words, " \t\r\n"); words == "" {
		return out
	}
	return append(out, foreignMessage{role: role, name: name, text: words})
}

// chat splits at lines that begin with the name of a speaker.
func (t *koboldParser) chat(all string) []foreignMessage {
	var out []foreignMessage
	role, name := storage.Assistant, ""
	var words strings.Builder
	flush := func() {
		out = appendMessage(out, role, name, words.String())
		words.Reset()
	}
	for line := range strings.SplitSeq(all, "\n") {
		if who, rest, ok := t.speaker(line); ok {
			flush()
			role, name, line = storage.Assistant, who, rest
			if strings.EqualFold(who, t.user) {
				role = storage.User
			}
		} else if words.Len() > 0 {
			words.WriteByte('\n')
		}
		words.WriteString(line)
	}
	flush()
	return out
}

func (t *koboldParser) speaker(line string) (name, rest string, ok bool) {
	for _, who := range append([]string{t.user}, t.others...) {
		if n := len(who); len(line) > n && line[n] == ':' && strings.EqualFold(line[:n], who) {
			return who, line[n+1:], true
		}
	}
	return "", "", false
}

// adventure splits at the actions.
func (t *koboldParser) adventure(all string) []foreignMessage {
	var out []foreignMessage
	var told strings.Builder
	for line := range strings.SplitSeq(all, "\n") {
		if action, ok := strings.CutPrefix(line, "> "); ok {
			out = appendMessage(out, storage.Assistant, "", told.String())
			told.Reset()
			out = appendMessage(out, storage.User, t.user, action)
			continue
		}
		told.WriteString(line)
		told.WriteByte('\n')
	}
	return appendMessage(out, storage.Assistant, "", told.String())
}

// instruct splits at the tags. The text before the first one is the model's.
func (t *koboldParser) instruct(all string) []foreignMessage {
	type turnTag struct {
		tag  string
		role storage.Role
	}
	tags := []turnTag{{"{{[INPUT]}}", storage.User}, {"{{[OUTPUT]}}", storage.Assistant},
		{"{{[SYSTEM]}}", storage.System}}
	for i, key := range []string{"instruct_starttag", "instruct_endtag", "instruct_systag"} {
		tag := strings.TrimSpace(strings.ReplaceAll(t.saved.firstText(key), `\n`, "\n"))
		if len(tag) > 1 && tag != tags[i].tag {
			tags = append(tags, turnTag{tag, tags[i].role})
		}
	}
	// The longest tag first, because one may be a prefix of another.
	slices.SortStableFunc(tags, func(x, y turnTag) int { return len(y.tag) - len(x.tag) })
	forms := make([]string, len(tags))
	roles := map[string]storage.Role{}
	for i, tag := range tags {
		forms[i], roles[tag.tag] = regexp.QuoteMeta(tag.tag), tag.role
	}
	var out []foreignMessage
	role, at := storage.Assistant, 0
	add := func(words string) {
		out = appendMessage(out, role, t.nameOf(role), words)
	}
	for _, m := range regexp.MustCompile(strings.Join(forms, "|")).FindAllStringIndex(all, -1) {
		add(all[at:m[0]])
		role, at = roles[all[m[0]:m[1]]], m[1]
	}
	add(all[at:])
	return out
}

func (t *koboldParser) nameOf(role storage.Role) string {
	switch role {
	case storage.User:
		return t.user
	case storage.Assistant:
		return t.other()
	}
	return "System"
}
