package tui_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Everything that the palette offers is two letters away from the leader; and the leader
// itself needs neither alt nor a function key.
func TestLeader_ReachesEverything(t *testing.T) {
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	lead, _ := m.Binding(keys.Leader)
	if len(lead.Keys()) == 0 || !strings.HasPrefix(lead.Keys()[0], "ctrl+") || lead.Modes != keys.Any {
		t.Fatalf("the leader's key is %v in %v", lead.Keys(), lead.Modes)
	}
	at, first := map[string]keys.Name{}, map[string]keys.System{}
	for _, s := range keys.Systems() {
		if other, ok := first[s.Letter()]; ok || utf8.RuneCountInString(s.Letter()) != 1 {
			t.Errorf("%q opens %s and %s", s.Letter(), s, other)
		}
		first[s.Letter()] = s
	}
	plain, all := 0, 0
	for _, b := range m.Bindings() {
		if b.Hidden {
			continue
		}
		all++
		if hasPlainKey(b) {
			plain++
		}
		if !b.Offered() {
			continue
		}
		if utf8.RuneCountInString(b.Letter) != 1 || b.System.Letter() == "" {
			t.Errorf("%s has the letter %q in %q", b.Action, b.Letter, b.System)
		}
		path := b.System.Letter() + b.Letter
		if other, ok := at[path]; ok {
			t.Errorf("%q means %s and %s", path, b.Action, other)
		}
		at[path] = b.Action
	}
	t.Logf("%d of %d actions have a key of their own without alt or function keys; the leader reaches %d more", plain, all, len(at)-plain)
	for _, b := range m.Bindings() { // movement has keys of its own, and so have dialogs
		if b.Hidden && b.Modes != keys.Dialog && b.Action != keys.Newline && len(b.Keys()) > 0 && !hasPlainKey(b) {
			t.Errorf("%s has only %v, and the leader does not offer it", b.Action, b.Keys())
		}
	}
}

func hasPlainKey(b keys.Binding) bool {
	for _, k := range b.Keys() {
		if !strings.Contains(k, "alt+") && !(len(k) > 1 && k[0] == 'f' && k[1] >= '0' && k[1] <= '9') {
			return true
		}
	}
	return false
}

func TestLeader(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.Press("ctrl+x").See("What would you like to do?", "scenes and recaps", "1 scene").Golden("leader")
	s.Press("s").See("detect scenes in the whole chat").Golden("leader-scenes")
	s.Press("esc").See("What would you like to do?").Press("esc").NotSee("What would you like")
	// Keys that are typed fast are taken, also while browsing, where space is enough.
	s.Press("ctrl+x", "h", "j").See("Queue")
	s.Press("ctrl+x", "p", "w").See("WRITE").Press("esc").See("BROWSE").Press("space", "k", "m").See("PANE", "Memories")
	// What cannot be done says why, and the box stays.
	s.Press("ctrl+x", "p").See("make a character speak now").Press("x").See("nothing is being written").Press("esc").See("What would")
	s.Press("ctrl+x").See("Commands", "recently used").Press("esc").NotSee("Commands")
}
