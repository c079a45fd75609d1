package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/admin"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/boards"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/director"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/library"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/lore"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/memory"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/pictures"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/play"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/scenes"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/taste"
)

// rootFor returns the root command of a run. If no subcommand is called, it leaves them out, as
// they cost a tenth of the start time.
func rootFor(app *cli.App, args []string) *cobra.Command {
	asked := newFront(cli.New(nil, io.Discard, io.Discard, ""))
	if asked.ParseFlags(args) == nil && asked.Flags().NArg() == 0 {
		return newFront(app)
	}
	return newRoot(app)
}

// newFront builds the root alone, which opens the terminal interface.
func newFront(app *cli.App) *cobra.Command {
	var theme, chat string
	var version, plainly bool
	c := &cobra.Command{
		Use:   "ghostlight",
		Short: "roleplay with local models in the terminal",
		Long: "Ghostlight is a terminal program for roleplay chats with local Ollama models; " +
			"ComfyUI generates pictures. Without a command it opens the terminal interface.",
		Example: "ghostlight                                    open the terminal interface\n" +
			"ghostlight --demo                             try it in demo mode, without any server\n" +
			"ghostlight --plain                            plain mode: line by line, without a screen\n" +
			"ghostlight character import card.png\n" +
			"ghostlight chat new --character Ada --title \"The lamp\"\n" +
			"ghostlight send \"The lamp\" \"I light the lamp.\"\n" +
			"ghostlight scene list \"The lamp\"\n" +
			"ghostlight lore activate \"The lamp\"\n" +
			"ghostlight episode play \"The first night\"\n" +
			"ghostlight memory list \"The lamp\"\n" +
			"ghostlight capture prompt \"The lamp\" --json",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return cli.UsageError(cli.UnknownCommand(c, args[0]))
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return printVersion(app)
			}
			if app.IsInside() {
				return cli.UsageError("this command cannot run inside the program")
			}
			return openFront(c.Context(), app, theme, chat, plainly)
		},
	}
	c.Flags().StringVar(&theme, "theme", "", "start with the theme `NAME`")
	c.Flags().StringVar(&chat, "chat", "", "open the chat `CHAT`")
	c.Flags().BoolVar(&plainly, "plain", false, "plain mode: line by line, for screen readers and pipes")
	c.Flags().BoolVar(&version, "version", false, "print the version")
	app.AddGlobalFlags(c.PersistentFlags())
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError(cli.FlagErrorText(err)) })
	c.SetHelpFunc(app.Help)
	c.SetOut(app.Out)
	c.SetErr(app.Err)
	return c
}

// newRoot builds the tree of commands.
func newRoot(app *cli.App) *cobra.Command {
	c := newFront(app)
	c.SetHelpCommand(app.HelpCommand())
	c.AddGroup(&cobra.Group{ID: "play", Title: "Chats"}, &cobra.Group{ID: "picture", Title: "Pictures and the queue"},
		&cobra.Group{ID: "general", Title: "General"})
	c.SetHelpCommandGroupID("general")
	c.CompletionOptions.DisableDefaultCmd = true
	addGroup(c, "play",
		play.SendCommand(app), play.ChatCommand(app), play.PromptCommand(app), play.VoiceCommand(app),
		play.RegexCommand(app),
		scenes.Command(app), scenes.ClockCommand(app),
		lore.Command(app),
		memory.MemoryCommand(app), memory.HooksCommand(app),
		memory.KnowsCommand(app), memory.AskCommand(app), memory.CorrectCommand(app),
		director.SeriesCommand(app), director.EpisodeCommand(app), director.DirectorCommand(app),
		boards.Command(app, pictures.WriteBatch),
		taste.Command(app),
		library.CharacterCommand(app), library.PersonaCommand(app), library.PresetCommand(app))
	addGroup(c, "picture", pictures.CaptureCommand(app), pictures.WorkflowCommand(app), admin.QueueCommand(app))
	addGroup(c, "general",
		admin.ModelCommand(app), admin.ProfileCommand(app), admin.DoctorCommand(app), admin.BackupCommand(app),
		admin.RestoreCommand(app), admin.LockCommand(app), library.MoveOutCommand(app),
		library.MoveInCommand(app),
		admin.ConfigCommand(app, pictures.ConfigWorkflowsCommand(app)),
		admin.CompletionCommand(app), admin.ManCommand(app, manSections()...), versionCommand(app), serveCommand(app))
	app.SetUpCommands(c, map[string]cli.Completer{
		"BOOK":      lore.Books.Complete,
		"CAMERA":    pictures.Cameras.Complete,
		"CAPTURE":   pictures.CompleteCapture,
		"CHANGE":    lore.Proposals.Complete,
		"CHARACTER": library.Characters.Complete,
		"CHAT":      cli.Chats.Complete,
		"ENTRY":     lore.CompleteEntries,
		"EPISODE":   director.Episodes.Complete,
		"FACT":      pictures.CompleteFact,
		"FROM":      lore.CompleteEntries,
		"INTO":      lore.CompleteEntries,
		"KIND":      admin.Kinds,
		"OPERATION": admin.Operations,
		"PERSONA":   library.Personas.Complete,
		"PRESET":    library.Presets.Complete,
		"PROFILE":   admin.Profiles.Complete,
		"SCRIPT":    play.Scripts.Complete,
		"SERIES":    director.AllSeries.Complete,
		"SHOT":      boards.CompleteShot,
		"WORKFLOW":  pictures.Workflows.Complete,
	})
	return c
}

func addGroup(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.GroupID = group
		root.AddCommand(c)
	}
}
