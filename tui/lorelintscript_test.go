package tui

import (
	"testing"

	"ghostlight/storage"
	"ghostlight/tui/keys"
)

func TestLoreLintScript(t *testing.T) {
	t.Parallel()
	broken := penned("Ferry", "[ITEM-Ferry: leaves at dawn, carries nobody]", "ferry", "/fer(ry/")
	other := penned("Cave", "[LOCATION-Cave: under the cliff]", "cave")
	s := begin(t, stageOptions{w: 140, h: 40, prepare: withBook(t, broken, other)})
	b, err := s.eng.Lore.FindBook("Skarvik")
	s.must(err)
	keysOf := func(name string) int {
		id, err := s.eng.Lore.FindEntry(b.ID, name)
		s.must(err)
		v, err := s.eng.Lore.Entry(b.ID, id, "")
		s.must(err)
		return len(v.Keys)
	}
	s.see("blue boat").openView(keys.LoreLint).see("regex", "Ferry: ")
	s.choose("regex")
	s.press("f").see("u undoes it").notSee("regex 1")
	if n := keysOf("Ferry"); n != 1 {
		t.Errorf("%d keys", n)
	}
	s.press("u").see("the fix was undone", "regex 1")
	if n := keysOf("Ferry"); n != 2 {
		t.Errorf("%d keys", n)
	}
	s.choose("regex")
	s.press("F").see("Put right all 1").press("y").notSee("regex 1")
	s.press("g", "enter").see("1 Entries")
	x := penned("Broken", "whatever", "/(/")
	_, err = s.eng.Lore.SaveEntry(b.ID, "", x)
	s.must(err)
	s.press("4").see("Broken: ")
	id, err := s.eng.Lore.FindEntry(b.ID, "Broken")
	s.must(err)
	_, err = s.eng.Lore.Act(b.ID, "", []storage.EntryID{id}, "delete", "")
	s.must(err)
	s.notSee("Broken: ") // it is checked again by itself
}

// choose chooses the first finding of a rule.
func (s *session) choose(rule string) {
	s.t.Helper()
	s.in(func(a *app) {
		p := s.lint(a)
		for i, r := range p.shown {
			if r.head == "" && p.all[r.finding].Rule == rule {
				p.Outline.Choose(i)
				return
			}
		}
		s.t.Errorf("no finding of the rule %s", rule)
	})
}
