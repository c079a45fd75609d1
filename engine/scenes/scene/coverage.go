package scene

import (
	"fmt"
	"slices"
	"strings"

	"ghostlight/prompts"
	"ghostlight/storage"
)

// Merge is the work of a scene's recap into the running one. Every fact of both must
// come out of it: told by a bullet, or left out for a reason that is kept.
type Merge struct {
	Base, Next storage.Recap
	// Late says that the scene lies before scenes that Base tells of already: it may
	// add to these, and overrule nothing.
	Late bool
	// User and Char are the names of both sides.
	User, Char string

	part bool // of a merge, see Parts
}

// Parts are the merge heading by heading, for memories that are too long to be asked
// about at once. Together puts what becomes of them together again.
func (m Merge) Parts() []Merge {
	var out []Merge
	for i := range headings5 {
		p := m
		p.part = true
		p.Base.Text, p.Next.Text = under(m.Base.Text, i), under(m.Next.Text, i)
		out = append(out, p)
	}
	return out
}

// under is of a recap what stands under one of headings5.
func under(text string, at int) string {
	var b strings.Builder
	b.WriteString("## " + headings5[at] + "\n")
	for _, bullet := range Bullets(text) {
		if of := headingOf(bullet.Heading); of == at || of < 0 && at == developments {
			b.WriteString("- " + bullet.Text + "\n")
		}
	}
	return b.String()
}

// Together is the running recap that the drafts of Parts make.
func Together(parts []MergeDraft) MergeDraft {
	var d MergeDraft
	var text strings.Builder
	for i, h := range headings5 {
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
		d.Sources, d.Dropped, d.Carried = append(d.Sources, p.Sources...), append(d.Dropped, p.Dropped...), append(d.Carried, p.Carried...)
	}
	d.Text = Tidy(text.String())
	return d
}

// Trivial tells whether there is nothing to be weighed: one side tells nothing.
func (m Merge) Trivial() bool {
	return len(Bullets(m.Base.Text)) == 0 || len(Bullets(m.Next.Text)) == 0
}

// fact is a bullet that goes into a merge. Its number is its place in the list, from 1.
type fact struct {
	cited
	heading int  // of headings5
	next    bool // it is the scene's
}

func (m Merge) facts() []fact {
	var out []fact
	for i, r := range []storage.Recap{m.Base, m.Next} {
		for _, b := range Bullets(r.Text) {
			at := headingOf(b.Heading)
			if at < 0 {
				at = developments
			}
			out = append(out, fact{cited{b.Text, SourcesOf(r, b.Text), true}, at, i == 1})
		}
	}
	return out
}

// situation and developments are the first two of headings5.
const situation, developments = 0, 1

// Prompt asks for the merge. The answer is a MergeAnswer.
func (m Merge) Prompt(set *prompts.Set) []Prompt {
	file := RunningFile
	if m.Late {
		file = LateFile
	}
	user, char := named(m.User, m.Char)
	memory, n := bulletList(m.Base, 0)
	newest, last := bulletList(m.Next, n)
	return set.Request(file, map[string]string{
		"user": user, "char": char, "memory": memory, "newest": newest, "first": fmt.Sprint(n + 1), "count": fmt.Sprint(last),
		"scene_name": or(prompts.OneLine(m.Next.SceneName), "without a name"),
	})
}

// Check finds what is wrong with an answer, in words for the model.
func (m Merge) Check(a *MergeAnswer) error {
	if !m.Late && !m.part {
		if err := a.body.check(); err != nil {
			return err
		}
	}
	_, missing := m.cover(a)
	if len(missing) == 0 {
		return nil
	}
	var list []string
	for _, n := range missing[:min(len(missing), 40)] {
		list = append(list, fmt.Sprintf("[%d]", n))
	}
	return fmt.Errorf(`these facts are left out without a word: %s. Write each into "recap" with its number in "bullets", or name it in "dropped" with the reason`,
		strings.Join(list, " "))
}

// Usable tells whether a running recap can be made of an answer that Check finds
// fault with. Where only a part is asked about, or what to add, that may be nothing.
func (m Merge) Usable(a *MergeAnswer) bool { return m.Late || m.part || a.body.count() > 0 }

// Draft makes the running recap of an answer. What the answer leaves out without a
// reason is carried over word for word; what it leaves out with one is in Dropped.
func (m Merge) Draft(a *MergeAnswer) MergeDraft {
	facts := m.facts()
	why, missing := m.cover(a)
	var d MergeDraft
	b := m.body(a, facts)
	for _, n := range missing {
		f := facts[n-1]
		if !b.put(f.heading, item{text: f.text, numbers: []int{n}}) {
			why[n] = full
			continue
		}
		d.Carried = append(d.Carried, f.text)
	}
	for n, f := range facts {
		if reason, ok := why[n+1]; ok {
			d.Dropped = append(d.Dropped, storage.DroppedBullet{Heading: headings5[f.heading], Bullet: f.text, Why: reason, Messages: f.nodes})
		}
	}
	material := make([]cited, len(facts))
	for i, f := range facts {
		material[i] = f.cited
	}
	d.Text, d.Sources = b.render(material, nil, false)
	return d
}

// Whole is the merge without a model: every fact as it stands, and the situation of
// the later of both.
func (m Merge) Whole() MergeDraft {
	var a MergeAnswer
	return m.Draft(&a)
}

// MergeDraft is a running recap ready to become a version.
type MergeDraft struct {
	Text    string // Markdown with all five headings in order
	Sources []storage.Source
	Dropped []storage.DroppedBullet // facts that are not in it
	Carried []string                // bullets that the model had left out and that are in it all the same
}

// Why facts go without a model's word: those about where things stand, when a later
// scene tells that too, and what a heading cannot hold.
const (
	older = "it told how things stood in an earlier scene"
	full  = "there was no room for it under its heading"
)

// cover tells which facts an answer leaves out for which reason, and the numbers of
// those that are missing without one. How things stood before goes by itself where the
// later scene says how they stand.
func (m Merge) cover(a *MergeAnswer) (why map[int]string, missing []int) {
	facts := m.facts()
	told := make([]bool, len(facts)+1)
	for i, s := range a.body.sections {
		for _, it := range s {
			for _, n := range m.kept(i, it, facts) {
				told[n] = true
			}
		}
	}
	now := slices.ContainsFunc(facts, func(f fact) bool { return f.heading == situation && f.next != m.Late })
	why = map[int]string{}
	for i, f := range facts {
		n := i + 1
		passed := f.heading == situation && f.next == m.Late && now
		switch reason := a.dropped[n]; {
		case m.Late && !f.next: // stays as it is, whatever the answer says
		case told[n] && !(m.Late && f.heading == situation):
		case passed:
			why[n] = or(reason, older)
		case reason != "":
			why[n] = reason
		default:
			missing = append(missing, n)
		}
	}
	return why, missing
}

// restsOn are the numbers of the facts that a bullet tells: those that it cites and has
// half the words of meaning of, since careless models cite what they leave out, and those
// whose words it holds, cited or not.
func (m Merge) restsOn(it item, facts []fact) (numbers []int) {
	names := nameWords(m.User, m.Char)
	set, same := stems(it.text, names), plainText(it.text)
	for i, f := range facts {
		of := stems(f.text, names)
		common := 0
		for s := range of {
			if set[s] {
				common++
			}
		}
		cited := slices.Contains(it.numbers, i+1) && common*2 >= len(of)
		if cited || plainText(f.text) == same || common > 2 && common*3 >= len(of)*2 {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// body is what an answer makes of the facts: its bullets that rest on any, and of an
// earlier scene only what it adds to the memory as it stands. What rests on none is
// invented.
func (m Merge) body(a *MergeAnswer, facts []fact) body {
	var b body
	for i, f := range facts {
		if m.Late && !f.next {
			b.put(f.heading, item{text: f.text, numbers: []int{i + 1}})
		}
	}
	for at, s := range a.body.sections {
		for _, it := range s {
			if numbers := m.kept(at, it, facts); len(numbers) > 0 {
				it.numbers = numbers
				b.add(at, it)
			}
		}
	}
	return b
}

// kept are the facts that a bullet is kept for. A bullet about an earlier scene is kept
// for none where it tells how things stand, or rests on the memory's facts too and might
// change these.
func (m Merge) kept(section int, it item, facts []fact) []int {
	numbers := m.restsOn(it, facts)
	if m.Late && (section == situation || slices.ContainsFunc(numbers, func(n int) bool { return !facts[n-1].next })) {
		return nil
	}
	return numbers
}
