package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ErrNotPreset is the error of a valid file that is not a preset.
var ErrNotPreset = errors.New("not a preset")

// MaxPresetFile is the size limit of a preset file, in bytes.
const MaxPresetFile = 8 << 20

// The kinds of presets. A file may have several.
const (
	PresetSamplers     = "samplers"
	PresetChat         = "chat completion"
	PresetInstruct     = "instruct"
	PresetContext      = "context"
	PresetSystem       = "system prompt"
	PresetReasoning    = "reasoning"
	PresetQuickReplies = "quick replies"
)

// PresetText is a text of a preset. Use is "main" for a system prompt, "after" for a post-history
// text, "story" for a story string, "all" for a list of single prompts, which is for reading only,
// and "replies" for quick replies in the form of the config file.
type PresetText struct{ Use, Text string }

// Preset is a settings file of another program. Profile has its samplers, nil if there are none.
// Source is the whole document, compact.
type Preset struct {
	Name    string // as in the file, else the file name without extension
	Kinds   []string
	Profile *storage.Profile
	Texts   []PresetText
	Source  json.RawMessage
	Remarks []string
}

// ReadPresetFile reads the preset at path. It also returns ErrNotFile.
func ReadPresetFile(path string) (Preset, error) {
	data, err := readFile(path, MaxPresetFile)
	if err != nil {
		return Preset{}, fmt.Errorf("read preset %s: %w", quotePath(path), err)
	}
	return ReadPreset(path, data)
}

// ReadPreset reads presets of SillyTavern: samplers of text completion (also KoboldAI's and
// NovelAI's), chat completion, instruct, context, system prompt and reasoning templates, the
// export of several of them in one file, and sets of quick replies. The fields are those of the
// files below default/content/presets in its repository. name is used for files without a name,
// and may be a path. Errors wrap ErrNotPreset, ErrTooLarge or ErrDamaged.
func ReadPreset(name string, data []byte) (Preset, error) {
	p, err := readPreset(name, data)
	if err != nil {
		return Preset{}, fmt.Errorf("read preset %s: %w", quotePath(name), err)
	}
	return p, nil
}

func readPreset(name string, data []byte) (Preset, error) {
	if len(data) > MaxPresetFile {
		return Preset{}, wrapf(ErrTooLarge, "the file has %s; the limit is %s for a preset", formatSize(len(data)),
			formatSize(MaxPresetFile))
	}
	if sniff(data) != "" {
		return Preset{}, wrongKind(ErrNotPreset, name, data, "choose a preset (.json)")
	}
	source, err := compact(data)
	if err != nil {
		return Preset{}, orChatFile(ErrNotPreset, name, data, err)
	}
	root, ok := parseObject(source)
	if !ok {
		return Preset{}, wrapf(ErrNotPreset,
			"the document is not an object with the fields of a preset: choose another file")
	}
	if kind := root.traits().kind(); kind != KindPreset && kind != KindQuickReplies {
		return Preset{}, notPreset(kind)
	}
	r := presetReader{p: Preset{Source: source}}
	r.part(&root)
	if r.p.Name == "" {
		base := filepath.Base(name)
		r.p.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if len(r.p.Kinds) == 0 {
		return Preset{}, notPreset(KindUnknown)
	}
	r.p.Name = firstLine(r.p.Name)
	if r.p.Profile != nil {
		r.p.Profile.Name = r.p.Name
	}
	r.p.Remarks = r.n.lines()
	return r.p, nil
}

func notPreset(kind Kind) error {
	if words, ok := kindAdvice[kind]; ok {
		return wrapf(ErrNotPreset, "%s", words)
	}
	return wrapf(ErrNotPreset, "the document has no fields of a preset (temperature with top_p, story_string, "+
		"input_sequence, prompts ...): choose another file")
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// firstLine makes an outside name short and one line.
func firstLine(name string) string {
	const most = 80
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if r := []rune(strings.TrimSpace(name)); len(r) > 0 {
		return strings.TrimSpace(string(r[:min(len(r), most)]))
	}
	return "preset"
}

type presetReader struct {
	p           Preset
	n           warningList
	unsupported []Unsupported
	banned      []string
}

// SeveralPresets reports whether a document has presets of several kinds.
func SeveralPresets(source json.RawMessage) bool {
	o, _ := parseKept(source)
	for _, key := range masterParts {
		if inner, ok := parseObject(o.get(key)); ok && len(inner.members) > 0 {
			return true
		}
	}
	return false
}

// masterParts are the members of a file with several presets.
var masterParts = []string{"instruct", "context", "sysprompt", "preset", "reasoning", "srw"}

// part reads an object that is one preset, or several.
func (r *presetReader) part(o *object) {
	parts := 0
	for _, key := range masterParts {
		if inner, ok := parseObject(o.get(key)); ok && len(inner.members) > 0 {
			r.single(&inner)
			parts++
		}
	}
	if parts == 0 {
		r.single(o)
	}
}

func (r *presetReader) single(o *object) {
	if name, _ := text(o.get("name")); r.p.Name == "" {
		r.p.Name = strings.TrimSpace(name)
	}
	switch {
	case o.has("qrList") || o.has("quickReplySlots"):
		r.quickReplies(o)
	case o.has("prompts") && o.has("prompt_order") || o.has("openai_max_context") || o.has("chat_completion_source"):
		r.chat(o)
	case o.has("story_string"):
		r.context(o)
	case o.has("input_sequence") || o.has("output_sequence"):
		r.instruct(o)
	case o.has("prefix") && o.has("suffix"):
		r.kind(PresetReasoning)
		r.n.add("the reasoning template was kept, but is not needed: the server separates thinking from the reply")
	case o.has("content"):
		r.kind(PresetSystem)
		r.text("main", looseMember(o, "content"))
		r.text("after", looseMember(o, "post_history"))
	case o.has("value") && len(o.members) <= 3:
		if looseMember(o, "value") != "" {
			r.n.add("a text to start replies with was kept; to use it, set it as the prefill of a profile")
		}
	default:
		r.samplers(o, nil)
	}
}

func looseMember(o *object, key string) string { s, _ := looseString(o.get(key)); return s }

func (r *presetReader) kind(k string) {
	if !slices.Contains(r.p.Kinds, k) {
		r.p.Kinds = append(r.p.Kinds, k)
	}
}

func (r *presetReader) text(use, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if len(s) > MaxCardText {
		r.n.add("a text of %s cannot be used: it is longer than %s", formatSize(len(s)),
			formatSize(MaxCardText))
		return
	}
	r.p.Texts = append(r.p.Texts, PresetText{use, s})
}

func (r *presetReader) context(o *object) {
	r.kind(PresetContext)
	r.text("story", looseMember(o, "story_string"))
	r.n.add("the story string was kept as a text for reference: the order of the prompt's parts is fixed here")
	var more []string
	for _, key := range []string{"chat_start", "example_separator"} {
		if strings.TrimSpace(looseMember(o, key)) != "" {
			more = append(more, key)
		}
	}
	for _, key := range []string{"single_line", "trim_sentences"} {
		if yes, ok := looseBool(o.get(key)); ok && yes {
			more = append(more, key)
		}
	}
	if len(more) > 0 {
		r.n.add("not supported here, kept: %s", strings.Join(more, ", "))
	}
}

func (r *presetReader) instruct(o *object) {
	r.kind(PresetInstruct)
	r.text("main", looseMember(o, "system_prompt")) // of old files
	r.n.add("the sequences of the instruct template were kept, but are not needed: the server formats prompts with " +
		"the model's own template")
	if s := strings.TrimSpace(looseMember(o, "activation_regex")); s != "" {
		r.n.add("not supported here, kept: activation_regex")
	}
}

// orderedPrompt is a prompt of a chat completion preset, and whether it is enabled.
type orderedPrompt struct {
	id, name, text string
	on, marker     bool
	depth          int // of a prompt within the history, else -1
}

// chat reads a chat completion preset: its samplers, and its prompts in their order.
func (r *presetReader) chat(o *object) {
	r.kind(PresetChat)
	r.samplers(o, chatNeutralValues)
	list := chatPrompts(o)
	var main, after, all []string
	behind, inHistory, off := false, 0, 0
	for _, p := range list {
		switch {
		case p.id == "chatHistory":
			behind = true
		case p.marker || strings.TrimSpace(p.text) == "":
		case !p.on:
			off++
		case p.depth >= 0:
			inHistory++
		case behind:
			after = append(after, p.text)
		default:
			main = append(main, p.text)
		}
		if !p.marker && strings.TrimSpace(p.text) != "" {
			state := ""
			if !p.on {
				state = " (off)"
			}
			all = append(all, "## "+firstLine(p.name)+state+"\n\n"+p.text)
		}
	}
	r.text("main", strings.Join(main, "\n\n"))
	r.text("after", strings.Join(after, "\n\n"))
	for _, key := range []string{"impersonation_prompt", "continue_nudge_prompt", "group_nudge_prompt",
		"new_chat_prompt", "new_group_chat_prompt", "new_example_chat_prompt", "send_if_empty"} {
		if s := looseMember(o, key); strings.TrimSpace(s) != "" {
			all = append(all, "## "+key+"\n\n"+s)
		}
	}
	r.text("all", strings.Join(all, "\n\n"))
	if off > 0 {
		r.n.add("turned off in the preset; they are only in the list of its prompts: %s",
			plural(off, "prompt", "prompts"))
	}
	if inHistory > 0 {
		r.n.add("inserted between the messages there, at a depth: %s; an author's note is the closest; all are in "+
			"the list", plural(inHistory, "prompt", "prompts"))
	}
	ext, _ := parseObject(o.get("extensions"))
	if raws, _ := elements(ext.get("regex_scripts"), maxList); len(raws) > 0 {
		r.n.add("kept with the preset and not in use: %s", plural(len(raws), "regex script", "regex scripts"))
	}
}

// chatPrompts returns the prompts of a chat completion preset: those of its order first.
func chatPrompts(o *object) []orderedPrompt {
	byID := map[string]orderedPrompt{}
	var ids []string
	raws, _ := elements(o.get("prompts"), maxList)
	for _, raw := range raws {
		p, ok := parseObject(raw)
		if !ok {
			continue
		}
		one := orderedPrompt{id: looseMember(&p, "identifier"), name: looseMember(&p, "name"),
			text: looseMember(&p, "content"), on: true, depth: -1}
		one.marker, _ = looseBool(p.get("marker"))
		if at, ok := wholeNumber(p.get("injection_position")); ok && at == 1 {
			one.depth, _ = wholeNumber(p.get("injection_depth"))
		}
		if _, twice := byID[one.id]; !twice {
			ids = append(ids, one.id)
		}
		byID[one.id] = one
	}
	var out []orderedPrompt
	met := map[string]bool{}
	for _, raw := range presetOrder(o) {
		e, _ := parseObject(raw)
		p, ok := byID[looseMember(&e, "identifier")]
		if !ok || met[p.id] {
			continue
		}
		if on, said := looseBool(e.get("enabled")); said {
			p.on = on
		}
		met[p.id] = true
		out = append(out, p)
	}
	ordered := len(out) > 0
	for _, id := range ids {
		if p := byID[id]; !met[id] {
			p.on = p.on && !ordered // a prompt in no order is not used
			out = append(out, p)
		}
	}
	return out
}

// presetOrder returns the order in use: the one for all characters, which newer files have under a
// fixed number, else the last.
func presetOrder(o *object) (order []json.RawMessage) {
	lists, _ := elements(o.get("prompt_order"), maxList)
	for _, raw := range lists {
		l, ok := parseObject(raw)
		if !ok {
			return lists // older files have the order itself
		}
		if l.has("identifier") {
			return lists
		}
		order, _ = elements(l.get("order"), maxList)
		if id, _ := wholeNumber(l.get("character_id")); id == 100001 {
			break
		}
	}
	return order
}

// quickReplies converts a set of quick replies to the form of the config file. Lines of STscript
// are not supported and become comments.
func (r *presetReader) quickReplies(o *object) {
	r.kind(PresetQuickReplies)
	raws, _ := elements(o.get("qrList"), maxList)
	if !o.has("qrList") {
		raws, _ = elements(o.get("quickReplySlots"), maxList)
	}
	setInsert, _ := looseBool(o.get("disableSend"))
	var b strings.Builder
	taken, scripts := 0, 0
	for _, raw := range raws {
		q, _ := parseObject(raw)
		label, said := looseMember(&q, "label"), looseMember(&q, "message")
		if said == "" {
			said = looseMember(&q, "mes")
		}
		if strings.TrimSpace(said) == "" {
			continue
		}
		do, mark := "send", ""
		if insert, ok := looseBool(q.get("disableSend")); ok && insert || setInsert {
			do = "insert"
		}
		if strings.HasPrefix(strings.TrimSpace(said), "/") {
			mark = "# "
			scripts++
		} else {
			taken++
		}
		for _, line := range []string{"[[quick_replies]]", "label = " + tomlText(firstLine(label)),
			"text = " + tomlText(said), "do = \"" + do + "\"", ""} {
			b.WriteString(strings.TrimRight(mark+line, " ") + "\n")
		}
	}
	r.text("replies", b.String())
	r.n.add("quick replies are in the config file here; copy this text there: %s", plural(taken, "reply", "replies"))
	if scripts > 0 {
		r.n.add("STscript, which is not supported, as comments: %s", plural(scripts, "reply", "replies"))
	}
}

// tomlText returns a text as a basic string of TOML.
func tomlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
