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
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneName is the pane's name; its actions are declared under it.
const paneName = "director"

// Actions of this pane only.
const (
	paneWhy      keys.Name = "director-why"
	paneComplete keys.Name = "director-complete"
	paneRefill   keys.Name = "director-refill"
)

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: paneName, System: keys.SystemDirector, Actions: newPane(r).Actions()}}
}

// Actions implements pane.Pane.
func (p *directorPane) Actions() []keys.Action {
	of := func(name keys.Name, words, hint string, do func(v *director.View) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Hint: hint, Visible: func() bool { return p.part.known() != nil },
			Do: func() tea.Cmd { return do(p.part.known()) }}
	}
	edit := func(v *director.View) tea.Cmd { return p.part.editEpisode(v.Episode.ID, nil) }
	onPlay := []keys.Action{
		of(keys.PaneOnOff, "pause the episode, or resume it", "pause", p.part.pausePlay),
		keys.PaneAction(of(paneComplete, "complete the episode, or reopen it", "complete", p.part.completePlay),
			"pane-constant", "C"),
		of(keys.PaneEdit, "edit the episode", "edit", edit),
	}
	for i := range onPlay {
		onPlay[i].Unavailable = p.noEpisode
	}
	turn := []keys.Action{{Name: keys.PaneEnter, Text: "go to the reply", Hint: "go", Visible: p.Has, Do: p.On(p.jump)},
		{Name: keys.PaneSource, Text: "go to the reply", Visible: p.Has, Do: p.On(p.jump)}}
	rest := []keys.Action{
		{Name: keys.PaneRegenerate, Text: "check the last turn again", Hint: "check again",
			Visible: func() bool { return p.part.openChat() != "" }, Do: p.lookAgain},
		keys.PaneAction(of(paneWhy, "all details", "details", p.openAll), "pane-why", "W"),
		keys.PaneAction(of(paneRefill, "refill the sparks of this chat", "", p.part.openRefill), "pane-refill"),
	}
	return slices.Concat(p.Moves(), turn, onPlay, rest, p.partActions())
}

// partActions returns the part's actions that the hint line of the pane also shows.
func (p *directorPane) partActions() (list []keys.Action) {
	hints := map[keys.Name]string{keys.NextEpisode: "next", keys.AskPictures: "pictures", keys.SeriesList: "series"}
	for _, a := range p.part.Actions() {
		if a.Hint = hints[a.Name]; a.Hint != "" {
			a.Group = "" // the part declares it
			list = append(list, a)
		}
	}
	return list
}

// lookAgain has the director evaluate the last exchange again.
func (p *directorPane) lookAgain() tea.Cmd {
	chat := p.part.openChat()
	return pane.Queue(p.part.host, "the director is checking the last turn",
		func() (storage.OperationID, error) { return p.part.director().Evaluate(chat) })
}

// jump goes to the reply of the chosen exchange.
func (p *directorPane) jump(b director.TurnView) tea.Cmd { return p.part.host.Play().JumpTo(b.Node) }

// noEpisode returns words for a chat without an episode: how to choose one. It is "" if there is
// one.
func (p *directorPane) noEpisode() string {
	if v := p.part.known(); v == nil || v.Episode != nil {
		return ""
	}
	words := "this chat has no episode"
	if way := pane.PathTo(p.part.host, keys.ChooseEpisode); way != "" {
		words += draw.Separator + way + " chooses one"
	}
	return words
}

// pausePlay pauses or resumes a play.
func (r *Part) pausePlay(v *director.View) tea.Cmd {
	chat, words := v.Chat.ID, "episode paused: the director is inactive until you resume it"
	pause := !v.Chat.Play.Paused
	if !pause {
		words = "episode resumed"
	}
	return pane.Tell(r.host, words, func() error { return r.director().PausePlay(chat, pause) })
}

// completePlay marks a play as complete, or continues it.
func (r *Part) completePlay(v *director.View) tea.Cmd {
	chat := v.Chat.ID
	if v.State == director.PlayComplete {
		return pane.Tell(r.host, "episode reopened: not complete",
			func() error { return r.director().CompletePlay(chat, false) })
	}
	return pane.Try(r.host, func() error { return r.director().CompletePlay(chat, true) }) // an event reports it
}

// openRefill asks how many sparks the chat may spend.
func (r *Part) openRefill(v *director.View) tea.Cmd {
	chat, n := v.Chat.ID, v.Sparks.Allowance
	if n == 0 {
		n = config.DefaultSparks
	}
	f := widget.Form{Title: "Sparks of this chat",
		Notes: []string{fmt.Sprintf("%d of %d left. Automatic pictures cost sparks; 0 turns them off.", v.Sparks.Left,
			v.Sparks.Allowance)},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Sparks", fmt.Sprint(n),
			"sparks available from now on")}}
	r.host.Open(pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, err := widget.ParseInt(f.Fields[0].Value(), 0, director.MaxSparks)
		if err != nil {
			return nil, fmt.Errorf("this must be %w", err)
		}
		return func() (func() tea.Cmd, error) {
			if err := r.director().RefillSparks(chat, n); err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				return r.host.Say(event.Info, draw.Plural(n, "spark")+" to spend from now on")
			}, nil
		}, nil
	}))
	return nil
}

// openAll shows everything about the play and the chosen exchange.
func (p *directorPane) openAll(v *director.View) tea.Cmd {
	text := p.part.playText(v)
	title := "Director"
	if b := p.Item(); b != nil {
		title = fmt.Sprintf("Director · turn %d", b.Turn)
		text = beatText(b, p.part.hooks) + "\n" + text
	}
	p.part.host.Open(&widget.Reader{Title: title, Lines: widget.PlainLines(strings.TrimSpace(text))})
	return nil
}

// maxShownText is the maximum number of bytes shown of a text of an episode or an evaluation.
const maxShownText = 16 << 10

// facts collects lines of the form "name: text".
type facts struct{ strings.Builder }

func (f *facts) add(name, text string) {
	if text = strings.TrimSpace(draw.Cut(text, maxShownText)); text != "" {
		f.WriteString(name + ": " + text + "\n")
	}
}

func beatText(b *director.TurnView, hooks map[storage.HookID]string) string {
	var f facts
	f.WriteString("Turn " + strconv.Itoa(b.Turn))
	if b.Phase != "" {
		f.WriteString(" (" + b.Phase + ")")
	}
	f.WriteString("\n\n")
	f.add("reply", b.Excerpt)
	if s := &b.Evaluation; b.Evaluated {
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

// playText returns the complete text of the pane's card.
func (r *Part) playText(v *director.View) string {
	var f facts
	if ep := v.Episode; ep != nil {
		f.WriteString("Episode " + episodeTitle(*ep, 300) + "\n\n")
		if v.Series != nil {
			f.add("series", draw.Truncate(v.Series.Title, 300))
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

// nextEpisode asks whether to begin the next episode.
func (r *Part) nextEpisode() tea.Cmd {
	chat := r.openChat()
	if chat == "" {
		return r.openPlayEpisode()
	}
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.director().View(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case v.Episode == nil:
				words := "this chat has no episode"
				if k := r.host.Keys().Key(keys.SeriesList, r.host.Mode()); k != "" {
					words += draw.Separator + k + " lists them"
				}
				return r.host.Say(event.Info, words)
			case v.Next == nil:
				return r.host.Say(event.Info, "this is the last episode of its series")
			}
			r.askNext(&v)
			return nil
		}
	})
}

func (r *Part) askNext(v *director.View) {
	next := *v.Next
	text := "Start “" + episodeTitle(next, 120) + "” in a new chat? This chat is kept unchanged."
	if v.State != director.PlayComplete {
		text = "This episode is not complete yet. " + text
	}
	r.host.Open(&widget.Confirm{Title: "Next episode", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "start", Do: func() tea.Cmd { return r.playEpisode(next.ID) }},
		{Key: "n", Words: "cancel", Do: nil}}})
}

// playEpisode begins a chat that plays an episode and opens it.
func (r *Part) playEpisode(id storage.EpisodeID) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		c, err := r.director().NewPlay(director.PlayRequest{Episode: id})
		var s director.SeriesView
		empty := false // nobody can play it: the series has no characters
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
				return pane.Explain(r.host, "The episode could not be started", err)
			}
			r.host.Panes().Uncover()
			return r.host.Play().SwitchTo(c.ID)
		}
	})
}

// askWhoPlays opens the form of a series that has no characters.
func (r *Part) askWhoPlays(s director.SeriesView) tea.Cmd {
	l := &seriesList{part: r}
	r.host.Open(&widget.Confirm{Title: "No characters yet", Text: "The series “" + draw.Truncate(s.Title, 60) +
		"” has no characters. Episodes use the characters of their series.", Choices: []widget.Choice{
		{Key: "c", Words: "choose characters", Do: func() tea.Cmd { return l.editSeries(s) }},
		{Key: "n", Words: "not now"}}})
	return nil
}
