package scenes

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/clock"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// clockLook is how far up a path the time of the story is looked for, in messages:
	// further up nothing is where a turn has passed, see clockRest.
	clockLook = 64
	// clockRest is after how many messages without a time it is noted that there was
	// none.
	clockRest = 16
	// clockWords bounds what the user's words may have replaced at one message.
	clockWords = 20
)

// ClockAt is the time of the story at a message of a chat: what the nearest message
// above says that names one. Its Node is "" where none does.
func ClockAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) storage.Clock {
	c, unread := nearestClock(tx, chat, leaf)
	for _, id := range unread {
		if n, err := tx.Node(chat, id); err == nil {
			c = orClock(readClock(n, c.Time), c)
		}
	}
	return c
}

// nearestClock is the nearest time that is kept on the path to a message, and the
// messages after it, oldest first, which have to be read.
func nearestClock(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (c storage.Clock, unread []storage.NodeID) {
	kept := storage.Clocks.Any(tx, chat)
	looked := 0
	for p := range tx.Spine(chat, leaf) {
		if looked++; looked > clockLook {
			break
		}
		if p.Deleted {
			continue
		}
		if kept && storage.Clocks.Has(tx, chat, p.ID) {
			if found, ok := keptClock(tx, chat, p.ID); ok {
				c = found
				break
			}
		}
		if p.Said() {
			unread = append(unread, p.ID)
		}
	}
	slices.Reverse(unread)
	return c, unread
}

// keptClock reads what is kept at a message; ok is false where that is of no use.
func keptClock(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (storage.Clock, bool) {
	c, err := storage.Clocks.Get(tx, chat, node)
	if err != nil || !c.Same {
		return c, err == nil // what is damaged is read again
	}
	if c.Of == "" {
		return storage.Clock{}, true
	}
	if p, err := tx.Place(chat, c.Of); err != nil || p.Deleted {
		return storage.Clock{}, false
	}
	of, err := storage.Clocks.Get(tx, chat, c.Of)
	return of, err == nil && !of.Same
}

// readClock is what a message makes of the time before it; its Node is "" where it
// says nothing new.
func readClock(n storage.Node, before storage.StoryTime) storage.Clock {
	now, said := before, []string{}
	for _, cue := range scene.Times(MessageFor(n)) {
		kind := clock.Header
		if cue.Skip {
			kind = clock.Skip
		}
		if m, ok := clock.Read(cue.Text, kind); ok {
			now = m.Move(now, clock.Told)
			said = append(said, strings.Join(strings.Fields(cue.Text), " "))
		}
	}
	if now == before {
		return storage.Clock{}
	}
	return storage.Clock{Node: n.ID, Time: now, By: storage.ClockText, Said: failure.FirstRunes(strings.Join(said, "; "), clock.MaxSaid)}
}

// orClock is the first of two that says anything.
func orClock(a, b storage.Clock) storage.Clock {
	if a.Node != "" {
		return a
	}
	return b
}

// HearSaid reads the time of the story in a message of the user's.
func (svc *Service) HearSaid(tx *storage.Tx, s chats.Said) error {
	return svc.hear(s.Node.Chat, hearClock(tx, s.Node.Chat, s.Node.ID))
}

// HearReply reads the time of the story in a finished reply.
func (svc *Service) HearReply(tx *storage.Tx, n *storage.Node) error {
	return svc.hear(n.Chat, hearClock(tx, n.Chat, n.ID))
}

// hear keeps damage from costing the message.
func (svc *Service) hear(chat storage.ChatID, err error) error {
	if failure.Damaged(err) {
		svc.core.Log.Error("reading the time of the story failed", "chat", chat, "err", err)
		return nil
	}
	return err
}

// hearClock keeps what the messages say that nobody has read yet, up to a new one.
func hearClock(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) error {
	at, err := tx.Place(chat, leaf)
	if err != nil {
		return err
	}
	c, unread := nearestClock(tx, chat, at.Parent)
	for _, id := range append(unread, leaf) {
		n, err := tx.Node(chat, id)
		if err != nil {
			return err
		}
		set, err := keepClock(tx, n, c.Time)
		if err != nil {
			return err
		}
		c = orClock(set, c)
	}
	if len(unread) < clockRest || c.Node == leaf {
		return nil
	}
	return storage.Clocks.Put(tx, chat, storage.Clock{Node: leaf, Same: true, Of: c.Node})
}

// keepClock keeps what a message says of the time, in place of what was read in it
// before; the user's own word stays. It gives what is kept there then.
func keepClock(tx *storage.Tx, n storage.Node, before storage.StoryTime) (storage.Clock, error) {
	now, there := readClock(n, before), storage.Clocks.Has(tx, n.Chat, n.ID)
	had, ok := storage.Clock{}, false
	if there {
		had, ok = keptClock(tx, n.Chat, n.ID)
		ok = ok && had.Node == n.ID // else it only says that nothing has changed
	}
	switch {
	case ok && (had.By == storage.ClockUser || now.Node == "" && had.By == storage.ClockDirector):
		if had.By == storage.ClockUser {
			had.Was = underneath(had.Was, now)
		}
		had.Time = workOut(had, n, before)
		now = had
	case now.Node == "" && there:
		return now, storage.Clocks.Delete(tx, n.Chat, n.ID)
	case now.Node == "":
		return now, nil
	}
	return now, storage.Clocks.Put(tx, n.Chat, now)
}

// underneath puts what was read in a message below the user's words that stand there.
func underneath(was *storage.Clock, read storage.Clock) *storage.Clock {
	if was != nil && was.By == storage.ClockUser {
		under := *was
		under.Was = underneath(was.Was, read)
		return &under
	}
	if read.Node == "" {
		return nil
	}
	return &read
}

// workOut is the time that is kept at a message, after another one than before.
func workOut(c storage.Clock, n storage.Node, before storage.StoryTime) storage.StoryTime {
	if c.Was != nil {
		before = workOut(*c.Was, n, before)
	}
	switch c.By {
	case storage.ClockUser:
		if m, ok := clock.Read(c.Said, clock.Word); ok {
			return m.Move(before, clock.Set)
		}
	case storage.ClockDirector:
		if m, ok := clock.ReadSetting(c.Said); ok {
			return m.Move(before, clock.Seen)
		}
	default:
		if now := readClock(n, before); now.Node != "" {
			return now.Time
		}
	}
	return before
}

// KeepSetting keeps what the director saw of the time at a reply, where no message of
// it says more.
func (svc *Service) KeepSetting(tx *storage.Tx, chat storage.ChatID, reply storage.NodeID, setting string) error {
	m, ok := clock.ReadSetting(setting)
	if !ok {
		return nil
	}
	at, err := tx.Place(chat, reply)
	if err != nil {
		return err
	}
	if here := ClockAt(tx, chat, reply); here.Node == reply && here.By != storage.ClockDirector {
		return nil
	}
	before := ClockAt(tx, chat, at.Parent).Time
	c := storage.Clock{Node: reply, Time: m.Move(before, clock.Seen), By: storage.ClockDirector, Said: failure.FirstRunes(setting, clock.MaxSaid)}
	if c.Time == before {
		return nil
	}
	if err := storage.Clocks.Put(tx, chat, c); err != nil {
		return err
	}
	return svc.hear(chat, followClock(tx, chat, reply))
}

// HearRewritten reads messages again that say something else, or are gone or back.
func (svc *Service) HearRewritten(tx *storage.Tx, r chats.Rewrite) error {
	return svc.hear(r.Chat, rereadClock(tx, r))
}

func rereadClock(tx *storage.Tx, r chats.Rewrite) error {
	for _, id := range slices.Sorted(slices.Values(r.Nodes)) {
		was, had := keptClock(tx, r.Chat, id)
		p, err := tx.Place(r.Chat, id)
		if err != nil {
			return err
		}
		if had = had && was.Node == id; !had && len(r.Nodes) > 1 {
			continue // of many only those that are known to tell a time
		}
		if !p.Deleted {
			n, err := tx.Node(r.Chat, id)
			if err != nil {
				return err
			}
			now, err := keepClock(tx, n, ClockAt(tx, r.Chat, p.Parent).Time)
			if err != nil {
				return err
			}
			if !had && now.Node == "" {
				continue
			}
		}
		if err := followClock(tx, r.Chat, id); err != nil {
			return err
		}
	}
	return nil
}

// followClock works out again what is kept below a message, on all branches: the time
// there has changed.
func followClock(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	top, err := tx.Place(chat, node)
	if err != nil {
		return err
	}
	below := map[storage.NodeID]bool{node: true}
	for id, c := range storage.Clocks.After(tx, chat, node) { // a message is made after what it answers
		if !isBelow(tx, chat, id, top.Depth, below) {
			continue
		}
		if c.Same {
			if err := storage.Clocks.Delete(tx, chat, id); err != nil {
				return err
			}
			continue
		}
		n, err := tx.Node(chat, id)
		if err != nil {
			return err
		}
		if n.Deleted {
			continue // it is read again when it is back
		}
		before := ClockAt(tx, chat, n.Parent).Time
		if now := workOut(c, n, before); now != c.Time {
			if c.Time = now; now == before && c.By != storage.ClockUser {
				err = storage.Clocks.Delete(tx, chat, id)
			} else {
				err = storage.Clocks.Put(tx, chat, c)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// isBelow tells whether a message hangs below one at a depth; known holds what was
// found out on the way.
func isBelow(tx *storage.Tx, chat storage.ChatID, id storage.NodeID, depth int, known map[storage.NodeID]bool) bool {
	var seen []storage.NodeID
	is := false
	for p := range tx.Spine(chat, id) {
		var ok bool
		if is, ok = known[p.ID]; ok || p.Depth <= depth {
			break
		}
		seen = append(seen, p.ID)
	}
	for _, s := range seen {
		known[s] = is
	}
	return is
}

// ClockView is where a chat stands in the story's own time. Words are "" where that
// is not known.
type ClockView struct {
	Time  storage.StoryTime
	Words string
	By    storage.ClockSource // "" where nobody said anything
	Said  string              // the words that it was read in
	Node  storage.NodeID      // the message from which it holds
}

// clockView is the time at the end of a chat's path.
func clockView(tx *storage.Tx, c storage.Chat) ClockView {
	now := ClockAt(tx, c.ID, c.Head)
	return ClockView{now.Time, clock.Words(now.Time), now.By, now.Said, now.Node}
}

// Clock reads where a chat stands in the story's own time.
func (svc *Service) Clock(chat storage.ChatID) (v ClockView, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err == nil {
			v = clockView(tx, c)
		}
		return err
	})
	if err != nil {
		return v, failure.Fail("read the story's time", err)
	}
	return v, nil
}

// SetClock says what time it is in the story from the end of a chat's path on:
// "Thursday evening", "day 4", "three days later", or "unknown".
func (svc *Service) SetClock(chat storage.ChatID, words string) error {
	words = strings.Join(strings.Fields(words), " ")
	m, ok := clock.Read(words, clock.Word)
	if !ok {
		return failure.Fail("set the story's time", failure.Refuse("%q is no time that the program understands: write a day, a time of day or both, such as Thursday evening, 3 March, 19:40, "+
			"day 4, or unknown", failure.FirstRunes(words, 60)))
	}
	return svc.Reshape(chat, "set the story's time", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if c.Head == "" {
			return failure.Refuse("nothing has been said yet in this chat")
		}
		now := ClockAt(tx, chat, c.Head)
		set := storage.Clock{Node: c.Head, Time: m.Move(now.Time, clock.Set), By: storage.ClockUser, Said: words}
		if now.Node == c.Head {
			set.Was = lastClocks(&now, clockWords)
		}
		if err := storage.Clocks.Put(tx, chat, set); err != nil {
			return err
		}
		return followClock(tx, chat, c.Head)
	})
}

// lastClocks keeps n of those that replaced each other.
func lastClocks(c *storage.Clock, n int) *storage.Clock {
	if c == nil || n == 0 {
		return nil
	}
	kept := *c
	kept.Was = lastClocks(c.Was, n-1)
	return &kept
}

// UndoClock takes back the user's word that the time at the end of a chat's path
// comes from.
func (svc *Service) UndoClock(chat storage.ChatID) error {
	return svc.Reshape(chat, "undo the story's time", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		now := ClockAt(tx, chat, c.Head)
		switch {
		case now.By != storage.ClockUser:
			return failure.Refuse("the story's time was not set by you here: set it to correct it")
		case now.Was != nil:
			err = storage.Clocks.Put(tx, chat, *now.Was)
		default:
			err = storage.Clocks.Delete(tx, chat, now.Node)
		}
		if err != nil {
			return err
		}
		return followClock(tx, chat, now.Node)
	})
}
