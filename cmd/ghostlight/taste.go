package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/taste"
	"ghostlight/storage"
)

func (d *door) tasteCommand() *cobra.Command {
	c := group("taste", "see and change what was learnt of how you direct",
		d.tasteList(), d.tasteShow(), d.tasteMemories(), d.tasteBlock(), d.tasteLearn(), d.tasteProfile(), d.tasteSummary(),
		group("card", "write, change, mute and delete preference cards",
			d.cardAdd(), d.cardEdit(),
			d.cardAct("mute", taste.MuteCards, "tell cards no more, and keep them"),
			d.cardAct("unmute", taste.UnmuteCards, "tell muted cards again"),
			d.cardAct("delete", taste.DeleteCards, "delete cards; card restore brings one back"),
			d.cardAct("restore", taste.RestoreCards, "bring cards back as the program has them")),
		d.tasteForget(), d.tasteReset())
	c.Example = `ghostlight taste show "The lamp"
ghostlight taste block "The lamp" recommend_key_beats
ghostlight taste card add "The lamp" "Doors are shown before they open." --when entrances
ghostlight taste card mute --series "The dark house" CARD`
	return c
}

func (d *door) tasteList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the stories of which anything is known", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Taste.List()
			if err != nil {
				return err
			}
			doc, rows := []tasteRowShape{}, [][]string{}
			for _, v := range list {
				doc = append(doc, shapeTasteRow(v))
				rows = append(rows, []string{string(v.Scope), clip(v.Name, columnLimit), counted(cardsLeft(v.Cards), "card", "cards"),
					counted(len(v.Memories), "scene", "scenes"), workingWord(v.Working)})
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

func workingWord(working bool) string {
	if working {
		return "at work"
	}
	return ""
}

func (d *door) tasteShow() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "show CHAT|--series S", Short: "print what is known of how you direct a story", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Print what is known of how you direct a story: the profile with its cards, and the scenes that it was learnt from. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, _ []string) error { return d.tellTaste(e, s.scope) })}
	f.add(c)
	return c
}

// tellTaste prints a story's profile as it is now.
func (d *door) tellTaste(e *engine.Engine, scope storage.ScopeID) error {
	v, err := e.Taste.View(scope)
	if err != nil {
		return err
	}
	if len(v.Cards) == 0 && v.Summary == "" && len(v.Memories) == 0 {
		d.note("note: nothing was learnt of this story yet")
	}
	return d.tell(shapeTaste(v), func(p *page) {
		p.linef("%s  %s", v.Scope, oneLine(v.Name))
		for _, part := range []string{v.Summary, v.StatsSummary} {
			if part != "" {
				p.line("\n" + strings.TrimSpace(part))
			}
		}
		for _, c := range v.Cards {
			p.card(c)
		}
		for i, m := range v.Memories {
			if i == 0 {
				p.line("\nlearnt from")
			}
			p.linef("%s  %s in %s: %s", shortID(m.ID), first(oneLine(m.SceneName), "a scene that is gone"), quote(oneLine(first(m.ChatTitle, string(m.Chat)))),
				counted(len(m.SceneLearnings), "lesson", "lessons"))
		}
		if v.Working {
			p.line("\nmore is being learnt, or waits to be")
		}
	})
}

func (d *door) tasteMemories() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "memories CHAT|--series S", Short: "print what each scene of a story has taught, the newest first", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Print what each scene of a story has taught, the newest first. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, _ []string) error {
			v, err := e.Taste.View(s.scope)
			if err != nil {
				return err
			}
			doc := []tasteMemoryShape{}
			for _, m := range v.Memories {
				doc = append(doc, shapeTasteMemory(m))
			}
			return d.tell(doc, func(p *page) {
				for i, m := range v.Memories {
					if i > 0 {
						p.line("")
					}
					p.tasteMemory(m)
				}
			})
		})}
	f.add(c)
	return c
}

// tasteMemory writes what a scene has taught.
func (p *page) tasteMemory(m taste.Memory) {
	p.linef("%s  %s in %s  %s", shortID(m.ID), first(oneLine(m.SceneName), "a scene that is gone"), quote(oneLine(first(m.ChatTitle, string(m.Chat)))),
		m.UpdatedAt.Local().Format(time.DateTime))
	for _, part := range []string{m.SceneContextSummary, m.EditSummary} {
		if part != "" {
			p.line(oneLine(part))
		}
	}
	if m.Summary != nil && m.Summary.Sentence != "" {
		p.line(oneLine(m.Summary.Sentence))
	}
	for _, l := range m.SceneLearnings {
		p.linef("- %s (%s)", oneLine(l.Learning), l.Confidence)
		p.conditions(l.AppliesTo, l.AvoidApplyingTo, l.Evidence)
	}
	for i, ev := range m.Events {
		if i == 0 {
			p.line("edits")
		}
		p.linef("- %s: %s", first(ev.About, string(ev.Type)), oneLine(ev.Summary))
	}
}

// conditions writes when something holds, when not, and why that is thought.
func (p *page) conditions(applies, avoid, evidence string) {
	for _, part := range [][2]string{{"when", applies}, {"not when", avoid}, {"seen", evidence}} {
		if part[1] != "" {
			p.linef("    %s: %s", part[0], oneLine(part[1]))
		}
	}
}

func (d *door) tasteBlock() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "block CHAT|--series S TOOL", Short: "print what a planning tool would be told of how you direct", Args: f.takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Print what a planning tool would be told now of how you direct. TOOL is the name of a planning tool, or steer for steering lines. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			u, err := e.Taste.Block(s.scope, args[0])
			if err != nil {
				return err
			}
			switch {
			case isOff(d.set.Taste.Use):
				d.note("note: taste.use is off in the config file: no plan is told anything")
			case u.Block == "":
				d.note("note: there is nothing to tell yet")
			}
			return d.tell(tasteBlockShape{s.scope, args[0], u.Block, orNone(u.Cards)}, func(p *page) {
				if u.Block != "" {
					p.line(u.Block)
				}
			})
		})}
	f.add(c)
	return c
}

func (d *door) tasteLearn() *cobra.Command {
	var later bool
	c := &cobra.Command{Use: "learn CHAT SCENE", Short: "learn from a scene now, and print what it has taught", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Learn from the scene with the number SCENE now: from its storyboard once that is confirmed, and from what you changed in prompts of pictures and in recaps. The story's profile is made anew of it."}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		sc, err := sceneNumbered(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		t := task{chat: chat.ID, begin: func() (storage.OperationID, error) { return e.Taste.Harvest(chat.ID, sc.Break) }}
		if later {
			return d.postpone(e, t)
		}
		if err := d.finish(ctx, e, t); err != nil {
			return err
		}
		scope, err := e.Chats.ScopeOf(chat.ID)
		if err != nil {
			return err
		}
		m, err := e.Taste.FindMemory(scope, string(sc.Break))
		if err != nil {
			return err
		}
		return d.tell(shapeTasteMemory(m), func(p *page) { p.tasteMemory(m) })
	})
	laterFlag(c, &later)
	return c
}

func (d *door) tasteProfile() *cobra.Command {
	var f storyFlag
	var later bool
	c := &cobra.Command{Use: "profile CHAT|--series S", Short: "make a story's profile anew of what its scenes have taught, and print it", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Make a story's profile anew of what its scenes have taught, and print it. " + storyHelp}
	c.RunE = d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		s, _, err := f.find(e, args)
		if err != nil {
			return err
		}
		t := task{chat: s.chat, begin: func() (storage.OperationID, error) { return e.Taste.Aggregate(s.scope) }}
		if later {
			return d.postpone(e, t)
		}
		if err := d.finish(ctx, e, t); err != nil {
			return err
		}
		return d.tellTaste(e, s.scope)
	})
	laterFlag(c, &later)
	f.add(c)
	return c
}

func (d *door) tasteSummary() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "summary CHAT|--series S TEXT", Short: "put your own words in place of the profile's summary", Args: f.takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Put your own words in place of the profile's summary. TEXT may be @FILE, or - for standard input; an empty one gives the profile's back. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			text, err := d.valueArg(args[0])
			if err != nil {
				return err
			}
			if err := e.Taste.SaveSummary(s.scope, text); err != nil {
				return err
			}
			return d.tellTaste(e, s.scope)
		})}
	f.add(c)
	return c
}

// sceneLesson finds what a scene has taught: by the number of a scene of the chat,
// or by an id.
func sceneLesson(e *engine.Engine, s story, ref string) (taste.Memory, error) {
	if number, err := strconv.Atoi(ref); err == nil && s.chat != "" && number > 0 {
		sc, err := sceneNumbered(e, s.chat, ref)
		if err != nil {
			return taste.Memory{}, err
		}
		m, err := e.Taste.FindMemory(s.scope, string(sc.Break))
		if err != nil {
			return m, fmt.Errorf("scene %d has taught nothing yet", number)
		}
		return m, nil
	}
	return e.Taste.FindMemory(s.scope, ref)
}

func (d *door) tasteForget() *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: "forget CHAT|--series S SCENE", Short: "forget what a scene has taught", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Forget what a scene has taught; the queue then makes the profile anew. SCENE is the number of a scene of CHAT, or an id, or the beginning or the end of one, as taste memories prints it. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			m, err := sceneLesson(e, s, args[0])
			if err != nil {
				return err
			}
			if err := e.Taste.DeleteMemory(s.scope, m.Scene); err != nil {
				return err
			}
			return d.tellTaste(e, s.scope)
		})}
	f.add(c)
	return c
}

func (d *door) tasteReset() *cobra.Command {
	var f storyFlag
	var yes bool
	c := &cobra.Command{Use: "reset CHAT|--series S --yes", Short: "forget everything that was learnt of a story, your own cards among it", Args: f.takes(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Forget everything that was learnt of a story, your own cards among it. Storyboards stay. " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, _ []string) error {
			if !yes {
				return misuse{"this forgets all of it for good; --yes says that it is meant"}
			}
			if err := e.Taste.Reset(s.scope); err != nil {
				return err
			}
			return d.tellTaste(e, s.scope)
		})}
	c.Flags().BoolVar(&yes, "yes", false, "it is meant")
	f.add(c)
	return c
}
