package library

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The bounds of an actor's weights.
const (
	mostWeight    = 100
	mostTraits    = 32
	longestWeight = 60       // characters of a trait's name
	longestActor  = 16 << 10 // bytes of a text
)

// actorFields are the fields of the notes of the actor who plays a character.
func actorFields() []field {
	list := []field{}
	text := func(name string, at func(a *storage.Actor) *string) {
		list = append(list, field{name, func(c *storage.Character) string { return *at(&c.Actor) },
			func(c *storage.Character, v string) error {
				if len(v) > longestActor {
					return cli.UsageError(fmt.Sprintf("%s has at most %d bytes; that has %d", name, longestActor, len(v)))
				}
				*at(&c.Actor) = v
				return nil
			}})
	}
	text("current_goal", func(a *storage.Actor) *string { return &a.Goal })
	text("current_struggle", func(a *storage.Actor) *string { return &a.Struggle })
	text("secret_dream", func(a *storage.Actor) *string { return &a.Dream })
	text("current_stressor", func(a *storage.Actor) *string { return &a.Stressor })
	text("tone", func(a *storage.Actor) *string { return &a.Tone })
	text("speech_patterns", func(a *storage.Actor) *string { return &a.Speech })
	text("boundaries", func(a *storage.Actor) *string { return &a.Boundaries })
	list = append(list, field{"phrases", func(c *storage.Character) string { return strings.Join(c.Actor.Phrases, "\n") },
		func(c *storage.Character, v string) error {
			c.Actor.Phrases = cut(v, "\n")
			for _, p := range c.Actor.Phrases {
				if err := voice.Check(p); err != nil {
					return cli.UsageError(fmt.Sprintf("%s: %v", cli.Quote(cli.Clip(p, cli.ColumnWidth)), err))
				}
			}
			return nil
		}})
	return append(list, field{"weights", func(c *storage.Character) string { return strings.Join(weightWords(c.Actor), ", ") },
		func(c *storage.Character, v string) error {
			c.Actor.Weights = nil
			for _, w := range cut(v, ",") {
				if err := setWeight(c, w); err != nil {
					return err
				}
			}
			return nil
		}})
}

// weightWords are the weights of an actor, by their names.
func weightWords(a storage.Actor) []string {
	var words []string
	for name, n := range a.Weights {
		words = append(words, fmt.Sprintf("%s=%d", name, n))
	}
	slices.Sort(words)
	return words
}

// setWeight reads TRAIT=N into a character; TRAIT= takes the trait away.
func setWeight(c *storage.Character, text string) error {
	name, number, ok := strings.Cut(text, "=")
	if name = strings.ToLower(cli.OneLine(name)); !ok || name == "" || len([]rune(name)) > longestWeight {
		return cli.UsageError("a weight must be TRAIT=N, such as warmth=80, not " + cli.Quote(cli.Clip(text, cli.ColumnWidth)))
	}
	weights := map[string]int{} // a copy: the character may be looked at elsewhere
	for k, v := range c.Actor.Weights {
		weights[k] = v
	}
	if number = strings.TrimSpace(number); number == "" {
		delete(weights, name)
	} else {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > mostWeight {
			return cli.UsageError(fmt.Sprintf("the weight of %s must be a number from 0 to %d, not %q", name, mostWeight, cli.Clip(number, cli.ColumnWidth)))
		}
		weights[name] = n
	}
	if len(weights) > mostTraits {
		return cli.UsageError(fmt.Sprintf("a character has at most %d weights", mostTraits))
	}
	c.Actor.Weights = weights
	return nil
}

// actorFlags set the actor's notes of a character.
type actorFlags struct {
	texts   map[string]*string // by the field's name
	weights []string
}

// actorFlagNames are the flags of the fields that are texts, with what they say.
var actorFlagNames = [][3]string{
	{"goal", "current_goal", "current goal of the character: `TEXT`"},
	{"struggle", "current_struggle", "inner conflict: `TEXT`"},
	{"dream", "secret_dream", "secret wish: `TEXT`"},
	{"stressor", "current_stressor", "current burden: `TEXT`"},
	{"tone", "tone", "tone: `TEXT`"},
	{"speech", "speech_patterns", "way of speaking: `TEXT`"},
	{"boundaries", "boundaries", "limits: `TEXT`"},
}

func (f *actorFlags) add(c *cobra.Command) {
	f.texts = map[string]*string{}
	for _, n := range actorFlagNames {
		f.texts[n[1]] = c.Flags().String(n[0], "", n[2])
	}
	c.Flags().StringArrayVar(&f.weights, "weight", nil, "`TRAIT=N`, N from 0 to 100, such as warmth=80; TRAIT= removes it; repeatable")
}

// given reports whether any of them was said.
func (f *actorFlags) given(c *cobra.Command) bool {
	return c.Flags().Changed("weight") || slices.ContainsFunc(actorFlagNames, func(n [3]string) bool { return c.Flags().Changed(n[0]) })
}

// apply writes what was said into a character. Texts may be @FILE, or - for
// standard input.
func (f *actorFlags) apply(app *cli.App, c *cobra.Command, ch *storage.Character) error {
	for _, n := range actorFlagNames {
		if !c.Flags().Changed(n[0]) {
			continue
		}
		text, err := app.ValueArg(*f.texts[n[1]])
		if err != nil {
			return err
		}
		at, _ := fieldNamed(n[1])
		if err := at.set(ch, text); err != nil {
			return err
		}
	}
	for _, w := range f.weights {
		if err := setWeight(ch, w); err != nil {
			return err
		}
	}
	return nil
}

// saveCharacter stores a character with its actor's notes.
func saveCharacter(e *engine.Engine, c storage.Character) (storage.Character, error) {
	saved, err := e.Library.SaveCharacter(c)
	if err != nil || reflect.DeepEqual(c.Actor, storage.Actor{}) {
		return saved, err
	}
	if err := e.Library.EditActor(saved.ID, c.Actor); err != nil {
		return saved, err
	}
	return e.Library.FindCharacter(string(saved.ID))
}
