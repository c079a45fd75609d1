// Package prompt compiles a play into a prompt: its input is a snapshot of a chat, its output the
// messages and a list of their parts.
//
// The parts that change least come first, because a local server reads everything again from the
// first token that differs from the previous prompt:
//
//	system     main prompt, immersion, persona, description, personality, the
//	           actor's notes, scenario, episode, examples, cast, with the lore
//	           that is always active: the same bytes on every turn of a chat
//	memory     recaps of older messages: changes when the history folds
//	history    from Prompt.Window on, as stored; grows at its end. Lore,
//	           memories and other notes that were activated in it are before
//	           the message that they came with
//	tail       one system message right after the newest user message: lore of
//	           this turn, the card's depth prompt (if its depth is 0), the
//	           author's note, post-history instructions, the episode's
//	           remaining turns, the relationship of user and character, the
//	           current scene; never stored
//	after it   replies to the newest user message, if there are any
//	last       what the user wants of this one reply, a nudge, and instructions for
//	           this one request, as a user message
//
// The tail comes after the newest user message, not before it: then the next prompt still shares
// that message. It is also there if a reply follows, so that a request made after the reply shares
// both tail and reply.
//
// Instructions for one request have the role user: many model templates move system messages to the
// top of the prompt, where a new one invalidates the whole cache.
package prompt

import (
	"fmt"
	"time"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Mode is the kind of text that a prompt asks for.
type Mode int

// Normal, Swipe and Regenerate ask for the character's next turn. Continue asks
// for more of the reply that ends the history; Impersonate for the user's turn.
const (
	Normal Mode = iota
	Continue
	Impersonate
	Swipe
	Regenerate
)

// String returns the mode's name as SillyTavern uses it.
func (m Mode) String() string {
	switch m {
	case Continue:
		return "continue"
	case Impersonate:
		return "impersonate"
	case Swipe:
		return "swipe"
	case Regenerate:
		return "regenerate"
	}
	return "normal"
}

// Limits are the sizes for a prompt, in tokens. Context is the server's num_ctx, and Reply is the
// room for the answer. Pass is the additional room for a request that follows the answered turn,
// with its instruction and its own answer: without it, that request may have to fold the history,
// which also costs the cache of the turn after it. It is negative if the request's own answer is
// shorter than Reply.
type Limits struct{ Context, Reply, Pass int }

// Snapshot is everything that a prompt is made of.
type Snapshot struct {
	Card      storage.Card
	Immersion storage.Immersion // "" is Balanced
	Persona   storage.Persona
	// Actor is the character's personality in addition to its card.
	Actor storage.Actor
	// Episode is the episode of the chat, nil for none. Genre is the episode's or its series'
	// genre.
	Episode *storage.Episode
	Genre   string
	// EpisodeOver reports that the episode has ended on the path: the prompt no longer pushes
	// towards its end.
	EpisodeOver bool
	// TurnsLeft is the number of turns left in the episode's budget, this one included, once its
	// last turns have begun; else 0.
	TurnsLeft int
	// Engagement describes the relationship of user and character, for the tail, without macros; ""
	// is none.
	Engagement string
	// Moment describes the current scene, at the end of the tail, without macros; "" is none.
	Moment string
	// Group are all characters of the chat in cast order, including those that are away. With one
	// or none, the character is alone.
	Group []Person
	// Main is the name of the chat's main character if another one speaks, else "". Card.Scenario
	// is then from the main one's card, and {{char}} in the scenario and in the episode's setting
	// is the main one.
	Main string
	// Whispers holds, for each whispered message, the line above it.
	Whispers map[storage.NodeID]string
	// AuthorNote is in the tail of every turn. A note with a longer interval is one of Lore.
	AuthorNote string
	// NoteBefore and NoteInside are author's notes in the stable part, at its beginning and its
	// end.
	NoteBefore, NoteInside string
	// Overrides holds the chat's texts that replace those of Card.
	Overrides storage.CardOverrides
	// Variables are the local variables for macros.
	Variables map[string]string
	// Taste describes the user's writing preferences. It is in the tail of every turn, without
	// macros.
	Taste string
	// Length is the wanted length of the reply, as the end of a prompt name "chat/length-…"; "" for
	// any.
	Length string
	// Memories and Hooks are the values of {memories} and {hooks} in texts of the tail. Macros in
	// them are not expanded.
	Memories, Hooks string
	// Nudge is an instruction for this turn only, which is not stored.
	Nudge string
	// Steer holds what the user wants of the reply. It is stored with the reply.
	Steer storage.Steer
	// Outline describes the user's turn for Impersonate, "" for any.
	Outline string

	// History runs from older to newer, without a gap, to the message that the prompt is made for.
	// It may be the end of a longer path: More reports that there are messages before its first. It
	// should then reach back to Window and to the messages that Memory keeps, or hold more than
	// fits. Compile counts no more of it than may fit.
	History []storage.Node
	More    bool
	// Recap holds the recaps of the play. nil means that recaps are unknown: a prompt begins where
	// the last one did while it fits. If it covers nothing, all of the history belongs in the
	// prompt.
	Recap *RecapBlock
	// Lore are the active entries, and those that stay in the history, in their order within a
	// place.
	Lore []LoreItem
	// LoreOut are entries that were left out, for example because of the budget. The list of parts lists
	// them as left-out parts, of LayerLore if they have no layer.
	LoreOut []Part
	// First are the first messages of the path that stay in the prompt word for word, before the
	// text about the messages between them and the history.
	First []storage.Node
	// Window is the first history message of the last prompt, "" if there was none.
	Window storage.NodeID
	// Rewritten are parts about changes by regex scripts to the history and to lore.
	// Warnings are warnings in addition to those of Compile.
	Rewritten []Part
	Warnings  []string

	Mode   Mode
	Limits Limits
	Count  func(string) int // tokens of a text; nil estimates
	Set    *prompts.Set     // nil is the built-in one
	Now    time.Time
	Chat   storage.ChatID
	Model  string
	// Appended is one more instruction at the very end, for a job that follows the chat's prompt.
	// In mode Continue the reply still comes last.
	Appended string
	// TailRole is the role of the tail; "" is system.
	TailRole string
}

// Message is one message of a prompt.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Part is a part of the prompt, or one that was left out. The tokens of all
// included parts add up to Prompt.Tokens. A left-out part may have 0 tokens because it was not
// counted.
type Part struct {
	Layer    string `json:"layer"`
	Source   string `json:"source"`
	Included bool   `json:"included"`
	Reason   string `json:"reason"`
	Tokens   int    `json:"tokens"`
}

// The layers of a prompt's parts.
const (
	LayerMain        = "main"
	LayerImmersion   = "immersion"
	LayerPersona     = "persona"
	LayerDescription = "description"
	LayerPersonality = "personality"
	LayerActor       = "actor"
	LayerScenario    = "scenario"
	LayerEpisode     = "episode"
	LayerCast        = "cast"
	LayerExamples    = "examples"
	LayerRecap       = "memory"
	LayerLore        = "lore"
	LayerEngagement  = "engagement"
	LayerMemories    = "memories"
	LayerHooks       = "hooks"
	LayerRecalled    = "recalled"
	LayerMoment      = "moment"
	LayerHistory     = "history"
	LayerDepthPrompt = "depth_prompt"
	LayerNote        = "note"
	LayerPostHistory = "post_history"
	LayerMode        = "mode"
	LayerNudge       = "nudge"
	LayerAppended    = "appended"
	LayerRegex       = "regex" // changes by regex scripts to other parts
)

// Prompt is the result of Compile.
type Prompt struct {
	Messages []Message
	Parts    []Part // in the order of the prompt
	Tokens   int    // of all messages, by Snapshot.Count
	// Window is the oldest message of the history in the prompt, to be stored with the reply; "" if
	// there is no history.
	Window storage.NodeID
	// Recaps are the sources of the memory, to be stored with the reply: until the history folds,
	// prompts keep using these.
	Recaps []storage.RecapID
	// Folded reports that this prompt chose a new window, and older messages left it.
	Folded bool
	// LeavesNext is set if the history will fold soon and recaps do not cover enough of it: the
	// open scene should be recapped up to this message, so that the messages can leave then.
	LeavesNext storage.NodeID
	// Covered and Uncovered are the numbers of messages on the path that are older than Window:
	// those that recaps cover, and those that nothing covers.
	Covered, Uncovered int
	// Unrecapped is the number of messages in the prompt that are in ended scenes without a recap.
	Unrecapped int
	// Lore holds the place of each item of LorePinned, to be stored with the reply. A new item is at
	// the newest user message. An item that was dropped with its message is not included.
	Lore []PinnedLore

	Warnings []string // for the user

	units []promptUnit // parts of Messages, in order
	head  int          // number of units before the tail
}

// Before returns the part of a prompt before a message of its history and the lore that came with
// that message. This is the known beginning of the next prompt. It returns the whole prompt if the
// message is not in it.
func (p Prompt) Before(id storage.NodeID) Prompt {
	for i, u := range p.units {
		if u.layer != LayerHistory || u.id != string(id) {
			continue
		}
		at := u.message
		if i > 0 && p.units[i-1].stays {
			at = p.units[i-1].message
		}
		for i > 0 && p.units[i-1].message >= at {
			i--
		}
		for _, u := range p.units[i:] {
			p.Tokens -= u.tokens
		}
		p.Messages, p.units, p.head = p.Messages[:at:at], p.units[:i:i], min(p.head, i)
		break
	}
	return p
}

// messageTokens is the overhead of a message in tokens, for the markers of its role.
const messageTokens = 6

// margin returns the tokens of a context that stay free, since counts are estimates.
func margin(context int) int { return context/50 + 32 }

// budget returns the most tokens that a prompt may have.
func (l Limits) budget() int {
	return l.Context - max(l.Reply, 0) - l.Pass - margin(l.Context)
}

// Compile returns the prompt of s. It is a pure function: the same snapshot gives the same bytes.
// It returns a *TooLongError if the parts that cannot be left out exceed the limits.
func Compile(s Snapshot) (Prompt, error) {
	if s.Limits.Context <= 0 {
		return Prompt{}, fmt.Errorf("compile prompt: no context size is set")
	}
	c := newCompiler(&s)
	// The order matters: macros of a later block see the variables of an earlier one, and the
	// stable blocks must not see those of changing blocks.
	b := blocks{system: c.system(), memory: c.memory(), tail: c.tail(), depth: c.depthPrompt(), lore: c.loreAtDepth(),
		last: c.last(), first: c.firstTokens()}
	v, err := c.window(&b)
	if err != nil && s.Limits.Pass > 0 {
		s.Limits.Pass = 0 // the turn itself comes first
		v, err = c.window(&b)
	}
	if err != nil {
		return Prompt{}, err
	}
	return c.assemble(b, v), nil
}

// blocks are the messages of a prompt other than its history, without the lore that stays there.
type blocks struct {
	system, memory, depth, tail, last block
	lore                              []deepLore
	first                             int // tokens that are kept free for Snapshot.First
}

func (b blocks) all() []block {
	all := []block{b.system, b.memory, b.depth, b.tail, b.last}
	for _, l := range b.lore {
		all = append(all, l.block)
	}
	return all
}

// tokens of all of them.
func (b blocks) tokens() (n int) {
	for _, in := range b.all() {
		n += in.tokens()
	}
	return n + b.first
}

// piece is a text for the prompt, with its part.
type piece struct {
	text string
	join string // separator from the previous piece; "" is an empty line
	part Part
	// inside are the entries that fill outlets in the text. Their tokens are not included in
	// part's.
	inside []outletEntry
	id     string // unique within its layer
	stays  bool   // whether it is lore that stays in the history
}

func (p piece) tokens() int {
	n := p.part.Tokens
	for _, f := range p.inside {
		n += f.part.Tokens
	}
	return n
}

// block is one message made of pieces.
type block struct {
	role   string
	pieces []piece
}

func (b block) tokens() int {
	n := 0
	for _, p := range b.pieces {
		n += p.tokens()
	}
	return n
}

// message joins the pieces. spans are the bytes of each piece in its content.
func (b block) message() (m Message, spans [][2]int) {
	size := 0
	for _, p := range b.pieces {
		size += len(p.text) + max(len(p.join), 2)
	}
	text := make([]byte, 0, size)
	for i, p := range b.pieces {
		switch {
		case i == 0:
		case p.join == "":
			text = append(text, "\n\n"...)
		default:
			text = append(text, p.join...)
		}
		from := len(text)
		text = append(text, p.text...)
		spans = append(spans, [2]int{from, len(text)})
	}
	return Message{Role: b.role, Content: string(text)}, spans
}

// compiler holds the shared state of one Compile.
type compiler struct {
	s        *Snapshot
	set      *prompts.Set
	env      prompts.Env // of the stable part
	warnings []string
	leftOut  []Part // of the stable part
	count    func(string) int
	lore     lore
	pointed  []string // placeholders in the texts of the stable part expanded last
	// around is the text around the memory, "" before it is known, and aroundMet are the outlets in
	// it.
	around    string
	aroundMet []string
	covered   coverage
}

func newCompiler(s *Snapshot) *compiler {
	c := &compiler{s: s, set: s.Set, count: s.Count}
	if c.set == nil {
		c.set = prompts.BuiltIn()
	}
	if c.count == nil {
		c.count = estimate
	}
	card := &s.Card
	c.env = prompts.Env{
		User: userName(s.Persona), Char: card.CharName(),
		Persona: s.Persona.Description, Description: card.Description, Personality: card.Personality,
		Scenario: card.Scenario, Examples: card.MessageExample, CharPrompt: card.SystemPrompt,
		CharInstruction: card.PostHistoryInstructions, CharDepth: card.DepthPrompt,
		Greetings:   append([]string{card.FirstMessage}, card.AlternateGreetings...),
		CharVersion: card.CharacterVersion, CreatorNotes: card.CreatorNotes, Model: s.Model,
		MaxContext: s.Limits.Context, MaxReply: s.Limits.Reply, MaxPrompt: s.Limits.Context - s.Limits.Reply,
		Now: frozenClock(s.Chat, s.Now), Seed: string(s.Chat), Frozen: true, Vars: prompts.VarsOf(s.Variables),
	}
	if len(others(s.Group, c.env.Char)) > 0 {
		c.env.Group = s.Names()
	}
	if s.Main != "" {
		c.env.Scenario, _ = prompts.Expand(card.Scenario, c.about(s.Main))
	}
	c.env.Placeholders, c.env.SystemPrompt = c.pointers(), c.set.Text("chat/main")
	c.sortLore()
	return c
}

// userName returns the value of {{user}}.
func userName(p storage.Persona) string {
	if p.Name == "" {
		return "User"
	}
	return p.Name
}

// piece returns a piece of text for a layer with its token count; ok is false for empty text. The
// text must be the one expanded last, so that its outlets are known.
func (c *compiler) piece(layer, source, reason, text string) (piece, bool) {
	met := c.lore.met
	c.lore.met = nil
	reason = c.pointing(reason)
	if text == "" {
		return piece{}, false
	}
	p := piece{text: text, part: Part{Layer: layer, Source: source, Included: true, Reason: reason,
		Tokens: c.count(text)}}
	c.fill(&p, met)
	return p, true
}

// newBlock returns a message of pieces, and adds the message's overhead to the first piece's
// tokens.
func newBlock(role string, pieces []piece) block {
	if len(pieces) > 0 {
		pieces[0].part.Tokens += messageTokens
	}
	return block{role: role, pieces: pieces}
}

// estimate estimates a text's tokens if no counter is known: one per four bytes.
func estimate(text string) int { return (len(text) + 3) / 4 }
