package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Describe finds facts about somebody's looks in a description, as whole phrases:
// those that name something of a body or a garment, or with plain all of them,
// since the text is about nothing else.
func Describe(who, text string, plain bool) []storage.Fact {
	if len(text) > maxField {
		text = text[:maxField]
	}
	var out []storage.Fact
	for _, phrase := range phrases(who, text) {
		f, ok := CleanFact(storage.Fact{Kind: storage.FactAppearance, Who: who, Text: phrase, Source: storage.FactFromLore})
		words := terms(f.Text)
		named := false
		for _, t := range words {
			n, is := things[t.low]
			if is && n.garment {
				f.Kind = storage.FactClothes
			}
			_, joined := compound(t)
			named = named || is || joined
		}
		if !ok || len(words) > longDerived || !named && !(plain && telling(words)) || len(out) == maxDerived ||
			slices.ContainsFunc(out, func(o storage.Fact) bool { return o.Text == f.Text }) {
			continue
		}
		if len(words) == 1 && things[words[0].low].name != "" && !things[words[0].low].garment && words[0].low != "freckles" {
			continue // everybody has eyes
		}
		out = append(out, f)
	}
	return out
}

// longOpen bounds, in bytes, a phrase that goes on behind a comma.
const longOpen = 160

// telling tells whether words that name no part of a body say something all the
// same: "tall", not "mostly", "dark" or "in rain".
func telling(list []term) bool {
	for i, t := range list {
		low := t.low
		switch {
		case i == 0 && closers[low]:
			return false
		case utf8.RuneCountInString(low) < 3 || !strings.ContainsFunc(low, unicode.IsLetter) || idle[low] || closers[low] || articlesAll[low] || adverbs[low] || pronouns[low]:
		default:
			if _, only := qualityOf(low); !only {
				return true
			}
		}
	}
	return false
}

var (
	// idle words say nothing alone.
	idle = wordSet("mostly usually often always never sometimes slightly somewhat fairly really also age aged about around years year old")
	// builds are adjectives of a whole person; with those of qualities they leave a
	// phrase open for the noun that is still to come.
	builds = wordSet("tall short slim slender thin lean skinny stocky broad heavy wiry muscular athletic petite curvy plump round narrow stooped young old elderly " +
		"middle-aged large big small little slight pale tanned freckled handsome pretty beautiful plain sharp soft thick fine deep bright light worn shabby tight loose simple heavyset")
	// openers begin a phrase that wants a noun.
	openers = wordSet("a an the his her their its has have with wears wearing in")
)

// phrases are the phrases of a description. A comma between adjectives ends none:
// "a tall, black-haired woman". "Hair: black, long" and "hair(black, long)" become
// "black, long hair".
func phrases(who, text string) (out []string) {
	for _, s := range sentences(text) {
		parts := topParts(s)
		for i := 0; i < len(parts); i++ {
			part, key := parts[i], ""
			if k, rest, ok := keyed(part); ok {
				key, part = k, rest
			}
			if key == "" || SameName(key, who) {
				if strings.EqualFold(strings.TrimSpace(part), who) {
					continue // "Tove, a tall woman" begins with nothing about her
				}
				for i+1 < len(parts) && !hasKey(parts[i+1]) {
					if waits, said := open(part); !waits || said && !adjectives(parts[i+1]) {
						break
					}
					i++
					part += ", " + unbraced(parts[i])
				}
				out = append(out, part)
				continue
			}
			values := topParts(part)
			for i+1 < len(parts) && !hasKey(parts[i+1]) && adjectives(parts[i+1]) {
				i++
				values = append(values, strings.TrimSpace(parts[i]))
			}
			out = append(out, valued(key, values)...)
		}
	}
	return out
}

// valued puts what is said of a thing together with it.
func valued(key string, values []string) (out []string) {
	var rest []string
	plain := true
	for _, v := range values {
		v = strings.TrimSpace(v)
		switch {
		case v == "":
		case slices.ContainsFunc(terms(v), func(t term) bool { return things[t.low].name != "" }):
			out = append(out, v)
		default:
			plain = plain && adjectives(v)
			rest = append(rest, v)
		}
	}
	_, body := things[strings.ToLower(key)]
	switch said := strings.Join(rest, ", "); {
	case said == "":
	case body && plain:
		out = append(out, said+" "+strings.ToLower(key))
	default:
		out = append(out, key+": "+said)
	}
	return out
}

// sentences splits a text where sentences end. A stop within a word or a number
// ends none.
func sentences(text string) (out []string) {
	from := 0
	for i, r := range text {
		end := strings.ContainsRune(";\n!?[]", r)
		if r == '.' {
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			end = i+1 == len(text) || unicode.IsSpace(next)
		}
		if end {
			out = append(out, text[from:i])
			from = i + utf8.RuneLen(r)
		}
	}
	return append(out, text[from:])
}

// topParts splits a sentence at its commas outside of parentheses.
func topParts(s string) (out []string) {
	deep, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			deep++
		case ')':
			deep = max(0, deep-1)
		case ',':
			if deep == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// keyed splits "hair: black" and "hair(black)". Other parentheses are left out.
func keyed(part string) (key, rest string, ok bool) {
	part = strings.TrimSpace(part)
	if k, v, found := strings.Cut(part, ":"); found && strings.TrimSpace(k) != "" && len(strings.Fields(k)) <= 3 {
		return strings.TrimSpace(k), unbraced(v), true
	}
	k, v, found := strings.Cut(part, "(")
	if found && len(strings.Fields(k)) == 1 && strings.HasSuffix(v, ")") {
		return strings.TrimSpace(k), unbraced(strings.TrimSuffix(v, ")")), true
	}
	return "", unbraced(part), false
}

func hasKey(part string) bool {
	_, _, ok := keyed(part)
	return ok
}

// unbraced is a text without what stands in parentheses.
func unbraced(s string) string {
	var b strings.Builder
	deep := 0
	for _, r := range s {
		switch {
		case r == '(':
			deep++
		case r == ')':
			deep = max(0, deep-1)
		case deep == 0:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// adjective tells whether a word only says what something is like.
func adjective(low string) bool {
	_, ok := qualityOf(low)
	return ok || builds[low] || adverbs[low] || idle[low]
}

// adjectives tells whether a part holds nothing else, and some that say something.
func adjectives(part string) bool {
	list := terms(part)
	return slices.ContainsFunc(list, func(t term) bool { return adjective(t.low) && !idle[t.low] && !adverbs[t.low] }) &&
		!slices.ContainsFunc(list, func(t term) bool { return !adjective(t.low) && t.low != "and" })
}

// open tells whether a part waits for its noun: it ends in adjectives behind a word
// that wants one, or is nothing but an adjective that no person is: "long". With
// said it has its noun, "hair is long", and only more adjectives belong to it.
func open(part string) (waits, said bool) {
	if len(part) > longOpen {
		return false, false
	}
	list := terms(part)
	if len(list) == 0 || !adjective(list[len(list)-1].low) {
		return false, false
	}
	alone := false
	for _, t := range slices.Backward(list) {
		switch {
		case openers[t.low]:
			return true, false
		case !adjective(t.low):
			return copulas[t.low], true
		}
		_, ok := qualityOf(t.low)
		alone = alone || ok && t.low != "short"
	}
	return alone, false
}
