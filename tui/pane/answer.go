package pane

import tea "charm.land/bubbletea/v2"

// Callback is a message with a function for the screen's own goroutine, such as the rest of some work
// that was done away from it.
type Callback func() tea.Cmd

// Try runs a use case away from the screen's goroutine. An error is shown in its own words.
func Try(d Host, work func() error) tea.Cmd {
	return d.Do(func() func() tea.Cmd {
		err := work()
		if err == nil {
			return nil
		}
		return func() tea.Cmd { return d.Fail(err) }
	})
}

// Get runs a use case away from the screen's goroutine and passes its result to take. An error is
// shown in its own words.
func Get[T any](d Host, ask func() (T, error), take func(T) tea.Cmd) tea.Cmd {
	return d.Do(func() func() tea.Cmd {
		got, err := ask()
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			return take(got)
		}
	})
}
