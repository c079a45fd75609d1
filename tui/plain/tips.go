package plain

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// tips returns the tips of the plain front end; each is shown once.
func tips(e *engine.Engine) []tip.Tip {
	words := func(text string) func() string { return func() string { return text } }
	return []tip.Tip{
		{ID: "plain-another", Text: words("/again regenerates the reply, /help lists all commands."),
			On: func(ev event.Event) bool {
				r, ok := ev.(play.ReplyEnded)
				return ok && r.Err == nil
			}},
		{ID: "plain-scenes", Text: words("a scene has ended: /scenes lists them."), On: is[scenes.Changed],
			Look: func(chat storage.ChatID) bool {
				s, err := e.Scenes.List(chat)
				return err == nil && slices.ContainsFunc(s.List, func(s scenes.Scene) bool { return !s.Open })
			}},
		{ID: "plain-lore", Text: words("lorebook changes to review: /do lore inbox . lists them."),
			On: is[lore.Changed], Look: func(chat storage.ChatID) bool {
				list, err := e.Lore.Inbox(chat, "")
				return err == nil && len(list) > 0
			}},
	}
}

func is[T event.Event](ev event.Event) bool {
	_, ok := ev.(T)
	return ok
}

// tipMoment passes an event to the tips.
func (s *session) tipMoment(ev event.Event) {
	if !s.o.Tips || !s.o.In.Terminal || s.chat == "" {
		return
	}
	for _, t := range s.tips.Handle(ev) {
		s.tips.Checked(t.ID, t.Look(s.chat))
	}
}

// sayTip prints the next tip on its own line.
func (s *session) sayTip() {
	words, ok := s.tips.Next()
	if !ok {
		return
	}
	s.out.line("Tip: " + words)
	kept := s.e.Settings.Screen()
	kept.Tips = s.tips.Shown()
	if err := s.e.Settings.RememberScreen(kept); err != nil {
		s.out.line("This could not be saved: " + failure.Text(err))
	}
}
