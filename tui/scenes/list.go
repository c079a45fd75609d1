package scenes

import (
	"fmt"
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
	widget.List
	room    *Room
	desk    desk.Desk
	area    uv.Rectangle // of the last frame
	head    int          // lines above the rows
	lines   widget.Rows
	chat    storage.ChatID // whose scene is chosen
	dropped storage.NodeID // the break that was taken away last
	back    storage.NodeID // the one that comes back, to be chosen again
}

// newListPane comes with the scene chosen whose recap was shown before, if one
// was.
func newListPane(r *Room) *listPane {
	p := &listPane{room: r, desk: r.desk}
	if before, ok := r.desk.Pane().(*recapPane); ok {
		p.back = before.node
	}
	return p
}

// Title implements desk.Pane.
func (*listPane) Title() string { return "Scenes" }

// Name implements desk.Pane.
func (*listPane) Name() string { return listName }

// Read implements desk.Pane.
func (p *listPane) Read() tea.Cmd { return p.room.play.ReadScenes() }

// Click implements desk.Pane.
func (p *listPane) Click(_, y int) tea.Cmd {
	if i, ok := p.lines.At(y - p.area.Min.Y - p.head); ok {
		p.At = i
	}
	return nil
}

// ChosenScene implements desk.SceneList.
func (p *listPane) ChosenScene() (s scenes.Scene, ok bool) {
	if list := p.desk.Scenes().List; p.At < len(list) {
		return list[p.At], true
	}
	return s, false
}

// choose makes the scene of the message that is selected in the play the chosen
// one, once the scenes of a chat are known.
func (p *listPane) choose() {
	if p.chat == p.desk.Scenes().Chat || len(p.desk.Scenes().List) == 0 {
		return
	}
	p.chat, p.dropped, p.At, p.Top = p.desk.Scenes().Chat, "", len(p.desk.Scenes().List)-1, 0
	for i, s := range p.desk.Scenes().List {
		if p.back != "" && s.Break == p.back {
			p.At, p.back = i, ""
			return
		}
	}
	if m, ok := p.desk.Selected(); ok {
		if i := desk.SceneAt(p.desk.Scenes(), m.Depth); i >= 0 {
			p.At = i
		}
	}
}

// stay keeps the chosen scene when the scenes are others now.
func (p *listPane) stay(old, fresh scenes.Scenes) {
	if old.Chat != fresh.Chat || p.chat != fresh.Chat || p.At >= len(old.List) {
		return
	}
	at := old.List[p.At].Break
	for i, s := range fresh.List {
		switch {
		case p.back != "" && s.Break == p.back:
			p.At, p.back = i, ""
			return
		case s.Break == at:
			p.At = i // unless the one comes that is to come back
		}
	}
}

// Draw implements desk.Pane.
func (p *listPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	p.lines.Forget()
	if p.desk.Chat().Chat.ID == "" {
		look.PutWrapped(buf, area, p.desk.Look().Dim, "No chat is open.")
		return
	}
	scenes := p.desk.Scenes().List
	if len(scenes) == 0 {
		return // they are being read
	}
	p.choose()
	p.head = p.header(buf, area)
	rows := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if p.At < len(scenes) && area.Dy() >= 16 {
		rows.Max.Y -= p.reason(buf, rows, scenes[p.At])
	}
	here := -1
	if m, ok := p.desk.Selected(); ok && p.desk.Mode() == keys.Browse {
		here = desk.SceneAt(p.desk.Scenes(), m.Depth)
	}
	from, to := p.View(len(scenes), 2, rows.Dy())
	p.lines.Draw(rows, from, to, 2, rows.Dy()-2*len(scenes), func(area uv.Rectangle, i int) int { return p.row(buf, area, i, i == here, focused) })
	if y := rows.Min.Y + p.lines.Lines() + 1; len(scenes) == 1 && y < rows.Max.Y {
		words := "This chat has no scene breaks yet."
		if k := p.desk.Keys().Key(keys.Break, keys.Browse); k != "" {
			words += " Browsing, " + k + " ends a scene at the selected message."
		}
		if k := p.desk.Keys().Key(keys.Palette, keys.Write); k != "" && p.desk.Scenes().Unchecked > 0 {
			words += " \"detect scenes in the whole chat\" in the command palette (" + k + ") searches the existing messages."
		}
		look.PutWrapped(buf, uv.Rect(rows.Min.X+1, y, rows.Dx()-2, rows.Max.Y-y), p.desk.Look().Dim, words)
	}
}

// reason draws at the bottom why the chosen scene's break was detected, and says
// how many lines that took.
func (p *listPane) reason(buf uv.ScreenBuffer, area uv.Rectangle, s scenes.Scene) int {
	why := look.Within(s.Rationale, 400)
	if !s.Detected || why == "" {
		return 0
	}
	lines := look.Wrap(why, area.Dx()-2)
	lines = lines[:min(len(lines), 4)]
	for i, l := range lines {
		look.Put(buf, area.Min.X+1, area.Max.Y-len(lines)+i, area.Dx()-2, p.desk.Look().Dim, l)
	}
	return len(lines) + 1
}

// header tells of the story as a whole, and says how many lines that took.
func (p *listPane) header(buf uv.ScreenBuffer, area uv.Rectangle) int {
	if area.Dy() < 5 {
		return 0
	}
	s, held := p.desk.Scenes(), 0
	for _, sc := range s.List {
		if sc.InMemory {
			held += sc.Messages
		}
	}
	x := area.Min.X + 1
	x += look.Put(buf, x, area.Min.Y, area.Max.X-x, p.desk.Look().Base, look.Plural(len(s.List), "scene"))
	if s.Running.Version > 0 {
		x += look.Put(buf, x, area.Min.Y, area.Max.X-x, p.desk.Look().Base, fmt.Sprintf("%srunning recap v%d", look.Separator, s.Running.Version))
		if s.Running.Stale {
			look.Put(buf, x+1, area.Min.Y, area.Max.X-x-1, p.desk.Look().Warning, "stale")
		}
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
	rows := 1
	if len(parts) > 0 {
		look.Put(buf, area.Min.X+1, area.Min.Y+1, area.Dx()-1, p.desk.Look().Dim, look.Parts(strings.Join(parts, look.Separator), area.Dx()-1))
		rows++
	}
	if area.Dy() >= 12 {
		rows++
	}
	return rows
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
	for _, j := range r.desk.Jobs() {
		if j.Op.Type == "detect_scenes" && j.Chat == r.desk.Chat().Chat.ID {
			return strings.TrimSpace("detecting scenes " + desk.ProgressWords(j))
		}
	}
	if r.desk.Scenes().Detecting {
		return "detecting scenes …"
	}
	return ""
}

// row draws a scene, and tells how many of the area's lines that took.
func (p *listPane) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, here, focused bool) int {
	y := area.Min.Y
	s := p.desk.Scenes().List[i]
	name, number, dim := p.desk.Look().Base, p.desk.Look().Dim, p.desk.Look().Dim
	if s.Name == "" {
		name = p.desk.Look().Dim
	}
	chosen := i == p.At && focused
	if chosen {
		name, number = p.desk.Look().Selected, p.desk.Look().Selected
		look.Fill(buf, uv.Rect(area.Min.X, y, area.Dx(), 1), p.desk.Look().Selected)
	} else if here {
		look.Put(buf, area.Min.X, y, 1, p.desk.Look().Bar, "▌")
	}
	digits := len(strconv.Itoa(len(p.desk.Scenes().List)))
	look.PutRight(buf, area.Min.X+1, y, digits, number, strconv.Itoa(s.Number))
	x := area.Min.X + digits + 2
	room := p.state(buf, area, y, s, chosen) - x - 1
	n := look.PutRest(buf, uv.Rect(area.Min.X, y, area.Dx(), max(1, area.Dy()-1)), x, x+room, name, desk.SceneName(s))
	if y+n < area.Max.Y {
		look.Put(buf, x, y+n, area.Max.X-x, dim, sceneDetails(s, area.Max.X-x))
	}
	return n + 1
}

// state draws at the right edge how a scene's recap is, and says where it begins.
func (p *listPane) state(buf uv.ScreenBuffer, area uv.Rectangle, y int, s scenes.Scene, chosen bool) int {
	words, st := "no recap", p.desk.Look().Dim
	switch v := desk.RecapWords(s.Recap); {
	case s.Open:
		words = ""
	case s.Working:
		words, st = "generating …", p.desk.Look().Accent
		if v != "" {
			words = v + " · generating …"
		}
	case v != "":
		words, st = v, p.desk.Look().Base
		if s.Expanded {
			words = "▾ " + v
		}
	}
	on := func(st uv.Style) uv.Style {
		if chosen {
			st.Fg, st.Bg = p.desk.Look().Selected.Fg, p.desk.Look().Selected.Bg
			st.Attrs |= p.desk.Look().Selected.Attrs
		}
		return st
	}
	end := area.Dx()
	if s.Recap.Stale && !s.Working {
		x := look.PutRight(buf, area.Min.X, y, end, on(p.desk.Look().Warning), "stale")
		end = x - area.Min.X - 1
	}
	if words == "" {
		return area.Min.X + end
	}
	return look.PutRight(buf, area.Min.X, y, end, on(st), words)
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
		return keys.Action{Name: act, Hint: hint, Words: words,
			Here: func() bool { _, ok := p.ChosenScene(); return ok },
			Do:   func() tea.Cmd { s, _ := p.ChosenScene(); return do(s) }}
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
	return append(keys.Moving(&p.List),
		there("go to the scene", keys.PaneEnter, "go", p.goTo),
		there("show the recap", keys.PaneEdit, "recap", func(s scenes.Scene) tea.Cmd { return p.room.openRecap(s.Break) }),
		ended("recap again", keys.PaneRegenerate, "recap again", func(s scenes.Scene) tea.Cmd { return p.recap(s) }),
		ended("rename the scene", keys.PaneRename, "name", func(s scenes.Scene) tea.Cmd { p.room.openRename(s); return nil }),
		ended("delete the break", keys.PaneDelete, "delete break", p.drop),
		there("join with the scene before", keys.PaneJoin, "join", func(scenes.Scene) tea.Cmd { return p.join() }),
		there("show or hide the recap in the chat", keys.PaneFold, "fold", p.room.fold),
		keys.Action{Name: keys.PaneFilter, Words: "search the recaps", Hint: "search", Do: func() tea.Cmd { return p.desk.Run(keys.SearchRecaps) }},
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
	chat := p.desk.Chat().Chat.ID
	return desk.Queue(p.desk, "the recap of "+desk.SceneTitle(s)+" is being generated", func() (storage.OperationID, error) {
		return p.desk.Engine().Scenes.Recap(chat, s.Break, scenes.RecapRequest{Force: true})
	})
}

func (p *listPane) merge(s scenes.Scene) tea.Cmd {
	chat := p.desk.Chat().Chat.ID
	return desk.Queue(p.desk, desk.SceneTitle(s)+" is being merged into the running recap", func() (storage.OperationID, error) {
		return p.desk.Engine().Scenes.MergeRunning(chat, s.Break)
	})
}

func (p *listPane) exam(s scenes.Scene) tea.Cmd {
	chat := p.desk.Chat().Chat.ID
	words := "the recall test of " + desk.SceneTitle(s) + " is running; its recap will show the result"
	return desk.Queue(p.desk, words, func() (storage.OperationID, error) {
		return p.desk.Engine().Scenes.Examine(chat, s.Break)
	})
}

func (p *listPane) drop(s scenes.Scene) tea.Cmd {
	p.dropped = s.Break
	return p.room.dropBreak(s, p.desk.Keys().Key(keys.PaneUndo, keys.Pane))
}

// goTo shows where a scene begins.
func (p *listPane) goTo(s scenes.Scene) tea.Cmd {
	if s.First == "" {
		m, _ := p.desk.LastMessage()
		return tea.Batch(p.desk.JumpTo(m.ID), p.desk.Run(keys.Last))
	}
	return p.desk.JumpTo(s.First)
}

// bringBack sets the break again that was taken away last.
func (p *listPane) bringBack() tea.Cmd {
	if p.dropped == "" {
		return nil
	}
	chat, node := p.desk.Chat().Chat.ID, p.dropped
	p.dropped, p.back = "", node
	return p.room.reshape(func() error { _, err := p.desk.Engine().Scenes.SetBreak(chat, node, true); return err },
		func(scenes.Scenes) string { return "scene break restored" })
}

// join asks before the chosen scene and the one before become one.
func (p *listPane) join() tea.Cmd {
	s := p.desk.Scenes().List[p.At]
	switch {
	case p.At == 0:
		return p.desk.Say(event.Info, "there is no scene before this one")
	case s.Open:
		return p.desk.Say(event.Info, "this scene is still open; remove the break before it to join them")
	}
	chat, before := p.desk.Chat().Chat.ID, p.desk.Scenes().List[p.At-1]
	text := fmt.Sprintf("Join %s and %s into one scene? A new recap is made from theirs; the break between them is hidden, and the old recaps are kept.", desk.SceneTitle(before), desk.SceneTitle(s))
	p.desk.Open(&widget.Confirm{Title: "Join two scenes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "join", Do: func() tea.Cmd {
			return p.room.reshape(func() error { return p.desk.Engine().Scenes.Join(chat, before.Break, s.Break) },
				func(scenes.Scenes) string { return "joined; the recap is being generated" })
		}}}})
	return nil
}

// openRename asks for a scene's name.
func (r *Room) openRename(s scenes.Scene) {
	chat := r.desk.Chat().Chat.ID
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
	chat := r.desk.Chat().Chat.ID
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
