package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The fields of a profile's form, in their order.
const (
	profileName = iota
	profileServer
	profileModel
	profileNumCtx
	profileNumPredict
	profileTemperature
	profileTopP
	profileTopK
	profileMinP
	profileRepeat
	profileMore
	profileSeed
	profileStop
	profileThink
	profilePrefill
)

// thinkWords are what the form calls thinking: open, and the values of storage.Thinking.
var thinkWords = []string{"model default", "on", "off", "low", "medium", "high"}

// edit lets the user write a new profile, or rewrite one. It stays open
// until the profile was checked, against its server too, and stored.
func (l *profileList) edit(p storage.Profile) tea.Cmd {
	title := "New profile"
	if p.Name != "" {
		title = "Profile " + draw.Within(p.Name, 40)
	}
	f := widget.Form{Title: title, Fields: profileFields(l.Host.Styles(), p)}
	f.Keys = []keys.Action{{Name: keys.DialogBrowse, Hint: "models", Do: func() tea.Cmd { return l.pickModel(f.Fields) }}}
	k := pane.NewKeptForm(l.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, err := profileOf(f.Fields)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) { return l.keep(p.Name, n) }, nil
	})
	k.BusyWords = "connecting …"
	l.Host.Open(k)
	return nil
}

// keep stores a profile, away from the screen's goroutine. One with
// another name than before takes the old one's place.
func (l *profileList) keep(before string, p storage.Profile) (func() tea.Cmd, error) {
	notes, err := l.Host.Engine().House.RewriteProfile(l.Host.Context(), before, p)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		words, level := "saved "+draw.Within(p.Name, 40), event.Info
		if len(notes) > 0 {
			words, level = strings.Join(notes, "; "), event.Warning
		}
		l.Wish = (&profileRow{profile: p}).key()
		return tea.Batch(l.Read(), l.Host.Say(level, words))
	}, nil
}

// profileFields are the fields of a profile's form, in their order.
func profileFields(sty *draw.Styles, p storage.Profile) []*widget.Field {
	whole := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	var stops []string
	for _, s := range p.Stop {
		stops = append(stops, escaped(s))
	}
	const own = "empty: same as the chat"
	return []*widget.Field{
		widget.LineField(sty, "Name", p.Name, "for example: small and fast"),
		widget.LineField(sty, "Server", p.Server, "empty: same as chats, or http://host:11434"),
		widget.LineField(sty, "Model", p.Model, "empty: the chat's model"),
		widget.LineField(sty, "num_ctx", whole(p.NumCtx), own),
		widget.LineField(sty, "num_predict", whole(p.NumPredict), "max tokens per answer, for example 2048"),
		widget.LineField(sty, "temperature", pane.FloatText(p.Temperature), own),
		widget.LineField(sty, "top_p", pane.FloatText(p.TopP), own),
		widget.LineField(sty, "top_k", pane.IntText(p.TopK), own),
		widget.LineField(sty, "min_p", pane.FloatText(p.MinP), own),
		widget.LineField(sty, "repeat_pen.", pane.FloatText(p.RepeatPen), own),
		widget.LineField(sty, "More", moreText(p), "for example: presence_penalty 0.2, repeat_last_n 256"),
		widget.LineField(sty, "seed", pane.IntText(p.Seed), "empty: random"),
		widget.TextField(sty, "Stop texts, one per line (\\n is a line break)", strings.Join(stops, "\n"), 2),
		widget.PickField("Thinking", cmp.Or(string(p.Think), thinkWords[0]), thinkWords),
		widget.LineField(sty, "Prefill", escaped(p.Prefill), "start of the answer"),
	}
}

// profileOf is the profile that the fields say, or what is wrong with them.
func profileOf(fields []*widget.Field) (storage.Profile, error) {
	text := func(i int) string { return strings.TrimSpace(fields[i].Value()) }
	p := storage.Profile{Name: text(profileName), Server: text(profileServer), Model: text(profileModel)}
	if p.Name == "" {
		return p, pane.ErrNeedsName
	}
	var faults []error
	whole := func(i int) *int {
		if text(i) == "" {
			return nil
		}
		n, err := strconv.Atoi(text(i))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s must be a whole number, or empty", fields[i].Label))
		}
		return &n
	}
	number := func(i int) *float64 {
		if text(i) == "" {
			return nil
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(text(i), ",", "."), 64)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s must be a number such as 0.7, or empty", fields[i].Label))
		}
		return &v
	}
	if n := whole(profileNumCtx); n != nil {
		p.NumCtx = *n
	}
	if n := whole(profileNumPredict); n != nil {
		p.NumPredict = *n
	}
	p.Temperature, p.TopP, p.TopK = number(profileTemperature), number(profileTopP), whole(profileTopK)
	p.MinP, p.RepeatPen, p.Seed = number(profileMinP), number(profileRepeat), whole(profileSeed)
	if err := setMore(&p, text(profileMore)); err != nil {
		faults = append(faults, err)
	}
	for line := range strings.SplitSeq(fields[profileStop].Value(), "\n") {
		if line != "" {
			p.Stop = append(p.Stop, unescaped(line))
		}
	}
	if i := fields[profileThink].Chosen; i > 0 {
		p.Think = storage.Thinking(thinkWords[i])
	}
	p.Prefill = unescaped(fields[profilePrefill].Value())
	if len(faults) > 0 {
		return p, faults[0]
	}
	return p, nil
}

// moreSamplers are what seldom is said, in one line of the form.
var moreSamplers = []string{"typical_p", "repeat_last_n", "presence_penalty", "frequency_penalty"}

// moreText is what a profile says of moreSamplers: names with their values.
func moreText(p storage.Profile) string {
	var parts []string
	for _, name := range moreSamplers {
		if v := house.SamplingText(p, name); v != "" {
			parts = append(parts, name+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// setMore reads what moreText writes.
func setMore(p *storage.Profile, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch {
		case name == "":
			continue
		case !slices.Contains(moreSamplers, name) || strings.TrimSpace(value) == "":
			return fmt.Errorf("enter %s, each followed by a number, separated by commas", strings.Join(moreSamplers, ", "))
		}
		if err := house.SetSampling(p, name, value); err != nil {
			return err
		}
	}
	return nil
}

// escaped is a text in a line of a form: line breaks as \n.
func escaped(s string) string { return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s) }

// unescaped is a text with the line breaks that a line of a form writes as \n.
func unescaped(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(s)
}

// pickModel offers the models of the server for the form's field.
func (l *profileList) pickModel(fields []*widget.Field) tea.Cmd {
	if server := strings.TrimSpace(fields[profileServer].Value()); server != "" && server != l.Host.Work().Servers().Ollama.URL {
		return l.Host.Say(event.Info, "models on another server cannot be listed here; type the name, it is checked when you save")
	}
	if s := l.Host.Work().Servers().Ollama; !s.Up || len(s.Models) == 0 {
		return l.Host.Say(event.Info, "the server is offline or has no models; type the name")
	}
	entries := []widget.Entry{{Title: "(same as the chat)", Value: ""}}
	at := 0
	for _, m := range l.Host.Work().Servers().Ollama.Models {
		if m.Name == fields[profileModel].Value() {
			at = len(entries)
		}
		entries = append(entries, widget.Entry{Title: m.Name, Detail: strings.TrimSpace(m.ParameterSize + " " + m.Quantization), Right: draw.Size(m.Size), Value: m.Name})
	}
	p := widget.NewPicker(l.Host.Styles(), "Model of this profile", entries, func(e widget.Entry) tea.Cmd {
		fields[profileModel].Input.Area.SetValue(safetext.Line(e.Value.(string)))
		return nil
	})
	p.At = at
	l.Host.Open(p)
	return nil
}
