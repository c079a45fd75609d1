package chats

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Hit is a message that a search has found.
type Hit struct {
	Chat    storage.ChatID `json:"chat"`
	Title   string         `json:"title"`
	Node    storage.NodeID `json:"message"`
	Name    string         `json:"name"`
	Snippet string         `json:"snippet"`
}

// Query is a parsed text for Search.
type Query = words.Query

// NewQuery parses the text of a search.
func NewQuery(text string) Query { return words.Parse(text) }

// Marked returns the parts of a line that match a query. It marks each word of the query, even if
// the other words are in another line.
func Marked(line string, q Query) (out []words.Span) {
	if q.Exact != "" {
		at, _ := q.Match(line, 1)
		return at
	}
	words.Each(line, func(w words.Word) bool {
		for _, b := range q.Begin {
			if strings.HasPrefix(w.Text, b) {
				out = append(out, words.Span{From: w.From, To: w.To})
				break
			}
		}
		return true
	})
	return out
}

// Search holds the options of a message search.
type Search struct {
	Chat   storage.ChatID // "" for all chats
	Branch bool           // only the head's path
	Text   string
	Most   int // hits; 0 for all
	// Within is the time limit, 0 for none. When it is over, Search returns what it has found, with
	// Whole false.
	Within time.Duration
}

// AnswerWithin is the time limit of a search that runs again with each key.
const AnswerWithin = 30 * time.Millisecond

// Found is the result of a search.
type Found struct {
	Hits []Hit `json:"hits"`
	// Whole reports that there are no more hits, except beyond Search.Most.
	Whole bool `json:"whole"`
	// Unread is the number of messages that were read one by one because they are not indexed yet.
	Unread int `json:"unread"`
}

// Search finds messages that contain, for each word of the text, a word that begins with it,
// ignoring case and accents, on all branches. If the text is in quotes, it finds messages that
// contain it exactly. The newest of each chat come first. The time grows with the number of hits
// and of unindexed messages, not with the number of all messages; a text in quotes may require
// reading every message that has its words.
func (svc *Service) Search(ctx context.Context, ask Search) (Found, error) {
	s := searchRun{ctx: ctx, most: ask.Most, query: words.Parse(ask.Text)}
	if ask.Within > 0 {
		s.until = time.Now().Add(ask.Within)
	}
	out := Found{Hits: []Hit{}, Whole: true}
	if s.query.Empty() {
		return out, nil
	}
	if s.may = s.query.Filter(); s.may == nil {
		s.may = func([]byte) bool { return true }
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		list := []storage.ChatID{ask.Chat}
		if ask.Chat == "" {
			list = storage.Chats.Keys(tx)
		}
		for _, id := range list {
			if s.isFull() || s.timeIsUp() {
				break
			}
			if !ask.Branch {
				s.searchChat(tx, id, anyMessage)
				continue
			}
			c, err := storage.Chats.Get(tx, id)
			if err != nil {
				return err
			}
			trail, done := svc.trails.of(tx, c)
			s.searchChat(tx, id, func(n storage.NodeID) bool { return trail.Has(tx, n) })
			done()
		}
		return nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return out, failure.Wrap("search", err)
	}
	out.Hits, out.Whole, out.Unread = append(out.Hits, s.hits...), !s.late, s.unindexed
	return out, nil
}

// GoToHit moves the head to the branch that contains a message, if the shown one does not.
func (svc *Service) GoToHit(chat storage.ChatID, node storage.NodeID) error {
	on := false
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		on = ShownOn(tx, c, node)
		return nil
	})
	if err != nil {
		return failure.Wrap("go to message", err)
	}
	if on {
		return nil
	}
	return svc.Goto(chat, node)
}

// searchRun is a search while it runs.
type searchRun struct {
	ctx       context.Context
	query     words.Query
	most      int
	until     time.Time
	may       func(stored []byte) bool
	hits      []Hit
	met       map[storage.NodeID]bool // of the chat, among hits
	unindexed int
	looked    int
	late      bool // it was given up
}

func (s *searchRun) isFull() bool { return s.most > 0 && len(s.hits) >= s.most }

// timeIsUp reports whether the search must stop, by its time limit or its context.
func (s *searchRun) timeIsUp() bool {
	s.late = s.late || s.ctx.Err() != nil || !s.until.IsZero() && time.Now().After(s.until)
	return s.late
}

// scanBatch is the number of messages read between checks of the time.
const scanBatch = 32

// anyMessage accepts messages of all branches.
func anyMessage(storage.NodeID) bool { return true }

// searchChat finds the newest matching messages of a chat that counts accepts, as many as are still
// wanted. Unindexed messages are newer than indexed ones, except for rewritten ones.
func (s *searchRun) searchChat(tx *storage.Tx, id storage.ChatID, counts func(storage.NodeID) bool) {
	begun, room := len(s.hits), s.most-len(s.hits)
	unindexed := map[storage.NodeID]bool{}
	s.met = map[storage.NodeID]bool{}
	s.scan(tx, id, room, func(yield func(storage.NodeID) bool) {
		for n := range tx.Unindexed(id) {
			unindexed[n] = true
			if s.unindexed++; !yield(n) {
				return
			}
		}
	}, counts)
	taken := tx.Indexed(id)
	if want := (storage.WordQuery{Begin: s.query.Begin, Within: s.query.Within}); len(want.Begin) > 0 ||
		want.Within != "" {
		taken = tx.MessagesWithWords(id, want)
	}
	if !s.late { // partial results are the newest, without gaps
		s.scan(tx, id, room, func(yield func(storage.NodeID) bool) {
			for n := range taken {
				if !unindexed[n] && !yield(n) {
					return
				}
			}
		}, counts)
	}
	found := s.hits[begun:]
	if len(found) == 0 {
		return
	}
	slices.SortFunc(found, func(a, b Hit) int { return cmp.Compare(b.Node, a.Node) })
	if c, err := storage.Chats.Get(tx, id); err == nil {
		for i := range found {
			found[i].Title = c.Title
		}
	}
	if s.most > 0 {
		s.hits = s.hits[:min(s.most, len(s.hits))]
	}
}

// scan searches messages of a chat. It stops after most hits if most is positive.
func (s *searchRun) scan(tx *storage.Tx, chat storage.ChatID, most int, ids iter.Seq[storage.NodeID],
	counts func(storage.NodeID) bool) {
	most += len(s.hits)
	for id := range ids {
		if s.looked++; s.looked%scanBatch == 0 && s.timeIsUp() {
			return
		}
		if !counts(id) {
			continue
		}
		n, ok, err := tx.NodeIf(chat, id, s.may)
		if err != nil || !ok || n.Deleted {
			continue
		}
		at, ok := s.query.Match(n.Content, 1)
		if !ok || len(at) == 0 {
			continue
		}
		if s.met[id] { // rewritten, so it is in two segments
			continue
		}
		s.met[id] = true
		s.hits = append(s.hits, Hit{Chat: chat, Node: n.ID, Name: n.Name,
			Snippet: core.Snippet(n.Content, at[0].From, at[0].To-at[0].From)})
		if s.most > 0 && len(s.hits) >= most {
			return
		}
	}
}
