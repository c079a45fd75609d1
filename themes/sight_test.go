package themes

import (
	"image/color"
	"math"
	"testing"
)

// sights are how colours look to eyes that lack a kind of cone, as matrices on linear
// light: Machado, Oliveira and Fernandes (2009), at full strength.
var sights = map[string][9]float64{
	"without red":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"without green": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"without blue":  {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// linear returns the parts of a colour as light.
func linear(c color.Color) (out [3]float64) {
	r, g, b, _ := c.RGBA()
	for i, v := range [3]uint32{r, g, b} {
		f := float64(v) / 0xffff
		if out[i] = f / 12.92; f > 0.04045 {
			out[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return out
}

// seen returns light as such eyes see it.
func seen(c [3]float64, m [9]float64) (out [3]float64) {
	for i := range 3 {
		out[i] = min(1, max(0, m[3*i]*c[0]+m[3*i+1]*c[1]+m[3*i+2]*c[2]))
	}
	return out
}

// lab returns light in CIELAB, where distances are as large as they look.
func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// What stands side by side and means different things looks different in Beacon to
// everybody. The other themes are held to less: nothing is said by colour alone.
func TestBeacon_IsToldApartByAllEyes(t *testing.T) {
	set, _ := Load("")
	th, ok := set.Find("beacon")
	if !ok {
		t.Fatal("there is no such theme")
	}
	const apart = 15
	for _, dark := range []bool{true, false} {
		p := th.Palette(dark)
		for _, pair := range [][2]string{{"user", "character"}, {"speech", "action"}, {"error", "success"}, {"warning", "success"}, {"error", "text"}, {"warning", "error"},
			{"text", "speech"}, {"text", "action"}, {"accent", "text"}, {"character", "text"}, {"user", "text"}} {
			a, b := linear(*p.slot(pair[0])), linear(*p.slot(pair[1]))
			if got := distance(lab(a), lab(b)); got < apart {
				t.Errorf("dark %v: %s and %s: %.1f apart", dark, pair[0], pair[1], got)
			}
			for name, m := range sights {
				if got := distance(lab(seen(a, m)), lab(seen(b, m))); got < apart && name != "without blue" || got < apart/2 {
					t.Errorf("dark %v: %s and %s, %s: %.1f apart", dark, pair[0], pair[1], name, got)
				}
			}
		}
	}
}
