package chats_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestBefore_PagesToTheBeginning(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(500)
	const window, page = 200, 90
	v, err := s.Play.View(s.Chat, window)
	enginetest.Must(t, err)
	if len(v.Messages) != window || !v.More || v.Total != 1001 {
		t.Fatalf("%d messages of %d, more: %t", len(v.Messages), v.Total, v.More)
	}
	all := v.Messages
	for more := v.More; more; {
		var older []chats.Message
		older, more, err = s.Chats.Before(s.Chat, all[0].ID, page)
		enginetest.Must(t, err)
		if len(older) == 0 || len(older) > page {
			t.Fatalf("a page of %d", len(older))
		}
		all = append(older, all...)
	}
	if len(all) != 1001 || all[0].Parent != "" {
		t.Fatalf("%d messages in all", len(all))
	}
	for i := 1; i < len(all); i++ {
		if all[i].Parent != all[i-1].ID {
			t.Fatalf("message %d does not follow the one before it", i)
		}
	}
	if older, more, err := s.Chats.Before(s.Chat, all[0].ID, page); len(older) != 0 || more || err != nil {
		t.Errorf("before the first: %d, %t, %v", len(older), more, err)
	}
	if v, err = s.Play.View(s.Chat, 0); err != nil || len(v.Messages) != 1001 || v.More {
		t.Errorf("the whole chat: %d messages, more: %t, %v", len(v.Messages), v.More, err)
	}
	if _, path, err := s.Chats.Path(s.Chat, 3); err != nil || len(path) != 3 || path[2].ID != v.Chat.Head {
		t.Errorf("the path's end: %d messages, %v", len(path), err)
	}
	if _, err := s.Play.View("nobody", 9); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a chat that is not there: %v", err)
	}
}

// Whatever branches exist and was deleted, After and Around return the messages of the path.
func TestStretches(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Grow(60)
	path := s.View().Messages
	for _, at := range []int{9, 40, 41} { // dead ends, and a branch that continues
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			n := storage.Node{Chat: s.Chat, Parent: path[at].ID, Role: storage.Assistant, State: storage.Complete, Content: "elsewhere"}
			if err := tx.AppendNode(&n); err != nil || at != 41 {
				return err
			}
			m := storage.Node{Chat: s.Chat, Parent: n.ID, Role: storage.User, State: storage.Complete, Content: "and on"}
			return tx.AppendNode(&m)
		}))
	}
	gone := path[70]
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.Chat, gone.ID)
		if err != nil {
			return err
		}
		n.Deleted = true
		return tx.PutNode(n)
	}))
	path = append(path[:70:70], path[71:]...)
	for _, tt := range []struct{ at, n int }{{-1, 5}, {-1, 1000}, {0, 5}, {8, 3}, {9, 1}, {30, 30}, {38, 2}, {39, 9}, {60, 20}, {69, 1}, {70, 4}, {100, 50}, {len(path) - 1, 3}, {len(path) - 4, 2}} {
		node, from := storage.NodeID(""), 0
		if tt.at >= 0 {
			node, from = path[tt.at].ID, max(0, tt.at-tt.n)
		}
		after, err := s.Chats.After(s.Chat, node, tt.n)
		enginetest.Must(t, err)
		around, err := s.Chats.Around(s.Chat, node, tt.n)
		enginetest.Must(t, err)
		same := func(what string, got, want []chats.Message) {
			if !slices.EqualFunc(got, want, func(a, b chats.Message) bool { return a.ID == b.ID }) {
				t.Errorf("%s %d, %d: %d messages, want %d", what, tt.at, tt.n, len(got), len(want))
			}
		}
		to := min(len(path), tt.at+1+tt.n)
		same("after", after, path[tt.at+1:to])
		same("around", around.Messages, path[from:to])
		if around.Older != (from > 0) {
			t.Errorf("around %d, %d: older %t", tt.at, tt.n, around.Older)
		}
	}
	if m, err := s.Chats.Around(s.Chat, gone.ID, 3); err != nil || len(m.Messages) > 0 {
		t.Errorf("around a deleted one: %d messages, %v", len(m.Messages), err)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, path[20].ID, "the NEEDLE"))
	need := chats.Search{Chat: s.Chat, Branch: true, Text: "need", Most: 10}
	hits := s.Search(need)
	if len(hits) != 1 || hits[0].Node != path[20].ID {
		t.Errorf("found on the branch: %v", hits)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, path[10].ID))
	if hits = s.Search(need); len(hits) > 0 {
		t.Errorf("found beside the branch: %v", hits)
	}
	enginetest.Must(t, s.Chats.GoToHit(s.Chat, path[20].ID))
	if hits = s.Search(need); len(hits) != 1 {
		t.Errorf("found after going there: %v", hits)
	}
}

func TestView_WhileReplyIsWritten(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Slow)})
	s.Spoil(demo.Fault{Kind: demo.Endless})
	_, reply := enginetest.Talking(s.Harness)
	content := ""
	for _, ev := range s.Seen {
		if d, ok := ev.(play.ReplyDelta); ok {
			content += d.Content
		}
	}
	for range 8 {
		v, err := s.Play.View(s.Chat, 3)
		enginetest.Must(t, err)
		m := v.Messages[len(v.Messages)-1]
		if m.ID != reply || v.Running != reply || m.State != storage.Draft || !strings.HasPrefix(m.Content, content) || v.Total != m.Depth+1 {
			t.Fatalf("the view has %q, told were %q", m.Content, content)
		}
		// A piece from before the view is recognized by its offset.
		d := enginetest.Until[play.ReplyDelta](s.Harness, nil)
		if d.At != len(content) || d.At < len(m.Content) && !strings.HasPrefix(m.Content[d.At:], d.Content[:min(len(d.Content), len(m.Content)-d.At)]) {
			t.Fatalf("piece %q at %d does not fit %q", d.Content, d.At, m.Content)
		}
		content += d.Content
	}
	for _, n := range []int{1, 2} {
		v, err := s.Play.View(s.Chat, n)
		if err != nil || len(v.Messages) != n || v.Messages[n-1].ID != reply || !v.More {
			t.Errorf("the last %d: %d messages, %v", n, len(v.Messages), err)
		}
	}
	s.Play.Stop(s.Chat)
	s.Wait(nil)
	if v := s.View(); v.Running != "" {
		t.Error("the view says that a reply is being written")
	}
}

func TestView_NeverBehindTheEnd(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	for range 30 {
		_, err := s.Play.Send(s.Chat, "Hello.")
		enginetest.Must(t, err)
		ended := enginetest.Until[play.ReplyEnded](s.Harness, nil)
		v := s.View()
		m := v.Messages[len(v.Messages)-1]
		if v.Running != "" || m.ID != ended.Message.ID || m.Content != ended.Message.Content || m.State != storage.Complete {
			t.Fatalf("after the end the view has %+v, running %q", m.Node, v.Running)
		}
		enginetest.Must(t, s.Chats.Branch(s.Chat, v.Messages[0].ID))
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Numbered)})
	who := s.View().Character
	who.Card.FirstMessage, who.Card.AlternateGreetings = "Good evening.", nil
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	quiet, err := s.Chats.New(who.ID, "First night")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Play.DeleteChat(s.Chat))
	s.Chat = quiet.ID
	s.Say("The İstanbul ferry, and the LAMP ünder it")
	s.Say("nothing")
	s.Say("the lamp again\nand again")
	other, err := s.Chats.New(s.View().Character.ID, "Second night")
	enginetest.Must(t, err)
	first := s.Chat
	s.Chat = other.ID
	s.Say("one more lamp")
	tests := []struct {
		chat  storage.ChatID
		text  string
		limit int
		want  []string // the beginning of a snippet each
	}{
		{"", "lamp", 10, []string{"reply 0 to one more", "one more lamp", "reply 0 to the lamp", "the lamp again and", "", ""}},
		{"", "LaMp", 3, []string{"reply", "one", "reply"}},
		{first, "under it", 10, []string{"", ""}},
		{first, "it fer", 10, []string{"", ""}},
		{first, "nder it", 10, nil},
		{first, `"nder it"`, 10, []string{"", ""}},
		{first, `"under it"`, 10, nil},
		{first, "ÜNDER IT", 0, []string{"", ""}},
		{other.ID, "ferry", 10, nil},
		{"", "", 10, nil},
		{"", "lamp", 0, make([]string, 6)},
		{"", "lamp", -1, make([]string, 6)},
	}
	for _, indexed := range []bool{false, true} {
		if indexed {
			enginetest.Must(t, s.Chats.Index(s.Context(), first, 1, func(int) {}))
			enginetest.Must(t, s.Chats.Index(s.Context(), other.ID, 1, func(int) {}))
		}
		for _, tt := range tests {
			found(t, s, tt.chat, tt.text, tt.limit, tt.want)
		}
	}
	s.Chat = first
	enginetest.Must(t, s.Chats.Edit(first, s.View().Messages[1].ID, "The steamer, and no light"))
	found(t, s, first, "steamer", 10, []string{"The steamer"})
	found(t, s, "", "ferry", 10, []string{"reply"})
}

// found checks that a search finds messages whose snippets have the given beginnings.
func found(t *testing.T, s *harness, chat storage.ChatID, text string, limit int, want []string) {
	t.Helper()
	hits := s.Search(chats.Search{Chat: chat, Text: text, Most: max(0, limit)})
	if len(hits) != len(want) {
		t.Errorf("%q: %d hits, want %d", text, len(hits), len(want))
		return
	}
	for i, h := range hits {
		if !strings.HasPrefix(h.Snippet, want[i]) || !utf8.ValidString(h.Snippet) || strings.Contains(h.Snippet, "\n") || h.Title == "" {
			t.Errorf("%q: hit %d is %+v, want %q", text, i, h, want[i])
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	who := s.View().Character.ID
	a, err := s.Chats.New(who, "The Ferry")
	enginetest.Must(t, err)
	b, err := s.Chats.New(who, "Twice")
	enginetest.Must(t, err)
	c, err := s.Chats.New(who, "twice")
	enginetest.Must(t, err)
	d := storage.Chat{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Title: "From long ago"}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Chats.Put(tx, d.ID, d) }))
	tests := []struct {
		ref  string
		want storage.ChatID
		err  error
		says []string
	}{
		{ref: string(a.ID), want: a.ID},
		{ref: strings.ToLower(string(a.ID)), want: a.ID},
		{ref: "the ferry", want: a.ID},
		{ref: "01arz3", want: d.ID},
		{ref: "01", err: failure.ErrAmbiguous, says: []string{string(d.ID), "From long ago"}},
		{ref: "TWICE", err: failure.ErrAmbiguous, says: []string{string(b.ID), string(c.ID)}},
		{ref: "ferry", err: storage.ErrNotFound, says: []string{"ferry"}},
		{ref: "", err: storage.ErrNotFound},
	}
	for _, tt := range tests {
		got, err := s.Chats.Find(tt.ref)
		if got.ID != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: %s, %v", tt.ref, got.ID, err)
		}
		for _, w := range tt.says {
			if !strings.Contains(failure.Text(err), w) {
				t.Errorf("%q: the words %q do not name %q", tt.ref, failure.Text(err), w)
			}
		}
	}
	if p, err := s.Library.FindPersona("robin"); err != nil || p.Name != "Robin" {
		t.Errorf("persona: %+v %v", p, err)
	}
}

func TestChats(t *testing.T) {
	t.Parallel()
	clock := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.Numbered, func(o *enginetest.Setup) { o.Cfg.Now = clock.Now })})
	who := s.View().Character
	clock.Advance(time.Hour)
	b, err := s.Chats.New(who.ID, "")
	enginetest.Must(t, err)
	clock.Advance(time.Hour)
	s.Say("one")
	list, err := s.Chats.List()
	if err != nil || len(list) != 2 || list[0].ID != s.Chat || list[1].ID != b.ID {
		t.Fatalf("the chats are %+v, %v", list, err)
	}
	if l := list[0]; l.CharacterName != who.Card.Name || l.Messages != 3 || l.Preview != "reply 0 to one" || l.Title == b.Title {
		t.Errorf("the first line is %+v", l)
	}
	if id, ok, err := s.Chats.Last(); !ok || id != b.ID || err != nil {
		t.Errorf("nothing was opened yet: %s %t %v", id, ok, err)
	}
	enginetest.Must(t, s.Chats.Opened(s.Chat))
	s.Reopen()
	if id, ok, err := s.Chats.Last(); !ok || id != s.Chat || err != nil {
		t.Errorf("the last chat: %s %t %v", id, ok, err)
	}
	enginetest.Must(t, s.Play.DeleteChat(s.Chat))
	if id, ok, err := s.Chats.Last(); !ok || id != b.ID || err != nil {
		t.Errorf("the one that was open is gone: %s %t %v", id, ok, err)
	}
	if err := s.Chats.Rename(b.ID, " "); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("no title: %v", err)
	}
	enginetest.Must(t, s.Chats.Rename(b.ID, " A new name "))
	if c, err := s.Chats.Find("a new name"); err != nil || c.ID != b.ID {
		t.Errorf("renamed: %+v %v", c, err)
	}
}
