package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// queueState is the server's queue, reduced to what is needed of it.
type queueState struct {
	Running []queueItem `json:"queue_running"`
	Pending []queueItem `json:"queue_pending"`
}

// queueItem is [number, id, graph, ...] on the wire.
type queueItem struct {
	Number float64
	ID     string
}

func (q *queueItem) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	// Odd entries still count as jobs; they are just nobody's.
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

// jobPlace is where the server has a job.
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

// find looks a job up. The queue comes first: a job leaves it for the history in
// one step, so one that is in neither is really gone.
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

// historyEntry is what the server keeps of a finished job.
type historyEntry struct {
	Outputs nodeOutputs `json:"outputs"`
	Status  *struct {
		Text      string            `json:"status_str"`
		Completed bool              `json:"completed"`
		Messages  []json.RawMessage `json:"messages"`
	} `json:"status"`
}

// nodeOutputs are what the nodes made, by their ids.
type nodeOutputs map[string]nodeOutput

// UnmarshalJSON leaves out what cannot be read: the job has ended all the same.
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

// nodeOutput is what one node made, by kind: images, gifs, text, animated, ...
type nodeOutput map[string]json.RawMessage

// history reads the entry of a job; nil when there is none.
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

// newest is the id of the last job in the server's history, "" when there is none
// or it cannot be told.
func (c *Client) newest(ctx context.Context) string {
	a, err := c.call(ctx, "GET", c.url("/history", url.Values{"max_items": {"1"}}), nil, maxLarge, c.intervals.call)
	if err != nil || a.status != 200 {
		return ""
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(a.data, &all) // nothing, then
	for id := range all {
		if id != "" && len(id) <= 100 {
			return id
		}
	}
	return ""
}

// fault is the error a finished job ended with, nil when it went well. A failed
// job may have outputs too, so this is asked before them.
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

// historyMessage reads one of the messages that the history keeps of a job: its kind,
// "" for what is none, and its data.
func historyMessage(message json.RawMessage) (kind string, data json.RawMessage) {
	var parts []json.RawMessage
	if json.Unmarshal(message, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &kind) != nil {
		return "", nil
	}
	return kind, parts[1]
}

// runError reads the data of an execution_error message.
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
	e := &RunError{Node: clip(id, 100), Class: clip(m.Class, 200), Type: clip(m.Type, 200), Message: clip(m.Message, 4000)}
	n := g.at(id)
	e.Title = n.title
	if e.Class == "" {
		e.Class = n.class
	}
	return e
}

// looseString reads a JSON string or number as text, "" for anything else.
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

// compareIDs orders node ids as people count: 2 before 10, numbers before
// names.
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
