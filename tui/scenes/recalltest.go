package scenes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// testNewestRecall shows the newest scene with a recap, and starts its recall test.
func (r *Part) testNewestRecall() tea.Cmd {
	list := r.host.Play().Scenes().List
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Open || list[i].Recap.Version == 0 {
			continue
		}
		p := newRecapPane(r, "", list[i].Break)
		show := r.showRecap(p)
		chat, node := r.host.Play().Chat().Chat.ID, p.node
		return tea.Batch(show, r.host.Do(func() func() tea.Cmd {
			v, merged, err := readRecap(r.host.Engine().Scenes, chat, "", node)
			return func() tea.Cmd {
				if r.host.Panes().Current() != pane.Pane(p) || chat != r.host.Play().Chat().Chat.ID || p.of != "" ||
					p.node != node {
					return nil // something else is shown now
				}
				p.setData(v, merged, err)
				if err != nil || p.version() == nil {
					return nil
				}
				return p.recallTest()
			}
		}))
	}
	return r.host.Say(event.Info, "no scene has a recap to test yet")
}

// recallTest shows the recall test of the visible version, or starts it.
func (p *recapPane) recallTest() tea.Cmd {
	if p.of != "" {
		return p.host.Say(event.Info, "only a scene's recap can be tested; "+p.key(keys.PaneView1)+" shows it")
	}
	if x := p.version().RecallTest; x != nil {
		p.host.Open(p.recallReader("Recall test · "+pane.SceneTitle(p.view.Scene), x))
		return nil
	}
	return p.examine()
}

// examine starts the recall test: questions about the scene, answered from memory.
func (p *recapPane) examine() tea.Cmd {
	eng := p.host.Engine()
	chat, node := p.host.Play().Chat().Chat.ID, p.node
	if v := p.view.Version(); v == nil || v.ID != p.version().ID {
		return p.host.Say(event.Info, "only the current version can be tested; "+p.key(keys.PaneLeft)+" "+
			p.key(keys.PaneRight)+" make this one current")
	}
	return tea.Batch(p.host.Work().Tick(),
		pane.Queue(p.host, "the recall test is running: questions about the scene, answered from the recap alone",
			func() (storage.OperationID, error) {
				return eng.Scenes.QueueRecallTest(chat, node)
			}))
}

// repair requests another version with the facts that the test found to be lost.
func (p *recapPane) repair() tea.Cmd {
	eng := p.host.Engine()
	v := p.version()
	switch {
	case p.of != "":
		return p.host.Say(event.Info, "only a scene's recap can be repaired; "+p.key(keys.PaneView1)+" shows it")
	case v.RecallTest == nil:
		return p.host.Say(event.Info, "this version has no recall test yet; "+
			pane.PathTo(p.host, recapRecallTest)+" runs one")
	case len(v.RecallTest.Lost()) == 0:
		return p.host.Say(event.Info, "the recall test found no lost facts")
	}
	chat, node := p.host.Play().Chat().Chat.ID, p.node
	return tea.Batch(p.host.Work().Tick(),
		pane.Queue(p.host, "a version with the lost facts is being generated", func() (storage.OperationID, error) {
			return eng.Scenes.RepairRecap(chat, node)
		}))
}

// recallText describes the result of a recall test.
func recallText(x *storage.RecallTest) string {
	n, lost := len(x.Questions), len(x.Lost())
	switch {
	case n == 0:
		return "no questions could be made from this scene"
	case lost == 0:
		return fmt.Sprintf("all %d recalled", n)
	}
	return fmt.Sprintf("%d of %d recalled, %d lost", n-lost, n, lost)
}

// recallLine returns a recall test's result in a line: a bar, and words.
func recallLine(x *storage.RecallTest, w int, sty *draw.Styles) string {
	n, lost := len(x.Questions), len(x.Lost())
	if n == 0 {
		return sty.Dim.Styled(draw.Truncate(recallText(x), w))
	}
	st := sty.Success
	if lost > 0 {
		st = sty.Warning
	}
	bar := draw.Meter(float64(n-lost)/float64(n), min(10, n))
	return st.Styled(bar) + " " + sty.Base.Styled(draw.Truncate(recallText(x), max(1, w-ansi.StringWidth(bar)-1)))
}

// recallReader shows the questions of a recall test, forgotten ones first.
func (p *recapPane) recallReader(title string, x *storage.RecallTest) *widget.Reader {
	r := &widget.Reader{Title: title, Lines: func(w int, sty *draw.Styles) []string { return recallLines(x, w, sty) }}
	if len(x.Lost()) > 0 {
		r.Leaving(keys.PaneAccept, "add the lost facts", p.repair)
	}
	r.Leaving(keys.PaneRegenerate, "run it again", p.examine)
	return r
}

// recallLines returns a recall test's questions: the lost ones first.
func recallLines(x *storage.RecallTest, w int, sty *draw.Styles) []string {
	out := []string{recallLine(x, w, sty)}
	words := "held " + draw.AgoWords(x.At)
	if x.Model != "" {
		words += " · " + draw.Truncate(x.Model, 40)
	}
	out = append(out, sty.Dim.Styled(draw.Truncate(words, w)))
	for _, lost := range []bool{true, false} {
		mark, st := "✓ ", sty.Success
		if lost {
			mark, st = "✗ ", sty.Failure
		}
		for _, q := range x.Questions {
			if q.Lost != lost {
				continue
			}
			out = append(out, "")
			out = append(out, draw.Hanging(st.Styled(mark), q.Question, w, sty.Strong)...)
			out = append(out, draw.Hanging(sty.Dim.Styled("  expected    "), q.Expected, w, sty.Base)...)
			answer := q.Answer
			if strings.TrimSpace(answer) == "" {
				answer = "–"
			}
			out = append(out, draw.Hanging(sty.Dim.Styled("  from recap  "), answer, w, sty.Base)...)
		}
	}
	return out
}
