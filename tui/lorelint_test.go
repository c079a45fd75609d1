package tui

import (
	"strings"
	"testing"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/scribe"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

func sampleFindings() []lintFinding {
	f := func(rule string, sev scribe.Severity, entry, name, text, fix string) lintFinding {
		return lintFinding{lore.Finding{Rule: rule, Severity: sev, Entry: storage.EntryID(entry), Name: name, Text: text, Fix: fix}, "book", "Skarvik"}
	}
	return []lintFinding{
		f("regex", scribe.Fault, "e1", "Ferry", "the regex “/fer(ry/” is not valid: a bracket is not closed", "takes the key out"),
		f("plist", scribe.Doubt, "e2", "Lighthouse", "the bracket at the end is missing", "closes it"),
		f("pronoun", scribe.Doubt, "e3", "Tove", "“works for him”: a name would say who", ""),
		f("plist", scribe.Doubt, "e4", "The cave", "the type is in capitals", "writes it small"),
		f("twin", scribe.Thought, "e5", "Aksel", "reads nearly as “Axel”", ""),
		f("dead-key", scribe.Thought, "e6", "Compass", "the key “astrolabe” never matched in this chat", "takes the key out"),
	}
}

// showLint opens the view of findings and puts some into it.
func (s *session) showLint(all []lintFinding) *session {
	s.t.Helper()
	s.in(func(a *app) { a.send2(a.Run(keys.LoreLint)) })
	s.until("the check", func() bool {
		ready := false
		s.in(func(a *app) { p := s.lint(a); ready = p != nil && p.loaded && !p.busy })
		return ready
	})
	s.in(func(a *app) { s.lint(a).take(all) })
	return s
}

func (*session) lint(a *app) *loreLint {
	if p, ok := paneOf[*lorePane](a); ok {
		l, _ := p.view().(*loreLint)
		return l
	}
	return nil
}

func TestGolden_LoreLint(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showLint(nil).see("Nothing is wrong")
	s.showLint(sampleFindings()).see("1 error", "3 warnings", "2 hints", "(1!)")
	s.goldenAfter("lore-lint", []string{"g"}).goldenStyled("lore-lint")
	s.press("l").see("‹plist 2›").notSee("pronoun: ").golden("lore-lint-rule", dims{40, 12}, dims{80, 24})
	s.press("F").see("Put right all 2 findings").golden("lore-lint-all", dims{40, 12}, dims{80, 24})
}

func TestLoreLint_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showLint(sampleFindings()).see("6")
	s.press("G", "f").see("only you can put this right").press("F").see("nothing of the rule “twin”")
	s.press("u").see("nothing was fixed here")
	for _, want := range []string{"plist", "regex", "pronoun", "twin", "dead-key", ""} {
		s.press("right")
		s.in(func(a *app) {
			if p := s.lint(a); p.rule != want {
				t.Errorf("rule %q is shown, want %q", p.rule, want)
			}
		})
	}
	s.press("left").see("‹dead-key 1›").press("/").see("Findings of which rule?").typeText("pronoun").press("enter").see("‹pronoun 1›")
	s.press("enter").onEntries()
	s.press("4", "right", "right").see("‹dead-key 1›")
	s.in(func(a *app) {
		s.lint(a).take(sampleFindings()[:3]) // none of that rule is left
		if s.lint(a).rule != "" || len(s.lint(a).shown) != 5 {
			t.Errorf("%d rows of rule %q", len(s.lint(a).shown), s.lint(a).rule)
		}
		s.lint(a).choose("book", "e3", a)
		if f := s.lint(a).finding(); f == nil || f.Entry != "e3" {
			t.Errorf("%+v", f)
		}
	})
}

func TestLoreLint_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	all := sampleFindings()
	for i := range all {
		all[i].Name, all[i].Text, all[i].bookName, all[i].Rule, all[i].Fix = evil, strings.Repeat(evil, 9), evil, evil, evil
	}
	s.see("blue boat").showLint(all)
	for _, d := range []dims{{1, 1}, {7, 4}, {20, 8}, {40, 12}, {80, 24}, {200, 60}} {
		s.size(d.w, d.h)
		s.press("j", "right", "F").now()
		s.press("esc", "/").now()
		s.press("esc").now()
	}
	scan(t, s.out.bytes())
}

func TestPickedStrip(t *testing.T) {
	lk := testLook(t, true)
	for _, w := range []int{1, 5, 12, 20, 40, 200} {
		for at := range 4 {
			line := pickedStrip([]string{"all 10", "plist 4", "pronoun 3", "dead-key 3"}, at, w, lk)
			if !strings.Contains(line, "‹") {
				t.Errorf("%d cells, %d: %q", w, at, line)
			}
		}
	}
}
