package formats

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const maxSwipes = 10_000 // of one message

// idKey is the member with the ID in the extra of a message or a swipe.
const idKey = "ghostlight_id"

// readMessage reads the object of a line. odd describes what was malformed. Texts of the result
// are copies, and so is the Extra of its swipes.
func readMessage(o *object) (m ChatMessage, odd string) {
	extra, _ := parseObject(o.get("extra"))
	var oddName, oddText string
	m.Name, oddName = looseString(o.get("name"))
	m.Content, oddText = looseString(o.get("mes"))
	m.Thinking, _ = text(extra.get("reasoning"))
	m.Model, _ = text(extra.get("model"))
	m.ID, _ = text(extra.get(idKey))
	m.Hidden = jsTruth(o.get("is_system"))
	m.CreatedAt = readTime(o.get("send_date"))
	home, _ := sceneHome(&extra)
	m.Scene, _ = readScene(&home)
	m.Role = storage.Assistant
	kind, _ := text(extra.get("type"))
	switch {
	case jsTruth(o.get("is_user")):
		m.Role = storage.User
	case kind == "narrator", kind == "comment" && !m.Hidden:
		m.Role = storage.Narrator
	case kind == "comment", m.Hidden && m.Name == "System":
		m.Role = storage.System
	}
	switch {
	case oddText != "":
		odd = "the text is a " + oddText
	case oddName != "":
		odd = "the name is a " + oddName
	}
	list, ok := elements(o.get("swipes"), maxSwipes)
	if !ok && o.has("swipes") && string(o.get("swipes")) != "null" {
		odd = "the swipes cannot be read; they are kept, but not shown"
	}
	if len(list) > 0 {
		readSwipes(&m, o, list)
	}
	return m, odd
}

func readSwipes(m *ChatMessage, o *object, list []json.RawMessage) {
	infos, _ := elements(o.get("swipe_info"), maxSwipes)
	chosen, ok := wholeNumber(o.get("swipe_id"))
	m.Swipes = make([]Swipe, len(list))
	for i, raw := range list {
		m.Swipes[i].Content, _ = looseString(raw)
		if (!ok || chosen < 0 || chosen >= len(list)) && m.Swipes[i].Content == m.Content {
			chosen, ok = i, true
		}
	}
	if !ok || chosen < 0 || chosen >= len(list) {
		chosen = len(list) - 1
	}
	m.Chosen = chosen
	// Missing swipe_info is added, as SillyTavern does, so that every swipe has some.
	var blank json.RawMessage
	for i := range m.Swipes {
		s := &m.Swipes[i]
		var info object
		if i < len(infos) {
			info, ok = parseObject(infos[i])
		} else {
			ok = false
		}
		switch {
		case ok:
			s.Extra = bytes.Clone(infos[i])
		case i == chosen:
			s.Extra = newSwipeInfo(o, true)
		default:
			if blank == nil {
				blank = newSwipeInfo(o, false)
			}
			s.Extra = blank
		}
		if !ok {
			info, _ = parseObject(s.Extra)
		}
		extra, _ := parseObject(info.get("extra"))
		s.Thinking, _ = text(extra.get("reasoning"))
		s.Model, _ = text(extra.get("model"))
		s.ID, _ = text(extra.get(idKey))
		s.CreatedAt = readTime(info.get("send_date"))
	}
}

// newSwipeInfo returns the swipe_info of a swipe that has none. For the chosen one it has the
// values of the message.
func newSwipeInfo(o *object, chosen bool) json.RawMessage {
	var info object
	for _, key := range []string{"send_date", "gen_started", "gen_finished", "extra"} {
		raw := o.get(key)
		if key == "extra" && (!chosen || raw == nil) {
			raw = json.RawMessage("{}")
		} else if raw == nil || (!chosen && key != "send_date") {
			continue
		}
		info.set(key, raw)
	}
	return info.encode()
}

// removeKnown removes from a line's object what m holds completely: a text, and swipes that are
// all texts with one object of information each, where the chosen one equals the line. Anything
// else stays, so that it is written as it was.
func removeKnown(o *object, m *ChatMessage) {
	plain := isText(o.get("mes"))
	switch list, _ := elements(o.get("swipes"), maxSwipes); {
	case len(list) > 0 && isRegular(o, m, list):
		o.remove("mes", "swipes", "swipe_info")
	case len(list) == 0 && plain:
		o.remove("mes")
	}
}

// isRegular reports whether m, which was read from the line, can reproduce its swipes.
func isRegular(o *object, m *ChatMessage, list []json.RawMessage) bool {
	infos, _ := elements(o.get("swipe_info"), maxSwipes)
	if len(infos) != len(list) {
		return false
	}
	for i := range list {
		if _, ok := parseObject(infos[i]); !ok || list[i][0] != '"' {
			return false
		}
	}
	id, ok := wholeNumber(o.get("swipe_id"))
	s := &m.Swipes[m.Chosen]
	plain := isText(o.get("mes"))
	return plain && ok && id == m.Chosen && s.Content == m.Content && s.Thinking == m.Thinking && s.Model == m.Model
}

// readTime reads a time in any of the formats of SillyTavern's versions. A time without a zone is
// local. Zero means none.
func readTime(raw json.RawMessage) time.Time {
	s, odd := looseString(raw)
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 || odd == "boolean" {
		return time.Time{}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return unixTime(f)
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return validTime(t)
	}
	if t, ok := humanTime(s); ok {
		return validTime(t)
	}
	// "November 2, 2024 10:11am", with or without space, seconds and case
	flat := strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(s, "\u202f", " "), " ", ""))
	for _, layout := range []string{"January2,20063:04PM", "January2,20063:04:05PM", "January2,200615:04",
		"Jan2,20063:04PM", "Jan2,200615:04", "2006-01-0215:04:05", "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, flat, time.Local); err == nil {
			return validTime(t)
		}
	}
	return time.Time{}
}

// unixTime reads small numbers as seconds and large ones as milliseconds.
func unixTime(f float64) time.Time {
	if f < 1e11 {
		f *= 1000
	}
	if !(f > 0 && f < 253402300799000) { // the year 9999
		return time.Time{}
	}
	return time.UnixMilli(int64(f)).UTC()
}

// validTime returns the zero time for times that JSON cannot represent.
func validTime(t time.Time) time.Time {
	if y := t.UTC().Year(); y < 1 || y > 9998 {
		return time.Time{}
	}
	return t
}

// humanTime reads "2024-11-2@10h11m12s345ms", with or without spaces, seconds and milliseconds.
func humanTime(s string) (time.Time, bool) {
	date, clock, ok := strings.Cut(strings.ReplaceAll(s, " ", ""), "@")
	if !ok {
		return time.Time{}, false
	}
	day, err := time.ParseInLocation("2006-1-2", date, time.Local)
	if err != nil {
		return time.Time{}, false
	}
	var part [4]int
	for i, unit := range []string{"h", "m", "s", "ms"} {
		digits, rest, found := strings.Cut(clock, unit)
		if clock == "" && i > 1 {
			break
		}
		n, err := strconv.Atoi(digits)
		if !found || err != nil || n < 0 || n > 999 {
			return time.Time{}, false
		}
		part[i], clock = n, rest
	}
	y, mo, d := day.Date()
	return time.Date(y, mo, d, part[0], part[1], part[2], part[3]*int(time.Millisecond), time.Local), clock == ""
}

func writeTime(t time.Time) json.RawMessage {
	return quote(t.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}
