package comfy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// maxNodes limits the nodes of a workflow.
const maxNodes = 5000

// Kind is the kind of a workflow's output.
type Kind string

// The kinds of output.
const (
	KindImage Kind = "image"
	KindVideo Kind = "video"
)

// Workflow is a graph that a prompt can be put into. It is immutable after it was read, so it is
// safe for concurrent use.
type Workflow struct {
	// Name is the file's name without .json.
	Name string
	// Builtin reports whether it is bundled.
	Builtin bool
	graph   map[string]any
	plan    WorkflowInfo
	mapped  Map // the user's map; nil for what is found
}

// WorkflowInfo describes what Fill does with a workflow.
type WorkflowInfo struct {
	Kind Kind `json:"kind"`
	// Summary is "placeholders" if the file marks the inputs itself, "links" if they were found by
	// following its sampler, and "map" if a Map sets them.
	Summary string `json:"how"`
	// Found lists which nodes take what, as text.
	Found []string `json:"found"`
	// Warnings are things in the file that will probably not work as intended.
	Warnings []string `json:"warnings"`
	// NeedsTrigger reports a separate place for the trigger word.
	NeedsTrigger bool `json:"-"`
	HasNegative  bool `json:"-"`
	HasSeed      bool `json:"-"`
	HasSize      bool `json:"-"`
	// Pictures are the pictures that the workflow takes, by the names of Values.Pictures.
	Pictures []string `json:"pictures"`
	// HasLora reports a place for a character's LoRA.
	HasLora bool `json:"lora"`
	// Text describes the text encoder, as far as the file shows.
	Text Text `json:"text"`
	// needs are the models that Fill chooses.
	needs []modelNeed
}

// Values are the values that Fill puts into a workflow. Zero numbers and empty strings other than
// Negative mean the defaults: size 1024, 20 steps, cfg 7, euler, normal.
type Values struct {
	Prompt, Negative string
	Seed             int64 // at least 0; see RandomSeed
	Width, Height    int   // in pixels
	Trigger          string
	Checkpoint       string
	DiffusionModel   string
	TextEncoder, VAE string
	// SecondTextEncoder is the second encoder of models that use two.
	SecondTextEncoder string
	// Lora is the file of a character's LoRA and LoraWeight its weight, 0 for 1. Without one,
	// nodes that only load it are removed.
	Lora       string
	LoraWeight float64
	// Pictures are the input pictures by name: reference, reference_2 and so on, source (the start
	// picture), char_avatar and user_avatar.
	Pictures map[string]Picture
	// Denoise is the part of the source picture that may change, from 0 to 1; 0 means all.
	Denoise   float64
	Steps     int
	Scale     float64
	Sampler   string
	Scheduler string
}

// RandomSeed returns a new seed, never 0. It fits the 32 bits of some nodes.
func RandomSeed() int64 { return 1 + rand.Int64N(1<<32-2) }

// ReadWorkflow reads a workflow in API format, bare or wrapped in {"prompt": ...}. The error is an
// *EditorFormatError or a *WorkflowError. Check reports whether a prompt can be put into it: a
// complete graph may be run as it is.
func ReadWorkflow(name string, data []byte) (Workflow, error) {
	tree, err := decodeTree(name, data)
	if err != nil {
		return Workflow{}, err
	}
	graph, ok := tree.(map[string]any)
	if !ok {
		return Workflow{}, &WorkflowError{Name: name, Reason: "the file is not a JSON object"}
	}
	if editorFormat(graph) {
		return Workflow{}, &EditorFormatError{Name: name}
	}
	if inner, ok := graph["prompt"].(map[string]any); ok && graph["class_type"] == nil && inner["class_type"] == nil {
		if graph = inner; editorFormat(graph) {
			return Workflow{}, &EditorFormatError{Name: name}
		}
	}
	graph = withoutComments(graph)
	if err := checkGraph(name, graph); err != nil {
		return Workflow{}, err
	}
	w := Workflow{Name: name, graph: graph}
	w.plan = w.inspect()
	return w, nil
}

// editorFormat reports whether a graph is in the editor's format: lists of nodes and links.
func editorFormat(graph map[string]any) bool {
	_, nodes := graph["nodes"].([]any)
	_, links := graph["links"].([]any)
	_, version := graph["version"]
	_, last := graph["last_node_id"]
	return nodes && (links || version || last)
}

// withoutComments removes comments between the nodes, under names that begin with an underscore,
// which the server would refuse.
func withoutComments(graph map[string]any) map[string]any {
	out := maps.Clone(graph)
	maps.DeleteFunc(out, func(id string, node any) bool { return strings.HasPrefix(id, "_") && classOf(node) == "" })
	return out
}

func checkGraph(name string, graph map[string]any) error {
	if len(graph) == 0 {
		return &WorkflowError{Name: name, Reason: "the workflow has no nodes"}
	}
	if len(graph) > maxNodes {
		return &WorkflowError{Name: name, Reason: fmt.Sprintf("the workflow has more than %d nodes", maxNodes)}
	}
	for _, id := range sortedIDs(graph) {
		node, ok := graph[id].(map[string]any)
		if !ok {
			return &WorkflowError{Name: name,
				Reason: fmt.Sprintf("this is not a ComfyUI workflow in API format: %q is not a node", clip(id, 60))}
		}
		if class, ok := node["class_type"].(string); !ok || class == "" {
			return &WorkflowError{Name: name, Reason: fmt.Sprintf(
				"this is not a ComfyUI workflow in API format: node %q has no class_type", clip(id, 60))}
		}
		if inputs, there := node["inputs"]; there {
			if _, ok := inputs.(map[string]any); !ok {
				return &WorkflowError{Name: name,
					Reason: fmt.Sprintf("the inputs of node %q are not an object", clip(id, 60))}
			}
		}
	}
	return nil
}

// Inspect returns what Fill will do. It is cheap.
func (w Workflow) Inspect() WorkflowInfo { return w.plan }

// Check returns why a prompt cannot be put into the workflow, nil if it can.
func (w Workflow) Check() error {
	if len(w.graph) == 0 {
		return &WorkflowError{Name: w.Name, Reason: "the workflow has no nodes"}
	}
	_, err := w.targets()
	return err
}

// Fill returns the graph with the values inserted, ready for a Job. The same values always give the
// same bytes. The prompt is inserted unchanged: the trigger word is only inserted if the file has a
// separate place for it.
func (w Workflow) Fill(v Values) (json.RawMessage, error) {
	if err := w.checkValues(v); err != nil {
		return nil, err
	}
	t, err := w.targets()
	if err != nil {
		return nil, err
	}
	f := filler{values: v}
	graph := make(map[string]any, len(w.graph))
	for id, n := range w.graph {
		graph[id] = f.node(n.(map[string]any))
	}
	if v.Lora == "" {
		w.withoutLora(graph)
	}
	for _, at := range t.prompt {
		at.set(graph, v.Prompt)
	}
	for _, at := range t.negative {
		at.set(graph, v.Negative)
	}
	for _, at := range t.seed {
		at.set(graph, v.Seed)
	}
	if v.Width > 0 && v.Height > 0 {
		for _, at := range t.width {
			at.set(graph, v.Width)
		}
		for _, at := range t.height {
			at.set(graph, v.Height)
		}
	}
	for name, spots := range t.more {
		for _, at := range spots {
			if value, said := f.hasTextAt(name, classOf(w.graph[at.node]), at.input); said {
				at.set(graph, value)
			}
		}
	}
	return encodeTree(graph)
}

// Limits of values: pixels of a side, and bytes of a prompt.
const (
	MaxSide   = 16384
	MaxPrompt = 64 << 10
)

func (w Workflow) checkValues(v Values) error {
	bad := func(reason string) error { return &WorkflowError{Name: w.Name, Reason: reason} }
	switch {
	case len(w.graph) == 0:
		return bad("the workflow has no nodes")
	case v.Seed < 0:
		return bad("the seed must not be negative")
	case v.Width < 0 || v.Height < 0 || v.Width > MaxSide || v.Height > MaxSide:
		return bad("the size must be between 1 and 16384 pixels")
	case len(v.Prompt) > MaxPrompt || len(v.Negative) > MaxPrompt:
		return bad("the prompt is too long")
	}
	for _, n := range w.plan.needs {
		if *n.valueIn(&v) == "" && n.fileModel == "" {
			return bad(fmt.Sprintf("no %s has been chosen for it", n.word()))
		}
	}
	return w.checkPictures(v)
}

// kind detects the kind by the nodes that save something.
func (w Workflow) kind() Kind {
	for _, n := range w.graph {
		class, _ := n.(map[string]any)["class_type"].(string)
		class = strings.ToLower(class)
		for _, sign := range []string{"savevideo", "savewebm", "saveanimated", "videocombine", "video_combine",
			"createvideo"} {
			if strings.Contains(class, sign) {
				return KindVideo
			}
		}
	}
	return KindImage
}

// nodeInput is an input of a node in a graph.
type nodeInput struct{ node, input string }

// set sets a value; numbers become exact JSON numbers.
func (s nodeInput) set(graph map[string]any, value any) {
	node, ok := graph[s.node].(map[string]any)
	if !ok {
		return
	}
	inputs, ok := node["inputs"].(map[string]any)
	if !ok {
		return
	}
	switch v := value.(type) {
	case int:
		inputs[s.input] = json.Number(fmt.Sprint(v))
	case int64:
		inputs[s.input] = json.Number(fmt.Sprint(v))
	default:
		inputs[s.input] = v
	}
}

func inputsOf(node any) map[string]any {
	n, _ := node.(map[string]any)
	inputs, _ := n["inputs"].(map[string]any)
	return inputs
}

func classOf(node any) string {
	n, _ := node.(map[string]any)
	class, _ := n["class_type"].(string)
	return class
}

// label returns the name of a node of the workflow for the user.
func (w Workflow) label(id string) string {
	n, _ := w.graph[id].(map[string]any)
	meta, _ := n["_meta"].(map[string]any)
	title, _ := meta["title"].(string)
	return label(clip(id, 60), clip(classOf(n), 120), clip(strings.TrimSpace(title), 120))
}
