package draw_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// In every theme any two of a cast have colours that nobody takes for each other.
func TestVoices_TellCharactersApart(t *testing.T) {
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, theme := range set {
		for _, dark := range []bool{true, false} {
			sty := draw.New(theme, dark, 1)
			all := sty.Voices()
			if sty.Palette.Character != nil && len(all) < 6 {
				t.Errorf("%s, dark %t: %d colours for names", theme.Name, dark, len(all))
			}
			all = append(all, sty.Palette.User, sty.Palette.Character)
			for i, c := range all {
				for j, o := range all[:i] {
					if j == len(all)-2 {
						continue // the user and the main character, whose lines stand apart
					}
					if d := draw.Apart(c, o); d < draw.VoicesApart {
						t.Errorf("%s, dark %t: colours %d and %d are %.1f apart", theme.Name, dark, i, j, d)
					}
				}
			}
		}
	}
}
