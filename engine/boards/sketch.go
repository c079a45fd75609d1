package boards

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Sketch makes captures of the shots of a confirmed storyboard, as one batch.
func (svc *Service) Sketch(chat storage.ChatID, node storage.NodeID, r SketchRequest) (pictures.BatchView, error) {
	r.Kind = cmp.Or(r.Kind, string(capture.Image))
	v, err := svc.pictures.MakeBatch("sketch", chat, storage.Batch{By: storage.ByShots},
		func(tx *storage.Tx, c storage.Chat, batch storage.BatchID) (made []storage.Capture, err error) {
			b, begun, err := svc.boardAt(tx, chat, node)
			switch {
			case err != nil:
				return nil, err
			case !begun:
				return nil, failure.Refusef("this scene has no storyboard yet: plan one first")
			case b.Stage != storage.BoardReady:
				return nil, failure.Refusef(
					"the storyboard is not confirmed yet: confirm its shots before sketching them")
			}
			shots, err := missingSketches(tx, chat, b, r)
			if err != nil {
				return nil, err
			}
			at := messageOfShot(tx, chat, b)
			for _, s := range shots {
				taken, err := svc.sketch(tx, c, b.Node, s, at(s), batch, r)
				if err != nil {
					return nil, err
				}
				made = append(made, taken)
			}
			b.Batch, b.UpdatedAt = batch, svc.core.Config.Now()
			return made, storage.Boards.Put(tx, chat, b)
		})
	if err == nil {
		svc.core.Emit(Changed{chat, node})
	}
	return v, err
}

// missingSketches returns the requested shots without a sketch, in the storyboard's order.
func missingSketches(tx *storage.Tx, chat storage.ChatID, b storage.Board, r SketchRequest) ([]storage.Shot, error) {
	for _, id := range r.Shots {
		if !slices.ContainsFunc(b.Shots, func(s storage.Shot) bool { return s.ID == id }) {
			return nil, failure.Refusef("there is no shot %q in this storyboard", failure.FirstRunes(string(id), 40))
		}
	}
	have := sketchesOf(tx, chat, b, r.Kind)
	var out []storage.Shot
	for _, s := range b.Shots {
		if len(r.Shots) > 0 && !slices.Contains(r.Shots, s.ID) {
			continue
		}
		if c, ok := have[s.ID]; !r.Again && ok && c.Status != storage.CaptureFailed && showsShot(c, s, r.Kind) {
			continue
		}
		out = append(out, s)
	}
	switch {
	case len(b.Shots) == 0:
		return nil, failure.Refusef("the storyboard has no shots")
	case len(out) == 0:
		return nil, failure.Refusef(
			"all of these shots have an up-to-date sketch: send the drafts, or sketch them again")
	}
	return out, nil
}

// sketchRequest returns the capture request of a shot. What the camera has no setting for is added
// as text; movement is only used for videos.
func sketchRequest(s storage.Shot, kind string) pictures.CaptureRequest {
	r := pictures.CaptureRequest{Kind: kind, Camera: storyboard.Camera(s), Words: storyboard.UnsetCameraText(s)}
	if kind == string(capture.Video) {
		r.Words = strings.Trim(r.Words+", "+storyboard.MotionText(s), ", ")
	}
	r.Words = failure.FirstRunes(r.Words, pictures.MaxCameraWords)
	r.Requested = failure.FirstRunes(shotOrder(s), pictures.MaxRequested)
	r.Order = &storage.ShotOrder{Size: storyboard.Label(storyboard.FieldSize, s.Size),
		Angle:   strings.ToLower(storyboard.Label(storyboard.FieldAngle, s.Angle)),
		Subject: s.Subject, Action: s.Description,
		Purpose:  strings.ToLower(storyboard.Label(storyboard.FieldJob, s.Job)),
		Dialogue: strings.Join(strings.Fields(s.Dialogue), " ")}
	if kind == string(capture.Video) {
		r.Order.Movement = storyboard.MotionText(s)
	}
	return r
}

// shotOrder returns the order of a shot: size and angle, what is seen, the dialogue and the
// purpose.
func shotOrder(s storage.Shot) string {
	var parts []string
	how := strings.Trim(storyboard.Label(storyboard.FieldSize, s.Size)+", "+
		strings.ToLower(storyboard.Label(storyboard.FieldAngle, s.Angle)), ", ")
	if how != "" {
		parts = append(parts, how)
	}
	parts = append(parts, shotWords(s))
	if s.Dialogue != "" {
		parts = append(parts, "Spoken meanwhile, seen in face and mouth and never written: "+
			strings.Join(strings.Fields(s.Dialogue), " "))
	}
	if s.Job != "" {
		parts = append(parts, "What the picture is for: "+strings.ToLower(storyboard.Label(storyboard.FieldJob, s.Job)))
	}
	for i, p := range parts {
		if p = strings.TrimSpace(p); p != "" && !strings.ContainsAny(p[len(p)-1:], ".!?\"") {
			p += "."
		}
		parts[i] = p
	}
	return strings.Join(parts, " ")
}

// legacyOrder returns the order of a shot as earlier versions wrote it.
func legacyOrder(s storage.Shot) string {
	text := shotWords(s)
	if s.Job != "" {
		text = strings.TrimRight(text, ".") + ". What the picture is for: " +
			strings.ToLower(storyboard.Label(storyboard.FieldJob, s.Job)) + "."
	}
	return failure.FirstRunes(text, pictures.MaxRequested)
}

// shotWords describes what is seen in a shot.
func shotWords(s storage.Shot) string {
	if strings.Contains(strings.ToLower(s.Description), strings.ToLower(s.Subject)) {
		return s.Description
	}
	return s.Subject + ": " + s.Description
}

// showsShot reports whether a capture was requested for the current form of a shot. Later changes
// of its camera by the user do not matter.
func showsShot(c storage.Capture, s storage.Shot, kind string) bool {
	r := sketchRequest(s, kind)
	camera := c.Camera
	if c.Wrote != nil {
		camera = c.Wrote.Camera
	}
	return c.Kind == r.Kind && (c.Requested == r.Requested || c.Requested == legacyOrder(s)) && c.Words == r.Words &&
		camera == r.Camera
}

// sketch stores a capture of a shot, and queues its prompt and picture. With r.Plain the prompt is
// made without a model.
func (svc *Service) sketch(tx *storage.Tx, chat storage.Chat, board storage.NodeID, s storage.Shot, at storage.NodeID,
	batch storage.BatchID, r SketchRequest) (storage.Capture, error) {
	req := sketchRequest(s, r.Kind)
	if err := svc.pictures.CheckRequest(tx, chat, &req); err != nil {
		return storage.Capture{}, err
	}
	c, err := svc.pictures.StoreCapture(tx, chat, at, req, batch)
	if err != nil {
		return c, err
	}
	c.Board, c.Shot = board, s.ID
	if r.OneSeed {
		seed := seedOf(board)
		c.Seed = &seed
	}
	if err := storage.Captures.Put(tx, c.ID, c); err != nil {
		return c, err
	}
	p := pictures.CaptureParams{Capture: c.ID, Chat: chat.ID, Camera: req.Words, Auto: r.Send}
	if !r.Plain {
		return c, svc.pictures.QueueCapture(tx, pictures.OpCapturePrompt, p)
	}
	m, err := svc.pictures.CaptureMoment(tx, chat, c)
	if err != nil {
		return c, err
	}
	m.In.Requested = shotWords(s) // what it is for is not to be seen
	base := capture.PlainAnswer(m.In)
	prompt := pictures.WithCamera(base.Prompt, c.Camera, c.Words)
	return svc.pictures.StorePrompt(tx, c, p, pictures.PromptResult{Answer: base}, prompt)
}

// seedOf returns the common seed of a storyboard's pictures.
func seedOf(board storage.NodeID) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(board)) // never fails
	return 1 + int64(h.Sum32()>>1)
}

// messageOfShot returns a function for the message of a shot: the newest existing one of its beat,
// else the last of the scene.
func messageOfShot(tx *storage.Tx, chat storage.ChatID, b storage.Board) func(storage.Shot) storage.NodeID {
	end := b.Node
	if s, err := scenes.SpanAt(tx, chat, b.Node); err == nil {
		end = cmp.Or(s.Last.ID, end)
	}
	of := map[storage.BeatID]storage.NodeID{}
	for _, beat := range b.Beats {
		depth := -1
		for _, id := range beat.Messages {
			p, err := tx.NodeInfo(chat, id)
			if err == nil && !p.Deleted && p.Depth > depth && chats.OnPath(tx, chat, b.Node, id) {
				of[beat.ID], depth = id, p.Depth
			}
		}
	}
	return func(s storage.Shot) storage.NodeID { return cmp.Or(of[s.Beat], end) }
}
