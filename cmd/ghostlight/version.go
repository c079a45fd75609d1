package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
}

func thisBuild() build {
	b := build{Version: version}
	info, ok := debug.ReadBuildInfo()
	if ok {
		b.Go = info.GoVersion
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "development"
	}
	return b
}

func printVersion(app *cli.App) error {
	b := thisBuild()
	return app.Print(b, func(p *cli.Page) {
		p.Line("ghostlight " + b.Version)
		if b.Commit != "" {
			p.Line("commit " + b.Commit)
		}
		p.Line(b.Go)
	})
}

func versionCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print the version",
		RunE: func(*cobra.Command, []string) error { return printVersion(app) }}
}
