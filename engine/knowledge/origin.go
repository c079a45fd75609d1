package knowledge

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Origin is where something comes from that was found in an exchange.
type Origin struct {
	// Messages are the older ones that it was read in, nil where the exchange says it or
	// nothing that says it is known.
	Messages []storage.NodeID
	Over     bool // it was read in what is older, and something said since says otherwise
	Said     bool // a sentence of Messages, or of the exchange, says it in so many words
}

// originLook is how many facts are looked at for what says a text.
const originLook = 24

// Origins finds where each of some texts comes from that were found in an exchange on the
// path to leaf, as far as the moment's speaker knows. A text comes from what is older where
// it has a name that the exchange lacks, and an older fact says the same. names stand in
// every prompt and tell nothing.
func (svc *Service) Origins(tx *storage.Tx, m chats.Moment, leaf storage.NodeID, known []memory.KnownMemory, exchange []storage.NodeID, names, texts []string) ([]Origin, error) {
	out := make([]Origin, len(texts))
	st := svc.story(m.Chat.ID)
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := st.sync(tx, leaf, known); err != nil {
		return nil, err
	}
	said := map[string]bool{}
	for _, w := range facts.WordsOf(strings.Join(names, " ")).All {
		said[w] = true
	}
	for _, id := range exchange {
		n, err := tx.Node(m.Chat.ID, id)
		if err != nil {
			return nil, err
		}
		for _, w := range facts.WordsOf(n.Content).All {
			said[w] = true
		}
	}
	for i, text := range texts {
		if slices.ContainsFunc(st.index.Names(st.elder(tx), text), func(name string) bool { return !said[name] }) {
			out[i] = st.origin(tx, m, text, exchange)
			out[i].Said = len(out[i].Messages) > 0 && saidBy(tx, m.Chat.ID, text, out[i].Messages)
		} else {
			out[i].Said = saidBy(tx, m.Chat.ID, text, exchange)
		}
	}
	return out, nil
}

// origin is that of a text which an exchange does not say.
func (s *story) origin(tx *storage.Tx, m chats.Moment, text string, exchange []storage.NodeID) Origin {
	words := facts.WordsOf(text)
	older := func(f *facts.Fact) bool {
		return len(f.Messages) > 0 && !slices.ContainsFunc(f.Messages, func(id storage.NodeID) bool { return slices.Contains(exchange, id) })
	}
	for _, h := range s.about(tx, text, originLook, older) {
		line := facts.WordsOf(h.Text)
		if !heard(tx, m, h.Fact) || !mostlyIn(words, line) {
			continue
		}
		same := slices.ContainsFunc(h.Messages, func(id storage.NodeID) bool {
			n, err := tx.Node(m.Chat.ID, id)
			return err == nil && facts.Same(words, line, facts.WordsOf(n.Content))
		})
		if same {
			return Origin{Messages: h.Messages, Over: s.overruled(tx, h.Fact)}
		}
	}
	return Origin{}
}

// mostlyIn tells whether a line has more than half of the words of a text: two names alone
// do not make one of two statements that need not rest on one message.
func mostlyIn(text, line facts.Words) bool {
	common := 0
	for _, w := range text.All {
		if slices.Contains(line.All, w) {
			common++
		}
	}
	return common*2 > len(text.All)
}

// saidBy tells whether one sentence of some messages says all that a text says. Who speaks
// is named in the text where the sentence says I.
func saidBy(tx *storage.Tx, chat storage.ChatID, text string, messages []storage.NodeID) bool {
	words := facts.WordsOf(text)
	return slices.ContainsFunc(messages, func(id storage.NodeID) bool {
		n, err := tx.Node(chat, id)
		return err == nil && slices.ContainsFunc(facts.Sentences(n.Content), func(s string) bool {
			return facts.Covers(facts.WordsOf(n.Name+"\n"+s), words)
		})
	})
}
