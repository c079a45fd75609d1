package house

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// profileList is a dialog of two lists under one mark: the kinds of work with
// the profile that each uses, and the profiles.
type profileList struct {
	widget.Base
	widget.Outline
	desk     desk.Desk
	jobs     []house.JobInfo
	profiles []storage.Profile
	reads    widget.Latest
	area     uv.Rectangle
	clicks   widget.Clicks
}

// ownWay is what a kind of work without a profile uses.
const ownWay = "same as the chat"

// newProfileList makes the list of what was read.
func newProfileList(d desk.Desk, jobs []house.JobInfo, profiles []storage.Profile) *profileList {
	l := &profileList{desk: d, jobs: jobs, profiles: profiles}
	l.layOut()
	return l
}

// openProfiles lists the connection profiles.
func (r *Room) openProfiles() tea.Cmd {
	l := newProfileList(r.desk, nil, nil)
	return l.read(func() tea.Cmd { l.desk.Open(l); return nil })
}

// read reads the profiles, then does what is asked.
func (l *profileList) read(then func() tea.Cmd) tea.Cmd {
	newest := l.reads.Begin()
	return l.desk.Do(func() func() tea.Cmd {
		profiles, jobs, err := l.desk.Engine().House.Profiles()
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if err != nil {
				return l.desk.Fail(err)
			}
			l.profiles, l.jobs = profiles, jobs
			l.layOut()
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

// layOut makes the rows: the jobs and the profiles, each under a heading.
func (l *profileList) layOut() {
	rows := []widget.OutlineRow{{Height: 1, Heading: true}}
	for range l.jobs {
		rows = append(rows, widget.OutlineRow{Height: 1})
	}
	rows = append(rows, widget.OutlineRow{Height: 2, Heading: true})
	for range l.profiles {
		rows = append(rows, widget.OutlineRow{Height: 1})
	}
	if len(l.profiles) == 0 {
		rows = append(rows, widget.OutlineRow{Height: 1, Heading: true})
	}
	l.Fill(rows)
}

// job is the kind of work that a row stands for, nil for none.
func (l *profileList) job(row int) *house.JobInfo {
	if i := row - 1; i >= 0 && i < len(l.jobs) {
		return &l.jobs[i]
	}
	return nil
}

// profileRow is the row of the profile at i.
func (l *profileList) profileRow(i int) int { return len(l.jobs) + 2 + i }

// Handle implements widget.Dialog.
func (l *profileList) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			l.Move(-1)
		} else {
			l.Move(1)
		}
	case tea.MouseClickMsg:
		if !uv.Pos(m.X, m.Y).In(l.area) {
			break
		}
		l.Click(m.Y - l.area.Min.Y)
		if l.clicks.Twice(m) {
			return l.enter(), false
		}
	}
	return nil, false
}

// Actions implements widget.Dialog.
func (l *profileList) Actions() []keys.Action {
	has := func() bool { _, ok := l.profile(); return ok }
	with := func(do func(p storage.Profile) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { p, _ := l.profile(); return do(p) }
	}
	return slices.Concat([]keys.Action{
		{Name: keys.DialogEnter, Hint: "choose", Do: l.enter},
		{Name: keys.PaneNew, Hint: "new profile", Do: func() tea.Cmd { return l.edit(storage.Profile{NumPredict: 2048}) }},
		{Name: keys.PaneEdit, Hint: "edit", Here: has, Do: with(l.edit)},
		{Name: keys.PaneDelete, Hint: "delete", Here: func() bool { return has() && l.job(l.At) == nil }, Do: with(l.askDelete)},
		{Name: keys.DialogNext, Words: "the other list", Do: keys.Does(func() {
			if l.job(l.At) != nil {
				l.Choose(l.profileRow(0))
			} else {
				l.Choose(0)
			}
		})},
		l.Closing(),
	}, widget.Choosing(l.Move, func() int { return l.Page }), widget.Ends(l.Move))
}

// profile is the chosen profile, or the one that the chosen work uses.
func (l *profileList) profile() (storage.Profile, bool) {
	if i := l.At - l.profileRow(0); i >= 0 && i < len(l.profiles) {
		return l.profiles[i], true
	}
	if j := l.job(l.At); j != nil {
		for _, p := range l.profiles {
			if p.Name == j.Profile {
				return p, true
			}
		}
	}
	return storage.Profile{}, false
}

// enter assigns a profile to the chosen work, or edits the chosen profile.
func (l *profileList) enter() tea.Cmd {
	job := l.job(l.At)
	if job == nil {
		if p, ok := l.profile(); ok {
			return l.edit(p)
		}
		return nil
	}
	if len(l.profiles) == 0 {
		return l.desk.Say(event.Info, "no profiles yet; "+l.Key(keys.PaneNew)+" creates one")
	}
	entries := []widget.Entry{{Title: ownWay, Detail: "same model and settings as the chat", Value: ""}}
	at := 0
	for _, p := range l.profiles {
		if p.Name == job.Profile {
			at = len(entries)
		}
		entries = append(entries, widget.Entry{Title: p.Name, Detail: profileWords(p), Value: p.Name})
	}
	entries[at].Right = "now"
	p := widget.NewPicker(l.desk.Look(), "Profile for: "+job.Words+"?", entries, func(e widget.Entry) tea.Cmd {
		name := e.Value.(string)
		return l.desk.Do(func() func() tea.Cmd {
			err := l.desk.Engine().House.AssignProfile(job.Kind, name)
			return func() tea.Cmd {
				if err != nil {
					return l.desk.Fail(err)
				}
				return l.read(nil)
			}
		})
	})
	p.At = at
	l.desk.Open(p)
	return nil
}

func (l *profileList) askDelete(p storage.Profile) tea.Cmd {
	text := "Delete the profile " + look.Within(p.Name, 60) + "?"
	if n := l.users(p.Name); n > 0 {
		text += " " + look.Plural(n, "kind") + " of work go back to the chat's model."
		if n == 1 {
			text = strings.Replace(text, "of work go", "of work goes", 1)
		}
	}
	l.desk.Open(&widget.Confirm{Title: "Delete profile", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "keep it", Do: nil},
		{Key: "y", Words: "delete it", Do: func() tea.Cmd {
			return l.desk.Do(func() func() tea.Cmd {
				err := l.desk.Engine().House.DeleteProfile(p.Name)
				return func() tea.Cmd {
					if err != nil {
						return l.desk.Fail(err)
					}
					return l.read(nil)
				}
			})
		}}}})
	return nil
}

func (l *profileList) users(name string) int {
	n := 0
	for _, j := range l.jobs {
		if j.Profile == name {
			n++
		}
	}
	return n
}

// profileWords tells in a line what is special about a profile.
func profileWords(p storage.Profile) string {
	var parts []string
	add := func(format string, value any) { parts = append(parts, fmt.Sprintf(format, value)) }
	if p.Model != "" {
		add("%s", look.Within(p.Model, 40))
	}
	if p.Server != "" {
		add("at %s", look.Within(p.Server, 40))
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
func (l *profileList) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	if screen.Dy() >= roomy {
		screen.Max.Y -= noticeRows
	}
	n := l.Ends[len(l.Ends)-1]
	area := look.Centred(screen, 90, n+3)
	l.area = look.Frame(buf, area, lk, "Connection profiles", l.Hints())
	l.Show(l.area, func(i int, room uv.Rectangle) { l.row(buf, room, i, lk) })
	if !l.area.Empty() {
		look.Scrollbar(buf, uv.Rect(area.Max.X-2, l.area.Min.Y, 1, l.area.Dy()), l.Start(l.Top), n, lk)
	}
	return nil
}

// On a screen of so many rows the list leaves some free below it, where it is said what
// became of a profile.
const (
	roomy      = 20
	noticeRows = 3
)

func (l *profileList) row(buf uv.ScreenBuffer, room uv.Rectangle, i int, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	switch first := l.profileRow(0); {
	case i == 0:
		look.Put(buf, x, y, w, lk.Title, "Assignments")
		return
	case i == first-1:
		if room.Dy() > 1 {
			look.Put(buf, x, y+1, w, lk.Title, "Profiles")
		}
		return
	case i >= first+len(l.profiles):
		look.Put(buf, x+2, y, w-2, lk.Dim, "None yet: all work uses the chat's model. "+l.Key(keys.PaneNew)+" creates one.")
		return
	}
	base, dim := lk.Base, lk.Dim
	if i == l.At {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	x, w = x+2, w-3
	if j := l.job(i); j != nil {
		name, st := look.Within(j.Profile, 30), base
		if name == "" {
			name, st = ownWay, dim
		}
		left := look.PutRight(buf, x, y, w, st, name) - x - 1
		look.Put(buf, x, y, left, base, strings.ToUpper(j.Words[:1])+j.Words[1:])
		return
	}
	p := l.profiles[i-l.profileRow(0)]
	n := look.Put(buf, x, y, w, base, look.Within(p.Name, 40))
	if left := w - n - 2; left > 6 {
		look.PutRight(buf, x+n+2, y, left, dim, look.Within(profileWords(p), left))
	}
}
