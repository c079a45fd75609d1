package ollama

import (
	"strings"

	"github.com/ollama/ollama/api"
)

// Think is the setting for a model's thinking: whether it thinks, and how much. The zero value
// leaves it to the model. Some models accept only levels and think with every setting.
type Think string

// The values of a Think.
const (
	ThinkOn     Think = "on"
	ThinkOff    Think = "off"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// wire returns the value as the server gets it, nil for none.
func (t Think) wire() *api.ThinkValue {
	switch t {
	case "":
		return nil
	case ThinkOn, ThinkOff:
		return &api.ThinkValue{Value: t == ThinkOn}
	}
	return &api.ThinkValue{Value: string(t)}
}

// thinkSplit takes thoughts out of the content of models that write them there, because the server
// does not know their tags. An opening tag counts only at the very beginning of a reply: later ones
// are part of the story. A closing tag without an opening one counts everywhere: the opening one
// was in the prompt, and everything before the closing one is thought. The zero value is ready.
type thinkSplit struct {
	state   splitState
	held    string // content whose meaning is not yet decided
	close   string // the tag that ends the thoughts
	thought bool   // thoughts were found, or announced: no closing tag is looked for
}

type splitState int

const (
	splitStart    splitState = iota // nothing but space and headers seen
	splitThinking                   // between the tags
	splitGap                        // after the closing tag, before the first visible character
	splitContent                    // the rest of the reply
)

// maxLead is the maximum number of space characters before an opening tag, in bytes.
const maxLead = 64

// thinkTags are the pairs of tags that models use. In the harmony format any following sign ends
// the thoughts; it is read as a header.
var thinkTags = [...][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"[THINK]", "[/THINK]"},
	{"<|START_THINKING|>", "<|END_THINKING|>"}, {"◁think▷", "◁/think▷"},
	{"<|channel|>analysis<|message|>", harmonySign}, {"<|channel|>commentary<|message|>", harmonySign}}

const (
	harmonySign  = "<|"
	harmonyFinal = "<|channel|>final<|message|>"
)

// headers are the beginnings of an assistant's message in templates. A header in a model's own
// output has no meaning.
var headers = [...]string{harmonyFinal, "<|end|>", "<|start|>assistant", "<|im_start|>assistant",
	"<|start_header_id|>assistant<|end_header_id|>",
	"<start_of_turn>model", "<|assistant|>", "<｜Assistant｜>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<bos>",
	"<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>", "[/INST]", "### Response:"}

// off ends the search for tags and returns the held text.
func (t *thinkSplit) off() string {
	s := t.held
	if t.held, t.state, t.thought = "", splitContent, true; s == "" {
		t.state = splitGap // what came apart may be closed in the content all the same
	}
	return s
}

// add processes the next piece of content and returns its parts that are content and thoughts.
// before is the content so far. rethought means that this was thought too.
func (t *thinkSplit) add(piece, before string) (content, thinking string, rethought bool) {
	t.held += piece
	if t.state == splitStart || t.state == splitGap {
		t.begin()
	}
	for t.state == splitThinking { // one may follow another
		thinking += t.think()
		if t.state != splitGap {
			break
		}
		t.begin()
	}
	if t.state == splitContent {
		content, rethought = t.write(before)
	}
	if rethought {
		after, more, _ := t.add("", "")
		return after, thinking + content + more, true
	}
	return content, thinking, false
}

// begin parses what is allowed before the content: space, headers, an opening tag.
func (t *thinkSplit) begin() {
	for {
		s := strings.TrimLeft(t.held, " \t\r\n")
		if t.state == splitStart && len(t.held)-len(s) > maxLead { // too much to be an accident
			t.state = splitContent
			return
		}
		if t.state == splitGap {
			t.held = s
		}
		for _, tag := range thinkTags {
			if rest, ok := strings.CutPrefix(s, tag[0]); ok {
				t.held, t.close, t.state, t.thought = rest, tag[1], splitThinking, true
				return
			}
		}
		rest, ok := withoutHeader(s)
		if !ok {
			if s != "" && !mayBegin(s) {
				t.state = splitContent
			}
			return
		}
		t.held, t.state = rest, splitGap
	}
}

// withoutHeader returns s without the header that it begins with, and false if it has none.
func withoutHeader(s string) (rest string, ok bool) {
	for _, h := range headers {
		if rest, ok := strings.CutPrefix(s, h); ok {
			return rest, true
		}
	}
	for _, tag := range thinkTags { // empty thoughts, or closed twice
		if rest, ok := strings.CutPrefix(s, tag[1]); ok && tag[1] != harmonySign {
			return rest, true
		}
	}
	return s, false
}

// mayBegin reports whether s is the beginning of a tag or of a header.
func mayBegin(s string) bool {
	for _, tag := range thinkTags {
		if strings.HasPrefix(tag[0], s) || strings.HasPrefix(tag[1], s) {
			return true
		}
	}
	for _, h := range headers {
		if strings.HasPrefix(h, s) {
			return true
		}
	}
	return false
}

// think returns thoughts, and holds text that may be the beginning of their end.
func (t *thinkSplit) think() string {
	if before, after, ok := strings.Cut(t.held, t.close); ok {
		if t.held, t.state = after, splitGap; t.close == harmonySign {
			t.held = harmonySign + after
		}
		return before
	}
	keep := overlap(t.held, t.close)
	out := t.held[:len(t.held)-keep]
	t.held = t.held[len(t.held)-keep:]
	return out
}

// write returns content, and holds text that may be the beginning of a closing tag. It reports
// whether a closing tag came without an opening one: then the returned text is thought.
func (t *thinkSplit) write(before string) (out string, rethought bool) {
	if t.thought {
		out, t.held = t.held, ""
		return out, false
	}
	keep := 0
	for _, tag := range thinkTags {
		open, end := tag[0], tag[1]
		if end == harmonySign {
			end = harmonyFinal
		}
		out, after, ok := strings.Cut(t.held, end)
		if ok && !strings.Contains(before+out, open) {
			t.held, t.state, t.thought = after, splitGap, true
			return out, true
		}
		keep = max(keep, overlap(t.held, end))
	}
	out, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return out, false
}

// flush returns the held text when the reply ends.
func (t *thinkSplit) flush() (content, thinking string) {
	s := t.held
	t.held = ""
	switch t.state {
	case splitThinking:
		return "", s
	case splitGap:
		return "", ""
	}
	return s, ""
}

// overlap returns the length of the longest end of s that begins tag.
func overlap(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
