package formats

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of a chat's metadata.
const (
	maxMetaText  = 1 << 20 // bytes of a note or an override
	maxVariables = 1_000
	maxVariable  = 64 << 10 // bytes of a value
	maxTimed     = 10_000
)

// The defaults of an author's note without settings.
const (
	noteDepth = 4
	noteEvery = 1
)

// Metadata is the supported part of a chat's metadata: the author's note with its position, the
// overrides of the card's scenario, examples and system prompt, the persona's avatar file, the
// lorebook of the chat, the variables of macros, and the timed effects of lorebooks. Unused are
// the names of members that are kept without effect.
//
// The names follow SillyTavern's public/scripts/authors-note.js, personas.js, world-info.js,
// variables.js and script.js, in the versions 1.12 to 1.14.
type Metadata struct {
	Persona   string // a file name
	Note      string
	NotePlan  storage.NotePlan
	Overrides storage.CardOverrides
	World     string
	Variables map[string]string
	Timed     []TimedEffect
	Parent    string // the chat that it is a branch of
	Unused    []string
}

// TimedEffect is a timed effect of a lorebook entry, with file names: see storage.LoreEffect.
type TimedEffect struct {
	Kind       storage.LoreEffectKind
	Book       string
	UID        int
	Start, End int
	Protected  bool
}

// TitleKey is the member of a chat's metadata with a title that cannot be a file name.
const TitleKey = "ghostlight_title"

// ChatKey is the member of a chat's metadata with the chat's ID in Ghostlight, ForkKey that with
// the message at which a branch leaves the shown path.
const (
	ChatKey = "ghostlight_chat"
	ForkKey = "ghostlight_fork"
)

// knownMetadata are the members that are read, or that only matter to the program itself.
var knownMetadata = []string{"persona", "note_prompt", "note_depth", "note_interval", "note_position",
	"note_role", "scenario",
	"mes_example", "system_prompt", "world_info", "variables", "timedWorldInfo", "main_chat", "integrity", "tainted",
	"chat_id_hash",
	"lastInContextMessageId", ForkKey, ChatKey, TitleKey}

// ReadMetadata reads the chat_metadata of a header. Malformed values are dropped with a warning.
func ReadMetadata(raw json.RawMessage) (m Metadata, warnings []string) {
	o, ok := parseObject(raw)
	if !ok {
		return m, nil
	}
	var n warningList
	long := func(key string) string {
		s, odd := looseString(o.get(key))
		switch {
		case odd != "" && odd != "null" && odd != "number":
			n.add("the field %s of the chat's metadata is a %s; it is kept, but not used", key, odd)
			return ""
		case len(s) > maxMetaText:
			n.add("the field %s of the chat's metadata has %s; the limit is %s; it is kept, but not used", key,
				formatSize(len(s)), formatSize(maxMetaText))
			return ""
		}
		return s
	}
	m.Persona = fileName(long("persona"))
	m.Note = long("note_prompt")
	if strings.TrimSpace(m.Note) != "" {
		m.NotePlan = notePlan(&o)
	}
	m.Overrides = storage.CardOverrides{Scenario: long("scenario"), Examples: long("mes_example"),
		System: long("system_prompt")}
	m.World = strings.TrimSpace(long("world_info"))
	m.Parent = long("main_chat")
	m.Variables = variables(&n, o.get("variables"))
	m.Timed = timedEffects(&n, o.get("timedWorldInfo"))
	for _, x := range o.members {
		if empty := len(x.raw) <= 2 || string(x.raw) == "null" ||
			string(x.raw) == "false"; !empty && !slices.Contains(knownMetadata, x.key) {
			m.Unused = append(m.Unused, x.key)
		}
	}
	return m, n.lines()
}

// notePlan reads the position of a note.
func notePlan(o *object) storage.NotePlan {
	at := func(key string, or int) int {
		if v, ok := wholeNumber(o.get(key)); ok {
			return v
		}
		return or
	}
	p := storage.NotePlan{Place: storage.NoteAtDepth, Depth: max(0, at("note_depth", noteDepth)),
		Every: at("note_interval", noteEvery), Role: storage.System}
	switch at("note_position", 1) {
	case 0:
		p.Place = storage.NoteInPrompt
	case 2:
		p.Place = storage.NoteBeforePrompt
	}
	switch at("note_role", 0) {
	case 1:
		p.Role = storage.User
	case 2:
		p.Role = storage.Assistant
	}
	if p.Every <= 0 {
		p.Every = storage.NoteNever
	}
	if p == (storage.NotePlan{Place: storage.NoteAtDepth, Every: 1, Role: storage.System}) {
		return storage.NotePlan{} // with the newest message: what the program does
	}
	return p
}

// variables reads the variables of a chat. A value that is not a text is kept as JSON.
func variables(n *warningList, raw json.RawMessage) map[string]string {
	o, ok := parseObject(raw)
	if !ok {
		return nil
	}
	var out map[string]string
	for _, x := range o.members {
		s, isText := text(x.raw)
		if !isText {
			s = string(x.raw)
		}
		if s == "null" && !isText || x.key == "" {
			continue
		}
		if len(out) == maxVariables || len(s) > maxVariable || len(x.key) > maxName {
			n.add("variables beyond %d, or with more than %s, are kept, but not used", maxVariables,
				formatSize(maxVariable))
			break
		}
		if out == nil {
			out = map[string]string{}
		}
		out[x.key] = s
	}
	return out
}

// timedEffects reads sticky and cooldown effects, named "book.uid".
func timedEffects(n *warningList, raw json.RawMessage) (out []TimedEffect) {
	o, _ := parseObject(raw)
	for _, kind := range []storage.LoreEffectKind{storage.LoreSticky, storage.LoreCooldown} {
		list, _ := parseObject(o.get(string(kind)))
		for _, x := range list.members {
			dot := strings.LastIndexByte(x.key, '.')
			e, ok := parseObject(x.raw)
			if dot < 1 || !ok {
				continue
			}
			uid, err := strconv.Atoi(x.key[dot+1:])
			start, began := wholeNumber(e.get("start"))
			end, ends := wholeNumber(e.get("end"))
			if err != nil || !began || !ends {
				continue
			}
			if len(out) == maxTimed {
				n.add("timed effects of lorebooks beyond %d are kept, but not used", maxTimed)
				return out
			}
			out = append(out, TimedEffect{Kind: kind, Book: x.key[:dot], UID: uid, Start: start, End: end,
				Protected: jsTruth(e.get("protected"))})
		}
	}
	return out
}

// WithMetadata returns a header with the note, the overrides and the lorebook of now, if they
// differ from those in it. A nil header stays nil if there is nothing to write.
func WithMetadata(header json.RawMessage, now Metadata) (json.RawMessage, error) {
	o, err := parseKept(header)
	if err != nil {
		return nil, err
	}
	meta, _ := parseObject(o.get("chat_metadata"))
	before := meta.encode()
	old, _ := ReadMetadata(before)
	word := func(key, now, was string) {
		switch {
		case now == was:
		case now == "" && key != "note_prompt":
			meta.remove(key)
		default:
			meta.set(key, quote(now))
		}
	}
	word("note_prompt", now.Note, old.Note)
	word("scenario", now.Overrides.Scenario, old.Overrides.Scenario)
	word("mes_example", now.Overrides.Examples, old.Overrides.Examples)
	word("system_prompt", now.Overrides.System, old.Overrides.System)
	if strings.TrimSpace(now.Note) != "" && (now.NotePlan != old.NotePlan || strings.TrimSpace(old.Note) == "") {
		writePlan(&meta, now.NotePlan)
	}
	if bytes.Equal(before, meta.encode()) {
		return header, nil
	}
	o.set("chat_metadata", meta.encode())
	return o.encode(), nil
}

// writePlan writes the position of a note; the program's own position is depth 0.
func writePlan(meta *object, p storage.NotePlan) {
	place, role, every := 1, 0, max(1, p.Every)
	switch p.Place {
	case storage.NoteInPrompt:
		place = 0
	case storage.NoteBeforePrompt:
		place = 2
	}
	switch p.Role {
	case storage.User:
		role = 1
	case storage.Assistant:
		role = 2
	}
	if p.Every == storage.NoteNever {
		every = 0
	}
	set := func(key string, v int) { meta.set(key, json.RawMessage(strconv.Itoa(v))) }
	set("note_position", place)
	set("note_role", role)
	set("note_interval", every)
	set("note_depth", p.Depth)
}
