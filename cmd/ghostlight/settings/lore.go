package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
)

// MaxScanned is the highest scan depth of a book, in messages.
const MaxScanned = 1000

// The bounds of the settings of lorebooks.
const (
	maxSteps      = 1000
	maxTypes      = 50
	maxTypeLen    = 40 // characters
	minCompact    = 200
	maxCompact    = 100_000
	compactNormal = 1200
)

// Lore says how lorebooks are searched, where their entries are inserted, and how the chat's own
// book is filled.
type Lore struct {
	ScanDepth      *int              `toml:"scan_depth" json:"scan_depth"`
	BudgetPercent  *int              `toml:"budget_percent" json:"budget_percent"`
	BudgetCap      int               `toml:"budget_cap" json:"budget_cap"`
	IncludeNames   *bool             `toml:"include_names" json:"include_names"`
	Recursive      *bool             `toml:"recursive" json:"recursive"`
	MaxSteps       int               `toml:"max_recursion_steps" json:"max_recursion_steps"`
	MinActivations int               `toml:"min_activations" json:"min_activations"`
	MaxDepth       int               `toml:"max_depth" json:"max_depth"`
	CaseSensitive  *bool             `toml:"case_sensitive" json:"case_sensitive"`
	WholeWords     *bool             `toml:"whole_words" json:"whole_words"`
	GroupScoring   *bool             `toml:"group_scoring" json:"group_scoring"`
	Strategy       string            `toml:"strategy" json:"strategy"`
	Placement      string            `toml:"placement" json:"placement"`
	Fill           *bool             `toml:"fill" json:"fill"`
	Types          []string          `toml:"types" json:"types"`
	Compact        *int              `toml:"compact" json:"compact"`
	Review         map[string]string `toml:"review" json:"review"`
}

// The values of settings. If they have numbers, they are in the order of these.
var (
	strategyWords  = []string{"evenly", "character_first", "global_first"}
	placementWords = []string{lore.PlacePinned, lore.PlaceTail}
	reviewWords    = []string{"apply", "review"}
)

// reviewDefault is the key of lore.review for types that it does not name.
const reviewDefault = "default"

// Config returns the section in the engine's form.
func (s Lore) Config() config.Lore {
	full := s.withDefaults()
	set := activation.Settings{Depth: *full.ScanDepth, Budget: float64(*full.BudgetPercent),
		BudgetCap: s.BudgetCap, IncludeNames: *full.IncludeNames,
		Recursive: *full.Recursive, MaxSteps: s.MaxSteps, MinActivations: s.MinActivations,
		MaxDepth: s.MaxDepth, CaseSensitive: *full.CaseSensitive,
		WholeWords: *full.WholeWords, GroupScoring: *full.GroupScoring,
		Strategy: activation.Strategy(slices.Index(strategyWords, full.Strategy))}
	c := config.Lore{Settings: &set, Placement: full.Placement, NoFill: IsOff(s.Fill), Types: full.Types,
		Review:  full.Review,
		Compact: *full.Compact}
	if c.Compact == 0 {
		c.Compact = -1 // never
	}
	return c
}

func (s Lore) withDefaults() Lore {
	standard := activation.DefaultSettings()
	unset := func(at **int, n int) {
		if *at == nil {
			*at = &n
		}
	}
	unsetBool := func(at **bool, on bool) {
		if *at == nil {
			*at = &on
		}
	}
	unset(&s.ScanDepth, standard.Depth)
	unset(&s.BudgetPercent, int(standard.Budget))
	unset(&s.Compact, compactNormal)
	unsetBool(&s.IncludeNames, standard.IncludeNames)
	unsetBool(&s.Recursive, standard.Recursive)
	unsetBool(&s.CaseSensitive, standard.CaseSensitive)
	unsetBool(&s.WholeWords, standard.WholeWords)
	unsetBool(&s.GroupScoring, standard.GroupScoring)
	unsetBool(&s.Fill, true)
	s.Strategy = cmp.Or(s.Strategy, strategyWords[standard.Strategy])
	s.Placement = cmp.Or(s.Placement, lore.DefaultPlacement)
	s.Types = orElse(s.Types, fill.Types())
	review := map[string]string{reviewDefault: reviewWords[0]}
	for typ, word := range s.Review {
		review[typ] = word
	}
	s.Review = review
	return s
}

func (s Lore) check() error {
	err := cmp.Or(within("lore.scan_depth", "a number of messages", s.ScanDepth, 0, MaxScanned),
		within("lore.budget_percent", "a percentage", s.BudgetPercent, 1, 100),
		within("lore.budget_cap", "a number of tokens", &s.BudgetCap, 0, maxContext),
		within("lore.max_recursion_steps", "a number of steps", &s.MaxSteps, 0, maxSteps),
		within("lore.min_activations", "a number of entries", &s.MinActivations, 0, MaxScanned),
		within("lore.max_depth", "a number of messages", &s.MaxDepth, 0, MaxScanned),
		oneOf("lore.strategy", s.Strategy),
		oneOf("lore.placement", s.Placement))
	switch {
	case err != nil:
		return err
	case s.MaxSteps > 0 && s.MinActivations > 0:
		return refuse("lore.min_activations", "and lore.max_recursion_steps cannot be combined; one of them must be 0")
	case s.Compact != nil && *s.Compact != 0 && (*s.Compact < minCompact || *s.Compact > maxCompact):
		return refuse("lore.compact", "must be a number of characters from %d to %d, or 0 for never, not %d",
			minCompact, maxCompact, *s.Compact)
	}
	return cmp.Or(s.checkTypes(), s.checkReview())
}

func (s Lore) checkTypes() error {
	if s.Types != nil && len(s.Types) == 0 || len(s.Types) > maxTypes {
		return refuse("lore.types", "must name 1 to %d types, not %d", maxTypes, len(s.Types))
	}
	for i, typ := range s.Types {
		switch {
		case strings.TrimSpace(typ) != typ || typ == "" || len([]rune(typ)) > maxTypeLen || typ != strings.ToLower(typ):
			return refuse("lore.types", "must be names in lower case of at most %d characters, not %q", maxTypeLen, typ)
		case strings.ContainsAny(typ, "[]():,-\n\t"):
			return refuse("lore.types", "must not contain brackets, commas, colons or hyphens, as %q does", typ)
		case typ == reviewDefault:
			return refuse("lore.types", "cannot contain %q: lore.review needs that word", typ)
		case slices.Contains(s.Types[:i], typ):
			return refuse("lore.types", "contain %q twice", typ)
		}
	}
	return nil
}

func (s Lore) checkReview() error {
	types := s.withDefaults().Types
	keys := make([]string, 0, len(s.Review))
	for typ := range s.Review {
		keys = append(keys, typ)
	}
	slices.Sort(keys) // so that of several errors always the same one is returned
	for _, typ := range keys {
		if typ != reviewDefault && !slices.Contains(types, typ) {
			return refuse("lore.review."+typ, "is not an entry type; the types are %s, or %s for all others",
				strings.Join(types, ", "), reviewDefault)
		}
		if word := s.Review[typ]; !slices.Contains(reviewWords, word) {
			return refuse(fmt.Sprintf("lore.review.%s", typ), "must be %s, not %q",
				strings.Join(reviewWords, " or "), word)
		}
	}
	return nil
}
