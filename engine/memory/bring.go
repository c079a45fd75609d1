package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WhyNotKeepInPrompt returns why a fact cannot be brought back into the prompt, "" if it can.
func (f *Fact) WhyNotKeepInPrompt() string {
	switch f.Kind {
	case facts.Lore:
		return "lorebook facts are in the prompt when their keys are mentioned; constant entries always are"
	case facts.Hook:
		return "hooks are in the prompt when they are due"
	}
	return ""
}

// KeepInPrompt restores a fact to prompts that left it out because it did not fit or others had
// priority: a recap line is always included, and a memory is pinned.
func (svc *Service) KeepInPrompt(chat storage.ChatID, id string) (Step, error) {
	return svc.changeBroughtBack("restore a fact", chat, id, true)
}

// UndoKeepInPrompt undoes KeepInPrompt: the fact is treated like others again.
func (svc *Service) UndoKeepInPrompt(chat storage.ChatID, id string) (Step, error) {
	return svc.changeBroughtBack("stop keeping a fact", chat, id, false)
}

func (svc *Service) changeBroughtBack(op string, chat storage.ChatID, id string, on bool) (s Step, err error) {
	if s.Fact, err = svc.FindFact(chat, id); err != nil {
		return s, failure.Wrap(op, err)
	}
	if why := s.Fact.WhyNotKeepInPrompt(); why != "" {
		return s, failure.Wrap(op, failure.Refusef("%s", why))
	}
	a, _ := addressOf(s.Fact.ID)
	mark := func(on bool) error { return svc.markLine(op, chat, a, on) }
	if a.kind == memoryHome {
		mark = func(on bool) error { return svc.pin(op, chat, storage.MemoryID(a.record), on) }
	}
	s.Undo = func() error { return mark(!on) }
	return s, mark(on)
}

// pin pins or unpins a memory.
func (svc *Service) pin(op string, chat storage.ChatID, id storage.MemoryID, on bool) error {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return failure.Wrap(op, err)
	}
	act, already := Pin, "it is already pinned"
	if !on {
		act, already = Unpin, "it was not restored"
	}
	n, err := svc.Act(scope, []storage.MemoryID{id}, act)
	if err == nil && n == 0 {
		err = failure.Wrap(op, failure.Refusef("%s", already))
	}
	return err
}

// markLine marks a line of a recap as brought back by the user, or not.
func (svc *Service) markLine(op string, chat storage.ChatID, a address, on bool) error {
	return svc.scenes.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		r, text, err := recapLine(tx, chat, a)
		if err != nil {
			return err
		}
		hand := storage.BulletRestored
		switch had := scene.UserMark(r, text); {
		case text == "":
			return &failure.Missing{Kind: "fact", Ref: a.String()}
		case on && had != "":
			return failure.Refusef("it is already kept in the recap")
		case !on && had != storage.BulletRestored:
			return failure.Refusef("it was not restored")
		case !on:
			hand = ""
		}
		_, err = svc.scenes.ReplaceVersions(tx, chat,
			[]storage.Recap{scene.Reword(r, map[int]string{a.nth: text}, hand)}, true)
		return err
	})
}
