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

// mostMore is how many pictures of one run are kept besides the first.
const mostMore = 64

// keepMore brings the other pictures of a batch here that the workflow made in one run,
// each as a variant that is in the gallery. What cannot be had is named, with where it
// lies: the first one is there, so the work has not failed.
func (p *painting) keepMore(ctx context.Context, files []comfy.More) (kept []storage.Capture) {
	if more := len(files) - mostMore; more > 0 {
		p.C.Warnings = append(p.C.Warnings, fmt.Sprintf("%s more stay on the ComfyUI server, from %q on", failure.Count(more, "picture"), files[mostMore].Filename()))
		files = files[:mostMore]
	}
	for i, file := range files {
		v := p.moreOf(i + 2)
		err := p.keepOne(ctx, &v, file)
		if ctx.Err() != nil {
			p.svc.RemoveFiles(v.ID)
			return kept
		}
		if err != nil {
			p.svc.RemoveFiles(v.ID)
			p.C.Warnings = append(p.C.Warnings, fmt.Sprintf("picture %d of the batch, %q, was not saved: %s", i+2, file.Filename(), failure.Words(err)))
			continue
		}
		kept = append(kept, v)
	}
	if len(kept) > 0 {
		p.svc.core.Emit(event.Notice{Level: event.Info, Text: fmt.Sprintf("the workflow generated %s: all are in the gallery", failure.Count(1+len(kept), "picture"))})
	}
	return kept
}

func (p *painting) keepOne(ctx context.Context, v *storage.Capture, file comfy.More) error {
	spool, err := p.svc.spool(v.ID)
	if err != nil {
		return err
	}
	out, err := p.server.Fetch(ctx, file, spool)
	if err != nil {
		return err
	}
	return p.svc.keepPicture(v, out, nil)
}

// moreOf is the n-th picture of the run that made a capture's own. Its id follows from
// that: a run that is cut off and done again leaves nothing twice.
func (p *painting) moreOf(n int) storage.Capture {
	v := p.svc.variantOf(p.C)
	v.ID, v.CreatedAt = moreID(p.C.ID, n), p.C.CreatedAt
	v = after(v, jobEvent{kind: jobPaint})
	v.UpdatedAt = p.svc.core.Config.Now()
	v.FinalPrompt, v.GenerationTime, v.Warnings = p.C.FinalPrompt, p.C.GenerationTime, nil
	v.Board, v.Shot = "", "" // the shot is shown by the first one
	return v
}

// moreID is an id that follows on a capture's own, in the form that all have.
func moreID(id storage.CaptureID, n int) storage.CaptureID {
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

// dropMore removes the files of pictures that came to nothing.
func (p *painting) dropMore(list []storage.Capture) {
	for _, c := range list {
		p.svc.RemoveFiles(c.ID)
	}
}

// tellMore tells of the further pictures that a run has made.
func (svc *Service) tellMore(op storage.Operation) {
	var result struct{ More []storage.CaptureID }
	if len(op.Result) == 0 || json.Unmarshal(op.Result, &result) != nil {
		return
	}
	for _, id := range result.More {
		var c storage.Capture
		if svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }) == nil {
			svc.tellCapture(c)
		}
	}
}
