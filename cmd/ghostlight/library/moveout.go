package library

import (
	"context"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
)

// withoutSecrets returns the settings without secrets.
func withoutSecrets(s settings.Settings) settings.Settings {
	s.Ollama.Headers, s.ComfyUI.Headers = []string{}, []string{}
	s.ComfyUI.APIKey = ""
	return s
}

// MoveOutCommand returns ghostlight move-out.
func MoveOutCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "move-out DIR", Short: "export everything into a new folder, in open formats",
		Long: "Export everything into a new or empty folder, in open formats: characters, chats with all branches, " +
			"lorebooks, personas, pictures, storyboards, profiles and settings. The folder layout is that of " +
			"SillyTavern. Nothing is deleted. Ctrl+c stops it; files written so far are complete.",
		RunE: app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
			text, err := toml.Marshal(withoutSecrets(app.SettingsInForce()))
			if err != nil {
				return err
			}
			got, err := e.Library.MoveOut(ctx, app.Path(args[0]), text, func(what string) {
				if !app.JSON {
					app.Note("writing %s …", what)
				}
			})
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("stopped after %d files in %s, all complete: %w", got.Files, got.Path, err)
			}
			if err != nil {
				return err
			}
			app.WarnUnencrypted()
			return app.Print(got, func(p *cli.Page) {
				p.Line(got.Path)
				p.Linef("%d files: %d characters, %d chats with %d more branches, %d lorebooks, %d personas, "+
					"%d pictures, %d storyboards, %d profiles, %d presets, %d regex scripts",
					got.Files, got.Characters, got.Chats, got.Branches, got.Lorebooks, got.Personas,
					got.Pictures, got.Storyboards, got.Profiles, got.Presets, got.Scripts)
				for _, l := range got.Left {
					p.Linef("skipped: %s", cli.OneLine(l))
				}
			})
		})}
}
