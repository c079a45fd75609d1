package habits

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// lexicon is what is known of a language: the words that hold its sentences together, the
// words that every story is made of, and what its adverbs of manner look like. The lists
// were written down for this program from what grammars name, and count nothing.
type lexicon struct {
	code     string
	function map[string]bool
	ordinary map[string]bool
	// endings are those of adverbs; a word of fewer letters than shortest is none.
	endings  []string
	shortest int
	// manner are adverbs without such an ending, not those that have it and are none.
	manner, not map[string]bool
	// articles stand before nouns, so that what follows one is no adverb.
	articles map[string]bool
}

// common tells whether a word says nothing of its writer.
func (w *lexicon) common(word string) bool { return w.function[word] || w.ordinary[word] }

// tells tells whether a phrase has a word that does more than hold others together.
func (w *lexicon) tells(phrase string) bool {
	for word := range strings.SplitSeq(phrase, " ") {
		if !w.function[word] && utf8.RuneCountInString(word) > 2 {
			return true
		}
	}
	return false
}

// adverb tells whether a word that follows another is an adverb of manner.
func (w *lexicon) adverb(word, before string) bool {
	if w.manner[word] {
		return true
	}
	if w.not[word] || w.articles[before] || utf8.RuneCountInString(word) < w.shortest {
		return false
	}
	for _, e := range w.endings {
		if strings.HasSuffix(word, e) {
			return true
		}
	}
	return false
}

func set(text string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(text) {
		out[word] = true
	}
	return out
}

// unknown stands for a language without a lexicon.
var unknown = &lexicon{}

var lexicons = sync.OnceValue(func() []*lexicon {
	return []*lexicon{
		{code: "en", shortest: 5, endings: []string{"ly"}, function: set(functionEN), ordinary: set(ordinaryEN),
			not: set(`family reply only early lovely ugly friendly lonely belly jelly bully holy silly ally rely apply supply july italy daily elderly
			deadly lively lily folly rally tally curly burly chilly hilly wobbly ghostly costly orderly worldly cowardly homely multiply assembly
			butterfly dragonfly fly imply comply wooly bubbly surly unlikely likely motherly fatherly brotherly sisterly leisurely prickly sparkly wrinkly crumbly cuddly smelly`)},
		{code: "de", shortest: 8, endings: []string{"erweise", "licherweise"}, function: set(functionDE), ordinary: set(ordinaryDE),
			manner: set(`plötzlich langsam leise sanft vorsichtig wirklich eigentlich schließlich natürlich offensichtlich anscheinend tatsächlich kaum
			leicht fast beinahe sofort augenblicklich gerade schnell ruhig nervös zögernd zögerlich unwillkürlich allmählich endlich völlig
			vollkommen absolut ziemlich besonders gründlich freundlich verlegen verspielt neugierig aufmerksam eindringlich behutsam zärtlich
			sichtlich merklich spürbar deutlich schweigend lächelnd grinsend flüsternd`)},
		{code: "fr", shortest: 7, endings: []string{"ment"}, function: set(functionFR), ordinary: set(ordinaryFR), manner: set("soudain presque"),
			not: set(`moment appartement vêtement mouvement sentiment bâtiment instrument événement commencement tremblement gouvernement testament
			document argument monument élément régiment compliment jugement logement changement moments aliment département craquement
			murmurement silencement comment serment froment ciment frottement grondement grognement gémissement sifflement frémissement battement
			claquement hurlement étonnement soulagement mécontentement consentement engagement règlement paiement balancement éloignement
			referment ferment dorment forment consument enferment transforment`),
			articles: set("un une le la les l' ce cet cette ces du des au aux son sa ses mon ma mes ton ta tes leur leurs notre nos votre vos chaque quelque aucun de sans")},
		{code: "es", shortest: 7, endings: []string{"mente"}, function: set(functionES), ordinary: set(ordinaryES), manner: set("despacio apenas casi"),
			not:      set("clemente simiente vehemente demente inclemente"),
			articles: set("un una el la los las su sus mi mis tu tus este esta ese esa")},
	}
})

// Language is the code of the language of a text, as in a Report.
func Language(text string) string {
	return (&Tally{window: []*measured{measure(Reply{Text: text})}}).language()
}

// language is the code of the language that most words of the window speak for, "" where
// fewer than one word in eight does.
func (t *Tally) language() string {
	lexicons := lexicons()
	votes := make([]int, len(lexicons))
	total := 0
	for _, m := range t.window {
		for i := range m.tokens {
			total++
			word := m.word(i)
			for k, w := range lexicons {
				if w.function[word] {
					votes[k]++
				}
			}
		}
	}
	best := 0
	for k := range votes {
		if votes[k] > votes[best] {
			best = k
		}
	}
	if votes[best] == 0 || 8*votes[best] < total {
		return ""
	}
	return lexicons[best].code
}

// wordsOf is the lexicon of a language.
func wordsOf(code string) *lexicon {
	for _, w := range lexicons() {
		if w.code == code {
			return w
		}
	}
	return unknown
}

const functionEN = `a an the and or but nor so yet for if then than as at by from in into of off on onto out over to up with within without about above across
after against along among around before behind below beneath beside between beyond down during except inside like near outside past since through throughout
till toward towards under until upon via i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself yourself himself
herself itself ourselves themselves this that these those who whom whose which what when where why how all any both each either every few many more most much
neither none no not one other others another same several some such two be am is are was were been being have has had having do does did done doing will would
shall should can could may might must ought i'm you're he's she's it's we're they're i've you've we've they've i'll you'll he'll she'll it'll we'll they'll
i'd you'd he'd she'd we'd they'd isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't that's there's
what's let's here there now too very also even still again ever never always just only own while because though although whether once`

const ordinaryEN = `said says say saying asked asks ask answered answers answer told tells tell looked looks look looking eyes hand hands head face voice
back away turned turns turn turning went goes going gone came comes come coming took takes take taking made makes make making gave gives give giving left right
door room time way thing things something nothing anything everything someone anyone everyone day night moment good well little long first last know knows knew
think thinks thought want wants wanted need needs needed feel feels felt seem seems seemed keep keeps kept find finds found stand stands stood sits walk walks walked
open opens opened close closed hold holds held reach reaches reached pull pulls pulled small great enough really around almost perhaps maybe together between
house people place world life part side name words word stay wait your leave down before after until toward slightly with them then when were been from have that this
they what will would there their about could other into more some like just over also know than because upon whole much must still again against behind front`

const functionDE = `der die das den dem des ein eine einen einem einer eines und oder aber denn sondern doch wenn als ob weil dass damit obwohl während bevor nachdem seit
bis wie so ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine
seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unseren euer eure dieser diese dieses diesen diesem jener jene jenes welcher welche welches
wer was wem wen wo wohin woher wann warum ist sind war waren bin bist seid gewesen werden wird wurde wurden worden haben hat hatte hatten habe hast habt kann
kannst können konnte konnten muss musst müssen musste darf dürfen durfte soll sollen sollte will willst wollen wollte mag mögen möchte nicht kein keine keinen
keinem keiner nichts etwas jemand niemand man alle alles viel viele mehr wenig ganz nur auch noch schon immer nie wieder jetzt dann da hier dort nun mal ja nein
an am auf aus bei beim durch für gegen hinter im in ins mit nach neben ohne über um unter von vom vor zu zum zur zwischen sich selbst sehr zwei einmal`

const ordinaryDE = `sagt sagte sagen fragt fragte fragen antwortet antwortete augen hand hände kopf gesicht stimme blick zurück geht ging gehen kommt kam
kommen macht machte machen gibt gab geben nimmt nahm nehmen steht stand stehen sieht sah sehen lässt ließ lassen hält hielt halten weiß wusste wissen denkt dachte
tür raum zeit ding dinge moment augenblick gut lange lang erste ersten letzte tag nacht leben welt mann frau haus weg seite name wort worte kleine kleinen großen
große leise eigentlich vielleicht wirklich gerade einfach einen einer ihrem seinem bleibt blieb liegt lag langsam`

const functionFR = `le la les l un une des du de d et ou mais donc or ni car si que qu qui quoi dont où quand comme lorsque puisque parce afin pour par sur sous dans
en avec sans chez vers entre contre avant après depuis pendant jusque jusqu'à à au aux je j tu il elle on nous vous ils elles me m te t se s lui leur y moi toi
soi eux mon ma mes ton ta tes son sa ses notre nos votre vos leurs ce cet cette ces cela ça ceci celui celle ceux celles c'est n'est est es suis sommes êtes sont
était étaient être été fut furent sera serait ai as a avons avez ont avait avaient avoir eu ne n pas plus jamais rien personne aucun aucune tout toute tous toutes
même autre autres chaque quelque quelques plusieurs peu trop très bien aussi encore déjà toujours alors ainsi puis ici là oui non peut peux pouvait doit dois
fait faire deux d'un d'une qu'il qu'elle s'il n'a l'on j'ai c'était n'était`

const ordinaryFR = `dit dis dire demande demanda répond répondit yeux main mains tête visage voix regard regarde regarda retour va vais aller allait vient venait venir
prend prit prendre donne donna donner met mit voit voir vit tient tenait sait savait savoir pense pensait porte pièce temps chose choses moment instant jour nuit
bon bonne petit petite grand grande premier première dernier dernière homme femme maison côté nom mots mot monde vie peut-être vraiment juste simplement reste
resta sans sous chez entre vers leurs comme dans avec pour mais quand cette votre notre elle nous vous lentement doucement`

const functionES = `el la los las lo un una unos unas y e o u pero sino ni que si como cuando donde porque aunque mientras para por con sin de del a al en entre sobre
bajo hasta desde hacia contra ante tras según yo tú él ella ello nosotros nosotras vosotros ellos ellas usted ustedes me te se nos os le les mí ti sí mi mis tu
tus su sus nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas aquel aquella aquello quien quién qué cuál cuyo cómo cuándo dónde
es eres soy somos son era eran fue fueron ser sido será sería está están estaba estaban estar estás estoy ha han he has había habían haber hay no nunca nada nadie
algo alguien todo toda todos todas otro otra otros otras mismo misma cada poco poca mucho mucha muchos muchas más menos muy también tan tanto ya aún todavía
siempre entonces así luego aquí allí ahí puede pueden podía puedes debe debía dos`

const ordinaryES = `dice dijo decir pregunta preguntó responde respondió ojos mano manos cabeza rostro cara voz mirada mira miró mirar vuelve volvió va iba ir viene
venía venir toma tomó tomar da dio dar pone puso ve vio ver tiene tenía tener sabe sabía saber piensa pensó puerta cuarto habitación tiempo cosa cosas momento
instante día noche bueno buena pequeño pequeña gran grande primer primera último última hombre mujer casa lado nombre palabras palabra mundo vida quizás quizá
realmente hace hacer hizo deja dejó queda quedó lentamente suavemente sobre entre hasta desde hacia cuando donde como pero para`
