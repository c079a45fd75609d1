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

// LookupPrompt asks which entries of a registry a candidate is about. No more
// than MaxLines lines are shown: see Likeliest. Without types those of Types
// are meant.
func LookupPrompt(set *prompts.Set, c storage.LoreCandidate, reg []Line, user, char string, types ...string) []Prompt {
	if len(types) == 0 {
		types = Types()
	}
	return set.Request(LookupFile, people(map[string]string{
		"types":     clip(oneLine(defuse(strings.Join(types, ", "))), 400),
		"candidate": candidateText(c), "name": or(shown(c.Name), "the candidate"),
		"registry": registryText(reg[:min(len(reg), MaxLines)]),
	}, user, char))
}

// The schemas go to the server, which makes a grammar of them: every text and
// every list in them is bounded, and no bound is above the 2,000 that its
// grammar bears. The forms are what an answer is held against: wider, because
// not every server keeps to the schema.

// LookupSchema bounds the answer to LookupPrompt for a registry of so many lines. The candidate's
// own type is offered first, if it is one of types; without types those of Types are meant.
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
		max(1, min(lines, mostMeant)), max(1, min(lines, MaxLines)))
	return json.RawMessage(`{"type":"object","properties":{"type":{"type":"string","enum":` + string(words) + `},` +
		`"synopsis":{"type":"string","minLength":1,"maxLength":200},"sameEntityIds":` + ids + `,"needsFullContextIds":` + ids + `},` +
		`"required":["type","synopsis","sameEntityIds","needsFullContextIds"],"additionalProperties":false}`)
}

// LookupForm is what such an answer must look like to be read.
func LookupForm() json.RawMessage {
	ids := `{"anyOf":[{"type":"null"},{"type":"integer"},{"type":"string"},{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"}]}}]}`
	return json.RawMessage(`{"type":"object","properties":{"type":{"type":"string"},"synopsis":{"type":"string"},"sameEntityIds":` + ids +
		`,"needsFullContextIds":` + ids + `},"required":["sameEntityIds"]}`)
}

// Lookup is a model's answer to LookupPrompt. Its ids are those of the prompt
// until Keep has turned them into the entries' own.
type Lookup struct {
	Type                string
	Synopsis            string
	SameEntityIDs       []storage.EntryID
	NeedsFullContextIDs []storage.EntryID

	read bool
}

// UnmarshalJSON takes an answer in. It fails only on what is no JSON object.
func (l *Lookup) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore lookup: %w", err)
	}
	*l = Lookup{
		Type: clip(oneLine(prompts.Text(fields["type"])), maxID), Synopsis: synopsis(prompts.Text(fields["synopsis"])),
		SameEntityIDs: idsOf(fields["sameentityids"]), NeedsFullContextIDs: idsOf(fields["needsfullcontextids"]),
		read: fields["sameentityids"] != nil,
	}
	return nil
}

// Check finds what is wrong with the answer, in words for the model.
func (l *Lookup) Check() error {
	switch {
	case l.Type == "":
		return errors.New(`"type" is empty: say which type of entry the candidate is`)
	case l.Synopsis == "":
		return fmt.Errorf(`"synopsis" is empty: say in at most %d words who or what the candidate is`, MaxSynopsis)
	}
	return nil
}

// Usable reports whether an answer that Check finds fault with says which entries are
// meant: its lists are not thrown away for a sentence that they lack.
func (l *Lookup) Usable() bool { return l.read }

// Keep turns the ids of the prompt into those of the entries. reg is what the
// prompt was made of; what is not in it is dropped. An entry that is said to be
// both the same and unclear is unclear.
func (l *Lookup) Keep(reg []Line) (dropped []string) {
	var more []string
	l.SameEntityIDs, dropped = keep(l.SameEntityIDs, reg)
	l.NeedsFullContextIDs, more = keep(l.NeedsFullContextIDs, reg)
	l.SameEntityIDs = slices.DeleteFunc(l.SameEntityIDs, func(id storage.EntryID) bool { return slices.Contains(l.NeedsFullContextIDs, id) })
	return append(dropped, more...)
}

// Sure is the entry that the answer settles on, "" for a new one; ok is false
// where it is to be resolved. It holds after Keep.
func (l *Lookup) Sure() (id storage.EntryID, ok bool) {
	switch {
	case len(l.NeedsFullContextIDs) > 0 || len(l.SameEntityIDs) > 1:
		return "", false
	case len(l.SameEntityIDs) == 1:
		return l.SameEntityIDs[0], true
	}
	return "", true
}

// Possible are the entries to resolve between, at most MaxMatches. It holds
// after Keep.
func (l *Lookup) Possible() []storage.EntryID {
	all := append(slices.Clone(l.SameEntityIDs), l.NeedsFullContextIDs...)
	return all[:min(len(all), MaxMatches)]
}

// MaxMatches is how many entries a resolution chooses between, mostMeant how many a lookup names
// in a list.
const (
	MaxMatches = 5
	mostMeant  = 6
)

// ResolvePrompt asks which of a few entries a candidate is about, or whether it
// is new. Each line has its entry's content.
func ResolvePrompt(set *prompts.Set, c storage.LoreCandidate, synopsis string, matches []Line, user, char string) []Prompt {
	var b strings.Builder
	for i, l := range matches[:min(len(matches), MaxMatches)] {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.Replace(registryText([]Line{l}), "[1]", fmt.Sprintf("[%d]", i+1), 1))
		b.WriteString("\n" + or(clip(strings.TrimSpace(defuse(l.Content)), shownContent), nothing))
	}
	return set.Request(ResolveFile, people(map[string]string{
		"candidate": candidateText(c), "name": or(shown(c.Name), "the candidate"), "synopsis": or(clip(oneLine(defuse(synopsis)), shownSynopsis), nothing),
		"entries": or(b.String(), nothing), "count": fmt.Sprint(min(len(matches), MaxMatches)),
	}, user, char))
}

// ResolveSchema bounds the answer to ResolvePrompt for so many entries.
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

// ResolveForm is what such an answer must look like to be read.
func ResolveForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"synopsis":{"type":"string"},` +
		`"resolvedId":{"anyOf":[{"type":"null"},{"type":"string"},{"type":"integer"}]}},"required":["resolvedId"]}`)
}

// Resolve is a model's answer to ResolvePrompt. ResolvedID is an id of the
// prompt until Keep has turned it into the entry's own, and "" for a new entry.
type Resolve struct {
	ResolvedID storage.EntryID
	Synopsis   string
	// Of is how many entries the prompt had; set it before an answer is read.
	Of int
}

// UnmarshalJSON takes an answer in, as that of Lookup does.
func (r *Resolve) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore resolution: %w", err)
	}
	id := idOf(fields["resolvedid"])
	*r = Resolve{ResolvedID: storage.EntryID(id), Synopsis: synopsis(prompts.Text(fields["synopsis"])), Of: r.Of}
	switch strings.ToLower(id) {
	case "new", "null", "none", "0", "":
		r.ResolvedID = ""
	}
	return nil
}

// Check finds what is wrong with the answer, in words for the model.
func (r *Resolve) Check() error {
	if r.ResolvedID == "" {
		return nil
	}
	if n, err := strconv.Atoi(string(r.ResolvedID)); err != nil || n < 1 || n > max(r.Of, 1) && r.Of > 0 {
		return fmt.Errorf(`"resolvedId" is %q, which is none of the entries: answer "new" or the number of an entry, from 1 to %d`, clip(string(r.ResolvedID), 20), max(r.Of, 1))
	}
	return nil
}

// Keep turns the id of the prompt into that of the entry. One that is not among
// the matches is dropped, and means a new entry.
func (r *Resolve) Keep(matches []Line) (dropped []string) {
	if r.ResolvedID == "" {
		return nil
	}
	kept, dropped := keep([]storage.EntryID{r.ResolvedID}, matches[:min(len(matches), MaxMatches)])
	if r.ResolvedID = ""; len(kept) == 1 {
		r.ResolvedID = kept[0]
	}
	return dropped
}
