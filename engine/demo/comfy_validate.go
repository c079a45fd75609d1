package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// comfyGraph is a graph in API format, decoded with exact numbers.
type comfyGraph map[string]any

func (g comfyGraph) inputs(id string) (map[string]any, bool) {
	n, _ := g[id].(map[string]any)
	in, ok := n["inputs"].(map[string]any)
	return in, ok
}

func (g comfyGraph) class(id string) string {
	n, _ := g[id].(map[string]any)
	class, _ := n["class_type"].(string)
	return class
}

// title returns the title of a node in the editor, or its class if it has none.
func (g comfyGraph) title(id string) string {
	n, _ := g[id].(map[string]any)
	meta, _ := n["_meta"].(map[string]any)
	if title, _ := meta["title"].(string); title != "" {
		return title
	}
	return g.class(id)
}

// comfyLink reads [node id, output number].
func comfyLink(v any) (id string, slot int, ok bool) {
	list, _ := v.([]any)
	if len(list) != 2 {
		return "", 0, false
	}
	id, okID := list[0].(string)
	n, okSlot := list[1].(json.Number)
	slot, err := strconv.Atoi(n.String())
	return id, slot, okID && okSlot && err == nil
}

// comfyProblem is an error as ComfyUI words it.
type comfyProblem struct {
	Type    string         `json:"type"`
	Message string         `json:"message"`
	Details string         `json:"details"`
	Extra   map[string]any `json:"extra_info"`
}

type comfyNodeProblems struct {
	Errors  []comfyProblem `json:"errors"`
	Outputs []string       `json:"dependent_outputs"`
	Class   string         `json:"class_type"`
}

// comfyVerdict is the result of validating a graph. crash marks the exceptions that the real server
// does not catch.
type comfyVerdict struct {
	crash   bool
	problem *comfyProblem
	nodes   map[string]*comfyNodeProblems
	good    []string // outputs that can be run
}

// comfyKeys lists the keys of an object in the order of the text: the server checks nodes one by
// one and stops at the first bad one.
func comfyKeys(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var keys []string
	for dec.More() {
		tok, err := dec.Token()
		key, ok := tok.(string)
		var skip json.RawMessage
		if err != nil || !ok || dec.Decode(&skip) != nil {
			return keys
		}
		keys = append(keys, key)
	}
	return keys
}

// comfyValidate makes the checks that the server makes before it queues a graph. newer enables the
// error types of versions after 0.10. Their types are those of real servers; the rest of their text
// is reproduced as far as it is known.
func comfyValidate(library map[string]*comfyNode, g comfyGraph, keys []string, files func(name string) bool,
	newer bool) comfyVerdict {
	var sinks []string
	for _, id := range keys {
		bad := func(message string) comfyVerdict {
			return comfyVerdict{problem: &comfyProblem{Type: "invalid_prompt", Message: message,
				Details: fmt.Sprintf("Node ID '#%s'", id), Extra: map[string]any{}}}
		}
		switch g[id].(type) {
		case map[string]any, []any, string:
		default:
			return comfyVerdict{crash: true}
		}
		class := g.class(id)
		if class == "" {
			return bad("Cannot execute because a node is missing the class_type property.")
		}
		node := library[class]
		if node == nil && newer {
			return comfyVerdict{problem: &comfyProblem{Type: "missing_node_type",
				Message: fmt.Sprintf("Node '%s' not found. The custom node may not be installed.", g.title(id)),
				Details: fmt.Sprintf("Node ID '#%s'", id),
				Extra:   map[string]any{"node_id": id, "class_type": class, "node_title": g.title(id)}}}
		}
		if node == nil {
			return bad(fmt.Sprintf("Cannot execute because node %s does not exist.", class))
		}
		if node.sink {
			sinks = append(sinks, id)
		}
	}
	if len(sinks) == 0 {
		return comfyVerdict{problem: &comfyProblem{Type: "prompt_no_outputs", Message: "Prompt has no outputs",
			Extra: map[string]any{}}}
	}
	v := &comfyChecker{library: library, graph: g, files: files, valid: map[string]bool{},
		errors: map[string][]comfyProblem{}, busy: map[string]bool{}, newer: newer}
	return v.verdict(sinks)
}

type comfyChecker struct {
	library map[string]*comfyNode
	graph   comfyGraph
	files   func(name string) bool // whether a picture was uploaded
	valid   map[string]bool
	errors  map[string][]comfyProblem
	busy    map[string]bool
	newer   bool
	way     []string // to the node that is looked at, from the output
}

func (c *comfyChecker) verdict(sinks []string) comfyVerdict {
	out := comfyVerdict{nodes: map[string]*comfyNodeProblems{}}
	var details []string
	for _, sink := range sinks {
		if c.check(sink) {
			out.good = append(out.good, sink)
			continue
		}
		for _, e := range c.errors[sink] {
			details = append(details, e.Message+": "+e.Details)
		}
		for id, list := range c.errors {
			if len(list) > 0 && c.reaches(sink, id, map[string]bool{}) {
				if out.nodes[id] == nil {
					out.nodes[id] = &comfyNodeProblems{Errors: list, Class: c.graph.class(id)}
				}
				out.nodes[id].Outputs = append(out.nodes[id].Outputs, sink)
			}
		}
	}
	if len(out.good) == 0 {
		out.problem = &comfyProblem{Type: "prompt_outputs_failed_validation",
			Message: "Prompt outputs failed validation", Details: strings.Join(details, "\n"), Extra: map[string]any{}}
	}
	return out
}

func (c *comfyChecker) reaches(from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	in, _ := c.graph.inputs(from)
	for _, v := range in {
		if id, _, ok := comfyLink(v); ok && c.reaches(id, to, seen) {
			return true
		}
	}
	return false
}

// check validates a node and the nodes that it depends on.
func (c *comfyChecker) check(id string) bool {
	if done, ok := c.valid[id]; ok {
		return done
	}
	if c.busy[id] || len(c.busy) > 500 { // a cycle: old versions refuse it without naming a node
		if at := slices.Index(c.way, id); c.newer && at >= 0 {
			circle := append(slices.Clone(c.way[at:]), id)
			for _, node := range c.way[at:] {
				c.blame(node, "dependency_cycle", "Dependency cycle detected", strings.Join(circle, " -> "),
					map[string]any{})
			}
		}
		return false
	}
	c.busy[id] = true
	c.way = append(c.way, id)
	defer func() { delete(c.busy, id); c.way = c.way[:len(c.way)-1] }()
	in, ok := c.graph.inputs(id)
	if !ok {
		c.errors[id] = []comfyProblem{comfyException("inputs")}
		c.valid[id] = false
		return false
	}
	good := true
	for _, want := range c.library[c.graph.class(id)].inputs {
		value, there := in[want.name]
		if !there && want.optional {
			continue
		}
		if !there {
			c.blame(id, "required_input_missing", "Required input is missing", want.name,
				map[string]any{"input_name": want.name})
			continue
		}
		list, isList := value.([]any)
		if !isList {
			c.literal(id, want, value)
			continue
		}
		up, slot, ok := comfyLink(list)
		if !ok {
			c.blame(id, "bad_linked_input", "Bad linked input, must be a length-2 list of [node_id, slot_index]",
				want.name, want.extra(value))
			continue
		}
		if _, there := c.graph[up]; !there && c.newer && len(c.way) > 1 {
			// Whoever depends on this node is blamed, not the node itself.
			c.inner(up)
			c.valid[id] = false
			return false
		}
		if _, there := c.graph[up]; !there {
			c.errors[id] = []comfyProblem{comfyException(up)}
			c.valid[id] = false
			return false
		}
		if got := c.output(up, slot); got != want.kind {
			extra := want.extra(nil)
			delete(extra, "received_value")
			extra["received_type"], extra["linked_node"] = got, list
			c.blame(id, "return_type_mismatch", "Return type mismatch between linked nodes",
				fmt.Sprintf("%s, received_type(%s) mismatch input_type(%s)", want.name, got, want.kind), extra)
			continue
		}
		good = c.check(up) && good
	}
	c.valid[id] = good && len(c.errors[id]) == 0
	return c.valid[id]
}

// inner reports a fault in what the last node on the way depends on, at the node before the last.
func (c *comfyChecker) inner(missing string) {
	by, at := c.way[len(c.way)-2], c.way[len(c.way)-1]
	name := ""
	in, _ := c.graph.inputs(by)
	for input, v := range in {
		if up, _, ok := comfyLink(v); ok && up == at && (name == "" || input < name) {
			name = input
		}
	}
	c.blame(by, "exception_during_inner_validation", "Exception when validating inner node", "'"+missing+"'",
		map[string]any{"input_name": name, "exception_message": "'" + missing + "'", "exception_type": "KeyError",
			"traceback": []string{}, "linked_node": []any{at, 0}})
}

func (c *comfyChecker) output(id string, slot int) string {
	node := c.library[c.graph.class(id)]
	if node == nil || slot < 0 || slot >= len(node.outputs) {
		return "*"
	}
	return node.outputs[slot]
}

func (in comfyInput) extra(received any) map[string]any {
	return map[string]any{"input_name": in.name, "input_config": in.config(nil), "received_value": received}
}

func comfyException(key string) comfyProblem {
	return comfyProblem{
		Type: "exception_during_validation", Message: "Exception when validating node", Details: "'" + key + "'",
		Extra: map[string]any{"exception_type": "KeyError", "traceback": []string{}},
	}
}

func (c *comfyChecker) blame(id, kind, message, details string, extra map[string]any) {
	c.errors[id] = append(c.errors[id], comfyProblem{Type: kind, Message: message, Details: details, Extra: extra})
}

// literal checks a value that is written into the graph.
func (c *comfyChecker) literal(id string, in comfyInput, value any) {
	switch in.kind {
	case "INT", "FLOAT":
		c.number(id, in, value)
	case "COMBO":
		text, _ := value.(string)
		if slices.Contains(in.choices, text) {
			return
		}
		list, extra := "["+comfyQuoted(in.choices)+"]", in.extra(value)
		if len(in.choices) > 20 {
			list = fmt.Sprintf("(list of length %d)", len(in.choices))
			extra["input_config"] = nil
		}
		c.blame(id, "value_not_in_list", "Value not in list",
			fmt.Sprintf("%s: '%v' not in %s", in.name, value, list), extra)
	case "FILE":
		if name, _ := value.(string); c.files(name) {
			return
		}
		c.blame(id, "custom_validation_failed", "Custom validation failed for node",
			fmt.Sprintf("%s - Invalid image file: %v", in.name, value), map[string]any{"input_name": in.name})
	}
}

func comfyQuoted(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = "'" + s + "'"
	}
	return strings.Join(quoted, ", ")
}

func (c *comfyChecker) number(id string, in comfyInput, value any) {
	text := fmt.Sprint(value)
	// Seeds go to 2^64-1, which is more than a float can represent exactly.
	n, _, err := big.ParseFloat(text, 10, 128, big.ToNearestEven)
	if err != nil {
		reason := fmt.Sprintf("invalid literal for int() with base 10: '%s'", text)
		if in.kind == "FLOAT" {
			reason = fmt.Sprintf("could not convert string to float: '%s'", text)
		}
		extra := in.extra(value)
		extra["exception_message"] = reason
		c.blame(id, "invalid_input_type", "Failed to convert an input value to a "+in.kind+" value",
			fmt.Sprintf("%s, %s, %s", in.name, text, reason), extra)
		return
	}
	bound := func(text string) *big.Float {
		n, _, err := big.ParseFloat(text, 10, 128, big.ToNearestEven)
		if err != nil {
			return nil
		}
		return n
	}
	if low := bound(in.min); low != nil && n.Cmp(low) < 0 {
		c.blame(id, "value_smaller_than_min", fmt.Sprintf("Value %s smaller than min of %s", text, in.min), in.name,
			in.extra(value))
	}
	if high := bound(in.max); high != nil && n.Cmp(high) > 0 {
		c.blame(id, "value_bigger_than_max", fmt.Sprintf("Value %s bigger than max of %s", text, in.max), in.name,
			in.extra(value))
	}
}
