package pictures

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// laneOf returns the lane of the n-th ComfyUI server, from 0.
func laneOf(n int) string {
	if n == 0 {
		return queue.LaneComfy
	}
	return fmt.Sprintf("%s:%d", queue.LaneComfy, n)
}

// comfyLane returns the lane for a new picture: the one with the fewest pictures. There is one
// lane per server, but the server is only chosen when the picture's turn comes.
func (svc *Service) comfyLane(tx *storage.Tx) string {
	if len(svc.models.Comfy) == 1 {
		return queue.LaneComfy
	}
	open := map[string]int{}
	for _, op := range storage.Operations.Backward(tx) {
		if op.Type == OpCaptureSend && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			open[op.Lane]++
		}
	}
	best := queue.LaneComfy
	for n := range svc.models.Comfy {
		if open[laneOf(n)] < open[best] {
			best = laneOf(n)
		}
	}
	return best
}

// newJob returns a job ID that identifies its operation.
func newJob(op storage.OperationID) string {
	id := uuid.New()
	mark := sha256.Sum256([]byte(op))
	copy(id[:4], mark[:4])
	return id.String()
}

// isSameJob reports whether a job ID was made for an operation.
func isSameJob(job string, op storage.OperationID) bool {
	mark := sha256.Sum256([]byte(op))
	return strings.HasPrefix(job, hex.EncodeToString(mark[:4])+"-")
}

// chooseServer chooses the server with the shortest queue, then with the fewest pictures of this
// program. Servers that do not answer are skipped. A picture that was already sent continues at
// its server if that still exists.
func (p *painting) chooseServer(ctx context.Context, list []*comfy.Client) error {
	if at := p.svc.serverAt(p.C.Server); p.resume && at != nil {
		list = []*comfy.Client{at}
	}
	jobs, faults := models.AskQueues(ctx, list)
	if err := ctx.Err(); err != nil {
		return err
	}
	i := p.svc.gpu.assign(list, jobs, faults)
	if i < 0 {
		return noServerError(list, faults, p.lacking)
	}
	p.server = list[i]
	p.resume = p.resume && p.server.BaseURL() == p.C.Server
	return nil
}

// noServerError returns the error when no server answers: a temporary one if there is one, because
// the capture then waits; else one that names each server. lacking names what other servers lack.
func noServerError(list []*comfy.Client, faults []error, lacking string) error {
	var words []string
	for i, err := range faults {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%w: %s does not respond", comfy.ErrUnreachable, list[i].BaseURL())
		case errors.Is(err, comfy.ErrUnreachable):
			return err
		}
		words = append(words, list[i].BaseURL()+": "+strings.TrimSuffix(failure.Text(err), "."))
	}
	if lacking != "" {
		words = append(words, lacking)
	}
	if len(words) == 1 {
		return faults[0]
	}
	return failure.Refusef("no ComfyUI server could generate this. %s", strings.Join(words, ". "))
}
