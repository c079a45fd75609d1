package fill

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Statement returns a fact of an entry as a sentence that is understood without its entry: it names
// the entry, and includes details in brackets.
func Statement(name, fact string) string {
	fact = strings.Join(strings.Fields(fact), " ")
	if rest, ok := strings.CutSuffix(fact, ")"); ok {
		head, detail, _ := strings.Cut(rest, "(")
		switch {
		case strings.TrimSpace(head) == "" || strings.ContainsAny(detail, "()"):
		case plist.SameName(detail, name):
			fact = strings.TrimSpace(head)
		default:
			fact = strings.TrimSpace(head) + " " + strings.TrimSpace(detail)
		}
	}
	if name == "" || text.HasWord(strings.ToLower(fact), strings.ToLower(name)) {
		return fact
	}
	return name + ": " + fact
}

// LearnedFact returns the source of a fact of an entry. It is nil if the user may have written the
// fact, or has locked it.
func LearnedFact(x *storage.LoreEntry, chat storage.ChatID, fact string) *storage.LoreFact {
	at := slices.IndexFunc(x.Facts, func(f storage.LoreFact) bool {
		return f.Text == fact && f.Chat == chat && len(f.Messages) > 0
	})
	if at < 0 || x.Locked {
		return nil
	}
	return &x.Facts[at]
}
