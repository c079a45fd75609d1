package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// QuickDo is what becomes of a quick reply.
type QuickDo string

const (
	QuickSend   QuickDo = "send"   // as the user's line; what is being written stays
	QuickInsert QuickDo = "insert" // where the cursor is
	QuickNudge  QuickDo = "nudge"  // as an instruction for one reply
)

// QuickReply is a text that the user has at hand. Label is how the menu calls
// it, "" for the beginning of the text. Key acts at once while the user writes,
// "" is none. Do "" is QuickSend.
type QuickReply struct {
	Label string
	Text  string
	Key   string // as the table of keys has it
	Do    QuickDo
}

// What quick replies may be.
const (
	MostQuickReplies = 100
	mostQuickText    = 16 << 10 // bytes
	mostQuickLabel   = 200
)

// QuickFault is what is wrong with a quick reply, in words for the user. At
// counts from 0; Field is label, text, key or do.
type QuickFault struct {
	At    int
	Field string
	Words string
}

// Error says which reply is meant, counted from 1, and what is wrong with it.
func (f QuickFault) Error() string {
	return fmt.Sprintf("quick_replies %d, %s: %s", f.At+1, f.Field, f.Words)
}

// CheckQuickReplies finds what cannot be used in quick replies, beside the keys
// that the user has changed, by name of the action.
func CheckQuickReplies(list []QuickReply, changes map[string][]string) []QuickFault {
	m, _ := Keys(changes) // its faults are told elsewhere
	return checkQuick(list, m)
}

func checkQuick(list []QuickReply, m *keys.Map) []QuickFault {
	var out []QuickFault
	bound := map[string]int{}
	for i, q := range list {
		refuse := func(field, format string, args ...any) {
			out = append(out, QuickFault{i, field, fmt.Sprintf(format, args...)})
		}
		if i >= MostQuickReplies {
			refuse("text", "there may be %d quick replies at the most", MostQuickReplies)
			break
		}
		switch {
		case look.Blank(q.Text):
			refuse("text", "it is empty; it is what the key or the menu stands for")
		case len(q.Text) > mostQuickText:
			refuse("text", "it may have %d bytes at the most", mostQuickText)
		}
		if len(q.Label) > mostQuickLabel {
			refuse("label", "it may have %d bytes at the most", mostQuickLabel)
		}
		switch q.Do {
		case "", QuickSend, QuickInsert, QuickNudge:
		default:
			refuse("do", "it is %s, %s or %s, not %q", QuickSend, QuickInsert, QuickNudge, q.Do)
		}
		if q.Key == "" {
			continue
		}
		if err := m.Free(q.Key); err != nil {
			refuse("key", "%s", err)
		} else if other, ok := bound[q.Key]; ok {
			refuse("key", "%q is that of quick reply %d already", q.Key, other+1)
		} else {
			bound[q.Key] = i
		}
	}
	return out
}

// quick are the quick replies that can be used, by key too.
type quick struct {
	list []QuickReply
	keys map[string]QuickReply
}

// newQuick takes what can be used of quick replies and says what cannot: a reply
// whose key is taken stays without it.
func newQuick(list []QuickReply, m *keys.Map) (quick, []string) {
	q := quick{keys: map[string]QuickReply{}}
	var words []string
	unusable, keyless := map[int]bool{}, map[int]bool{}
	for _, f := range checkQuick(list, m) {
		words = append(words, f.Error())
		if f.Field == "key" {
			keyless[f.At] = true
		} else {
			unusable[f.At] = true
		}
	}
	for i, r := range list[:min(len(list), MostQuickReplies)] {
		if unusable[i] {
			continue
		}
		if keyless[i] {
			r.Key = ""
		}
		q.list = append(q.list, r)
		if r.Key != "" {
			q.keys[r.Key] = r
		}
	}
	return q, words
}

// label is how a quick reply is called.
func (r QuickReply) label() string {
	if !look.Blank(r.Label) {
		return r.Label
	}
	return look.Within(r.Text, 60)
}

// what says what becomes of the text, "" where it is sent.
func (r QuickReply) what() string {
	if r.Do == QuickSend {
		return ""
	}
	return string(r.Do)
}

// openQuick lists the quick replies.
func (a *app) openQuick() tea.Cmd {
	var entries []widget.Entry
	for _, r := range a.quick.list {
		right := r.what()
		if r.Key != "" {
			right = strings.TrimSpace(right + "  " + keys.Label(r.Key))
		}
		detail := look.Within(r.Text, 200)
		if detail == r.label() {
			detail = ""
		}
		entries = append(entries, widget.Entry{Title: r.label(), Detail: detail, Right: right, Value: r})
	}
	p := widget.NewPicker(a.lk, "Quick replies", entries, func(e widget.Entry) tea.Cmd { return a.useQuick(e.Value.(QuickReply)) },
		widget.Extra{Key: "ctrl+e", Words: "into the line", Do: func(e widget.Entry) tea.Cmd { return a.insertQuick(e.Value.(QuickReply)) }})
	p.Empty = "There are none yet. Each [[quick_replies]] in config.toml makes one: label, text, and if you like key and do."
	a.dialogs.Open(p)
	return nil
}

// quickKey does what a key of the user's own stands for; ok is false where it
// stands for nothing.
func (a *app) quickKey(keystroke string) (cmd tea.Cmd, ok bool) {
	r, ok := a.quick.keys[keystroke]
	if !ok {
		return nil, false
	}
	return a.useQuick(r), true
}

func (a *app) useQuick(r QuickReply) tea.Cmd {
	switch r.Do {
	case QuickInsert:
		return a.insertQuick(r)
	case QuickNudge:
		return a.nudge(r.Text)
	}
	if cmd, ok := a.maySend(); !ok {
		return cmd
	}
	return a.answering(func(who storage.CharacterID) tea.Cmd { return a.sendQuick(r.Text, who) })
}

func (a *app) insertQuick(r QuickReply) tea.Cmd {
	a.mode = keys.Write
	a.composer.in.Insert(r.Text)
	return a.composer.edited(a)
}

// sendQuick sends a text beside the one that is being written, which stays.
func (a *app) sendQuick(text string, who storage.CharacterID) tea.Cmd {
	c := a.composer
	draft := c.in.Value()
	c.clear(text)
	c.in.Set(draft)
	return a.sendText(text, who)
}

// maySend tells whether a line can be sent now, and what to do where it cannot.
func (a *app) maySend() (tea.Cmd, bool) {
	switch {
	case a.turn.running:
		return a.Say(event.Info, "the reply is still being written: "+a.keys.Key(keys.Interrupt, keys.Write)+" stops it"), false
	case a.view.Chat.ID == "":
		return a.Run(keys.Characters), false
	case a.view.Model == "":
		return a.Run(keys.Models), false
	}
	return nil, true
}
