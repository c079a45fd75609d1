package main_test

import (
	"regexp"
	"strings"
	"testing"
)

// What a release puts into its packages is made before it, for every system that vet
// looks at, and what people are told to install is where it is published.
func TestRelease(t *testing.T) {
	config := readFile(t, ".goreleaser.yaml")
	hooks, rest, ok := strings.Cut(config, "\nbuilds:")
	if !ok {
		t.Fatal("nothing is built")
	}
	for _, word := range []string{"-X main.version={{ .Version }}", "goos: [linux, darwin, windows]", "formats: [deb, rpm, apk]", "homebrew_casks:", "aurs:", "formats: [zip]", "./cmd/ghostlight"} {
		if !strings.Contains(rest, word) {
			t.Errorf("the release has no %q", word)
		}
	}
	for _, file := range regexp.MustCompile(`build/[\w./]*\w`).FindAllString(rest, -1) {
		if !strings.Contains(hooks, "> "+file) && file != "build/completions" {
			t.Errorf("nothing makes %s", file)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if !strings.Contains(hooks, "completion "+shell+" >") {
			t.Errorf("no completions for %s", shell)
		}
	}
	for _, files := range []string{"tui/guide/*.md", "tui/guide/pictures/*"} { // guide/**/* has no pages: GoReleaser wants a folder for it
		if !strings.Contains(rest, files) {
			t.Errorf("the archives have no %s", files)
		}
	}
	ci := readFile(t, ".ci/run")
	for _, system := range []string{"windows", "darwin"} {
		if !strings.Contains(ci, "\n\tcross "+system+"/") {
			t.Errorf("vet does not look at %s", system)
		}
	}
	if !strings.Contains(ci, "vet release") {
		t.Error("CI makes no release")
	}
	install := regexp.MustCompile(`go install (github\.com/([^/]+)/([^/]+))/cmd/ghostlight@latest`).FindStringSubmatch(readFile(t, "README.md"))
	if install == nil {
		t.Fatal("the README does not say how to install a release with Go")
	}
	if at := "github: { owner: " + install[2] + ", name: " + install[3] + " }"; !strings.Contains(config, at) {
		t.Errorf("the release is not published where the README installs it from: %s", at)
	}
	if m := regexp.MustCompile(`(?m)^module (\S+)`).FindStringSubmatch(readFile(t, "go.mod")); m == nil || m[1] != install[1] {
		t.Errorf("the module is %s, the README installs %s", m[1], install[1])
	}
}
