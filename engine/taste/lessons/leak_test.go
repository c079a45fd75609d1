package lessons

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
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
Lenses of 35mm-50mm for faces, a look of the 1920s-1930s.
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
Trembling hands before the answer.
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
Vor der Reise die Ruhe zeigen.
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
在对峙场景中使用特写镜头。
Prefers close-ups on hands when a character is hiding something.
Holds the reaction shot a beat longer than the line that caused it.
Likes to open on an insert of an object before revealing who holds it.
Cuts establishing shots down to one, under three seconds.
Replaces generic wide shots with over-the-shoulder framings during arguments.
Removes filler that only shows scenery once the conflict has started.
Prefers silence over dialogue at the emotional peak of a scene.
Adds a breathing shot after violence.
Wants relationship pressure shown through distance between bodies rather than through faces.
Moves the physical detail ahead of the reaction so that the audience understands first.
Merges back-to-back close-ups of the same person into one longer take.
Low angle for whoever has the upper hand; switches when power shifts.
Keeps camera locked off in interrogations and lets people move inside the frame.
Shortens travel sequences to two shots: departure and arrival.
Slow-burn scenes with mounting dread
Scenes where two characters negotiate and one of them lies
Comedic scenes built on misunderstanding
Tearful reunions, deathbed scenes, break-ups
Fight choreography and physical action
Scenes that end on a cliffhanger
Group scenes with more than four speakers
Quick banter where momentum matters more than mood
Horror scenes: lets the threat stay out of frame as long as possible.
Prefers naturalistic lighting and muted colours over stylised looks.
Reduces average shot length from five to three seconds in pursuit scenes.
Favours tracking shots following a character from behind into an unknown place.
Prefers showing the consequence of an action instead of the action itself.
Uses extreme close-ups sparingly, at most once per scene and for the turning point.
Recaps should be written in past tense, focus on decisions and skip small talk.
Avoid when the scene depends on spatial clarity, such as heists or ambushes.
Bevorzugt Nahaufnahmen der Hände, wenn eine Figur etwas verheimlicht.
Hält die Reaktion einen Moment länger als die Zeile davor.
Kürzt Reisen auf Aufbruch und Ankunft.
In Streitgesprächen lieber Schulterblicke als Totalen.
Nach Gewalt eine ruhige Einstellung einfügen.
Szenen, in denen eine Person lügt und die andere es ahnt
Schnelle Wortwechsel, bei denen das Tempo wichtiger ist als die Stimmung
Abschiede, Versöhnungen und stille Geständnisse
Verzichtet auf Füllbilder, sobald der Konflikt begonnen hat.
Gruppenszenen mit mehr als vier Sprechenden`, "\n")

func TestDetails_CleanTextsPass(t *testing.T) {
	t.Parallel()
	d := NewDetails(storyNames, storyMemories())
	for _, text := range cleanTexts {
		if found := d.In(text); found != "" {
			t.Errorf("%q found in %q", found, text)
		}
	}
}

// TestDetails_OfPlots looks for details in words that models put them in.
func TestDetails_OfPlots(t *testing.T) {
	t.Parallel()
	quarrel := lessonOf("Hold on the forged letter while the lighthouse burns", "confrontations", "medium")
	for _, plot := range []struct {
		names                []string
		context, event, text string
		lessons              []storage.SceneLearning
		leaks                []string
	}{
		{names: []string{"Mara Voss", "Ilse"}, context: "Mara confronts Ilse about the forged letter while the lighthouse burns.", event: "description: put in “the lighthouse in flames”", lessons: []storage.SceneLearning{quarrel},
			leaks: []string{"Prefers close-ups on Mara's hands when the lighthouse burns", "confrontations about forged letters", "wide shots of lighthouses", "mara-centred close-ups", "where Mara’d rather wait", "Mara'nın yüzü", "Ilses Gesicht länger halten", "Hold on the forged letter"}},
		{names: []string{"Lena Weiß", "Grauwald"}, context: "Brandt stellt Lena im alten Hafenspeicher zur Rede, und der Frachtbrief brennt. Die Reise ist zu Ende.", event: "removed s3 (filler establishing, wide) “der Hafenspeicher im Regen, die Reise zu Ende”",
			leaks: []string{"Totale des Hafenspeichers weglassen", "Grauwaldszenen weit öffnen", "Lenas Hände nah zeigen", "weiss im Profil"}},
		{names: []string{"Jean-Luc Delacroix", "Château d'Orval"}, context: "Jean-Luc attend dans la cave, le poignard caché sous son manteau.", event: "added s9 (filler) “le poignard caché”",
			leaks: []string{"gros plans des poignards", "d’Orval en plan large", "jean luc de profil"}},
		{text: "They wait at Pier 19. Nobody is in Room 214 when he comes at 7.", leaks: []string{"wide shots of pier 19", "whenever Room 214 matters"}},
		{text: "The rain stops. Behind the counter Dorrigan polishes an obsidian compass. “Trembling again,” he says. Kest is not there.",
			leaks: []string{"Hold on Dorrigan", "inserts of the obsidian compass", "Low angles for Kest"}},
	} {
		m := memoryOf(1, plot.lessons...)
		m.SceneContextSummary, m.Events = plot.context, []storage.EditEvent{{Type: storage.EventModify, Summary: plot.event}}
		d := NewDetails(plot.names, []storage.TasteMemory{m}, plot.text)
		for _, text := range plot.leaks {
			if d.In(text) == "" {
				t.Errorf("nothing found in %q", text)
			}
		}
		for _, text := range cleanTexts {
			if found := d.In(text); found != "" {
				t.Errorf("%q found in %q", found, text)
			}
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
