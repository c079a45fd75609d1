package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// VoiceCommand returns the command ghostlight voice.
func VoiceCommand(app *cli.App) *cobra.Command {
	c := &cobra.Command{Use: "voice", Short: "banned phrases and other reply checks",
		Long: "Replies are checked while they stream; unwanted text is cut, and the model continues from there. See " +
			"ghostlight help guide voice."}
	c.AddCommand(voiceShow(app), voiceSet(app), voicePhrases(app),
		voiceChange(app, "ban", "ban PHRASE in all chats", banForGood),
		voiceChange(app, "allow", "always allow PHRASE", allowForEver))
	return c
}

func voiceShow(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "show CHAT", "show the reply checks of a chat, and what was filtered",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
			return printVoice(app, e, chat.ID)
		})
}

func voiceSet(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "set CHAT NAME VALUE", "change reply checks or reply length for one chat",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			if err := e.Play.SetVoice(chat.ID, map[string]string{args[0]: args[1]}); err != nil {
				return err
			}
			return printVoice(app, e, chat.ID)
		})
	c.Long = "Override the settings for one chat. NAME is a phrase list (" + strings.Join(play.VoiceSets(), ", ") +
		", or a file NAME.txt in the folder phrases next to the config file), a check (" +
		strings.Join(play.VoiceChecks(), ", ") + "), or length. VALUE is on or off, or for length any, " +
		strings.Join(config.Lengths(), ", ") + "; the VALUE default uses the settings."
	return c
}

func printVoice(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	v, err := e.Play.Voice(chat)
	if err != nil {
		return err
	}
	return app.Print(v, func(p *cli.Page) {
		p.Linef("length: %s (%s)", v.Length, v.LengthSource)
		var rows [][]string
		for _, s := range slices.Concat(v.Watch, v.Sets) {
			var words []string
			if s.Rules > 0 {
				words = append(words, cli.Plural(s.Rules, "phrase", "phrases"))
			}
			if len(s.Faults) > 0 {
				words = append(words, fmt.Sprintf("%d cannot be used: %s", len(s.Faults), cli.OneLine(s.Faults[0])))
			}
			rows = append(rows, []string{s.Name, map[bool]string{true: "on", false: "off"}[s.On], s.Source,
				strings.Join(words, "; ")})
		}
		p.Table(rows)
		if len(v.Replies) == 0 {
			p.Line("Nothing was filtered in the last replies.")
		}
		for _, r := range v.Replies {
			p.Linef("%s: %d backtracks, about %d tokens discarded, %d ms until the next token", r.Message, r.Backtracks,
				r.RejectedTokens, r.BacktrackMS)
			var rows [][]string
			for _, x := range r.Rejected {
				rows = append(rows, []string{"  " + x.Kind, x.Set, cli.Clip(cli.OneLine(x.Text), 60), rejectedWords(x)})
			}
			p.Table(rows)
		}
	})
}

// rejectedWords say what became of something that was rejected.
func rejectedWords(x storage.Rejected) string {
	switch {
	case x.Allowed:
		return "kept"
	case x.Ended:
		return "the reply ends there"
	case x.Tries > 1:
		return fmt.Sprintf("%d tries", x.Tries)
	}
	return ""
}

func voicePhrases(app *cli.App) *cobra.Command {
	c := &cobra.Command{Use: "phrases LIST", Short: "print a built-in list of phrases: de, en, es, fr or role"}
	c.RunE = app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
		list, err := play.VoicePhrases(args[0])
		if err != nil {
			return err
		}
		return app.Print(map[string]any{"set": args[0], "phrases": list}, func(p *cli.Page) {
			for _, text := range list {
				p.Line(text)
			}
		})
	})
	return c
}

// voiceChange returns a command that changes the user's own lists.
func voiceChange(app *cli.App, name, short string,
	change func(app *cli.App, v config.Voice, phrase string) (string, error)) *cobra.Command {
	c := &cobra.Command{Use: name + " PHRASE", Short: short,
		Long: strings.ToUpper(short[:1]) + short[1:] + ". Between slashes PHRASE is a regular expression."}
	c.RunE = app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
		phrase := strings.TrimSpace(args[0])
		if err := voice.Check(phrase); err != nil {
			return cli.UsageError(err.Error())
		}
		words, err := change(app, app.Settings.Voice.Config(), phrase)
		if err != nil {
			return err
		}
		now := app.Settings.Voice.Config()
		doc := map[string]any{"changed": words, "phrases": now.Phrases, "allowed": now.Allowed}
		return app.Print(doc, func(p *cli.Page) { p.Line(words) })
	})
	return c
}

func banForGood(app *cli.App, v config.Voice, phrase string) (string, error) {
	value, added := v.Ban(phrase)
	if len(v.Allowed) > 0 {
		if _, err := app.SetSetting(config.SettingAllowed, v.Disallow(phrase)); err != nil {
			return "", err
		}
	}
	if !added {
		return cli.Quote(phrase) + " is already banned", nil
	}
	_, err := app.SetSetting(config.SettingPhrases, value)
	return cli.Quote(phrase) + " is now banned", err
}

func allowForEver(app *cli.App, v config.Voice, phrase string) (string, error) {
	if value := v.Allow(phrase); len(v.Phrases) > 0 {
		if _, err := app.SetSetting(config.SettingPhrases, value); err != nil {
			return "", err
		}
	}
	value, added := v.AllowForEver(phrase)
	if !added {
		return cli.Quote(phrase) + " is already allowed", nil
	}
	_, err := app.SetSetting(config.SettingAllowed, value)
	return cli.Quote(phrase) + " is now allowed", err
}
