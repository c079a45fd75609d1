package settings

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

// The bounds of the settings of scenes, memory and queue.
const (
	MaxMinMessages = 1000
	maxHistory     = 20
	maxDepth       = 1000
	maxKept        = 1000
	maxScenes      = 1000
	minBudget      = 50
	minFoldAt      = 60
	minShare       = 5
	maxShare       = 60
)

// Scenes says how scenes are found and recapped.
type Scenes struct {
	AutoDetect   *bool `toml:"auto_detect" json:"auto_detect"`
	AutoRecap    *bool `toml:"auto_generate_recap" json:"auto_generate_recap"`
	AutoRunning  *bool `toml:"running_auto_generate" json:"running_auto_generate"`
	HoldNewest   bool  `toml:"hold_newest" json:"hold_newest"`
	InterimRecap *bool `toml:"interim_recap" json:"interim_recap"`
	// MinMessages unset is not the same as any number.
	MinMessages  *int   `toml:"min_messages,omitempty" json:"min_messages,omitempty"`
	MessageTypes string `toml:"scene_recap_message_types" json:"scene_recap_message_types"`
	HistoryCount *int   `toml:"history_count" json:"history_count"`
	Style        string `toml:"style" json:"style"`
	DetectAlone  bool   `toml:"detect_alone" json:"detect_alone"`
	ActiveLore   *bool  `toml:"include_active_lore" json:"include_active_lore"`
	OwnLore      *bool  `toml:"suppress_other_lorebooks" json:"suppress_other_lorebooks"`
}

// RecapStyles are the styles of a recap; the first one is the default.
var RecapStyles = []string{"bullets", "narrative", "dialogue"}

// Config returns the section in the engine's form.
func (s Scenes) Config() config.Scenes {
	return config.Scenes{NoDetect: IsOff(s.AutoDetect), NoRecap: IsOff(s.AutoRecap), NoRunning: IsOff(s.AutoRunning),
		HoldNewest: s.HoldNewest, NoInterim: IsOff(s.InterimRecap), MinMessages: value(s.MinMessages),
		Types: s.MessageTypes, History: value(s.HistoryCount),
		Style: cmp.Or(s.Style, RecapStyles[0]), DetectAlone: s.DetectAlone, NoLore: IsOff(s.ActiveLore),
		AllLore: IsOff(s.OwnLore)}
}

func (s Scenes) withDefaults() Scenes {
	s.AutoDetect, s.AutoRecap, s.AutoRunning = new(!IsOff(s.AutoDetect)), new(!IsOff(s.AutoRecap)),
		new(!IsOff(s.AutoRunning))
	s.InterimRecap = new(!IsOff(s.InterimRecap))
	s.ActiveLore, s.OwnLore = new(!IsOff(s.ActiveLore)), new(!IsOff(s.OwnLore))
	s.HistoryCount = new(orDefault(value(s.HistoryCount), 1))
	s.MessageTypes, s.Style = cmp.Or(s.MessageTypes, "both"), cmp.Or(s.Style, RecapStyles[0])
	return s
}

func (s Scenes) check() error {
	return cmp.Or(within("scenes.min_messages", "a number of messages", s.MinMessages, 1, MaxMinMessages),
		within("scenes.history_count", "a number of recaps", s.HistoryCount, 1, maxHistory),
		oneOf("scenes.scene_recap_message_types", s.MessageTypes),
		oneOf("scenes.style", s.Style))
}

// Memory says what a prompt contains in place of the messages that no longer fit into it.
type Memory struct {
	Mode         string `toml:"mode" json:"mode"`
	Role         string `toml:"role" json:"role"`
	Depth        int    `toml:"depth" json:"depth"`
	KeepMessages *int   `toml:"keep_messages" json:"keep_messages"`
	KeepFirst    int    `toml:"keep_first" json:"keep_first"`
	RecentScenes *int   `toml:"recent_scenes" json:"recent_scenes"`
	Budget       *int   `toml:"budget" json:"budget"`
	Share        *int   `toml:"share" json:"share"`
	FoldAt       *int   `toml:"fold_at" json:"fold_at"`
}

// Config returns the section in the engine's form.
func (m Memory) Config() config.Memory {
	return config.Memory{Mode: config.MemoryMode(m.Mode), Role: m.Role, Depth: m.Depth, Keep: m.KeepMessages,
		First:  m.KeepFirst,
		Recent: value(m.RecentScenes), Budget: value(m.Budget), Share: value(m.Share), FoldAt: value(m.FoldAt)}
}

func (m Memory) withDefaults() Memory {
	m.Mode, m.Role = cmp.Or(m.Mode, string(config.MemoryRunning)), cmp.Or(m.Role, "system")
	if m.KeepMessages == nil {
		m.KeepMessages = new(config.DefaultKeep)
	}
	m.RecentScenes = new(orDefault(value(m.RecentScenes), config.DefaultRecent))
	m.Budget = new(orDefault(value(m.Budget), config.DefaultBudget))
	m.Share = new(orDefault(value(m.Share), config.DefaultShare))
	m.FoldAt = new(orDefault(value(m.FoldAt), config.DefaultFoldAt))
	return m
}

func (m Memory) check() error {
	return cmp.Or(oneOf("memory.mode", m.Mode),
		oneOf("memory.role", m.Role),
		within("memory.depth", "a number of messages", &m.Depth, 0, maxDepth),
		within("memory.keep_messages", "a number of messages", m.KeepMessages, 0, maxKept),
		within("memory.keep_first", "a number of messages", &m.KeepFirst, 0, maxKept),
		within("memory.recent_scenes", "a number of scenes", m.RecentScenes, 1, maxScenes),
		within("memory.budget", "a number of tokens", m.Budget, minBudget, maxContext),
		within("memory.share", "per cent of the context", m.Share, minShare, maxShare),
		within("memory.fold_at", "per cent of the room", m.FoldAt, minFoldAt, 100))
}

// Queue say how background work behaves.
type Queue struct {
	TimeoutSeconds *int `toml:"timeout_seconds" json:"timeout_seconds"`
	ChatWaits      bool `toml:"chat_waits" json:"chat_waits"`
}

// Config returns the section in the engine's form.
func (q Queue) Config() config.Jobs {
	return config.Jobs{Timeout: time.Duration(value(q.TimeoutSeconds)) * time.Second, ChatWaits: q.ChatWaits}
}

func (q Queue) withDefaults() Queue {
	q.TimeoutSeconds = new(orDefault(value(q.TimeoutSeconds), int(config.DefaultJobTimeout/time.Second)))
	return q
}

func (q Queue) check() error {
	return within("queue.timeout_seconds", "a number of seconds", q.TimeoutSeconds, 1, maxSeconds)
}

// IsOff reports whether a switch that is on by default was turned off.
func IsOff(b *bool) bool { return b != nil && !*b }

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func orElse(list, other []string) []string {
	if len(list) > 0 {
		return list
	}
	return other
}
