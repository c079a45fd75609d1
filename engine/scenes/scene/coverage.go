package scene

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Merge is the work of a scene's recap into the running one. Every fact of both must
// come out of it: told by a bullet, or left out for a reason that is kept.
type Merge struct {
	Base, Next storage.Recap
	// Late says that the scene lies before scenes that Base tells of already: it may
	// add to these, and overrule nothing.
	Late bool
	// Over are the bullets of both that have ended since, by their keys, and why: they
	// are shown as such, and come into nothing.
	Over map[string]string
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

// weigh lists the facts of a merge: those of the memory, then the scene's.
func (m Merge) weigh() *weighing {
	w := &weighing{late: m.Late, over: m.Over}
	w.add(m.Base, m.Late)
	w.add(m.Next, !m.Late)
	return w
}

// The places of headings5.
const (
	situation = iota
	developments
	highlights
	tone
	threads
)

// Prompt asks for the merge. The answer is a MergeAnswer.
func (m Merge) Prompt(set *prompts.Set) []Prompt {
	file := RunningFile
	if m.Late {
		file = LateFile
	}
	user, char := named(m.User, m.Char)
	memory, n := bulletList(m.Base, 0, m.Over)
	newest, last := bulletList(m.Next, n, m.Over)
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
	return m.weigh().complain(a)
}

// Usable reports whether a running recap can be made of an answer that Check finds fault
// with: of any that could be read, since what it does not name is carried over.
func (m Merge) Usable(a *MergeAnswer) bool { return a.read }

// Draft makes the running recap of an answer. What the answer leaves out without a
// reason is carried over word for word; what it leaves out with one is in Dropped.
func (m Merge) Draft(a *MergeAnswer) MergeDraft { return m.weigh().draft(a, false) }

// Whole is the merge without a model: every fact as it stands. How things stood before the
// later of both becomes something that has happened.
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

// full is why a fact goes without a model's word.
const full = "there was no room for it under its heading"
