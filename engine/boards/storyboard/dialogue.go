package storyboard

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// addDialogue gives shots the words of the messages that they cite by number. What is said in a
// message that several of them cite is shared among them, in its order.
func (in Input) addDialogue(shots []any) {
	cited, given := map[int]int{}, map[int]int{}
	for _, shot := range shots {
		for _, n := range in.citedMessages(shot) {
			cited[n]++
		}
	}
	for _, shot := range shots {
		var said []string
		for _, n := range in.citedMessages(shot) {
			all, i, of := speeches(in.Messages[n-1].Text), given[n], cited[n]
			said = append(said, all[(i*len(all)+of-1)/of:((i+1)*len(all)+of-1)/of]...)
			given[n]++
		}
		o := shot.(map[string]any)
		if delete(o, spokenIn); len(said) > 0 {
			o["dialogue"] = clip(strings.Join(said, "\n"), maxDialogue)
		}
	}
}

// spokenIn is the field of a shot with the numbers of the messages whose words are heard.
const spokenIn = "spoken_in"

// citedMessages are the numbers of the messages that a shot names.
func (in Input) citedMessages(shot any) (all []int) {
	list, _ := shot.(map[string]any)[spokenIn].([]any)
	for _, v := range list {
		if n, ok := v.(float64); ok && n >= 1 && n <= float64(len(in.Messages)) {
			all = append(all, int(n))
		}
	}
	return all
}

// speeches are what is said in a message: what stands in quotation marks, or else all that
// does not stand between asterisks.
func speeches(message string) (all []string) {
	said := text.Quotations(message)
	if len(said) == 0 {
		for i, part := range strings.Split(message, "*") {
			if i%2 == 0 {
				said = append(said, part)
			}
		}
	}
	for _, s := range said {
		if s = strings.TrimRight(cleanLine(s), ", "); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// CheckDialogue says, for a model, which words a call has spoken that neither stand in a
// message nor in the plan, and that the director does not give.
func (in Input) CheckDialogue(c storage.ToolCall) error {
	var params any
	if json.Unmarshal(c.Params, &params) != nil {
		return nil // for Apply to say
	}
	heard := []string{in.Instruction}
	for _, m := range in.Messages {
		heard = append(append(heard, m.Text), speeches(m.Text)...)
	}
	for _, t := range in.Talk {
		heard = append(heard, t.Line)
	}
	for _, s := range in.Plan.Shots {
		heard = append(heard, s.Dialogue)
	}
	return checkSpoken(normalizeSpeech(strings.Join(heard, "\n")), params)
}

// normalizeSpeech is a text as words are compared: folded, without marks.
func normalizeSpeech(s string) string {
	var b strings.Builder
	for _, w := range text.Words(text.Fold(s)) {
		b.WriteString(" " + w)
	}
	return b.String() + " "
}

// checkSpoken looks for dialogue through all objects of a call's parameters.
func checkSpoken(heard string, v any) (err error) {
	switch v := v.(type) {
	case map[string]any:
		words, _ := v["dialogue"].(string)
		for line := range strings.Lines(words) {
			if !strings.Contains(heard, normalizeSpeech(line)) {
				return callErrorf("nobody says %q: give the number of the message in %s, or leave dialogue empty",
					clip(strings.TrimSpace(line), 80), spokenIn)
			}
		}
		for _, of := range v {
			if err == nil {
				err = checkSpoken(heard, of)
			}
		}
	case []any:
		for _, of := range v {
			if err == nil {
				err = checkSpoken(heard, of)
			}
		}
	}
	return err
}
