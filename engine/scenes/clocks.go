package scenes

import (
	"cmp"
	"maps"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// maxTimeRunes bounds the words of a day and of a time of day, in runes.
	maxTimeRunes = 60
	// MaxClock bounds the user's words for the time of a story, in runes.
	MaxClock = 120
	// MaxDays bounds how many days can pass at one message.
	MaxDays = 36500
	// maxClockUndo is the maximum number of the user's changes at one message that can be undone.
	maxClockUndo = 20
)

// TimeUpdate is the story time as a pass reported it: day and time of day in the story's own words,
// "" if not mentioned, and how many days have passed since the last exchange.
type TimeUpdate struct {
	Day, Time string
	Days      int
}

// ClockWords returns a story's time on one line: "Thursday 3 March, dusk". It is "" if nothing is
// known.
func ClockWords(t storage.StoryTime) string {
	if t.Day == "" || t.Time == "" {
		return t.Day + t.Time
	}
	return t.Day + ", " + t.Time
}

// ClockAt returns the story time at a message of a chat: the nearest words stored on the path above
// it, and the days that have passed on that path. Node and By belong to the nearest words; they are
// "" if there are none.
func ClockAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (at storage.Clock) {
	kept := maps.Collect(storage.Clocks.All(tx, chat))
	known := false // whether no older words count
	for p := range tx.PathInfos(chat, leaf) {
		if len(kept) == 0 {
			break
		}
		c, ok := kept[p.ID]
		if !ok {
			continue
		}
		delete(kept, p.ID)
		if p.Deleted {
			continue
		}
		if !known {
			known = addWords(&at, c)
		}
		days, all := daysPassedAt(&c)
		if at.Time.Passed += days; all {
			break
		}
	}
	at.Time.Passed = max(0, at.Time.Passed)
	return at
}

// addWords adds the words of an older record to a time, and reports whether the time is complete.
func addWords(at *storage.Clock, c storage.Clock) bool {
	whole := c.By != storage.ClockPass && c.By != ""
	if at.Node == "" && (whole || ClockWords(c.Time) != "") {
		at.Node, at.By, at.Was = c.Node, c.By, c.Was
	}
	if at.Time.Day == "" {
		at.Time.Day = c.Time.Day
	}
	if at.Time.Time == "" {
		at.Time.Time = c.Time.Time
	}
	return whole || at.Time.Day != "" && at.Time.Time != ""
}

// daysPassedAt returns how many days have passed at a record. all reports that it counts those above as
// well, as records of earlier builds do.
func daysPassedAt(c *storage.Clock) (days int, all bool) {
	said := false
	for ; c != nil; c = c.Was {
		if !said && c.Days != nil {
			days, said = *c.Days, true
		}
		if c.Time.Passed != 0 {
			return days + c.Time.Passed, true
		}
	}
	return days, false
}

// StoreTime stores the story time that a pass reported at a reply. Empty fields, and a time that is
// already stored, change nothing. A time that the user set at the reply stays in force.
func (svc *Service) StoreTime(tx *storage.Tx, chat storage.ChatID, reply storage.NodeID, w TimeUpdate) error {
	at, err := tx.NodeInfo(chat, reply)
	if err != nil {
		return err
	}
	had, err := clockOf(tx, chat, reply)
	if err != nil {
		return err
	}
	said := storage.Clock{Node: reply, By: storage.ClockPass}
	for c := had; c != nil; c = c.Was {
		if c.By != storage.ClockUser {
			said.Time = c.Time // from an earlier pass over the same reply
		}
	}
	said.Time.Day, said.Time.Time = cmp.Or(cleanTime(w.Day), said.Time.Day), cmp.Or(cleanTime(w.Time), said.Time.Time)
	if days := min(max(w.Days, 0), MaxDays); days > 0 {
		said.Days = &days
	}
	before := ClockAt(tx, chat, at.Parent).Time
	now := storage.StoryTime{Day: cmp.Or(said.Time.Day, before.Day), Time: cmp.Or(said.Time.Time, before.Time)}
	if sameWords(ClockWords(now), ClockWords(before)) {
		said.Time.Day, said.Time.Time = "", ""
	}
	if had == nil && said.Time == (storage.StoryTime{}) && said.Days == nil {
		return nil
	}
	return storage.Clocks.Put(tx, chat, *insertBelowUser(had, said))
}

// clockOf returns the record at a message, nil if there is none or it is damaged.
func clockOf(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (*storage.Clock, error) {
	c, err := storage.Clocks.Get(tx, chat, node)
	if failure.Damaged(err) {
		return nil, nil
	}
	return &c, err
}

// insertBelowUser replaces the time that an earlier pass reported with the one reported now, below
// a time that the user has set.
func insertBelowUser(top *storage.Clock, said storage.Clock) *storage.Clock {
	if top == nil || top.By != storage.ClockUser {
		return &said
	}
	under := *top
	under.Was = insertBelowUser(top.Was, said)
	return &under
}

// cleanTime returns words of a model on one line, bounded.
func cleanTime(s string) string {
	return strings.TrimSpace(failure.FirstRunes(prompts.OneLine(s), maxTimeRunes))
}

// sameWords reports whether two times are equal except for commas and letter case.
func sameWords(a, b string) bool {
	plain := func(s string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(s, ",", " ")), " ")
	}
	return strings.EqualFold(plain(a), plain(b))
}

// ClockView is a chat's story time. Text is "" if it is not known.
type ClockView struct {
	Text   string              `json:"words"`   // day and time together
	Day    string              `json:"day"`     // in the story's own words
	Time   string              `json:"time"`    // of day
	Passed int                 `json:"passed"`  // days since the chat began
	By     storage.ClockSource `json:"by"`      // "" if nobody has set it
	Node   storage.NodeID      `json:"message"` // it holds from this message on
}

// clockView returns the time at the end of a chat's path.
func clockView(tx *storage.Tx, c storage.Chat) ClockView {
	now := ClockAt(tx, c.ID, c.Head)
	return ClockView{ClockWords(now.Time), now.Time.Day, now.Time.Time, now.Time.Passed, now.By, now.Node}
}

// Clock returns a chat's story time.
func (svc *Service) Clock(chat storage.ChatID) (v ClockView, err error) {
	err = svc.readChat(chat, "read the story's time", func(tx *storage.Tx, c storage.Chat) error {
		v = clockView(tx, c)
		return nil
	})
	return v, err
}

// SetClock sets the story time from the end of a chat's path on, in any words: "Thursday evening",
// "day 4". "" and "unknown" clear it. days is the number of days that have passed at the last
// message; nil leaves that unchanged.
func (svc *Service) SetClock(chat storage.ChatID, words string, days *int) error {
	const op = "set the story's time"
	words = prompts.OneLine(words)
	switch {
	case failure.FirstRunes(words, MaxClock) != words:
		return failure.Wrap(op, failure.Refusef("the story time may have at most %d characters: shorten it", MaxClock))
	case days != nil && (*days < 0 || *days > MaxDays):
		return failure.Wrap(op, failure.Refusef("the number of days must be from 0 to %d, not %d", MaxDays, *days))
	case strings.EqualFold(words, "unknown"):
		words = ""
	}
	return svc.changeScenes(chat, op, func(tx *storage.Tx, c storage.Chat) error {
		if c.Head == "" {
			return failure.Refusef("there are no messages in this chat yet")
		}
		had, err := clockOf(tx, chat, c.Head)
		if err != nil {
			return err
		}
		return storage.Clocks.Put(tx, chat, storage.Clock{
			Node: c.Head, Time: storage.StoryTime{Day: words}, Days: days, By: storage.ClockUser,
			Was: lastClocks(had, maxClockUndo)})
	})
}

// lastClocks returns the last n clocks that the user has replaced.
func lastClocks(c *storage.Clock, n int) *storage.Clock {
	if c == nil || n == 0 {
		return nil
	}
	kept := *c
	kept.Was = lastClocks(c.Was, n-1)
	return &kept
}

// UndoClock undoes the user's change that set the current time at the end of a chat's path.
func (svc *Service) UndoClock(chat storage.ChatID) error {
	return svc.changeScenes(chat, "undo the story's time", func(tx *storage.Tx, c storage.Chat) error {
		now := ClockAt(tx, chat, c.Head)
		switch {
		case now.By != storage.ClockUser:
			return failure.Refusef("the story time was not set by you here: set it to correct it")
		case now.Was != nil:
			return storage.Clocks.Put(tx, chat, *now.Was)
		}
		return storage.Clocks.Delete(tx, chat, now.Node)
	})
}
