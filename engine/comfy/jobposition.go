package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// queueState is the part of the server's queue that is needed.
type queueState struct {
	Running []queueItem `json:"queue_running"`
	Pending []queueItem `json:"queue_pending"`
}

// queueItem is [number, id, graph, ...] in JSON.
type queueItem struct {
	Number float64
	ID     string
}

func (q *queueItem) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	// Malformed entries still count as jobs.
	if len(parts) > 1 {
		_ = json.Unmarshal(parts[0], &q.Number)
		_ = json.Unmarshal(parts[1], &q.ID)
	}
	return nil
}

func (c *Client) queue(ctx context.Context) (queueState, error) {
	var raw struct {
		Running *[]queueItem `json:"queue_running"`
		Pending *[]queueItem `json:"queue_pending"`
	}
	a, err := c.call(ctx, "GET", c.url("/queue", nil), nil, maxLarge, c.intervals.call)
	if err != nil {
		return queueState{}, err
	}
	if a.status != 200 || json.Unmarshal(a.data, &raw) != nil || raw.Running == nil || raw.Pending == nil {
		return queueState{}, c.unexpectedResponse(a, "/queue")
	}
	return queueState{Running: *raw.Running, Pending: *raw.Pending}, nil
}

// jobPlace is a job's position on the server.
type jobPlace int

const (
	placeAbsent jobPlace = iota
	placePending
	placeRunning
	placeFinished
)

type jobPosition struct {
	place jobPlace
	ahead int           // jobs before a pending one
	entry *historyEntry // of a finished one
}

// find looks a job up. The queue comes first: a job moves from it to the history in one step, so
// that one in neither is really gone.
func (c *Client) find(ctx context.Context, id string) (jobPosition, error) {
	q, err := c.queue(ctx)
	if err != nil {
		return jobPosition{}, err
	}
	for _, it := range q.Running {
		if it.ID == id {
			return jobPosition{place: placeRunning}, nil
		}
	}
	for _, it := range q.Pending {
		if it.ID != id {
			continue
		}
		w := jobPosition{place: placePending, ahead: len(q.Running)}
		for _, other := range q.Pending { // a heap on the server, so not in order
			if other.Number < it.Number {
				w.ahead++
			}
		}
		return w, nil
	}
	entry, err := c.history(ctx, id)
	if err != nil || entry == nil {
		return jobPosition{}, err
	}
	return jobPosition{place: placeFinished, entry: entry}, nil
}

// historyEntry is the server's record of a finished job.
type historyEntry struct {
	Outputs nodeOutputs `json:"outputs"`
	Status  *struct {
		Text      string            `json:"status_str"`
		Completed bool              `json:"completed"`
		Messages  []json.RawMessage `json:"messages"`
	} `json:"status"`
}

// nodeOutputs are the outputs of nodes by ID.
type nodeOutputs map[string]nodeOutput

// UnmarshalJSON skips what cannot be read: the job has ended all the same.
func (o *nodeOutputs) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	*o = make(nodeOutputs, len(raw))
	for id, part := range raw {
		var out nodeOutput
		if json.Unmarshal(part, &out) == nil {
			(*o)[id] = out
		}
	}
	return nil
}

// nodeOutput is the output of one node, by kind: images, gifs, text, animated, ...
type nodeOutput map[string]json.RawMessage

// history returns the entry of a job; nil if there is none.
func (c *Client) history(ctx context.Context, id string) (*historyEntry, error) {
	route := "/history/" + url.PathEscape(id)
	a, err := c.call(ctx, "GET", c.url(route, nil), nil, maxLarge, c.intervals.call)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if a.status != 200 || json.Unmarshal(a.data, &all) != nil {
		return nil, c.unexpectedResponse(a, "/history")
	}
	data, ok := all[id]
	if !ok || bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil, nil
	}
	var e historyEntry
	if json.Unmarshal(data, &e) != nil {
		return nil, c.unexpectedResponse(a, "/history")
	}
	return &e, nil
}

// newest returns the ID of the last job in the server's history, "" if there is none or it is
// unknown.
func (c *Client) newest(ctx context.Context) string {
	a, err := c.call(ctx, "GET", c.url("/history", url.Values{"max_items": {"1"}}), nil, maxLarge, c.intervals.call)
	if err != nil || a.status != 200 {
		return ""
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(a.data, &all) // nothing on an error
	for id := range all {
		if id != "" && len(id) <= 100 {
			return id
		}
	}
	return ""
}

// fault returns the error of a finished job, nil on success. A failed job may have outputs too, so
// this is checked first.
func (e *historyEntry) fault(g nodes) error {
	if e.Status == nil || (e.Status.Text != "error" && (e.Status.Text != "" || e.Status.Completed)) {
		return nil
	}
	for i := len(e.Status.Messages) - 1; i >= 0; i-- {
		switch kind, data := historyMessage(e.Status.Messages[i]); kind {
		case "execution_interrupted":
			return ErrInterrupted
		case "execution_error":
			return runError(data, g)
		}
	}
	if e.Status.Text != "error" {
		return nil
	}
	return ErrFailed
}

// historyMessage parses a message in a history entry: its kind, "" if it is malformed, and its
// data.
func historyMessage(message json.RawMessage) (kind string, data json.RawMessage) {
	var parts []json.RawMessage
	if json.Unmarshal(message, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &kind) != nil {
		return "", nil
	}
	return kind, parts[1]
}

// runError parses the data of an execution_error message.
func runError(data json.RawMessage, g nodes) error {
	var m struct {
		Node    json.RawMessage `json:"node_id"`
		Class   string          `json:"node_type"`
		Message string          `json:"exception_message"`
		Type    string          `json:"exception_type"`
	}
	if json.Unmarshal(data, &m) != nil {
		return ErrFailed
	}
	id := looseString(m.Node)
	e := &RunError{Node: clip(id, 100), Class: clip(m.Class, 200), Type: clip(m.Type, 200),
		Message: clip(m.Message, 4000)}
	n := g.at(id)
	e.Title = n.title
	if e.Class == "" {
		e.Class = n.class
	}
	return e
}

// looseString returns a JSON string or number as text, "" for anything else.
func looseString(data json.RawMessage) string {
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(data, &n) == nil {
		return n.String()
	}
	return ""
}

// compareIDs orders node IDs numerically: 2 before 10, and numbers before names.
func compareIDs(a, b string) int {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case errA == nil && errB != nil:
		return -1
	case errA != nil && errB == nil:
		return 1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
