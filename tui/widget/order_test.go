package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// atOnce runs work where it is asked for.
type atOnce struct{}

// answer is what is left to do once work is done.
type answer func() tea.Cmd

func (atOnce) Do(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		if f := work(); f != nil {
			return answer(f)
		}
		return nil
	}
}

// counted is a Runner that is told what is still to be done.
type counted struct {
	atOnce
	pending *int
}

func (c counted) Pending(n int) { *c.pending += n }

// What waits for its turn counts as pending from the key that asked for it on.
func TestInOrder_CountsWhatIsPending(t *testing.T) {
	t.Parallel()
	n := 0
	c := counted{pending: &n}
	var o Sequence
	nothing := func() func() tea.Cmd { return func() tea.Cmd { return nil } }
	next := o.Do(c, nothing)
	o.Do(c, nothing)
	for want := 2; ; want-- {
		if n != want {
			t.Fatalf("%d are pending, want %d", n, want)
		}
		if want == 0 {
			break
		}
		next = next().(answer)()
	}
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	var a atOnce
	var o Sequence
	var did string
	note := func(words string) func() tea.Cmd {
		return func() tea.Cmd { did += words; return nil }
	}
	first := o.Do(a, func() func() tea.Cmd { did += "1"; return note("a") })
	rest := []tea.Cmd{
		o.Do(a, func() func() tea.Cmd { did += "2"; return nil }),
		o.Start(func() tea.Cmd { did += "b"; return nil }),
		o.Do(a, func() func() tea.Cmd { did += "3"; return note("c") }),
	}
	for _, cmd := range rest {
		if cmd != nil {
			t.Fatal("two at once")
		}
	}
	for next := first; next != nil; {
		next = next().(answer)()
	}
	if did != "1a2b3c" || o.Busy {
		t.Error(did)
	}
}
