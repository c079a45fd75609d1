package clock

import (
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// kind is what a word can be where a time is told.
type kind byte

const (
	filler kind = iota + 1
	weekday
	month
	part
	number // with its value; 0 is one that nobody can count: "several"
	unit   // in minutes
	calendar
	following // the next one
	tomorrow
	tonight
	past // of what is no more: nothing that is told with it is now
	goes // what a skip is told with
	day  // the word for a day that may be counted
	halfDay
	roughly
	within
	wordless // the user does not know it either
)

// meaning is a word's kind and value.
type meaning struct {
	kind  kind
	value int
	part  storage.DayPart
	short bool // an abbreviation that is a word of its own, too
}

const hour, oneDay = 60, dayMinutes

var words = []struct {
	kind  kind
	value int
	list  string
}{
	{weekday, 1, "monday mondays montag lundi lunes"}, {weekday, 2, "tuesday dienstag mardi martes tue tues"},
	{weekday, 3, "wednesday mittwoch mercredi miércoles"}, {weekday, 4, "thursday donnerstag jeudi jueves thu thur thurs"},
	{weekday, 5, "friday freitag vendredi viernes fri"}, {weekday, 6, "saturday samstag sonnabend samedi sábado"},
	{weekday, 7, "sunday sonntag dimanche domingo"},
	{month, 1, "january jan januar jänner janvier enero"}, {month, 2, "february feb februar février febrero"}, {month, 3, "march mar märz mars marzo"},
	{month, 4, "april apr avril abril"}, {month, 5, "may mai mayo"}, {month, 6, "june jun juni juin junio"}, {month, 7, "july jul juli juillet julio"},
	{month, 8, "august aug août agosto"}, {month, 9, "september sep sept septembre septiembre"}, {month, 10, "october oct oktober octobre octubre"},
	{month, 11, "november nov novembre noviembre"}, {month, 12, "december dec dezember décembre diciembre"},

	{number, 1, "one a an another single eins ein eine einen einem einer eines un une uno una"}, {number, 2, "two couple pair zwei deux dos"},
	{number, 3, "three drei trois tres"}, {number, 4, "four vier quatre cuatro"}, {number, 5, "five fünf cinq cinco"}, {number, 6, "six sechs seis"},
	{number, 7, "seven sieben sept siete"}, {number, 8, "eight acht huit ocho"}, {number, 9, "nine neun neuf nueve"}, {number, 10, "ten zehn dix diez"},
	{number, 11, "eleven elf onze once"}, {number, 12, "twelve zwölf douze doce"}, {number, 13, "thirteen dreizehn treize trece"},
	{number, 14, "fourteen vierzehn quatorze catorce"}, {number, 15, "fifteen fünfzehn quinze quince"}, {number, 20, "twenty zwanzig vingt veinte"},
	{number, 30, "thirty dreißig trente treinta"}, {number, 100, "hundred hundert cent cien"},
	{number, 0, `few several some many various mehrere mehreren einige einigen etliche paar viele vielen quelques plusieurs varios varias algunos
		algunas unos unas muchos muchas`},

	{unit, 0, "moment moments second seconds minute minutes minuten augenblick augenblicke instant instants instante instantes seconde secondes segundos minuto minutos"},
	{unit, hour, "hour hours stunde stunden heure heures hora horas"},
	{unit, oneDay, "days nights tage tagen nächte nächten jours journée nuits días dias noches"},
	{unit, 7 * oneDay, "week weeks woche wochen semaine semaines semana semanas"}, {unit, 14 * oneDay, "fortnight"},
	{calendar, 1, "month months monat monate monaten mois mes meses"}, {calendar, 12, "year years jahr jahre jahren an ans année années año años"},
	{day, 0, "day tag jour día dia"},

	{filler, 0, `the at in on of around about it's it is now that same still this early late mid o'clock uhr um gegen im der die das dem den des
		le la les du de l' à au vers dans ce cette el los las del por en date time and th st nd rd so again by today
		heute aujourd'hui hoy just exactly gerade noch full whole long short`},
	{goes, 0, `later after afterwards pass passes passed have has had gone go goes went by past skip jump timeskip timejump forward ahead fast flash
		to until till time zeitsprung später vergeht vergehen verging vergingen verstreichen verstrichen sind ist war waren vergangen darauf danach
		saut le temps plus tard passe passent passèrent s'écoule s'écoulent s'écoulèrent après salto temporal tiempo después despues más mas
		pasa pasan pasó pasaron transcurre transcurren bis nach hasta jusqu'à much sometime over from hence`},
	{following, 0, "next following coming nächste nächsten nächster nächstes folgenden folgender anderen darauffolgenden suivant suivante prochain prochaine siguiente próximo próxima"},
	{tomorrow, 0, "tomorrow demain lendemain"},
	{past, 0, `last ago before earlier previous yesterday since former letzten letzte letzter gestern vorher früher dernier dernière hier avant
		pasado pasada ayer antes hace never not no if when would could`},
	{roughly, 0, "almost nearly roughly approximately barely over more than least most beinahe ungefähr etwa knapp presque environ casi"},
	{within, 0, "within before by until till due spätestens bis vor avant antes binnen innerhalb dentro"},
	{wordless, 0, "unknown unclear unbekannt inconnu desconocido ?"},
}

var dayParts = []struct {
	is   storage.DayPart
	list string
}{
	{storage.Dawn, "dawn daybreak sunrise morgengrauen sonnenaufgang aube amanecer madrugada"},
	{storage.Morning, "morning mornings vormittag früh frühmorgens morgens matin matinée mañana forenoon"},
	{storage.Noon, "noon midday mittag midi mediodía"},
	{storage.Afternoon, "afternoon nachmittag après-midi"},
	{storage.Dusk, "dusk sunset sundown twilight nightfall dämmerung abenddämmerung sonnenuntergang crépuscule atardecer anochecer"},
	{storage.Evening, "evening abend abends soir soirée"},
	{storage.Night, "night nacht nachts nuit noche nighttime"},
	{storage.Midnight, "midnight mitternacht minuit medianoche"},
}

var lexicon = sync.OnceValue(func() map[string][]meaning {
	m := map[string][]meaning{}
	add := func(w string, is meaning) { m[w] = append(m[w], is) }
	for _, row := range words {
		for w := range strings.FieldsSeq(row.list) {
			add(w, meaning{kind: row.kind, value: row.value})
		}
	}
	for _, row := range dayParts {
		for w := range strings.FieldsSeq(row.list) {
			add(w, meaning{kind: part, part: row.is})
		}
	}
	for i, w := range []string{"mon", "wed", "sat", "sun"} {
		add(w, meaning{kind: weekday, value: []int{1, 3, 6, 7}[i], short: true})
	}
	for _, w := range []string{"minute", "minutes", "minuten", "minuto", "minutos"} {
		m[w] = []meaning{{kind: unit, value: 1}}
	}
	add("tonight", meaning{kind: tonight, part: storage.Evening})
	add("pm", meaning{kind: halfDay, value: 12})
	add("am", meaning{kind: halfDay})
	add("am", meaning{kind: filler})
	add("morgen", meaning{kind: part, part: storage.Morning})
	add("tarde", meaning{kind: part, part: storage.Afternoon})
	add("half", meaning{kind: number, value: -1}) // of a unit
	add("halben", meaning{kind: number, value: -1})
	add("halbe", meaning{kind: number, value: -1})
	return m
})

// is finds what a word means as one of some kinds.
func is(w string, kinds ...kind) (meaning, bool) {
	for _, m := range lexicon()[w] {
		for _, k := range kinds {
			if m.kind == k {
				return m, true
			}
		}
	}
	return meaning{}, false
}

// numeral reads a number of at most four digits, with or without the ending of an
// ordinal.
func numeral(w string) (n int, ok bool) {
	digits := len(w) - len(strings.TrimLeft(w, "0123456789"))
	switch w[digits:] {
	case "", "st", "nd", "rd", "th", "er", ".":
	default:
		return 0, false
	}
	if digits == 0 || digits > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(w[:digits])
	return n, err == nil
}
