package memorybench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Rates say how careless a model is: how often it drops a fact that it should carry,
// tells one twice in other words, puts one where it does not belong or takes an old
// state for the present one, and makes one up (that, per answer).
type Rates struct{ Drop, Repeat, Misplace, Invent float64 }

// Careless returns a model that drops and repeats at a rate, and does worse at a fifth of it.
func Careless(rate float64) Rates { return Rates{rate, rate, rate / 5, rate / 5} }

// Asked is a request as the server got it.
type Asked struct {
	Turn     int
	Speaker  int
	Pass     bool // a question appended to the prompt of a reply
	Messages []storage.Node
}

// Model plays the server's model. It knows the story as any reader would who met its
// words: a marker in a prompt is a fact, and it sees which of two contradicts the
// other. Of the program it knows the fields of the schemas and the form of the prompts
// (see reader_test.go), and does its jobs as carefully as its rates let it.
type Model struct {
	mu      sync.Mutex
	story   *Story
	rates   Rates
	r       *rand.Rand
	turn    int
	speaker int
	reply   string
	asked   []Asked
	notes   map[*Fact]string // what became of a fact in the newest answer that left it out
	jobs    map[string]int
	made    int // inventions
}

// NewModel makes a model that is always the same for a seed.
func NewModel(s *Story, rates Rates, seed uint64) *Model {
	return &Model{story: s, rates: rates, r: rand.New(rand.NewPCG(seed, 5)), notes: map[*Fact]string{}, jobs: map[string]int{}}
}

// Next says what the model will say as whom, in a turn.
func (m *Model) Next(turn, speaker int, reply string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn, m.speaker, m.reply = turn, speaker, reply
}

// Take returns the chat's prompts since it was called last.
func (m *Model) Take() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.asked
	m.asked = nil
	return out
}

// Answer implements demo.Answer.
func (m *Model) Answer(format json.RawMessage, messages []storage.Node) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s schema
	if len(format) == 0 && !m.asksReply(messages) {
		return m.reply, true // a prompt that is only read, ahead of its own request
	}
	if len(format) == 0 {
		m.asked = append(m.asked, Asked{Turn: m.turn, Speaker: m.speaker, Messages: messages})
		return m.reply, true
	}
	if json.Unmarshal(format, &s) != nil {
		return "", false
	}
	job := s.job()
	if job == "" {
		m.jobs["unknown"]++
		return "", false
	}
	if job == passJob {
		m.asked = append(m.asked, Asked{Turn: m.turn, Speaker: m.speaker, Pass: true, Messages: messages})
	}
	answer := m.doJob(job, &s, messages)
	m.jobs[job]++
	data, err := json.Marshal(s.fit(answer))
	return string(data), err == nil
}

// asksReply reports whether messages are the prompt of a reply: the user's line stands last,
// or in a probe, whose line the model does not know, there is a history. Without a schema
// come beginnings of other jobs' prompts as well, which the server is to read ahead.
func (m *Model) asksReply(messages []storage.Node) bool {
	said := slices.DeleteFunc(slices.Clone(messages), func(n storage.Node) bool { return n.Role == storage.System })
	if m.turn >= len(m.story.Turns) || len(said) == 0 {
		return len(said) > 1
	}
	for _, b := range blocks(said[len(said)-1:]) {
		for line := range strings.Lines(b.before) {
			if b.tag == "" && strings.HasSuffix(strings.TrimSpace(line), m.story.Turns[m.turn].User) {
				return true
			}
		}
	}
	return false
}

func (m *Model) rolls(rate float64) bool { return m.r.Float64() < rate }

// cited is a fact that a prompt tells, with the number or the label of what tells it.
type cited struct {
	*Fact
	n     int    // 0 for none
	label string // as M2
}

// read finds what items tell, in their order, each fact once, where it stands last.
func (m *Model) read(items []item) []cited { return m.reads(items, true) }

// reads returns read of items in which a remark in brackets behind a fact says that it no longer
// holds, or of others.
func (m *Model) reads(items []item, ends bool) []cited {
	var out []cited
	for _, it := range items {
		c := cited{n: it.n}
		if it.letter != "" {
			c.label = fmt.Sprint(it.letter, it.n)
		}
		for line := range strings.Lines(it.text) {
			facts := m.story.in(line)
			over := it.ended || ends && remark.MatchString(strings.TrimSpace(line))
			if len(facts) > 0 && over && !m.rolls(m.rates.Misplace) {
				continue
			}
			for _, f := range facts {
				out = slices.DeleteFunc(out, func(o cited) bool { return o.Fact == f })
				c.Fact = f
				out = append(out, c)
			}
		}
	}
	return out
}

// in finds the facts whose markers a text has, in its order.
func (s *Story) in(text string) []*Fact {
	var out []*Fact
	for _, w := range words(text) {
		if f := s.markers[w]; f != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// toldFact is what an answer will tell of a fact, and under which of the headings.
type toldFact struct {
	cited
	heading string
	text    string
	also    []int    // numbers that are cited and yet not told
	labels  []string // of memories that say the same
}

var headings = []string{"key_developments", "pending_threads", "dialogue_highlights", "current_situation"}

func headingOf(f *Fact) string {
	switch f.Kind {
	case Goal, Deadline:
		return "pending_threads"
	case Promise:
		return "dialogue_highlights"
	case State:
		return "current_situation"
	}
	return "key_developments"
}

// holding leaves out what something else in the list has changed: what stands later in
// a prompt is the news, and wins, whatever the truth is, unless the prompt says that its
// news are older than the rest. over are those left out.
func (m *Model) holding(list []cited, older bool) (out, over []cited) {
	where := func(fits func(cited) bool) int { return slices.IndexFunc(list, fits) }
	for i, c := range list {
		after := where(func(o cited) bool { return o.Replaces == c.Fact })
		before := where(func(o cited) bool { return o.Fact == c.Replaces })
		gone := after > i || older && after >= 0
		if before > i && !older {
			gone, m.notes[c.Fact] = true, "overruled by an older state that was shown as the news"
		}
		if gone && !m.rolls(m.rates.Misplace) {
			over = append(over, c)
			continue
		}
		out = append(out, c) // a careless model takes the old for the present
	}
	return out, over
}

// careless decides what is told of what should be, where, and how often. job is what
// is noted of those left out, "" where others tell them.
func (m *Model) careless(list []cited, job string) []toldFact {
	var out []toldFact
	for _, c := range list {
		if m.rolls(m.rates.Drop) {
			if job != "" {
				m.notes[c.Fact] = "dropped by the model in a " + job
			}
			if len(out) > 0 && c.n > 0 && m.rolls(0.5) {
				out[len(out)-1].also = append(out[len(out)-1].also, c.n)
			}
			continue
		}
		if job != "" {
			delete(m.notes, c.Fact)
		}
		t := toldFact{cited: c, heading: headingOf(c.Fact), text: c.Sentence(false)}
		if m.rolls(m.rates.Misplace) {
			t.heading = headings[m.r.IntN(len(headings))]
		}
		out = append(out, t)
		if m.rolls(m.rates.Repeat) {
			t.heading, t.text, t.also = headings[m.r.IntN(len(headings))], c.Sentence(true), nil
			out = append(out, t)
		}
	}
	if len(out) > 0 && m.rolls(m.rates.Invent) {
		out = append(out, toldFact{cited: cited{Fact: m.invent(out[0].Subject), n: out[0].n}, heading: "key_developments"})
		out[len(out)-1].text = out[len(out)-1].Sentence(false)
	}
	return out
}

// invent makes a fact up.
func (m *Model) invent(subject string) *Fact {
	m.made++
	letters := strings.Map(func(r rune) rune { return 'a' + (r - '0') }, fmt.Sprintf("%03d", m.made))
	f := &Fact{Kind: Event, Subject: subject, Marker: "Yq" + letters, Turn: m.turn, Invented: true}
	m.story.markers[f.Marker] = f
	return f
}

// fewEnough is how many entries a careful keeper leaves apart under a heading. Of more,
// those of one subject are made one.
const fewEnough = 12

// sections puts what is told under its headings. What a heading has no room for is
// lost: the grammar closes the list, whatever the model still had to say.
func (m *Model) sections(s *schema, list []toldFact, job string) map[string]any {
	out := map[string]any{}
	for _, h := range headings {
		var entries []toldFact
		for _, t := range list {
			if t.heading == h {
				entries = append(entries, t)
			}
		}
		if len(entries) > fewEnough {
			entries = joined(entries)
		}
		items, of := []any{}, s.lists().prop(h)
		for i, t := range entries {
			if most := of.MaxItems; most != nil && i >= *most {
				for _, f := range m.story.in(t.text) {
					m.notes[f] = cmp.Or(m.notes[f], "cut off by the most entries of a heading in a "+job)
				}
			}
			items = append(items, of.Items.entry(t))
		}
		out[h] = items
	}
	if len(out["current_situation"].([]any)) == 0 {
		t := toldFact{cited: cited{n: 1}, text: "They are together and the talk goes on."}
		out["current_situation"] = []any{s.lists().prop("current_situation").Items.entry(t)}
	}
	return out
}

// longest is how long an entry gets that is made of several.
const longest = 280

// joined makes entries of one subject one, as far as there is room in it.
func joined(list []toldFact) []toldFact {
	var out []toldFact
	for _, t := range list {
		i := slices.IndexFunc(out, func(o toldFact) bool { return o.Subject == t.Subject && len(o.text)+len(t.text) < longest })
		if i < 0 {
			out = append(out, t)
			continue
		}
		out[i].text += " " + t.text
		out[i].also = append(append(slices.Clone(out[i].also), t.n), t.also...)
		out[i].labels = append(slices.Clone(out[i].labels), t.labels...)
	}
	return out
}
