package boards_test

import (
	"bytes"
	"errors"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// illustrated returns a confirmed board whose first shot has a picture.
func illustrated(t testing.TB) (*harness, storage.NodeID) {
	t.Helper()
	s, node := readied(t)
	v, err := s.Boards.Sketch(s.Chat, node, boards.SketchRequest{Plain: true, Shots: []storage.ShotID{"s1"}})
	enginetest.Must(t, err)
	c := s.Stored(v.Captures[0])
	c.ImagePath = filepath.Join("captures", string(c.ID)+".png")
	c.Status = storage.CaptureCompleted
	enginetest.Must(t, s.Pictures.WriteFile(c.ImagePath, enginetest.Graphed(t, 180)))
	s.KeepCapture(c)
	return s, node
}

func TestExportBoard(t *testing.T) {
	t.Parallel()
	s, node := illustrated(t)
	dir := t.TempDir()
	written := map[string][]byte{}
	for _, name := range []string{"board.png", "board.html", "board.md", "board.json"} {
		path, err := s.Boards.Export(s.Chat, node, filepath.Join(dir, name), false)
		enginetest.Must(t, err)
		if info, err := os.Stat(path); err != nil || path != filepath.Join(dir, name) || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %s, %v", name, path, err)
		}
		written[name] = enginetest.Read(t, path)
		if _, err := s.Boards.Export(s.Chat, node, path, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s, over a file: %v", name, err)
		}
		if bytes.Contains(written[name], []byte("nobody must know")) {
			t.Errorf("%s holds the graph", name)
		}
	}
	if img, err := png.Decode(bytes.NewReader(written["board.png"])); err != nil || img.Bounds().Dx() < 600 {
		t.Errorf("the sheet: %v", err)
	}
	page := string(written["board.html"])
	for _, part := range []string{"default-src 'none'", "Beat 1 · Tove asks", "1 · Close-up · 4 s", "Her eyes follow the lamp.", "data:image/png;base64,", "&lt;script&gt;", "&lt;b&gt;on", "3 shots · 4 s · 1 sketched"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if strings.Contains(page, "<script") || strings.Count(page, "<img") != 1 || strings.Count(page, "<section>") != strings.Count(page, "</section>") {
		t.Errorf("the page: %s", page)
	}
	if text := string(written["board.md"]); !strings.Contains(text, "Scene 1") || !strings.Contains(text, "Her eyes follow the lamp.") {
		t.Errorf("the text: %s", text)
	}
	_, err := s.Boards.Export(s.Chat, node, filepath.Join(dir, "board.json"), true)
	enginetest.Must(t, err)

	// Back in place of what there is, and taken back.
	before := s.board(node)
	_, err = s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s1", "s3"}}))
	enginetest.Must(t, err)
	v, err := s.Boards.Import(s.Chat, node, written["board.json"])
	enginetest.Must(t, err)
	if v.Stage != storage.BoardReady || len(v.Shots) != 3 || v.Shots[0].Description != before.Shots[0].Description || len(v.Beats) != 1 {
		t.Errorf("imported: %+v", v.Plan)
	}
	_, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	s.listIs(node, "s2 The rain <b>on</b> the window.")
}

func TestExportBoard_Refuses(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	dir := t.TempDir()
	for name, test := range map[string]struct{ path, says string }{
		"nothing begun":     {filepath.Join(dir, "x.md"), "nothing to export"},
		"another ending":    {filepath.Join(dir, "x.gif"), "one of these file extensions"},
		"no ending":         {filepath.Join(dir, "x"), "one of these file extensions"},
		"the program's own": {filepath.Join(s.Cfg.DataDir, "captures", "x.md"), ""},
	} {
		if _, err := s.Boards.Export(s.Chat, node, test.path, false); err == nil || !strings.Contains(failure.Text(err), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Boards.Import(s.Chat, node, []byte(`{"beats":[{"text":"It begins."}]}`))
	enginetest.Must(t, err)
	if _, err := s.Boards.Export(s.Chat, node, filepath.Join(dir, "x.png"), false); err == nil || !strings.Contains(failure.Text(err), "no shots") {
		t.Errorf("no shots: %v", err)
	}
	if _, err := s.Boards.Export(s.Chat, node, filepath.Join(s.Cfg.DataDir, "captures", "x.md"), true); err == nil {
		t.Error("it was put among the program's own files")
	}
	names, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	if len(names) != 0 {
		t.Errorf("something was left: %v", names)
	}
	before := s.board(node)
	for name, data := range map[string]string{
		"nothing": "", "no JSON": "{", "another document": `{"spec":"chara_card_v2"}`, "a number": "7",
		"too much": `{"shots":[` + strings.Repeat(" ", boards.MaxBoardFile) + `]}`,
	} {
		if _, err := s.Boards.Import(s.Chat, node, []byte(data)); err == nil || failure.Text(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, s.board(node)); diff != "" {
		t.Errorf("a refused file changed something: %s", diff)
	}
}
