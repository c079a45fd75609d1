package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// maxGraph limits the size of a workflow, in a file and in a request.
const maxGraph = 4 << 20

// nodeName is the name of a node.
type nodeName struct{ title, class string }

// nodes are the names of a graph's nodes by ID.
type nodes map[string]nodeName

// at finds a node; IDs of nodes inside an expanded one ("12.0.3", "12:3") return the one that the
// user knows.
func (g nodes) at(id string) nodeName {
	if n, ok := g[id]; ok {
		return n
	}
	if i := strings.IndexAny(id, ".:"); i > 0 {
		return g[id[:i]]
	}
	return nodeName{}
}

// names reads the names from a graph, ignoring everything else.
func names(graph json.RawMessage) nodes {
	var raw map[string]json.RawMessage
	if json.Unmarshal(graph, &raw) != nil {
		return nil
	}
	g := make(nodes, len(raw))
	for id, data := range raw {
		var n struct {
			Class string          `json:"class_type"`
			Meta  json.RawMessage `json:"_meta"`
		}
		if json.Unmarshal(data, &n) != nil {
			continue
		}
		var meta struct {
			Title string `json:"title"`
		}
		_ = json.Unmarshal(n.Meta, &meta) // a title is optional
		g[id] = nodeName{title: clip(strings.TrimSpace(meta.Title), 120), class: clip(n.Class, 120)}
	}
	return g
}

type wireFault struct {
	Errors []struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details string `json:"details"`
		Extra   struct {
			Input    string          `json:"input_name"`
			Config   json.RawMessage `json:"input_config"`
			Received json.RawMessage `json:"received_value"`
		} `json:"extra_info"`
	} `json:"errors"`
	Class string `json:"class_type"`
}

// submit sends the job and returns its ID on the server, with warnings about branches that the
// server dropped.
func (c *Client) submit(ctx context.Context, job Job, clientID string) (id string, warnings []string, err error) {
	body := map[string]any{"prompt": job.Graph, "client_id": clientID, "prompt_id": job.PromptID}
	extra := map[string]string{}
	if !job.NoPreview {
		extra["preview_method"] = "auto"
	}
	if c.key != "" {
		extra["api_key_comfy_org"] = c.key
	}
	if len(extra) > 0 {
		body["extra_data"] = extra
	}
	a, err := c.call(ctx, http.MethodPost, c.url("/prompt", nil), body, maxLarge, 2*c.intervals.call)
	if err != nil {
		return "", nil, err
	}
	var resp struct {
		ID         string          `json:"prompt_id"`
		Error      json.RawMessage `json:"error"`
		NodeErrors json.RawMessage `json:"node_errors"`
	}
	broken := json.Unmarshal(a.data, &resp) != nil
	switch {
	case a.status == http.StatusOK && !broken && resp.ID != "":
		return resp.ID, droppedWarnings(faults(resp.NodeErrors, names(job.Graph))), nil
	case a.isDenied():
		return "", nil, c.deniedError(a, "/prompt")
	case broken && a.status == http.StatusInternalServerError && !a.isHTML():
		return "", nil, &RejectedError{Status: a.status, Type: "server_error",
			Message: clip(string(bytes.TrimSpace(a.data)), 500)}
	case a.status == http.StatusRequestEntityTooLarge:
		return "", nil, &RejectedError{Status: a.status, Type: "too_large",
			Message: "the workflow is too large for the server"}
	case broken || len(resp.Error) == 0:
		return "", nil, c.unexpectedResponse(a, "/prompt")
	}
	return "", nil, rejected(a.status, resp.Error, resp.NodeErrors, names(job.Graph))
}

func rejected(status int, errorData, nodeErrors json.RawMessage, g nodes) *RejectedError {
	e := &RejectedError{Status: status, Faults: faults(nodeErrors, g)}
	var m struct {
		Type    string          `json:"type"`
		Message string          `json:"message"`
		Details string          `json:"details"`
		Extra   json.RawMessage `json:"extra_info"`
	}
	if json.Unmarshal(errorData, &m) != nil {
		m.Message = looseString(errorData) // some forks return a bare string
	}
	e.Type, e.Message, e.Details = clip(m.Type, 100), clip(m.Message, 1000), clip(m.Details, 2000)
	if len(e.Faults) > 0 {
		return e
	}
	// An unknown node is in the message, and its ID in the details.
	if id, ok := idIn(m.Details); ok && g.at(id).class != "" {
		n := g.at(id)
		e.Faults = []NodeFault{{Node: clip(id, 100), Class: n.class, Title: n.title, Type: e.Type, Message: e.Message,
			Details: e.Details}}
	}
	return e
}

// idIn returns the ID in "Node ID '#12'".
func idIn(details string) (string, bool) {
	_, rest, ok := strings.Cut(details, "'#")
	if !ok {
		return "", false
	}
	id, _, ok := strings.Cut(rest, "'")
	return id, ok
}

// faults parses node_errors. It is an object, or an empty array on some servers.
func faults(data json.RawMessage, g nodes) []NodeFault {
	var raw map[string]wireFault
	if len(data) == 0 || json.Unmarshal(data, &raw) != nil {
		return nil
	}
	var out []NodeFault
	for id, w := range raw {
		n := g.at(id)
		class := w.Class
		if class == "" {
			class = n.class
		}
		for _, e := range w.Errors[:min(len(w.Errors), 50)] {
			f := NodeFault{
				Node: clip(id, 100), Class: clip(class, 120), Title: n.title,
				Type: clip(e.Type, 100), Message: clip(e.Message, 500), Details: clip(e.Details, 2000),
				Input: clip(e.Extra.Input, 200),
			}
			if len(e.Extra.Received) > 0 && string(e.Extra.Received) != "null" {
				if f.Received = looseString(e.Extra.Received); f.Received == "" {
					f.Received = string(e.Extra.Received)
				}
				f.Received = clip(f.Received, 300)
			}
			if e.Type == "value_not_in_list" {
				f.Choices, f.ChoicesKnown = configChoices(e.Extra.Config)
			}
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b NodeFault) int {
		if c := compareIDs(a.Node, b.Node); c != 0 {
			return c
		}
		return strings.Compare(a.Input+a.Type, b.Input+b.Type)
	})
	return out[:min(len(out), 100)]
}

// droppedWarnings describes the faults of an accepted job, whose branches were dropped.
func droppedWarnings(list []NodeFault) []string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("the server skipped part of the workflow: %s", f.text()))
	}
	return out
}
