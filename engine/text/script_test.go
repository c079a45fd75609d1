package text

import "testing"

func TestScript(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "12 – !": "", "Mara löscht das Licht.": "Latin", "Она гасит свет, Mara.": "Cyrillic", "彼女は明かりを消す": "Han",
		"Η Μάρα σβήνει το φως": "Greek", "Mara, Beck: Она": "Latin",
	} {
		if got := Script(s); got != want {
			t.Errorf("Script(%q) = %q, want %q", s, got, want)
		}
	}
}
