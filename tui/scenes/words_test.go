package scenes

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestRecapPane_SourcesOfCleanText(t *testing.T) {
	t.Parallel()
	p := &recapPane{}
	p.view.Versions = append(p.view.Versions, scenes.RecapVersion{Recap: storage.Recap{ID: "v", Text: "- She ❤\ufe0f the \x1b[31mlamp\n- Another", Sources: []storage.Source{{Bullet: "She ❤\ufe0f the \x1b[31mlamp", Messages: []storage.NodeID{"m1", "m2"}}}}})
	from, ok := p.bullet()
	if !ok || len(from) != 2 {
		t.Errorf("sources: %v %v", from, ok)
	}
	p.at = 1
	if from, ok := p.bullet(); !ok || len(from) != 0 {
		t.Errorf("sources of a bullet without: %v %v", from, ok)
	}
}

// The second line of a row shows a reason only if it fits.
func TestDetails_Fit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := scenes.Scene{Number: 1, First: "n1", Rationale: rapid.String().Draw(rt, "why"), Messages: rapid.IntRange(0, 1<<20).Draw(rt, "messages"), Detected: rapid.Bool().Draw(rt, "detected")}
		for w := range 100 {
			if line := sceneDetails(s, w); ansi.StringWidth(line) > w && strings.Contains(line, "detected: ") {
				rt.Fatalf("%d cells: %q", w, line)
			}
		}
	})
}
