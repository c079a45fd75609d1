package ecosystem

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The limits of what is read of a chat's metadata.
const (
	maxMetaText  = 1 << 20 // bytes of a note or an override
	maxVariables = 1_000
	maxVariable  = 64 << 10 // bytes of a value
	maxTimed     = 10_000
)

// The defaults of an author's note whose chat does not say how it is told.
const (
	noteDepth = 4
	noteEvery = 1
)

// Metadata is what a chat carries beside its messages, as far as there is something here
// that it can be: the author's note with how it is told, what stands in the place of the
// card's scenario, examples and system prompt, the persona's avatar file, the lorebook of
// the chat, the variables of macros, and the timed effects of lorebooks. Unused are the
// names of those that are kept and do nothing here.
//
// The names follow SillyTavern's public/scripts/authors-note.js, personas.js,
// world-info.js, variables.js and script.js, in the versions 1.12 to 1.14.
type Metadata struct {
	Persona   string // a file name
	Note      string
	Plan      storage.NotePlan
	Over      storage.CardOver
	World     string
	Variables map[string]string
	Timed     []TimedEffect
	Parent    string // the chat that it was branched off
	Unused    []string
}

// TimedEffect is one of a lorebook's entry, by the names of files: see storage.LoreEffect.
type TimedEffect struct {
	Kind       storage.LoreEffectKind
	Book       string
	UID        int
	Start, End int
	Protected  bool
}

// TitleKey is the name under which a chat's metadata hold a title that no file can have.
const TitleKey = "ghostlight_title"

// ChatKey is the name under which a chat's metadata hold the ID that the chat has in
// Ghostlight, and ForkKey where a branch leaves the way that the chat shows.
const (
	ChatKey = "ghostlight_chat"
	ForkKey = "ghostlight_fork"
)

// metaKnown are the names that are read, or say nothing to anybody but their program.
var metaKnown = []string{"persona", "note_prompt", "note_depth", "note_interval", "note_position", "note_role", "scenario",
	"mes_example", "system_prompt", "world_info", "variables", "timedWorldInfo", "main_chat", "integrity", "tainted", "chat_id_hash",
	"lastInContextMessageId", ForkKey, ChatKey, TitleKey}

// ReadMetadata reads the object that a header calls chat_metadata. What is odd in it is
// left out and told.
func ReadMetadata(raw json.RawMessage) (m Metadata, warnings []string) {
	o, ok := parseObject(raw)
	if !ok {
		return m, nil
	}
	var n notes
	long := func(key string) string {
		s, odd := loose(o.get(key))
		switch {
		case odd != "" && odd != "null" && odd != "number":
			n.add("the field %s of the chat's metadata is a %s; it is kept, but not used", key, odd)
			return ""
		case len(s) > maxMetaText:
			n.add("the field %s of the chat's metadata has %s; the limit is %s; it is kept, but not used", key, size(len(s)), size(maxMetaText))
			return ""
		}
		return s
	}
	m.Persona = fileName(long("persona"))
	m.Note = long("note_prompt")
	if strings.TrimSpace(m.Note) != "" {
		m.Plan = notePlan(&o)
	}
	m.Over = storage.CardOver{Scenario: long("scenario"), Examples: long("mes_example"), System: long("system_prompt")}
	m.World = strings.TrimSpace(long("world_info"))
	m.Parent = long("main_chat")
	m.Variables = variables(&n, o.get("variables"))
	m.Timed = timedEffects(&n, o.get("timedWorldInfo"))
	for _, x := range o.members {
		if empty := len(x.raw) <= 2 || string(x.raw) == "null" || string(x.raw) == "false"; !empty && !slices.Contains(metaKnown, x.key) {
			m.Unused = append(m.Unused, x.key)
		}
	}
	return m, n.lines()
}

// notePlan reads how a note is told.
func notePlan(o *object) storage.NotePlan {
	at := func(key string, or int) int {
		if v, ok := whole(o.get(key)); ok {
			return v
		}
		return or
	}
	p := storage.NotePlan{Place: storage.NoteAtDepth, Depth: max(0, at("note_depth", noteDepth)), Every: at("note_interval", noteEvery), Role: storage.System}
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

// variables reads those of a chat. What is no text stays as JSON writes it.
func variables(n *notes, raw json.RawMessage) map[string]string {
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
			n.add("variables beyond %d, or with more than %s, are kept, but not used", maxVariables, size(maxVariable))
			break
		}
		if out == nil {
			out = map[string]string{}
		}
		out[x.key] = s
	}
	return out
}

// timedEffects reads what is sticky or cools down, by names of the form "book.uid".
func timedEffects(n *notes, raw json.RawMessage) (out []TimedEffect) {
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
			start, began := whole(e.get("start"))
			end, ends := whole(e.get("end"))
			if err != nil || !began || !ends {
				continue
			}
			if len(out) == maxTimed {
				n.add("timed effects of lorebooks beyond %d are kept, but not used", maxTimed)
				return out
			}
			out = append(out, TimedEffect{Kind: kind, Book: x.key[:dot], UID: uid, Start: start, End: end, Protected: truth(e.get("protected"))})
		}
	}
	return out
}

// WithMetadata is a header that says of the note, the overrides and the lorebook what now
// says, where that is not what it says already. A header that is nil stays so as long as
// there is nothing to say.
func WithMetadata(header json.RawMessage, now Metadata) (json.RawMessage, error) {
	o, err := kept(header)
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
			meta.set(key, quoted(now))
		}
	}
	word("note_prompt", now.Note, old.Note)
	word("scenario", now.Over.Scenario, old.Over.Scenario)
	word("mes_example", now.Over.Examples, old.Over.Examples)
	word("system_prompt", now.Over.System, old.Over.System)
	if strings.TrimSpace(now.Note) != "" && (now.Plan != old.Plan || strings.TrimSpace(old.Note) == "") {
		writePlan(&meta, now.Plan)
	}
	if bytes.Equal(before, meta.encode()) {
		return header, nil
	}
	o.set("chat_metadata", meta.encode())
	return o.encode(), nil
}

// writePlan writes how a note is told; the program's own way is at depth 0.
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
