package models

// JobKind is a kind of work that a model can be chosen for.
type JobKind string

// The kinds of work, by their operations.
const (
	JobDetect     JobKind = "detect"
	JobRecap      JobKind = "recap"
	JobRunning    JobKind = "running"
	JobMessage    JobKind = "message"
	JobRecallTest JobKind = "exam"
	JobAsk        JobKind = "ask"
	JobLore       JobKind = "lore"
	JobDirector   JobKind = "director"
	JobMemory     JobKind = "memory"
	JobHooks      JobKind = "hooks"
	JobCapture    JobKind = "capture"
	JobBoard      JobKind = "storyboard"
	JobTaste      JobKind = "taste"
)

// JobInfo describes a kind of work and the profile that it uses, "" for the chat's own model.
type JobInfo struct {
	Kind        JobKind `json:"kind"`
	Description string  `json:"words"` // a description for the user
	Profile     string  `json:"profile"`

	answer string // the name of its answer in errors about the form, "" for the recap
}
