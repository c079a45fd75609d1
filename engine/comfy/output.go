package comfy

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// outputFile is one file of a job, as the server names it.
type outputFile struct {
	Filename  string `json:"filename"`
	Subfolder string `json:"subfolder"`
	Type      string `json:"type"`
	node      string
	isMoving  bool // a video or an animation
}

// ext returns the format of the file's extension, "" for an unknown one.
func (m outputFile) ext() string {
	switch strings.ToLower(path.Ext(m.Filename)) {
	case ".png", ".apng":
		return "png"
	case ".jpg", ".jpeg":
		return "jpeg"
	case ".webp":
		return "webp"
	case ".gif":
		return "gif"
	case ".mp4", ".m4v", ".mov":
		return "mp4"
	case ".webm", ".mkv":
		return "webm"
	}
	return ""
}

// collect chooses the job's file and fetches it.
func (r *run) collect(ctx context.Context) (Output, error) {
	files, odd := listFiles(r.outputs())
	took := r.duration()
	if len(files) == 0 && r.socketPNG != nil {
		return Output{Data: r.socketPNG, Filename: "picture.png", Format: "png", Warnings: r.warnings, PromptID: r.id,
			LastPreview: r.preview, Took: took}, nil
	}
	if len(files) == 0 {
		if odd != "" {
			return Output{}, fmt.Errorf("%w: its file %q has a type that cannot be stored", ErrNoOutput, odd)
		}
		return Output{}, ErrNoOutput
	}
	best, like := chooseOutput(files, r.job.Video)
	out, err := r.c.fetch(ctx, best, r.job.Spool)
	if err != nil {
		return Output{}, err
	}
	out.Warnings, out.PromptID, out.LastPreview, out.Took = r.warnings, r.id, r.preview, took
	for _, m := range like[1:] {
		out.Extra = append(out.Extra, ExtraFile{m})
	}
	return out, nil
}

// outputs returns the outputs of the nodes, from the history or the socket.
func (r *run) outputs() map[string]nodeOutput {
	if r.entry != nil && len(r.entry.Outputs) > 0 {
		return r.entry.Outputs
	}
	return r.executed
}

// duration returns how long the server has worked on the job, by its own report.
func (r *run) duration() time.Duration {
	if r.entry == nil || r.entry.Status == nil {
		return 0
	}
	var from, to int64
	for _, m := range r.entry.Status.Messages {
		kind, data := historyMessage(m)
		var at struct {
			Timestamp int64             `json:"timestamp"`
			Nodes     []json.RawMessage `json:"nodes"`
		}
		if kind == "" || json.Unmarshal(data, &at) != nil {
			continue
		}
		switch kind {
		case "execution_start":
			from = at.Timestamp
		case "execution_cached":
			for _, id := range at.Nodes {
				r.cached[looseString(id)] = true
			}
		case "execution_success":
			to = at.Timestamp
		}
	}
	took := time.Duration(to-from) * time.Millisecond
	if from <= 0 || took < 0 || took > maxJobDuration {
		return 0
	}
	return took
}

// maxJobDuration is longer than any job takes: a larger value means that the server's clock was
// set meanwhile.
const maxJobDuration = 7 * 24 * time.Hour

// Fetch fetches another file of a job; spool is as in Job.Spool. The error is a *FetchError, or
// the context's own.
func (c *Client) Fetch(ctx context.Context, more ExtraFile, spool Spool) (Output, error) {
	return c.fetch(ctx, more.file, spool)
}

// listFiles returns the files under any key, in the order of the nodes. odd is the name of one of
// an unusable kind.
func listFiles(outputs map[string]nodeOutput) (files []outputFile, odd string) {
	for _, id := range sortedIDs(outputs) {
		out := outputs[id]
		keys := make([]string, 0, len(out))
		for key := range out {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			var list []json.RawMessage
			if json.Unmarshal(out[key], &list) != nil {
				list = []json.RawMessage{out[key]} // some nodes report one file without a list
			}
			for i, data := range list[:min(len(list), 1000)] {
				m := outputFile{node: id}
				if json.Unmarshal(data, &m) != nil || m.Filename == "" {
					continue
				}
				switch m.ext() {
				case "":
					odd = showName(m.Filename)
					continue
				case "mp4", "webm", "gif":
					m.isMoving = true
				case "png", "webp":
					m.isMoving = key == "images" && out.isAnimated(i)
				}
				files = append(files, m)
			}
		}
	}
	return files, odd
}

// isAnimated reports whether the node marks its i-th picture as animated.
func (o nodeOutput) isAnimated(i int) bool {
	var list []bool
	return json.Unmarshal(o["animated"], &list) == nil && len(list) > 0 && list[min(i, len(list)-1)]
}

func sortedIDs[V any](m map[string]V) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// chooseOutput chooses the file to keep: of the requested kind, and a saved one before a preview.
// like are its equals of the same node, itself first.
func chooseOutput(files []outputFile, video bool) (best outputFile, like []outputFile) {
	rank := func(m outputFile) int {
		n := 0
		if m.Type == "output" {
			n++
		}
		if m.isMoving == video || (video && m.ext() == "webp") {
			n += 2
		}
		return n
	}
	best = files[0]
	for _, m := range files[1:] {
		if rank(m) > rank(best) {
			best = m
		}
	}
	for _, m := range files {
		if m.node == best.node && rank(m) == rank(best) && !slices.ContainsFunc(like,
			func(o outputFile) bool { return o == m }) {
			like = append(like, m)
		}
	}
	return best, like
}
