package comfy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Three forms of placeholders are supported: {{name}}, %name% and __CHORUS_NAME__. All have the
// same values.

// token is a part of a string: plain text, or a placeholder.
type token struct {
	text    string // as written in the file
	name    string // the name of its value, "" for plain text
	unknown bool   // looks like a placeholder of an unknown value
}

// split splits s into text and placeholders, in one pass: inserted values are never searched.
func split(s string) []token {
	var out []token
	plain := 0
	for i := 0; i < len(s); {
		tok, ok := tokenAt(s[i:])
		if !ok {
			i++
			continue
		}
		if plain < i {
			out = append(out, token{text: s[plain:i]})
		}
		out = append(out, tok)
		i += len(tok.text)
		plain = i
	}
	if plain < len(s) {
		out = append(out, token{text: s[plain:]})
	}
	return out
}

const maxPlaceholderName = 32

// tokenAt parses a placeholder at the beginning of s.
func tokenAt(s string) (token, bool) {
	var open, shut string
	switch {
	case strings.HasPrefix(s, "{{"):
		open, shut = "{{", "}}"
	case strings.HasPrefix(s, "__CHORUS_"):
		open, shut = "__CHORUS_", "__"
	case strings.HasPrefix(s, "%"):
		open, shut = "%", "%"
	default:
		return token{}, false
	}
	rest := s[len(open):]
	end := strings.Index(rest[:min(len(rest), maxPlaceholderName+len(shut))], shut)
	if end <= 0 {
		return token{}, false
	}
	word := rest[:end]
	if open == "{{" {
		word = strings.TrimSpace(word)
	}
	if open == "__CHORUS_" {
		word = strings.ToLower(word)
	}
	if !isName(word) {
		return token{}, false
	}
	name := canonical(word)
	return token{text: s[:len(open)+end+len(shut)], name: name, unknown: name == ""}, true
}

func isName(s string) bool {
	if n := len(s); n > 2 && s[n-2] == '_' && s[n-1] >= '2' && s[n-1] <= '9' { // reference_image_2
		s = s[:n-2]
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && r != '_' {
			return false
		}
	}
	return s != ""
}

// canonical returns the value's name for a placeholder's name, "" for an unknown one.
func canonical(word string) string {
	switch word {
	case "prompt", "trigger", "seed", "width", "height", "vae", "sampler", "scheduler", "steps", "denoise", "clip_skip",
		"text_encoder", "checkpoint",
		"diffusion_model", "lora", "lora_weight", charAvatar, userAvatar:
		return word
	case "second_text_encoder":
		return "clip"
	case "lora_name":
		return "lora"
	case "lora_strength", "strength_lora":
		return "lora_weight"
	case "source_image", "init_image", "input_image":
		return source
	case "persona_avatar":
		return userAvatar
	case "positive", "positive_prompt":
		return "prompt"
	case "negative", "negative_prompt":
		return "negative"
	case "model":
		return "checkpoint"
	case "scale", "cfg":
		return "scale"
	}
	return referenceName(word)
}

// forEachString calls f for every string among a node's inputs.
func forEachString(input string, value any, f func(input, s string)) {
	switch v := value.(type) {
	case string:
		f(input, v)
	case []any:
		for _, e := range v {
			forEachString(input, e, f)
		}
	case map[string]any:
		for _, key := range sortedIDs(v) {
			forEachString(input, v[key], f)
		}
	}
}

// isFileName reports whether an input becomes a file name on the server: texts must not be
// inserted, and ComfyUI has its own %name% syntax there.
func isFileName(input string) bool { return strings.HasPrefix(input, "filename") }

// forEachToken calls f for every token in the nodes' inputs that may contain placeholders, with
// its input.
func (w Workflow) forEachToken(f func(t token, at NodeInput)) {
	for _, id := range sortedIDs(w.graph) {
		inputs := inputsOf(w.graph[id])
		for _, input := range sortedIDs(inputs) {
			if isFileName(input) {
				continue
			}
			forEachString(input, inputs[input], func(_, s string) {
				for _, t := range split(s) {
					f(t, NodeInput{id, input})
				}
			})
		}
	}
}

// placeholders returns the placeholders in the file with the labels of their nodes; odd are
// unknown ones as they are written.
func (w Workflow) placeholders() (found map[string][]string, odd []string) {
	found = map[string][]string{}
	w.forEachToken(func(t token, at NodeInput) {
		switch {
		case t.unknown:
			odd = append(odd, fmt.Sprintf("%s in %q of %s is an unknown placeholder and is left as it is", t.text,
				clip(at.Input, 60), w.label(at.Node)))
		case t.name != "":
			found[t.name] = append(found[t.name], w.label(at.Node))
		}
	})
	return found, odd
}

// filler copies nodes and replaces the placeholders in their inputs.
type filler struct {
	values Values
	class  string // of the current node
}

func (f filler) node(n map[string]any) map[string]any {
	f.class = classOf(n)
	out := make(map[string]any, len(n))
	for k, v := range n {
		out[k] = v
	}
	if inputs, ok := n["inputs"].(map[string]any); ok {
		copied := make(map[string]any, len(inputs))
		for k, v := range inputs {
			copied[k] = f.value(k, v)
		}
		out["inputs"] = copied
	}
	return out
}

func (f filler) value(input string, value any) any {
	switch v := value.(type) {
	case string:
		return f.text(input, v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = f.value(input, e)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = f.value(input, e)
		}
		return m
	}
	return value
}

// text replaces the placeholders in a string. A string that is only a placeholder gets the value's
// type, so that "%seed%" becomes a number.
func (f filler) text(input, s string) any {
	tokens := split(s)
	if isFileName(input) {
		for i, t := range tokens {
			if t.name == "prompt" || t.name == "negative" || t.name == "trigger" {
				tokens[i] = token{text: "ghostlight"}
			}
		}
	}
	if len(tokens) == 1 && tokens[0].name != "" && !isFileName(input) {
		if isPicture(tokens[0].name) {
			return f.picture(tokens[0].name, input)
		}
		return f.lookup(tokens[0].name)
	}
	var b strings.Builder
	for _, t := range tokens {
		if t.name == "" {
			b.WriteString(t.text)
			continue
		}
		fmt.Fprint(&b, f.lookup(t.name))
	}
	return b.String()
}

// hasText returns the value for an input of a map. Unset values leave the file's value, except the
// trigger word, which would be another character's.
func (f filler) hasText(name string) (value any, said bool) {
	v := f.values
	switch name {
	case "steps":
		said = v.Steps > 0
	case "scale":
		said = v.Scale > 0
	case "sampler":
		said = v.Sampler != ""
	case "scheduler":
		said = v.Scheduler != ""
	case "checkpoint":
		said = v.Checkpoint != ""
	case "text_encoder":
		said = v.TextEncoder != ""
	case "vae":
		said = v.VAE != ""
	case "diffusion_model":
		said = v.DiffusionModel != ""
	case "clip":
		said = v.SecondTextEncoder != ""
	case "lora", "lora_weight":
		said = v.Lora != ""
	case "denoise":
		said = v.Denoise > 0
	case "trigger":
		said = true
	}
	return f.lookup(name), said
}

// lookup returns the value of a placeholder: a string or a json.Number.
func (f filler) lookup(name string) any {
	v := f.values
	number := func(n, usual int) json.Number {
		if n <= 0 {
			n = usual
		}
		return json.Number(strconv.Itoa(n))
	}
	switch name {
	case "prompt":
		return v.Prompt
	case "negative":
		return v.Negative
	case "trigger":
		return v.Trigger
	case "checkpoint":
		return v.Checkpoint
	case "text_encoder":
		return v.TextEncoder
	case "vae":
		return v.VAE
	case "seed":
		return json.Number(strconv.FormatInt(v.Seed, 10))
	case "width":
		return number(v.Width, 1024)
	case "height":
		return number(v.Height, 1024)
	case "steps":
		return number(v.Steps, 20)
	case "sampler":
		return firstOf(v.Sampler, "euler")
	case "scheduler":
		return firstOf(v.Scheduler, "normal")
	case "scale":
		return decimal(v.Scale, "7")
	case "denoise":
		return decimal(v.Denoise, "1")
	case "lora":
		return v.Lora
	case "lora_weight":
		return decimal(v.LoraWeight, "1")
	case "diffusion_model":
		return v.DiffusionModel
	case "clip":
		return v.SecondTextEncoder
	case "clip_skip":
		return json.Number("-1")
	}
	return ""
}

// decimal returns a number that is neither 0 nor huge, else the default.
func decimal(n float64, usual string) json.Number {
	if n == 0 || !(n > -1000 && n < 1000) {
		return json.Number(usual)
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}
