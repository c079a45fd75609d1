package pictures

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxExtra is the number of pictures of one run that are stored besides the first.
const maxExtra = 64

// storeExtra downloads the other pictures of a run, each as a variant in the gallery. Failures are
// listed with the file's location and do not fail the work.
func (p *painting) storeExtra(ctx context.Context, files []comfy.ExtraFile) (kept []storage.Capture) {
	if more := len(files) - maxExtra; more > 0 {
		p.C.Warnings = append(p.C.Warnings, fmt.Sprintf("%s more stay on the ComfyUI server, from %q on",
			failure.Count(more, "picture"), files[maxExtra].Filename()))
		files = files[:maxExtra]
	}
	for i, file := range files {
		v := p.extraCapture(i + 2)
		err := p.storeOneExtra(ctx, &v, file)
		if ctx.Err() != nil {
			p.svc.RemoveFiles(v.ID)
			return kept
		}
		if err != nil {
			p.svc.RemoveFiles(v.ID)
			p.C.Warnings = append(p.C.Warnings,
				fmt.Sprintf("picture %d of the batch, %q, was not saved: %s", i+2, file.Filename(), failure.Text(err)))
			continue
		}
		kept = append(kept, v)
	}
	if len(kept) > 0 {
		p.svc.core.Emit(event.Notice{Level: event.Info, Text: fmt.Sprintf(
			"the workflow generated %s: all are in the gallery", failure.Count(1+len(kept), "picture"))})
	}
	return kept
}

func (p *painting) storeOneExtra(ctx context.Context, v *storage.Capture, file comfy.ExtraFile) error {
	spool, err := p.svc.spool(v.ID)
	if err != nil {
		return err
	}
	out, err := p.server.Fetch(ctx, file, spool)
	if err != nil {
		return err
	}
	return p.svc.storePicture(v, out, nil)
}

// extraCapture returns the capture of the n-th picture of a run. Its ID is derived from the first
// capture's, so that repeated work creates no duplicates.
func (p *painting) extraCapture(n int) storage.Capture {
	v := p.svc.variantOf(p.C)
	v.ID, v.CreatedAt = extraID(p.C.ID, n), p.C.CreatedAt
	v = nextState(v, jobEvent{kind: jobPaint})
	v.UpdatedAt = p.svc.core.Config.Now()
	v.FinalPrompt, v.GenerationTime, v.Warnings = p.C.FinalPrompt, p.C.GenerationTime, nil
	v.Board, v.Shot = "", "" // the first one shows the shot
	return v
}

// extraID returns an ID derived from a capture's ID.
func extraID(id storage.CaptureID, n int) storage.CaptureID {
	const letters, time, length = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 10, 26
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", id, n))
	var b strings.Builder
	b.WriteString(string(id[:min(len(id), time)]))
	for _, x := range sum {
		if b.Len() < length {
			b.WriteByte(letters[x%32])
		}
	}
	return storage.CaptureID(b.String())
}

// dropExtra deletes the files of extra pictures after a failure.
func (p *painting) dropExtra(list []storage.Capture) {
	for _, c := range list {
		p.svc.RemoveFiles(c.ID)
	}
}

// emitExtra emits the extra pictures of a run.
func (svc *Service) emitExtra(op storage.Operation) {
	var result struct{ More []storage.CaptureID }
	if len(op.Result) == 0 || json.Unmarshal(op.Result, &result) != nil {
		return
	}
	for _, id := range result.More {
		var c storage.Capture
		if svc.core.Store.View(func(tx *storage.Tx) (err error) {
			c, err = storage.Captures.Get(tx, id)
			return err
		}) == nil {
			svc.emitCapture(c)
		}
	}
}
