package fill

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LookupPrompt asks which entries of a registry a candidate is about. It contains at most
// MaxRegistryEntries entries: see ClosestEntries. Without types, Types() is used.
func LookupPrompt(set *prompts.Set, c storage.LoreCandidate, reg []RegistryEntry, user, char string,
	types ...string) []Prompt {
	if len(types) == 0 {
		types = Types()
	}
	return set.Request(LookupFile, addNames(map[string]string{
		"types":     clip(oneLine(defuse(strings.Join(types, ", "))), 400),
		"candidate": candidateText(c), "name": or(promptName(c.Name), "the candidate"),
		"registry": registryText(reg[:min(len(reg), MaxRegistryEntries)]),
	}, user, char))
}

// Schemas go to the server, which compiles them to a grammar: every text and list is bounded, and
// no bound exceeds the grammar's limit of 2,000. Answers are checked against forms, which are
// wider, because not every server keeps to the schema.

// LookupSchema returns the schema of the answer to LookupPrompt for a registry of lines entries.
// The candidate's own type comes first if it is one of types; without types those of Types are
// used.
func LookupSchema(lines int, own string, types ...string) json.RawMessage {
	if len(types) == 0 {
		types = Types()
	}
	if i := slices.Index(types, own); i > 0 {
		types = slices.Insert(slices.Delete(slices.Clone(types), i, i+1), 0, own)
	}
	words, err := json.Marshal(types)
	if err != nil {
		panic("fill: types cannot be written: " + err.Error()) // texts can
	}
	ids := fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"type":"integer","minimum":1,"maximum":%d}}`,
		max(1, min(lines, maxLookupIDs)), max(1, min(lines, MaxRegistryEntries)))
	return json.RawMessage(`{"type":"object","properties":{"type":{"type":"string","enum":` + string(words) + `},` +
		`"synopsis":{"type":"string","minLength":1,"maxLength":200},"sameEntityIds":` + ids +
		`,"needsFullContextIds":` + ids + `},` +
		`"required":["type","synopsis","sameEntityIds","needsFullContextIds"],"additionalProperties":false}`)
}

// LookupForm returns the schema that such an answer is checked against.
func LookupForm() json.RawMessage {
	ids := `{"anyOf":[{"type":"null"},{"type":"integer"},{"type":"string"},{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"}]}}]}`
	return json.RawMessage(
		`{"type":"object","properties":{"type":{"type":"string"},"synopsis":{"type":"string"},"sameEntityIds":` + ids +
			`,"needsFullContextIds":` + ids + `},"required":["sameEntityIds"]}`)
}

// LookupAnswer is a model's answer to LookupPrompt. Its ids are those of the prompt until
// ResolveIDs is called.
type LookupAnswer struct {
	Type                string
	Synopsis            string
	SameEntityIDs       []storage.EntryID
	NeedsFullContextIDs []storage.EntryID

	read bool
}

// UnmarshalJSON reads an answer. It fails only if data is no JSON object.
func (l *LookupAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore lookup: %w", err)
	}
	*l = LookupAnswer{
		Type:          clip(oneLine(prompts.Text(fields["type"])), maxID),
		Synopsis:      shortenSynopsis(prompts.Text(fields["synopsis"])),
		SameEntityIDs: parseIDs(fields["sameentityids"]), NeedsFullContextIDs: parseIDs(fields["needsfullcontextids"]),
		read: fields["sameentityids"] != nil,
	}
	return nil
}

// Check returns the faults of the answer, worded for the model.
func (l *LookupAnswer) Check() error {
	switch {
	case l.Type == "":
		return errors.New(`"type" is empty: say which type of entry the candidate is`)
	case l.Synopsis == "":
		return fmt.Errorf(`"synopsis" is empty: say in at most %d words who or what the candidate is`, MaxSynopsis)
	}
	return nil
}

// Usable reports whether an answer with faults still shows which entries it means.
func (l *LookupAnswer) Usable() bool { return l.read }

// ResolveIDs maps the ids of the prompt to entry ids. reg is the registry of the prompt; ids that
// are not in it are returned as dropped. An entry that is named as both the same and unclear is
// unclear.
func (l *LookupAnswer) ResolveIDs(reg []RegistryEntry) (dropped []string) {
	var more []string
	l.SameEntityIDs, dropped = resolveIDs(l.SameEntityIDs, reg)
	l.NeedsFullContextIDs, more = resolveIDs(l.NeedsFullContextIDs, reg)
	l.SameEntityIDs = slices.DeleteFunc(l.SameEntityIDs,
		func(id storage.EntryID) bool { return slices.Contains(l.NeedsFullContextIDs, id) })
	return append(dropped, more...)
}

// Decided returns the entry that the answer settles on, "" for a new one. ok is false if it needs a
// resolution. Call ResolveIDs first.
func (l *LookupAnswer) Decided() (id storage.EntryID, ok bool) {
	switch {
	case len(l.NeedsFullContextIDs) > 0 || len(l.SameEntityIDs) > 1:
		return "", false
	case len(l.SameEntityIDs) == 1:
		return l.SameEntityIDs[0], true
	}
	return "", true
}

// Possible returns the entries to resolve between, at most MaxMatches. It holds after ResolveIDs.
func (l *LookupAnswer) Possible() []storage.EntryID {
	all := append(slices.Clone(l.SameEntityIDs), l.NeedsFullContextIDs...)
	return all[:min(len(all), MaxMatches)]
}

// MaxMatches is the maximum number of entries that a resolution chooses between. maxLookupIDs is
// the maximum number of ids in a list of a lookup.
const (
	MaxMatches   = 5
	maxLookupIDs = 6
)

// ResolvePrompt asks which of a few entries a candidate is about, or whether it
// is new. Each line has its entry's content.
func ResolvePrompt(set *prompts.Set, c storage.LoreCandidate, synopsis string, matches []RegistryEntry,
	user, char string) []Prompt {
	var b strings.Builder
	for i, l := range matches[:min(len(matches), MaxMatches)] {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.Replace(registryText([]RegistryEntry{l}), "[1]", fmt.Sprintf("[%d]", i+1), 1))
		b.WriteString("\n" + or(clip(strings.TrimSpace(defuse(l.Content)), shownContent), nothing))
	}
	return set.Request(ResolveFile, addNames(map[string]string{
		"candidate": candidateText(c), "name": or(promptName(c.Name), "the candidate"),
		"synopsis": or(clip(oneLine(defuse(synopsis)), shownSynopsis), nothing),
		"entries":  or(b.String(), nothing), "count": fmt.Sprint(min(len(matches), MaxMatches)),
	}, user, char))
}

// ResolveSchema returns the schema of the answer to ResolvePrompt for matches entries.
func ResolveSchema(matches int) json.RawMessage {
	var ids []string
	for i := range min(max(matches, 1), MaxMatches) {
		ids = append(ids, fmt.Sprintf(`"%d"`, i+1))
	}
	return json.RawMessage(`{"type":"object","properties":{"why":{"type":"string","minLength":1,"maxLength":200},` +
		`"synopsis":{"type":"string","minLength":1,"maxLength":200},` +
		`"resolvedId":{"type":"string","enum":["new",` + strings.Join(ids, ",") + `]}},` +
		`"required":["why","synopsis","resolvedId"],"additionalProperties":false}`)
}

// ResolveForm returns the schema that such an answer is checked against.
func ResolveForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"synopsis":{"type":"string"},` +
		`"resolvedId":{"anyOf":[{"type":"null"},{"type":"string"},{"type":"integer"}]}},"required":["resolvedId"]}`)
}

// ResolveAnswer is a model's answer to ResolvePrompt. ResolvedID is an id of the
// prompt until ResolveIDs is called, and "" for a new entry.
type ResolveAnswer struct {
	ResolvedID storage.EntryID
	Synopsis   string
	// Matches is the number of entries in the prompt; set it before an answer is read.
	Matches int
}

// UnmarshalJSON reads an answer; see LookupAnswer.UnmarshalJSON.
func (r *ResolveAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore resolution: %w", err)
	}
	id := parseID(fields["resolvedid"])
	*r = ResolveAnswer{ResolvedID: storage.EntryID(id), Synopsis: shortenSynopsis(prompts.Text(fields["synopsis"])),
		Matches: r.Matches}
	switch strings.ToLower(id) {
	case "new", "null", "none", "0", "":
		r.ResolvedID = ""
	}
	return nil
}

// Check returns the faults of the answer, worded for the model.
func (r *ResolveAnswer) Check() error {
	if r.ResolvedID == "" {
		return nil
	}
	if n, err := strconv.Atoi(string(r.ResolvedID)); err != nil || n < 1 || n > max(r.Matches, 1) && r.Matches > 0 {
		return fmt.Errorf(
			`"resolvedId" is %q, which is none of the entries: answer "new" or the number of an entry, from 1 to %d`,
			clip(string(r.ResolvedID), 20), max(r.Matches, 1))
	}
	return nil
}

// ResolveIDs maps the id of the prompt to an entry id. An id that is not among the matches is
// dropped and means a new entry.
func (r *ResolveAnswer) ResolveIDs(matches []RegistryEntry) (dropped []string) {
	if r.ResolvedID == "" {
		return nil
	}
	kept, dropped := resolveIDs([]storage.EntryID{r.ResolvedID}, matches[:min(len(matches), MaxMatches)])
	if r.ResolvedID = ""; len(kept) == 1 {
		r.ResolvedID = kept[0]
	}
	return dropped
}
