package formats

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readVersion reads an element of the list of versions: a text, or an object that has one. ok is
// false if it is empty or too large.
func readVersion(raw json.RawMessage) (v SceneVersion, ok bool) {
	if s, isText := text(raw); isText {
		if len(s) > maxSceneText {
			return v, false
		}
		v = parseVersion(s)
		return v, !v.isEmpty()
	}
	o, isObject := parseObject(raw)
	if !isObject || len(raw) > maxSceneText {
		return v, false
	}
	v = versionParts(&o)
	for _, key := range []string{"text", "content", "recap"} {
		if s, _ := text(o.get(key)); strings.TrimSpace(s) != "" {
			v = parseVersion(s).withDefaults(v)
			break
		}
	}
	return v, !v.isEmpty()
}

// withDefaults fills empty fields of v from below.
func (v SceneVersion) withDefaults(below SceneVersion) SceneVersion {
	for _, part := range []struct {
		own   *string
		below string
	}{{&v.SceneName, below.SceneName}, {&v.Atmosphere, below.Atmosphere}, {&v.EmotionalBeats, below.EmotionalBeats}} {
		if *part.own == "" {
			*part.own = part.below
		}
	}
	if len(v.Lorebooks) == 0 {
		v.Lorebooks = below.Lorebooks
	}
	return v
}

// parseVersion splits a text that is a JSON object with parts of a recap. Any other text is the
// recap itself.
func parseVersion(s string) SceneVersion {
	body := stripFence(s)
	if strings.HasPrefix(body, "{") {
		if packed, err := compact([]byte(body)); err == nil {
			if o, ok := parseObject(packed); ok {
				if v := versionParts(&o); !v.isEmpty() {
					return v
				}
			}
		}
	}
	return SceneVersion{Text: s}
}

// stripFence removes the code fence that models often put around JSON.
func stripFence(s string) string {
	s = strings.TrimSpace(s)
	body, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	body, ok = strings.CutSuffix(strings.TrimLeftFunc(body, unicode.IsLetter), "```")
	if !ok {
		return s
	}
	return strings.TrimSpace(body)
}

// versionParts reads the parts of a recap from an object. Extensions that work in stages keep the
// result of each; that of the latest stage is preferred.
func versionParts(o *object) (v SceneVersion) {
	stage := func(name string) *object {
		s, _ := parseObject(o.get(name))
		return &s
	}
	for _, raw := range []json.RawMessage{o.get("scene_name"), o.get("sn"), stage("stage1").get("sn")} {
		if v.SceneName, _ = text(raw); v.SceneName != "" {
			break
		}
	}
	for _, raw := range []json.RawMessage{o.get("recap"), o.get("stage3"), stage("stage2").get("recap"),
		stage("stage1").get("extracted")} {
		if v.Text = recapText(raw); v.Text != "" {
			break
		}
	}
	v.Atmosphere, _ = text(o.get("atmosphere"))
	v.EmotionalBeats, _ = text(o.get("emotional_beats"))
	// The first list counts even if it is empty: then nothing new was found.
	for _, raw := range []json.RawMessage{o.get("lorebooks"), o.get("setting_lore"), o.get("entities"),
		stage("stage4").get("entities")} {
		if list, ok := elements(raw, maxList); ok {
			v.Lorebooks = readLore(list)
			break
		}
	}
	return v
}

// recapText returns the Markdown of a recap in any of its forms: a text is taken as it is, a list
// becomes bullets, an object sections. Anything else is "".
func recapText(raw json.RawMessage) string {
	if s, ok := text(raw); ok {
		return s
	}
	if list, ok := elements(raw, maxMembers); ok {
		return bullets(list)
	}
	o, _ := parseObject(raw)
	var sections []string
	for _, m := range o.members {
		body := ""
		if s, ok := text(m.raw); ok {
			if body = strings.TrimSpace(s); !strings.Contains(body, "\n") {
				body = bullet(body)
			}
		} else if list, ok := elements(m.raw, maxMembers); ok {
			body = bullets(list)
		}
		if body != "" {
			sections = append(sections, "## "+sectionTitle(m.key)+"\n"+body)
		}
	}
	return strings.Join(sections, "\n\n")
}

func bullets(list []json.RawMessage) string {
	var lines []string
	for _, raw := range list {
		s, ok := text(raw)
		if !ok {
			o, _ := parseObject(raw)
			s, _ = text(o.get("text"))
		}
		if line := bullet(s); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// bullet puts a fact on a line of its own.
func bullet(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" || strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") {
		return s
	}
	return "- " + s
}

// sectionTitle returns the title of a section: current_situation becomes Current Situation.
func sectionTitle(key string) string {
	words := strings.Fields(strings.ReplaceAll(key, "_", " "))
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + w[n:]
	}
	s := strings.Join(words, " ")
	if s == "Tone Style" || s == "Tone And Style" {
		return "Tone & Style"
	}
	return s
}

// readLore skips candidates without name and content.
func readLore(list []json.RawMessage) (lore []storage.LoreCandidate) {
	for _, raw := range list {
		o, _ := parseObject(raw)
		var c storage.LoreCandidate
		c.Name, _ = text(o.get("name"))
		c.Type, _ = text(o.get("type"))
		c.Content = loreText(o.get("content"))
		c.Keywords = readWords(o.get("keywords"))
		c.SecondaryKeys = readWords(o.get("secondaryKeys"))
		c.UID, _ = looseString(o.get("uid"))
		if !emptyLore(c) {
			lore = append(lore, c)
		}
	}
	return lore
}

func emptyLore(c storage.LoreCandidate) bool { return strings.TrimSpace(c.Name+c.Content) == "" }

// loreText returns a text as it is, or a list of facts as bullets.
func loreText(raw json.RawMessage) string {
	list, ok := elements(raw, maxList)
	if !ok {
		s, _ := text(raw)
		return s
	}
	return bullets(list)
}

// readWords reads a list of texts, or a comma-separated text.
func readWords(raw json.RawMessage) (out []string) {
	if s, ok := text(raw); ok {
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" && len(out) < maxList {
				out = append(out, part)
			}
		}
		return out
	}
	list, _ := elements(raw, maxList)
	for _, raw := range list {
		if s, ok := text(raw); ok {
			out = append(out, s)
		}
	}
	return out
}
