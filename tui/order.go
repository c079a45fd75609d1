package tui

import tea "charm.land/bubbletea/v2"

// inOrder has work done in the order in which keys asked for it: commands by
// themselves run side by side, and are answered in any order. It belongs to the
// screen's goroutine; the zero value is ready.
type inOrder struct {
	busy bool // something is being done, and its answer was not taken yet
	next []func() tea.Cmd
}

// when begins something once all that was asked for before is done and its answers
// were taken.
func (o *inOrder) when(begin func() tea.Cmd) tea.Cmd {
	if o.busy {
		o.next = append(o.next, begin)
		return nil
	}
	return begin()
}

// runner runs work away from the screen's goroutine and hands what it returns to
// the screen.
type runner interface {
	do(work func() func() tea.Cmd) tea.Cmd
}

// do has r run work once its turn has come.
func (o *inOrder) do(r runner, work func() func() tea.Cmd) tea.Cmd {
	return o.when(func() tea.Cmd {
		o.busy = true
		return r.do(func() func() tea.Cmd {
			then := work()
			return func() tea.Cmd {
				o.busy = false
				var cmd tea.Cmd
				if then != nil {
					cmd = then()
				}
				return tea.Batch(o.goOn(), cmd)
			}
		})
	})
}

// goOn begins what has waited longest.
func (o *inOrder) goOn() tea.Cmd {
	var cmds []tea.Cmd
	for !o.busy && len(o.next) > 0 {
		begin := o.next[0]
		o.next = o.next[1:]
		cmds = append(cmds, begin())
	}
	return tea.Batch(cmds...)
}

// latest tells the newest of readings from older ones, whose answers may come after
// its own and are dropped. It belongs to the screen's goroutine.
type latest struct{ nth int }

// begin is called where a reading begins; what it returns tells whether that is
// still the newest.
func (l *latest) begin() (newest func() bool) {
	l.nth++
	nth := l.nth
	return func() bool { return nth == l.nth }
}
