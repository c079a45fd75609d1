package voice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// A line is cut that is the user's, whatever the name is; one that speaks to the user, or begins
// with a word that is a name too, is not.
func TestWatch_TellsTheUsersLinesFromOthers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		user, text string
		found      bool
	}{
		{"Robin", "Robin, wait! The door.", false},
		{"Robin", "Robin! Come here.", false},
		{"Robin", "Robin I need you to listen.", false},
		{"Robin", "Robin please listen to me.", false},
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
		{"Will", "She waits.\nWill nods.", true},
		{"Will", "She waits.\nWill: yes", true},
		{"Rose", "Rose petals lie on the floor.", false},
		{"Rose", "Rose smiles at her.", true},
		{"May", "May I come in?", false},
		{"May", "May the road rise to meet you.", false},
		{"Mark", "Mark my words.", false},
		{"Hope", "Hope is all that remains.", false},
		{"Grace", "Grace said nothing.", true},
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
		{"Robin", "You say, \"Yes.\"", true},
		{"Robin", "You say \"Yes.\"", true},
		{"Robin", "*You say yes.*", true},
		{"Robin", "\"And?\" She waits. You say nothing and follow her.", true},
		{"Robin", "*She waits. You say nothing.*", true},
		{"Robin", "You say nothing.", false},
		{"Robin", "You ask too many questions.", false},
		{"Robin", "You say that a lot.", false},
		{"Robin", "You ask me why?", false},
		{"Robin", "Du sagst: „Ja.“", true},
		{"Robin", "Du sagst das so leicht.", false},
		{"Robin", "Vous dites : « Oui. »", true},
		{"Robin", "— Vous dites cela souvent.", false},
		{"Robin", "Tu dis « oui ».", true},
		{"Robin", "Dices: «Sí».", true},
		{"Robin", "Dices eso siempre.", false},
		{"Robin", "She will say it when you say so. If you say it, fine.", false},
		{"Robin", "\"Robin?\" She waits. \"Robin smiles a lot,\" Tove says.", false},
		{"Robin", "“Come. Robin waits outside.”", false},
		{"Robin", "»Komm. Du sagst nichts.« Sie geht.", false},
		{"Robin", "„Komm. Du sagst: nein.“ Sie geht.", false},
		{"Robin", "'Come. Robin waits.' She goes.", false},
		{"Robin", "— Robin, attends !", false},
	} {
		for _, n := range []int{1, 4, 1000} {
			names := voice.UserNames(tc.user, "Tove")
			f, _ := first(voice.Rules{User: names}, tc.text, n)
			if (f != nil && f.Kind == voice.User) != tc.found {
				t.Errorf("user %q: %q by %d: %+v", tc.user, tc.text, n, f)
				break
			}
		}
	}
}

// A reply that is cut ends with a sentence, and closes what is open as its language does.
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
		{"'I don't know. But", "'I don't know.'"},
		{"The dogs' bowl is empty. Then", "The dogs' bowl is empty."},
		{"'Tis the season. Then", "'Tis the season."},
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
		{"He said no. Then she", "He said no."},
		{"It is no. 5 of them. Then", "It is no. 5 of them."},
		{"The U.S. Army came. Then the U.S. Ar", "The U.S. Army came."},
		{"Here it is:\n1. The rope. It is old.\n2. The la", "Here it is:\n1. The rope. It is old."},
		{"Sie kam am 3. Mai", ""},
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

// Speech may be in another language or script, in whatever quotes it stands.
func TestWatch_ForeignSpeech(t *testing.T) {
	t.Parallel()
	tongue := voice.NewTongue(strings.Repeat("The door of the house is open, and the lamp is lit. She was there with him, and it was cold. ", 4))
	for text, found := range map[string]bool{
		"He bows. \"Здравствуйте, товарищ,\" he says.":               false,
		"He bows. “お待ちしておりました,” he says.":                            false,
		"He bows. \"I know that 我知道这件事情很久了\" he says":                true,
		"He bows. Здравствуйте, товарищ.":                            true,
		"He bows. »Sie ist nicht mit der Frau in das Haus«, he says": false,
		"He bows. «Elle est dans la rue et ne veut pas», he says":    false,
		"„Sie ist nicht mit der Frau in das Haus“, he says.":         false,
		"'Sie ist nicht mit der Frau in das Haus', he says.":         false,
		"He bows. Sie ist nicht mit der Frau in das Haus gegangen.":  true,
	} {
		for _, n := range []int{1, 4, 1000} {
			if f, _ := first(voice.Rules{Tongue: tongue}, text, n); (f != nil) != found {
				t.Errorf("%q by %d: %+v", text, n, f)
				break
			}
		}
	}
}

// What somebody says in quotes is no model's refusal, and a machine may say what it is.
func TestRoles_SpeechAndMachines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		card, text string
		found      bool
	}{
		{"Tove prompts in a theatre.", "\"I'm sorry, but I can't help you with that,\" the guard says.", false},
		{"Tove prompts in a theatre.", "I'm sorry, but I can't help you, I have a shop to run.", false},
		{"Tove is a shop assistant in Bergen.", "As an AI language model, I cannot", true},
		{"Unit 7 is an android.", "As an AI, I have no heart.", false},
		{"Unit 7 is an android.", "I cannot continue this roleplay.", true},
		{"HAL is the ship's computer.", "I am an artificial intelligence, Dave. As an AI, I do not sleep.", false},
		{"Tove prompts in a theatre.", "As an airman, I am used to it. As an aide, I do it.", false},
		{"Tove prompts in a theatre.", "(OOC: shall we stop?)", true},
		{"Tove prompts in a theatre.", "\"Would you like me to continue the story?\" she asks the child.", false},
	} {
		set, faults := voice.Compile(voice.Roles(tc.card), nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if f, _ := first(voice.Rules{Set: set}, tc.text, 3); (f != nil && f.Kind == voice.Role) != tc.found {
			t.Errorf("%q: %q: %+v", tc.card, tc.text, f)
		}
	}
}

// Wherever a limit cuts a text, in whatever language, what stays ends with a sentence of it and
// has nothing open.
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
