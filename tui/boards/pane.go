package boards

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// boardPane shows the storyboard of a scene: its stage, and its beats, filler strategy, budget and
// shots as one list.
type boardPane struct {
	pane.List[item]
	batches  Batches
	pictures Pictures       // nil if no picture can be shown
	node     storage.NodeID // the scene's last message, "" for the newest one that has ended
	noScene  bool           // no scene of the chat has ended
	view     boards.View
	tally    tally
	playing  *player     // nil while the list is shown
	film     *filmExport // that is being written, nil for none

	changing bool // a change is being stored
	changes  int  // number of stored changes: a reading that is older than one is dropped
	steps    []func() tea.Cmd
}

// maxQueuedSteps is the maximum number of changes that wait for one being stored.
const maxQueuedSteps = 64

func newPane(d pane.Host, b Batches, pictures Pictures) *boardPane {
	p := &boardPane{batches: b, pictures: pictures, List: pane.NewList[item](d, 1)}
	p.ID = func(it *item) string { return it.key }
	p.Head = func(it *item) string { return heads[it.head] }
	p.Row, p.FullDetail, p.Detail, p.Above, p.Empty = p.row, p.details, p.details, p.head, p.empty
	p.Marks = true
	return p
}

// Title implements pane.Pane.
func (p *boardPane) Title() string {
	s := p.view.Scene
	if s.Number == 0 || p.node == "" {
		return "Storyboard"
	}
	title := "Storyboard · " + strconv.Itoa(s.Number)
	if s.Name != "" {
		title += " " + draw.Truncate(s.Name, 40)
	}
	if p.playing != nil {
		return title + " · film"
	}
	if p.view.Stale {
		title += " · outdated"
	}
	return title
}

// selectScene shows the storyboard of another scene.
func (p *boardPane) selectScene(node storage.NodeID) {
	p.Reset(p.Chat)
	p.node, p.noScene, p.view, p.Items, p.tally, p.steps, p.playing = node, false, boards.View{}, nil, tally{}, nil, nil
}

// Read implements pane.Pane: it reads the storyboard again; in another chat, that of the newest
// scene.
func (p *boardPane) Read() tea.Cmd {
	if p.Chat != p.Host.Play().Chat().Chat.ID {
		p.Chat = p.Host.Play().Chat().Chat.ID
		p.selectScene("")
	}
	if p.Chat == "" {
		return nil
	}
	if p.Busy {
		p.Stale = true
		return nil
	}
	p.Busy, p.Stale = true, false
	chat, node, changes := p.Chat, p.node, p.changes
	return p.Host.Do(func() func() tea.Cmd {
		v, at, err := read(p.Host.Engine(), chat, node)
		return func() tea.Cmd {
			p.Busy = false
			if p.Chat != chat || p.node != node || p.changes != changes {
				return p.Read()
			}
			var cmds []tea.Cmd
			if err == nil {
				if words := p.steerResult(v.Talk); words != "" {
					cmds = append(cmds, p.Host.Say(event.Info, words))
				}
				p.node, p.noScene = at, at == ""
				p.setView(v)
			}
			if p.Loaded, p.Fault = true, err; p.Stale {
				cmds = append(cmds, p.Read())
			}
			return tea.Batch(cmds...)
		}
	})
}

// read reads the storyboard of the scene that ends at node, of the newest scene for "". It returns
// the scene's last message, "" if no scene has ended.
func read(e *engine.Engine, chat storage.ChatID, node storage.NodeID) (boards.View, storage.NodeID, error) {
	if node == "" {
		s, err := e.Scenes.List(chat)
		if err != nil {
			return boards.View{}, "", err
		}
		if node = pane.NewestScene(s); node == "" {
			return boards.View{Chat: chat}, "", nil
		}
	}
	v, err := e.Boards.Board(chat, node)
	return v, node, err
}

// steerResult returns the result of a line since the storyboard was last read, "" for none,
// because its row may not be visible. A question is above the list.
func (p *boardPane) steerResult(talk []storage.BoardTalk) string {
	n, was := len(talk), p.view.Talk
	if !p.Loaded || n == 0 || talk[n-1].Question || len(was) > 0 && !talk[n-1].At.After(was[len(was)-1].At) {
		return ""
	}
	return talkText(&talk[n-1])
}

// setView shows a storyboard. The selection stays with its shot; if there were no shots before,
// the first one is selected.
func (p *boardPane) setView(v boards.View) {
	first, fresh := len(p.Items) == 0, len(p.view.Shots) == 0 && len(v.Shots) > 0
	if fresh && p.PendingKey == "" {
		p.PendingKey = shotKey(v.Shots[0].ID)
	}
	p.view, p.tally = v, tallyOf(&v)
	if pl := p.playing; pl != nil && p.shotAt(pl.shot) < 0 { // the shot has gone
		p.playing = nil
	}
	p.Show(itemsOf(&v.Plan, v.Talk))
	switch {
	case fresh:
		p.Top = max(0, p.At-1)
	case first:
		p.Top = 0
	}
}

// change stores a change and shows the result. Changes are stored in the order of the keys: a
// later one waits for an earlier one and applies to its result. make returns a function that
// stores it, off the screen's goroutine, or nil with a command instead.
func (p *boardPane) change(words string, make func() (func() (boards.View, error), tea.Cmd)) tea.Cmd {
	if p.changing {
		return p.wait(func() tea.Cmd { return p.change(words, make) })
	}
	work, instead := make()
	if work == nil {
		return instead
	}
	p.changing = true
	chat, node := p.Chat, p.node
	return p.Host.Do(func() func() tea.Cmd {
		v, err := work()
		return func() tea.Cmd {
			p.changing = false
			here := p.Chat == chat && p.node == node
			if !here {
				p.steps = nil // they belong to another scene
			}
			if err != nil {
				p.steps = nil
				return p.Host.Fail(err)
			}
			var cmds []tea.Cmd
			if here {
				p.changes++
				p.setView(v)
			}
			if words != "" {
				cmds = append(cmds, p.Host.Say(event.Info, words))
			}
			return tea.Batch(append(cmds, p.nextStep())...)
		}
	})
}

// wait runs a step after the change that is being stored.
func (p *boardPane) wait(step func() tea.Cmd) tea.Cmd {
	if len(p.steps) < maxQueuedSteps {
		p.steps = append(p.steps, step)
	}
	return nil
}

// nextStep runs the oldest waiting step.
func (p *boardPane) nextStep() tea.Cmd {
	var cmds []tea.Cmd
	for !p.changing && len(p.steps) > 0 {
		step := p.steps[0]
		p.steps = slices.Delete(p.steps, 0, 1)
		cmds = append(cmds, step())
	}
	return tea.Batch(cmds...)
}

// job returns the running work of the model on this storyboard, nil for none.
func (p *boardPane) job() *pane.Operation {
	if p.view.Working == "" {
		return nil
	}
	for _, j := range p.Host.Work().Running() {
		if j.Chat == p.Chat && j.Node == p.node && (j.Op.Type == "storyboard_plan" || j.Op.Type == "storyboard_steer") {
			return j
		}
	}
	return nil
}

// moveScene goes to the next or previous scene.
func (p *boardPane) moveScene(n int) tea.Cmd {
	var ended []scenes.Scene
	at := -1
	for _, s := range p.Host.Play().Scenes().List {
		if s.Open {
			continue
		}
		if s.Break == p.node {
			at = len(ended)
		}
		ended = append(ended, s)
	}
	to := at + n
	switch {
	case len(ended) == 0:
		return p.Host.Say(event.Info, "no scene has ended in this chat yet")
	case at < 0:
		to = len(ended) - 1
	case to < 0:
		return p.Host.Say(event.Info, "there is no scene before this one")
	case to == len(ended):
		return p.Host.Say(event.Info, "no scene has ended after this one")
	}
	p.selectScene(ended[to].Break)
	return p.Read()
}
