// Package bundled has what comes with the program: a character, a persona, and sampler presets.
package bundled

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

//go:embed tove.json
var toveJSON []byte

// document is the part of a V3 card that is read.
type document struct {
	Data struct {
		storage.Card
		Extensions struct {
			Ghostlight struct {
				storage.Actor
				Immersion storage.Immersion `json:"immersion"`
				Imagery   storage.Imagery   `json:"imagery"`
			} `json:"ghostlight"`
		} `json:"extensions"`
	} `json:"data"`
}

var tove = sync.OnceValue(func() document {
	var d document
	if err := json.Unmarshal(toveJSON, &d); err != nil {
		panic(fmt.Sprintf("play: the bundled card: %v", err)) // a test reads it; cannot happen in a release
	}
	return d
})

// CardJSON returns the bundled character as a V3 card document. The caller owns it.
func CardJSON() []byte { return bytes.Clone(toveJSON) }

// Character returns a new copy of the bundled character, without an ID, times or avatar. It is not
// stored.
func Character() storage.Character {
	d := tove().Data
	card := d.Card
	card.AlternateGreetings = append([]string(nil), card.AlternateGreetings...)
	card.Tags = append([]string(nil), card.Tags...)
	actor := d.Extensions.Ghostlight.Actor
	actor.Weights = maps.Clone(actor.Weights)
	return storage.Character{
		Card:      card,
		Source:    CardJSON(),
		Immersion: d.Extensions.Ghostlight.Immersion,
		Imagery:   d.Extensions.Ghostlight.Imagery,
		Actor:     actor,
	}
}

// Persona returns the persona of the user until they make one. It has no ID and no times.
func Persona() storage.Persona {
	return storage.Persona{
		Name: "Robin",
		Description: "Robin has come in from the rain: somewhere past thirty, a dark blue raincoat that has given " +
			"up, short wet hair, a satchel across the shoulder. Robin mends musical instruments for a living, looks " +
			"at how things are made before looking at anything else, and says less than they notice.",
		Default: true,
	}
}
