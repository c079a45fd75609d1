package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/widget"
)

// recapPane shows a recap with its versions: of a scene, of a message, or the
// running one. The zero value shows the newest scene's.
type recapPane struct {
	of     storage.RecapKind // "" is a scene's
	node   storage.NodeID    // the scene's last message, or the message
	open   bool              // node lies in the open scene, which has no recap
	view   scenes.RecapView
	merged storage.RecapID // the version that the running recap holds
	fault  error
	loaded bool
	reads  widget.Latest

	// pick is the version that is shown in place of the current one: one that
	// the user has just chosen, or one that a search has found.
	pick     storage.RecapID
	choosing bool
	// wish is to see the version that is being made by op; live is that it can be
	// seen.
	wish bool
	live bool
	op   storage.OperationID

	at     int // the bullet with the mark
	cycle  int // of its messages, the one that was gone to last
	text   []markLine
	top    int  // of text, the first line in view
	page   int  // lines of text in view
	head   int  // lines above them
	follow bool // a growing text is at its end

	pointed bool           // the play shows where a bullet came from
	scene   storage.NodeID // whose recap was shown before
}

func (*recapPane) kind() paneKind { return paneRecap }

func (p *recapPane) running() bool { return p.of == storage.RunningRecap }
func (p *recapPane) message() bool { return p.of == storage.MessageRecap }

func (p *recapPane) title() string {
	what := "Recap"
	switch {
	case p.running():
		what = "Running recap"
	case p.message():
		what = "Recap of a message"
	case p.open:
		what = "Recap · the open scene"
	case p.view.Scene.Number > 0:
		what = fmt.Sprintf("Recap · %d", p.view.Scene.Number)
		if p.view.Scene.Name != "" {
			what += " " + look.Within(p.view.Scene.Name, 40)
		}
	}
	if i := p.shown(); i >= 0 {
		what += fmt.Sprintf(" · v%d/%d", i+1, len(p.view.Versions))
		if p.view.Versions[i].Stale {
			what += " · stale"
		}
	}
	return what
}

func (p *recapPane) foot() string {
	switch {
	case p.open:
		return "b end the scene here · t the story so far"
	case p.live:
		return "x cancel it · ← the versions before · t the other recap"
	case p.shown() < 0 && p.view.Working:
		return "x cancel it · t the other recap"
	case p.shown() < 0:
		return "r make it · s style · t the other recap"
	case p.running():
		return "enter source · e edit · ←→ versions · D diff · m rebuild · t scene · y copy · / search"
	case p.message():
		return "enter source · e edit · ←→ versions · r another · D diff · t scene · y copy"
	}
	return "enter source · e edit · ←→ versions · r another · D diff · m merge · q exam · s style · v beside · t running · y copy · / search"
}

// shown is the index of the version that is shown, -1 for none.
func (p *recapPane) shown() int {
	if p.pick != "" {
		for i, v := range p.view.Versions {
			if v.ID == p.pick {
				return i
			}
		}
	}
	if p.view.Version() == nil {
		return -1
	}
	return p.view.Current
}

// version is the version that is shown, nil for none.
func (p *recapPane) version() *scenes.RecapVersion {
	if i := p.shown(); i >= 0 {
		return &p.view.Versions[i]
	}
	return nil
}

// aim makes the pane show another recap.
func (p *recapPane) aim(of storage.RecapKind, node storage.NodeID) {
	p.scene = p.sceneShown()
	*p = recapPane{of: of, node: node, scene: p.scene, reads: p.reads}
}

// sceneShown is the scene that is shown, or was before.
func (p *recapPane) sceneShown() storage.NodeID {
	if p.of == "" && p.node != "" && !p.open && p.fault == nil {
		return p.node
	}
	return p.scene
}

// read reads again what is shown. In another chat than before it is that one's
// newest scene, or its running recap.
func (p *recapPane) read(a *app) tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return nil
	}
	if p.view.Chat != "" && p.view.Chat != chat {
		of := p.of
		if p.message() {
			of = ""
		}
		p.aim(of, "")
		p.scene = ""
	}
	newest := p.reads.Begin()
	of, node := p.of, p.node
	if p.open {
		return nil
	}
	return a.Do(func() func() tea.Cmd {
		v, merged, err := readRecap(a.eng, chat, of, node)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			before := p.examAt()
			p.take(v, merged, err)
			if x := p.examAt(); before != nil && x != nil && x.At.After(before.At) {
				return a.Say(event.Info, "memory exam: "+examWords(x)+" · q shows it")
			}
			return nil
		}
	})
}

// examAt is the exam of the version that is shown: an empty one where none was
// held, nil without a version.
func (p *recapPane) examAt() *storage.Exam {
	v := p.version()
	if v == nil {
		return nil
	}
	if v.Exam == nil {
		return &storage.Exam{}
	}
	return v.Exam
}

// take shows what was read.
func (p *recapPane) take(v scenes.RecapView, merged storage.RecapID, err error) {
	p.loaded, p.fault = true, err
	if err != nil {
		return
	}
	p.view, p.merged = v, merged
	if v.Kind == storage.SceneRecap {
		if p.node == "" {
			p.node = v.Scene.Break
		}
		p.open = p.node == ""
	}
}

// readRecap reads a recap; for a scene's, of the newest scene where node is "",
// also which version the running recap holds.
func readRecap(e *engine.Engine, chat storage.ChatID, of storage.RecapKind, node storage.NodeID) (v scenes.RecapView, merged storage.RecapID, err error) {
	switch of {
	case storage.RunningRecap:
		v, err = e.Scenes.RunningRecap(chat)
		return v, "", err
	case storage.MessageRecap:
		v, err = e.Scenes.MessageRecap(chat, node)
		return v, "", err
	}
	if node == "" {
		s, err := e.Scenes.List(chat)
		if err != nil {
			return v, "", err
		}
		if node = desk.NewestScene(s); node == "" {
			return scenes.RecapView{Chat: chat, Kind: storage.SceneRecap, Current: -1}, "", nil
		}
	}
	if v, err = e.Scenes.SceneRecap(chat, node); err != nil || !v.Scene.InMemory {
		return v, "", err
	}
	story, err := e.Scenes.RunningRecap(chat)
	return v, mergedVersion(story, node), err
}

// mergedVersion is the version of a scene's recap that a running recap took in
// last, "" for none.
func mergedVersion(story scenes.RecapView, scene storage.NodeID) storage.RecapID {
	from := map[storage.RecapID]storage.Recap{}
	for _, v := range story.Versions {
		from[v.ID] = v.Recap
	}
	cur := story.Version()
	for r, n := cur, 0; r != nil && n <= len(story.Versions); n++ {
		if r.Part != nil && r.Part.Break == scene {
			return r.Part.Recap
		}
		base, ok := from[r.Base]
		if !ok {
			break
		}
		r = &scenes.RecapVersion{Recap: base}
	}
	return ""
}

// enliven finds the work that makes a version right now, and whether that is what
// is shown.
func (p *recapPane) enliven(a *app) *job {
	j := p.job(a)
	p.live = j != nil && (p.wish || p.shown() < 0)
	return j
}

// job is the work that makes a version of this recap right now, nil for none.
// The store knows first that it has ended.
func (p *recapPane) job(a *app) *job {
	if !p.view.Working {
		return nil
	}
	for _, j := range a.work.running {
		if j.Chat == a.view.Chat.ID && p.makes(j.Op.Type, j.Node) {
			return j
		}
	}
	return nil
}

// makes tells whether an operation makes a version of this recap.
func (p *recapPane) makes(typ string, node storage.NodeID) bool {
	switch typ {
	case "combine_running_recap":
		return p.running()
	case "recap_message":
		return p.message() && node == p.node
	case "generate_scene_recap", "join_scene_recaps":
		return p.of == "" && node == p.node
	}
	return false
}

// progress brings a version that is being made into view when its first words
// come.
func (p *recapPane) progress(ev house.OperationProgress) {
	if ev.ID == p.op || ev.Chat != p.view.Chat || !p.makes(ev.Type, ev.Node) {
		return
	}
	p.op, p.wish, p.follow = ev.ID, true, true
}

// recaps are the actions on recaps.
func (all actions) recaps() {
	do := all.plain
	do[keys.PaneRecap] = (*app).toggleRecap
	do[keys.PaneRunning] = (*app).toggleRunning
	do[keys.MemoryExam] = (*app).examNewest
	do[keys.SearchRecaps] = (*app).openRecapSearch
	do[keys.ExportRecaps] = (*app).openRecapExport
	do[keys.ImportRecaps] = (*app).openRecapImport
	on := all.message
	on[keys.SceneRecap] = func(a *app, it *playroom.Item) tea.Cmd { return a.recapOf(it, true) }
	on[keys.MessageRecap] = (*app).recapMessage
	for act, step := range map[keys.Action]int{keys.PageUp: -1, keys.PageDown: 1} {
		inPane(all, act, func(p *recapPane, _ *app) tea.Cmd { p.turn(step); return nil })
	}
}

func (a *app) showRecap(p *recapPane) tea.Cmd {
	if old, ok := paneOf[*recapPane](a); ok {
		p.scene = old.sceneShown()
	}
	a.setPane(p)
	a.mode = keys.Pane
	return p.read(a)
}

// openRecap shows the recap of the scene that ends at node, the running recap
// for "".
func (a *app) openRecap(node storage.NodeID) tea.Cmd {
	if node == "" {
		return a.showRecap(&recapPane{of: storage.RunningRecap})
	}
	return a.showRecap(&recapPane{node: node})
}

// toggleRecap shows the recap of the scene of the selected message, while
// browsing, or of the newest one; where that is shown already, the pane closes.
func (a *app) toggleRecap() tea.Cmd {
	p, shown := paneOf[*recapPane](a)
	shown = shown && p.of == ""
	if it := a.play.Current(); a.mode == keys.Browse && it != nil {
		s := a.sceneOf(it)
		if shown && (s == nil || s.Break == p.node) {
			a.closePane()
			return nil
		}
		return a.recapOf(it, false)
	}
	if shown {
		a.closePane()
		return nil
	}
	if scenes, ok := paneOf[*scenesPane](a); ok && a.mode == keys.Pane && scenes.At < len(a.scenes.List) && !a.scenes.List[scenes.At].Open {
		return a.openRecap(a.scenes.List[scenes.At].Break)
	}
	return a.showRecap(&recapPane{})
}

func (a *app) toggleRunning() tea.Cmd {
	if p, ok := paneOf[*recapPane](a); ok && p.running() {
		a.closePane()
		return nil
	}
	return a.openRecap("")
}

// recapOf shows the recap of the scene that a message belongs to. With make, one
// that is not there yet is begun.
func (a *app) recapOf(it *playroom.Item, make bool) tea.Cmd {
	s := a.sceneOf(it)
	if s == nil || s.Open {
		return a.showRecap(&recapPane{open: true, node: it.Msg.ID})
	}
	show := a.openRecap(s.Break)
	if make && s.Recap.Versions == 0 && !s.Working {
		return tea.Batch(show, a.makeRecap(thePane[*recapPane](a), scenes.RecapRequest{}))
	}
	return show
}

// recapMessage shows the recap of one message, and begins one where there is
// none yet.
func (a *app) recapMessage(it *playroom.Item) tea.Cmd {
	if it.Msg.Role != storage.User && it.Msg.Role != storage.Assistant {
		return a.Say(event.Info, "only what somebody says can be told again")
	}
	p := &recapPane{of: storage.MessageRecap, node: it.Msg.ID}
	show := a.showRecap(p)
	chat, node := a.view.Chat.ID, it.Msg.ID
	return tea.Batch(show, a.Do(func() func() tea.Cmd {
		v, err := a.eng.Scenes.MessageRecap(chat, node)
		if err != nil || len(v.Versions) > 0 || v.Working {
			return nil
		}
		return func() tea.Cmd {
			if chat != a.view.Chat.ID || !p.message() || p.node != node {
				return nil // the pane shows another one by now
			}
			return a.makeRecap(p, scenes.RecapRequest{})
		}
	}))
}
