package scribe

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
)

// Same tells whether two names are spellings of one. See plist.SameName.
func Same(a, b string) bool { return plist.SameName(a, b) }

// Near tells how alike two names are, from 0 to 1, by groups of three letters.
func Near(a, b string) float64 {
	return plist.Likeness(plist.FoldName(a), plist.FoldName(b))
}

// spelling is what two names that are not the same differ in.
type spelling int

const (
	otherName spelling = iota
	perhaps            // one letter or two of a word, too little to decide by
	misspelt           // one letter within a long word, or where blanks stand
)

// Bounds of what counts as a slip of the pen.
const (
	slipWord  = 7    // letters of a word
	slipNear  = 0.55 // likeness of the names
	slipBytes = 8    // by which their lengths may differ
	glueWhole = 8    // letters of a name that differs in its blanks alone
)

// compare tells how name a differs from b, that of an entry; both are folded.
// others says whether a word belongs to the name of another entry, and so is no
// slip.
func compare(a, b string, others func(word string) bool) spelling {
	if a == "" || b == "" || max(len(a)-len(b), len(b)-len(a)) > slipBytes {
		return otherName
	}
	wa, wb := strings.Fields(a), strings.Fields(b)
	if glued := strings.Join(wa, ""); glued == strings.Join(wb, "") {
		if utf8.RuneCountInString(glued) >= glueWhole {
			return misspelt
		}
		return perhaps
	}
	if len(wa) != len(wb) || plist.Likeness(a, b) < slipNear {
		return otherName
	}
	verdict := misspelt
	differing := 0
	for i := range wa {
		if wa[i] == wb[i] {
			continue
		}
		differing++
		if differing > 1 || telling(wa[i]) || telling(wb[i]) || others(wa[i]) {
			return otherName
		}
		switch s := slip(wa[i], wb[i]); {
		case s == otherName:
			return otherName
		case s == perhaps:
			verdict = perhaps
		}
	}
	return verdict
}

// slip tells whether two words differ as by a slip of the pen. A word's first
// and last letters tell people and numbers apart, so it must be one within.
func slip(a, b string) spelling {
	ra, rb := []rune(a), []rune(b)
	front := 0
	for front < len(ra) && front < len(rb) && ra[front] == rb[front] {
		front++
	}
	back := 0
	for back < len(ra)-front && back < len(rb)-front && ra[len(ra)-1-back] == rb[len(rb)-1-back] {
		back++
	}
	da, db := ra[front:len(ra)-back], rb[front:len(rb)-back]
	one := len(da) <= 1 && len(db) <= 1 || len(da) == 2 && len(db) == 2 && da[0] == db[1] && da[1] == db[0]
	short := min(len(ra), len(rb))
	switch {
	case one && short >= slipWord && front > 0 && back > 0:
		return misspelt
	case len(da) <= 2 && len(db) <= 2 && short >= 4 && front+back >= 2:
		return perhaps
	}
	return otherName
}

// telling tells whether a word is one that tells two of a kind apart, such as a
// number or a direction.
func telling(w string) bool {
	return strings.ContainsFunc(w, unicode.IsNumber) || telltales(w)
}

var telltales = wordList(`one two three four five six seven eight nine ten eleven twelve first second third fourth fifth sixth seventh eighth ninth tenth
	north south east west northern southern eastern western upper lower inner outer left right old new young elder younger senior junior big
	small great little black white red blue green grey gray golden silver dark light day night king queen prince princess lord lady brother
	sister father mother son daughter male female i ii iii iv v vi vii viii ix x xi xii
	eins zwei drei vier fünf sechs sieben acht neun zehn erste zweite dritte vierte nord süd ost west nördliche südliche östliche westliche
	obere untere innere äußere linke rechte alte alter altes neue neuer neues junge große kleine schwarze weiße rote blaue grüne könig königin
	un deux trois quatre cinq premier première second seconde troisième nord sud est ouest vieux vieille nouveau nouvelle grand grande petit
	petite noir noire blanc blanche rouge bleu vert roi reine
	uno dos tres cuatro cinco primero primera segundo segunda tercero norte sur este oeste viejo vieja nuevo nueva grande pequeño negro blanco
	rojo azul verde rey reina`)

// roles are words for what somebody is, which name nobody.
var roles = wordList(`man woman boy girl child kid baby stranger person people someone somebody figure guy lady gentleman bartender barkeep barmaid barman
	innkeeper tavernkeeper keeper landlord landlady waiter waitress guard guardsman soldier captain sergeant commander knight merchant trader
	shopkeeper vendor seller smith blacksmith baker butcher cook chef maid servant butler driver coachman sailor fisherman farmer hunter
	priest priestess monk nun healer doctor nurse teacher student mage wizard witch sorcerer king queen prince princess lord emperor chief boss
	leader owner clerk thief bandit assassin mercenary messenger courier prisoner victim visitor customer neighbor neighbour friend enemy rival
	ally companion traveler traveller beggar detective officer policeman cop agent secretary manager killer
	mother father mom mum dad sister brother son daughter wife husband aunt uncle cousin niece nephew grandmother grandfather grandma grandpa
	parents parent twin fiancé fiancée boyfriend girlfriend lover partner employer colleague assistant apprentice master mistress mentor dog
	cat horse voice creature monster thing place house room sword key book letter village town city tavern inn shop group gang
	wirt wirtin kellner kellnerin barkeeper wache wächter wächterin soldat hauptmann händler händlerin schmied bäcker magd diener fremde fremder
	frau mann junge mädchen kind priester heiler heilerin arzt ärztin könig königin fischer bauer jäger dieb bote gefangener freund freundin
	feind nachbar nachbarin schwester bruder mutter vater sohn tochter tante onkel vetter base nichte neffe oma opa großmutter großvater
	ehefrau ehemann verlobte verlobter chef lehrer lehrerin schüler hund katze
	homme femme garçon fille enfant inconnu inconnue étranger étrangère aubergiste barman serveur serveuse garde soldat capitaine marchand
	forgeron boulanger servante prêtre guérisseur médecin roi reine pêcheur voleur ami amie voisin voisine sœur frère mère père fils tante
	oncle cousin cousine mari épouse chien chat
	hombre mujer chico chica niño niña extraño extraña desconocido desconocida tabernero posadero camarero camarera guardia soldado capitán
	mercader herrero panadero criada sacerdote curandero médico rey reina pescador ladrón amigo amiga vecino vecina hermana hermano madre padre
	hijo hija tía tío primo prima esposo esposa perro gato`)

// colouring are words before a role that make it no name.
var colouring = wordList(`old young unknown mysterious strange hooded masked tall short fat thin dark local nameless unnamed other older younger little big
	tired wounded dead drunk drunken elderly middle-aged blind late new first second another certain some red-haired blonde blond bearded
	alte alter altes junge junger fremde fremder unbekannte unbekannter mysteriöse geheimnisvolle große kleine tote blinde ältere jüngere
	vieux vieille jeune inconnu inconnue mystérieux mystérieuse grand grande petit petite viejo vieja joven desconocido misterioso misteriosa`)

var starters = wordList(`the a an this that some my your his her their our der die das ein eine einer dem den mein meine dein deine sein seine ihr ihre
	le la les un une mon ma mes son sa ses leur el los las una mi mis su sus`)

// Vague tells whether a name is none: a role ("the bartender"), a relation
// ("amelia's sister") or a description ("an unknown woman").
func Vague(name string) bool {
	name = clip(oneLine(name), 200)
	if strings.Contains(name, "?") {
		return true
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,.;:"“”()`, r) })
	started := false
	for len(words) > 0 && starters(strings.ToLower(words[0])) {
		words, started = words[1:], true
	}
	if len(words) == 0 {
		return true
	}
	if unnamed(strings.ToLower(words[0])) {
		return true
	}
	if v, known := relational(words, started); known {
		return v
	}
	proper, role := 0, 0
	for _, w := range words {
		lower := strings.ToLower(w)
		switch {
		case roles(lower) || roles(strings.TrimSuffix(lower, "s")):
			role++
		case colouring(lower) || plist.SmallWord(lower):
		case started && lower == w && isCased(w):
			role++
		default:
			proper++
		}
	}
	return proper == 0 && (role > 0 || started)
}

var unnamed = wordList(`unknown unnamed nameless someone somebody stranger unbekannt namenlos jemand inconnu quelqu'un desconocido alguien`)

// relational judges names that say who somebody is by somebody else: "X's
// sister", "the sister of X", "Xs Schwester". known is false for other names.
func relational(words []string, started bool) (vague, known bool) {
	last := len(words) - 1
	for i, w := range words[:last] {
		if owns(w) {
			rest := words[i+1:]
			return allRoles(rest) || allLower(rest), true
		}
	}
	for i, w := range words {
		switch lower := strings.ToLower(w); lower {
		case "of", "von", "vom", "de", "del", "du", "des", "der":
			if i > 0 && allRoles(words[:i]) && (started || words[i-1] == strings.ToLower(words[i-1]) || lower == "von" || lower == "de") {
				return true, true
			}
		}
		if i > 0 && strings.HasPrefix(strings.ToLower(w), "d'") && allRoles(words[:i]) {
			return true, true
		}
	}
	if last == 1 && strings.HasSuffix(words[0], "s") && isUpper(words[0]) && kin(strings.ToLower(words[1])) {
		return true, true // Amelias Schwester
	}
	return false, false
}

// kin are relations in a language whose possessive has no apostrophe.
var kin = wordList(`schwester bruder mutter vater sohn tochter tante onkel nichte neffe oma opa großmutter großvater frau mann ehefrau ehemann freund
	freundin chef nachbar nachbarin hund katze sister brother mother father son daughter`)

func owns(w string) bool {
	w = strings.ReplaceAll(w, "’", "'")
	return strings.HasSuffix(w, "'s") || strings.HasSuffix(w, "'")
}

func allRoles(words []string) bool {
	found := false
	for _, w := range words {
		lower := strings.ToLower(w)
		switch {
		case roles(lower) || roles(strings.TrimSuffix(lower, "s")):
			found = true
		case !colouring(lower) && !plist.SmallWord(lower):
			return false
		}
	}
	return found
}

func allLower(words []string) bool {
	for _, w := range words {
		if isUpper(w) || !isCased(w) {
			return false
		}
	}
	return true
}

func isUpper(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// isCased tells whether a word is of a script that has capitals.
func isCased(w string) bool { return strings.ToLower(w) != strings.ToUpper(w) }

// wordList is a set of words in lower case, made when it is first asked.
func wordList(words string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool { return setOf(words) })
	return func(word string) bool { return set()[word] }
}

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
