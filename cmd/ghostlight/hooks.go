package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/memory"
	"ghostlight/storage"
)

func (d *door) hooksCommand() *cobra.Command {
	return group("hooks", "see and change what is to be brought up later",
		d.hooksList(), d.hooksShow(), d.hooksAdd(), d.hooksEdit(),
		d.hooksAct("close", memory.HookClose, "say that hooks are done"),
		d.hooksAct("reopen", memory.HookReopen, "let hooks that are done or dropped wait again"),
		d.hooksAct("drop", memory.HookDrop, "forget hooks; hooks reopen brings one back"),
		d.hooksAct("now", memory.HookNow, "let hooks be due at once"),
		d.hooksThreads())
}

// hook finds a hook of a story.
func hook(e *engine.Engine, s story, ref string) (memory.HookView, error) {
	h, err := e.Memory.FindHook(s.scope, ref)
	if err != nil {
		if errors.Is(err, storage.ErrNotFound) {
			err = fmt.Errorf("%w; ghostlight hooks list shows what is to be brought up", err)
		}
		return memory.HookView{}, err
	}
	list, err := e.Memory.Hooks(s.whole())
	if err != nil {
		return memory.HookView{}, err
	}
	for _, v := range list.List {
		if v.ID == h.ID {
			return v, nil
		}
	}
	return memory.HookView{}, fmt.Errorf("%w: the hook is gone", storage.ErrNotFound)
}

func hookRow(h memory.HookView) []string {
	state := string(h.State)
	if h.InPrompt {
		state += ", in the prompt"
	}
	if !h.Holds {
		state += ", of another branch"
	}
	return []string{shortID(h.ID), string(h.Type), fmt.Sprint(h.Priority), clip(h.Content, 100), state, clip(h.When, columnLimit)}
}

func (d *door) hooksList() *cobra.Command {
	var f storyFlag
	var all bool
	var search string
	c := &cobra.Command{Use: "list CHAT|--series S", Short: "list what is to be brought up, due hooks first", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "List what is to be brought up in a story, due hooks first. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, _ []string) error {
			ask := s.ask()
			ask.All, ask.Search = all, search
			list, err := e.Memory.Hooks(ask)
			if err != nil {
				return err
			}
			doc, rows := []hookShape{}, [][]string{}
			for _, h := range list.List {
				doc, rows = append(doc, shapeHook(s.scope, h)), append(rows, hookRow(h))
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
	c.Flags().BoolVar(&all, "all", false, "those too that are done, dropped or of other branches")
	c.Flags().StringVar(&search, "search", "", "only those that hold all of the `WORDS`")
	f.add(c)
	return c
}

// tellHook prints a hook as it is now, with where it comes from.
func (d *door) tellHook(e *engine.Engine, s story, id storage.HookID) error {
	h, err := hook(e, s, string(id))
	if err != nil {
		return err
	}
	doc := hookWholeShape{shapeHook(s.scope, h), shapeTold(h.Told), shapeTold(h.Taken)}
	return d.tell(doc, func(p *page) {
		p.linef("%s  %s  priority %d  %s", h.ID, h.Type, h.Priority, h.State)
		p.line("\n" + h.Content)
		if h.Opener != "" {
			p.line("\nopener: " + h.Opener)
		}
		if h.When != "" {
			p.line("\n" + oneLine(h.When))
		}
		p.told("told", h.Told, e)
		p.told("taken up", h.Taken, e)
	})
}

// hookHelp says how commands want a hook named.
const hookHelp = "HOOK is a hook's id, or the beginning or the end of one, as hooks list prints it."

func (d *door) hooksShow() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "show CHAT|--series S HOOK", Short: "print a hook, and the messages that it came from", Args: f.takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Print a hook, and the messages that it came from. " + hookHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			h, err := hook(e, s, args[0])
			if err != nil {
				return err
			}
			return d.tellHook(e, s, h.ID)
		})}
	f.add(c)
	return c
}

func hookTypes() []string {
	var words []string
	for _, t := range storage.HookTypes {
		words = append(words, string(t))
	}
	return words
}

// hookFlags are what the commands that write a hook take.
type hookFlags struct {
	typ, opener, at string
	after, priority int
}

func (f *hookFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.typ, "type", "", "what kind it is: `TYPE`, which is "+orWords(hookTypes()))
	c.Flags().StringVar(&f.opener, "opener", "", "how it may be brought up: `TEXT`, @FILE, or - for standard input")
	c.Flags().IntVar(&f.after, "after", 0, "due after `TURNS` exchanges of the story; 0: not by these")
	c.Flags().StringVar(&f.at, "at", "", "due at a `TIME` such as 2031-05-01, \"2031-05-01 18:30\" or 18:30, or in 2d, 3h, 1w; none: not by the clock")
	c.Flags().IntVar(&f.priority, "priority", 0, "`N` from 1 to 5, the most urgent")
}

// The bounds of a hook's numbers.
const leastPriority, mostPriority, midPriority = 1, 5, 3

// apply writes what was said into a hook.
func (f *hookFlags) apply(d *door, c *cobra.Command, h *storage.Hook) error {
	said := c.Flags().Changed
	if said("type") {
		if !slices.Contains(hookTypes(), f.typ) {
			return misuse{fmt.Sprintf("--type is %s, not %q", orWords(hookTypes()), f.typ)}
		}
		h.Type = storage.HookType(f.typ)
	}
	if said("opener") {
		text, err := d.valueArg(f.opener)
		if err != nil {
			return err
		}
		h.Opener = text
	}
	if said("after") {
		if f.after < 0 || f.after > mostTurns {
			return misuse{fmt.Sprintf("--after is a number of exchanges from 0 to %d, not %d", mostTurns, f.after)}
		}
		h.Due.Turns = f.after
	}
	if said("at") {
		at, err := timeArg(f.at, time.Now())
		if err != nil {
			return misuse{"--at is " + err.Error()}
		}
		h.Due.At = at
	}
	if said("priority") {
		if f.priority < leastPriority || f.priority > mostPriority {
			return misuse{fmt.Sprintf("--priority is a number from %d to %d, not %d", leastPriority, mostPriority, f.priority)}
		}
		h.Priority = f.priority
	}
	return nil
}

func (d *door) hooksAdd() *cobra.Command {
	var f storyFlag
	var set hookFlags
	c := &cobra.Command{Use: "add CHAT|--series S TEXT", Short: "have something brought up later", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have something brought up later: after some exchanges, at a time, whichever comes first, or at once where neither is said. A TEXT of - is read from standard input. " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		text, err := d.textArg(args[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return misuse{"there is nothing to bring up: TEXT is empty"}
		}
		h := storage.Hook{Type: storage.FollowUpHook, Content: text, Priority: midPriority}
		if err := set.apply(d, c, &h); err != nil {
			return err
		}
		if !c.Flags().Changed("type") && !h.Due.At.IsZero() {
			h.Type = storage.ScheduledHook
		}
		if h, err = e.Memory.SaveHook(s.scope, s.chat, h); err != nil {
			return err
		}
		return d.tellHook(e, s, h.ID)
	})
	set.add(c)
	f.add(c)
	return c
}

func (d *door) hooksEdit() *cobra.Command {
	var f storyFlag
	var set hookFlags
	var content string
	c := &cobra.Command{Use: "edit CHAT|--series S HOOK", Short: "change a hook", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Change of a hook what the flags name. " + hookHelp + " " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		if !anyChanged(c, "content", "type", "opener", "after", "at", "priority") {
			return misuse{"nothing to change; --content, --type, --opener, --after, --at and --priority change something"}
		}
		v, err := hook(e, s, args[0])
		if err != nil {
			return err
		}
		h := v.Hook
		if c.Flags().Changed("content") {
			if h.Content, err = d.valueArg(content); err != nil {
				return err
			}
			if strings.TrimSpace(h.Content) == "" {
				return misuse{"a hook says something: --content is empty; hooks drop forgets one"}
			}
		}
		if err := set.apply(d, c, &h); err != nil {
			return err
		}
		if h, err = e.Memory.SaveHook(s.scope, s.chat, h); err != nil {
			return err
		}
		return d.tellHook(e, s, h.ID)
	})
	c.Flags().StringVar(&content, "content", "", "what is to be brought up: `TEXT`, @FILE, or - for standard input")
	set.add(c)
	f.add(c)
	return c
}

// hooksAct is a command that does something to hooks.
func (d *door) hooksAct(name string, do memory.HookAction, short string) *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: name + " CHAT|--series S HOOK...", Short: short, Args: f.takes(1, -1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: sentence(short) + " " + hookHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			var ids []storage.HookID
			for _, ref := range args {
				h, err := hook(e, s, ref)
				if err != nil {
					return err
				}
				ids = append(ids, h.ID)
			}
			n, err := e.Memory.ActHook(s.scope, ids, do)
			if err != nil {
				return err
			}
			return tellDone(d, doneShape[storage.HookID]{s.scope, name, n, ids})
		})}
	f.add(c)
	return c
}

func (d *door) hooksThreads() *cobra.Command {
	var shut, open, drop []string
	c := &cobra.Command{Use: "threads CHAT", Short: "list what is still open in a story: the threads of its recaps, and its hooks", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "List what is still open in a story: the pending threads of its recaps and its hooks, open ones first. KEY is what the list begins each line with, or the beginning of it."}
	c.RunE = d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		list, err := e.Memory.Threads(c.ID)
		if err != nil {
			return err
		}
		type mark struct{ key, state string }
		var marks []mark
		for _, m := range []struct {
			keys  []string
			state string
		}{{shut, "closed"}, {open, "open"}, {drop, "dropped"}} {
			for _, ref := range m.keys {
				t, err := thread(list, ref)
				if err != nil {
					return err
				}
				marks = append(marks, mark{t.Key, m.state})
			}
		}
		for _, m := range marks {
			if err := e.Memory.MarkThread(c.ID, m.key, m.state); err != nil {
				return err
			}
		}
		if len(marks) > 0 {
			if list, err = e.Memory.Threads(c.ID); err != nil {
				return err
			}
		}
		doc, rows := []threadShape{}, [][]string{}
		for _, t := range list {
			from := "hook"
			if t.Hook == "" {
				from = first(t.Scene, "the story so far")
			}
			doc, rows = append(doc, shapeThread(t)), append(rows, []string{t.Key, t.State, clip(t.Text, 100), clip(from, columnLimit)})
		}
		return d.tell(doc, func(p *page) { p.table(rows) })
	})
	c.Flags().StringArrayVar(&shut, "close", nil, "say that the thread `KEY` is done; may be given several times")
	c.Flags().StringArrayVar(&open, "reopen", nil, "say that the thread `KEY` is open; may be given several times")
	c.Flags().StringArrayVar(&drop, "drop", nil, "forget the thread `KEY`; may be given several times")
	return c
}

// thread finds a thread by its key or a unique beginning of one.
func thread(list []memory.Thread, ref string) (memory.Thread, error) {
	var hits []memory.Thread
	for _, t := range list {
		if t.Key == ref {
			return t, nil
		}
		if ref != "" && len(ref) <= len(t.Key) && strings.EqualFold(t.Key[:len(ref)], ref) {
			hits = append(hits, t)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return memory.Thread{}, fmt.Errorf("%w: there is no thread %q; ghostlight hooks threads lists them with their keys", storage.ErrNotFound, ref)
	}
	return memory.Thread{}, fmt.Errorf("%w: %d threads begin with %q; write more of the key", failure.ErrAmbiguous, len(hits), ref)
}
