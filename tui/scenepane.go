package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine/event"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// scenesPane lists the scenes of the open chat, the open one last.
type scenesPane struct {
	widget.List
	head    int            // lines above the rows
	chat    storage.ChatID // whose scene is chosen
	dropped storage.NodeID // the break that was taken away last
	back    storage.NodeID // the one that comes back, to be chosen again
}

// newScenesPane comes with the scene chosen whose recap was shown before, if one
// was.
func newScenesPane(a *app) *scenesPane {
	p := &scenesPane{}
	if before, ok := paneOf[*recapPane](a); ok {
		p.back = before.node
	}
	return p
}

func (*scenesPane) kind() paneKind { return paneScenes }
func (*scenesPane) title() string  { return "Scenes" }
func (*scenesPane) foot() string {
	return "enter go · e recap · c make · n name · b break · J join · m merge · z fold · U undo found · q exam · / search"
}

func (p *scenesPane) read(a *app) tea.Cmd { return a.readScenes() }
func (p *scenesPane) click(row int)       { p.List.Click(row - p.head) }

// choose makes the scene of the message that is selected in the play the chosen
// one, once the scenes of a chat are known.
func (p *scenesPane) choose(a *app) {
	if p.chat == a.scenes.Chat || len(a.scenes.List) == 0 {
		return
	}
	p.chat, p.dropped, p.At, p.Top = a.scenes.Chat, "", len(a.scenes.List)-1, 0
	for i, s := range a.scenes.List {
		if p.back != "" && s.Break == p.back {
			p.At, p.back = i, ""
			return
		}
	}
	if it := a.play.Current(); it != nil {
		if i := a.sceneAt(it.Msg.Depth); i >= 0 {
			p.At = i
		}
	}
}

// stay keeps the chosen scene when the scenes are others now.
func (p *scenesPane) stay(old, fresh scenes.Scenes) {
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

func (p *scenesPane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if a.view.Chat.ID == "" {
		look.PutWrapped(buf, area, a.lk.Dim, "No chat is open.")
		return
	}
	scenes := a.scenes.List
	if len(scenes) == 0 {
		return // they are being read
	}
	p.choose(a)
	p.head = p.header(buf, area, a)
	rows := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if p.At < len(scenes) && area.Dy() >= 16 {
		rows.Max.Y -= p.reason(buf, rows, scenes[p.At], a)
	}
	here := -1
	if it := a.play.Current(); it != nil && a.mode == keys.Browse {
		here = a.sceneAt(it.Msg.Depth)
	}
	from, to := p.View(len(scenes), 2, rows.Dy())
	for i := from; i < to; i++ {
		p.row(buf, rows, rows.Min.Y+(i-from)*2, i, i == here, a)
	}
	if y := rows.Min.Y + (to-from)*2 + 1; len(scenes) == 1 && y < rows.Max.Y {
		words := "Nothing divides this chat yet."
		if k := a.keys.Key(keys.Break, keys.Browse); k != "" {
			words += " Browsing, " + k + " ends a scene at the selected message."
		}
		if k := a.keys.Key(keys.Palette, keys.Write); k != "" && a.scenes.Unchecked > 0 {
			words += " \"Find the scenes of the whole chat\" among all commands (" + k + ") looks through what is there."
		}
		look.PutWrapped(buf, uv.Rect(rows.Min.X+1, y, rows.Dx()-2, rows.Max.Y-y), a.lk.Dim, words)
	}
}

// reason draws at the bottom why the chosen scene's break was detected, and says
// how many lines that took.
func (p *scenesPane) reason(buf uv.ScreenBuffer, area uv.Rectangle, s scenes.Scene, a *app) int {
	why := look.Within(s.Rationale, 400)
	if !s.Detected || why == "" {
		return 0
	}
	lines := look.Wrap(why, area.Dx()-2)
	lines = lines[:min(len(lines), 4)]
	for i, l := range lines {
		look.Put(buf, area.Min.X+1, area.Max.Y-len(lines)+i, area.Dx()-2, a.lk.Dim, l)
	}
	return len(lines) + 1
}

// header tells of the story as a whole, and says how many lines that took.
func (p *scenesPane) header(buf uv.ScreenBuffer, area uv.Rectangle, a *app) int {
	if area.Dy() < 5 {
		return 0
	}
	s, held := a.scenes, 0
	for _, sc := range s.List {
		if sc.InMemory {
			held += sc.Messages
		}
	}
	x := area.Min.X + 1
	x += look.Put(buf, x, area.Min.Y, area.Max.X-x, a.lk.Base, look.Plural(len(s.List), "scene"))
	if s.Running.Version > 0 {
		x += look.Put(buf, x, area.Min.Y, area.Max.X-x, a.lk.Base, fmt.Sprintf("%srunning recap v%d", look.Separator, s.Running.Version))
		if s.Running.Stale {
			look.Put(buf, x+1, area.Min.Y, area.Max.X-x-1, a.lk.Warning, "stale")
		}
	}
	var parts []string
	if words := a.searching(); words != "" {
		parts = append(parts, words)
	}
	if held > 0 {
		parts = append(parts, look.Plural(held, "message")+" in memory")
	}
	if s.Unchecked > 0 {
		parts = append(parts, strconv.Itoa(s.Unchecked)+" unchecked")
	}
	rows := 1
	if len(parts) > 0 {
		look.Put(buf, area.Min.X+1, area.Min.Y+1, area.Dx()-1, a.lk.Dim, look.Hints(strings.Join(parts, look.Separator), area.Dx()-1))
		rows++
	}
	if area.Dy() >= 12 {
		rows++
	}
	return rows
}

// searching tells how far the search of the whole chat for scenes is.
func (a *app) searching() string {
	for _, j := range a.work.running {
		if j.Op.Type == "detect_scenes" && j.Chat == a.view.Chat.ID {
			return strings.TrimSpace("finding scenes " + desk.ProgressWords(&j.Job))
		}
	}
	if a.scenes.Detecting {
		return "finding scenes …"
	}
	return ""
}

func (p *scenesPane) row(buf uv.ScreenBuffer, area uv.Rectangle, y, i int, here bool, a *app) {
	s := a.scenes.List[i]
	name, number, dim := a.lk.Base, a.lk.Dim, a.lk.Dim
	if s.Name == "" {
		name = a.lk.Dim
	}
	chosen := i == p.At && a.mode == keys.Pane
	if chosen {
		name, number = a.lk.Selected, a.lk.Selected
		look.Fill(buf, uv.Rect(area.Min.X, y, area.Dx(), 1), a.lk.Selected)
	} else if here {
		look.Put(buf, area.Min.X, y, 1, a.lk.Bar, "▌")
	}
	digits := len(strconv.Itoa(len(a.scenes.List)))
	look.PutRight(buf, area.Min.X+1, y, digits, number, strconv.Itoa(s.Number))
	x := area.Min.X + digits + 2
	room := p.state(buf, area, y, s, chosen, a) - x - 1
	look.Put(buf, x, y, room, name, sceneName(s))
	if y+1 < area.Max.Y {
		look.Put(buf, x, y+1, area.Max.X-x, dim, sceneDetails(s, area.Max.X-x))
	}
}

// state draws at the right edge how a scene's recap is, and says where it begins.
func (p *scenesPane) state(buf uv.ScreenBuffer, area uv.Rectangle, y int, s scenes.Scene, chosen bool, a *app) int {
	words, st := "no recap", a.lk.Dim
	switch v := recapWords(s.Recap); {
	case s.Open:
		words = ""
	case s.Working:
		words, st = "making …", a.lk.Accent
		if v != "" {
			words = v + " · making …"
		}
	case v != "":
		words, st = v, a.lk.Base
		if s.Expanded {
			words = "▾ " + v
		}
	}
	on := func(st uv.Style) uv.Style {
		if chosen {
			st.Fg, st.Bg = a.lk.Selected.Fg, a.lk.Selected.Bg
			st.Attrs |= a.lk.Selected.Attrs
		}
		return st
	}
	end := area.Dx()
	if s.Recap.Stale && !s.Working {
		x := look.PutRight(buf, area.Min.X, y, end, on(a.lk.Warning), "stale")
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
		return "nothing has been said in it yet"
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
			if why := reasonIn(s.Rationale, room-2); why != "" {
				line += ": " + why
			}
		}
		return line
	}
	return where
}

func (p *scenesPane) act(act keys.Action, a *app) tea.Cmd {
	if p.List.Act(act) {
		return nil
	}
	switch act {
	case keys.PaneFind:
		return a.Run(keys.SearchRecaps)
	case keys.PaneRestore:
		return p.bringBack(a)
	}
	if p.At >= len(a.scenes.List) {
		return nil
	}
	s := a.scenes.List[p.At]
	switch act {
	case keys.PaneEnter:
		if s.First == "" {
			return tea.Batch(a.toBrowse(), a.Run(keys.Last))
		}
		return a.JumpTo(s.First)
	case keys.PaneCancel:
		return a.cancelScene(s)
	case keys.PaneFold:
		return a.fold(s)
	case keys.PaneSwitch:
		return a.openRecap(s.Break) // of the open scene: the story so far
	case keys.PaneJoin:
		return p.join(a)
	}
	if s.Open {
		if onEnded(act) {
			return a.Say(event.Info, "this scene is still open; it can be told again when it has ended")
		}
		return nil
	}
	return p.actOn(act, s, a)
}

// onEnded tells whether an action needs a scene that has ended.
func onEnded(act keys.Action) bool {
	switch act {
	case keys.PaneEdit, keys.PaneRecapIt, keys.PaneAll, keys.PaneRename, keys.PaneBreak, keys.PaneMerge, keys.PaneExam:
		return true
	}
	return false
}

// actOn does what can be done with a scene that has ended.
func (p *scenesPane) actOn(act keys.Action, s scenes.Scene, a *app) tea.Cmd {
	chat := a.view.Chat.ID
	switch act {
	case keys.PaneEdit:
		return a.openRecap(s.Break)
	case keys.PaneRecapIt, keys.PaneAll:
		return a.queued("the recap of "+sceneTitle(s)+" is being made", func() (storage.OperationID, error) {
			return a.eng.Scenes.Recap(chat, s.Break, scenes.RecapRequest{Force: act == keys.PaneAll})
		})
	case keys.PaneMerge:
		return a.queued(sceneTitle(s)+" is being merged into the running recap", func() (storage.OperationID, error) {
			return a.eng.Scenes.MergeRunning(chat, s.Break)
		})
	case keys.PaneExam:
		return a.queued("the memory exam of "+sceneTitle(s)+" is being held; its recap shows the outcome", func() (storage.OperationID, error) {
			return a.eng.Scenes.Examine(chat, s.Break)
		})
	case keys.PaneRename:
		a.openRenameScene(s)
	case keys.PaneBreak:
		p.dropped = s.Break
		return a.dropBreak(s, a.keys.Key(keys.PaneRestore, keys.Pane))
	}
	return nil
}

// queued says that work is being done, and queues it. What the engine has to say
// to that comes later, and stays.
func (a *app) queued(words string, add func() (storage.OperationID, error)) tea.Cmd {
	return tea.Batch(a.Say(event.Info, words), desk.Try(a, func() error { _, err := add(); return err }))
}

// bringBack sets the break again that was taken away last.
func (p *scenesPane) bringBack(a *app) tea.Cmd {
	if p.dropped == "" {
		return nil
	}
	chat, node := a.view.Chat.ID, p.dropped
	p.dropped, p.back = "", node
	return a.reshape(func() error { _, err := a.eng.Scenes.SetBreak(chat, node, true); return err },
		func(scenes.Scenes) string { return "the break is back" })
}

// join asks before the chosen scene and the one before become one.
func (p *scenesPane) join(a *app) tea.Cmd {
	s := a.scenes.List[p.At]
	switch {
	case p.At == 0:
		return a.Say(event.Info, "there is no scene before this one")
	case s.Open:
		return a.Say(event.Info, "this scene is still open; taking the break before it away joins them")
	}
	chat, before := a.view.Chat.ID, a.scenes.List[p.At-1]
	text := fmt.Sprintf("Make one scene of %s and %s? Its recap is made of theirs; the break between them is hidden, and theirs are kept with it.", sceneTitle(before), sceneTitle(s))
	a.dialogs.Open(&widget.Confirm{Title: "Join two scenes", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "leave them apart", Do: nil},
		{Key: "y", Words: "join them", Do: func() tea.Cmd {
			return a.reshape(func() error { return a.eng.Scenes.Join(chat, before.Break, s.Break) },
				func(scenes.Scenes) string { return "one scene now; its recap is being made of theirs" })
		}}}})
	return nil
}

// openRenameScene asks for a scene's name.
func (a *app) openRenameScene(s scenes.Scene) {
	chat := a.view.Chat.ID
	f := &widget.Form{Title: fmt.Sprintf("Name of scene %d", s.Number), Foot: "enter save · esc close",
		Fields: []*widget.Field{widget.LineField(a.lk, "Name", look.Within(s.Name, 120), "empty: as its recap calls it")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := f.Fields[0].Value()
		return desk.Try(a, func() error { return a.eng.Scenes.Rename(chat, s.Break, name) }), nil
	}
	a.dialogs.Open(f.Start())
}

// cancelScene ends the work on a scene; where there is none, the search for
// scenes.
func (a *app) cancelScene(s scenes.Scene) tea.Cmd {
	chat := a.view.Chat.ID
	return a.Do(func() func() tea.Cmd {
		ops, err := a.eng.House.Operations()
		n := 0
		cancel := func(ours func(j *job) bool) {
			for _, op := range ops {
				open := op.Status == storage.Pending || op.Status == storage.InProgress
				if j := newJob(op); open && err == nil && j.Chat == chat && ours(j) {
					err = a.eng.House.QueueCancel(op.ID)
					n++
				}
			}
		}
		if s.Break != "" {
			cancel(func(j *job) bool { return j.Node == s.Break })
		}
		words := "the work on " + sceneTitle(s) + " was cancelled"
		if n == 0 {
			cancel(func(j *job) bool { return j.Op.Type == "detect_scenes" })
			words = "the search for scenes was cancelled; what it has found stays"
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case n == 0:
				return a.Say(event.Info, "nothing is being made here")
			}
			return a.Say(event.Info, words)
		}
	})
}
