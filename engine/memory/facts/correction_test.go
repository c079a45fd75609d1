package facts

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCorrection_Of(t *testing.T) {
	well := []string{"Clara waits at the well.", "Clara waits at the mill."}
	boat := []string{"Jon sold the boat to Piet for 30 crowns.", ""}
	hand := []string{"Clara hat sich in Vale die Hand gebrochen.", "Clara hat sich in Vale den Fuß gebrochen."}
	birth := []string{"Clara est née à Lyon en hiver.", "Clara est née à Nantes en hiver."}
	for _, c := range []struct {
		of          []string
		text, about string
		want        Match
	}{
		{well, "Clara waits at the well", "", Exact},
		{well, "CLARA WAITS AT THE WELL!", "", Exact},
		{well, "At the well waits Clara, as ever.", "", Maybe},
		{well, "It is late. Clara waits at the well. Jon sleeps.", "", Exact},
		{well, "waits at the well", "Clara", Exact},
		{well, "Clara waits at the mill.", "", None},    // that is so
		{well, "Clara waits at the bridge.", "", Maybe}, // neither
		{well, "She waits at the well.", "", Maybe},     // who?
		{well, "Clara never waits at the well.", "", Maybe},
		{well, "Jon waits at the well.", "", Maybe},
		{well, "Clara's brother Jon waits at the well.", "", Maybe},
		{well, "Clara likes apples.", "", None},
		{well, "Annaclara waits at the well.", "", Maybe},
		{boat, "Jon sold the boat to Piet for 30 crowns", "", Exact},
		{boat, "Piet sold the boat to Jon for 30 crowns", "", Maybe},
		{boat, "Jon sold the boat to Piet for 40 crowns", "", Maybe},
		{boat, "Jon did not sell the boat to Piet", "", Maybe},
		{hand, "In Vale hat sich Clara die Hand gebrochen", "", Maybe},
		{hand, "Clara hat sich in Vale die Hand nicht gebrochen.", "", Maybe},
		{hand, "Clara hat sich in Vale den Fuß gebrochen.", "", None},
		{hand, "Clara hat in Vale eine Hand gefunden.", "", Maybe},
		{birth, "À Lyon, Clara est née en hiver", "", Maybe},
		{birth, "Clara n'est pas née à Lyon en hiver.", "", Maybe},
		{birth, "Clara est née à Nantes, en plein hiver.", "", Maybe},
		{birth, "Elle est née à Lyon en hiver.", "", Maybe},
	} {
		if got := NewCorrection(c.of[0], c.of[1]).Match(c.text, c.about); got != c.want {
			t.Errorf("%q says %q: %v, want %v", c.text, c.of[0], got, c.want)
		}
	}
}

func TestCorrection_Corrected(t *testing.T) {
	for _, c := range []struct {
		wrong, instead, text, want string
		whole                      bool
	}{
		{"Clara waits at the well.", "Clara waits at the mill.", "Clara waits at the well", "Clara waits at the mill", true},
		{"Clara waits at the well.", "Clara waits at the mill.", "Clara waits at the well for Piet, and Jon has the key.", "Clara waits at the mill for Piet, and Jon has the key.", true},
		{"Clara waits at the well.", "Clara waits at the mill.", "At the well waits Clara!", "At the mill waits Clara!", true},
		{"Clara waits at the well.", "Clara waits at the mill.", "The Wells know that clara waits.", "Clara waits at the mill.", true},
		{"Clara owns the boat", "Anna owns the boat", "Clara's boat is red; Clara owns the boat.", "Clara's boat is red; Anna owns the boat.", true},
		{"Clara owns the red boat", "Anna owns the red boat", "The red boat that Claras cousin has is Clara's.", "The red boat that Claras cousin has is Anna's.", true}, // whole words alone
		{"Clara waits at the well", "Clara never waits at the well", "At the well Clara waits.", "At the well Clara never waits.", true},
		{"Clara waits at the well", "", "Clara waits at the well.", "", true},
		{"Clara waits at the well", "", "It is late. Clara waits at the well. Jon sleeps.", "It is late. Jon sleeps.", true},
		{"Clara waits at the well", "", "Jon sleeps; Clara waits at the well.", "Jon sleeps.", true},
		{"Clara waits at the well", "", "Clara waits at the well, Jon sleeps.", "Jon sleeps.", true},
		{"Clara waits at the well", "", "Clara waits at the well and Jon sleeps.", "", false},
		{"Clara waits at the well", "", "The key that Jon lost on the day on which Clara waits at the well is silver.", "", false},
		{"Clara waits at the well", "Clara sleeps", "It is late. By the well, Clara waits. Jon sleeps.", "It is late. Clara sleeps. Jon sleeps.", true},
		{"Clara hat sich die Hand gebrochen.", "Clara hat sich den Fuß verstaucht.", "Die Hand hat sich Clara gebrochen.", "Clara hat sich den Fuß verstaucht.", true},
		{"Clara kommt aus Vale.", "Clara kommt aus Moor.", "Aus Vale kommt Clara, und Jon wohnt dort.", "Aus Moor kommt Clara, und Jon wohnt dort.", true},
		{"L'été, Clara habite Lyon.", "L'été, Clara habite Nantes.", "Clara habite Lyon l'été.", "Clara habite Nantes l'été.", true},
		{"La barque d'Anna est rouge.", "La barque de Luc est rouge.", "Rouge est la barque d'Anna.", "Rouge est la barque de Luc.", true},
		{"Jon", "Jan", "Jon met Jonas at Jon's house.", "Jan met Jonas at Jan's house.", true},
		{"克拉拉在井边等。", "克拉拉在磨坊等。", "天黑了。克拉拉在井边等。", "天黑了。克拉拉在磨坊等。", true},
	} {
		got, whole := NewCorrection(c.wrong, c.instead).Apply(c.text)
		if got != c.want || whole != c.whole {
			t.Errorf("%q instead of %q in %q: %q, %v; want %q", c.instead, c.wrong, c.text, got, whole, c.want)
		}
	}
}

// Whatever is corrected in whatever text, it is Exact only where nothing else is lost,
// and what was mended in words says the wrong no more.
func TestCorrection_Holds(t *testing.T) {
	words := strings.Fields("Clara Jon waits not well mill the at Vale, 30 und kein. d'Anna 井边")
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		c := NewCorrection(text.Draw(t, "wrong"), text.Draw(t, "instead"))
		in := text.Draw(t, "text")
		after, whole := c.Apply(in)
		if !utf8.ValidString(after) {
			t.Fatalf("%q is no text", after)
		}
		if c.Match(in, "") == Exact && !whole {
			t.Fatalf("%q in %q is certain, and loses something: %q", c.Wrong, in, after)
		}
	})
}

func FuzzCorrection(f *testing.F) {
	f.Add("Clara waits at the well.", "Clara waits at the mill.", "At the well. Clara waits…")
	f.Add("a\xff", "'", "’’ d'A 井\x00")
	f.Fuzz(func(_ *testing.T, wrong, instead, text string) {
		c := NewCorrection(wrong, instead)
		c.Match(text, wrong)
		c.Apply(text)
		c.IsStated(text)
	})
}
