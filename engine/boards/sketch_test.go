package boards_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readied returns a harness whose scene has a confirmed board of three shots. From one
// beat on, the first two have a message of their own.
func readied(t testing.TB, change ...func(*enginetest.Setup)) (*harness, storage.NodeID) {
	t.Helper()
	s, node := scened(t, change...)
	path := s.PathIDs()
	doc, err := json.Marshal(map[string]any{
		"beats": []map[string]any{{"id": "b1", "text": "Tove asks", "messages": []any{path[1], path[2], "gone"}}},
		"shots": []map[string]any{
			{"id": "s1", "beat": "b1", "kind": "key", "size": "close_up", "angle": "low", "movement": "push_in", "job": "reaction", "subject": "Tove", "description": "Her eyes follow the lamp.", "seconds": 4},
			{"id": "s2", "beat": "b1", "kind": "filler", "description": "The rain <b>on</b> the window.", "dialogue": "\"Go.\"\n<script>"},
			{"id": "s3", "kind": "key", "size": "wide", "description": "Tove stands alone on the stage."},
		},
	})
	enginetest.Must(t, err)
	_, err = s.Boards.Import(s.Chat, node, doc)
	enginetest.Must(t, err)
	_, err = s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ConfirmShots, map[string]any{}))
	enginetest.Must(t, err)
	s.DrainFeed()
	return s, node
}

// sketches returns the captures of a batch, by shot.
func (s *harness) sketches(v pictures.BatchView) map[storage.ShotID]storage.Capture {
	out := map[storage.ShotID]storage.Capture{}
	for _, id := range v.Captures {
		c := s.Stored(id)
		out[c.Shot] = c
	}
	return out
}

func TestSketchBoard(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	enginetest.Must(t, s.Start())
	messages := len(s.PathIDs())
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{})
	enginetest.Must(t, err)
	enginetest.Until(s.Harness, func(ev boards.Changed) bool { return ev.Node == node })
	if v.By != storage.ByShots || v.Total != 3 {
		t.Fatalf("the batch: %+v", v)
	}
	v = s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Drafts == 3 })
	path, got := s.PathIDs(), s.sketches(v)
	for id, want := range map[storage.ShotID]storage.Capture{
		"s1": {At: path[2], Camera: storage.Camera{Shot: "close", Angle: "low"}, Requested: "Close-up, low. Tove: Her eyes follow the lamp. What the picture is for: reaction."},
		"s2": {At: path[2], Requested: "The rain <b>on</b> the window. Spoken meanwhile, seen in face and mouth and never written: \"Go.\" <script>."},
		"s3": {At: node, Camera: storage.Camera{Shot: "wide"}, Requested: "Wide. Tove stands alone on the stage."},
	} {
		c := got[id]
		if c.At != want.At || c.Camera != want.Camera || c.Requested != want.Requested || c.Words != "" || c.Board != node || c.Batch != v.ID || c.Prompt == "" {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if _, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{}); !errors.Is(err, failure.ErrRefused) || !strings.Contains(failure.Text(err), "up-to-date sketch") {
		t.Errorf("the same again: %v", err)
	}
	_, err = s.Pictures.SendBatch(s.Chat, v.ID)
	enginetest.Must(t, err)
	s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Done == 3 })
	again := s.Send(got["s1"], enginetest.Small(got["s1"])) // a variant of it
	s.SettledAs(again.ID, storage.CaptureCompleted)
	if n := len(s.PathIDs()); n != messages || s.Hung(again.ID) != 0 {
		t.Errorf("pictures of a board show up in the story: %d messages, %d before", n, messages)
	}
	b := s.board(node)
	if b.Batch == nil || b.Batch.ID != v.ID || len(b.Sketches) != 3 || b.Sketches["s1"].ID != again.ID || b.Sketches["s2"].ImagePath == "" {
		t.Errorf("the board: %+v", b)
	}
	s.Sound()
}

func TestSketchBoard_WhatHasChanged(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	plain := func(r boards.SketchRequest) (ids []storage.ShotID) {
		r.Plain = true
		v, err := s.Boards.Sketch(s.Chat, node, r)
		enginetest.Must(t, err)
		for _, id := range v.Captures {
			ids = append(ids, s.Stored(id).Shot)
		}
		return ids
	}
	is := func(what string, got []storage.ShotID, want ...storage.ShotID) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: sketched %v, want %v", what, got, want)
		}
	}
	is("one", plain(boards.SketchRequest{Shots: []storage.ShotID{"s2"}}), "s2")
	is("the rest", plain(boards.SketchRequest{}), "s1", "s3")
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s3", "size": "medium", "seconds": 9}), enginetest.Call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s2"}}))
	enginetest.Must(t, err)
	is("the changed one", plain(boards.SketchRequest{}), "s3")
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(t, err)
	_, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if after, err := s.Pictures.Captures(s.Chat); err != nil || len(after) != len(list) || len(list) != 4 {
		t.Errorf("undo takes captures along: %d of %d, %v", len(after), len(list), err)
	}
	if b := s.board(node); b.Sketches["s2"].ID == "" || b.Batch == nil || b.Stage != storage.BoardReady {
		t.Errorf("after undo: %+v", b)
	}
	is("as before", plain(boards.SketchRequest{}), "s3")
	c := s.board(node).Sketches["s1"]
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "mine", Camera: storage.Camera{Shot: "wide"}}))
	is("videos", plain(boards.SketchRequest{Kind: "video", Shots: []storage.ShotID{"s1"}}), "s1")
	if _, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Shots: []storage.ShotID{"s1"}}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a video takes the place of the picture that there is: %v", err)
	}
	is("again", plain(boards.SketchRequest{Again: true}), "s1", "s2", "s3")
	enginetest.Must(t, s.Pictures.DeleteCapture(s.board(node).Sketches["s2"].ID))
	enginetest.Must(t, s.Boards.Delete(s.Chat, node))
	_, err = s.Boards.Call(s.Chat, node, enginetest.Shots(t, "another one"), enginetest.Call(t, storyboard.ConfirmShots, map[string]any{}))
	enginetest.Must(t, err)
	is("another board", plain(boards.SketchRequest{}), "s1")
	if b := s.board(node); b.Sketches["s1"].Requested != "another one." {
		t.Errorf("a sketch of the board before: %+v", b.Sketches)
	}
	if after, err := s.Pictures.Captures(s.Chat); err != nil || len(after) == 0 {
		t.Errorf("the captures went with the board: %v", err)
	}
	s.Sound()
}

func TestSketchBoard_Plain(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	asked := len(s.Asked())
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Kind: "video"})
	enginetest.Must(t, err)
	c := s.sketches(v)["s1"]
	if v.Drafts != 3 || len(s.Asked()) != asked || c.Words == "" || !strings.HasSuffix(c.Prompt, c.Words) || c.Wrote == nil {
		t.Errorf("%+v, of %+v", c, v)
	}
	if !strings.HasPrefix(c.Prompt, "Tove: Her eyes follow the lamp. ") || !strings.Contains(c.Prompt, s.Cfg.Style) || strings.Contains(c.Prompt, "reaction") {
		t.Errorf("the prompt is %q", c.Prompt)
	}
	// What the camera has no setting for is said in words.
	_, err = s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s2", "size": "two-shot", "angle": "pov", "movement": "spiral"}))
	enginetest.Must(t, err)
	for kind, want := range map[string]string{"image": "two-shot, Point of view", "video": "two-shot, Point of view, spiral"} {
		v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Kind: kind, Shots: []storage.ShotID{"s2"}})
		enginetest.Must(t, err)
		if c := s.sketches(v)["s2"]; c.Words != want || !strings.HasSuffix(c.Prompt, want) {
			t.Errorf("%s: %q in %q", kind, c.Words, c.Prompt)
		}
	}
	v, err = s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Again: true, Send: true})
	enginetest.Must(t, err)
	if v.Painting != 3 {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Start())
	s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Done == 3 })
	s.Sound()
}

func TestSketchBoard_Refuses(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	for says, at := range map[string]storage.NodeID{"not confirmed": node, "": storage.NodeID("x")} {
		if _, err := s.Boards.Sketch(s.Chat, at, boards.SketchRequest{}); err == nil || !strings.Contains(failure.Text(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ConfirmShots, map[string]any{}))
	enginetest.Must(t, err)
	for says, r := range map[string]boards.SketchRequest{
		`no shot "s9"`: {Shots: []storage.ShotID{"s1", "s9"}}, "an image or a video": {Kind: "opera"},
	} {
		if _, err := s.Boards.Sketch(s.Chat, node, r); err == nil || !strings.Contains(failure.Text(err), says) {
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
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		list, err := boards.Unsketched(tx, s.Chat, b, boards.SketchRequest{})
		if len(list) != 300 {
			t.Errorf("%d shots are to be sketched", len(list))
		}
		return err
	}))
}

// Every camera that a shot can have is one that a capture can have.
func TestShotCameras(t *testing.T) {
	t.Parallel()
	for _, size := range append(storyboard.Choices(storyboard.FieldSize), storyboard.Choice{Key: "a word of my own"}) {
		for _, angle := range append(storyboard.Choices(storyboard.FieldAngle), storyboard.Choice{}) {
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
	s, node := readied(t, enginetest.Slow)
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{}) // counts from here
	s.Queue.Pause()
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Send: true})
	enginetest.Must(t, err)
	s.PaintedAway(t, 4)
	enginetest.Must(t, s.Start())
	if sum, err := s.Queue.Drain(s.Context()); err != nil || sum.Blocked > 0 {
		t.Errorf("the queue does not go on: %+v %v", sum, err)
	}
	v, err = s.Pictures.FindBatch(string(v.ID))
	enginetest.Must(t, err)
	if sent := s.Servers.Comfy.Answered("POST /prompt"); v.Done != 3 || sent != 3 || len(s.board(node).Sketches) != 3 {
		t.Errorf("%+v, sent %d times", v, sent)
	}
	s.Sound()
}

// The sketches of a storyboard say of people and place what the first one says, word
// for word, unless it has changed, is not in the shot, or is too far away to be seen.
func TestSketchBoard_SamePeopleAndPlace(t *testing.T) {
	t.Parallel()
	s, node := readied(t)
	plain := func(id storage.ShotID, again bool) storage.Capture {
		v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Shots: []storage.ShotID{id}, Again: again, OneSeed: true})
		enginetest.Must(t, err)
		return s.Stored(v.Captures[0])
	}
	first := plain("s1", false)
	first.Wrote.Shows = []storage.ShownFact{{Kind: storage.FactAppearance, Who: "Tove", Text: "a thin silver ring in the left ear."}, {Kind: storage.FactAppearance, Who: "Tove", Text: "a long blonde braid"}, {Kind: storage.FactClothes, Who: "Robin", Text: "a yellow oilskin"},
		{Kind: storage.FactPlace, Text: "a bare stage with one lamp"}, {Kind: storage.FactProps, Text: "a goblet of tin"}}
	s.KeepCapture(first)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { // the braid is gone since
		f := storage.Fact{ID: storage.FactID(storage.NewID()), Kind: storage.FactAppearance, Who: "Tove", Text: "a long blonde braid", Source: storage.FactFromCapture, Ended: node}
		return storage.Facts.Put(tx, s.Chat, f)
	}))
	third := plain("s3", false)
	if !strings.Contains(third.Prompt, " Tove: a thin silver ring in the left ear.") || !strings.Contains(third.Prompt, " The place: a bare stage with one lamp.") ||
		strings.Contains(third.Prompt, "oilskin") || strings.Contains(third.Prompt, "blonde") || strings.Contains(third.Prompt, "goblet") {
		t.Errorf("%q", third.Prompt)
	}
	if third.Seed == nil || first.Seed == nil || *third.Seed != *first.Seed || *first.Seed <= 0 {
		t.Error("the seeds differ")
	}
	if again := plain("s1", true); again.Prompt == first.Prompt {
		t.Error("a later sketch of the first shot keeps nothing")
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s3", "size": "extreme_close_up", "description": "Tove's hand, and her short red hair."}))
	enginetest.Must(t, err)
	if near := plain("s3", false); strings.Contains(near.Prompt, "The place:") {
		t.Errorf("%q", near.Prompt)
	}
}

// Six shots with the words that their prompts have; go test -v prints them.
func TestSketchBoard_SixPrompts(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	var shots []any
	for i, size := range []string{"wide", "medium", "close_up", "extreme_close_up", "medium_close_up", "full"} {
		shots = append(shots, map[string]any{"kind": "key", "size": size, "angle": []string{"low", "eye_level", "high", "overhead", "from_behind", "profile"}[i], "subject": []string{"Tove", "Robin", "Tove", "Tove's hand", "Robin", "Tove"}[i],
			"description": []string{"Tove stands by the lamp, the stage dark around her.", "Robin stops at the edge of the light.", "Tove's eyes follow the lamp.", "Tove's hand closes round the iron stand.", "Robin looks at the lamp, back to us.", "Tove turns to the wings."}[i], "job": "action", "seconds": 3})
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.InsertShot, map[string]any{"shots": shots}), enginetest.Call(t, storyboard.ConfirmShots, map[string]any{}))
	enginetest.Must(t, err)
	enginetest.Must(t, s.Start())
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{})
	enginetest.Must(t, err)
	v = s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Drafts == 6 })
	got := s.sketches(v)
	for i, shot := range s.board(node).Shots {
		c := got[shot.ID]
		t.Logf("%d. %s\n   ordered: %s\n   prompt: %s", i+1, shot.Size, c.Requested, c.Prompt)
		if !strings.HasPrefix(c.Requested, storyboard.Label(storyboard.FieldSize, shot.Size)+", ") || !strings.Contains(c.Requested, shot.Description) {
			t.Errorf("shot %d is ordered as %q", i+1, c.Requested)
		}
		for _, phrase := range capture.Phrases(storyboard.Camera(shot)) {
			if !strings.Contains(strings.ToLower(c.Prompt), strings.ToLower(phrase)) {
				t.Errorf("shot %d: %q is not in %q", i+1, phrase, c.Prompt)
			}
		}
	}
}
