package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lookBack is the number of newest messages that are searched for the values of macros in the tail.
const lookBack = 200

// tail compiles the text that is sent again on every turn, right after the newest user message. Its
// macros are frozen to that message: clocks show when it was sent, random values are drawn for it,
// and the newest messages are those up to it. Another reply to the same message, more of that
// reply, or a request after it therefore finds the same tail in the server's cache.
func (c *compiler) tail() block {
	card := "card: " + label(c.s.Card.Name)
	var pieces []piece
	add := func(layer, source, reason, text string) {
		if p, ok := c.piece(layer, source, reason, c.moving(layer, text)); ok {
			pieces = append(pieces, p)
		}
	}
	pieces = append(pieces, c.lorePieces(c.lore.places[LoreTail], "\n", "every turn")...)
	if c.s.Card.DepthPromptDepth <= 0 {
		add(LayerDepthPrompt, card, "the card's note at depth 0: every turn", c.s.Card.DepthPrompt)
	}
	pieces = append(pieces, c.lorePieces(c.lore.places[LoreNoteTop], "\n", "above the author's note: every turn")...)
	if p, ok := c.piece(LayerNote, "taste", "your writing preferences: every turn", strings.TrimSpace(c.s.Taste)); ok {
		pieces = append(pieces, p)
	}
	add(LayerNote, "author's note", "author's note: every turn", c.s.AuthorNote)
	pieces = append(pieces, c.lorePieces(c.lore.places[LoreNoteBottom], "\n", "below the author's note: every turn")...)
	add(LayerPostHistory, card, "the card's post-history instructions: every turn", c.s.Card.PostHistoryInstructions)
	if c.s.Length != "" {
		name := "chat/length-" + c.s.Length
		add(LayerNote, c.promptSource(name), "reply length: every turn", c.set.Text(name))
	}
	if p, ok := c.lastTurns(); ok {
		pieces = append(pieces, p)
	}
	stand := strings.TrimSpace(c.s.Engagement)
	if p, ok := c.piece(LayerEngagement, "director", "relationship: every turn", stand); ok {
		pieces = append(pieces, p)
	}
	if p, ok := c.piece(LayerMoment, "director", "current scene: every turn", strings.TrimSpace(c.s.Moment)); ok {
		pieces = append(pieces, p)
	}
	return newBlock(roleOf(c.s.TailRole), pieces)
}

// depthPrompt compiles the card's depth prompt if its place is inside the history.
func (c *compiler) depthPrompt() block {
	card := &c.s.Card
	if card.DepthPromptDepth <= 0 {
		return block{}
	}
	text := c.moving(LayerDepthPrompt, card.DepthPrompt)
	p, ok := c.piece(LayerDepthPrompt, "card: "+label(card.Name), "", text)
	if !ok {
		return block{}
	}
	return newBlock(roleOf(card.DepthPromptRole), []piece{p})
}

func roleOf(role string) string {
	switch r := storage.Role(strings.ToLower(strings.TrimSpace(role))); r {
	case storage.User, storage.Assistant:
		return string(r)
	}
	return string(storage.System)
}

// last compiles the instructions for this one request, which have the role user.
func (c *compiler) last() block {
	var pieces []piece
	name, reason := "", ""
	newest, ok := c.newest()
	replied := ok && newest.Role == storage.Assistant
	switch {
	case c.s.Mode == Impersonate:
		name, reason = "chat/impersonate", "asks for the user's next turn"
	case c.s.Mode == Continue && replied:
		// The server simply continues a reply that broke off, from its cache; a complete one needs
		// an instruction to continue.
		if newest.State == storage.Complete {
			name, reason = "chat/continue", "the reply was complete"
		}
	case c.s.Mode == Continue:
		c.warnings = append(c.warnings, "there is no reply to continue: requesting a new one")
	}
	if name == "" && (replied || ok && newest.Role == storage.Narrator) && c.s.Mode != Continue && c.s.Appended == "" &&
		strings.TrimSpace(c.s.Nudge) == "" && c.s.Steer.IsZero() {
		name, reason = "chat/next", "without it the model would continue the last reply"
	}
	if name != "" {
		if p, ok := c.piece(LayerMode, c.promptSource(name), reason, c.moving(LayerMode, c.set.Text(name))); ok {
			pieces = append(pieces, p)
		}
	}
	if c.s.Mode == Impersonate {
		if p, ok := c.piece(LayerNudge, "your outline", "your outline, not saved",
			c.wish("chat/outline", "outline", c.s.Outline)); ok {
			pieces = append(pieces, p)
		}
	}
	pieces = append(pieces, c.steer()...)
	if p, ok := c.piece(LayerNudge, "this turn", "nudge for this turn, not saved",
		c.wish("chat/nudge", "nudge", c.s.Nudge)); ok {
		pieces = append(pieces, p)
	}
	if p, ok := c.piece(LayerAppended, "this request", "an instruction for this one request", c.s.Appended); ok {
		pieces = append(pieces, p)
	}
	return newBlock(string(storage.User), pieces)
}

// ActPrompt returns the prompt file of a quick act.
func ActPrompt(act string) string { return "chat/act-" + act }

// steer compiles what the user wants of this reply and its other takes.
func (c *compiler) steer() (pieces []piece) {
	if p, ok := c.piece(LayerNudge, "beat", "what happens in this reply: kept with it",
		c.wish("chat/beat", "beat", c.s.Steer.Beat)); ok {
		pieces = append(pieces, p)
	}
	var names, told []string
	for _, act := range c.s.Steer.Acts {
		text := c.moving(LayerNudge, c.set.Text(ActPrompt(act)))
		if text == "" {
			c.warnings = append(c.warnings,
				fmt.Sprintf("the prompt file %s is missing: the quick act %q is skipped", ActPrompt(act), act))
			continue
		}
		names, told = append(names, act), append(told, text)
	}
	if len(told) == 0 {
		return pieces
	}
	source := "act: "
	if len(told) > 1 {
		source = "acts: "
	}
	if p, ok := c.piece(LayerNudge, source+strings.Join(names, ", "), "how this reply is written: kept with it",
		c.wish("chat/nudge", "nudge", strings.Join(told, "\n\n"))); ok {
		pieces = append(pieces, p)
	}
	return pieces
}

// wish compiles the user's instruction for this turn into its prompt file.
func (c *compiler) wish(file, name, words string) string {
	const place = "\x00wish\x00"
	text := c.moving(LayerNudge, words)
	if text == "" {
		return ""
	}
	return putIn(c.moving(LayerNudge, c.set.Fill(file, map[string]string{name: place})), place, text)
}

// newest returns the last message of the history that a model is shown.
func (c *compiler) newest() (storage.Node, bool) {
	for i := len(c.s.History) - 1; i >= 0; i-- {
		if n := &c.s.History[i]; shown(n) {
			return *n, true
		}
	}
	return storage.Node{}, false
}

// ExpandInTail expands a text as in the tail: frozen to the newest user message of s. It sees the
// variables that the stable part has set.
func ExpandInTail(s *Snapshot, text string) string {
	part := *s
	part.Lore, part.LoreOut, part.Count = nil, nil, func(string) int { return 0 }
	c := newCompiler(&part)
	if strings.Contains(text, "{{") {
		c.system()
	}
	return c.moving(LayerNote, text)
}

// moving expands a text of the tail.
func (c *compiler) moving(layer, text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "{<") {
		return text
	}
	env := c.env
	env.Frozen, env.Now, env.Place, env.Generation = false, c.s.Now, layer, c.s.Mode.String()
	c.momentInto(&env)
	if layer == LayerPostHistory {
		env.Original = "" // there are no such instructions of our own
	}
	env.OutletMet, env.Placeholders = c.metOutlet, Placeholders(c.s.Memories, c.s.Hooks)
	out, _ := prompts.Expand(text, env)
	c.unknown("prompt", layer, text, out)
	return strings.TrimSpace(out)
}

// momentInto sets env's values for the newest user message and those before it. If the user has no
// recent message, it uses the newest message of all.
func (c *compiler) momentInto(env *prompts.Env) {
	h := c.s.History
	stop := max(0, len(h)-lookBack)
	at := -1
	for i := len(h) - 1; i >= stop; i-- {
		if !shown(&h[i]) {
			continue
		}
		if at < 0 {
			at = i
		}
		if h[i].Role == storage.User {
			at = i
			break
		}
	}
	if at < 0 {
		return
	}
	n := &h[at]
	env.Turn, env.LastMessageID, env.LastMessage = string(n.ID), strconv.Itoa(n.Depth), n.Content
	if n.Role != storage.User {
		env.LastCharMessage = n.Content
		return
	}
	env.LastUserMessage, env.Input = n.Content, n.Content
	if !n.CreatedAt.IsZero() {
		env.Now = n.CreatedAt.In(c.s.Now.Location())
	}
	for i := at - 1; i >= stop; i-- {
		if !shown(&h[i]) {
			continue
		}
		if env.LastActivity.IsZero() {
			env.LastActivity = h[i].CreatedAt
		}
		if h[i].Role == storage.Assistant {
			env.LastCharMessage = h[i].Content
			break
		}
	}
}

// depthReason describes the cost of a place inside the history.
func depthReason(who string, depth, tokens int) string {
	return fmt.Sprintf("%s places it %s above the newest: about %d tokens are processed again every turn", who,
		plural(depth, "message"), tokens)
}
