// Package plist reads and writes the form of facts in lorebooks: one bracketed entry "[type-Name:
// property, property(detail, detail(deeper))]". It checks such texts, compares two of them fact by
// fact, and reverts changes. Texts in any other form are split into facts by line and sentence.
package plist

import (
	"bytes"
	"fmt"
	"strings"
)

// List is an entry. Commas within a Text are not distinguished from those between properties: see
// CleanText.
type List struct {
	Type       string // lower case
	Name       string
	Properties []Property
}

// Property is a property, a detail of one, or a detail of a detail; there is no deeper level. A
// property whose parentheses are not at its end is kept whole in Text.
type Property struct {
	Text    string
	Details []Property
}

// maxDepth is the maximum depth of parentheses in an entry.
const maxDepth = 2

// Parse parses an entry. Blanks and line breaks count as one blank, a type in capitals as lower
// case, and empty properties are left out. The error is the first Problem of form.
func Parse(text string) (List, error) {
	p := parse(text)
	for i := range p.faults {
		if p.faults[i].Kind.fatal() {
			f := p.faults[i]
			f.locate(text)
			return List{}, fmt.Errorf("lore entry: %s", f)
		}
	}
	return p.list(), nil
}

// IsList reports whether a text is intended as an entry in this form, even if it has faults.
func IsList(text string) bool {
	text = strings.TrimLeft(text, blanks)
	if text == "" || text[0] != '[' {
		return false
	}
	colon := strings.IndexAny(text[:min(len(text), maxHead)], ":：")
	return colon > 0 && strings.ContainsAny(text[:colon], hyphens)
}

// Valid reports whether Parse takes the text.
func Valid(text string) bool {
	p := parse(text)
	return p.isValid()
}

// Head returns the type and name of an entry; ok is false if Parse rejects it.
func Head(text string) (typ, name string, ok bool) {
	p := parse(text)
	if !p.isValid() {
		return "", "", false
	}
	return strings.ToLower(oneLine(p.at(p.typ))), oneLine(p.at(p.name)), true
}

// String writes the entry in its canonical form, on one line.
func (l List) String() string {
	var b strings.Builder
	b.WriteString("[" + l.Type + "-" + l.Name + ": ")
	write(&b, l.Properties)
	b.WriteByte(']')
	return b.String()
}

// String writes a property with its details.
func (p Property) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p Property) write(b *strings.Builder) {
	b.WriteString(p.Text)
	if len(p.Details) > 0 {
		b.WriteByte('(')
		write(b, p.Details)
		b.WriteByte(')')
	}
}

func write(b *strings.Builder, list []Property) {
	for i, p := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		p.write(b)
	}
}

// CleanText makes any text a valid property: on one line, and without characters that would end it
// or begin another. Commas become dashes.
func CleanText(text string) string {
	text = oneLine(text)
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		kind, size := token(text, i)
		piece := text[i : i+size]
		i += size
		switch kind {
		case separator:
			b = bytes.TrimRight(b, " ")
			if len(b) > 0 && i < len(text) && !bytes.HasSuffix(b, []byte(" –")) {
				b = append(b, " – "...)
			} else {
				b = append(b, ' ')
			}
		case opens, closes, squareOpens, squareCloses:
			b = append(b, ' ')
		default:
			b = append(b, piece...)
		}
	}
	return oneLine(string(b))
}

// CleanName makes any text fit to be the name in a head.
func CleanName(text string) string {
	return oneLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]:：\x00", r) {
			return ' '
		}
		return r
	}, text))
}

// CleanType makes any text fit to be the type in a head.
func CleanType(text string) string {
	return strings.ToLower(oneLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]:：\x00"+hyphens, r) {
			return ' '
		}
		return r
	}, text)))
}

// Rename changes the name in the head of an entry from old to name. Everything else stays, byte for
// byte.
func Rename(content, old, name string) string {
	p := parse(content)
	if name = CleanName(name); name == "" || !p.isValid() || !SameName(oneLine(p.at(p.name)), old) {
		return content
	}
	return content[:p.name.from] + name + content[p.name.to:]
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
