package formats

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

const (
	maxYAML      = 4 << 20 // bytes of a YAML card
	maxYAMLNodes = 20_000
	maxYAMLDepth = 32
)

// yamlField matches a line that begins a field of a YAML card.
var yamlField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?m)^["']?(name|bot|context|greeting|char_name|char_persona|char_greeting|description|first_mes)["']?` +
			`[ \t]*:(?:[ \t\r\n]|$)`)
})

// looksYAML reports whether a text is a card in YAML: at least two of its fields are at the
// beginning of lines, one of them a name.
func looksYAML(head []byte) bool {
	found := map[string]bool{}
	for _, m := range yamlField().FindAllSubmatch(head[:min(len(head), detectHead)], 64) {
		found[string(m[1])] = true
	}
	return len(found) >= 2 && (found["name"] || found["bot"] || found["char_name"])
}

// readYAML reads a card in YAML: the fields of text-generation-webui, or those of any other card.
func readYAML(data []byte) (ImportedCard, error) {
	if len(data) > maxYAML {
		return ImportedCard{}, wrapf(ErrTooLarge, "the file has %s; the limit is %s for a card in YAML",
			formatSize(len(data)), formatSize(maxYAML))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return ImportedCard{}, wrapf(ErrDamaged, "the YAML is broken (%s): correct it in an editor",
			strings.SplitN(err.Error(), "\n", 2)[0])
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return ImportedCard{}, wrapf(ErrNotCard,
			"the YAML is not a list of a character's fields (name, context, greeting): choose another file")
	}
	left := maxYAMLNodes
	doc, err := yamlJSON(root.Content[0], 0, &left)
	if err != nil {
		return ImportedCard{}, err
	}
	in, err := readDocument(doc)
	if err == nil {
		in.Format += " YAML"
	}
	return in, err
}

// yamlJSON converts YAML to JSON. Aliases are refused, because a few of them can expand to any
// amount of text.
func yamlJSON(n *yaml.Node, depth int, left *int) (json.RawMessage, error) {
	if *left--; *left < 0 || depth > maxYAMLDepth {
		return nil, wrapf(ErrTooLarge, "the YAML has more than %d parts or %d levels, which no card has",
			maxYAMLNodes, maxYAMLDepth)
	}
	switch n.Kind {
	case yaml.MappingNode:
		var o object
		for i := 0; i+1 < len(n.Content); i += 2 {
			raw, err := yamlJSON(n.Content[i+1], depth+1, left)
			if err != nil {
				return nil, err
			}
			if n.Content[i].Kind != yaml.ScalarNode {
				return nil, wrapf(ErrDamaged, "the name of a field at line %d is not text", n.Content[i].Line)
			}
			o.set(n.Content[i].Value, raw)
		}
		return o.encode(), nil
	case yaml.SequenceNode:
		list := make([]json.RawMessage, len(n.Content))
		for i, c := range n.Content {
			raw, err := yamlJSON(c, depth+1, left)
			if err != nil {
				return nil, err
			}
			list[i] = raw
		}
		return encodeList(list), nil
	case yaml.ScalarNode:
		return yamlScalar(n), nil
	}
	return nil, wrapf(ErrDamaged, "line %d refers to another part of the YAML: write its text out", n.Line)
}

func yamlScalar(n *yaml.Node) json.RawMessage {
	switch n.ShortTag() {
	case "!!null":
		return json.RawMessage("null")
	case "!!bool":
		var v bool
		if n.Decode(&v) == nil {
			return json.RawMessage(strconv.FormatBool(v))
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.RawMessage(n.Value)
		}
	}
	return quote(n.Value)
}
