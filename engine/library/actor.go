package library

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What the notes of an actor may hold: texts in bytes, and weights.
const (
	LongestActorText = 16 << 10
	MostWeights      = 32
	longestTrait     = 60
)

// EditActor keeps the notes of the actor who plays a character.
func (svc *Service) EditActor(id storage.CharacterID, a storage.Actor) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if err := tidyActor(&a); err != nil {
			return err
		}
		c, err := storage.Characters.Get(tx, id)
		if err != nil {
			return err
		}
		c.Actor, c.UpdatedAt = a, svc.core.Config.Now()
		return storage.Characters.Put(tx, id, c)
	})
	if err != nil {
		return failure.Fail("edit actor", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return nil
}

// tidyActor brings the notes of an actor into form and says what is wrong.
func tidyActor(a *storage.Actor) error {
	for _, f := range []director.StageText{{Name: "current_goal", Text: &a.Goal}, {Name: "current_struggle", Text: &a.Struggle}, {Name: "secret_dream", Text: &a.Dream}, {Name: "current_stressor", Text: &a.Stressor},
		{Name: "tone", Text: &a.Tone}, {Name: "speech_patterns", Text: &a.Speech}, {Name: "boundaries", Text: &a.Boundaries}} {
		if n := len(*f.Text); n > LongestActorText {
			return failure.Refuse("the field %s has %d KB, and %d KB are the limit: shorten it", f.Name, (n+1023)>>10, LongestActorText>>10)
		}
	}
	if len(a.Weights) > MostWeights {
		return failure.Refuse("a personality may have %d weights, not %d", MostWeights, len(a.Weights))
	}
	if len(a.Phrases) > ecosystem.MostCardPhrases {
		return failure.Refuse("a character may have at most %d banned phrases, not %d", ecosystem.MostCardPhrases, len(a.Phrases))
	}
	weights := map[string]int{}
	for name, w := range a.Weights {
		name = failure.FirstRunes(strings.ToLower(strings.Join(strings.Fields(name), " ")), longestTrait)
		switch {
		case name == "":
			return failure.Refuse("a weight needs the name of a trait")
		case w < 0 || w > 100:
			return failure.Refuse("the weight of %s goes from 0 to 100, not %d", name, w)
		}
		weights[name] = w
	}
	if a.Weights = weights; len(weights) == 0 {
		a.Weights = nil
	}
	return nil
}
