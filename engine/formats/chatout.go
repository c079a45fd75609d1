package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WriteChat writes a chat in SillyTavern's format: the header of f and then messages, with one
// call of w.Write each. f.Messages only needs the first message of the user and of the character,
// because the header may take its names from them. Header and Extra from ReadChat are the base,
// and only differences are written, so that unknown fields survive; without them plain lines are
// written. Metadata, if not nil, replaces the header's. Messages that only show a picture are left
// out. A nil Scene keeps what Extra says of one. Header, Metadata and Extra must be JSON objects
// or nil. An error among the messages ends the writing.
func WriteChat(w io.Writer, f ChatFile, messages iter.Seq2[ChatMessage, error]) error {
	line, err := headerLine(f)
	if err != nil {
		return fmt.Errorf("write chat: header: %w", err)
	}
	n, bare := 0, f.NoHeader && len(f.Header)+len(f.Metadata) == 0
	write := func() error {
		if _, err := w.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write chat: %w", err)
		}
		return nil
	}
	if !bare {
		if err := write(); err != nil {
			return err
		}
	}
	for m, err := range messages {
		if err != nil {
			return err
		}
		if n++; m.Role == storage.SceneCapture {
			continue
		}
		if line, err = messageLine(m); err != nil {
			return fmt.Errorf("write chat: message %d: %w", n, err)
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// HeaderNames returns the names that ReadChat would find with this header.
func HeaderNames(header json.RawMessage, messages []ChatMessage) (user, character string) {
	o, _ := parseKept(header)
	return chatNames(&o, messages)
}

// LineName returns the name in a message's line, see ChatMessage.Extra.
func LineName(line json.RawMessage) string {
	o, _ := parseKept(line)
	name, _ := looseString(o.get("name"))
	return name
}

// parseKept parses an object of an imported file; nil is an empty object.
func parseKept(raw json.RawMessage) (object, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return object{}, nil
	}
	packed, err := compact(raw)
	if err != nil {
		return object{}, err
	}
	o, ok := parseObject(packed)
	if !ok {
		return object{}, wrapf(ErrDamaged, "what was kept of the imported file is not a JSON object")
	}
	return o, nil
}

func headerLine(f ChatFile) ([]byte, error) {
	o, err := parseKept(f.Header)
	if err != nil {
		return nil, err
	}
	if len(f.Metadata) > 0 {
		meta, err := compact(f.Metadata)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(meta, o.get("chat_metadata")) {
			o.set("chat_metadata", meta)
		}
	}
	fresh := len(f.Header) == 0
	if fresh && !o.has("chat_metadata") {
		o.set("chat_metadata", json.RawMessage("{}"))
	}
	user, character := chatNames(&o, f.Messages)
	if f.UserName != user || fresh {
		o.set("user_name", quote(f.UserName))
	}
	if f.CharacterName != character || fresh {
		o.set("character_name", quote(f.CharacterName))
	}
	return o.encode(), nil
}

// messageLine merges a message over its original line. A value that is unchanged is written as it
// was.
func messageLine(m ChatMessage) ([]byte, error) {
	o, err := parseKept(m.Extra)
	if err != nil {
		return nil, err
	}
	old, _ := readMessage(&o)
	fresh := len(m.Extra) == 0
	if m.Role == storage.System && old.Role == storage.Narrator {
		m.Role, m.Hidden = old.Role, old.Hidden // older versions read narrators like this
	}
	m.Hidden = m.Hidden || m.Role == storage.System
	if m.Name != old.Name || fresh {
		o.set("name", quote(m.Name))
	}
	setBool(&o, "is_user", m.Role == storage.User, old.Role == storage.User, fresh)
	setBool(&o, "is_system", m.Hidden, old.Hidden, fresh)
	if !m.CreatedAt.IsZero() && !m.CreatedAt.Equal(old.CreatedAt) {
		o.set("send_date", writeTime(m.CreatedAt))
	}
	setText(&o, "mes", m.Content, old.Content)
	if fresh {
		o.set("extra", json.RawMessage("{}"))
	}
	mergeExtra(&o, m.Thinking, old.Thinking, m.Model, old.Model)
	if m.ID != "" && m.ID != old.ID {
		setExtra(&o, idKey, m.ID)
	}
	if m.Role != old.Role {
		if kind := lineKind(m.Role); kind != lineKind(old.Role) {
			setExtra(&o, "type", kind)
		}
	}
	mergeScene(&o, m.Scene, old.Scene)
	mergeSwipes(&o, m, old)
	return o.encode(), nil
}

func setText(o *object, key, now, old string) {
	if now != old || !o.has(key) {
		o.set(key, quote(now))
	}
}

// lineKind returns extra.type of a line of a role.
func lineKind(r storage.Role) string {
	switch r {
	case storage.Narrator:
		return "narrator"
	case storage.System:
		return "comment"
	}
	return ""
}

func setBool(o *object, key string, now, old, fresh bool) {
	if now != old || fresh {
		o.set(key, json.RawMessage(strconv.FormatBool(now)))
	}
}

// mergeExtra writes the model and its thinking into the extra of an object.
func mergeExtra(o *object, thinking, oldThinking, model, oldModel string) {
	if thinking != oldThinking {
		setExtra(o, "reasoning", thinking)
	}
	if model != oldModel {
		setExtra(o, "model", model)
	}
}

func setExtra(o *object, key, value string) {
	extra, _ := parseObject(o.get("extra"))
	extra.set(key, quote(value))
	o.set("extra", extra.encode())
}

func mergeSwipes(o *object, m, old ChatMessage) {
	if len(m.Swipes) == 0 {
		if len(old.Swipes) > 0 {
			o.remove("swipes", "swipe_id", "swipe_info")
		}
		return
	}
	if sameSwipes(m, old) {
		return
	}
	same := len(m.Swipes) == len(old.Swipes)
	for i := 0; same && i < len(m.Swipes); i++ {
		same = m.Swipes[i].Content == old.Swipes[i].Content
	}
	if !same {
		texts := make([]string, len(m.Swipes))
		for i, s := range m.Swipes {
			texts[i] = s.Content
		}
		o.set("swipes", quoteList(texts))
	}
	chosen := max(0, min(m.Chosen, len(m.Swipes)-1))
	if id, ok := wholeNumber(o.get("swipe_id")); !ok || id != chosen {
		o.set("swipe_id", json.RawMessage(strconv.Itoa(chosen)))
	}
	// The parts of a malformed swipe_info that the reader left in the line are written as they
	// were.
	infos, ok := elements(o.get("swipe_info"), maxSwipes)
	if raw := o.get("swipe_info"); !ok && raw != nil && raw[0] != 'n' {
		return
	}
	for i, s := range m.Swipes {
		switch {
		case i >= len(infos):
			infos = append(infos, swipeInfo(s))
		case infos[i][0] == '{' || infos[i][0] == 'n':
			infos[i] = swipeInfo(s)
		}
	}
	o.set("swipe_info", encodeList(infos))
}

// sameSwipes reports whether the swipes of a message are still those in its line. Then it is a
// malformed one, see isRegular, and is written as it was.
func sameSwipes(m, old ChatMessage) bool {
	if len(m.Swipes) != len(old.Swipes) || m.Chosen != old.Chosen {
		return false
	}
	was, _ := old.Variants()
	for i, s := range m.Swipes {
		w := was[i]
		if s.Content != w.Content || s.Thinking != w.Thinking || s.Model != w.Model || !bytes.Equal(s.Extra, w.Extra) ||
			s.ID != "" && s.ID != w.ID || !s.CreatedAt.IsZero() && !s.CreatedAt.Equal(w.CreatedAt) {
			return false
		}
	}
	return true
}

func swipeInfo(s Swipe) json.RawMessage {
	o, err := parseKept(s.Extra)
	if err != nil { // not an object that can be merged into
		o = object{}
	}
	extra, _ := parseObject(o.get("extra"))
	thinking, _ := text(extra.get("reasoning"))
	model, _ := text(extra.get("model"))
	if !s.CreatedAt.IsZero() && !s.CreatedAt.Equal(readTime(o.get("send_date"))) {
		o.set("send_date", writeTime(s.CreatedAt))
	}
	if len(s.Extra) == 0 {
		o.set("extra", json.RawMessage("{}"))
	}
	mergeExtra(&o, s.Thinking, thinking, s.Model, model)
	if id, _ := text(extra.get(idKey)); s.ID != "" && s.ID != id {
		setExtra(&o, idKey, s.ID)
	}
	return o.encode()
}
