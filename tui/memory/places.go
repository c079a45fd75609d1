package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// place is a place where something was mentioned.
type place struct {
	chat   storage.ChatID
	nodes  []storage.NodeID
	number int    // of its message, 0 if it must be looked up
	words  string // text about it, without the message
}

// names maps ids of chats and characters to their names.
type names struct {
	chats  map[storage.ChatID]string
	people map[storage.CharacterID]string
}

// readNames reads the names that the mentions need, away from the screen's goroutine. here is the
// open chat.
func readNames(eng *engine.Engine, here storage.ChatID, mentions []memory.MentionView) (names, error) {
	n := names{map[storage.ChatID]string{}, map[storage.CharacterID]string{}}
	if slices.ContainsFunc(mentions, func(t memory.MentionView) bool { return t.Chat != "" && t.Chat != here }) {
		chats, err := eng.Chats.List()
		if err != nil {
			return n, err
		}
		for _, c := range chats {
			n.chats[c.ID] = c.Title
		}
	}
	if slices.ContainsFunc(mentions, func(t memory.MentionView) bool { return len(t.Witnesses) > 0 }) {
		people, err := eng.Library.Characters()
		if err != nil {
			return n, err
		}
		for _, c := range people {
			n.people[c.ID] = c.Card.Name
		}
	}
	return n, nil
}

// places returns the places where a record was mentioned, newest first. here is the open chat; lead
// returns the beginning of each text.
func (n names) places(mentions []memory.MentionView, here storage.ChatID, lead func(i int) string) []place {
	var out []place
	for i := len(mentions) - 1; i >= 0; i-- {
		t := &mentions[i]
		p := place{chat: t.Chat, nodes: t.Sources}
		if len(p.nodes) == 0 && t.Node != "" {
			p.nodes = []storage.NodeID{t.Node}
		}
		words := []string{lead(i)}
		yours := t.Node == "" && len(t.Sources) == 0
		if yours {
			words[0] = "written by you"
		}
		if !t.At.IsZero() {
			words[0] += " " + draw.AgoWords(t.At)
		}
		switch title := n.chats[t.Chat]; {
		case yours:
			words = append(words, "applies to all chats and branches")
		case t.Chat == here || t.Chat == "":
		case title == "":
			words = append(words, "in a deleted chat")
		default:
			words = append(words, "in “"+draw.Truncate(title, 40)+"”")
		}
		if t.Importance > 0 {
			words = append(words, "importance "+importance(t.Importance))
		}
		if t.Witnesses != nil {
			words = append(words, n.witnesses(t.Witnesses))
		}
		p.words = strings.Join(words, draw.Separator)
		out = append(out, p)
	}
	return out
}

// witnesses returns words about who was present, with a few names.
func (n names) witnesses(ids []storage.CharacterID) string {
	if len(ids) == 0 {
		return "known only to you"
	}
	var names []string
	for i, id := range ids {
		if i == 6 {
			names = append(names, fmt.Sprintf("%d more", len(ids)-i))
			break
		}
		name := draw.Truncate(n.people[id], 24)
		if name == "" {
			name = "a deleted character"
		}
		names = append(names, name)
	}
	return "known to " + strings.Join(names, ", ")
}

// mentionLead returns the beginning of the text about a mention.
func mentionLead(i int) string {
	if i == 0 {
		return "first mentioned"
	}
	return "mentioned again"
}
