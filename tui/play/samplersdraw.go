package play

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// head says which model is asked, and whether the chat goes by no preset.
func (p *samplersPane) head(w, _ int) []string {
	words := "model " + look.Within(p.model, 60)
	if !slices.ContainsFunc(p.Items, isChats) {
		words = "this chat: no preset, custom values" + look.Separator + words
	}
	return []string{p.Desk.Look().Dim.Styled(look.Parts(words, w))}
}

func (p *samplersPane) row(v *library.PresetView, _ int) desk.Row {
	r := desk.Row{SignStyle: p.Desk.Look().Accent, Text: v.Name, Right: presetMarks(*v)}
	if v.Chat {
		r.Sign = "✓"
	}
	if n := len(v.Lacks); n > 0 && r.Right == "" {
		r.Right = "lacks " + strconv.Itoa(n)
	}
	return r
}

// whole are lines about a preset with what each value does.
func (p *samplersPane) whole(v *library.PresetView, w int) []string {
	lk, t := p.Desk.Look(), look.Lines{Width: w}
	if v.Why != "" {
		t.Add(lk.Accent, v.Why)
	}
	for _, words := range presetWords(*v) {
		if name, rest, is := strings.Cut(words, ": "); is {
			t.Hang(lk.Base.Styled(look.Within(name, max(8, w/2)))+"  ", lk.Dim, rest)
		} else {
			t.Add(lk.Dim, words)
		}
	}
	return t.Text
}

// detail are lines about a preset with its values alone.
func (p *samplersPane) detail(v *library.PresetView, w int) []string {
	lk, t := p.Desk.Look(), look.Lines{Width: w}
	if v.Why != "" {
		t.Add(lk.Accent, v.Why)
	}
	var values, lacks []string
	for _, s := range house.SamplerValues(*v.Profile) {
		values = append(values, s.Name+" "+look.Within(s.Value, 40))
	}
	if len(values) > 0 {
		t.Add(lk.Base, strings.Join(values, look.Separator))
	}
	for _, l := range v.Lacks {
		lacks = append(lacks, l.Name)
	}
	if len(lacks) > 0 {
		k := p.Desk.Keys().Key(samplersWhy, keys.Pane)
		t.Add(lk.Dim, "not supported by Ollama: "+strings.Join(lacks, ", ")+"; "+k+" shows alternatives")
	}
	if n := len(v.Banned); n > 0 {
		t.Add(lk.Dim, p.Desk.Keys().Key(keys.PaneStop, keys.Pane)+" has the "+look.Plural(n, "phrase")+" that it bans cut here too")
	}
	return t.Text
}
