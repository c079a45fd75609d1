package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/config"
	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// director are the actions on plays, series and episodes.
func (all actions) director() {
	do := all.plain
	do[keys.PaneDirector] = func(a *app) tea.Cmd { return a.togglePane(paneDirector) }
	do[keys.SeriesList] = (*app).openSeries
	do[keys.PlayEpisode] = (*app).openPlayEpisode
	do[keys.ChooseEpisode] = (*app).chooseEpisode
	do[keys.NextEpisode] = (*app).nextEpisode
	do[keys.AskPictures] = (*app).askPictures
}

func (p *directorPane) act(act keys.Action, a *app) tea.Cmd {
	if p.List.Act(act) {
		p.node = ""
		return nil
	}
	chat := a.view.Chat.ID
	if chat == "" {
		return nil
	}
	switch act {
	case keys.PaneSwitch:
		return a.chooseEpisode()
	case keys.PaneRetry:
		return a.queued("the director looks at the last exchange", func() (storage.OperationID, error) { return a.eng.Director.Evaluate(chat) })
	}
	v := a.directed()
	if v == nil {
		return nil // it is being read
	}
	switch act {
	case keys.PaneEnter, keys.PaneSource:
		if p.At < len(v.Beats) {
			return a.JumpTo(v.Beats[p.At].Node)
		}
		return nil
	case keys.PaneWhy:
		return p.openAll(v, a)
	case keys.PaneRefill:
		a.openRefill(v)
		return nil
	}
	return p.actOnPlay(act, v, a)
}

// actOnPlay does what needs an episode.
func (p *directorPane) actOnPlay(act keys.Action, v *director.View, a *app) tea.Cmd {
	chat := v.Chat.ID
	switch act {
	case keys.PanePause, keys.PaneConstant, keys.PaneEdit:
	default:
		return nil
	}
	if v.Episode == nil {
		words := "this chat plays no episode"
		if k := p.keys.Key(keys.PaneSwitch, keys.Pane); k != "" {
			words += look.Separator + k + " chooses one"
		}
		return a.Say(event.Info, words)
	}
	switch act {
	case keys.PanePause:
		if v.Chat.Play.Paused {
			return desk.Tell(a, "the play goes on", func() error { return a.eng.Director.PausePlay(chat, false) })
		}
		return desk.Tell(a, "the play is paused: the director does nothing meanwhile", func() error { return a.eng.Director.PausePlay(chat, true) })
	case keys.PaneConstant:
		if v.State == director.PlayComplete {
			return desk.Tell(a, "the play goes on: it is not complete", func() error { return a.eng.Director.CompletePlay(chat, false) })
		}
		return desk.Try(a, func() error { return a.eng.Director.CompletePlay(chat, true) }) // which is told by its event
	}
	return a.editEpisode(v.Episode.ID, nil)
}

// openRefill asks how many sparks the chat may spend from now on.
func (a *app) openRefill(v *director.View) {
	chat, n := v.Chat.ID, v.Allowance
	if n == 0 {
		n = config.DefaultSparks
	}
	f := widget.Form{Title: "Sparks of this chat", Foot: "enter save · esc close",
		Notes:  []string{fmt.Sprintf("%d of %d are left. Pictures that are made by themselves cost sparks; 0 makes none.", v.Left, v.Allowance)},
		Fields: []*widget.Field{widget.LineField(a.lk, "Sparks", fmt.Sprint(n), "to spend from now on")}}
	a.dialogs.Open(desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, err := wholeIn(f.Fields[0].Value(), 0, mostSparks)
		if err != nil {
			return nil, fmt.Errorf("this must be %w", err)
		}
		return func() (func() tea.Cmd, error) {
			if err := a.eng.Director.RefillSparks(chat, n); err != nil {
				return nil, err
			}
			return func() tea.Cmd { return a.Say(event.Info, look.Plural(n, "spark")+" to spend from now on") }, nil
		}, nil
	}))
}

// mostSparks bounds an allowance or a price that is typed.
const mostSparks = 10_000

// openAll shows all that is known of the play, and of the chosen exchange.
func (p *directorPane) openAll(v *director.View, a *app) tea.Cmd {
	text := a.playText(v)
	title := "Director"
	if p.At < len(v.Beats) {
		b := v.Beats[p.At]
		title = fmt.Sprintf("Director · turn %d", b.Turn)
		text = beatText(&b, a.director.hooks) + "\n" + text
	}
	a.dialogs.Open(&widget.Reader{Title: title, Lines: widget.PlainLines(strings.TrimSpace(text))})
	return nil
}

// longestTold bounds what is shown of a text of an episode or a look.
const longestTold = 16 << 10

// facts collects lines of the form "name: text".
type facts struct{ strings.Builder }

func (f *facts) add(name, text string) {
	if text = strings.TrimSpace(cutText(text, longestTold)); text != "" {
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
			visual = "nothing to picture"
		}
		f.add("to picture", visual)
		f.add("status", s.Status)
		f.add("tension", fmt.Sprint(s.Tension))
		f.add("tone", s.Tone)
		f.add("what happened", s.Beat)
		f.add("still open", s.Open)
		f.add("setting", s.Setting)
		f.add("who should speak next", s.Next)
		f.add("why", s.Why)
	} else {
		f.WriteString("not looked at\n")
	}
	f.add("the look failed", b.Fault)
	if words := pictureWords(b); words != "" {
		f.WriteString(words + "\n")
	}
	if words := takenWords(b, hooks, 400); words != "" {
		f.WriteString(words + "\n")
	}
	return f.String()
}

// playText is the whole of what the pane's card has no room for.
func (a *app) playText(v *director.View) string {
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
		f.add("may end", strings.Join(ep.Resolutions, ", "))
		f.add("objective", ep.Objective)
		f.add("obstacle", ep.Obstacle)
		f.add("tactic", ep.Tactic)
		f.add("opening line", ep.Opening)
		if v.Next != nil {
			f.add("next", episodeTitle(*v.Next, 300))
		}
	} else {
		f.WriteString("This chat plays no episode.\n\n")
	}
	f.WriteString(sparkWords(v) + "\n")
	f.add("\nmoment note", v.Moment)
	f.add("\nhow things stand", v.Engagement.Text)
	return f.String()
}

// nextEpisode asks whether to begin the episode after the one that the open chat
// plays.
func (a *app) nextEpisode() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.openPlayEpisode()
	}
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Director.View(chat)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case v.Episode == nil:
				words := "this chat plays no episode"
				if k := a.keys.Key(keys.SeriesList, a.mode); k != "" {
					words += look.Separator + k + " lists them"
				}
				return a.Say(event.Info, words)
			case v.Next == nil:
				return a.Say(event.Info, "this is the last episode of its series")
			}
			a.askNext(&v)
			return nil
		}
	})
}

func (a *app) askNext(v *director.View) {
	next := *v.Next
	text := "Begin “" + episodeTitle(next, 120) + "” in a new chat? This one stays as it is."
	if v.State != director.PlayComplete {
		text = "This episode is not complete yet. " + text
	}
	a.dialogs.Open(&widget.Confirm{Title: "Next episode", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "begin it", Do: func() tea.Cmd { return a.playEpisode(next.ID) }},
		{Key: "n", Words: "stay here", Do: nil}}})
}

// playEpisode begins a chat that plays an episode and opens it.
func (a *app) playEpisode(id storage.EpisodeID) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		c, err := a.eng.Director.NewPlay(director.PlayRequest{Episode: id})
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(a, "No play was begun", err)
			}
			a.closeOver()
			return a.SwitchTo(c.ID)
		}
	})
}

// closeOver closes a pane that hides the play.
func (a *app) closeOver() {
	if a.lay.over {
		a.closePane()
	}
	a.mode = keys.Write
}
