package scene

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func says(role storage.Role, name, text string) Message {
	return Message{ID: storage.NodeID(name + fmt.Sprint(len(text))), Role: role, Name: name, Text: text}
}

// talkBefore is a stretch of play without any cue in it.
func talkBefore() []Message {
	return []Message{
		says(storage.Assistant, "Mara", "*Mara puts the kettle on.* \"You are late,\" she says."),
		says(storage.User, "Robin", "I shrug out of my wet coat."),
		says(storage.Assistant, "Mara", "*She laughs.* \"Sit down, then.\""),
	}
}

// What a case expects: the kind, "!" behind it when it is explicit, ">" in
// front when the scene ends with the message. "" is no break.
type tableCase struct{ text, want string }

var tableCases = []tableCase{
	// Separators.
	{"---\nThe harbour lies quiet.", "separator!"},
	{"Chapter 2: The quay. I walk out to the water.", "heading!"},
	{"Scene 4 - Nobody has slept, and the ship is late again.", "heading!"},
	{"***\n\nThe harbour lies quiet.", "separator!"},
	{"* * *\nThe harbour lies quiet.", "separator!"},
	{"===\nThe harbour lies quiet.", "separator!"},
	{"~~~\nThe harbour lies quiet.", "separator!"},
	{"____\nThe harbour lies quiet.", "separator!"},
	{"# # #\nThe harbour lies quiet.", "separator!"},
	{"###\nThe harbour lies quiet.", "separator!"},
	{"+++\nThe harbour lies quiet.", "separator!"},
	{"– – –\nThe harbour lies quiet.", "separator!"},
	{"———\nThe harbour lies quiet.", "separator!"},
	{"⸻\nThe harbour lies quiet.", "separator!"},
	{"⁂\nThe harbour lies quiet.", "separator!"},
	{"※\nThe harbour lies quiet.", "separator!"},
	{"❦\nThe harbour lies quiet.", "separator!"},
	{"☙\nThe harbour lies quiet.", "separator!"},
	{"❧\nThe harbour lies quiet.", "separator!"},
	{"────────\nThe harbour lies quiet.", "separator!"},
	{"━━━━\nThe harbour lies quiet.", "separator!"},
	{"════════\nThe harbour lies quiet.", "separator!"},
	{"⎯⎯⎯⎯\nThe harbour lies quiet.", "separator!"},
	{"• • •\nThe harbour lies quiet.", "separator!"},
	{"✦ ✦ ✦\nThe harbour lies quiet.", "separator!"},
	{"❖❖❖\nThe harbour lies quiet.", "separator!"},
	{"◆ ◆ ◆\nThe harbour lies quiet.", "separator!"},
	{"◇◇◇\nThe harbour lies quiet.", "separator!"},
	{"<hr>\nThe harbour lies quiet.", "separator!"},
	{"<hr />\nThe harbour lies quiet.", "separator!"},
	{`\*\*\*` + "\nThe harbour lies quiet.", "separator!"},
	{"\n\n  ---  \n\nThe harbour lies quiet.", "separator!"},
	{"---", "separator!"},
	{"---\nMara: \"Good evening.\"", "separator!"},
	{"She blows out the lamp.\n\n---", ">separator!"},
	{"She blows out the lamp.\n***\n\n", ">separator!"},
	{"She blows out the lamp.\n\n⁂", ">separator!"},
	{"She blows out the lamp.\n\n<HR/>", ">separator!"},
	{"She nods.\n\n---\n\nThree days later, the harbour.", "separator!"},
	{"She nods.\n---\n[Location: Harbour]\nGulls.", "separator!"},
	{"She nods.\n***\n## Chapter 4\nGulls.", "separator!"},
	{"=== The Harbour ===\nGulls scream.", "separator!"},
	{"~~ Meanwhile in the cellar ~~\nA rat runs.", "separator!"},
	{"━━━ The Vote ━━━\nSilence.", "separator!"},
	{"She nods.\n\n---\n\nHe nods back and drinks.", ""}, // a rule in the middle
	{"She nods and drinks.\n\n---\nHP: 30/100\nMood: calm", ""},
	{"---\nHP: 30/100\nMood: calm\n---\nShe nods.", ""},
	{"---\n**Mood:** calm | **Outfit:** coat\n\nShe nods.", ""},
	{"HP: 30/100\n---\nShe nods.", ""},
	{"She nods.\n\nHP: 30/100\n---", ""},
	{"---\nDear Mara, come at once.\n---", ""}, // a frame
	{"...\nShe waits.", ""},
	{"…", ""},
	{"--\nShe waits.", ""},
	{"-\nShe waits.", ""},
	{"xxx", ""},
	{"~", ""},
	{"**", ""},
	{"★★★☆☆", ""},
	{"!!!", ""},
	{"???", ""},
	{"~~~\nfunc main() {}\n~~~", ""},
	{"```\n---\n```", ""},
	{"```yaml\n---\na: 1\n```\nLook at this.", ""},
	{"| a | b |\n|---|---|\n| 1 | 2 |", ""},
	{"|---|---|\n| 1 | 2 |", ""},
	{"- eggs\n- milk\n- flour", ""},
	{"*** whispers ***", ""},
	{"***She screams.***", ""},
	{"=== Status ===\nHP: 3", ""},
	{"~~ Mara ~~\nShe waits.", ""},

	// Headings.
	{"Chapter 3\nThe harbour lies quiet.", "heading!"},
	{"CHAPTER THREE\n\nThe harbour lies quiet.", "heading!"},
	{"## Act II\nThe harbour lies quiet.", "heading!"},
	{"**Part Two: The Harbour**\nGulls.", "heading!"},
	{"Scene 4 -\nGulls.", "heading!"},
	{"Scene 4 - The harbour\nGulls.", "heading!"},
	{"Prologue\nGulls.", "heading!"},
	{"**Epilogue**\nGulls.", "heading!"},
	{"*Interlude*\nGulls.", "heading!"},
	{"Episode 5: Gulls\nThe harbour.", "heading!"},
	{"Book IV\nThe harbour.", "heading!"},
	{"Volume 2.\nThe harbour.", "heading!"},
	{"--- Chapter 12 ---\nGulls.", "heading!"},
	{"[Chapter 12]\nGulls.", "heading!"},
	{"Act II, Scene 3\nGulls.", "heading!"},
	{"Chapter 3 The Return\nGulls.", "heading!"},
	{"# The Return\nGulls scream over the quay.", "heading!"},
	{"### Nightfall at the mill\nNobody stirs.", "heading!"},
	{"She waves.\n\nChapter 9\n\nGulls scream over the quay.", "heading!"},
	{"Kapitel 3: Der Hafen\nMöwen.", "heading!"},
	{"Zweiter Akt\nMöwen.", "heading!"},
	{"**Szene 7**\nMöwen.", "heading!"},
	{"Epilog\nMöwen.", "heading!"},
	{"Chapitre 2 – Le port\nDes mouettes.", "heading!"},
	{"Première partie\nDes mouettes.", "heading!"},
	{"Épilogue\nDes mouettes.", "heading!"},
	{"Capítulo 3: El puerto\nGaviotas.", "heading!"},
	{"Segundo acto\nGaviotas.", "heading!"},
	{"Prólogo\nGaviotas.", "heading!"},
	{"Final Act\nGulls.", "heading!"},
	{"Day 3\nThe rain has not stopped.", "time"},
	{"**Tag 12**\nDer Regen hört nicht auf.", "time"},
	{"\"Chapter 3\", she reads aloud.", ""},
	{"\"Chapter 3\"\nShe closes the book.", ""},
	{"“Chapter 3: The Return,” she reads.", ""},
	{"Chapter 3 is where it gets good.", ""},
	{"Chapter 3 was dull, she thinks, and yawns.", ""},
	{"I read chapter 3 to her.\nShe yawns.", ""},
	{"Part of me wants to stay.", ""},
	{"Part one of the plan is done.", ""},
	{"Act natural, she mouths.", ""},
	{"Scene of the crime, he mutters.", ""},
	{"Scene I love most, this.", ""},
	{"Book two seats for us, please.", ""},
	{"Act one more time like this and you are out!", ""},
	{"# Mara\nShe waits.", ""},
	{"## Status\nHP 30", ""},
	{"## Inventory\n- rope\n- knife", ""},
	{"## Shopping\n- rope\n- knife", ""},
	{"# Rules\n\n## Dice\nRoll two.", ""},
	{"## What now?\nShe waits.", ""},
	{"#hashtag she types", ""},
	{"> Chapter 3\nShe points at the line.", ""},
	{"- Chapter 3\n- Chapter 4", ""},
	{"1. Chapter one\n2. Chapter two", ""},
	{"Teil mir mit, wann du kommst.", ""},
	{"Day three of this cough, and she still will not rest.", ""},

	// Marks.
	{"[Scene Break]\nGulls.", "mark!"},
	{"(OOC: new scene)\nGulls.", "mark!"},
	{"((time skip))\nGulls.", "mark!"},
	{"[Timeskip: 3 days]\nGulls.", "mark!"},
	{"[3 day time skip] We are at the harbour.", "mark!"},
	{"*Time skip to the next evening*\nGulls.", "mark!"},
	{"**Scene change**\nGulls.", "mark!"},
	{"Scene change: the harbour\nGulls.", "mark!"},
	{"OOC: time skip\nGulls.", "mark!"},
	{"[small timeskip]\nGulls.", "mark!"},
	{"CUT TO:\nThe harbour.", "mark!"},
	{"SMASH CUT TO: The harbour\nGulls.", "mark!"},
	{"Cut to: the harbour, where gulls scream.", "mark!"},
	{"FADE IN:\nThe harbour.", "mark!"},
	{"[skip to the next morning]\nGulls.", "mark!"},
	{"*Fade to black*\n\nMorning light falls on the quay.", "mark!"},
	{"[Szenenwechsel]\nMöwen.", "mark!"},
	{"*Zeitsprung*\nMöwen.", "mark!"},
	{"(Nouvelle scène)\nDes mouettes.", "mark!"},
	{"[Changement de scène]\nDes mouettes.", "mark!"},
	{"[Ellipse]\nDes mouettes.", "mark!"},
	{"[Cambio de escena]\nGaviotas.", "mark!"},
	{"*Salto temporal*\nGaviotas.", "mark!"},
	{"[Scene Break]", "mark!"},
	{"--- time skip ---\nGulls.", "mark!"},
	{"She sleeps.\n\n*fade to black*", ">mark!"},
	{"*fade to black*", ">mark!"},
	{"She sleeps. *Fade to black.*", ">mark!"},
	{"*She sleeps.* *time skip*", ">mark!"},
	{"She sleeps.\n\n[End scene]", ">mark!"},
	{"[End of Scene]", ">mark!"},
	{"She sleeps.\n\n(OOC: scene ends here)", ">mark!"},
	{"She sleeps.\n\nFADE OUT.", ">mark!"},
	{"She sleeps.\n\n*The scene fades to black...*", ">mark!"},
	{"She sleeps. [time skip: one week]", ">mark!"},
	{"She sleeps.\n\nTo be continued...", ">mark!"},
	{"She sleeps.\n\nCUT TO BLACK.", ">mark!"},
	{"She sleeps.\n\n[New scene]", ">mark!"},
	{"Sie schläft.\n\n*Ende der Szene*", ">mark!"},
	{"Elle dort.\n\n*Fondu au noir*", ">mark!"},
	{"Ella duerme.\n\n*Fundido a negro.*", ">mark!"},
	{"*fade to black*\n\n(OOC: that was fun!)", ">mark!"},
	{"(OOC: brb)", ""},
	{"(OOC: brb, phone)\nShe waits.", ""},
	{"(OOC: should we do a time skip?)", ""},
	{"(OOC: time skip?)\nShe waits.", ""},
	{"(OOC: no time skip please)", ""},
	{"(OOC: time skip if you like)", ""},
	{"[scene change not needed]", ""},
	{"(OOC: I love this scene)", ""},
	{"(OOC: new scene or go on?)", ""},
	{"*cuts to the chase*", ""},
	{"*fades out of view*\nShe is gone.", ""},
	{"*skips to the door*\nShe is gone.", ""},
	{"Cut to the chase, Robin.", ""},
	{"*new chapter of her life*", ""},
	{"\"Fade to black,\" she jokes.", ""},
	{"\"[Scene Break]\" she reads off the screen.", ""},
	{"She sleeps. (He does not.)", ""},
	{"[Mara nods.]", ""},
	{"She makes a scene change nobody notices.", ""},

	// Time skips.
	{"Three days later, the rain has stopped.", "time"},
	{"*Three days later, the rain has stopped.*", "time"},
	{"*Three days later* The rain has stopped.", "time"},
	{"Three days later the rain has stopped.", "time"},
	{"3 weeks later...\nRain.", "time"},
	{"The next morning, rain.", "time"},
	{"The following day brings rain.", "time"},
	{"By the next morning the rain is gone.", "time"},
	{"Next morning.\nRain.", "time"},
	{"Later that night, she wakes.", "time"},
	{"Later that same evening she wakes.", "time"},
	{"A week passes.\nRain.", "time"},
	{"A week passes, and the rain goes on.", "time"},
	{"Weeks pass. The rain goes on.", "time"},
	{"Two months have passed.\nRain.", "time"},
	{"Hours later, she wakes.", "time"},
	{"Hours later\nShe wakes.", "time"},
	{"Many long years later, she returns.", "time"},
	{"A couple of hours later, she wakes.", "time"},
	{"Almost twenty-four hours later, she wakes.", "time"},
	{"An hour later: she wakes.", "time"},
	{"[Three days later]\nRain.", "time"},
	{"(The next day)\nRain.", "time"},
	{"--- Three days later ---\nRain.", "separator!"},
	{"— Three days later —\nRain.", "time"},
	{"**The next morning**\nRain.", "time"},
	{"⏳ Three days later ⏳\nRain.", "time"},
	{"Mara: Three days later, she wakes.", "time"},
	{"She sleeps.\n\n*Three days later*\n\nRain falls on the quay.", "time"},
	{"She sleeps.\n\nThe next morning...", ">time"},
	{"She sleeps.\n\n*Three days later...*", ">time"},
	{"Over the next few weeks, rain.", "time"},
	{"The morning after, rain.", "time"},
	{"Some time later, she wakes.", "time"},
	{"Drei Tage später regnet es noch.", "time"},
	{"Am nächsten Morgen regnet es noch.", "time"},
	{"Stunden später wacht sie auf.", "time"},
	{"Später am Abend wacht sie auf.", "time"},
	{"Eine Woche vergeht.\nRegen.", "time"},
	{"Tags darauf regnet es.", "time"},
	{"Trois jours plus tard, il pleut.", "time"},
	{"Le lendemain matin, il pleut.", "time"},
	{"Plus tard dans la soirée, il pleut.", "time"},
	{"La semaine suivante, il pleut.", "time"},
	{"Une semaine passe.\nLa pluie.", "time"},
	{"Tres días después, llueve.", "time"},
	{"A la mañana siguiente, llueve.", "time"},
	{"Al día siguiente llueve.", "time"},
	{"Horas después, llueve.", "time"},
	{"Unas horas más tarde, llueve.", "time"},
	{"Pasan tres semanas.\nLluvia.", "time"},
	{"Más tarde esa noche, llueve.", "time"},
	{"Moments later, she wakes.", ""},
	{"A moment later, she wakes.", ""},
	{"Seconds later, she wakes.", ""},
	{"A few minutes later, she wakes.", ""},
	{"Ten minutes later, she wakes.", ""},
	{"Ein paar Minuten später wacht sie auf.", ""},
	{"Quelques instants plus tard, il pleut.", ""},
	{"Unos minutos después, llueve.", ""},
	{"\"Three days later, I left him,\" she says.", ""},
	{"“The next morning he was gone.”", ""},
	{"«Trois jours plus tard», dit-elle.", ""},
	{"„Am nächsten Morgen war er fort“, sagt sie.", ""},
	{"—Tres días después se fue —dice ella.", ""},
	{"'Three days later, I left,' she says.", ""},
	{"I remember how three days later he left.", ""},
	{"She nods. Three days later, he left.", ""},
	{"She nods.\nThree days later, she had told him, he left without a word.", ""},
	{"Three days later?", ""},
	{"Three days later than we said, Robin.", ""},
	{"The next day would be better for me.", ""},
	{"The next morning is fine.", ""},
	{"Two weeks have passed since you wrote.", ""},
	{"Three days ago, she left.", ""},
	{"Later!", ""},
	{"Later, maybe.", ""},
	{"Next time, knock.", ""},
	{"The next step creaks.", ""},
	{"The day drags on.", ""},
	{"Days like these, she thinks.", ""},
	{"- Three days later\n- Four days later", ""},
	{"A week passes quickly when you are in love, she thinks.", ""},
	{"An hour is all I ask.", ""},
	{"Three days is a long time.", ""},

	// Headers of places.
	{"[Location: Harbour]\nGulls.", "place"},
	{"Location: Harbour\nGulls.", "place"},
	{"**Location:** Harbour | **Time:** 10 PM\nGulls.", "place"},
	{"📍 Harbour\nGulls.", "place"},
	{"📍Harbour | 🕒 22:00\nGulls.", "place"},
	{"🕒 22:00 | 📍 Harbour\nGulls.", "place"},
	{"INT. KITCHEN - NIGHT\nGulls.", "place"},
	{"EXT. HARBOUR – DAWN\nGulls.", "place"},
	{"**INT. KITCHEN - NIGHT**\nGulls.", "place"},
	{"**The Old Mill — Midnight**\nAn owl.", "place"},
	{"[The Old Mill, midnight]\nAn owl.", "place"},
	{"**The Old Mill | 10:45 PM**\nAn owl.", "place"},
	{"[Scene: The Old Mill]\nAn owl.", "place"},
	{"[Ort: Hafen]\nMöwen.", "place"},
	{"[Lieu : Le port]\nDes mouettes.", "place"},
	{"[Lugar: El puerto]\nGaviotas.", "place"},
	{"She leaves.\n\n[Location: Harbour]\nGulls.", "place"},
	{"**Mara — smiling**\nShe waits.", ""},
	{"**HP — 30**\nShe waits.", ""},
	{"**Time: 10 PM**\nShe waits.", ""},
	{"[Mara, smiling in the morning light]\nShe waits.", ""},
	{"*The mill, midnight.*", ""},
	{"\"Location: Harbour,\" the radio says.", ""},
	{"I drop a pin: 📍 right here.", ""},
	{"The Old Mill at midnight is quiet.", ""},
	{"**What? — Now, midnight?**", ""},

	// Play that goes on.
	{"She laughs and pours the tea.", ""},
	{"*He draws his sword.* \"Stand back!\"", ""},
	{"We walk to the window.", ""},
	{"Note: she is lying.", ""},
	{"ok", ""},
	{"", ""},
	{" \n\t\n", ""},
}

func described(v Verdict) string {
	if !v.Break {
		return ""
	}
	s := v.Kind
	if v.After {
		s = ">" + s
	}
	if v.Explicit {
		s += "!"
	}
	return s
}

func TestTable(t *testing.T) {
	for _, c := range slices.Concat(tableCases, rowCases) {
		v := Table(talkBefore(), Message{ID: "m", Role: storage.Assistant, Name: "Mara", Text: c.text})
		if got := described(v); got != c.want {
			t.Errorf("%q: got %q (%s), want %q", c.text, got, v.Rationale, c.want)
		}
		if v.Break && (v.Cue == "" || !strings.Contains(v.Rationale, v.Cue) || len(v.Rationale) < 20) {
			t.Errorf("%q: cue %q, rationale %q", c.text, v.Cue, v.Rationale)
		}
		if !v.Break && v != (Verdict{}) {
			t.Errorf("%q: %+v without a break", c.text, v)
		}
	}
}

func TestTable_EveryRowIsUsed(t *testing.T) {
	used := map[*rule]bool{}
	for _, c := range slices.Concat(tableCases, rowCases) {
		_, r := find(talkBefore(), Message{ID: "m", Role: storage.Assistant, Name: "Mara", Text: c.text})
		used[r] = true
	}
	for _, rows := range [][]rule{separators, headings, marks, timeSkips, places} {
		for i := range rows {
			r := &rows[i]
			if r.kind == "" || r.pattern == "" || r.means == "" || r.explicit != (r.kind == Separator || r.kind == Heading || r.kind == Mark) {
				t.Errorf("row %+v is not complete", *r)
			}
			if !used[r] {
				t.Errorf("no case finds %q", r.pattern)
			}
		}
	}
}
