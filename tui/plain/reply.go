package plain

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// turn begins a reply and prints it as it is written.
func (s *session) turn(begin func() error) {
	if err := begin(); err != nil {
		s.fail(err)
		return
	}
	s.listen(nil)
}

// replyPrinter prints a reply while it is written.
type replyPrinter struct {
	s       *session
	pending string // an incomplete sentence
	text    string // all text from byte from of the message on; the first told bytes of it are final
	from    int
	told    int
	opened  bool // the speaker's name was printed
	who     string
	said    bool
}

// listen prints replies of the open chat until no more come. first, if not nil, is an event that
// was already received.
func (s *session) listen(first event.Event) {
	r := &replyPrinter{s: s, who: "Reply"}
	if first != nil {
		r.handle(first)
	}
	for {
		select {
		case ev := <-s.events:
			if r.handle(ev) {
				return
			}
		case <-s.o.Interrupts:
			if !s.e.Play.Stop(s.chat) {
				return
			}
		}
	}
}

// handle takes what happened, and reports whether the reply is over.
func (r *replyPrinter) handle(ev event.Event) (over bool) {
	s := r.s
	switch ev := ev.(type) {
	case play.ReplyStarted:
		if ev.Chat == s.chat {
			r.who = cmp.Or(ev.Message.Name, "Reply")
			if ev.Message.Content != "" {
				r.who += " continues"
			}
		}
	case play.ReplyDelta:
		if ev.Chat == s.chat {
			r.grow(ev)
		}
	case play.ReplyCut:
		if ev.Chat == s.chat {
			r.cut(ev.At)
		}
	case play.LineSuggested:
		if ev.Chat != s.chat {
			return false
		}
		r.who = "Suggested message"
		r.cut(ev.At)
		r.grow(play.ReplyDelta{Content: ev.Text, At: ev.At, Firm: ev.Firm})
		if ev.Finished {
			r.add(r.text[r.told:])
			r.finish()
			s.suggested = strings.TrimSpace(r.text)
			if ev.Err != nil && !errors.Is(ev.Err, failure.ErrStopped) {
				s.fail(ev.Err)
			} else if s.suggested != "" {
				s.out.line("/say sends it.")
			}
		}
		return ev.Finished
	case play.ReplyEnded:
		if ev.Chat != s.chat {
			return false
		}
		if at := r.from + r.told; at < len(ev.Message.Content) && r.from+len(r.text) > 0 {
			r.add(ev.Message.Content[at:])
		}
		r.finish()
		r.ended(ev)
		s.tipMoment(ev)
		r.pending, r.opened, r.said, r.text, r.told, r.from = "", false, false, "", 0, 0
		return !s.e.Play.Running(s.chat)
	default:
		s.note(ev)
	}
	return false
}

// ended prints the outcome of a reply that did not end normally.
func (r *replyPrinter) ended(ev play.ReplyEnded) {
	switch {
	case errors.Is(ev.Err, failure.ErrStopped):
		r.s.out.line("Stopped; there was no text yet.")
	case ev.Err != nil:
		words := failure.Text(ev.Err)
		if ev.Turn.UserMessage != "" {
			words += " Your message is saved; /again requests a reply."
		}
		r.s.out.line("No reply: " + words)
	case ev.Turn.State == storage.Stopped:
		r.s.out.line("Stopped; the text so far is kept.")
	case ev.Turn.State == storage.Broken:
		r.s.out.line("The reply was interrupted; the text so far is kept. " + ev.Turn.Fault)
	case ev.Turn.State == storage.Cut:
		r.s.out.line("The reply was cut off. /continue continues it.")
	}
}

// cut drops the text from byte at of the message on. If some of it was already printed, a new
// paragraph starts and the rest is printed again.
func (r *replyPrinter) cut(at int) {
	r.text = r.text[:min(len(r.text), max(at-r.from, 0))]
	if len(r.text) < r.told {
		r.told = len(r.text)
		r.add("\n\n")
	}
}

// grow adds text. Only text that cannot be taken back any more is printed.
func (r *replyPrinter) grow(d play.ReplyDelta) {
	if r.text == "" && r.told == 0 {
		r.from = d.At
	}
	r.text += d.Content
	if firm := min(d.Firm-r.from, len(r.text)); firm > r.told {
		text := r.text[r.told:firm]
		r.told = firm
		r.add(text)
	}
}

// add prints the complete sentences so far. A paragraph is a line.
func (r *replyPrinter) add(text string) {
	r.pending += text
	for {
		at := sentenceEnd(r.pending)
		if at == 0 {
			return
		}
		r.say(r.pending[:at])
		r.pending = r.pending[at:]
	}
}

func (r *replyPrinter) say(text string) {
	end := strings.HasSuffix(text, "\n")
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) != "" {
		if !r.opened {
			r.s.out.open(r.who + ":")
			r.opened = true
			text = strings.TrimLeft(text, " ")
		}
		if !r.s.out.mid {
			text = strings.TrimLeft(text, " ")
		}
		r.s.out.more(text)
		r.said = true
	}
	if end {
		r.s.out.end()
	}
}

// finish prints the rest.
func (r *replyPrinter) finish() {
	r.say(r.pending)
	r.pending = ""
	r.s.out.end()
}

// sentenceEnd returns the end of the first sentence of a text, including the blank after it or the
// end of its line; 0 if it has not ended yet.
func sentenceEnd(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		if within := sentenceEnd(text[:at]); within > 0 {
			return within
		}
		return at + 1
	}
	ended := false
	for i, c := range text {
		switch {
		case c == '.' || c == '!' || c == '?' || c == '…':
			ended = true
		case strings.ContainsRune("\"'”’»)*_", c):
		case unicode.IsSpace(c):
			if ended {
				return i + utf8.RuneLen(c)
			}
		default:
			ended = false
		}
	}
	return 0
}
