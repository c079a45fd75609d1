package storage

// DayPart is a part of the day, "" where none is known.
type DayPart string

const (
	Dawn      DayPart = "dawn"
	Morning   DayPart = "morning"
	Noon      DayPart = "noon"
	Afternoon DayPart = "afternoon"
	Dusk      DayPart = "dusk"
	Evening   DayPart = "evening"
	Night     DayPart = "night"
	Midnight  DayPart = "midnight" // the end of its day
)

// StoryTime is what is known of where a story stands in its own time. A zero
// field is not known.
type StoryTime struct {
	Year    int     `json:"year,omitempty"`
	Month   int     `json:"month,omitempty"`   // 1 to 12
	Day     int     `json:"day,omitempty"`     // of the month
	Weekday int     `json:"weekday,omitempty"` // 1, Monday, to 7
	Count   int     `json:"count,omitempty"`   // "day 4", as the story counts its days
	Part    DayPart `json:"part,omitempty"`
	Minute  int     `json:"minute,omitempty"` // minutes since midnight, and one more
	// Passed is how many days have passed on this path since its time was known
	// first, at least.
	Passed int `json:"passed,omitempty"`
}

// ClockSource is where the time of a story was found.
type ClockSource string

const (
	ClockText     ClockSource = "text"     // in a message
	ClockDirector ClockSource = "director" // what the director said of the setting
	ClockUser     ClockSource = "user"
)

// Clock says that a story stands at Time from the message Node on. Said are the
// words that it was read in, from which it can be worked out again where something
// before it has changed.
//
// One that is Same only says that nothing has changed since the message Of, "" for
// never: it is there so that nobody has to look further up.
type Clock struct {
	Node NodeID      `json:"node"`
	Time StoryTime   `json:"time,omitzero"`
	By   ClockSource `json:"by,omitempty"`
	Said string      `json:"said,omitempty"`
	Same bool        `json:"same,omitempty"`
	Of   NodeID      `json:"of,omitempty"`
	// Was is what the user's word has replaced here.
	Was *Clock `json:"was,omitempty"`
}
