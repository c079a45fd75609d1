package library_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// withBranches opens a chat whose ways part twice, with takes.
func withBranches(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		chat := tuitest.NewChat(t, e)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		var ids []storage.NodeID
		head := func() storage.NodeID {
			c, _, err := e.Chats.Path(chat, 1)
			must(err)
			return c.Head
		}
		say := func(text string, role storage.Role, parent storage.NodeID) storage.NodeID {
			n := storage.Node{Chat: chat, Parent: parent, Role: role, Content: text, State: storage.Complete,
				Name: map[storage.Role]string{storage.User: "Robin", storage.Assistant: "Tove"}[role], CreatedAt: e.Core().Config.Now()}
			must(e.Core().Store.Update(func(tx *storage.Tx) error { return tx.AppendNode(&n) }))
			ids = append(ids, n.ID)
			return n.ID
		}
		top := head()
		ask := say("Where is the key?", storage.User, top)
		say("She shrugs.\n\n\"No idea.\"", storage.Assistant, ask)
		reply := say("She points at the lamp.\n\n\"Behind it.\"", storage.Assistant, ask)
		left := say("I take the lamp down.", storage.User, reply)
		say("It is heavier than it looks.", storage.Assistant, left)
		right := say("I leave it where it is.", storage.User, reply)
		end := say("\"Wise.\"", storage.Assistant, right)
		must(e.Chats.Goto(chat, end))
		must(e.Chats.NameBranch(chat, left, "The lamp falls"))
	}
}

func TestGolden_Branches(t *testing.T) {
	s := tuitest.Begin(t, tuitest.Options{Prepare: withBranches(t)})
	s.Press("esc", "T").See("The lamp falls").Golden("branches")
	s.Press("2").See("No idea").Golden("branches-takes", tuitest.Size{W: 80, H: 24})
}

func TestBranches_GoNameDelete(t *testing.T) {
	s := tuitest.Begin(t, tuitest.Options{Prepare: withBranches(t), W: 120, H: 40})
	s.Press("esc", "T").See("The lamp falls")
	s.Press("k", "enter").See("heavier than it looks").NotSee("Wise")
	s.Press("T").See("● The lamp falls")
	s.Press("E").See("Name this branch").TypeText("!").Press("ctrl+s").See("● The lamp falls!")
	s.Press("u").NotSee("falls!").See("● The lamp falls")
	s.Press("E").See("Name this branch").TypeText("?").Press("ctrl+s").See("● The lamp falls?")
	s.Press("d").See("Delete 2 messages").Press("y").NotSee("The lamp falls").See("5 messages")
	s.Press("u").See("The lamp falls?").Press("u").NotSee("falls?").See("The lamp falls")
	s.Press("U").See("The lamp falls?").Press("u").NotSee("falls?")
	s.Press("G", "v").See("Compare", "I take the lamp down").Press("esc").NotSee("Compare")
	s.Press("g", "d").See("nothing would be left")
}

func TestStitch(t *testing.T) {
	s := tuitest.Begin(t, tuitest.Options{Prepare: withBranches(t), W: 120, H: 40})
	s.Press("esc", "k", "k").See("points at the lamp")
	s.Do(keys.CompareTakes).See("Swipe 1/2", "Swipe 2/2").Golden("compare-takes", tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 40, H: 12})
	s.Size(120, 40)
	s.Press("enter").See("select passages")
	s.Press("space", "left", "down", "space").See("2 passages chosen")
	s.Press("enter").See("3/3")
	s.WaitFor("how full the context is, though no server has told of the new take", func(frame string) bool {
		rows := strings.Split(strings.TrimSpace(frame), "\n")
		return strings.Contains(rows[len(rows)-1], "%")
	})
	m := s.Chat().Messages
	if got := m[len(m)-1].Content; got != "She points at the lamp.\n\n\"No idea.\"" {
		t.Errorf("the new take says %q", got)
	}
}
