package settings

import (
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type (
	Queue       = queuePane
	ProfileList = profileList
)

var NewQueue = newQueue

// NewProfileList makes the list of some kinds of work and profiles, without the store.
func NewProfileList(d pane.Host, jobs []models.JobInfo, profiles []storage.Profile) *ProfileList {
	l := newProfileList(d)
	l.Chat = "*"
	l.Show(profileRows(jobs, profiles))
	return l
}

// Take shows operations as if they were read.
func (p *queuePane) Take(ops []storage.Operation) { p.Chat = "*"; p.Show(ops) }

// Number is the number of the chosen row: first the kinds of work, then the profiles.
func (l *profileList) Number() int {
	i, _ := l.Chosen()
	return i
}
