package scene

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// maxPartial is how many bytes of an unfinished answer are looked at.
const maxPartial = 128 << 10

// Partial is what can be shown of an answer that is still being written, as
// Markdown: the recap's bullets so far, each heading with its first one. It is
// "" while there is nothing, never fails, and takes answers to RecapPrompt,
// MergePrompt, Join.Prompt and MessagePrompt.
func Partial(answer string) string {
	if len(answer) > maxPartial {
		answer = answer[:maxPartial]
	}
	p := partial{s: answer, at: strings.IndexByte(answer, '{')}
	if p.at < 0 {
		return ""
	}
	p.members(func(key string) {
		if strings.EqualFold(key, "recap") {
			p.recap()
			return
		}
		p.skip()
	})
	return strings.TrimSpace(p.out.String())
}

// partial reads JSON that may end anywhere. Every step moves on or ends.
type partial struct {
	s   string
	at  int
	out strings.Builder
}

func (p *partial) blank() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n,:", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *partial) next() byte {
	p.blank()
	if p.at >= len(p.s) {
		return 0
	}
	return p.s[p.at]
}

// members gives each key of an object; value must read what belongs to it.
func (p *partial) members(value func(key string)) {
	if p.next() != '{' {
		p.skip()
		return
	}
	p.at++
	for p.next() == '"' {
		key, whole := p.text()
		if !whole || p.next() == 0 {
			return
		}
		value(key)
	}
	if p.next() == '}' {
		p.at++
	}
}

// elements gives each element of an array; value must read it.
func (p *partial) elements(value func()) {
	if p.next() != '[' {
		p.skip()
		return
	}
	p.at++
	for c := p.next(); c != 0 && c != ']' && c != '}'; c = p.next() {
		value()
	}
	if p.next() == ']' {
		p.at++
	}
}

// skip reads one value without looking at it.
func (p *partial) skip() {
	depth := 0
	for {
		switch c := p.next(); c {
		case 0:
			return
		case '"':
			p.text()
		case '{', '[':
			depth++
			p.at++
		case '}', ']':
			if depth == 0 {
				p.at++ // a stray bracket: on with what follows
				return
			}
			depth--
			p.at++
		default:
			for p.at < len(p.s) && strings.IndexByte(" \t\r\n,:{}[]\"", p.s[p.at]) < 0 {
				p.at++
			}
		}
		if depth == 0 {
			return
		}
	}
}

// text reads a string; of one that is not finished what is there, and false.
func (p *partial) text() (string, bool) {
	start := p.at
	p.at++
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case '\\':
			p.at += 2
			continue
		case '"':
			p.at++
			return unquoted(p.s[start:p.at]), true
		}
		p.at++
	}
	p.at = len(p.s)
	return unquoted(cutEscape(p.s[start:]) + `"`), false
}

// cutEscape takes an escape that is not finished off the end.
func cutEscape(s string) string {
	i := strings.LastIndexByte(s, '\\')
	if i < 0 {
		return s
	}
	slashes := 0
	for j := i; j >= 0 && s[j] == '\\'; j-- {
		slashes++
	}
	if slashes%2 == 1 && (i == len(s)-1 || s[i+1] == 'u' && len(s) < i+6) {
		return s[:i]
	}
	return s
}

func unquoted(s string) string {
	var text string
	if json.Unmarshal([]byte(s), &text) == nil {
		return text
	}
	text = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`) // a raw newline in it, perhaps
	return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(text)
}

// recap shows what stands under "recap".
func (p *partial) recap() {
	if p.next() == '"' {
		text, _ := p.text()
		p.out.WriteString(paragraphs(text))
		return
	}
	p.members(func(key string) {
		at := headingOf(key)
		if at < 0 {
			p.skip()
			return
		}
		shown := false
		show := func(text string) {
			text, _ = cutNumbers(prompts.OneLine(text))
			if text = prompts.Bounded(bulletText(text), maxBullet); text == "" {
				return
			}
			if !shown {
				if p.out.Len() > 0 {
					p.out.WriteByte('\n')
				}
				p.out.WriteString("## " + headings5[at] + "\n\n")
				shown = true
			}
			p.out.WriteString("- " + text + "\n")
		}
		p.bullets(show)
	})
}

// bullets shows a section: a list, or one text.
func (p *partial) bullets(show func(string)) {
	if p.next() == '"' {
		text, _ := p.text()
		for _, b := range Bullets(paragraphs(text)) {
			show(b.Text)
		}
		return
	}
	p.elements(func() {
		if p.next() == '"' {
			text, _ := p.text()
			show(text)
			return
		}
		p.members(func(key string) {
			if strings.EqualFold(key, "text") && p.next() == '"' {
				text, _ := p.text()
				show(text)
				return
			}
			p.skip()
		})
	})
}
