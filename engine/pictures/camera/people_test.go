package camera_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
)

func TestView(t *testing.T) {
	t.Parallel()
	people := []camera.Person{
		{Name: "Tove Lind", Looks: "tall, copper hair, freckles", Clothes: "a blue wool coat"},
		{Name: "Robin", Looks: "short, black beard"},
		{Name: "Mara", Looks: "white hair", Gone: "she is away"},
		{Name: "Will", Looks: "bald, one arm"},
	}
	for text, want := range map[string]string{
		"Tove, tall with copper hair, faces Robin, short with a black beard. Will, bald and with one arm, waits.":               "||",
		"Tove stands in a blue coat before Robin. He will come.":                                                                "Will|Robin|",
		"Tall, copper-haired Tove; Robin, black-bearded and short; bald Will with his one arm. Mara sits by the fire.":          "||Mara",
		"Tall, copper-haired Tove; Robin, black-bearded and short; bald Will with one arm. A portrait of Mara, Mara's coat.":    "||",
		"Tall, copper-haired Tove; Robin, black-bearded and short; bald Will with one arm. The chair without Mara.":             "||",
		"Tove. She is tall, with copper hair. Robin's black beard; he is short. Will is bald; one arm hangs. Mara is gone now.": "||",
	} {
		v := camera.View(text, people)
		names := func(list []camera.Person) string {
			var out []string
			for _, p := range list {
				out = append(out, p.Name)
			}
			return strings.Join(out, ",")
		}
		if got := names(v.Missing) + "|" + names(v.Nameless) + "|" + names(v.Ghosts); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
