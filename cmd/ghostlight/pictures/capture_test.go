package pictures

import (
	"errors"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMergeEdit(t *testing.T) {
	seven := int64(7)
	c := storage.Capture{Prompt: "written", NegativePrompt: "none", Seed: &seven, Workflow: "w", Width: 10, Status: storage.CaptureFailed}
	set := func(names ...string) func(string) bool {
		return func(s string) bool { return strings.Contains(strings.Join(names, " "), s) }
	}
	flags := pictures.CaptureEdit{ImagePrompt: "mine", Width: 20}
	kept, err := mergeEdit(set(), c, flags, -1)
	if err != nil || kept.ImagePrompt != "written" || *kept.Seed != 7 || kept.Width != 10 || kept.Workflow != "w" {
		t.Errorf("without flags it is %+v (%v)", kept, err)
	}
	changed, err := mergeEdit(set("prompt", "width", "seed"), c, flags, -1)
	if err != nil || changed.ImagePrompt != "mine" || changed.Seed != nil || changed.Width != 20 {
		t.Errorf("with flags it is %+v (%v)", changed, err)
	}
	c.Status = storage.CaptureCompleted
	if again, err := mergeEdit(set(), c, flags, -1); err != nil || again.Seed != nil {
		t.Errorf("again it is %+v (%v)", again, err)
	}
	if _, err := mergeEdit(set("seed"), c, flags, -2); !errors.As(err, new(cli.UsageError)) {
		t.Errorf("a seed of -2 gives %v", err)
	}
}
