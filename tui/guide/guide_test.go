package guide

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPages_AreWhole(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(readme) > 8<<10 {
		t.Errorf("the README has %d bytes: explain parts of the program in the guide", len(readme))
	}
	target := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	names := strings.Fields(order)
	for i, p := range Pages() {
		if i >= len(names) || p.Name != names[i] || p.Title == "" || len(p.Text) < 100 {
			t.Errorf("page %d: %q, %q, %d bytes", i, p.Name, p.Title, len(p.Text))
		}
		if !strings.Contains(string(readme), "(tui/guide/"+p.Name+".md)") {
			t.Errorf("the README does not link to %s", p.Name)
		}
		for _, m := range target.FindAllStringSubmatch(p.Text, -1) {
			if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
				t.Errorf("%s links to %s: %v", p.Name, m[1], err)
			}
		}
		text, err := os.ReadFile(p.Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 80 {
			t.Errorf("%s has %d lines, more than 80: make two pages of it", p.Name, n)
		}
		for l := range strings.Lines(string(text)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(l, "\n")); n > 120 {
				t.Errorf("%s has a line of %d characters, more than 120: %s", p.Name, n, l)
			}
		}
		for l := range strings.Lines(p.PlainText(80)) {
			if strings.HasPrefix(l, "|") || strings.HasPrefix(l, "- ---") {
				t.Errorf("%s: %q is not flat", p.Name, l)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for word, want := range map[string]string{"memory": "memory", "Keys": "keys", "lorebook": "lore", "wrong": "trouble", "": "", "e": "", "nothing like it": ""} {
		if p, ok := Find(word); p.Name != want && ok || ok != (want != "") {
			t.Errorf("%q finds %q (%v)", word, p.Name, ok)
		}
	}
}

// A picture is shown as the frame that it was made of, where there is room, and every
// part of the program has one.
func TestFlat_Frames(t *testing.T) {
	for _, name := range strings.Fields("first-evening keys scenes facts lore stage cast prompt pictures storyboards taste") {
		p, _ := Find(name)
		if wide := p.PlainText(80); strings.Count(wide, "```")%2 != 0 || !strings.Contains(wide, "──") {
			t.Errorf("%s shows no frame of the screen", name)
		}
		if narrow := p.PlainText(36); strings.Contains(narrow, "─────") || strings.Contains(narrow, "![") {
			t.Errorf("%s shows a frame where there is no room", name)
		}
	}
}

func TestFlat_WithoutPictures(t *testing.T) {
	p := Page{Text: "Read this.\n\n![A pane](pictures/nowhere.png)\n\nAnd that."}
	if got, want := p.PlainText(80), "Read this.\n\nAnd that."; got != want {
		t.Errorf("%q", got)
	}
}

func TestFlat(t *testing.T) {
	p := Page{Text: "Read [this](that.md),\nand [more](it.md).\n- a\n  b\n\n| a | b |\n|---|---|\n| `x` | one \\| two |\n| y |  |\n\n```\n| [kept](as.it) |\n```"}
	if got, want := p.PlainText(80), "Read this, and more.\n- a b\n\n- `x`: one | two\n- y\n\n```\n| [kept](as.it) |\n```"; got != want {
		t.Errorf("%s", got)
	}
}

func TestWide_KeepsTables(t *testing.T) {
	p := Page{Text: "Read [this](that.md),\nand more.\n| a | b |\n|---|---|\n| [x](y.md) | one \\| two |\nThe end."}
	if got, want := p.Markdown(80), "Read this, and more.\n| a | b |\n|---|---|\n| x | one \\| two |\nThe end."; got != want {
		t.Errorf("%s", got)
	}
}
