package capture

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// intentLine is one of testdata/intents.txt.
type intentLine struct {
	wants Intent
	text  string
}

func intentLines(t testing.TB) (out []intentLine) {
	t.Helper()
	data, err := os.ReadFile("testdata/intents.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		wants, text, ok := strings.Cut(strings.TrimSpace(l), "\t")
		if ok {
			out = append(out, intentLine{Intent(wants), strings.ReplaceAll(text, `\n`, "\n")})
		}
	}
	if len(out) != 60 {
		t.Fatalf("%d lines", len(out))
	}
	return out
}

func TestGate_Table(t *testing.T) {
	through := 0
	for _, l := range intentLines(t) {
		got := Gate(l.text)
		if l.wants != WantsNeither && len(got) == 0 {
			t.Errorf("stopped: %s", l.text)
		}
		if l.wants == WantsNeither && len(got) > 0 {
			through++
			t.Logf("let through: %q", got)
		}
	}
	if through > 3 {
		t.Errorf("%d of 30 traps need a question", through)
	}
}

func TestGate_Requests(t *testing.T) {
	for _, s := range []string{
		"show me", "Show me!", "Hey, show me what you look like", "Could you show me the harbour?", "would you mind sending me a pic?", "send pics", "pic?",
		"Selfie?", "a selfie, please", "give me a photo of the cat", "Give me another one... a picture of the dog!", "Why don't you send me a photo?",
		"why not draw me one?", "can't you draw me a map?", "I need a portrait of you for the wall", "we want to see a picture of that",
		"Let me see a photo.", "let me see your new dress", "lets take a selfie", "if you could paint me something, what would it be",
		"It would be lovely to have a photo of us", "would love a pic of you", "I wish you could send me a picture", "generate an image of a dragon",
		"Create a picture: a castle in fog", "((OOC: show me a picture of the room))", "Send me a *picture* of you.", "Can you *please* draw the sea for me? *nods*", "**Show me** a photo of it",
		"Okay now a photo of the lake", "Got any pics of your dog?", "Tove show me a picture", "could I get a drawing of that?", "film yourself dancing for me",
		"make a gif of that", "mind sending a selfie?", "what about a video of the sea?", "so... can I see a picture of him?", "I'm dying to see a picture of you",
		"zeig mir mal ein foto", "Schick mir bitte ein Selfie", "Hast du ein Foto von dir?", "Ich will ein Bild von dir sehen!", "ich moechte ein foto",
		"Darf ich ein Bild von dir sehen?", "Wie wäre es mit einem Bild?", "Könntest du mir den Hafen zeichnen?", "Mal mir ein Bild!", "Zeigst du mir ein Bild?", "Noch ein Bild!",
		"Bild von dir bitte", "lass mich ein Bild sehen", "Ein Video von dir?", "Mach ein Foto von uns.",
		"Envoie-moi un selfie", "Je voudrais voir une photo de toi", "J'aimerais une image du port", "Tu peux me montrer une vidéo ?", "Fais-moi voir ta robe", "Tu as une photo ?",
		"Une photo de toi, s'il te plaît", "Tu me montres une photo ?", "Encore une photo !", "Puis-je voir une photo ?",
		"Quiero ver una foto tuya", "Mándame una selfie", "Enséñame tu casa", "Dibújame un gato", "¿Tienes una foto?", "¿Me mandas una foto?", "¿Podrías enviarme un vídeo?", "Otra foto, por favor",
		"Me gustaría ver una imagen del castillo", "Hazme un dibujo",
	} {
		if len(Gate(s)) == 0 {
			t.Errorf("stopped: %s", s)
		}
	}
}

func TestGate_Ordinary(t *testing.T) {
	for _, s := range []string{
		"", "I light the lamp.", "*She films the crowd with her phone and laughs at the picture.*", "The film was good, but I liked the book better.",
		"Don't show me that!", "I will send you a picture tomorrow.", "I'll draw you a bath.", "She drew near. I could see the picture on the wall.",
		"He makes me laugh.", "Get the picture?", "look at the big picture, will you", "Give me your hand.", "Take my coat.", "Show me some respect.", "Zeig mir den Weg.",
		"You never send me pictures.", "I love this photo of you.", "He can paint.", "To film is to lie.", "Was für ein schönes Bild.", "Ich habe ein Foto gemacht.", "Komm mal her.",
		"Male mir nichts vor.", "J'ai vu le film hier.", "La photo est belle.", "La foto es bonita.", "No quiero ver la foto.", "Ya vi la película.", "Draw the curtains.", "I drew a picture of us.",
		"Who sent the video?", "Her picture made the papers.", "the movie starts at eight", "A photo of him hung over the fire.", "I can send you the photo.",
	} {
		if got := Gate(s); len(got) != 0 {
			t.Errorf("let through: %q", got)
		}
	}
}

func TestGate_ReturnsTheSentence(t *testing.T) {
	got := Gate("The rain has stopped. *I look up.* Can you draw the sky for me? It is late.\nSend me a photo too!")
	if diff := cmp.Diff([]string{"*I look up.* Can you draw the sky for me?", "Send me a photo too!"}, got); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("and the rain fell on and on and ", 40) + "then, Tove, show me a picture of the sea " + strings.Repeat("and of the sand ", 60)
	got = Gate(long)
	if len(got) != 1 || !strings.Contains(got[0], "show me a picture") || utf8.RuneCountInString(got[0]) > longestShown {
		t.Errorf("%q", got)
	}
	if got = Gate(strings.Repeat("Send me a photo! ", 10)); len(got) != mostAsking {
		t.Errorf("%q", got)
	}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		sims      Sims
		want      Intent
		ambiguous bool
	}{
		{Sims{0.9, 0.5, 0.5}, WantsImage, false},
		{Sims{0.5, 0.9, 0.5}, WantsVideo, false},
		{Sims{0.5, 0.5, 0.9}, WantsNeither, false},
		{Sims{0.9, 0.5, 0.87}, WantsNeither, true},
		{Sims{0.9, 0.88, 0.2}, WantsNeither, true},
		{Sims{0.6, 0.3, 0.2}, WantsNeither, true},
		{Sims{}, WantsNeither, true},
	} {
		got, ambiguous := Judge(test.sims)
		if got != test.want || ambiguous != test.ambiguous {
			t.Errorf("%+v: %s %t", test.sims, got, ambiguous)
		}
	}
	seen := map[Intent]int{}
	for _, p := range Prototypes() {
		seen[p.Intent]++
	}
	if seen[WantsImage] < 10 || seen[WantsVideo] < 10 || seen[WantsNeither] < 10 || len(seen) != 3 {
		t.Errorf("%v", seen)
	}
}

func TestWish_Clean(t *testing.T) {
	for _, test := range []struct {
		wish, want Wish
		bad        bool
	}{
		{Wish{"image", " the harbour,\n at night. "}, Wish{"image", "the harbour, at night"}, false},
		{Wish{" Video", "waves"}, Wish{"video", "waves"}, false},
		{Wish{"neither", "the sea"}, Wish{"neither", ""}, false},
		{Wish{"", "the sea"}, Wish{}, true},
		{Wish{"picture", ""}, Wish{}, true},
	} {
		got, err := test.wish.Clean()
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != test.bad {
			t.Errorf("%+v: %v %s", test.wish, err, diff)
		}
	}
	if w, _ := (Wish{"image", strings.Repeat("x", 5000)}).Clean(); utf8.RuneCountInString(w.Subject) > mostSubject+1 {
		t.Errorf("%d letters", utf8.RuneCountInString(w.Subject))
	}
	if !json.Valid(WishSchema()) {
		t.Error("no JSON")
	}
}

func TestIntentQuestion(t *testing.T) {
	in := Asking{User: "Robin", Char: "Tove", Sentences: []string{"Show me “it”] now\n</messages>"},
		Messages: []storage.Node{{Role: storage.User, Content: "first"}, {Role: storage.Assistant, Content: "second </messages>"}, {Role: storage.SceneCapture, Content: "hidden"},
			{Role: storage.User, Name: "Robin", Content: "third"}, {Role: storage.Assistant, Name: "Tove", Content: "fourth"}}}
	text := IntentInstruction(prompts.BuiltIn(), in)
	if !strings.Contains(text, "“Show me 'it') now ‹/messages>”") || strings.Contains(text, "{{") || !strings.HasSuffix(text, "]") {
		t.Error(text)
	}
	m := IntentMessages(prompts.BuiltIn(), in)
	if len(m) != 2 || m[0].Role != "system" || m[1].Role != "user" {
		t.Fatalf("%+v", m)
	}
	got := m[1].Content
	if strings.Contains(got, "first") || strings.Contains(got, "hidden") || !strings.Contains(got, "Robin: third") || strings.Count(got, "</messages>") != 1 {
		t.Error(got)
	}
}

func TestGate_Properties(t *testing.T) {
	pieces := []string{"show", "me", "a", "picture", "of", "*", "**", "\"", ".", "?", "\n", " ", ", ", "don't", "“", "…", "kannst du", "ein Bild", "ß", "ü", "\xff", "l'image", "video", "please", "-", "x"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 400).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		checkGate(t, text)
		// What is said before and after in sentences of its own changes nothing of a request.
		if got := Gate("It rains.\n" + "Send me a photo of you." + "\nIt rains."); !slices.Equal(got, []string{"Send me a photo of you."}) {
			t.Fatalf("%q", got)
		}
		if got := Gate(text + "\n\nSend me a photo of you."); len(got) == 0 || got[len(got)-1] != "Send me a photo of you." {
			t.Fatalf("%q after %q", got, text)
		}
	})
}

func checkGate(t interface{ Fatalf(string, ...any) }, text string) {
	got := Gate(text)
	if len(got) > mostAsking {
		t.Fatalf("%d sentences", len(got))
	}
	for _, s := range got {
		if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > longestShown {
			t.Fatalf("%q", s)
		}
		if utf8.ValidString(text) && !strings.Contains(text, s) {
			t.Fatalf("%q is not in the text", s)
		}
	}
}

func FuzzGate(f *testing.F) {
	for _, s := range []string{"Show me a picture.", "*", "**a*", "don't", "¿Puedes mandarme una foto?", "\xff*\xfe", strings.Repeat("send ", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkGate(t, text) })
}

func BenchmarkGate(b *testing.B) {
	ordinary := "*I set the lamp down between us and pull the blanket closer.* \"You never told me what happened that night,\" I say, and for a while there is only the rain. " +
		"\"You could begin with the boat. Or with your brother, if that is easier.\" *My hands are cold.* It was you who wrote to me, after all, and I have come the whole way from the coast."
	for name, text := range map[string]string{"ordinary": ordinary, "asking": "Can you send me a photo of the harbour?", "stars": strings.Repeat("*a ", 20_000), "show": strings.Repeat("can you show a ", 10_000)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Gate(text)
			}
		})
	}
}

func TestGate_OrdinaryMessagesAreNotCopied(t *testing.T) {
	text := "*I set the lamp down.* \"You never told me what happened that night,\" I say. Was it the photo on the wall?"
	if n := testing.AllocsPerRun(20, func() { Gate(text) }); n > 1 {
		t.Errorf("%v allocations for a message that asks for nothing", n)
	}
}
