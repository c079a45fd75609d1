package ollama

import (
	"math"
	"strings"
	"sync"
	"testing"
)

// The counts are what common byte-pair tokenizers make of such text, roughly.
func TestMeter_CountIsNearRealTokenizers(t *testing.T) {
	tests := []struct {
		name, text string
		low, high  int
	}{
		{"empty", "", 0, 0},
		{"one", "a", 1, 1},
		{"space", " ", 1, 1},
		{"english", "She walked slowly across the empty stage, listening to the echo of her own footsteps.", 16, 23},
		{"roleplay", "*He looks up.* \"You came back,\" he says. \"I didn't think you would…\"\n\n*A long silence.*", 26, 40},
		{"russian", "Она медленно шла по пустой сцене, слушая эхо собственных шагов.", 17, 32},
		{"chinese", "她慢慢地走过空荡荡的舞台，听着自己脚步的回声。", 15, 26},
		{"japanese", "彼女は空っぽの舞台をゆっくりと横切り、自分の足音の響きを聞いていた。", 20, 36},
		{"json", `{"mood":"calm","score":4,"facts":["a","b"]}`, 14, 26},
		{"emoji", "😀😀😀", 3, 9},
	}
	m := NewMeter(1)
	for _, tt := range tests {
		if n := m.Count(tt.text); n < tt.low || n > tt.high {
			t.Errorf("%s: %d, want %d to %d", tt.name, n, tt.low, tt.high)
		}
	}
}

func TestMeter_StaysPutUnderNoise(t *testing.T) {
	m := NewMeter(1)
	text := strings.Repeat("A quiet word in the dark. ", 400)
	first := m.Count(text)
	for i := range 200 {
		est := 3000 + 10*i
		noise := 1 + 0.03*math.Sin(float64(i)*1.7)
		m.Observe(est, int(float64(est)*noise))
		if m.Count(text) != first {
			t.Fatalf("turn %d: the estimate moved from %d to %d", i, first, m.Count(text))
		}
	}
}

func TestMeter_Converges(t *testing.T) {
	for _, actual := range []float64{0.31, 0.5, 0.8, 1.15, 1.7, 2.9} {
		m := NewMeter(1)
		changes, before := 0, m.Ratio()
		for range 40 {
			est := int(4000 * m.Ratio())
			m.Observe(est, int(4000*actual))
			if r := m.Ratio(); r != before {
				changes, before = changes+1, r
			}
		}
		if r := m.Ratio(); r < actual*0.95 || r > actual*1.20 {
			t.Errorf("real ratio %v: ended at %v", actual, r)
		}
		if changes > 12 {
			t.Errorf("real ratio %v: %d changes", actual, changes)
		}
		settled := m.Ratio()
		for range 40 {
			m.Observe(int(4000*m.Ratio()), int(4000*actual))
		}
		if m.Ratio() != settled || NewMeter(settled).Ratio() != settled {
			t.Errorf("real ratio %v: moved on from %v to %v", actual, settled, m.Ratio())
		}
	}
}

func TestMeter_Nonsense(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0, -3} {
		if r := NewMeter(bad).Ratio(); r != 1 {
			t.Errorf("NewMeter(%v): %v", bad, r)
		}
	}
	if NewMeter(99).Ratio() != maxRatio || NewMeter(0.001).Ratio() != minRatio {
		t.Error("bounds")
	}
	m := NewMeter(1)
	for _, o := range [][2]int{{0, 5000}, {5000, 0}, {-5, -5}, {10, 5000}, {math.MaxInt, 5000}, {5000, math.MaxInt}} {
		m.Observe(o[0], o[1])
	}
	if m.Ratio() != 1 {
		t.Errorf("ratio %v", m.Ratio())
	}
	for range 100 {
		m.Observe(5000, 1<<30)
	}
	if m.Ratio() < maxRatio*(1-playUp) || m.Ratio() > maxRatio {
		t.Errorf("ratio %v", m.Ratio())
	}
}

// A refusal says at once how far off the estimate was, and never makes it lower.
func TestMeter_Refused(t *testing.T) {
	m := NewMeter(1)
	for _, o := range [][2]int{{0, 5000}, {-1, 5000}, {5000, math.MaxInt}, {5000, 4000}} {
		m.Refused(o[0], o[1])
	}
	if m.Ratio() != 1 {
		t.Fatalf("ratio %v", m.Ratio())
	}
	text := strings.Repeat("A quiet word in the dark. ", 400)
	before := m.Count(text)
	m.Refused(4000, 6100)
	if n := m.Count(text); n < before*61/40 || n > before*17/10 {
		t.Errorf("an estimate of %d has become %d", before, n)
	}
	settled := m.Ratio()
	m.Observe(6100, 6100) // which is right
	if m.Ratio() != settled {
		t.Errorf("the next reply moves it from %v to %v", settled, m.Ratio())
	}
	m.Refused(100, 5000)
	if m.Ratio() != maxRatio {
		t.Errorf("ratio %v", m.Ratio())
	}
}

func TestMeter_Concurrent(t *testing.T) {
	m := NewMeter(1)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				m.Observe(3000, 3000+100*i)
				if m.Count("hello there") < 1 || m.Ratio() < minRatio {
					t.Error("out of bounds")
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMeter(f *testing.F) {
	f.Add("hello", "wörld 世界 😀\xff", 1.3)
	f.Fuzz(func(t *testing.T, a, b string, ratio float64) {
		m := NewMeter(ratio)
		ab := m.Count(a + b)
		if ab != m.Count(a+b) || ab < 0 || (ab == 0) != (a+b == "") || ab > 3*3*(len(a)+len(b))+1 {
			t.Errorf("Count(%q) = %d", a+b, ab)
		}
	})
}

func BenchmarkMeterCount(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("She walked slowly across the empty stage, listening to the echo. \n", 1000),
		"chinese": strings.Repeat("她慢慢地走过空荡荡的舞台，听着自己脚步的回声。\n", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			m := NewMeter(1)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m.Count(text)
			}
		})
	}
}
