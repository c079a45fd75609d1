package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Scopes of a search. The first three are messages.
const (
	inBranch = iota
	inChat
	inChats
	inRecaps
	inLore
	inMemory
	searchScopes
)

var scopeNames = [searchScopes]string{"this branch", "this chat", "all chats", "recaps", "lore", "memory"}

// Elsewhere opens search results in the panes of other parts.
type Elsewhere interface {
	// OpenEntry opens the lorebooks at an entry.
	OpenEntry(book storage.LorebookID, entry storage.EntryID) tea.Cmd
	// OpenRecord opens the memory pane at a memory, a hook or a thread.
	OpenRecord(of memory.HitKind, record string) tea.Cmd
}

// searchHit is a hit: a message, or the last message of a recap; an entry; a memory record.
type searchHit struct {
	chat   storage.ChatID
	node   storage.NodeID
	book   storage.LorebookID
	entry  storage.EntryID
	sort   memory.HitKind
	record string
	lead   string // the speaker, and the place
	text   string
}

// searchResult is the result of a search.
type searchResult struct {
	hits  []searchHit
	whole bool
	left  int // messages that had to be searched one by one
}

// searchRequest is a query with its scope.
type searchRequest struct {
	host  pane.Host
	chat  storage.ChatID
	text  string
	scope int
}

// run searches, and stops after within; 0 is no limit. The result of a cancelled search is not
// used.
func (w searchRequest) run(ctx context.Context, within time.Duration) (s searchResult, err error) {
	if s.whole = true; w.chat == "" && w.scope != inChats && w.scope != inLore {
		return s, nil
	}
	switch w.scope {
	case inRecaps:
		err = w.recaps(&s)
	case inLore:
		err = w.lore(&s)
	case inMemory:
		err = w.memory(&s)
	default:
		err = w.messages(ctx, within, &s)
	}
	if errors.Is(err, context.Canceled) {
		return searchResult{}, nil
	}
	return s, err
}

func (w searchRequest) messages(ctx context.Context, within time.Duration, s *searchResult) error {
	ask := chats.Search{Chat: w.chat, Branch: w.scope == inBranch, Text: w.text, Most: maxFound, Within: within}
	if w.scope == inChats {
		ask.Chat = ""
	}
	got, err := w.host.Engine().Chats.Search(ctx, ask)
	for _, h := range got.Hits {
		lead := h.Name
		if w.scope == inChats {
			lead = draw.Join(h.Title, h.Name)
		}
		s.hits = append(s.hits, searchHit{chat: h.Chat, node: h.Node, lead: lead, text: h.Snippet})
	}
	s.whole, s.left = got.Whole, got.Unread
	return err
}

func (w searchRequest) recaps(s *searchResult) error {
	hits, err := w.host.Engine().Scenes.SearchRecaps(w.chat, w.text, maxFound)
	for _, h := range hits {
		lead := h.Name
		if h.Scene > 0 {
			lead = fmt.Sprintf("scene %d %s", h.Scene, h.Name)
		}
		s.hits = append(s.hits, searchHit{chat: w.chat, node: h.Node, lead: lead, text: h.Snippet})
	}
	return err
}

func (w searchRequest) lore(s *searchResult) error {
	hits, err := w.host.Engine().Lore.Search(w.chat, w.text, maxFound)
	for _, h := range hits {
		s.hits = append(s.hits, searchHit{book: h.Book, entry: h.Entry, lead: draw.Join(h.Name, h.BookName),
			text: h.Snippet})
	}
	return err
}

func (w searchRequest) memory(s *searchResult) error {
	hits, err := w.host.Engine().Memory.Search(w.chat, w.text, maxFound)
	for _, h := range hits {
		s.hits = append(s.hits, searchHit{sort: h.Kind, record: h.Record, lead: string(h.Kind), text: h.Snippet})
	}
	return err
}

// around returns a text from a little before its first match, if that would not be in view
// otherwise.
func around(text string, q chats.Query, avail int) string {
	text = strings.Join(strings.Fields(text), " ")
	at := chats.Marked(text, q)
	if len(at) == 0 || ansi.StringWidth(text[:at[0].To]) <= avail {
		return text
	}
	from := at[0].From
	for words := 0; from > 0 && words < 3; words++ {
		next := strings.LastIndexByte(text[:max(0, from-1)], ' ') + 1
		if ansi.StringWidth(text[next:at[0].To]) > avail*2/3 {
			break
		}
		from = next
	}
	return "… " + text[from:]
}

// drawList draws the hits in other places than the branch above the line.
func (f *finder) drawList(buf uv.ScreenBuffer, avail uv.Rectangle, sty *draw.Styles) {
	f.area = uv.Rectangle{}
	if f.scope == inBranch || f.query.Empty() {
		return
	}
	h := min(max(1, len(f.hits)), max(1, avail.Dy()*2/3-1))
	area := uv.Rect(avail.Min.X, avail.Max.Y-h-1, avail.Dx(), h+1)
	draw.Fill(buf, area, sty.Base)
	draw.Rule(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Border, "", "", sty.Dim)
	f.area = uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, h)
	if len(f.hits) == 0 {
		draw.Put(buf, f.area.Min.X, f.area.Min.Y, f.area.Dx(), sty.Dim, f.tally())
		return
	}
	chosen := max(f.at, 0)
	f.top = max(0, min(f.top, chosen, len(f.hits)-h), chosen-h+1)
	for i := f.top; i < min(f.top+h, len(f.hits)); i++ {
		at, hit := uv.Rect(f.area.Min.X, f.area.Min.Y+i-f.top, f.area.Dx(), 1), f.hits[i]
		base, dim := sty.Base, sty.Dim
		if i == chosen {
			base, dim = sty.Selected, sty.SelectedDim
			draw.Fill(buf, at, base)
		}
		n := draw.Put(buf, at.Min.X, at.Min.Y, at.Dx()/3, dim, draw.Truncate(hit.lead, 60)) + 1
		draw.Put(buf, at.Min.X+n, at.Min.Y, at.Dx()-n, base, around(draw.Truncate(hit.text, 300), f.query, at.Dx()-n))
		mark(buf, at.Min.X+n, at.Max.X, at.Min.Y, f.query)
	}
}
