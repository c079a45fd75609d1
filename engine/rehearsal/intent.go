package rehearsal

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How people ask to see something, what shows that they do not, and what names a
// picture that moves or one that does not.
var (
	askingWords = []string{"show me", "send me", "send us", "draw", "paint me", "take a", "make a", "make an", "may i see", "can i see", "could i see", "could you", "can you", "would you",
		"i'd love", "i'd like", "i want you", "i want a", "i would", "i wish", "please", "do you have a", "how about a", "another", "a picture of", "a photo of", "selfie",
		"zeig", "schick", "kannst du", "könntest du", "würde gern", "zeichne", "ein bild von", "montre", "envoie", "tu pourrais", "dessine", "une photo de",
		"puedes", "muéstrame", "mándame", "por favor"}
	refusing = []string{"don't", "do not", "never", "would have", "have been", "said", "told", "asked", "show you", "the way", "sword", "kein", "nicht", "ne m'", "no me", "m'a ",
		"get the picture", "remember"}
	movingWords = []string{"video", "vidéo", "vídeo", "clip", "film", "gif", "animation"}
	stillWords  = []string{"picture", "pic", "photo", "image", "imagen", "selfie", "portrait", "drawing", "sketch", "bild", "foto", "draw", "paint", "zeichne", "dessine", "dibuja", "show me", "zeig"}
)

// wish answers whether sentences of the user's, which the request quotes line by
// line, ask for a picture.
func wish(messages []storage.Node) (record, bool) {
	at := asking(messages)
	if at < 0 {
		return nil, false
	}
	for _, l := range slices.Backward(trimmed(messages[at].Content)) {
		said, ok := strings.CutPrefix(l, "- “")
		if !ok {
			continue
		}
		said = strings.TrimSuffix(said, "”")
		low := strings.ToLower(strings.ReplaceAll(said, "’", "'"))
		has := func(list []string) bool {
			return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(low, w) })
		}
		switch {
		case has(refusing) || !has(askingWords):
		case has(movingWords):
			return record{"wants": "video", "subject": wished(said)}, true
		case has(stillWords):
			return record{"wants": "image", "subject": wished(said)}, true
		}
	}
	return record{"wants": "neither", "subject": ""}, true
}

// wished is what a sentence asks to see.
func wished(said string) string {
	for _, lead := range []string{" of ", " von ", " vom ", " de ", " del ", "draw ", "show me "} {
		if _, after, ok := strings.Cut(said, lead); ok {
			said = after
			break
		}
	}
	return clip(strings.Trim(said, " .!?*'\""), 1, 200)
}
