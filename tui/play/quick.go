package play

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
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
	MaxQuickReplies = 100
	maxQuickText    = 16 << 10 // bytes
	maxQuickLabel   = 200
)

// QuickFault is what is wrong with a quick reply, in words for the user. At
// counts from 0; Field is label, text, key or do.
type QuickFault struct {
	At    int
	Field string
	Words string
}

// Error returns which reply is meant, counted from 1, and what is wrong with it.
func (f QuickFault) Error() string {
	return fmt.Sprintf("quick_replies %d, %s: %s", f.At+1, f.Field, f.Words)
}

// CheckQuickReplies finds what cannot be used in quick replies, beside a table of keys.
func CheckQuickReplies(list []QuickReply, m *keys.Map) []QuickFault {
	var out []QuickFault
	bound := map[string]int{}
	for i, q := range list {
		refuse := func(field, format string, args ...any) {
			out = append(out, QuickFault{i, field, fmt.Sprintf(format, args...)})
		}
		if i >= MaxQuickReplies {
			refuse("text", "at most %d quick replies are allowed", MaxQuickReplies)
			break
		}
		switch {
		case draw.Blank(q.Text):
			refuse("text", "it is empty: enter the text to insert or send")
		case len(q.Text) > maxQuickText:
			refuse("text", "the limit is %d bytes", maxQuickText)
		}
		if len(q.Label) > maxQuickLabel {
			refuse("label", "the limit is %d bytes", maxQuickLabel)
		}
		switch q.Do {
		case "", QuickSend, QuickInsert, QuickNudge:
		default:
			refuse("do", "must be %s, %s or %s, not %q", QuickSend, QuickInsert, QuickNudge, q.Do)
		}
		if q.Key == "" {
			continue
		}
		if err := m.Free(q.Key); err != nil {
			refuse("key", "%s", err)
		} else if other, ok := bound[q.Key]; ok {
			refuse("key", "%q is already used by quick reply %d", q.Key, other+1)
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
	for _, f := range CheckQuickReplies(list, m) {
		words = append(words, f.Error())
		if f.Field == "key" {
			keyless[f.At] = true
		} else {
			unusable[f.At] = true
		}
	}
	for i, r := range list[:min(len(list), MaxQuickReplies)] {
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

// label returns how a quick reply is called.
func (r QuickReply) label() string {
	if !draw.Blank(r.Label) {
		return r.Label
	}
	return draw.Within(r.Text, 60)
}

// what returns what becomes of the text, "" where it is sent.
func (r QuickReply) what() string {
	if r.Do == QuickSend {
		return ""
	}
	return string(r.Do)
}

// openQuick lists the quick replies.
func (r *Part) openQuick() tea.Cmd {
	var entries []widget.Entry
	for _, q := range r.quick.list {
		right := q.what()
		if q.Key != "" {
			right = strings.TrimSpace(right + "  " + keys.Label(q.Key))
		}
		detail := draw.Within(q.Text, 200)
		if detail == q.label() {
			detail = ""
		}
		entries = append(entries, widget.Entry{Title: q.label(), Detail: detail, Right: right, Value: q})
	}
	p := widget.NewPicker(r.host.Styles(), "Quick replies", entries,
		func(e widget.Entry) tea.Cmd { return r.useQuick(e.Value.(QuickReply)) },
		widget.Extra{Name: keys.DialogEdit, Words: "insert",
			Do: func(e widget.Entry) tea.Cmd { return r.insertQuick(e.Value.(QuickReply)) }})
	p.Empty = "No quick replies yet. Each [[quick_replies]] in config.toml adds one: label, text, and optionally key " +
		"and do."
	r.host.Open(p)
	return nil
}

// Key does what a key press means while the user writes that is no action's. typed tells
// that it has changed nothing but what stands in the composer.
func (r *Part) Key(m tea.KeyPressMsg) (cmd tea.Cmd, typed bool) {
	if q, ok := r.quick.keys[m.Keystroke()]; ok {
		return r.useQuick(q), false
	}
	n := r.composer.typed
	cmd = r.composer.key(m)
	return cmd, r.composer.typed != n
}

func (r *Part) useQuick(q QuickReply) tea.Cmd {
	switch q.Do {
	case QuickInsert:
		return r.insertQuick(q)
	case QuickNudge:
		return r.Nudge(q.Text)
	}
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	return r.withResponder(func(who storage.CharacterID) tea.Cmd {
		draft := r.composer.in.Value() // stays
		r.composer.clear(q.Text)
		r.composer.in.Set(draft)
		return r.sendText(q.Text, who)
	})
}

func (r *Part) insertQuick(q QuickReply) tea.Cmd {
	r.screen.SetMode(keys.Write)
	return r.insert(q.Text)
}
