package memory

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// HooksCommand is ghostlight hooks.
func HooksCommand(app *cli.App) *cobra.Command {
	k := hooks(app)
	return cli.Group("hooks", "hooks: things to bring up later",
		k.listCommand("list the hooks, due ones first", "List the hooks of a story, due ones first.", "also those done, dropped or on other branches"),
		k.showCommand("print a hook, and the messages that it came from"),
		addHookCommand(k), editHookCommand(k),
		k.actionCommand("close", memory.HookClose, "mark hooks as done"),
		k.actionCommand("reopen", memory.HookReopen, "reopen hooks that are done or dropped"),
		k.actionCommand("drop", memory.HookDrop, "drop hooks; hooks reopen restores one"),
		k.actionCommand("now", memory.HookNow, "make hooks due now"),
		threadsCommand(app))
}

func hooks(app *cli.App) kept[memory.HookView, storage.HookID, memory.HookAction] {
	return kept[memory.HookView, storage.HookID, memory.HookAction]{app: app, arg: "HOOK", noun: "hook",
		help: "HOOK is a hook's id, or the start or end of one, as printed by hooks list.",
		hint: "hooks list shows what to bring up",
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
		doc:   func(scope storage.ScopeID, h memory.HookView) any { return newHookDoc(scope, h) },
		row:   hookRow,
		print: func(e *engine.Engine, s cli.Story, h memory.HookView) error { return printHook(app, e, s, h) },
	}
}

func hookRow(h memory.HookView) []string {
	state := string(h.State)
	if h.InPrompt {
		state += ", in the prompt"
	}
	if !h.Holds {
		state += ", of another branch"
	}
	if e := cmp.Or(h.Over, h.Doubt); e != nil {
		state += ", " + overWords(e)
	}
	return []string{cli.ShortID(h.ID), string(h.Type), fmt.Sprint(h.Priority), cli.Clip(h.Content, 100), state, cli.Clip(h.When, cli.ColumnWidth)}
}

// printHook prints a hook with where it comes from.
func printHook(app *cli.App, e *engine.Engine, s cli.Story, h memory.HookView) error {
	doc := hookWholeDoc{newHookDoc(s.Scope, h), newToldDoc(h.Told), newToldDoc(h.Taken)}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  %s  priority %d  %s", h.ID, h.Type, h.Priority, h.State)
		p.Line("\n" + h.Content)
		if h.Opener != "" {
			p.Line("\nopener: " + h.Opener)
		}
		if h.When != "" {
			p.Line("\n" + cli.OneLine(h.When))
		}
		writeTold(p, "told", h.Told, e)
		writeTold(p, "taken up", h.Taken, e)
	})
}

// hookFlags are what the commands that write a hook take.
type hookFlags struct {
	typ, at, when   string
	opener          cli.ValueFlag
	after, priority int
	flags           *pflag.FlagSet
}

func (f *hookFlags) add(c *cobra.Command) {
	f.flags = c.Flags()
	f.flags.StringVar(&f.typ, "type", "", "what kind it is: `TYPE`, which is "+cli.OrList(words(storage.HookTypes)))
	f.opener.Add(c, "opener", "how it may be brought up")
	f.flags.IntVar(&f.after, "after", 0, "due after `TURNS` turns; 0: not by turns")
	f.flags.StringVar(&f.at, "at", "", "due at a `TIME` such as 2031-05-01, \"2031-05-01 18:30\" or 18:30, or in 2d, 3h, 1w; none: no time")
	f.flags.StringVar(&f.when, "when", "", "due at a story `TIME` such as Thursday evening, in three days, at dusk or day 5; none: no story time")
	f.flags.IntVar(&f.priority, "priority", 0, "`N` from 1 to 5, the most urgent")
}

// The bounds of a hook's numbers.
const leastPriority, mostPriority, midPriority = 1, 5, 3

// apply writes what was said into a hook.
func (f *hookFlags) apply(app *cli.App, h *storage.Hook) error {
	said := f.flags.Changed
	if said("type") {
		if err := oneOf("type", f.typ, words(storage.HookTypes)); err != nil {
			return err
		}
		h.Type = storage.HookType(f.typ)
	}
	if err := f.opener.Apply(app, &h.Opener); err != nil {
		return err
	}
	if said("after") {
		if f.after < 0 || f.after > settings.MostTurns {
			return cli.UsageError(fmt.Sprintf("--after must be a number of exchanges from 0 to %d, not %d", settings.MostTurns, f.after))
		}
		h.Due.Turns = f.after
	}
	if said("at") {
		at, err := cli.TimeArg(f.at, time.Now())
		if err != nil {
			return cli.UsageError("--at must be " + err.Error())
		}
		h.Due.At = at
	}
	if said("when") {
		if h.Due.When, h.Due.From = f.when, (storage.StoryTime{}); f.when == "none" {
			h.Due.When = ""
		}
	}
	if said("priority") {
		if f.priority < leastPriority || f.priority > mostPriority {
			return cli.UsageError(fmt.Sprintf("--priority must be a number from %d to %d, not %d", leastPriority, mostPriority, f.priority))
		}
		h.Priority = f.priority
	}
	return nil
}

func addHookCommand(k kept[memory.HookView, storage.HookID, memory.HookAction]) *cobra.Command {
	var set hookFlags
	c := k.addCommand("add a hook",
		"Add a hook: due after some turns or at a time, whichever comes first, at a story time, or immediately.",
		"bring up", func(e *engine.Engine, s cli.Story, text string) (storage.HookID, error) {
			h := storage.Hook{Type: storage.FollowUpHook, Content: text, Priority: midPriority}
			if err := set.apply(k.app, &h); err != nil {
				return "", err
			}
			if !set.flags.Changed("type") && (!h.Due.At.IsZero() || h.Due.When != "") {
				h.Type = storage.ScheduledHook
			}
			h, err := e.Memory.SaveHook(s.Scope, s.Chat, h)
			return h.ID, err
		})
	set.add(c)
	return c
}

func editHookCommand(k kept[memory.HookView, storage.HookID, memory.HookAction]) *cobra.Command {
	var set hookFlags
	c := k.editCommand(editing[memory.HookView, storage.HookID]{
		content: "what to bring up", empty: "hooks drop drops one", flags: []string{"type", "opener", "after", "at", "when", "priority"},
		text: func(v *memory.HookView) *string { return &v.Content },
		save: func(e *engine.Engine, s cli.Story, v memory.HookView) (storage.HookID, error) {
			if err := set.apply(k.app, &v.Hook); err != nil {
				return "", err
			}
			h, err := e.Memory.SaveHook(s.Scope, s.Chat, v.Hook)
			return h.ID, err
		},
	})
	set.add(c)
	return c
}
