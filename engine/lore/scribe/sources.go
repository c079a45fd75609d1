package scribe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Message is a message of a scene that facts may come from.
type Message struct {
	ID   storage.NodeID
	Name string // of who says it
	Text string
}

// maxSources is how many messages are named for a fact.
const maxSources = 4

// maxScanned is how many bytes of a message are looked at.
const maxScanned = 32 << 10

// SourcesOf finds the messages that a fact about an entity may come from, in
// their order and a few at most: those that share words with it that say
// something, and speak of the entity by one of its names. Where none speaks of
// it, two words must be shared. Rare words count more.
func SourcesOf(fact string, names []string, msgs []Message) []storage.NodeID {
	called := nameStems(names)
	about := plist.Stems(clip(fact, 2000))
	for s := range called {
		delete(about, s)
	}
	type read struct {
		shared  []string
		mention bool
	}
	reads := make([]read, len(msgs))
	in := map[string]int{} // how many messages have a stem
	anyMention := false
	for i, m := range msgs {
		stems := plist.Stems(m.Text[:min(len(m.Text), maxScanned)])
		for s := range about {
			if stems[s] {
				reads[i].shared = append(reads[i].shared, s)
				in[s]++
			}
		}
		said := plist.Stems(m.Name)
		for s := range called {
			reads[i].mention = reads[i].mention || stems[s] || said[s]
		}
		anyMention = anyMention || reads[i].mention && len(reads[i].shared) > 0
	}
	type scored struct {
		i     int
		score float64
	}
	var list []scored
	for i, r := range reads {
		if len(r.shared) == 0 || msgs[i].ID == "" || anyMention && !r.mention && len(r.shared) < 2 || !anyMention && len(r.shared) < min(2, len(about)) {
			continue
		}
		score := 0.0
		slices.Sort(r.shared) // floats add up alike in one order only
		for _, s := range r.shared {
			score += 1 / float64(in[s])
		}
		if r.mention {
			score *= 1.5
		}
		list = append(list, scored{i, score})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.i, b.i)) })
	// What shares far less than the best only happens to use the same word.
	if n := slices.IndexFunc(list, func(s scored) bool { return s.score < list[0].score/3 }); n > 0 {
		list = list[:n]
	}
	list = list[:min(len(list), maxSources)]
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.i, b.i) })
	var out []storage.NodeID
	for _, s := range list {
		if id := msgs[s.i].ID; !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// nameStems is what names are recognised by.
func nameStems(names []string) map[string]bool {
	return plist.Stems(clip(strings.Join(names, " "), 2000))
}
