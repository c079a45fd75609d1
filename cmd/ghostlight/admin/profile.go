package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// profile is a connection profile with the kinds of work that use it.
type profile struct {
	storage.Profile
	Kinds []models.JobKind `json:"kinds"`
	Notes []string         `json:"notes,omitempty"` // what could not be checked when it was saved
}

// Profiles are the connection profiles as commands refer to them.
var Profiles = cli.Noun[profile]{
	Find: findProfile,
	List: func(e *engine.Engine) ([]profile, error) {
		list, _, err := profilesOf(e)
		return list, err
	},
	Called: func(p profile) (id, name string) { return p.Name, p.Name },
	Page: func(out *cli.Page, p profile) {
		shown := p.Profile
		shown.Server = cli.RedactAddress(p.Server)
		cli.Table(out, &models.ProfileFields, &shown)
		var rows [][]string
		for _, k := range p.Kinds {
			rows = append(rows, []string{"used for", string(k)})
		}
		out.Table(rows)
	},
	Delete: func(e *engine.Engine, p profile) error { return e.Models.DeleteProfile(p.Name) },
}

// ProfileCommand returns the command ghostlight profile.
func ProfileCommand(app *cli.App) *cobra.Command {
	c := cli.Group("profile", "models and options for background work",
		app.Command("list", "list the profiles, and which kind of work uses which",
			func(_ context.Context, e *engine.Engine, _ []string) error { return printProfiles(app, e) }),
		Profiles.ShowCommand(app, "show PROFILE", "print a profile"),
		profileSetCommand(app),
		Profiles.DeleteCommand(app, "delete PROFILE", "delete a profile; its work uses the chat's model again"),
		profileAssignCommand(app))
	c.Long = "A profile sets how background work uses a model: server, model, context, answer length and other " +
		"options. Each kind of work (" + strings.Join(
		models.JobNames(),
		", ",
	) + ") can have one; otherwise it uses the chat's model."
	return c
}

// profilesOf returns the profiles and the kinds of work.
func profilesOf(e *engine.Engine) (list []profile, kinds []models.JobInfo, err error) {
	all, kinds, err := e.Models.Profiles()
	for _, p := range all {
		x := profile{Profile: p, Kinds: []models.JobKind{}}
		for _, k := range kinds {
			if k.Profile == p.Name {
				x.Kinds = append(x.Kinds, k.Kind)
			}
		}
		list = append(list, x)
	}
	return list, kinds, err
}

// findProfile finds a profile by its name.
func findProfile(e *engine.Engine, name string) (profile, error) {
	list, _, err := profilesOf(e)
	if err != nil {
		return profile{}, err
	}
	at := slices.IndexFunc(list, func(p profile) bool { return p.Name == name })
	if at < 0 {
		return profile{}, &failure.Missing{Kind: "profile", Ref: name}
	}
	return list[at], nil
}

// profileList is the profiles, and which kind of work uses which.
type profileList struct {
	Profiles []profile        `json:"profiles"`
	Kinds    []models.JobInfo `json:"kinds"`
}

func printProfiles(app *cli.App, e *engine.Engine) error {
	list, kinds, err := profilesOf(e)
	if err != nil {
		return err
	}
	return app.Print(profileList{list, kinds}, func(p *cli.Page) {
		rows := [][]string{}
		for _, f := range list {
			rows = append(
				rows,
				[]string{
					cli.Clip(f.Name, cli.ColumnWidth),
					cli.Clip(cmp.Or(f.Model, "the chat's model"), cli.ColumnWidth),
					cli.RedactAddress(f.Server),
				})
		}
		p.Table(rows)
		if len(list) > 0 {
			p.Line("")
		}
		rows = rows[:0]
		for _, k := range kinds {
			rows = append(rows, []string{string(k.Kind), k.Description,
				cmp.Or(cli.Clip(k.Profile, cli.ColumnWidth), "-")})
		}
		p.Table(rows)
	})
}

func profileAssignCommand(app *cli.App) *cobra.Command {
	c := app.Command("assign KIND PROFILE", "set the profile for a kind of work; - means the chat's model",
		func(_ context.Context, e *engine.Engine, args []string) error {
			kind, name := args[0], args[1]
			if !slices.Contains(models.JobNames(), kind) {
				return cli.UsageError(
					"unknown kind of work " + cli.Quote(kind) + "; use one of " + strings.Join(models.JobNames(), ", "),
				)
			}
			if name == "-" {
				name = ""
			} else if _, err := findProfile(e, name); err != nil {
				return err
			}
			if err := e.Models.AssignProfile(models.JobKind(kind), name); err != nil {
				return err
			}
			return printProfiles(app, e)
		})
	c.Long = "Set the profile for a kind of work; - means the chat's model. The kinds are: " + strings.Join(
		models.JobNames(),
		", ",
	) + "."
	return c
}

// Kinds lists the kinds of work, for completion.
func Kinds(*engine.Engine, []string) []string { return models.JobNames() }

func profileSetCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.Profile]{Record: models.ProfileFields.Without("name"), Shown: profile{}}
	c := app.Command("set PROFILE", "create or change a profile",
		func(ctx context.Context, e *engine.Engine, args []string) error {
			if args[0] == "-" {
				return cli.UsageError("- means no profile; choose a name")
			}
			p, err := findProfile(e, args[0])
			if errors.Is(err, storage.ErrNotFound) {
				p.Profile, err = models.ProfileFields.Default(), nil
				p.Name = args[0]
			}
			if err == nil {
				err = fields.Apply(app, &p.Profile)
			}
			if err != nil {
				return err
			}
			notes, err := e.Models.SaveProfile(ctx, p.Profile)
			if err != nil {
				return err
			}
			app.Notes(notes)
			if p, err = findProfile(e, strings.TrimSpace(p.Name)); err != nil {
				return err
			}
			p.Notes = notes
			return Profiles.Print(app, p)
		})
	c.Long = "Create or change a profile. It is checked against its server if that is online. Options that are not " +
		"set use the chat's values; answers have at most 2048 tokens unless --num-predict says otherwise. " +
		"Set the profile's model with --use-model; --model applies only to this command."
	fields.Add(c)
	return c
}
