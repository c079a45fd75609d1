package comfy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Missing is something that a workflow needs and a server lacks: a node, or a file of a kind
// (checkpoint, vae …). Node is the node that needs it.
type Missing struct {
	Kind string   `json:"kind"` // node, or the input's name
	Name string   `json:"name"` // "" if any file of the kind would do
	Node string   `json:"node"`
	Have []string `json:"have,omitempty"` // some alternatives that the server has
}

const (
	// maxAsked limits the classes that are requested one by one. The whole list may have many
	// megabytes, and a workflow needs little of it.
	maxAsked = 40
	// maxAlternatives limits Missing.Have.
	maxAlternatives = 12
	// maxMissing limits what is reported for one workflow.
	maxMissing = 100
)

// Description describes what is missing, without a verb: the node X (node "title").
func (l Missing) Description() string {
	at := fmt.Sprintf("node %q", l.Node)
	if strings.Trim(l.Node, "0123456789:.") == "" {
		at = "node " + l.Node
	}
	kind := l.Kind
	if kind != "node" {
		kind = inputKind(kind)
	}
	if word, ok := l.hint(); ok {
		return fmt.Sprintf("a %s with %q in its name (%s)", kind, word, at)
	}
	if l.Name == "" {
		return fmt.Sprintf("a %s (%s)", kind, at)
	}
	if l.Kind == "node" {
		return fmt.Sprintf("the node %s (%s)", l.Name, at)
	}
	return fmt.Sprintf("the %s %q (%s)", kind, l.Name, at)
}

// hint returns the word if the name is a pattern that matches any name containing it.
func (l Missing) hint() (word string, ok bool) {
	if len(l.Name) < 3 || l.Name[0] != '*' || l.Name[len(l.Name)-1] != '*' {
		return "", false
	}
	return l.Name[1 : len(l.Name)-1], true
}

// MissingText describes what a server lacks in one sentence, "" for nothing.
func MissingText(list []Missing) string {
	if len(list) == 0 {
		return ""
	}
	return "this workflow needs " + MissingList(list) + " that your server lacks"
}

// MissingList lists what a server lacks, "" for nothing.
func MissingList(list []Missing) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, l := range list[:min(len(list), 6)] {
		parts = append(parts, l.Description())
	}
	if more := len(list) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more things", more))
	}
	text := parts[0]
	if last := len(parts) - 1; last > 0 {
		text = strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return text
}

// MissingError means that a workflow was not sent, because no server has all that it needs. It
// matches ErrRejected.
type MissingError struct {
	Workflow string
	Message  string // which server lacks what
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("no server can run the workflow %q: %s", e.Workflow, e.Message)
}

// Is makes errors.Is(err, ErrRejected) true.
func (e *MissingError) Is(target error) bool { return target == ErrRejected }

// Missing returns what the server lacks for the workflow: nodes, and files that its inputs name.
// Choices of Fill count as well: a server without any checkpoint lacks one. Values in brought, by
// their names in a Map, are assumed to exist. The order is that of the nodes.
func (c *Client) Missing(ctx context.Context, w Workflow, brought ...string) ([]Missing, error) {
	ours := map[NodeInput]bool{}
	m := w.Map()
	for _, name := range brought {
		for _, at := range m[name] {
			ours[at] = true
		}
	}
	library, err := c.describe(ctx, w.classes())
	if err != nil {
		return nil, fmt.Errorf("comfy check: %w", err)
	}
	var out []Missing
	seen := map[[2]string]bool{}
	add := func(l Missing) {
		if key := [2]string{l.Kind, l.Name}; !seen[key] && len(out) < maxMissing {
			seen[key] = true
			out = append(out, l)
		}
	}
	for _, id := range sortedIDs(w.graph) {
		class, title := classOf(w.graph[id]), w.title(id)
		info, known := library[class]
		if !known {
			add(Missing{Kind: "node", Name: clip(class, 200), Node: title})
			continue
		}
		inputs := inputsOf(w.graph[id])
		for _, input := range sortedIDs(inputs) {
			text, literal := inputs[input].(string)
			have, listed := info.choices(input)
			at := NodeInput{id, input}
			if !literal || !listed || slices.Contains(have, text) || ours[at] {
				continue
			}
			if loadsPicture(class, input) && w.uploadsPicture(at, text) {
				continue
			}
			if len(have) > 0 && w.mapsModel(at) {
				continue // Fill chooses one
			}
			if l, lacking := w.missing(input, text, have); lacking {
				l.Node = title
				add(l)
			}
		}
	}
	return out, nil
}

// mapsModel reports whether the user's map puts a model's name into an input.
func (w Workflow) mapsModel(at NodeInput) bool {
	return slices.ContainsFunc(w.plan.needs, func(n modelNeed) bool { return slices.Contains(w.mapped[n.name], at) })
}

// missing returns what is missing if a value is not among the available ones.
func (w Workflow) missing(input, text string, have []string) (Missing, bool) {
	l := Missing{Kind: clip(input, 60), Name: clip(text, 300), Have: nearest(have, text)}
	open := false
	for _, t := range split(text) {
		open = open || t.name != ""
		if t.name == "lora" { // the character's LoRA is unknown here, and optional
			return l, false
		}
		for _, n := range w.plan.needs {
			if n.name == t.name && n.hint != "" {
				l.Name = "*" + n.firstWord() + "*"
				return l, n.pick(have) == ""
			}
		}
	}
	if open { // Fill chooses one
		l.Name = ""
		return l, len(have) == 0
	}
	return l, true
}

// nearest returns some names, the most similar to name first.
func nearest(have []string, name string) []string {
	want := stem(name)
	var like, rest []string
	for _, h := range have[:min(len(have), maxNames)] {
		if got := stem(h); len(want) > 2 && strings.Contains(got, want) || len(got) > 2 && strings.Contains(want, got) {
			like = append(like, clip(h, 300))
		} else if len(rest) < maxAlternatives {
			rest = append(rest, clip(h, 300))
		}
	}
	like = append(like, rest...)
	return like[:min(len(like), maxAlternatives)]
}

// title returns a node's title in the editor, its ID if it has none.
func (w Workflow) title(id string) string {
	n, _ := w.graph[id].(map[string]any)
	meta, _ := n["_meta"].(map[string]any)
	title, _ := meta["title"].(string)
	return clip(firstOf(strings.TrimSpace(title), id), 120)
}

// classes returns the classes of the workflow's nodes, sorted, without duplicates.
func (w Workflow) classes() []string {
	var out []string
	for _, n := range w.graph {
		out = append(out, classOf(n))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// classInfo is the description of a class of nodes.
type classInfo struct {
	Input struct {
		Required map[string]json.RawMessage `json:"required"`
		Optional map[string]json.RawMessage `json:"optional"`
	} `json:"input"`
}

// choices returns all values that an input can have. listed is false if the server does not list
// them.
func (i classInfo) choices(input string) (values []string, listed bool) {
	config, ok := i.Input.Required[input]
	if !ok {
		config, ok = i.Input.Optional[input]
	}
	if !ok {
		return nil, false
	}
	list, ok := choiceList(config)
	if !ok {
		return nil, false
	}
	for _, v := range list {
		if s, ok := v.(string); ok {
			values = append(values, s)
		}
	}
	return values, true
}

// describe returns what the server says about classes. Unknown ones are not in the result.
func (c *Client) describe(ctx context.Context, classes []string) (map[string]classInfo, error) {
	whole := len(classes) > maxAsked
	for _, class := range classes { // some names cannot be part of a URL
		whole = whole || strings.ContainsAny(class, `/\`) || class == "." || class == ".."
	}
	out := map[string]classInfo{}
	for _, class := range classes {
		if whole {
			break
		}
		a, err := c.call(ctx, http.MethodGet, c.url("/object_info/"+class, nil), nil, maxLarge, c.intervals.call)
		if err != nil {
			return nil, err
		}
		if a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed {
			whole = true // too old for single classes
			break
		}
		if err := c.readInfo(a, out, []string{class}); err != nil {
			return nil, err
		}
	}
	if !whole {
		return out, nil
	}
	a, err := c.call(ctx, http.MethodGet, c.url("/object_info", url.Values{}), nil, maxLarge, 2*c.intervals.call)
	if err != nil {
		return nil, err
	}
	return out, c.readInfo(a, out, classes)
}

// readInfo adds the descriptions of classes in a response.
func (c *Client) readInfo(a response, into map[string]classInfo, classes []string) error {
	var all map[string]json.RawMessage
	if a.status != http.StatusOK || a.isHTML() || json.Unmarshal(a.data, &all) != nil {
		return c.unexpectedResponse(a, "/object_info")
	}
	for _, class := range classes {
		data, ok := all[class]
		if !ok {
			continue
		}
		var info classInfo
		_ = json.Unmarshal(data, &info) // of a malformed description only its existence
		into[class] = info
	}
	return nil
}
