package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
)

// ConfigCommand returns the command ghostlight config. workflows is its subcommand about workflows,
// which another package makes.
func ConfigCommand(app *cli.App, workflows *cobra.Command) *cobra.Command {
	return cli.Group("config", "show, change and check the settings", configPathCommand(app), configShowCommand(app),
		configListCommand(app), configSetCommand(app), configUnsetCommand(app), configReloadCommand(app),
		configCheckCommand(app), configPromptsCommand(app), workflows)
}

func configPathCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "path", Short: "print where everything is stored",
		RunE: func(*cobra.Command, []string) error {
			if err := app.FindDirs(); err != nil { // also with a broken file
				return err
			}
			list := [][]string{{"config", app.Dirs.File}, {"data", app.Dirs.Data}, {"log", app.Dirs.LogFile()},
				{"prompts", app.ConfigDir("prompts")},
				{"phrases", app.ConfigDir("phrases")}, {"themes", app.ConfigDir("themes")},
				{"workflows", app.ConfigDir("workflows")}}
			doc := map[string]string{}
			for _, row := range list {
				doc[row[0]] = row[1]
			}
			return app.Print(doc, func(p *cli.Page) { p.Table(list) })
		}}
}

func configShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show", Short: "print the current settings as a config file",
		RunE: app.WithoutEngine(func(context.Context, *cobra.Command, []string) error {
			s := app.SettingsInForce().Shown()
			text, err := toml.Marshal(s)
			if err != nil {
				return err
			}
			list, err := app.SettingList()
			if err != nil {
				return err
			}
			return app.Print(shownSettings{s, list}, func(p *cli.Page) { p.Text(string(text)) })
		})}
}

// shownSettings are the settings in force, and what there is to say of each.
type shownSettings struct {
	settings.Settings
	List []config.Setting `json:"settings"`
}

func configListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list [WORD]", Short: "list the settings with values, sources and descriptions",
		Long: "List the settings with their values, sources and descriptions: all, or those that contain WORD.",
		RunE: app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
			all, err := app.SettingList()
			if err != nil {
				return err
			}
			list := []config.Setting{}
			for _, s := range all {
				if len(args) == 0 || strings.Contains(strings.ToLower(s.Name+" "+s.Purpose), strings.ToLower(args[0])) {
					list = append(list, s)
				}
			}
			return app.Print(map[string]any{"settings": list}, func(p *cli.Page) {
				rows := [][]string{}
				for _, s := range list {
					rows = append(rows, []string{s.Name, cli.Clip(cli.OneLine(cmp.Or(s.Value, "-")), cli.ColumnWidth),
						string(s.Source), s.Purpose})
				}
				p.Table(rows)
			})
		})}
}

func configSetCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "set KEY VALUE", Short: "write a setting into the config file",
		Long: "Write a setting into the config file. Everything else, including comments, is kept; invalid values " +
			"are rejected. Separate list items with commas. An open program uses it immediately.",
		Example: "ghostlight config set ollama.temperature 0.7\nghostlight config set keys.capture f12,ctrl+g",
		RunE: app.WithoutEngine(func(ctx context.Context, _ *cobra.Command, args []string) error {
			if action, ok := strings.CutPrefix(args[0], "keys."); ok {
				if _, faults := tui.Keys(map[string][]string{action: splitKeyNames(args[1])}); len(faults) > 0 {
					return faults[0]
				}
			}
			if args[0] == "ui.theme" {
				set, _ := themes.Load(app.ConfigDir("themes")) // config check reports the errors of the others
				if err := checkTheme(set, args[1]); err != nil {
					return err
				}
			}
			s, err := app.SetSetting(args[0], args[1])
			return printSetting(ctx, app, s, err)
		})}
}

// checkTheme refuses a name that no theme has; "" is the default.
func checkTheme(set themes.Set, name string) error {
	if _, ok := set.Find(name); name == "" || ok {
		return nil
	}
	return fmt.Errorf("ui.theme: unknown theme %q; use one of %s", name, strings.Join(set.Names(), ", "))
}

func splitKeyNames(list string) (out []string) {
	for k := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		if k = strings.Trim(strings.TrimSpace(k), `"`); k != "" {
			out = append(out, k)
		}
	}
	return out
}

func configUnsetCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "unset KEY", Short: "remove a setting from the config file, so the default is used",
		RunE: app.WithoutEngine(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := app.UnsetSetting(args[0])
			return printSetting(ctx, app, s, err)
		})}
}

func configReloadCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "reload", Short: "make the open program reload the config file",
		Long: "Make the open program reload the config file after you have changed it in an editor. Some settings " +
			"need a restart; config list shows which.",
		RunE: app.RunOrDelegate(func(context.Context, *cobra.Command, []string) error {
			open, changed := app.IsInside(), []string(nil)
			if open {
				var err error
				if changed, err = app.Reload(); err != nil {
					return err
				}
			}
			return app.Print(map[string]any{"open": open, "changed": changed}, func(p *cli.Page) {
				switch {
				case !open:
					p.Line("no program is open: the config file will be read at the next start")
				case len(changed) == 0:
					p.Line("no settings have changed")
				}
				for _, name := range changed {
					p.Line(name)
				}
			})
		})}
}

// printSetting prints a setting that was written, and has an open program reload its settings.
func printSetting(ctx context.Context, app *cli.App, s config.Setting, err error) error {
	if err != nil {
		return err
	}
	app.ReloadOpenProgram(ctx)
	return app.Print(s, func(p *cli.Page) {
		p.Linef("%s = %s  (%s)", s.Name, cmp.Or(cli.OneLine(s.Value), "-"),
			cmp.Or(string(s.Source), string(config.FromDefault)))
	})
}

func configCheckCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "check", Short: "check the config file, prompts, themes and workflows",
		// A broken config file fails before this.
		RunE: app.WithoutEngine(func(_ context.Context, c *cobra.Command, _ []string) error {
			app.NoteOutdated()
			_, found := tui.Keys(app.Settings.Keys)
			for _, a := range app.BadAddresses() {
				found = append(found, fmt.Errorf("%s: %w", app.Dirs.File, a.Check()))
			}
			for _, f := range tui.CheckQuickReplies(app.Settings.QuickReplies(), app.Settings.Keys) {
				found = append(found, f)
			}
			_, errs := prompts.Load(app.ConfigDir("prompts"))
			found = append(found, errs...)
			set, errs := themes.Load(app.ConfigDir("themes"))
			found = append(found, errs...)
			if err := checkTheme(set, app.Settings.UI.Theme); err != nil {
				found = append(found, err)
			}
			_, errs = app.UsableWorkflows(c.CommandPath())
			words := cli.ErrorTexts(append(found, errs...))
			var fault error
			doc := struct {
				Faults []string `json:"faults"`
				Error  string   `json:"error,omitempty"`
			}{Faults: words}
			if len(words) > 0 {
				fault = settings.Faults(words)
				doc.Error = fault.Error()
			}
			if app.JSON || fault == nil {
				if err := app.Print(doc, func(p *cli.Page) { p.Line("no problems found") }); err != nil {
					return err
				}
			}
			return fault
		})}
}

func configPromptsCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "prompts [NAME]", Short: "list the prompt files, or print the one in use",
		RunE: app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
			set, faults := prompts.Load(app.ConfigDir("prompts"))
			list := set.Names()
			if len(args) == 0 {
				app.Notes(cli.ErrorTexts(faults))
				return app.Print(promptFiles{list, cli.ErrorTexts(faults)}, func(p *cli.Page) {
					rows := [][]string{}
					for _, f := range list {
						rows = append(rows, []string{f.Name, f.Source})
					}
					p.Table(rows)
				})
			}
			for _, f := range list {
				if f.Name == args[0] {
					text := set.Text(f.Name)
					return app.Print(map[string]string{"name": f.Name, "source": f.Source, "text": text},
						func(p *cli.Page) { p.Line(strings.TrimRight(text, "\n")) })
				}
			}
			return fmt.Errorf("there is no prompt file %q", args[0])
		})}
}
