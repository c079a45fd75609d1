package settings

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// profileList lists the kinds of work with the profile of each, and the profiles.
type profileList struct {
	pane.ListDialog[profileRow]
}

// profileRow is a kind of work, or a profile.
type profileRow struct {
	job     *models.JobInfo // nil for a profile
	profile storage.Profile // the profile, or the one that the work uses; without a name for none
}

func (r *profileRow) isProfile() bool { return r.job == nil }

func (r *profileRow) key() string {
	if r.job != nil {
		return "job/" + string(r.job.Kind)
	}
	return "profile/" + r.profile.Name
}

// chatDefaults is the name shown for a kind of work without a profile.
const chatDefaults = "same as the chat"

func newProfileList(d pane.Host) *profileList {
	l := &profileList{}
	l.List, l.Title, l.Wide, l.Everywhere = pane.NewList[profileRow](d, 1), "Connection profiles", 90, true
	l.Source = func() func(storage.ChatID) ([]profileRow, func(), error) {
		eng := d.Engine()
		return func(storage.ChatID) ([]profileRow, func(), error) {
			profiles, jobs, err := eng.Models.Profiles()
			return profileRows(jobs, profiles), nil, err
		}
	}
	l.ID, l.Row, l.Above = (*profileRow).key, l.row, l.none
	l.Head = func(r *profileRow) string {
		if r.isProfile() {
			return "Profiles"
		}
		return "Assignments"
	}
	of := func(r *profileRow) bool { return r.profile.Name != "" }
	with := func(do func(p storage.Profile) tea.Cmd) func() tea.Cmd {
		return l.On(func(r profileRow) tea.Cmd { return do(r.profile) })
	}
	l.Own = []keys.Action{
		{Name: keys.DialogEnter, Hint: "choose", Visible: l.Has, Do: l.On(l.enter)},
		{Name: keys.PaneNew, Hint: "new profile", Do: func() tea.Cmd { return l.edit(models.ProfileFields.Default()) }},
		{Name: keys.PaneEdit, Hint: "edit", Visible: l.Is(of), Do: with(l.edit)},
		{Name: keys.PaneDelete, Hint: "delete", Visible: l.Is((*profileRow).isProfile), Do: with(l.askDelete)},
		{Name: keys.DialogNext, Text: "the other list", Visible: l.Has, Do: l.On(l.other)},
	}
	return l
}

// openProfiles lists the connection profiles.
func (r *Part) openProfiles() tea.Cmd {
	l := newProfileList(r.host)
	r.host.Open(l)
	return l.Read()
}

// profileRows returns the rows of the kinds of work, and of the profiles.
func profileRows(jobs []models.JobInfo, profiles []storage.Profile) (rows []profileRow) {
	for i := range jobs {
		r := profileRow{job: &jobs[i]}
		if at := slices.IndexFunc(profiles, func(p storage.Profile) bool {
			return p.Name == jobs[i].Profile
		}); at >= 0 {
			r.profile = profiles[at]
		}
		rows = append(rows, r)
	}
	for _, p := range profiles {
		rows = append(rows, profileRow{profile: p})
	}
	return rows
}

// profiles returns the listed profiles.
func (l *profileList) profiles() (list []storage.Profile) {
	for _, r := range l.Items {
		if r.isProfile() {
			list = append(list, r.profile)
		}
	}
	return list
}

// other goes to the beginning of the other list.
func (l *profileList) other(of profileRow) tea.Cmd {
	if i := slices.IndexFunc(l.Items, func(r profileRow) bool { return r.isProfile() != of.isProfile() }); i >= 0 {
		l.GoTo(l.Items[i].key())
	}
	return nil
}

// none returns the words shown while there is no profile.
func (l *profileList) none(w, _ int) []string {
	if len(l.profiles()) > 0 {
		return nil
	}
	t := draw.Lines{Width: w}
	t.Add(l.Host.Styles().Dim, "None yet: all work uses the chat's model. "+l.Base.Key(keys.PaneNew)+" creates one.")
	return t.Text
}

// enter assigns a profile to the chosen work, or edits the chosen profile.
func (l *profileList) enter(r profileRow) tea.Cmd {
	if r.isProfile() {
		return l.edit(r.profile)
	}
	profiles := l.profiles()
	if len(profiles) == 0 {
		return l.Host.Say(event.Info, "no profiles yet; "+l.Base.Key(keys.PaneNew)+" creates one")
	}
	entries := []widget.Entry{{Title: chatDefaults, Detail: "same model and settings as the chat", Value: ""}}
	at := 0
	for _, p := range profiles {
		if p.Name == r.job.Profile {
			at = len(entries)
		}
		entries = append(entries, widget.Entry{Title: p.Name, Detail: profileWords(p), Value: p.Name})
	}
	entries[at].Right = "now"
	p := widget.NewPicker(l.Host.Styles(), "Profile for: "+r.job.Description+"?", entries,
		func(e widget.Entry) tea.Cmd {
			name := e.Value.(string)
			return l.change(func() error { return l.Host.Engine().Models.AssignProfile(r.job.Kind, name) })
		})
	p.At = at
	l.Host.Open(p)
	return nil
}

// change changes something, away from the screen's goroutine, and reads the list again.
func (l *profileList) change(do func() error) tea.Cmd {
	return l.Host.Do(func() func() tea.Cmd {
		err := do()
		return func() tea.Cmd {
			if err != nil {
				return l.Host.Fail(err)
			}
			return l.Read()
		}
	})
}

func (l *profileList) askDelete(p storage.Profile) tea.Cmd {
	text := "Delete the profile " + draw.Truncate(p.Name, 60) + "?"
	if n := l.users(p.Name); n > 0 {
		text += " " + draw.Plural(n, "kind") + " of work go back to the chat's model."
		if n == 1 {
			text = strings.Replace(text, "of work go", "of work goes", 1)
		}
	}
	l.Host.Open(&widget.Confirm{Title: "Delete profile", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "keep it", Do: nil},
		{Key: "y", Words: "delete it", Do: func() tea.Cmd {
			return l.change(func() error { return l.Host.Engine().Models.DeleteProfile(p.Name) })
		}}}})
	return nil
}

// users returns the number of kinds of work that use a profile.
func (l *profileList) users(name string) (n int) {
	for _, r := range l.Items {
		if r.job != nil && r.job.Profile == name {
			n++
		}
	}
	return n
}

// profileWords returns a line about the settings of a profile.
func profileWords(p storage.Profile) string {
	var parts []string
	add := func(format string, value any) { parts = append(parts, fmt.Sprintf(format, value)) }
	if p.Model != "" {
		add("%s", draw.Truncate(p.Model, 40))
	}
	if p.Server != "" {
		add("at %s", draw.Truncate(p.Server, 40))
	}
	if p.NumCtx > 0 {
		add("context %d", p.NumCtx)
	}
	if p.NumPredict > 0 {
		add("answer %d", p.NumPredict)
	}
	if p.Temperature != nil {
		add("temperature %g", *p.Temperature)
	}
	return strings.Join(parts, " · ")
}

// Draw implements widget.Dialog.
func (l *profileList) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	if screen.Dy() >= roomyHeight {
		screen.Max.Y -= noticeRows
	}
	return l.ListDialog.Draw(buf, screen, sty)
}

// On a screen of at least roomyHeight rows the list leaves noticeRows rows free below it, for
// notices about changes to profiles.
const (
	roomyHeight = 20
	noticeRows  = 3
)

func (l *profileList) row(r *profileRow, w int) pane.Row {
	if r.isProfile() {
		name := draw.Truncate(r.profile.Name, 40)
		return pane.Row{Text: name, Right: draw.Truncate(profileWords(r.profile), max(0, w-5-ansi.StringWidth(name)))}
	}
	row := pane.Row{Text: strings.ToUpper(r.job.Description[:1]) + r.job.Description[1:], Right: chatDefaults}
	if r.job.Profile != "" {
		row.Right, row.RightStyle = draw.Truncate(r.job.Profile, 30), l.Host.Styles().Base
	}
	return row
}
