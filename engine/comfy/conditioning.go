package comfy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxFollow limits how many links are followed from a sampler.
const maxFollow = 40

// The two conditionings of a sampler, by the names of their inputs.
const (
	positiveSide = "positive"
	negativeSide = "negative"
)

// textInput is the place of a prompt: one input, or all inputs of an encoder that reads the same
// text several times.
type textInput []nodeInput

// texts follows the conditioning of a sampler to the inputs with its text, sorted. It is nil if
// there are none. If several texts are combined and nothing shows which one is the prompt, the
// error names them.
func (w Workflow) texts(from any, side string) ([]nodeInput, error) {
	walk := &textWalk{w: w, side: side, seen: map[string]bool{}}
	out := walk.choose(walk.conditioning(from, 0))
	if walk.err != nil {
		return nil, walk.err
	}
	return unique(out), nil
}

// textWalk follows links from a sampler to the texts of one side.
type textWalk struct {
	w    Workflow
	side string
	seen map[string]bool
	err  error // the first ambiguous choice
}

func (t *textWalk) visit(kind, id string, depth int) bool {
	key := kind + "\x00" + id
	if depth > maxFollow || t.seen[key] {
		return false
	}
	t.seen[key] = true
	return true
}

// conditioning returns the texts behind a link that carries a conditioning. A node
// that has both conditionings as inputs passes on the one of this side; any other
// that has one as an input, whatever it does to it, passes that on.
func (t *textWalk) conditioning(value any, depth int) []textInput {
	id, _, ok := link(value)
	if !ok || !t.visit("conditioning", id, depth) {
		return nil
	}
	node := t.w.graph[id]
	in := inputsOf(node)
	if strings.Contains(classOf(node), "ZeroOut") {
		return nil // whatever text is behind it does not count
	}
	if names := t.textInputs(in); len(names) > 0 {
		var all textInput
		followed := map[string]bool{}
		for _, name := range names {
			_, literal := in[name].(string)
			if from, slot, ok := link(in[name]); ok {
				if followed[from+slot] {
					continue // the same text again
				}
				followed[from+slot] = true
			}
			found := t.source(in[name], depth+1) // nil for a literal
			if literal || len(found) == 0 && t.side == positiveSide {
				all = append(all, nodeInput{id, name}) // a text made by a node is replaced by the prompt
			}
			all = append(all, t.choose(found)...)
		}
		return []textInput{all}
	}
	var out []textInput
	for _, name := range t.passedOn(in) {
		out = append(out, t.conditioning(in[name], depth+1)...)
	}
	if len(out) == 0 && t.isText(in[t.side]) { // a loader whose texts are connected
		out = t.source(in[t.side], depth+1)
	}
	return out
}

// isText reports whether a link leads to a node that holds or joins texts.
func (t *textWalk) isText(value any) bool {
	id, _, _ := link(value)
	for name, v := range inputsOf(t.w.graph[id]) {
		if _, literal := v.(string); literal && isStringInput(name) {
			return true
		}
	}
	return false
}

// textInputs returns the inputs of a node for the text that it encodes for this side.
func (t *textWalk) textInputs(in map[string]any) []string {
	var own, any []string
	for _, name := range sortedIDs(in) {
		_, literal := in[name].(string)
		switch {
		case literal && t.isSideText(name):
			own = append(own, name)
		case isTextInput(name) && (literal || isLink(in[name])):
			any = append(any, name)
		}
	}
	if len(own) > 0 {
		return own
	}
	return any
}

// isSideText reports whether an input name is that of this side, in nodes that take both texts.
func (t *textWalk) isSideText(name string) bool {
	side := t.side
	return slices.Contains([]string{side, side + "_prompt", side + "_text", "text_" + side, "prompt_" + side}, name)
}

// isTextInput reports whether an input name is that of an encoder's text.
func isTextInput(name string) bool {
	switch name {
	case "text", "text_g", "text_l", "clip_l", "clip_g", "t5xxl", "llama",
		"prompt", "user_prompt", "wildcard_text", "populated_text":
		return true
	}
	return false
}

// passedOn returns the inputs for a node's conditioning.
func (t *textWalk) passedOn(in map[string]any) []string {
	var sides, conditions, rest []string
	for _, name := range sortedIDs(in) {
		if !isLink(in[name]) {
			continue
		}
		lower := strings.ToLower(name)
		switch {
		case strings.Contains(lower, "model"), strings.Contains(lower, "clip"), strings.Contains(lower, "vae"):
		case strings.Contains(lower, t.side):
			sides = append(sides, name)
		case strings.Contains(lower, "cond") && !strings.Contains(lower, "empty"):
			conditions = append(conditions, name)
		case !carriesOther(lower):
			rest = append(rest, name)
		}
	}
	chosen := firstFilled(sides, conditions, rest)
	if let := t.w.selected(in); let != "" && slices.Contains(chosen, let) {
		return []string{let}
	}
	return chosen
}

func firstFilled(lists ...[]string) []string {
	for _, list := range lists {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// carriesOther reports whether an input name is that of a connection with neither a text nor a
// conditioning.
func carriesOther(name string) bool {
	for _, sign := range []string{
		"model", "clip", "vae", "image", "pixels", "mask", "latent", "samples",
		"control_net", "seed", "noise", "sigmas", "lora",
	} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return false
}

// source returns the texts behind a link that carries a text. There are several if a node joins
// them, or chooses one of them in a way that the file does not show.
func (t *textWalk) source(value any, depth int) []textInput {
	id, slot, ok := link(value)
	if !ok || !t.visit("text", id+"\x00"+slot, depth) {
		return nil
	}
	in, class := inputsOf(t.w.graph[id]), strings.ToLower(classOf(t.w.graph[id]))
	shows := strings.Contains(class, "show") || strings.Contains(class, "preview") || strings.Contains(class, "display")
	let := t.w.selected(in)
	var out []textInput
	for _, name := range sortedIDs(in) {
		_, literal := in[name].(string)
		switch {
		case let != "" && name != let:
		case literal && !shows && (isStringInput(name) || name == let): // a displayed text was made by the last run
			out = append(out, textInput{{id, name}})
		case !literal && !carriesOther(strings.ToLower(name)):
			out = append(out, t.source(in[name], depth+1)...)
		}
	}
	return out
}

// isStringInput reports whether an input name is that of a text in nodes that hold or join texts.
func isStringInput(name string) bool {
	name = strings.ToLower(name)
	for _, stem := range []string{"value", "string", "text", "prompt", "any", "input", "positive", "negative"} {
		if name == stem || (strings.HasPrefix(name, stem) && len(name) <= len(stem)+3) {
			return true
		}
	}
	return false
}

// selected returns the input that a switch selects, "" if the node is not a switch or the file
// does not show its choice.
func (w Workflow) selected(in map[string]any) string {
	for _, name := range sortedIDs(in) {
		switch v := w.behind(in[name], 0).(type) {
		case bool:
			for _, other := range sortedIDs(in) {
				if other != name && strings.HasSuffix(strings.ToLower(other), strconv.FormatBool(v)) {
					return other
				}
			}
		case json.Number:
			if !slices.Contains([]string{"select", "selected", "index", "switch", "input", "Input", "choice"}, name) {
				continue
			}
			for _, other := range sortedIDs(in) {
				digits := other[len(strings.TrimRight(other, "0123456789")):]
				if other != name && strings.TrimLeft(digits, "0") == v.String() {
					return other
				}
			}
		}
	}
	return ""
}

// behind returns a value that is not a link, or the only such value of the node that it links to.
func (w Workflow) behind(value any, depth int) any {
	id, _, ok := link(value)
	if !ok {
		return value
	}
	if in := inputsOf(w.graph[id]); len(in) == 1 && depth < maxFollow {
		for _, only := range in {
			return w.behind(only, depth+1)
		}
	}
	return nil
}

// choose returns the place of the prompt among the joined texts: the only one that is named like
// this side's prompt, else the only one with any text. If neither decides, it sets err.
func (t *textWalk) choose(list []textInput) textInput {
	var places []textInput
	for _, p := range list {
		p = unique(p)
		known := slices.ContainsFunc(places, func(o textInput) bool { return slices.Equal(o, p) })
		if len(p) > 0 && !known {
			places = append(places, p)
		}
	}
	if len(places) < 2 {
		return slices.Concat(places...)
	}
	for _, fits := range []func(textInput) bool{t.matchesSide, t.hasText} {
		var fit []textInput
		for _, p := range places {
			if fits(p) {
				fit = append(fit, p)
			}
		}
		if len(fit) == 1 {
			return fit[0]
		}
	}
	var names []string
	for _, p := range places {
		name := t.w.label(p[0].node)
		if slices.ContainsFunc(places, func(o textInput) bool { return o[0] != p[0] && o[0].node == p[0].node }) {
			name = fmt.Sprintf("%q of %s", clip(p[0].input, 60), name)
		}
		names = append(names, name)
	}
	if t.err == nil {
		t.err = t.w.refuse(fmt.Sprintf("the %s prompt is combined from several texts, in %s",
			t.side, strings.Join(names[:min(len(names), 6)], " and ")))
	}
	return nil
}

// matchesSide reports whether a node's title or input is named after the prompt of this side.
func (t *textWalk) matchesSide(p textInput) bool {
	name := strings.ToLower(t.w.title(p[0].node) + " " + p[0].input)
	if t.side == negativeSide {
		return strings.Contains(name, negativeSide)
	}
	called := strings.Contains(name, positiveSide) || strings.Contains(name, "prompt")
	return called && !strings.Contains(name, negativeSide) && !strings.Contains(name, "system")
}

func (t *textWalk) hasText(p textInput) bool {
	return slices.ContainsFunc(p, func(at nodeInput) bool {
		text, _ := inputsOf(t.w.graph[at.node])[at.input].(string)
		return strings.Trim(text, " \t\n,.;:|-_") != ""
	})
}
