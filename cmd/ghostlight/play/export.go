package play

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// exportFlags are the flags of chat export.
type exportFlags struct {
	file     cli.FileFlags
	format   string
	branches bool
	pictures bool
	story    library.StoryOptions
}

func exportCommand(app *cli.App) *cobra.Command {
	var x exportFlags
	c := cli.Chats.Act(app, "export CHAT [FILE]", "export a chat: JSONL, Markdown, text, HTML or a book (EPUB)",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			return x.run(ctx, app, e, c, args)
		})
	c.Long = "Export a chat. The file extension sets the format: .jsonl for SillyTavern, .epub for an e-book, .html " +
		"for one page with embedded pictures, .md for Markdown, .txt for plain text. Without a file it is JSONL in " +
		"the current folder."
	x.file.Add(c)
	f := c.Flags()
	f.StringVar(&x.format, "format", "",
		"write `KIND`: jsonl, epub, html, markdown or text (default: by the file's name, else jsonl)")
	f.BoolVar(&x.branches, "all-branches", false,
		"export every branch as its own JSONL file, into the new or empty folder FILE")
	f.BoolVar(&x.story.Recaps, "recaps", false, "include the recap of each scene, at its end")
	f.BoolVar(&x.story.Swipes, "takes", false, "include the other swipes of each message")
	f.BoolVar(&x.story.OOC, "ooc", false, "include out-of-character messages")
	f.BoolVar(&x.pictures, "pictures", true, "include the pictures of the chat")
	f.StringVar(&x.story.Language, "language", "",
		"language of the story: `TAG`, such as en or pt-BR (default: detected)")
	return c
}

func (x *exportFlags) run(ctx context.Context, app *cli.App, e *engine.Engine, c storage.Chat, args []string) error {
	if len(args) > 0 {
		if x.file.Output != "" {
			return cli.UsageError("give the file once: as the second argument, or with --output")
		}
		x.file.Output = args[0]
	}
	if x.branches {
		return x.allBranches(ctx, app, e, c)
	}
	f, err := x.kind()
	if err != nil {
		return err
	}
	if x.story.NoPictures = !x.pictures; f == library.FormatJSONL && (x.story != library.StoryOptions{}) {
		return cli.UsageError(
			"--recaps, --takes, --ooc, --pictures and --language cannot be used with JSONL, which always has the " +
				"whole branch",
		)
	}
	var r novel.Report
	err = app.WriteFrom(x.file, string(c.ID)+library.ChatEnding(f), string(f), func(w io.Writer) (err error) {
		if f == novel.EPUB {
			r, err = e.Library.WriteChat(ctx, c.ID, f, x.story, w)
			return err
		}
		l := &lines{to: w}
		r, err = e.Library.WriteChat(ctx, c.ID, f, x.story, l)
		return errors.Join(err, l.flush())
	})
	if r.Missing > 0 {
		app.Notes([]string{failure.Count(r.Missing, "picture") + " could not be read; the export marks their places"})
	}
	return err
}

// kind returns the format that was asked for.
func (x *exportFlags) kind() (novel.Format, error) {
	if x.format != "" {
		f := novel.Format(strings.ToLower(x.format))
		f = cmp.Or(map[novel.Format]novel.Format{"md": novel.Markdown, "txt": novel.Text, "htm": novel.HTML}[f], f)
		if !slices.Contains(library.ChatFormats, f) {
			return "", cli.UsageError(
				"--format must be jsonl, epub, html, markdown or text, not " + cli.Quote(x.format),
			)
		}
		return f, nil
	}
	if x.file.Output == "" || x.file.Output == "-" {
		return library.FormatJSONL, nil
	}
	f, err := library.ChatFormat(x.file.Output)
	if err != nil {
		return "", cli.UsageError(failure.Text(err))
	}
	return f, nil
}

func (x *exportFlags) allBranches(ctx context.Context, app *cli.App, e *engine.Engine, c storage.Chat) error {
	if x.file.Output == "-" || x.format != "" && x.format != "jsonl" {
		return cli.UsageError("--all-branches writes JSONL files into a folder")
	}
	list, err := e.Library.ExportBranches(ctx, c.ID, app.Path(cmp.Or(x.file.Output, string(c.ID))))
	if err != nil {
		return err
	}
	app.WarnUnencrypted()
	return cli.PrintViews(app, list, func(b library.Branch) []string { return []string{b.Path} })
}

// lines hands on whole lines.
type lines struct {
	to   io.Writer
	held []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.held = append(l.held, p...)
	at := bytes.LastIndexByte(p, '\n')
	if at < 0 {
		return len(p), nil
	}
	whole := len(l.held) - len(p) + at + 1
	_, err := l.to.Write(l.held[:whole])
	l.held = append(l.held[:0], l.held[whole:]...)
	return len(p), err
}

func (l *lines) flush() error {
	_, err := l.to.Write(l.held)
	return err
}
