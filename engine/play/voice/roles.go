package voice

import (
	"strings"
)

// SetRole is the name of the list of Roles.
const SetRole = "role"

// outOfRole is how models step out of a part: as a program, with a refusal, or with the
// moral of the scene. No character says it who is none.
var outOfRole = `
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
I cannot continue this roleplay
I can't continue this roleplay
I cannot continue with this roleplay
I can't continue with this roleplay
/i (can ?not|can't|am unable to|won't) (generate|create|write|produce|engage in|participate in|fulfill) (\pL+ )?(content|roleplay|scenario|request|story)/
/i('m| am) sorry, but i (can ?not|can't) (help|assist|continue|fulfill|comply)/
/let me know (if|how) you('d| would) like (me )?to (continue|proceed|change|adjust)/
/would you like me to continue (the|this|with)/
/(out of character|ooc): /
als KI-Sprachmodell
als ein KI-Sprachmodell
als künstliche Intelligenz kann ich
ich bin nur eine KI
/als ki (kann|bin|habe|darf) ich/
/dieses rollenspiel (kann|werde|darf) ich nicht/
/ich kann (dieses|das|diese) (rollenspiel|geschichte|szene) nicht (fortsetzen|weiterführen)/
en tant que modèle de langage
en tant qu'intelligence artificielle
je ne suis qu'une IA
/en tant qu'ia,? je/
/je ne peux pas (continuer|poursuivre) (ce|cette) (jeu de rôle|histoire|scène)/
como modelo de lenguaje
como inteligencia artificial no puedo
soy solo una IA
/como ia,? (no|yo|soy)/
/no puedo (continuar|seguir) (con )?(este juego de rol|esta historia|esta escena)/
`

// artificial is what a card has whose character may say of itself that it is no human.
var artificial = []string{" ai ", " ai,", " ai.", "a.i.", "artificial intelligence", "android", "robot", "language model", "künstliche intelligenz",
	" ki ", "intelligence artificielle", " ia ", "inteligencia artificial", "chatbot", "assistant"}

// Roles are the phrases by which a model steps out of its part. A character that is a machine
// by its card may say of itself what it is: of these there are none for it.
func Roles(card string) (rules []Rule) {
	card = " " + strings.ToLower(card) + " "
	for _, word := range artificial {
		if strings.Contains(card, word) {
			return nil
		}
	}
	for line := range strings.Lines(outOfRole) {
		if line = strings.TrimSpace(line); line != "" {
			rules = append(rules, Rule{Text: line, Set: SetRole, Kind: Role})
		}
	}
	return rules
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
