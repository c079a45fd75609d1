package widget

import tea "charm.land/bubbletea/v2"

// InOrder has work done in the order in which keys asked for it: commands by
// themselves run side by side, and are answered in any order. It belongs to the
// screen's goroutine; the zero value is ready.
type InOrder struct {
	Busy bool // something is being done, and its answer was not taken yet
	next []func() tea.Cmd
}

// When begins something once all that was asked for before is done and its answers
// were taken.
func (o *InOrder) When(begin func() tea.Cmd) tea.Cmd {
	if o.Busy {
		o.next = append(o.next, begin)
		return nil
	}
	return begin()
}

// Runner runs work away from the screen's goroutine and hands what it returns to
// the screen.
type Runner interface {
	Do(work func() func() tea.Cmd) tea.Cmd
}

// Counter is a Runner that wants to know how much work in order is still to be done: a
// program that quits waits for it. It is called on the screen's goroutine.
type Counter interface {
	Pending(n int) // n more, or less where it is negative
}

// Do has r run work once its turn has come.
func (o *InOrder) Do(r Runner, work func() func() tea.Cmd) tea.Cmd {
	pending := func(int) {}
	if c, ok := r.(Counter); ok {
		pending = c.Pending
	}
	pending(1)
	return o.When(func() tea.Cmd {
		o.Busy = true
		return r.Do(func() func() tea.Cmd {
			then := work()
			return func() tea.Cmd {
				pending(-1)
				o.Busy = false
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
func (o *InOrder) goOn() tea.Cmd {
	var cmds []tea.Cmd
	for !o.Busy && len(o.next) > 0 {
		begin := o.next[0]
		o.next = o.next[1:]
		cmds = append(cmds, begin())
	}
	return tea.Batch(cmds...)
}

// Latest tells the newest of readings from older ones, whose answers may come after
// its own and are dropped. It belongs to the screen's goroutine.
type Latest struct{ Nth int }

// Begin is called where a reading begins; what it returns reports whether that is
// still the newest.
func (l *Latest) Begin() (newest func() bool) {
	l.Nth++
	nth := l.Nth
	return func() bool { return nth == l.Nth }
}
