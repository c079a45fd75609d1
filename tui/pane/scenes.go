package pane

import (
	"fmt"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// SceneAt returns the index in s.List of the scene with a message of that depth, -1 while the
// scenes are not known.
func SceneAt(s scenes.Scenes, depth int) int {
	i := sort.Search(len(s.List), func(i int) bool { return s.List[i].Open || s.List[i].LastDepth >= depth })
	if i == len(s.List) {
		return -1
	}
	return i
}

// SceneOf returns the scene with a message of that depth; ok is false while it is not known.
func SceneOf(s scenes.Scenes, depth int) (sc scenes.Scene, ok bool) {
	if i := SceneAt(s, depth); i >= 0 {
		return s.List[i], true
	}
	return scenes.Scene{}, false
}

// NewestScene returns the last message of the newest scene that has ended, "" for
// none.
func NewestScene(s scenes.Scenes) storage.NodeID {
	for i := len(s.List) - 1; i >= 0; i-- {
		if !s.List[i].Open {
			return s.List[i].Break
		}
	}
	return ""
}

// SceneName returns the name of a scene in a list.
func SceneName(s scenes.Scene) string {
	switch name := draw.Truncate(s.Name, 120); {
	case name != "":
		return name
	case s.Open:
		return "the open scene"
	}
	return "unnamed"
}

// SceneTitle returns the name of a scene in a sentence.
func SceneTitle(s scenes.Scene) string {
	switch name := draw.Truncate(s.Name, 60); {
	case s.Open:
		return "the open scene"
	case name != "":
		return fmt.Sprintf("scene %d · %s", s.Number, name)
	}
	return fmt.Sprintf("scene %d", s.Number)
}

// RecapWords returns the current version of a recap, "" if there is none.
func RecapWords(r scenes.RecapState) string {
	if r.Version == 0 {
		return ""
	}
	return fmt.Sprintf("v%d/%d", r.Version, r.Versions)
}

// ReasonIn returns the reason for a detected break in at most n cells: all of it, or else the
// quoted words.
func ReasonIn(why string, n int) string {
	why = draw.Truncate(why, 400)
	if ansi.StringWidth(why) <= n {
		return why
	}
	for _, q := range [][2]string{{"“", "”"}, {"\"", "\""}} {
		if _, rest, ok := strings.Cut(why, q[0]); ok {
			if quoted, _, ok := strings.Cut(rest, q[1]); ok && quoted != "" {
				return draw.Clip(q[0]+quoted+q[1], n)
			}
		}
	}
	return draw.Clip(why, n)
}
