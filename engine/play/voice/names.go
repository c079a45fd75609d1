package voice

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// labels are what models call the user in a line's head, whatever the user's name is; as
// words they say nothing.
var labels = wordSet("{{user}} user you du tu tú vous ich i me")

// Names are the names by which somebody is known, without those that the speaker has: the
// whole one, a nickname in it, and the first or, behind a title, what stands there.
func Names(name, speaker string) (names []string) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || strings.EqualFold(name, speaker) {
		return nil
	}
	names = append(names, name)
	add := func(short string) {
		mine := strings.FieldsFunc(speaker, unicode.IsSpace)
		if len(short) >= leastName && !strings.HasSuffix(short, ".") && !strings.EqualFold(short, speaker) &&
			!slices.ContainsFunc(append(names, mine...), func(n string) bool { return strings.EqualFold(n, short) }) {
			names = append(names, short)
		}
	}
	bare := name
	if from := strings.IndexAny(name, "\"“„(‘"); from > 0 {
		_, n := utf8.DecodeRuneInString(name[from:])
		if size := strings.IndexAny(name[from+n:], "\"”“)’"); size > 0 {
			add(name[from+n : from+n+size])
			_, end := utf8.DecodeRuneInString(name[from+n+size:])
			bare = strings.Join(strings.Fields(name[:from]+" "+name[from+n+size+end:]), " ")
			add(bare)
		}
	}
	first, rest, several := strings.Cut(bare, " ")
	switch {
	case !several:
		add(first)
	case titles()[strings.ToLower(strings.TrimSuffix(first, "."))]:
		add(rest)
	case !strings.HasSuffix(first, ","):
		add(first)
	}
	return names
}

// UserNames are the names of the user, and what models call a user.
func UserNames(user, speaker string) (names []string) {
	if names = Names(cmp.Or(strings.TrimSpace(user), "User"), speaker); names == nil {
		return nil
	}
	for _, label := range []string{"{{user}}", "User", "You"} {
		if !strings.EqualFold(label, speaker) && !strings.EqualFold(label, names[0]) {
			names = append(names, label)
		}
	}
	return names
}

// leastName is the shortest part of a name, in bytes, by which somebody is known: a shorter one
// is too often a word.
const leastName = 3

// wordSet is a set of words that is made when it is asked for first.
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		return set
	})
}

var (
	// titles are first words of a name by which nobody is known.
	titles = wordSet("the a an der die das ein eine el la los las le les un une il lo o os old young big little captain lady lord sir mister mr mrs miss ms king queen " +
		"prince princess doctor dr prof professor herr frau fräulein monsieur madame mademoiselle señor señora señorita don doña von van de du da saint st father mother brother " +
		"sister uncle aunt agent detective inspector general major sergeant lieutenant colonel commander officer count countess baron baroness duke duchess emperor empress my mein meine mon ma mi master mistress")
	// wordNames are names that are words too: a line that begins with one is the user's act only
	// where what follows is what somebody does.
	wordNames = wordSet("will may mark rose hope grace faith joy art bill chance chase dawn drew eve frank grant guy hunter iris ivy jack jade jasmine june april august lance lily max miles " +
		"nick olive page pat pearl peg penny pierce ray red reed rich rob ruby rusty sage sandy scout skip sky star sue summer autumn winter rain river victor wade ward wolf raven phoenix angel " +
		"ace duke king queen prince princess knight stranger traveler traveller player user master mistress sir lord lady captain doctor charity patience destiny harmony melody sunny stormy " +
		"earnest ernest just clay cliff dale dean don gene glen heath jewel mercy norm opal parker piper porter robin rod rosemary sheriff stone storm trip violet wanderer")
	// acts are what somebody does who is told of; forms in -ed are acts too.
	acts = wordSet("nods smiles says looks sighs turns walks takes steps shrugs laughs grins frowns whispers murmurs asks answers replies leans sits stands reaches opens closes pulls pushes feels " +
		"watches waits follows shakes raises lifts glances stares blinks swallows breathes hesitates pauses moves runs grabs holds lets puts sets gives goes comes gets makes thinks knows wants tries begins " +
		"starts stops kneels rises draws speaks tells shouts cries sees hears listens keeps leaves lies catches clears crosses drops enters exhales inhales falls finds gasps hugs kisses jumps lowers mutters " +
		"offers picks places points returns rolls rubs settles shifts slides slips stumbles touches trembles winces wipes " +
		"said took went sat stood ran felt got gave came fell drew held kept knew left made met put saw shook spoke thought told woke hung bent bit caught crept " +
		"nickt lächelt sagt fragt antwortet seufzt geht steht sitzt nimmt greift schaut blickt dreht lacht flüstert zuckt hebt legt setzt tritt öffnet zögert")
	// calls are words with which somebody is spoken to who was called by name.
	calls = wordSet("i i'm i've i'll i'd you you're your we please my don't wait come look listen stop go run help tell get hurry hush hey no yes ich du wir ihr bitte warte komm schau hör halt je j'ai tu vous nous viens " +
		"attends regarde écoute yo tú nosotros espera ven mira escucha por")
)

// named tells whether a line is one of somebody's: of its name and a colon, or with does of its
// name and what it does. Tagged says that the name stands in angle brackets.
func named(s, name string, does, tagged bool) verdict {
	rest, v := after(s, name)
	if v != yes {
		return v
	}
	if tagged && strings.HasPrefix(rest, ">") {
		return yes
	}
	rest = strings.TrimLeft(rest, "*_~`])")
	if rest == "" {
		return 0
	}
	r, n := utf8.DecodeRuneInString(rest)
	if r == ':' || r == '：' {
		return yes
	}
	if !unicode.IsSpace(r) || r == '\n' {
		return no
	}
	rest = strings.TrimLeftFunc(rest[n:], unicode.IsSpace)
	if rest == "" {
		return 0
	}
	if rest[0] == '(' {
		return aside(rest)
	}
	if !does {
		return no
	}
	return act(rest, wordNames()[strings.ToLower(name)])
}

// aside tells whether a colon stands behind what is in brackets.
func aside(s string) verdict {
	line, _, ended := strings.Cut(s, "\n")
	_, rest, ok := strings.Cut(line, ")")
	if rest = strings.TrimLeft(rest, "*_~` "); rest == "" && !ended {
		return 0
	}
	if ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")) {
		return yes
	}
	return no
}

// act tells whether what follows a name is what somebody does: any word but those with which
// one is spoken to, and of a name that is a word only what is known.
func act(s string, known bool) verdict {
	s = strings.TrimLeft(s, "*_")
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !apostrophe(r) })
	if end == 0 {
		return no
	}
	if end < 0 {
		return 0
	}
	word := strings.ToLower(strings.ReplaceAll(s[:end], "’", "'"))
	switch {
	case calls()[word]:
		return no
	case !known || acts()[word] || len(word) > 4 && strings.HasSuffix(word, "ed"):
		return yes
	case strings.HasSuffix(word, "ly") && len(word) > 4:
		rest := strings.TrimLeftFunc(s[end:], unicode.IsSpace)
		if rest == "" {
			return 0
		}
		return act(rest, known)
	}
	return no
}

// speaks is how a sentence begins that says what the user says.
var speaks = phrasesOf(
	"you", "say reply answer ask whisper murmur mutter shout respond exclaim",
	"du", "sagst antwortest fragst flüsterst murmelst rufst erwiderst",
	"tu", "dis réponds demandes murmures chuchotes cries",
	"vous", "dites répondez demandez murmurez chuchotez",
	"tú", "dices respondes preguntas susurras murmuras",
	"", "dices respondes preguntas susurras murmuras",
)

func phrasesOf(table ...string) func() []string {
	return sync.OnceValue(func() (list []string) {
		for i := 0; i < len(table); i += 2 {
			for _, verb := range strings.Fields(table[i+1]) {
				list = append(list, strings.TrimSpace(table[i]+" "+verb))
			}
		}
		return list
	})
}

// saying tells whether a sentence says what the user says. Where all that is told stands apart
// from what is spoken it does; else a character may say so to the user, and only a quote or a
// colon behind it tells.
func saying(s, phrase string, told func() bool, whole bool) verdict {
	rest, v := after(s, phrase)
	if v != yes {
		return v
	}
	if rest == "" {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) {
		return no
	}
	if told() {
		return yes
	}
	for _, r := range rest {
		switch {
		case quoteMark(r) || r == ':' || r == '：':
			return yes
		case r == '\n' || strings.ContainsRune(marks, r):
			return no
		}
	}
	if whole {
		return no
	}
	return 0
}

// after is what follows a beginning, in whatever case: yes where all of it is there, unknown
// where s ends before it. Accents, apostrophes and blanks are those of every keyboard.
func after(s, begin string) (string, verdict) {
	s, begin = plainly(s), plainly(begin)
	for _, want := range begin {
		if s == "" {
			return "", 0
		}
		r, n := utf8.DecodeRuneInString(s)
		if r != want && unicode.ToLower(r) != unicode.ToLower(want) {
			if n == len(s) && want >= utf8.RuneSelf {
				return "", 0 // a mark may come that makes it the other letter
			}
			return "", no
		}
		s = s[n:]
	}
	if r, _ := utf8.DecodeRuneInString(s); unicode.IsMark(r) {
		return "", no
	}
	return s, yes
}

func plainly(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune {
				switch {
				case apostrophe(r):
					return '\''
				case r != '\n' && unicode.IsSpace(r):
					return ' '
				}
				return r
			}, norm.NFC.String(s))
		}
	}
	return s
}
