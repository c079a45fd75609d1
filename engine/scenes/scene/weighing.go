package scene

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fact is a bullet that goes into a merge or a join. Its number is its place in the
// list, from 1.
type fact struct {
	cited
	heading int    // of headings5
	newest  bool   // it is of the scene that is the last of them in the story
	over    string // why it has ended, "" where it has not
	hand    storage.Hand
}

// weighing holds an answer against the facts that it was made of.
type weighing struct {
	facts []fact
	late  bool              // the facts that are the newest stay as they are: see Merge
	over  map[string]string // bullets that have ended, by their keys, and why
	check *coverage.Facts
}

// add lists the bullets of a recap.
func (w *weighing) add(r storage.Recap, newest bool) {
	for _, b := range Bullets(r.Text) {
		at := headingOf(b.Heading)
		if at < 0 {
			at = developments
		}
		w.facts = append(w.facts, fact{cited{b.Text, SourcesOf(r, b.Text), true, MemoriesOf(r, b.Text)}, at, newest, w.over[BulletKey(b.Text)], HandOf(r, b.Text)})
	}
}

// weighed are the facts, ready to be held against statements.
func (w *weighing) weighed() *coverage.Facts {
	if w.check == nil {
		texts := make([]string, len(w.facts))
		for i, f := range w.facts {
			texts[i] = f.text
		}
		w.check = coverage.Of(texts)
	}
	return w.check
}

// kept are the facts that a bullet is kept for. A bullet about an earlier scene is kept
// for none where it tells how things stand, or rests on the memory's facts too and might
// change these.
func (w *weighing) kept(section int, it item) []int {
	numbers := w.weighed().RestsOn(coverage.Statement{Text: it.text, Numbers: it.numbers})
	ended := func(n int) bool { return w.facts[n-1].over != "" }
	if slices.ContainsFunc(numbers, func(n int) bool { return ended(n) && SameBullet(w.facts[n-1].text, it.text) }) {
		return nil
	}
	numbers = slices.DeleteFunc(numbers, ended)
	if w.late && (section == situation || slices.ContainsFunc(numbers, func(n int) bool { return w.facts[n-1].newest })) {
		return nil
	}
	return numbers
}

// body is what an answer makes of the facts: its bullets, but for those of whose facts
// each is told already by a bullet that tells as few or fewer, since one that names many
// may say little of each. Of an earlier scene it is only what that adds to the memory as
// it stands. What rests on none is invented.
func (w *weighing) body(a *MergeAnswer) body {
	var b body
	told := map[int]int{} // how many facts the bullet tells that tells the fewest
	for i, f := range w.facts {
		if w.late && f.newest && f.over == "" {
			told[i+1] = 1
			b.put(f.heading, item{text: f.text, numbers: []int{i + 1}})
		}
	}
	for _, at := range tellFirst {
		for _, it := range a.body.sections[at] {
			it.numbers = w.kept(at, it)
			breadth := len(it.numbers)
			if !slices.ContainsFunc(it.numbers, func(n int) bool { return told[n] == 0 || told[n] > breadth }) {
				continue
			}
			for _, n := range it.numbers {
				if told[n] == 0 || told[n] > breadth {
					told[n] = breadth
				}
			}
			b.add(at, it)
		}
	}
	return b
}

// tellFirst are the sections in the order in which a fact that stands under several is
// told: where things stand and what is open before what has happened.
var tellFirst = [...]int{situation, threads, developments, highlights, tone}

// cover tells which facts an answer leaves out for which reason, and the numbers of
// those that are missing without one. What has ended goes by itself.
func (w *weighing) cover(a *MergeAnswer) (why map[int]string, missing []int) {
	var told []int
	for i, s := range a.body.sections {
		for _, it := range s {
			for _, n := range w.kept(i, it) {
				if !w.late || w.facts[n-1].heading != situation {
					told = append(told, n)
				}
			}
		}
	}
	stay := func(n int) bool { return w.late && w.facts[n-1].newest && w.facts[n-1].over == "" }
	why, missing = w.weighed().Account(told, a.dropped, stay)
	for i, f := range w.facts {
		if f.over != "" {
			why[i+1] = f.over
			continue
		}
		if _, left := why[i+1]; left && f.hand == storage.BroughtBack {
			delete(why, i+1)
			missing = append(missing, i+1)
		}
	}
	return why, slices.DeleteFunc(missing, func(n int) bool { return why[n] != "" })
}

// complain tells a model which facts its answer leaves out without a reason. What one of
// its lines names it has not left out, also where that line is not taken, and what the
// user has brought back is carried over anyway.
func (w *weighing) complain(a *MergeAnswer) error {
	_, missing := w.cover(a)
	missing = slices.DeleteFunc(missing, func(n int) bool {
		return slices.Contains(a.body.cites, n) || w.facts[n-1].hand == storage.BroughtBack
	})
	return w.weighed().Complain(missing, "recap", "bullets")
}

// standsAnew reports whether the newest facts say how things stand.
func (w *weighing) standsAnew() bool {
	return slices.ContainsFunc(w.facts, func(f fact) bool { return f.heading == situation && f.newest })
}

// draft makes a recap of an answer: see Merge.Draft. A flowing one has paragraphs in
// place of bullets.
func (w *weighing) draft(a *MergeAnswer, flowing bool) MergeDraft {
	why, missing := w.cover(a)
	var d MergeDraft
	b := w.body(a)
	for _, n := range missing {
		f := w.facts[n-1]
		if f.heading == situation && !f.newest && w.standsAnew() {
			f.heading = developments // it may not be how things stand now, and is not lost
		}
		if !b.put(f.heading, item{text: f.text, numbers: []int{n}}) {
			why[n] = full
			continue
		}
		d.Carried = append(d.Carried, f.text)
	}
	for n, f := range w.facts {
		if reason, ok := why[n+1]; ok {
			d.Dropped = append(d.Dropped, storage.DroppedBullet{Heading: headings5[f.heading], Bullet: f.text, Why: reason, Messages: f.nodes})
		}
	}
	material := make([]cited, len(w.facts))
	for i, f := range w.facts {
		material[i] = f.cited
	}
	d.Text, d.Sources = b.render(material, nil, flowing)
	w.keepHands(&d)
	return d
}
