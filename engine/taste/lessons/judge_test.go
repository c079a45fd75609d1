package lessons

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// otherGenres are cards of stories of which nothing is known: P are patterns, X are plot.
const otherGenres = `
P: Wide shots of empty land before a standoff | duels and showdowns in the open | domestic scenes
P: Let the dust settle before anyone moves | the aftermath of gunfights | chases on horseback
P: Linger on a hat brim or boots before the face | introductions of dangerous strangers | scenes with children
P: Cut on the punchline, never after it | comic exchanges | sentimental scenes
P: Keep the loser of a match in frame while the winners celebrate | sports and contests | training
P: Holds on the kitchen as people cook together in silence | domestic reconciliation | parties
P: Prefers jump scares to be earned by at least three quiet shots | supernatural horror | daylight scenes
P: The monster is only ever a shadow or a sound | early encounters with a threat | final confrontations
P: Use mirrors and glass to double a person | identity crises | group scenes
P: Sweaty close-ups and short cuts | high-pressure kitchens, operating rooms and trading floors | slow mornings
P: Treats weather as a mood: storms for anger, fog for doubt | emotional turning points | comedies
P: Teacher and student are framed at the same height when respect is earned | lessons and mentorship | punishment
P: Skip the drive and begin at the doorstep | family visits and holidays | road movies
P: Two beats of silence after an insult | school hallways and playground conflicts | team briefings
P: Prefers a single unbroken shot for the whole argument | marital fights | fights with weapons
P: Quick inserts of ingredients, then a long shot of someone tasting | cooking and eating | talk-heavy scenes
P: In pictures, keep skin tones natural even under coloured light | nightclubs and concerts | dream sequences
P: Avoids showing blood; shows what it leaves behind | crime scenes | war
P: Starts a heist plan in voice-over and cuts to the doing | planning montages | scenes that go wrong
P: Reaction of the crowd before the goal itself | decisive moments in sport | training sessions
P: Childlike low camera when a child is the one who watches | family quarrels seen by children | adult conversations
P: Keep replies short and end on an action | tense roleplay | exposition
P: Prose in present tense with few adjectives | fights and chases | dreamlike passages
P: Recaps list who knows what | mysteries with secrets | comedies
P: Golden hour light for first meetings | young love | break-ups
P: Cross-cut between hunter and hunted, shortening each time | stalking and pursuit | open battles
P: Prefers the animal's point of view for a moment | scenes with pets or wild animals | dialogue
P: Slow zoom on the jury rather than the lawyer | courtroom drama | private consultations
P: Shows hunger, cold and tiredness through small gestures | survival stories | banquets
P: Handheld only for the person who is losing control | panic attacks and breakdowns | dances
X: Hold on Sheriff Cole's badge before he throws it away | standoffs | comedy
X: The stagecoach robbery should be told only in inserts | flashbacks | dialogue
X: Keep the bakery window behind them in every talk | romantic scenes | arguments
X: Wider shots now that the team has lost the final | locker room scenes | matches
X: After the prom, no more close-ups of Jenny | school scenes | parties
X: Show the well in the background whenever the curse is mentioned | village scenes | interiors
X: Linger on her cracked phone screen since the accident | lonely evenings | work
X: Let the goalkeeper stay alone in the net after his mistake | matches | training
X: Prefers low angles on the butcher who hid the body | shop scenes | exteriors
X: Start on the treehouse the children built last summer | reunions | fights
X: The grandmother never faces the camera until she forgives her son | family scenes | holidays
X: Insert of the red suitcase at every station | travel scenes | homes
X: close on the scar that the dog left | scenes with the boy | chases
X: Give the rival chef longer pauses because he stole the recipe | kitchen scenes | tastings
X: hold on marcus when the whistle blows | matches | interviews
X: Frame them apart as they were on the ferry | dialogues after the separation | action
X: Use the attic light from the night grandfather died | memories | comedy
X: The vampire's invitation scene needs more fillers | suspense | daylight
X: Cut to the sleeping baby when they argue about money | marital quarrels | visits
X: Show that the coach is lying about the contract | interviews | games
X: Lower the camera whenever the cult leader enters the barn | cult gatherings | town scenes
X: No faces during the exorcism of the younger sister | horror | family breakfasts
X: Dwell on the unpaid bills on the fridge | kitchen talks | outings
X: Keep the wedding dress in the corner of the frame | scenes in the flat | flashbacks
X: More reaction shots of Dad | family dinners | school
X: Emphasise how quiet it became after the gunshot in the church | mourning | brawls
X: Hold longer on the twins when the letter from the army arrives | farm scenes | battles
X: They finally kiss, so keep it wide | rain scenes | quarrels
X: Prefers warm tones in grandma's kitchen | visits | city scenes
X: Do not cut away when the horse is shot | war scenes | rides
`

// No plot is let through and no pattern refused where nothing of the story is known,
// and few are left to the model.
func TestJudge_OtherGenres(t *testing.T) {
	t.Parallel()
	asked, all := 0, 0
	for line := range strings.Lines(strings.TrimSpace(otherGenres)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		f := strings.Split(rest, " | ")
		v, why := (*Details)(nil).Judge(storage.PreferenceCard{Preference: f[0], AppliesTo: f[1], AvoidApplyingTo: f[2]})
		if kind == "P" && v == Plot || kind == "X" && v == Pattern {
			t.Errorf("%v for %s: “%s”", v, line, why)
		}
		if all++; v == Undecided {
			asked++
		}
	}
	if asked*3 > all {
		t.Errorf("%d of %d are left to the model", asked, all)
	}
}

// What rules cannot know is left to the model, and never passes by itself.
func TestJudge_OtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Verdict{
		"Nahaufnahmen der Hände, wenn die Spannung steigt.": Undecided,
		"Nahaufnahme statt Totale":                          Pattern,
		"Länger auf dem Messer bleiben, das sie versteckt":  Undecided,
		"Plus près du couteau volé":                         Undecided,
		"対立の場面では手のクローズアップを使う。":                              Undecided,
		"Держать крупный план, пока она молчит":             Undecided,
	} {
		if v, why := (*Details)(nil).Judge(storage.PreferenceCard{Preference: text}); v != want {
			t.Errorf("%v for %q: “%s”", v, text, why)
		}
	}
}
