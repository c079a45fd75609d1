package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// readied is a stage whose scene has a confirmed board of three shots. From one
// beat on, the first two have a message of their own.
func readied(t testing.TB, change ...func(*setup)) (*stage, storage.NodeID) {
	t.Helper()
	s, node := scened(t, change...)
	path := s.pathIDs()
	doc, err := json.Marshal(map[string]any{
		"beats": []map[string]any{{"id": "b1", "text": "Tove asks", "messages": []any{path[1], path[2], "gone"}}},
		"shots": []map[string]any{
			{"id": "s1", "beat": "b1", "kind": "key", "size": "close_up", "angle": "low", "movement": "push_in", "job": "reaction", "subject": "Tove", "description": "Her eyes follow the lamp.", "seconds": 4},
			{"id": "s2", "beat": "b1", "kind": "filler", "description": "The rain <b>on</b> the window.", "dialogue": "\"Go.\"\n<script>"},
			{"id": "s3", "kind": "key", "size": "wide", "description": "Tove stands alone on the stage."},
		},
	})
	must(t, err)
	_, err = s.ImportBoard(s.chat, node, doc)
	must(t, err)
	_, err = s.CallBoard(s.chat, node, call(t, storyboard.ConfirmShots, map[string]any{}))
	must(t, err)
	s.drainFeed()
	return s, node
}

// sketches are the captures of a batch, by shot.
func (s *stage) sketches(v BatchView) map[storage.ShotID]storage.Capture {
	out := map[storage.ShotID]storage.Capture{}
	for _, id := range v.Captures {
		c := s.stored(id)
		out[c.Shot] = c
	}
	return out
}

func TestSketchBoard(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	must(t, s.Start())
	messages := len(s.pathIDs())
	v, err := s.SketchBoard(s.chat, node, SketchRequest{})
	must(t, err)
	until(s, func(ev BoardChanged) bool { return ev.Node == node })
	if v.By != storage.ByShots || v.Total != 3 {
		t.Fatalf("the batch: %+v", v)
	}
	v = s.batchWhere(v.ID, func(v BatchView) bool { return v.Drafts == 3 })
	path, got := s.pathIDs(), s.sketches(v)
	for id, want := range map[storage.ShotID]storage.Capture{
		"s1": {At: path[2], Camera: storage.Camera{Shot: "close", Angle: "low"}, Requested: "Tove: Her eyes follow the lamp. What the picture is for: reaction."},
		"s2": {At: path[2], Requested: "The rain <b>on</b> the window."},
		"s3": {At: node, Camera: storage.Camera{Shot: "wide"}, Requested: "Tove stands alone on the stage."},
	} {
		c := got[id]
		if c.At != want.At || c.Camera != want.Camera || c.Requested != want.Requested || c.Words != "" || c.Board != node || c.Batch != v.ID || c.Prompt == "" {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if _, err := s.SketchBoard(s.chat, node, SketchRequest{}); !errors.Is(err, ErrNothing) || !strings.Contains(Words(err), "as it stands") {
		t.Errorf("the same again: %v", err)
	}
	_, err = s.SendBatch(s.chat, v.ID)
	must(t, err)
	s.batchWhere(v.ID, func(v BatchView) bool { return v.Done == 3 })
	again := s.send(got["s1"], small(got["s1"])) // a variant of it
	s.settledAs(again.ID, storage.CaptureCompleted)
	if n := len(s.pathIDs()); n != messages || s.hung(again.ID) != 0 {
		t.Errorf("pictures of a board show up in the story: %d messages, %d before", n, messages)
	}
	b := s.board(node)
	if b.Batch == nil || b.Batch.ID != v.ID || len(b.Sketches) != 3 || b.Sketches["s1"].ID != again.ID || b.Sketches["s2"].ImagePath == "" {
		t.Errorf("the board: %+v", b)
	}
	s.sound()
}

func TestSketchBoard_WhatHasChanged(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	plain := func(r SketchRequest) (ids []storage.ShotID) {
		r.Plain = true
		v, err := s.SketchBoard(s.chat, node, r)
		must(t, err)
		for _, id := range v.Captures {
			ids = append(ids, s.stored(id).Shot)
		}
		return ids
	}
	is := func(what string, got []storage.ShotID, want ...storage.ShotID) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: sketched %v, want %v", what, got, want)
		}
	}
	is("one", plain(SketchRequest{Shots: []storage.ShotID{"s2"}}), "s2")
	is("the rest", plain(SketchRequest{}), "s1", "s3")
	_, err := s.CallBoard(s.chat, node, call(t, storyboard.ModifyShot, map[string]any{"shot": "s3", "size": "medium", "seconds": 9}), call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s2"}}))
	must(t, err)
	is("the changed one", plain(SketchRequest{}), "s3")
	list, err := s.Captures(s.chat)
	must(t, err)
	_, err = s.UndoBoard(s.chat, node)
	must(t, err)
	if after, err := s.Captures(s.chat); err != nil || len(after) != len(list) || len(list) != 4 {
		t.Errorf("undo takes captures along: %d of %d, %v", len(after), len(list), err)
	}
	if b := s.board(node); b.Sketches["s2"].ID == "" || b.Batch == nil || b.Stage != storage.BoardReady {
		t.Errorf("after undo: %+v", b)
	}
	is("as before", plain(SketchRequest{}), "s3")
	c := s.board(node).Sketches["s1"]
	must(t, s.SaveCapture(c.ID, CaptureEdit{ImagePrompt: "mine", Camera: storage.Camera{Shot: "wide"}}))
	is("videos", plain(SketchRequest{Kind: "video", Shots: []storage.ShotID{"s1"}}), "s1")
	if _, err := s.SketchBoard(s.chat, node, SketchRequest{Plain: true, Shots: []storage.ShotID{"s1"}}); !errors.Is(err, ErrNothing) {
		t.Errorf("a video takes the place of the picture that there is: %v", err)
	}
	is("again", plain(SketchRequest{Again: true}), "s1", "s2", "s3")
	must(t, s.DeleteCapture(s.board(node).Sketches["s2"].ID))
	must(t, s.DeleteBoard(s.chat, node))
	_, err = s.CallBoard(s.chat, node, shots(t, "another one"), call(t, storyboard.ConfirmShots, map[string]any{}))
	must(t, err)
	is("another board", plain(SketchRequest{}), "s1")
	if b := s.board(node); b.Sketches["s1"].Requested != "another one" {
		t.Errorf("a sketch of the board before: %+v", b.Sketches)
	}
	if after, err := s.Captures(s.chat); err != nil || len(after) == 0 {
		t.Errorf("the captures went with the board: %v", err)
	}
	s.sound()
}

func TestSketchBoard_Plain(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	asked := len(s.asked())
	v, err := s.SketchBoard(s.chat, node, SketchRequest{Plain: true, Kind: "video"})
	must(t, err)
	c := s.sketches(v)["s1"]
	if v.Drafts != 3 || len(s.asked()) != asked || c.Words == "" || !strings.HasSuffix(c.Prompt, c.Words) || c.Wrote == nil {
		t.Errorf("%+v, of %+v", c, v)
	}
	if !strings.HasPrefix(c.Prompt, "Tove: Her eyes follow the lamp. ") || !strings.Contains(c.Prompt, s.cfg.Style) || strings.Contains(c.Prompt, "reaction") {
		t.Errorf("the prompt is %q", c.Prompt)
	}
	// What the camera has no setting for is said in words.
	_, err = s.CallBoard(s.chat, node, call(t, storyboard.ModifyShot, map[string]any{"shot": "s2", "size": "two-shot", "angle": "pov", "movement": "spiral"}))
	must(t, err)
	for kind, want := range map[string]string{"image": "two-shot, Point of view", "video": "two-shot, Point of view, spiral"} {
		v, err := s.SketchBoard(s.chat, node, SketchRequest{Plain: true, Kind: kind, Shots: []storage.ShotID{"s2"}})
		must(t, err)
		if c := s.sketches(v)["s2"]; c.Words != want || !strings.HasSuffix(c.Prompt, want) {
			t.Errorf("%s: %q in %q", kind, c.Words, c.Prompt)
		}
	}
	v, err = s.SketchBoard(s.chat, node, SketchRequest{Plain: true, Again: true, Send: true})
	must(t, err)
	if v.Painting != 3 {
		t.Errorf("%+v", v)
	}
	must(t, s.Start())
	s.batchWhere(v.ID, func(v BatchView) bool { return v.Done == 3 })
	s.sound()
}

func TestSketchBoard_Refuses(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	for says, at := range map[string]storage.NodeID{"not confirmed": node, "": storage.NodeID("x")} {
		if _, err := s.SketchBoard(s.chat, at, SketchRequest{}); err == nil || !strings.Contains(Words(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	_, err := s.CallBoard(s.chat, node, call(t, storyboard.ConfirmShots, map[string]any{}))
	must(t, err)
	for says, r := range map[string]SketchRequest{
		`no shot "s9"`: {Shots: []storage.ShotID{"s1", "s9"}}, "an image or a video": {Kind: "opera"},
	} {
		if _, err := s.SketchBoard(s.chat, node, r); err == nil || !strings.Contains(Words(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if b := s.board(node); b.Batch != nil || len(b.Sketches) != 0 {
		t.Errorf("something was made: %+v", b)
	}
}

// A storyboard of very many shots is sketched as one batch too.
func TestSketchBoard_VeryManyShots(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	b := s.board(node).Board
	for i := range 297 {
		b.Shots = append(b.Shots, storage.Shot{ID: storage.ShotID(fmt.Sprint("s", 10+i)), Description: "the lamp"})
	}
	must(t, s.store.View(func(tx *storage.Tx) error {
		list, err := unsketched(tx, s.chat, b, SketchRequest{})
		if len(list) != 300 {
			t.Errorf("%d shots are to be sketched", len(list))
		}
		return err
	}))
}

// Every camera that a shot can have is one that a capture can have.
func TestShotCameras(t *testing.T) {
	t.Parallel()
	for _, size := range append(storyboard.Words(storyboard.FieldSize), storyboard.Word{Key: "a word of my own"}) {
		for _, angle := range append(storyboard.Words(storyboard.FieldAngle), storyboard.Word{}) {
			camera := storyboard.Camera(storage.Shot{Size: size.Key, Angle: angle.Key})
			if got, err := capture.CheckCamera(camera); err != nil || got != camera {
				t.Errorf("%s, %s: %+v, %v", size.Key, angle.Key, camera, err)
			}
		}
	}
}

// TestKilledWhileSketching kills the program while a board is painted: the next
// start goes on, and each shot has one picture.
func TestKilledWhileSketching(t *testing.T) {
	t.Parallel()
	s, node := readied(t, slow)
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{}) // counts from here
	s.QueuePause(true)
	v, err := s.SketchBoard(s.chat, node, SketchRequest{Plain: true, Send: true})
	must(t, err)
	s.paintedAway(t, 4)
	must(t, s.Start())
	if sum, err := s.QueueDrain(s.context()); err != nil || sum.Blocked > 0 {
		t.Errorf("the queue does not go on: %+v %v", sum, err)
	}
	v, err = s.FindBatch(string(v.ID))
	must(t, err)
	if sent := s.house.Comfy.Answered("POST /prompt"); v.Done != 3 || sent != 3 || len(s.board(node).Sketches) != 3 {
		t.Errorf("%+v, sent %d times", v, sent)
	}
	s.sound()
}
