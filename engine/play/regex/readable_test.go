package regex_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
)

func TestReadable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"no HTML":            {"She looks <at the door> & sighs.\n\n\n\n*Hm.*", "She looks <at the door> & sighs.\n\n\n\n*Hm.*"},
		"words in brackets":  {"<b>Mara</b> opens <the door> <Jonas>.", "**Mara** opens <the door> <Jonas>."},
		"status bar":         {"Hi.\n\n<div style=\"color:red\"><span>HP: 10</span><br>MP: 3</div>\n\nBye.", "Hi.\n\nHP: 10\nMP: 3\n\nBye."},
		"hidden":             {"One.<div style=\"Display : NONE\">secret <div>more</div> plan</div><span hidden>x</span> Two.", "One. Two."},
		"styles and scripts": {"<style>p{color:red}</style><p>Text</p><script>alert('<p>')</script>", "Text"},
		"comment":            {"A<!-- note -->B", "AB"},
		"fenced page":        {"Look:\n```html\n<!DOCTYPE html><html><head><title>t</title></head><body><h1>Phone</h1><p>12:30</p></body></html>\n```\nWell?", "Look:\nPhone\n12:30\nWell?"},
		"code stays":         {"Write `<b>x</b>`:\n```js\nlet a = \"<b>\"\n```\n<i>ok</i>", "Write `<b>x</b>`:\n```js\nlet a = \"<b>\"\n```\n*ok*"},
		"only a picture":     {"<div><svg></svg></div>", "<div><svg></svg></div>"},
		"an image":           {"<img src=x onerror=y>Hello", "Hello"},
		"never closed":       {"<div>Open", "Open"},
		"a broken heart":     {"<b>Oh</b> </3 she says, <i>softly</i>.", "**Oh** </3 she says, <i>softly*."},
		"a tag without end":  {"<b>Hi</b> she says <and then", "**Hi** she says <and then"},
		"hidden to the end":  {"<b>Hi</b> <style>she says", "**Hi** <style>she says"},
		"a page of its own":  {"<!DOCTYPE html><p>Text</p>", "Text"},
		"hidden in a page":   {"```html\n<div>One<p style=\"display:none\">secret</p></div>\n```", "One"},
		"cells":              {"<table><tr><td>HP</td><td>9</td></tr><tr><td>MP</td><td>1</td></tr></table>", "HP 9\nMP 1"},
		"less than":          {"if 3 < 4 and <br> 5 > 2", "if 3 < 4 and \n 5 > 2"},
	} {
		if got := regex.Readable(c.in); got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("<div style='display:none'>a</div><b>c ```html\n<p>x``` `<i>`")
	f.Fuzz(func(t *testing.T, text string) {
		if got := regex.Readable(text); text != "" && got == "" {
			t.Errorf("nothing is left of %q", text)
		}
	})
}
