package pictures

import (
	"context"
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// momentAnswer is the model's answer for a moment with several cameras: the prompt for the first
// one, and for the others the same prompt with other sentences about the camera.
type momentAnswer struct {
	PromptResult
	Views map[storage.CaptureID]string `json:"views,omitempty"`
}

// momentPrompt returns the prompt that was written for another capture of the same moment.
func (svc *Service) momentPrompt(moment storage.BatchID) (a momentAnswer, ok bool) {
	if moment == "" {
		return a, false
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.Backward(tx) {
			if op.Type == OpCapturePrompt && op.Status == storage.Completed && paramsOf(op).Moment == moment &&
				json.Unmarshal(op.Result, &a) == nil && a.Prompt != "" {
				ok = true
				break
			}
		}
		return nil
	})
	return a, ok && err == nil
}

// askViews asks for the camera sentences of the other captures of a moment, all in one request. A
// capture without a usable answer is left out; its prompt is asked for separately.
func (svc *Service) askViews(
	ctx context.Context,
	j models.Job,
	m captureMoment,
	moment storage.BatchID,
	prompt string,
) map[storage.CaptureID]string {
	var ids []storage.CaptureID
	var cameras []storage.Camera
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Batches.Get(tx, m.chat.ID, moment)
		if err != nil {
			return err
		}
		for _, id := range b.Captures {
			if c, err := storage.Captures.Get(tx, id); err == nil && id != m.c.ID && c.At == m.c.At &&
				c.Camera != m.c.Camera {
				ids, cameras = append(ids, id), append(cameras, c.Camera)
			}
		}
		return nil
	})
	asked := capture.ViewsMessages(svc.core.Prompts(), prompt, cameras, m.In.Words)
	if err != nil || asked == nil {
		return nil
	}
	var messages []prompts.Message
	for _, msg := range asked {
		messages = append(messages, prompts.Message(msg))
	}
	if j.Fits(messages) != nil {
		return nil
	}
	var v capture.Views
	_, err = j.Client.Structured(
		ctx,
		j.Request(messages),
		capture.ViewsSchema(cameras),
		&v,
		func() error { return capture.CheckViews(v, cameras) },
		nil,
	)
	svc.models.NoteJob(j, messages, err)
	if err != nil {
		svc.core.Log.Info("writing sentences for other angles", "err", err)
	}
	out := map[storage.CaptureID]string{}
	for i, id := range ids {
		if text, ok := capture.ApplyView(prompt, v, i, cameras[i]); ok {
			out[id] = text
		}
	}
	return out
}
