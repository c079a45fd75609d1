package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// A prompt that is written and not sent leaves the chat's own out of the server's
// cache.
func TestCapturePrompt_CostsTheCache(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	s.Drafted(pictures.CaptureRequest{})
	if prompt, read := play.LastPrompt(s.Engine.Play); prompt != nil || len(read) == 0 ||
		!strings.Contains(read[0].Content, "image generator") {
		t.Errorf("the server is thought to have read %+v", read)
	}
}
