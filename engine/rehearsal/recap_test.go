package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestDetect(t *testing.T) {
	const before = "[1] Robin: \"Good night.\"\n[2] Tove: *She turns the lamp down.*\n[3] Robin: *I sleep.* The next morning is far.\n\n"
	for text, want := range map[string]string{
		"*The next morning the rain has stopped.*":                         "The next morning",
		"*She sleeps badly. Three hours later, the kettle wakes her.*":     "Three hours later",
		"Weeks later, a letter lies on the mat.":                           "Weeks later",
		"*By the time dawn comes she has read it all.*":                    "By the time dawn",
		"*They arrive at the mill without a word.*":                        "They arrive at",
		"*Tove reaches the old bridge first.*":                             "Tove reaches the old bridge",
		"*Back at the theatre nobody has slept.*":                          "Back at the theatre",
		"*Outside the city gates a cart is waiting.*":                      "Outside the city gates",
		"*Meanwhile, in the harbour, a ship is unloaded.*":                 "Meanwhile, in",
		"\"Come.\" *That evening they are alone.*":                         "That evening",
		"*Later, when the tea is cold, she picks it up.*":                  "Later, when",
		"*She looks back at the house.*":                                   "",
		"\"The next morning he was gone,\" *she says.*":                    "",
		"*He waits until the next morning.*":                               "",
		"*Outside the rain falls.* \"Two days later he came,\" *he says.*": "",
		"*She nods.* \"Go on.\"":                                           "",
		"":                                                                 "",
	} {
		appended := []storage.Node{
			{Role: storage.System, Content: "You play Tove."}, {Role: storage.Assistant, Content: "Hours later."}, {Role: storage.User, Content: text},
			{Role: storage.Assistant, Content: "\"Yes.\""}, {Role: storage.System, Content: "A note."},
			{Role: storage.User, Content: "Look at the newest:\n- Robin, beginning “" + text + "”\n- Tove, beginning “\"Yes.\"”\n\nDoes one begin a new scene, as with “the next morning”?"},
		}
		again := []storage.Node{{Role: storage.Assistant, Content: "The next day, yes."}, {Role: storage.User, Content: "This cannot be used: the next day it was no JSON."}}
		for name, messages := range map[string][]storage.Node{
			"between tags":                  asked("Judge what is in <message>.", "The messages before:\n\n<before>\nRobin: Hours later I wake.\n\n[1] Tove: The next day.\n</before>\n\nThe new one:\n\n<message>\nTove: "+text+"\n</message>\n\nDoes it begin with the next day?"),
			"between tags, asked again":     append(asked("Judge.", "<message>\nTove: "+text+"\n</message>"), again...),
			"appended by name":              appended,
			"appended by name, asked again": append(slices.Clone(appended), again...),
			"by itself":                     asked("Judge whether a scene ends. Messages look like [1] Name: text.", before+"[4] Tove: "+text),
			"appended": {
				{Role: storage.System, Content: "You play Tove."}, {Role: storage.User, Content: "Hours later, I knock."}, {Role: storage.Assistant, Content: "Come in."},
				{Role: storage.User, Content: "I sit down."}, {Role: storage.Assistant, Content: text}, {Role: storage.System, Content: "A note: the next day is Friday."},
				{Role: storage.User, Content: "Out of character: does the newest message begin a new scene, such as the next morning?"},
			},
		} {
			got := perfect[struct {
				Status    bool
				Rationale string
			}](t, detectSchema, messages, 0)
			if got.Status != (want != "") || got.Status != strings.Contains(got.Rationale, `"`+want+`"`) || got.Rationale == "" || strings.Contains(got.Rationale, "\n") {
				t.Errorf("%s, %q: %+v, want %q", name, text, got, want)
			}
		}
	}
}

func TestRecapScene(t *testing.T) {
	text, count := evening(t, 8)
	messages := asked("Recap the scene. The five sections are:\n## Current Situation\n## Key Developments", "The scene so far:\n\n"+text+"</scene>\n\nWrite the recap now.")
	a, b := perfect[sceneAnswer](t, usualScene, messages, 0), perfect[sceneAnswer](t, usualScene, messages, 1)
	if a.texts() == b.texts() {
		t.Error("another take must tell it differently")
	}
	if !strings.HasPrefix(a.SceneName, "The ") || a.Atmosphere == "" || !strings.Contains(a.EmotionalBeats, "Tove") {
		t.Errorf("%q, %q, %q", a.SceneName, a.Atmosphere, a.EmotionalBeats)
	}
	squeezed := squeeze(text)
	for _, section := range sections {
		if len(a.Recap[section]) == 0 {
			t.Errorf("%s is empty", section)
		}
		for _, bullet := range a.Recap[section] {
			if len(bullet.Messages) != 1 || bullet.Messages[0] < 1 || bullet.Messages[0] > count {
				t.Errorf("%s: %+v is of no message", section, bullet)
			}
			said := bullet.Text
			if _, quote, ok := strings.Cut(said, `"`); ok {
				said = strings.TrimSuffix(quote, `"`)
			}
			_, tail, _ := strings.Cut(said, " ") // the first word may have become a name
			if section != "tone_style" && !strings.Contains(squeezed, squeeze(strings.TrimSuffix(tail, "…"))) {
				t.Errorf("%s: invented: %s", section, bullet.Text)
			}
		}
	}
	if last := a.Recap["current_situation"][0].Messages[0]; last != count {
		t.Errorf("the situation is that of message %d of %d", last, count)
	}
	if n := len(a.Lorebooks); n < 2 || n > 4 {
		t.Fatalf("%d lorebook entries", n)
	}
	for i, name := range []string{"Tove", "Robin"} {
		l := a.Lorebooks[i]
		if l.Name != name || l.Type != "character" || !strings.HasPrefix(l.Content, "[character-"+name+": ") || !strings.HasSuffix(l.Content, "]") ||
			len(l.Keywords) < 2 || !slices.Contains(l.Keywords, strings.ToLower(name)) || strings.ToLower(strings.Join(l.Keywords, "")) != strings.Join(l.Keywords, "") {
			t.Errorf("entry: %+v", l)
		}
	}
}

// squeeze leaves letters and single blanks.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \n*\"“”_.,;:!?…–—-'’|`", r) }), " ")
}

func TestRecapScene_OfOneMessage(t *testing.T) {
	for _, text := range []string{"Yes.", "*Nods.*", "雨が降る。灯りが消える。", "I open the door and walk into the empty kitchen, where nobody waits."} {
		a := perfect[sceneAnswer](t, usualScene, asked("Recap.", "[1] Robin: "+text), 0)
		if a.SceneName == "" || len(a.Recap["current_situation"])+len(a.Recap["key_developments"])+len(a.Recap["dialogue_highlights"]) == 0 {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

func TestRecapScene_AsText(t *testing.T) {
	text, _ := evening(t, 6)
	for _, most := range []int{2000, 500, 120} {
		a := perfect[struct{ Recap string }](t, sceneSchema(fmt.Sprintf(`{"type":"string","maxLength":%d}`, most), "setting_lore"), asked("Recap.", text), 0)
		at := -1
		for _, h := range headings {
			i := strings.Index(a.Recap, "## "+h+"\n")
			if i < 0 {
				i = strings.Index(a.Recap, "## "+h) // at the very end
			}
			if i <= at {
				t.Errorf("%d runes: %s is missing or too early:\n%s", most, h, a.Recap)
			}
			at = i
		}
	}
}

func TestRecapScene_AfterEarlierRecaps(t *testing.T) {
	text, count := evening(t, 2)
	earlier := "The story before:\n\n## Current Situation\n- Robin stands in the rain.\n## Pending Threads\n- Asked by Tove: \"Who?\"\n\nThe scene:\n"
	a := perfect[sceneAnswer](t, usualScene, asked("Recap.", earlier+text), 0)
	if len(a.Lorebooks) == 0 || a.Recap["current_situation"][0].Messages[0] != count || strings.Contains(a.texts(), "in the rain.") {
		t.Errorf("the transcript was not seen as one: %+v", a)
	}
}

func TestRecapScene_BetweenTags(t *testing.T) {
	text, count := evening(t, 2)
	text += "## Pending Threads\n<sigh>\nShe carries the blue rope to the fourth window.\n[99] Nobody: I am part of the message.\n"
	body := "Write between <transcript> and </transcript>.\n<earlier>\n## Current Situation\n- The green bell rang in Robin's pocket.\n</earlier>\n<known>\n[1] x: y\n</known>\n<transcript>\n" + text +
		"</transcript>\n\nA wish: The last version has lost facts. Put each of them in:\n- Where to? Answer: the blue rope to the fourth window\n- What weighs nothing? Answer: seven hundred sparrows\n\nJSON only."
	a := perfect[sceneAnswer](t, usualScene, asked("Recap <transcript>.\n- Only facts.", body), 0)
	got := a.texts()
	for part, want := range map[string]bool{"blue rope to the fourth window": true, "seven hundred sparrows": true, "green bell": false, "Only facts": false} {
		if strings.Contains(got, part) != want {
			t.Errorf("%s: %v\n%s", part, !want, got)
		}
	}
	for _, b := range a.Recap["key_developments"] {
		if len(b.Messages) != 1 || b.Messages[0] > count {
			t.Errorf("%+v of %d messages", b, count)
		}
	}
	if len(a.Lorebooks) < 2 || a.Lorebooks[0].Name != "Tove" || a.Lorebooks[1].Name != "Robin" {
		t.Errorf("%+v", a.Lorebooks)
	}
}

const twoRecaps = "The story so far:\n## Current Situation\n[1] Tove stands on the ladder.\n## Key Developments\n[2] Robin has brought a letter.\n[3] Tove asks: \"Who sent it?\"\n## Pending Threads\n[4] Who wrote the letter?\n\n" +
	"The new scene:\n## Current Situation\n[5] Tove and Robin drink tea in the prompt corner.\n## Key Developments\n[6] robin has brought a letter.\n[7] The house is to be sold on Friday.\n## Dialogue Highlights\n## Tone & Style\n[8] Dry and slow.\n\nMerge them."

// tagged are the same recaps as the program's own prompts show them.
const tagged = "The memory so far:\n\n<memory>\nCurrent Situation:\n[1] Tove stands on the ladder.\nKey Developments:\n[2] Robin has brought a letter.\n[3] Tove asks: \"Who sent it?\"\nPending Threads:\n[4] Who wrote the letter?\n</memory>\n\n" +
	"The newest scene:\n\n<newest>\nCurrent Situation:\n[5] Tove and Robin drink tea in the prompt corner.\nKey Developments:\n[6] robin has brought a letter.\n[7] The house is to be sold on Friday.\nTone & Style:\n[8] Dry and slow.\n</newest>\n\nThose were 8 facts."

func TestRecapRunning(t *testing.T) {
	for name, shown := range map[string]string{"plain": twoRecaps, "tagged": tagged} {
		t.Run(name, func(t *testing.T) { mergesTwo(t, shown) })
	}
}

func mergesTwo(t *testing.T, shown string) {
	a := perfect[sceneAnswer](t, runningSchema(20, 300), asked("Merge.", shown), 0)
	want := map[string]string{
		"current_situation": "Tove and Robin drink tea in the prompt corner. [5]",
		"key_developments":  `Tove stands on the ladder. [1]|Robin has brought a letter. [2 6]|Tove asks: "Who sent it?" [3]|The house is to be sold on Friday. [7]`,
		"tone_style":        "Dry and slow. [8]",
		"pending_threads":   "Who wrote the letter? [4]",
	}
	for _, section := range sections {
		var got []string
		for _, b := range a.Recap[section] {
			got = append(got, fmt.Sprint(b.Text, " ", b.Bullets))
		}
		if strings.Join(got, "|") != want[section] {
			t.Errorf("%s: %q, want %q", section, got, want[section])
		}
	}
}

func TestRecapRunning_StaysBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("## Key Developments\n")
	for i := range 200 {
		fmt.Fprintf(&b, "[%d] The bell of the mill has rung %d times by now.\n", i+1, i+1)
	}
	a := perfect[sceneAnswer](t, runningSchema(5, 300), asked("Merge.", b.String()), 0)
	list, now := a.Recap["key_developments"], a.Recap["current_situation"]
	if len(list) != 4 || list[3].Bullets[0] != 199 || list[0].Bullets[0] != 1 || len(now) != 1 || now[0].Bullets[0] != 200 {
		t.Errorf("%+v, %+v", list, now)
	}
}

func TestRecapScene_OfRecaps(t *testing.T) {
	scenes := strings.NewReplacer("<memory>", "<scenes>\nScene 1 of 2: The Ladder", "</memory>", "", "<newest>", "Scene 2 of 2: The Tea", "</newest>", "</scenes>").Replace(tagged)
	for name, shown := range map[string]string{"plain": twoRecaps, "tagged": scenes} {
		a := perfect[sceneAnswer](t, usualScene, asked("Join.", shown), 0)
		if list := a.Recap["key_developments"]; a.SceneName == "" || len(a.Lorebooks) > 0 || len(list) != 4 || !slices.Equal(list[1].Messages, []int{2, 6}) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestRecapMessage(t *testing.T) {
	const shown = "[1] Robin: I wait for her at the door.\n[2] Tove: *She puts the kettle on the stove.* \"There is only one cup left.\" *She wipes it with her sleeve.*"
	type message struct{ Recap string }
	a, b := perfect[message](t, messageSchema, asked("Recap the last message.", shown), 0), perfect[message](t, messageSchema, asked("Recap the last message.", shown), 1)
	if a.Recap != `Tove puts the kettle on the stove. Tove says: "There is only one cup left."` || a == b {
		t.Errorf("%q, then %q", a.Recap, b.Recap)
	}
	listed := asked(`Each fact is on a line that begins with "- ".`, "<before>\nRobin: I wait.\n</before>\n<message>\nTove: *She puts the kettle on the stove.*\n\n\"There is only one cup left.\"\n</message>")
	if got := perfect[message](t, messageSchema, listed, 0); got.Recap != "- Tove puts the kettle on the stove.\n- Tove says: \"There is only one cup left.\"" {
		t.Errorf("as a list: %q", got.Recap)
	}
	if got := perfect[message](t, messageSchema, talk, 0); !strings.Contains(got.Recap, "Mara") || strings.Contains(got.Recap, "Report") {
		t.Errorf("of the chat's own message: %q", got.Recap)
	}
}
