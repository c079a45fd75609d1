package ecosystem

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of what is read of a scene. What lies beyond stays in its line, unread.
const (
	maxVersions  = 200
	maxSceneText = 1 << 20 // bytes of one version, and of a scene's name
)

// SceneMark says that a scene ends with the message that carries it. Versions
// are its recaps, oldest first, and Current is the index of the one in use, 0
// when there are none. Recaps without any content are not among them.
type SceneMark struct {
	Hidden   bool
	Name     string
	Expanded bool
	Versions []SceneVersion
	Current  int
}

// SceneVersion is one recap of a scene. Text is Markdown, or whatever stood
// there when no parts could be told apart in it.
type SceneVersion struct {
	SceneName, Text, Atmosphere, EmotionalBeats string
	Lorebooks                                   []storage.LoreCandidate
}

func (v SceneVersion) blank() bool {
	for _, s := range []string{v.SceneName, v.Text, v.Atmosphere, v.EmotionalBeats} {
		if strings.TrimSpace(s) != "" {
			return false
		}
	}
	return len(v.Lorebooks) == 0
}

func (v SceneVersion) same(w SceneVersion) bool {
	return v.SceneName == w.SceneName && v.Text == w.Text && v.Atmosphere == w.Atmosphere && v.EmotionalBeats == w.EmotionalBeats &&
		slices.EqualFunc(v.Lorebooks, w.Lorebooks, sameLore)
}

func sameLore(a, b storage.LoreCandidate) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Content == b.Content && a.UID == b.UID &&
		slices.Equal(a.Keywords, b.Keywords) && slices.Equal(a.SecondaryKeys, b.SecondaryKeys)
}

// The names of a scene's keys.
const (
	keyBreak     = "scene_break"
	keyVisible   = "scene_break_visible"
	keyCollapsed = "scene_break_collapsed"
	keySceneName = "scene_break_name"
	keyVersions  = "scene_recap_versions"
	keyCurrent   = "scene_recap_current_index"
	keyMemory    = "scene_recap_memory"
)

// recapModule is the part of extra that a recap extension calls its own. Its
// keys are there, or, of other origin, in extra itself.
const recapModule = "auto_recap_memory"

// sceneHome returns the object that holds the keys of a scene, or that is to
// hold them: nested tells that it is the extension's own part of extra.
func sceneHome(extra *object) (home object, nested bool) {
	own, ok := parseObject(extra.get(recapModule))
	if ok && (hasScene(&own) || !hasScene(extra)) {
		return own, true
	}
	return *extra, false
}

func hasScene(o *object) bool { return o.has(keyBreak) || o.has(keyVersions) || o.has(keyMemory) }

// readScene reads the keys of a scene; nil means that there is none. slots are
// all versions as they were written, readable or not.
func readScene(home *object) (m *SceneMark, slots []slot) {
	if !hasScene(home) {
		return nil, nil
	}
	slots, current := readSlots(home)
	m = &SceneMark{Current: current}
	for _, s := range slots {
		if s.ok {
			m.Versions = append(m.Versions, s.version)
		}
	}
	marked, said := flag(home.get(keyBreak))
	if !marked && len(m.Versions) == 0 {
		return nil, slots
	}
	visible, ok := flag(home.get(keyVisible))
	m.Hidden = ok && !visible || said && !marked
	collapsed, ok := flag(home.get(keyCollapsed))
	m.Expanded = ok && !collapsed
	if name, _ := text(home.get(keySceneName)); len(name) <= maxSceneText {
		m.Name = name
	}
	return m, slots
}

// flag reads a boolean, also one that is written as a string. ok is false when
// raw is something else.
func flag(raw json.RawMessage) (value, ok bool) {
	s, odd := loose(raw)
	if odd != "" && odd != "boolean" {
		return false, false
	}
	switch strings.ToLower(s) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// slot is one version as it was written. ok is false when nothing is read from
// it: it has no content, or is odd, or lies beyond the bounds.
type slot struct {
	raw     json.RawMessage
	version SceneVersion
	ok      bool
}

// readSlots reads the versions, and which of those that can be read is in use.
// When the list does not say so, the current text does, which then may be a
// version that the list lacks: the last slot.
func readSlots(home *object) (slots []slot, current int) {
	list, _ := elements(home.get(keyVersions), maxSwipes)
	for _, raw := range list {
		v, ok := readVersion(raw)
		slots = append(slots, slot{raw, v, ok})
	}
	at, ok := whole(home.get(keyCurrent))
	if !ok || at < 0 || at >= len(slots) || !slots[at].ok {
		memory := home.get(keyMemory)
		if v, ok := readVersion(memory); ok {
			at = slices.IndexFunc(slots, func(s slot) bool { return s.ok && s.version.same(v) })
			if at < 0 {
				at = len(slots)
				slots = append(slots, slot{memory, v, true})
			}
		}
	}
	at = max(0, min(at, len(slots)-1))
	limitSlots(slots, at)
	count := 0
	for i, s := range slots {
		if i == at {
			current = count
		}
		if s.ok {
			count++
		}
	}
	return slots, max(0, min(current, count-1))
}

// limitSlots leaves the newest versions within the bounds, or those from the
// one in use on, where that is older.
func limitSlots(slots []slot, at int) {
	var readable []int
	for i, s := range slots {
		if s.ok {
			readable = append(readable, i)
		}
	}
	from := max(0, len(readable)-maxVersions)
	if i := slices.Index(readable, at); i >= 0 {
		from = min(from, i)
	}
	for i, which := range readable {
		slots[which].ok = i >= from && i < from+maxVersions
	}
}
