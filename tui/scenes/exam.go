package scenes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// examNewest shows the newest scene that has a recap, and examines it.
func (r *Room) examNewest() tea.Cmd {
	list := r.desk.Play().Scenes().List
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Open || list[i].Recap.Version == 0 {
			continue
		}
		p := newRecapPane(r, "", list[i].Break)
		show := r.showRecap(p)
		chat, node := r.desk.Play().Chat().Chat.ID, p.node
		return tea.Batch(show, r.desk.Do(func() func() tea.Cmd {
			v, merged, err := readRecap(r.desk.Engine().Scenes, chat, "", node)
			return func() tea.Cmd {
				if r.desk.Panes().Current() != desk.Pane(p) || chat != r.desk.Play().Chat().Chat.ID || p.of != "" || p.node != node {
					return nil // something else is shown by now
				}
				p.take(v, merged, err)
				if err != nil || p.version() == nil {
					return nil
				}
				return p.exam()
			}
		}))
	}
	return r.desk.Say(event.Info, "no scene has a recap to test yet")
}

// exam shows the exam of the version that is shown; the first time it is held.
func (p *recapPane) exam() tea.Cmd {
	if p.of != "" {
		return p.desk.Say(event.Info, "only a scene's recap can be tested; "+p.key(keys.PaneView1)+" shows it")
	}
	if x := p.version().Exam; x != nil {
		p.desk.Open(p.examPaper("Recall test · "+desk.SceneTitle(p.view.Scene), x))
		return nil
	}
	return p.examine()
}

// examine has questions made of the scene and answered from memory.
func (p *recapPane) examine() tea.Cmd {
	eng := p.desk.Engine()
	chat, node := p.desk.Play().Chat().Chat.ID, p.node
	if v := p.view.Version(); v == nil || v.ID != p.version().ID {
		return p.desk.Say(event.Info, "only the current version can be tested; "+p.key(keys.PaneLeft)+" "+p.key(keys.PaneRight)+" make this one current")
	}
	return tea.Batch(p.desk.Work().Tick(), desk.Queue(p.desk, "the recall test is running: questions about the scene, answered from the recap alone", func() (storage.OperationID, error) {
		return eng.Scenes.Examine(chat, node)
	}))
}

// repair sends what the exam has shown to be lost back for another version.
func (p *recapPane) repair() tea.Cmd {
	eng := p.desk.Engine()
	v := p.version()
	switch {
	case p.of != "":
		return p.desk.Say(event.Info, "only a scene's recap can be repaired; "+p.key(keys.PaneView1)+" shows it")
	case v.Exam == nil:
		return p.desk.Say(event.Info, "this version has no recall test yet; "+desk.WayTo(p.desk, recapExam)+" runs one")
	case len(v.Exam.Lost()) == 0:
		return p.desk.Say(event.Info, "the recall test found no lost facts")
	}
	chat, node := p.desk.Play().Chat().Chat.ID, p.node
	return tea.Batch(p.desk.Work().Tick(), desk.Queue(p.desk, "a version with the lost facts is being generated", func() (storage.OperationID, error) {
		return eng.Scenes.RepairRecap(chat, node)
	}))
}

// examWords tell how an exam came out.
func examWords(x *storage.Exam) string {
	n, lost := len(x.Questions), len(x.Lost())
	switch {
	case n == 0:
		return "no questions could be made from this scene"
	case lost == 0:
		return fmt.Sprintf("all %d recalled", n)
	}
	return fmt.Sprintf("%d of %d recalled, %d lost", n-lost, n, lost)
}

// examLine is an exam's outcome in a line: a bar, and words.
func examLine(x *storage.Exam, w int, lk *look.Look) string {
	n, lost := len(x.Questions), len(x.Lost())
	if n == 0 {
		return lk.Dim.Styled(look.Within(examWords(x), w))
	}
	st := lk.Success
	if lost > 0 {
		st = lk.Warning
	}
	bar := look.Meter(float64(n-lost)/float64(n), min(10, n))
	return st.Styled(bar) + " " + lk.Base.Styled(look.Within(examWords(x), max(1, w-ansi.StringWidth(bar)-1)))
}

// examPaper shows the questions of an exam, what was forgotten first.
func (p *recapPane) examPaper(title string, x *storage.Exam) *widget.Reader {
	r := &widget.Reader{Title: title, Lines: func(w int, lk *look.Look) []string { return examLines(x, w, lk) }}
	if len(x.Lost()) > 0 {
		r.Leaving(keys.PaneAccept, "add the lost facts", p.repair)
	}
	r.Leaving(keys.PaneRegenerate, "run it again", p.examine)
	return r
}

// examLines are an exam's questions: the lost ones first.
func examLines(x *storage.Exam, w int, lk *look.Look) []string {
	out := []string{examLine(x, w, lk)}
	words := "held " + look.AgoWords(x.At)
	if x.Model != "" {
		words += " · " + look.Within(x.Model, 40)
	}
	out = append(out, lk.Dim.Styled(look.Within(words, w)))
	for _, lost := range []bool{true, false} {
		mark, st := "✓ ", lk.Success
		if lost {
			mark, st = "✗ ", lk.Failure
		}
		for _, q := range x.Questions {
			if q.Lost != lost {
				continue
			}
			out = append(out, "")
			out = append(out, look.Hanging(st.Styled(mark), q.Question, w, lk.Strong)...)
			out = append(out, look.Hanging(lk.Dim.Styled("  expected    "), q.Expected, w, lk.Base)...)
			answer := q.Answer
			if strings.TrimSpace(answer) == "" {
				answer = "–"
			}
			out = append(out, look.Hanging(lk.Dim.Styled("  from memory "), answer, w, lk.Base)...)
		}
	}
	return out
}
