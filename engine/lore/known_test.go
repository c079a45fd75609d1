package lore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	secret = "hides in(violet boathouse)"
	public = "runs(Gull Inn)"
)

// whispered is a play of two in which one was told a secret about somebody. An entry about that
// person has the secret and a fact that both know.
func whispered(t *testing.T, opts ...func(*enginetest.Setup)) (s *harness, main, bea storage.CharacterID, book storage.LorebookID) {
	s = &harness{enginetest.NewHarness(t, append(opts, enginetest.Filling)...)}
	main, bea = s.Main(), s.Joined("Bea")
	open := s.SayTo("Marla Tew runs the Gull Inn.", bea)
	whisper := s.SayTo("Between us: Marla Tew hides in the violet boathouse.", main, main)
	last := s.SayTo("Let us go on.", bea)
	s.TeachScene(last.Message, marla(public, open.UserMessage), marla(secret, whisper.UserMessage))
	s.leaves("runs the Gull Inn", bea)
	s.leaves("hides in the violet boathouse", main)
	return s, main, bea, s.taughtBook()
}

// marla returns a candidate with a fact about Marla Tew from some messages.
func marla(fact string, from ...storage.NodeID) storage.LoreCandidate {
	c := candidate("character", "Marla Tew", "[character-Marla Tew: "+fact+"]", "marla")
	c.Messages = from
	return c
}

// tells checks a speaker's prompt for facts about Marla.
func (s *harness) tells(who storage.CharacterID, line string, want, not []string) {
	s.T.Helper()
	s.SayTo(line, who)
	sent := s.Sent()
	for _, w := range want {
		if !strings.Contains(sent, w) {
			s.T.Errorf("%q is not told: %s", w, sent)
		}
	}
	for _, w := range not {
		if strings.Contains(sent, w) {
			s.T.Errorf("%q is told: %s", w, sent)
		}
	}
}

// The secret in an entry is shown to the one who has heard it, and the rest of the entry to both,
// even while the entry is in the history.
func TestKnown_ASecretHidesNothingButItself(t *testing.T) {
	t.Parallel()
	s, main, bea, book := whispered(t)
	v := s.named(book, "Marla Tew")
	if !strings.Contains(v.Content, secret) || !strings.Contains(v.Content, public) || !slices.Equal(v.LoreEntry.Witnesses, []storage.CharacterID{main}) {
		t.Fatalf("%+v", v.LoreEntry)
	}
	for range 2 {
		s.tells(main, "What of Marla?", []string{public, secret}, nil)
		s.tells(bea, "And you, what of Marla?", []string{public}, []string{secret})
	}
	s.tells(bea, "Let us eat.", []string{public}, []string{secret})
	s.tells(main, "Let us drink.", []string{public, secret}, nil)
	s.Reopen()
	s.tells(bea, "What of Marla, Bea?", []string{public}, []string{secret})
	s.Sound()
}

// A secret that the model words differently is shown to nobody else, and a fact without a cited
// message only to those who have heard the whole scene.
func TestKnown_ASecretInOtherWords(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, enginetest.Filling)}
	main, bea := s.Main(), s.Joined("Bea")
	open := s.SayTo("Nobody dares bring Marla Tew near the ladder of Oster.", bea)
	whisper := s.SayTo("Between us: Marla Tew cannot stand the smell of Tarn.", main, main)
	last := s.SayTo("Let us go on.", bea)
	s.TeachScene(last.Message, marla("nobody dares bring near(Tarn)", whisper.UserMessage), marla("nobody dares bring near(ladder of Oster)", open.UserMessage),
		marla("nobody dares bring near(Fenn)"))
	s.leaves("the ladder of Oster", bea)
	s.leaves("the smell of Tarn", main)
	s.tells(bea, "What of Marla?", []string{"near(ladder of Oster)"}, []string{"Tarn", "Fenn"})
	s.tells(main, "What of Marla?", []string{"near(Tarn)", "near(ladder of Oster)"}, nil)
}

// News that both know are merged with what both know, and no request shows them beside the
// secret; what is whispered later is merged with the secret.
func TestKnown_MergesKeepSecretsApart(t *testing.T) {
	t.Parallel()
	s, main, bea, book := whispered(t)
	blended := func(job demo.Job, other string) {
		t.Helper()
		for _, c := range s.Servers.Calls() {
			if text := enginetest.Flat(c); c.Job() == job && strings.Contains(text, secret) && strings.Contains(text, other) {
				t.Errorf("the secret was shown beside %q: %s", other, text)
			}
		}
	}
	last := s.SayTo("Marla Tew mended the roof.", bea)
	s.TeachScene(last.Message, marla("mended(roof)", last.UserMessage))
	blended(demo.MergeJob, public)
	s.leaves("mended the roof", bea, main)
	s.tells(bea, "What of Marla?", []string{public, "mended(roof)"}, []string{secret})
	s.tells(main, "What of Marla?", []string{public, "mended(roof)", secret}, nil)

	whisper := s.SayTo("Between us: Marla Tew buried the violet coins.", main, main)
	last = s.SayTo("Let us go on.", bea)
	s.TeachScene(last.Message, marla("buried(violet coins)", whisper.UserMessage))
	blended(demo.MergeJob, public)
	s.leaves("buried the violet coins", main)
	s.tells(bea, "What of Marla?", []string{public, "mended(roof)"}, []string{secret, "buried(violet"})
	s.tells(main, "What of Marla?", []string{secret, "buried(violet coins)"}, nil)

	// A model that repeats what it has read does not reveal it to those who were not there.
	last = s.SayTo("Marla Tew hides her face, and laughs.", bea)
	s.TeachScene(last.Message, candidate("character", "Marla Tew", "[character-Marla Tew: "+secret+", has a violet boathouse]", "marla"))
	s.tells(bea, "What of Marla?", []string{public}, []string{secret, "has a violet boathouse"})

	// A secret that comes out is shown to both.
	last = s.SayTo("Listen, all: Marla Tew hides in the violet boathouse.", bea)
	s.TeachScene(last.Message, marla(secret, last.UserMessage))
	s.leaves("hides in the violet boathouse", bea)
	s.tells(bea, "What of Marla?", []string{public, secret}, []string{"buried(violet"})
	if n := strings.Count(s.named(book, "Marla Tew").Content, secret); n != 1 {
		t.Errorf("%d times: %s", n, s.named(book, "Marla Tew").Content)
	}
	s.Sound()
}

// The user's own hand keeps a secret one: a changed fact is known to those who knew it,
// and a new one to both.
func TestKnown_EditsKeepSecrets(t *testing.T) {
	t.Parallel()
	s, main, bea, book := whispered(t)
	v := s.named(book, "Marla Tew")
	x := v.LoreEntry
	x.Content = strings.Replace(x.Content, "]", ", likes(plum cake)]", 1)
	x.Content = strings.Replace(x.Content, secret, "hides in(violet boathouse, upstairs)", 1)
	_, err := s.Lore.SaveEntry(book, s.Chat, x)
	enginetest.Must(t, err)
	s.tells(bea, "What of Marla?", []string{public, "likes(plum cake)"}, []string{"upstairs"})
	s.tells(main, "What of Marla?", []string{"violet boathouse, upstairs", "likes(plum cake)"}, nil)
	v = s.named(book, "Marla Tew")
	made, err := s.Lore.Split(book, s.Chat, v.ID, "Marla's secret", []int{slices.Index(factsOf(v.Content), "hides in(violet boathouse, upstairs)")})
	enginetest.Must(t, err)
	s.tells(bea, "What of Marla's secret?", []string{public}, []string{"upstairs"})
	enginetest.Must(t, s.Lore.Merge(book, s.Chat, v.ID, made))
	s.tells(bea, "What of Marla, Bea?", []string{public}, []string{"upstairs"})
	_, err = s.Lore.Undo(book, s.Chat, v.ID)
	enginetest.Must(t, err)
	s.tells(bea, "Once more: what of Marla?", []string{public}, []string{"upstairs"})
	s.Sound()
}

// A recap is shown what all know who were there.
func TestKnown_ARecapIsShownWhatItsSceneMayTell(t *testing.T) {
	t.Parallel()
	s, main, bea, _ := whispered(t)
	shown := func(node storage.NodeID) string {
		t.Helper()
		before := len(s.Servers.Calls())
		s.End(node)
		for _, c := range s.Servers.Calls()[before:] {
			if c.Job() == demo.SceneJob {
				return enginetest.Flat(c)
			}
		}
		t.Fatal("no recap was asked for")
		return ""
	}
	if text := shown(s.SayTo("We talk of Marla Tew.", bea).Message); !strings.Contains(text, public) || strings.Contains(text, secret) {
		t.Errorf("to both: %s", text)
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, true))
	if text := shown(s.SayTo("We talk of Marla Tew.", main).Message); !strings.Contains(text, public) || !strings.Contains(text, secret) {
		t.Errorf("to the one who knows: %s", text)
	}
}

// A compaction says each part by itself, and its proposal keeps the secret one.
func TestKnown_CompactionKeepsSecretsApart(t *testing.T) {
	t.Parallel()
	s, main, bea, book := whispered(t, func(o *enginetest.Setup) { o.Cfg.Lore.Compact = 200 },
		enginetest.Answering(map[demo.Job][]any{demo.CompactJob: {enginetest.Object{"facts": []any{
			enginetest.Object{"text": public, "from": []int{1}}, enginetest.Object{"text": "is calm at night too", "from": []int{2, 3}},
			enginetest.Object{"text": "keeps the oldest inn of the whole shore for guests in winter", "from": []int{4, 5}}}}}}))
	v := s.named(book, "Marla Tew")
	x := v.LoreEntry
	x.Content = "[character-Marla Tew: " + public + ", is calm, is calm at night too, keeps the oldest inn of the whole shore, " + "keeps the oldest inn of the shore for her guests in winter, " + secret + "]"
	x.Content = strings.Replace(x.Content, "her guests", "guests", 1)
	_, err := s.Lore.SaveEntry(book, s.Chat, x)
	enginetest.Must(t, err)
	_, err = s.Lore.Compact(book, s.Chat, v.ID)
	enginetest.Must(t, err)
	s.Work()
	for _, c := range s.Servers.Calls() {
		if text := enginetest.Flat(c); c.Job() == demo.CompactJob && strings.Contains(text, "violet boathouse") {
			t.Errorf("the secret was shown: %s", text)
		}
	}
	inbox, err := s.Lore.Inbox(s.Chat, book)
	enginetest.Must(t, err)
	if len(inbox) != 1 || !strings.Contains(inbox[0].After.Content, secret) {
		t.Fatalf("%+v", inbox)
	}
	enginetest.Must(t, s.Lore.Accept(inbox[0].ID, nil, nil))
	s.tells(bea, "What of Marla?", []string{public}, []string{secret})
	s.tells(main, "What of Marla?", []string{secret}, nil)
}

// What a model does not mention stays as it was, and is not asked for; what it leaves out
// for a reason is kept with the reason.
func TestFill_NothingIsForgottenSilently(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, enginetest.Filling)}
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: made of brass, dented, hangs(over the door)]", "lamp"))
	asked := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Job() != demo.MergeJob {
			return demo.Fault{}
		}
		asked++
		return demo.Fault{Kind: demo.Say, Text: `{"facts": [{"text": "hangs(over the stove)", "from": [3, 4]}, {"text": "was lost in Atlantis", "from": [71]}], "dropped": [{"fact": 2, "why": "it was hammered out"}]}`}
	})
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: hangs(over the stove)]", "lamp"))
	v := s.named(s.taughtBook(), "Brass Lamp")
	if asked != 1 || v.Content != "[item-Brass Lamp: made of brass, hangs(over the stove)]" {
		t.Errorf("asked %d times: %s", asked, v.Content)
	}
	c := v.Cause
	if len(c.Dropped) != 1 || c.Dropped[0].Fact != "dented" || c.Dropped[0].Why != "it was hammered out" {
		t.Errorf("%+v", c)
	}
	s.Sound()
}

// A lookup's lists count although the sentence that was asked for is missing.
func TestFill_ALookupWithoutASentenceIsTaken(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, enginetest.Filling)}
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("character", "the keeper", "[character-the keeper: keeps the light]", "keeper"))
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Job() != demo.LookupJob {
			return demo.Fault{}
		}
		return demo.Fault{Kind: demo.Say, Text: `{"type": "character", "synopsis": "", "sameEntityIds": [1], "needsFullContextIds": []}`}
	})
	s.TeachScene(a[7], candidate("character", "Ben Hale", "[character-Ben Hale: limps, keeps the light]", "ben"))
	if v := s.named(s.taughtBook(), "the keeper"); !strings.Contains(v.Content, "limps") || !strings.Contains(v.Content, "keeps the light") || len(v.History) != 2 {
		t.Errorf("%+v", v.LoreEntry)
	}
}

func factsOf(content string) []string { return plist.Facts(content) }
