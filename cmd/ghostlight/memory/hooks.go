package memory

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// HooksCommand returns the command ghostlight hooks.
func HooksCommand(app *cli.App) *cobra.Command {
	k := hooks(app)
	return cli.Group("hooks", "hooks: things to bring up later",
		k.listCommand("list the hooks, due ones first", "List the hooks of a story, due ones first.",
			"also those done, dropped or on other branches"),
		k.showCommand("print a hook and its source messages"),
		k.addCommand("add a hook",
			"Add a hook, due after some turns or at a time (whichever comes first), at a story time, or immediately.",
			storage.Hook{}, nil),
		k.editCommand(),
		k.actionCommand("close", memory.HookClose, "mark hooks as done"),
		k.actionCommand("reopen", memory.HookReopen, "reopen hooks that are done or dropped"),
		k.actionCommand("drop", memory.HookDrop, "drop hooks; hooks reopen restores one"),
		k.actionCommand("now", memory.HookNow, "make hooks due now"),
		threadsCommand(app))
}

func hooks(app *cli.App) recordCommands[memory.HookView, storage.Hook, storage.HookID, memory.HookAction] {
	return recordCommands[memory.HookView, storage.Hook, storage.HookID, memory.HookAction]{app: app,
		arg: "HOOK", noun: "hook",
		help: "HOOK is a hook's id, or the start or end of one, as printed by hooks list.",
		hint: "hooks list shows what to bring up",

		fields: &memory.HookFields,
		record: func(h memory.HookView) storage.Hook { return h.Hook },
		save: func(e *engine.Engine, s cli.Story, h storage.Hook) (storage.HookID, error) {
			h, err := e.Memory.SaveHook(s.Scope, s.Chat, h)
			return h.ID, err
		},
		find: func(m *memory.Service, scope storage.ScopeID, ref string) (storage.HookID, error) {
			x, err := m.FindHook(scope, ref)
			return x.ID, err
		},
		all: func(m *memory.Service, ask memory.Query) ([]memory.HookView, error) {
			list, err := m.Hooks(ask)
			return list.List, err
		},
		act:   (*memory.Service).ActHook,
		id:    func(h memory.HookView) storage.HookID { return h.ID },
		row:   hookRow,
		print: func(e *engine.Engine, h memory.HookView) error { return printHook(app, e, h) },
	}
}

func hookRow(h memory.HookView) []string {
	state := string(h.State)
	if h.InPrompt {
		state += ", in the prompt"
	}
	if !h.Holds {
		state += ", on another branch"
	}
	if e := cmp.Or(h.Ended, h.Doubt); e != nil {
		state += ", " + endWords(e)
	}
	return []string{cli.ShortID(h.ID), string(h.Type), fmt.Sprint(h.Priority), cli.Clip(h.Content, 100), state,
		cli.Clip(h.When, cli.ColumnWidth)}
}

// printHook prints a hook with its origin.
func printHook(app *cli.App, e *engine.Engine, h memory.HookView) error {
	return app.Print(h, func(p *cli.Page) {
		p.Linef("%s  %s  priority %d  %s", h.ID, h.Type, h.Priority, h.State)
		p.Line("\n" + h.Content)
		if h.Opener != "" {
			p.Line("\nopener: " + h.Opener)
		}
		if h.When != "" {
			p.Line("\n" + cli.OneLine(h.When))
		}
		writeMentions(p, "told", h.Mentions, e)
		writeMentions(p, "brought up", h.TakenUp, e)
	})
}
