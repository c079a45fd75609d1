package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The bounds of settings. Beyond them lie slips of the pen and what no server
// takes.
const (
	maxContext = 1 << 20
	maxSeconds = 24 * 60 * 60
)

// outdated are settings of earlier versions, and what counts in their place.
var outdated = map[string]string{
	"ollama.silence":    "ollama.give_up_after",
	"ollama.think_time": "ollama.give_up_after",
	"ollama.reply_time": "ollama.give_up_after",
	"voice.role":        "voice.sets",
	"taste.stats":       "always on for the budget of a storyboard",

	"comfyui.verify_unload":       "part of comfyui.unload_ollama",
	"comfyui.hold_language_model": "part of comfyui.unload_ollama",
	"comfyui.warm_after":          "prompt.warm_up",
}

// OutdatedWords describes in one sentence the settings of the file that are no longer used, with
// their replacements; "" if there are none.
func (s Settings) OutdatedWords() string {
	if len(s.Outdated) == 0 {
		return ""
	}
	var instead []string
	for _, name := range s.Outdated {
		if !slices.Contains(instead, outdated[name]) {
			instead = append(instead, outdated[name])
		}
	}
	return fmt.Sprintf("the config file has settings that are no longer used (%s); replaced by: %s. Remove with: "+
		"`ghostlight config unset %s`",
		strings.Join(s.Outdated, ", "), strings.Join(instead, ", "), s.Outdated[0])
}

// Faults is a list of errors, printed one per line.
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

// parse reads settings strictly: an unknown setting is an error, because it is usually a typing
// mistake.
func parse(name string, data []byte) (s Settings, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with it
	err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&s)
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var list Faults
		for _, e := range unknown.Errors {
			key := strings.Join(e.Key(), ".")
			if _, ok := outdated[key]; ok {
				s.Outdated = append(s.Outdated, key)
				continue
			}
			row, col := e.Position()
			list = append(list, fmt.Sprintf("%s:%d:%d: unknown setting %s", name, row, col, key))
		}
		if len(list) > 0 {
			return s, list
		}
	case errors.As(err, &bad):
		row, col := bad.Position()
		return s, fmt.Errorf("%s:%d:%d: %s", name, row, col, typeErrorText(bad))
	case err != nil:
		return s, fmt.Errorf("%s: %w", name, err)
	}
	err = s.check()
	var wrong settingError
	if errors.As(err, &wrong) {
		if row, col, ok := position(data, wrong.key); ok {
			return s, fmt.Errorf("%s:%d:%d: %w", name, row, col, err)
		}
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// typeErrorText returns the error about a value of the wrong type. The library's text names Go
// types, which mean nothing to a user.
func typeErrorText(bad *toml.DecodeError) string {
	text := strings.TrimPrefix(bad.Error(), "toml: ")
	given, into, found := strings.Cut(strings.TrimPrefix(text, "cannot decode TOML "), " into ")
	if kind, ok := strings.CutPrefix(text, "cannot store a table in a "); ok {
		given, into, found = "table", kind, true
	} else if kind, ok := strings.CutPrefix(text, "cannot store an array table in a "); ok {
		given, into, found = "array", kind, true
	}
	if !found {
		return text
	}
	if at := strings.LastIndex(into, " of type "); at >= 0 {
		into = into[at+len(" of type "):]
	}
	wanted, ok := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false",
		"string":   "text",
		"[]string": "a list"}[into]
	if !ok {
		wanted = "a section"
	}
	is, ok := map[string]string{"string": "text", "integer": "a whole number", "float": "a number with a fraction",
		"boolean": "true or false",
		"array":   "a list", "table": "a section", "inline table": "a section"}[given]
	if !ok {
		is = "a date or time"
	}
	return fmt.Sprintf("%s must be %s, not %s", strings.Join(bad.Key(), "."), wanted, is)
}

// settingError is a setting whose value no part of the program could use.
type settingError struct{ key, words string }

func (b settingError) Error() string { return b.key + " " + b.words }

func refuse(key, format string, args ...any) error {
	return settingError{key, fmt.Sprintf(format, args...)}
}

// check looks for values that no part of the program could use. Addresses are
// looked at when a server is asked; see address.
func (s Settings) check() error {
	if err := cmp.Or(s.checkAddresses(), checkHeaders("ollama.headers", s.Ollama.Headers),
		checkHeaders("comfyui.headers", s.ComfyUI.Headers)); err != nil {
		return err
	}
	if err := config.CheckKey(s.ComfyUI.APIKey); err != nil {
		return refuse("comfyui.api_key", "%v", err)
	}
	for _, part := range []func() error{s.Ollama.check, s.Scenes.check, s.Memory.check, s.Lore.check, s.Director.check,
		s.Voice.check, s.Prompt.check, s.Queue.check} {
		if err := part(); err != nil {
			return err
		}
	}
	context := orDefault(s.Ollama.NumCtx, config.DefaultContext)
	switch {
	case s.Memory.Budget != nil && *s.Memory.Budget >= context:
		return refuse("memory.budget", "(%d) must be smaller than ollama.num_ctx (%d)", *s.Memory.Budget, context)
	case s.ComfyUI.TimeoutSeconds < 0 || s.ComfyUI.TimeoutSeconds > maxSeconds:
		return refuse("comfyui.timeout_seconds", "must be from 0 to %d, a day, not %d", maxSeconds,
			s.ComfyUI.TimeoutSeconds)
	}
	if _, err := config.LockAfter(s.UI.LockAfter); err != nil {
		return refuse("ui.lock_after", "%v", err)
	}
	return cmp.Or(oneOf("ui.dark", s.UI.Dark), oneOf("ui.images", s.UI.Images))
}

func (o Ollama) check() error {
	if _, err := storage.ThinkingOf(o.Think); err != nil {
		return refuse("ollama.think", "must be true, false, low, medium or high, not %v", o.Think)
	}
	if d, err := time.ParseDuration(o.KeepAlive); !slices.Contains([]string{"", "always", "-1", "server"},
		o.KeepAlive) && (err != nil || d < 0 || d > maxSeconds*time.Second) {
		return refuse("ollama.keep_alive",
			`must be a time of at most a day, such as "30m" or "2h", or "always", or "server" for the server's own `+
				`setting, not %q`, o.KeepAlive)
	}
	text := o.GiveUpAfter
	if d, err := time.ParseDuration(text); text != "" && text != neverEnds &&
		(err != nil || d != 0 && d < time.Second || d > maxSeconds*time.Second) {
		return refuse("ollama.give_up_after",
			`must be a time from "1s" to a day, such as "30m" or "1h", or "never", not %q`, text)
	}
	p := o.Profile()
	if wrong := field.AsError(models.SamplingFields.Valid(&p)); wrong != nil {
		return settingError{"ollama." + wrong.Name, wrong.Reason}
	}
	context, reply := orDefault(o.NumCtx, config.DefaultContext), orDefault(o.NumPredict, config.DefaultReply)
	if reply >= context {
		return refuse("ollama.num_predict",
			"(%d) must be smaller than ollama.num_ctx (%d), or there is no room for the prompt", reply, context)
	}
	return nil
}

func orDefault(n, standard int) int {
	if n == 0 {
		return standard
	}
	return n
}

// oneOf refuses a text that is set and none of the setting's choices.
func oneOf(key, value string) error {
	list := choices[key]
	if value == "" || slices.Contains(list, value) {
		return nil
	}
	last := len(list) - 1
	return refuse(key, "must be %s or %s, not %q", strings.Join(list[:last], ", "), list[last], value)
}

// within refuses a number that is set and out of its bounds.
func within(key, unit string, value *int, least, most int) error {
	if value == nil || *value >= least && *value <= most {
		return nil
	}
	return refuse(key, "must be %s from %d to %d, not %d", unit, least, most, *value)
}

// position finds the line and column, from 1, at which a config file speaks of a
// setting: of it itself, or of the section or table that holds it.
func position(data []byte, key string) (row, col int, ok bool) {
	p, section, best := unstable.Parser{}, "", 0
	p.Reset(data)
	for p.NextExpression() {
		e, name, at := p.Expression(), "", unstable.Range{}
		for it := e.Key(); it.Next(); at = it.Node().Raw {
			name += "." + string(it.Node().Data)
		}
		if e.Kind != unstable.KeyValue {
			section = name
		} else {
			name = section + name
		}
		if len(name) > best && strings.HasPrefix("."+key+".", name+".") {
			best = len(name)
			start := p.Shape(at).Start
			row, col = start.Line, start.Column
		}
	}
	return row, col, best > 0
}
