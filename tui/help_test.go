package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The help begins with the keys of the place that has them.
func TestHelp_IsOfWhereOneStands(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("Tove ‹1/3›").Press("f1").See("Keys while writing", "send", "browse messages").Golden("help-write")
	s.Press("esc").NotSee("Keys while").Press("esc").See("BROWSE", "? keys")
	s.Press("?").See("Keys while browsing", "regenerate").NotSee("↓ more").Golden("help-browse")
	s.TypeText("scene").See("toggle scene break").NotSee("continue the last reply").Press("esc").NotSee("Keys while")
	s.Press("alt+l").See("Lorebooks", "q close · tab: why").Press("?").See("Keys: Lorebooks · Entries", "In every pane", "filter").Golden("help-pane")
	s.Press("esc").Press("tab").See("tab: inbox").Press("?").See("Keys: Lorebooks · Why").Press("tab").See("All keys").Press("tab").See("Guide").Press("esc").NotSee("Guide")
	s.Press("q").NotSee("tab: inbox").See("BROWSE")
	s.Press("f9").See("Author's note").Press("f1").See("Keys of this dialog", "^S").Golden("help-dialog").Press("f1").NotSee("Keys of this dialog")
	s.Press("?", "esc").See("not saved").Press("esc").NotSee("Author's note")
}

// What a row of the help says can be done from it.
func TestHelp_DoesWhatIsChosen(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("Tove ‹1/3›").Press("esc", "?").See("Keys while browsing").TypeText("edit").Press("enter").NotSee("Keys while").See("^S save")
}

// All panes declare what they do in words that are theirs, and few enough to be read.
func TestHelp_OfEachPane(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 200, H: 60})
	s.See("Tove ‹1/3›")
	for _, act := range []keys.Name{keys.PaneCaptures, keys.PaneQueue, keys.PanePrompt, keys.PaneScenes, keys.PaneRunning, keys.PaneLore,
		keys.PaneMemory, keys.PaneKnowledge, keys.PaneStory, keys.PaneTaste, keys.PaneDirector} {
		s.In(func(v *tui.Screen) { v.Start(v.Host().Run(act)) })
		s.Until("the pane of "+string(act), func() bool {
			open := false
			s.In(func(v *tui.Screen) { open = v.Host().Panes().Current() != nil && v.PaneFocused() })
			return open
		})
		s.In(func(v *tui.Screen) {
			title, rows := v.KeysHere()
			if len(rows) < 5 || len(rows) > 40 {
				t.Errorf("%s: %d rows", title, len(rows))
			}
			all := strings.Join(rows, "\n")
			for _, want := range []string{"q alt+x: close the pane", "esc: ", "tab: "} {
				if !strings.Contains(all, want) {
					t.Errorf("%s: its help lacks %q:\n%s", title, want, all)
				}
			}
		})
	}
}

// A word that is typed while browsing goes to the composer; no letter of it does what it
// means there. The pause is so long that each letter comes within it.
func TestLetters_AWordIsText(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"hello", "every", "dear", "but", "read on", "just"} {
		s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Pause: time.Hour}})
		s.See("Tove ‹1/3›").Press("esc").See("BROWSE").TypeText(word).See("WRITE", "› "+word)
		s.In(func(v *tui.Screen) {
			if n := v.Dialogs(); n > 0 {
				t.Errorf("%q: %d dialogs are open", word, n)
			}
		})
	}
}

// A letter alone does what it means, and so does one that is pressed again.
func TestLetters_OneIsAKey(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Pause: time.Hour}})
	s.See("Tove ‹1/3›").Say("One.").Press("esc").See("BROWSE").Press("k", "d", "d").NotSee("One.")
	quick := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Pause: time.Millisecond},
		Config: func(c *config.Config) { c.Scenes.NoRecap = true }}) // whose recap would name the scene
	quick.See("Tove ‹1/3›").Say("One.").Press("esc").See("BROWSE").Press("r").See("‹2/2›", "r regenerate").Press("e").See("^S save").Press("esc")
	quick.NotSee("^S save").Press("b").See("1 · unnamed")
}

// A pane that is open gets the keys by its own key, and keeps them; q closes it.
func TestPane_ItsKeyGoesToIt(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 120, H: 30})
	s.See("Tove ‹1/3›").Press("f3").See("PANE", "Queue", "q close").Press("esc").See("WRITE", "f3 go to this pane")
	s.Press("f3").See("PANE", "q close").Press("f3").See("PANE", "q close").Press("q").See("WRITE").NotSee("Queue")
	s.Press("esc").See("BROWSE").Press("f3").See("PANE").Press("esc").See("BROWSE", "tab go to this pane")
	s.Press("tab").See("PANE").Press("q").See("BROWSE").NotSee("Queue")
}

// What cannot be done now says why.
func TestHelp_SaysWhyNot(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("Tove ‹1/3›").Press("alt+s").See("Scenes", "the open scene").NotSee("delete break").Press("?").See("Keys: Scenes").TypeText("delete").See("not now: this scene is still open").Golden("help-reasons")
}
