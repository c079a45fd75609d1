package ecosystem

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

// What a save file of KoboldAI Lite calls its modes.
const (
	koboldStoryMode = iota + 1
	koboldAdventure
	koboldChat
	koboldInstruct
)

const maxSpeakers = 100 // besides the user

// koboldPicture is a picture that stands in the text.
var koboldPicture = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\[<\|[a-z]\|.*?\|[a-z]\|>\]`) })

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
	t := koboldTeller{user: cmp.Or(saved.firstText("chatname"), "User"), saved: &saved}
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
	for _, s := range t.tell(mode, chunks) {
		if s.role == storage.Assistant && s.name == "" {
			s.name = b.file.CharacterName
		}
		if err := b.say(s); err != nil {
			return b.file, err
		}
	}
	b.koboldBook(root)
	if other, ok := elements(root.get("altbranches"), maxList); ok && len(other) > 0 {
		b.notes.add("other branches of the story (%d) are kept with the chat, but not shown", len(other))
	}
	return b.done(), nil
}

// koboldRest carries the rest of the file, but for what may let others in.
func (b *foreignChat) koboldRest(root, saved *object) {
	b.rest = root.without("prompt", "actions", "actions_metadata", "worldinfo", "worldinfo_v2", "wi", "memory", "authorsnote", "ga", "cm", "cwi", "savedsettings")
	var secret []string
	for _, m := range saved.members {
		if strings.HasSuffix(m.key, "_key") || strings.HasSuffix(m.key, "_token") || strings.Contains(m.key, "password") {
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

// koboldChunks are the pieces of the text, in order.
func koboldChunks(root *object) (out []string) {
	add := func(raw json.RawMessage) {
		if s, _ := loose(raw); s != "" {
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

// koboldTeller tells who said what in the text of a save file.
type koboldTeller struct {
	user   string
	others []string
	saved  *object
}

func (t *koboldTeller) other() string {
	if len(t.others) > 0 {
		return t.others[0]
	}
	return "KoboldGPT"
}

// mode is what the file says, else what the text looks like.
func (t *koboldTeller) mode(chunks []string) (int, string) {
	names := []string{"", "story", "adventure", "chat", "instruct"}
	if mode, ok := whole(t.saved.get("opmode")); ok && mode > 0 && mode < len(names) {
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

func (t *koboldTeller) tell(mode int, chunks []string) []said {
	switch mode {
	case koboldAdventure:
		return t.adventure(strings.Join(chunks, ""))
	case koboldChat:
		return t.chat(strings.Join(chunks, ""))
	case koboldInstruct:
		return t.instruct(strings.Join(chunks, ""))
	}
	var out []said
	for _, s := range chunks {
		out = put(out, storage.Assistant, "", s)
	}
	return out
}

// put adds what is said unless it is blank.
func put(out []said, role storage.Role, name, words string) []said {
	if words = strings.Trim(words, " \t\r\n"); words == "" {
		return out
	}
	return append(out, said{role: role, name: name, text: words})
}

// chat splits at lines that begin with the name of one who speaks.
func (t *koboldTeller) chat(all string) []said {
	var out []said
	role, name := storage.Assistant, ""
	var words strings.Builder
	flush := func() {
		out = put(out, role, name, words.String())
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

func (t *koboldTeller) speaker(line string) (name, rest string, ok bool) {
	for _, who := range append([]string{t.user}, t.others...) {
		if n := len(who); len(line) > n && line[n] == ':' && strings.EqualFold(line[:n], who) {
			return who, line[n+1:], true
		}
	}
	return "", "", false
}

// adventure splits at the actions.
func (t *koboldTeller) adventure(all string) []said {
	var out []said
	var told strings.Builder
	for line := range strings.SplitSeq(all, "\n") {
		if action, ok := strings.CutPrefix(line, "> "); ok {
			out = put(out, storage.Assistant, "", told.String())
			told.Reset()
			out = put(out, storage.User, t.user, action)
			continue
		}
		told.WriteString(line)
		told.WriteByte('\n')
	}
	return put(out, storage.Assistant, "", told.String())
}

// instruct splits at the tags. What stands before the first one is the model's.
func (t *koboldTeller) instruct(all string) []said {
	type turnTag struct {
		tag  string
		role storage.Role
	}
	tags := []turnTag{{"{{[INPUT]}}", storage.User}, {"{{[OUTPUT]}}", storage.Assistant}, {"{{[SYSTEM]}}", storage.System}}
	for i, key := range []string{"instruct_starttag", "instruct_endtag", "instruct_systag"} {
		tag := strings.TrimSpace(strings.ReplaceAll(t.saved.firstText(key), `\n`, "\n"))
		if len(tag) > 1 && tag != tags[i].tag {
			tags = append(tags, turnTag{tag, tags[i].role})
		}
	}
	// The longest first, because one may begin as another does.
	slices.SortStableFunc(tags, func(x, y turnTag) int { return len(y.tag) - len(x.tag) })
	forms := make([]string, len(tags))
	roles := map[string]storage.Role{}
	for i, tag := range tags {
		forms[i], roles[tag.tag] = regexp.QuoteMeta(tag.tag), tag.role
	}
	var out []said
	role, at := storage.Assistant, 0
	add := func(words string) {
		out = put(out, role, t.nameOf(role), words)
	}
	for _, m := range regexp.MustCompile(strings.Join(forms, "|")).FindAllStringIndex(all, -1) {
		add(all[at:m[0]])
		role, at = roles[all[m[0]:m[1]]], m[1]
	}
	add(all[at:])
	return out
}

func (t *koboldTeller) nameOf(role storage.Role) string {
	switch role {
	case storage.User:
		return t.user
	case storage.Assistant:
		return t.other()
	}
	return "System"
}
