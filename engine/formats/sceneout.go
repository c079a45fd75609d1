package formats

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mergeScene writes a scene into a line, in the members whose meaning changes. A line that already
// means the same is left as it was.
func mergeScene(o *object, scene, old *SceneMark) {
	if scene == nil {
		return
	}
	now := scene.normalized()
	if old != nil && old.Name == "" && len(now.Versions) > 0 && now.Name == now.Versions[now.Current].SceneName {
		now.Name = "" // the recap in use has named it
	}
	if old != nil && now.same(*old) {
		return
	}
	extra, _ := parseObject(o.get("extra"))
	home, nested := sceneHome(&extra)
	old, slots := readScene(&home)
	fresh := old == nil
	setFlag(&home, keyBreak, true, true)
	setFlag(&home, keyVisible, !now.Hidden, fresh)
	setFlag(&home, keyCollapsed, !now.Expanded, fresh)
	if fresh || old.Name != now.Name {
		home.set(keySceneName, quote(now.Name))
	}
	if fresh || !now.sameVersions(*old) {
		setVersions(&home, slots, now)
	}
	if !nested {
		o.set("extra", home.encode())
		return
	}
	extra.set(recapModule, home.encode())
	o.set("extra", extra.encode())
}

// normalized returns the scene as it would be read again.
func (m SceneMark) normalized() SceneMark {
	m.Current = max(0, min(m.Current, len(m.Versions)-1))
	var versions []SceneVersion
	current := 0
	for i, v := range m.Versions {
		if i == m.Current {
			current = len(versions)
		}
		v.Lorebooks = slices.DeleteFunc(slices.Clone(v.Lorebooks), emptyLore)
		if !v.isEmpty() {
			versions = append(versions, v)
		}
	}
	m.Versions = versions
	m.Current = max(0, min(current, len(versions)-1))
	return m
}

func (m SceneMark) same(n SceneMark) bool {
	return m.Hidden == n.Hidden && m.Expanded == n.Expanded && m.Name == n.Name && m.sameVersions(n)
}

func (m SceneMark) sameVersions(n SceneMark) bool {
	return m.Current == n.Current && slices.EqualFunc(m.Versions, n.Versions, SceneVersion.equal)
}

// setFlag sets a boolean if it has another value. A missing one means true; always writes it
// anyway.
func setFlag(o *object, key string, now, always bool) {
	was, ok := flag(o.get(key))
	if ok && was == now || !ok && now && !always {
		return
	}
	o.set(key, json.RawMessage(strconv.FormatBool(now)))
}

// setVersions writes the list of versions, which of them is in use, and its text, which is stored
// twice.
func setVersions(home *object, slots []versionSlot, now SceneMark) {
	list, at := mergeVersions(slots, now)
	home.set(keyVersions, encodeList(list))
	if was, ok := wholeNumber(home.get(keyCurrent)); !ok || was != at {
		home.set(keyCurrent, json.RawMessage(strconv.Itoa(at)))
	}
	memory := json.RawMessage(`""`)
	if len(now.Versions) > 0 {
		if memory = list[at]; memory[0] != '"' {
			memory = encodeVersion(now.Versions[now.Current])
		}
	}
	home.set(keyMemory, memory)
}

// mergeVersions returns the new list and the index of the version in use. A version that is in the
// list already keeps its bytes, and an unreadable one its position.
func mergeVersions(slots []versionSlot, now SceneMark) (list []json.RawMessage, at int) {
	var old []versionSlot // the readable ones; their raw is nil once it is used
	for _, s := range slots {
		if s.ok {
			old = append(old, s)
		}
	}
	next := 0
	emit := func() {
		if next == len(now.Versions) {
			return
		}
		if next == now.Current {
			at = len(list)
		}
		v := now.Versions[next]
		list = append(list, takeVersion(old, next, v))
		next++
	}
	for _, s := range slots {
		if s.ok {
			emit()
		} else {
			list = append(list, s.raw)
		}
	}
	for next < len(now.Versions) {
		emit()
	}
	return list, at
}

// takeVersion returns a version from the old ones, preferably the one at its position, or encodes
// it.
func takeVersion(old []versionSlot, place int, v SceneVersion) json.RawMessage {
	fits := func(s versionSlot) bool { return s.raw != nil && s.version.equal(v) }
	i := place
	if i >= len(old) || !fits(old[i]) {
		i = slices.IndexFunc(old, fits)
	}
	if i < 0 {
		return encodeVersion(v)
	}
	raw := old[i].raw
	old[i].raw = nil
	return raw
}

// encodeVersion encodes a version as extensions do: as a string that contains a JSON object.
func encodeVersion(v SceneVersion) json.RawMessage {
	lore := make([]storage.LoreCandidate, len(v.Lorebooks))
	for i, c := range v.Lorebooks {
		if c.Keywords == nil {
			c.Keywords = []string{}
		}
		c.Messages = nil // IDs of this program
		lore[i] = c
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		SceneName      string                  `json:"scene_name"`
		Recap          string                  `json:"recap"`
		Atmosphere     string                  `json:"atmosphere"`
		EmotionalBeats string                  `json:"emotional_beats"`
		Lorebooks      []storage.LoreCandidate `json:"lorebooks"`
	}{v.SceneName, v.Text, v.Atmosphere, v.EmotionalBeats, lore})
	if err != nil {
		return quote(v.Text) // texts always encode
	}
	return quote(string(bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})))
}
