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
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// laneOf is the lane of the n-th ComfyUI server, from 0.
func laneOf(n int) string {
	if n == 0 {
		return house.LaneComfy
	}
	return fmt.Sprintf("%s:%d", house.LaneComfy, n)
}

// comfyLane is the lane on which a picture is to be painted: there is one per
// server, and that with the fewest pictures is taken. Lanes name no server: which
// one paints is decided when the picture's turn comes.
func (svc *Service) comfyLane(tx *storage.Tx) string {
	if len(svc.house.Comfy) == 1 {
		return house.LaneComfy
	}
	open := map[string]int{}
	for _, op := range storage.Operations.Backward(tx) {
		if op.Type == OpCaptureSend && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			open[op.Lane]++
		}
	}
	best := house.LaneComfy
	for n := range svc.house.Comfy {
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

// chooseServer picks the server for a picture: that with the shortest queue, and
// of two alike that with fewer pictures of ours. Those that do not answer are passed
// over. With again it is the one of an earlier try, if that is still known, else one
// of list. The error is that of the first server when none answers.
func (svc *Service) chooseServer(ctx context.Context, s *slot, list []*comfy.Client, was string, again bool) (*comfy.Client, error) {
	if again {
		for _, c := range svc.house.Comfy {
			if c.BaseURL() == was {
				list = []*comfy.Client{c}
			}
		}
	}
	jobs, faults := house.AskQueues(ctx, list)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := &svc.renders
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
		return nil, noneAnswers(list, faults)
	}
	if k.at == nil {
		k.at = map[*comfy.Client]int{}
	}
	s.server = list[best]
	k.at[s.server]++
	return s.server, nil
}

// noneAnswers is the error of servers none of which can be asked: that of one that may come
// back, where there is one, since it is waited for; else one that names each.
func noneAnswers(list []*comfy.Client, faults []error) error {
	var names []string
	for i, err := range faults {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%w: %s does not answer", comfy.ErrUnreachable, list[i].BaseURL())
		case errors.Is(err, comfy.ErrUnreachable):
			return err
		}
		names = append(names, list[i].BaseURL())
	}
	return refusedBy(names, faults)
}

// leaveServer lets go of the server that was chosen for a picture.
func (svc *Service) leaveServer(s *slot) {
	k := &svc.renders
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.server == nil {
		return
	}
	if k.at[s.server]--; k.at[s.server] <= 0 {
		delete(k.at, s.server)
	}
	s.server = nil
}
