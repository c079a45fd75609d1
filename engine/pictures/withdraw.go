package pictures

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withdrawTimeout limits how long jobs are removed from their servers.
const withdrawTimeout = 10 * time.Second

// withdrawAbandoned removes cancelled jobs from their servers that no painting of this process
// handles. It checks one capture, or all for "", and waits for the result.
func (svc *Service) withdrawAbandoned(id storage.CaptureID) {
	var left []storage.Capture
	add := func(tx *storage.Tx, c storage.Capture) {
		if stateOf(c) == jobAbandoned && c.Server != "" {
			if newest, live := operationsOn(tx, c.ID); live == "" && newest != "" {
				left = append(left, c)
			}
		}
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if id != "" {
			c, err := storage.Captures.Get(tx, id)
			if err == nil {
				add(tx, c)
			}
			return failure.IgnoreMissing(err)
		}
		for _, c := range storage.Captures.All(tx) {
			add(tx, c)
		}
		return nil
	})
	if err != nil {
		svc.core.Log.Warn("looking for jobs that nobody wants failed", "err", err)
		return
	}
	svc.withdraw(left)
}

// withdraw removes the jobs of captures from their servers, unless a painting of this process does
// that.
func (svc *Service) withdraw(list []storage.Capture) {
	ctx, cancel := context.WithTimeout(svc.core.Ctx, withdrawTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range list {
		if svc.gpu.isPainting(c.ID) {
			continue
		}
		all.Add(1)
		crash.Go("taking a job back", func() {
			defer all.Done()
			svc.withdrawOne(ctx, c)
		})
	}
	all.Wait()
}

func (svc *Service) withdrawOne(ctx context.Context, c storage.Capture) {
	server := svc.serverAt(c.Server)
	if server == nil {
		svc.core.Emit(event.Notice{Level: event.Warning,
			Text: fmt.Sprintf("the picture is cancelled here, but its job may still run: comfyui.urls no longer "+
				"contains its server, %s", c.Server)})
		svc.clearJob(c)
		return
	}
	switch err := server.Withdraw(ctx, c.Job); {
	case err == nil:
		svc.core.Emit(event.Notice{Level: event.Info,
			Text: fmt.Sprintf("ComfyUI at %s no longer works on the picture", c.Server)})
		svc.clearJob(c)
	case errors.Is(err, comfy.ErrStillOnServer):
		svc.core.Emit(event.Notice{Level: event.Warning,
			Text: fmt.Sprintf("the picture is cancelled, but ComfyUI at %s is still working on it: the current node "+
				"finishes first, or the server does not respond", c.Server)})
		svc.clearJob(c)
	default: // the next start tries again
		svc.core.Emit(event.Notice{Level: event.Warning,
			Text: fmt.Sprintf("the picture is cancelled here, but ComfyUI at %s may still generate it: %s", c.Server,
				failure.Text(err))})
	}
}

// serverAt returns the ComfyUI client for an address, nil if the settings have none.
func (svc *Service) serverAt(address string) *comfy.Client {
	for _, server := range svc.models.Comfy {
		if server.BaseURL() == address {
			return server
		}
	}
	return nil
}

// clearJob clears a capture's job.
func (svc *Service) clearJob(c storage.Capture) {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		now, err := storage.Captures.Get(tx, c.ID)
		if err != nil || now.Job != c.Job {
			return nil // deleted, or sent again
		}
		return storage.Captures.Put(tx, now.ID, nextState(now, jobEvent{kind: jobForget}))
	})
	if err != nil {
		svc.core.Log.Warn("forgetting a job failed", "capture", c.ID, "err", err)
	}
}
