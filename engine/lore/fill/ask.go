package fill

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// nothing replaces a missing part of a prompt.
const nothing = "(none)"

// userMacro is the name of the user in entries.
const userMacro = "{{user}}"

// Bounds of a text in prompts, in characters.
const (
	shownName     = 120
	shownSynopsis = 200
	shownContent  = 6000
	shownAliases  = 6
)

// addNames adds the names of user and character. {{user}} stays a macro in prompts, as in entries.
func addNames(values map[string]string, user, char string) map[string]string {
	values["user"] = userMacro
	values["player"] = or(clip(oneLine(defuse(user)), shownName), "User")
	values["char"] = or(clip(oneLine(defuse(char)), shownName), "the character")
	return values
}

// candidateText writes a candidate for a prompt.
func candidateText(c storage.LoreCandidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", or(promptName(c.Name), nothing))
	fmt.Fprintf(&b, "type: %s\n", or(promptName(c.Type), nothing))
	if len(c.Keywords) > 0 {
		fmt.Fprintf(&b, "keywords: %s\n", promptName(strings.Join(c.Keywords, ", ")))
	}
	fmt.Fprintf(&b, "content: %s", or(clip(strings.TrimSpace(defuse(c.Content)), shownContent), nothing))
	return b.String()
}

// registryText writes lines with the short ids that a model answers with.
func registryText(reg []RegistryEntry) string {
	var b strings.Builder
	for i, l := range reg {
		fmt.Fprintf(&b, "[%d] %s", i+1, promptName(l.Name))
		if len(l.Aliases) > 0 {
			fmt.Fprintf(&b, " (also: %s)",
				promptName(strings.Join(l.Aliases[:min(len(l.Aliases), shownAliases)], ", ")))
		}
		if l.Synopsis != "" {
			b.WriteString(" – " + clip(oneLine(defuse(l.Synopsis)), shownSynopsis))
		}
		b.WriteByte('\n')
	}
	return or(strings.TrimSuffix(b.String(), "\n"), nothing)
}

func promptName(s string) string { return clip(oneLine(defuse(s)), shownName) }

// fences are the tags that the prompt files put around text that others have written.
var fences = []string{"candidate", "registry", "entries", "entry", "news"}

// defuse keeps outside text from closing the block around it.
func defuse(s string) string { return prompts.Defuse(s, fences) }

// Bounds of the parts of an answer that are used. The schemas are tighter.
const (
	maxIDs           = 16
	maxID            = 64   // characters
	maxName          = 120  // characters
	maxContentRunes  = 8000 // characters of a content
	maxSynopsisRunes = 400  // characters of a synopsis before it is cut to its words
)

// parseID reads an id that is a string or a number.
func parseID(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != float64(int64(n)) {
			return ""
		}
		s = strconv.FormatInt(int64(n), 10)
	}
	return clip(strings.Trim(oneLine(s), "[]()#. "), maxID)
}

func parseIDs(raw json.RawMessage) []storage.EntryID {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var out []storage.EntryID
	for _, r := range list {
		if id := storage.EntryID(parseID(r)); id != "" && len(out) < maxIDs && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// resolveIDs maps the short ids of a prompt to entry ids and returns the ids that match none.
func resolveIDs(ids []storage.EntryID, reg []RegistryEntry) (kept []storage.EntryID, dropped []string) {
	for _, id := range ids {
		n, err := strconv.Atoi(string(id))
		if err != nil || n < 1 || n > min(len(reg), MaxRegistryEntries) {
			dropped = append(dropped, string(id))
			continue
		}
		if real := reg[n-1].ID; !slices.Contains(kept, real) {
			kept = append(kept, real)
		}
	}
	return kept, dropped
}

// shortenSynopsis cuts a text to the maximum number of words of a synopsis.
func shortenSynopsis(s string) string {
	s = strings.Trim(oneLine(clip(s, maxSynopsisRunes)), `"“”*`)
	if words := strings.Fields(s); len(words) > MaxSynopsis {
		s = strings.TrimRight(strings.Join(words[:MaxSynopsis], " "), ",;:–-(") + "…"
	}
	return s
}

// Synopsis makes a synopsis from a content, for an entry that has none.
func Synopsis(content string) string {
	var said []string
	for i, f := range plist.Facts(clip(content, 2000)) {
		if i == 3 {
			break
		}
		said = append(said, strings.TrimRight(strings.TrimLeft(oneLine(f), "-*• "), ".。"))
	}
	return shortenSynopsis(strings.Join(said, ", "))
}

// cleanContent removes code fences and quotation marks around a model's content.
func cleanContent(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(clip(strings.ReplaceAll(s, "\x00", ""), maxContentRunes), ""))
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		if at := strings.IndexByte(rest, '\n'); at >= 0 && at < 20 && !strings.Contains(rest[:at], "[") {
			rest = rest[at+1:]
		}
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	if t := strings.Trim(s, "`\"“” \n"); strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
		s = t
	}
	return s
}
