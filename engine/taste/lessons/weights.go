package lessons

import (
	"strings"
	"sync"
)

// weight is how much a word says about one scene: nothing, a little, or much.
type weight int

const (
	filmWord  weight = iota // of directing, or one that only joins others
	plainWord               // of everyday speech
	ownWord                 // any other
)

// weightOf is the weight of a folded word, or of the word that it is a form of.
// Short words have no forms here: Ares is not "are", nor Allen "all".
func weightOf(w string) weight {
	if isCount(w) {
		return filmWord
	}
	words := ordinary()
	if is, ok := words[w]; ok {
		return is
	}
	for _, end := range [...]string{"s", "es", "d", "ed", "ing", "ly"} {
		base, ok := strings.CutSuffix(w, end)
		if !ok || len(base) < leastBase {
			continue
		}
		for _, form := range [...]string{base, base + "e"} {
			if is, ok := words[form]; ok {
				return is
			}
		}
	}
	return ownWord
}

// leastBase is how many letters a word has that is looked for without its ending.
const leastBase = 4

// isCount knows numbers, and numbers of seconds and of millimetres.
func isCount(w string) bool {
	rest := strings.TrimLeft(w, "0123456789")
	return rest == "" || len(rest) < len(w) && (rest == "s" || rest == "mm" || rest == "k" || rest == "x" || rest == "st" || rest == "nd" || rest == "rd" || rest == "th")
}

// ordinary are the words that a preference may be told in. Film words are those
// of joining, of shots, of what scenes are like in general and of pictures; they
// are never a scene's own, also where a thing of the story is called so.
var ordinary = sync.OnceValue(func() map[string]weight {
	m := map[string]weight{}
	put := func(is weight, words string) {
		for w := range strings.FieldsSeq(words) {
			m[w] = is
		}
	}
	put(plainWord, plainWords)
	for _, words := range []string{joiningWords, shotWords, sceneWords, pictureWords, germanWords, frenchWords, spanishWords} {
		put(filmWord, words)
	}
	return m
})

const joiningWords = `
a an the and or nor but so yet for of in on at to from by with without within into onto out off up down over under above below between among through during before after
until till while when whenever where wherever once as if unless than then that this these those there here it its itself they them their themselves he him his she her
hers who whom whose which what how why is are was were be been being am do does did done has have had having will would can could should may might must shall not no none
never always often sometimes rarely seldom usually mainly generally typically almost about around toward away back again also too very quite rather more most less least
fewer few many much several some any all both each every either neither one two three four five six seven eight nine ten twelve dozen half double twice first second third
last next previous other another same such own only just even still already per instead because since though although however whether against across along beside behind
near far like unlike except else etc ie eg vs versus via don't doesn't isn't aren't shouldn't won't can't user director s t`

const shotWords = `
shot scene story storyboard board beat key filler insert cut cutaway cutting edit montage sequence frame reframe composition size angle movement move motion moving camera
lens focus focal rack depth field shallow deep close closeup closer ups tight tighter tighten medium wide wider widen full long longer extreme short shorter establish master
coverage cover twoshot single shoulder ots pov point view low high eye level overhead bird top dutch tilt canted profile frontal front rear reverse handheld steadicam
static lock fixed tripod dolly push pull track pan panning crane zoom drift glide slow slower quick quicker fast faster rapid brisk swift steady gentle smooth hold held
linger stay rest pause breath breathe silence silent quiet quieter loud wordless stillness stop sec seconds minute duration cuts pans keys lips arms jobs runs uses adds
ends bits time timing length pace pacing rhythm tempo run running count number amount total average percent budget package plan planned order reorder position place merge
split combine join remove removal drop dropped trim trimmed replace swap change modify modified keep kept leave left add added adding addition additional extra use used
using prefer preferred preference favour favor avoid skip reduce increase extend shorten lengthen limit give given let make made take put set start begin beginning open
end ending finish lead follow come go show shown see seen look watch listen listener hear speak speaker spoken say said line dialogue dialog word talk conversation answer
reply response respond question reaction react emotional emotion feeling mood tone tension tense pressure build release relief relationship physical detail gesture body
hand finger face facial expression eyes glance gaze mouth lip head foot feet arm skin object prop room space environment background foreground middle distance distant
empty negative edge centre center right side screen offscreen onscreen visible hidden partly silhouette subject person people character figure group couple crowd
individual alone together apart transition transitional bridge link continuity match action reveal revelation turn moment instant impact effect result purpose function
job role kind type variety variation repetition repeat repetitive rich light lighter heavy heavier dense sparse minimal clear clarity simple plain strong stronger weak
soft subtle subtly explicit implicit direct indirect anchor orientation orient geography spatial description describe sketch prompt caption note text sentence paragraph
recap summary bullet narrative style phrase version`

const sceneWords = `
confrontation confront argument argue quarrel fight conflict chase pursuit flight escape intimate intimacy romance romantic love tender tenderness affection affectionate
reconciliation reconcile farewell goodbye reunion arrival departure entrance exit meeting negotiation interrogation questioning confession confess betrayal accusation
threat threatening danger dangerous suspense suspenseful fear fearful dread horror comedy comic comedic humour humor joke banter playful joy joyful happy sad sadness
grief grieving mourning loss anger angry rage calm peaceful uncomfortable discomfort awkward unease uneasy vulnerable vulnerability shame guilt secret decision choice
discovery realization realisation shock surprise aftermath climax climactic resolution setup payoff exposition reflective reflection contemplative introspective thought
thinking memory flashback dream fantasy travel journey investigation everyday domestic public private formal informal crowded large small big little interior exterior
indoor outdoor location setting power dynamic dominance status control trust distrust doubt uncertainty hesitation hesitate refusal refuse apology plea lie lying truth
violence violent ceremonial ritual training battle combat duel stealth physicality routine busy lively energetic energy intense intensity dramatic drama melodrama stakes
serious lighthearted lyrical atmospheric atmosphere ambience ambient pleasant hostile stays matter need want feel felt seem become remain depend require serve support
carry land information reader audience viewer attention important importance enough main major minor whole part general generic specific case situation context example
exchange interaction pair subtext unspoken understated restraint restrained abrupt difficult hard easy easily complex unusual typical natural deliberate careful precise
strict loose free emphasis emphasize emphasise highlight underline stress convey express signal suggest imply implies indicate heighten lower raise ease relieve balance
vary varied alternate return interrupt interruption reluctance reluctant anticipation expectation consequence opponent protagonist antagonist evasive evasion honest
honesty jealousy jealous desire longing lonely loneliness isolation isolate hope despair pride proud humiliation humiliating betray forgiveness forgive revenge rivalry
rival authority submission helpless helplessness panic nervous nervousness anxious anxiety exhausted exhaustion pain painful injury injured wounded illness sick respect
contempt disgust admiration pity compassion comfort warmth coldness irony ironic sarcasm playfulness flirt seduction attraction kiss embrace intensify escalate escalation
peak rising falling growing fading unresolved resolved cliffhanger hook pauses redundant redundancy repetitively cluttered overlong sudden gradual immediate immediacy
brief early earlier late later present absence absent`

const pictureWords = `
picture image photo photograph video clip painting capture cinematic film photorealistic realistic illustration painterly sketchy grain grainy noise sharp blur blurred
bokeh exposure contrast saturated desaturated muted colour color palette warm warmer cool cooler cold monochrome black white grey gray sepia tint lighting lit backlit
backlight rim sidelight daylight sunlight moonlight candlelight lamplight golden hour dusk dawn night day evening morning shadow dark darker darkness bright brighter
brightness glow haze mist fog smoke rain snow weather window texture fabric portrait landscape aspect vertical horizontal symmetry symmetrical asymmetrical thirds clutter
uncluttered anamorphic telephoto macro fisheye kodak portra fuji fujifilm leica arri alexa rembrandt technicolor polaroid cinestill noir chiaroscuro tungsten neon pastel
vivid pose posing outfit clothes clothing hair looks seed workflow quality vignette flare overexposed underexposed`

// plainWords are a scene's own only among others, or with a capital letter where
// somebody or something of the story is called so.
const plainWords = `
i me my mine you your we us our ours myself yourself oh yes hello please thank sorry okay well now today tomorrow yesterday tonight soon ago man woman men women boy girl
child children kid baby friend enemy stranger lover husband wife partner mother father brother sister son daughter uncle aunt parent family king queen prince princess
lord lady knight captain doctor nurse guard soldier officer chief boss master servant maid priest teacher student driver sailor pilot hunter thief merchant butler clerk
judge lawyer artist writer singer keeper old young new good bad best better worst worse great nice fine true false real home house hall kitchen bedroom bathroom cellar
attic stair roof floor ceiling wall door gate corridor garden yard street road path bridge square market shop store bar inn tavern pub hotel office station school church
temple tower castle palace prison cell camp village town city harbour harbor port pier dock boat ship deck train car cart horse dog cat bird tree forest wood hill
mountain river lake sea ocean shore beach island field sky sun moon star wind storm fire water ice stone rock sand earth ground world land country north south east west
table chair bed desk lamp candle mirror book letter paper map pen knife sword gun weapon rope bag box coin money ring necklace cup glass bottle plate food bread wine tea
coffee dinner lunch breakfast drink coat hat dress shirt shoe glove phone radio clock blood bone heart soul mind death life dead alive god devil angel ghost spirit magic
war peace law game song music dance red blue green yellow gold silver brown pink purple iron steel wooden year month week hour monday tuesday wednesday thursday friday
saturday sunday january february march april june july august september october november december spring summer autumn winter walk sit stand lie fall rise jump climb
carry bring send get got find found lose lost know knew think thought believe tell told ask asked call wait help try tried work play read write wrote eat sleep wake kill
die live touch kiss hug smile laugh cry shout whisper nod shake grab throw hit break broke fix buy sell pay win hide seek steal stole return enter arrive reach meet met
happen remember forget hope wish promise agree accept offer warn save free name thing stuff way ways idea reason nothing something anything everything nobody somebody
anybody everybody someone anyone everyone`

// everydayWords are such words in German, French and Spanish. They count among
// others and as names, but are no thing of one scene.
var everydayWords = setOf(`
mann manner frau frauen kind kinder freund freunde feind feinde fremde fremder mutter vater bruder schwester sohn tochter eltern familie konig konigin haus hauser zimmer kuche
keller treppe dach boden decke wand wande tur turen tor fenster gang flur garten strasse strassen brucke markt laden schule kirche turm burg gefangnis dorf stadt hafen boot
schiff zug wagen auto pferd hund katze baum wald berg fluss see meer strand insel feld himmel sonne mond stern wind sturm feuer wasser eis stein sand erde welt tisch stuhl
bett lampe kerze spiegel buch brief papier karte messer schwert waffe seil tasche kiste geld ring glas flasche brot wein tee kaffee mantel hut kleid hemd schuh telefon uhr
blut herz seele tod leben krieg frieden spiel lied musik jahr monat woche stunde tag tage nacht morgen abend anfang ende zeile zeilen reise reisen gewalt luge lugen wahrheit
geheimnis geheimnisse fluster stimme stimmen schritt schritte weg wege jemand niemand etwas zwei drei vier funf andere anderen dann danach davor denen geht kommt steht sieht
lugt sagt fragt spricht
homme hommes femme femmes enfant enfants ami amis mere pere frere soeur fils fille maison chambre cuisine cave escalier toit mur porte portes fenetre couloir jardin rue pont
marche ecole eglise tour prison village ville port bateau train voiture cheval chien chat arbre foret montagne riviere lac mer plage ile ciel soleil lune etoile vent feu eau
pierre terre monde table chaise lit lampe bougie miroir livre lettre papier couteau arme corde sac boite argent verre bouteille pain vin manteau chapeau robe coeur sang mort
vie guerre paix jeu musique annee mois semaine heure jour nuit matin soir voix lieu lieux personne personnes deux trois quatre
hombre hombres mujer mujeres nino ninos amigo amigos madre padre hermano hermana hijo hija casa cuarto cocina sotano escalera techo pared puerta puertas ventana pasillo
jardin calle puente mercado escuela iglesia torre carcel pueblo ciudad puerto barco tren coche caballo perro gato arbol bosque montana rio lago mar playa isla cielo sol luna
estrella viento fuego agua piedra tierra mundo mesa silla cama vela espejo libro carta papel cuchillo arma cuerda bolsa caja dinero vaso botella pan vino abrigo sombrero
vestido corazon sangre muerte vida guerra paz juego musica ano mes semana hora dia noche manana tarde voz lugar persona personas dos tres cuatro`)

// nameWords are given names that are also words: somebody is meant where they have
// a capital letter.
var nameWords = setOf(`
angel art autumn bill chase dawn dean drew earl faith frank gene glen grace grant guy hope hunter iris ivy jack jade jean joy lance lily mark max may miles nick olive pat
pearl penny ray reed rich rob robin rose ruby sandy skip sky stone sue summer van wade ward warren will wood young`)

const germanWords = `
der die das den dem des ein eine einen einem einer eines und oder aber wenn als wie ob dass weil damit sowie auch nur noch schon sehr mehr weniger meist oft selten immer
nie nicht kein keine keinen ohne mit bei von vom zu zum zur im auf aus vor nach uber unter zwischen wahrend durch fur gegen um bis ist sind war wird werden hat haben soll
sollen kann konnen statt lieber eher jede jeder jedes jeden alle beide erste ersten zweite letzte es er sie ihr ihre sein seine einstellung einstellungen szene szenen
kamera aufnahme nahaufnahme nahaufnahmen grossaufnahme detailaufnahme totale totalen halbtotale halbnahe nahe schnitt schnitte gegenschuss schwenk fahrt blick blicke
augen auge hande gesicht gesichter reaktion reaktionen pausen stille schweigen dialoge dialogen antwort antworten satz worte gesprach gesprache streit konfrontation
konfrontationen verfolgung verfolgungsjagd verfolgungsjagden spannung stimmung ruhe ruhig ruhige ruhigen schnell schnelle schnellen langsam langsame kurz kurze kurzer
lang lange langer langere weit weite enger naher dichter fullbild fullbilder fullung zwischenbild zwischenbilder zwischenschnitt sekunde sekunden dauer rhythmus licht
schatten hintergrund vordergrund raum figur figuren personen momente momenten druck geste gesten korper bewegung bewegungen entfernen einfugen hinzufugen weglassen halten
gehalten streit engen raumen verwenden vermeiden bevorzugen zeigen bleiben setzen`

const frenchWords = `
le la les un une du de d l et ou mais si que qui quand dans sur sous avec sans pour par entre avant apres pendant plus moins tres trop pas ne jamais toujours souvent
rarement chaque tous toutes est sont etre avoir au aux ce cette ces son sa ses leur leurs plans gros serre serres larges moyen scenes reactions regard regards visage
visages mains yeux replique repliques dialogues reponse poursuite poursuites confrontations dispute rythme duree secondes coupe coupes remplissage ajouter retirer
supprimer garder eviter preferer utiliser longs court courts lent lente rapide rapides lumiere ombre arriere gestes moments`

const spanishWords = `
el los las una unos unas del y o pero quien cuando en sobre bajo con sin para por antes despues durante mas menos muy nunca siempre menudo cada todos todas ser estar al
lo su sus este esta estos estas plano planos primer primeros primerisimo detalle detalles generales medio escena escenas camara inserto reaccion reacciones silencio
mirada miradas rostro rostros mano manos ojos dialogo dialogos respuesta persecucion persecuciones confrontacion confrontaciones discusion ritmo duracion segundos corte
cortes relleno agregar anadir quitar eliminar mantener evitar preferir usar largo largos corto cortos lento lenta rapido rapidos luz sombra fondo gesto gestos momento
momentos`
