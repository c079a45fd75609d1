package main

import (
	"context"
	"os"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/tui"
)

// checkTerminal tells how pictures are shown and why. Where the doctor runs on a
// terminal that one is asked, else it is told what the screen found when it ran
// last. No way of showing pictures is a fault.
func (d *door) checkTerminal(ctx context.Context, e *engine.Engine) house.Check {
	check := house.Check{Name: "terminal", OK: true}
	if isTerminal(d.in) && isTerminal(d.out) {
		words, err := tui.ExamineTerminal(ctx, d.in.(*os.File), d.out.(*os.File), first(d.set.UI.Images, "auto")) //nolint:errcheck,forcetypeassert // a terminal is a file
		if err == nil {
			check.Detail = words
			return check
		}
		check.Detail = "cannot be asked: " + failure.Words(err) + "; "
	} else {
		check.Detail = "cannot be asked here, as input or output is no terminal; "
	}
	if last := e.House.Terminal(); last != "" {
		check.Detail += "the screen last had " + last
	} else {
		check.Detail += "the screen has not run yet"
	}
	return check
}
