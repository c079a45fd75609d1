// Package beats builds requests for proposals of what may happen in the next reply, and parses the
// answers. It is pure: the caller has the prompt and the model.
package beats

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Wanted is the number of proposals to ask for.
const Wanted = 3

// MaxBytes is the longest proposal; a longer one is cut at the end of a sentence or a word.
const MaxBytes = 280

// Limits of the request's contents.
const (
	maxStory    = 16 << 10 // bytes used to detect the language
	maxProposed = 12       // proposals that are not wanted again
)

// Answer is the form of a model's answer.
type Answer struct {
	Proposals []string `json:"proposals"`
}

// Schema is the JSON schema that the server enforces; Form is the looser one that is accepted.
var (
	Schema = json.RawMessage(`{"type":"object","properties":{"proposals":{"type":"array","minItems":3,"maxItems":3,` +
		`"items":{"type":"string","minLength":1,"maxLength":280}}},"required":["proposals"],` +
		`"additionalProperties":false}`)
	Form = json.RawMessage(
		`{"type":"object","properties":{"proposals":{"type":"array","items":{"type":"string"}}},` +
			`"required":["proposals"]}`)
)

// Ask describes the proposals to ask for. About is what the user would like to see. Not are
// proposals that are not wanted again. Open means that the user speaks before the reply.
type Ask struct {
	About string
	Not   []string
	Open  bool
}

// Request returns the instruction for the end of the chat's own prompt.
func (a Ask) Request(set *prompts.Set, char, user string) string {
	fill := func(name string, more ...string) string {
		values := map[string]string{"char": char, "user": user}
		for i := 0; i+1 < len(more); i += 2 {
			values[more[i]] = more[i+1]
		}
		return set.Fill("chat/"+name, values)
	}
	parts := []string{fill("beats")}
	if a.Open {
		parts = append(parts, fill("beats-open"))
	}
	if about := strings.Join(strings.Fields(a.About), " "); about != "" {
		parts = append(parts, fill("beats-about", "about", about))
	}
	if len(a.Not) > 0 {
		var lines []string
		for _, p := range a.Not[max(0, len(a.Not)-maxProposed):] {
			lines = append(lines, "- "+OneLine(p))
		}
		parts = append(parts, fill("beats-not", "proposed", strings.Join(lines, "\n")))
	}
	return strings.Join(parts, "\n\n")
}

// Clean returns the usable proposals, at most Wanted: each on one line, without numbers, titles and
// surrounding quotes, no duplicates, and none of not.
func Clean(proposals, not []string) (out []string) {
	met := map[string]bool{}
	for _, p := range not {
		met[key(p)] = true
	}
	for _, p := range proposals {
		p = OneLine(p)
		if k := key(p); k == "" || met[k] || known().refusal.MatchString(p) {
			continue
		} else {
			met[k] = true
		}
		if out = append(out, p); len(out) == Wanted {
			break
		}
	}
	return out
}

// Lines returns the proposals of an answer that is not JSON: a list, or some lines.
func Lines(answer string, not []string) []string {
	if len(answer) > maxStory {
		answer = strings.ToValidUTF8(answer[:maxStory], "")
	}
	var listed, quoted, plain []string
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		switch {
		case known().item.MatchString(line):
			listed = append(listed, line)
		case strings.HasPrefix(line, `"`):
			quoted = append(quoted, strings.TrimRight(line, "], }"))
		case utf8.RuneCountInString(line) >= 20 && !strings.HasSuffix(line, ":") && !strings.ContainsAny(line, "{}[]"):
			plain = append(plain, line)
		}
	}
	for _, list := range [][]string{listed, quoted, plain} {
		if got := Clean(list, not); len(got) > 0 {
			return got
		}
	}
	return nil
}

// patterns holds the expressions that parse answers.
type patterns struct {
	item    *regexp.Regexp // list marker followed by text
	lead    *regexp.Regexp // marker or title before a proposal
	refusal *regexp.Regexp // how models refuse
	clause  *regexp.Regexp // before a clause
	pair    *regexp.Regexp // before the first of two names that belong together
	noVerb  *regexp.Regexp // after a name that is not the subject of a verb
}

var known = sync.OnceValue(func() patterns {
	const sign = `(?:[-*•–]|\(?\d{1,2}[.):]|\(?[a-cA-C][.)])\s+`
	return patterns{
		clause: regexp.MustCompile(
			`(?i:[;:] |\b(?:and|but|while|until|when|as|so that|und|aber|während|bis|als|damit|et|mais|pendant que` +
				`|quand|y|pero|mientras|cuando) )`),
		pair: regexp.MustCompile(`(?i:\b(?:between|both|zwischen|entre|either|neither)\b[^,;]*$)`),
		noVerb: regexp.MustCompile(
			`^(?i:(?:to|in|into|at|on|by|with|from|for|of|out|up|down|away|back|alone|apart|together|both|and|or|too` +
				`|zu|im|auf|mit|von|für|aus|zum|zur|allein|beide|à|au|dans|avec|sur|pour|de|seuls?|a|con|para|por|en` +
				`|solos?)\b|\P{L})`),
		item: regexp.MustCompile(`^` + sign + `\S`),
		lead: regexp.MustCompile(`^(?i:` + sign +
			`|(?:proposal|beat|option|idea|vorschlag|proposition|propuesta)\s*(?:#?\d{1,2}|one|two|three` +
			`|[a-c])?\s*[.:)–-]\s*)`),
		refusal: regexp.MustCompile(
			`^(?i:(?:i['’]?m|i am|we['’]?re) (?:sorry|afraid (?:i|that i)|unable|not able|not comfortable)` +
				`|sorry[,.! ]|as an ai\b|as a (?:large )?language model` +
				`|i (?:can['’]?t|cannot|can not|won['’]?t|must decline|am unable) ?(?:to )?(?:help|assist|continue` +
				`|create|write|generate|provide|comply|fulfil|propose|do (?:that|this)|engage)\b` +
				`|(?:es )?tut mir leid|ich kann (?:dabei|hier|leider) (?:nicht|keine)|(?:je suis )?désolée?[,. ]` +
				`|je ne peux pas (?:vous|t['’]|aider|continuer)|lo siento|no puedo (?:ayudar|continuar|generar))`),
	}
})

// OneLine returns a proposal as one line of at most MaxBytes, without list markers, titles and
// surrounding quotes.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	for range 3 { // such as "1. **Beat 1:** …"
		before := text
		text = strings.TrimSpace(known().lead.ReplaceAllString(text, ""))
		text = unwrapped(text)
		if text == before {
			break
		}
	}
	return within(text, MaxBytes)
}

// unwrapped removes marks around the whole text, or a marked title before it.
func unwrapped(text string) string {
	for _, mark := range []string{"**", "__"} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			if title, after, ok := strings.Cut(rest, mark); ok {
				if strings.TrimSpace(after) == "" {
					return strings.TrimSpace(title)
				}
				if strings.HasSuffix(strings.TrimSpace(title), ":") || strings.HasPrefix(after, ":") {
					return strings.TrimSpace(strings.TrimPrefix(after, ":"))
				}
			}
		}
	}
	for _, pair := range []string{`""`, "“”", "„“", "«»", "[]"} {
		r := []rune(pair)
		inside, ok := strings.CutPrefix(text, string(r[0]))
		if !ok {
			continue
		}
		inside, ok = strings.CutSuffix(strings.TrimRight(inside, ","), string(r[1]))
		if ok && !strings.ContainsAny(inside, pair) {
			return strings.TrimSpace(inside)
		}
	}
	return text
}

// within cuts a text to no more than most bytes, at the end of a sentence if possible, else of a
// word.
func within(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.ToValidUTF8(text[:most-len("…")], "")
	if at := strings.LastIndexAny(cut, ".!?。！？"); at > most/3 {
		_, size := utf8.DecodeRuneInString(cut[at:])
		return cut[:at+size]
	}
	if at := strings.LastIndexByte(cut, ' '); at > most/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:-–") + "…"
}

// key returns a proposal as it is compared with others: its letters and digits.
func key(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, OneLine(text))
}

// For separates the proposals that say what the user does from the others. names are the names of
// the user.
func For(names, proposals []string) (user, others []string) {
	for _, p := range proposals {
		if slices.ContainsFunc(names, func(name string) bool { return acts(p, name) }) {
			user = append(user, p)
		} else {
			others = append(others, p)
		}
	}
	return user, others
}

// acts reports whether a sentence, or a clause in it, begins with name and what its bearer does.
func acts(sentence, name string) bool {
	if begins(sentence, name) {
		return true
	}
	for _, at := range known().clause.FindAllStringIndex(sentence, -1) {
		rest := sentence[at[1]:]
		if !begins(rest, name) || known().pair.MatchString(sentence[:at[0]]) {
			continue
		}
		after, _, _ := strings.Cut(strings.TrimLeft(rest[len(name):], " "), " ")
		if !known().noVerb.MatchString(after) {
			return true
		}
	}
	return false
}

// begins reports whether a sentence begins with a name and a word.
func begins(sentence, name string) bool {
	if len(sentence) <= len(name) || !strings.EqualFold(sentence[:len(name)], name) {
		return false
	}
	rest := strings.TrimLeft(sentence[len(name):], " ")
	r, _ := utf8.DecodeRuneInString(rest)
	return len(rest) < len(sentence)-len(name) && unicode.IsLetter(r)
}

// Check returns what is wrong with cleaned proposals, as an error in words for the model. story is
// text of the play; proposals must be in its script.
func Check(proposals []string, story string) error {
	if len(proposals) == 0 {
		return errors.New("there is no proposal in it that can be used; three different sentences are wanted, each " +
			"about what happens in the next reply")
	}
	own, other := text.Script(text.Truncate(story, maxStory)), text.Script(strings.Join(proposals, " "))
	if own != "" && other != "" && own != other {
		return fmt.Errorf("the story is not written in the %s script; write the proposals in the language of the story",
			other)
	}
	return nil
}
