package ollama

import (
	"context"

	"github.com/ollama/ollama/api"
)

// maxLayers limits the parts of a model whose progress is added up.
const maxLayers = 1000

// PullProgress is the progress of a download. Done and Total are bytes over all parts that the
// server has named so far; Total is 0 until it has named one.
type PullProgress struct {
	Status      string
	Done, Total int64
}

// Pull makes the server download a model and returns when it is ready to use. onProgress, which may
// be nil, is called on the calling goroutine, many times a second. Ending ctx ends the download;
// the server keeps the finished parts and continues from there the next time.
func (c *Client) Pull(ctx context.Context, name string, onProgress func(PullProgress)) error {
	if why := badName(name); why != "" {
		return c.refuse("pull", name, why)
	}
	k := c.begin(ctx, c.giveUp)
	defer k.end()
	p := puller{layers: map[string][2]int64{}}
	var last PullProgress
	success := false
	err := k.pull(&api.PullRequest{Model: name}, func(line api.ProgressResponse) error {
		success = success || line.Status == "success"
		sum := p.add(line)
		if sum != last { // checking and moving a downloaded model takes minutes without another line
			last = sum
			k.w.patience = newPatience(c.giveUp)
		}
		if onProgress != nil {
			onProgress(sum)
		}
		return nil
	})
	if success {
		return nil
	}
	return c.fail(ctx, "pull", name, k, err)
}

// puller adds up the parts of a model.
type puller struct{ layers map[string][2]int64 }

func (p *puller) add(line api.ProgressResponse) PullProgress {
	if _, known := p.layers[line.Digest]; line.Digest != "" && (known || len(p.layers) < maxLayers) {
		total := max(line.Total, 0)
		p.layers[line.Digest] = [2]int64{min(max(line.Completed, 0), total), total}
	}
	sum := PullProgress{Status: clip(line.Status)}
	for _, l := range p.layers {
		sum.Done += l[0]
		sum.Total += l[1]
	}
	return sum
}
