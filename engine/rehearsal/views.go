package rehearsal

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// views writes the numbered sentences of a prompt anew for each camera: the first says
// how it is looked at, the others lose what is said of that.
func views(messages []storage.Node) string {
	text := ""
	for _, n := range messages {
		if n.Role == storage.User && text == "" {
			text = n.Content
		}
	}
	_, text, _ = strings.Cut(text, "The sentences:")
	told, orders, _ := strings.Cut(text, "The cameras:")
	type renewed struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
	type view struct {
		Camera    int       `json:"camera"`
		Sentences []renewed `json:"sentences"`
	}
	out := struct {
		Views []view `json:"views"`
	}{[]view{}}
	for i, order := range strings.Split(orders, "\nCamera ")[1:] {
		look := cameraLines(order)
		v := view{Camera: i + 1, Sentences: []renewed{}}
		for l := range strings.Lines(told) {
			number, sentence, ok := strings.Cut(strings.TrimSpace(l), ". ")
			n, err := strconv.Atoi(number)
			if !ok || err != nil {
				continue
			}
			switch {
			case n == 1:
				if _, rest, found := strings.Cut(sentence, ": "); found {
					sentence = framed(look) + ": " + rest
				} else {
					sentence = framed(look) + "."
				}
			case look["Light"] != "" && strings.Contains(sentence, "draws a"):
				sentence = lit(look)
			}
			v.Sentences = append(v.Sentences, renewed{n, sentence})
		}
		out.Views = append(out.Views, v)
	}
	data, err := json.Marshal(out)
	if err != nil {
		return `{"views": []}`
	}
	return string(data)
}
