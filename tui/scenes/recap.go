package scenes

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// recapPane shows a recap with its versions: of a scene, of a message, or the
// running one.
type recapPane struct {
	part  *Part
	host  pane.Host
	area  uv.Rectangle   // of the last frame
	scene storage.NodeID // the scene whose recap was shown before
	reads widget.Latest
	recapShown
}

// recapShown is the recap that a recapPane shows.
type recapShown struct {
	of        storage.RecapKind // "" is a scene's
	node      storage.NodeID    // the scene's last message, or the message
	open      bool              // node is in the open scene, which has an interim recap at most
	soFar     *scenes.InterimView
	recapping bool // the interim recap is being made
	view      scenes.RecapView
	merged    storage.RecapID // the version in the running recap
	fault     error
	loaded    bool

	// pick is the version that is shown instead of the current one: a version that the user has
	// just chosen, or a search result.
	pick    storage.RecapID
	choices widget.Sequence
	// wish is set to show the version that op is making; live reports that it can be shown.
	wish bool
	live bool
	op   storage.OperationID

	at     int // the bullet with the mark
	cycle  int // of its messages, the last one visited
	text   []markdown.Line
	top    int  // of text, the first line in view
	page   int  // lines of text in view
	head   int  // lines above them
	follow bool // a growing text is scrolled to its end

	pointed bool // the play shows the source of a bullet
}

// newRecapPane shows the recap of the scene that ends at node, or of the message; for "", of the
// newest scene.
func newRecapPane(r *Part, of storage.RecapKind, node storage.NodeID) *recapPane {
	return &recapPane{part: r, host: r.host, recapShown: recapShown{of: of, node: node}}
}

// Pointing implements pane.Pointer.
func (p *recapPane) Pointing() bool { return p.pointed }

// ShownScene implements pane.SceneView.
func (p *recapPane) ShownScene() (s scenes.Scene, ok bool) {
	if p.of != "" || p.open || p.node == "" {
		return s, false
	}
	s = p.view.Scene
	s.Break = p.node
	return s, true
}

func (p *recapPane) running() bool { return p.of == storage.RunningRecap }
func (p *recapPane) message() bool { return p.of == storage.MessageRecap }

// Title implements pane.Pane.
func (p *recapPane) Title() string {
	what, name := "Recap", "" // the name last, because a narrow pane may cut it
	switch {
	case p.running():
		what = "Running recap"
	case p.message():
		what = "Recap of a message"
	case p.open && p.soFar != nil:
		what = "Recap · the open scene · interim"
	case p.open:
		what = "Recap · the open scene"
	case p.view.Scene.Number > 0:
		what = fmt.Sprintf("Recap · %d", p.view.Scene.Number)
		if p.view.Scene.Name != "" {
			name = " · " + draw.Truncate(p.view.Scene.Name, 40)
		}
	}
	if i := p.shown(); i >= 0 {
		what += fmt.Sprintf(" · v%d/%d", i+1, len(p.view.Versions))
		if p.view.Versions[i].Stale {
			what += " · outdated"
		}
	}
	return what + name
}

// Name implements pane.Pane.
func (*recapPane) Name() string { return recapName }

// Views implements pane.Tabbed: of a scene or a message, and of the story so far.
func (p *recapPane) Views() ([]string, int) {
	one, at := "Scene", 0
	if p.running() {
		at = 1
	}
	if p.message() {
		one = "Message"
	}
	return []string{one, "Running recap"}, at
}

// ShowView implements pane.Tabbed.
func (p *recapPane) ShowView(i int) tea.Cmd {
	switch {
	case i == 1 && !p.running():
		p.setTarget(storage.RunningRecap, "")
	case i == 0 && p.running():
		p.setTarget("", p.scene)
	default:
		return nil
	}
	return p.Read()
}

func (p *recapPane) key(act keys.Name) string { return p.host.Keys().Key(act, keys.Pane) }

// shown returns the index of the visible version, -1 for none.
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

// version returns the visible version, nil for none.
func (p *recapPane) version() *scenes.RecapVersion {
	if i := p.shown(); i >= 0 {
		return &p.view.Versions[i]
	}
	return nil
}

// setTarget makes the pane show another recap.
func (p *recapPane) setTarget(of storage.RecapKind, node storage.NodeID) {
	p.scene = p.sceneShown()
	p.recapShown = recapShown{of: of, node: node}
}

// sceneShown returns the visible scene, or the one before.
func (p *recapPane) sceneShown() storage.NodeID {
	if p.of == "" && p.node != "" && !p.open && p.fault == nil {
		return p.node
	}
	return p.scene
}

// Read implements pane.Pane: it reads the shown recap again. In another chat it shows the newest
// scene, or the running recap.
func (p *recapPane) Read() tea.Cmd {
	eng := p.host.Engine()
	chat := p.host.Play().Chat().Chat.ID
	if chat == "" {
		return nil
	}
	if p.view.Chat != "" && p.view.Chat != chat {
		of := p.of
		if p.message() {
			of = ""
		}
		p.setTarget(of, "")
		p.scene = ""
	}
	newest := p.reads.Begin()
	of, node := p.of, p.node
	if p.open {
		return p.readOpen(newest)
	}
	return p.host.Do(func() func() tea.Cmd {
		v, merged, err := readRecap(eng.Scenes, chat, of, node)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			before := p.recallTestAt()
			if p.setData(v, merged, err); p.open {
				return p.Read() // the beginning of the open scene
			}
			if x := p.recallTestAt(); before != nil && x != nil && x.At.After(before.At) {
				return p.host.Say(event.Info, "recall test: "+recallText(x)+draw.Separator+
					pane.PathTo(p.host, recapRecallTest)+" shows it")
			}
			return nil
		}
	})
}

// readOpen reads the interim recap of the open scene.
func (p *recapPane) readOpen(newest func() bool) tea.Cmd {
	eng, chat := p.host.Engine().Scenes, p.host.Play().Chat().Chat.ID
	return p.host.Do(func() func() tea.Cmd {
		v, making, err := eng.Interim(chat)
		return func() tea.Cmd {
			if newest() && p.open {
				p.loaded, p.fault, p.soFar, p.recapping = true, err, v, making
			}
			return nil
		}
	})
}

// shownRecap returns the recap whose text is shown: a version, or the interim recap of the open
// scene; nil for none.
func (p *recapPane) shownRecap() *scenes.RecapVersion {
	if p.open {
		if p.soFar == nil {
			return nil
		}
		return &p.soFar.RecapVersion
	}
	return p.version()
}

// recallTestAt returns the recall test of the visible version: an empty one if there was none, nil
// without a version.
func (p *recapPane) recallTestAt() *storage.RecallTest {
	v := p.version()
	if v == nil {
		return nil
	}
	if v.RecallTest == nil {
		return &storage.RecallTest{}
	}
	return v.RecallTest
}

// setData sets the data that was read.
func (p *recapPane) setData(v scenes.RecapView, merged storage.RecapID, err error) {
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

// readRecap reads a recap; for a scene's, of the newest scene if node is "", also the version that
// the running recap contains.
func readRecap(e *scenes.Service, chat storage.ChatID, of storage.RecapKind,
	node storage.NodeID) (v scenes.RecapView, merged storage.RecapID, err error) {
	switch of {
	case storage.RunningRecap:
		v, err = e.RunningRecap(chat)
		return v, "", err
	case storage.MessageRecap:
		v, err = e.MessageRecap(chat, node)
		return v, "", err
	}
	if node == "" {
		s, err := e.List(chat)
		if err != nil {
			return v, "", err
		}
		if node = pane.NewestScene(s); node == "" {
			return scenes.RecapView{Chat: chat, Kind: storage.SceneRecap, Current: -1}, "", nil
		}
	}
	if v, err = e.SceneRecap(chat, node); err != nil || !v.Scene.InMemory {
		return v, "", err
	}
	story, err := e.RunningRecap(chat)
	return v, mergedVersion(story, node), err
}

// mergedVersion returns the version of a scene's recap that was merged into a running recap last,
// "" for none.
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

// updateLive finds the work that is making a version now, and sets live to whether that version is
// shown.
func (p *recapPane) updateLive() *pane.Operation {
	j := p.job()
	p.live = j != nil && (p.wish || p.shown() < 0)
	return j
}

// job returns the running work on a version of this recap, nil for none. The store knows first that
// it has ended.
func (p *recapPane) job() *pane.Operation {
	if !p.view.Working {
		return nil
	}
	for _, j := range p.host.Work().Running() {
		if j.Chat == p.host.Play().Chat().Chat.ID && p.makes(j.Op.Type, j.Node) {
			return j
		}
	}
	return nil
}

// makes reports whether an operation makes a version of this recap.
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

// progress shows a version that is being made when its first words arrive.
func (p *recapPane) progress(ev queue.Progressed) {
	if ev.ID == p.op || ev.Chat != p.view.Chat || !p.makes(ev.Type, ev.Node) {
		return
	}
	p.op, p.wish, p.follow = ev.ID, true, true
}

// showRecap shows a recap in place of the visible one.
func (r *Part) showRecap(p *recapPane) tea.Cmd {
	if old, ok := r.host.Panes().Current().(*recapPane); ok {
		p.scene = old.sceneShown()
	}
	return r.host.Panes().Show(keys.PaneRecap, p)
}

// openRecap shows the recap of the scene that ends at node, or the running recap for "".
func (r *Part) openRecap(node storage.NodeID) tea.Cmd {
	if node == "" {
		return r.showRecap(newRecapPane(r, storage.RunningRecap, ""))
	}
	return r.showRecap(newRecapPane(r, "", node))
}

// toggleRecap shows the recap of the selected message's scene while browsing, else of the newest
// one. If that is shown already, it closes the pane.
func (r *Part) toggleRecap() tea.Cmd {
	p, shown := r.host.Panes().Current().(*recapPane)
	shown = shown && p.of == ""
	if m, ok := r.host.Play().Selected(); ok && r.host.Mode() == keys.Browse {
		s, known := r.sceneOf(m)
		if shown && (!known || s.Break == p.node) {
			return r.host.Run(keys.PaneClose)
		}
		return r.recapOf(m, false)
	}
	if shown {
		return r.host.Run(keys.PaneClose)
	}
	if list, ok := r.host.Panes().Current().(*listPane); ok && r.host.Mode() == keys.Pane {
		if s, ok := list.ChosenScene(); ok && !s.Open {
			return r.openRecap(s.Break)
		}
	}
	return r.showRecap(newRecapPane(r, "", ""))
}

func (r *Part) toggleRunning() tea.Cmd {
	if p, ok := r.host.Panes().Current().(*recapPane); ok && p.running() {
		return r.host.Run(keys.PaneClose)
	}
	return r.openRecap("")
}

// recapOf shows the recap of a message's scene. If make is set, a missing recap is started.
func (r *Part) recapOf(m chats.Message, make bool) tea.Cmd {
	s, ok := r.sceneOf(m)
	if !ok || s.Open {
		p := newRecapPane(r, "", m.ID)
		p.open = true
		return r.showRecap(p)
	}
	p := newRecapPane(r, "", s.Break)
	show := r.showRecap(p)
	if make && s.Recap.Versions == 0 && !s.Working {
		return tea.Batch(show, r.makeRecap(p, scenes.RecapRequest{}))
	}
	return show
}

// recapMessage shows the recap of one message, and creates one if there is none yet.
func (r *Part) recapMessage(m chats.Message) tea.Cmd {
	if !m.Role.InPrompt() {
		return r.host.Say(event.Info, "only chat messages can be recapped")
	}
	p := newRecapPane(r, storage.MessageRecap, m.ID)
	show := r.showRecap(p)
	chat, node := r.host.Play().Chat().Chat.ID, m.ID
	return tea.Batch(show, r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Scenes.MessageRecap(chat, node)
		if err != nil || len(v.Versions) > 0 || v.Working {
			return nil
		}
		return func() tea.Cmd {
			if chat != r.host.Play().Chat().Chat.ID || !p.message() || p.node != node {
				return nil // the pane shows another one now
			}
			return r.makeRecap(p, scenes.RecapRequest{})
		}
	}))
}
