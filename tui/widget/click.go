package widget

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// doubleTime is how soon a second click makes a double one.
const doubleTime = 500 * time.Millisecond

// Clicks tells a double click from two that are apart. In a list a click chooses; only a
// double one acts.
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
		c.at = time.Time{} // a third click begins anew
	}
	return twice
}
