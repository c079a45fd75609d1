package comfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// made is one file that a job made, in the server's words.
type made struct {
	Filename  string `json:"filename"`
	Subfolder string `json:"subfolder"`
	Type      string `json:"type"`
	node      string
	moving    bool // a video, or a picture that moves
}

// ext is the format that the file's name promises, "" for one that is none.
func (m made) ext() string {
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

// collect picks the file out of what the job made and fetches it.
func (r *run) collect(ctx context.Context) (Output, error) {
	outputs := r.executed
	if r.entry != nil && len(r.entry.Outputs) > 0 {
		outputs = r.entry.Outputs
	}
	files, odd := listFiles(outputs)
	if len(files) == 0 && r.socketPNG != nil {
		return Output{Data: r.socketPNG, Filename: "picture.png", Format: "png", Warnings: r.warnings, PromptID: r.id, LastPreview: r.preview}, nil
	}
	if len(files) == 0 {
		if odd != "" {
			return Output{}, fmt.Errorf("%w: its file %q is of a kind that cannot be kept", ErrNoOutput, odd)
		}
		return Output{}, ErrNoOutput
	}
	best, same := choose(files, r.job.Video)
	data, format, err := r.c.fetch(ctx, best)
	if err != nil {
		return Output{}, err
	}
	warnings := r.warnings
	if same > 1 {
		warnings = append(slices.Clone(warnings), fmt.Sprintf("the workflow made %d files; the first one is kept", same))
	}
	return Output{Data: data, Filename: showName(best.Filename), Format: format, Warnings: warnings, PromptID: r.id, LastPreview: r.preview}, nil
}

// listFiles finds the files under whatever key the nodes put them, in the order
// of the nodes. odd is the name of one whose kind is of no use.
func listFiles(outputs map[string]nodeOutput) (files []made, odd string) {
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
				list = []json.RawMessage{out[key]} // some nodes tell of one file without a list
			}
			for i, data := range list[:min(len(list), 1000)] {
				m := made{node: id}
				if json.Unmarshal(data, &m) != nil || m.Filename == "" {
					continue
				}
				switch m.ext() {
				case "":
					odd = showName(m.Filename)
					continue
				case "mp4", "webm", "gif":
					m.moving = true
				case "png", "webp":
					m.moving = key == "images" && out.animated(i)
				}
				files = append(files, m)
			}
		}
	}
	return files, odd
}

// animated tells whether the node says of its i-th picture that it moves.
func (o nodeOutput) animated(i int) bool {
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

// choose picks the file that is meant to be kept: the kind that was asked for, and
// of that a saved one before a preview. same counts its equals on the same node.
func choose(files []made, video bool) (best made, same int) {
	rank := func(m made) int {
		n := 0
		if m.Type == "output" {
			n++
		}
		if m.moving == video || (video && m.ext() == "webp") {
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
		if m.node == best.node && rank(m) == rank(best) {
			same++
		}
	}
	return best, same
}

// fetchTries is how often a file is asked for before it is given up.
const fetchTries = 3

// fetch reads a file whole and tells its format by its bytes. A file that comes
// broken is asked for again, and a server that is away, perhaps because it
// restarts, is waited for as long as in the middle of a job: the work is done, and
// only the way here failed. Its error is a *FetchError, or the context's own.
func (c *Client) fetch(ctx context.Context, m made) ([]byte, string, error) {
	began := time.Now()
	for try := 1; ; try++ {
		data, format, err := c.fetchOnce(ctx, m)
		var broken *FetchError
		if err == nil || ctx.Err() != nil || !errors.As(err, &broken) || !broken.again() {
			return data, format, err
		}
		if try >= fetchTries && (!away(err) || time.Since(began) >= c.pace.lost) {
			return nil, "", err
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(c.pace.poll):
		}
	}
}

func (c *Client) fetchOnce(ctx context.Context, m made) ([]byte, string, error) {
	limit, thing := int64(maxImage), "picture"
	switch m.ext() {
	case "mp4", "webm":
		limit, thing = maxVideo, "video"
	case "webp", "gif": // may move
		limit = maxVideo
	}
	query := url.Values{"filename": {m.Filename}, "subfolder": {m.Subfolder}, "type": {firstOf(m.Type, "output")}}
	name := showName(m.Filename)
	fail := func(there bool, kind error, format string, args ...any) error {
		reason := "the " + thing + " " + fmt.Sprintf(format, args...)
		folder := ""
		if there {
			folder = showName(firstOf(m.Type, "output"))
		}
		return &FetchError{Filename: name, Reason: reason, Folder: folder, Err: kind}
	}
	a, err := c.call(ctx, http.MethodGet, c.url("/view", query), nil, limit, c.pace.fetch)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, errTooLarge):
		return nil, "", fail(true, ErrNoOutput, "is larger than %d MB, which is more than is taken", limit>>20)
	case err != nil:
		return nil, "", fail(true, err, "was made, but the connection was lost while it was fetched")
	case a.status == http.StatusNotFound:
		return nil, "", fail(false, ErrNoOutput, "was made, but the server no longer has its file %q", name)
	case a.status != http.StatusOK:
		return nil, "", fail(true, c.odd(a, "/view"), "was made, but the server does not give it out (status %d)", a.status)
	}
	format := sniff(a.data)
	switch {
	case len(a.data) == 0:
		return nil, "", fail(true, errBroken, "came broken: its file is empty")
	case format == "" && a.html():
		return nil, "", fail(true, c.odd(a, "/view"), "was made, but a web page came in its place")
	case format == "":
		return nil, "", fail(true, errBroken, "came broken: the file %q is not what its name says", name)
	case !complete(format, a.data):
		return nil, "", fail(true, errBroken, "came broken: its file ends too early")
	}
	return a.data, format, nil
}

// showName makes a server's file name fit to be shown.
func showName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name)
	return clip(name, 200)
}
