package memorybench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// doJob does a job.
func (m *Model) doJob(job string, s *schema, messages []storage.Node) map[string]any {
	r := newReading(messages, s.citing())
	switch job {
	case joinJob:
		return m.joinRecaps(s, r)
	case recapJob:
		return m.recap(s, r)
	case mergeJob:
		return m.merge(s, r)
	case lookupJob:
		return m.lookup(r)
	case resolveJob:
		return m.resolve(r)
	case loreJob:
		return m.lore(s, r)
	case questionsJob:
		return m.questions(r)
	case answersJob:
		return m.answers(r)
	case detectJob:
		return m.detect(messages)
	}
	return m.pass(s, messages)
}

// recap writes the record of a scene: of what the numbered messages tell. What is known
// already is not told again; traits of somebody go to the lorebook. A memory that says the
// same as an entry is named with it.
func (m *Model) recap(s *schema, r reading) map[string]any {
	known, list := m.read(r.known), m.read(r.items)
	list, _ = m.holding(list, false)
	list = slices.DeleteFunc(list, func(c cited) bool {
		has := slices.ContainsFunc(known, func(k cited) bool { return k.Fact == c.Fact })
		if has {
			delete(m.notes, c.Fact)
		}
		return has && !m.rolls(m.rates.Repeat)
	})
	var bullets []toldFact
	entries := map[string][]toldFact{}
	names := []string{}
	labelled := m.reads(r.labelled, false)
	for _, t := range m.careless(list, recapJob) {
		for _, c := range labelled {
			if c.Fact == t.Fact {
				t.labels = append(t.labels, c.label)
			}
		}
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
		var from []int
		for _, t := range entries[name] {
			from = append(append(from, t.n), t.also...)
		}
		lore = append(lore, map[string]any{"messages": s.cites(from, nil), "name": name, "type": "character", "keywords": []any{strings.ToLower(name)}, "content": entry(name, entries[name])})
	}
	return map[string]any{"scene_name": fmt.Sprintf("The scene of turn %d", m.turn),
		"recap":      m.sections(s, bullets, recapJob),
		"atmosphere": "Quiet.", "emotional_beats": "They trust each other a little more.", "lorebooks": lore}
}

// merge works the newest facts of a list into those before them. What is known beside the
// list, or has changed there, is not told again.
func (m *Model) merge(s *schema, r reading) map[string]any {
	known := m.read(r.known)
	list, over := m.holding(m.read(r.items), r.older(s.least()))
	list = slices.DeleteFunc(list, func(c cited) bool {
		told := slices.ContainsFunc(known, func(k cited) bool { return k.Fact == c.Fact || k.Replaces == c.Fact })
		if told {
			over = append(over, c)
		}
		return told
	})
	answer := map[string]any{"recap": m.sections(s, m.careless(list, mergeJob), mergeJob)}
	if s.has("dropped") {
		answer["dropped"] = omittedAnswer(s.prop("dropped"), over)
	}
	return answer
}

// joinRecaps makes one record of several scenes, each fact of which is numbered.
func (m *Model) joinRecaps(s *schema, r reading) map[string]any {
	answer := m.merge(s, r)
	answer["scene_name"], answer["atmosphere"], answer["emotional_beats"] = "Several scenes", "Quiet.", "They trust each other a little more."
	return answer
}

// omittedAnswer returns what was left out and why, in the form that is asked for.
func omittedAnswer(s *schema, over []cited) (out []any) {
	for _, c := range over {
		if s.Items == nil || s.Items.Properties == nil {
			out = append(out, s.cite(c))
			continue
		}
		item := map[string]any{}
		for name, p := range s.Items.Properties {
			switch p.Type {
			case "integer":
				item[name] = c.n
			case "array":
				item[name] = []any{p.cite(c)}
			default:
				item[name] = "it is no longer so"
			}
		}
		out = append(out, item)
	}
	return out
}

// entry returns a lorebook entry's content.
func entry(name string, list []toldFact) string {
	var facts []string
	for _, t := range list {
		facts = append(facts, property(t))
	}
	return "[character-" + name + ": " + strings.Join(facts, ", ") + "]"
}

// property returns a fact as one of an entry's.
func property(t toldFact) string {
	return strings.Trim(strings.Replace(t.text, t.Subject, "", 1), " .") + "(" + t.Subject + ")"
}

// candidateName returns the name that a candidate goes by: the first name of the story that stands
// beside the entries, in a tag if there is one.
func (m *Model) candidateName(r reading) string {
	for _, it := range slices.Backward(r.known) {
		for _, w := range words(it.text) {
			if slices.Contains(m.story.Subjects, w) {
				return w
			}
		}
	}
	return ""
}

// sameEntries returns the entries of a list that are called so; a careless model does not find them.
func (m *Model) sameEntries(r reading) (out []any) {
	name := m.candidateName(r)
	for _, it := range r.items {
		if w := words(it.text); len(w) > 0 && w[0] == name && !m.rolls(m.rates.Misplace) {
			out = append(out, it.n)
		}
	}
	return out
}

// lookup finds the candidate in the registry.
func (m *Model) lookup(r reading) map[string]any {
	return map[string]any{"type": "character", "synopsis": m.candidateName(r) + ", somebody of this story",
		"sameEntityIds": m.sameEntries(r), "needsFullContextIds": []any{}}
}

func (m *Model) resolve(r reading) map[string]any {
	id := "new"
	if same := m.sameEntries(r); len(same) > 0 {
		id = fmt.Sprint(same[0])
	}
	return map[string]any{"synopsis": m.candidateName(r) + ", somebody of this story", "resolvedId": id}
}

// lore works news into an entry, or says an entry in fewer words. What it leaves out on
// purpose it names, where it is asked to.
func (m *Model) lore(s *schema, r reading) map[string]any {
	list, over := m.holding(m.read(r.items), false)
	facts, entry := []any{}, s.prop("facts").Items
	for _, t := range m.careless(list, loreJob) {
		t.text = property(t)
		facts = append(facts, entry.entry(t))
	}
	if len(list) == 0 { // nothing that the story knows: as it was
		for _, it := range r.items {
			facts = append(facts, entry.entry(toldFact{cited: cited{n: it.n}, text: strings.TrimSpace(it.text)}))
		}
	}
	answer := map[string]any{"facts": facts, "canonicalName": ""}
	if s.has("dropped") {
		answer["dropped"] = omittedAnswer(s.prop("dropped"), over)
	}
	return answer
}

// questions asks for what the scene tells, the newest things first.
func (m *Model) questions(r reading) map[string]any {
	var out []any
	for _, c := range m.read(r.items) {
		if c.Ended == 0 && len(out) < 5 {
			out = append(out, map[string]any{"question": fmt.Sprintf("Which name belongs to %s in matter %d of kind %d?", c.Subject, c.Topic, c.Kind), "answer": c.Marker, "messages": []any{c.n}})
		}
	}
	if len(out) == 0 {
		out = append(out, map[string]any{"question": "Who speaks?", "answer": m.story.Speakers[0], "messages": []any{1}})
	}
	return map[string]any{"questions": out}
}

func (m *Model) answers(r reading) map[string]any {
	known := m.read(r.known)
	var out []any
	for _, it := range r.items {
		answer := "not in memory"
		for _, c := range known {
			matter := fmt.Sprintf("matter %d of kind %d", c.Topic, c.Kind)
			if strings.Contains(it.text, " "+c.Subject+" ") && strings.Contains(it.text, matter) {
				answer = c.Marker
			}
		}
		out = append(out, map[string]any{"number": it.n, "answer": answer})
	}
	return map[string]any{"answers": out}
}

// detect judges the newest message: the last of those that the request shows in tags, or of
// the chat.
func (m *Model) detect(messages []storage.Node) map[string]any {
	chat, ask := asked(messages)
	tagged := slices.DeleteFunc(blocks(ask), func(b block) bool { return b.tag == "" })
	if len(tagged) == 0 {
		user, _ := newest(chat)
		return m.breaks(user)
	}
	return m.breaks(tagged[len(tagged)-1].text())
}

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
	chat, ask := asked(messages)
	user, reply := newest(chat)
	var late, all []item
	for i, msg := range chat {
		all = append(all, item{text: msg.Content})
		if i >= len(chat)-attention {
			late = append(late, item{text: ownText(msg.Content)})
		}
	}
	told := []item{{text: ask[0].Content}}
	fresh, lately := m.reads([]item{{text: user}, {text: reply}}, false), m.reads(late, false)
	shown := m.reads(append(told, all...), false)
	numbered := numberedIn(ask, "messages")
	from := func(f *Fact) []any { return m.saying(f, chat, numbered) }
	var memories, hooks, taken []any
	for _, t := range m.careless(fresh, "") {
		if t.ID%3 == 0 || t.Invented {
			memories = append(memories, map[string]any{"from": from(t.Fact), "type": memoryTypes[t.Kind], "content": t.text, "importance": 0.3 + float64(t.ID%6)/10})
		}
		if t.Kind == Goal || t.Kind == Deadline {
			hooks = append(hooks, map[string]any{"from": from(t.Fact), "type": "reminder", "content": t.text, "opener": "What of " + t.Subject + "?", "turns": 6, "priority": 3})
		}
	}
	if len(shown) > 0 && m.rolls(m.rates.Repeat) {
		c := shown[m.r.IntN(len(shown))]
		memories = append(memories, map[string]any{"from": from(c.Fact), "type": memoryTypes[c.Kind], "content": c.Sentence(true), "importance": 0.5})
	}
	var over, settled []any
	for _, c := range m.readsEach(numberedIn(ask, "facts")) {
		if strings.Contains(reply, c.Subject) {
			taken = append(taken, c.n)
		}
		at := slices.IndexFunc(lately, func(o cited) bool { return o.Replaces == c.Fact })
		if at < 0 || m.rolls(m.rates.Drop) {
			continue
		}
		end := map[string]any{"why": "It is over.", "from": from(lately[at].Fact), "fact": c.n}
		if c.Kind == Goal || c.Kind == Deadline {
			settled = append(settled, end)
		} else {
			over = append(over, end)
		}
	}
	return map[string]any{"scene": m.breaks(user), "director": map[string]any{"beat": "They talk on.", "setting": "a room, by day", "open": m.open(shown),
		"why": "they talk on", "tone": "quiet", "tension": 30, "status": "going", "visual_hint": "", "visual_type": "none"},
		"memories": memories, "hooks": hooks, "taken": taken, "outdated": over, "settled": settled}
}

// readsEach reads items one by one: a fact that several tell is there for each of them.
func (m *Model) readsEach(items []item) (out []cited) {
	for _, it := range items {
		out = append(out, m.reads([]item{it}, false)...)
	}
	return out
}

// numberedIn returns the items that stand in a tag of a request.
func numberedIn(ask []storage.Node, tag string) (out []item) {
	for _, b := range blocks(ask) {
		if b.tag == tag {
			out = append(out, b.items...)
		}
	}
	return out
}

// saying returns the numbers of messages, listed by how they begin, that say a fact.
func (m *Model) saying(f *Fact, chat []storage.Node, listed []item) []any {
	out := []any{}
	for _, it := range listed {
		begins := quoted.FindStringSubmatch(it.text)
		if begins == nil {
			continue
		}
		begin := strings.TrimSuffix(begins[1], "…")
		at := slices.IndexFunc(chat, func(n storage.Node) bool {
			return strings.Contains(n.Content, begin) && slices.Contains(m.story.in(ownText(n.Content)), f)
		})
		if at >= 0 {
			out = append(out, it.n)
		}
	}
	return out
}

// open returns what is unresolved of all that was shown: one of the newest things that are
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

// asked splits a chat's own messages from what is asked behind them. An answer that is asked
// for once more stands behind that again, and is no part of either.
func asked(messages []storage.Node) (chat, ask []storage.Node) {
	at := len(messages) - 1
	for at >= 2 && isAnswer(messages[at-1]) {
		at -= 2
	}
	return messages[:at], messages[at : at+1]
}

// isAnswer reports whether a message is an answer in JSON, not a reply.
func isAnswer(msg storage.Node) bool {
	return msg.Role == storage.Assistant && strings.HasPrefix(strings.TrimSpace(msg.Content), "{")
}

// newest returns the last message of the user's and the last reply.
func newest(chat []storage.Node) (user, reply string) {
	for _, msg := range chat {
		switch msg.Role {
		case storage.User:
			user = ownText(msg.Content)
		case storage.Assistant:
			reply = ownText(msg.Content)
		}
	}
	return user, reply
}

// ownText returns what was said in a message: its last line that is in no tag.
func ownText(text string) string {
	for _, b := range slices.Backward(blocks([]storage.Node{{Role: storage.User, Content: text}})) {
		if b.tag == "" {
			text = b.text()
			break
		}
	}
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
