package capture

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Person is somebody whom a picture may show.
type Person = camera.Person

// people are those of a moment; where nobody has said who, the character and the
// persona.
func (in Input) people() []Person {
	if in.People != nil {
		return in.People
	}
	card := in.Character.Card
	return []Person{
		Portrayed(or(card.CharName(), "the character"), in.Character.Imagery.Appearance, or(in.Description, card.Description), card.Personality),
		Portrayed(user(in), "", or(in.PersonaText, in.Persona.Description), ""),
	}
}

// Portrayed is somebody as a picture may show them: by the appearance that was written
// for pictures, else by what the description says of looks. What else there is of them,
// such as age and profession, is not lost.
func Portrayed(name, appearance, description, role string) Person {
	p := Person{Name: name, Looks: strings.TrimSpace(appearance), Who: strings.TrimSpace(description), Role: strings.TrimSpace(role)}
	if p.Looks != "" {
		return p
	}
	var looks, clothes []string
	for _, f := range Describe(name, wearing.Replace(description), false) {
		if f.Kind == storage.FactClothes {
			clothes = append(clothes, f.Text)
		} else {
			looks = append(looks, f.Text)
		}
	}
	p.Looks, p.Clothes = looksOnly(name, looks), looksOnly(name, clothes)
	return p
}

// wearing splits what somebody wears from what they look like.
var wearing = strings.NewReplacer(" and wears ", ". Wears ", " and wearing ", ". Wearing ", " and is dressed ", ". Dressed ", " and always wears ", ". Wears ", " and usually wears ", ". Wears ")

// looksOnly joins phrases about somebody without the words that only lead to them.
func looksOnly(name string, phrases []string) string {
	for i, p := range phrases {
		first, _, _ := strings.Cut(name, " ")
		for _, lead := range []string{name + " ", first + " ", "She ", "He ", "They ", "Wears ", "Wearing ", "has ", "have ", "is "} {
			p = strings.TrimPrefix(p, lead)
		}
		phrases[i] = p
	}
	return strings.Join(phrases, ", ")
}

// mostWho is what is told of somebody beside their looks where these are known, in runes.
const mostWho = 700

// block tells the people of a moment, one after the other.
func (in Input) block() string {
	var b strings.Builder
	for _, p := range in.people() {
		if p.Gone != "" {
			continue // the order says so
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		name := "Name: " + or(p.Name, "the character")
		if p.Maybe {
			name += " (perhaps here)"
		}
		b.WriteString(name + "\n")
		looks, who := p.Looks, p.Who
		if looks == "" {
			looks, who = who, ""
		}
		b.WriteString("Appearance: " + in.bound(or(looks, "not said")) + "\n")
		if p.Role != "" {
			b.WriteString("Role: " + in.bound(beginning(p.Role, mostWho)) + "\n")
		}
		if p.Clothes != "" {
			b.WriteString("Clothes: " + in.bound(p.Clothes) + "\n")
		}
		if who != "" && who != looks {
			b.WriteString("Who they are: " + in.bound(beginning(who, mostWho)) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Worn finds what messages say of what people wear, the newest first: sentences that
// name a garment with somebody who is known, or whose speaker tells of themselves.
func Worn(nodes []storage.Node, names []string) map[string]string {
	out := map[string][]string{}
	for _, n := range slices.Backward(nodes) {
		if !spoken(n) {
			continue
		}
		text := ending(n.Content, maxMessage)
		for _, span := range slices.Backward(camera.Sentences(strings.ReplaceAll(text, "*", ""))) {
			s := strings.TrimSpace(span.In(strings.ReplaceAll(text, "*", "")))
			who := wearer(s, n.Name, names)
			if who != "" && len(out[who]) < 2 {
				out[who] = append(out[who], "“"+clipped(s, 200)+"”")
			}
		}
	}
	told := map[string]string{}
	for who, list := range out {
		slices.Reverse(list)
		told[who] = strings.Join(list, " ")
	}
	return told
}

var (
	// dressing are words that say that something is worn, donning with "on" or "off" that
	// it is put on or taken off.
	dressing = wordSet("wear wears wearing wore worn dressed clad buttoned buttons unbuttons wrapped shrugs ties")
	donning  = wordSet("pull pulls pulled take takes took put puts slip slips slipped shrug shrugs drag drags throw throws threw")
	ownWords = wordSet("i my her his")
)

// wearer is whose clothes a sentence tells of, "" for nobody's.
func wearer(s, speaker string, names []string) string {
	list := terms(s)
	told, own := false, false
	for i, t := range list {
		own = own || ownWords[t.low]
		if !things[t.low].garment || i+1 < len(list) && fixtures[list[i+1].low] {
			continue
		}
		for j := i - 1; j >= max(0, i-7) && list[j].sentence == t.sentence; j-- {
			over := j+1 < len(list) && (list[j+1].low == "on" || list[j+1].low == "off" || list[i].sentence == t.sentence && i+1 < len(list) && (list[i+1].low == "on" || list[i+1].low == "off"))
			told = told || dressing[list[j].low] || donning[list[j].low] && over
		}
	}
	if !told {
		return ""
	}
	who := ""
	for _, name := range names {
		if Calls(s, name) {
			if who != "" {
				return ""
			}
			who = name
		}
	}
	if who == "" && own {
		for _, name := range names {
			if SameName(name, speaker) {
				return name
			}
		}
	}
	return who
}

// Dead tells whether what a book says of somebody has them dead: "is dead", "status:
// dead", "died at sea", and not "her father died".
func Dead(text string) bool {
	list := terms(text)
	for i, t := range list {
		if t.low != "dead" && t.low != "deceased" && t.low != "died" {
			continue
		}
		if next := i + 1; t.low == "dead" && next < len(list) && list[next].sentence == t.sentence && !list[next].comma && !closers[list[next].low] && list[next].low != "since" {
			continue // the dead sea
		}
		j := i - 1
		for j >= 0 && list[j].sentence == t.sentence && (copulas[list[j].low] || adverbs[list[j].low] || list[j].low == "has" || list[j].low == "long") {
			j--
		}
		if j < 0 || list[j].sentence != t.sentence || list[j].low == "status" || list[j].low == "she" || list[j].low == "he" || j == i-1 && t.comma ||
			list[j].word != list[j].low && !list[j].own && (j == 0 || !pronouns[list[j-1].low]) {
			return true
		}
	}
	return false
}
