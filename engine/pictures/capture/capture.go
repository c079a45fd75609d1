// Package capture builds the request for a picture prompt from a moment of the story, and checks
// the model's answer. It is pure: it reads no store and calls no server.
package capture

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Kind is the kind of a capture.
type Kind string

const (
	Image Kind = "image"
	Video Kind = "video"
)

// How many messages of the story a capture reads, and how many of them define the present.
const (
	SceneWindow     = 10
	RequestedWindow = 3 // for the question whether a picture is asked for
	present         = 3
)

// Limits of a prompt, in words. A video prompt only has to have some words.
const (
	MinWords      = 100
	MaxWords      = 300
	MaxVideoWords = 150
)

// Names of the prompt files of Messages.
const (
	SceneFile          = "capture/scene"
	SceneVideoFile     = "capture/scene-video"
	RequestedFile      = "capture/requested"
	RequestedVideoFile = "capture/requested-video"
	ShotFile           = "capture/shot"
	ShotVideoFile      = "capture/shot-video"
	TranscriptFile     = "capture/transcript"
	// WriteFile and the next three are shared parts: how a prompt is written, and the fields of the
	// answer.
	WriteFile       = "capture/write"
	WriteVideoFile  = "capture/write-video"
	AnswerFile      = "capture/answer"
	AnswerOrderFile = "capture/answer-order"
	// ExampleFile and the next two are the prompt in the example of an answer, by form.
	ExampleFile      = "capture/example"
	ExampleVideoFile = "capture/example-video"
	ExampleTagsFile  = "capture/example-tags"
)

// Limits of what goes into the instruction, in runes, so that a huge card or message cannot push
// the rules out of the context.
const (
	maxField   = 4000
	maxMessage = 6000
)

// Input is the moment to capture. Texts have their macros expanded; an empty Description,
// PersonaText or Scenario falls back to the raw field.
type Input struct {
	Kind      Kind
	Requested string         // what the user asked to see; "" makes it a scene capture
	Messages  []storage.Node // oldest first, any length and any roles
	Character storage.Character
	Persona   storage.Persona

	Description string // of the character
	PersonaText string // description of the persona
	Scenario    string

	// Facts are the facts of the continuity sheet. The request numbers them from 1.
	Facts []storage.Fact
	// Focus names the most important people, nil for nobody.
	Focus []string

	// Form is the form of the prompt.
	Form Form

	// Marks name those who heard whispered messages.
	Marks map[storage.NodeID]string
	// Degree is the amount that is left out to fit the context, from 0, nothing, to Degrees; Before
	// then summarises the story so far.
	Degree int
	Before string

	// Camera is the user's choice, and Words what they have added to it. Shot is the shot of a
	// storyboard, nil for none.
	Camera Camera
	Words  string
	Shot   *Shot
	// People are the people of the moment, including those who have left; nil means the character
	// and the persona. Hint is the director's wish for the picture, Visual the kind of subject.
	People []Person
	Hint   string
	Visual string // character, object or atmosphere
	// Taste is the user's taste in pictures, "" for none.
	Taste string

	DefaultStyle    string // for a character without a style of its own
	DefaultNegative string // for a character without a style of its own
}

// Message is a message to the capture model.
type Message struct{ Role, Content string }

// Allowed returns an error if the immersion level of a character forbids scene capture. Its text is
// for the user and names what to change.
func Allowed(level storage.Immersion) error {
	if level == storage.Full || level == storage.Unbounded {
		return nil
	}
	if level == "" {
		level = storage.Balanced
	}
	return fmt.Errorf(
		"scene capture needs a character whose immersion is %q or %q; this one's is %q: change the setting "+
			"\"immersion\" of the character",
		storage.Full,
		storage.Unbounded,
		level,
	)
}

// Temperature returns the sampling temperature of the request.
func Temperature(in Input) float64 {
	if in.Kind == Video || in.Requested != "" {
		return 0.3
	}
	return 0.5
}

// subject is the kind of a picture's subject.
type subject int

const (
	subjectMoment  subject = iota // whatever the newest messages say
	subjectRequest                // what the user has asked to see
	subjectShot                   // a shot of a storyboard
)

func (in Input) subject() subject {
	switch {
	case in.Shot != nil:
		return subjectShot
	case in.Requested != "":
		return subjectRequest
	}
	return subjectMoment
}

// orderText returns the text that says what a picture shows, "" for a picture of the moment.
func (in Input) orderText() string {
	if in.Shot != nil {
		return in.Shot.Subject + "\n" + in.Shot.Action + "\n" + in.Shot.Dialogue
	}
	return in.Requested
}

// Messages builds the request from the prompt files in set: the instruction, and the transcript
// with the order at its end.
func Messages(in Input, set *prompts.Set) []Message {
	v := values(in)
	f := in.files()
	v["example"] = escapeJSON(strings.TrimSpace(set.Fill(f.example, v)))
	v["order"], v["write"], v["answer"] = in.order(set), set.Fill(f.write, v), set.Fill(f.answer, v)
	told := joinPart(strings.TrimSpace(set.Fill(TranscriptFile, v)), v["order"])
	return []Message{
		{Role: "system", Content: joinPart(strings.TrimSpace(set.Fill(f.job, v)), v["answer"])},
		{Role: "user", Content: told},
	}
}

// escapeJSON escapes a text for a JSON string.
func escapeJSON(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return s // no text fails
	}
	return strings.Trim(string(data), `"`)
}

// joinPart returns a text with a part of it at its end, where a file of the user's has no place
// for it.
func joinPart(told, part string) string {
	if strings.Contains(told, part) {
		return told
	}
	return told + "\n\n" + part
}

// files are the prompt files of a request.
type files struct{ job, write, answer, example string }

func (in Input) files() (f files) {
	f = [...]files{
		subjectMoment:  {SceneFile, WriteFile, AnswerFile, ExampleFile},
		subjectRequest: {RequestedFile, WriteFile, AnswerOrderFile, ExampleFile},
		subjectShot:    {ShotFile, WriteFile, AnswerOrderFile, ExampleFile},
	}[in.subject()]
	if in.Form.Tags {
		f.example = ExampleTagsFile
	}
	if in.Kind == Video {
		f.write = WriteVideoFile
		if !in.Form.Tags {
			f.example = ExampleVideoFile
		}
		f.job = [...]string{SceneVideoFile, RequestedVideoFile, ShotVideoFile}[in.subject()]
	}
	return f
}

// values returns the macros of the prompt files.
func values(in Input) map[string]string {
	card := in.Character.Card
	return map[string]string{
		"char": or(card.CharName(), "the character"),
		"user": userName(in),
		"role": in.truncateField(or(card.Personality, "not said")),
		"appearance": in.truncateField(or(in.Character.Imagery.Appearance, in.Description, card.Description,
			"not said")),
		"people":          in.peopleBlock(),
		"persona":         in.truncateField(or(in.PersonaText, in.Persona.Description, "not said")),
		"scenario":        in.truncateField(or(in.Scenario, card.Scenario, "not said")),
		"style":           truncateToField(or(Style(in), "whatever suits the scene")),
		"negative_prompt": truncateToField(or(negative(in), "nothing in particular")),
		"continuity":      or(in.otherFacts(), "nothing yet"),
		"request":         truncateToField(or(in.Requested, "nothing in particular")),
		"trigger_rule":    triggerRule(in),
		"form_rule":       in.Form.rule(in.Kind),
		"focus_rule":      focusRule(in),
		"transcript":      transcript(in),
		"shots":           axisNames("shot"),
		"angles":          axisNames("angle"),
		"lights":          axisNames("light"),
	}
}

// Style returns the style of the picture: the character's own or the default.
func Style(in Input) string { return or(in.Character.Imagery.Style, in.DefaultStyle) }

func negative(in Input) string {
	return or(in.Character.Imagery.NegativePrompt, in.DefaultNegative)
}

func userName(in Input) string { return or(in.Persona.Name, "User") }

func triggerRule(in Input) string {
	if w := trigger(in); w != "" {
		return fmt.Sprintf("Do not write the trigger word %q anywhere: it is added later.", w)
	}
	return "Write no trigger words, no weights and no brackets."
}

func focusRule(in Input) string {
	if len(in.Focus) == 0 && in.subject() != subjectMoment {
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

// Conversation returns the messages of a capture, oldest first: the newest lines and narrations.
// Captures, system notes, deleted and empty messages are skipped.
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
		if in.isOmitted(i, len(nodes)) {
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
			in.messageText(i, len(nodes), n),
		)
	}
	return b.String()
}

func speaker(in Input, n storage.Node) string {
	name := n.Name
	if name == "" && n.Role == storage.User {
		name = userName(in)
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
