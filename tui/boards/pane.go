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

// pane shows the storyboard of a scene: how far it has come, and its beats,
// filler strategy, budget and shots as one list.
type boardPane struct {
	pane.List[item]
	batches  Batches
	pictures Pictures       // nil where nothing can be shown
	node     storage.NodeID // the scene's last message, "" for the newest one that has ended
	none     bool           // no scene of the chat has ended
	view     boards.View
	tally    tally
	playing  *player // nil while the list is shown
	film     *film   // that is being written, nil for none

	changing bool // a change is being stored
	changes  int  // that were stored: what was read before one is not shown after it
	steps    []func() tea.Cmd
}

// mostSteps bounds how many changes wait for the one that is being stored.
const mostSteps = 64

func newPane(d pane.Host, b Batches, pictures Pictures) *boardPane {
	p := &boardPane{batches: b, pictures: pictures, List: pane.NewList[item](d, 1)}
	p.ID = func(it *item) string { return it.key }
	p.Head = func(it *item) string { return heads[it.head] }
	p.Row, p.Whole, p.Detail, p.Above, p.Empty = p.row, p.details, p.details, p.head, p.empty
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
		title += " " + draw.Within(s.Name, 40)
	}
	if p.playing != nil {
		return title + " · animatic"
	}
	if p.view.Stale {
		title += " · stale"
	}
	return title
}

// aim makes the pane show another scene's storyboard.
func (p *boardPane) aim(node storage.NodeID) {
	p.Reset(p.Chat)
	p.node, p.none, p.view, p.Items, p.tally, p.steps, p.playing = node, false, boards.View{}, nil, tally{}, nil, nil
}

// Read implements pane.Pane: it reads again what is shown; in another chat than
// before, the newest scene's storyboard.
func (p *boardPane) Read() tea.Cmd {
	if p.Chat != p.Host.Play().Chat().Chat.ID {
		p.Chat = p.Host.Play().Chat().Chat.ID
		p.aim("")
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
				if words := p.news(v.Talk); words != "" {
					cmds = append(cmds, p.Host.Say(event.Info, words))
				}
				p.node, p.none = at, at == ""
				p.take(v)
			}
			if p.Loaded, p.Fault = true, err; p.Stale {
				cmds = append(cmds, p.Read())
			}
			return tea.Batch(cmds...)
		}
	})
}

// read reads the storyboard of the scene that ends at node, of the newest
// scene for "", and says which that is: "" where none has ended.
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

// news is what has come of a line since the storyboard was read last, "" for
// nothing: its row may be out of view. A question stands above the list.
func (p *boardPane) news(talk []storage.BoardTalk) string {
	n, was := len(talk), p.view.Talk
	if !p.Loaded || n == 0 || talk[n-1].Question || len(was) > 0 && !talk[n-1].At.After(was[len(was)-1].At) {
		return ""
	}
	return talkWords(&talk[n-1])
}

// take shows what was read. The choice stays with its shot, wherever that is now;
// where there were no shots before it goes to the first one, and the others are in
// view.
func (p *boardPane) take(v boards.View) {
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

// change stores a change and shows what it has made of the storyboard, all in the
// order in which the keys were pressed: what comes while another one is being
// stored waits for it, and is made for what is there then. make returns what
// stores it, away from the screen's goroutine, or nil with what to do instead.
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
				p.steps = nil // they were meant for another one
			}
			if err != nil {
				p.steps = nil
				return p.Host.Fail(err)
			}
			var cmds []tea.Cmd
			if here {
				p.changes++
				p.take(v)
			}
			if words != "" {
				cmds = append(cmds, p.Host.Say(event.Info, words))
			}
			return tea.Batch(append(cmds, p.nextStep())...)
		}
	})
}

// wait has something done after the change that is being stored.
func (p *boardPane) wait(step func() tea.Cmd) tea.Cmd {
	if len(p.steps) < mostSteps {
		p.steps = append(p.steps, step)
	}
	return nil
}

// nextStep carries out what has waited longest.
func (p *boardPane) nextStep() tea.Cmd {
	var cmds []tea.Cmd
	for !p.changing && len(p.steps) > 0 {
		step := p.steps[0]
		p.steps = slices.Delete(p.steps, 0, 1)
		cmds = append(cmds, step())
	}
	return tea.Batch(cmds...)
}

// job is the work of the model on this storyboard, nil while it waits or for none.
func (p *boardPane) job() *pane.Job {
	if p.view.Working == "" {
		return nil
	}
	for _, j := range p.Host.Work().Jobs() {
		if j.Chat == p.Chat && j.Node == p.node && (j.Op.Type == "storyboard_plan" || j.Op.Type == "storyboard_steer") {
			return j
		}
	}
	return nil
}

// beside goes to the scene before or after.
func (p *boardPane) beside(n int) tea.Cmd {
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
	p.aim(ended[to].Break)
	return p.Read()
}
