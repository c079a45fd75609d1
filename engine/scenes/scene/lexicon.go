package scene

import (
	"strings"
	"sync"
)

// What a word can be, in any of the languages that the table knows.
const (
	quantityWord uint16 = 1 << iota
	numberWord          // of a chapter
	ordinalWord
	spanWord  // an hour or more
	spansWord // more than one of those
	partWord  // of the day; or a span that can be the next one
	hourWord  // a time of day that a header names
	denialWord
	statusWord
	hedgeWord
)

var vocabulary = []struct {
	is    uint16
	words string
}{
	{quantityWord | numberWord, `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
		eighteen nineteen twenty thirty
		eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
		deux trois quatre cinq sept huit neuf dix onze douze
		uno dos tres cuatro cinco seis siete ocho nueve diez once doce`},
	{quantityWord, `a an another several few many couple of some almost nearly about around roughly exactly just over barely only full long
		short whole more than forty fifty sixty hundred hundreds thousand dozen countless and half
		ein eine einen einem einer eines mehrere mehreren einige einigen etliche paar viele vielen wenige wenigen ganze ganzen fast etwa
		knapp genau nur halbes halben dreißig hundert
		un une des quelques plusieurs environ presque à peine vingt trente cent
		una unos unas varios varias algunos algunas muchos muchas casi unas pocos pocas veinte treinta cien par`},
	{numberWord, "une un uno una"},
	{ordinalWord, `first second third fourth fifth sixth seventh eighth ninth tenth final last
		erster erste erstes zweiter zweite zweites dritter dritte drittes vierter vierte viertes fünfter fünfte fünftes letzter letztes
		premier première deuxième second seconde troisième quatrième cinquième dernier dernière
		primer primera primero segundo segunda tercer tercera tercero cuarto cuarta quinto quinta último última`},
	{spanWord, `hour day night week weekend month year decade century season fortnight
		stunde tag nacht woche monat jahr jahrzehnt jahrhundert
		heure jour journée nuit semaine an année siècle
		hora día dia noche semana mes año siglo década`},
	{spanWord | spansWord, `hours days nights weeks weekends months years decades centuries seasons
		stunden tage tagen nächte nächten wochen monate monaten jahre jahren jahrzehnte jahrhunderte
		heures jours nuits semaines mois ans années siècles
		horas días dias noches semanas meses años siglos décadas`},
	{partWord | hourWord, `morning afternoon evening night dawn dusk noon sunrise sunset midnight
		morgen vormittag nachmittag mittag abend nacht
		matin soir soirée nuit
		mañana tarde noche`},
	{partWord, `day week weekend month year spring summer autumn fall winter
		tag woche monat jahr frühling sommer herbst
		jour journée matinée semaine mois année été hiver
		día dia semana mes año`},
	{hourWord, `midday twilight daybreak nightfall sundown later am pm uhr
		mitternacht morgengrauen dämmerung frühmorgens später
		minuit midi aube crépuscule
		medianoche mediodía amanecer atardecer madrugada
		monday tuesday wednesday thursday friday saturday sunday
		montag dienstag mittwoch donnerstag freitag samstag sonntag
		lundi mardi mercredi jeudi vendredi samedi dimanche
		lunes martes miércoles jueves viernes sábado domingo`},
	{denialWord, `will would should could can may might must is isn't be sounds seems works than or if of since ago maybe perhaps probably on
		i'll you'll he'll she'll we'll they'll it'll i'd you'd we'd we're you're i'm
		wird werden würde wäre ist als oder vielleicht wenn seit
		que ou est sera serait depuis si
		de es será sería quizás desde`},
	{statusWord, `hp mp sp xp exp lvl level health mana stamina energy hunger thirst mood status stats stat inventory items equipment outfit
		clothes clothing wearing appearance pose position posture thoughts thought feelings emotion emotions affection relationship trust
		arousal lust gold money coins weather time date day location place scene round turn response reply answer summary recap note notes ooc
		info information character profile name age options choices choice actions action skills abilities quest quests objective
		objectives goal goals warning rules system stimmung gesundheit inventar kleidung ort zeit datum wetter gedanken lieu heure
		humeur inventaire pensées tenue lugar hora fecha ánimo inventario ropa pensamientos clima estado`},
	{hedgeWord, `not no don't if when maybe perhaps after before until yet soon should could can or idea ideas needed necessary without nicht kein
		wenn vielleicht pas si peut-être quizás`},
}

// lexicon says of each known word what it can be.
var lexicon = sync.OnceValue(func() map[string]uint16 {
	m := map[string]uint16{}
	for _, v := range vocabulary {
		for w := range strings.FieldsSeq(v.words) {
			m[w] |= v.is
		}
	}
	return m
})

// leadIns may stand between the beginning of a mark and what it is about.
var leadIns = map[string]bool{
	"a": true, "an": true, "the": true, "ok": true, "okay": true, "and": true, "now": true, "so": true, "start": true, "starting": true,
	"begin": true, "beginning": true, "of": true, "small": true, "short": true, "little": true, "brief": true, "big": true, "large": true,
	"long": true, "quick": true, "slight": true, "minor": true, "major": true, "insert": true, "ooc": true,
	"ein": true, "eine": true, "kleiner": true, "un": true, "une": true, "una": true, "début": true, "d'une": true,
}
