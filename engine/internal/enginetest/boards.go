package enginetest

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func Call(t testing.TB, tool string, params any) storage.ToolCall {
	t.Helper()
	c, err := boards.NewCall(tool, params)
	Must(t, err)
	return c
}

// Shots returns a call that inserts shots with these descriptions at the end.
func Shots(t testing.TB, texts ...string) storage.ToolCall {
	t.Helper()
	var list []map[string]any
	for _, text := range texts {
		list = append(list, map[string]any{"kind": "key", "description": text, "seconds": 4})
	}
	return Call(t, storyboard.InsertShot, map[string]any{"shots": list})
}
