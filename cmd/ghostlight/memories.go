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
	"ghostlight/engine/memory"
	"ghostlight/storage"
)

func (d *door) memoryCommand() *cobra.Command {
	return group("memory", "see and change what is remembered beyond a chat",
		d.memoryList(), d.memoryShow(), d.memoryAdd(), d.memoryEdit(),
		d.memoryAct("pin", memory.Pin, "tell memories before all others"),
		d.memoryAct("unpin", memory.Unpin, "tell memories when they are among the most important again"),
		d.memoryAct("mute", memory.Mute, "tell memories no more, and keep them"),
		d.memoryAct("unmute", memory.Unmute, "tell muted memories again"),
		d.memoryAct("delete", memory.Remove, "delete memories; memory restore brings one back"),
		d.memoryAct("restore", memory.Restore, "bring deleted memories back"),
		d.memoryMerge())
}

// storyHelp says how commands want a story named.
const storyHelp = "The story is that of CHAT: the chat's series, or the chat itself where it belongs to none. With --series S it is that of the series, and there is no CHAT among the arguments; where no chat is called CHAT, a series of that name is meant."

// storyFlag is the flag that names a series in place of a chat.
type storyFlag struct{ series string }

func (f *storyFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.series, "series", "", "of the series `S`, in place of a chat")
}

// takes checks the number of arguments behind the chat, which --series stands in
// for.
func (f *storyFlag) takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		n := 1
		if f.series != "" {
			n = 0
		}
		if most >= 0 {
			return takes(least+n, most+n)(c, args)
		}
		return takes(least+n, most)(c, args)
	}
}

// story is whose memories and hooks a command is about. Chat is "" where the
// series was named.
type story struct {
	chat   storage.ChatID
	series storage.SeriesID
	scope  storage.ScopeID
}

func (s story) ask() memory.Ask { return memory.Ask{Chat: s.chat, Series: s.series} }

// whole asks for all that was ever kept of the story.
func (s story) whole() memory.Ask { a := s.ask(); a.All = true; return a }

// storyWork is work on the story that the first argument or --series names.
func (d *door) storyWork(f *storyFlag, w func(e *engine.Engine, s story, args []string) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		s, args, err := f.find(e, args)
		if err != nil {
			return err
		}
		return w(e, s, args)
	})
}

// find finds the story, and what follows it among the arguments.
func (f *storyFlag) find(e *engine.Engine, args []string) (s story, rest []string, err error) {
	if f.series != "" {
		v, err := series(e, f.series)
		s.series, s.scope = v.ID, storage.ScopeID(v.ID)
		return s, args, err
	}
	c, err := e.Chats.Find(args[0])
	if errors.Is(err, storage.ErrNotFound) {
		if v, no := e.Director.FindSeries(args[0]); no == nil {
			s.series, s.scope = v.ID, storage.ScopeID(v.ID)
			return s, args[1:], nil
		}
	}
	if err != nil {
		return s, nil, err
	}
	s.chat = c.ID
	s.scope, err = e.Chats.ScopeOf(c.ID)
	return s, args[1:], err
}

// shortID is the end of an id, by which memories and hooks are told apart: what
// is made at one moment begins alike.
func shortID[I ~string](id I) string {
	if len(id) <= 8 {
		return string(id)
	}
	return string(id[len(id)-8:])
}

// memory finds a memory of a story.
func memoryOf(e *engine.Engine, s story, ref string) (memory.View, error) {
	m, err := e.Memory.Find(s.scope, ref)
	if err != nil {
		if errors.Is(err, storage.ErrNotFound) {
			err = fmt.Errorf("%w; ghostlight memory list shows what is remembered", err)
		}
		return memory.View{}, err
	}
	list, err := e.Memory.List(s.whole())
	if err != nil {
		return memory.View{}, err
	}
	for _, v := range list.List {
		if v.ID == m.ID {
			return v, nil
		}
	}
	return memory.View{}, fmt.Errorf("%w: the memory is gone", storage.ErrNotFound)
}

// memoryState says in words what is special about a memory.
func memoryState(m memory.View) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{m.Removed, "deleted"}, {m.Pinned, "pinned"}, {m.Muted, "muted"}, {!m.Holds, "of another branch"}, {m.InPrompt, "in the prompt"}} {
		if f.is {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

func memoryRow(m memory.View) []string {
	return []string{shortID(m.ID), string(m.Type), fmt.Sprintf("%.2f", m.Importance), clip(m.Content, 100), memoryState(m)}
}

func (d *door) memoryList() *cobra.Command {
	var f storyFlag
	var all bool
	var search string
	c := &cobra.Command{Use: "list CHAT|--series S", Short: "list what is remembered, the most important first", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "List what is remembered of a story, the most important first. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, _ []string) error {
			ask := s.ask()
			ask.All, ask.Search = all, search
			list, err := e.Memory.List(ask)
			if err != nil {
				return err
			}
			doc, rows := []memoryShape{}, [][]string{}
			for _, m := range list.List {
				doc, rows = append(doc, shapeMemory(s.scope, m)), append(rows, memoryRow(m))
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
	c.Flags().BoolVar(&all, "all", false, "those too that are deleted or of other branches")
	c.Flags().StringVar(&search, "search", "", "only those that hold all of the `WORDS`")
	f.add(c)
	return c
}

// tellMemory prints a memory as it is now, with where it comes from.
func (d *door) tellMemory(e *engine.Engine, s story, id storage.MemoryID) error {
	m, err := memoryOf(e, s, string(id))
	if err != nil {
		return err
	}
	doc := memoryWholeShape{shapeMemory(s.scope, m), m.Original, m.Weight, shapeTold(m.Told)}
	return d.tell(doc, func(p *page) {
		p.linef("%s  %s  %.2f  %s", m.ID, m.Type, m.Importance, memoryState(m))
		p.line("\n" + m.Content)
		if m.Original != "" && m.Original != m.Content {
			p.line("\nas it was made: " + oneLine(m.Original))
		}
		p.told("told", m.Told, e)
	})
}

// told writes where the story told something.
func (p *page) told(word string, list []storage.Told, e *engine.Engine) {
	titles := map[storage.ChatID]string{}
	if chats, err := e.Chats.List(); err == nil {
		for _, c := range chats {
			titles[c.ID] = c.Title
		}
	}
	for i, t := range list {
		if i == 0 {
			p.line("")
		}
		at := t.At.Local().Format(time.DateTime)
		if t.Node == "" {
			p.linef("%s %s by you, everywhere", word, at)
			continue
		}
		p.linef("%s %s in %s, message #%d %s", word, at, quote(oneLine(first(titles[t.Chat], string(t.Chat)))), t.Depth+1, t.Node)
		for _, id := range t.Sources {
			if id != t.Node {
				p.linef("  from %s", id)
			}
		}
	}
}

func (d *door) memoryShow() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "show CHAT|--series S MEMORY", Short: "print a memory, and the messages that it came from", Args: f.takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Print a memory, and the messages that it came from. " + memoryHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			m, err := memoryOf(e, s, args[0])
			if err != nil {
				return err
			}
			return d.tellMemory(e, s, m.ID)
		})}
	f.add(c)
	return c
}

// memoryHelp says how commands want a memory named.
const memoryHelp = "MEMORY is a memory's id, or the beginning or the end of one, as memory list prints it."

// memoryTypes are the words for what a memory is about.
func memoryTypes() []string {
	var words []string
	for _, t := range storage.MemoryTypes {
		words = append(words, string(t))
	}
	return words
}

// memoryFlags are what the commands that write a memory take.
type memoryFlags struct {
	typ        string
	importance string
}

func (f *memoryFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.typ, "type", "", "what it is about: `TYPE`, which is "+orWords(memoryTypes()))
	c.Flags().StringVar(&f.importance, "importance", "", "`N` from 0 to 1; default: what the story gave it")
}

// orWords writes words as a choice.
func orWords(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// apply writes what was said into a memory.
func (f *memoryFlags) apply(c *cobra.Command, m *storage.Memory) error {
	if c.Flags().Changed("type") {
		if !slices.Contains(memoryTypes(), f.typ) {
			return misuse{fmt.Sprintf("--type is %s, not %q", orWords(memoryTypes()), f.typ)}
		}
		m.Type = storage.MemoryType(f.typ)
	}
	if c.Flags().Changed("importance") {
		m.Weight = nil
		if f.importance != "default" {
			n, err := partArg(f.importance)
			if err != nil {
				return misuse{"--importance is default or " + err.Error()}
			}
			m.Weight = &n
		}
	}
	return nil
}

func (d *door) memoryAdd() *cobra.Command {
	var f storyFlag
	var set memoryFlags
	var pin bool
	c := &cobra.Command{Use: "add CHAT|--series S TEXT", Short: "remember something yourself: it holds on every branch", Args: f.takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Remember something yourself: it holds on every branch and in every chat of the story. A TEXT of - is read from standard input. " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		text, err := d.textArg(args[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return misuse{"there is nothing to remember: TEXT is empty"}
		}
		m := storage.Memory{Type: storage.FactMemory, Content: text}
		if err := set.apply(c, &m); err != nil {
			return err
		}
		if m, err = e.Memory.Save(s.scope, m); err != nil {
			return err
		}
		if pin {
			if _, err := e.Memory.Act(s.scope, []storage.MemoryID{m.ID}, memory.Pin); err != nil {
				return err
			}
		}
		return d.tellMemory(e, s, m.ID)
	})
	set.add(c)
	c.Flags().BoolVar(&pin, "pin", false, "tell it before all others")
	f.add(c)
	return c
}

func (d *door) memoryEdit() *cobra.Command {
	var f storyFlag
	var set memoryFlags
	var content string
	c := &cobra.Command{Use: "edit CHAT|--series S MEMORY", Short: "change a memory", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Change of a memory what the flags name. " + memoryHelp + " " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		if !anyChanged(c, "content", "type", "importance") {
			return misuse{"nothing to change; --content, --type and --importance change something"}
		}
		v, err := memoryOf(e, s, args[0])
		if err != nil {
			return err
		}
		m := v.Memory
		if c.Flags().Changed("content") {
			if m.Content, err = d.valueArg(content); err != nil {
				return err
			}
			if strings.TrimSpace(m.Content) == "" {
				return misuse{"a memory says something: --content is empty; memory delete deletes one"}
			}
		}
		if err := set.apply(c, &m); err != nil {
			return err
		}
		if m, err = e.Memory.Save(s.scope, m); err != nil {
			return err
		}
		return d.tellMemory(e, s, m.ID)
	})
	c.Flags().StringVar(&content, "content", "", "what it says: `TEXT`, @FILE, or - for standard input")
	set.add(c)
	f.add(c)
	return c
}

// memoryAct is a command that does something to memories.
func (d *door) memoryAct(name string, do memory.Action, short string) *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: name + " CHAT|--series S MEMORY...", Short: short, Args: f.takes(1, -1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: sentence(short) + " " + memoryHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			var ids []storage.MemoryID
			for _, ref := range args {
				m, err := memoryOf(e, s, ref)
				if err != nil {
					return err
				}
				ids = append(ids, m.ID)
			}
			n, err := e.Memory.Act(s.scope, ids, do)
			if err != nil {
				return err
			}
			return tellDone(d, doneShape[storage.MemoryID]{s.scope, name, n, ids})
		})}
	f.add(c)
	return c
}

// tellDone prints what an action on several came to.
func tellDone[I ~string](d *door, doc doneShape[I]) error {
	if doc.Changed == 0 {
		d.note("note: nothing has changed")
	}
	return d.tell(doc, func(p *page) { p.linef("%s: %d changed", doc.Action, doc.Changed) })
}

func (d *door) memoryMerge() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "merge CHAT|--series S MEMORY FROM", Short: "put one memory into another, whose words stay", Args: f.takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Put the memory FROM into another, whose words stay; where both were told is kept. " + memoryHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			into, err := memoryOf(e, s, args[0])
			if err != nil {
				return err
			}
			from, err := memoryOf(e, s, args[1])
			if err != nil {
				return err
			}
			if into.ID == from.ID {
				return misuse{"both are the same memory"}
			}
			if err := e.Memory.Merge(s.scope, into.ID, from.ID); err != nil {
				return err
			}
			return d.tellMemory(e, s, into.ID)
		})}
	f.add(c)
	return c
}
