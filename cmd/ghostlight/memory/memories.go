// Package memory has the commands of what a play knows: facts, memories, hooks, and the
// threads that are still open.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MemoryCommand is ghostlight memory.
func MemoryCommand(app *cli.App) *cobra.Command {
	k := memories(app)
	return cli.Group("memory", "long-term memories of a story",
		k.listCommand("list memories, the most important first", "List the memories of a story, the most important first.", "also those deleted, ended or on other branches"),
		k.showCommand("print a memory, and the messages that it came from"),
		addMemoryCommand(k), editMemoryCommand(k),
		k.actionCommand("pin", memory.Pin, "pin memories: they come first in prompts"),
		k.actionCommand("unpin", memory.Unpin, "unpin memories: sort them by importance again"),
		k.actionCommand("mute", memory.Mute, "mute memories: keep them, but leave them out of prompts"),
		k.actionCommand("unmute", memory.Unmute, "unmute memories"),
		k.actionCommand("delete", memory.Remove, "delete memories; memory restore restores one"),
		k.actionCommand("restore", memory.Restore, "restore deleted memories"),
		k.actionCommand("end", memory.EndNow, "end memories: no longer true; memory reopen undoes it"),
		k.actionCommand("reopen", memory.Reopen, "reopen ended memories"),
		mergeMemoriesCommand(k))
}

func memories(app *cli.App) kept[memory.MemoryView, storage.MemoryID, memory.Action] {
	return kept[memory.MemoryView, storage.MemoryID, memory.Action]{app: app, arg: "MEMORY", noun: "memory",
		help: "MEMORY is a memory's id, or the start or end of one, as printed by memory list.",
		hint: "memory list shows the memories",
		find: func(m *memory.Service, scope storage.ScopeID, ref string) (storage.MemoryID, error) {
			x, err := m.FindMemory(scope, ref)
			return x.ID, err
		},
		all: func(m *memory.Service, ask memory.Query) ([]memory.MemoryView, error) {
			list, err := m.Memories(ask)
			return list.List, err
		},
		act:   (*memory.Service).Act,
		id:    func(m memory.MemoryView) storage.MemoryID { return m.ID },
		doc:   func(scope storage.ScopeID, m memory.MemoryView) any { return newMemoryDoc(scope, m) },
		row:   memoryRow,
		print: func(e *engine.Engine, s cli.Story, m memory.MemoryView) error { return printMemory(app, e, s, m) },
	}
}

// memoryState says in words what is special about a memory.
func memoryState(m memory.MemoryView) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{m.Removed, "deleted"}, {m.Over != nil, overWords(m.Over)}, {m.Doubt != nil, overWords(m.Doubt)}, {m.Pinned, "pinned"}, {m.Muted, "muted"}, {!m.Holds && m.Over == nil, "of another branch"}, {m.InPrompt, "in the prompt"}} {
		if f.is {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

// overWords says how something ended, "" for what has not.
func overWords(e *storage.End) string {
	if e == nil {
		return ""
	}
	return cli.Clip(memory.OverWords(e), 100)
}

func memoryRow(m memory.MemoryView) []string {
	return []string{cli.ShortID(m.ID), string(m.Type), fmt.Sprintf("%.2f", m.Importance), cli.Clip(m.Content, 100), memoryState(m)}
}

// printMemory prints a memory with where it comes from.
func printMemory(app *cli.App, e *engine.Engine, s cli.Story, m memory.MemoryView) error {
	doc := memoryWholeDoc{newMemoryDoc(s.Scope, m), m.Original, m.Weight, newToldDoc(m.Told)}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  %s  %.2f  %s", m.ID, m.Type, m.Importance, memoryState(m))
		p.Line("\n" + m.Content)
		if m.Original != "" && m.Original != m.Content {
			p.Line("\noriginal: " + cli.OneLine(m.Original))
		}
		writeTold(p, "told", m.Told, e)
	})
}

// writeTold writes where the story told something.
func writeTold(p *cli.Page, word string, list []storage.Told, e *engine.Engine) {
	titles := map[storage.ChatID]string{}
	if chats, err := e.Chats.List(); err == nil {
		for _, c := range chats {
			titles[c.ID] = c.Title
		}
	}
	for i, t := range list {
		if i == 0 {
			p.Line("")
		}
		at := t.At.Local().Format(time.DateTime)
		if t.Node == "" {
			p.Linef("%s %s by you, everywhere", word, at)
			continue
		}
		p.Linef("%s %s in %s, message #%d %s", word, at, cli.Quote(cli.OneLine(cmp.Or(titles[t.Chat], string(t.Chat)))), t.Depth+1, t.Node)
		for _, id := range t.Sources {
			if id != t.Node {
				p.Linef("  from %s", id)
			}
		}
	}
}

// memoryFlags are what the commands that write a memory take.
type memoryFlags struct {
	typ, importance string
	flags           *pflag.FlagSet
}

func (f *memoryFlags) add(c *cobra.Command) {
	f.flags = c.Flags()
	f.flags.StringVar(&f.typ, "type", "", "what it is about: `TYPE`, which is "+cli.OrList(words(storage.MemoryTypes)))
	f.flags.StringVar(&f.importance, "importance", "", "`N` from 0 to 1; default: automatic")
}

// apply writes what was said into a memory.
func (f *memoryFlags) apply(m *storage.Memory) error {
	if f.flags.Changed("type") {
		if err := oneOf("type", f.typ, words(storage.MemoryTypes)); err != nil {
			return err
		}
		m.Type = storage.MemoryType(f.typ)
	}
	if f.flags.Changed("importance") {
		m.Weight = nil
		if f.importance != "default" {
			n, err := cli.FractionArg(f.importance)
			if err != nil {
				return cli.UsageError("--importance must be default or " + err.Error())
			}
			m.Weight = &n
		}
	}
	return nil
}

func addMemoryCommand(k kept[memory.MemoryView, storage.MemoryID, memory.Action]) *cobra.Command {
	var set memoryFlags
	var pin bool
	c := k.addCommand("add a memory for all branches",
		"Add a memory for all branches and chats of the story.",
		"remember", func(e *engine.Engine, s cli.Story, text string) (storage.MemoryID, error) {
			m := storage.Memory{Type: storage.FactMemory, Content: text}
			if err := set.apply(&m); err != nil {
				return "", err
			}
			m, err := e.Memory.Save(s.Scope, m)
			if err == nil && pin {
				_, err = e.Memory.Act(s.Scope, []storage.MemoryID{m.ID}, memory.Pin)
			}
			return m.ID, err
		})
	set.add(c)
	c.Flags().BoolVar(&pin, "pin", false, "pin it")
	return c
}

func editMemoryCommand(k kept[memory.MemoryView, storage.MemoryID, memory.Action]) *cobra.Command {
	var set memoryFlags
	c := k.editCommand(editing[memory.MemoryView, storage.MemoryID]{
		content: "what it says", empty: "memory delete deletes one", flags: []string{"type", "importance"},
		text: func(v *memory.MemoryView) *string { return &v.Content },
		save: func(e *engine.Engine, s cli.Story, v memory.MemoryView) (storage.MemoryID, error) {
			if err := set.apply(&v.Memory); err != nil {
				return "", err
			}
			m, err := e.Memory.Save(s.Scope, v.Memory)
			return m.ID, err
		},
	})
	set.add(c)
	return c
}

func mergeMemoriesCommand(k kept[memory.MemoryView, storage.MemoryID, memory.Action]) *cobra.Command {
	return k.app.StoryCommand("merge MEMORY FROM", "merge one memory into another",
		"Merge the memory FROM into another, which keeps its text; the sources of both are kept. "+k.help, 2, 2,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			into, err := k.view(e, s, args[0])
			if err != nil {
				return err
			}
			from, err := k.view(e, s, args[1])
			if err != nil {
				return err
			}
			if into.ID == from.ID {
				return cli.UsageError("these are the same memory")
			}
			if err := e.Memory.Merge(s.Scope, into.ID, from.ID); err != nil {
				return err
			}
			return k.printNow(e, s, into.ID)
		})
}
