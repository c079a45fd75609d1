package lessons

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestFromEdits(t *testing.T) {
	t.Parallel()
	edit := func(kind string, changes ...storage.EditChange) storage.Edit {
		return storage.Edit{ID: "e1", Kind: kind, About: "c1", Changes: changes}
	}
	event := func(about, words string) storage.EditEvent {
		return storage.EditEvent{Type: storage.EventModify, About: about, Summary: words}
	}
	for name, c := range map[string]struct {
		edit storage.Edit
		want []storage.EditEvent
	}{
		"words and settings of a picture": {edit("capture", storage.EditChange{Field: "prompt", Removed: "bright daylight", Added: "low lamp light"}, storage.EditChange{Field: "negative_prompt", Added: "smiling"},
			storage.EditChange{Field: "camera", Removed: "wide"}),
			[]storage.EditEvent{event("capture", "changed a picture's prompt: prompt: “bright daylight” became “low lamp light”; negative prompt: put in “smiling”; camera: took out “wide”")}},
		"a seed says nothing":      {edit("capture", storage.EditChange{Field: "seed", Added: "42"}), []storage.EditEvent{}},
		"the wrong side":           {edit("capture", storage.EditChange{Field: "prompt", Removed: "her left hand", Added: "her right hand"}), []storage.EditEvent{event("capture", "mended a mistake: changed a picture's prompt: prompt: “her left hand” became “her right hand”")}},
		"letters in wrong order":   {edit("recap", storage.EditChange{Field: "text", Removed: "teh lmap", Added: "the lamp"}), []storage.EditEvent{event("recap", "mended a mistake: changed a recap: text: “teh lmap” became “the lamp”")}},
		"a capital and a stop":     {edit("recap", storage.EditChange{Field: "text", Removed: "tove waits", Added: "Tove waits."}), []storage.EditEvent{}},
		"the wrong name":           {edit("recap", storage.EditChange{Field: "events", Removed: "Amelia", Added: "Mira"}), []storage.EditEvent{event("recap", "mended a mistake: changed a recap: events: “Amelia” became “Mira”")}},
		"a mended one and another": {edit("recap", storage.EditChange{Field: "events", Removed: "she", Added: "he"}, storage.EditChange{Field: "mood", Added: "a long silence"}), []storage.EditEvent{event("recap", "changed a recap: events: “she” became “he”; mood: put in “a long silence”")}},
		"another kind":             {edit("dream", storage.EditChange{Field: "events", Added: "x"}), []storage.EditEvent{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, FromEdits([]storage.Edit{c.edit})); diff != "" {
				t.Error(diff)
			}
		})
	}
	var many []storage.Edit
	for i := range 100 {
		many = append(many, edit("recap", storage.EditChange{Field: "mood", Added: fmt.Sprint("number ", i)}))
	}
	got := FromEdits(many)
	if len(got) != mostEdits || got[len(got)-1].Summary != "changed a recap: mood: put in “number 99”" || got[0].Summary != "changed a recap: mood: put in “number 76”" {
		t.Errorf("of many the newest are kept in order: %d, %+v … %+v", len(got), got[0], got[len(got)-1])
	}
}

func TestSaysMistake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"wrong, it is her left hand": true, "He already left!": true, "She isn't in the room": true, "continuity: the lamp is out": true, "the knife should be on the table": true,
		"Falsch, er ist schon weg": true, "das ist ein Fehler": true, "Il est déjà parti.": true, "erreur: main gauche": true, "No está en la habitación": true, "te equivocas, ya se fue": true,
		"": false, "make this more uncomfortable": false, "closer": false, "the mood is wrong, colder": false, "it should be slower": false,
		"näher ran, mehr Spannung": false, "trop lent": false, "más cerca": false, "das Tempo stimmt nicht": false, "hold on her hands": false, "it should be quieter": false, "make it uncomfortable, he should be cornered": false, "das sollte ruhiger sein": false,
	} {
		if got := saysMistake(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Of a shot that goes only plain words say that it was a mistake.
func TestSaysWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"he already left": true, "he isn't there any more": true, "Il n’est plus là": true, "she died two scenes ago": true, "that's not what happened": true, "he has no gun": true, "this has no purpose": false, "she should not be here": true, "wrong, that was the night before": true, "ein Anschlussfehler": true,
		"actually, drop the establishing shot": false, "this should be one take": false, "not yet, keep it for later": false, "eigentlich brauchen wir das nicht": false,
	} {
		if got := saysWrong(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
