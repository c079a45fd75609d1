package capture

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Intent is what a sentence of the user's wants.
type Intent string

// What a sentence can want.
const (
	WantsImage   Intent = "image"
	WantsVideo   Intent = "video"
	WantsNeither Intent = "neither"
)

// Names of the prompt files that ask for an intent: at the end of the chat's own
// prompt, and as a request of its own.
const (
	IntentFile      = "capture/intent"
	IntentAloneFile = "capture/intent-alone"
)

// Prototype is a sentence that is typical of an intent.
type Prototype struct {
	Intent Intent
	Text   string
}

// Prototypes are what sentences are compared with by an embedding model. The
// caller must not change them.
func Prototypes() []Prototype { return prototypes }

var prototypes = func() (out []Prototype) {
	for _, p := range []struct {
		intent Intent
		texts  []string
	}{
		{WantsImage, []string{
			"Show me a picture of it.", "Send me a photo of you.", "Can you draw that for me?", "Could I see a picture of the place?",
			"I would like to see a portrait of you.", "Take a selfie for me.", "Please make an image of this scene.", "Paint me a picture of the harbour.",
			"A photo of you, please.", "Another picture!", "Do you have a picture you could show me?",
			"Zeig mir ein Bild von dir.", "Kannst du mir ein Foto schicken?", "Montre-moi une photo de toi.", "Tu peux me dessiner ça ?",
			"Muéstrame una foto tuya.", "¿Puedes dibujarme eso?"}},
		{WantsVideo, []string{
			"Show me a video of it.", "Send me a clip of you dancing.", "Can you film that for me?", "I would love to see a video of you.",
			"Please make an animation of this scene.", "Could you record a short video?", "A gif of you laughing, please.",
			"Zeig mir ein Video von dir.", "Kannst du das für mich filmen?", "Montre-moi une vidéo de toi.", "Envíame un vídeo tuyo."}},
		{WantsNeither, []string{
			"She showed him a picture.", "He took a photo of her yesterday.", "The painting on the wall is old.", "I like the photo that you sent.",
			"Do you remember the picture we took?", "Do not send me any pictures.", "What does the picture show?", "The video was boring.",
			"I want to show you a picture I took.", "He said: show me the picture.", "I am painting the fence.", "Show me the way.", "Let me see your hands.",
			"Show me what you can do.", "Draw your sword.", "Give her the painting back.",
			"Das Bild an der Wand ist alt.", "Er hat mir ein Foto gezeigt.", "Elle m'a montré une photo.", "Me enseñó una foto."}},
	} {
		for _, t := range p.texts {
			out = append(out, Prototype{p.intent, t})
		}
	}
	return out
}()

// Sims is how near a sentence comes to the nearest prototype of each intent, as
// cosines.
type Sims struct{ Image, Video, Neither float64 }

// Where meanings are clear: the least nearness to the prototypes of an intent, and
// by how much it has to be nearer than those of the others. Models differ in how
// near they hold what is only of one subject, so what is not plain is asked. More
// is needed to hear no wish: most of what comes here is one, and a question costs
// less than a wish that is lost.
const (
	clearImage    = 0.72
	clearVideo    = 0.72
	clearNeither  = 0.8
	clearMargin   = 0.08
	neitherMargin = 0.15
)

// Judge tells what a sentence wants by its nearness to the prototypes. It is
// ambiguous where no intent is near enough, or two are about as near.
func Judge(s Sims) (intent Intent, ambiguous bool) {
	switch {
	case s.Image >= clearImage && s.Image-max(s.Video, s.Neither) >= clearMargin:
		return WantsImage, false
	case s.Video >= clearVideo && s.Video-max(s.Image, s.Neither) >= clearMargin:
		return WantsVideo, false
	case s.Neither >= clearNeither && s.Neither-max(s.Image, s.Video) >= neitherMargin:
		return WantsNeither, false
	}
	return WantsNeither, true
}

// Wish is the answer to the question for the intent.
type Wish struct {
	Wants   Intent `json:"wants"`
	Subject string `json:"subject"`
}

// mostSubject bounds what is to be seen, in letters.
const mostSubject = 300

// WishSchema constrains a Wish.
func WishSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"wants":{"type":"string","enum":["image","video","neither"]},` +
		`"subject":{"type":"string","maxLength":` + strconv.Itoa(mostSubject) + `}},"required":["wants","subject"],"additionalProperties":false}`)
}

// Clean makes an answer fit to be used: one line, bounded, and a subject only
// where something is wanted. What it wants it must say.
func (w Wish) Clean() (Wish, error) {
	w.Wants = Intent(strings.ToLower(strings.TrimSpace(string(w.Wants))))
	switch w.Wants {
	case WantsImage, WantsVideo:
	case WantsNeither:
		return Wish{Wants: WantsNeither}, nil
	default:
		return Wish{}, fmt.Errorf("wants must be image, video or neither, not %q", w.Wants)
	}
	w.Subject = strings.Trim(onOneLine(w.Subject, mostSubject), " .\"“”")
	return w, nil
}

// Asking is what the question for an intent is about: sentences of the user's that
// the gate let through, who plays, and the newest messages, oldest first.
type Asking struct {
	User, Char string
	Sentences  []string
	Messages   []storage.Node
}

// IntentInstruction asks at the end of the chat's own prompt, in which the
// messages stand, what the user's sentences want.
func IntentInstruction(set *prompts.Set, in Asking) string {
	var parts []string
	for _, m := range set.Request(IntentFile, in.values()) {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n\n")
}

// IntentMessages asks the same by a request of its own.
func IntentMessages(set *prompts.Set, in Asking) []Message {
	var out []Message
	for _, m := range set.Request(IntentAloneFile, in.values()) {
		out = append(out, Message{Role: m.Role, Content: m.Content})
	}
	return out
}

func (in Asking) values() map[string]string {
	user, char := plainName(in.User, "the user"), plainName(in.Char, "the character")
	var said []string
	for _, s := range in.Sentences[max(0, len(in.Sentences)-mostAsking):] {
		if s = quoteless.Replace(onOneLine(s, longestShown)); s != "" {
			said = append(said, "- “"+s+"”")
		}
	}
	var talk []string
	in.Messages = Conversation(Input{Messages: in.Messages})
	in.Messages = in.Messages[max(0, len(in.Messages)-RequestedWindow):]
	for _, m := range in.Messages {
		who := char
		if m.Role == storage.User {
			who = user
		}
		talk = append(talk, plainName(m.Name, who)+": "+prompts.Defuse(ending(strings.TrimSpace(strings.ToValidUTF8(m.Content, "")), maxMessage), intentFences))
	}
	return map[string]string{"user": user, "char": char, "sentences": strings.Join(said, "\n"), "messages": or(strings.Join(talk, "\n\n"), "(none)")}
}

var intentFences = []string{"messages"}

// quoteless takes out of a sentence what would end its quotation or the
// instruction's brackets.
var quoteless = strings.NewReplacer("[", "(", "]", ")", "“", "'", "”", "'", "\"", "'", "<", "‹")

func plainName(s, fallback string) string {
	return or(strings.ReplaceAll(quoteless.Replace(onOneLine(s, 60)), ":", ""), fallback)
}

// onOneLine puts a text on one line and keeps at most n letters of it.
func onOneLine(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n])) + "…"
}
