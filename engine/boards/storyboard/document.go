package storyboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// documentVersion is the version of the JSON document of a storyboard.
const documentVersion = 1

type document struct {
	Version int                     `json:"ghostlight_storyboard"`
	Scene   string                  `json:"scene,omitempty"`
	Stage   storage.BoardStage      `json:"stage,omitempty"`
	Beats   []storage.BoardBeat     `json:"beats,omitempty"`
	Filler  *storage.FillerStrategy `json:"filler,omitempty"`
	Budget  []storage.Allotment     `json:"budget,omitempty"`
	Shots   []documentShot          `json:"shots"`
}

type documentShot struct {
	Position int `json:"position"`
	storage.Shot
}

// Write returns the JSON document of a storyboard: stage, beats, filler strategy, budget and
// shots. Packages and a proposal are left out.
func Write(scene string, p storage.Plan) ([]byte, error) {
	d := document{
		Version: documentVersion, Scene: cleanLine(scene), Stage: p.Stage, Beats: p.Beats,
		Filler: p.Filler, Budget: p.Budget, Shots: make([]documentShot, len(p.Shots)),
	}
	for i, s := range p.Shots {
		d.Shots[i] = documentShot{i + 1, s}
	}
	raw, err := encode(d)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, callErrorf("the storyboard cannot be written: %v", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Read converts a JSON document to a call of ImportBoard: a document of Write, an object with
// shots, or a list of shots. Unknown fields are ignored. The order of the list counts, not the
// positions, so that a shot can be moved in the file without renumbering. The error, an ErrCall,
// says where the document is wrong.
func Read(data []byte) (storage.ToolCall, error) {
	if len(data) > maxParams {
		return storage.ToolCall{}, callErrorf("the file has %d bytes; the limit is %d", len(data), maxParams)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	d := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := d.Decode(&v); err != nil {
		return storage.ToolCall{}, callErrorf("the file is not JSON: %s", syntaxError(data, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return storage.ToolCall{}, callErrorf("line %d: there is more text after the storyboard",
			lineAt(data, d.InputOffset()))
	}
	var o object
	switch v := v.(type) {
	case []any:
		o = object{"shots": v}
	case map[string]any:
		o = v
	default:
		return storage.ToolCall{}, callErrorf("the file must hold a storyboard, an object or a list of shots")
	}
	if err := o.isDocument(); err != nil {
		return storage.ToolCall{}, err
	}
	t, _ := Find(ImportBoard)
	known, faults := read(o, t.schema) // a recorded call only has known fields
	if len(faults) > 0 {
		return storage.ToolCall{}, callErrorf("%s", strings.Join(faults[:min(len(faults), maxFaults)], "; "))
	}
	raw, err := encode(known)
	if err != nil {
		return storage.ToolCall{}, err
	}
	c := storage.ToolCall{Tool: ImportBoard, Params: raw}
	_, _, err = Apply(storage.Plan{}, c)
	return c, err
}

func (o object) isDocument() error {
	if v, there := o["ghostlight_storyboard"]; there {
		n, ok := toNumber(v)
		if !ok || n < 1 {
			return callErrorf("ghostlight_storyboard must be the version of the file format, %d", documentVersion)
		}
		if n > documentVersion {
			return callErrorf("the file has version %v, but this program reads version %d: it was written by a newer "+
				"program", n, documentVersion)
		}
		return nil
	}
	for _, key := range []string{"shots", "beats"} {
		if _, ok := o[key].([]any); ok {
			return nil
		}
	}
	return callErrorf("the file is not a storyboard: it has no shots and no beats")
}

// syntaxError describes a JSON error with its line.
func syntaxError(data []byte, err error) string {
	var s *json.SyntaxError
	switch {
	case errors.As(err, &s):
		return fmt.Sprintf("line %d: %v", lineAt(data, s.Offset), s)
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("line %d: it ends too early", lineAt(data, int64(len(data))))
	}
	return err.Error()
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
