package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ErrNotRegex is the error of a valid file without regex scripts.
var ErrNotRegex = errors.New("no regex scripts")

// Limits of regex scripts: the bytes of a file, the number of scripts read from one, and the
// length of a pattern and a replacement. A pattern longer than the engine allows is kept without
// effect.
const (
	MaxRegexFile    = 64 << 20
	MaxRegexScripts = 1000
	maxRegexFind    = 64 << 10
	maxRegexReplace = 1 << 20
)

// RegexFile is the regex scripts of a file. From names its kind: a script, a list, a preset, a
// card, or the settings of a program.
type RegexFile struct {
	From    string
	Scripts []storage.RegexScript
	// Allowed are the files of the cards whose scripts the user has allowed, in the settings of a
	// program.
	Allowed []string
	Remarks []string
}

// ReadRegexFile reads the file at path. It also returns ErrNotFile.
func ReadRegexFile(path string) (RegexFile, error) {
	data, err := readFile(path, MaxRegexFile)
	if err != nil {
		return RegexFile{}, fmt.Errorf("read regex scripts %s: %w", quotePath(path), err)
	}
	return ReadRegex(path, data)
}

// ReadRegex reads regex scripts of SillyTavern (1.10 to 1.13): one that was exported, a
// list of them, those of a preset and of a card (extensions.regex_scripts), and those for
// all chats (extension_settings.regex of settings.json). The fields are those of
// RegexScriptData in public/scripts/char-data.js, what they mean is in
// public/scripts/extensions/regex (engine.js, and index.js for what older versions wrote:
// the placements 0 and 4, and a substituteRegex that is true or false). Errors wrap
// ErrNotRegex, ErrTooLarge or ErrDamaged.
func ReadRegex(name string, data []byte) (RegexFile, error) {
	out, err := readRegex(name, data)
	if err != nil {
		return RegexFile{}, fmt.Errorf("read regex scripts %s: %w", quotePath(name), err)
	}
	return out, nil
}

func readRegex(name string, data []byte) (out RegexFile, err error) {
	if len(data) > MaxRegexFile {
		return out, wrapf(ErrTooLarge, "the file has %s; the limit is %s", formatSize(len(data)),
			formatSize(MaxRegexFile))
	}
	if sniff(data) != "" {
		if Detect(name, data) != KindCard {
			return out, wrongKind(ErrNotRegex, name, data, "choose regex scripts (.json) or a card that has some")
		}
		card, err := ReadCard(name, data)
		if err != nil {
			return out, err
		}
		data = card.Source
	}
	source, err := compact(data)
	if err != nil {
		return out, orChatFile(ErrNotRegex, name, data, err)
	}
	raws, from, known := regexScripts(source)
	if !known {
		kind := headTraits(source).kind()
		if words := kindAdvice[kind]; words != "" && kind != KindRegex {
			return out, wrapf(ErrNotRegex, "%s; it has no regex scripts", words)
		}
		return out, wrapf(ErrNotRegex, "the document has no findRegex and no list of scripts: choose another file")
	}
	out.From = from
	if root, ok := parseObject(source); ok {
		ext, _ := parseObject(root.get("extension_settings"))
		list, _ := elements(ext.get("character_allowed_regex"), maxList)
		for _, raw := range list {
			if file, ok := text(raw); ok {
				out.Allowed = append(out.Allowed, file)
			}
		}
	}
	var n warningList
	out.Scripts = readScripts(raws, &n)
	out.Remarks = n.lines()
	if len(out.Scripts) == 0 {
		return out, wrapf(ErrNotRegex, "there is none in this %s, or more than %d", from, MaxRegexScripts)
	}
	return out, nil
}

// regexScripts returns the scripts of a compact document. known reports whether its kind can have
// some.
func regexScripts(source json.RawMessage) (raws []json.RawMessage, from string, known bool) {
	if list, ok := elements(source, MaxRegexScripts); ok {
		for _, raw := range list {
			if o, ok := parseObject(raw); ok && o.has("findRegex") {
				return list, "list of scripts", true
			}
		}
		return nil, "", false
	}
	root, ok := parseObject(source)
	if !ok {
		return nil, "", false
	}
	if root.has("findRegex") {
		return []json.RawMessage{source}, "script", true
	}
	if settings, ok := parseObject(root.get("extension_settings")); ok {
		raws, _ = elements(settings.get("regex"), MaxRegexScripts)
		return raws, "settings file", true
	}
	home, from := root, "preset"
	if data, ok := parseObject(root.get("data")); ok &&
		(root.has("spec") || data.has("first_mes") || data.has("name")) {
		home, from = data, "card"
	}
	ext, ok := parseObject(home.get("extensions"))
	if !ok || !ext.has("regex_scripts") {
		return nil, "", false
	}
	raws, _ = elements(ext.get("regex_scripts"), MaxRegexScripts)
	return raws, from, true
}

// CardRegex returns the regex scripts of a card's document, none if it cannot be read.
func CardRegex(source json.RawMessage) []storage.RegexScript {
	if !bytes.Contains(source, []byte(`"regex_scripts"`)) {
		return nil
	}
	compacted, err := compact(source)
	if err != nil {
		return nil
	}
	raws, from, _ := regexScripts(compacted)
	if from != "card" {
		return nil
	}
	return readScripts(raws, &warningList{})
}

func readScripts(raws []json.RawMessage, n *warningList) (out []storage.RegexScript) {
	for i, raw := range raws {
		o, ok := parseObject(raw)
		if !ok || !o.has("findRegex") {
			n.add("script %d is none: it has no findRegex", i+1)
			continue
		}
		s, odd := readScript(&o)
		switch {
		case len(s.Find) > maxRegexFind:
			n.add("the pattern of %s is longer than %s and was left out", quoteShort(s.Name), formatSize(maxRegexFind))
			continue
		case len(s.Replace) > maxRegexReplace:
			n.add("the replacement of %s is longer than %s and was left out", quoteShort(s.Name),
				formatSize(maxRegexReplace))
			continue
		}
		for _, words := range odd {
			n.add("%s: %s", quoteShort(s.Name), words)
		}
		s.Source = slices.Clone(raw)
		out = append(out, s)
	}
	return out
}

// regexFields are the fields of a script. Each codec returns what was wrong with a value.
var regexFields = fields[storage.RegexScript]{
	newField("scriptName", func(s *storage.RegexScript) *string { return &s.Name }, looseCodec),
	newField("findRegex", func(s *storage.RegexScript) *string { return &s.Find }, looseCodec),
	newField("replaceString", func(s *storage.RegexScript) *string { return &s.Replace }, looseCodec),
	newField("trimStrings", func(s *storage.RegexScript) *[]string { return &s.Trim }, trimsCodec),
	newField("disabled", func(s *storage.RegexScript) *bool { return &s.Off }, truthCodec),
	newField("markdownOnly", func(s *storage.RegexScript) *bool { return &s.DisplayOnly }, truthCodec),
	newField("promptOnly", func(s *storage.RegexScript) *bool { return &s.PromptOnly }, truthCodec),
	newField("runOnEdit", func(s *storage.RegexScript) *bool { return &s.OnEdit }, truthCodec),
	newField("substituteRegex", func(s *storage.RegexScript) *storage.RegexMacros { return &s.Macros }, macrosCodec),
	newField("minDepth", func(s *storage.RegexScript) **int { return &s.MinDepth }, regexDepthCodec(-1)),
	newField("maxDepth", func(s *storage.RegexScript) **int { return &s.MaxDepth }, regexDepthCodec(0)),
	newField("placement", func(s *storage.RegexScript) *storage.RegexScript { return s }, placementCodec),
}

var trimsCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) string {
	list, _ := elements(raw, maxList)
	for _, one := range list {
		if t, ok := text(one); ok && t != "" {
			*to = append(*to, t)
		}
	}
	return ""
}, appendTexts}

// regexMacros are indexed by SillyTavern's numbers.
var regexMacros = []storage.RegexMacros{storage.RegexAsWritten, storage.RegexRaw, storage.RegexEscaped}

var macrosCodec = codec[storage.RegexMacros]{func(raw json.RawMessage, to *storage.RegexMacros) string {
	switch macros, _ := looseString(raw); macros {
	case "1", "true":
		*to = storage.RegexRaw
	case "2":
		*to = storage.RegexEscaped
	case "", "0", "false":
	default:
		return "substituteRegex is " + quoteShort(macros) + ", which is unknown: macros in the pattern are not replaced"
	}
	return ""
}, func(dst []byte, m storage.RegexMacros) []byte {
	return appendInt(dst, max(0, slices.Index(regexMacros, m)))
}}

// regexDepthCodec returns a depth, nil for none; a value below least is none.
func regexDepthCodec(least int) codec[*int] {
	return codec[*int]{func(raw json.RawMessage, to **int) string {
		if n, ok := wholeNumber(raw); ok && n >= least {
			*to = &n
		}
		return ""
	}, nullable(appendInt[int])}
}

// regexPlacements are keyed by SillyTavern's numbers; 0 and 4 are of older versions.
var regexPlacements = map[int]storage.RegexPlace{1: storage.RegexUser, 2: storage.RegexReply,
	3: storage.RegexCommand, 5: storage.RegexLore, 6: storage.RegexThinking}

var placementCodec = codec[storage.RegexScript]{func(raw json.RawMessage, s *storage.RegexScript) string {
	list, _ := elements(raw, maxList)
	var odd []string
	for _, one := range list {
		at, ok := wholeNumber(one)
		switch place := regexPlacements[at]; {
		case ok && at == 0: // shown as Markdown, wherever it comes from
			s.DisplayOnly, s.PromptOnly = true, true
			if len(list) == 1 {
				s.Places = slices.Clone(storage.RegexPlaces)
			}
		case ok && at == 4 && !s.Acts(storage.RegexCommand): // messages sent by a command
			s.Places = append(s.Places, storage.RegexCommand)
		case place == "" && at != 4:
			odd = append(odd, "its placement "+quoteShort(string(one))+" is not known")
		case place != "" && !s.Acts(place):
			s.Places = append(s.Places, place)
		}
	}
	return strings.Join(odd, "; ")
}, func(dst []byte, s storage.RegexScript) []byte {
	var list []json.RawMessage
	for _, n := range []int{1, 2, 3, 5, 6} {
		if s.Acts(regexPlacements[n]) {
			list = append(list, rawInt(n))
		}
	}
	return append(dst, encodeList(list)...)
}}

func readScript(o *object) (s storage.RegexScript, odd []string) {
	regexFields.read(o, &s, func(_, words string) { odd = append(odd, words) })
	if strings.TrimSpace(s.Name) == "" {
		s.Name = "unnamed"
	}
	s.Name = firstLine(s.Name)
	if len(s.Places) == 0 {
		odd = append(odd, "it does not say which text it affects, so it has no effect")
	}
	if s.Find == "" {
		odd = append(odd, "it has no pattern, so it has no effect")
	}
	return s, odd
}

// WriteRegex writes scripts as files of SillyTavern: one by itself, several as a list. An imported
// script is written as it was read, except for its changes.
func WriteRegex(scripts ...storage.RegexScript) ([]byte, error) {
	raws := make([]json.RawMessage, len(scripts))
	for i := range scripts {
		raw, err := regexDocument(&scripts[i])
		if err != nil {
			return nil, fmt.Errorf("write regex script %s: %w", quoteShort(scripts[i].Name), err)
		}
		raws[i] = raw
	}
	raw := encodeList(raws)
	if len(raws) == 1 {
		raw = raws[0]
	}
	return indentJSON(raw, "    "), nil
}

// regexDocument returns a script as a document of SillyTavern.
func regexDocument(s *storage.RegexScript) (json.RawMessage, error) {
	var o object
	var was storage.RegexScript
	fresh := len(s.Source) == 0
	if !fresh {
		source, err := compact(s.Source)
		if err != nil {
			return nil, fmt.Errorf("the kept document: %w", err)
		}
		o, _ = parseObject(source)
		was, _ = readScript(&o)
	}
	if fresh {
		o.set("id", quote(string(s.ID)))
	}
	regexFields.merge(&o, s, &was, fresh)
	return o.encode(), nil
}
