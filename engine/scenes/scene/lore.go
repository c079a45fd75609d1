package scene

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// candidate is a fact for the lorebook as a model gave it.
type candidate struct {
	storage.LoreCandidate
	numbers []int // of messages, not checked yet
}

// candidates reads lorebook candidates. Those without a name or content are left out.
func candidates(raw json.RawMessage) []candidate {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		if len(raw) == 0 || raw[0] != '{' {
			return nil
		}
		list = []json.RawMessage{raw}
	}
	var out []candidate
	for _, r := range list {
		fields, err := prompts.Object(r)
		if err != nil || len(out) == maxLore {
			continue
		}
		c := candidate{numbers: coverage.Numbers(fields["messages"]), LoreCandidate: storage.LoreCandidate{
			Name:          prompts.Bounded(prompts.OneLine(parsePhrase(fields["name"])), maxName),
			Type:          prompts.Bounded(strings.ToLower(prompts.OneLine(parsePhrase(fields["type"]))), maxKeyword),
			Keywords:      keywords(fields["keywords"], fields["keys"]),
			SecondaryKeys: keywords(fields["secondarykeys"], nil),
			Content:       prompts.Bounded(strings.TrimSpace(paragraphs(parsePhrase(fields["content"]))), maxContent),
			UID:           uid(fields["uid"]),
		}}
		if c.Name == "" || c.Content == "" ||
			slices.ContainsFunc(out, func(o candidate) bool { return o.Name == c.Name && o.Content == c.Content }) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// withSources returns candidates with the messages of the material that they cite.
func withSources(list []candidate, material []citedText) (out []storage.LoreCandidate) {
	for _, c := range list {
		c.Messages = sources(c.numbers, material)
		out = append(out, c.LoreCandidate)
	}
	return out
}

func keywords(raw, other json.RawMessage) []string {
	var out []string
	for _, w := range append(parseTexts(raw), parseTexts(other)...) {
		w = prompts.Bounded(strings.ToLower(prompts.OneLine(w)), maxKeyword)
		if w != "" && !slices.Contains(out, w) && len(out) < maxKeywords {
			out = append(out, w)
		}
	}
	return out
}

// uid reads a name that may have come as a number.
func uid(raw json.RawMessage) string {
	if text, ok := parseString(raw); ok {
		return prompts.Bounded(prompts.OneLine(text), maxKeyword)
	}
	var n int64
	if len(raw) > 0 && json.Unmarshal(raw, &n) == nil && n != 0 {
		return strconv.FormatInt(n, 10)
	}
	return ""
}
