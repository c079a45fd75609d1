package scene

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Merge makes one record from several: from the parts of a scene, from consecutive scenes, or from
// the running recap and a scene. The model sees numbered facts and answers with the changes: lines
// that cite the numbers they replace, and the numbers of dropped facts, with reasons. All others
// stay word for word.
type Merge struct {
	Records []storage.Recap // in the order of the story: if they disagree, the later one wins
	// Running reports that the first record is the running recap and the second the newest scene.
	Running bool
	Parts   bool   // they are the parts of one scene
	Style   string // of the outcome
	// Ended are the bullets that have ended since, by their keys, and why: they are shown as such,
	// and come into nothing.
	Ended      map[string]string
	User, Char string // names
}

// fact is a bullet that goes into a merge. Its number is its place in the list, from 1.
type fact struct {
	citedText
	heading int    // of headings5
	newest  bool   // it comes from the last record
	ended   string // why it has ended, "" if it has not
}

func (m Merge) facts() (out []fact) {
	for i, r := range m.Records {
		for _, b := range Bullets(r.Text) {
			f := fact{citedText: citedText{text: b.Text, hand: UserMark(r, b.Text)}, heading: headingOf(b.Heading),
				newest: i == len(m.Records)-1, ended: m.Ended[BulletKey(b.Text)]}
			if s := sourceOf(r, b.Text); s != nil {
				f.nodes, f.memories = s.Messages, s.Memories
			}
			if f.heading < 0 {
				f.heading = developments
			}
			out = append(out, f)
		}
	}
	return out
}

// Split returns the merge heading by heading, for records that are too long for one request.
// JoinDrafts joins the results.
func (m Merge) Split() (out []Merge) {
	for i := range headings {
		p := m
		p.Records = slices.Clone(m.Records)
		for n := range p.Records {
			p.Records[n].Text = bulletsUnder(p.Records[n].Text, i)
		}
		out = append(out, p)
	}
	return out
}

// bulletsUnder returns the part of a recap under one of headings5.
func bulletsUnder(text string, at int) string {
	var b strings.Builder
	b.WriteString("## " + headings[at] + "\n")
	for _, bullet := range Bullets(text) {
		if of := headingOf(bullet.Heading); of == at || of < 0 && at == developments {
			b.WriteString("- " + bullet.Text + "\n")
		}
	}
	return b.String()
}

// Trivial reports whether the merge needs no model because at most one record has facts.
func (m Merge) Trivial() bool {
	telling := 0
	for _, r := range m.Records {
		if len(Bullets(r.Text)) > 0 {
			telling++
		}
	}
	return telling < 2
}

// Prompt asks for the merge. The answer is a MergeAnswer.
func (m Merge) Prompt(set *prompts.Set) []Prompt {
	user, char := withNames(m.User, m.Char)
	var lists []string
	n := 0
	for _, r := range m.Records {
		var list string
		list, n = bulletList(r, n, m.Ended)
		lists = append(lists, list)
	}
	if m.Running {
		return set.Request(RunningFile, map[string]string{"user": user, "char": char,
			"memory": lists[0], "newest": lists[1],
			"count": fmt.Sprint(n), "scene_name": cmp.Or(prompts.OneLine(m.Records[1].SceneName), "without a name")})
	}
	what := "Scene"
	if m.Parts {
		what = "Part"
	}
	for i, r := range m.Records {
		name := cmp.Or(prompts.OneLine(r.SceneName), "without a name")
		lists[i] = fmt.Sprintf("%s %d of %d: %s\n%s", what, i+1, len(m.Records), name, lists[i])
	}
	return set.Request(JoinFile, map[string]string{"user": user, "char": char, "style": style(set, m.Style, user, char),
		"scenes": cmp.Or(strings.Join(lists, "\n\n"), none), "count": fmt.Sprint(len(m.Records)),
		"facts": fmt.Sprint(n)})
}

// bulletList lists the bullets of a recap for a prompt, numbered from number on, and returns the
// last number. over has the bullets that have ended, by their keys.
func bulletList(r storage.Recap, number int, over map[string]string) (string, int) {
	var b strings.Builder
	heading := ""
	for _, bullet := range Bullets(r.Text) {
		if bullet.Heading != heading {
			heading = bullet.Heading
			b.WriteString(heading + ":\n")
		}
		number++
		mark := ""
		if over[BulletKey(bullet.Text)] != "" {
			mark = endedMark
		}
		fmt.Fprintf(&b, "[%d] %s%s\n", number, defuse(bullet.Text), mark)
	}
	return cmp.Or(strings.TrimSuffix(b.String(), "\n"), none), number
}

// endedMark marks a fact that has ended; it is behind the fact.
const endedMark = " (over)"

// Schema bounds the answer to the prompt.
func (m Merge) Schema() json.RawMessage {
	facts := upTo(len(m.facts()))
	properties := recapProperty(`"bullets":`+facts.upTo(0, replacedMost), "", min(mergeItems, facts.last), 0) +
		fmt.Sprintf(`,"dropped":{"type":"array","maxItems":%d,"items":{"type":"object","properties":{"fact":%s,`+
			`"why":{"type":"string","minLength":2,"maxLength":80}},"required":["fact","why"],"additionalProperties":false}}`,
			min(droppedMost, facts.last), facts.number())
	required := `"recap","dropped"`
	if !m.Running {
		properties = `"scene_name":{"type":"string","minLength":1,"maxLength":120},` + properties +
			`,"atmosphere":{"type":"string","maxLength":400},"emotional_beats":{"type":"string","maxLength":400}`
		required += `,"scene_name","atmosphere","emotional_beats"`
	}
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required +
		`],"additionalProperties":false}`)
}

// MergeForm returns the schema that an answer to Merge.Prompt is checked against.
func MergeForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + recapForm + `},"required":["recap"]}`)
}

// MergeAnswer is a model's answer to Merge.Prompt. Its numbers mean nothing without the Merge. The
// zero value leaves all facts unchanged.
type MergeAnswer struct {
	Answer
	dropped map[int]string // why a fact is dropped, by its number
}

var _ json.Unmarshaler = (*MergeAnswer)(nil)

// UnmarshalJSON takes an answer in, as that of Answer does.
func (a *MergeAnswer) UnmarshalJSON(data []byte) error {
	*a = MergeAnswer{}
	if err := a.Answer.UnmarshalJSON(data); err != nil {
		return err
	}
	fields, err := prompts.Object(data)
	a.dropped = coverage.Dropped(fields["dropped"])
	return err
}

func numberedFacts(facts []fact) *coverage.Facts {
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.text
	}
	return coverage.Of(texts)
}

// replacedFacts returns the numbers of the facts that a line of an answer replaces, nil if the line
// states a fact that has ended.
func replacedFacts(facts []fact, it item) []int {
	numbers := numberedFacts(facts).RestsOn(coverage.Statement{Text: it.text, Numbers: it.numbers})
	ended := func(n int) bool { return facts[n-1].ended != "" }
	if slices.ContainsFunc(numbers, func(n int) bool { return ended(n) && SameBullet(facts[n-1].text, it.text) }) {
		return nil
	}
	return slices.DeleteFunc(numbers, ended)
}

// accountFor returns which facts are dropped and why, and the numbers of the facts that stay
// unchanged. Ended facts are always dropped; facts that the user brought back never are.
func accountFor(facts []fact, a *MergeAnswer) (why map[int]string, stay []int) {
	var stated []int
	for _, s := range a.body.sections {
		for _, it := range s {
			stated = append(stated, replacedFacts(facts, it)...)
		}
	}
	dropped := map[int]string{}
	for i, f := range facts {
		switch n := i + 1; {
		case f.ended != "":
			dropped[n] = f.ended
		case f.hand != storage.BulletRestored:
			dropped[n] = a.dropped[n]
		}
	}
	return numberedFacts(facts).Account(stated, dropped, nil)
}

// sectionOrder is the order in which sections claim a fact that is under several: situation and
// open threads before what has happened.
var sectionOrder = [...]int{situation, threads, developments, highlights, tone}

// lines returns the lines of an answer that state facts. A line is dropped if all its facts are
// stated by lines with as few or fewer facts, or if it cites none and so is invented.
func lines(facts []fact, a *MergeAnswer) (b body) {
	breadths := map[int]int{} // per fact: the least number of facts in a line that states it
	for _, at := range sectionOrder {
		for _, it := range a.body.sections[at] {
			it.numbers = replacedFacts(facts, it)
			breadth, news := len(it.numbers), false
			for _, n := range it.numbers {
				if breadths[n] == 0 || breadths[n] > breadth {
					breadths[n], news = breadth, true
				}
			}
			if news {
				b.put(at, it)
			}
		}
	}
	return b
}

// noRoom is why a fact goes without a model's word.
const noRoom = "there was no room for it under its heading"

// Draft makes a record of an answer, under each heading in the order of the facts. A situation of an
// earlier record that no line restates becomes a development.
func (m Merge) Draft(a *MergeAnswer) (d storage.Recap) {
	facts := m.facts()
	why, stay := accountFor(facts, a)
	d.SceneName, d.Atmosphere, d.EmotionalBeats = a.name, a.atmosphere, a.beats
	b, all := lines(facts, a), numberedFacts(facts)
	hasNewest := slices.ContainsFunc(facts, func(f fact) bool { return f.heading == situation && f.newest })
	for _, n := range stay {
		f := facts[n-1]
		if f.heading == situation && !f.newest && hasNewest {
			f.heading = developments
		}
		// Of facts that say the same, one stays, with the sources of all.
		same := slices.DeleteFunc(all.RestsOn(coverage.Statement{Text: f.text}),
			func(n int) bool { return facts[n-1].ended != "" })
		if !b.put(f.heading, item{text: f.text, numbers: same}) {
			why[n] = noRoom
		}
	}
	b.unite()
	for _, s := range b.sections {
		slices.SortStableFunc(s, func(x, y item) int {
			return cmp.Compare(slices.Min(x.numbers), slices.Min(y.numbers))
		})
	}
	material := make([]citedText, len(facts))
	for i, f := range facts {
		material[i] = f.citedText
		if reason := why[i+1]; reason != "" {
			d.Dropped = append(d.Dropped, storage.DroppedBullet{Heading: headings[f.heading], Bullet: f.text,
				Why: reason, Messages: f.nodes})
		}
	}
	d.Text, d.Sources = b.render(material, nil, m.Style == Narrative && !m.Running)
	if last := len(m.Records) - 1; last >= 0 && !m.Running {
		newest := m.Records[last]
		d.SceneName = cmp.Or(d.SceneName, m.names())
		d.Atmosphere = cmp.Or(d.Atmosphere, newest.Atmosphere)
		d.EmotionalBeats = cmp.Or(d.EmotionalBeats, newest.EmotionalBeats)
	}
	return d
}

// Concatenate returns the merge without a model: every fact unchanged.
func (m Merge) Concatenate() storage.Recap { return m.Draft(&MergeAnswer{}) }

// names returns the name of the result if no model names it.
func (m Merge) names() string {
	if m.Parts {
		return m.Records[len(m.Records)-1].SceneName // which names the whole scene
	}
	var names []string
	for _, r := range m.Records {
		if name := prompts.OneLine(r.SceneName); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return prompts.Bounded(strings.Join(names, ", "), maxName)
}

// JoinDrafts returns the record that the drafts of Split make.
func JoinDrafts(parts []storage.Recap) (d storage.Recap) {
	var text strings.Builder
	for i, h := range headings {
		text.WriteString("## " + h + "\n\n")
		for _, p := range parts {
			for _, b := range Bullets(p.Text) {
				if headingOf(b.Heading) == i {
					text.WriteString("- " + b.Text + "\n")
				}
			}
		}
		text.WriteByte('\n')
	}
	for _, p := range parts {
		d.Sources, d.Dropped = append(d.Sources, p.Sources...), append(d.Dropped, p.Dropped...)
		d.SceneName = cmp.Or(d.SceneName, p.SceneName)
		d.Atmosphere = cmp.Or(d.Atmosphere, p.Atmosphere)
		d.EmotionalBeats = cmp.Or(d.EmotionalBeats, p.EmotionalBeats)
	}
	d.Text = Tidy(text.String())
	return d
}
