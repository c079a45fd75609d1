package play

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func habitsCommand(app *cli.App) *cobra.Command {
	var last int
	var ban, advise string
	var c *cobra.Command
	c = cli.Chats.Act(app, "habits CHAT", "list phrases that the model repeats in a chat",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
			v, err := e.Play.Habits(chat.ID, last)
			if err != nil {
				return err
			}
			changed := "" // a message about the change, "" for none
			if c.Flags().Changed("ban") {
				if changed, err = banPhrase(app, &v, ban); err != nil {
					return err
				}
			}
			if c.Flags().Changed("advise") {
				line, err := adviseHabit(e, v, advise)
				if err != nil {
					return err
				}
				changed = strings.TrimSpace(changed + "\n" + line)
			}
			doc := struct {
				play.HabitsView
				Changed string `json:"changed"`
			}{v, changed}
			return app.Print(doc, func(p *cli.Page) {
				if changed != "" {
					p.Line(changed)
					return
				}
				printHabits(p, v)
			})
		})
	c.Long = "List what the model repeats in the last replies of a chat: how they begin and end, repeated phrases, " +
		"words and adverbs, sentence length and share of dialogue; each with the number of replies. --ban adds a " +
		"phrase to your banned phrases (voice.phrases), --advise adds advice about a HABIT from the list to the " +
		"author's note."
	c.Flags().IntVar(&last, "last", habits.DefaultWindow, "check the last `N` replies")
	c.Flags().StringVar(&ban, "ban", "", "ban `PHRASE`")
	c.Flags().StringVar(&advise, "advise", "", "add advice about `HABIT` to the author's note")
	return c
}

// banPhrase adds a phrase to the user's own list of banned phrases, and returns a message for the
// user.
func banPhrase(app *cli.App, v *play.HabitsView, phrase string) (string, error) {
	value, added := config.Voice{Phrases: v.Banned}.Ban(phrase)
	switch {
	case strings.TrimSpace(phrase) == "":
		return "", cli.UsageError("--ban needs a phrase")
	case !added:
		return cli.Quote(phrase) + " is already banned", nil
	}
	if _, err := app.SetSetting(config.SettingPhrases, value); err != nil {
		return "", err
	}
	v.Banned = append(v.Banned, strings.TrimSpace(phrase))
	return cli.Quote(phrase) + " is now banned", nil
}

// adviseHabit adds a line about a habit to the author's note, and returns a message for the user.
func adviseHabit(e *engine.Engine, v play.HabitsView, text string) (string, error) {
	for _, g := range v.Groups {
		for _, it := range g.Items {
			if !strings.EqualFold(it.Text, strings.TrimSpace(text)) {
				continue
			}
			line := habits.Advice(g.Kind, it)
			added, err := e.Play.AddNoteLine(v.Chat, line)
			if err == nil && !added {
				return "The author's note already says: " + cli.OneLine(line), nil
			}
			return "The author's note is now: " + cli.OneLine(line), err
		}
	}
	return "", fmt.Errorf("%s is not a habit in the last %d replies; ghostlight chat habits %s lists the habits",
		cli.Quote(text), v.Replies, v.Chat)
}

func printHabits(p *cli.Page, v play.HabitsView) {
	if v.Replies == 0 {
		p.Line("There are no replies in this chat yet.")
		return
	}
	f := v.Figures
	p.Linef("%d replies, %.0f words each (%d to %d); %.1f words a sentence, %.0f %% dialogue",
		v.Replies, f.PerReply, f.Shortest, f.Longest, f.Sentence, 100*f.Speech)
	for _, g := range v.Groups {
		if len(g.Items) == 0 {
			continue
		}
		p.Line("")
		p.Line(string(g.Kind) + ":")
		var rows [][]string
		for _, it := range g.Items {
			rows = append(rows, []string{"  " + cli.OneLine(it.Text),
				fmt.Sprintf("%d of %d", len(it.Messages), v.Replies)})
		}
		p.Table(rows)
	}
}
