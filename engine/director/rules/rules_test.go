package rules

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestPhase(t *testing.T) {
	for turn, want := range map[int]string{-1: Establish, 0: Establish, 3: Establish, 4: Develop, 8: Develop, 9: Escalate, 15: Escalate, 16: Resolution, math.MaxInt: Resolution} {
		if got := Phase(turn); got != want {
			t.Errorf("%d: %s", turn, got)
		}
	}
	for _, c := range []struct {
		turn, budget int
		want         string
	}{
		{2, 0, "turn 2: people and place are being established"},
		{6, 20, "turn 6 of 20: things develop"},
		{12, -1, "turn 12: things escalate"},
		{30, 40, "turn 30 of 40: a resolution may come"},
		{3, 7, "turn 3 of 7: people and place are being established"},
		{4, 7, "turn 4 of 7: the play is about to end"},
		{6, 7, "turn 6 of 7: the play is about to end"},
		{7, 7, "turn 7 of 7: the play is at its end"},
		{9, 7, "turn 9 of 7: the play is at its end"},
		{-4, 7, "turn 0 of 7: people and place are being established"},
	} {
		if got := PhaseWords(c.turn, c.budget); got != c.want {
			t.Errorf("%d of %d: %s", c.turn, c.budget, got)
		}
	}
}

func TestTurnsLeft(t *testing.T) {
	for _, c := range []struct{ turn, budget, want int }{{0, 0, 0}, {3, -1, 0}, {0, 7, 0}, {3, 7, 0}, {4, 7, 3}, {6, 7, 1}, {7, 7, 0}, {9, 7, 0}, {-1, 2, 2}} {
		if got := TurnsLeft(c.turn, c.budget); got != c.want {
			t.Errorf("%d of %d: %d", c.turn, c.budget, got)
		}
	}
}

func TestPicture(t *testing.T) {
	seen := func(kind string) *storage.Evaluation {
		return &storage.Evaluation{VisualType: kind, VisualHint: "a\nlantern"}
	}
	for name, c := range map[string]struct {
		mode           storage.SceneMode
		interval, turn int
		seen           *storage.Evaluation
		want           bool
		why            string
	}{
		"off, a peak":              {storage.ScenesOff, 1, 5, seen("object"), false, "by hand"},
		"peaks, a peak":            {storage.ScenesPeaks, 5, 3, seen("object"), true, "(object): a lantern"},
		"the default is peaks":     {"", 5, 3, seen("Character"), true, "(character)"},
		"unknown is peaks":         {"often", 5, 5, seen("none"), false, "no moment"},
		"peaks, none":              {storage.ScenesPeaks, 5, 5, seen("none"), false, "no moment"},
		"peaks, gibberish":         {storage.ScenesPeaks, 5, 5, seen("zzz"), false, "no moment"},
		"peaks, nothing seen":      {storage.ScenesPeaks, 5, 5, nil, false, "nothing"},
		"rhythmic, its turn":       {storage.ScenesRhythmic, 5, 10, seen("none"), true, "every 5 turns"},
		"rhythmic, nothing seen":   {storage.ScenesRhythmic, 5, 10, nil, true, "every 5 turns"},
		"rhythmic, between":        {storage.ScenesRhythmic, 5, 11, seen("none"), false, "no moment"},
		"rhythmic, between, peak":  {storage.ScenesRhythmic, 5, 11, seen("atmosphere"), true, "(atmosphere)"},
		"rhythmic, turn 0":         {storage.ScenesRhythmic, 5, 0, nil, false, "nothing"},
		"rhythmic, every turn":     {storage.ScenesRhythmic, 1, 7, nil, true, "every 1 turn."},
		"rhythmic, usual interval": {storage.ScenesRhythmic, 0, 5, nil, true, "every 5 turns"},
		"rhythmic, instruction":    {storage.ScenesRhythmic, -3, 6, seen("instruction"), true, "(instruction)"},
	} {
		got, why := Picture(c.mode, c.interval, c.turn, c.seen)
		if got != c.want || !strings.Contains(why, c.why) || strings.Contains(why, "\n") {
			t.Errorf("%s: %v, %q", name, got, why)
		}
		if Rhythm(c.mode, c.interval, c.turn) && !got {
			t.Errorf("%s: the rhythm is not kept", name)
		}
	}
}

func TestEnds(t *testing.T) {
	done, going := &storage.Evaluation{Status: "done"}, &storage.Evaluation{Status: "closing"}
	for _, c := range []struct {
		seen         *storage.Evaluation
		turn, budget int
		by           storage.EndedBy
		ends         bool
	}{
		{nil, 5, 0, "", false}, {nil, 5, 6, "", false}, {nil, 6, 6, storage.EndedByTurns, true}, {nil, 9, 6, storage.EndedByTurns, true},
		{done, 1, 6, storage.EndedSemantic, true}, {done, 6, 6, storage.EndedSemantic, true}, {going, 6, 0, "", false}, {going, 6, -1, "", false}, {going, 6, 6, storage.EndedByTurns, true},
	} {
		if by, ends := IsComplete(c.seen, c.turn, c.budget); by != c.by || ends != c.ends {
			t.Errorf("%+v: %q, %v", c, by, ends)
		}
	}
}

func TestAfford(t *testing.T) {
	for _, c := range []struct {
		allowance, spent, cost int
		ok                     bool
		left                   int
	}{
		{50, 0, 5, true, 50}, {50, 45, 5, true, 5}, {50, 46, 5, false, 4}, {50, 60, 5, false, 0}, {0, 0, 0, false, 0}, {0, 0, 5, false, 0},
		{-5, 0, 0, false, 0}, {50, 50, 0, true, 0}, {50, -7, 5, true, 50}, {50, 0, -5, true, 50}, {math.MaxInt, math.MaxInt, math.MaxInt, false, 0},
	} {
		if ok, left := Afford(c.allowance, c.spent, c.cost); ok != c.ok || left != c.left {
			t.Errorf("%+v: %v, %d", c, ok, left)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		allowance, spent, cost := rapid.Int().Draw(t, "allowance"), rapid.Int().Draw(t, "spent"), rapid.Int().Draw(t, "cost")
		ok, left := Afford(allowance, spent, cost)
		if left < 0 || left > max(allowance, 0) || ok && (left < cost || allowance <= 0) {
			t.Fatalf("%v, %d", ok, left)
		}
	})
}
