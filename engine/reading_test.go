package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// grow adds exchanges to the chat without any model, and puts the head there.
func (s *stage) grow(exchanges int) {
	s.t.Helper()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.chat)
		if err != nil {
			return err
		}
		for i := range exchanges {
			for _, role := range []storage.Role{storage.User, storage.Assistant} {
				n := storage.Node{Chat: s.chat, Parent: c.Head, Role: role, State: storage.Complete,
					Content: fmt.Sprintf("%s line %d, *a gesture*, and \"so many words that it looks like a line of a play\".", role, i)}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
			}
		}
		return storage.Chats.Put(tx, c.ID, c)
	}))
}

func TestBefore_PagesToTheBeginning(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.grow(500)
	const window, page = 200, 90
	v, err := s.View(s.chat, window)
	must(t, err)
	if len(v.Messages) != window || !v.More || v.Total != 1001 {
		t.Fatalf("%d messages of %d, more: %t", len(v.Messages), v.Total, v.More)
	}
	all := v.Messages
	for more := v.More; more; {
		var older []Message
		older, more, err = s.Before(s.chat, all[0].ID, page)
		must(t, err)
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
	if older, more, err := s.Before(s.chat, all[0].ID, page); len(older) != 0 || more || err != nil {
		t.Errorf("before the first: %d, %t, %v", len(older), more, err)
	}
	if v, err = s.View(s.chat, 0); err != nil || len(v.Messages) != 1001 || v.More {
		t.Errorf("the whole chat: %d messages, more: %t, %v", len(v.Messages), v.More, err)
	}
	if _, path, err := s.Path(s.chat, 3); err != nil || len(path) != 3 || path[2].ID != v.Chat.Head {
		t.Errorf("the path's end: %d messages, %v", len(path), err)
	}
	if _, err := s.View("nobody", 9); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a chat that is not there: %v", err)
	}
}

func TestView_WhileReplyIsWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t, slow)
	s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
	_, reply := talking(s)
	content := ""
	for _, ev := range s.seen {
		if d, ok := ev.(ReplyDelta); ok {
			content += d.Content
		}
	}
	for range 8 {
		v, err := s.View(s.chat, 3)
		must(t, err)
		m := v.Messages[len(v.Messages)-1]
		if m.ID != reply || v.Running != reply || m.State != storage.Draft || !strings.HasPrefix(m.Content, content) || v.Total != m.Depth+1 {
			t.Fatalf("the view has %q, told were %q", m.Content, content)
		}
		// A piece that was told of before the view says so by its offset.
		d := until[ReplyDelta](s, nil)
		if d.At != len(content) || d.At < len(m.Content) && !strings.HasPrefix(m.Content[d.At:], d.Content[:min(len(d.Content), len(m.Content)-d.At)]) {
			t.Fatalf("piece %q at %d does not fit %q", d.Content, d.At, m.Content)
		}
		content += d.Content
	}
	for _, n := range []int{1, 2} {
		v, err := s.View(s.chat, n)
		if err != nil || len(v.Messages) != n || v.Messages[n-1].ID != reply || !v.More {
			t.Errorf("the last %d: %d messages, %v", n, len(v.Messages), err)
		}
	}
	s.Stop(s.chat)
	s.wait(nil)
	if v := s.view(); v.Running != "" {
		t.Error("the view says that a reply is being written")
	}
}

func TestView_NeverBehindTheEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for range 30 {
		_, err := s.Send(s.chat, "Hello.")
		must(t, err)
		ended := until[ReplyEnded](s, nil)
		v := s.view()
		m := v.Messages[len(v.Messages)-1]
		if v.Running != "" || m.ID != ended.Message.ID || m.Content != ended.Message.Content || m.State != storage.Complete {
			t.Fatalf("after the end the view has %+v, running %q", m.Node, v.Running)
		}
		must(t, s.Branch(s.chat, v.Messages[0].ID))
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := newStage(t, numbered)
	who := s.view().Character
	who.Card.FirstMessage, who.Card.AlternateGreetings = "Good evening.", nil
	_, err := s.SaveCharacter(who)
	must(t, err)
	quiet, err := s.NewChat(who.ID, "First night")
	must(t, err)
	must(t, s.DeleteChat(s.chat))
	s.chat = quiet.ID
	s.say("The İstanbul ferry, and the LAMP ünder it")
	s.say("nothing")
	s.say("the lamp again\nand again")
	other, err := s.NewChat(s.view().Character.ID, "Second night")
	must(t, err)
	first := s.chat
	s.chat = other.ID
	s.say("one more lamp")
	tests := []struct {
		chat  storage.ChatID
		text  string
		limit int
		want  []string // the beginning of a snippet each
	}{
		{"", "lamp", 10, []string{"reply 0 to one more", "one more lamp", "reply 0 to the lamp", "the lamp again and", "", ""}},
		{"", "LaMp", 3, []string{"reply", "one", "reply"}},
		{first, "under it", 10, nil},
		{first, "ÜNDER IT", 0, []string{"", ""}},
		{other.ID, "ferry", 10, nil},
		{"", "", 10, nil},
		{"", "lamp", 0, make([]string, 6)},
		{"", "lamp", -1, make([]string, 6)},
	}
	for _, tt := range tests {
		hits, err := s.Search(tt.chat, tt.text, tt.limit)
		if err != nil || len(hits) != len(tt.want) {
			t.Errorf("%q: %d hits, want %d (%v)", tt.text, len(hits), len(tt.want), err)
			continue
		}
		for i, h := range hits {
			if !strings.HasPrefix(h.Snippet, tt.want[i]) || !utf8.ValidString(h.Snippet) || strings.Contains(h.Snippet, "\n") || h.Title == "" {
				t.Errorf("%q: hit %d is %+v, want %q", tt.text, i, h, tt.want[i])
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	who := s.view().Character.ID
	a, err := s.NewChat(who, "The Ferry")
	must(t, err)
	b, err := s.NewChat(who, "Twice")
	must(t, err)
	c, err := s.NewChat(who, "twice")
	must(t, err)
	d := storage.Chat{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Title: "From long ago"}
	must(t, s.store.Update(func(tx *storage.Tx) error { return storage.Chats.Put(tx, d.ID, d) }))
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
		{ref: "01", err: ErrAmbiguous, says: []string{string(d.ID), "From long ago"}},
		{ref: "TWICE", err: ErrAmbiguous, says: []string{string(b.ID), string(c.ID)}},
		{ref: "ferry", err: storage.ErrNotFound, says: []string{"ferry"}},
		{ref: "", err: storage.ErrNotFound},
	}
	for _, tt := range tests {
		got, err := s.FindChat(tt.ref)
		if got.ID != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: %s, %v", tt.ref, got.ID, err)
		}
		for _, w := range tt.says {
			if !strings.Contains(Words(err), w) {
				t.Errorf("%q: the words %q do not name %q", tt.ref, Words(err), w)
			}
		}
	}
	if p, err := s.FindPersona("robin"); err != nil || p.Name != "Robin" {
		t.Errorf("persona: %+v %v", p, err)
	}
}

func TestChats(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newStage(t, numbered, func(o *setup) { o.cfg.Now = clock.Now })
	who := s.view().Character
	clock.advance(time.Hour)
	b, err := s.NewChat(who.ID, "")
	must(t, err)
	clock.advance(time.Hour)
	s.say("one")
	list, err := s.Chats()
	if err != nil || len(list) != 2 || list[0].ID != s.chat || list[1].ID != b.ID {
		t.Fatalf("the chats are %+v, %v", list, err)
	}
	if l := list[0]; l.CharacterName != who.Card.Name || l.Messages != 3 || l.Preview != "reply 0 to one" || l.Title == b.Title {
		t.Errorf("the first line is %+v", l)
	}
	if id, ok, err := s.LastChat(); !ok || id != b.ID || err != nil {
		t.Errorf("nothing was opened yet: %s %t %v", id, ok, err)
	}
	must(t, s.Opened(s.chat))
	s.reopen()
	if id, ok, err := s.LastChat(); !ok || id != s.chat || err != nil {
		t.Errorf("the last chat: %s %t %v", id, ok, err)
	}
	must(t, s.DeleteChat(s.chat))
	if id, ok, err := s.LastChat(); !ok || id != b.ID || err != nil {
		t.Errorf("the one that was open is gone: %s %t %v", id, ok, err)
	}
	if err := s.RenameChat(b.ID, " "); !errors.Is(err, ErrNothing) {
		t.Errorf("no title: %v", err)
	}
	must(t, s.RenameChat(b.ID, " A new name "))
	if c, err := s.FindChat("a new name"); err != nil || c.ID != b.ID {
		t.Errorf("renamed: %+v %v", c, err)
	}
}
