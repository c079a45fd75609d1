package prompt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func id(i int) storage.NodeID { return storage.NodeID(fmt.Sprintf("m%05d", i)) }

// covering is a memory that covers everything up to message i; -1 is nothing.
func covering(i, keep int) *RecapBlock {
	m := &RecapBlock{Source: "running recap v3", Keep: keep}
	if i >= 0 {
		m.Covers, m.CoversDepth = id(i), i
	}
	return m
}

// roles returns messages by the initials of their roles: user, assistant, capture, deleted.
func roles(initials string) []storage.Node {
	h := long(len(initials), 30)
	for i, r := range initials {
		switch r {
		case 'u', 'd':
			h[i].Role, h[i].Deleted = storage.User, r == 'd'
		case 'a':
			h[i].Role = storage.Assistant
		case 'c':
			h[i].Role, h[i].Content = storage.SceneCapture, ""
		}
	}
	return h
}

// sized returns a history whose messages have so many tokens in total.
func sized(h []storage.Node, tokens int) []storage.Node {
	said := 0
	for i := range h {
		if shown(&h[i]) {
			said++
		}
	}
	for i := range h {
		if shown(&h[i]) {
			h[i].Content = text(fmt.Sprint("t", i), tokens/said-messageTokens)
		}
	}
	return h
}

func TestWindow_Coverage(t *testing.T) {
	base := snapshot()
	r := room(t, base)
	// filling returns a history of 41 messages in which those from first on take this share of the
	// room.
	filling := func(share float64, first int) []storage.Node {
		return long(41, int(share*float64(r))/(41-first)-messageTokens)
	}
	off := func(depth, keep int) *RecapBlock {
		return &RecapBlock{Source: "a recap", Covers: "elsewhere", CoversDepth: depth, Keep: keep}
	}
	for _, c := range []struct {
		name    string
		history []storage.Node
		more    bool
		window  storage.NodeID
		memory  *RecapBlock
		first   int // the message that the prompt begins with; -1: see the other wants
		folded  bool
		covered int
		left    int     // uncovered and not in the prompt
		moves   bool    // once more on the next turn
		full    float64 // share of the room that the history takes, 0 if irrelevant
	}{
		{name: "nothing covered", history: long(41, 30), memory: covering(-1, 4)},
		{name: "nothing covered any more", history: long(41, 30), window: id(20), memory: covering(-1, 4)},
		{name: "without memory the window stays", history: long(41, 30), window: id(20), first: 20, left: 20},
		{full: 0.9, name: "the scene's border", history: long(41, 30), window: id(0), memory: covering(19, 4), first: 16, folded: true, covered: 16},
		{full: 0.75, name: "covered, and not full yet", history: long(41, 30), window: id(0), memory: covering(19, 4)},
		{full: 0.85, name: "too little is covered to be worth a fold", history: long(41, 30), window: id(0), memory: covering(7, 4)},
		{full: 1.01, name: "too little is covered, and no room", history: long(41, 30), window: id(0), memory: covering(9, 4), first: 6, folded: true, covered: 6},
		{full: 0.9, name: "no window yet", history: long(41, 30), memory: covering(19, 4), first: 16, folded: true, covered: 16},
		{name: "already there", history: long(41, 30), window: id(16), memory: covering(19, 4), first: 16, covered: 16},
		{full: 0.9, name: "keep begins with a reply, the user's before it stays too", history: long(41, 30), window: id(0), memory: covering(19, 3), first: 16, folded: true, covered: 16},
		{full: 0.9, name: "keep begins with a reply after a reply", history: roles("uauaaauaua"), window: id(0), memory: covering(7, 3), first: 5, folded: true, covered: 5},
		{full: 0.9, name: "keep nothing", history: long(41, 30), window: id(0), memory: covering(19, 0), first: 20, folded: true, covered: 20},
		{full: 0.9, name: "keep nothing, but the question of the first reply", history: long(41, 30), window: id(0), memory: covering(20, 0), first: 20, folded: true, covered: 20},
		{full: 0.9, name: "less than nothing", history: long(41, 30), window: id(0), memory: covering(19, -3), first: 20, folded: true, covered: 20},
		{name: "keep more than there is", history: long(41, 30), memory: covering(19, 100), first: 0},
		{full: 0.95, name: "only what was said is kept", history: roles("uauacduacuau"), window: id(0), memory: covering(8, 2), first: 6, folded: true, covered: 6},
		{name: "the window opens with what is no longer shown", history: roles("uacauaua"), window: id(2), memory: covering(1, 0), first: 3, covered: 2},
		{name: "coverage moved back", history: long(41, 30), window: id(27), memory: covering(9, 4), first: 6, covered: 6},
		{name: "after a fold, much room again", history: filling(0.60, 16), window: id(30), memory: covering(19, 4), first: 16, covered: 16},
		{name: "after a fold, little room", history: filling(0.70, 16), window: id(30), memory: covering(19, 4), first: 30, covered: 20, left: 10},
		{name: "after a fold, no room", history: filling(1.2, 16), window: id(30), memory: covering(19, 4), first: 30, covered: 20, left: 10},
		{name: "the border in a room that was full", history: filling(0.97, 16), window: id(0), memory: covering(19, 4), first: 16, folded: true, covered: 16},
		{name: "no room behind the border", history: long(1001, 30), window: id(0), memory: covering(99, 4), first: -1, folded: true, covered: 100},
		{name: "no room, no coverage", history: long(1001, 30), window: id(0), memory: covering(-1, 4), first: -1, folded: true},
		{name: "covered above what is at hand", history: long(41, 30)[10:], more: true, window: id(20), memory: off(4, 4), first: 20, covered: 5, left: 15},
		{name: "covered above what is at hand, no window", history: long(41, 30)[10:], more: true, memory: off(4, 4), first: 10, folded: true, covered: 5, left: 5},
		{name: "nothing covered, more above", history: long(41, 30)[10:], more: true, window: id(20), memory: covering(-1, 4), first: 20, left: 20},
		{name: "covered on another branch", history: long(41, 30), window: id(20), memory: off(4, 4)},
		{name: "covered at hand, more above", history: long(41, 30)[10:], more: true, memory: covering(19, 4), first: 10, folded: true, covered: 10},
		{name: "covered at hand, the window above", history: long(41, 30)[10:], more: true, window: id(2), memory: covering(19, 4), first: 10, folded: true, covered: 10},
		{full: 0.9, name: "all covered: no more leaves than has to", history: long(41, 30), window: id(0), memory: covering(40, 4), first: 14, folded: true, covered: 14},
		{full: 0.9, name: "all covered, keep nothing", history: long(41, 30), window: id(0), memory: covering(40, 0), first: 14, folded: true, covered: 14},
		{full: 0.9, name: "all covered, a reply is the newest", history: long(40, 30), window: id(0), memory: covering(39, 0), first: 14, folded: true, covered: 14},
		{full: 0.9, name: "all covered, a picture after it", history: roles("uauauauauac"), window: id(0), memory: covering(9, 2), first: 6, folded: true, covered: 6},
		{full: 0.9, name: "covered beyond the end", history: long(40, 30), window: id(0), memory: off(99, 4), first: 14, folded: true, covered: 14},
		{name: "nothing but pictures between", history: roles("uaccauau"), window: id(4), memory: covering(1, 0), first: 4, covered: 2},
		{name: "nothing but pictures before", history: roles("cdauau"), memory: covering(-1, 0), first: 2, folded: false},
		{name: "no history", memory: covering(40, 4), first: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			if c.full > 0 {
				c.history = sized(c.history, int(c.full*float64(r)))
			}
			s.History, s.More, s.Window, s.Recap = c.history, c.more, c.window, c.memory
			p := compile(t, s)
			if c.first >= 0 && p.Window != id(c.first) {
				t.Errorf("starts at %s, want %s", p.Window, id(c.first))
			}
			if p.Folded != c.folded {
				t.Errorf("folded: %v", p.Folded)
			}
			if p.Covered != c.covered || c.first >= 0 && p.Uncovered != c.left {
				t.Errorf("out of the prompt: %d covered, %d not; want %d and %d", p.Covered, p.Uncovered, c.covered, c.left)
			}
			if c.first < 0 && len(c.history) > 0 && (p.Uncovered == 0 || p.Covered+p.Uncovered+len(p.Messages)-1 != len(c.history)) {
				t.Errorf("%d covered, %d not, %d in the prompt, of %d", p.Covered, p.Uncovered, len(p.Messages)-1, len(c.history))
			}
			if len(c.history) == 0 {
				return
			}
			n := c.history[len(c.history)-1].Depth + 1
			s.Window = p.Window
			s.History = append(s.History[:len(s.History):len(s.History)], message(n, storage.Assistant, "reply"), message(n+1, storage.User, "next"))
			next := compile(t, s)
			if moved := next.Folded || next.Window != p.Window || !reflect.DeepEqual(next.Messages[:toNewest(p)], p.Messages[:toNewest(p)]); moved != c.moves {
				t.Errorf("on the next turn it starts at %s, folded %v", next.Window, next.Folded)
			}
		})
	}
}

// toNewest returns the number of messages in a prompt up to the user's newest, or up to the first
// of the history if there is none of the user.
func toNewest(p Prompt) int {
	n := 2
	for i, m := range p.Messages {
		if m.Role == "user" && strings.HasPrefix(m.Content, "t") {
			n = i + 1
		}
	}
	return n
}

func TestWindow_CoverageComesAndGoes(t *testing.T) {
	s := snapshot()
	s.History, s.Window = long(101, 30), id(60)
	for i, step := range []struct{ covers, first int }{{59, 60}, {79, 60}, {19, 16}, {59, 16}, {-1, 0}, {79, 0}} {
		s.Recap = covering(step.covers, 4)
		p := compile(t, s)
		if p.Window != id(step.first) || p.Uncovered != 0 {
			t.Errorf("step %d: starts at %s, %d uncovered left out", i, p.Window, p.Uncovered)
		}
		s.Window = p.Window
	}
}

func TestMemory_CountsNoMoreThanItKeeps(t *testing.T) {
	s := snapshot()
	s.History, s.Recap = long(10_000, 14), covering(9_899, 4)
	calls := 0
	s.Count = func(text string) int { calls++; return words(text) }
	if p := compile(t, s); calls > 3*len(p.Messages) { // more fit than a fold leaves
		t.Errorf("%d texts counted for a prompt of %d messages", calls, len(p.Messages))
	}
}

func TestMemory_Ledger(t *testing.T) {
	base := snapshot()
	base.Window = id(0)
	r := room(t, base)
	for _, c := range []struct {
		name   string
		change func(*Snapshot)
		want   []string
		never  []string
	}{
		{"covered", func(s *Snapshot) { s.Recap = covering(19, 4) },
			[]string{"16 older messages are covered by running recap v3", "older messages are covered by recaps, with 4 covered ones that still fit"},
			[]string{"no recap covers"}},
		{"one message", func(s *Snapshot) {
			s.Recap = covering(0, 0)
			s.History[0].Role = storage.Assistant
			s.History[0].Content += text("more", r/4)
		},
			[]string{"1 older message is covered by running recap v3"}, nil},
		{"not told", func(s *Snapshot) { s.Recap = covering(19, 4) }, []string{"covered by running recap v3, which is not in the prompt"}, nil},
		{"told", func(s *Snapshot) { s.Recap = covering(19, 4); s.Recap.Text = "- The storm broke." }, nil, []string{"not in the prompt"}},
		{"nameless", func(s *Snapshot) { s.Recap = &RecapBlock{Covers: id(19), CoversDepth: 19} }, []string{"covered by a recap"}, nil},
		{"budget", func(s *Snapshot) { s.Recap = covering(99, 4); s.History = long(1001, 30) },
			[]string{"messages up to m00099: 100 older messages are covered by running recap v3", "older messages left the context and no recap covers them", "the history did not fit"},
			[]string{"for the voice"}},
		{"budget alone", func(s *Snapshot) { s.Recap = covering(-1, 4); s.History = long(1001, 30) },
			[]string{"older messages left the context and no recap covers them"}, []string{"covered by"}},
		{"back again", func(s *Snapshot) { s.Recap = covering(-1, 4); s.Window, s.History = id(20), long(41, 30) }, []string{"older messages included"}, []string{"left the context"}},
		{"left out", func(s *Snapshot) {
			s.Recap = covering(19, 4)
			s.Recap.LeftOut = []Part{{Source: "recap of scene 1", Reason: "beyond the budget of 1500 tokens", Tokens: 300, Included: true}}
		}, []string{"memory -300 recap of scene 1: beyond the budget of 1500 tokens"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			s.History = sized(long(41, 30), r*9/10)
			c.change(&s)
			var lines []string
			for _, part := range compile(t, s).Parts {
				mark := map[bool]string{true: "+", false: "-"}[part.Included]
				lines = append(lines, fmt.Sprintf("%s %s%d %s: %s", part.Layer, mark, part.Tokens, part.Source, part.Reason))
			}
			all := strings.Join(lines, "\n")
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in\n%s", want, all)
				}
			}
			for _, never := range c.never {
				if strings.Contains(all, never) {
					t.Errorf("%q is in\n%s", never, all)
				}
			}
		})
	}
}

// overriding is the built-in set with another chat/memory.
func overriding(t *testing.T, text string) *prompts.Set {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "chat"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "chat", "memory.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, errs := prompts.Load(dir)
	if errs != nil {
		t.Fatal(errs)
	}
	return set
}

func TestMemory_TheTagsStandAroundIt(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"all there":       {"<roleplay_memory>\nSo far:\n{{memory}}\n</roleplay_memory>", "- A.", "<roleplay_memory>\nSo far:\n- A.\n</roleplay_memory>"},
		"no tags":         {"So far: {{memory}}", "- A.", "<roleplay_memory>\nSo far: - A.\n</roleplay_memory>"},
		"one tag":         {"So far: <roleplay_memory>{{memory}}!", "- A.", "So far: <roleplay_memory>- A.!\n</roleplay_memory>"},
		"tags elsewhere":  {"{{memory}} <roleplay_memory></roleplay_memory>", "A", "<roleplay_memory>\nA <roleplay_memory></roleplay_memory>"},
		"no place for it": {"Remember, {{char}}. <roleplay_memory></roleplay_memory>", "- A.", "<roleplay_memory>\nRemember, Ada.\n\n- A.\n</roleplay_memory>"},
		"twice":           {"{{memory}}{{ Memory }}", "A", "<roleplay_memory>\nAA\n</roleplay_memory>"},
		"told as it is":   {"{{user}}: {{memory}}", "{{char}} {{memory}} <user>", "<roleplay_memory>\nBen: {{char}} {{memory}} <user>\n</roleplay_memory>"},
		"no way out":      {"{{memory}}", "A</Roleplay_Memory>B<roleplay_</roleplay_memory>memory>C", "<roleplay_memory>\nA B<roleplay_ memory>C\n</roleplay_memory>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := snapshot()
			s.Set, s.Recap = overriding(t, c.file), &RecapBlock{Text: " " + c.text + "\n", Source: "x"}
			if got := compile(t, s).Messages[1]; got != (Message{"system", c.want}) {
				t.Errorf("%s", cmp.Diff(Message{"system", c.want}, got))
			}
		})
	}
	s := snapshot()
	s.Recap = &RecapBlock{Text: "- The door is open.", Source: "x"}
	got := compile(t, s).Messages[1].Content
	if !strings.HasPrefix(got, memoryOpen+"\n") || !strings.HasSuffix(got, "\n- The door is open.\n"+memoryClose) || strings.Contains(got, "{{") {
		t.Errorf("the built-in block: %s", got)
	}
}

func TestMemory_Place(t *testing.T) {
	history := []storage.Node{message(0, storage.User, "u0"), message(1, storage.Assistant, "a1"), message(2, storage.User, "u2"), message(3, storage.Assistant, "a3")}
	for _, c := range []struct {
		name   string
		memory RecapBlock
		mode   Mode
		card   int // depth of the card's own prompt
		want   string
		cost   string
	}{
		{name: "before the history", want: "system memory user assistant user system assistant user", cost: "before the history"},
		{name: "no depth below 0", memory: RecapBlock{Depth: -2}, want: "system memory user assistant user system assistant user", cost: "before the history"},
		{name: "above the newest", memory: RecapBlock{Depth: 1}, want: "system user assistant memory user system assistant user", cost: "the setting places it 1 message above the newest: about 17 tokens"},
		{name: "further up", memory: RecapBlock{Depth: 2}, want: "system user memory assistant user system assistant user", cost: "about 24 tokens"},
		{name: "higher than there is", memory: RecapBlock{Depth: 20}, want: "system memory user assistant user system assistant user", cost: "20 messages above"},
		{name: "with the card's own", memory: RecapBlock{Depth: 1}, card: 1, want: "system user assistant memory card user system assistant user"},
		{name: "as the user", memory: RecapBlock{Role: "User"}, want: "system memory:user user assistant user system assistant user"},
		{name: "as the character", memory: RecapBlock{Role: "assistant", Depth: 1}, want: "system user assistant memory:assistant user system assistant user"},
		{name: "as nobody known", memory: RecapBlock{Role: "narrator"}, want: "system memory user assistant user system assistant user"},
		{name: "continue", memory: RecapBlock{Depth: 1}, mode: Continue, want: "system user assistant memory user system user assistant"},
		{name: "impersonate", mode: Impersonate, want: "system memory user assistant user system assistant user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := snapshot()
			s.History, s.Mode, s.AuthorNote = history, c.mode, "Note."
			s.Set, s.Recap = overriding(t, "{{memory}}"), &c.memory
			s.Recap.Text, s.Recap.Source = "The storm.", "running recap v1"
			if c.card > 0 {
				s.Card.DepthPrompt, s.Card.DepthPromptDepth = "CARD", c.card
			}
			p := compile(t, s)
			var got []string
			for _, m := range p.Messages {
				word := m.Role
				switch {
				case m.Content == "CARD":
					word = "card"
				case strings.Contains(m.Content, memoryOpen) && m.Role == "system":
					word = "memory"
				case strings.Contains(m.Content, memoryOpen):
					word = "memory:" + m.Role
				}
				got = append(got, word)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
			}
			if line, ok := part(p, LayerRecap, true); !ok || !strings.Contains(line.Reason, c.cost) || line.Source != "running recap v1" || line.Tokens != 4+messageTokens {
				t.Errorf("the ledger says %+v, want %q", line, c.cost)
			}
		})
	}
}

func TestMemory_TooLong(t *testing.T) {
	s := snapshot()
	s.Recap = covering(1, 0)
	s.Recap.Text = text("m", 9000)
	_, err := Compile(s)
	var e *TooLongError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	if e.Part != "the memory (running recap v3)" || e.PartTokens < 9000 || e.Need <= 9000 {
		t.Errorf("%+v", e)
	}
	// Less leaves less to the history.
	s.Recap.Text = text("m", 5000)
	s.Recap.Covers = ""
	s.History = long(1001, 30)
	p := compile(t, s)
	if p.Tokens > s.Limits.Context-s.Limits.Reply || p.Uncovered == 0 {
		t.Errorf("%d tokens, %d uncovered left out", p.Tokens, p.Uncovered)
	}
}

func TestMemory_AJobAfterTheReplyKeepsTheCache(t *testing.T) {
	s := snapshot()
	s.History, s.AuthorNote = long(41, 30), "Note."
	s.Recap = covering(19, 4)
	s.Recap.Text = "- The storm."
	turn := compile(t, s)
	reply := message(41, storage.Assistant, "Come in.")
	s.History, s.Window = append(s.History, reply), turn.Window
	s.Appended = "one two three"
	if got := Reread(append(turn.Messages, Message{"assistant", "Come in."}), compile(t, s).Messages, words); got != 3+messageTokens {
		t.Errorf("%d tokens read again", got)
	}
}
