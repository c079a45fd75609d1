package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// frozenClock returns the time for macros in the stable part of a prompt: today's date, at the hour
// and minute when the chat began. So a prompt changes at most once a day by itself, and a {{date}}
// in a card is right; a {{time}} is when the chat began. If that is unknown, it is noon.
func frozenClock(chat storage.ChatID, now time.Time) time.Time {
	hour, minute := 12, 0
	if id, err := ulid.ParseStrict(string(chat)); err == nil {
		began := ulid.Time(id.Time()).In(now.Location())
		hour, minute = began.Hour(), began.Minute()
	}
	return time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
}

// system compiles the layers that stay the same throughout a chat.
//
// Macros that change by themselves are frozen, with a warning: clocks use frozenClock, random and
// roll are drawn once for the chat, macros about the newest messages (lastMessage, input …) are
// empty, and idleDuration is "a while".
func (c *compiler) system() block {
	s := c.s
	char, user := label(c.env.Char), label(c.env.User)
	card := "card: " + label(s.Card.Name)
	pieces := []piece{}
	add := func(layer, source, reason, heading, text string) {
		text = strings.TrimSpace(text)
		if text != "" && heading != "" {
			text = "## " + heading + "\n" + text
		}
		if p, ok := c.piece(layer, source, reason, text); ok {
			pieces = append(pieces, p)
		}
	}
	const note = "author's note, at its set position"
	add(LayerNote, "author's note", note, "", c.stable(LayerNote, "author's note", s.NoteBefore))
	main, source, reason := c.main(card)
	add(LayerMain, source, reason, "", main)
	name := "chat/immersion-" + string(immersion(s.Immersion))
	add(LayerImmersion, c.promptSource(name), "the character's immersion level", "",
		c.stable(LayerImmersion, "", c.set.Text(name)))
	const whole = "in force for the whole chat"
	persona := "persona: " + label(s.Persona.Name)
	add(LayerPersona, persona, whole, fmt.Sprintf("About %s, played by the user", user),
		c.stable(LayerPersona, persona, s.Persona.Description))
	pieces = append(pieces, c.stableLore(LoreBefore)...)
	add(LayerDescription, card, whole, "About "+char, c.stable(LayerDescription, card, s.Card.Description))
	add(LayerPersonality, card, whole, char+"'s personality", c.stable(LayerPersonality, card, s.Card.Personality))
	pieces = append(pieces, c.actor(char)...)
	pieces = append(pieces, c.scenario(whole)...)
	pieces = append(pieces, c.episode()...)
	pieces = append(pieces, c.stableLore(LoreAfter)...)
	pieces = append(pieces, c.examples(card, fmt.Sprintf("How %s speaks: examples, not part of the story", char),
		whole)...)
	pieces = append(pieces, c.cast()...)
	add(LayerNote, "author's note", note, "", c.stable(LayerNote, "author's note", s.NoteInside))
	return newBlock(string(storage.System), pieces)
}

// leaveOut adds a part with the reason why a text of the stable part is left out.
func (c *compiler) leaveOut(layer, source, reason, text string) {
	if text = strings.TrimSpace(text); text != "" {
		c.leftOut = append(c.leftOut, Part{Layer: layer, Source: source, Reason: reason, Tokens: c.count(text)})
	}
}

// by returns the source of a text: card, or the chat if over replaces the card's text.
func (c *compiler) by(over, card string) string {
	if over != "" {
		return "this chat, instead of the card's"
	}
	return card
}

// examples returns the card's example dialogues, with those of the lore around them.
func (c *compiler) examples(card, heading, whole string) []piece {
	const between = "\n\n***\n\n"
	pieces := c.exampleLore(LoreExamplesTop, between)
	blocks := prompts.Examples(c.stable(LayerExamples, card, c.s.Card.MessageExample))
	if p, ok := c.piece(LayerExamples, c.by(c.s.Overrides.Examples, card),
		fmt.Sprintf("%s, %s", plural(len(blocks), "example dialogue"), whole), strings.Join(blocks, between)); ok {
		p.join = between
		pieces = append(pieces, p)
	}
	return c.headed(heading, append(pieces, c.exampleLore(LoreExamplesBottom, between)...))
}

// headed adds a heading to the first of pieces.
func (c *compiler) headed(heading string, pieces []piece) []piece {
	if len(pieces) > 0 {
		p := &pieces[0]
		before := c.count(p.text)
		p.text, p.join = "## "+heading+"\n"+p.text, ""
		p.part.Tokens += c.count(p.text) - before
	}
	return pieces
}

// main returns the card's system prompt, or the program's if the card has none.
func (c *compiler) main(card string) (text, source, reason string) {
	const name = "chat/main"
	ours := c.promptSource(name)
	own := c.s.Card.SystemPrompt
	if strings.TrimSpace(own) == "" {
		return c.stable(LayerMain, "", c.set.Text(name)), ours, "the card has no system prompt of its own"
	}
	env := c.env
	env.Original = c.set.Text(name)
	reason = "the card's system prompt, in place of " + name
	if strings.Contains(strings.ToLower(own), "{{original}}") {
		reason = "the card's system prompt, around " + name
	}
	if c.s.Overrides.System != "" {
		reason = "the chat's own system prompt"
	}
	return c.expand(env, LayerMain, card, own), c.by(c.s.Overrides.System, card), reason
}

// stable expands a text of the stable part.
func (c *compiler) stable(layer, source, text string) string {
	return c.expand(c.env, layer, source, text)
}

func (c *compiler) expand(env prompts.Env, layer, source, text string) string {
	env.Place, env.OutletMet, env.PlaceholderMet = layer, c.metOutlet, c.metPointer
	out, volatile := prompts.Expand(text, env)
	if source == "" {
		source = "the prompt file"
	}
	for _, name := range volatile {
		c.warnings = append(c.warnings, frozenWarning(source, layer, name))
	}
	c.unknown(source, layer, text, out)
	return out
}

// unknown warns of the macros that a text was left with when it was expanded.
func (c *compiler) unknown(source, layer, text, out string) {
	if !strings.Contains(out, "{{") {
		return
	}
	for _, macro := range prompts.Unknown(text) {
		if w := unknownWarning(source, layer, macro); !slices.Contains(c.warnings, w) {
			c.warnings = append(c.warnings, w)
		}
	}
}

func unknownWarning(source, layer, macro string) string {
	return fmt.Sprintf("%s: {{%s}} in %s is an unknown macro or has wrong arguments: it is sent as it is",
		source, macro, placeOf(layer))
}

// placeOf describes a text's place in its source, for a warning.
func placeOf(layer string) string {
	if layer == LayerActor || layer == LayerEpisode || layer == LayerCast {
		return "this" // the source names it
	}
	return "its " + strings.ReplaceAll(layer, "_", " ")
}

func frozenWarning(source, layer, macro string) string {
	kept := "its value is chosen once for this chat"
	switch macro {
	case "time", "isotime", "date", "isodate", "weekday", "datetimeformat":
		kept = "it uses today's date and the hour when the chat began"
	case "idleDuration":
		kept = `it reads "a while"`
	case "random", "roll":
	default:
		kept = "it is empty there"
	}
	return fmt.Sprintf("%s: {{%s}} in %s would change every prompt from there on, so %s", source, macro,
		placeOf(layer), kept)
}

func (c *compiler) promptSource(name string) string {
	return fmt.Sprintf("prompt: %s (%s)", name, c.set.Source(name))
}

func immersion(i storage.Immersion) storage.Immersion {
	switch i {
	case storage.Minimal, storage.Full, storage.Unbounded:
		return i
	}
	return storage.Balanced
}

// label shortens a name for use in a heading or a list of parts, on one line.
func label(name string) string {
	return line(name, 80)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
