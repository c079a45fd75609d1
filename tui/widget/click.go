package widget

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// doubleTime is the maximum time between the two clicks of a double click.
const doubleTime = 500 * time.Millisecond

// Clicks distinguishes a double click from two single clicks. In a list a single click chooses;
// only a double click acts.
type Clicks struct {
	last tea.Mouse
	at   time.Time
}

// IsDouble notes a click, and reports whether it is the second of a double one.
func (c *Clicks) IsDouble(m tea.MouseClickMsg) bool {
	now := time.Now()
	twice := m.Button == tea.MouseLeft && m.Mouse() == c.last && now.Sub(c.at) < doubleTime
	c.last, c.at = m.Mouse(), now
	if twice {
		c.at = time.Time{} // a third click starts again
	}
	return twice
}
