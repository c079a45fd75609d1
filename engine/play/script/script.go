// Package script compiles the play into a prompt: a snapshot of a chat goes in,
// messages and a ledger of what stands in them come out.
//
// The order of a prompt follows how seldom its parts change, because a local
// server reads everything anew after the first token that differs from the
// prompt before:
//
//	system     main prompt, immersion, persona, description, personality, the
//	           actor's notes, scenario, episode, examples, cast, with the lore
//	           that always holds: the same bytes on every turn of a chat
//	memory     what recaps tell of older messages: changes when the history folds
//	history    from Prompt.Window on, as stored; grows at its end. Lore,
//	           memories and other notes that came up in it stand before the
//	           message with which they came
//	tail       one system message right after the newest user message: lore of
//	           this turn, the card's depth prompt (where it asks for depth 0),
//	           the author's note, post-history instructions, how many turns an
//	           episode has left, how user and character stand, where the
//	           scene stands; never stored
//	after it   replies to the newest user message, where there are any
//	last       what the user wants of this one reply, a nudge, and instructions for
//	           this one request, as a user message
//
// The tail stands after the newest user message, not before it: the next prompt
// then still shares that message. It stands there too when a reply follows, so
// that a request made after the reply shares tail and reply as well.
//
// Instructions for one request speak as user: many model templates move system
// messages to the top of the prompt, where a new one costs the whole cache.
package script

import (
	"fmt"
	"time"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Mode is what a prompt asks for.
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

// String returns the mode's name in the ecosystem's words.
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

// Limits are the sizes a prompt has to keep to, in tokens: Context is the
// server's num_ctx, Reply what is kept free for the answer. Pass is what is kept
// free beside that for a request that follows the turn when it is answered, its
// instruction and its own answer: without it that request may have to fold the
// history, which costs the cache of the turn after it too. It is negative where
// the request's own answer is shorter than Reply.
type Limits struct{ Context, Reply, Pass int }

// Snapshot is everything a prompt is made of.
type Snapshot struct {
	Card      storage.Card
	Immersion storage.Immersion // "" is Balanced
	Persona   storage.Persona
	// Actor is what the character is like beside its card.
	Actor storage.Actor
	// Episode is what the chat plays, nil for none; Genre is its, or its series'.
	Episode *storage.Episode
	Genre   string
	// EpisodeOver says that the episode has ended on the path: what presses towards its
	// end is told no more.
	EpisodeOver bool
	// TurnsLeft is how many turns of the episode's budget are left, this one included,
	// when its last ones have begun, else 0.
	TurnsLeft int
	// Engagement is how user and character stand, in the tail as it is; "" is nothing.
	Engagement string
	// Moment is where the scene stands, the last of the tail as it is; "" is nothing.
	Moment string
	// Group are all characters of the chat, in the order of the cast, those who are
	// away included. One or none is the character alone.
	Group []Person
	// Main is the name of the chat's main character where another one speaks, else "".
	// Card.Scenario is then that of the main one's card, and {{char}} in the scenario,
	// and in where an episode plays, is the main one.
	Main string
	// Whispers has for each whispered message the line that is put above it.
	Whispers map[storage.NodeID]string
	// AuthorNote is said with every turn, in the tail. A note that comes seldomer
	// is one of Lore.
	AuthorNote string
	// NoteBefore and NoteInside are author's notes of the stable part, which stand at its
	// beginning and its end.
	NoteBefore, NoteInside string
	// Over are the texts of Card that the chat has put there.
	Over storage.CardOver
	// Variables are local ones that macros find set.
	Variables map[string]string
	// Taste is what is known of how the user likes the story written; it is said with
	// every turn, in the tail, as it is.
	Taste string
	// Length is how long the reply is to be, by the name of its prompt behind "chat/length-", ""
	// where nothing is said of it.
	Length string
	// Memories and Hooks are what {memories} and {hooks} stand for in texts of
	// the tail, put in as they are.
	Memories, Hooks string
	// Nudge is an instruction for this one turn, which is stored nowhere.
	Nudge string
	// Steer is what the user wants of the reply, which stands with it.
	Steer storage.Steer
	// Outline is what the user's turn is to say that Impersonate asks for, "" for whatever
	// fits.
	Outline string

	// History runs from older to newer, without a gap, to the message the
	// prompt is made for. It may be the end of a longer path: More says that
	// there is older than its first. It should then reach back to Window and to
	// the messages that Memory keeps, or hold more than fits. Compile counts no
	// more of it than may fit.
	History []storage.Node
	More    bool
	// Memory is what recaps tell of the play. Without one nothing is known of
	// them, and a prompt begins where the last one did for as long as it fits.
	// With one that covers nothing, all of the history belongs into the prompt.
	Memory *Memory
	// Lore are the entries that fire, and those that stay where they came up, in
	// the order in which they stand within a place.
	Lore []LoreItem
	// LoreOut is what might have stood there but does not, over budget for one.
	// It goes into the ledger as parts left out, of LayerLore where they name none.
	LoreOut []Part
	// First are the messages that the path begins with and that stay in the prompt word for
	// word, before what is told of those between.
	First []storage.Node
	// Window is where the last prompt's history began, "" if there was none.
	Window storage.NodeID
	// Rewritten are lines of the ledger about what regex scripts have changed of the history
	// and of lore, Warnings what is to be said of the prompt beside what Compile finds.
	Rewritten []Part
	Warnings  []string

	Mode   Mode
	Limits Limits
	Count  func(string) int // tokens of a text; nil estimates
	Set    *prompts.Set     // nil is the built-in one
	Now    time.Time
	Chat   storage.ChatID
	Model  string
	// Appended is one more instruction at the very end, for a job that follows
	// the chat's prompt. In mode Continue the reply still comes last.
	Appended string
	// TailRole is who speaks the tail; "" is system.
	TailRole string
}

// Message is one message of a prompt.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Part is one line of the ledger: what stands in the prompt, or was left out.
// The tokens of all included parts add up to Prompt.Tokens; a part left out may
// have 0 because it was never counted.
type Part struct {
	Layer    string `json:"layer"`
	Source   string `json:"source"`
	Included bool   `json:"included"`
	Reason   string `json:"reason"`
	Tokens   int    `json:"tokens"`
}

// The layers that a ledger names.
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
	LayerMemory      = "memory"
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
	LayerRegex       = "regex" // what regex scripts have changed of others
)

// Prompt is what Compile makes.
type Prompt struct {
	Messages []Message
	Ledger   []Part // in the order of the prompt
	Tokens   int    // of all messages, by Snapshot.Count
	// Window is the oldest message of the history in the prompt, to be kept on
	// the reply; "" where there is no history.
	Window storage.NodeID
	// Recaps are what the memory was taken from, to be kept on the reply: until the
	// history folds, prompts go on telling these.
	Recaps []storage.RecapID
	// Folded tells that the window was chosen anew by this prompt, and older
	// messages left it.
	Folded bool
	// LeavesNext is set where the history will soon fold and recaps do not tell enough of
	// it: up to this message the open scene is to be told, so that it can leave then.
	LeavesNext storage.NodeID
	// Covered and Uncovered are how many messages older than Window there are
	// on the path: those that recaps cover, and those that nothing covers.
	Covered, Uncovered int
	// Unrecapped are how many messages in the prompt lie in ended scenes that no recap tells.
	Unrecapped int
	// Lore is where each item of LoreStays stands now, to be kept on the reply.
	// One that is new in this prompt stands at the newest user message; one that
	// was dropped with its message is not in it.
	Lore []LoreStand

	Warnings []string // in words for the user

	units []promptUnit // what Messages are made of, in their order
	head  int          // how many of them stand before the tail
}

// Before returns what of a prompt stands before a message of its history and the lore that
// came with it: what the next prompt begins with, as far as it is known now. All of it
// where the message is not there.
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

// What a message costs beside its text: the marks of its role.
const messageTokens = 6

// A margin of the context stays free, since counts are estimates.
func margin(context int) int { return context/50 + 32 }

// budget returns what a prompt may take.
func (l Limits) budget() int {
	return l.Context - max(l.Reply, 0) - l.Pass - margin(l.Context)
}

// Compile makes the prompt of s. It is a pure function: the same snapshot gives
// the same bytes. It fails with a *TooLongError where the parts that cannot be
// left out do not fit the limits.
func Compile(s Snapshot) (Prompt, error) {
	if s.Limits.Context <= 0 {
		return Prompt{}, fmt.Errorf("compile prompt: no context size is set")
	}
	c := newCompiler(&s)
	// In this order: macros of a later block see the variables of an earlier,
	// and what stays the same must not see those of what changes.
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

// blocks are the messages of a prompt beside its history, and beside the lore
// that stays in it.
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

// piece is text on its way into the prompt, with its line in the ledger.
type piece struct {
	text string
	join string // what stands between it and the piece before; "" is an empty line
	part Part
	// inside are the entries that fill outlets in the text. Their tokens are not
	// in part's.
	inside []outletEntry
	id     string // tells it from others of its layer
	stays  bool   // whether it is of LoreStays
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

// message joins the pieces. spans is where each of them stands in it.
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

// compiler holds what the steps of one Compile share.
type compiler struct {
	s        *Snapshot
	set      *prompts.Set
	env      prompts.Env // of the stable part
	warnings []string
	leftOut  []Part // of the stable part
	count    func(string) int
	lore     lore
	pointed  []string // placeholders in the texts of the stable part expanded last
	// around is what stands around the memory, "" before it is known, and aroundMet the
	// outlets in it.
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

// userName returns what {{user}} stands for.
func userName(p storage.Persona) string {
	if p.Name == "" {
		return "User"
	}
	return p.Name
}

// piece makes a piece of text for a layer and counts it; ok is false for empty
// text. The text must be what was expanded last, so that the outlets in it are
// known.
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

// newBlock joins pieces into one message and charges its first piece with what a
// message costs.
func newBlock(role string, pieces []piece) block {
	if len(pieces) > 0 {
		pieces[0].part.Tokens += messageTokens
	}
	return block{role: role, pieces: pieces}
}

// estimate counts tokens where nothing better is known: four bytes each.
func estimate(text string) int { return (len(text) + 3) / 4 }
