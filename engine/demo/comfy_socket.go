package demo

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// comfyFrame is one message on its way to a socket.
type comfyFrame struct {
	binary bool
	data   []byte
}

// comfyClient is one socket. Its channel is written to under the lock of its
// Comfy and never closed.
type comfyClient struct {
	out      chan comfyFrame
	cancel   context.CancelFunc
	metadata bool // it asked for previews that name their job
}

// serveSocket holds one socket open until either side goes.
func (c *Comfy) serveSocket(w http.ResponseWriter, r *http.Request) {
	if c.fault().NoSocket {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	id := r.URL.Query().Get("clientId")
	if id == "" {
		id = uuid.NewString()
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	client := &comfyClient{out: make(chan comfyFrame, 4096), cancel: cancel}
	c.join(id, client)
	// Like the real server, whoever leaves takes the id along, also when a newer
	// socket holds it by now.
	defer func() {
		c.mu.Lock()
		delete(c.clients, id)
		c.mu.Unlock()
	}()
	done := make(chan struct{})
	crash.Go("demo comfyui socket", func() {
		defer close(done)
		defer cancel()
		c.listenTo(ctx, conn, client)
	})
	for {
		select {
		case <-ctx.Done():
			_ = conn.CloseNow()
			<-done
			return
		case f := <-client.out:
			kind := websocket.MessageText
			if f.binary {
				kind = websocket.MessageBinary
			}
			if conn.Write(ctx, kind, f.data) != nil {
				cancel()
			}
		}
	}
}

// join registers a client and greets it. A client that comes back while its job runs receives the
// node at work.
func (c *Comfy) join(id string, client *comfyClient) {
	status := map[string]any{"status": c.execInfo(), "sid": id}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[id] = client
	client.send("status", status)
	if j := c.running; j != nil && j.client == id && j.node != "" {
		client.send("executing", map[string]any{"node": j.node})
	}
}

// listenTo reads the client's messages. Only the first one has a meaning.
func (c *Comfy) listenTo(ctx context.Context, conn *websocket.Conn, client *comfyClient) {
	for first := true; ; first = false {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			Type string `json:"type"`
			Data struct {
				Metadata bool `json:"supports_preview_metadata"`
			} `json:"data"`
		}
		if !first || json.Unmarshal(data, &m) != nil || m.Type != "feature_flags" {
			continue
		}
		c.mu.Lock()
		client.metadata = m.Data.Metadata
		client.send("feature_flags", comfyFeatures())
		c.mu.Unlock()
	}
}

// send queues a message; a client that does not read loses its socket. The
// caller holds the lock.
func (k *comfyClient) send(kind string, data any) {
	text, err := json.Marshal(map[string]any{"type": kind, "data": data})
	if err != nil {
		return
	}
	k.push(comfyFrame{data: text})
}

func (k *comfyClient) push(f comfyFrame) {
	select {
	case k.out <- f:
	default:
		k.cancel()
	}
}

// tell sends a message to one client, or to all if id is empty.
func (c *Comfy) tell(id, kind string, data any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, k := range c.clients {
		if !c.faults.Silent && (id == "" || name == id) {
			k.send(kind, data)
		}
	}
}

func (c *Comfy) tellStatus() { c.tell("", "status", map[string]any{"status": c.execInfo()}) }

func (c *Comfy) execInfo() map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.pending)
	if c.running != nil {
		n++
	}
	return map[string]any{"exec_info": map[string]int{"queue_remaining": n}}
}

// tellPreview sends a JPEG in the form that each client asked for.
func (c *Comfy) tellPreview(j *comfyJob, node string, picture []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, k := range c.clients {
		if c.faults.Silent || j.client != "" && name != j.client {
			continue
		}
		var head []byte
		if k.metadata {
			meta, err := json.Marshal(map[string]any{
				"node_id": node, "prompt_id": j.id, "display_node_id": node, "parent_node_id": nil,
				"real_node_id": node, "image_type": "image/jpeg",
			})
			if err != nil {
				return
			}
			head = append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 4), uint32(len(meta))),
				meta...)
		} else {
			head = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 1), 1)
		}
		k.push(comfyFrame{binary: true, data: append(head, picture...)})
	}
}

// hangUp closes every socket.
func (c *Comfy) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.clients {
		k.cancel()
	}
}
