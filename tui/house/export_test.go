package house

import "github.com/ghostlight-theatre/ghostlight/storage"

// What tests of the whole program look at.

type (
	Queue       = queuePane
	ProfileList = profileList
)

var (
	NewQueue       = newQueue
	NewProfileList = newProfileList
	ProfileFields  = profileFields
	ProfileOf      = profileOf
)

const (
	ProfileModel       = profileModel
	ProfileNumPredict  = profileNumPredict
	ProfileTemperature = profileTemperature
	ProfileMore        = profileMore
	ProfileStop        = profileStop
)

// Take shows operations as if they were read.
func (p *queuePane) Take(ops []storage.Operation) { p.Chat = "*"; p.Show(ops) }

// Chosen is the number of the chosen row: first the kinds of work, then the profiles.
func (l *profileList) Chosen() int {
	if l.job(l.At) != nil {
		return l.At - 1
	}
	return l.At - 2
}
