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

// maxNames limits how many model names of one kind are read from a server.
const maxNames = 5000

// Stats are a server's system statistics. Memory is in bytes.
type Stats struct {
	Version  string
	OS       string
	RAMTotal int64
	RAMFree  int64
	Devices  []Device
}

// Device is a compute device of a server. Memory is in bytes.
type Device struct {
	Name, Type          string
	VRAMTotal, VRAMFree int64
}

// Stats returns the server's statistics; it is also the cheapest way to check that it exists.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	var raw struct {
		System *struct {
			OS       string  `json:"os"`
			Version  string  `json:"comfyui_version"`
			RAMTotal float64 `json:"ram_total"`
			RAMFree  float64 `json:"ram_free"`
		} `json:"system"`
		Devices []struct {
			Name      string  `json:"name"`
			Type      string  `json:"type"`
			VRAMTotal float64 `json:"vram_total"`
			VRAMFree  float64 `json:"vram_free"`
		} `json:"devices"`
	}
	if err := c.getJSON(ctx, "/system_stats", maxSmall, &raw); err != nil {
		return Stats{}, fmt.Errorf("comfy stats: %w", err)
	}
	if raw.System == nil {
		return Stats{}, fmt.Errorf("comfy stats: %w: %s has no system in its statistics", ErrNotComfy, c.base.Host)
	}
	s := Stats{Version: clip(raw.System.Version, 60), OS: clip(raw.System.OS, 60), RAMTotal: int64(raw.System.RAMTotal),
		RAMFree: int64(raw.System.RAMFree)}
	for _, d := range raw.Devices[:min(len(raw.Devices), 32)] {
		s.Devices = append(s.Devices, Device{Name: clip(d.Name, 200), Type: clip(d.Type, 60),
			VRAMTotal: int64(d.VRAMTotal), VRAMFree: int64(d.VRAMFree)})
	}
	return s, nil
}

// Free asks the server to unload its models and free their memory.
func (c *Client) Free(ctx context.Context) error {
	if err := c.post(ctx, "/free", map[string]bool{"unload_models": true, "free_memory": true}); err != nil {
		return fmt.Errorf("comfy free: %w", err)
	}
	return nil
}

// Queue returns the number of jobs on the server, including those of other clients.
func (c *Client) Queue(ctx context.Context) (running, pending int, err error) {
	q, err := c.queue(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("comfy queue: %w", err)
	}
	return len(q.Running), len(q.Pending), nil
}

// Checkpoints returns the server's checkpoints, in its order.
func (c *Client) Checkpoints(ctx context.Context) ([]string, error) {
	return c.Models(ctx, "checkpoints")
}

// Models returns the files of one of the server's model folders: checkpoints, diffusion_models,
// text_encoders, vae, loras. Servers that are too old for that route are asked for the choices of
// the node that loads such files.
func (c *Client) Models(ctx context.Context, folder string) ([]string, error) {
	a, err := c.call(ctx, http.MethodGet, c.url("/models/"+folder, nil), nil, maxSmall, c.intervals.call)
	if err != nil {
		return nil, fmt.Errorf("comfy models: %w", err)
	}
	var names []string
	if a.status == http.StatusOK && json.Unmarshal(a.data, &names) == nil {
		return tidyNames(names), nil
	}
	loader, ok := loaderClasses()[folder]
	if !ok || (a.status == http.StatusOK && a.isHTML()) {
		return nil, fmt.Errorf("comfy models: %w", c.unexpectedResponse(a, "/models/"+folder))
	}
	names, err = c.choices(ctx, loader[0], loader[1])
	if err != nil {
		return nil, fmt.Errorf("comfy models: %w", err)
	}
	return tidyNames(names), nil
}

// loaderClasses returns, by folder, the node and the input that lists its files.
func loaderClasses() map[string][2]string {
	return map[string][2]string{
		"checkpoints":      {"CheckpointLoaderSimple", "ckpt_name"},
		"diffusion_models": {"UNETLoader", "unet_name"},
		"text_encoders":    {"CLIPLoader", "clip_name"},
		"vae":              {"VAELoader", "vae_name"},
		"loras":            {"LoraLoader", "lora_name"},
	}
}

// choices returns the values that a node offers for one of its inputs.
func (c *Client) choices(ctx context.Context, class, input string) ([]string, error) {
	var info map[string]struct {
		Input struct {
			Required map[string]json.RawMessage `json:"required"`
			Optional map[string]json.RawMessage `json:"optional"`
		} `json:"input"`
	}
	if err := c.getJSON(ctx, "/object_info/"+url.PathEscape(class), maxLarge, &info); err != nil {
		return nil, err
	}
	node, ok := info[class]
	if !ok {
		return nil, fmt.Errorf("%w: %s has no node %s", ErrNotComfy, c.base.Host, class)
	}
	config, ok := node.Input.Required[input]
	if !ok {
		config = node.Input.Optional[input]
	}
	names, _ := configChoices(config)
	return names, nil
}

// configChoices returns the allowed values in an input's description, or some of them if there are
// very many.
func configChoices(config json.RawMessage) (names []string, known bool) {
	values, known := choiceList(config)
	for _, v := range values[:min(len(values), maxNames)] {
		names = append(names, clip(fmt.Sprint(v), 300))
	}
	return names, known
}

// choiceList returns the allowed values in an input's description, which is [[values], {...}] or
// ["COMBO", {"options": [values]}].
func choiceList(config json.RawMessage) (values []any, known bool) {
	var parts []json.RawMessage
	if json.Unmarshal(config, &parts) != nil || len(parts) == 0 {
		return nil, false
	}
	list := parts[0]
	var kind string
	if json.Unmarshal(list, &kind) == nil {
		var extra struct {
			Options json.RawMessage `json:"options"`
		}
		if kind != "COMBO" || len(parts) < 2 || json.Unmarshal(parts[1], &extra) != nil {
			return nil, false
		}
		list = extra.Options
	}
	if len(list) == 0 || json.Unmarshal(list, &values) != nil || values == nil {
		return nil, false
	}
	return values, true
}

func tidyNames(names []string) []string {
	var out []string
	for _, n := range names[:min(len(names), maxNames)] {
		if n = strings.TrimSpace(n); n != "" && len(n) <= 1000 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
