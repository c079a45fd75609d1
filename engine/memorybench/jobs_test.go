package memorybench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recap writes the record of a scene: of what the numbered messages tell. What is said to be known already is not told again; traits of somebody
// go to the lorebook.
func (m *Model) recap(s *schema, prompt string) map[string]any {
	before, text := material(prompt)
	known, list := m.read(before), m.read(text)
	list, _ = m.holding(list, prompt)
	list = slices.DeleteFunc(list, func(c cited) bool {
		has := slices.ContainsFunc(known, func(k cited) bool { return k.Fact == c.Fact })
		if has {
			delete(m.notes, c.Fact)
		}
		return has && !m.rolls(m.rates.Repeat)
	})
	var bullets []told
	entries := map[string][]told{}
	names := []string{}
	for _, t := range m.careless(list, "scene recap") {
		if t.Kind != Trait || m.rolls(m.rates.Repeat) {
			bullets = append(bullets, t)
		}
		if t.Kind == Trait || m.rolls(m.rates.Repeat) {
			if entries[t.Subject] == nil {
				names = append(names, t.Subject)
			}
			entries[t.Subject] = append(entries[t.Subject], t)
		}
	}
	var lore []any
	for _, name := range names {
		lore = append(lore, map[string]any{"name": name, "type": "character", "keywords": []any{strings.ToLower(name)}, "content": entry(name, entries[name])})
	}
	return map[string]any{"scene_name": fmt.Sprintf("The scene of turn %d", m.turn), "recap": m.sections(s, bullets, "messages", "scene recap"),
		"atmosphere": "Quiet.", "emotional_beats": "They trust each other a little more.", "lorebooks": lore}
}

// merge works the newest facts of a list into those before them.
func (m *Model) merge(s *schema, prompt string) map[string]any {
	_, text := material(prompt)
	list, over := m.holding(m.read(text), prompt)
	answer := map[string]any{"recap": m.sections(s, m.careless(list, "merge of recaps"), "bullets", "merge of recaps")}
	if s.has("dropped") {
		answer["dropped"] = dropped(s.Properties["dropped"], over)
	}
	return answer
}

// join makes one record of several scenes, each fact of which is numbered.
func (m *Model) join(s *schema, prompt string) map[string]any {
	answer := m.merge(s, prompt)
	answer["scene_name"], answer["atmosphere"], answer["emotional_beats"] = "Several scenes", "Quiet.", "They trust each other a little more."
	return answer
}

// dropped says what was left out and why, in the form that is asked for.
func dropped(s *schema, over []cited) (out []any) {
	for _, c := range over {
		if s.Items == nil || s.Items.Properties == nil {
			out = append(out, c.n)
			continue
		}
		item := map[string]any{}
		for name, p := range s.Items.Properties {
			if p.Type == "integer" {
				item[name] = c.n
			} else {
				item[name] = "it is no longer so"
			}
		}
		out = append(out, item)
	}
	return out
}

// entry is a lorebook entry's content.
func entry(name string, list []told) string {
	var facts []string
	for _, t := range list {
		facts = append(facts, property(t))
	}
	return "[character-" + name + ": " + strings.Join(facts, ", ") + "]"
}

// property is a fact as one of an entry's.
func property(t told) string {
	return strings.Trim(strings.Replace(t.text, t.Subject, "", 1), " .") + "(" + t.Subject + ")"
}

// between is what stands in a prompt between two tags.
func between(prompt, tag string) string {
	_, rest, _ := strings.Cut(prompt, "<"+tag+">")
	text, _, _ := strings.Cut(rest, "</"+tag+">")
	return text
}

// called is the name that a candidate goes by.
func called(prompt string) string {
	for line := range strings.Lines(between(prompt, "candidate")) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// lookup finds the candidate in the registry; a careless model does not.
func (m *Model) lookup(prompt string) map[string]any {
	name, same := called(prompt), []any{}
	for line := range strings.Lines(between(prompt, "registry")) {
		if n, rest, ok := numbered(line); ok && strings.HasPrefix(rest, name) && !m.rolls(m.rates.Misplace) {
			same = append(same, n)
		}
	}
	return map[string]any{"type": "character", "synopsis": name + ", somebody of this story", "sameEntityIds": same, "needsFullContextIds": []any{}}
}

func (m *Model) resolve(prompt string) map[string]any {
	name, id := called(prompt), "new"
	for line := range strings.Lines(between(prompt, "entries")) {
		if n, rest, ok := numbered(line); ok && id == "new" && strings.HasPrefix(rest, name) && !m.rolls(m.rates.Misplace) {
			id = fmt.Sprint(n)
		}
	}
	return map[string]any{"synopsis": name + ", somebody of this story", "resolvedId": id}
}

// lore works news into an entry, or says an entry in fewer words. What it leaves out on
// purpose it names, where it is asked to.
func (m *Model) lore(s *schema, prompt string) map[string]any {
	list, over := m.holding(m.read(between(prompt, "entry")+between(prompt, "news")), prompt)
	facts := []any{}
	for _, t := range m.careless(list, "merge of lore") {
		from := []any{}
		for _, n := range append([]int{t.n}, t.also...) {
			if n > 0 {
				from = append(from, n)
			}
		}
		facts = append(facts, map[string]any{"text": property(t), "from": from})
	}
	if len(list) == 0 { // nothing that the story knows: as it was
		for line := range strings.Lines(between(prompt, "entry") + between(prompt, "news")) {
			if n, rest, ok := numbered(line); ok {
				facts = append(facts, map[string]any{"text": strings.TrimSpace(rest), "from": []any{n}})
			}
		}
	}
	answer := map[string]any{"facts": facts, "canonicalName": ""}
	if s.has("dropped") {
		answer["dropped"] = dropped(s.Properties["dropped"], over)
	}
	return answer
}

// questions asks for what the scene tells, the newest things first.
func (m *Model) questions(prompt string) map[string]any {
	var out []any
	for _, c := range m.read(between(prompt, "transcript")) {
		if c.Ended == 0 && len(out) < 5 {
			out = append(out, map[string]any{"question": fmt.Sprintf("Which name belongs to %s in matter %d of kind %d?", c.Subject, c.Topic, c.Kind), "answer": c.Marker, "messages": []any{c.n}})
		}
	}
	if len(out) == 0 {
		out = append(out, map[string]any{"question": "Who speaks?", "answer": m.story.Speakers[0], "messages": []any{1}})
	}
	return map[string]any{"questions": out}
}

func (m *Model) answers(prompt string) map[string]any {
	known := append(m.read(between(prompt, "memory")), m.read(between(prompt, "known"))...)
	var out []any
	for line := range strings.Lines(between(prompt, "questions")) {
		n, rest, ok := numbered(line)
		if !ok {
			continue
		}
		answer := "not in memory"
		for _, c := range known {
			if strings.Contains(rest, " "+c.Subject+" ") && strings.Contains(rest, fmt.Sprintf("matter %d of kind %d", c.Topic, c.Kind)) {
				answer = c.Marker
			}
		}
		out = append(out, map[string]any{"number": n, "answer": answer})
	}
	return map[string]any{"answers": out}
}

// detect judges one new message.
func (m *Model) detect(prompt string) map[string]any { return m.breaks(between(prompt, "message")) }

// breaks quotes what shows that a scene begins.
func (m *Model) breaks(text string) map[string]any {
	mark, _, _ := strings.Cut(Moves, " %s")
	if strings.Contains(text, mark) && !m.rolls(m.rates.Drop) {
		return map[string]any{"rationale": "They are elsewhere: “" + mark + "”.", "status": true}
	}
	return map[string]any{"rationale": "They go on where they were.", "status": false}
}

// memoryTypes say what a fact is as a memory.
var memoryTypes = map[Kind]string{Trait: "fact", Event: "event", Promise: "relationship", Goal: "goal", Deadline: "goal", State: "event"}

// attention is how many of the last messages a model weighs what is known against.
const attention = 6

// pass looks at the last exchange of a chat's prompt: a third of what is told there is
// about those around the user and worth a memory, what is wanted or due a hook. What is
// open the model takes from all that it was shown. What is over is what one of the last messages
// changes or reaches, where it is asked for that by number.
func (m *Model) pass(s *schema, messages []storage.Node) map[string]any {
	asks := messages[len(messages)-1].Content
	user, reply, all, late := "", "", "", ""
	for i, msg := range messages[:len(messages)-1] {
		all += msg.Content + "\n"
		if i >= len(messages)-1-attention {
			late += lastLine(msg.Content) + "\n"
		}
		if msg.Role == storage.User {
			user = lastLine(msg.Content)
		}
		if msg.Role == storage.Assistant {
			reply = lastLine(msg.Content)
		}
	}
	fresh, lately, shown := m.read(user+"\n"+reply), m.read(late), m.read(asks+"\n"+all)
	var memories, hooks, taken []any
	for _, t := range m.careless(fresh, "") {
		if t.ID%3 == 0 || t.Invented {
			memories = append(memories, map[string]any{"type": memoryTypes[t.Kind], "content": t.text, "importance": 0.3 + float64(t.ID%6)/10})
		}
		if t.Kind == Goal || t.Kind == Deadline {
			hooks = append(hooks, map[string]any{"type": "reminder", "content": t.text, "opener": "What of " + t.Subject + "?", "turns": 6, "priority": 3})
		}
	}
	if len(shown) > 0 && m.rolls(m.rates.Repeat) {
		c := shown[m.r.IntN(len(shown))]
		memories = append(memories, map[string]any{"type": memoryTypes[c.Kind], "content": c.Sentence(true), "importance": 0.5})
	}
	list := m.read(asks)
	var over, settled []any
	for _, c := range list {
		if strings.Contains(reply, c.Subject) {
			taken = append(taken, c.n)
		}
		ended := slices.ContainsFunc(lately, func(o cited) bool { return o.Replaces == c.Fact })
		switch {
		case c.n == 0 || !ended || m.rolls(m.rates.Drop):
		case c.Kind == Goal || c.Kind == Deadline:
			settled = append(settled, c.n)
		default:
			over = append(over, c.n)
		}
	}
	return map[string]any{"scene": m.breaks(user), "director": map[string]any{"beat": "They talk on.", "setting": "a room, by day", "open": m.open(shown),
		"why": "they talk on", "tone": "quiet", "tension": 30, "status": "going", "visual_hint": "", "visual_type": "none"},
		"memories": memories, "hooks": hooks, "taken": taken, "outdated": over, "settled": settled}
}

// open is what is unresolved of all that was shown: one of the newest things that are
// wanted, due or hidden, and of which nothing that was shown says how it ended.
func (m *Model) open(shown []cited) string {
	can := slices.DeleteFunc(slices.Clone(shown), func(c cited) bool {
		return c.Kind != Goal && c.Kind != Deadline && !c.Secret || slices.ContainsFunc(shown, func(o cited) bool { return o.Replaces == c.Fact })
	})
	if can = can[max(0, len(can)-4):]; len(can) == 0 {
		return ""
	}
	return "Unsettled: " + can[m.r.IntN(len(can))].Sentence(false)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
