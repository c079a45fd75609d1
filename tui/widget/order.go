package widget

import tea "charm.land/bubbletea/v2"

// Sequence runs work in the order in which keys asked for it. Plain commands run in parallel, and
// their answers come in any order. It belongs to the screen's goroutine; the zero value is ready to
// use.
type Sequence struct {
	Busy    bool // work is running, or its answer was not handled yet
	waiting []func() tea.Cmd
}

// Start calls begin once all earlier work is done and its answers were handled.
func (o *Sequence) Start(begin func() tea.Cmd) tea.Cmd {
	if o.Busy {
		o.waiting = append(o.waiting, begin)
		return nil
	}
	return begin()
}

// Runner runs work away from the screen's goroutine. The function that it returns runs on the
// screen's goroutine.
type Runner interface {
	Do(work func() func() tea.Cmd) tea.Cmd
}

// Counter is a Runner that counts the unfinished work of sequences, so that quitting can wait for
// it. It is called on the screen's goroutine.
type Counter interface {
	Pending(n int) // n more, or fewer if it is negative
}

// Do runs work with r once all earlier work is done.
func (o *Sequence) Do(r Runner, work func() func() tea.Cmd) tea.Cmd {
	pending := func(int) {}
	if c, ok := r.(Counter); ok {
		pending = c.Pending
	}
	pending(1)
	return o.Start(func() tea.Cmd {
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
				return tea.Batch(o.next(), cmd)
			}
		})
	})
}

// next starts the work that has waited longest.
func (o *Sequence) next() tea.Cmd {
	var cmds []tea.Cmd
	for !o.Busy && len(o.waiting) > 0 {
		begin := o.waiting[0]
		o.waiting = o.waiting[1:]
		cmds = append(cmds, begin())
	}
	return tea.Batch(cmds...)
}

// Latest distinguishes the newest reading from older ones, whose answers may arrive later and are
// dropped. It belongs to the screen's goroutine.
type Latest struct{ Nth int }

// Begin begins a reading. The returned function reports whether it is still the newest.
func (l *Latest) Begin() (newest func() bool) {
	l.Nth++
	nth := l.Nth
	return func() bool { return nth == l.Nth }
}
