package lessons

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// generated is a profile with details of scenes hidden in it.
type generated struct {
	names    []string
	memories []storage.TasteMemory
	profile  storage.Taste
	hand     storage.TasteHand
	details  []string // that must not be told
	clean    []storage.PreferenceCard
}

// pick draws one of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var (
	givenNames = strings.Fields("Mara Ilse Dorrigan Zoë Anselm Kettil Yusra Björn Oona Tamsin Ravindra Séverine Mirelle Caspian Håkon Ludmila Will Grace Ares Allen Nikolai 小夜子")
	lastNames  = strings.Fields("Voss Ketterley O'Brien Ibáñez Grauwald Marchetti Thorne Vex Lindqvist Okafor Castellane Drăgulescu")
	placeNames = []string{"Blackwater Pier", "the Lamp Room", "Saltmarsh", "Grauwald Keep", "the Pale Lantern", "Old Harbour", "Vantreight", "Sankt Ilgen"}
	thingNames = []string{"the brass key", "Ember Ledger", "the Hollow Crown", "Widowmaker", "rope ladder", "the Tide Bell"}
	spokenIn   = []string{"you swore on her grave", "I never took the ledger", "leave before the bell rings again", "nobody crosses the marsh twice"}
	plots      = []string{"%[1]s hides %[3]s beneath the rotten floorboards of %[2]s.", "%[1]s drags the drowned smuggler out of %[2]s at low tide.",
		"%[1]s bargains with the ferryman for %[3]s and loses.", "Near %[2]s somebody has painted a warning for %[1]s in tar."}
	cleanSubjects = []string{"the listener's reaction", "hands and small gestures", "the empty space between two people", "the face of whoever is silent", "the room before anybody speaks", "a detail of an object"}
	cleanForms    = []string{"Hold longer on %s.", "Insert a filler shot of %s before the key shot.", "Prefer a tight close-up for %s, then a wide one.", "Keep the camera static on %s.",
		"Trim shots of %s to two seconds.", "Give %s an extra shot when the mood turns.", "Nahaufnahme statt Totale für %s."}
	cleanWhen = []string{"confrontations between two people", "quiet, dialogue-heavy scenes", "chases and other fast action", "farewells and reconciliations", "the moment before an answer",
		"comic banter", "arrivals in a new place", "when tension rises", "Streit in engen Räumen"}
)

func cleanCard(r *rand.Rand, id int) storage.PreferenceCard {
	return storage.PreferenceCard{ID: storage.CardID(fmt.Sprintf("card-%d", id)), Preference: fmt.Sprintf(pick(r, cleanForms), pick(r, cleanSubjects)), AppliesTo: pick(r, cleanWhen),
		AvoidApplyingTo: pick(r, cleanWhen), Evidence: "E1, E4", Confidence: pick(r, levels)}
}

// generate makes a story, and a profile of it that holds what it must not.
func generate(seed uint64) generated {
	r := rand.New(rand.NewPCG(seed, 7))
	var g generated
	for i := range 2 + r.IntN(4) {
		who, where, what, quote := pick(r, givenNames)+" "+pick(r, lastNames), pick(r, placeNames), pick(r, thingNames), pick(r, spokenIn)
		g.names = append(g.names, who, where, what)
		m := memoryOf(1000*int(seed)+i, lessonOf(fmt.Sprintf(pick(r, cleanForms), pick(r, cleanSubjects)), pick(r, cleanWhen), pick(r, levels)))
		plot := fmt.Sprintf(pick(r, plots), who, where, what)
		m.SceneContextSummary = "Two people argue about what is owed. " + plot + " “" + quote + "”, says " + who + "."
		m.SceneLearnings[0].Evidence = "Around s7 the glistening tarpaulin was shown for longer."
		m.Events = []storage.EditEvent{{Type: storage.EventModify, Summary: "the lantern swings above the ferryman's broken oar", ShotRefs: []storage.ShotID{"s7"}}}
		g.memories = append(g.memories, m)
		g.profile.SourceSceneIDs = append(g.profile.SourceSceneIDs, m.Scene)
		g.profile.SourceMemoryIDs = append(g.profile.SourceMemoryIDs, m.ID)
		phrase := strings.TrimRight(strings.Join(lastOf(strings.Fields(plot), 6), " "), ".")
		g.details = append(g.details, who, strings.Fields(who)[0], where, what, quote, string(m.Scene), string(m.ID), phrase,
			"the glistening tarpaulin was shown", "the lantern swings above the", fmt.Sprintf("s%d", 1+r.IntN(40)), fmt.Sprintf("scene %d", 1+r.IntN(9)), strings.Fields(who)[1])
	}
	for i := range r.IntN(5) {
		c := cleanCard(r, i)
		c.Confidence = storage.HighConfidence
		g.clean = append(g.clean, c)
	}
	g.profile.PreferenceCards = slices.Clone(g.clean)
	for i := range 1 + r.IntN(6) {
		c := cleanCard(r, 100+i)
		field := pick(r, []*string{&c.Preference, &c.AppliesTo, &c.AvoidApplyingTo})
		*field = hide(r, *field, pick(r, g.details))
		c.Evidence = "seen when " + pick(r, g.details)
		g.profile.PreferenceCards = append(g.profile.PreferenceCards, c)
	}
	r.Shuffle(len(g.profile.PreferenceCards), func(i, j int) {
		list := g.profile.PreferenceCards
		list[i], list[j] = list[j], list[i]
	})
	g.profile.ProfileSummary = "Scenes are told closely. " + hide(r, "Silence is held.", pick(r, g.details)) + " Chases are cut fast."
	g.profile.StatsSummary = "Over 3 finished scenes: 12 shots per scene (10 to 14). Common jobs: reaction (4), " + pick(r, g.details) + " (2)."
	if r.IntN(4) == 0 {
		g.hand.Cards = []storage.HandCard{{ID: storage.CardID(storage.NewID()), Card: &storage.PreferenceCard{Preference: "Rain in every window", Evidence: "because of " + pick(r, g.details)}}}
	}
	return g
}

func lastOf[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// hide puts a detail into a text in one of many forms.
func hide(r *rand.Rand, text, detail string) string {
	capital := strings.ToUpper(detail[:1]) + detail[1:]
	text = strings.TrimSuffix(text, ".")
	return pick(r, []string{
		text + ", as with " + detail + ".", text + " (" + detail + ")", strings.ToUpper(text + " near " + detail), capital + ": " + text, text + " around " + detail + "'s side.",
		text + " for “" + detail + "”.", text + " – *" + detail + "*, mostly.", text + "\nlike " + detail, text + ", " + detail + " above all", text + " /" + detail + "/ and so on",
		text + " at " + strings.Replace(detail, " ", "\u00a0", 1) + ".", text + " with " + strings.Replace(detail, "a", "a\u200b", 1) + " there", text + " where " + detail + "’s shadow falls",
	})
}

var unhidden = strings.NewReplacer("\u200b", "", "\u00a0", " ", "’", "'")

// asRead is a text as a reader takes it in, who hears no difference of case and
// sees nothing that hides between letters.
func asRead(s string) string {
	s = unhidden.Replace(strings.ToLower(s))
	return " " + strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !isTermRune(r) && r != '\'' }), " ") + " "
}

// told finds a detail in what is told, given also as it is read. The detail may be
// a name that is a word, too.
func told(block, read, detail string) bool {
	detail = strings.TrimSpace(asRead(strings.TrimPrefix(detail, "the ")))
	if detail == "will" || detail == "grace" {
		return strings.Contains(block, strings.ToUpper(detail[:1])+detail[1:])
	}
	return strings.Contains(read, " "+detail+" ") || strings.Contains(read, " "+detail+"'s ") || isDense(detail) && strings.Contains(read, detail)
}

// ofTaste is the part of a block that is not always the same.
func ofTaste(block string) string {
	_, block, _ = strings.Cut(block, "<taste>")
	block, _, _ = strings.Cut(block, "</taste>")
	return block
}

func TestBlock_NoDetailOfAnySceneIsTold(t *testing.T) {
	t.Parallel()
	const profiles = 1000
	hidden, clean, lost := 0, 0, 0
	for seed := range uint64(profiles) {
		g := generate(seed)
		d := NewDetails(g.names, g.memories)
		used := Block(prompts.BuiltIn(), planningTools[seed%uint64(len(planningTools))], "", g.profile, g.hand, d, true)
		hidden += len(g.profile.PreferenceCards) - len(g.clean) + 2
		block := ofTaste(used.Block)
		read := asRead(block)
		for _, detail := range g.details {
			if told(block, read, detail) {
				t.Errorf("profile %d: %q is told in\n%s", seed, detail, block)
			}
		}
		for _, c := range g.clean {
			clean++
			if !slices.Contains(used.Cards, c.ID) {
				lost++
				t.Logf("profile %d lost %+v: %q", seed, c, d.In(c.Preference+"\n"+c.AppliesTo+"\n"+c.AvoidApplyingTo))
			}
		}
		if t.Failed() && seed > 50 {
			break
		}
	}
	if lost > clean/500 {
		t.Errorf("%d of %d clean cards are lost", lost, clean)
	}
	t.Logf("%d hidden details in %d profiles, none told; %d of %d clean cards lost", hidden, profiles, lost, clean)
}

func TestKeepProfile_NoDetailOfAnySceneIsKept(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		g := generate(seed)
		p := Profile{ProfileSummary: g.profile.ProfileSummary}
		for _, c := range g.profile.PreferenceCards {
			p.PreferenceCards = append(p.PreferenceCards, AnswerCard{PreferenceCard: c})
		}
		kept := KeepProfile(Story{Memories: g.memories, Names: g.names, Before: g.profile, Overrides: g.hand}, p)
		used := Block(prompts.BuiltIn(), SteerTool, "", kept, storage.TasteHand{}, NewDetails(g.names, nil), false)
		block := ofTaste(used.Block) + kept.ProfileSummary
		read := asRead(block)
		for _, detail := range g.details {
			if told(block, read, detail) {
				t.Fatalf("profile %d: %q is kept in\n%s", seed, detail, block)
			}
		}
	}
}

// FuzzKeepProfile puts anything into a profile: it is kept within its bounds, twice
// the same, and told without what must not be told.
func FuzzKeepProfile(f *testing.F) {
	f.Add("Hold longer on Mara.", "confrontations", "“you", "Mara waits. She hides it.", "high", "Mara")
	f.Add("s1", "", "scene 4", "'", "", "Ma\u200bra")
	f.Add("Längere Blicke\x00\xff", "Streit: 'a", "«", "小夜子", "low", "小夜子")
	f.Fuzz(func(t *testing.T, preference, applies, avoid, summary, sure, name string) {
		s := Story{Names: []string{name}, Memories: []storage.TasteMemory{memoryOf(1, lessonOf(preference, applies, storage.Confidence(sure)), lessonOf(avoid, summary, "high"))}}
		s.Memories[0].SceneContextSummary = summary
		card := storage.PreferenceCard{Preference: preference, AppliesTo: applies, AvoidApplyingTo: avoid, Evidence: summary, Confidence: storage.Confidence(sure)}
		got := KeepProfile(s, Profile{ProfileSummary: summary, PreferenceCards: []AnswerCard{{PreferenceCard: card, Scenes: []int{1, -4}}, {PreferenceCard: card}}})
		d := NewDetails(s.Names, s.Memories)
		for _, c := range got.PreferenceCards {
			if c.ID == "" || level(c.Confidence) == 0 || d.In(c.Preference) != "" || d.In(c.AppliesTo) != "" || d.In(c.AvoidApplyingTo) != "" {
				t.Errorf("%+v", c)
			}
		}
		if d.In(got.ProfileSummary) != "" || len(got.PreferenceCards) > mostCards {
			t.Errorf("%+v", got)
		}
		a, b := Block(prompts.BuiltIn(), SteerTool, "", got, storage.TasteHand{}, d, true), Block(prompts.BuiltIn(), SteerTool, "", got, storage.TasteHand{}, d, true)
		if a.Block != b.Block || len(a.Block) > 40000 {
			t.Errorf("%q and %q", a.Block, b.Block)
		}
		_ = CheckProfile(s, Profile{ProfileSummary: summary, PreferenceCards: []AnswerCard{{PreferenceCard: card}}})
	})
}
