package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/scenes"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// taleArg is the recap that an argument names: of the scene of that number, or
// the running one.
func taleArg(e *engine.Engine, chat storage.ChatID, arg string) (tale, error) {
	if arg == "running" {
		return runningTale(e, chat), nil
	}
	s, err := sceneNumbered(e, chat, arg)
	return sceneTale(e, chat, s), err
}

func (d *door) sceneVersions() *cobra.Command {
	return &cobra.Command{Use: "versions CHAT N|running", Short: "list the versions of a scene's recap, or of the running one", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			t, err := taleArg(e, c.ID, args[0])
			if err != nil {
				return err
			}
			v, err := t.read()
			if err != nil {
				return err
			}
			doc := []versionShape{}
			for i, r := range v.Versions {
				doc = append(doc, shapeVersion(r, i, v.Current))
			}
			return d.tell(doc, func(p *page) {
				rows := [][]string{}
				for _, r := range doc {
					mark, state := "", string(r.Origin)
					if r.Current {
						mark = "*"
					}
					if r.Edited {
						state += ", edited"
					}
					if r.Stale {
						state += ", stale"
					}
					rows = append(rows, []string{fmt.Sprintf("v%d%s", r.Version, mark), clip(r.SceneName, columnLimit), state, r.Style, oneLine(r.Model),
						r.CreatedAt.Local().Format("2006-01-02 15:04:05")})
				}
				p.table(rows)
			})
		})}
}

func (d *door) sceneDiff() *cobra.Command {
	return &cobra.Command{Use: "diff CHAT N|running A B", Short: "print what the version B of a recap changes in the version A", Args: takes(4, 4),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			t, err := taleArg(e, c.ID, args[0])
			if err != nil {
				return err
			}
			v, _, err := t.there()
			if err != nil {
				return err
			}
			var numbers [2]int
			var texts [2]string
			for i := range texts {
				if numbers[i], err = countArg(args[1+i], "the number of a version"); err != nil {
					return err
				}
				r, err := t.version(v, numbers[i])
				if err != nil {
					return err
				}
				texts[i] = r.Text
			}
			doc := diffShape{v.Scene.Number, numbers[0], numbers[1], []diffLine{}}
			for _, l := range scene.Diff(texts[0], texts[1]) {
				doc.Lines = append(doc.Lines, diffLine{string(l.Op), l.Text})
			}
			return d.tell(doc, func(p *page) {
				for _, l := range doc.Lines {
					p.line(l.Op + l.Text)
				}
			})
		})}
}

func (d *door) sceneSearch() *cobra.Command {
	var limit int
	c := &cobra.Command{Use: "search CHAT TEXT", Short: "find recaps that hold a text, whatever its case", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			if strings.TrimSpace(args[0]) == "" {
				return misuse{"there is nothing to look for: TEXT is empty"}
			}
			hits, err := e.Scenes.SearchRecaps(c.ID, args[0], max(1, limit))
			if err != nil {
				return err
			}
			if len(hits) == 0 {
				d.note("note: no recap holds %s", quote(args[0]))
			}
			return d.tell(orNone(hits), func(p *page) {
				for _, h := range hits {
					p.linef("%s v%d  %s", hitName(h), h.Version, oneLine(h.Snippet))
				}
			})
		})}
	c.Flags().IntVar(&limit, "limit", 50, "at most `N` versions")
	return c
}

// hitName says which recap a hit is.
func hitName(h scenes.RecapHit) string {
	switch {
	case h.Kind == storage.RunningRecap:
		return "running"
	case h.Kind == storage.MessageRecap:
		return "message " + string(h.Node)
	case h.Scene == 0:
		return "on another branch"
	}
	return fmt.Sprintf("scene %d", h.Scene)
}

// mostRecapFile is the largest file of recaps that is read, in bytes.
const mostRecapFile = 16 << 20

func (d *door) sceneExport() *cobra.Command {
	var f fileFlags
	var format string
	c := &cobra.Command{Use: "export CHAT", Short: "write the recaps of a chat with all their versions", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			kind := format
			if kind == "" {
				kind = "markdown"
				if strings.HasSuffix(strings.ToLower(f.output), ".json") {
					kind = "json"
				}
			}
			ending, ok := map[string]string{"markdown": ".md", "json": ".json"}[kind]
			if !ok {
				return misuse{"--format is markdown or json, not " + quote(format)}
			}
			data, err := e.Scenes.ExportRecaps(c.ID, kind)
			if err != nil {
				return err
			}
			return d.writeFile(f, string(c.ID)+"-recaps"+ending, kind, data)
		})}
	f.add(c)
	c.Flags().StringVar(&format, "format", "", "write `KIND`: markdown or json (default: by the file's name, else markdown)")
	return c
}

func (d *door) sceneImport() *cobra.Command {
	return &cobra.Command{Use: "import CHAT FILE", Short: "read recaps back, as new versions (- reads standard input)", Args: takes(2, 2),
		Long: "Read recaps back that scene export wrote, as markdown or JSON. Each becomes a new current version of its scene; scenes that the chat does not have are left out, with a note.",
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			var got scenes.RecapsRead
			err := d.fromFile(args[0], "recaps", mostRecapFile, func(path string) error {
				data, err := readFile(path, mostRecapFile)
				if err != nil {
					return err
				}
				got, err = e.Scenes.ImportRecaps(c.ID, data)
				return err
			})
			if err != nil {
				return err
			}
			d.notes(got.Warnings)
			if got.Versions == 0 && len(got.Warnings) == 0 {
				d.note("note: the chat has all of it already")
			}
			doc := recapsReadShape{got.Scenes, got.Versions, orNone(got.Warnings)}
			return d.tell(doc, func(p *page) { p.linef("%d versions for %d scenes", got.Versions, got.Scenes) })
		})}
}

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe or device would block, or never end
		return nil, fmt.Errorf("%s is no ordinary file; - reads standard input", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s holds more than %s", path, size(limit))
	}
	return os.ReadFile(path)
}

func (d *door) sceneExam() *cobra.Command {
	var show, repair, later bool
	c := &cobra.Command{Use: "exam CHAT N", Short: "ask the model what it would still know of a scene", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have questions made from a scene, answered from its recap and lore alone, and print which facts would be lost. " +
			"With --repair the losses are sent back for another version of the recap; the exam is taken first where the recap has none.",
		RunE: d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			if show && (repair || later) || repair && later {
				return misuse{"--show, --repair and --later do not go together"}
			}
			sc, err := sceneNumbered(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			t := sceneTale(e, chat.ID, sc)
			_, r, err := t.there()
			if err != nil {
				return err
			}
			if later {
				return d.postpone(e, examTask(e, chat.ID, sc))
			}
			if !show && !(repair && r.Exam != nil) {
				if err := d.finish(ctx, e, examTask(e, chat.ID, sc)); err != nil {
					return err
				}
			}
			if repair {
				return d.repair(ctx, t, sc)
			}
			return d.tellExam(t, sc)
		})}
	c.Flags().BoolVar(&show, "show", false, "print the exam that was taken; take none")
	c.Flags().BoolVar(&repair, "repair", false, "have another version of the recap made that holds what was lost")
	laterFlag(c, &later)
	return c
}

func examTask(e *engine.Engine, chat storage.ChatID, sc scenes.Scene) task {
	return task{chat: chat, begin: func() (storage.OperationID, error) { return e.Scenes.Examine(chat, sc.Break) }}
}

// repair has what an exam has shown to be lost put into another version.
func (d *door) repair(ctx context.Context, t tale, sc scenes.Scene) error {
	_, r, err := t.there()
	if err != nil {
		return err
	}
	if len(r.Exam.Lost()) == 0 {
		d.note("note: nothing was lost; the recap stays as it is")
		return d.tellTale(t)
	}
	begin := func() (storage.OperationID, error) { return t.e.Scenes.RepairRecap(t.chat, sc.Break) }
	if err := d.finish(ctx, t.e, task{chat: t.chat, begin: begin}); err != nil {
		return err
	}
	return d.tellTale(t)
}

// tellExam prints the exam of a recap's current version.
func (d *door) tellExam(t tale, sc scenes.Scene) error {
	v, r, err := t.there()
	if err != nil {
		return err
	}
	if r.Exam == nil {
		return fmt.Errorf("no exam was taken of this version of %s", t.of)
	}
	doc := shapeExam(sc.Number, v.Current+1, *r.Exam)
	return d.tell(doc, func(p *page) {
		p.linef("%s  v%d: %d of %d facts would be lost", t.of, doc.Version, doc.Lost, len(doc.Questions))
		for _, q := range doc.Questions {
			mark := "kept"
			if q.Lost {
				mark = "LOST"
			}
			p.linef("\n%s  %s\n  the scene: %s\n  from memory: %s", mark, oneLine(q.Question), oneLine(q.Expected), oneLine(q.Answer))
		}
	})
}
