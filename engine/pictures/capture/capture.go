// Package capture turns a moment of the play into words for a picture: it
// builds what the capture model is told, and checks what the model answers. It
// is pure: it reads no store and calls no server.
package capture

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Kind is what a capture becomes.
type Kind string

const (
	Image Kind = "image"
	Video Kind = "video"
)

// How much of the story a capture looks at, in conversational messages, and
// how many of them define the present.
const (
	SceneWindow     = 10
	RequestedWindow = 3 // for the question whether a picture is asked for
	present         = 3
)

// Bounds of a prompt, in words. A video prompt has no lower one beyond having
// any words at all.
const (
	MinWords      = 100
	MaxWords      = 300
	MaxVideoWords = 150
)

// Names of the prompt files that Messages asks for.
const (
	SceneFile          = "capture/scene"
	SceneVideoFile     = "capture/scene-video"
	RequestedFile      = "capture/requested"
	RequestedVideoFile = "capture/requested-video"
	ShotFile           = "capture/shot"
	ShotVideoFile      = "capture/shot-video"
	TranscriptFile     = "capture/transcript"
	// What several of them share: how a prompt is written, and the fields of the answer.
	WriteFile       = "capture/write"
	WriteVideoFile  = "capture/write-video"
	AnswerFile      = "capture/answer"
	AnswerOrderFile = "capture/answer-order"
	// The prompt in the example of an answer, by what it is written for.
	ExampleFile      = "capture/example"
	ExampleVideoFile = "capture/example-video"
	ExampleTagsFile  = "capture/example-tags"
)

// Limits on what goes into the instruction, in runes, so that a huge card or
// message cannot push the rules out of the model's context.
const (
	maxField   = 4000
	maxMessage = 6000
)

// Input is the moment to be captured. Text comes with its macros expanded; an
// empty Description, PersonaText or Scenario falls back to the raw field.
type Input struct {
	Kind      Kind
	Requested string         // what the user asked to see; "" makes it a scene capture
	Messages  []storage.Node // oldest first, any length and any roles
	Character storage.Character
	Persona   storage.Persona

	Description string // of the character
	PersonaText string // description of the persona
	Scenario    string

	// Facts stay from picture to picture (clothes, hair, place) until the story changes them.
	// The request tells them by their numbers, from 1.
	Facts []storage.Fact
	// Focus names those who matter most in the picture, nil for nobody.
	Focus []string

	// Form is how the prompt should be written for who reads it.
	Form Form

	// Marks say of whispered messages who heard them.
	Marks map[storage.NodeID]string
	// Degree is how much is left out for want of room, from 0, nothing, to Degrees; Before
	// then says in short what the story was up to here.
	Degree int
	Before string

	// Camera is what the user has chosen, and Words what they have added about it. Shot
	// is the shot of a storyboard that is drawn, nil for none.
	Camera Camera
	Words  string
	Shot   *Shot
	// People are those of the moment, also who is not there any more; nil for the
	// character and the persona. Hint is what the director of the story wants to see, Visual
	// what kind of thing that is.
	People []Person
	Hint   string
	Visual string // character, object or atmosphere
	// Taste is what is known of how the user likes pictures, "" for nothing.
	Taste string

	DefaultStyle    string // for a character without a style of its own
	DefaultNegative string // likewise
}

// Message is one message to the capture model.
type Message struct{ Role, Content string }

// Allowed says whether a character of that immersion level may be captured in
// a scene. The error is written for the user and names what to change.
func Allowed(level storage.Immersion) error {
	if level == storage.Full || level == storage.Unbounded {
		return nil
	}
	if level == "" {
		level = storage.Balanced
	}
	return fmt.Errorf(
		"scene capture needs a character whose immersion is %q or %q; this one's is %q: change the setting \"immersion\" of the character",
		storage.Full,
		storage.Unbounded,
		level,
	)
}

// Temperature is the sampling temperature for in's request.
func Temperature(in Input) float64 {
	if in.Kind == Video || in.Requested != "" {
		return 0.3
	}
	return 0.5
}

// about is what a picture is of.
type about int

const (
	aboutMoment  about = iota // whatever the newest messages say
	aboutRequest              // what the user has asked to see
	aboutShot                 // a shot of a storyboard
)

func (in Input) about() about {
	switch {
	case in.Shot != nil:
		return aboutShot
	case in.Requested != "":
		return aboutRequest
	}
	return aboutMoment
}

// ordered is the text that says what a picture shows, "" where the moment decides.
func (in Input) ordered() string {
	if in.Shot != nil {
		return in.Shot.Subject + "\n" + in.Shot.Action + "\n" + in.Shot.Dialogue
	}
	return in.Requested
}

// Messages builds the request: the instruction, and the transcript it is to be
// applied to, with the order at its end, from the prompt files in set.
func Messages(in Input, set *prompts.Set) []Message {
	v := values(in)
	f := in.files()
	v["example"] = inJSON(strings.TrimSpace(set.Fill(f.example, v)))
	v["order"], v["write"], v["answer"] = in.order(set), set.Fill(f.write, v), set.Fill(f.answer, v)
	told := withPart(strings.TrimSpace(set.Fill(TranscriptFile, v)), v["order"])
	return []Message{
		{Role: "system", Content: withPart(strings.TrimSpace(set.Fill(f.job, v)), v["answer"])},
		{Role: "user", Content: told},
	}
}

// inJSON is a text as it stands between the quotation marks of a JSON string.
func inJSON(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return s // no text fails
	}
	return strings.Trim(string(data), `"`)
}

// withPart returns a text with a part of it at its end, where a file of the user's has no place
// for it.
func withPart(told, part string) string {
	if strings.Contains(told, part) {
		return told
	}
	return told + "\n\n" + part
}

// files are the prompt files of a request.
type files struct{ job, write, answer, example string }

func (in Input) files() (f files) {
	f = [...]files{
		aboutMoment:  {SceneFile, WriteFile, AnswerFile, ExampleFile},
		aboutRequest: {RequestedFile, WriteFile, AnswerOrderFile, ExampleFile},
		aboutShot:    {ShotFile, WriteFile, AnswerOrderFile, ExampleFile},
	}[in.about()]
	if in.Form.Tags {
		f.example = ExampleTagsFile
	}
	if in.Kind == Video {
		f.write = WriteVideoFile
		if !in.Form.Tags {
			f.example = ExampleVideoFile
		}
		f.job = [...]string{SceneVideoFile, RequestedVideoFile, ShotVideoFile}[in.about()]
	}
	return f
}

// values are what the macros of the prompt files stand for.
func values(in Input) map[string]string {
	card := in.Character.Card
	return map[string]string{
		"char":            or(card.CharName(), "the character"),
		"user":            user(in),
		"role":            in.bound(or(card.Personality, "not said")),
		"appearance":      in.bound(or(in.Character.Imagery.Appearance, in.Description, card.Description, "not said")),
		"people":          in.block(),
		"persona":         in.bound(or(in.PersonaText, in.Persona.Description, "not said")),
		"scenario":        in.bound(or(in.Scenario, card.Scenario, "not said")),
		"style":           bound(or(Style(in), "whatever suits the scene")),
		"negative_prompt": bound(or(negative(in), "nothing in particular")),
		"continuity":      or(in.loose(), "nothing yet"),
		"request":         bound(or(in.Requested, "nothing in particular")),
		"trigger_rule":    triggerRule(in),
		"form_rule":       in.Form.rule(in.Kind),
		"focus_rule":      focusRule(in),
		"transcript":      transcript(in),
		"shots":           axisNames("shot"),
		"angles":          axisNames("angle"),
		"lights":          axisNames("light"),
	}
}

// Style is the style that in is painted in: the character's own or the default.
func Style(in Input) string { return or(in.Character.Imagery.Style, in.DefaultStyle) }

func negative(in Input) string {
	return or(in.Character.Imagery.NegativePrompt, in.DefaultNegative)
}

func user(in Input) string { return or(in.Persona.Name, "User") }

func triggerRule(in Input) string {
	if w := trigger(in); w != "" {
		return fmt.Sprintf("Do not write the trigger word %q anywhere: it is added later.", w)
	}
	return "Write no trigger words, no weights and no brackets."
}

func focusRule(in Input) string {
	if len(in.Focus) == 0 && in.about() != aboutMoment {
		return "The order decides who is in the picture and who stands in front."
	}
	if len(in.Focus) == 0 {
		return "The moment decides who stands in front."
	}
	verb := "matter"
	if len(in.Focus) == 1 {
		verb = "matters"
	}
	return fmt.Sprintf(
		"%s %s most: use the name, and put light and sharpness there. Everyone else stands to the side or behind.",
		strings.Join(in.Focus, " and "),
		verb,
	)
}

// Conversation returns the messages that a capture looks at, oldest first: the
// newest ones that somebody spoke. Captures, system notes, deleted and empty
// messages never count.
func Conversation(in Input) []storage.Node {
	first, found := len(in.Messages), 0
	for first > 0 && found < SceneWindow {
		first--
		if spoken(in.Messages[first]) {
			found++
		}
	}
	out := make([]storage.Node, 0, found)
	for _, n := range in.Messages[first:] {
		if spoken(n) {
			out = append(out, n)
		}
	}
	return out
}

func spoken(n storage.Node) bool {
	return n.Role.InPrompt() && !n.Deleted && strings.TrimSpace(n.Content) != ""
}

func transcript(in Input) string {
	nodes := Conversation(in)
	if len(nodes) == 0 {
		return "(Nothing has been said yet. The setting of the story is all there is.)"
	}
	var b strings.Builder
	b.WriteString(in.before())
	for i, n := range nodes {
		if in.leftOut(i, len(nodes)) {
			continue
		}
		weight := "BACKGROUND"
		if i >= len(nodes)-present {
			weight = "PRESENT"
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(
			&b,
			"[Message %d/%d] %s (%s)%s:\n%s",
			i+1,
			len(nodes),
			speaker(in, n),
			weight,
			in.Marks[n.ID],
			in.shown(i, len(nodes), n),
		)
	}
	return b.String()
}

func speaker(in Input, n storage.Node) string {
	name := n.Name
	if name == "" && n.Role == storage.User {
		name = user(in)
	}
	if name == "" {
		name = or(in.Character.Card.CharName(), "the character")
	}
	return strings.Join(strings.Fields(name), " ")
}

func or(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}
