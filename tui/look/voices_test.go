package look_test

import (
	"image/color"
	"slices"
	"testing"

	"ghostlight/themes"
	"ghostlight/tui/look"
)

func TestVoices_TellCharactersApart(t *testing.T) {
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, theme := range set {
		for _, dark := range []bool{true, false} {
			lk := look.New(theme, dark, 1)
			all := append(lk.Voices(), lk.Palette.User, lk.Palette.Character)
			if len(all) < 4 {
				t.Errorf("%s: %d colours for names", theme.Name, len(all))
			}
			for i, c := range all {
				if slices.ContainsFunc(all[:i], func(o color.Color) bool { return look.SameColor(c, o) }) && i < len(all)-2 {
					t.Errorf("%s: a colour twice", theme.Name)
				}
			}
		}
	}
}
