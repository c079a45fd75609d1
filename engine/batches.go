package engine

import (
	"ghostlight/engine/capture"
	"ghostlight/storage"
)

// CaptureBatch asks for the prompts of several captures in one go.
func (e *Engine) CaptureBatch(chat storage.ChatID, r BatchRequest) (BatchView, error) {
	return BatchView{}, fail("capture batch", errNotYet)
}

// Batches lists a chat's batches, newest first.
func (e *Engine) Batches(chat storage.ChatID) ([]BatchView, error) {
	return nil, fail("batches", errNotYet)
}

// FindBatch finds a batch of any chat by its id, or by how that begins.
func (e *Engine) FindBatch(text string) (BatchView, error) {
	return BatchView{}, fail("batch", errNotYet)
}

// SendBatch sends all drafts of a batch.
func (e *Engine) SendBatch(chat storage.ChatID, id storage.BatchID) (Sent, error) {
	return Sent{}, fail("send batch", errNotYet)
}

// CancelBatch stops the work on all captures of a batch, and says on how many.
func (e *Engine) CancelBatch(chat storage.ChatID, id storage.BatchID) (int, error) {
	return 0, fail("cancel batch", errNotYet)
}

// CameraPresets are the combinations of camera controls that the user keeps, by
// name.
func (e *Engine) CameraPresets() ([]NamedCamera, error) { return nil, nil }

// SaveCameraPreset keeps a combination under a name, in place of one of the same
// name.
func (e *Engine) SaveCameraPreset(p NamedCamera) error { return fail("camera preset", errNotYet) }

// DeleteCameraPreset forgets a combination.
func (e *Engine) DeleteCameraPreset(name string) error { return fail("camera preset", errNotYet) }

// CaptureEdits are what the user has changed in prompts of a chat, oldest first.
func (e *Engine) CaptureEdits(chat storage.ChatID) ([]storage.Edit, error) { return nil, nil }

// newCapture stores a capture of the moment at a message and queues the writing
// of its prompt. With auto it is sent as soon as that is there.
func (e *Engine) newCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest, auto bool) (storage.Capture, error) {
	now := e.cfg.Now()
	who, _ := e.cast(tx, chat)
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: chat.ID, At: at, Kind: r.Kind, Requested: r.Requested, Camera: r.Camera, Focus: r.Focus,
		Workflow: who.Imagery.Workflow, Status: storage.CapturePrompting, CreatedAt: now, UpdatedAt: now}
	if r.Kind == string(capture.Video) {
		c.Workflow = who.Imagery.VideoWorkflow
	}
	if err := storage.Captures.Put(tx, c.ID, c); err != nil {
		return c, err
	}
	return c, e.addOperation(tx, opCapturePrompt, laneOllama, captureParams{Capture: c.ID, Chat: chat.ID, Camera: r.Words, Auto: auto})
}
