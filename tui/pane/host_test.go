package pane_test

import (
	"reflect"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What a pane gets from the program is small enough to be known by heart.
func TestHost_IsSmall(t *testing.T) {
	t.Parallel()
	const most = 20
	if n := reflect.TypeFor[pane.Host]().NumMethod(); n > most {
		t.Errorf("it has %d methods, and may have %d", n, most)
	}
}
