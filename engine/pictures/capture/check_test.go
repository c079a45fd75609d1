package capture

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// filler is n words that break no rule but name nobody.
func filler(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " grey%d", i)
	}
	if n == 0 {
		return ""
	}
	return b.String()[1:] + "."
}

func named3(name, nickname string) Input {
	in := Input{Kind: Image}
	in.Character.Card.Name, in.Character.Card.Nickname = name, nickname
	return in
}

func TestCheck_Words(t *testing.T) {
	for _, test := range []struct {
		kind  Kind
		words int
		ok    bool
	}{
		{Image, 0, false}, {Image, 99, false}, {Image, 100, true}, {Image, 300, true}, {Image, 301, false},
		{Video, 0, false}, {Video, 1, true}, {Video, 150, true}, {Video, 151, false},
	} {
		for _, requested := range []string{"", "show me"} {
			in := Input{Kind: test.kind, Requested: requested}
			prompt := filler(test.words)
			faults := Check(in, Answer{Prompt: prompt})
			if (len(faults) == 0) != test.ok {
				t.Errorf("%s of %d words: %+v", test.kind, test.words, faults)
			}
			if !test.ok && (faults[0].Message == "" || faults[0].Correction == "" || !strings.Contains(Corrections(faults), faults[0].Correction)) {
				t.Errorf("a fault without words: %+v", faults)
			}
		}
	}
	if Corrections(nil) != "" {
		t.Error("nothing to ask again")
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n": 0, "one": 1, "a well-lit room": 3, "lamp — and – dark": 3, "don't, won't": 2, "35 mm": 2, "«ja» … 日本": 2,
	} {
		if got := CountWords(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCheck_RequestedMayBeAnyViewAndSubject(t *testing.T) {
	in := named3("Mara", "")
	in.Requested = "the sea as I see it"
	if faults := Check(in, Answer{Prompt: "The sea through my eyes, " + filler(110)}); len(faults) != 0 {
		t.Errorf("faults: %+v", faults)
	}
}

func TestCheck_Name(t *testing.T) {
	for _, test := range []struct {
		name, nickname, prompt string
		ok                     bool
	}{
		{"Mara Quist", "", "Mara's hand", true},
		{"Mara Quist", "", "old Quist, there", true},
		{"Mara Quist", "", "MARA", true},
		{"Mara Quist", "", "the Maraschino", false},
		{"Mara Quist", "", "a woman", false},
		{"Mara Quist", "Mo", "Mo waits", true},
		{"Will", "", "he will go", false},
		{"Will", "", "he will go; Will stays", true},
		{"The Lady of the Lake", "", "the of", false},
		{"The Lady of the Lake", "", "the Lake", true},
		{"✨Luna✨", "", "Luna smiles", true},
		{"桜", "", "the girl桜stands", true},
		{"Дарья", "", "Рядом Дарья.", true},
		{"the", "", "the", true},
		{"✨", "", "nothing to look for", true},
		{"", "", "nobody", true},
		{"J. R. Holt", "", "a J of light", false},
		{"V", "", "V turns", true},
		{"O'Neill", "", "O'Neill waits", true},
	} {
		in := named3(test.name, test.nickname)
		faults := Check(in, Answer{Prompt: test.prompt + " " + filler(110), InView: []string{in.Character.Card.CharName()}})
		if (len(faults) == 0) != test.ok {
			t.Errorf("%q (%q) in %q: %+v", test.name, test.nickname, test.prompt, faults)
		}
	}
}

func TestTrigger(t *testing.T) {
	for _, test := range []struct {
		prompt, trigger, want string
	}{
		{"a pier", "mrqst", "mrqst, a pier"},
		{"a MRQST pier", "mrqst", "a MRQST pier"},
		{"mrqst, a pier", "mrqst", "mrqst, a pier"},
		{"mrqsty pier", "mrqst", "mrqst, mrqsty pier"},
		{"my_mrqst pier", "mrqst", "mrqst, my_mrqst pier"},
		{"a pier", "", "a pier"},
		{"a pier", "  ", "a pier"},
		{"", "mrqst", "mrqst"},
		{"a photo of ohwx  woman", "ohwx woman", "ohwx woman, a photo of ohwx  woman"},
		{"a photo of Ohwx Woman.", "ohwx woman", "a photo of Ohwx Woman."},
		{"x <lora:a:1> y", "<lora:a:1>", "x <lora:a:1> y"},
	} {
		if got := WithTrigger(test.prompt, test.trigger); got != test.want {
			t.Errorf("%q + %q: %q", test.prompt, test.trigger, got)
		}
		in := named3("", "")
		in.Character.Imagery.TriggerWord = test.trigger
		forbidden := len(CheckText(in, test.prompt+" "+filler(110))) > 0
		if holds := test.want == test.prompt && strings.TrimSpace(test.trigger) != ""; forbidden != holds {
			t.Errorf("%q with %q: forbidden %t", test.prompt, test.trigger, forbidden)
		}
	}
}

func TestTrigger_ThatIsTheName(t *testing.T) {
	in := named3("Mara Quist", "")
	in.Character.Imagery.TriggerWord = "mara"
	if faults := CheckText(in, "Mara "+filler(110)); len(faults) != 0 {
		t.Errorf("a name that must appear cannot be forbidden: %+v", faults)
	}
}

func TestDirect(t *testing.T) {
	camera := Camera{Shot: "close", Angle: "low", Lens: "portrait", Lighting: "candle", Composition: "thirds", Mood: "tender"}
	got := AddCamera("A pier in fog", camera)
	want := "A pier in fog. Close-up of the face, low angle, looking up, 85 mm portrait lens, shallow depth of field, " +
		"flickering candlelight, warm faces out of the dark, composed by the rule of thirds, tender, quiet mood."
	if got != want {
		t.Errorf("got %q", got)
	}
	if again := AddCamera(got, camera); again != got {
		t.Errorf("directing twice: %q", again)
	}
	for _, same := range []Camera{{}, {Shot: "none of these"}} {
		if got := AddCamera("As it was", same); got != "As it was" {
			t.Errorf("%+v: %q", same, got)
		}
	}
	if got := AddCamera("", Camera{Mood: "epic"}); got != "Grand, epic mood." {
		t.Errorf("empty prompt: %q", got)
	}
	for name, list := range map[string][]Preset{"shots": Shots(), "angles": Angles(), "lenses": Lenses(), "lightings": Lightings(), "compositions": Compositions(), "moods": Moods()} {
		keys := map[string]bool{}
		for _, p := range list {
			if p.Key == "" || p.Label == "" || p.Phrase == "" || keys[p.Key] {
				t.Errorf("%s: %+v", name, p)
			}
			keys[p.Key] = true
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("I'm \"here\" Mara", "Mara Quist", "mrqst")
	f.Add("‘“”’'' \xff «»", "\xff", "'")
	f.Add("İstanbul K", "ıİ", "K")
	f.Fuzz(func(t *testing.T, prompt, name, trigger string) {
		in := named3(name, "")
		in.Character.Imagery.TriggerWord = trigger
		for _, fault := range Check(in, Answer{Prompt: prompt}) {
			if fault.Message == "" || fault.Correction == "" {
				t.Error("a fault without words")
			}
		}
		with := WithTrigger(prompt, trigger)
		if !strings.HasSuffix(with, prompt) && strings.TrimSpace(prompt) != "" {
			t.Errorf("%q lost %q", with, prompt)
		}
		if utf8.ValidString(trigger) && utf8.ValidString(prompt) && WithTrigger(with, trigger) != with {
			t.Errorf("the trigger word goes in twice: %q %q", with, trigger)
		}
	})
}

func FuzzMessages(f *testing.F) {
	f.Add("text", "name", true)
	f.Fuzz(func(t *testing.T, text, name string, requested bool) {
		in := named3(name, "")
		if requested {
			in.Requested = text
		}
		in.Messages = []storage.Node{{Role: storage.User, Name: name, Content: text}}
		if got := whole(in); strings.TrimSpace(text) != "" && !strings.Contains(got, "[Message 1/1]") {
			t.Errorf("no transcript: %s", got)
		}
	})
}
