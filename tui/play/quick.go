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

// QuickDo is the action of a quick reply.
type QuickDo string

const (
	QuickSend   QuickDo = "send"   // as the user's line; the composer's text stays
	QuickInsert QuickDo = "insert" // at the cursor
	QuickNudge  QuickDo = "nudge"  // as an instruction for one reply
)

// QuickReply is a text that the user has prepared. Label is its name in the menu, "" for the
// beginning of the text. Key uses it immediately while the user writes, "" for none. An empty Do
// means QuickSend.
type QuickReply struct {
	Label string
	Text  string
	Key   string // as in the table of keys
	Do    QuickDo
}

// Limits of quick replies.
const (
	MaxQuickReplies = 100
	maxQuickText    = 16 << 10 // bytes
	maxQuickLabel   = 200
)

// QuickFault describes an error in a quick reply, in words for the user. At counts from 0; Field is
// label, text, key or do.
type QuickFault struct {
	At     int
	Field  string
	Reason string
}

// Error returns the number of the reply, counted from 1, and the error.
func (f QuickFault) Error() string {
	return fmt.Sprintf("quick_replies %d, %s: %s", f.At+1, f.Field, f.Reason)
}

// CheckQuickReplies returns the errors in quick replies, given a table of keys.
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

// quick holds the usable quick replies, and those with keys.
type quick struct {
	list []QuickReply
	keys map[string]QuickReply
}

// newQuick returns the usable quick replies, and words about the errors. A reply whose key is taken
// is kept without it.
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

// label returns the display name of a quick reply.
func (r QuickReply) label() string {
	if !draw.Blank(r.Label) {
		return r.Label
	}
	return draw.Truncate(r.Text, 60)
}

// what returns the use of the text, "" if it is sent.
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
		detail := draw.Truncate(q.Text, 200)
		if detail == q.label() {
			detail = ""
		}
		entries = append(entries, widget.Entry{Title: q.label(), Detail: detail, Right: right, Value: q})
	}
	p := widget.NewPicker(r.host.Styles(), "Quick replies", entries,
		func(e widget.Entry) tea.Cmd { return r.useQuick(e.Value.(QuickReply)) },
		widget.Extra{Name: keys.DialogEdit, Description: "insert",
			Do: func(e widget.Entry) tea.Cmd { return r.insertQuick(e.Value.(QuickReply)) }})
	p.Empty = "No quick replies yet. Each [[quick_replies]] in config.toml adds one: label, text, and optionally key " +
		"and do."
	r.host.Open(p)
	return nil
}

// Key handles a key press in the composer that is not bound to an action. typed reports that it has
// only changed the composer's text.
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
