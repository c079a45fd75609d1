package scene

import (
	"fmt"
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

// What a case expects: the kind, with ">" in front when the scene ends with the message. "" is no break.
type tableCase struct{ text, want string }

var tableCases = []tableCase{
	// Separators.
	{"---\nThe harbour lies quiet.", "separator"},
	{"Chapter 2: The quay. I walk out to the water.", "heading"},
	{"Scene 4 - Nobody has slept, and the ship is late again.", "heading"},
	{"***\n\nThe harbour lies quiet.", "separator"},
	{"* * *\nThe harbour lies quiet.", "separator"},
	{"===\nThe harbour lies quiet.", "separator"},
	{"~~~\nThe harbour lies quiet.", "separator"},
	{"____\nThe harbour lies quiet.", "separator"},
	{"# # #\nThe harbour lies quiet.", "separator"},
	{"###\nThe harbour lies quiet.", "separator"},
	{"+++\nThe harbour lies quiet.", "separator"},
	{"– – –\nThe harbour lies quiet.", "separator"},
	{"———\nThe harbour lies quiet.", "separator"},
	{"⸻\nThe harbour lies quiet.", "separator"},
	{"⁂\nThe harbour lies quiet.", "separator"},
	{"※\nThe harbour lies quiet.", "separator"},
	{"❦\nThe harbour lies quiet.", "separator"},
	{"☙\nThe harbour lies quiet.", "separator"},
	{"❧\nThe harbour lies quiet.", "separator"},
	{"────────\nThe harbour lies quiet.", "separator"},
	{"━━━━\nThe harbour lies quiet.", "separator"},
	{"════════\nThe harbour lies quiet.", "separator"},
	{"⎯⎯⎯⎯\nThe harbour lies quiet.", "separator"},
	{"• • •\nThe harbour lies quiet.", "separator"},
	{"✦ ✦ ✦\nThe harbour lies quiet.", "separator"},
	{"❖❖❖\nThe harbour lies quiet.", "separator"},
	{"◆ ◆ ◆\nThe harbour lies quiet.", "separator"},
	{"◇◇◇\nThe harbour lies quiet.", "separator"},
	{"<hr>\nThe harbour lies quiet.", "separator"},
	{"<hr />\nThe harbour lies quiet.", "separator"},
	{`\*\*\*` + "\nThe harbour lies quiet.", "separator"},
	{"\n\n  ---  \n\nThe harbour lies quiet.", "separator"},
	{"---", "separator"},
	{"---\nMara: \"Good evening.\"", "separator"},
	{"She blows out the lamp.\n\n---", ">separator"},
	{"She blows out the lamp.\n***\n\n", ">separator"},
	{"She blows out the lamp.\n\n⁂", ">separator"},
	{"She blows out the lamp.\n\n<HR/>", ">separator"},
	{"She nods.\n\n---\n\nThree days later, the harbour.", ""},
	{"She nods.\n---\n[Location: Harbour]\nGulls.", ""},
	{"She nods.\n***\n## Chapter 4\nGulls.", "heading"},
	{"=== The Harbour ===\nGulls scream.", ""},
	{"~~ Meanwhile in the cellar ~~\nA rat runs.", ""},
	{"━━━ The Vote ━━━\nSilence.", ""},
	{"She nods.\n\n---\n\nHe nods back and drinks.", ""}, // a rule in the middle
	{"She nods and drinks.\n\n---\nHP: 30/100\nMood: calm", ""},
	{"---\nHP: 30/100\nMood: calm\n---\nShe nods.", ""},
	{"---\n**Mood:** calm | **Outfit:** coat\n\nShe nods.", ""},
	{"HP: 30/100\n---\nShe nods.", ""},
	{"She nods.\n\nHP: 30/100\n---", ""},
	{"---\nMood: calm\nOutfit: coat", ""},
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
	{"Chapter 3\nThe harbour lies quiet.", "heading"},
	{"CHAPTER THREE\n\nThe harbour lies quiet.", "heading"},
	{"## Act II\nThe harbour lies quiet.", "heading"},
	{"**Part Two: The Harbour**\nGulls.", "heading"},
	{"Scene 4 -\nGulls.", "heading"},
	{"Scene 4 - The harbour\nGulls.", "heading"},
	{"Prologue\nGulls.", "heading"},
	{"**Epilogue**\nGulls.", "heading"},
	{"*Interlude*\nGulls.", "heading"},
	{"Episode 5: Gulls\nThe harbour.", "heading"},
	{"Book IV\nThe harbour.", "heading"},
	{"Volume 2.\nThe harbour.", "heading"},
	{"--- Chapter 12 ---\nGulls.", "heading"},
	{"[Chapter 12]\nGulls.", "heading"},
	{"Act II, Scene 3\nGulls.", "heading"},
	{"Chapter 3 The Return\nGulls.", "heading"},
	{"# The Return\nGulls scream over the quay.", ""},
	{"### Nightfall at the mill\nNobody stirs.", ""},
	{"She waves.\n\nChapter 9\n\nGulls scream over the quay.", "heading"},
	{"Kapitel 3: Der Hafen\nMöwen.", "heading"},
	{"**Szene 7**\nMöwen.", "heading"},
	{"Epilog\nMöwen.", "heading"},
	{"Chapitre 2 – Le port\nDes mouettes.", "heading"},
	{"Épilogue\nDes mouettes.", "heading"},
	{"Capítulo 3: El puerto\nGaviotas.", "heading"},
	{"Prólogo\nGaviotas.", "heading"},
	{"Day 3\nThe rain has not stopped.", ""},
	{"**Tag 12**\nDer Regen hört nicht auf.", ""},
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
	{"[Scene Break]\nGulls.", "mark"},
	{"((new scene)) Gulls cry above the quay.", "mark"},
	{"(OOC: new scene)\nGulls.", "mark"},
	{"((time skip))\nGulls.", ""},
	{"[Timeskip: 3 days]\nGulls.", ""},
	{"[3 day time skip] We are at the harbour.", ""},
	{"*Time skip to the next evening*\nGulls.", ""},
	{"**Scene change**\nGulls.", ""},
	{"Scene change: the harbour\nGulls.", ""},
	{"OOC: time skip\nGulls.", ""},
	{"[small timeskip]\nGulls.", ""},
	{"CUT TO:\nThe harbour.", ""},
	{"SMASH CUT TO: The harbour\nGulls.", ""},
	{"Cut to: the harbour, where gulls scream.", ""},
	{"FADE IN:\nThe harbour.", ""},
	{"[skip to the next morning]\nGulls.", ""},
	{"*Fade to black*\n\nMorning light falls on the quay.", ""},
	{"[Szenenwechsel]\nMöwen.", "mark"},
	{"*Zeitsprung*\nMöwen.", ""},
	{"(Nouvelle scène)\nDes mouettes.", "mark"},
	{"[Changement de scène]\nDes mouettes.", "mark"},
	{"[Ellipse]\nDes mouettes.", ""},
	{"[Cambio de escena]\nGaviotas.", "mark"},
	{"*Salto temporal*\nGaviotas.", ""},
	{"[Scene Break]", "mark"},
	{"--- time skip ---\nGulls.", ""},
	{"She sleeps.\n\n*fade to black*", ""},
	{"*fade to black*", ""},
	{"She sleeps. *Fade to black.*", ""},
	{"*She sleeps.* *time skip*", ""},
	{"She sleeps.\n\n[End scene]", ">mark"},
	{"[End of Scene]", ">mark"},
	{"She sleeps.\n\n(OOC: scene ends here)", ">mark"},
	{"She sleeps.\n\nFADE OUT.", ""},
	{"She sleeps.\n\n*The scene fades to black...*", ""},
	{"She sleeps. [time skip: one week]", ""},
	{"She sleeps.\n\nTo be continued...", ""},
	{"She sleeps.\n\nCUT TO BLACK.", ""},
	{"She sleeps.\n\n[New scene]", ">mark"},
	{"Sie schläft.\n\n*Ende der Szene*", ""},
	{"Elle dort.\n\n*Fondu au noir*", ""},
	{"Ella duerme.\n\n*Fundido a negro.*", ""},
	{"*fade to black*\n\n(OOC: that was fun!)", ""},
	{"((scene end))", ">mark"},
	{"((New scene.))\nGulls.", "mark"},
	{"(OOC: new scene: the harbour)\nGulls.", "mark"},
	{"(OOC: new scene: shall we?)\nGulls.", ""},
	{"[Scene ends here]\n\nMorning light falls on the quay.", "mark"},
	{"[Szenenende]\nMöwen.", "mark"},
	{"[Fin de la scène]", ">mark"},
	{"[Fin de escena]", ">mark"},
	{"(OOC: this scene ends in tears)", ""},
	{"(( brb ))", ""},
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

	// Time skips, which are the model's to find.
	{"Three days later, the rain has stopped.", ""},
	{"*Three days later, the rain has stopped.*", ""},
	{"*Three days later* The rain has stopped.", ""},
	{"Three days later the rain has stopped.", ""},
	{"3 weeks later...\nRain.", ""},
	{"The next morning, rain.", ""},
	{"Moments later, she wakes.", ""},
	{"A moment later, she wakes.", ""},

	// Headers of places, which are the model's.
	{"[Location: Harbour]\nGulls.", ""},
	{"Location: Harbour\nGulls.", ""},
	{"**Location:** Harbour | **Time:** 10 PM\nGulls.", ""},
	{"📍 Harbour\nGulls.", ""},
	{"📍Harbour | 🕒 22:00\nGulls.", ""},
	{"🕒 22:00 | 📍 Harbour\nGulls.", ""},
	{"**Mara — smiling**\nShe waits.", ""},
	{"**HP — 30**\nShe waits.", ""},

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
	return s
}

func TestExplicitBreak(t *testing.T) {
	for _, c := range tableCases {
		v := ExplicitBreak(talkBefore(), Message{ID: "m", Role: storage.Assistant, Name: "Mara", Text: c.text})
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

func TestExplicitBreak_EveryMark(t *testing.T) {
	for words, closes := range marks {
		want := "mark"
		if closes {
			want = ">mark"
		}
		v := ExplicitBreak(talkBefore(), Message{ID: "m", Role: storage.User, Name: "Robin", Text: "((" + strings.ToUpper(words) + "))"})
		if got := described(v); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}
