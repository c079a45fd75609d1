package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
)

func TestLoreSettings_Defaults(t *testing.T) {
	c := Lore{}.Config()
	if diff := cmp.Diff(activation.DefaultSettings(), *c.Settings); diff != "" {
		t.Error(diff)
	}
	if c.NoFill || c.Placement != lore.DefaultPlacement || c.Compact != compactNormal || c.Review["default"] != "apply" {
		t.Errorf("the rest is %+v", c)
	}
}

func TestLoreSettings_AllCount(t *testing.T) {
	s, err := parse("t", []byte(`
[lore]
scan_depth = 9
budget_percent = 50
budget_cap = 700
include_names = false
recursive = false
min_activations = 3
max_depth = 8
case_sensitive = true
whole_words = false
group_scoring = true
strategy = "global_first"
placement = "tail"
fill = false
types = ["ship", "star"]
compact = 0
[lore.review]
default = "review"
ship = "apply"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Lore{Settings: &activation.Settings{Depth: 9, Budget: 50, BudgetCap: 700, MinActivations: 3, MaxDepth: 8, CaseSensitive: true,
		GroupScoring: true, Strategy: activation.GlobalFirst}, Placement: lore.PlaceTail, NoFill: true, Types: []string{"ship", "star"},
		Review: map[string]string{"default": "review", "ship": "apply"}, Compact: -1}
	if diff := cmp.Diff(want, s.Lore.Config()); diff != "" {
		t.Error(diff)
	}
}

func TestLoreSettings_Refused(t *testing.T) {
	for text, words := range map[string]string{
		"scan_depth = -1":                              "t:2:1: lore.scan_depth must be a number of messages from 0 to 1000, not -1",
		"budget_percent = 101":                         "lore.budget_percent must be a percentage from 1 to 100",
		"budget_percent = 2.5":                         "lore.budget_percent must be a whole number",
		"budget_cap = -1":                              "lore.budget_cap",
		"max_recursion_steps = -1":                     "lore.max_recursion_steps",
		"strategy = \"both\"":                          "lore.strategy must be evenly, character_first or global_first, not \"both\"",
		"placement = \"head\"":                         "lore.placement must be stay or tail",
		"compact = 5":                                  "lore.compact",
		"types = []":                                   "lore.types must name 1 to",
		"types = [\"Ship\"]":                           "lore.types must be names in lower case",
		"types = [\"a\", \"a\"]":                       "twice",
		"types = [\"a-b\"]":                            "lore.types must not contain",
		"types = [\"default\"]":                        "lore.review needs",
		"types = \"ship\"":                             "lore.types must be a list, not text",
		"review = true":                                "lore.review must be a section",
		"recursive = 1":                                "lore.recursive must be true or false",
		"[lore.review]\nship = \"x\"":                  "t:3:1: lore.review.ship is not an entry type; the types are character",
		"[lore.review]\nitem = \"no\"":                 "lore.review.item must be apply or review, not \"no\"",
		"max_recursion_steps = 1\nmin_activations = 1": "t:3:1: lore.min_activations and lore.max_recursion_steps cannot be combined",
		"depth = 1":                                    "unknown setting lore.depth",
	} {
		_, err := parse("t", []byte("[lore]\n"+text))
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
