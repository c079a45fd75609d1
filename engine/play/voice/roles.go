package voice

import (
	"regexp"
	"strings"
	"sync"
)

// SetRole is the name of the list of Roles.
const SetRole = "role"

// program is how a model says that it is one. No character says it who is none.
const program = `
as an AI language model
as an AI assistant
as a large language model
as a language model
as an artificial intelligence
I am an AI language model
I'm an AI language model
I'm just an AI
I am just an AI
/as an ai,? i (can|am|do|don|have|must|will|was)/
als KI-Sprachmodell
als ein KI-Sprachmodell
als künstliche Intelligenz kann ich
ich bin nur eine KI
/als ki (kann|bin|habe|darf) ich/
en tant que modèle de langage
en tant qu'intelligence artificielle
je ne suis qu'une IA
/en tant qu'ia,? je/
como modelo de lenguaje
como inteligencia artificial no puedo
soy solo una IA
/como ia,? (no|yo|soy)/
`

// outside is how it speaks of the play itself: with a refusal, or a question to whom it plays
// with. No character does, whatever it is.
const outside = `
I cannot continue this roleplay
I can't continue this roleplay
I cannot continue with this roleplay
I can't continue with this roleplay
/i (can ?not|can't|am unable to|won't) (generate|create|write|produce|engage in|participate in|fulfill) (\pL+ )?(content|roleplay|scenario|request|story)/
/i('m| am) sorry, but i (can ?not|can't) ((help|assist)( you)? with (that|this)|continue (this|with this)|fulfill|comply with)/
/let me know (if|how) you('d| would) like (me )?to (continue|proceed|change|adjust)/
/would you like me to continue (the|this|with)/
/(out of character|ooc): /
/dieses rollenspiel (kann|werde|darf) ich nicht/
/ich kann (dieses|das|diese) (rollenspiel|geschichte|szene) nicht (fortsetzen|weiterführen)/
/je ne peux pas (continuer|poursuivre) (ce|cette) (jeu de rôle|histoire|scène)/
/no puedo (continuar|seguir) (con )?(este juego de rol|esta historia|esta escena)/
`

// artificial is what a card has whose character may say of itself that it is no human. The
// short names are written in capitals; in small letters they are words of other languages.
var artificial = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL'’])(?:AI|A\.I\.|KI|IA|I\.A\.|(?i:artificial intelligence|android\pL*|robot\pL*|droids?|cyborgs?|gynoid|automaton|hologram\pL*|` +
		`language model|chatbot|mainframe|(?:virtual|digital|voice) assistant|(?:ship['’]?s|on-?board|house) computer|bordcomputer|` +
		`künstliche intelligenz|intelligence artificielle|inteligencia artificial))(?:$|[^\pL])`)
})

// Roles are the phrases by which a model steps out of its part. A character that is a machine
// by its card may say of itself what it is.
func Roles(card string) (rules []Rule) {
	list := outside
	if !artificial().MatchString(card) {
		list += program
	}
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			rules = append(rules, Rule{Text: line, Set: SetRole, Kind: Role})
		}
	}
	return rules
}

// maySay tells whether what was found is somebody's speech: a guard may be sorry not to help,
// and a machine may come in that is on no card. Nobody is a language model.
func (w *Watch) maySay(f Found) bool {
	if strings.Contains(f.Rule.Text, "model") {
		return false
	}
	line := strings.LastIndexByte(string(w.text[:f.At]), '\n') + 1
	return openIn(string(w.text[line:f.At])).speech() >= 0
}

// Listed reads a list of phrases as package phrases has them: one a line, without the lines that
// say why.
func Listed(set string, text []byte) (rules []Rule) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			rules = append(rules, Rule{Text: line, Set: set})
		}
	}
	return rules
}
