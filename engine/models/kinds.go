package models

// JobKind is a kind of work that a model can be chosen for.
type JobKind string

// The kinds of work, by their operations.
const (
	JobDetect   JobKind = "detect"
	JobRecap    JobKind = "recap"
	JobRunning  JobKind = "running"
	JobMessage  JobKind = "message"
	JobExam     JobKind = "exam"
	JobAsk      JobKind = "ask"
	JobLore     JobKind = "lore"
	JobDirector JobKind = "director"
	JobMemory   JobKind = "memory"
	JobHooks    JobKind = "hooks"
	JobCapture  JobKind = "capture"
	JobBoard    JobKind = "storyboard"
	JobTaste    JobKind = "taste"
)

// JobInfo says which profile a kind of work uses, "" for the chat's own way.
type JobInfo struct {
	Kind    JobKind `json:"kind"`
	Words   string  `json:"words"` // what it is, for the user
	Profile string  `json:"profile"`

	answer string // what its answer is called where that had the wrong form; "" for the recap
}
