package lore_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// showLint opens the view of findings and puts some into it.
func (s *session) showLint(all []lore.Finding) *session {
	s.T().Helper()
	s.openView(keys.LoreLint)
	s.until("the check", (*lore.Part).LintReady)
	s.look(func(r *lore.Part) { r.FillLint(all) })
	return s
}

func TestGolden_LoreLint(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showLint(nil).see("No problems found")
	s.showLint(lore.SampleFindings()).see("Errors 1", "Warnings 3", "Hints 2", "(1!)")
	s.goldenAfter("lore-lint", []string{"g"}).goldenStyled("lore-lint")
	s.press("l").see("‹plist 2›").notSee("pronoun: ").golden("lore-lint-rule", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("R").see("Fix all 2 findings").golden("lore-lint-all", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestLint_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showLint(lore.SampleFindings()).see("6")
	s.press("G", "A").see("no automatic fix").press("R").see("no finding of the rule “twin”")
	s.press("u").see("nothing to undo")
	for _, want := range []string{"plist", "regex", "pronoun", "dead-key", "twin", ""} {
		s.press("right")
		s.look(func(r *lore.Part) {
			if rule, _ := r.LintRule(); rule != want {
				t.Errorf("rule %q is shown, want %q", rule, want)
			}
		})
	}
	s.press("left").see("‹twin 1›").press("right", "/").see("filter by words").typeText("would say who").see("Warnings 1").press("enter").see("/ would say who").notSee("Hints")
	s.press("enter").onEntries()
	s.press("4", "esc", "left").see("‹twin 1›")
	s.look(func(r *lore.Part) {
		r.FillLint(lore.SampleFindings()[:3]) // none of that rule is left
		if rule, rows := r.LintRule(); rule != "" || rows != 5 {
			t.Errorf("%d rows of rule %q", rows, rule)
		}
		if f := r.LintChoose("e3"); f == nil || f.Entry != "e3" {
			t.Errorf("%+v", f)
		}
	})
}

func TestLint_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	all := lore.SampleFindings()
	for i := range all {
		all[i].Name, all[i].Text, all[i].Rule, all[i].Fix = tuitest.Evil, strings.Repeat(tuitest.Evil, 9), tuitest.Evil, tuitest.Evil
		all[i].SetBookName(tuitest.Evil)
	}
	s.see("blue boat").showLint(all)
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		s.press("j", "right", "R").Now()
		s.press("esc", "/").Now()
		s.press("esc").Now()
	}
	tuitest.Scan(t, s.Written())
}

func TestLintScript(t *testing.T) {
	t.Parallel()
	broken := penned("Ferry", "[ITEM-Ferry: leaves at dawn, carries nobody]", "ferry", "/fer(ry/")
	other := penned("Cave", "[LOCATION-Cave: under the cliff]", "cave")
	s := begin(t, tuitest.Options{W: 140, H: 40, Prepare: withBook(t, broken, other)})
	b, err := s.Engine.Lore.FindBook("Skarvik")
	s.Must(err)
	keysOf := func(name string) int {
		id, err := s.Engine.Lore.FindEntry(b.ID, name)
		s.Must(err)
		v, err := s.Engine.Lore.Entry(b.ID, id, "")
		s.Must(err)
		return len(v.Keys)
	}
	s.see("blue boat").openView(keys.LoreLint).see("regex", "Ferry: ")
	s.choose("regex")
	s.press("A").see("u undoes it").notSee("regex 1")
	if n := keysOf("Ferry"); n != 1 {
		t.Errorf("%d keys", n)
	}
	s.press("1").see("Cave").press("4", "u").see("undone: ", "regex 1")
	if n := keysOf("Ferry"); n != 2 {
		t.Errorf("%d keys", n)
	}
	s.choose("regex")
	s.press("e").see("Basics").press("esc").notSee("Basics")
	s.press("R").see("Fix all 1").press("y").notSee("regex 1")
	s.press("g", "enter").see("1 Entries")
	x := penned("Broken", "whatever", "/(/")
	_, err = s.Engine.Lore.SaveEntry(b.ID, "", x)
	s.Must(err)
	s.press("4").see("Broken: ")
	id, err := s.Engine.Lore.FindEntry(b.ID, "Broken")
	s.Must(err)
	_, err = s.Engine.Lore.Act(b.ID, "", []storage.EntryID{id}, "delete", "")
	s.Must(err)
	s.notSee("Broken: ") // it is checked again by itself
}

// choose chooses the first finding of a rule.
func (s *session) choose(rule string) {
	s.T().Helper()
	s.look(func(r *lore.Part) {
		if !r.LintPick(rule) {
			s.T().Errorf("no finding of the rule %s", rule)
		}
	})
}

// What undoes a fix follows it.
func TestLint_UndoneAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Prepare: withBook(t, penned("Ferry", "[ITEM-Ferry: leaves at dawn, carries nobody]", "ferry", "/fer(ry/"))})
	s.see("blue boat").openView(keys.LoreLint).see("regex", "Ferry: ")
	s.choose("regex")
	fix := s.pressed("A")
	if s.pressed("u") != nil {
		t.Fatal("it is undone before it is stored")
	}
	s.in(func(*tui.Screen, *lore.Part) tea.Cmd { return fix })
	s.see("undone: ", "regex 1")
}
