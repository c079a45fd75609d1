// Package memory has the commands about the facts of a story: memories, hooks, and the threads that
// are still open.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MemoryCommand returns the command ghostlight memory.
func MemoryCommand(app *cli.App) *cobra.Command {
	k := memories(app)
	return cli.Group("memory", "long-term memories of a story",
		k.listCommand("list memories, the most important first",
			"List the memories of a story, the most important first.",
			"also those deleted, ended or on other branches"),
		k.showCommand("print a memory and its source messages"),
		addMemoryCommand(k), k.editCommand(),
		k.actionCommand("pin", memory.Pin, "pin memories: they come first in prompts"),
		k.actionCommand("unpin", memory.Unpin, "unpin memories: sort them by importance again"),
		k.actionCommand("mute", memory.Mute, "mute memories: keep them, but leave them out of prompts"),
		k.actionCommand("unmute", memory.Unmute, "unmute memories"),
		k.actionCommand("delete", memory.Remove, "delete memories; memory restore restores one"),
		k.actionCommand("restore", memory.Restore, "restore deleted memories"),
		k.actionCommand("end", memory.EndNow, "end memories that are no longer true; memory reopen undoes it"),
		k.actionCommand("reopen", memory.Reopen, "reopen ended memories"),
		mergeMemoriesCommand(k))
}

// memoryKind are the memories of a story.
type memoryKind = recordCommands[memory.MemoryView, storage.Memory, storage.MemoryID, memory.Action]

func memories(app *cli.App) memoryKind {
	return memoryKind{app: app, arg: "MEMORY", noun: "memory",
		help: "MEMORY is a memory's id, or the start or end of one, as printed by memory list.",
		hint: "memory list shows the memories",

		fields: &memory.MemoryFields,
		record: func(m memory.MemoryView) storage.Memory { return m.Memory },
		save: func(e *engine.Engine, s cli.Story, m storage.Memory) (storage.MemoryID, error) {
			m, err := e.Memory.Save(s.Scope, m)
			return m.ID, err
		},
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
		row:   memoryRow,
		print: func(e *engine.Engine, m memory.MemoryView) error { return printMemory(app, e, m) },
	}
}

// memoryState describes what is special about a memory.
func memoryState(m memory.MemoryView) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{m.Removed, "deleted"}, {m.Ended != nil, endWords(m.Ended)}, {m.Doubt != nil, endWords(m.Doubt)},
		{m.Pinned, "pinned"}, {m.Muted, "muted"}, {!m.Holds && m.Ended == nil, "on another branch"},
		{m.InPrompt, "in the prompt"}} {
		if f.is {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

// endWords says how something ended, "" if it has not.
func endWords(e *memory.EndView) string {
	if e == nil {
		return ""
	}
	return cli.Clip(memory.EndWords(e), 100)
}

func memoryRow(m memory.MemoryView) []string {
	return []string{cli.ShortID(m.ID), string(m.Type), fmt.Sprintf("%.2f", m.Importance), cli.Clip(m.Content, 100),
		memoryState(m)}
}

// printMemory prints a memory with its origin.
func printMemory(app *cli.App, e *engine.Engine, m memory.MemoryView) error {
	return app.Print(m, func(p *cli.Page) {
		p.Linef("%s  %s  %.2f  %s", m.ID, m.Type, m.Importance, memoryState(m))
		p.Line("\n" + m.Content)
		if m.Original != "" && m.Original != m.Content {
			p.Line("\noriginal: " + cli.OneLine(m.Original))
		}
		writeMentions(p, "told", m.Mentions, e)
	})
}

// writeMentions writes the places at which something came up in the story.
func writeMentions(p *cli.Page, word string, list []memory.MentionView, e *engine.Engine) {
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
		p.Linef("%s %s in %s, message #%d %s", word, at, cli.Quote(cli.OneLine(cmp.Or(titles[t.Chat], string(t.Chat)))),
			t.Number, t.Node)
		for _, id := range t.Sources {
			if id != t.Node {
				p.Linef("  from %s", id)
			}
		}
	}
}

func addMemoryCommand(k memoryKind) *cobra.Command {
	var pin bool
	c := k.addCommand("add a memory", "Add a memory for all branches and chats of the story.",
		memory.MemoryFields.Default(), func(e *engine.Engine, s cli.Story, id storage.MemoryID) error {
			if !pin {
				return nil
			}
			_, err := e.Memory.Act(s.Scope, []storage.MemoryID{id}, memory.Pin)
			return err
		})
	c.Flags().BoolVar(&pin, "pin", false, "pin it")
	return c
}

func mergeMemoriesCommand(k memoryKind) *cobra.Command {
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
