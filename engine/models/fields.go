package models

import (
	"fmt"
	"math"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The bounds of a profile's values; values beyond them are typing errors.
const (
	maxContext = 1 << 20
	maxReply   = 1 << 17
	maxStops   = 20
	MaxTextLen = 4000
)

// The groups of a profile's fields behind the first ones.
const (
	groupSamplers = "More samplers"
	groupAnswer   = "Server and answer"
)

// hintUnset is shown in a form for a value that a profile leaves to the chat.
const hintUnset = "empty: same as the chat"

// ProfileFields are the fields of a connection profile.
var ProfileFields = field.Record[storage.Profile]{
	Noun: "a profile",
	New:  func() storage.Profile { return storage.Profile{NumPredict: 2048} },
	Fields: []field.Spec[storage.Profile]{
		{Name: "name", Label: "Name", Hint: "for example: small and fast", Required: true, Max: 100,
			At: func(p *storage.Profile) any { return &p.Name }},
		{Name: "model", Flag: "use-model", Label: "Model", Help: "the model that is asked",
			Hint: "empty: the chat's model", At: func(p *storage.Profile) any { return &p.Model }},
		{Name: "temperature", Flag: "temperature", Label: "temperature",
			Help: "randomness, from 0 to 5: 0 deterministic, 0.6 focused, 1.2 creative", Hint: hintUnset, Max: 5,
			At: func(p *storage.Profile) any { return &p.Temperature }},
		{Name: "num_ctx", Flag: "num-ctx", Label: "num_ctx", Help: "context size in tokens", Hint: hintUnset,
			Min: 256, Max: maxContext, ZeroIsEmpty: true, At: func(p *storage.Profile) any { return &p.NumCtx }},
		{Name: "num_predict", Flag: "num-predict", Label: "num_predict", Help: "maximum length of an answer in tokens",
			Hint: "for example 2048", Min: 1, Max: maxReply,
			At: func(p *storage.Profile) any { return &p.NumPredict }},

		{Name: "top_p", Flag: "top-p", Group: groupSamplers, Label: "top_p",
			Help: "keeps the most likely tokens up to this total probability; 1 turns it off", Hint: hintUnset, Max: 1,
			At: func(p *storage.Profile) any { return &p.TopP }},
		{Name: "top_k", Flag: "top-k", Group: groupSamplers, Label: "top_k",
			Help: "keeps only this many of the most likely tokens; 0 turns it off",
			Hint: hintUnset, Max: math.MaxInt32,
			At: func(p *storage.Profile) any { return &p.TopK }},
		{Name: "min_p", Flag: "min-p", Group: groupSamplers, Label: "min_p",
			Help: "removes tokens less likely than this fraction of the top token; 0.05 suits high temperatures",
			Hint: hintUnset, Max: 1, At: func(p *storage.Profile) any { return &p.MinP }},
		{Name: "typical_p", Flag: "typical-p", Group: groupSamplers, Label: "typical_p",
			Help: "removes unusually likely or unlikely tokens; 1 turns it off", Hint: hintUnset, Max: 1,
			At: func(p *storage.Profile) any { return &p.TypicalP }},
		{Name: "repeat_penalty", Flag: "repeat-penalty", Group: groupSamplers, Label: "repeat_penalty",
			Help: "above 1 penalizes recent tokens; too high harms names and common words", Hint: hintUnset, Max: 5,
			At: func(p *storage.Profile) any { return &p.RepeatPen }},
		{Name: "repeat_last_n", Flag: "repeat-last-n", Group: groupSamplers, Label: "repeat_last_n",
			Help: "number of tokens the penalties look back; 0 turns them off, -1 is the whole context",
			Hint: hintUnset,
			Min:  -1, Max: maxContext, At: func(p *storage.Profile) any { return &p.RepeatLastN }},
		{Name: "presence_penalty", Flag: "presence-penalty", Group: groupSamplers, Label: "presence_pen.",
			Help: "penalizes tokens that appeared at all in this range, from -2 to 2", Hint: hintUnset,
			Min: -2, Max: 2,
			At: func(p *storage.Profile) any { return &p.PresencePen }},
		{Name: "frequency_penalty", Flag: "frequency-penalty", Group: groupSamplers, Label: "frequency_pen.",
			Help: "penalizes tokens by how often they appeared in this range, from -2 to 2", Hint: hintUnset,
			Min: -2, Max: 2,
			At: func(p *storage.Profile) any { return &p.FrequencyPen }},
		{Name: "seed", Flag: "seed", Group: groupSamplers, Label: "seed", Help: "the same seed gives the same reply",
			Hint: "empty: random", At: func(p *storage.Profile) any { return &p.Seed }},

		{Name: "server", Flag: "server", Group: groupAnswer, Label: "Server",
			Help: "the address of the Ollama server", Hint: "empty: same as the chat, or http://host:11434",
			At: func(p *storage.Profile) any { return &p.Server }},
		{Name: "stop", Flag: "stop", Group: groupAnswer, Label: "Stop texts",
			Help: `texts that end the answer; write \n for a line break and \, for a comma`, Rows: 2,
			Split: splitStops, Join: joinStops,
			At: func(p *storage.Profile) any { return &p.Stop }, Check: func(p *storage.Profile) error {
				if len(p.Stop) > maxStops {
					return fmt.Errorf("at most %d texts", maxStops)
				}
				return nil
			}},
		{Name: "think", Flag: "think", Group: groupAnswer, Label: "Thinking",
			Help: "thinking, for models that support it: on, off, low, medium, high, or auto for the model's default",
			Choices: []field.Choice{{Value: "", Label: "auto"}, {Value: "true", Label: "on"},
				{Value: "false", Label: "off"},
				{Value: "low"}, {Value: "medium"}, {Value: "high"}}, At: thinkingAt},
		{Name: "prefill", Flag: "prefill", Group: groupAnswer, Label: "Prefill",
			Help: "the answer begins with this text",
			Rows: 1, Multiline: true, Max: MaxTextLen, At: func(p *storage.Profile) any { return &p.Prefill }},
	},
}

// SamplingFields are the fields of ProfileFields that a chat or a model can set too. All of them
// are optional there.
var SamplingFields = samplingFields()

func samplingFields() *field.Record[storage.Profile] {
	r := ProfileFields.Without("name", "model", "server", "prefill")
	r.Noun, r.New = "sampling", nil
	r.Find("num_predict").ZeroIsEmpty = true
	return r
}

// thinkingAt returns the field's access to Thinking, in its form in JSON, the config file and
// Ollama.
func thinkingAt(p *storage.Profile) any {
	return field.Computed{
		Get: func() string {
			if p.Think == "" {
				return ""
			}
			return fmt.Sprint(p.Think.Value())
		},
		Put: func(text string) (err error) {
			p.Think, err = storage.ThinkingOf(text)
			return err
		},
	}
}

// joinStops writes stop texts with commas between them. A line break in one is \n, a comma \,
// and a backslash is doubled.
func joinStops(list []string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, ",", `\,`)
	var out []string
	for _, text := range list {
		out = append(out, escaped.Replace(text))
	}
	return strings.Join(out, ", ")
}

// splitStops reads what joinStops writes; each text may also be on a line of its own. It is
// nil for none.
func splitStops(text string) (list []string) {
	var item strings.Builder
	end := func() {
		if s := item.String(); strings.TrimSpace(s) != "" || strings.Contains(s, "\n") {
			list = append(list, strings.Trim(s, " "))
		}
		item.Reset()
	}
	escaped := false
	for _, r := range text {
		switch {
		case escaped && r == 'n':
			item.WriteByte('\n')
		case escaped:
			item.WriteRune(r)
		case r == ',' || r == '\n':
			end()
		case r != '\\':
			item.WriteRune(r)
		}
		escaped = r == '\\' && !escaped
	}
	end()
	return list
}

// CheckProfile reports what is wrong with a profile, as a *field.Error.
func CheckProfile(p storage.Profile) error {
	err := ProfileFields.Valid(&p)
	if err == nil && p.NumCtx != 0 && p.NumPredict >= p.NumCtx {
		err = tooLongReply(p.NumPredict, p.NumCtx)
	}
	return err
}

// tooLongReply refuses a reply that leaves no room for the prompt.
func tooLongReply(reply, context int) error {
	return &field.Error{Name: "num_predict",
		Reason: fmt.Sprintf("(%d) must be smaller than num_ctx (%d), or there is no room for the prompt",
			reply, context)}
}
