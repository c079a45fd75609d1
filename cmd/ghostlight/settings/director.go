package settings

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// The bounds of an episode's numbers. Beyond them lie slips of the pen.
const (
	MaxTurns  = 100_000
	MaxSparks = 10_000
)

// The bounds of the settings of the stage.
const (
	maxIdle = 7 * 24 * 60 // minutes
	maxNote = 1000
)

// Director says whether a director watches the play, and what it may do.
type Director struct {
	Off         bool  `toml:"off" json:"off"`
	Separate    bool  `toml:"separate" json:"separate"`
	Sparks      *int  `toml:"sparks" json:"sparks"`
	IdleMinutes *int  `toml:"idle_minutes" json:"idle_minutes"`
	Moment      *bool `toml:"moment" json:"moment"`
	Engagement  *bool `toml:"engagement" json:"engagement"`
}

func (s Director) withDefaults() Director {
	if s.Sparks == nil {
		s.Sparks = new(config.DefaultSparks)
	}
	s.IdleMinutes = new(orDefault(value(s.IdleMinutes), int(config.DefaultIdle/time.Minute)))
	s.Moment, s.Engagement = new(!IsOff(s.Moment)), new(!IsOff(s.Engagement))
	return s
}

func (s Director) check() error {
	return cmp.Or(within("director.sparks", "a number of sparks", s.Sparks, 0, MaxSparks),
		within("director.idle_minutes", "a number of minutes", s.IdleMinutes, 1, maxIdle))
}

// Remember says what is remembered of a story beyond its chats.
type Remember struct {
	Memories    *bool  `toml:"memories" json:"memories"`
	Hooks       *bool  `toml:"hooks" json:"hooks"`
	EmbedModel  string `toml:"embed_model" json:"embed_model"`
	EmbedServer string `toml:"embed_server" json:"embed_server"`
}

func (s Remember) withDefaults() Remember {
	s.Memories, s.Hooks = new(!IsOff(s.Memories)), new(!IsOff(s.Hooks))
	return s
}

// Taste says whether the program learns how the user directs, and whether prompts for plans include
// what it has learnt.
type Taste struct {
	Learn *bool `toml:"learn" json:"learn"`
	Use   *bool `toml:"use" json:"use"`
}

func (s Taste) withDefaults() Taste {
	s.Learn, s.Use = new(!IsOff(s.Learn)), new(!IsOff(s.Use))
	return s
}

// Config returns the section in the engine's form.
func (s Taste) Config() config.Taste {
	return config.Taste{Off: IsOff(s.Learn), Mute: IsOff(s.Use)}
}

// Prompt say how prompts are kept cheap to read.
type Prompt struct {
	NoteEvery *int  `toml:"note_every" json:"note_every"`
	WarmUp    *bool `toml:"warm_up" json:"warm_up"`
}

func (s Prompt) withDefaults() Prompt {
	s.NoteEvery, s.WarmUp = new(orDefault(value(s.NoteEvery), config.DefaultNoteEvery)), new(!IsOff(s.WarmUp))
	return s
}

func (s Prompt) check() error {
	return within("prompt.note_every", "a number of messages", s.NoteEvery, 1, maxNote)
}

// Stage returns these settings in the engine's form. Prompts are read ahead only if screen is set,
// that is, if a user sits at the screen.
func (s Settings) Stage(screen bool) config.Stage {
	return config.Stage{NoDirector: s.Director.Off, NoMemories: IsOff(s.Remember.Memories),
		NoHooks:  IsOff(s.Remember.Hooks),
		Separate: s.Director.Separate, NoMoment: IsOff(s.Director.Moment), NoEngaged: IsOff(s.Director.Engagement),
		Sparks: s.Director.Sparks,
		Idle:   time.Duration(value(s.Director.IdleMinutes)) * time.Minute, NoteEvery: value(s.Prompt.NoteEvery),
		WarmUp: screen && !IsOff(s.Prompt.WarmUp), EmbedModel: s.Remember.EmbedModel,
		EmbedServer: s.Remember.EmbedServer}
}

// QuickReply is a text that the user has at hand while playing.
type QuickReply struct {
	Label string `toml:"label" json:"label"`
	Text  string `toml:"text" json:"text"`
	Key   string `toml:"key" json:"key"`
	Do    string `toml:"do" json:"do"`
}

// QuickReplies returns the user's quick replies, as the terminal interface takes them.
func (s Settings) QuickReplies() (list []play.QuickReply) {
	for _, q := range s.Quick {
		list = append(list, play.QuickReply{Label: q.Label, Text: q.Text, Key: q.Key, Do: play.QuickDo(q.Do)})
	}
	return list
}

func effectiveQuick(list []QuickReply) []QuickReply {
	out := []QuickReply{}
	for _, q := range list {
		q.Do = cmp.Or(q.Do, string(play.QuickSend))
		out = append(out, q)
	}
	return out
}
