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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// listPane lists the scenes of the open chat, the open one last.
type listPane struct {
	desk.List[scenes.Scene]
	room    *Room
	before  storage.NodeID // the scene whose recap was shown before
	dropped storage.NodeID // the break that was taken away last
}

func newListPane(r *Room) *listPane {
	p := &listPane{List: desk.NewList[scenes.Scene](r.desk, 2), room: r}
	p.ID, p.Row, p.Detail, p.Above = sceneKey, p.row, p.reason, p.header
	return p
}

// sceneKey names a scene in the list.
func sceneKey(s *scenes.Scene) string { return cmp.Or(string(s.Break), "open") }

// Title implements desk.Pane.
func (*listPane) Title() string { return "Scenes" }

// Name implements desk.Pane.
func (*listPane) Name() string { return listName }

// Read implements desk.Pane.
func (p *listPane) Read() tea.Cmd { return p.room.play.ReadScenes() }

// ChosenScene implements desk.SceneList.
func (p *listPane) ChosenScene() (s scenes.Scene, ok bool) {
	if x := p.Item(); x != nil {
		return *x, true
	}
	return s, false
}

// follow lists the scenes of the open chat as they are known. Of another chat the one is chosen
// whose recap was shown before, or that of the message that is selected in the play.
func (p *listPane) follow() {
	s := p.Desk.Play().Scenes()
	if p.Chat != s.Chat {
		p.Renew(s.Chat)
		p.Items, p.dropped = nil, ""
	}
	if len(s.List) == 0 {
		return // they are being read
	}
	if !p.Loaded {
		at := len(s.List) - 1
		if m, ok := p.Desk.Play().Selected(); ok && desk.SceneAt(s, m.Depth) >= 0 {
			at = desk.SceneAt(s, m.Depth)
		}
		if i := slices.IndexFunc(s.List, func(x scenes.Scene) bool { return x.Break == p.before }); i >= 0 && p.before != "" {
			at = i
		}
		p.Wish, p.before = sceneKey(&s.List[at]), ""
	}
	p.Show(s.List)
}

// Draw implements desk.Pane.
func (p *listPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.Chat != p.Desk.Play().Scenes().Chat {
		p.follow()
	}
	p.List.Draw(buf, area, focused)
}

// reason says why a scene's break was detected.
func (p *listPane) reason(s *scenes.Scene, w int) []string {
	t := look.Lines{Width: w}
	if why := look.Within(s.Rationale, 400); s.Detected && why != "" {
		t.Add(p.Desk.Look().Dim, why)
	}
	return t.Text
}

// header tells of the story as a whole.
func (p *listPane) header(w, h int) []string {
	if h < 5 {
		return nil
	}
	s, held, lk := p.Desk.Play().Scenes(), 0, p.Desk.Look()
	for _, sc := range s.List {
		if sc.InMemory {
			held += sc.Messages
		}
	}
	words := " " + look.Plural(len(s.List), "scene")
	if s.Running.Version > 0 {
		words += fmt.Sprintf("%srunning recap v%d", look.Separator, s.Running.Version)
	}
	lines := []string{lk.Base.Styled(words)}
	if s.Running.Version > 0 && s.Running.Stale {
		lines[0] += " " + lk.Warning.Styled("stale")
	}
	var parts []string
	if words := p.room.searching(); words != "" {
		parts = append(parts, words)
	}
	if held > 0 {
		parts = append(parts, look.Plural(held, "message")+" in memory")
	}
	if n := untold(s); n > 0 {
		parts = append(parts, look.Plural(n, "scene")+" without a recap")
	}
	if s.Unchecked > 0 {
		parts = append(parts, strconv.Itoa(s.Unchecked)+" unchecked")
	}
	if len(parts) > 0 {
		lines = append(lines, " "+lk.Dim.Styled(look.Parts(strings.Join(parts, look.Separator), w-1)))
	}
	if len(s.List) == 1 {
		for _, l := range look.Wrap(p.noBreaks(s), w-2) {
			lines = append(lines, " "+lk.Dim.Styled(l))
		}
	}
	if h >= 12 {
		lines = append(lines, "")
	}
	return lines
}

// noBreaks says how the only scene of a chat becomes several.
func (p *listPane) noBreaks(s scenes.Scenes) string {
	words := "This chat has no scene breaks yet."
	if k := p.Desk.Keys().Key(keys.Break, keys.Browse); k != "" {
		words += " Browsing, " + k + " ends a scene at the selected message."
	}
	if k := p.Desk.Keys().Key(keys.Palette, keys.Write); k != "" && s.Unchecked > 0 {
		words += " \"detect scenes in the whole chat\" in the command palette (" + k + ") searches the existing messages."
	}
	return words
}

// untold is how many ended scenes have no recap, and none is being made.
func untold(s scenes.Scenes) (n int) {
	for _, v := range s.List {
		if !v.Open && v.Recap.Versions == 0 && !v.Working && v.Messages > 0 {
			n++
		}
	}
	return n
}

// searching tells how far the search of the whole chat for scenes is.
func (r *Room) searching() string {
	for _, j := range r.desk.Work().Jobs() {
		if j.Op.Type == "detect_scenes" && j.Chat == r.desk.Play().Chat().Chat.ID {
			return strings.TrimSpace("detecting scenes " + desk.ProgressWords(j))
		}
	}
	if r.desk.Play().Scenes().Detecting {
		return "detecting scenes …"
	}
	return ""
}

func (p *listPane) row(s *scenes.Scene, w int) desk.Row {
	lk := p.Desk.Look()
	digits := len(strconv.Itoa(len(p.Items)))
	r := desk.Row{Sign: fmt.Sprintf(" %*d", digits, s.Number), SignStyle: lk.Dim,
		Text: desk.SceneName(*s), Faint: s.Name == "", More: sceneDetails(*s, w-digits-2)}
	r.Right, r.RightStyle = recapState(s, lk)
	if m, ok := p.Desk.Play().Selected(); ok && p.Desk.Mode() == keys.Browse {
		if here, ok := desk.SceneOf(p.Desk.Play().Scenes(), m.Depth); ok && here.Break == s.Break {
			r.Sign, r.SignStyle = "▌"+r.Sign[1:], lk.Bar
		}
	}
	return r
}

// recapState says how a scene's recap is.
func recapState(s *scenes.Scene, lk *look.Look) (words string, st uv.Style) {
	words, st = desk.RecapWords(s.Recap), lk.Base
	switch {
	case s.Open:
		return "", st
	case s.Working:
		return look.Join(words, "generating …"), lk.Accent
	case words == "":
		words, st = "no recap", lk.Dim
	case s.Expanded:
		words = "▾ " + words
	}
	if s.Recap.Stale {
		words, st = words+" stale", lk.Warning
	}
	return words, st
}

// sceneDetails is the second line of a scene's row, in w cells: where the scene
// stands, how long it is, and of the rest what there is room for.
func sceneDetails(s scenes.Scene, w int) string {
	if s.First == "" {
		return "empty"
	}
	where, tokens := look.Range(s.FirstDepth, s.LastDepth)+look.Separator+look.Plural(s.Messages, "message"), look.Separator+look.Thousands(s.Tokens)+" tokens"
	held, found := "", ""
	if s.InMemory {
		held = look.Separator + "in memory"
	}
	if s.Detected {
		found = look.Separator + "detected"
	}
	for _, line := range []string{where + tokens + held + found, where + held + found, where + found} {
		room := w - ansi.StringWidth(line)
		if room < 0 {
			continue
		}
		if found != "" && room >= 12 {
			if why := desk.ReasonIn(s.Rationale, room-2); why != "" {
				line += ": " + why
			}
		}
		return line
	}
	return where
}

// Actions implements desk.Pane.
func (p *listPane) Actions() []keys.Action {
	there := func(words string, act keys.Name, hint string, do func(s scenes.Scene) tea.Cmd) keys.Action {
		return keys.Action{Name: act, Hint: hint, Words: words, Here: p.Has, Do: p.On(do)}
	}
	ended := func(words string, act keys.Name, hint string, do func(s scenes.Scene) tea.Cmd) keys.Action {
		a := there(words, act, hint, do)
		a.When = p.notEnded
		return a
	}
	own := func(words string, act, was keys.Name, do func(s scenes.Scene) tea.Cmd) keys.Action {
		a := ended(words, act, "", do)
		return keys.Own(a, was)
	}
	return append(p.Moves(),
		there("go to the scene", keys.PaneEnter, "go", p.goTo),
		there("show the recap", keys.PaneEdit, "recap", func(s scenes.Scene) tea.Cmd { return p.room.openRecap(s.Break) }),
		ended("recap again", keys.PaneRegenerate, "recap again", func(s scenes.Scene) tea.Cmd { return p.recap(s) }),
		ended("rename the scene", keys.PaneRename, "name", func(s scenes.Scene) tea.Cmd { p.room.openRename(s); return nil }),
		ended("delete the break", keys.PaneDelete, "delete break", p.drop),
		there("join with the scene before", keys.PaneJoin, "join", func(scenes.Scene) tea.Cmd { return p.join() }),
		there("show or hide the recap in the chat", keys.PaneFold, "fold", p.room.fold),
		keys.Action{Name: keys.PaneFilter, Words: "search the recaps", Hint: "search", Do: func() tea.Cmd { return p.Desk.Run(keys.SearchRecaps) }},
		keys.Action{Name: keys.PaneUndo, Words: "restore the break, or undo a join", Do: p.bringBack},
		there("stop the recap", keys.PaneStop, "", p.room.cancelScene),
		own("merge into the running recap", "scenes-merge", "pane-merge", p.merge),
		own("test recap recall of the chosen scene", "scenes-exam", "pane-exam", p.exam),
	)
}

// notEnded says why the chosen scene has no recap of its own yet.
func (p *listPane) notEnded() string {
	if s, ok := p.ChosenScene(); ok && s.Open {
		return "this scene is still open; it can be recapped once it has ended"
	}
	return ""
}

func (p *listPane) recap(s scenes.Scene) tea.Cmd {
	chat := p.Desk.Play().Chat().Chat.ID
	return desk.Queue(p.Desk, "the recap of "+desk.SceneTitle(s)+" is being generated", func() (storage.OperationID, error) {
		return p.Desk.Engine().Scenes.Recap(chat, s.Break, scenes.RecapRequest{Force: true})
	})
}

func (p *listPane) merge(s scenes.Scene) tea.Cmd {
	chat := p.Desk.Play().Chat().Chat.ID
	return desk.Queue(p.Desk, desk.SceneTitle(s)+" is being merged into the running recap", func() (storage.OperationID, error) {
		return p.Desk.Engine().Scenes.MergeRunning(chat, s.Break)
	})
}

func (p *listPane) exam(s scenes.Scene) tea.Cmd {
	chat := p.Desk.Play().Chat().Chat.ID
	words := "the recall test of " + desk.SceneTitle(s) + " is running; its recap will show the result"
	return desk.Queue(p.Desk, words, func() (storage.OperationID, error) {
		return p.Desk.Engine().Scenes.Examine(chat, s.Break)
	})
}

func (p *listPane) drop(s scenes.Scene) tea.Cmd {
	p.dropped = s.Break
	return p.room.dropBreak(s, p.Desk.Keys().Key(keys.PaneUndo, keys.Pane))
}

// goTo shows where a scene begins.
func (p *listPane) goTo(s scenes.Scene) tea.Cmd {
	if s.First == "" {
		m, _ := p.Desk.Play().LastMessage()
		return tea.Batch(p.Desk.Play().JumpTo(m.ID), p.Desk.Run(keys.Last))
	}
	return p.Desk.Play().JumpTo(s.First)
}

// bringBack sets the break again that was taken away last.
func (p *listPane) bringBack() tea.Cmd {
	if p.dropped == "" {
		return nil
	}
	chat, node := p.Desk.Play().Chat().Chat.ID, p.dropped
	p.dropped, p.Wish = "", string(node)
	return p.room.reshape(func() error { _, err := p.Desk.Engine().Scenes.SetBreak(chat, node, true); return err },
		func(scenes.Scenes) string { return "scene break restored" })
}

// join asks before the chosen scene and the one before become one.
func (p *listPane) join() tea.Cmd {
	s, _ := p.ChosenScene()
	switch {
	case p.At == 0:
		return p.Desk.Say(event.Info, "there is no scene before this one")
	case s.Open:
		return p.Desk.Say(event.Info, "this scene is still open; remove the break before it to join them")
	}
	chat, before := p.Desk.Play().Chat().Chat.ID, p.Items[p.At-1]
	text := fmt.Sprintf("Join %s and %s into one scene? A new recap is made from theirs; the break between them is hidden, and the old recaps are kept.", desk.SceneTitle(before), desk.SceneTitle(s))
	p.Desk.Open(&widget.Confirm{Title: "Join two scenes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "join", Do: func() tea.Cmd {
			return p.room.reshape(func() error { return p.Desk.Engine().Scenes.Join(chat, before.Break, s.Break) },
				func(scenes.Scenes) string { return "joined; the recap is being generated" })
		}}}})
	return nil
}

// openRename asks for a scene's name.
func (r *Room) openRename(s scenes.Scene) {
	chat := r.desk.Play().Chat().Chat.ID
	f := &widget.Form{Title: fmt.Sprintf("Name of scene %d", s.Number),
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Name", look.Within(s.Name, 120), "empty: use the recap's title")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := f.Fields[0].Value()
		return desk.Try(r.desk, func() error { return r.desk.Engine().Scenes.Rename(chat, s.Break, name) }), nil
	}
	r.desk.Open(f.Start())
}

// cancelScene ends the work on a scene; where there is none, the search for
// scenes.
func (r *Room) cancelScene(s scenes.Scene) tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	return r.desk.Do(func() func() tea.Cmd {
		ops, err := r.desk.Engine().House.Operations()
		n := 0
		cancel := func(ours func(j desk.Job) bool) {
			for _, op := range ops {
				open := op.Status == storage.Pending || op.Status == storage.InProgress
				if j := desk.NewJob(op); open && err == nil && j.Chat == chat && ours(j) {
					err = r.desk.Engine().House.QueueCancel(op.ID)
					n++
				}
			}
		}
		if s.Break != "" {
			cancel(func(j desk.Job) bool { return j.Node == s.Break })
		}
		words := "work on " + desk.SceneTitle(s) + " cancelled"
		if n == 0 {
			cancel(func(j desk.Job) bool { return j.Op.Type == "detect_scenes" })
			words = "scene detection cancelled; scenes found so far are kept"
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.desk.Fail(err)
			case n == 0:
				return r.desk.Say(event.Info, "nothing is being generated here")
			}
			return r.desk.Say(event.Info, words)
		}
	})
}
