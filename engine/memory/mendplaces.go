package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// target is what a place is in.
type target struct {
	node   storage.NodeID
	recap  storage.RecapID
	bullet int
	told   bool // the recap is told: another is made of it else
	book   storage.LorebookID
	entry  storage.EntryID
	item   address // of a memory or a hook
	raw    string  // the words as they stand there
}

// finding looks for the places of a correction.
type finding struct {
	tx     *storage.Tx
	ask    Wrong
	chat   storage.Chat
	fix    *facts.Correction
	scope  storage.ScopeID
	recaps map[storage.RecapID]storage.Recap
	now    *storage.Recap // the running recap in force
	places []Place
	left   int
	truth  bool // something that is known tells what is so already
	// knows are those who may know it, nil everybody: who has heard the messages it is in.
	knows []storage.CharacterID
	step  mendStep
}

// findPlaces finds the places of a correction where a chat stands.
func (svc *Service) findPlaces(tx *storage.Tx, ask Wrong) (*finding, error) {
	ask, err := ask.checked()
	if err != nil {
		return nil, err
	}
	f := &finding{tx: tx, ask: ask, recaps: map[storage.RecapID]storage.Recap{}}
	if f.chat, err = storage.Chats.Get(tx, ask.Chat); err != nil {
		return nil, err
	}
	f.scope = chats.ScopeOf(f.chat)
	books, err := svc.lore.BooksAt(tx, f.chat.ID, f.chat.Head)
	if err != nil {
		return nil, err
	}
	f.fix = facts.NewCorrection(ask.Wrong, ask.Instead)
	if err := f.inRecaps(svc); err != nil {
		return nil, err
	}
	f.inMemories()
	for _, b := range books {
		for i := range b.Entries {
			if x := &b.Entries[i]; !x.Disabled && !x.Removed {
				f.inEntry(b.ID, b.Name, x)
			}
		}
	}
	if err := f.inMessages(); err != nil {
		return nil, err
	}
	f.order()
	return f, nil
}

// look adds a place where it says what is wrong. about is what its home files it under.
func (f *finding) look(p Place, text, about string, from ...storage.NodeID) {
	p.of.raw = text
	match := f.fix.Of(text, about)
	if match == facts.None {
		f.truth = f.truth || p.Kind != facts.Played && f.fix.True(text)
		return
	}
	after, _ := f.fix.Corrected(text)
	if after == text {
		return
	}
	p.ID += "/" + core.ContentHash(text)[:8]
	p.Now, p.After, p.Certain = text, after, match == facts.Exact
	p.Chosen = p.Certain && p.Kind != facts.Played
	if p.Does = doesReword; after == "" {
		if p.Does = doesDrop; p.of.item.record != "" {
			p.Does = doesEnd
		}
	}
	if len(from) > 0 {
		p.Message = slices.Max(from)
	}
	f.places = append(f.places, p)
}

// inRecaps looks at the running recap and at those of the path's scenes, of which it may
// be made anew.
func (f *finding) inRecaps(svc *Service) error {
	r, _, err := scenes.RunningAt(f.tx, f.chat.ID, f.chat.Head)
	if err != nil {
		return err
	}
	ended := scenes.OverAt(f.tx, f.chat, f.chat.Head, nil)
	look := func(r storage.Recap, home string, told bool) {
		f.recaps[r.ID] = r
		for i, b := range scene.Bullets(r.Text) {
			from := scene.SourcesOf(r, b.Text)
			if _, over := ended.End(r, b.Text); over {
				continue
			}
			p := Place{ID: fmt.Sprintf("recap/%s/%d", r.ID, i), Kind: facts.Recap, Home: home, of: target{recap: r.ID, bullet: i, told: told}}
			if told && isThread(b) {
				p.Kind = facts.Thread
			}
			f.look(p, b.Text, "", from...)
		}
	}
	if f.now = r; r != nil {
		look(*r, "the running recap", true)
	}
	for _, s := range svc.scenes.ReadScenes(f.tx, f.chat).List {
		if s.Break == "" {
			continue
		}
		b, err := storage.Breaks.Get(f.tx, f.chat.ID, s.Break)
		if err != nil || b.Recap() == "" {
			continue
		}
		if r, err := storage.Recaps.Get(f.tx, f.chat.ID, b.Recap()); err == nil {
			look(r, fmt.Sprintf("the recap of scene %d", s.Number), !s.InMemory)
		}
	}
	return nil
}

func (f *finding) inMemories() {
	p := PathsOf(f.tx, f.scope, f.chat.ID, f.chat.Head)
	for _, m := range p.Memories() {
		f.look(Place{ID: "memory/" + string(m.ID), Kind: facts.Memory, Home: "a memory", of: target{item: address{kind: memoryHome, record: string(m.ID)}}}, m.Content, "", MessagesOf(m.Told, f.chat.ID)...)
	}
	for _, h := range p.Hooks() {
		if !h.Taken {
			f.look(Place{ID: "hook/" + string(h.ID), Kind: facts.Hook, Home: "what is to be brought up", of: target{item: address{kind: hookHome, record: string(h.ID)}}}, h.Content, "", MessagesOf(h.Told, f.chat.ID)...)
		}
	}
}

func (f *finding) inEntry(book storage.LorebookID, name string, x *storage.LoreEntry) {
	for i, text := range plist.Facts(x.Content) {
		var from []storage.NodeID
		for _, s := range x.Facts {
			if s.Text == text && s.Chat == f.chat.ID {
				from = append(from, s.Messages...)
			}
		}
		f.look(Place{ID: fmt.Sprintf("lore/%s/%d", x.ID, i), Kind: facts.Lore, Home: "“" + x.Name + "” in the lorebook " + name, of: target{book: book, entry: x.ID}}, text, x.Name, from...)
	}
}

// messageID begins the ids of places in messages.
const messageID = "message/"

func inMessage(id string) bool { return strings.HasPrefix(id, messageID) }

// inMessages looks at the messages of the path, and notes who has heard those that say
// what is wrong.
func (f *finding) inMessages() error {
	for p := range f.tx.Spine(f.chat.ID, f.chat.Head) {
		if !p.Said() {
			continue
		}
		n, err := f.tx.Node(f.chat.ID, p.ID)
		if err != nil {
			if failure.Damaged(err) {
				continue // there are others
			}
			return err
		}
		if n.ID == f.ask.Message {
			f.knows = storage.WitnessesOfBoth(f.knows, chats.KnownTo(f.chat, []storage.Node{n}))
		}
		if !f.fix.Near(n.Content) {
			continue
		}
		had := len(f.places)
		for i, s := range sentences(n.Content) {
			f.look(Place{ID: fmt.Sprintf("%s%s/%d", messageID, n.ID, i), Kind: facts.Played, Home: fmt.Sprintf("message %d, %s", p.Depth+1, n.Name), of: target{node: n.ID}}, s, "", n.ID)
		}
		if slices.ContainsFunc(f.places[had:], func(p Place) bool { return p.Certain }) && f.ask.Message == "" {
			f.knows = storage.WitnessesOfBoth(f.knows, chats.KnownTo(f.chat, []storage.Node{n}))
		}
	}
	return nil
}

// order sorts the places, bounds them, and numbers them.
func (f *finding) order() {
	rank := func(p Place) int {
		r := slices.Index([]facts.Kind{facts.Recap, facts.Thread, facts.Memory, facts.Hook, facts.Lore, facts.Played}, p.Kind)
		if p.of.recap != "" && !p.of.told {
			r++ // after the one that is told
		}
		if !p.Certain {
			r += 10
		}
		return r
	}
	share := map[string]float64{}
	for _, p := range f.places {
		if !p.Certain {
			share[p.ID] = f.fix.Share(p.Now)
		}
	}
	slices.SortStableFunc(f.places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(share[b.ID], share[a.ID]))
	})
	var kept []Place
	certain, unsure := 0, 0
	for _, p := range f.places {
		n, most := &unsure, mostUnsure
		if p.Certain {
			n, most = &certain, mostCertain
		}
		if *n++; *n > most {
			f.left++
			continue
		}
		p.Number = len(kept) + 1
		kept = append(kept, p)
	}
	f.places = kept
}

// once has memories end that say no more than what is so where a recap that is corrected tells it:
// prompts tell what the user has corrected whatever else does.
func (f *finding) once(chosen func(p *Place) bool) {
	at := slices.IndexFunc(f.places, func(p Place) bool {
		return p.of.told && p.Kind != facts.Thread && chosen(&p) && f.fix.True(p.After)
	})
	for i := range f.places {
		if p := &f.places[i]; at >= 0 && p.Kind == facts.Memory && chosen(p) && text.Equal(p.After, f.fix.Instead) {
			p.After, p.Does = "", doesEnd+": told by "+f.places[at].Home
		}
	}
}

// remembers tells whether what is so is told by nothing that is known and mended.
func (f *finding) remembers(chosen func(p *Place) bool) bool {
	return f.ask.Instead != "" && !f.truth && !slices.ContainsFunc(f.places, func(p Place) bool { return chosen(&p) && f.fix.True(p.After) })
}
