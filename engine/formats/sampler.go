package formats

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the context and the reply length of a preset. Larger values are meant for other
// servers and would not fit a machine at home.
const (
	maxPresetContext = 32 << 10
	maxPresetReply   = 8 << 10
	defaultReply     = 2048
)

// samplerNames are the names of a profile's values in presets; the first that exists is used.
var samplerNames = map[string][]string{
	"temperature": {"temp", "temperature"}, "top_p": {"top_p"}, "top_k": {"top_k"}, "min_p": {"min_p"},
	"repeat_penalty": {"rep_pen", "repetition_penalty"}, "seed": {"seed"},
	"typical_p": {"typical_p", "typical"}, "repeat_last_n": {"rep_pen_range", "repetition_penalty_range"},
	"presence_penalty":  {"presence_pen", "presence_penalty", "repetition_penalty_presence"},
	"frequency_penalty": {"freq_pen", "frequency_penalty", "repetition_penalty_frequency"},
	"num_ctx":           {"openai_max_context", "max_context_length"}, "num_predict": {"openai_max_tokens", "genamt"},
}

// neutralValues are the values, as JSON, at which an unsupported sampler has no effect. Other
// values are reported.
var neutralValues = map[string][]string{
	"top_a": {"0"}, "tfs": {"1", "0"}, "tail_free_sampling": {"1", "0"}, "epsilon_cutoff": {"0"}, "eta_cutoff": {"0"},
	"nsigma": {"0", "-1"}, "top_n_sigma": {"0", "-1"},
	"encoder_rep_pen": {"1"}, "no_repeat_ngram_size": {"0"}, "penalty_alpha": {"0"}, "num_beams": {"1"},
	"min_length": {"0"}, "skew": {"0"},
	"dynatemp": {"false"}, "smoothing_factor": {"0"}, "mirostat_mode": {"0"}, "mirostat": {"0"},
	"dry_multiplier": {"0"}, "xtc_probability": {"0"}, "adaptive_target": {"0", "-1", "-0.01"},
	"guidance_scale": {"1"}, "cfg_scale": {"1"}, "negative_prompt": {`""`}, "grammar_string": {`""`}, "grammar": {`""`},
	"json_schema": {"null", "{}", `""`}, "banned_tokens": {`""`}, "global_banned_tokens": {`""`},
	"logit_bias": {"[]", "{}", "null"}, "ban_eos_token": {"false"}, "ignore_eos_token": {"false"},
	"rep_pen_decay": {"0"}, "rep_pen_slope": {"1", "0"}, "math1_temp": {"1"},
	"phrase_rep_pen": {`""`, `"off"`}, "n": {"1"},
}

// chatNeutralValues are further ones of chat completion presets.
var chatNeutralValues = map[string][]string{
	"reasoning_effort": {`"auto"`, `""`}, "verbosity": {`"auto"`, `""`}, "enable_web_search": {"false"},
	"function_calling": {"false"}, "squash_system_messages": {"false", "true"},
	"assistant_impersonation": {`""`}, "names_behavior": {"0", "-1", "1", "2"},
	"bias_preset_selected": {`""`, `"Default (none)"`},
}

// samplers reads the samplers of a preset into a profile, and reports those that a profile cannot
// have.
func (r *presetReader) samplers(o *object, more map[string][]string) {
	p := storage.Profile{NumPredict: defaultReply}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(samplerNames)) {
		for _, key := range samplerNames[name] {
			if v, ok := number(o.get(key)); ok {
				if r.sampler(&p, name, key, v) {
					found++
				}
				break
			}
		}
	}
	if (p.RepeatPen == nil || *p.RepeatPen == 1) && p.PresencePen == nil && p.FrequencyPen == nil {
		p.RepeatLastN = nil // nothing looks back
	}
	if found == 0 && more == nil {
		return // no preset of samplers
	}
	r.kind(PresetSamplers)
	if p.NumCtx > 0 && p.NumPredict >= p.NumCtx {
		r.n.add("the answer limit (%d) leaves no room for the prompt in a context of %d, so it was set to %d",
			p.NumPredict, p.NumCtx, p.NumCtx/4)
		p.NumPredict = p.NumCtx / 4
	}
	if s := looseMember(o, "assistant_prefill"); strings.TrimSpace(s) != "" {
		if len(s) <= 4000 {
			p.Prefill = s
		} else {
			r.n.add("the prefill is too long for a profile; it was kept with the preset")
		}
	}
	p.Stop = stops(o)
	r.addUnsupported(o, more)
	r.p.Profile = &p
}

// stops returns the stop texts.
func stops(o *object) (list []string) {
	for _, key := range []string{"custom_stopping_strings", "stopping_strings", "stop_sequence"} {
		raw := o.get(key)
		if s, ok := text(raw); ok && strings.HasPrefix(strings.TrimSpace(s), "[") { // JSON within JSON
			raw, _ = compact([]byte(s))
		}
		raws, _ := elements(raw, 20)
		for _, e := range raws {
			if s, ok := text(e); ok && s != "" && len(list) < 20 {
				list = append(list, s)
			}
		}
	}
	return list
}

// sampler sets one value of a profile. A value that no server accepts is dropped and reported.
func (r *presetReader) sampler(p *storage.Profile, name, key string, v float64) bool {
	within := func(most float64, to **float64) {
		if v < 0 || v > most {
			r.n.add("%s is %g, and goes from 0 to %g here; it was left out", key, v, most)
			return
		}
		*to = &v
	}
	n := int(max(-1, min(v, 1<<31-1)))
	switch name {
	case "temperature":
		within(5, &p.Temperature)
	case "top_p":
		within(1, &p.TopP)
	case "min_p":
		within(1, &p.MinP)
	case "repeat_penalty":
		within(5, &p.RepeatPen)
	case "typical_p":
		if v > 0 && v < 1 { // both ends mean that it has no effect
			p.TypicalP = &v
		}
		return false
	case "presence_penalty", "frequency_penalty":
		to := map[string]**float64{"presence_penalty": &p.PresencePen, "frequency_penalty": &p.FrequencyPen}[name]
		if v < -2 || v > 2 {
			r.n.add("%s is %g, and goes from -2 to 2 here; it was left out", key, v)
		} else if v != 0 {
			*to = &v
		}
		return false
	case "repeat_last_n":
		r.setRepeatLastN(p, n)
		return false
	case "top_k":
		n = max(0, n) // both mean all tokens
		p.TopK = &n
	case "seed":
		if n >= 0 {
			p.Seed = &n
		}
		return false // does not show the kind of the file
	case "num_ctx":
		if n >= 256 && n <= maxPresetContext {
			p.NumCtx = n
		} else {
			r.n.add("a context of %d tokens was left out: how much fits depends on your model and memory (ghostlight "+
				"profile set NAME --num-ctx N)", n)
		}
	case "num_predict":
		p.NumPredict = max(1, min(n, maxPresetReply))
		if n != p.NumPredict {
			r.n.add("%d tokens for an answer became %d", n, p.NumPredict)
		}
	}
	return true
}

// setRepeatLastN sets how many tokens the penalties look back. With other servers 0 is the whole
// context; with Ollama that is -1, and 0 disables them.
func (r *presetReader) setRepeatLastN(p *storage.Profile, n int) {
	if n <= 0 {
		n = -1
	}
	n = min(n, maxPresetContext)
	p.RepeatLastN = &n
}

// addUnsupported reports the settings that have an effect and are not supported.
func (r *presetReader) addUnsupported(o *object, more map[string][]string) {
	var names []string
	for _, m := range o.members {
		off, known := neutralValues[m.key]
		if !known {
			off, known = more[m.key]
		}
		if known && !slices.ContainsFunc(off, func(v string) bool { return sameValue(m.raw, v) }) {
			names = append(names, fmt.Sprintf("%s %s", m.key, truncateValue(m.raw)))
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	r.n.add("not supported by Ollama, kept with the preset: %s", strings.Join(names, ", "))
	for _, i := range alternatives {
		lack := Unsupported{Name: i.name, Instead: i.words}
		names = slices.DeleteFunc(names, func(name string) bool {
			is := slices.Contains(i.keys, strings.Fields(name)[0])
			if is {
				lack.Requested = append(lack.Requested, name)
			}
			return is
		})
		if len(lack.Requested) > 0 {
			r.n.add("instead of %s: %s", i.name, i.words)
			r.unsupported = append(r.unsupported, lack)
		}
	}
	for _, name := range names {
		r.unsupported = append(r.unsupported, Unsupported{Name: strings.Fields(name)[0], Requested: []string{name}})
	}
	for _, key := range alternatives[0].keys {
		r.banned = append(r.banned, bannedStrings(o.get(key))...)
	}
}

// Unsupported is a setting of a preset that Ollama does not support. Requested are the preset's own
// members, Instead is the program's substitute, "" for none.
type Unsupported struct {
	Name      string   `json:"name"`
	Requested []string `json:"asked"`
	Instead   string   `json:"instead"`
}

// UnsupportedInPreset returns what Ollama does not support of a preset, and the texts that it
// bans. It returns nothing for an invalid source.
func UnsupportedInPreset(source json.RawMessage) (lacks []Unsupported, banned []string) {
	root, ok := parseObject(source)
	if !ok {
		return nil, nil
	}
	var r presetReader
	r.part(&root)
	slices.Sort(r.banned)
	return r.unsupported, slices.Compact(r.banned)
}

// Limits of the banned texts of a preset.
const (
	maxBanned       = 500
	maxBannedLength = 200
)

// bannedStrings returns the texts among what a preset bans: one per line, plain or quoted, or a
// list. Token numbers are skipped, because they belong to one model.
func bannedStrings(raw json.RawMessage) (list []string) {
	add := func(s string) {
		s = strings.TrimSpace(s)
		if len([]rune(s)) > 2 && len(s) <= maxBannedLength && !strings.HasPrefix(s, "/") && len(list) < maxBanned {
			list = append(list, s)
		}
	}
	s, _ := text(raw)
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if inner, err := compact([]byte(line)); err == nil && strings.HasPrefix(line, "[") {
			list = append(list, bannedStrings(inner)...)
			continue
		}
		if len(line) > 1 && strings.HasPrefix(line, `"`) && strings.HasSuffix(line, `"`) {
			line = line[1 : len(line)-1]
		}
		add(line)
	}
	raws, _ := elements(raw, maxBanned)
	for _, e := range raws {
		s, _ := text(e)
		add(s)
	}
	return list
}

// alternatives say what the program does in place of unsupported settings.
var alternatives = []struct {
	name  string
	keys  []string
	words string
}{
	{"banned strings", []string{"banned_tokens", "global_banned_tokens"},
		"banned phrases are cut while a reply streams (voice.phrases, ghostlight voice ban)"},
	{"DRY", []string{"dry_multiplier", "no_repeat_ngram_size", "phrase_rep_pen"},
		"a sentence that nearly repeats one of the last replies is cut and generated again (voice.repeat); " +
			"ghostlight chat habits lists repetitions"},
	{"XTC", []string{"xtc_probability"}, "a higher temperature with min_p gives rarer words, and stock phrases are " +
		"cut while a reply streams (voice.sets)"},
	{"mirostat and similar samplers", []string{"mirostat_mode", "mirostat", "smoothing_factor", "dynatemp",
		"adaptive_target", "top_a", "tfs", "tail_free_sampling", "nsigma", "top_n_sigma"},
		"min_p from 0.03 to 0.1 is the closest"},
}

func sameValue(raw json.RawMessage, value string) bool {
	if string(raw) == value {
		return true
	}
	a, isA := number(raw)
	b, isB := number(json.RawMessage(value))
	return isA && isB && a == b
}

func truncateValue(raw json.RawMessage) string {
	if raw[0] == '{' || raw[0] == '[' || len(raw) > 24 {
		return "(set)"
	}
	return string(raw)
}
