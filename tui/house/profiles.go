package house

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// profileList is a dialog of two lists under one mark: the kinds of work with
// the profile that each uses, and the profiles.
type profileList struct {
	desk     desk.Desk
	jobs     []house.JobInfo
	profiles []storage.Profile
	reads    widget.Latest
	at, top  int
	area     uv.Rectangle
	rows     []int // of the last draw: the entry in each row, -1 for none
	clicks   widget.Clicks
}

// ownWay is what a kind of work without a profile uses.
const ownWay = "same as the chat"

// newProfileList makes the list of what was read.
func newProfileList(d desk.Desk, jobs []house.JobInfo, profiles []storage.Profile) *profileList {
	return &profileList{desk: d, jobs: jobs, profiles: profiles}
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
			l.at = max(0, min(l.at, l.count()-1))
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

func (l *profileList) count() int { return len(l.jobs) + len(l.profiles) }

// Handle implements widget.Dialog.
func (l *profileList) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			l.move(-1)
		} else {
			l.move(1)
		}
	case tea.MouseClickMsg:
		row := m.Y - l.area.Min.Y
		if m.X < l.area.Min.X || m.X >= l.area.Max.X || row < 0 || row >= len(l.rows) || l.rows[row] < 0 {
			return nil, false
		}
		l.at = l.rows[row]
		if l.clicks.Twice(m) {
			return l.enter(), false
		}
	case tea.KeyPressMsg:
		return l.key(widget.KeyName(m))
	}
	return nil, false
}

func (l *profileList) key(k string) (tea.Cmd, bool) {
	switch k {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "up", "k":
		l.move(-1)
	case "down", "j":
		l.move(1)
	case "home", "g":
		l.at = 0
	case "end", "G":
		l.at = l.count() - 1
	case "tab":
		if l.at < len(l.jobs) && len(l.profiles) > 0 {
			l.at = len(l.jobs)
		} else {
			l.at = 0
		}
	case "enter", "space":
		return l.enter(), false
	case "n", "ctrl+n":
		return l.edit(storage.Profile{NumPredict: 2048}), false
	case "e", "ctrl+e":
		if p, ok := l.profile(); ok {
			return l.edit(p), false
		}
	case "d", "ctrl+d":
		if p, ok := l.profile(); ok && l.at >= len(l.jobs) {
			return l.askDelete(p), false
		}
	}
	return nil, false
}

func (l *profileList) move(n int) { l.at = max(0, min(l.at+n, l.count()-1)) }

// profile is the chosen profile, or the one that the chosen work uses.
func (l *profileList) profile() (storage.Profile, bool) {
	if i := l.at - len(l.jobs); i >= 0 && i < len(l.profiles) {
		return l.profiles[i], true
	}
	if l.at < len(l.jobs) {
		for _, p := range l.profiles {
			if p.Name == l.jobs[l.at].Profile {
				return p, true
			}
		}
	}
	return storage.Profile{}, false
}

// enter assigns a profile to the chosen work, or edits the chosen profile.
func (l *profileList) enter() tea.Cmd {
	if l.at >= len(l.jobs) {
		if p, ok := l.profile(); ok {
			return l.edit(p)
		}
		return nil
	}
	job := l.jobs[l.at]
	if len(l.profiles) == 0 {
		return l.desk.Say(event.Info, "no profiles yet; n creates one")
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

// Hints implements widget.Dialog.
func (*profileList) Hints() string {
	return widget.Hints("enter choose", "n new profile", "e edit", "d delete", "esc close", widget.FullHelp)
}

// Draw implements widget.Dialog.
func (l *profileList) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	rows := l.layout()
	if screen.Dy() >= roomy {
		screen.Max.Y -= noticeRows
	}
	area := look.Centred(screen, 90, len(rows)+3)
	in := look.Frame(buf, area, lk, "Connection profiles", l.Hints())
	if in.Dy() < 1 {
		return nil
	}
	l.area = in
	at := 0
	for i, r := range rows {
		if r == l.at {
			at = i
		}
	}
	h := in.Dy()
	if l.at == 0 {
		l.top = 0
	}
	l.top = max(0, min(l.top, at, len(rows)-h), at-h+1)
	l.rows = l.rows[:0]
	for i := l.top; i < len(rows) && i-l.top < h; i++ {
		l.rows = append(l.rows, max(-1, rows[i]))
		l.row(buf, in.Min.Y+i-l.top, rows[i], lk)
	}
	look.Scrollbar(buf, uv.Rect(area.Max.X-2, in.Min.Y, 1, h), l.top, len(rows), lk)
	return nil
}

// On a screen of so many rows the list leaves some free below it, where it is said what
// became of a profile.
const (
	roomy      = 20
	noticeRows = 3
)

// Rows that are no entry.
const (
	rowBlank = -1 - iota
	rowJobs
	rowProfiles
	rowNone
)

// layout is what stands in each row: the index of an entry, or one of the rows
// that are none.
func (l *profileList) layout() []int {
	rows := []int{rowJobs}
	for i := range l.jobs {
		rows = append(rows, i)
	}
	rows = append(rows, rowBlank, rowProfiles)
	for i := range l.profiles {
		rows = append(rows, len(l.jobs)+i)
	}
	if len(l.profiles) == 0 {
		rows = append(rows, rowNone)
	}
	return rows
}

func (l *profileList) row(buf uv.ScreenBuffer, y, r int, lk *look.Look) {
	x, w := l.area.Min.X, l.area.Dx()
	switch r {
	case rowBlank:
		return
	case rowJobs:
		look.Put(buf, x, y, w, lk.Title, "Assignments")
		return
	case rowProfiles:
		look.Put(buf, x, y, w, lk.Title, "Profiles")
		return
	case rowNone:
		look.Put(buf, x+2, y, w-2, lk.Dim, "None yet: all work uses the chat's model. n creates one.")
		return
	}
	base, dim := lk.Base, lk.Dim
	if r == l.at {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	x, w = x+2, w-3
	if r < len(l.jobs) {
		j := l.jobs[r]
		name, st := look.Within(j.Profile, 30), base
		if name == "" {
			name, st = ownWay, dim
		}
		room := look.PutRight(buf, x, y, w, st, name) - x - 1
		look.Put(buf, x, y, room, base, strings.ToUpper(j.Words[:1])+j.Words[1:])
		return
	}
	p := l.profiles[r-len(l.jobs)]
	n := look.Put(buf, x, y, w, base, look.Within(p.Name, 40))
	if left := w - n - 2; left > 6 {
		look.PutRight(buf, x+n+2, y, left, dim, look.Within(profileWords(p), left))
	}
}
