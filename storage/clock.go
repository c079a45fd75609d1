package storage

import (
	"encoding/json"
	"fmt"
	"strings"
)

// StoryTime is the present time within a story, in the story's own words: "Thursday 3 March" and
// "dusk". An empty field is not known.
type StoryTime struct {
	Day  string `json:"day"`
	Time string `json:"time"` // of day
	// Passed is the number of days since the chat began, as far as the story has mentioned them. It
	// is computed when a time is read; records written by this build leave it 0.
	Passed int `json:"passed"`
}

// UnmarshalJSON also reads the calendar fields of earlier builds, as words.
func (t *StoryTime) UnmarshalJSON(data []byte) error {
	var v struct {
		Day     any    `json:"day"` // a number of an earlier build
		Time    string `json:"time"`
		Passed  int    `json:"passed"`
		Year    int    `json:"year"`
		Month   int    `json:"month"`
		Weekday int    `json:"weekday"`
		Count   int    `json:"count"`
		Part    string `json:"part"`
		Minute  int    `json:"minute"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*t = StoryTime{Time: v.Time, Passed: v.Passed}
	if day, ok := v.Day.(string); ok {
		t.Day = day
		return nil
	}
	day, _ := v.Day.(float64)
	t.Day = calendarWords(v.Year, v.Month, int(day), v.Weekday, v.Count)
	switch {
	case v.Minute > 0: // one more than the minutes since midnight
		t.Time = fmt.Sprintf("%02d:%02d", (v.Minute-1)/60%24, (v.Minute-1)%60)
	case v.Part != "":
		t.Time = v.Part
	}
	return nil
}

var (
	weekdays = []string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	months   = []string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"}
)

// calendarWords returns a day of the calendar in words: "Thursday 3 March", "day 4".
func calendarWords(year, month, day, weekday, count int) string {
	var words []string
	if weekday > 0 && weekday < len(weekdays) {
		words = append(words, weekdays[weekday])
	}
	if month > 0 && month < len(months) {
		if day > 0 {
			words = append(words, fmt.Sprint(day))
		}
		words = append(words, months[month])
	}
	if year > 0 {
		words = append(words, fmt.Sprint(year))
	}
	if count > 0 {
		words = append(words, fmt.Sprintf("day %d", count))
	}
	return strings.Join(words, " ")
}

// ClockSource is the author of a Clock. Records of earlier builds have other values; their Clocks
// state the whole time.
type ClockSource string

const (
	ClockPass ClockSource = "pass" // the model, after a turn
	ClockUser ClockSource = "user"
)

// Clock is a change of a story's time at the message Node. A Clock by the pass changes only the
// fields that are set. Any other Clock replaces the whole time, empty fields included.
type Clock struct {
	Node NodeID    `json:"node"`
	Time StoryTime `json:"time"`
	// Days is the number of days since the previous message, nil if it was not mentioned.
	Days *int        `json:"days"`
	By   ClockSource `json:"by"`
	// Was is the Clock that the user has replaced here.
	Was *Clock `json:"was"`
}
