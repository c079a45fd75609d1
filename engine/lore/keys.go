package lore

import "strings"

// JoinKeys writes keys so that SplitKeys reads the same keys: one per line, in quotes if it would
// be read as several keys, or as another one.
func JoinKeys(keys []string) string {
	var out []string
	for _, k := range keys {
		if k == "" {
			continue
		}
		// One that begins with a quote could end at a quote of the next one.
		if again := SplitKeys(k); k[0] == '"' || len(again) != 1 || again[0] != k {
			k = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(k) + `"`
		}
		out = append(out, k)
	}
	return strings.Join(out, "\n")
}

// SplitKeys returns the keys in a text, which are separated by line ends or commas. A comma in a
// /regex/ or between quotes belongs to the key.
func SplitKeys(text string) []string {
	out := []string{}
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n,")
		if text == "" {
			break
		}
		key, rest, ok := quotedKey(text)
		if !ok {
			key, rest, ok = regexKey(text)
		}
		if !ok {
			n := strings.IndexAny(text, ",\n")
			if n < 0 {
				n = len(text)
			}
			key, rest = strings.TrimSpace(text[:n]), text[n:]
		}
		if key != "" {
			out = append(out, key)
		}
		text = rest
	}
	return out
}

// isKeyEnd reports whether a key may end here.
func isKeyEnd(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r")
	return rest == "" || rest[0] == ',' || rest[0] == '\n'
}

// quotedKey returns a quoted key at the beginning of a text, and the rest.
func quotedKey(text string) (key, rest string, ok bool) {
	if text[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case c == '"':
			return b.String(), text[i+1:], isKeyEnd(text[i+1:])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// regexKey returns a /regex/flags at the beginning of a text, and the rest. A slash in it must be
// escaped or in brackets; it has no line end.
func regexKey(text string) (key, rest string, ok bool) {
	if text[0] != '/' {
		return "", "", false
	}
	class := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return "", "", false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class && i > 1:
			end := i + 1
			for end < len(text) && text[end] >= 'a' && text[end] <= 'z' {
				end++
			}
			return text[:end], text[end:], isKeyEnd(text[end:])
		}
	}
	return "", "", false
}
