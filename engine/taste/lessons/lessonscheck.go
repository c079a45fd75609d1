package lessons

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostFaults is how many faults a model is told at once.
const mostFaults = 5

// CheckLessons says what is wrong with an answer, for the model. What KeepLessons
// makes of an answer with such faults is still fit to be kept where it is Usable.
func CheckLessons(s Scene, l Lessons) error {
	var faults []string
	count := func(name, text string, least, most int) {
		switch n := len(sentences(text)); {
		case n == 0:
			faults = append(faults, fmt.Sprintf("%q is empty", name))
		case n < least || n > 2*most:
			faults = append(faults, fmt.Sprintf("%q has %s, not %d to %d", name, counted(n, "sentence"), least, most))
		}
	}
	count("sceneContextSummary", l.SceneContextSummary, leastContextSentences, mostContextSentences)
	count("editSummary", l.EditSummary, leastEditSentences, mostEditSentences)
	details := NewDetails(s.Names, nil)
	for i, x := range l.SceneLearnings {
		fault := lessonFault(s, x)
		if of := details.named(x.Learning + "\n" + x.AppliesTo + "\n" + x.AvoidApplyingTo); fault == "" && of != "" {
			fault = fmt.Sprintf("“%s” is of this story: say it in general words", said(of, maxName))
		}
		if fault != "" {
			faults = append(faults, fmt.Sprintf("lesson %d: %s", i+1, fault))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults[:min(len(faults), mostFaults)], "; "))
}

// Usable tells whether something of the answer can be kept at all. Lessons of which
// none says anything are no answer, while none at all say that nothing was learnt.
func (l *Lessons) Usable() bool {
	said := func(x storage.SceneLearning) bool {
		return prompts.OneLine(x.Learning) != "" && prompts.OneLine(x.AppliesTo) != ""
	}
	return len(sentences(l.SceneContextSummary)) > 0 && len(sentences(l.EditSummary)) > 0 &&
		(len(l.SceneLearnings) == 0 || slices.ContainsFunc(l.SceneLearnings, said))
}

// lessonFault says what is wrong with one lesson, "" for nothing.
func lessonFault(s Scene, x storage.SceneLearning) string {
	switch {
	case prompts.OneLine(x.Learning) == "":
		return `"learning" is empty`
	case broadCondition(x.AppliesTo):
		return `"appliesTo" is no condition: say for which kind of scene or moment it holds, or leave the lesson out`
	case broadLearning(x.Learning):
		return "it is said of everything: say it of the kind of scene or moment it was learnt in, without “always” and “all scenes”"
	case broadCondition(x.AvoidApplyingTo):
		return `"avoidApplyingTo" is no condition: say for which kind of scene or moment it would be wrong`
	case prompts.OneLine(x.Evidence) == "":
		return `"evidence" is empty: name the events, as in “E2, E5”`
	case levelOf(x.Confidence) == "":
		return `"confidence" must be low, medium or high`
	case ofMistakes(s.Events, x):
		return "it comes of a mistake that was mended, which is no matter of taste: leave it out"
	}
	return ""
}

// levelOf is a confidence as it is kept, "" for another word.
func levelOf(c storage.Confidence) storage.Confidence {
	c = storage.Confidence(strings.ToLower(strings.TrimSpace(string(c))))
	if slices.Contains(levels, c) {
		return c
	}
	return ""
}

// broadCondition tells whether a condition leaves nothing out, or says nothing.
func broadCondition(text string) bool {
	if prompts.OneLine(text) == "" {
		return true
	}
	left := words(text)
	left = slices.DeleteFunc(left, func(w string) bool { return slices.Contains(broadWords, w) })
	return len(left) == 0
}

// broadWords are those that a condition is not made of, in English, German, French
// and Spanish.
var broadWords = strings.Fields(`
a an the and or in of to for with on at as by it is be this that these any all every each everything everywhere always anything anywhere whatever whenever whole entire
scene scenes shot shots storyboard storyboards story stories chat chats situation situations case cases kind kinds sort sorts type types moment moments
general generally universal universally global globally overall common usually n none nothing never no not else other others use specific particular applicable unknown
series season seasons episode episodes chapter chapters project projects content context contexts genre genres mood moods future upcoming next current throughout across
most mostly often many various different multiple normal normally default typical typically user users director directors s makes make made plans plan planning time times anytime
specified unspecified given known stated clear identified exception exceptions restriction restrictions limit limits limitation limitations condition conditions apply applies from
und oder in der die das den dem des für von mit jede jeder jedes jeden jedem alle allen alles immer überall szene szenen einstellung einstellungen geschichte geschichten fall fälle allgemein generell nichts keine keiner nie
sämtliche sämtlichen jegliche jeglichen beliebige beliebigen ganze ganzen serie serien staffel folge folgen episoden kapitel künftige künftigen situation situationen ausnahme ausnahmen bekannt unbekannt
et ou de des du la le les dans pour toute toutes tout tous chaque toujours partout scène scènes plan plans histoire histoires cas général généralement rien aucun aucune jamais
n importe quel quelle série séries saison épisode épisodes futur futurs future futures situations exception connu inconnu
y o de la el los las en para toda todas todo todos cada siempre escena escenas plano planos historia historias caso casos general generalmente nada ninguno ninguna nunca
cualquier cualquiera serie series temporada episodio episodios futuro futuros futura futuras situación situaciones excepción excepciones conocido desconocido`)

// broadLearning tells whether a lesson claims to hold everywhere.
func broadLearning(text string) bool {
	return speaksOf(spaced(text), broadPhrases)
}

var broadPhrases = []string{
	"always ", "all scenes", "every scene", "any scene", "each scene", "all stories", "every story", "everywhere", "no matter what", "regardless of", "without exception", "at all times", "in all cases", "in every case", "all storyboards", "every storyboard", "all genres", "in general ", "universally",
	"immer ", "alle szenen", "allen szenen", "jede szene", "jeder szene", "überall", "toujours ", "toutes les scènes", "chaque scène", "partout", "siempre ", "todas las escenas", "cada escena",
}
