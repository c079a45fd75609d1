package scenes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// listPane lists the scenes of the open chat, the open one last.
type listPane struct {
	pane.List[scenes.Scene]
	part         *Part
	shownBefore  storage.NodeID // the scene whose recap was shown before
	removedBreak storage.NodeID // the last removed break
}

func newListPane(r *Part) *listPane {
	p := &listPane{List: pane.NewList[scenes.Scene](r.host, 2), part: r}
	p.ID, p.Row, p.Detail, p.Above = sceneKey, p.row, p.reason, p.header
	return p
}

// sceneKey returns the key of a scene in the list.
func sceneKey(s *scenes.Scene) string { return cmp.Or(string(s.Break), "open") }

// Title implements pane.Pane.
func (*listPane) Title() string { return "Scenes" }

// Name implements pane.Pane.
func (*listPane) Name() string { return listName }

// Read implements pane.Pane.
func (p *listPane) Read() tea.Cmd { return p.part.play.ReadScenes() }

// ChosenScene implements pane.SceneList.
func (p *listPane) ChosenScene() (s scenes.Scene, ok bool) {
	if x := p.Item(); x != nil {
		return *x, true
	}
	return s, false
}

// follow lists the scenes of the open chat. In another chat it selects the scene whose recap was
// shown before, or that of the selected message.
func (p *listPane) follow() {
	s := p.Host.Play().Scenes()
	if p.Chat != s.Chat {
		p.Reset(s.Chat)
		p.Items, p.removedBreak = nil, ""
	}
	if len(s.List) == 0 {
		return // they are being read
	}
	if !p.Loaded {
		at := len(s.List) - 1
		if m, ok := p.Host.Play().Selected(); ok && pane.SceneAt(s, m.Depth) >= 0 {
			at = pane.SceneAt(s, m.Depth)
		}
		if i := slices.IndexFunc(s.List, func(x scenes.Scene) bool { return x.Break == p.shownBefore }); i >= 0 &&
			p.shownBefore != "" {
			at = i
		}
		p.PendingKey, p.shownBefore = sceneKey(&s.List[at]), ""
	}
	p.Show(s.List)
}

// Draw implements pane.Pane.
func (p *listPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.Chat != p.Host.Play().Scenes().Chat {
		p.follow()
	}
	p.List.Draw(buf, area, focused)
}

// reason returns lines with the reason for a detected break.
func (p *listPane) reason(s *scenes.Scene, w int) []string {
	t := draw.Lines{Width: w}
	if why := draw.Truncate(s.Rationale, 400); s.Detected && why != "" {
		t.Add(p.Host.Styles().Dim, why)
	}
	return t.Text
}

// header returns lines about the whole story.
func (p *listPane) header(w, h int) []string {
	if h < 5 {
		return nil
	}
	s, held, sty := p.Host.Play().Scenes(), 0, p.Host.Styles()
	for _, sc := range s.List {
		if sc.InMemory {
			held += sc.Messages
		}
	}
	words := " " + draw.Plural(len(s.List), "scene")
	if s.Running.Version > 0 {
		words += fmt.Sprintf("%srunning recap v%d", draw.Separator, s.Running.Version)
	}
	lines := []string{sty.Base.Styled(words)}
	if s.Running.Version > 0 && s.Running.Stale {
		lines[0] += " " + sty.Warning.Styled("outdated")
	}
	var parts []string
	if words := p.part.searching(); words != "" {
		parts = append(parts, words)
	}
	if held > 0 {
		parts = append(parts, draw.Plural(held, "message")+" merged")
	}
	if n := withoutRecap(s); n > 0 {
		parts = append(parts, draw.Plural(n, "scene")+" without a recap")
	}
	if s.Unchecked > 0 {
		parts = append(parts, strconv.Itoa(s.Unchecked)+" unchecked")
	}
	if len(parts) > 0 {
		lines = append(lines, " "+sty.Dim.Styled(draw.Parts(strings.Join(parts, draw.Separator), w-1)))
	}
	if len(s.List) == 1 {
		for _, l := range draw.Wrap(p.noBreaks(s), w-2) {
			lines = append(lines, " "+sty.Dim.Styled(l))
		}
	}
	if h >= 12 {
		lines = append(lines, "")
	}
	return lines
}

// noBreaks returns words about how to divide a chat with a single scene.
func (p *listPane) noBreaks(s scenes.Scenes) string {
	words := "This chat has no scene breaks yet."
	if k := p.Host.Keys().Key(keys.Break, keys.Browse); k != "" {
		words += " Browsing, " + k + " ends a scene at the selected message."
	}
	if k := p.Host.Keys().Key(keys.Palette, keys.Write); k != "" && s.Unchecked > 0 {
		words += " \"detect scenes in the whole chat\" in the command palette (" + k +
			") searches the existing messages."
	}
	return words
}

// withoutRecap returns the number of ended scenes that have no recap, and none in progress.
func withoutRecap(s scenes.Scenes) (n int) {
	for _, v := range s.List {
		if !v.Open && v.Recap.Versions == 0 && !v.Working && v.Messages > 0 {
			n++
		}
	}
	return n
}

// searching returns the progress of the search of the whole chat.
func (r *Part) searching() string {
	for _, j := range r.host.Work().Running() {
		if j.Op.Type == "detect_scenes" && j.Chat == r.host.Play().Chat().Chat.ID {
			return strings.TrimSpace("detecting scenes " + pane.ProgressWords(j))
		}
	}
	if r.host.Play().Scenes().Detecting {
		return "detecting scenes …"
	}
	return ""
}

func (p *listPane) row(s *scenes.Scene, w int) pane.Row {
	sty := p.Host.Styles()
	digits := len(strconv.Itoa(len(p.Items)))
	r := pane.Row{Sign: fmt.Sprintf(" %*d", digits, s.Number), SignStyle: sty.Dim,
		Text: pane.SceneName(*s), Faint: s.Name == "", More: sceneDetails(*s, w-digits-2)}
	r.Right, r.RightStyle = recapState(s, sty)
	if m, ok := p.Host.Play().Selected(); ok && p.Host.Mode() == keys.Browse {
		if here, ok := pane.SceneOf(p.Host.Play().Scenes(), m.Depth); ok && here.Break == s.Break {
			r.Sign, r.SignStyle = "▌"+r.Sign[1:], sty.Bar
		}
	}
	return r
}

// recapState describes the state of a scene's recap.
func recapState(s *scenes.Scene, sty *draw.Styles) (words string, st uv.Style) {
	words, st = pane.RecapWords(s.Recap), sty.Base
	switch {
	case s.Open:
		return "", st
	case s.Working:
		return draw.Join(words, "generating …"), sty.Accent
	case words == "":
		words, st = "no recap", sty.Dim
	case s.Expanded:
		words = "▾ " + words
	}
	if s.Recap.Stale {
		words, st = words+" outdated", sty.Warning
	}
	return words, st
}

// sceneDetails returns the second line of a scene's row, in w cells: where the scene is, its
// length, and as much of the rest as fits.
func sceneDetails(s scenes.Scene, w int) string {
	if s.First == "" {
		return "empty"
	}
	where, tokens := draw.Range(s.FirstDepth, s.LastDepth)+draw.Separator+draw.Plural(s.Messages, "message"),
		draw.Separator+draw.Thousands(s.Tokens)+" tokens"
	held, found := "", ""
	if s.InMemory {
		held = draw.Separator + "merged"
	}
	if s.Detected {
		found = draw.Separator + "detected"
	}
	for _, line := range []string{where + tokens + held + found, where + held + found, where + found} {
		room := w - ansi.StringWidth(line)
		if room < 0 {
			continue
		}
		if found != "" && room >= 12 {
			if why := pane.ReasonIn(s.Rationale, room-2); why != "" {
				line += ": " + why
			}
		}
		return line
	}
	return where
}

// Actions implements pane.Pane.
func (p *listPane) Actions() []keys.Action {
	there := func(words string, act keys.Name, hint string, do func(s scenes.Scene) tea.Cmd) keys.Action {
		return keys.Action{Name: act, Hint: hint, Text: words, Visible: p.Has, Do: p.On(do)}
	}
	ended := func(words string, act keys.Name, hint string, do func(s scenes.Scene) tea.Cmd) keys.Action {
		a := there(words, act, hint, do)
		a.Unavailable = p.notEnded
		return a
	}
	own := func(words string, act, was keys.Name, do func(s scenes.Scene) tea.Cmd) keys.Action {
		a := ended(words, act, "", do)
		return keys.PaneAction(a, was)
	}
	return append(p.Moves(),
		there("go to the scene", keys.PaneEnter, "go", p.goTo),
		there("show the recap", keys.PaneEdit, "recap",
			func(s scenes.Scene) tea.Cmd { return p.part.openRecap(s.Break) }),
		ended("recap again", keys.PaneRegenerate, "recap again", func(s scenes.Scene) tea.Cmd { return p.recap(s) }),
		ended("rename the scene", keys.PaneRename, "name",
			func(s scenes.Scene) tea.Cmd { p.part.openRename(s); return nil }),
		ended("delete the break", keys.PaneDelete, "delete break", p.removeBreak),
		there("join with the scene before", keys.PaneJoin, "join", func(scenes.Scene) tea.Cmd { return p.join() }),
		there("show or hide the recap in the chat", keys.PaneFold, "fold", p.part.fold),
		keys.Action{Name: keys.PaneFilter, Text: "search the recaps", Hint: "search",
			Do: func() tea.Cmd { return p.Host.Run(keys.SearchRecaps) }},
		keys.Action{Name: keys.PaneUndo, Text: "restore the break, or undo a join", Do: p.bringBack},
		there("stop the recap", keys.PaneStop, "", p.part.cancelScene),
		own("merge into the running recap", "scenes-merge", "pane-merge", p.merge),
		own("test recap recall of the chosen scene", "scenes-exam", "pane-exam", p.recallTest),
	)
}

// notEnded returns the reason why the selected scene has no recap of its own yet.
func (p *listPane) notEnded() string {
	if s, ok := p.ChosenScene(); ok && s.Open {
		return "this scene is still open; it can be recapped once it has ended"
	}
	return ""
}

func (p *listPane) recap(s scenes.Scene) tea.Cmd {
	chat := p.Host.Play().Chat().Chat.ID
	return pane.Queue(p.Host, "the recap of "+pane.SceneTitle(s)+" is being generated",
		func() (storage.OperationID, error) {
			return p.Host.Engine().Scenes.Recap(chat, s.Break, scenes.RecapRequest{Force: true})
		})
}

func (p *listPane) merge(s scenes.Scene) tea.Cmd {
	chat := p.Host.Play().Chat().Chat.ID
	return pane.Queue(p.Host, pane.SceneTitle(s)+" is being merged into the running recap",
		func() (storage.OperationID, error) {
			return p.Host.Engine().Scenes.MergeRunning(chat, s.Break)
		})
}

func (p *listPane) recallTest(s scenes.Scene) tea.Cmd {
	chat := p.Host.Play().Chat().Chat.ID
	words := "the recall test of " + pane.SceneTitle(s) + " is running; its recap will show the result"
	return pane.Queue(p.Host, words, func() (storage.OperationID, error) {
		return p.Host.Engine().Scenes.QueueRecallTest(chat, s.Break)
	})
}

func (p *listPane) removeBreak(s scenes.Scene) tea.Cmd {
	p.removedBreak = s.Break
	return p.part.removeBreak(s, p.Host.Keys().Key(keys.PaneUndo, keys.Pane))
}

// goTo goes to the beginning of a scene.
func (p *listPane) goTo(s scenes.Scene) tea.Cmd {
	if s.First == "" {
		m, _ := p.Host.Play().LastMessage()
		return tea.Batch(p.Host.Play().JumpTo(m.ID), p.Host.Run(keys.Last))
	}
	return p.Host.Play().JumpTo(s.First)
}

// bringBack restores the break that was removed last.
func (p *listPane) bringBack() tea.Cmd {
	if p.removedBreak == "" {
		return nil
	}
	chat, node := p.Host.Play().Chat().Chat.ID, p.removedBreak
	p.removedBreak, p.PendingKey = "", string(node)
	return p.part.changeScenes(func() error { _, err := p.Host.Engine().Scenes.SetBreak(chat, node, true); return err },
		func(scenes.Scenes) string { return "scene break restored" })
}

// join asks before it joins the chosen scene and the previous one.
func (p *listPane) join() tea.Cmd {
	s, _ := p.ChosenScene()
	switch {
	case p.At == 0:
		return p.Host.Say(event.Info, "there is no scene before this one")
	case s.Open:
		return p.Host.Say(event.Info, "this scene is still open; remove the break before it to join them")
	}
	chat, before := p.Host.Play().Chat().Chat.ID, p.Items[p.At-1]
	text := fmt.Sprintf("Join %s and %s into one scene? A new recap is made from theirs; the break between them is "+
		"hidden, and the old recaps are kept.", pane.SceneTitle(before), pane.SceneTitle(s))
	p.Host.Open(&widget.Confirm{Title: "Join two scenes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "join", Do: func() tea.Cmd {
			return p.part.changeScenes(func() error { return p.Host.Engine().Scenes.Join(chat, before.Break, s.Break) },
				func(scenes.Scenes) string { return "joined; the recap is being generated" })
		}}}})
	return nil
}

// openRename asks for a scene's name.
func (r *Part) openRename(s scenes.Scene) {
	chat := r.host.Play().Chat().Chat.ID
	f := &widget.Form{Title: fmt.Sprintf("Name of scene %d", s.Number),
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Name", draw.Truncate(s.Name, 120),
			"empty: use the recap's title")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := f.Fields[0].Value()
		return pane.Try(r.host, func() error { return r.host.Engine().Scenes.Rename(chat, s.Break, name) }), nil
	}
	r.host.Open(f.Start())
}

// cancelScene cancels the work on a scene; if there is none, the search for scenes.
func (r *Part) cancelScene(s scenes.Scene) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		ops, err := r.host.Engine().Queue.List()
		n := 0
		cancel := func(ours func(j pane.Operation) bool) {
			for _, op := range ops {
				open := op.Status == storage.Pending || op.Status == storage.InProgress
				if j := pane.NewOperation(op); open && err == nil && j.Chat == chat && ours(j) {
					err = r.host.Engine().Queue.Cancel(op.ID)
					n++
				}
			}
		}
		if s.Break != "" {
			cancel(func(j pane.Operation) bool { return j.Node == s.Break })
		}
		words := "work on " + pane.SceneTitle(s) + " cancelled"
		if n == 0 {
			cancel(func(j pane.Operation) bool { return j.Op.Type == "detect_scenes" })
			words = "scene detection cancelled; scenes found so far are kept"
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case n == 0:
				return r.host.Say(event.Info, "nothing is being generated here")
			}
			return r.host.Say(event.Info, words)
		}
	})
}
