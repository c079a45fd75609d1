package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// placeSearch looks for the places of a correction.
type placeSearch struct {
	tx      *storage.Tx
	ask     Correction
	chat    storage.Chat
	fix     *facts.Correction
	scope   storage.ScopeID
	all     *factGatherer
	places  []Place
	left    int
	correct bool // a known fact already states the correct sentence
	// witnesses are the characters who may know the correction, nil for everybody: those who heard
	// the messages that contain it.
	witnesses []storage.CharacterID
	step      correctionStep
}

// findPlaces finds the places of a correction on the path to a chat's head.
func (svc *Service) findPlaces(tx *storage.Tx, ask Correction) (*placeSearch, error) {
	ask, err := ask.validate()
	if err != nil {
		return nil, err
	}
	f := &placeSearch{tx: tx, ask: ask, fix: facts.NewCorrection(ask.Wrong, ask.Instead)}
	if f.chat, err = storage.Chats.Get(tx, ask.Chat); err != nil {
		return nil, err
	}
	f.scope = chats.ScopeOf(f.chat)
	p := PathsOf(tx, f.scope, f.chat.ID, f.chat.Head)
	f.all = svc.newFactGatherer(tx, f.chat)
	if err := svc.walk(f.all, p.Memories(), p.Hooks(), f.addMatch); err != nil {
		return nil, err
	}
	if err := f.inMessages(); err != nil {
		return nil, err
	}
	f.sortPlaces()
	return f, nil
}

// addMatch adds a place if it contains the wrong sentence.
func (f *placeSearch) addMatch(x statement) {
	if x.takenUp {
		return
	}
	match := f.fix.Match(x.text, x.about)
	if match == facts.None {
		f.correct = f.correct || x.kind != facts.Played && f.fix.IsStated(x.text)
		return
	}
	after, _ := f.fix.Apply(x.text)
	if after == x.text {
		return
	}
	p := Place{ID: x.at.String() + "/" + core.ContentHash(x.text)[:8], Kind: x.kind, Home: x.home, Now: x.text,
		After: after, Certain: match == facts.Exact, Effect: effectReword, at: x.at, book: x.book, current: x.current}
	p.Chosen = p.Certain && p.Kind != facts.Played
	switch p.at.kind {
	case memoryHome:
		p.Home = "a memory"
	case loreHome:
		p.Home = "“" + x.about + "” in " + x.home
	}
	switch {
	case after == "" && p.isItem():
		p.Effect = effectEnd
	case after == "":
		p.Effect = effectDrop
	}
	if len(x.from) > 0 {
		p.Message = slices.Max(x.from)
	}
	f.places = append(f.places, p)
}

// isItem reports whether a place is a memory or a hook.
func (p *Place) isItem() bool { return p.at.kind == memoryHome || p.at.kind == hookHome }

// inRecap reports whether a place is a line of a recap.
func (p *Place) inRecap() bool { return p.at.kind == recapHome }

func inMessage(id string) bool { return strings.HasPrefix(id, messageHome+"/") }

// inMessages searches the messages of the path and records who has witnessed those that contain the
// wrong sentence.
func (f *placeSearch) inMessages() error {
	for p := range f.tx.PathInfos(f.chat.ID, f.chat.Head) {
		if !p.InStory() {
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
			f.witnesses = storage.WitnessesOfBoth(f.witnesses, chats.KnownTo(f.chat, []storage.Node{n}))
		}
		if !f.fix.MayMatch(n.Content) {
			continue
		}
		had := len(f.places)
		for i, s := range sentences(n.Content) {
			f.addMatch(statement{at: address{messageHome, string(n.ID), i}, kind: facts.Played,
				home: fmt.Sprintf("message %d, %s", p.Depth+1, n.Name), text: s, from: []storage.NodeID{n.ID}})
		}
		if slices.ContainsFunc(f.places[had:], func(p Place) bool { return p.Certain }) && f.ask.Message == "" {
			f.witnesses = storage.WitnessesOfBoth(f.witnesses, chats.KnownTo(f.chat, []storage.Node{n}))
		}
	}
	return nil
}

// sortPlaces sorts the places, bounds them, and numbers them.
func (f *placeSearch) sortPlaces() {
	rank := func(p Place) int {
		r := slices.Index([]facts.Kind{facts.Recap, facts.Thread, facts.Memory, facts.Hook, facts.Lore, facts.Played},
			p.Kind)
		if p.inRecap() && !p.current {
			r++ // after the one in prompts
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
		n, most := &unsure, maxUnsure
		if p.Certain {
			n, most = &certain, maxCertain
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

// dropRepeated ends corrected memories that a corrected recap states too: prompts contain what the
// user has corrected in any case.
func (f *placeSearch) dropRepeated(chosen func(p *Place) bool) {
	at := slices.IndexFunc(f.places, func(p Place) bool {
		return p.current && p.Kind != facts.Thread && chosen(&p) && f.fix.IsStated(p.After)
	})
	for i := range f.places {
		if p := &f.places[i]; at >= 0 && p.Kind == facts.Memory && chosen(p) && text.Equal(p.After, f.fix.Instead) {
			p.After, p.Effect = "", effectEnd+": covered by "+f.places[at].Home
		}
	}
}

// needsMemory reports whether no known fact and no corrected place states the correct sentence.
func (f *placeSearch) needsMemory(chosen func(p *Place) bool) bool {
	return f.ask.Instead != "" && !f.correct &&
		!slices.ContainsFunc(f.places, func(p Place) bool { return chosen(&p) && f.fix.IsStated(p.After) })
}
