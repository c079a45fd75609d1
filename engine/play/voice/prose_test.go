package voice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// A line is cut that is the user's, whatever the name is; one that speaks to the user, or begins
// with a word that is a name too, is not.
func TestWatch_TellsTheUsersLinesFromOthers(t *testing.T) {
	t.Parallel()
	const heard = "Will you come? You will, and you may: it is the rose that she hopes for, with hope. The old mark of the captain. Der Regen, der Tag und der wanderer."
	for _, tc := range []struct {
		user, text string
		found      bool
	}{
		{"Robin", "Robin, wait! The door.", false},
		{"Robin", "Robin! Come here.", false},
		{"Robin", "*Robin nods slowly.*", true},
		{"Robin", "She waits.\nRobin: yes", true},
		{"Robin", "She waits.\n**Robin**: yes", true},
		{"Robin", "She waits.\n[Robin]: yes", true},
		{"Robin", "She waits.\n<Robin> yes", true},
		{"Robin", "She waits.\nRobin (whispering): yes", true},
		{"Robin", "She waits.\nROBIN: yes", true},
		{"Robin", "She waits.\n{{user}}: yes", true},
		{"Robin", "She waits.\nUser: yes", true},
		{"Robin", "She waits.\nYou: yes", true},
		{"Will", "Will you come with me?", false},
		{"Will", "Will she say it?", false},
		{"Will", "She waits.\nWill the rain stop?", false},
		{"Will", "She waits.\nWill: yes", true},
		{"Rose", "Rose petals lie on the floor.", false},
		{"May", "May I come in?", false},
		{"May", "May the road rise to meet you.", false},
		{"Mark", "Mark my words.", false},
		{"Hope", "Hope is all that remains.", false},
		{"The Doctor", "The lamp burns. The rain falls.", false},
		{"The Doctor", "She waits.\nThe lamp burns.", false},
		{"The Doctor", "She waits.\nThe Doctor nods.", true},
		{"Der Wanderer", "Der Regen fällt.", false},
		{"Captain Ahab", "Captain Flint nods.", false},
		{"Old Tom", "Old walls surround them.", false},
		{"You", "You look tired.", false},
		{"You", "She waits.\nYou: yes", true},
		{"José", "She waits.\nJose\u0301: yes", true},
		{"D'Arcy", "She waits.\nD’Arcy nods.", true},
		{"Robert \"Bob\" Miller", "She waits.\nBob: yes", true},
		{"A.B. (C*)", "She waits.\nA.B. (C*): yes", true},
		{"A.B. (C*)", "She waits.\nAXB: yes", false},
		{"Robin", "\"Robin?\" She waits. \"Robin smiles a lot,\" Tove says.", false},
		{"Robin", "“Come. Robin waits outside.”", false},
		{"Robin", "'Come. Robin waits.' She goes.", false},
		{"Robin", "— Robin, attends !", false},
	} {
		for _, n := range []int{1, 4, 1000} {
			names := voice.Names(tc.user, "Tove")
			acts := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return voice.IsWord(name, heard) })
			f, _ := first(voice.Rules{User: append(names, voice.UserLabels()...), Acts: acts}, tc.text, n)
			if (f != nil && f.Kind == voice.User) != tc.found {
				t.Errorf("user %q: %q by %d: %+v", tc.user, tc.text, n, f)
				break
			}
		}
	}
}

// A cut reply ends with a sentence, and closes open quotes as its language does.
func TestLastEnd_ClosesWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, kept string }{
		{"»Ich weiß.« Sie nickt. Dann geht", "»Ich weiß.« Sie nickt."},
		{"»Ich weiß. Aber", "»Ich weiß.«"},
		{"«Ya lo sé. Pero", "«Ya lo sé.»"},
		{"« Je sais. Mais", "« Je sais. »"},
		{"«\u00a0Je sais. Mais", "«\u00a0Je sais.\u00a0»"},
		{"„Ja\", sagt sie. Dann", "„Ja\", sagt sie."},
		{"„Ja”, mówi ona. Potem", "„Ja”, mówi ona."},
		{"‚Ja. Dann", "‚Ja.‘"},
		{"‘I don’t know. But", "‘I don’t know.’"},
		{"The dogs' bowl is empty. Then", "The dogs' bowl is empty."},
		{"「私は知っている。でも", "「私は知っている。」"},
		{"『知っている。』彼女は", "『知っている。』"},
		{"彼女は待つ！そして", "彼女は待つ！"},
		{"本当？それは", "本当？"},
		{"她说：“我知道。可是", "她说：“我知道。”"},
		{"**She nods. Then", "**She nods.**"},
		{"***She nods. Then", "***She nods.***"},
		{"_She nods. Then", "_She nods._"},
		{"snake_case is a word. Then", "snake_case is a word."},
		{"(She nods. Then", "(She nods.)"},
		{"`She nods. Then", "`She nods.`"},
		{"* The rope. Then the", "* The rope."},
		{"*\"I know. But", "*\"I know.\"*"},
		{"\"*I* know. But", "\"*I* know.\""},
		{"Wait! 3.5 times", "Wait!"},
		{"¿Qué? ¡No! Pero", "¿Qué? ¡No!"},
		{"She nods. 😊 Then", "She nods."},
		{"no end of a sentence at all in here", ""},
		{"नमस्ते। फिर", "नमस्ते।"},
		{"هل تسمع؟ ثم", "هل تسمع؟"},
	} {
		at, closing := voice.LastEnd(tc.text, 0)
		if got := tc.text[:at] + closing; got != tc.kept {
			t.Errorf("%q: kept %q, want %q", tc.text, got, tc.kept)
		}
	}
	for text, whole := range map[string]bool{"»Ich weiß.«": true, "He said no.": true, "'Yes.'": true, "「はい。」": true, "She was 17.": true, "« Oui. »": true, "She nods 😊": true, "the": false} {
		if voice.Whole(text) != whole {
			t.Errorf("Whole(%q) is not %t", text, whole)
		}
	}
}

// Points of a list count however they are written.
func TestWatch_ListsOfSentences(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"capital": "%d. The thing of brass\n", "sentences": "%d. The thing. It is of brass.\n", "bold": "%d. **Thing:** of brass.\n", "spaced": "%d. Thing\n\n", "bullets": "- The thing %d. It is old.\n", "bracket": "%d) Thing\n", "details": "%d. Thing\n   It is of brass.\n", "stars": "**%d.** Thing\n"} {
		var b strings.Builder
		b.WriteString("Here is all of it:\n")
		for i := range 40 {
			fmt.Fprintf(&b, line, i+1)
		}
		for _, n := range []int{1, 5, 10000} {
			f, w := first(voice.Rules{Items: 12}, b.String(), n)
			if f == nil || f.Kind != voice.List || !f.Ends {
				t.Errorf("%s by %d: %+v", name, n, f)
				continue
			}
			if got := strings.Count(w.Text()[:f.Cut], "hing"); got != 12 {
				t.Errorf("%s by %d: %d points: %q", name, n, got, w.Text()[:f.Cut])
			}
		}
	}
}

// Speech may be in another script, in any kind of quotes.
func TestWatch_ForeignSpeech(t *testing.T) {
	t.Parallel()
	if got := voice.Scripts("Hi", "*…*"); got != nil {
		t.Errorf("%v after two letters", got)
	}
	scripts := voice.Scripts("The door of the house is open, and the lamp is lit.")
	for text, found := range map[string]bool{
		"He bows. \"Здравствуйте, товарищ,\" he says.": false,
		"He bows. “お待ちしておりました,” he says.":              false,
		"He bows. \"I know that 我知道这件事情很久了\" he says":  true,
		"He bows. Здравствуйте, товарищ.":              true,
	} {
		for _, n := range []int{1, 4, 1000} {
			if f, _ := first(voice.Rules{Scripts: scripts}, text, n); (f != nil) != found {
				t.Errorf("%q by %d: %+v", text, n, f)
				break
			}
		}
	}
}

// Wherever a limit cuts a text, in any language, the rest ends with a complete sentence and has
// nothing open.
func TestLastEnd_OfEveryBeginning(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"en": "*She nods.* \"I know,\" she says. \"It was Dr. Brandt who came at 5 p.m. on the 3rd. (Nobody saw him.) Go!\" He waits... and then he leaves. “Why?” she asks. 'No reason.' It is late.",
		"de": "»Ich weiß«, sagt sie. »Am 3. Mai war es kalt. Geh!« Er wartet … und geht. „Warum?“, fragt sie. „Nur so\", sagt er. Es ist z. B. spät. (Niemand sah ihn.) *Sie nickt.* Gut.",
		"fr": "« Je sais, dit-elle. C'était M. Brandt. Va ! » Il attend… puis il part. « Pourquoi ? » demande-t-elle. — Pour rien, dit-il. (Personne ne l'a vu.) *Elle acquiesce.* Bien.",
		"es": "—Lo sé —dijo ella—. Era el Sr. Brandt. ¡Vete! Él espera… y se va. «¿Por qué?», pregunta ella. «Por nada. De verdad.» (Nadie lo vio.) *Ella asiente.* Bien.",
		"ja": "「知っている。」と彼女は言う。「ブラント先生だった。行け！」彼は待つ……そして去る。『なぜ？』と彼女は聞く。遅い。",
		"zh": "“我知道。”她说。“是布兰特医生。走！”他等着……然后离开了。‘为什么？’她问。（没人看见他。）很晚了。",
	} {
		ends := map[string]bool{}
		for i := range text {
			at, closing := voice.LastEnd(text[:i], 0)
			kept := text[:at] + closing
			if ends[kept] = true; kept != "" && (!voice.Whole(kept) || voice.Open(kept) != "") {
				t.Errorf("%s: of %q %q is kept, which leaves %q open", name, text[:i], kept, voice.Open(kept))
			}
			if strings.HasSuffix(text[:i], "demande-") && voice.Whole(text[:i]) {
				t.Errorf("%q is whole", text[:i])
			}
		}
		if len(ends) < 8 {
			t.Errorf("%s: it ends in %d places", name, len(ends))
		}
	}
}
