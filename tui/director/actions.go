package director

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneName is the name of the pane, under which its actions are declared.
const paneName = "director"

// What only the pane can do.
const (
	paneWhy      keys.Name = "director-why"
	paneComplete keys.Name = "director-complete"
	paneRefill   keys.Name = "director-refill"
)

// Panes implements desk.Paned.
func (r *Room) Panes() []desk.PaneActions {
	return []desk.PaneActions{{Name: paneName, System: keys.SystemDirector, Actions: newPane(r).Actions()}}
}

// Actions implements desk.Pane.
func (p *pane) Actions() []keys.Action {
	of := func(name keys.Name, words, hint string, do func(v *director.View) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Hint: hint, Here: func() bool { return p.room.known() != nil },
			Do: func() tea.Cmd { return do(p.room.known()) }}
	}
	edit := func(v *director.View) tea.Cmd { return p.room.editEpisode(v.Episode.ID, nil) }
	onPlay := []keys.Action{
		of(keys.PaneOnOff, "pause the episode, or resume it", "pause", p.room.pausePlay),
		keys.Own(of(paneComplete, "complete the episode, or reopen it", "complete", p.room.completePlay), "pane-constant", "C"),
		of(keys.PaneEdit, "edit the episode", "edit", edit),
	}
	for i := range onPlay {
		onPlay[i].When = p.noEpisode
	}
	turn := []keys.Action{{Name: keys.PaneEnter, Words: "go to the reply", Hint: "go", Here: p.Has, Do: p.On(p.jump)},
		{Name: keys.PaneSource, Words: "go to the reply", Here: p.Has, Do: p.On(p.jump)}}
	rest := []keys.Action{
		{Name: keys.PaneRegenerate, Words: "check the last turn again", Hint: "check again", Here: func() bool { return p.room.openChat() != "" }, Do: p.lookAgain},
		keys.Own(of(paneWhy, "all details", "details", p.openAll), "pane-why", "W"),
		keys.Own(of(paneRefill, "refill the sparks of this chat", "", p.room.openRefill), "pane-refill"),
	}
	return slices.Concat(p.Moves(), turn, onPlay, rest, p.roomActions())
}

// roomActions are the actions of the room that the line below the pane names too.
func (p *pane) roomActions() (list []keys.Action) {
	hints := map[keys.Name]string{keys.NextEpisode: "next", keys.AskPictures: "pictures", keys.SeriesList: "series"}
	for _, a := range p.room.Actions() {
		if a.Hint = hints[a.Name]; a.Hint != "" {
			a.Group = "" // the room declares it
			list = append(list, a)
		}
	}
	return list
}

// lookAgain has the director look at the last exchange.
func (p *pane) lookAgain() tea.Cmd {
	chat := p.room.openChat()
	return desk.Queue(p.room.desk, "the director is checking the last turn", func() (storage.OperationID, error) { return p.room.director().Evaluate(chat) })
}

// jump goes to the reply of the chosen exchange.
func (p *pane) jump(b director.BeatView) tea.Cmd { return p.room.desk.Play().JumpTo(b.Node) }

// noEpisode says that the chat has no episode and how to choose one, "" where it has.
func (p *pane) noEpisode() string {
	if v := p.room.known(); v == nil || v.Episode != nil {
		return ""
	}
	words := "this chat has no episode"
	if way := desk.WayTo(p.room.desk, keys.ChooseEpisode); way != "" {
		words += look.Separator + way + " chooses one"
	}
	return words
}

// pausePlay pauses a play, or has it go on.
func (r *Room) pausePlay(v *director.View) tea.Cmd {
	chat, words := v.Chat.ID, "episode paused: the director is inactive until you resume it"
	pause := !v.Chat.Play.Paused
	if !pause {
		words = "episode resumed"
	}
	return desk.Tell(r.desk, words, func() error { return r.director().PausePlay(chat, pause) })
}

// completePlay says that a play is complete, or that it is not.
func (r *Room) completePlay(v *director.View) tea.Cmd {
	chat := v.Chat.ID
	if v.State == director.PlayComplete {
		return desk.Tell(r.desk, "episode reopened: not complete", func() error { return r.director().CompletePlay(chat, false) })
	}
	return desk.Try(r.desk, func() error { return r.director().CompletePlay(chat, true) }) // which is told by its event
}

// openRefill asks how many sparks the chat may spend from now on.
func (r *Room) openRefill(v *director.View) tea.Cmd {
	chat, n := v.Chat.ID, v.Allowance
	if n == 0 {
		n = config.DefaultSparks
	}
	f := widget.Form{Title: "Sparks of this chat",
		Notes:  []string{fmt.Sprintf("%d of %d left. Automatic pictures cost sparks; 0 turns them off.", v.Left, v.Allowance)},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Sparks", fmt.Sprint(n), "sparks available from now on")}}
	r.desk.Open(desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, err := widget.WholeIn(f.Fields[0].Value(), 0, mostSparks)
		if err != nil {
			return nil, fmt.Errorf("this must be %w", err)
		}
		return func() (func() tea.Cmd, error) {
			if err := r.director().RefillSparks(chat, n); err != nil {
				return nil, err
			}
			return func() tea.Cmd { return r.desk.Say(event.Info, look.Plural(n, "spark")+" to spend from now on") }, nil
		}, nil
	}))
	return nil
}

// mostSparks bounds an allowance or a price that is typed.
const mostSparks = 10_000

// openAll shows all that is known of the play, and of the chosen exchange.
func (p *pane) openAll(v *director.View) tea.Cmd {
	text := p.room.playText(v)
	title := "Director"
	if b := p.Item(); b != nil {
		title = fmt.Sprintf("Director · turn %d", b.Turn)
		text = beatText(b, p.room.hooks) + "\n" + text
	}
	p.room.desk.Open(&widget.Reader{Title: title, Lines: widget.PlainLines(strings.TrimSpace(text))})
	return nil
}

// longestTold bounds what is shown of a text of an episode or a look.
const longestTold = 16 << 10

// facts collects lines of the form "name: text".
type facts struct{ strings.Builder }

func (f *facts) add(name, text string) {
	if text = strings.TrimSpace(look.Cut(text, longestTold)); text != "" {
		f.WriteString(name + ": " + text + "\n")
	}
}

func beatText(b *director.BeatView, hooks map[storage.HookID]string) string {
	var f facts
	f.WriteString("Turn " + strconv.Itoa(b.Turn))
	if b.Phase != "" {
		f.WriteString(" (" + b.Phase + ")")
	}
	f.WriteString("\n\n")
	f.add("reply", b.Said)
	if s := b.Seen; s != nil {
		visual := visualWords(s)
		if visual == "" {
			visual = "no picture suggested"
		}
		f.add("picture", visual)
		f.add("status", s.Status)
		f.add("tension", fmt.Sprint(s.Tension))
		f.add("tone", s.Tone)
		f.add("what happened", s.Beat)
		f.add("still open", s.Open)
		f.add("setting", s.Setting)
		f.add("who should speak next", s.Next)
		f.add("why", s.Why)
	} else {
		f.WriteString("not checked\n")
	}
	f.add("the check failed", b.Fault)
	if words := pictureWords(b); words != "" {
		f.WriteString(words + "\n")
	}
	if words := takenWords(b, hooks, 400); words != "" {
		f.WriteString(words + "\n")
	}
	return f.String()
}

// playText is the whole of what the pane's card has no room for.
func (r *Room) playText(v *director.View) string {
	var f facts
	if ep := v.Episode; ep != nil {
		f.WriteString("Episode " + episodeTitle(*ep, 300) + "\n\n")
		if v.Series != nil {
			f.add("series", look.Within(v.Series.Title, 300))
		}
		f.add("genre", genreOf(v))
		f.add("state", stateWords(v))
		if v.Ended != nil {
			f.add("complete", endedBy(v.Ended.By))
		}
		f.WriteString(turnWords(v) + "\n")
		f.add("situation", ep.Situation)
		f.add("frame", ep.Frame)
		f.add("dramatic question", ep.Question)
		f.add("possible endings", strings.Join(ep.Resolutions, ", "))
		f.add("objective", ep.Objective)
		f.add("obstacle", ep.Obstacle)
		f.add("tactic", ep.Tactic)
		f.add("opening line", ep.Opening)
		if v.Next != nil {
			f.add("next", episodeTitle(*v.Next, 300))
		}
	} else {
		f.WriteString("This chat has no episode.\n\n")
	}
	f.WriteString(sparkWords(v) + "\n")
	f.add("\nscene note", v.Moment)
	f.add("\ntogether", v.Engagement.Together)
	f.add("\nrelationship", v.Engagement.Text)
	return f.String()
}

// nextEpisode asks whether to begin the episode after the one that the open chat
// plays.
func (r *Room) nextEpisode() tea.Cmd {
	chat := r.openChat()
	if chat == "" {
		return r.openPlayEpisode()
	}
	return r.desk.Do(func() func() tea.Cmd {
		v, err := r.director().View(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.desk.Fail(err)
			case v.Episode == nil:
				words := "this chat has no episode"
				if k := r.desk.Keys().Key(keys.SeriesList, r.desk.Mode()); k != "" {
					words += look.Separator + k + " lists them"
				}
				return r.desk.Say(event.Info, words)
			case v.Next == nil:
				return r.desk.Say(event.Info, "this is the last episode of its series")
			}
			r.askNext(&v)
			return nil
		}
	})
}

func (r *Room) askNext(v *director.View) {
	next := *v.Next
	text := "Start “" + episodeTitle(next, 120) + "” in a new chat? This chat is kept unchanged."
	if v.State != director.PlayComplete {
		text = "This episode is not complete yet. " + text
	}
	r.desk.Open(&widget.Confirm{Title: "Next episode", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "start", Do: func() tea.Cmd { return r.playEpisode(next.ID) }},
		{Key: "n", Words: "cancel", Do: nil}}})
}

// playEpisode begins a chat that plays an episode and opens it.
func (r *Room) playEpisode(id storage.EpisodeID) tea.Cmd {
	return r.desk.Do(func() func() tea.Cmd {
		c, err := r.director().NewPlay(director.PlayRequest{Episode: id})
		var s director.SeriesView
		empty := false // nobody can play it
		if err != nil {
			if ep, err := r.director().Episode(id); err == nil {
				s, err = r.director().FindSeries(string(ep.Series))
				empty = err == nil && len(s.Characters) == 0
			}
		}
		return func() tea.Cmd {
			switch {
			case empty:
				return r.askWhoPlays(s)
			case err != nil:
				return desk.Explain(r.desk, "The episode could not be started", err)
			}
			r.desk.Panes().Uncover()
			return r.desk.Play().SwitchTo(c.ID)
		}
	})
}

// askWhoPlays leads to where a series gets its characters, for one that has none.
func (r *Room) askWhoPlays(s director.SeriesView) tea.Cmd {
	l := &seriesList{room: r}
	r.desk.Open(&widget.Confirm{Title: "No characters yet", Text: "The series “" + look.Within(s.Title, 60) + "” has no characters. Episodes use the characters of their series.", Choices: []widget.Choice{
		{Key: "c", Words: "choose characters", Do: func() tea.Cmd { return l.editSeries(s) }},
		{Key: "n", Words: "not now"}}})
	return nil
}
