// Package scribe writes the lorebook: it tells which entry a candidate from a
// recap is about, asks a model where names and contents cannot tell, and makes
// entries out of what is found. It is pure: it reads no store and asks no server;
// what a model has to be asked is a prompt, a schema and a check of the answer.
package scribe

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files.
const (
	LookupFile  = "lore/lookup"
	ResolveFile = "lore/resolve"
	MergeFile   = "lore/merge"
	CompactFile = "lore/compact"
)

// Prompt is a message of a request.
type Prompt = prompts.Message

// MaxContent is how many characters an entry may have before it is proposed to
// be shortened, unless the settings say otherwise.
const MaxContent = 1200

// MaxSynopsis is how many words the synopsis of an entry has at most.
const MaxSynopsis = 15

// Line is an entry in the registry that candidates are compared with.
type Line struct {
	ID       storage.EntryID
	Name     string
	Aliases  []string
	Synopsis string
	// Content is the entry's; where it is empty only names count.
	Content string
}

// LineOf is an entry's line.
func LineOf(e *storage.LoreEntry) Line {
	return Line{ID: e.ID, Name: e.Name, Aliases: e.Aliases, Synopsis: e.Synopsis, Content: e.Content}
}

// Types are the types that entries have where the user has not set others.
func Types() []string { return []string{"character", "location", "item", "faction", "quest", "rule"} }

// kinds are the words for each of the usual types.
var kinds = map[string]func(string) bool{
	"character": wordList(`character char person people npc pc persona human man woman boy girl child being creature monster beast animal pet
		companion villain hero god deity spirit individual figure somebody protagonist antagonist
		charakter figur mensch leute frau mann kind wesen kreatur monster tier gott göttin geist gefährte
		personnage personne homme femme enfant créature monstre bête dieu esprit
		personaje persona hombre mujer niño criatura monstruo bestia dios espíritu`),
	"location": wordList(`location place setting area region city town village building room site landmark house tavern inn country kingdom world planet
		realm street forest mountain river sea island venue
		ort ortschaft platz schauplatz gebiet gegend stadt dorf gebäude raum haus land königreich welt wald
		lieu endroit ville village bâtiment pays royaume monde forêt
		lugar sitio ubicación ciudad pueblo edificio país reino mundo bosque localización`),
	"item": wordList(`item object thing artifact artefact weapon tool equipment possession document book letter key potion treasure vehicle ship
		prop relic clothing armor armour
		gegenstand ding objekt artefakt waffe werkzeug buch brief schlüssel schatz fahrzeug ausrüstung
		objet chose arme outil livre lettre clé trésor véhicule relique
		objeto cosa artefacto arma herramienta libro carta llave tesoro vehículo reliquia`),
	"faction": wordList(`faction organization organisation group guild clan company order cult gang army family house-of nation tribe team crew party
		society institution alliance corporation government
		fraktion gruppe gilde bande orden sekte armee familie organisationen gesellschaft stamm bündnis verein
		groupe guilde clan ordre secte armée famille faction société tribu alliance
		facción organización grupo gremio clan orden secta ejército familia tribu sociedad alianza`),
	"quest": wordList(`quest task goal mission objective plot plan job errand promise debt thread storyline event contract oath bounty mystery
		aufgabe auftrag ziel mission plan versprechen schuld ereignis rätsel
		quête tâche but objectif promesse dette événement mystère
		misión tarea objetivo meta promesa deuda evento misterio encargo`),
	"rule": wordList(`rule law magic system concept custom lore fact tradition religion mechanic history knowledge language culture spell ability
		power condition curse disease technology
		regel gesetz magie brauch konzept tatsache religion geschichte wissen sprache kultur zauber fähigkeit fluch krankheit
		règle loi magie coutume concept fait histoire savoir langue sort malédiction maladie
		regla ley magia costumbre concepto hecho historia saber idioma cultura hechizo maldición enfermedad`),
}

// Kind is the one of types that a model means by its words, such as "NPC" or
// "Magic item"; "" where it means none of them.
func Kind(types []string, raw string) string {
	raw = clip(raw, 80)
	said := plist.PlainType(raw)
	for _, t := range types {
		if plist.PlainType(t) == said && said != "" {
			return t
		}
	}
	var words []string
	plist.Words(strings.ToLower(raw), func(w string, _ int, _ bool) bool {
		words = append(words, w)
		return true
	})
	for i, w := range words { // what follows "of" is not the thing itself
		if i > 0 && (w == "of" || w == "von" || w == "de") {
			words = words[:i]
			break
		}
	}
	for _, w := range slices.Backward(words) {
		for _, form := range []string{w, strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "es"), strings.TrimSuffix(w, "en"), strings.TrimSuffix(w, "e")} {
			if t := kindOf(types, form); t != "" {
				return t
			}
		}
	}
	return ""
}

func kindOf(types []string, word string) string {
	for _, t := range types {
		if plist.PlainType(t) == word {
			return t
		}
	}
	for _, usual := range Types() {
		if !kinds[usual](word) {
			continue
		}
		for _, t := range types { // the user's own word for the same
			if p := plist.PlainType(t); p == usual || kinds[usual](p) {
				return t
			}
		}
	}
	return ""
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to so many characters.
func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
