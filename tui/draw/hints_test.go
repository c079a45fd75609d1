package draw_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

func TestHintRows(t *testing.T) {
	t.Parallel()
	const line = "enter open · e edit · d delete · u undo · ? keys"
	for _, c := range []struct {
		line string
		w    int
		most int
		want []string
	}{
		{line, 80, 1, []string{line}},
		{line, 48, 1, []string{line}},
		{line, 47, 1, []string{"enter open · e edit · d delete · ? keys"}},
		{line, 47, 2, []string{"enter open · e edit · d delete · u undo", "? keys"}},
		{line, 30, 1, []string{"enter open · e edit · ? keys"}},
		{line, 30, 2, []string{"enter open · e edit · d delete", "u undo · ? keys"}},
		{line, 20, 2, []string{"enter open · e edit", "d delete · ? keys"}},
		{"one that is far too long · e edit · ? keys", 20, 1, []string{"e edit · ? keys"}},
		{line, 4, 1, []string{"? keys"}},
		{"? keys", 40, 2, []string{"? keys"}},
		{"", 40, 2, []string{""}},
	} {
		if diff := cmp.Diff(c.want, draw.HintRows(c.line, c.w, c.most)); diff != "" {
			t.Errorf("%q in %d cells and %d rows (-want +got):\n%s", c.line, c.w, c.most, diff)
		}
	}
	for w := 8; w < 60; w++ {
		for most := 1; most < 4; most++ {
			rows := draw.HintRows(line, w, most)
			if all := strings.Join(rows, "|"); len(rows) > most || !strings.HasSuffix(all, "? keys") || strings.Contains(all, "…") {
				t.Errorf("%d cells, %d rows: %q", w, most, rows)
			}
			for _, r := range rows {
				if len([]rune(r)) > w {
					t.Errorf("%d cells, %d rows: %q is too long", w, most, r)
				}
			}
		}
	}
}
