package taste

import (
	"cmp"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CallsOf returns the calls of a storyboard that are in effect, oldest first.
func CallsOf(tx *storage.Tx, chat storage.ChatID, b storage.Board) ([]storage.BoardCall, error) {
	list := make([]storage.BoardCall, 0, b.Done)
	for _, id := range b.Calls[:b.Done] {
		c, err := storage.BoardCalls.Get(tx, chat, id)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// DirectionsOf returns the director's directions for the scene of a storyboard, each once, newest
// last: the words of calls that are in force, and steering lines that changed nothing by
// themselves. Directions that were taken back are not included.
func DirectionsOf(tx *storage.Tx, chat storage.ChatID, b storage.Board) ([]string, error) {
	type line struct {
		text string
		at   time.Time
	}
	calls, err := CallsOf(tx, chat, b)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, c := range calls {
		lines = append(lines, line{c.Text, c.At})
	}
	for _, t := range b.Talk {
		if t.Calls == 0 {
			lines = append(lines, line{t.Line, t.At})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	var said []string
	for _, l := range lines {
		said = slices.DeleteFunc(said, func(s string) bool { return s == l.text })
		if l.text != "" {
			said = append(said, l.text)
		}
	}
	return said, nil
}
