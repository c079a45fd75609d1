package lore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryFields are all of an entry that its user can set, under the names of
// --set, --file and --json. What is unset inherits the book's or the settings'
// value.
type entryFields struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"`
	Type     string   `json:"type"`
	Synopsis string   `json:"synopsis"`
	Content  string   `json:"content"`

	Keys          []string `json:"keys"`
	SecondaryKeys []string `json:"secondary_keys"`
	Selective     bool     `json:"selective"`
	Logic         string   `json:"logic"`
	Constant      bool     `json:"constant"`
	Vectorized    bool     `json:"vectorized"`
	Disabled      bool     `json:"disabled"`

	Order    int    `json:"order"`
	Position string `json:"position"`
	Depth    int    `json:"depth"`
	Role     string `json:"role"`
	Outlet   string `json:"outlet"`

	ScanDepth       *int  `json:"scan_depth,omitempty"`
	CaseSensitive   *bool `json:"case_sensitive,omitempty"`
	WholeWords      *bool `json:"whole_words,omitempty"`
	UseGroupScoring *bool `json:"use_group_scoring,omitempty"`

	ExcludeRecursion    bool `json:"exclude_recursion"`
	PreventRecursion    bool `json:"prevent_recursion"`
	DelayUntilRecursion int  `json:"delay_until_recursion"`

	Probability    float64 `json:"probability"`
	UseProbability bool    `json:"use_probability"`
	IgnoreBudget   bool    `json:"ignore_budget"`

	Group         string  `json:"group"`
	GroupOverride bool    `json:"group_override"`
	GroupWeight   float64 `json:"group_weight"`

	Sticky   int `json:"sticky"`
	Cooldown int `json:"cooldown"`
	Delay    int `json:"delay"`

	Triggers         []string `json:"triggers"`
	FilterCharacters []string `json:"filter_characters"`
	FilterTags       []string `json:"filter_tags"`
	FilterExclude    bool     `json:"filter_exclude"`

	MatchPersona      bool `json:"match_persona"`
	MatchDescription  bool `json:"match_description"`
	MatchPersonality  bool `json:"match_personality"`
	MatchDepthPrompt  bool `json:"match_depth_prompt"`
	MatchScenario     bool `json:"match_scenario"`
	MatchCreatorNotes bool `json:"match_creator_notes"`

	Locked bool `json:"locked"`
}

// The words for what the ecosystem numbers.
var (
	positionWords = []string{"before_char", "after_char", "note_top", "note_bottom", "at_depth", "before_examples", "after_examples", "outlet"}
	logicWords    = []string{"and_any", "not_all", "not_any", "and_all"}
	roleWords     = []string{string(storage.System), string(storage.User), string(storage.Assistant)}
)

// numbered is the word for a number, which may be out of their range.
func numbered(words []string, n int) string {
	if n < 0 || n >= len(words) {
		return strconv.Itoa(n)
	}
	return words[n]
}

func fieldsOf(e storage.LoreEntry) entryFields {
	f := entryFields{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Synopsis: e.Synopsis, Content: e.Content,
		Keys: e.Keys, SecondaryKeys: e.SecondaryKeys, Selective: e.Selective, Logic: numbered(logicWords, int(e.Logic)),
		Constant: e.Constant, Vectorized: e.Vectorized, Disabled: e.Disabled,
		Order: e.Order, Position: numbered(positionWords, int(e.Position)), Depth: e.Depth, Role: cmp.Or(string(e.Role), roleWords[0]), Outlet: e.Outlet,
		ScanDepth: e.ScanDepth, CaseSensitive: e.CaseSensitive, WholeWords: e.WholeWords, UseGroupScoring: e.UseGroupScoring,
		ExcludeRecursion: e.ExcludeRecursion, PreventRecursion: e.PreventRecursion, DelayUntilRecursion: e.DelayUntilRecursion,
		Probability: e.Probability, UseProbability: e.UseProbability, IgnoreBudget: e.IgnoreBudget,
		Group: e.Group, GroupOverride: e.GroupOverride, GroupWeight: e.GroupWeight, Sticky: e.Sticky, Cooldown: e.Cooldown, Delay: e.Delay,
		Triggers:     e.Triggers,
		MatchPersona: e.MatchPersona, MatchDescription: e.MatchDescription, MatchPersonality: e.MatchPersonality,
		MatchDepthPrompt: e.MatchDepthPrompt, MatchScenario: e.MatchScenario, MatchCreatorNotes: e.MatchCreatorNotes, Locked: e.Locked}
	if c := e.Characters; c != nil {
		f.FilterExclude, f.FilterCharacters, f.FilterTags = c.Exclude, c.Names, c.Tags
	}
	return f
}

// put writes the fields into an entry.
func (f *entryFields) put(e *storage.LoreEntry) error {
	e.Name, e.Aliases, e.Type, e.Synopsis, e.Content = f.Name, f.Aliases, f.Type, f.Synopsis, f.Content
	e.Keys, e.SecondaryKeys, e.Selective = f.Keys, f.SecondaryKeys, f.Selective
	e.Constant, e.Vectorized, e.Disabled = f.Constant, f.Vectorized, f.Disabled
	e.Order, e.Depth, e.Outlet = f.Order, f.Depth, f.Outlet
	e.ScanDepth, e.CaseSensitive, e.WholeWords, e.UseGroupScoring = f.ScanDepth, f.CaseSensitive, f.WholeWords, f.UseGroupScoring
	e.ExcludeRecursion, e.PreventRecursion, e.DelayUntilRecursion = f.ExcludeRecursion, f.PreventRecursion, f.DelayUntilRecursion
	e.Probability, e.UseProbability, e.IgnoreBudget = f.Probability, f.UseProbability, f.IgnoreBudget
	e.Group, e.GroupOverride, e.GroupWeight = f.Group, f.GroupOverride, f.GroupWeight
	e.Sticky, e.Cooldown, e.Delay, e.Triggers = f.Sticky, f.Cooldown, f.Delay, f.Triggers
	e.MatchPersona, e.MatchDescription, e.MatchPersonality = f.MatchPersona, f.MatchDescription, f.MatchPersonality
	e.MatchDepthPrompt, e.MatchScenario, e.MatchCreatorNotes, e.Locked = f.MatchDepthPrompt, f.MatchScenario, f.MatchCreatorNotes, f.Locked
	if f.FilterExclude || len(f.FilterCharacters)+len(f.FilterTags) > 0 {
		e.Characters = &storage.LoreFilter{Exclude: f.FilterExclude, Names: f.FilterCharacters, Tags: f.FilterTags}
	} else {
		e.Characters = nil
	}
	position, logic := int(e.Position), int(e.Logic)
	err := cmp.Or(oneOfWords("position", f.Position, positionWords, &position), oneOfWords("logic", f.Logic, logicWords, &logic))
	e.Position, e.Logic = storage.LorePosition(position), storage.LoreLogic(logic)
	if role := cmp.Or(string(e.Role), roleWords[0]); role != f.Role { // so that an unset one stays so
		err = errors.Join(err, oneOfWords("role", f.Role, roleWords, new(int)))
		e.Role = storage.Role(f.Role)
	}
	return err
}

// oneOfWords puts the number of a word into n. The number itself is taken too.
func oneOfWords(name, word string, words []string, n *int) error {
	if at := slices.Index(words, strings.ToLower(word)); at >= 0 {
		*n = at
		return nil
	}
	if word == strconv.Itoa(*n) { // as it is, though it has no word
		return nil
	}
	if at, err := strconv.Atoi(word); err == nil && at >= 0 && at < len(words) {
		*n = at
		return nil
	}
	return cli.UsageError(fmt.Sprintf("%s must be one of %s, not %q", name, strings.Join(words, ", "), word))
}

var fieldIndex = func() map[string]int {
	t, index := reflect.TypeFor[entryFields](), map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		index[name] = i
	}
	return index
}()

// entryFieldNames are the names of all fields, in the order of an entry.
func entryFieldNames() []string {
	names := make([]string, len(fieldIndex))
	for name, i := range fieldIndex {
		names[i] = name
	}
	return names
}

func (f *entryFields) at(name string) (reflect.Value, error) {
	i, ok := fieldIndex[name]
	if !ok {
		return reflect.Value{}, cli.UsageError(fmt.Sprintf("an entry has no field %q; the fields are %s", name, strings.Join(entryFieldNames(), ", ")))
	}
	return reflect.ValueOf(f).Elem().Field(i), nil
}

// text is a field as --set takes it, "" for what is unset.
func (f entryFields) text(name string) string {
	v, err := f.at(name)
	if err != nil {
		return ""
	}
	switch v := v.Interface().(type) {
	case []string:
		return strings.Join(v, ", ")
	case *int:
		if v != nil {
			return strconv.Itoa(*v)
		}
		return ""
	case *bool:
		if v != nil {
			return strconv.FormatBool(*v)
		}
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// set gives a field the value that a text stands for.
func (f *entryFields) set(name, text string) error {
	v, err := f.at(name)
	if err != nil {
		return err
	}
	switch at := v.Addr().Interface().(type) {
	case *string:
		*at = text
		return nil
	case *[]string:
		*at = cutKeys(text)
		return nil
	}
	text = strings.TrimSpace(text)
	if v.Kind() == reflect.Pointer && (text == "" || text == "default") {
		v.SetZero()
		return nil
	}
	if v.Kind() == reflect.Float64 {
		text = strings.TrimSpace(strings.TrimSuffix(text, "%"))
	}
	if text == "null" || json.Unmarshal([]byte(text), v.Addr().Interface()) != nil {
		return cli.UsageError(fmt.Sprintf("%s must be %s, not %q", name, cli.JSONKind(v.Type()), text))
	}
	return nil
}

// setJSON gives a field a value of a file.
func (f *entryFields) setJSON(name string, raw json.RawMessage) error {
	v, err := f.at(name)
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		v.SetZero()
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer {
			return nil
		}
	}
	if string(raw) == "null" || json.Unmarshal(raw, v.Addr().Interface()) != nil {
		return cli.UsageError(fmt.Sprintf("%s must be %s, not %s", name, cli.JSONKind(v.Type()), cli.Clip(string(raw), cli.ColumnWidth)))
	}
	return nil
}

// cutKeys cuts a list: at its lines where it has several, else at its commas,
// those inside a /regex/ excepted.
func cutKeys(text string) []string {
	out := []string{}
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	if strings.ContainsRune(strings.TrimSpace(text), '\n') {
		for line := range strings.Lines(text) {
			add(line)
		}
		return out
	}
	for text != "" {
		end := strings.IndexByte(text, ',')
		if lead := strings.TrimLeft(text, " \t"); strings.HasPrefix(lead, "/") {
			if n := regexEnd(lead); n > 0 {
				end = len(text) - len(lead) + n
			}
		}
		if end < 0 || end >= len(text) {
			add(text)
			return out
		}
		add(text[:end])
		text = text[end+1:]
	}
	return out
}

// regexEnd is where a list goes on after the /regex/flags that it begins with: at
// a comma or the end; 0 where it does not begin with one.
func regexEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			rest := strings.TrimLeft(s[i+1:], "abcdefghijklmnopqrstuvwxyz")
			rest = strings.TrimLeft(rest, " \t")
			if rest == "" || rest[0] == ',' {
				return len(s) - len(rest)
			}
		}
	}
	return 0
}

// readOnly are the names of what lore show prints beside the fields: a file that
// was made of its document may hold them.
var readOnly = []string{"id", "uid", "book", "book_name", "tokens", "here", "stale", "last_fired", "waiting", "witnesses", "facts", "revision", "revisions", "problems", "faults",
	"created_at", "updated_at"}

// fromJSON takes the fields of a JSON object, and leaves others as they are. An
// id in it has to be the entry's own.
func (f *entryFields) fromJSON(data []byte, id storage.EntryID) error {
	var doc map[string]json.RawMessage
	data = cli.TrimBOM(data)
	if err := json.Unmarshal(data, &doc); err != nil || doc == nil {
		return errors.New("an entry is a JSON object with the fields of lore show --json, but " + ecosystem.JSONFault(data, err))
	}
	var said string
	if raw, ok := doc["id"]; ok && json.Unmarshal(raw, &said) == nil && id != "" && said != string(id) {
		return fmt.Errorf("the file is for another entry (%s)", cli.Clip(said, cli.ColumnWidth))
	}
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	slices.Sort(names) // so that of several faults always the same is told
	for _, name := range names {
		if slices.Contains(readOnly, name) {
			continue
		}
		if err := f.setJSON(name, doc[name]); err != nil {
			return err
		}
	}
	return nil
}
