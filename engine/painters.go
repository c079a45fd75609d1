package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"ghostlight/engine/comfy"
	"ghostlight/engine/crash"
	"ghostlight/storage"
)

// laneOf is the lane of the n-th ComfyUI server, from 0.
func laneOf(n int) string {
	if n == 0 {
		return laneComfy
	}
	return fmt.Sprintf("%s:%d", laneComfy, n)
}

// comfyLane is the lane on which a picture is to be painted: there is one per
// server, and that with the fewest pictures is taken. Lanes name no server: which
// one paints is decided when the picture's turn comes.
func (e *Engine) comfyLane(tx *storage.Tx) string {
	if len(e.comfy) == 1 {
		return laneComfy
	}
	open := map[string]int{}
	for _, op := range storage.Operations.Backward(tx) {
		if op.Type == opCaptureSend && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			open[op.Lane]++
		}
	}
	best := laneComfy
	for n := range e.comfy {
		if open[laneOf(n)] < open[best] {
			best = laneOf(n)
		}
	}
	return best
}

// newJob is an id for a job on a server. It tells of which operation it is a try.
func newJob(op storage.OperationID) string {
	id := uuid.New()
	mark := sha256.Sum256([]byte(op))
	copy(id[:4], mark[:4])
	return id.String()
}

// sameTry tells whether a job's id was made for an operation.
func sameTry(job string, op storage.OperationID) bool {
	mark := sha256.Sum256([]byte(op))
	return strings.HasPrefix(job, hex.EncodeToString(mark[:4])+"-")
}

const (
	// serverPatience bounds how long one of several servers may take to say how
	// much it has to do, lonelyPatience how long the only one.
	serverPatience = 5 * time.Second
	lonelyPatience = 20 * time.Second
)

// chooseServer picks the server for a picture: that with the shortest queue, and
// of two alike that with fewer pictures of ours. Those that do not answer are passed
// over. With again it is the one of an earlier try, if that is still known. The
// error is that of the first server when none answers.
func (e *Engine) chooseServer(ctx context.Context, s *seat, was string, again bool) (*comfy.Client, error) {
	list := e.comfy
	if again {
		for _, c := range e.comfy {
			if c.BaseURL() == was {
				list = []*comfy.Client{c}
			}
		}
	}
	jobs, faults := askQueues(ctx, list)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := &e.easel
	k.mu.Lock()
	defer k.mu.Unlock()
	best := -1
	for i, c := range list {
		if faults[i] != nil {
			continue
		}
		// Pictures of ours may be on their way and not in its queue yet.
		jobs[i] = max(jobs[i], k.at[c])
		if best < 0 || jobs[i] < jobs[best] || jobs[i] == jobs[best] && k.at[c] < k.at[list[best]] {
			best = i
		}
	}
	if best < 0 {
		if errors.Is(faults[0], context.DeadlineExceeded) {
			return nil, fmt.Errorf("%w: %s does not answer", comfy.ErrUnreachable, list[0].BaseURL())
		}
		return nil, faults[0]
	}
	if k.at == nil {
		k.at = map[*comfy.Client]int{}
	}
	s.server = list[best]
	k.at[s.server]++
	return s.server, nil
}

// askQueues asks servers how many jobs they have.
func askQueues(ctx context.Context, list []*comfy.Client) (jobs []int, faults []error) {
	jobs, faults = make([]int, len(list)), make([]error, len(list))
	patience := serverPatience
	if len(list) == 1 {
		patience = lonelyPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all sync.WaitGroup
	for i, c := range list {
		all.Add(1)
		crash.Go("asking ComfyUI", func() {
			defer all.Done()
			running, pending, err := c.Queue(ctx)
			jobs[i], faults[i] = running+pending, err
		})
	}
	all.Wait()
	return jobs, faults
}
