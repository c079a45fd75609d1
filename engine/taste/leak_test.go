package taste

import (
	"strings"
	"testing"

	"ghostlight/storage"
)

// storyNames are names as stories have them, words of directing and of every day
// among them.
var storyNames = []string{"Mara Voss", "Ilse", "O'Brien", "Zoë", "Will", "The Captain", "Silberne Brücke", "Grauwald", "brass key", "the Lamp Room", "Old Harbour", "The Long Goodbye", "Close-Up",
	"Tension", "Confrontation", "the door", "Hand", "Ares", "Allen", "Andes", "小夜子", "Unit 7", "a", "", "Rosenkranz", "Señor Ibáñez", "Chase"}

// storyMemories are two scenes, one told in English, one in German.
func storyMemories() []storage.TasteMemory {
	a := memoryOf(1, lessonOf("Linger on trembling fingers before an answer", "confrontations about a broken promise", "medium"))
	a.SceneContextSummary = "Mara confronts the smuggler Dorrigan at the Pale Lantern about the stolen ledger. He swears that the tide took it. “You never believed me,” he says."
	a.EditSummary = "The user linger on trembling fingers more often. Two wides of the pier became close-ups. The rope ladder was removed from the background."
	a.Events = []storage.EditEvent{{Type: storage.EventModify, Summary: "Dorrigan pushes the ledger across the wet table", UserText: "make the smuggler sweat, soft window light on Kodak Portra"}}
	a.SceneLearnings = append(a.SceneLearnings, lessonOf("Lengthen the holds on sullen faces before difficult answers", "standoffs", "medium"))
	a.SceneContextSummary += " Teodor waits outside."
	a.EditSummary += " The user lengthened the holds on sullen faces before difficult answers."
	b := memoryOf(2, lessonOf("Nahaufnahmen der Hände halten", "Streit", "medium"))
	b.SceneContextSummary = "Ilse versteckt den Schlüssel unter der Treppe, bevor der Wächter die Tür öffnet. Sie schweigt, wenn er fragt."
	b.EditSummary = "Die Einstellungen wurden länger gehalten. Die Totale der Treppe wurde entfernt."
	return []storage.TasteMemory{a, b}
}

func TestDetails_In(t *testing.T) {
	t.Parallel()
	d := NewDetails(storyNames, storyMemories())
	for _, text := range []string{
		"Hold on Mara before the answer", "Hold on MARA", "Close on Mara's hands", "Close on Mara’s hands", "the Vosses stay small", "framing *Voss* low", "Ma\u200bra stays in frame", "MaraVoss in profile",
		"Zoe in wide shots", "Zoé in wide shots", "O’Brien leaves the frame", "Keep Will in the frame", "Will's hands get a close-up", "Stay low on the Captain", "wide shots of the old harbour",
		"Mara-centred framing", "Show Ares from below", "low angles on Allen", "the brass keys stay in view", "at lamp rooms", "特写小夜子的脸", "as in The Long Goodbye", "when Chase arrives", "Ibañez in silhouette",
		"Frame Dorrigan low", "stay on Teodor", "Teodor's face in close-up", "in the Pale Lantern", "DORRIGAN'S FACE", "like s12", "as in S3.", "around beat b2", "as in scene 4", "see Scene three", "in the third scene", "like shot 12", "shots #4",
		"as in 01KMEMORY00000000000000001", "01J8Z3K5QWERTY0123456789AB", "node 6f9619ff-8b86-d011-b42d-00cf4fc964ff", "01kscene000000000000000002",
		"when somebody says “you never believed me”", "after 'I will not leave you here'", "cut on \"I know what you did", "«Du hast es gewusst» bleibt im Bild", "where you never believed me is said",
		"the stolen ledger stays in frame", "keep the rope ladder in the background", "hold while he pushes the ledger across", "bevor der Wächter die Tür öffnet halten", "auf der silbernen Brücke weit", "in Grauwald weit",
	} {
		if d.In(text) == "" {
			t.Errorf("nothing found in %q", text)
		}
	}
}

// cleanTexts are preferences and conditions that tell of no scene.
var cleanTexts = strings.Split(`Hold longer on the listener before an answer in confrontations.
Add a reaction shot after a hard line.
Use close-ups of hands when tension rises; wide shots when it falls.
Linger on trembling fingers before an answer
Lengthen the holds on sullen faces before difficult answers.
confrontations about a broken promise
Chase scenes: cut fast, no filler.
Will it hold? Let the silence stand for two or three seconds.
Chases with several people
Tension is told by distance, not by dialogue.
Open with one establishing shot, then stay close.
In each scene two wides are enough.
Keep shots 2 seconds longer when somebody lies.
Prefer low angles for whoever holds the power, at most once per scene.
Dutch angles only in horror or suspense.
Avoid over-the-shoulder shots in intimate scenes; use singles.
Physical details such as fingers, breath or a glance carry the relationship pressure.
the captain of a team speaking to a group
Confrontations between two people in small rooms
Quiet, dialogue-heavy scenes with emotional stakes
Fast action, pursuit, comic relief
Use a shallow depth of field and soft window light for portraits.
Prefer warm tungsten light and Kodak Portra colours in captures.
Merge two neighbouring reaction shots into one.
Trim transitional inserts before the key shot.
A static frame for grief, handheld for panic.
Cut away from the speaker to the listener in mid-sentence.
Show the door only where somebody leaves; otherwise stay on faces.
Recaps in short bullets, names first, without adjectives.
User prefers "slow burn" pacing in confessions.
Let the last shot rest on an empty room.
When a secret comes out, hold on the one who did not know.
Farewells, reconciliations, apologies
Battle scenes with large crowds
Medium two-shots for banter; never extreme close-ups.
No camera movement in moments of shame.
Slow push in while trust grows.
Keep filler below a third of all shots.
Reveal objects in a detail shot first, then the hand that holds them.
Nahaufnahmen der Hände, wenn die Spannung steigt.
Vor einer schweren Antwort die Reaktion des Zuhörenden zeigen.
Ruhige Gespräche zwischen zwei Personen
Verfolgungen kurz und ohne Zwischenbilder schneiden.
Die Tür nur zeigen, wenn jemand geht.
Ein Blick, eine Geste, dann der Schnitt.
Streit in engen Räumen
Weite Einstellungen am Anfang, danach nah bleiben.
Gros plans des mains quand la tension monte.
Ajouter un plan de réaction avant la réponse.
Disputes entre deux personnes dans un lieu clos
Primeros planos de las manos cuando sube la tensión.
Mantener el silencio antes de la respuesta.
Escenas de acción rápida
対立の場面では手のクローズアップを使う。
在对峙场景中使用特写镜头。`, "\n")

func TestDetails_CleanTextsPass(t *testing.T) {
	t.Parallel()
	d := NewDetails(storyNames, storyMemories())
	for _, text := range cleanTexts {
		if found := d.In(text); found != "" {
			t.Errorf("%q found in %q", found, text)
		}
	}
}

func TestDetails_Nil(t *testing.T) {
	t.Parallel()
	var d *Details
	if d.In("Hold on faces") != "" || d.In("as s12 does") == "" || d.Scrub("Faces first. As s12 does. Then hands.") != "Faces first. Then hands." {
		t.Error("a nil value judges wrongly")
	}
}
