package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

func (d *door) sceneCommand() *cobra.Command {
	return group("scene", "find scenes, recap them, and see what is remembered",
		d.sceneList(), d.sceneBreak(true), d.sceneBreak(false), d.sceneDetect(), d.sceneRename(), d.sceneJoin(),
		d.sceneRecap(), d.sceneRunning(), d.sceneMessage(), d.sceneVersions(), d.sceneDiff(), d.sceneSearch(),
		d.sceneExport(), d.sceneImport(), d.sceneExam())
}

// sceneNumbered finds an ended scene by its number in scene list.
func sceneNumbered(e *engine.Engine, chat storage.ChatID, ref string) (scenes.Scene, error) {
	number, err := countArg(ref, "the number of a scene, as ghostlight scene list shows it")
	if err != nil {
		return scenes.Scene{}, err
	}
	s, err := e.Scenes.List(chat)
	if err != nil {
		return scenes.Scene{}, err
	}
	ended := 0
	for _, sc := range s.List {
		switch {
		case sc.Number == number && sc.Open:
			return sc, fmt.Errorf("scene %d is still open; ghostlight scene break %s last ends it", number, chat)
		case sc.Number == number:
			return sc, nil
		case !sc.Open:
			ended++
		}
	}
	return scenes.Scene{}, fmt.Errorf("there is no scene %d; scenes that have ended here: %d", number, ended)
}

// countArg reads a number from 1 from the command line.
func countArg(arg, what string) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, misuse{quote(arg) + " is not " + what}
	}
	return n, nil
}

// countFrom reads a number within bounds.
func countFrom(arg string, least, most int) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a number from %d to %d, not %s", least, most, quote(arg))
	}
	return n, nil
}

func (d *door) sceneList() *cobra.Command {
	return &cobra.Command{Use: "list CHAT", Short: "list the scenes of a chat, the open one last", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			return d.tellScenes(e, c.ID)
		})}
}

func (d *door) tellScenes(e *engine.Engine, chat storage.ChatID) error {
	s, err := e.Scenes.List(chat)
	if err != nil {
		return err
	}
	doc := []sceneShape{}
	for _, sc := range s.List {
		doc = append(doc, shapeScene(sc))
	}
	return d.tell(doc, func(p *page) {
		rows := [][]string{}
		for _, sc := range s.List {
			rows = append(rows, sceneRow(sc))
		}
		p.table(rows)
	})
}

// sceneRow is a scene as a line of a list. Messages are numbered as in chat show.
func sceneRow(s scenes.Scene) []string {
	where := ""
	if s.First != "" {
		where = fmt.Sprintf("#%d-#%d", s.FirstDepth+1, s.LastDepth+1)
	}
	recap, state := "", ""
	if s.Recap.Versions > 0 {
		recap = fmt.Sprintf("v%d/%d", s.Recap.Version, s.Recap.Versions)
	}
	for _, m := range []struct {
		is   bool
		word string
	}{{s.Open, "open"}, {s.Detected, "detected"}, {s.Recap.Stale, "stale"}, {s.InMemory, "in memory"}, {s.Working, "at work"}} {
		if m.is && state != "" {
			state += ", "
		}
		if m.is {
			state += m.word
		}
	}
	return []string{strconv.Itoa(s.Number), clip(s.Name, columnLimit), where, fmt.Sprintf("%d messages", s.Messages),
		fmt.Sprintf("%d tokens", s.Tokens), recap, state}
}

// sceneBreak is the command that ends a scene, or takes that back.
func (d *door) sceneBreak(on bool) *cobra.Command {
	c := &cobra.Command{Use: "break CHAT MESSAGE", Short: "end a scene with a message", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions}
	if !on {
		c.Use, c.Short = "unbreak CHAT MESSAGE", "let a scene not end at a message any more; its recaps and its storyboard are kept for when it does again"
	}
	c.Long = sentence(c.Short) + " " + messageHelp
	c.RunE = d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		m, err := message(e, c.ID, args[0])
		if err != nil {
			return err
		}
		changed, err := e.Scenes.SetBreak(c.ID, m.ID, on)
		if err != nil {
			return err
		}
		s, err := e.Scenes.List(c.ID)
		if err != nil {
			return err
		}
		doc := breakShape{Message: m.ID, Break: on, Changed: changed}
		for _, sc := range s.List {
			if sc.Break == m.ID {
				doc.Scene = sc.Number
			}
		}
		if !changed && on {
			d.note("note: a scene ended there already")
		} else if !changed {
			d.note("note: no scene ended there")
		}
		if taught, err := e.Lore.Taught(c.ID, m.ID); err == nil && !on && len(taught) > 0 {
			d.note("note: what the scene has taught the lorebook stays; ghostlight lore takeback %s %s takes it back", c.ID, m.ID)
		}
		return d.tell(doc, func(p *page) {
			switch {
			case !on:
				p.linef("%s  no scene ends here", m.ID)
			case doc.Scene == 0:
				p.linef("%s  a scene ends here, on another branch", m.ID)
			default:
				p.linef("%s  scene %d ends here", m.ID, doc.Scene)
			}
		})
	})
	return c
}

// messageHelp says how a command wants a message named.
const messageHelp = "MESSAGE is an id or the beginning of one, a number as chat show prints it, last, or a place from the end: -1 is the last, -2 the one before it."

func (d *door) sceneDetect() *cobra.Command {
	var r scenes.DetectRequest
	var undo, later bool
	c := &cobra.Command{Use: "detect CHAT", Short: "find the scenes of a whole chat", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Find the scenes of a whole chat. Explicit marks such as --- or \"Chapter 3\" are found at once; about the other messages a model is asked, " +
			"which is waited for. Interrupted, or with --later, the rest stays in the queue, and ghostlight queue run goes on where it was left. " +
			"Messages that were looked at before are not looked at again."}
	f := c.Flags()
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		if undo {
			if f.Changed("min") || r.TableOnly || r.Again || later {
				return misuse{"--undo stands alone"}
			}
			n, err := e.Scenes.UndoDetection(c.ID)
			if err != nil {
				return err
			}
			return d.tell(map[string]int{"undone": n}, func(p *page) { p.linef("%d taken back", n) })
		}
		if f.Changed("min") && (r.Min < 1 || r.Min > mostMinMessages) {
			return misuse{fmt.Sprintf("--min is a number of messages from 1 to %d", mostMinMessages)}
		}
		return d.detect(ctx, e, c.ID, r, later)
	})
	f.IntVar(&r.Min, "min", 0, "no scene of fewer than `N` messages")
	f.BoolVar(&r.TableOnly, "table", false, "only explicit marks; no model is asked")
	f.BoolVar(&r.Again, "again", false, "look also at messages that were looked at before")
	f.BoolVar(&undo, "undo", false, "take back what was found last")
	laterFlag(c, &later)
	return c
}

// detect searches a chat for scenes and prints what was found, also when the
// search fails halfway.
func (d *door) detect(ctx context.Context, e *engine.Engine, chat storage.ChatID, r scenes.DetectRequest, later bool) error {
	before, err := e.Scenes.List(chat)
	if err != nil {
		return err
	}
	known := map[storage.NodeID]bool{}
	for _, s := range before.List {
		known[s.Break] = true
	}
	var found scenes.Detected
	begin := func() (storage.OperationID, error) {
		if before.Detecting && !r.TableOnly {
			d.note("note: a search was begun before; it goes on")
			found = scenes.Detected{Left: before.Unchecked, Total: before.Unchecked}
			return "", nil
		}
		found, err = e.Scenes.Detect(chat, r)
		return "", err
	}
	var fault error
	if later || r.TableOnly {
		if _, err := begin(); err != nil {
			return err
		}
	} else if fault = d.finish(ctx, e, task{chat: chat, types: []string{"detect_scenes"}, begin: begin}); fault != nil && found.Total == 0 {
		return fault
	}
	after, err := e.Scenes.List(chat)
	if err != nil {
		return errors.Join(fault, err)
	}
	doc := detectShape{Left: found.Left, Total: found.Total, Breaks: []foundShape{}, Error: d.discreet(failure.Words(fault))}
	switch {
	case r.TableOnly || later:
	case fault == nil:
		doc.Left = 0
	default:
		doc.Left = min(found.Left, after.Unchecked)
	}
	for _, s := range after.List {
		if s.Break != "" && !known[s.Break] {
			doc.Breaks = append(doc.Breaks, foundShape{s.Number, s.Break, s.Name, s.Rationale})
		}
	}
	doc.Found = len(doc.Breaks)
	if doc.Total == 0 && fault == nil {
		if r.Again {
			d.note("note: there is no message that could begin a scene")
		} else {
			d.note("note: there is nothing new to look at; --again looks at all messages")
		}
	}
	err = d.tell(doc, func(p *page) {
		p.linef("%d found, %d left to ask about of %d messages", doc.Found, doc.Left, doc.Total)
		for _, b := range doc.Breaks {
			p.linef("%d  %s  %s", b.Scene, b.Message, oneLine(b.Rationale))
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

func (d *door) sceneRename() *cobra.Command {
	return &cobra.Command{Use: "rename CHAT N NAME", Short: "name a scene; an empty name lets its recap name it", Args: takes(3, 3),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			sc, err := sceneNumbered(e, c.ID, args[0])
			if err != nil {
				return err
			}
			if err := checkTitle(args[1]); err != nil {
				return err
			}
			if err := e.Scenes.Rename(c.ID, sc.Break, args[1]); err != nil {
				return err
			}
			if sc, err = sceneNumbered(e, c.ID, args[0]); err != nil {
				return err
			}
			return d.tell(shapeScene(sc), func(p *page) { p.table([][]string{sceneRow(sc)}) })
		})}
}

func (d *door) sceneJoin() *cobra.Command {
	var later bool
	c := &cobra.Command{Use: "join CHAT FROM TO", Short: "make one scene of several, and its recap of theirs", Args: takes(3, 3),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Make one scene of several, from the number FROM to the number TO, and its recap of theirs. " +
			"ghostlight scene break parts them again, with the recaps that they had.",
		RunE: d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			from, err := sceneNumbered(e, c.ID, args[0])
			if err != nil {
				return err
			}
			to, err := sceneNumbered(e, c.ID, args[1])
			if err != nil {
				return err
			}
			if from.Number >= to.Number {
				return misuse{fmt.Sprintf("FROM lies before TO, but %d does not lie before %d", from.Number, to.Number)}
			}
			begin := func() (storage.OperationID, error) { return "", e.Scenes.Join(c.ID, from.Break, to.Break) }
			t := task{chat: c.ID, types: []string{"join_scene_recaps"}, begin: begin}
			if later {
				return d.postpone(e, t)
			}
			if err := d.finish(ctx, e, t); err != nil {
				return err
			}
			to.Number = from.Number
			return d.tellTale(sceneTale(e, c.ID, to))
		})}
	laterFlag(c, &later)
	return c
}
