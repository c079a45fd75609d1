package play_test

import (
	"strings"
	"testing"

	"ghostlight/engine/enginetest"
	"ghostlight/engine/pictures"
	"ghostlight/engine/play"
)

// A prompt that is written and not sent leaves the chat's own out of the server's
// cache.
func TestCapturePrompt_CostsTheCache(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t)})
	s.Drafted(pictures.CaptureRequest{})
	(*play.MuOf(s.Engine.Play)).Lock()
	defer (*play.MuOf(s.Engine.Play)).Unlock()
	if last := (*play.LastOf(s.Engine.Play)); last.Prompt != nil || len(last.Messages) == 0 || !strings.Contains(last.Messages[0].Content, "image generator") {
		t.Errorf("the server is thought to have read %+v", last.Messages)
	}
}
