package lessons

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What else than a plan can be told of the user's taste, named as tools are: pictures,
// recaps, and the prose of replies.
const (
	PictureTool = "picture"
	RecapTool   = "recap"
	ProseTool   = "prose"
)

// ToldFile is the prompt file around what these are told.
const ToldFile = "taste/told"

// aspects say what the requests of those tools make, in words.
var aspects = map[string]string{PictureTool: "pictures to look", RecapTool: "recaps to be written", ProseTool: "the story to be written"}

// Aspect tells whether a tool is one of these.
func Aspect(tool string) bool { return aspects[tool] != "" }

// The words by which a card speaks of recaps, of prose or of pictures.
var (
	ofRecaps   = setOf("recap recaps summary summaries summarise summarize zusammenfassung zusammenfassungen resume resumes resumen resumenes")
	ofProse    = setOf("prose reply replies sentence sentences paragraph paragraphs narration narrate adjective adjectives adverb adverbs tense wording phrasing vocabulary diction satze absatze prosa phrases parrafos")
	ofPictures = sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(pictureWords + ` prompt prompts pictures images colours colors lights shadows frame frames framed framing composition compositions background foreground
			silhouette silhouettes symmetrical symmetric centre centered centred light-source source bild bilder farbe farben licht lumiere couleur couleurs luz colores`) {
			m[w] = true
		}
		for _, w := range []string{"clip", "video", "capture", "prompt", "quality", "workflow", "seed"} {
			m[w] = true
		}
		return m
	})
)

// speaksFor tells whether a card is for a tool. One that speaks of recaps or prose is
// for nothing else; any other is for plans, and for pictures where it says how they look.
func speaksFor(tool string, c storage.PreferenceCard) bool {
	has := func(text string, words map[string]bool) bool {
		return slices.ContainsFunc(termsOf(text), func(t term) bool { return words[t.text] })
	}
	recaps, prose := has(c.Preference, ofRecaps()), has(c.Preference, ofProse())
	switch tool {
	case RecapTool:
		return recaps
	case ProseTool:
		return prose && !recaps
	case PictureTool:
		return !recaps && !prose && has(c.Preference+" "+c.AppliesTo, ofPictures())
	}
	return !recaps && !prose || has(c.Preference, setOf("storyboard shot shots camera")())
}

// Speaks tells whether any card of a profile may be told for a tool, before more is
// read for it.
func Speaks(tool string, t storage.Taste, h storage.TasteHand) bool {
	return slices.ContainsFunc(Cards(t, h), func(c Card) bool { return !c.Muted && !c.Deleted && speaksFor(tool, c.PreferenceCard) })
}

// cues are words of scenes that tell what kind of moment is played, each line after
// the word by which cards call it.
var cues = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(`confrontation argue argued quarrel accuse accused blame liar lied shout shouted yell yelled demand demanded glare glared furious angry snap snapped streit
chase run runs ran running flee fled sprint sprinted race raced pursue pursued escape escaped
intimate kiss kissed kisses embrace embraced caress love lover lips whisper whispered closeness tender
grief weep wept cried tears sob sobbed mourn funeral grave loss lost buried
suspense dread creak footsteps dark darkness scream screamed shiver silence fear afraid
comedy laugh laughed laughs joke joked grin grinned tease teased giggle banter
violence fight fought blood bled punch punched struck stab stabbed gun shot wound
farewell goodbye leave leaves left depart parted farewell
interrogation question questioned questions suspect alibi confess
confession confess confessed admit admitted secret truth
arrival arrive arrived enter entered door welcome threshold
quiet silent silence calm still softly hush hushed
negotiation offer offered bargain price deal terms pay money
group everyone crowd all`, "\n") {
		all := strings.Fields(line)
		for _, w := range all {
			m[stem(w)] = all[0]
		}
	}
	return m
})

// longestAbout bounds what is read of a scene, in bytes.
const longestAbout = 16 << 10

// moment are the words of what is at hand, with the kinds of moment that they tell of.
func moment(about string) map[string]bool {
	out := map[string]bool{}
	for _, t := range termsOf(about[:min(len(about), longestAbout)]) {
		w := stem(t.text)
		if kind, ok := cues()[w]; ok {
			out[kind] = true
			out[sameWord(kind)] = true
		}
		if !silentWords()[w] {
			out[sameWord(w)] = true
		}
	}
	return out
}

// sameWord is a word as subjects have it.
func sameWord(w string) string {
	if same, ok := alikeWords()[w]; ok {
		return same
	}
	return w
}

// fit is how well a card fits what is at hand: from -4, where it is not for that, to 4.
func fit(c storage.PreferenceCard, at map[string]bool) int {
	if len(at) == 0 {
		return 0
	}
	share := func(text string) float64 {
		m := meaningOf(text)
		if len(m.subject) == 0 {
			return 0
		}
		n := 0
		for w := range m.subject {
			if at[w] || cues()[w] != "" && at[cues()[w]] {
				n++
			}
		}
		return float64(n) / float64(len(m.subject))
	}
	return int(math.Round(4 * (share(c.AppliesTo) - share(c.AvoidApplyingTo))))
}

// aspectWords is what pictures, recaps or prose are told: the cards that speak of them.
func aspectWords(set *prompts.Set, tool string, cards []string) string {
	return strings.TrimSpace(oneText(set.Request(ToldFile, map[string]string{
		"what":  aspects[tool],
		"taste": prompts.Defuse(strings.Join(cards, "\n\n"), blockFences),
	})))
}
