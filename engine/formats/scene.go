package formats

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of a scene. What is beyond them stays in its line, unread.
const (
	maxVersions  = 200
	maxSceneText = 1 << 20 // bytes of one version, and of a scene's name
)

// SceneMark marks the last message of a scene. Versions are its recaps, oldest first, and Current
// is the index of the one in use, 0 if there are none. Empty recaps are left out.
type SceneMark struct {
	Hidden   bool
	Name     string
	Expanded bool
	Versions []SceneVersion
	Current  int
}

// SceneVersion is one recap of a scene. Text is Markdown, or the whole text if it could not be
// split into parts.
type SceneVersion struct {
	SceneName, Text, Atmosphere, EmotionalBeats string
	Lorebooks                                   []storage.LoreCandidate
}

func (v SceneVersion) isEmpty() bool {
	for _, s := range []string{v.SceneName, v.Text, v.Atmosphere, v.EmotionalBeats} {
		if strings.TrimSpace(s) != "" {
			return false
		}
	}
	return len(v.Lorebooks) == 0
}

func (v SceneVersion) equal(w SceneVersion) bool {
	return v.SceneName == w.SceneName && v.Text == w.Text && v.Atmosphere == w.Atmosphere &&
		v.EmotionalBeats == w.EmotionalBeats &&
		slices.EqualFunc(v.Lorebooks, w.Lorebooks, sameLore)
}

func sameLore(a, b storage.LoreCandidate) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Content == b.Content && a.UID == b.UID &&
		slices.Equal(a.Keywords, b.Keywords) && slices.Equal(a.SecondaryKeys, b.SecondaryKeys)
}

// The members of a scene.
const (
	keyBreak     = "scene_break"
	keyVisible   = "scene_break_visible"
	keyCollapsed = "scene_break_collapsed"
	keySceneName = "scene_break_name"
	keyVersions  = "scene_recap_versions"
	keyCurrent   = "scene_recap_current_index"
	keyMemory    = "scene_recap_memory"
)

// recapModule is the member of extra of a recap extension. The scene's members are in it or, from
// other sources, in extra itself.
const recapModule = "auto_recap_memory"

// sceneHome returns the object that holds the keys of a scene, or that should get them. nested
// reports whether it is the extension's own part of extra.
func sceneHome(extra *object) (home object, nested bool) {
	own, ok := parseObject(extra.get(recapModule))
	if ok && (hasScene(&own) || !hasScene(extra)) {
		return own, true
	}
	return *extra, false
}

func hasScene(o *object) bool { return o.has(keyBreak) || o.has(keyVersions) || o.has(keyMemory) }

// readScene reads the members of a scene; nil means that there is none. slots are all versions as
// they were written, readable or not.
func readScene(home *object) (m *SceneMark, slots []versionSlot) {
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

// flag reads a boolean, also one that is written as a string. ok is false if raw is something
// else.
func flag(raw json.RawMessage) (value, ok bool) {
	s, odd := looseString(raw)
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

// versionSlot is one version as it was written. ok is false if it is not read: it is empty,
// malformed or beyond the limits.
type versionSlot struct {
	raw     json.RawMessage
	version SceneVersion
	ok      bool
}

// readSlots reads the versions, and which readable one is in use. If the list does not say so, the
// current text does; it may be a version that is not in the list, and is then the last slot.
func readSlots(home *object) (slots []versionSlot, current int) {
	list, _ := elements(home.get(keyVersions), maxSwipes)
	for _, raw := range list {
		v, ok := readVersion(raw)
		slots = append(slots, versionSlot{raw, v, ok})
	}
	at, ok := wholeNumber(home.get(keyCurrent))
	if !ok || at < 0 || at >= len(slots) || !slots[at].ok {
		memory := home.get(keyMemory)
		if v, ok := readVersion(memory); ok {
			at = slices.IndexFunc(slots, func(s versionSlot) bool { return s.ok && s.version.equal(v) })
			if at < 0 {
				at = len(slots)
				slots = append(slots, versionSlot{memory, v, true})
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

// limitSlots drops versions beyond the limit: the oldest ones, or those before the one in use if
// that is older.
func limitSlots(slots []versionSlot, at int) {
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
