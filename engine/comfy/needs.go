package comfy

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// modelNeed is a model that Fill chooses.
type modelNeed struct {
	name string // of the placeholder, and of a Map
	// hint are words in order of preference, separated by |. The file's name must contain one of
	// them. A word after = must be the whole name, and one after - must not be in it. "" accepts
	// any name.
	hint      string
	fileModel string // the file's own model, which is used if a server has it
}

// modelKind is a kind of model that a placeholder may name.
type modelKind struct {
	name, folder string
	defaultHint  string // the hint of a workflow without one
	value        func(*Values) *string
}

func modelKinds() []modelKind {
	return []modelKind{
		{"checkpoint", "checkpoints", "", func(v *Values) *string { return &v.Checkpoint }},
		{"diffusion_model", "diffusion_models", "", func(v *Values) *string { return &v.DiffusionModel }},
		{"text_encoder", "text_encoders", "t5xxl|t5", func(v *Values) *string { return &v.TextEncoder }},
		{"clip", "text_encoders", "clip_l|clip", func(v *Values) *string { return &v.SecondTextEncoder }},
		{"vae", "vae", "", func(v *Values) *string { return &v.VAE }},
	}
}

func (n modelNeed) kind() modelKind {
	all := modelKinds()
	return all[max(0, slices.IndexFunc(all, func(k modelKind) bool { return k.name == n.name }))]
}

func (n modelNeed) valueIn(v *Values) *string { return n.kind().value(v) }

// word returns the name of such a model.
func (n modelNeed) word() string { return describeInputs(n.name) }

// firstWord returns the preferred word of a hint.
func (n modelNeed) firstWord() string {
	words, _, _ := strings.Cut(n.hint, " -")
	first, _, _ := strings.Cut(words, "|")
	return strings.TrimPrefix(first, "=")
}

// pick chooses among a server's files, "" if none fits.
func (n modelNeed) pick(have []string) string {
	if n.fileModel != "" && slices.Contains(have, n.fileModel) {
		return n.fileModel
	}
	if n.name == "checkpoint" && n.hint == "" {
		return PickCheckpoint(have, "")
	}
	if n.hint == "" {
		return pickFirst(have, "")
	}
	words, never, _ := strings.Cut(strings.ToLower(n.hint), " -")
	if never != "" {
		have = slices.DeleteFunc(slices.Clone(have), func(h string) bool {
			return slices.ContainsFunc(strings.Split(never, " -"),
				func(word string) bool { return strings.Contains(strings.ToLower(h), word) })
		})
	}
	for word := range strings.SplitSeq(words, "|") {
		whole, exact := strings.CutPrefix(word, "=")
		if !exact {
			if found := pickFirst(have, word); found != "" {
				return found
			}
			continue
		}
		for _, h := range have {
			if stem(h) == whole {
				return h
			}
		}
	}
	return ""
}

// stem returns the name of a model's file without its folder and extension.
func stem(file string) string {
	file = strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	return strings.TrimSuffix(file, path.Ext(file))
}

// needs returns the models that the file or the user's map leaves open. The title of the loading
// node may have the model's name with words that its file must contain.
func (w Workflow) needs(found map[string][]string) []modelNeed {
	var out []modelNeed
	for _, k := range modelKinds() {
		if len(found[k.name]) > 0 {
			out = append(out, modelNeed{name: k.name, hint: firstOf(w.hint(k.name), k.defaultHint)})
		} else if at := w.mapped[k.name]; len(at) > 0 {
			own, _ := inputsOf(w.graph[at[0].Node])[at[0].Input].(string)
			out = append(out, modelNeed{name: k.name, fileModel: own})
		}
	}
	return out
}

// hint returns the hint at the nodes with a placeholder.
func (w Workflow) hint(name string) string {
	for _, id := range sortedIDs(w.graph) {
		node, _ := w.graph[id].(map[string]any)
		for _, value := range inputsOf(node) {
			text, _ := value.(string)
			if tokens := split(text); len(tokens) != 1 || tokens[0].name != name {
				continue
			}
			meta, _ := node["_meta"].(map[string]any)
			hint, _ := meta[name].(string)
			if hint = strings.ToLower(strings.TrimSpace(clip(hint, 80))); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// Equip sets the models that the workflow leaves open and v does not set: it asks the server for
// its files and picks one of each. A partial LoRA name in v is completed. The same server gives
// the same choice. The error wraps ErrNoModel if none fits.
func (c *Client) Equip(ctx context.Context, w Workflow, v *Values) error {
	for _, n := range w.plan.needs {
		into := n.valueIn(v)
		if *into != "" {
			continue
		}
		list, err := c.Models(ctx, n.kind().folder)
		if err != nil {
			return err
		}
		if *into = n.pick(list); *into != "" {
			continue
		}
		which := n.word()
		if n.hint != "" {
			which = fmt.Sprintf("%s with %q in its name", which, n.firstWord())
		}
		return fmt.Errorf("%w: workflow %q needs a %s; %s", ErrNoModel, w.Name, which, availableText(list))
	}
	if v.Lora == "" || !w.plan.HasLora {
		return nil
	}
	list, err := c.Models(ctx, "loras")
	if err != nil {
		return err
	}
	found := findModel(list, v.Lora)
	if found == "" {
		return fmt.Errorf("%w: the LoRA %q is missing; %s", ErrNoModel, clip(v.Lora, 120), availableText(list))
	}
	v.Lora = found
	return nil
}

func availableText(list []string) string {
	if len(list) == 0 {
		return "it has none"
	}
	return "it has: " + shortList(list, 6)
}

// findModel finds a file by its name, with or without its folder and extension; "" if there is
// none, or if it is ambiguous.
func findModel(list []string, name string) string {
	if slices.Contains(list, name) {
		return name
	}
	found := ""
	for _, have := range list {
		if stem(have) != stem(name) && stem(have) != strings.ToLower(name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = have
	}
	return found
}
