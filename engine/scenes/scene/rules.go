package scene

// Kinds of cues that the table knows.
const (
	Separator = "separator" // a line that is nothing but a rule
	Heading   = "heading"   // "Chapter 3", a Markdown heading
	Mark      = "mark"      // out of character or screenplay: "[Scene break]", "CUT TO:"
	Time      = "time"      // an explicit time skip
	Place     = "place"     // a header that says where, new against the last one
)

// rule is one row of the table: what is looked for, and what it means in the
// words that a rationale is made of.
//
// The pattern of a separator is its glyph and how often it must stand there at
// least. Every other pattern is words, letter case aside, in which "a|b" are
// alternatives, "a?" may be missing, and these stand for more than one word:
// {n} a quantity, {num} the number of a chapter, {ord} an ordinal, {unit} an
// hour or more, {units} more than one of those, {part} a part of the day, or a
// span that can be the next one. "$" wants the clause to end there.
type rule struct {
	kind     string
	pattern  string
	means    string
	explicit bool
	closes   bool // says that a scene ends here rather than begins
	framed   bool // counts only in brackets, between rules, in capitals or before a colon
}

// The table has five parts. Within each, a row that is more special comes before
// one that is less so.

const ruleLine = "a separator line"

var separators = []rule{
	{kind: Separator, pattern: "- 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "* 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "= 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "~ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "_ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "# 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "+ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "– 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "— 2", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "⸻ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "⁂ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "※ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "❦ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "☙ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "❧ 1", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "─ 3", means: ruleLine, explicit: true}, // any box-drawing line
	{kind: Separator, pattern: "⎯ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "• 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "✦ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "❖ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "◆ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "◇ 3", means: ruleLine, explicit: true},
	{kind: Separator, pattern: "hr", means: ruleLine, explicit: true}, // the HTML tag
	{kind: Separator, pattern: "title", means: "a title between two rules", explicit: true},
}

const chapter = "a chapter or scene heading"

var headings = []rule{
	{kind: Heading, pattern: "chapter|act|scene|part|episode|book|volume {num}", means: chapter, explicit: true},
	{kind: Heading, pattern: "prologue|epilogue|interlude|intermission", means: chapter, explicit: true},
	{kind: Heading, pattern: "kapitel|akt|szene|teil|folge|buch|band {num}", means: chapter, explicit: true},
	{kind: Heading, pattern: "{ord} kapitel|akt|szene|teil", means: chapter, explicit: true},
	{kind: Heading, pattern: "prolog|epilog|zwischenspiel", means: chapter, explicit: true},
	{kind: Heading, pattern: "chapitre|acte|scène|partie|épisode|livre|tome {num}", means: chapter, explicit: true},
	{kind: Heading, pattern: "{ord} chapitre|acte|scène|partie", means: chapter, explicit: true},
	{kind: Heading, pattern: "épilogue|interlude|intermède", means: chapter, explicit: true},
	{kind: Heading, pattern: "capítulo|capitulo|acto|escena|parte|episodio|libro {num}", means: chapter, explicit: true},
	{kind: Heading, pattern: "{ord} capítulo|acto|escena|parte", means: chapter, explicit: true},
	{kind: Heading, pattern: "prólogo|prologo|epílogo|epilogo|interludio", means: chapter, explicit: true},
	{kind: Heading, pattern: "{ord} chapter|act|scene|part", means: chapter, explicit: true},
	{kind: Heading, pattern: "#", means: "a heading", explicit: true}, // any other Markdown heading
	{kind: Time, pattern: "day|tag|jour|día|dia {num}", means: "the count of days"},
}

const (
	sceneMark = "an out-of-character mark for a new scene"
	endMark   = "a mark that ends the scene"
	skipMark  = "an out-of-character mark for a time skip"
	cutMark   = "a cut"
)

var marks = []rule{
	{kind: Mark, pattern: "scene break|change|shift|switch|transition", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "new|next scene", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "new|next chapter", means: sceneMark, explicit: true, framed: true},
	{kind: Mark, pattern: "change of scene|scenery|location|place", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "location|setting|pov change|shift|switch", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "szenenwechsel|ortswechsel|szenenumbruch", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "neue|nächste szene", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "changement de scène|lieu|décor", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "nouvelle|prochaine scène", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "scène suivante", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "cambio de escena|lugar", means: sceneMark, explicit: true},
	{kind: Mark, pattern: "nueva|siguiente|próxima escena", means: sceneMark, explicit: true},

	{kind: Mark, pattern: "end of? the? this? scene|chapter", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "scene|chapter end|ends|ended|over|closes", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "the? scene|screen|camera|picture? fade|fades|fading|faded|cuts to black", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fade|fades|cut|cuts|fading to black", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fade out", means: endMark, explicit: true, closes: true, framed: true},
	{kind: Mark, pattern: "the end", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "to be continued", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "szenenende|abblende", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "ende der|dieser szene", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "die szene endet", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fortsetzung folgt", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fin de la? cette? scène", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fondu au noir", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "à suivre", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fin de la? escena", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "fundido a negro", means: endMark, explicit: true, closes: true},
	{kind: Mark, pattern: "continuará", means: endMark, explicit: true, closes: true},

	{kind: Mark, pattern: "{n}? {unit}? time skip|jump", means: skipMark, explicit: true},
	{kind: Mark, pattern: "{n}? {unit}? timeskip|timejump", means: skipMark, explicit: true},
	{kind: Mark, pattern: "skip ahead|forward|to", means: skipMark, explicit: true, framed: true},
	{kind: Mark, pattern: "fast|flash forward", means: skipMark, explicit: true},
	{kind: Mark, pattern: "zeitsprung|zeitraffer", means: skipMark, explicit: true},
	{kind: Mark, pattern: "saut dans le temps", means: skipMark, explicit: true},
	{kind: Mark, pattern: "ellipse|elipsis", means: skipMark, explicit: true, framed: true},
	{kind: Mark, pattern: "salto temporal", means: skipMark, explicit: true},
	{kind: Mark, pattern: "salto de|en el? tiempo", means: skipMark, explicit: true, framed: true},

	{kind: Mark, pattern: "smash|hard|jump|match cut to?", means: cutMark, explicit: true, framed: true},
	{kind: Mark, pattern: "cut|dissolve|wipe to", means: cutMark, explicit: true, framed: true},
	{kind: Mark, pattern: "fade in|to", means: cutMark, explicit: true, framed: true},
	{kind: Mark, pattern: "schnitt", means: cutMark, explicit: true, framed: true},
	{kind: Mark, pattern: "corte a", means: cutMark, explicit: true, framed: true},
}

const skip = "an explicit time skip"

var timeSkips = []rule{
	{kind: Time, pattern: "{n} {unit} later", means: skip},
	{kind: Time, pattern: "{units} later", means: skip},
	{kind: Time, pattern: "{n} {unit} pass|passes|passed $", means: skip},
	{kind: Time, pattern: "{units} pass|passed $", means: skip},
	{kind: Time, pattern: "{n} {unit} have|has|had passed|gone by? $", means: skip},
	{kind: Time, pattern: "{units} have|had passed|gone by? $", means: skip},
	{kind: Time, pattern: "{n} {unit} go|goes|went|gone by|past $", means: skip},
	{kind: Time, pattern: "{units} go|went by|past $", means: skip},
	{kind: Time, pattern: "early|late|by|on? the next|following {part}", means: skip},
	{kind: Time, pattern: "next morning|day|evening $", means: skip},
	{kind: Time, pattern: "the morning|day|night|evening after $", means: skip},
	{kind: Time, pattern: "much? later that same? {part}", means: skip},
	{kind: Time, pattern: "later the same {part}", means: skip},
	{kind: Time, pattern: "much|sometime later $", means: skip},
	{kind: Time, pattern: "some|a long? time later $", means: skip},
	{kind: Time, pattern: "over the next|following|coming {n}? {unit}", means: skip},

	{kind: Time, pattern: "{n} {unit} später", means: skip},
	{kind: Time, pattern: "{units} später", means: skip},
	{kind: Time, pattern: "{n}? {unit} vergeht|vergehen|verging|vergingen|verstreichen|verstrichen $", means: skip},
	{kind: Time, pattern: "{n} {unit} sind|ist|waren|war vergangen $", means: skip},
	{kind: Time, pattern: "früh? spät? am nächsten|folgenden|anderen|darauffolgenden {part}", means: skip},
	{kind: Time, pattern: "in der nächsten|folgenden nacht|woche", means: skip},
	{kind: Time, pattern: "tags|tage darauf", means: skip},
	{kind: Time, pattern: "am morgen|tag|abend darauf|danach", means: skip},
	{kind: Time, pattern: "später am selben? {part}", means: skip},
	{kind: Time, pattern: "später an diesem|jenem {part}", means: skip},
	{kind: Time, pattern: "später in der|dieser|jener nacht|woche", means: skip},
	{kind: Time, pattern: "einige|geraume|lange zeit später", means: skip},

	{kind: Time, pattern: "{n} {unit} plus tard", means: skip},
	{kind: Time, pattern: "{n} {unit} passe|passent|passèrent|s'écoule|s'écoulent|s'écoulèrent $", means: skip},
	{kind: Time, pattern: "le lendemain matin|soir|midi?", means: skip},
	{kind: Time, pattern: "le|la {part} suivant|suivante", means: skip},
	{kind: Time, pattern: "l'année suivante", means: skip},
	{kind: Time, pattern: "plus tard dans la|le {part}", means: skip},
	{kind: Time, pattern: "plus tard ce|cette {part}", means: skip},
	{kind: Time, pattern: "bien|quelque temps? plus tard", means: skip},

	{kind: Time, pattern: "{n} {unit} después|despues", means: skip},
	{kind: Time, pattern: "{units} después|despues", means: skip},
	{kind: Time, pattern: "{n}? {unit} más|mas tarde", means: skip},
	{kind: Time, pattern: "pasa|pasan|pasó|pasaron|transcurre|transcurren {n} {unit} $", means: skip},
	{kind: Time, pattern: "a? al? la? {part} siguiente", means: skip},
	{kind: Time, pattern: "más|mas tarde esa|ese|aquella|aquel misma? mismo? {part}", means: skip},
	{kind: Time, pattern: "mucho más tarde", means: skip},
	{kind: Time, pattern: "algún? tiempo después", means: skip},
}

const where = "a header that says where the story is"

var places = []rule{
	{kind: Place, pattern: "int.", means: where}, // a slug line
	{kind: Place, pattern: "📍", means: where},
	{kind: Place, pattern: "location:", means: where}, // any key that asks where
	{kind: Place, pattern: "place — time", means: where},
}
