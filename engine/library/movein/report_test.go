package movein_test

import (
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What is said of many files stands once and names them all; what differs stands by itself.
func TestReportLines(t *testing.T) {
	t.Parallel()
	line := func(path, why string) storage.MoveRemark {
		return storage.MoveRemark{Path: path, Kind: "presets", Why: why}
	}
	few := []storage.MoveRemark{line("a/1", "x"), line("a/2", "x"), line("a/3", "x"), line("a/4", "y")}
	for name, test := range map[string]struct {
		lines []storage.MoveRemark
		want  []string
	}{
		"none":         {nil, nil},
		"few":          {few, []string{"a/1: x", "a/2: x", "a/3: x", "a/4: y"}},
		"many":         {append(slices.Clone(few), line("b/5", "x")), []string{"4 files: x (a/1, 2, 3, b/5)", "a/4: y"}},
		"other kinds":  {append(slices.Clone(few), storage.MoveRemark{Path: "b/5", Kind: "chats", Why: "x"}), []string{"a/1: x", "a/2: x", "a/3: x", "a/4: y", "b/5: x"}},
		"the same one": {[]storage.MoveRemark{line("1", "x"), line("1", "x"), line("2", "x"), line("2", "z"), line("3", "x")}, []string{"4 files: x (1, 1, 2, 3)", "2: z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := movein.ReportLines(test.lines); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
