package main

import (
	"time"

	"ghostlight/engine/config"
	"ghostlight/tui"
)

// The bounds of the settings of the stage.
const (
	mostIdle = 7 * 24 * 60 // minutes
	mostNote = 1000
)

// directorSettings say whether a director watches the play, and what it may do.
type directorSettings struct {
	Off         bool  `toml:"off" json:"off"`
	Separate    bool  `toml:"separate" json:"separate"`
	Sparks      *int  `toml:"sparks" json:"sparks"`
	IdleMinutes *int  `toml:"idle_minutes" json:"idle_minutes"`
	Moment      *bool `toml:"moment" json:"moment"`
	Engagement  *bool `toml:"engagement" json:"engagement"`
}

func (s directorSettings) effective() directorSettings {
	if s.Sparks == nil {
		s.Sparks = new(config.DefaultSparks)
	}
	s.IdleMinutes = new(orDefault(value(s.IdleMinutes), int(config.DefaultIdle/time.Minute)))
	s.Moment, s.Engagement = new(!isOff(s.Moment)), new(!isOff(s.Engagement))
	return s
}

func (s directorSettings) check() error {
	return firstError(within("director.sparks", "a number of sparks", s.Sparks, 0, mostSparks),
		within("director.idle_minutes", "a number of minutes", s.IdleMinutes, 1, mostIdle))
}

// rememberSettings say what is kept of a story beyond its chats.
type rememberSettings struct {
	Memories    *bool  `toml:"memories" json:"memories"`
	Hooks       *bool  `toml:"hooks" json:"hooks"`
	EmbedModel  string `toml:"embed_model" json:"embed_model"`
	EmbedServer string `toml:"embed_server" json:"embed_server"`
}

func (s rememberSettings) effective() rememberSettings {
	s.Memories, s.Hooks = new(!isOff(s.Memories)), new(!isOff(s.Hooks))
	return s
}

// tasteSettings say whether the program learns how the user directs, and whether
// plans are told of it.
type tasteSettings struct {
	Learn *bool `toml:"learn" json:"learn"`
	Use   *bool `toml:"use" json:"use"`
	Stats bool  `toml:"stats" json:"stats"`
}

func (s tasteSettings) effective() tasteSettings {
	s.Learn, s.Use = new(!isOff(s.Learn)), new(!isOff(s.Use))
	return s
}

func (s tasteSettings) config() config.Taste {
	return config.Taste{Off: isOff(s.Learn), Mute: isOff(s.Use), Stats: s.Stats}
}

// promptSettings say how prompts are kept cheap to read.
type promptSettings struct {
	NoteEvery *int  `toml:"note_every" json:"note_every"`
	WarmUp    *bool `toml:"warm_up" json:"warm_up"`
}

func (s promptSettings) effective() promptSettings {
	s.NoteEvery, s.WarmUp = new(orDefault(value(s.NoteEvery), config.DefaultNoteEvery)), new(!isOff(s.WarmUp))
	return s
}

func (s promptSettings) check() error {
	return within("prompt.note_every", "a number of messages", s.NoteEvery, 1, mostNote)
}

// stage is what these settings mean to the engine. Prompts are read ahead only
// where somebody sits at the screen.
func (s settings) stage(screen bool) config.Stage {
	return config.Stage{NoDirector: s.Director.Off, NoMemories: isOff(s.Remember.Memories), NoHooks: isOff(s.Remember.Hooks),
		Separate: s.Director.Separate, NoMoment: isOff(s.Director.Moment), NoEngaged: isOff(s.Director.Engagement), Sparks: s.Director.Sparks,
		Idle: time.Duration(value(s.Director.IdleMinutes)) * time.Minute, NoteEvery: value(s.Prompt.NoteEvery),
		WarmUp: screen && !isOff(s.Prompt.WarmUp), EmbedModel: s.Remember.EmbedModel, EmbedServer: s.Remember.EmbedServer}
}

// quickSetting is a text that the user has at hand while playing.
type quickSetting struct {
	Label string `toml:"label" json:"label"`
	Text  string `toml:"text" json:"text"`
	Key   string `toml:"key" json:"key"`
	Do    string `toml:"do" json:"do"`
}

func (s settings) quickReplies() (list []tui.QuickReply) {
	for _, q := range s.Quick {
		list = append(list, tui.QuickReply{Label: q.Label, Text: q.Text, Key: q.Key, Do: tui.QuickDo(q.Do)})
	}
	return list
}

func effectiveQuick(list []quickSetting) []quickSetting {
	out := []quickSetting{}
	for _, q := range list {
		q.Do = first(q.Do, string(tui.QuickSend))
		out = append(out, q)
	}
	return out
}
