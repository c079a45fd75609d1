package core

import (
	"path/filepath"

	"ghostlight/engine/event"
	"ghostlight/prompts"
)

// Enter counts something in that Close waits for, unless the engine is closing.
// The caller sees to it that e.work.Done is called in the end.
func (svc *Core) Enter() bool {
	svc.closing.Lock()
	defer svc.closing.Unlock()
	if svc.Ctx.Err() != nil {
		return false
	}
	svc.Work.Add(1)
	return true
}

func (svc *Core) Emit(ev event.Event) { svc.Events.Emit(ev) }

// Set is the prompt files, read when they are first needed.
func (svc *Core) Set() *prompts.Set {
	svc.promptsOnce.Do(func() {
		dir := ""
		if svc.Config.ConfigDir != "" {
			dir = filepath.Join(svc.Config.ConfigDir, "prompts")
		}
		svc.prompts, svc.PromptFault = prompts.Load(dir)
		for _, err := range svc.PromptFault {
			svc.Emit(event.Notice{Level: event.Warning, Text: "prompt file left out: " + err.Error()})
		}
	})
	return svc.prompts
}
