package movein_test

import (
	"os"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

// Makes the folder of the benchmark at the path that the environment names, to be moved in
// by hand.
//
//	GHOSTLIGHT_DATA_FOLDER=/tmp/made go test ./engine/library/movein -run TestMade_DataFolder
func TestMade_DataFolder(t *testing.T) {
	dir := os.Getenv("GHOSTLIGHT_DATA_FOLDER")
	if dir == "" {
		t.Skip("GHOSTLIGHT_DATA_FOLDER names no folder")
	}
	enginetest.Must(t, dataFolder{Characters: 2000, Chats: 10_000, Worlds: 500, Messages: 40}.Write(dir))
}
